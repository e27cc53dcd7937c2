"""Who comes in by a token, and who does not; and that the token goes nowhere else."""

import asyncio
from base64 import b64encode

import pytest
from loopback_server import answer
from proxied import get, read_answer, status

from guardhouse.egress.proxy import TokenCallers
from guardhouse.egress.proxy.callers import token_in


@pytest.fixture
def shared(place, serve):
    """A door that agents share, with real tokens, and a server behind it."""
    server = serve(lambda request: answer(b"hello"))
    place.open(server)
    place.tokens = place.guard.tokens
    place.clock = [0.0]
    callers = TokenCallers(place.tokens.check, clock=lambda: place.clock[0])
    place.server = server
    place.shared = place.door(callers=callers)
    return place


def basic(token, user="agent"):
    return "Proxy-Authorization: Basic " + b64encode(f"{user}:{token}".encode()).decode()


def bearer(token):
    return f"Proxy-Authorization: Bearer {token}"


@pytest.mark.parametrize("said", [basic, bearer, lambda token: basic(token, ""), lambda token: basic(token, "x y")])
def test_an_agent_comes_in_by_its_token_and_is_the_principal(shared, said):
    token, _ = shared.tokens.create("agent", "builder")
    assert status(shared.shared.ask(get(shared.server, "/", said(token)))) == 200
    assert {event.principal for event in shared.events} == {"builder"}
    sent = b"".join(shared.server.requests)
    assert token.encode() not in sent
    assert b64encode(token.encode())[:20] not in sent
    assert token not in repr(shared.events)
    assert not any(token.encode() in file.read_bytes() for file in shared.root.rglob("*") if file.is_file())


@pytest.mark.parametrize("role", ["approver", "admin"])
def test_what_a_person_s_token_can_do_is_not_for_a_proxy(shared, role):
    token, _ = shared.tokens.create(role, "somebody")
    assert status(shared.shared.ask(get(shared.server, "/", basic(token)))) == 407


WRONG = [
    "X: no token",
    "Proxy-Authorization: ",
    "Proxy-Authorization: Basic",
    "Proxy-Authorization: Basic !!!",
    "Proxy-Authorization: Basic bm9jb2xvbg==",
    "Proxy-Authorization: Digest x",
    "Proxy-Authorization: Bearer",
    bearer("gdh_agent_000000000000_" + "a" * 43),
    bearer("x" * 5000),
    basic("é" * 20),
    "Authorization: Bearer x",
]


@pytest.mark.parametrize("said", WRONG)
@pytest.mark.parametrize("kind", ["tunnel", "plain"])
def test_who_has_no_token_of_an_agent_gets_nowhere(shared, said, kind):
    port = shared.server.port
    request = (
        get(shared.server, "/", said)
        if kind == "plain"
        else f"CONNECT a.example:{port} HTTP/1.1\r\nHost: a.example:{port}\r\n{said}\r\n\r\n".encode()
    )
    came = shared.shared.ask(request)
    assert status(came) == 407
    assert b'Proxy-Authenticate: Basic realm="Guardhouse"' in came
    assert shared.server.connections == 0
    assert shared.events == [], "strangers can't fill the record"
    assert shared.names.asked == []


def test_a_revoked_token_is_good_for_no_more_than_two_seconds(shared):
    token, _ = shared.tokens.create("agent", "builder")
    request = get(shared.server, "/", basic(token))
    assert status(shared.shared.ask(request)) == 200
    shared.tokens.revoke("builder")
    shared.clock[0] += 2.1
    assert status(shared.shared.ask(request)) == 407


def test_a_token_is_not_looked_up_for_each_connection(shared, monkeypatch):
    token, _ = shared.tokens.create("agent", "builder")
    asked = []
    real = type(shared.tokens).check
    monkeypatch.setattr(type(shared.tokens), "check", lambda self, token: asked.append(token) or real(self, token))
    callers = TokenCallers(shared.tokens.check)
    opened = shared.door(callers=callers)
    for _ in range(3):
        assert status(opened.ask(get(shared.server, "/", basic(token)))) == 200
    assert len(asked) == 1


def test_every_request_on_a_connection_says_who_sends_it(shared):
    token, _ = shared.tokens.create("agent", "builder")
    with_token = get(shared.server, "/", basic(token)).replace(b"Connection: close\r\n", b"")
    with shared.shared.connect() as client:
        client.sendall(with_token)
        assert status(read_answer(client)[0]) == 200
        client.sendall(get(shared.server, "/"))
        assert status(read_answer(client)[0]) == 407
    assert len(shared.server.requests) == 1


def test_a_proxy_that_can_not_look_tokens_up_connects_nobody(place, serve):
    server = serve()
    place.open(server)

    def broken(token):
        raise RuntimeError(token)

    opened = place.door(callers=TokenCallers(broken))
    token = "gdh_agent_000000000000_" + "a" * 43
    came = opened.ask(get(server, "/", basic(token)))
    assert status(came) == 503
    assert token.encode() not in came
    assert place.said == ["Tokens can't be looked up: RuntimeError."]
    assert server.connections == 0


def test_what_is_remembered_is_bounded_and_not_the_tokens():
    class Holder:
        name, role = "builder", "agent"

    callers = TokenCallers(lambda token: Holder())

    async def many():
        for number in range(1500):
            assert await callers.look_up(f"token-{number}") == "builder"

    asyncio.run(many())
    assert len(callers._known) == 1024
    assert callers.known("token-1499") == "builder"
    assert callers.known("token-1") is None
    assert "token-1499" not in repr(callers._known)


def test_credentials_are_read_in_two_forms_and_no_other():
    assert token_in(b"Basic " + b64encode(b"user:tok:en")) == "tok:en"
    assert token_in(b"bearer  tok") == "tok"
    assert token_in(b"Basic " + b64encode(b"user")) == ""
    assert token_in(b"Negotiate abc") == ""
    assert token_in(b"") == ""
