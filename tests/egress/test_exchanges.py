"""Exchanges whose answers are streams: to judged addresses only, on connections that carry nothing over."""

import threading

import pytest
from loopback_server import Names, Server, answer, make_certificate, rules

from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.egress.exchanges import Exchanges
from guardhouse.model import Addresses

ROOM = 1_000_000


@pytest.fixture
def exchanges(serve):
    """Exchanges with a server, by its port and a resolver that knows its name."""
    made = []

    def with_url(port, given=None, resolver=None, host="a.example", scheme="http", **more):
        names = resolver or Names(a_example=[("127.0.0.1",)])
        made.append(Exchanges(f"{scheme}://{host}:{port}/x?y=1", lambda: given or rules(), names, **more))
        return made[-1]

    yield with_url
    for one in made:
        one.close()


def asked(exchanges, method="POST", headers=(), body=b"{}", seconds=5.0):
    exchange = exchanges.begin(method, headers, body, seconds=seconds, wire_bytes=ROOM)
    try:
        exchange.read_head()
        return exchange.status, exchange.headers, b"".join(exchange.pieces())
    finally:
        exchange.close()


def test_what_is_sent_is_what_was_asked_for(serve, exchanges):
    server = serve()
    status, _, body = asked(exchanges(server.port), headers=[("Authorization", "Bearer x")])
    assert (status, body) == (200, b"hello")
    head, _, sent = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /x?y=1 HTTP/1.1\r\n")
    assert f"Host: a.example:{server.port}".encode() in head
    assert b"Authorization: Bearer x" in head
    assert b"Accept-Encoding: identity" in head
    assert sent == b"{}"


def test_a_connection_is_kept_and_a_name_is_looked_up_once_for_each_that_is_made(serve, exchanges):
    server, names = serve(), Names(a_example=[("127.0.0.1",)])
    one = exchanges(server.port, resolver=names)
    for _ in range(5):
        assert asked(one)[0] == 200
    assert server.connections == 1
    assert names.asked == ["a.example"]


def test_a_server_that_says_more_than_it_was_asked_is_not_asked_again_on_that_connection(serve, exchanges):
    server = serve(lambda request: answer() + answer(b"for the next one"))
    one = exchanges(server.port)
    assert [asked(one)[2] for _ in range(3)] == [b"hello"] * 3
    assert server.connections == 3


@pytest.mark.parametrize("addresses", [("10.0.0.1",), ("127.0.0.1", "8.8.8.8"), ()])
def test_an_address_that_may_not_be_reached_is_not_dialled(serve, exchanges, addresses):
    server = serve()
    one = exchanges(server.port, rules(private=False), Names(a_example=[Addresses(addresses=addresses)]))
    with pytest.raises(Refused):
        asked(one)
    assert not server.connections


def test_a_host_that_is_not_allowed_is_not_even_looked_up(serve, exchanges):
    names = Names(a_example=[("127.0.0.1",)])
    one = exchanges(serve().port, rules("b.example"), names)
    with pytest.raises(Refused) as refused:
        asked(one)
    assert refused.value.code == "non_allowlisted_domain"
    assert not names.asked


def test_rules_that_change_count_for_the_next_exchange_also_on_a_kept_connection(serve, exchanges):
    server = serve()
    in_force = [rules(f"a.example:{server.port}")]
    one = Exchanges(f"http://a.example:{server.port}/", lambda: in_force[0], Names(a_example=[("127.0.0.1",)]))
    assert asked(one)[0] == 200
    in_force[0] = rules(f"a.example:{server.port}", private=False)
    with pytest.raises(Refused):
        asked(one)
    in_force[0] = rules("b.example")
    with pytest.raises(Refused):
        asked(one)
    assert len(server.requests) == 1
    one.close()


@pytest.mark.parametrize(
    "header", [("Host", "x"), ("Content-Length", "1"), ("X", "a\r\nB: c"), ("A b", "c"), ("X", "é"), ("Proxy-X", "y")]
)
def test_headers_that_would_say_something_else_are_refused(serve, exchanges, header):
    server = serve()
    with pytest.raises(Refused):
        asked(exchanges(server.port), headers=[header])
    assert not server.connections


def test_an_answer_that_is_packed_is_refused(serve, exchanges):
    server = serve(lambda request: answer(b"x", "Content-Encoding: gzip"))
    with pytest.raises(Refused, match="packed"):
        asked(exchanges(server.port))


def test_what_comes_must_come_in_time_and_within_its_room(serve, exchanges):
    server = serve()
    server.reply = lambda request: server.drip(b"HTTP/1.1 200 OK\r\n\r\n")
    one = exchanges(server.port)
    exchange = one.begin("GET", (), b"", seconds=5.0, wire_bytes=ROOM)
    exchange.read_head()
    exchange.until(0.3, ROOM)
    with pytest.raises(Refused, match="in time"):
        b"".join(exchange.pieces())
    exchange.close()
    exchange = one.begin("GET", (), b"", seconds=5.0, wire_bytes=40)
    exchange.read_head()
    with pytest.raises(Refused, match="larger"):
        b"".join(exchange.pieces())
    exchange.close()


def test_closing_ends_what_others_wait_for(serve, exchanges):
    server = serve()
    server.reply = lambda request: lambda connection: server.over.wait(30)
    one = exchanges(server.port)
    failed = []

    def ask():
        try:
            asked(one, seconds=30)
        except FetchFailed as error:
            failed.append(error)

    waiting = threading.Thread(target=ask)
    waiting.start()
    while not server.requests:
        waiting.join(0.01)
    one.close()
    waiting.join(10)
    assert len(failed) == 1
    with pytest.raises(FetchFailed):
        asked(one)


def test_over_tls_the_certificate_must_be_that_of_the_host(serve, exchanges, tmp_path):
    for_server, for_client = make_certificate(tmp_path, "a.example")
    server = serve(tls=for_server)
    assert asked(exchanges(server.port, scheme="https", ssl_context=for_client))[2] == b"hello"
    assert server.server_names == ["a.example"]
    names = Names(b_example=[("127.0.0.1",)])
    with pytest.raises(FetchFailed, match="certificate"):
        asked(exchanges(server.port, resolver=names, host="b.example", scheme="https", ssl_context=for_client))


@pytest.mark.parametrize("url", ["ftp://a.example/", "http://u:p@a.example/", "a.example", "http://a.example:99999/"])
def test_a_url_that_can_not_be_asked_is_refused_at_once(url):
    with pytest.raises(Refused):
        Exchanges(url, rules, Names())


def test_nothing_listens_there(exchanges):
    server = Server()
    server.close()
    with pytest.raises(FetchFailed):
        asked(exchanges(server.port))
