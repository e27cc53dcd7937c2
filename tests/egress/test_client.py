"""The guarded client against real servers that mislead, flood, stall and lie."""

import gzip
import os
import socket
import struct
import threading
import time
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from loopback_server import HERE, Names, Server, answer, make_certificate, rules

from guardhouse.egress import FetchFailed, FetchLimits, GuardedClient, Refused

MIB = 1024 * 1024
SHORT = FetchLimits(seconds=0.4)


def packed(body):
    return gzip.compress(body, mtime=0)


@pytest.fixture
def url(serve):
    """Serve something at a.example; its URL."""

    def at(reply=None, path="/", host="a.example"):
        at.server = serve(reply)
        return f"http://{host}:{at.server.port}{path}"

    return at


def refused(ask, *args, **more):
    with pytest.raises(Refused) as caught:
        ask(*args, **more)
    return caught.value.code


# What is sent ---------------------------------------------------------------------------------------------------------


def test_a_request_says_what_was_judged_and_little_else(ask, url):
    asked = url(path="/v1/a%20b?q=%27x%27#fragment")
    response = ask().request("POST", asked, headers={"Content-Type": "text/plain"}, body=b"data")
    head, _, body = url_server(url).requests[0].partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"POST /v1/a%20b?q=%27x%27 HTTP/1.1",
        f"Host: a.example:{url_server(url).port}".encode(),
        b"User-Agent: guardhouse",
        b"Accept: */*",
        b"Accept-Encoding: gzip, deflate",
        b"Content-Type: text/plain",
        b"Content-Length: 4",
    ]
    assert body == b"data"
    assert (response.status, response.body, response.header("content-length")) == (200, b"hello", "5")


def url_server(url) -> Server:
    return url.server


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"hOST": "evil.example"},
        {"Content-Length": "1"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "close"},
        {"Upgrade": "websocket"},
        {"TE": "trailers"},
        {"Expect": "100-continue"},
        {"Proxy-Authorization": "Basic x"},
        {"proxy-connection": "keep-alive"},
        {"Accept-Encoding": "br"},
        {"X-HTTP-Method-Override": "DELETE"},
        {"X-A": "b\r\nHost: evil.example"},
        {"X-A": "b\nX-B: c"},
        {"X-A": "b\0c"},
        {"X-A\r\nX-B": "c"},
        {"X A": "b"},
        {"": "b"},
        {"X-A": "é"},
        {"X-A:": "b"},
        {"X-A": "b" * 70_000},
    ],
)
def test_headers_that_would_make_another_request_of_it_are_refused(ask, url, headers):
    asked = url()
    assert refused(ask().get, asked, headers=headers) == "net.request_refused"
    assert url_server(url).connections == 0


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "get", "GET / HTTP/1.1\r\nX: y", ""])
def test_methods_that_are_none_of_the_usual_are_refused(ask, url, method):
    assert refused(ask().request, method, url()) == "net.request_refused"


def test_no_cookie_and_no_credential_is_kept(ask, url, tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine a.example login ada password hunter2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    asked = url(lambda request: answer(b"", "Set-Cookie: id=1"))
    client = ask()
    client.get(asked)
    client.get(asked)
    sent = b"".join(url_server(url).requests).lower()
    assert b"cookie" not in sent
    assert b"authorization" not in sent


# Where it goes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("http://evil.example/", "non_allowlisted_domain"),
        ("http://a.example.evil.example/", "non_allowlisted_domain"),
        ("http://a.example@evil.example/", "url.userinfo"),
        ("http://a.example\\@evil.example/", "url.ambiguous"),
        ("http://2130706433/", "url.odd_address"),
        ("file:///etc/passwd", "url.scheme"),
        ("ws://a.example/", "url.scheme"),
        ("a.example", "url.invalid"),
    ],
)
def test_every_url_is_judged(ask, asked, code):
    names = Names()
    assert refused(ask(rules("a.example"), names).get, asked) == code
    assert names.asked == []


def test_proxies_of_the_environment_are_not_used(ask, url, serve, monkeypatch):
    proxy = serve()
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert ask().get(url()).status == 200
    assert proxy.connections == 0


def test_a_proxy_that_is_allowed_gets_the_request_and_the_destination_is_judged_all_the_same(ask, serve, monkeypatch):
    proxy = serve()
    monkeypatch.setenv("http_proxy", f"http://ada:hunter2@proxy.example:{proxy.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    names = Names(a_example=[("93.184.216.34",)], inside_example=[("10.0.0.1",)], proxy_example=[HERE])
    client = ask(rules(private=False, allow_proxy=True), names)
    assert client.get("http://a.example/x").status == 200
    assert proxy.requests[0].startswith(b"GET http://a.example:80/x HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic" in proxy.requests[0]
    assert refused(client.get, "http://inside.example/") == "private_ip"
    assert refused(client.get, "http://127.0.0.1/") == "private_ip"
    assert len(proxy.requests) == 1


def test_tls_through_a_proxy_is_between_the_client_and_the_host(ask, serve, tmp_path, monkeypatch):
    server_side, client_side = make_certificate(tmp_path, "a.example")
    server = serve(tls=server_side)

    def tunnel(request):
        def relay(connection):
            with socket.create_connection(("127.0.0.1", server.port)) as there:
                connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                back = threading.Thread(target=pump, args=(there, connection), daemon=True)
                back.start()
                pump(connection, there)

        return relay

    proxy = serve(tunnel)
    monkeypatch.setenv("https_proxy", f"http://proxy.example:{proxy.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    names = Names(a_example=[HERE], proxy_example=[HERE])
    client = ask(rules(allow_proxy=True), names, ssl_context=client_side)
    assert client.get(f"https://a.example:{server.port}/x").body == b"hello"
    assert proxy.requests[0].startswith(f"CONNECT a.example:{server.port} HTTP/1.1\r\n".encode())
    assert server.server_names == ["a.example"]
    assert len(proxy.requests) == 1


def pump(source, target):
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)


def test_a_proxy_is_bypassed_where_the_environment_says_so(ask, url, serve, monkeypatch):
    proxy = serve()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    monkeypatch.setenv("no_proxy", "a.example")
    assert ask(rules(allow_proxy=True)).get(url()).status == 200
    assert proxy.connections == 0


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "https://127.0.0.1:1", "http://", "http://x:99999"])
def test_a_proxy_that_can_not_be_used_is_an_error_and_not_passed_by(ask, url, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    asked = url()
    with pytest.raises(FetchFailed):
        ask(rules(allow_proxy=True)).get(asked)
    assert url_server(url).connections == 0


# Redirects ------------------------------------------------------------------------------------------------------------


def moving(*steps):
    """Each request gets the next step: a status and a location; then an ordinary answer."""
    left = list(steps)

    def reply(request):
        if not left:
            return answer(b"arrived")
        status, location = left.pop(0)
        return answer(b"", f"Location: {location}", status=f"{status} Moved")

    return reply


def test_a_redirect_is_an_answer_like_any_other(ask, url):
    response = ask().get(url(moving((302, "http://evil.example/?stolen"))))
    assert response.status == 302
    assert response.header("location") == "http://evil.example/?stolen"
    assert len(url_server(url).requests) == 1


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b?c#d", "/b?c"),
        ("b", "/x/b"),
        ("../b", "/b"),
        ("?c", "/x/y?c"),
        ("", "/x/y?q"),
        ("//a.example:PORT/z", "/z"),
        ("http://a.example:PORT/z", "/z"),
        ("HTTP://A.EXAMPLE:PORT/z", "/z"),
    ],
)
def test_a_redirect_within_the_origin_is_followed_if_that_is_switched_on(ask, url, location, target):
    asked = url(path="/x/y?q")
    url_server(url).reply = moving((302, location.replace("PORT", str(url_server(url).port))))
    response = ask(rules(follow_redirects=True)).get(asked)
    assert response.body == b"arrived"
    assert url_server(url).requests[1].startswith(f"GET {target} HTTP/1.1\r\n".encode())
    assert response.destination.path == target.partition("?")[0]


@pytest.mark.parametrize(
    "location",
    [
        "http://b.example:PORT/",
        "http://a.example:1/",
        "https://a.example:PORT/",
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:PORT/",
        "//evil.example/",
        "//evil.example:PORT/",
        "\\\\evil.example/",
        "/\\evil.example/",
        "\\/evil.example",
        "http:\\\\evil.example",
        "http://a.example:PORT@evil.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http:evil.example",
        "http://evil.example\t/",
        "ws://a.example:PORT/",
        "@evil.example/\x01",
    ],
)
def test_a_redirect_to_anywhere_else_is_refused(ask, url, location):
    asked = url()
    url_server(url).reply = moving((302, location.replace("PORT", str(url_server(url).port))))
    with pytest.raises((Refused, FetchFailed)) as caught:
        ask(rules(follow_redirects=True)).get(asked)
    assert getattr(caught.value, "code", "no HTTP") in {"net.redirect_refused", "no HTTP"}
    assert len(url_server(url).requests) == 1


def test_two_different_locations_are_refused(ask, url):
    asked = url(lambda request: answer(b"", "Location: /a", "Location: /b", status="302 Found"))
    assert refused(ask(rules(follow_redirects=True)).get, asked) == "net.redirect_refused"


def test_every_hop_is_judged_again(ask, url):
    """A redirect within the origin does not lead out of an allowed path."""
    asked = url(moving((302, "/v1/b"), (302, "/admin")), path="/v1/a")
    origin = asked.removesuffix("/v1/a")
    client = ask(rules(prefixes=(f"{origin}/v1/",), follow_redirects=True))
    assert refused(client.get, asked) == "non_allowlisted_domain"
    assert len(url_server(url).requests) == 2


def test_a_circle_of_redirects_ends(ask, url):
    asked = url(lambda request: answer(b"", "Location: /", status="302 Found"))
    assert refused(ask(rules(follow_redirects=True)).get, asked) == "net.redirect_refused"
    assert len(url_server(url).requests) == 6


@pytest.mark.parametrize(("status", "method", "body"), [(301, "GET", b""), (302, "GET", b""), (303, "GET", b"")])
def test_a_body_is_not_sent_again_after_a_redirect(ask, url, status, method, body):
    asked = url(moving((status, "/next")))
    client = ask(rules(follow_redirects=True))
    client.request("POST", asked, headers={"Content-Type": "text/plain", "X-Kept": "1"}, body=b"data")
    head, _, sent = url_server(url).requests[1].partition(b"\r\n\r\n")
    assert head.startswith(b"GET /next")
    assert sent == b""
    assert b"content-" not in head.lower()
    assert b"X-Kept: 1" in head


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_that_keeps_the_method_keeps_the_body(ask, url, status):
    ask(rules(follow_redirects=True)).request("POST", url(moving((status, "/next"))), body=b"data")
    assert url_server(url).requests[1].startswith(b"POST /next")
    assert url_server(url).requests[1].endswith(b"\r\n\r\ndata")


# What comes back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "sent"),
    [
        ("gzip", packed(b"hello " * 1000)),
        ("x-gzip", packed(b"hello " * 1000)),
        ("GZIP", packed(b"hello " * 1000)),
        ("identity, gzip", packed(b"hello " * 1000)),
        ("deflate", zlib.compress(b"hello " * 1000)),
        ("deflate", zlib.compress(b"hello " * 1000, wbits=-15)),
        ("identity", b"hello " * 1000),
    ],
)
def test_a_packed_body_is_unpacked(ask, url, encoding, sent):
    assert ask().get(url(lambda request: answer(sent, f"Content-Encoding: {encoding}"))).body == b"hello " * 1000


@pytest.fixture(scope="session")
def bombs():
    """A gibibyte of zeros, packed: about a megabyte. It is packed once and said 1024 times."""
    made = {}
    for name, bits in {"gzip": 31, "deflate": 15, "raw": -15}.items():
        packing = zlib.compressobj(9, wbits=bits)
        first, again = (packing.compress(bytes(MIB)) + packing.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
        made[name] = first + again * 1023 + packing.flush()
    return made


@pytest.mark.parametrize("kind", ["gzip", "deflate", "raw"])
def test_a_bomb_is_cut_at_the_limit_in_little_time_and_memory(ask, url, bombs, kind):
    asked = url(lambda request: answer(bombs[kind], f"Content-Encoding: {kind.replace('raw', 'deflate')}"))
    client = ask()
    start = time.process_time()
    assert refused(client.get, asked) == "net.response_too_large"
    assert time.process_time() - start < 2
    tracemalloc.start()
    try:
        assert refused(client.get, asked) == "net.response_too_large"
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB
    finally:
        tracemalloc.stop()


def test_a_body_may_be_as_large_as_the_limit_and_no_larger(ask, url):
    limits = FetchLimits(seconds=5, body_bytes=1000)
    for body, encoding in [(b"x" * 1000, ""), (packed(b"x" * 1000), "gzip")]:
        asked = url(lambda request, body=body, encoding=encoding: answer(body, f"Content-Encoding: {encoding}"))
        assert len(ask(limits=limits).get(asked).body) == 1000
    for body, encoding in [(b"x" * 1001, ""), (packed(b"x" * 1001), "gzip")]:
        asked = url(lambda request, body=body, encoding=encoding: answer(body, f"Content-Encoding: {encoding}"))
        assert refused(ask(limits=limits).get, asked) == "net.response_too_large"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Content-Encoding: gzip, gzip"], packed(packed(b"x"))),
        (["Content-Encoding: gzip", "Content-Encoding: deflate"], packed(b"x")),
        (["Content-Encoding: br"], b"x"),
        (["Content-Encoding: zstd"], b"x"),
        (["Content-Encoding: compress"], b"x"),
        (["Content-Encoding: gzip"], b"no gzip at all"),
        (["Content-Encoding: gzip"], packed(b"x" * 1000)[:-4]),
        (["Content-Encoding: gzip"], packed(b"x") + b"more"),
        (["Content-Encoding: gzip"], packed(b"x") + packed(b"y")),
        (["Content-Encoding: deflate"], zlib.compress(b"x" * 1000)[:-6]),
    ],
)
def test_what_can_not_be_unpacked_in_one_way_is_refused(ask, url, headers, body):
    assert refused(ask().get, url(lambda request: answer(body, *headers))) == "net.response_unreadable"


def test_answers_without_a_body_have_none(ask, url):
    named = "Content-Encoding: gzip"
    assert ask().get(url(lambda request: b"HTTP/1.1 204 No Content\r\n\r\n")).body == b""
    assert ask().get(url(lambda request: answer(b"", named))).body == b""
    assert ask().request("HEAD", url(lambda request: answer(b"", named, length=100))).body == b""
    assert ask().get(url(lambda request: b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n")).status == 304


@pytest.mark.parametrize(
    "beginning",
    [
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"",
    ],
    ids=["head", "body", "body without length", "status line"],
)
def test_a_drip_ends_at_the_deadline(ask, url, beginning):
    asked = url()
    url_server(url).reply = lambda request: url_server(url).drip(beginning)
    start = time.monotonic()
    assert refused(ask(limits=SHORT).get, asked) == "net.too_slow"
    assert time.monotonic() - start < 3


def test_a_drip_of_chunks_or_of_interim_answers_ends_at_the_deadline(ask, url):
    for beginning, piece in [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ]:
        asked = url()
        server = url_server(url)
        server.reply = lambda request, server=server, beginning=beginning, piece=piece: server.drip(beginning, piece)
        assert refused(ask(limits=SHORT).get, asked) == "net.too_slow"


def test_silence_ends_at_the_deadline(ask, url):
    asked = url(lambda request: lambda connection: url_server(url).over.wait(10))
    assert refused(ask(limits=SHORT).get, asked) == "net.too_slow"


def test_a_server_that_does_not_read_ends_at_the_deadline(ask):
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        asked = f"http://a.example:{deaf.getsockname()[1]}/"
        assert refused(ask(limits=SHORT).request, "POST", asked, body=bytes(30 * MIB)) == "net.too_slow"


def test_the_deadline_is_that_of_all_hops_together(ask, url):
    def reply(request):
        def slowly(connection):
            url_server(url).over.wait(0.15)
            connection.sendall(answer(b"", "Location: /", "Connection: close", status="302 Found"))

        return slowly

    assert refused(ask(rules(follow_redirects=True), limits=SHORT).get, url(reply)) == "net.too_slow"


def test_headers_without_end_are_cut(ask, url):
    asked = url(lambda request: b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(100_000)))
    with pytest.raises(FetchFailed):
        ask().get(asked)


def test_what_is_read_from_the_network_is_bounded_whatever_it_is(ask, url):
    """Interim answers are no body, and each of them is small."""
    asked = url(lambda request: b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000)
    limits = FetchLimits(seconds=10, wire_bytes=100_000)
    assert refused(ask(limits=limits).get, asked) == "net.response_too_large"


@pytest.mark.parametrize(
    "reply",
    [
        answer(b"short", length=100),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"",
    ],
    ids=["too short", "cut chunk", "two lengths", "negative", "another protocol", "nothing"],
)
def test_an_answer_that_breaks_off_or_is_none_is_an_error(ask, url, reply):
    with pytest.raises(FetchFailed):
        ask().get(url(lambda request: lambda connection: connection.sendall(reply)))


def test_more_than_was_announced_is_not_read(ask, url):
    assert ask().get(url(lambda request: answer(b"hello, world", length=5))).body == b"hello"


def test_an_answer_that_came_before_its_request_is_not_taken_for_it(ask, url):
    asked = url(lambda request: answer(b"asked for") + answer(b"not asked for"))
    client = ask()
    for _ in range(6):
        # An error if both answers came at once; if not, the connection is given up before it is used again.
        with suppress(FetchFailed):
            assert client.get(asked).body == b"asked for"


def test_a_connection_that_is_reset_is_an_error(ask, url):
    def reset(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhel")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with pytest.raises(FetchFailed):
        ask().get(url(lambda request: reset))


def test_a_client_goes_on_after_an_error(ask, url):
    client = ask(limits=FetchLimits(seconds=5, body_bytes=100))
    asked = url(lambda request: answer(b"x" * (200 if b"/large" in request else 3)), path="/")
    assert refused(client.get, f"{asked}large") == "net.response_too_large"
    assert client.get(asked).body == b"xxx"


def test_no_error_tells_what_was_sent(ask, url):
    """Not even in what it came from."""
    import traceback

    def broken(request):
        return lambda connection: connection.sendall(b"no HTTP hunter2\r\n\r\n")

    for asked, more in [
        (url(broken, path="/hunter2?key=hunter2"), {"body": b"hunter2"}),
        ("http://ada:hunter2@a.example/", {}),
        (f"http://evil.example/hunter2?{'hunter2'}", {}),
        (url(), {"headers": {"X-Key": "hunter2\r\n"}}),
    ]:
        with pytest.raises((Refused, FetchFailed)) as caught:
            ask(rules("a.example", f"a.example:{url_server(url).port}")).request("POST", asked, **more)
        shown = "".join(traceback.format_exception_only(caught.value)) + str(caught.value.__cause__)
        assert "hunter2" not in shown


def test_a_closed_client_says_so(ask, url):
    from guardhouse.model import GuardhouseError

    client = ask()
    client.close()
    with pytest.raises(GuardhouseError, match="closed"):
        client.get(url())


def test_a_process_that_was_forked_off_makes_connections_of_its_own(url):
    asked = url()
    with GuardedClient(rules(), Names(a_example=[HERE])) as client:
        client.request("GET", asked)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = int(client.request("GET", asked).status != 200)
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        client.request("GET", asked)
    assert url_server(url).connections == 2


def test_many_threads_share_a_client(serve):
    servers = [serve(lambda request, name=name: answer(name)) for name in (b"one", b"two", b"three")]
    got = []

    def work(client, server, expected):
        for _ in range(20):
            got.append(client.request("GET", f"http://a.example:{server.port}/").body == expected)

    with GuardedClient(rules(), Names(a_example=[HERE]), limits=FetchLimits(seconds=20)) as client:
        threads = [
            threading.Thread(target=work, args=(client, server, name))
            for server, name in zip(servers, (b"one", b"two", b"three"), strict=True)
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == [True] * 180


@pytest.mark.parametrize(
    "headers",
    [
        {"X_HTTP_Method_Override": "DELETE"},
        {"Content_Length": "7"},
        {"Transfer_Encoding": "chunked"},
        {"Forwarded": "host=evil.example"},
        {"X-Forwarded-Host": "evil.example"},
        {"X-Original-URL": "/admin"},
        {"a": 1},
        {1: "a"},
    ],
)
def test_headers_that_say_something_else_than_what_was_judged_are_refused(serve, ask, headers):
    server = serve()
    with pytest.raises(Refused) as caught:
        ask().get(f"http://a.example:{server.port}/", headers=headers)
    assert caught.value.code == "net.request_refused"
    assert server.connections == 0


def test_the_environment_does_not_say_whom_to_trust(tmp_path, monkeypatch):
    from guardhouse.egress.client import trusted_roots

    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nothing.pem"))
    context = trusted_roots()
    assert context.keylog_filename is None
    assert len(context.get_ca_certs()) > 50
    assert context.check_hostname


@pytest.mark.parametrize("url", [None, 5, b"http://a.example/"])
def test_what_is_no_text_is_no_url(ask, url):
    with pytest.raises(Refused) as caught:
        ask().get(url)
    assert caught.value.code == "url.invalid"


def test_what_was_answered_early_is_never_the_answer_to_the_next_request(serve, ask):
    """The head of an answer that nobody asked for yet, in one go with the answer before: the rest comes when asked."""

    def reply(request):
        path = request.split(b" ")[1]
        if path == b"/1":
            return answer(b"one") + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: "
        return b"1\r\n\r\nEVIL" if server.connections == 1 else answer(b"two")

    server = serve(reply)
    client = ask()
    assert client.get(f"http://a.example:{server.port}/1").body == b"one"
    assert client.get(f"http://a.example:{server.port}/2").body == b"two"
    assert server.connections == 2


def test_a_connection_that_brought_what_was_asked_for_is_kept(serve, ask):
    server = serve()
    client = ask()
    for _ in range(3):
        client.get(f"http://a.example:{server.port}/")
    assert server.connections == 1
