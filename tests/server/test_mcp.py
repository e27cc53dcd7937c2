"""`/mcp/NAME` of the daemon: the SDK's own client over HTTP, real servers behind it, and clients that do not behave."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from daemon_process import DEADLINE, until
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp_types import ElicitResult

from guardhouse.database import SqliteDatabase
from guardhouse.tokens import Tokens

ADAPTERS = Path(__file__).parents[1] / "adapters"
SECRET = "sk-" + "abcdefghijklmnopqrstuvwx"
POLICY = """
guard:
  server: {{requests_per_minute: 60000}}
  tools: {{"mcp__*": {{capabilities: [reads]}}}}
  network: {{mcp__byurl: {{allowed_domains: ["127.0.0.1:{port}"], deny_private_ips: false}}}}
  mcp:
    servers:
      piped: {{command: [{python}, {sdk}, stdio]}}
      plain: {{command: [{python}, {hand}, {log}], environment: [MCP_PAGE], denied_tools: [leak, "ENDS"]}}
      byurl: {{url: "http://127.0.0.1:{port}/mcp", headers: [X-Key=THE_KEY]}}
      gone: {{command: ["/no/such/program"]}}
      dies: {{command: [{python}, -c, "raise SystemExit(3)"]}}
      neither: {{}}
{more}
"""
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def by_url():
    server = subprocess.Popen(
        [sys.executable, str(ADAPTERS / "mcp_sdk_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    yield int(server.stdout.readline())
    server.stdin.close()
    server.wait(DEADLINE)
    server.stdout.close()


@pytest.fixture
def house(new_daemon, by_url, tmp_path):
    daemon = new_daemon()
    daemon.log = tmp_path / "plain.log"
    daemon.log.touch()

    def configure(more=""):
        paths = {"python": sys.executable, "sdk": ADAPTERS / "mcp_sdk_server.py", "hand": ADAPTERS / "mcp_server.py"}
        daemon.configure(POLICY.format(port=by_url, log=daemon.log, more=more, **paths))

    daemon.variables = {"THE_KEY": "k" * 20}
    daemon.write = configure
    configure()
    return daemon.start()


def with_client(house, server, work, *, token=None, **options):
    """Run `work` with the SDK's client at one of the daemon's servers."""

    async def whole():
        headers = {"Authorization": f"Bearer {token or house.token('agent')}"}
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"{house.url}/mcp/{server}", http_client=http)
            async with Client(transport, **options) as client:
                await client.list_tools()
                await work(client)

    asyncio.run(asyncio.wait_for(whole(), DEADLINE * 2))


class Raw:
    """A client that says exactly what a test wants."""

    def __init__(self, house, server="plain", name=None, token=None, version="2025-06-18"):
        self.http = house.client(token or house.token("agent", name))
        self.path = f"/mcp/{server}"
        answer = self.post({**HELLO, "params": {**HELLO["params"], "protocolVersion": version}})
        assert answer.status_code == 200, answer.text
        self.session = answer.headers["mcp-session-id"]

    def post(self, message, **headers):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        own = {"mcp-session-id": self.session} if hasattr(self, "session") else {}
        return self.http.post(self.path, content=body, headers={**ACCEPT, **own, **headers})

    def ask(self, method, number=1, **params):
        answer = self.post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert answer.status_code == 200, answer.text
        return events(answer.text)[-1][1]

    def call(self, tool, number=1, **arguments):
        return self.ask("tools/call", number, name=tool, arguments=arguments)


def events(text):
    """Ids and messages of a stream."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(":", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines.get("data", "").strip():
            found.append((lines["id"].strip(), json.loads(lines["data"])))
    return found


def said(answer):
    return answer["result"]["content"][0]["text"]


# With the SDK on both sides


@pytest.mark.parametrize("server", ["piped", "byurl"])
def test_a_real_client_reaches_a_real_server_and_secrets_are_masked(house, server):
    async def work(client):
        assert (await client.call_tool("echo", {"message": "hello"})).content[0].text == "hello"
        leaked = await client.call_tool("leak", {})
        assert SECRET not in repr(leaked)
        assert "redacted" in leaked.structured_content["key"]
        assert SECRET not in repr(await client.read_resource("demo://note"))

    with_client(house, server, work)


@pytest.mark.parametrize("server", ["piped", "byurl"])
def test_questions_and_progress_of_a_server_reach_the_client(house, server):
    async def work(client):
        heard = []

        async def told(progress, total, message):
            heard.append(message)

        assert (await client.call_tool("tells", {}, progress_callback=told)).content[0].text == "done"
        assert heard == ["half way"]
        assert (await client.call_tool("asks", {})).content[0].text == "Ada"

    async def ada(_context, _params):
        return ElicitResult(action="accept", content={"name": "Ada"})

    with_client(house, server, work, mode="legacy", elicitation_callback=ada)


def test_many_calls_at_once_get_their_own_answers(house):
    async def work(client):
        found = await asyncio.gather(*(client.call_tool("echo", {"message": str(n)}) for n in range(30)))
        assert [one.content[0].text for one in found] == [str(n) for n in range(30)]

    with_client(house, "piped", work)


# The same rules


def test_a_call_that_asks_waits_for_a_person_and_goes_through_once_approved_for_who_asked(house):
    house.stop()
    house.write('  rules: [{id: r, effect: require_approval, action: ToolCallPre, tool: "mcp__plain__*", because: x}]')
    house.start()
    client, other = Raw(house, name="ada"), Raw(house, name="eve")
    client.ask("tools/list")
    other.ask("tools/list")
    first = said(client.call("echo", say="hi"))
    request = first.split("(")[1].split(")")[0]
    assert client.http.get(f"/v1/approvals/{request}").json()["principal"] == "ada"
    assert other.http.get(f"/v1/approvals/{request}").status_code in {403, 404}
    assert house.approver().post(f"/v1/approvals/{request}/approve", json={}).status_code == 200
    assert "waits" in said(other.call("echo", say="hi"))
    assert json.loads(said(client.call("echo", say="hi"))) == {"say": "hi"}
    assert house.log.read_bytes().count(b'"tools/call"') == 1


def test_tools_that_are_not_offered_are_not_listed_and_can_not_be_called(house):
    client = Raw(house)
    names = [one["name"] for one in client.ask("tools/list")["result"]["tools"]]
    assert "echo" in names
    assert not {"leak", "ends"} & set(names)
    assert "not offered" in said(client.call("leak"))
    assert "not offered" in said(client.call("LEAK"))
    assert b"tools/call" not in house.log.read_bytes()


def test_each_principal_has_sessions_of_its_own_that_nobody_else_can_use(house):
    ada, eve = Raw(house, name="ada"), Raw(house, name="eve")
    own, eve.session = eve.session, ada.session
    assert eve.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404
    assert eve.http.get(eve.path, headers={"mcp-session-id": ada.session}).status_code == 404
    assert eve.http.delete(eve.path, headers={"mcp-session-id": ada.session}).status_code == 404
    eve.session = own
    assert eve.ask("ping")["id"] == 1
    assert ada.ask("ping")["id"] == 1


def test_a_session_is_of_one_server(house):
    client = Raw(house)
    client.path = "/mcp/piped"
    assert client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404


def test_a_header_of_the_configuration_comes_from_the_environment_and_is_told_to_nobody(house):
    Raw(house, "byurl").ask("tools/list")
    house.stop()
    assert not any("kkkkk" in line for line in house.said)
    assert not any(b"kkkkk" in path.read_bytes() for path in house.state.rglob("*") if path.is_file())


# Who comes in


def test_without_a_token_nobody_comes_in(house):
    answer = house.client().post("/mcp/plain", json=HELLO, headers=ACCEPT)
    assert answer.status_code == 401
    assert "bearer" in answer.headers["www-authenticate"].lower()
    assert house.client(house.token("approver")).post("/mcp/plain", json=HELLO, headers=ACCEPT).status_code == 403


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"host": "evil.example"}])
def test_a_page_of_somebody_else_does_not_come_in(house, headers):
    agent = house.agent()
    assert agent.post("/mcp/plain", json=HELLO, headers={**ACCEPT, **headers}).status_code in {403, 421}


def test_a_token_that_is_revoked_ends_what_it_listens_to(house):
    client = Raw(house, token=house.token("agent", "ada"))
    headers = {"mcp-session-id": client.session}
    with client.http.stream("GET", client.path, headers=headers) as stream:
        assert stream.status_code == 200
        database = SqliteDatabase(house.state / "approvals.db")
        assert Tokens(database).revoke("ada")
        database.close()
        assert not any(line.startswith("data") for line in stream.iter_lines())  # it ends
    assert client.http.get(client.path, headers=headers).status_code == 401


# What is none


@pytest.mark.parametrize("server", ["nothing", "neither", "..%2fplain", "PLAIN"])
def test_a_server_that_is_not_configured_is_not_there(house, server):
    assert house.agent().post(f"/mcp/{server}", json=HELLO, headers=ACCEPT).status_code == 404


@pytest.mark.parametrize("server", ["gone", "dies"])
def test_a_server_that_does_not_start_is_an_error(house, server):
    answer = house.agent().post(f"/mcp/{server}", json=HELLO, headers=ACCEPT)
    if answer.status_code == 200:  # it had begun before it ended
        assert "has ended" in events(answer.text)[-1][1]["error"]["message"]
    else:
        assert answer.status_code == 503


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"no", 400), (b"[]", 400), (json.dumps([HELLO]).encode(), 400), (b'{"jsonrpc":"2.0"}', 202)],
)
def test_a_body_that_is_no_message_is_refused(house, body, status):
    client = Raw(house)
    assert client.post(body).status_code == status


def test_what_two_readers_could_read_differently_is_refused(house):
    client = Raw(house)
    client.ask("tools/list")
    twice = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","name":"leak","arguments":{}}}'
    assert "Refused" in events(client.post(twice).text)[-1][1]["error"]["message"]
    assert b"tools/call" not in house.log.read_bytes()


def test_a_message_without_a_session_or_in_another_version_is_refused(house):
    client = Raw(house)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert client.post(ping, **{"mcp-protocol-version": "2024-11-05"}).status_code == 400
    assert client.post(ping, **{"mcp-protocol-version": "2025-06-18"}).status_code == 200
    del client.session
    assert client.post(ping).status_code == 400


def test_a_body_that_is_no_json_by_its_type_is_refused(house):
    client = Raw(house)
    assert (
        client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{"content-type": "text/plain"}).status_code == 415
    )


def test_one_principal_has_a_number_of_sessions_and_can_end_them(house):
    token = house.token("agent")
    first = Raw(house, "byurl", token=token)
    more = 0
    while first.http.post(first.path, json=HELLO, headers=ACCEPT).status_code == 200:
        more += 1
        assert more < 100
    assert first.http.post(first.path, json=HELLO, headers=ACCEPT).status_code == 429
    assert Raw(house, "byurl").ask("ping")["id"] == 1
    assert first.http.delete(first.path, headers={"mcp-session-id": first.session}).status_code == 204
    assert first.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404
    until(lambda: first.http.post(first.path, json=HELLO, headers=ACCEPT).status_code == 200)


# Streams


def test_a_stream_can_be_read_on_where_it_broke_off_and_nothing_is_judged_again(house):
    client = Raw(house)
    client.ask("tools/list")
    answer = client.post(
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "logs", "arguments": {"said": "x"}}}
    )
    heard = events(answer.text)
    last = heard[-1][0]
    stream = last.partition("-")[0]
    again = client.http.get(client.path, headers={"mcp-session-id": client.session, "last-event-id": f"{stream}-0"})
    assert again.status_code == 200
    assert events(again.text) == heard[1:]
    assert house.log.read_bytes().count(b'"tools/call"') == 1


@pytest.mark.parametrize(
    ("last", "status"), [("x", 400), ("1", 400), ("99-0", 404), ("-", 400), ("1-" + "9" * 30, 400)]
)
def test_a_place_in_a_stream_that_there_is_not_is_refused(house, last, status):
    client = Raw(house)
    headers = {"mcp-session-id": client.session, "last-event-id": last}
    assert client.http.get(client.path, headers=headers).status_code == status


def test_what_a_server_says_by_itself_comes_to_who_listens_last(house):
    client = Raw(house)
    client.ask("tools/list")
    headers = {"mcp-session-id": client.session}
    said = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": f"key {SECRET}"}}
    written = base64.b64encode(json.dumps(said).encode() + b"\n").decode()
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "raw", "arguments": {"bytes": written}},
    }
    with (
        client.http.stream("GET", client.path, headers=headers) as first,
        client.http.stream("GET", client.path, headers=headers) as second,
    ):
        assert not any(line.startswith("data") for line in first.iter_lines())  # it ends
        text = client.post(call).text
        if "redacted" not in text:  # it came before anybody read the stream of the call
            text = next(line for line in second.iter_lines() if line.startswith("data"))
    assert "redacted" in text
    assert SECRET not in text


def test_a_client_that_is_gone_ends_nothing_and_its_answer_is_kept(house):
    client = Raw(house, version="2025-11-25")
    client.ask("tools/list")
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "echo", "arguments": {"say": "hi"}}}
    headers = {**ACCEPT, "mcp-session-id": client.session}
    with client.http.stream("POST", client.path, json=call, headers=headers) as answer:
        first = next(answer.iter_lines())  # and gone
    assert first == "id: 3-0"
    again = client.http.get(client.path, headers={**headers, "last-event-id": "3-0"})
    assert json.loads(said(events(again.text)[-1][1])) == {"say": "hi"}
    assert house.log.read_bytes().count(b'"tools/call"') == 1


# The end


def servers_of(house):
    """The processes that the daemon has started."""
    command = ["ps", "-o", "pid=", "--ppid", str(house.process.pid)]
    return [int(one) for one in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


def test_a_server_that_ends_leaves_nobody_waiting(house):
    client = Raw(house)
    client.ask("tools/list")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ignores_end", "arguments": {}}}
    headers = {**ACCEPT, "mcp-session-id": client.session}
    with client.http.stream("POST", client.path, json=call, headers=headers) as answer:
        lines = answer.iter_lines()
        assert "notifications/message" in next(line for line in lines if line.startswith("data"))
        for server in servers_of(house):
            os.kill(server, signal.SIGKILL)
        assert "has ended" in next(line for line in lines if line.startswith("data"))
    assert client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}).status_code == 404


def test_the_daemon_ends_its_servers_and_does_not_wait_for_listeners(house):
    client = Raw(house)
    client.ask("tools/list")
    (server,) = servers_of(house)
    listening = threading.Thread(target=listen, args=(client,), daemon=True)
    listening.start()
    begun = time.monotonic()
    assert house.stop() in {0, -signal.SIGTERM}
    assert time.monotonic() - begun < 4
    listening.join(DEADLINE)
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


def listen(client):
    headers = {"mcp-session-id": client.session}
    with contextlib.suppress(httpx.HTTPError), client.http.stream("GET", client.path, headers=headers) as stream:
        for _ in stream.iter_lines():
            pass


PATCHED = """
import os
import time
from pathlib import Path

from guardhouse.adapters.mcp.gateway import Gateway
from guardhouse.cli import main
from guardhouse.server import mcp_sessions

judged = Gateway.from_server

def fails(gateway, line):
    if b"not for you" in line:
        raise RuntimeError("broken")
    return judged(gateway, line)

heard = Gateway.from_client

def waits(gateway, line):
    held = Path(os.environ["HELD"])
    while b"held" in line and held.exists():
        time.sleep(0.01)
    return heard(gateway, line)

Gateway.from_server = fails
Gateway.from_client = waits
mcp_sessions._MOST_KEPT = 100_000
mcp_sessions.MOST_OF_ONE = 2
mcp_sessions.CHECKED_EVERY = mcp_sessions._SWEPT_EVERY = 0.01
main()
"""


@pytest.fixture
def patched(house):
    """A daemon whose gateways fail at some words, hold on to others while `held` is there, keep little, and look often
    at who is still welcome."""
    house.stop()
    house.program = ["-c", PATCHED]
    house.held = house.log.with_name("held")
    house.variables["HELD"] = str(house.held)
    return house.start()


def test_a_gateway_that_fails_in_the_daemon_ends_its_session(patched):
    client = Raw(patched)
    client.ask("tools/list")
    answer = client.call("echo", say="not for you")
    assert "has ended" in answer["error"]["message"]
    until(lambda: client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}).status_code == 404)
    patched.stop()
    assert any("failed with RuntimeError" in line for line in patched.said)
    assert not any("not for you" in line for line in patched.said)


def test_a_client_that_does_not_read_loses_its_session(patched):
    client = Raw(patched)
    client.ask("tools/list")
    client.post(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "many", "arguments": {"size": 200_000}}}
    )
    until(lambda: client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}).status_code == 404)


def test_a_server_that_the_configuration_no_longer_names_is_not_used_any_more(house):
    client = Raw(house)
    client.ask("ping")
    house.configure("guard: {}\n")
    until(lambda: client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404)


def test_what_still_waits_when_a_token_is_revoked_is_not_done(patched):
    client = Raw(patched, token=patched.token("agent", "ada"))
    client.ask("tools/list")
    patched.held.touch()
    headers = {**ACCEPT, "mcp-session-id": client.session}
    with contextlib.ExitStack() as both:
        for number, said in ((1, "held"), (2, "and this")):
            call = {"name": "echo", "arguments": {"say": said}}
            asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            last = both.enter_context(client.http.stream("POST", client.path, json=asked, headers=headers))
            assert last.status_code == 200
        database = SqliteDatabase(patched.state / "approvals.db")
        assert Tokens(database).revoke("ada")
        database.close()
        until(lambda: client.post({"jsonrpc": "2.0", "id": 3, "method": "ping"}).status_code == 401)
        patched.held.unlink()
        last.read()
    patched.stop()
    assert b"and this" not in patched.log.read_bytes()


def test_who_only_listens_is_let_go_of_once_the_configuration_has_changed(patched):
    client = Raw(patched)
    with client.http.stream("GET", client.path, headers={"mcp-session-id": client.session}) as stream:
        assert stream.status_code == 200
        patched.configure("guard: {}\n")
        assert not any(line.startswith("data") for line in stream.iter_lines())  # it ends


def test_a_server_that_does_not_end_still_counts(patched):
    patched.write(
        f"      stays: {{command: [{sys.executable}, -c, "
        "'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(99)']}"
    )
    agent = patched.agent()

    def begun():
        with agent.stream("POST", "/mcp/stays", json=HELLO, headers=ACCEPT) as stream:
            return stream.headers.get("mcp-session-id") if stream.status_code == 200 else stream.status_code

    until(lambda: begun() != 404)
    first = begun()
    sessions = [first] if isinstance(first, str) else []
    for session in sessions:
        assert agent.delete("/mcp/stays", headers={"mcp-session-id": session}).status_code == 204
    assert begun() == 429
    until(lambda: isinstance(begun(), str))  # killed


def test_a_client_has_only_so_much_waiting(patched):
    client = Raw(patched)
    client.ask("tools/list")
    patched.held.touch()
    said = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"said": "held" + "x" * 3_000_000}}
    assert [client.post(said).status_code for _ in range(5)][-1] == 429
    patched.held.unlink()
    until(lambda: client.post({**said, "params": {}}).status_code == 202)
