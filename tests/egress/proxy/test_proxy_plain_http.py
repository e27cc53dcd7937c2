"""Plain HTTP through the proxy: made anew for the server and for the client, and nothing smuggled past the gate."""

import os
import socket
import threading

import pytest
from loopback_server import answer
from proxied import Listener, get, read_all, read_answer, read_head, status


def headers_of(request):
    return request.partition(b"\r\n\r\n")[0].split(b"\r\n")


def test_a_request_arrives_as_it_was_judged_and_its_answer_comes_back(place, serve):
    server = serve(lambda request: answer(b"hello", "X-Kept: yes"))
    place.open(server)
    came = place.door(principal="box").ask(get(server, "/a/../b?q=1", "Accept: */*", "X-One: 1"))
    assert status(came) == 200
    assert came.endswith(b"\r\n\r\nhello")
    assert b"x-kept: yes" in came.lower()
    [request] = server.requests
    assert headers_of(request) == [
        b"GET /b?q=1 HTTP/1.1",
        b"Host: a.example:%d" % server.port,
        b"accept: */*",
        b"x-one: 1",
        b"Connection: close",
    ]
    decision, execution = place.events
    assert f"http://a.example:{server.port}/b?q=1" in decision.action_summary_redacted.text
    assert execution.outcome == "executed"
    assert execution.detail.startswith(f"GET a.example:{server.port}, ")
    assert execution.detail.endswith(", answered")
    assert place.names.asked == ["a.example"]


def test_what_is_for_one_connection_goes_no_further(place, serve):
    server = serve(lambda request: answer(b"hello", "Connection: x-hop", "X-Hop: 1", "Keep-Alive: 9", "Proxy-X: 1"))
    place.open(server)
    request = get(
        server,
        "/",
        "Proxy-Authorization: Basic c2VjcmV0OnNlY3JldA==",
        "Proxy-Connection: keep-alive",
        "Proxy-Anything: 1",
        "Connection: X-Mine, keep-alive",
        "X-Mine: 1",
        "TE: trailers",
        "Keep-Alive: timeout=5",
        "Trailer: X",
    )
    came = place.door().ask(request)
    sent = b"\n".join(server.requests).lower()
    for word in (b"proxy-", b"x-mine", b"keep-alive", b"te:", b"trailer", b"c2vj"):
        assert word not in sent
    for word in (b"x-hop", b"keep-alive", b"proxy-x"):
        assert word not in came.lower()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])
def test_bodies_pass_with_every_method_of_ours(place, serve, method):
    server = serve(lambda request: answer(b"" if method == "HEAD" else b"hello", length=5))
    place.open(server)
    body = b"" if method in {"GET", "HEAD"} else b"some body"
    more = [f"Content-Length: {len(body)}"] if body else []
    came = place.door().ask(get(server, "/", *more, method=method, body=body))
    assert status(came) == 200
    assert came.endswith(b"\r\n\r\n" if method == "HEAD" else b"hello")
    assert server.requests[0].endswith(b"\r\n\r\n" + body)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 3_000_000])
def test_bodies_of_any_size_pass_exactly(place, serve, size):
    body = os.urandom(size)
    server = serve(lambda request: answer(request.partition(b"\r\n\r\n")[2]))
    place.open(server)
    with place.door().connect() as client:
        request = get(server, "/", f"Content-Length: {size}", method="POST", body=body)
        threading.Thread(target=client.sendall, args=(request,)).start()
        head, came = read_answer(client)
    assert status(head) == 200
    assert came == body


def test_chunks_are_framed_anew_and_trailers_end_here(place):
    host = Listener()
    place.open(host)
    with place.door().connect() as client:
        client.sendall(get(host, "/", "Transfer-Encoding: chunked", method="POST"))
        client.sendall(b"3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: secret\r\n\r\n")
        with host.accept() as server:
            heard = b""
            while not heard.endswith(b"0\r\n\r\n"):
                heard += server.recv(65536)
            head, _, body = heard.partition(b"\r\n\r\n")
            assert b"transfer-encoding: chunked" in head.lower()
            assert b"content-length" not in head.lower()
            assert b"X-Trailer" not in heard
            assert b"ext" not in body
            server.sendall(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n"
            )
            came = read_all(client)
    host.close()
    assert came.endswith(b"5\r\nhello\r\n0\r\n\r\n")


def test_an_answer_that_ends_with_its_connection_is_framed_for_the_client(place):
    host = Listener()
    place.open(host)
    with place.door().connect() as client:
        client.sendall(get(host).replace(b"Connection: close\r\n", b""))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"HTTP/1.0 200 OK\r\n\r\nall of it")
        head = read_head(client)
        assert b"transfer-encoding: chunked" in head.lower()
        came = b""
        while not came.endswith(b"0\r\n\r\n"):
            came += client.recv(65536)
        assert b"all of it" in came
    host.close()


def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(place):
    host = Listener()
    place.open(host)
    with place.door().connect() as client:
        client.sendall(get(host))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        came = read_all(client)
    host.close()
    assert b"content-length: 100" in came.lower()
    assert not came.endswith(b"\r\n\r\n" + b"half" + b"x" * 96)
    assert place.outcomes()[0][1].endswith(", the server broke off")


def test_a_client_that_waits_for_a_word_gets_it(place, serve):
    server = serve(lambda request: answer(b"hello"))
    place.open(server)
    with place.door().connect() as client:
        client.sendall(get(server, "/", "Content-Length: 4", "Expect: 100-continue", method="POST"))
        assert read_head(client) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"body")
        assert read_all(client).endswith(b"hello")
    assert b"expect" not in server.requests[0].lower()
    assert server.requests[0].endswith(b"\r\n\r\nbody")


def test_requests_on_one_connection_are_judged_one_by_one(place, serve):
    server, other = serve(lambda request: answer(request.split()[1])), serve()
    place.open(server)
    one = get(server, "/one").replace(b"Connection: close\r\n", b"")
    two = get(other, "/two", name="b.example").replace(b"Connection: close\r\n", b"")
    opened = place.door()
    with opened.connect() as client:  # all at once, before the first is answered
        client.sendall(one + one.replace(b"/one", b"/three") + two + one)
        assert read_answer(client)[1] == b"/one"
        assert read_answer(client)[1] == b"/three"
        assert status(read_all(client)) == 403
    assert [request.split()[1] for request in server.requests] == [b"/one", b"/three"]
    assert server.connections == 2, "each has its own"
    assert other.connections == 0


def test_a_body_that_looks_like_a_request_is_a_body(place, serve):
    server, other = serve(), serve()
    place.open(server)
    inside = get(other, "/inside", name="b.example")
    came = place.door().ask(get(server, "/", f"Content-Length: {len(inside)}", method="POST", body=inside))
    assert came.count(b"HTTP/1.1 ") == 1
    assert server.requests[0].endswith(inside)
    assert other.connections == 0


def lines(*given):
    return "\r\n".join(given).encode() + b"\r\n\r\n"


PLACE = "a.example:{port}"
GET = f"GET http://{PLACE}/ HTTP/1.1"
POST = f"POST http://{PLACE}/ HTTP/1.1"
HOST = f"Host: {PLACE}"
SMUGGLED = {
    "two ways to say its length": (400, [POST, HOST, "Content-Length: 4", "Transfer-Encoding: chunked"]),
    "the other way round": (400, [POST, HOST, "Transfer-Encoding: chunked", "Content-Length: 4"]),
    "two lengths": (400, [POST, HOST, "Content-Length: 4", "Content-Length: 5"]),
    "the same length twice": (400, [POST, HOST, "Content-Length: 4", "Content-Length: 4"]),
    "a list of lengths": (400, [POST, HOST, "Content-Length: 4, 5"]),
    "a length with a sign": (400, [POST, HOST, "Content-Length: +4"]),
    "a length in hex": (400, [POST, HOST, "Content-Length: 0x4"]),
    "a negative length": (400, [POST, HOST, "Content-Length: -4"]),
    "an unknown coding": (501, [POST, HOST, "Transfer-Encoding: gzip"]),
    "a list of codings": (501, [POST, HOST, "Transfer-Encoding: gzip, chunked"]),
    "a coding twice": (400, [POST, HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]),
    "a coding with a blank in its name": (400, [POST, HOST, "Transfer-Encoding : chunked"]),
    "a folded header": (400, [GET, HOST, "X-A: 1", " Transfer-Encoding: chunked"]),
    "a folded header with a tab": (400, [GET, HOST, "X-A: 1", "\tb"]),
    "a folded first header": (400, [GET, " X: 1", HOST]),
    "a header without a colon": (400, [GET, HOST, "X-A"]),
    "a header without a name": (400, [GET, HOST, ": x"]),
    "a name with an underscore for a hyphen": (400, [POST, HOST, "Content_Length: 4"]),
    "a coding with an underscore": (400, [POST, HOST, "Transfer_Encoding: chunked"]),
    "two hosts": (400, [GET, HOST, "Host: b.example"]),
    "no host": (400, [GET]),
    "another host": (421, [GET, "Host: b.example"]),
    "another port": (421, [GET, "Host: a.example:1"]),
    "a host with a path": (421, [GET, f"{HOST}/x"]),
    "a host with a name": (400, [GET, "Host: a.example@b.example"]),
    "https in the first line": (400, [f"GET https://{PLACE}/ HTTP/1.1", HOST]),
    "ftp in the first line": (400, [f"GET ftp://{PLACE}/ HTTP/1.1", HOST]),
    "only a path": (400, ["GET / HTTP/1.1", HOST]),
    "only a host": (400, [f"GET {PLACE} HTTP/1.1", HOST]),
    "a star": (400, ["OPTIONS * HTTP/1.1", HOST]),
    "two slashes": (400, [f"GET //{PLACE}/ HTTP/1.1", HOST]),
    "a user in the URL": (403, [f"GET http://u:p@{PLACE}/ HTTP/1.1", HOST]),
    "a backslash in the URL": (403, [f"GET http://b.example\\@{PLACE}/ HTTP/1.1", HOST]),
    "an odd address": (403, ["GET http://127.1/ HTTP/1.1", "Host: 127.1"]),
    "two blanks in the first line": (400, [GET.replace(" HTTP", "  HTTP"), HOST]),
    "a tab in the first line": (400, [GET.replace(" HTTP", "\tHTTP"), HOST]),
    "HTTP/0.9": (400, [f"GET http://{PLACE}/", HOST]),
    "HTTP/2": (400, [GET.replace("1.1", "2.0"), HOST]),
    "HTTP/1.2": (400, [GET.replace("1.1", "1.2"), HOST]),
    "the preface of HTTP/2": (400, ["PRI * HTTP/2.0", "", "SM"]),
    "an upgrade": (400, [GET, HOST, "Connection: Upgrade", "Upgrade: websocket"]),
    "an upgrade to HTTP/2": (400, [GET, HOST, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]),
    "another method than it says": (400, [GET, HOST, "X-HTTP-Method-Override: DELETE"]),
    "another URL than it says": (400, [GET, HOST, "X-Original-URL: /admin"]),
    "another host than it says": (400, [GET, HOST, "X-Forwarded-Host: b.example"]),
    "an unknown method": (501, [GET.replace("GET", "BREW"), HOST]),
    "a method that repeats everything": (501, [GET.replace("GET", "TRACE"), HOST]),
    "a method in small letters": (400, [GET.replace("GET", "get"), HOST]),
    "an unknown expectation": (417, [POST, HOST, "Expect: magic", "Content-Length: 1"]),
    "two who ask": (400, [GET, HOST, "Proxy-Authorization: Bearer a", "Proxy-Authorization: Bearer b"]),
    "a NUL in a header": (400, [GET, HOST, "X: a\0b"]),
    "bytes before the first line": (400, ["\0" + GET, HOST]),
    "TLS to the proxy itself": (400, ["\x16\x03\x01"]),
}


@pytest.mark.parametrize(("expected", "given"), SMUGGLED.values(), ids=SMUGGLED.keys())
def test_what_two_readers_could_read_differently_is_refused(place, serve, expected, given):
    server = serve()
    place.open(server, names=("a.example", "b.example"))
    data = lines(*(line.format(port=server.port) for line in given))
    came = place.door(principal="box").ask(data)
    assert status(came) == expected
    assert came.count(b"HTTP/1.1 ") == 1
    assert server.connections == 0
    [event] = place.events
    assert (event.decision.value, event.principal) == ("deny", "box")


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\r\n"])
def test_lines_that_end_otherwise_are_refused(place, serve, ending):
    server = serve()
    place.open(server)
    head = f"{GET}\r\n{HOST}{ending}X: y\r\n\r\n".format(port=server.port)
    assert status(place.door().ask(head.encode())) == 400
    assert server.connections == 0


@pytest.mark.parametrize("body", [b"x\r\n", b"-1\r\n", b"5\r\nabcdeX\r\n", b"1;\n\r\na\r\n", b"0" * 5000])
def test_chunks_that_are_framed_wrongly_are_refused_before_anything_is_sent(place, serve, body):
    server = serve()
    place.open(server)
    came = place.door().ask(get(server, "/", "Transfer-Encoding: chunked", method="POST", body=body + b"\r\n\r\n"))
    assert status(came) == 400
    assert server.connections == 0


ANSWERS = {
    "no HTTP": b"SSH-2.0-x\r\n\r\n",
    "its length in two ways": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "who are you": b"HTTP/1.1 407 Say\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nX:",
    "a head without an end": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000,
}


@pytest.mark.parametrize("reply", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_that_can_not_be_passed_on_is_a_bad_gateway(place, serve, reply):
    server = serve(lambda request: lambda connection: connection.sendall(reply))
    place.open(server)
    came = place.door().ask(get(server))
    assert status(came) == 502
    assert b"Proxy-Authenticate" not in came
    assert came.count(b"HTTP/1.1 ") == 1


def test_what_a_server_says_before_its_answer_is_not_passed_on(place, serve):
    server = serve(
        lambda request: b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer(b"hello")
    )
    place.open(server)
    came = place.door().ask(get(server))
    assert came.count(b"HTTP/1.1 ") == 1
    assert came.endswith(b"hello")


def test_a_server_that_answers_before_it_has_heard_all_is_heard(place):
    host = Listener()
    place.open(host)
    with place.door().connect() as client:
        client.sendall(get(host, "/", "Content-Length: 10000000", method="POST", body=bytes(70_000)))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
            head, body = read_answer(client)
            assert (status(head), body) == (413, b"no")
            assert b"connection: close" in head.lower()
    host.close()


def test_a_client_that_goes_away_takes_its_request_with_it(place):
    host = Listener()
    place.open(host)
    client = place.door().connect()
    client.sendall(get(host, "/", "Content-Length: 1000000", method="POST", body=bytes(70_000)))
    with host.accept() as server:
        server.recv(65536)
        client.close()
        while server.recv(65536):
            pass
    host.close()
    assert place.outcomes()[0][1].endswith("the client broke off")


def test_an_old_client_gets_an_answer_that_it_understands(place):
    host = Listener()
    place.open(host)
    with place.door().connect() as client:
        client.sendall(f"GET http://a.example:{host.port}/ HTTP/1.0\r\n\r\n".encode())
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            came = read_all(client)
    host.close()
    assert b"chunked" not in came.lower()
    assert came.endswith(b"\r\n\r\nhello")


def test_a_door_may_be_a_local_socket(place, serve, tmp_path):
    server = serve()
    place.open(server)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(tmp_path / "door.sock"))
    listener.listen()
    opened = place.door(listener=listener)
    opened.place = str(tmp_path / "door.sock")
    assert status(opened.ask(get(server))) == 200
