"""What one connection, and one agent, may take of the proxy: time, bytes, connections, memory."""

import asyncio
import threading
import time

import pytest
from loopback_server import answer
from proxied import Listener, get, read_all, read_answer, real_hello, status


def test_a_head_that_comes_too_slowly_is_refused(place, serve):
    server = serve()
    place.open(server, proxy={"head_seconds": 1})
    with place.door().connect() as client:
        client.sendall(get(server)[:-2])
        assert status(read_all(client)) == 408
    with place.door().connect() as client:
        assert read_all(client) == b"", "nothing came, so nothing is said"
    assert server.connections == 0


def test_a_hello_that_comes_too_slowly_is_refused(place, serve):
    server = serve()
    place.open(server, proxy={"head_seconds": 1})
    with place.door().tunnel("a.example", server.port) as client:
        client.sendall(real_hello("a.example")[:-1])
        assert read_all(client) == b""
    assert server.connections == 0
    assert place.outcomes() == [("aborted", f"CONNECT a.example:{server.port}, 0 bytes up, 0 down, too slow")]


def test_a_body_that_comes_too_slowly_is_refused(place, serve):
    server = serve()
    place.open(server, proxy={"head_seconds": 1})
    with place.door().connect() as client:
        client.sendall(get(server, "/", "Content-Length: 10", method="POST", body=b"half"))
        assert status(read_all(client)) == 408
    assert server.connections == 0


@pytest.mark.parametrize("end", [b"", b"\r\n\r\n"])
def test_a_head_that_is_too_long_is_refused(place, serve, end):
    server = serve()
    place.open(server, proxy={"head_bytes": 1024})
    came = place.door().ask(get(server, "/", "X: " + "y" * 2000)[:-4] + end)
    assert status(came) in {400, 431}
    assert server.connections == 0


def test_a_tunnel_on_which_nothing_moves_is_closed(place):
    host = Listener()
    place.open(host, proxy={"idle_seconds": 1})
    with place.door().tunnel("a.example", host.port) as client:
        client.sendall(real_hello("a.example"))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"\x15\x03\x03")
            began = time.monotonic()
            while time.monotonic() - began < 1.5:  # as long as something moves, it stays
                server.sendall(b"x")
                time.sleep(0.2)
            assert read_all(client).startswith(b"\x15\x03\x03x")
            assert read_all(server) == b""
    host.close()
    assert place.outcomes()[0][1].endswith(", idle for too long")


def test_a_server_that_never_answers_is_given_up(place):
    host = Listener()
    place.open(host, proxy={"idle_seconds": 1})
    with place.door().connect() as client:
        client.sendall(get(host))
        with host.accept():
            assert status(read_all(client)) == 502
    host.close()
    assert place.outcomes()[0][1].endswith(", idle for too long")


def test_a_connection_lasts_no_longer_than_it_may(place):
    host = Listener()
    place.open(host, proxy={"longest_seconds": 1})
    with place.door().tunnel("a.example", host.port) as client:
        client.sendall(real_hello("a.example"))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"\x15")

            def go_on():
                try:
                    while True:
                        server.sendall(b"x")
                        time.sleep(0.05)
                except OSError:
                    return

            busy = threading.Thread(target=go_on)
            busy.start()
            read_all(client)
            busy.join()
    host.close()
    assert place.outcomes()[0][1].endswith(", open for too long")


@pytest.mark.parametrize(("limit", "how"), [("up_bytes", "too much was sent"), ("down_bytes", "too much came back")])
def test_no_more_bytes_pass_than_may(place, limit, how):
    host = Listener()
    place.open(host, proxy={limit: 100_000})
    with place.door().tunnel("a.example", host.port) as client:
        client.sendall(real_hello("a.example"))
        with host.accept() as server:
            server.recv(65536)
            server.sendall(b"\x15\x03\x03\x00\x02\x02\x28")
            client.recv(65536)
            sender, reader = (client, server) if limit == "up_bytes" else (server, client)

            def flood():
                try:
                    sender.sendall(bytes(10_000_000))
                except OSError:
                    return

            busy = threading.Thread(target=flood)
            busy.start()
            assert len(read_all(reader)) < 1_000_000
            busy.join()
    host.close()
    assert place.outcomes()[0][1].endswith(f", {how}")


def test_a_body_that_says_that_it_is_too_large_is_refused_unread(place, serve):
    server = serve()
    place.open(server, proxy={"up_bytes": 1000})
    assert status(place.door().ask(get(server, "/", "Content-Length: 1001", method="POST"))) == 413
    assert server.connections == 0


def test_an_answer_of_plain_http_that_is_too_large_breaks_off(place, serve):
    server = serve(lambda request: answer(bytes(500_000)))
    place.open(server, proxy={"down_bytes": 100_000})
    came = place.door().ask(get(server))
    assert len(came) < 500_000
    assert place.outcomes()[0][1].endswith(", too much came back")


def test_an_agent_has_no_more_connections_than_it_may(place, serve):
    server = serve()
    place.open(server, proxy={"connections": 2})
    one = place.door(principal="one")
    two = place.door(principal="two", proxy=one.proxy)
    held = [one.tunnel("a.example", server.port) for _ in range(2)]
    came = one.ask(b"")
    assert status(came) == 503
    assert status(two.ask(get(server))) == 200, "another agent has its own"
    held.pop().close()
    place.until(lambda: one.proxy.connections == 1)
    assert status(one.ask(get(server))) == 200
    held.pop().close()


def test_there_are_no_more_connections_than_there_may_be(place, serve):
    server = serve()
    place.open(server, proxy={"all_connections": 2})
    one = place.door(principal="one")
    two = place.door(principal="two", proxy=one.proxy)
    held = [one.tunnel("a.example", server.port), two.tunnel("a.example", server.port)]
    assert status(two.ask(b"")) == 503
    for client in held:
        client.close()
    place.until(lambda: one.proxy.connections == 0)
    assert status(two.ask(get(server))) == 200


@pytest.mark.parametrize("way", ["tunnel down", "tunnel up", "plain down", "plain up"])
def test_a_slow_reader_makes_nothing_grow(place, way):
    """Whoever sends is held up until the other one reads: what is in between fits into a few buffers."""
    host = Listener()
    place.open(host, proxy={"up_bytes": 1_000_000_000})
    size = 64 * 1024 * 1024
    opened = place.door()
    client = opened.connect() if way.startswith("plain") else opened.tunnel("a.example", host.port)
    if way == "plain up":
        client.sendall(get(host, "/", f"Content-Length: {size}", method="POST", body=bytes(70_000)))
    elif way == "plain down":
        client.sendall(get(host))
    else:
        client.sendall(real_hello("a.example"))
    server = host.accept()
    server.recv(100)
    if way == "plain down":
        server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
    elif way.startswith("tunnel"):
        server.sendall(b"\x15\x03\x03\x00\x02\x02\x28")
        client.recv(7)
    sender = client if way.endswith("up") else server
    sender.setblocking(False)
    sent, quiet = 0, 0
    piece = bytes(65536)
    while quiet < 20:  # until nothing more is taken for a while
        try:
            sent += sender.send(piece)
            quiet = 0
        except BlockingIOError:
            quiet += 1
            time.sleep(0.02)
        assert sent < size / 2, "everything was taken although nobody reads"
    sender.close()
    client.close()
    server.close()
    host.close()


def test_two_hundred_connections_at_once_each_get_their_own(place, serve):
    server = serve(lambda request: answer(request.split()[1] * 1000))
    place.open(server)
    opened = place.door()
    wrong = []

    def fetch(number):
        head, body = read_answer(client := opened.connect_and(get(server, f"/{number}")))
        client.close()
        if status(head) != 200 or body != f"/{number}".encode() * 1000:
            wrong.append(number)

    threads = [threading.Thread(target=fetch, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    place.until(lambda: opened.proxy.connections == 0)


def test_more_at_once_than_a_resolver_looks_up_wait_for_their_turn(place, serve):
    from guardhouse.egress.dns import MAX_LOOKUPS
    from guardhouse.model import Addresses

    class Slow:
        """Refuses more than so many at once, as the system's does."""

        def __init__(self):
            self.under_way = self.most = 0

        async def resolve_async(self, host):
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0.02)
            too_many = self.under_way > MAX_LOOKUPS
            self.under_way -= 1
            return Addresses(error="too many") if too_many else Addresses(addresses=("127.0.0.1",))

    server = serve()
    resolver = Slow()
    place.open(server, resolver=resolver)
    proxy = place.guard.forward_proxy()
    doors = [place.door(principal=name, proxy=proxy) for name in ("one", "two", "three")]
    asked = [(door, get(server, f"/{number}")) for door in doors for number in range(40)]
    clients = [door.connect_and(request) for door, request in asked]
    assert {status(read_all(client)) for client in clients} == {200}
    assert 24 < resolver.most <= 48
