"""What is turned away before anything looks at it, where the daemon listens, and what it says when it breaks."""

import json
import socket
import subprocess
import sys

import httpx
import msgspec
import pytest
from daemon_process import ASKING, HARMLESS, DaemonProcess

from guardhouse.config import find_sources
from guardhouse.model import GuardhouseError
from guardhouse.server import House, app
from guardhouse.server.doorstep import host_name, hosts_of
from guardhouse.server.running import Address, is_journal


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "localhost.evil.example"]
)
def test_a_name_that_is_not_ours_is_misdirected(daemon, host):
    for path in ("/healthz", "/v1/evaluate", "/v1/openapi.json", "/metrics"):
        assert httpx.get(daemon.url + path, headers={"host": host}, trust_env=False).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1", "[::1]:9"])
def test_loopback_goes_by_its_own_names(daemon, host):
    assert httpx.get(daemon.url + "/healthz", headers={"host": host}, trust_env=False).status_code == 200


@pytest.mark.parametrize("name", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_pages_of_other_places_are_turned_away(daemon, name):
    with daemon.agent() as agent:
        answer = agent.post("/v1/evaluate", json=HARMLESS, headers={"origin": name})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_origin")
        own = agent.post("/v1/evaluate", json=HARMLESS, headers={"origin": daemon.url})
        assert own.status_code == 200
        for site in ("cross-site", "same-site"):
            assert agent.post("/v1/evaluate", json=HARMLESS, headers={"sec-fetch-site": site}).status_code == 403


def test_two_hosts_or_none_are_turned_away(daemon):
    port = int(daemon.url.rpartition(":")[2])
    for heads in ("Host: 127.0.0.1\r\nHost: evil.example\r\n", ""):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"GET /healthz HTTP/1.1\r\n{heads}Connection: close\r\n\r\n".encode())
            assert b" 421 " in connection.recv(100) or b" 400 " in connection.recv(100)


def test_every_answer_forbids_framing_scripts_and_caching(daemon):
    with daemon.client() as anybody:
        for path in ("/healthz", "/v1/approvals", "/nowhere", "/v1/openapi.json"):
            headers = anybody.get(path).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
            assert "server" not in headers


def test_what_is_too_large_is_refused_before_it_is_read(daemon):
    with daemon.agent() as agent:
        port = int(daemon.url.rpartition(":")[2])
        head = (
            f"POST /v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n"
            f"Authorization: {agent.headers['authorization']}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(head.encode())
            assert b" 413 " in connection.recv(100)

        def parts():
            for _ in range(200):
                yield b" " * 65536

        assert agent.post("/v1/evaluate", content=parts()).status_code == 413
        comment = {"comment": "x" * 70_000}
        with daemon.approver() as approver:
            assert approver.post("/v1/approvals/ap_x/deny", json=comment).status_code in {400, 413}


def test_asking_too_often_is_refused_for_that_token_only(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {server: {requests_per_minute: 60}}")
    daemon.start()
    with daemon.agent() as noisy, daemon.agent() as quiet:
        statuses = [noisy.post("/v1/evaluate", json=HARMLESS).status_code for _ in range(15)]
        assert statuses.count(200) >= 10
        refused = noisy.post("/v1/evaluate", json=HARMLESS)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert quiet.post("/v1/evaluate", json=HARMLESS).status_code == 200


def test_bad_tokens_lock_nobody_out(daemon):
    bad = {"authorization": "Bearer gdh_agent_000000000000_" + "A" * 43}
    with daemon.client() as stranger, daemon.agent() as agent:
        statuses = {stranger.get("/v1/approvals", headers=bad).status_code for _ in range(230)}
        assert statuses == {401, 429}
        assert agent.post("/v1/evaluate", json=HARMLESS).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "192.168.1.1", "guard.example.com"])
def test_an_address_that_others_can_reach_needs_tls_or_a_word(host):
    with pytest.raises(GuardhouseError, match="in the clear"):
        Address(host=host, port=0).check()
    Address(host=host, port=0, plain_http=True).check()
    Address(host=host, port=0, tls_cert="cert.pem", tls_key="key.pem").check()
    with pytest.raises(GuardhouseError, match="certificate and its key"):
        Address(host=host, port=0, tls_cert="cert.pem").check()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_loopback_needs_neither(host):
    address = Address(host=host, port=0)
    address.check()
    assert address.is_local


def test_serve_refuses_such_an_address_and_says_what_to_do(tmp_path):
    daemon = DaemonProcess(tmp_path, "--host", "0.0.0.0")
    done = subprocess.run(
        [sys.executable, "-m", "guardhouse", "serve", "--port", "0", "--host", "0.0.0.0", "--state-dir", daemon.state],
        capture_output=True, text=True, env=daemon.environment, cwd=daemon.work, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--tls-cert" in done.stderr


def test_a_port_that_is_taken_is_an_error(tmp_path):
    daemon = DaemonProcess(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "guardhouse", "serve", "--port", port, "--state-dir", daemon.state],
            capture_output=True, text=True, env=daemon.environment, cwd=daemon.work, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "can't be listened at" in done.stderr


def test_names_that_a_daemon_goes_by():
    assert hosts_of("127.0.0.1", "") == {"127.0.0.1", "localhost", "[::1]"}
    assert hosts_of("0.0.0.0", "") is None
    assert hosts_of("0.0.0.0", "https://guard.example.com:8443/x") == {
        "127.0.0.1", "localhost", "[::1]", "guard.example.com",
    }  # fmt: skip
    assert "[fd00::1]" in hosts_of("fd00::1", "")
    assert [host_name(host) for host in ("a", "a:1", "[::1]", "[::1]:2")] == ["a", "a", "[::1]", "[::1]"]


def test_a_token_is_not_printed_into_the_journal(monkeypatch, tmp_path):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        import os

        status = os.fstat(ours.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        assert is_journal(ours)
        assert not is_journal((tmp_path / "out").open("w"))
        monkeypatch.delenv("JOURNAL_STREAM")
        assert not is_journal(ours)


@pytest.fixture
def broken_house(tmp_path, monkeypatch):
    """A house in this process, in which evaluating raises with something secret in its text."""
    monkeypatch.setenv("HOME", str(tmp_path))
    problems = []
    house = House(find_sources(state_dir=tmp_path / "state", cwd=tmp_path), report=problems.append)

    async def fails(*_):
        raise RuntimeError("hunter2 is the secret")

    operations = tuple(
        msgspec.structs.replace(one, handler=fails) if one.path == "/v1/evaluate" else one for one in app.OPERATIONS
    )
    monkeypatch.setattr(app, "OPERATIONS", operations)
    yield house, problems
    house.desk.close()


def test_a_breakage_inside_the_daemon_is_no_verdict_and_quotes_nothing(broken_house):
    import asyncio

    house, problems = broken_house

    async def ask():
        transport = httpx.ASGITransport(app.make_app(house))
        token, _ = house.tokens.create("agent")
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post("/v1/evaluate", json=ASKING, headers={"authorization": f"Bearer {token}"})

    answer = asyncio.run(ask())
    assert answer.status_code == 500
    assert "decision" not in answer.text
    assert "hunter2" not in answer.text + json.dumps(problems)
    assert "RuntimeError" in problems[0]


def test_without_the_server_part_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['starlette'] = None; sys.modules['uvicorn'] = None\n"
        "sys.argv = ['guardhouse', 'serve', '--state-dir', sys.argv[1]]\n"
        "from guardhouse.cli import main; main()"
    )
    daemon = DaemonProcess(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code, daemon.state], capture_output=True, text=True, env=daemon.environment, check=False
    )
    assert done.returncode == 2
    assert "guardhouse[server]" in done.stderr
