"""The gateway in front of servers that are reached by URL, with real processes and real sockets: the same rules as over
pipes, and what goes wrong on the way is an error to whoever waits."""

import json
import re
import subprocess
import sys
import threading
import time

import pytest
from mcp_by_url import SESSION, UrlServer, chunk, event, head, made, plain, result, stream
from mcp_client import NARROW_MCP, PATIENCE, text_of
from mcp_server import SECRET


def policy(server, more=""):
    network = f'mcp__box: {{allowed_domains: ["127.0.0.1:{server.port}"], deny_private_ips: false}}'
    return f'guard: {{network: {{{network}}}, tools: {{"mcp__box__*": {{capabilities: [reads]}}}}{more}}}\n'


@pytest.fixture
def serve():
    running = []

    def served(**answers):
        running.append(UrlServer(**answers))
        return running[-1]

    yield served
    for server in running:
        server.close()


@pytest.fixture
def reach(serve, start):
    """A gateway in front of a server that answers so."""

    def reached(*options, more="", mcp=None, **answers):
        server = serve(**answers)
        gateway = start(policy(server, more), *options, url=server.url, **({"mcp": mcp} if mcp else {}))
        return gateway, server

    return reached


def eventually(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# What passes


def test_a_call_goes_to_the_url_and_its_result_comes_back(reach):
    gateway, server = reach()
    assert text_of(gateway.call("echo", say="hi")) == json.dumps({"say": "hi"})
    assert server.of("tools/call")[0].headers["content-type"] == "application/json"


def test_what_is_allowed_passes_as_the_very_same_bytes(reach):
    gateway, server = reach()
    line = b'{ "jsonrpc":"2.0","id":77,"params":{"arguments":{"say":"h\\u00e9"},"name":"echo"},"method":"tools/call"}'
    gateway.send(line + b"\n")
    assert gateway.answer(77)["result"]["content"]
    assert server.of("tools/call")[0].body == line


@made
def begun_by_stream(request):
    found = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
    answer = stream(event({"jsonrpc": "2.0", "id": request.id, "result": found}, "e1"))
    return answer.replace(b"\r\n", f"\r\nMcp-Session-Id: {SESSION}\r\n".encode(), 1)


@pytest.mark.parametrize("how", [{}, {"initialize": begun_by_stream}], ids=["json", "stream"])
def test_the_session_and_the_version_that_the_server_settled_on_are_said_with_every_later_message(reach, how):
    gateway, server = reach(**how)
    gateway.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    gateway.call("echo")
    (first,) = server.of("initialize")
    assert not {"mcp-session-id", "mcp-protocol-version"} & set(first.headers)
    for rpc in ("notifications/initialized", "tools/list", "tools/call"):
        (later,) = server.of(rpc)
        assert later.headers["mcp-session-id"] == SESSION
        assert later.headers["mcp-protocol-version"] == "2025-06-18"


def test_the_session_is_ended_when_the_client_ends(reach):
    gateway, server = reach()
    assert gateway.end()[0] == 0
    (ended,) = server.of("DELETE")
    assert ended.headers["mcp-session-id"] == SESSION


def test_a_message_that_says_its_own_version_says_it_in_headers_as_well(reach):
    gateway, server = reach()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    gateway.ask("tools/call", name="echo", arguments={}, _meta=meta)
    (asked,) = server.of("tools/call")
    assert asked.headers["mcp-protocol-version"] == "2026-07-28"
    assert (asked.headers["mcp-method"], asked.headers["mcp-name"]) == ("tools/call", "echo")


def test_headers_come_from_the_environment_and_are_written_nowhere(start, serve, place):
    server = serve()
    secret = "tok_" + "q9Xv" * 8
    options = ("--header-env", "Authorization=THE_TOKEN")
    gateway = start(policy(server), *options, url=server.url, env={"THE_TOKEN": f"Bearer {secret}"})
    gateway.call("echo", say="hi")
    status, said = gateway.end()
    assert status == 0
    assert all(one.headers["authorization"] == f"Bearer {secret}" for one in server.requests)
    assert secret not in said
    assert not any(secret.encode() in line for line in gateway.got)
    assert not any(secret.encode() in data for data in place.written().values())


@pytest.mark.parametrize("name", ["Mcp-Session-Id", "Host", "Accept", "Last_Event_ID"])
def test_headers_of_the_way_itself_can_not_be_set(start, serve, name):
    server = serve()
    gateway = start(policy(server), "--header-env", f"{name}=X", url=server.url, env={"X": "x"}, listed=False)
    if gateway.process.poll() is None:
        gateway.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    _, said = gateway.end()
    assert not server.requests
    assert "x" * 3 not in said


def test_an_answer_with_line_breaks_in_it_is_one_line_to_the_client(reach):
    @made
    def indented(request):
        return plain(json.dumps(result(request.id, "fine"), indent=2).replace("\n", "\r\n").encode())

    gateway, _ = reach(tools_call=indented)
    assert text_of(gateway.call("echo")) == "fine"
    assert b"\r" not in gateway.got[-1]


def test_an_event_of_several_lines_is_one_message(reach):
    @made
    def in_lines(request):
        lines = json.dumps(result(request.id, "fine"), indent=1).split("\n")
        return stream("".join(f"data: {line}\n" for line in lines).encode() + b"\n")

    gateway, _ = reach(tools_call=in_lines)
    assert text_of(gateway.call("echo")) == "fine"


def test_what_a_stream_brings_before_the_answer_arrives_before_it(reach):
    @made
    def told(request):
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "half way"}}
        return stream(b": a comment\n\n", event(note), event(result(request.id, "done")))

    gateway, _ = reach(tools_call=told)
    assert text_of(gateway.call("echo")) == "done"
    assert json.loads(gateway.got[-2])["params"]["data"] == "half way"


def test_a_server_that_asks_on_its_stream_gets_the_answer_that_the_client_gave(serve, start):
    answered = threading.Event()

    def asks(request, connection):
        asked = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {"message": "who?"}}
        connection.sendall(stream(event(asked), ended=False))
        assert answered.wait(PATIENCE)
        connection.sendall(chunk(event(result(request.id, "thanks"))) + b"0\r\n\r\n")

    @made
    def taken(request):
        assert request.message["result"] == {"action": "accept", "content": {"name": "Ada"}}
        answered.set()
        return plain(b"", "202 Accepted")

    server = serve(tools_call=asks)
    server.answers[""] = taken
    gateway = start(policy(server), url=server.url)
    number = gateway.request("tools/call", name="echo", arguments={})
    asked = gateway.message()
    gateway.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"name": "Ada"}}})
    assert text_of(gateway.answer(number)) == "thanks"


def test_what_the_server_says_by_itself_is_heard_and_judged(reach):
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": f"key {SECRET}"}}
    gateway, _ = reach(GET=[stream(event(note, "1"), ended=False)])
    gateway.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    said = gateway.message()["params"]["data"]
    assert SECRET not in said
    assert "[redacted" in said


def test_calls_that_take_long_do_not_hold_up_others(reach):
    go_on = threading.Event()

    def slow(request, connection):
        go_on.wait(PATIENCE)
        connection.sendall(plain(result(request.id, "slow")))

    gateway, _ = reach(tools_call=[slow])
    first = gateway.request("tools/call", name="echo", arguments={"n": 1})
    second = gateway.call("other", n=2)
    assert text_of(second) == json.dumps({"n": 2})
    go_on.set()
    assert text_of(gateway.answer(first)) == "slow"


# The same rules


def test_a_call_that_is_denied_is_not_posted(reach):
    rule = ", rules: [{id: mine, effect: deny, tool: mcp__box__echo, because: Not today.}]"
    gateway, server = reach(more=rule)
    assert text_of(gateway.call("echo")).startswith("Blocked:")
    assert not server.of("tools/call")


@pytest.mark.parametrize("by", ["json", "stream"])
def test_a_secret_in_a_result_is_masked_whichever_way_it_comes(reach, by):
    @made
    def leaks(request):
        message = result(request.id, f"the key is {SECRET}")
        message["result"]["structuredContent"] = {"key": SECRET}
        return plain(message) if by == "json" else stream(event(message))

    gateway, _ = reach(tools_call=leaks)
    gateway.call("echo")
    assert SECRET.encode() not in gateway.got[-1]
    assert gateway.got[-1].count(b"[redacted") == 2


def test_several_messages_in_one_answer_are_not_taken(reach):
    @made
    def batch(request):
        return plain(json.dumps([result(request.id, "a"), result(request.id, "b")]).encode())

    gateway, _ = reach(tools_call=batch)
    assert "withheld" in text_of(gateway.call("echo"))


def test_a_description_that_changes_asks(reach):
    gateway, server = reach()
    changed = [{"name": "echo", "description": "Another tool.", "inputSchema": {"type": "object"}}]

    @made
    def listed(request):
        return plain({"jsonrpc": "2.0", "id": request.id, "result": {"tools": changed}})

    server.answers["tools/list"] = listed
    gateway.ask("tools/list")
    assert "tool.changed" in text_of(gateway.call("echo"))


def test_the_name_belongs_to_the_url(reach, serve, start):
    gateway, _ = reach()
    gateway.end()
    other = serve()
    status, said = start(policy(other), url=other.url, listed=False).end()
    assert status == 2
    assert "belongs to another command" in said
    assert not other.requests


# Where it may go


def test_a_host_that_is_not_allowed_is_not_reached(serve, start):
    server = serve()
    gateway = start("guard: {}\n", url=server.url, listed=False)
    answer = gateway.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    assert "private_ip" in answer["error"]["message"]
    assert not server.connections


def test_a_url_that_can_not_be_judged_is_an_error_at_once(start):
    status, said = start(listed=False, url="http://ada:" + "hunter2@mcp.example.com/").end()
    assert status == 2
    assert "hunter2" not in said


# What fails is an error to whoever waits


def refusal(gateway, tool="echo"):
    answer = gateway.call(tool)
    assert "error" in answer, answer
    return answer["error"]["message"]


@made
def elsewhere(request):
    return stream(event(result(request.id + 1000, "not yours")))


@made
def half(request):
    body = json.dumps(result(request.id, "half")).encode()
    return head("200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}") + body[:-5]


@made
def changed_session(request):
    return plain(result(request.id, "x"), "200 OK", "Mcp-Session-Id: s-2")


@made
def packed(request):
    return plain(result(request.id, "x"), "200 OK", "Content-Encoding: gzip")


@made
def as_page(request):
    body = json.dumps(result(request.id, "x")).encode()
    return head("200 OK", "Content-Type: text/html", f"Content-Length: {len(body)}") + body


def closes(_request, _connection):
    return


def sends_half(request, connection):
    connection.sendall(half(request))


WRONG = {
    "it closes the connection": (closes, "broke off"),
    "it breaks off in the middle": (sends_half, "broke off"),
    "it speaks no HTTP": (lambda _, connection: connection.sendall(b"hello\r\n\r\n"), "no HTTP"),
    "it accepts and says nothing": (plain(b"", "202 Accepted"), "no form that is known"),
    "it refuses with a status": (plain(b"no", "500 Oh No"), "status 500"),
    "it wants us to sign in": (plain(b"", "401 Unauthorized", 'WWW-Authenticate: Bearer realm="x"'), "let us in"),
    "it leads elsewhere": (plain(b"", "307 Elsewhere", "Location: http://127.0.0.1:1/"), "not followed"),
    "its session is another one": (changed_session, "another session"),
    "it packs the answer": (packed, "packed"),
    "it answers with a page": (as_page, "no form that is known"),
    "its stream ends without the answer": (stream(), "ended the stream"),
    "its stream is none": (stream(b"oh no\n\nwhat\n\n"), "ended the stream"),
    "it answers another request": (elsewhere, "ended the stream"),
    "it switches to something else": (head("101 Switching Protocols", "Upgrade: x", "Connection: upgrade"), "no HTTP"),
}


@pytest.mark.parametrize("answer", [pytest.param(*one, id=name) for name, one in ((n, [a]) for n, a in WRONG.items())])
def test_what_goes_wrong_is_an_error_and_the_next_call_goes_through(reach, place, answer):
    said, why = answer
    gateway, _ = reach(tools_call=[said])
    assert why in refusal(gateway)
    assert text_of(gateway.call("echo", n=2)) == json.dumps({"n": 2})
    aborted = [one for one in place.events() if one.kind == "execution" and one.outcome == "aborted"]
    assert len(aborted) == 1


def test_a_server_that_is_gone_is_an_error(reach):
    gateway, server = reach(tools_call=[closes])
    server.close()
    assert refusal(gateway)
    assert "No connection" in refusal(gateway)
    assert gateway.end()[0] == 0


def test_a_session_that_is_over_says_so_and_a_new_one_can_begin(reach):
    gateway, server = reach(tools_call=[plain(b"", "404 Not Found")])
    assert "session with the server is over" in refusal(gateway)
    gateway.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    assert "mcp-session-id" not in server.of("initialize")[-1].headers
    assert text_of(gateway.call("echo", n=1)) == json.dumps({"n": 1})


def test_of_two_answers_the_first_one_counts(reach):
    @made
    def twice(request):
        return stream(event(result(request.id, "first")), event(result(request.id, "second")))

    gateway, _ = reach(tools_call=twice)
    assert text_of(gateway.call("echo")) == "first"
    gateway.ask("ping")
    assert not any(b"second" in line for line in gateway.got)


def test_an_answer_in_the_exchange_of_another_request_is_left_out(reach):
    go_on = threading.Event()

    def slow(request, connection):
        go_on.wait(PATIENCE)
        connection.sendall(plain(result(request.id, "its own")))

    @made
    def for_the_first(request):
        return stream(event(result(request.id - 1, "not its own")), event(result(request.id, "mine")))

    gateway, _ = reach(tools_call=[slow, for_the_first])
    first = gateway.request("tools/call", name="echo", arguments={})
    assert text_of(gateway.call("other")) == "mine"
    go_on.set()
    assert text_of(gateway.answer(first)) == "its own"


def test_an_answer_among_what_the_server_says_by_itself_is_left_out(reach):
    go_on = threading.Event()

    def slow(request, connection):
        connection.sendall(stream(event({"jsonrpc": "2.0", "method": "notifications/x"}), ended=False))
        go_on.wait(PATIENCE)
        connection.sendall(chunk(event(result(request.id, "its own"))) + b"0\r\n\r\n")

    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": 1}}
    gateway, server = reach(tools_call=[slow], GET=[])
    first = gateway.request("tools/call", name="echo", arguments={})
    gateway.message()
    server.answers["GET"] = [stream(event(result(first, "not its own")), event(note), ended=False)]
    gateway.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert gateway.message()["params"]["progressToken"] == 7
    go_on.set()
    assert text_of(gateway.answer(first)) == "its own"


# Too slow, too large


@pytest.mark.parametrize(
    "beginning", [stream(b"data: {", ended=False), head("200 OK", "Content-Type: application/json")]
)
def test_an_answer_that_drips_is_given_up(reach, beginning):
    gateway, server = reach(mcp=NARROW_MCP)
    piece = chunk(b"x") if b"chunked" in beginning else b"x"
    server.answers["tools/call"] = [server.drip(beginning, piece)]
    assert "in time" in refusal(gateway)


def test_comments_do_not_keep_a_message_waiting_that_has_begun(reach):
    gateway, server = reach(mcp=NARROW_MCP)
    server.answers["tools/call"] = [server.drip(stream(b"data: {}\n", ended=False), chunk(b": still here\n"))]
    assert "in time" in refusal(gateway)


@pytest.mark.parametrize("as_stream", [True, False])
def test_a_message_that_is_too_large_is_given_up(reach, as_stream):
    @made
    def large(request):
        message = result(request.id, "x" * 200_000)
        return stream(event(message, "1")) if as_stream else plain(message)

    gateway, _ = reach(mcp=NARROW_MCP, tools_call=[large])
    assert "larger than" in refusal(gateway)
    assert text_of(gateway.call("echo", n=1)) == json.dumps({"n": 1})


def test_a_stream_may_bring_more_in_all_than_one_message_may_be_large(reach):
    @made
    def many(request):
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 50_000}}
        return stream(*[event(note)] * 8, event(result(request.id, "done")))

    gateway, _ = reach(mcp=NARROW_MCP, tools_call=[many])
    assert text_of(gateway.call("echo")) == "done"


# Resuming


def breaks(*events):
    """A stream that breaks off after these."""

    def broken(_request, connection):
        connection.sendall(stream(b"retry: 10\n\n", *events, ended=False))

    return broken


def note(text):
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": text}}


def test_a_stream_that_breaks_is_resumed_after_its_last_event_and_nothing_is_lost(reach):
    gateway, server = reach()
    server.answers["tools/call"] = [breaks(event(note("one"), "e1"))]
    number = gateway.request("tools/call", name="echo", arguments={})
    server.answers["GET"] = [
        breaks(event(note("one"), "e1"), event(note("two"), "e2")),
        stream(event(note("two"), "e2"), event(result(number, f"done, {SECRET}"), "e3")),
    ]
    said = text_of(gateway.answer(number))
    assert said.startswith("done")
    assert SECRET not in said
    assert [one.headers["last-event-id"] for one in server.of("GET")] == ["e1", "e2"]
    heard = [json.loads(line).get("params", {}).get("data") for line in gateway.got[-3:-1]]
    assert heard == ["one", "two"]
    assert len(server.of("tools/call")) == 1


def test_a_server_that_ends_a_stream_to_be_asked_again_is_asked_again(reach):
    gateway, server = reach()
    server.answers["tools/call"] = [stream(b"id: e1\nretry: 10\ndata:\n\n")]
    number = gateway.request("tools/call", name="echo", arguments={})
    server.answers["GET"] = [stream(event(result(number, "later"), "e2"))]
    assert text_of(gateway.answer(number)) == "later"


def test_an_answer_that_comes_again_when_the_stream_is_resumed_has_no_effect(reach, place):
    gateway, server = reach()
    server.answers["tools/call"] = [
        lambda request, connection: connection.sendall(stream(event(result(request.id, "once"), "e1"), ended=False))
    ]
    assert text_of(gateway.call("echo")) == "once"
    gateway.call("echo", n=2)
    results = [one for one in place.events() if one.kind == "decision" and one.action_type == "ToolCallPost"]
    assert sum("echo" in (one.tool_name or "") for one in results) == 2
    assert not server.of("GET")


def test_a_stream_without_ids_is_not_asked_for_again(reach):
    gateway, server = reach()
    server.answers["tools/call"] = [breaks(event(note("one")))]
    assert refusal(gateway)
    assert not server.of("GET")


def test_a_stream_that_brings_nothing_new_is_not_resumed_for_ever(reach):
    gateway, server = reach()
    server.answers["tools/call"] = [breaks(event(note("one"), "e1"))]
    server.answers["GET"] = [breaks(event(note("one"), "e1"))] * 50
    assert refusal(gateway)
    assert 0 < len(server.of("GET")) < 10


def test_a_stream_that_the_server_does_not_go_on_with_is_an_error(reach):
    gateway, server = reach()
    server.answers["tools/call"] = [breaks(event(note("one"), "e1"))]
    assert "no such streams" in refusal(gateway)


# How it ends


FAILS = """
from guardhouse.adapters.mcp.gateway import Gateway
from guardhouse.cli import main
judged = Gateway.from_server

def fails(gateway, line):
    if b"not for you" in line:
        raise RuntimeError("broken")
    return judged(gateway, line)

Gateway.from_server = fails
main()
"""


@pytest.mark.parametrize("by", ["json", "stream"])
def test_a_gateway_by_url_that_fails_passes_nothing(reach, by):
    @made
    def told(request):
        message = result(request.id, "not for you")
        return plain(message) if by == "json" else stream(event(message), event(note("nor this")))

    gateway, _ = reach(mcp=[sys.executable, "-c", FAILS, "mcp"], tools_call=told)
    gateway.request("tools/call", name="echo", arguments={})
    assert gateway.process.wait(PATIENCE) == 2
    assert gateway.process.stdout.read() == b""
    said = gateway.process.stderr.read().decode()
    assert "the gateway failed with RuntimeError" in said
    assert "not for you" not in said


def test_a_call_under_way_when_the_client_ends_is_recorded_as_aborted(reach, place):
    gateway, server = reach()
    server.answers["tools/call"] = [lambda _request, _connection: server.over.wait(PATIENCE)]
    gateway.request("tools/call", name="echo", arguments={})
    eventually(lambda: server.of("tools/call"))
    assert gateway.end()[0] == 0
    assert [one.outcome for one in place.events() if one.kind == "execution"] == ["aborted"]


def test_the_client_that_ends_while_nobody_answers_ends_the_gateway(reach):
    gateway, server = reach()
    server.answers["ping"] = [lambda _request, _connection: server.over.wait(PATIENCE)]
    gateway.request("ping")
    assert gateway.end()[0] == 0


@pytest.mark.parametrize(
    "words", [[], ["--url", "http://x.example/", "--", "true"], ["--header-env", "A=B", "--", "true"]]
)
def test_it_takes_either_a_command_or_a_url(place, words):
    command = [sys.executable, "-m", "guardhouse", "mcp", "--state-dir", str(place.state), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert "--url" in done.stderr


def test_the_name_is_read_off_the_host(reach, serve, place):
    server = serve()
    command = [sys.executable, "-m", "guardhouse", "mcp", "--state-dir", str(place.state), "--url", server.url]
    place.configure(policy(server).replace("mcp__box", "mcp__127-0-0-1"))
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    done = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert re.search(r"127-0-0-1", (place.state / "mcp" / "127-0-0-1.json").read_text())
