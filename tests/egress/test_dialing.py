"""Which addresses are dialled: only judged ones, looked up once, under the name that was asked for."""

import socket
import ssl
import threading
import time

import httpcore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loopback_server import HERE, Names, answer, make_certificate, rules

from examples import up_to
from guardhouse.egress import FetchFailed, FetchLimits, GuardedClient, Refused
from guardhouse.egress.dialing import CURRENT, AsyncGuardedBackend, Errand, GuardedBackend, is_own
from guardhouse.model import Addresses
from guardhouse.net import BadDestination, address_class, parse_destination

PUBLIC = "93.184.216.34"


def refused(client, url, **more):
    with pytest.raises(Refused) as caught:
        client.get(url, **more)
    return caught.value.code


def test_a_name_is_looked_up_once_and_the_judged_address_is_dialled(serve, ask):
    server = serve()
    names = Names(a_example=[HERE, ("127.0.0.2",)])
    assert ask(rules(), names).get(f"http://a.example:{server.port}/").body == b"hello"
    assert names.asked == ["a.example"]


def test_a_name_that_turns_private_after_the_look_up_changes_nothing(serve, ask, monkeypatch):
    """Rebinding: what another look-up would say is never asked."""
    server = serve()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: pytest.fail("looked up again"))
    names = Names(a_example=[HERE, Addresses(error="rebound")])
    client = ask(rules(), names)
    client.get(f"http://a.example:{server.port}/")
    client.get(f"http://a.example:{server.port}/")  # on the kept connection
    assert names.asked == ["a.example"]
    assert server.connections == 1


def test_a_name_is_looked_up_and_judged_again_for_the_next_connection(serve, ask):
    server = serve(lambda request: answer(b"", "Connection: close"))
    names = Names(a_example=[HERE, ("127.0.0.1", "10.0.0.1")])
    client = ask(rules(), names)
    url = f"http://a.example:{server.port}/"
    assert client.get(url).status == 200
    assert refused(client, url, rules=rules(private=False)) == "private_ip"
    assert names.asked == ["a.example", "a.example"]
    assert server.connections == 1


@pytest.mark.parametrize(
    "answers",
    [(PUBLIC, "127.0.0.1"), ("127.0.0.1", PUBLIC), (PUBLIC, "::1"), ("169.254.169.254",), ("::ffff:10.0.0.1",)],
)
def test_one_private_address_among_the_answers_refuses_all_of_them(serve, ask, answers):
    server = serve()
    client = ask(rules(private=False), Names(a_example=[answers]))
    assert refused(client, f"http://a.example:{server.port}/") == "private_ip"
    assert server.connections == 0


def test_a_public_address_of_this_machine_is_not_reached(ask, monkeypatch):
    monkeypatch.setattr("guardhouse.egress.dialing.is_own", lambda address: address == PUBLIC)
    client = ask(rules(private=False), Names(a_example=[(PUBLIC,)]))
    assert refused(client, "http://a.example/") == "private_ip"


def test_which_addresses_are_this_machines():
    assert is_own("127.0.0.1")
    assert not is_own("203.0.113.9")
    assert not is_own("not an address")


class Raising:
    def resolve(self, host):
        raise RuntimeError("the resolver's own words")

    async def resolve_async(self, host):
        raise RuntimeError("the resolver's own words")


@pytest.mark.parametrize(
    "found",
    [
        Addresses(error="no such name"),
        Addresses(),
        Addresses(skipped=True),
        Addresses(addresses=HERE, error="half an answer"),
        Addresses(addresses=("b.example",)),
        Addresses(addresses=("127.1",)),
        Addresses(addresses=("fe80::1%lo",)),
        Addresses(addresses=("",)),
        Addresses(addresses=("127.0.0.1", "localhost")),
    ],
)
def test_a_look_up_that_failed_or_gave_no_address_is_refused(ask, found):
    assert refused(ask(rules(), Names(a_example=[found])), "http://a.example:1/") == "dns_failure"


def test_a_resolver_that_raises_is_refused(ask):
    assert refused(ask(rules(), Raising()), "http://a.example/") == "dns_failure"


def test_a_look_up_that_hangs_ends_at_the_deadline():
    over = threading.Event()

    class Hanging(Raising):
        def resolve(self, host):
            over.wait(10)
            return Addresses(addresses=HERE)

    with GuardedClient(rules(), Hanging(), limits=FetchLimits(seconds=0.2)) as client:
        with pytest.raises(Refused) as caught:
            client.request("GET", "http://a.example/")
        assert caught.value.code == "net.too_slow"
    over.set()


def test_an_async_look_up_that_hangs_ends_at_the_deadline(ask):
    import asyncio

    class Hanging(Names):
        def resolve(self, host):
            threading.Event().wait(1)
            return super().resolve(host)

        async def resolve_async(self, host):
            await asyncio.sleep(30)

    assert refused(ask(rules(), Hanging(), limits=FetchLimits(seconds=0.2)), "http://a.example/") == "net.too_slow"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "[fd00:ec2::254]", "0.0.0.0"])
def test_an_address_in_the_url_is_judged_too_and_not_looked_up(serve, ask, host):
    server = serve()
    names = Names()
    assert refused(ask(rules(private=False), names), f"http://{host}:{server.port}/") == "private_ip"
    assert (server.connections, names.asked) == (0, [])


def test_an_address_in_the_url_that_may_be_reached_is_dialled(serve, ask):
    server = serve()
    ask(rules(), Names()).get(f"http://127.0.0.1:{server.port}/")
    assert f"\r\nHost: 127.0.0.1:{server.port}\r\n".encode() in server.requests[0]


def test_the_next_address_is_tried_if_one_does_not_answer(serve, ask):
    server = serve()  # which listens on one address of loopback only
    client = ask(rules(), Names(a_example=[("127.0.0.3", "::1", "127.0.0.1")]))
    assert client.get(f"http://a.example:{server.port}/").status == 200


def test_nobody_there_is_an_error_that_names_nothing_but_that(ask):
    with pytest.raises(FetchFailed) as caught:
        ask().get("http://a.example:1/secret-path?key=hunter2")
    assert "hunter2" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_tls_is_started_with_the_name_that_was_asked_for(serve, ask, tmp_path):
    server_side, client_side = make_certificate(tmp_path, "a.example")
    server = serve(tls=server_side)
    response = ask(rules(), None, ssl_context=client_side).get(f"https://a.example:{server.port}/")
    assert response.body == b"hello"
    assert server.server_names == ["a.example"]
    assert f"\r\nHost: a.example:{server.port}\r\n".encode() in server.requests[0]


def test_a_certificate_for_another_name_is_an_error(serve, ask, tmp_path):
    server_side, client_side = make_certificate(tmp_path, "a.example")
    server = serve(tls=server_side)
    with pytest.raises(FetchFailed, match="certificate"):
        ask(rules(), None, ssl_context=client_side).get(f"https://b.example:{server.port}/")
    assert server.requests == []


def test_a_client_that_is_given_no_authorities_knows_the_public_ones_only(serve, ask, tmp_path):
    server_side, _ = make_certificate(tmp_path, "a.example")
    server = serve(tls=server_side)
    with pytest.raises(FetchFailed, match="certificate"):
        ask(rules(), None, ssl_context=None).get(f"https://a.example:{server.port}/")
    assert server.requests == []


def test_a_server_that_does_not_finish_its_handshake_ends_at_the_deadline(serve, ask):
    silent = socket.create_server(("127.0.0.1", 0))
    client = ask(limits=FetchLimits(seconds=0.3), ssl_context=ssl.create_default_context())
    with silent:
        assert refused(client, f"https://a.example:{silent.getsockname()[1]}/") == "net.too_slow"


def test_a_kept_connection_is_not_used_for_another_name(serve, ask):
    server = serve()
    names = Names(a_example=[HERE], b_example=[HERE])
    client = ask(rules(), names)
    for host in ("a", "b", "a", "b"):
        client.get(f"http://{host}.example:{server.port}/")
    assert server.connections == 2
    assert names.asked == ["a.example", "b.example"]


def test_a_kept_connection_is_judged_again_by_the_rules_of_the_next_request(serve, ask):
    server = serve()
    client = ask()
    url = f"http://a.example:{server.port}/"
    client.get(url)
    assert refused(client, url, rules=rules(private=False)) == "private_ip"
    assert refused(client, url, rules=rules("b.example")) == "non_allowlisted_domain"
    assert len(server.requests) == 1
    assert client.get(url).status == 200


def errand(url, given=None):
    return Errand(parse_destination(url), given or rules(), deadline=time.monotonic() + 5, wire_bytes=10**6)


def test_there_is_no_errand_to_a_destination_that_the_rules_refuse():
    with pytest.raises(Refused) as caught:
        errand("http://b.example/", rules("a.example"))
    assert caught.value.code == "non_allowlisted_domain"


@pytest.mark.parametrize("place", [("b.example", 80), ("a.example", 81), ("127.0.0.1", 80)])
def test_the_backend_connects_only_where_the_errand_leads(ask, place):
    """Also if whoever calls it has judged nothing."""
    import asyncio

    names = Names(a_example=[HERE], b_example=[HERE])
    sync, async_ = GuardedBackend(names), AsyncGuardedBackend(names)
    token = CURRENT.set(errand("http://a.example/"))
    try:
        with pytest.raises(Refused):
            sync.connect_tcp(*place)
        with pytest.raises(Refused):
            asyncio.run(async_.connect_tcp(*place))
    finally:
        CURRENT.reset(token)
    with pytest.raises(Refused):
        sync.connect_tcp("a.example", 80)
    assert names.asked == []


def test_no_local_socket_is_reached():
    import asyncio

    with pytest.raises(Refused):
        GuardedBackend(Names()).connect_unix_socket("/run/docker.sock")
    with pytest.raises(Refused):
        asyncio.run(AsyncGuardedBackend(Names()).connect_unix_socket("/run/docker.sock"))


def test_a_connection_can_not_be_used_outside_its_errand(serve):
    server = serve()
    backend = GuardedBackend(Names(a_example=[HERE]))
    token = CURRENT.set(errand(f"http://a.example:{server.port}/"))
    stream = backend.connect_tcp("a.example", server.port)
    CURRENT.reset(token)
    for use in (lambda: stream.write(b"GET / HTTP/1.1\r\n\r\n"), lambda: stream.read(1)):
        with pytest.raises(Refused):
            use()
    token = CURRENT.set(errand(f"http://b.example:{server.port}/"))
    with pytest.raises(Refused):
        stream.write(b"GET / HTTP/1.1\r\n\r\n")
    CURRENT.reset(token)
    stream.close()


HOSTS = [
    "a.example",
    "b.example",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "2130706433",
    "0x7f.1",
    "10.0.0.1",
    "93.184.216.34",
]
URLS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["http://", "https://", "http:\\\\", "//", "HTTP://", "http:/", "ws://", "file://", ""]),
    st.sampled_from(["", "a.example@", "a.example#@", "a.example\\@", "%61@"]),
    st.sampled_from(HOSTS) | st.text(max_size=12),
    st.sampled_from(["", "/", ":80/", ":8080/x", "/..//x", "\t/", "/?u=http://b.example/", "#@b.example/"]),
) | st.text(max_size=40)
ANSWERS = st.lists(st.sampled_from([PUBLIC, "127.0.0.1", "::1", "10.1.2.3", "2606:2800:220::1"]), max_size=3)


@given(url=URLS, found=ANSWERS, domains=st.sampled_from([("*",), ("a.example",), ("*.a.example", "b.example")]))
@settings(
    max_examples=up_to(300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_the_url_no_address_is_dialled_that_the_rules_refuse(monkeypatch, url, found, domains):
    given_rules = rules(*domains, private=False)
    dialled = []

    class Dialling(socket.socket):
        def connect(self, place):
            dialled.append(place)
            raise ConnectionRefusedError

    class Always(Names):
        def resolve(self, host):
            return Addresses(addresses=tuple(found))

    with monkeypatch.context() as patch:
        patch.setattr(socket, "socket", Dialling)
        patch.setattr(socket, "getaddrinfo", lambda *_a, **_k: pytest.fail("looked up behind our back"))
        client = GuardedClient(given_rules, Always(), ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        with pytest.raises((Refused, FetchFailed)):
            client.request("GET", url)
    if dialled:
        destination = parse_destination(url)  # it can be read in one way only, or nothing is dialled
        assert given_rules.judge(destination, found) is None
        assert {port for _, port in dialled} == {destination.port}
        assert {address for address, _ in dialled} <= ({destination.address} if destination.address else set(found))
        assert all(address_class(address) is None for address, _ in dialled)
    else:
        try:
            destination = parse_destination(url)
        except BadDestination:
            return
        fetched = destination.scheme in {"http", "https"}
        assert not fetched or given_rules.judge(destination, found) is not None


def test_httpcore_is_given_our_backend_by_a_documented_way():
    """A pool without it would dial by itself."""
    import inspect

    assert "network_backend" in inspect.signature(httpcore.ConnectionPool).parameters
    assert "network_backend" in inspect.signature(httpcore.AsyncHTTPProxy).parameters
