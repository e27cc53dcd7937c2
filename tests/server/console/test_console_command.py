"""`guardhouse console`: a link to the daemon that runs, which signs a person in once."""

import subprocess
import sys

import httpx


def console(daemon, *options):
    return subprocess.run(
        [sys.executable, "-m", "guardhouse", "console", "--print", "--state-dir", daemon.state, *options],
        capture_output=True, text=True, env=daemon.environment, cwd=daemon.work, check=False,
    )  # fmt: skip


def test_the_link_leads_to_where_the_daemon_runs_and_its_code_is_good_once(daemon):
    daemon.token("approver", "barbara")
    done = console(daemon, "--name", "barbara")
    assert done.returncode == 0, done.stderr
    assert "Signs barbara (approver) in" in done.stderr
    place, _, code = done.stdout.strip().partition("/#code=")
    assert place == daemon.url
    given = {"token": code}
    first = httpx.post(f"{place}/v1/console/sign-in", json=given, trust_env=False)
    assert (first.status_code, first.json()["name"]) == (200, "barbara")
    assert httpx.post(f"{place}/v1/console/sign-in", json=given, trust_env=False).status_code == 401


def test_without_a_name_it_is_the_administrators(daemon):
    assert "(admin) in" in console(daemon).stderr
    assert console(daemon, "--url", "https://guard.example.com/").stdout.startswith(
        "https://guard.example.com/#code=gdh_"
    )


def test_an_agents_name_or_none_there_is_gets_no_link(daemon):
    daemon.token("agent", "robot")
    for name in ("robot", "nobody"):
        done = console(daemon, "--name", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert "guardhouse token list" in done.stderr


def test_making_a_link_is_in_the_record_without_its_code(daemon):
    daemon.token("approver", "margaret")
    code = console(daemon, "--name", "margaret").stdout.strip().partition("#code=")[2]
    with daemon.admin() as admin:
        told = admin.get("/v1/audit/events?limit=50").text
    assert "signs margaret in" in told
    assert code
    assert code not in told
