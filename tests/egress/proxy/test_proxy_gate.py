"""The proxy and the gate: the same policy, approvals and record as for any other call, and no way round them."""

import asyncio
import socket

import pytest
from loopback_server import HERE, Names, answer
from proxied import OK, Listener, get, read_all, read_head, real_hello, status

from guardhouse.guard import Guard
from guardhouse.model import Addresses, GuardhouseError

SECRET = "sk-" + "abcdefghijklmnopqrstuvwx"


def connect(server, name="a.example"):
    return f"CONNECT {name}:{server.port} HTTP/1.1\r\nHost: {name}:{server.port}\r\n\r\n".encode()


@pytest.fixture(params=["tunnel", "plain"])
def request_to(request):
    """A request for a tunnel, or one of plain HTTP."""
    return connect if request.param == "tunnel" else lambda server, name="a.example": get(server, name=name)


def code(came):
    return next(
        (line.partition(b": ")[2].decode() for line in came.split(b"\r\n") if line.startswith(b"Guardhouse-Reasons")),
        "",
    )


def test_a_host_that_is_not_listed_is_refused_in_words_for_an_agent(place, serve, request_to):
    server = serve()
    place.open(server)
    came = place.door(principal="box", session_id="s1").ask(request_to(server, "b.example"))
    assert status(came) == 403
    assert code(came) == "non_allowlisted_domain"
    assert b"Instead: " in came
    assert b"guardhouse allow" not in came, "how to allow it is not for the agent"
    [event] = place.events
    assert (event.decision.value, event.principal, event.session_id) == ("deny", "box", "s1")
    assert (server.connections, place.names.asked) == (0, [])


def test_rules_speak_of_the_proxy_like_of_any_tool(place, serve, request_to):
    server = serve()
    rule = {"id": "not-there", "effect": "deny", "tool": "proxy", "domain": "a.example", "because": "Not today."}
    place.open(server, rules=[rule])
    came = place.door().ask(request_to(server))
    assert status(came) == 403
    assert b"Not today." in came
    assert server.connections == 0


def test_a_host_whose_address_is_private_is_not_reached(place, serve, request_to):
    server = serve()
    place.open(server, network={"deny_private_ips": True})
    came = place.door().ask(request_to(server))
    assert (status(came), code(came)) == (403, "private_ip")
    assert server.connections == 0


def test_the_guard_s_own_daemon_is_not_reached_whatever_is_allowed(place, request_to):
    class Daemon:
        port = 8765

    place.open(network={"allowed_domains": ["*", "a.example:8765", "127.0.0.1:8765"]})
    for name in ("127.0.0.1", "a.example"):
        came = place.door().ask(request_to(Daemon, name))
        assert status(came) == 403
        assert "guard.own_socket" in code(came)


def test_all_addresses_are_judged_and_a_judged_one_is_dialled(place, serve, request_to):
    server = serve()
    # The second answer, which would lead to the server, is never asked for.
    place.names = Names(a_example=[("93.184.216.34", "10.0.0.1"), HERE])
    place.open(server, network={"deny_private_ips": True})
    came = place.door().ask(request_to(server))
    assert (status(came), code(came)) == (403, "private_ip")
    assert place.names.asked == ["a.example"]
    assert server.connections == 0


def test_a_name_that_leads_elsewhere_a_moment_later_leads_where_it_was_judged_to(place, serve):
    server = serve()
    place.names = Names(a_example=[HERE, ("203.0.113.1",)])
    place.open(server)
    assert status(place.door().ask(get(server))) == 200
    assert place.names.asked == ["a.example"]


@pytest.mark.parametrize("resolve", [True, False])
def test_what_a_person_approves_passes_once_at_the_next_try(place, serve, request_to, resolve):
    server = serve()
    findings = {"non_allowlisted_domain": "require_approval"}
    place.open(network={"resolve_dns": resolve}, findings=findings)
    opened = place.door(principal="box")
    came = opened.ask(request_to(server))
    assert status(came) == 403
    assert b"Guardhouse-Decision: require_approval" in came
    [waiting] = place.guard.approvals.find()
    assert f"Guardhouse-Approval: {waiting.id}".encode() in came
    assert server.connections == 0
    place.guard.approvals.answer(waiting.id, approve=True, actor="local:ada")
    with opened.connect() as client:
        client.sendall(request_to(server))
        head = read_head(client)
        assert status(head) == 200
        if head == OK:
            client.sendall(real_hello("a.example"))
        place.until(lambda: server.connections == 1)
    assert status(opened.ask(request_to(server))) == 403, "once"
    assert server.connections == 1


def test_an_approved_host_whose_address_is_private_is_still_not_reached(place, serve):
    server = serve()
    place.open(network={"deny_private_ips": True}, findings={"non_allowlisted_domain": "require_approval"})
    opened = place.door()
    opened.ask(get(server))
    [waiting] = place.guard.approvals.find()
    place.guard.approvals.answer(waiting.id, approve=True, actor="local:ada")
    came = opened.ask(get(server))
    assert (status(came), code(came)) == (403, "private_ip")
    assert server.connections == 0
    assert place.outcomes()[0][0] == "aborted"


def test_where_the_policy_only_observes_hosts_are_reached_and_noted(place, serve, request_to):
    server = serve()
    place.open(mode="observe")
    came = place.door().connect()
    came.sendall(request_to(server))
    assert status(read_head(came)) == 200
    came.close()
    decision = place.events[0]
    assert (decision.decision.value, decision.would_be.value) == ("allow", "deny")


@pytest.mark.parametrize(
    "request_of",
    [
        lambda server: get(server, f"/?k={SECRET}"),
        lambda server: get(server, "/", f"X-Key: {SECRET}"),
        lambda server: get(server, "/", f"Content-Length: {len(SECRET)}", method="POST", body=SECRET.encode()),
        lambda server: get(
            server, "/", "Content-Length: 65536", method="POST", body=SECRET.encode() + b" " + b"\xff" * 65509
        ),
        lambda server: get(server, "/", f"Referer: http://a.example/?k={SECRET}"),
    ],
    ids=["url", "header", "body", "among other bytes", "referer"],
)
def test_a_secret_in_what_is_sent_is_found(place, serve, request_of):
    server = serve()
    place.open(server)
    came = place.door().ask(request_of(server))
    assert status(came) == 403
    assert "exfil.secret_outbound" in code(came)
    assert SECRET.encode() not in came
    assert server.connections == 0
    assert SECRET not in repr(place.events)


def test_a_secret_in_chunks_is_found_before_the_first_is_sent(place, serve):
    server = serve()
    place.open(server)
    body = b"".join(b"1\r\n%c\r\n" % byte for byte in SECRET.encode()) + b"0\r\n\r\n"
    came = place.door().ask(get(server, "/", "Transfer-Encoding: chunked", method="POST", body=body))
    assert "exfil.secret_outbound" in code(came)
    assert server.connections == 0


def test_what_would_have_to_be_masked_is_refused_and_not_altered(place, serve):
    server = serve()
    place.open(server, findings={"exfil.secret_outbound": "redact"})
    came = place.door().ask(get(server, "/", f"X-Key: {SECRET}"))
    assert status(came) == 403
    assert b"traffic is not altered" in came
    assert server.connections == 0


def test_a_page_that_was_come_from_is_not_one_that_is_gone_to(place, serve):
    server = serve()
    place.open(server)
    came = place.door().ask(get(server, "/", "Referer: http://elsewhere.example/", "Origin: http://elsewhere.example"))
    assert status(came) == 200


def test_a_policy_that_changes_counts_for_the_next_connection(place, serve, request_to):
    server = serve()
    place.open(server)
    opened = place.door()
    first = opened.connect()
    first.sendall(request_to(server))
    assert status(read_head(first)) == 200
    first.close()
    place.change({"guard": {}})
    assert status(opened.ask(request_to(server))) == 403


def test_two_doors_are_two_agents(place, serve):
    server = serve()
    place.open(server)
    one = place.door(principal="one", session_id="s1")
    two = place.door(principal="two", session_id="s2", proxy=one.proxy)
    assert status(one.ask(get(server))) == status(two.ask(get(server))) == 200
    found = {(event.principal, event.session_id) for event in place.events}
    assert found == {("one", "s1"), ("two", "s2")}


def test_closing_a_door_ends_its_connections_and_no_others(place):
    host = Listener()
    place.open(host)
    one = place.door(principal="one")
    two = place.door(principal="two", proxy=one.proxy)
    clients = []
    for opened in (one, two):
        client = opened.tunnel("a.example", host.port)
        client.sendall(real_hello("a.example"))
        server = host.accept()
        server.recv(65536)
        server.sendall(b"\x15")
        server.sendall(b"12345")
        while len(client.recv(65536)) == 0:
            pass
        clients.append((client, server))
    waiting = one.connect()
    one.close()
    assert read_all(clients[0][0]) in {b"", b"12345"}
    assert read_all(clients[0][1]) == b""
    assert read_all(waiting) == b""
    with pytest.raises(ConnectionRefusedError):
        one.connect()
    clients[1][1].sendall(b"still there")
    came = b""
    while b"still there" not in came:
        came += clients[1][0].recv(65536)
    assert one.proxy.connections == 1
    for client, server in clients:
        client.close()
        server.close()
    host.close()
    details = [detail for _, detail in place.outcomes()]
    assert any(detail.endswith("the proxy ended it") for detail in details)


def test_serving_ends_when_it_is_cancelled(place, serve):
    server = serve()
    place.open(server)
    proxy = place.guard.forward_proxy()
    listener = socket.create_server(("127.0.0.1", 0))
    where = listener.getsockname()

    async def serving():
        task = asyncio.create_task(proxy.serve(listener, place.guard.door()))
        await asyncio.sleep(0)
        reader, writer = await asyncio.open_connection(*where)
        writer.write(get(server))
        assert status(await reader.read()) == 200
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        writer.close()

    place.run(serving())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(where)


# Whatever fails ------------------------------------------------------------------------------------------------------


class Broken(Guard):
    """A guard that raises, as no guard does."""

    def __init__(self):
        pass

    def evaluate(self, *_args, **_more):
        raise RuntimeError(SECRET)

    async def evaluate_async(self, *_args, **_more):
        raise RuntimeError(SECRET)

    def refuse(self, *_args):
        raise RuntimeError(SECRET)


def test_a_proxy_whose_gate_raises_connects_nobody(place, serve, request_to):
    server = serve()
    place.open(server)
    opened = place.door(guard=Broken())
    assert status(opened.ask(request_to(server))) == 503
    assert status(opened.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == 400
    assert server.connections == 0
    assert place.said == [
        "The gate failed with RuntimeError.",
        "What was refused could not be recorded: RuntimeError.",
    ]


class Raising:
    def resolve(self, host):
        raise RuntimeError(SECRET)

    async def resolve_async(self, host):
        raise RuntimeError(SECRET)


@pytest.mark.parametrize("looked_up_by", ["gate", "proxy"])
def test_a_proxy_whose_resolver_raises_connects_nobody(place, serve, request_to, looked_up_by):
    server = serve()
    place.open(server, resolver=Raising(), network={"resolve_dns": looked_up_by == "gate"})
    with place.door().connect() as client:
        client.sendall(request_to(server))
        head = read_head(client)
        if head == OK:  # the proxy itself looks up only once it knows whom the client means
            client.sendall(real_hello("a.example"))
            assert read_all(client) == b""
        else:
            assert (status(head), code(head)) == (403, "dns_failure")
    assert server.connections == 0


@pytest.mark.parametrize(
    "found", [Addresses(error="broken"), Addresses(), Addresses(addresses=("not an address",)), None, 5]
)
def test_a_proxy_whose_resolver_gives_no_address_connects_nobody(place, serve, found):
    server = serve()

    class Odd(Raising):
        async def resolve_async(self, host):
            return found

    place.open(server, resolver=Odd(), network={"resolve_dns": False})
    came = place.door().ask(get(server))
    assert (status(came), code(came)) == (403, "dns_failure")
    assert server.connections == 0


def test_a_proxy_whose_record_can_not_be_written_connects_nobody(place, serve, request_to, monkeypatch):
    server = serve()
    place.open(server)

    def full(*_args, **_more):
        raise GuardhouseError("disk full")

    monkeypatch.setattr(place.guard._audit, "record", full)
    monkeypatch.setattr(place.guard._audit, "try_record", full)
    came = place.door().ask(request_to(server))
    assert (status(came), code(came)) == (403, "guard.audit_unwritable")
    assert server.connections == 0


def test_a_proxy_says_if_what_became_of_a_connection_can_not_be_recorded(place, serve, monkeypatch):
    server = serve(lambda request: answer(b"hello"))
    place.open(server)
    real = place.guard._audit.try_record

    def full(event):
        if event.kind == "execution":
            raise GuardhouseError("disk full")
        return real(event)

    monkeypatch.setattr(place.guard._audit, "try_record", full)
    assert status(place.door().ask(get(server))) == 200
    assert place.said == ["What became of a connection could not be recorded."]


def test_a_proxy_whose_policy_can_not_be_read_connects_nobody(place, serve, request_to):
    server = serve()
    place.open(server)
    opened = place.door()
    place.change({"guard": {"nonsense": True}})
    assert status(opened.ask(request_to(server))) == 503
    assert server.connections == 0
    assert place.said == ["The policy can't be read: PolicyError."]


def test_a_proxy_that_fails_itself_connects_nobody(place, serve, monkeypatch):
    server = serve()
    place.open(server)

    def broken(*_args):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("guardhouse.egress.proxy.asking.rules_for", broken)
    opened = place.door()
    came = opened.ask(get(server))
    assert status(came) == 502
    assert SECRET.encode() not in came
    with opened.tunnel("a.example", server.port) as client:
        client.sendall(real_hello("a.example"))
        assert read_all(client) == b""
    assert server.connections == 0
    assert place.said == ["The proxy failed with RuntimeError."] * 2
    assert {outcome for outcome, _ in place.outcomes()} == {"aborted"}


def test_a_call_that_a_person_changed_is_not_made_as_it_was(place, serve, monkeypatch):
    import msgspec

    server = serve()
    place.open(server)
    real = place.guard.evaluate_async

    async def edited(action, **more):
        verdict = await real(action, **more)
        return msgspec.structs.replace(verdict, edited=True, params={"url": "http://b.example/"})

    monkeypatch.setattr(place.guard, "evaluate_async", edited)
    came = place.door().ask(get(server))
    assert (status(came), code(came)) == (403, "approval.edit_refused")
    assert server.connections == 0
