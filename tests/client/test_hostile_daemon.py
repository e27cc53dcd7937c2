"""What answers in the place of a daemon and is none: whatever it says, nothing is allowed, and it takes no longer than
it may."""

import asyncio
import contextlib
import itertools
import json
import os
import re
import socket
import ssl
import threading
import time

import pytest

from guardhouse.client import BadAnswer, Connection, RemoteApprover, Unreachable, connect
from guardhouse.client.address import read_address, token_from_file
from guardhouse.client.connection import _MOST, Stream
from guardhouse.model import Decision, GuardhouseError, ToolCallPost, ToolCallPre, UserInput
from guardhouse.recording import trace
from guardhouse.wire import TIMES, outline_of, request_of

TOKEN = "gdh_agent_0123456789ab_" + "S" * 43
CALL = ToolCallPre(tool="read_file", params={"path": "a"}, session_id="s1", call_id="c1")
HASH = "v1:" + "0" * 64
SECONDS = 1.0


class HostileServer:
    """Takes connections on loopback and lets `behave` do with each what it likes."""

    def __init__(self, behave):
        self.behave = behave
        self.asked = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        with contextlib.suppress(OSError), connection:
            while (request := read_request(connection)) is not None:
                self.asked.append(request)
                if self.behave(connection, request) is not True:
                    return

    def close(self):
        self._listening.close()


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)
    return body


@pytest.fixture
def hostile(agent_home):
    made = []

    def make(behave):
        made.append(HostileServer(behave))
        return made[-1]

    yield make
    for server in made:
        server.close()


def whole(body, *, status="200 OK", kind="application/json", more=""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def saying(answer):
    def behave(connection, _request):
        connection.sendall(answer)

    return behave


def verdict(**changes):
    """An allow that is about the call in every respect."""
    return {
        "decision": "allow",
        "risk_level": "low",
        "reasons": [],
        "policy_revision": "p1",
        "action_hash": HASH,
        "event_id": "ev_1",
        "trace_id": trace("s1", None, "c1", HASH),
        "message": "Allowed.",
        **changes,
    }


def record(**changes):
    """A request for approval."""
    return {
        "id": "ap_1",
        "created_at": "2026-01-01T00:00:00Z",
        "expires_at": "2026-01-01T00:00:00Z",
        "action_type": "ToolCallPre",
        "tool_name": "bash",
        "action_hash": HASH,
        "action_summary_redacted": "",
        "action_redacted": {"params": {}},
        "risk_level": "low",
        "reasons": [],
        "codes": [],
        "policy_revision": "p1",
        "status": "approved",
        **changes,
    }


def without(name):
    return {key: value for key, value in verdict().items() if key != name}


def drip(connection, _request):
    for byte in whole(verdict()) * 100:
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def drip_body(connection, _request):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
    for _ in range(1000):
        connection.sendall(b" ")
        time.sleep(0.05)


def endless(connection, _request):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")


def silent(_connection, _request):
    time.sleep(30)


EXTRA = {"decision": "allow", "surprise": 1}
BAD = {
    "no HTTP": saying(b"hello\r\n\r\n"),
    "nothing": saying(b""),
    "silence": silent,
    "no JSON": saying(whole(b"allow")),
    "another kind": saying(whole(verdict(), kind="text/html")),
    "packed": saying(whole(verdict(), more="Content-Encoding: gzip\r\n")),
    "a list": saying(whole([verdict()])),
    "only a decision": saying(whole({"decision": "allow"})),
    "an unknown decision": saying(whole(verdict(decision="permit"))),
    "a field too many": saying(whole(verdict(surprise=1))),
    "a key twice": saying(whole(json.dumps(verdict())[:-1].encode() + b',"decision":"allow"}')),
    "cut off": saying(whole(verdict())[:-5]),
    "cut off without a length": saying(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
        + json.dumps(verdict()).encode()[:-9]
    ),
    "cut off in the head": saying(b"HTTP/1.1 200 OK\r\nContent-Type: appl"),
    "a large head": saying(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 5_000_000 + b"\r\n\r\n"),
    "said to be huge": saying(
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {_MOST + 1}\r\n\r\n".encode()
    ),
    "slowly": drip,
    "slowly in its body": drip_body,
    "a redirect": saying(whole(verdict(), status="307 Temporary Redirect", more="Location: http://127.0.0.1:1/\r\n")),
    "an allow with an error": saying(whole({"verdict": verdict()}, status="500 Internal Server Error")),
    "an allow with a conflict": saying(whole({"verdict": verdict()}, status="409 Conflict")),
    "created": saying(whole(verdict(), status="201 Created")),
    "another call": saying(whole(verdict(trace_id=trace("s1", None, "c2", HASH)))),
    "another session": saying(whole(verdict(trace_id=trace("s2", None, "c1", HASH)))),
    "no call": saying(whole(without("trace_id"))),
    "no event": saying(whole(without("event_id"))),
    "no hash": saying(whole(without("action_hash"))),
    "masked without saying how": saying(whole(verdict(decision="allow_with_redaction"))),
    "other parameters for masked ones": saying(
        whole(verdict(decision="allow_with_redaction", params={"path": "/etc/shadow"}))
    ),
    "more parameters than were sent": saying(
        whole(verdict(decision="allow_with_redaction", params={"path": "[redacted]", "also": "b"}))
    ),
    "other parameters": saying(whole(verdict(params={"path": "/etc/shadow"}))),
    "other content": saying(whole(verdict(content="x"))),
    "untrusted but not wrapped": saying(whole(verdict(untrusted=True))),
    "a question that is none": saying(whole(verdict(decision="require_approval", approval_request_id="ap_1"))),
    "an allow that waits": saying(whole({"status": "pending", "approval_request_id": "ap_1", "verdict": verdict()})),
}


@pytest.mark.parametrize("how", BAD)
def test_an_answer_that_is_no_verdict_on_the_action_is_a_deny(hostile, how):
    server = hostile(BAD[how])
    for ask in (lambda guard: guard.evaluate(CALL), lambda guard: asyncio.run(guard.evaluate_async(CALL))):
        with connect(server.url, TOKEN, seconds=SECONDS) as guard:
            begun = time.monotonic()
            got = ask(guard)
            assert time.monotonic() - begun < SECONDS + 2
        assert got.decision is Decision.DENY
        assert [reason.code for reason in got.reasons] == ["guard.daemon_unreachable"]
        assert TOKEN not in repr(got)
    assert len(server.asked) == 2  # once each: nothing is asked again


def test_the_good_answer_that_the_bad_ones_are_made_of_is_taken(hostile):
    with connect(hostile(saying(whole(verdict()))).url, TOKEN) as guard:
        assert guard.evaluate(CALL).decision is Decision.ALLOW


def test_an_answer_without_an_end_is_given_up(hostile):
    with connect(hostile(endless).url, TOKEN, seconds=20) as guard:
        assert guard.evaluate(CALL).decision is Decision.DENY


def test_an_allow_under_another_approval_is_a_deny(hostile):
    for changes in ({}, {"approval_request_id": "ap_2", "approval_status": "consumed"}):
        with connect(hostile(saying(whole(verdict(**changes)))).url, TOKEN) as guard:
            assert guard.evaluate(CALL, approval_id="ap_1").decision is Decision.DENY
    used = verdict(approval_request_id="ap_1", approval_status="consumed")
    with connect(hostile(saying(whole(used))).url, TOKEN) as guard:
        assert guard.evaluate(CALL, approval_id="ap_1").decision is Decision.ALLOW


def test_parameters_and_content_that_are_masked_are_taken(hostile):
    masked = verdict(decision="allow_with_redaction", params={"path": "[redacted]"})
    with connect(hostile(saying(whole(masked))).url, TOKEN) as guard:
        assert guard.evaluate(CALL).params == {"path": "[redacted]"}
    result = ToolCallPost(tool="read_file", content="the key is k", session_id="s1", call_id="c1")
    for content, decision in (
        ("the key is [redacted]", Decision.ALLOW_WITH_REDACTION),
        ("now run [redacted]", Decision.DENY),
        ({"text": "the key is [redacted]"}, Decision.DENY),
    ):
        told = whole(verdict(decision="allow_with_redaction", content=content))
        with connect(hostile(saying(told)).url, TOKEN) as guard:
            assert guard.evaluate(result).decision is decision


def test_content_in_a_wrapper_must_be_the_content_that_was_sent(hostile):
    from guardhouse.trust import wrap_untrusted

    result = ToolCallPost(tool="url_fetch", content="what came", session_id="s1", call_id="c1")
    for content, decision in (("what came", Decision.ALLOW), ("something else", Decision.DENY)):
        wrapped = wrap_untrusted(content, "the tool url_fetch", key=bytes(32), nonce=bytes(8)).text
        with connect(hostile(saying(whole(verdict(untrusted=True, wrapped=wrapped)))).url, TOKEN) as guard:
            assert guard.evaluate(result).decision is decision


def test_a_second_answer_is_not_taken_for_that_to_the_next_question(hostile):
    said = UserInput(content="one", session_id="s1")
    allowed = whole(verdict(trace_id=trace("s1", None, None, HASH)))

    def twice(connection, _request):
        connection.sendall(allowed + allowed)
        time.sleep(0.2)
        return True

    server = hostile(twice)
    with connect(server.url, TOKEN) as guard:
        guard.evaluate(said)
        guard.evaluate(said)
    assert len(server.asked) == 2


def test_a_report_that_is_not_confirmed_withholds_the_result(hostile):
    answers = iter([whole(verdict()), whole({"status": "ok"})])

    def behave(connection, _request):
        connection.sendall(next(answers))
        return True

    with connect(hostile(behave).url, TOKEN) as guard:
        allowed = guard.evaluate(CALL)
        assert guard.report(CALL, allowed, "executed").decision is Decision.DENY


@pytest.mark.parametrize(
    "told",
    [
        {"status": "resumed"},
        {"status": "resumed", "action": {"type": "UserInput", "content": "x"}, "verdict": verdict()},
        {"status": "resumed", "action": {"type": "ToolCallPre", "tool": "bash"}, "verdict": verdict()},
        {"status": "resumed", "action": {"type": "ToolCallPre", "tool": "bash", "params": {}}, "verdict": {}},
        {"status": "asked"},
        verdict(),
    ],
)
def test_a_call_that_is_not_given_back_whole_is_not_made(hostile, told):
    answers = iter([whole(record()), whole(told)])

    def behave(connection, _request):
        connection.sendall(next(answers))
        return True

    ran = []
    with connect(hostile(behave).url, TOKEN) as guard:
        tool = guard.wrap(lambda: ran.append(1), name="bash")
        with contextlib.suppress(GuardhouseError):
            assert tool.resume("ap_1").status == "denied"
    assert not ran


ASKED = {
    "get": lambda approver: approver.get("ap_1"),
    "wait": lambda approver: approver.wait("ap_1", 1),
    "wait_async": lambda approver: asyncio.run(approver.wait_async("ap_1", 1)),
    "approve": lambda approver: approver.answer("ap_1", approve=True),
    "deny": lambda approver: approver.answer("ap_1", approve=False),
    "cancel": lambda approver: approver.cancel("ap_1"),
    "resume": lambda approver: approver.ask_to_resume("ap_1"),
}


@pytest.mark.parametrize("how", ASKED)
@pytest.mark.parametrize("status", ["200 OK", "409 Conflict"])
def test_a_request_that_was_not_asked_for_is_no_answer(hostile, how, status):
    for given in ("ap_1", "ap_2"):
        told = record(id=given)
        told = told if status == "200 OK" and how != "resume" else {"status": "asked", "approval": told}
        connection = Connection(hostile(saying(whole(told, status=status))).url, TOKEN.replace("agent", "approver"))
        if given == "ap_2" and (status == "200 OK" or how in {"approve", "deny", "cancel", "resume"}):
            with pytest.raises(BadAnswer):
                ASKED[how](RemoteApprover(connection))
        elif status == "200 OK":
            assert ASKED[how](RemoteApprover(connection)).id == "ap_1"
        connection.close()


@pytest.mark.parametrize(
    "changes",
    [
        *({name: time} for name in TIMES for time in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00")),
        {"created_at": "1969-12-31T23:59:59Z"},
        {"created_at": "1970-01-01T00:00:00+01:00"},
        {"created_at": "9000-01-01T00:00:00Z"},
        {"created_at": "0001-01-01T00:00:00"},
        {"created_at": "2026-01-01T00:00:00"},
        {"created_at": "soon"},
        {"created_at": 1e300},
        {"created_at": None},
        {"id": ""},
        {"id": 1},
        {"id": "ap_1\n"},
        {"id": "ap_\x1b[2J"},
        {"id": "ap_\u202e1"},
        {"id": "ä"},
        {"id": "x" * 129},
    ],
    ids=repr,
)
def test_a_request_with_times_or_an_id_that_can_not_be_is_none(hostile, changes):
    told = record(**changes)
    with pytest.raises(GuardhouseError, match="no request for approval"):
        request_of(told)
    if changes.keys() <= {"id", "created_at", "expires_at"}:
        with pytest.raises(GuardhouseError, match="no request for approval"):
            outline_of(told)
    approver = RemoteApprover(Connection(hostile(saying(whole({"approvals": [told]}))).url, TOKEN))
    with pytest.raises(GuardhouseError, match="no request for approval"):
        approver.alike(request_of(record()))


def test_no_error_and_no_repr_has_the_token_in_it(hostile):
    told = {"error": {"code": "x", "message": f"You sent {TOKEN}", "fix": TOKEN}}
    for answer in (whole(told, status="401 Unauthorized"), whole(told, status="500 x"), b"HTTP/1.1 " + TOKEN.encode()):
        connection = Connection(hostile(saying(answer)).url, TOKEN, seconds=SECONDS)
        approver = RemoteApprover(connection)
        asked = (
            (approver.get, "ap_1"),
            (approver.cancel, "ap_1"),
            (approver.ask_to_resume, "ap_1"),
            (approver.outlines,),
        )
        for ask, *given in asked:
            with pytest.raises(GuardhouseError) as raised:
                ask(*given)
            chain = [raised.value, raised.value.__cause__, *raised.value.args]
            assert TOKEN not in repr(chain) + str(raised.value)
        assert TOKEN not in repr(connection) + repr(approver) + repr(connection.address)


@pytest.mark.parametrize("kind", ["pipe", "directory", "device", "others", "somebody", "missing"])
def test_a_token_file_that_is_not_its_owners_alone_is_refused_at_once(tmp_path, monkeypatch, kind):
    path = tmp_path / "token"
    if kind == "pipe":
        os.mkfifo(path, 0o600)
    elif kind == "directory":
        path.mkdir(0o700)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind != "missing":
        path.write_text(f"{TOKEN}\n")
        path.chmod(0o640 if kind == "others" else 0o600)
    if kind == "somebody":
        mine = token_from_file(path)
        assert mine == TOKEN
        real = os.fstat
        monkeypatch.setattr(os, "fstat", lambda handle: os.stat_result((*real(handle)[:4], 4321, *real(handle)[5:])))
    refused = []

    def ask():
        with pytest.raises(GuardhouseError) as raised:
            token_from_file(path)
        refused.append(raised.value)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(5)
    assert refused
    assert TOKEN not in str(refused[0])


class Pieces:
    """An answer that comes in these pieces."""

    status = 200

    def __init__(self, pieces):
        self.pieces = pieces

    def iter_stream(self):
        return iter(self.pieces)


def test_lines_are_the_same_however_they_are_cut():
    text = b"id: 1\r\ndata: \xc3\xa4\n\n\r\nlast"
    for size in range(1, len(text) + 1):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(Stream(Pieces(pieces)).lines(within=1, longest=10)) == ["id: 1", "data: ä", "", ""]
    for text in (b"x" * 11, b"x" * 11 + b"\n", b"a\n" + b"x" * 11 + b"\nb\n"):
        for size in (1, 100):
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            with pytest.raises(BadAnswer):
                list(Stream(Pieces(pieces)).lines(within=1, longest=10))


def test_a_line_that_comes_byte_by_byte_takes_time_that_grows_with_it_and_no_faster():
    def seconds(size):
        begun = time.process_time()
        [line] = Stream(Pieces(itertools.chain(itertools.repeat(b"x", size), [b"\n"]))).lines(within=9, longest=size)
        assert len(line) == size
        return time.process_time() - begun

    seconds(1000)
    assert seconds(400_000) < 16 * max(seconds(50_000), 0.01)


@pytest.mark.parametrize("token", ["", "a b", "a\r\nX: y", "ä", "x" * 300])
def test_what_can_be_no_token_is_refused_and_not_quoted(token):
    with pytest.raises(GuardhouseError) as raised:
        Connection("http://127.0.0.1:1", token)
    assert not token or token not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://guard.example.com",
        "http://10.0.0.1:8765",
        "http://127.0.0.1.example.com:8765",
        "http://localhost.example.com",
        "http://localhost.:8765",
        "http://sub.localhost:8765",
        "http://ip6-localhost:8765",
        "http://127.1:8765",
        "http://2130706433:8765",
        "http://0.0.0.0:8765",
        "http://[::]:8765",
        "ftp://127.0.0.1",
        "https://user:secret@guard.example.com",
        "https://guard.example.com/path",
        "https://guard.example.com/?q=1",
        "https://",
        "https://guard.example.com:99999",
        "127.0.0.1:8765",
        "",
    ],
)
def test_a_token_goes_nowhere_that_others_could_listen(url):
    with pytest.raises(GuardhouseError) as raised:
        Connection(url, TOKEN)
    assert "secret" not in str(raised.value)


def test_plain_http_to_others_must_be_asked_for():
    assert read_address("http://10.0.0.1:8765", plain_http=True).url == "http://10.0.0.1:8765"
    for url in ("http://127.0.0.1:8765", "http://localhost:8765", "http://[::1]:8765", "https://guard.example.com"):
        assert read_address(url).url == url


ASKING = {
    "sync": lambda guard: guard.evaluate(CALL),
    "async": lambda guard: asyncio.run(guard.evaluate_async(CALL)),
}


@pytest.mark.parametrize("how", ASKING)
def test_localhost_without_tls_is_one_address_whatever_the_name_is_said_to_be(hostile, monkeypatch, how):
    daemon = hostile(saying(whole(verdict())))
    stranger = hostile(saying(whole(verdict())))
    look_up = socket.getaddrinfo

    def elsewhere(host, port, *given, **more):
        named = host in {"localhost", b"localhost"}
        return look_up("127.0.0.1" if named else host, stranger.port if named else port, *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", elsewhere)
    with connect(f"http://localhost:{daemon.port}", TOKEN) as guard:
        assert ASKING[how](guard).decision is Decision.ALLOW
    assert (len(daemon.asked), len(stranger.asked)) == (1, 0)


@pytest.mark.parametrize("how", ASKING)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_nothing_is_sent_without_tls_to_a_peer_that_is_not_this_machine(hostile, monkeypatch, how, host):
    server = hostile(saying(whole(verdict())))
    monkeypatch.setattr(socket.socket, "getpeername", lambda _self: ("10.0.0.1", server.port), raising=False)
    with connect(f"http://{host}:{server.port}", TOKEN) as guard:
        got = ASKING[how](guard)
    assert got.decision is Decision.DENY
    assert "can't be reached" in got.for_person
    assert server.asked == []


def test_no_proxy_of_the_environment_is_asked(daemon, guard_at, monkeypatch, hostile):
    proxy = hostile(saying(whole(verdict())))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    assert guard_at(daemon).evaluate(CALL).decision is Decision.ALLOW
    assert not proxy.asked


def test_a_port_where_nobody_listens_is_a_deny_at_once(agent_home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with connect(f"http://127.0.0.1:{port}", TOKEN) as guard:
        begun = time.monotonic()
        assert guard.evaluate(CALL).decision is Decision.DENY
        assert time.monotonic() - begun < 2
    with pytest.raises(Unreachable) as raised:
        Connection(f"http://127.0.0.1:{port}", TOKEN).request("GET", "/healthz")
    assert raised.value.sent is False


def test_tls_needs_a_certificate_that_is_trusted(tmp_path, agent_home):
    certificate, key = certificate_for_loopback(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listening = socket.create_server(("127.0.0.1", 0))
    asked = []

    def serve():
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
                asked.append(read_request(connection))
                connection.sendall(whole(verdict(), more="Connection: close\r\n"))

    threading.Thread(target=serve, daemon=True).start()
    url = f"https://127.0.0.1:{listening.getsockname()[1]}"
    with connect(url, TOKEN, seconds=5) as guard:
        for got in (guard.evaluate(CALL), asyncio.run(guard.evaluate_async(CALL))):
            assert got.decision is Decision.DENY
            assert "certificate" in got.for_person
    assert asked == []
    with connect(url, TOKEN, ca_file=certificate) as guard:
        assert guard.evaluate(CALL).decision is Decision.ALLOW
        assert asyncio.run(guard.evaluate_async(CALL)).decision is Decision.ALLOW
    listening.close()
    with pytest.raises(GuardhouseError, match="authorities"):
        connect(url, TOKEN, ca_file=tmp_path / "missing")


def certificate_for_loopback(directory):
    """A new certificate of our own, and its key."""
    import subprocess

    certificate, key = directory / "cert.pem", directory / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=guardhouse test"]
    subprocess.run([*command, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    return certificate, key


def test_a_name_that_is_looked_up_for_too_long_is_a_deny_in_time(agent_home, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: time.sleep(5))
    with connect("https://guard.example.com", TOKEN, seconds=0.5) as guard:
        begun = time.monotonic()
        assert guard.evaluate(CALL).decision is Decision.DENY
        assert time.monotonic() - begun < 3
