"""Tunnels: TLS to the one host that was judged, byte for byte, and nothing to anybody else."""

import hashlib
import os
import socket
import ssl
import struct
import subprocess
import threading

import pytest
from loopback_server import HERE, Names, answer, make_certificate
from proxied import (
    Listener,
    counted,
    extension,
    hello,
    read_all,
    read_head,
    real_hello,
    records,
    server_name,
    status,
)

from guardhouse.egress.proxy.client_hello import LONGEST_TO_TELL


def secured(opened, server, context, name="a.example"):
    return context.wrap_socket(opened.tunnel(name, server.port), server_hostname=name)


def test_a_client_speaks_tls_with_the_host_through_the_tunnel(place, serve, certificate):
    server = serve(tls=certificate[0])
    place.open(server)
    with secured(place.door(principal="box"), server, certificate[1]) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        assert client.recv(65536).endswith(b"hello")
    assert server.server_names == ["a.example"]
    assert place.names.asked == ["a.example"], "looked up once: the gate judges what is dialled"
    (decision, execution) = place.events
    assert (decision.tool_name, decision.principal, decision.source) == ("proxy", "box", "proxy")
    assert execution.about == decision.event_id
    assert execution.outcome == "executed"
    assert execution.detail.startswith(f"CONNECT a.example:{server.port}, ")
    assert execution.detail.endswith((", the client closed", ", the host closed"))
    assert execution.principal == "box"


def test_many_megabytes_pass_exactly_in_both_directions_and_are_counted(place, serve, certificate):
    data = os.urandom(5_000_000)
    server = serve(lambda request: answer(request.partition(b"\r\n\r\n")[2]), tls=certificate[0])
    place.open(server)
    with secured(place.door(), server, certificate[1]) as client:
        head = f"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: {len(data)}\r\n\r\n".encode()
        threading.Thread(target=client.sendall, args=(head + data,)).start()
        read_head(client)
        came = b""
        while len(came) < len(data):
            came += client.recv(65536)
    assert hashlib.sha256(came).digest() == hashlib.sha256(data).digest()
    [(_, detail)] = place.outcomes()
    up, down = (int(part.split()[0]) for part in detail.split(", ")[1:3])
    assert len(data) < up < len(data) * 1.02
    assert len(data) < down < len(data) * 1.02


def test_a_hello_may_come_in_any_pieces_and_arrives_as_it_came(place):
    listener = Listener()
    place.open(listener)
    message = hello(server_name(b"A.EXAMPLE."), extension(43, b"\x02\x03\x04"))
    stream = records(message, 1, 2, 3, 50, 51)
    with place.door().tunnel("a.example", listener.port) as client:
        for byte in stream:
            client.sendall(bytes([byte]))
        with listener.accept() as host:
            came = b""
            while len(came) < len(stream):
                came += host.recv(65536)
            assert came == stream
            host.sendall(b"\x15\x03\x03\x00\x02\x02\x28")
            assert client.recv(65536) == b"\x15\x03\x03\x00\x02\x02\x28"
            # Half of it may end before the other.
            client.shutdown(socket.SHUT_WR)
            assert host.recv(1) == b""
            host.sendall(b"more")
            assert client.recv(65536) == b"more"
            host.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
    listener.close()
    assert place.outcomes() == [
        ("executed", f"CONNECT a.example:{listener.port}, {len(stream)} bytes up, 11 down, the client closed")
    ]


def test_a_host_that_ends_first_ends_the_tunnel_after_its_last_byte(place):
    listener = Listener()
    place.open(listener)
    with place.door().tunnel("a.example", listener.port) as client:
        client.sendall(real_hello("a.example"))
        host = listener.accept()
        host.recv(65536)
        data = b"\x15" + os.urandom(3_000_000)
        threading.Thread(target=lambda: (host.sendall(data), host.close())).start()
        assert read_all(client) == data
    listener.close()


REFUSED = {
    "no tls": b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "another name": real_hello("b.example"),
    "the name of a subdomain": real_hello("www.a.example"),
    "no name": real_hello(None),
    "two names": records(hello(server_name(b"a.example", b"b.example"))),
    "the extension twice": records(hello(server_name(b"a.example"), server_name(b"b.example"))),
    "an odd name": records(hello(server_name(b"a..example"))),
    "an address for a name": records(hello(server_name(b"127.0.0.1"))),
    "encrypted client hello": records(hello(server_name(b"a.example"), extension(0xFE0D, bytes(9)))),
    "encrypted server name": records(hello(server_name(b"a.example"), extension(0xFFCE, bytes(9)))),
    "too much": records(b"\x01" + (16 * 1024 + 1).to_bytes(3) + bytes(1000)),
    "nonsense": b"\x16\x03\x01\xff\xff" + bytes(100),
    "an early end": records(hello(server_name(b"a.example")))[:-1],
}


@pytest.mark.parametrize("first", REFUSED.values(), ids=REFUSED.keys())
def test_a_tunnel_in_which_anything_else_is_said_first_is_closed_and_the_host_hears_nothing(place, serve, first):
    server = serve()
    place.open(server, names=("a.example", "b.example"))
    with place.door().tunnel("a.example", server.port) as client:
        client.sendall(first)
        client.shutdown(socket.SHUT_WR)
        assert read_all(client) == b""
    [(outcome, detail)] = place.outcomes()
    assert outcome == "aborted"
    assert "0 bytes up, 0 down, " in detail
    assert "b.example" not in detail
    assert server.connections == 0


def test_for_an_address_there_must_be_no_name(place, serve, certificate):
    server = serve(tls=certificate[0])
    place.open(server, names=("127.0.0.1",))
    opened = place.door()
    with opened.tunnel("127.0.0.1", server.port) as client:
        client.sendall(real_hello("a.example"))
        assert read_all(client) == b""
    assert server.connections == 0
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(opened.tunnel("127.0.0.1", server.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(65536).endswith(b"hello")
    assert place.names.asked == []


@pytest.mark.parametrize(("asked", "named"), [("A.Example", "a.example"), ("a.example.", "a.EXAMPLE")])
def test_names_are_compared_in_one_spelling(place, serve, certificate, asked, named):
    server = serve(tls=certificate[0])
    place.open(server)
    client = place.door().tunnel(asked, server.port)
    client.sendall(records(hello(server_name(named.encode()))))
    assert client.recv(1), "the host answers, if only with an alert"
    client.close()
    assert server.connections == 1


def test_an_international_name_is_compared_as_its_a_label(place, serve):
    server = serve()
    place.names = Names(**{"xn--bcher-kva_example": [HERE]})
    place.open(server, names=("xn--bcher-kva.example",))
    client = place.door().tunnel("xn--bcher-kva.example", server.port)
    client.sendall(records(hello(server_name(b"XN--bcher-kva.example"))))
    place.until(lambda: server.connections == 1)
    client.close()


RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
ASKS_AGAIN = records(b"\x02" + counted(b"\x03\x03" + RETRY + bytes(10), 3), version=0x0303)


@pytest.mark.parametrize("name", ["a.example", "b.example"])
def test_a_second_hello_that_a_server_asks_for_is_held_to_the_same_name(place, name):
    listener = Listener()
    place.open(listener)
    first, second = (records(hello(server_name(one))) for one in (b"a.example", name.encode()))
    with place.door().tunnel("a.example", listener.port) as client:
        client.sendall(first)
        with listener.accept() as host:
            assert host.recv(65536) == first
            came = b""
            for number, byte in enumerate(ASKS_AGAIN, 1):
                host.sendall(bytes([byte]))
                while number >= LONGEST_TO_TELL and len(came) < number:  # nothing that comes later is held back
                    came += client.recv(65536)
            assert came == ASKS_AGAIN
            sent = b"\x14\x03\x03\x00\x01\x01" + second
            client.sendall(sent)
            heard = b""
            while len(heard) < len(sent) and (piece := host.recv(65536)):
                heard += piece
            assert heard == (sent if name == "a.example" else b"")
    listener.close()
    [(_, detail)] = place.outcomes()
    assert ("refused: the name of another server" in detail) is (name == "b.example")


def test_a_server_that_breaks_off_after_asking_for_a_second_hello_ends_the_tunnel(place):
    listener = Listener()
    place.open(listener)
    with place.door().tunnel("a.example", listener.port) as client:
        client.sendall(records(hello(server_name(b"a.example"))))
        with listener.accept() as host:
            host.recv(65536)
            host.sendall(ASKS_AGAIN)
            assert client.recv(65536)
            host.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert read_all(client) in {b"", ASKS_AGAIN[LONGEST_TO_TELL:]}
    listener.close()
    [(_, detail)] = place.outcomes()
    assert "the host broke off" in detail


def test_a_real_handshake_in_which_the_server_asks_again_succeeds(place, tmp_path):
    """OpenSSL asks again if the client offers no key of a group that it takes."""
    make_certificate(tmp_path, "a.example")
    command = ["openssl", "s_server", "-quiet", "-www", "-groups", "P-521", "-accept", "0"]
    command += ["-cert", str(tmp_path / "a.example.pem"), "-key", str(tmp_path / "a.example.key")]
    probe = Listener()
    port = probe.port
    place.open(probe)
    opened = place.door()
    probe.close()
    command[command.index("0")] = str(port)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            context = ssl.create_default_context(cafile=tmp_path / "a.example.pem")
            for _ in range(200):
                try:
                    client = context.wrap_socket(opened.tunnel("a.example", port), server_hostname="a.example")
                    break
                except (OSError, ssl.SSLError):
                    process.poll()
            client.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert b"200" in client.recv(65536)
            client.close()
        finally:
            process.kill()


def test_a_host_that_can_not_be_reached_ends_the_tunnel_and_the_record_says_so(place, serve):
    server = serve()
    place.open(server)
    opened = place.door()
    server.close()
    with opened.tunnel("a.example", server.port) as client:
        client.sendall(real_hello("a.example"))
        assert read_all(client) == b""
    [(outcome, detail)] = place.outcomes()
    assert (outcome, detail.rpartition(", ")[2]) == ("aborted", "not reached: 502")


MALFORMED = [
    "a.example",
    "a.example:",
    "a.example:x",
    "a.example:0",
    "a.example:65536",
    ":443",
    "https://a.example:443",
    "https://a.example:443/",
    "a.example:443/",
    "u@a.example:443",
    "a.example#:443",
    "a.example?:443",
    "a.example\\:443",
    "127.1:443",
    "0x7f000001:443",
    "2130706433:443",
    "[::ffff:127.0.0.1%25eth0]:443",
    "a.example:443 HTTP/1.1\r\nX: y\r\n\r\nCONNECT b.example:443",
    "*",
    "/",
]


@pytest.mark.parametrize("target", MALFORMED)
def test_what_is_no_host_and_port_gets_no_tunnel(place, serve, target):
    server = serve()
    place.open(server)
    came = place.door().ask(f"CONNECT {target} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
    assert status(came) in {400, 403}
    assert server.connections == 0
    assert not any(event.decision is not None and event.decision.value == "allow" for event in place.events)


@pytest.mark.parametrize(
    "headers",
    ["Host: b.example", "Host: a.example\r\nContent-Length: 5", "Host: a.example\r\nTransfer-Encoding: chunked"],
)
def test_a_tunnel_with_another_host_or_a_body_is_refused(place, serve, headers):
    server = serve()
    place.open(server)
    came = place.door().ask(f"CONNECT a.example:{server.port} HTTP/1.1\r\n{headers}\r\n\r\n".encode())
    assert status(came) in {400, 421}
    assert server.connections == 0


def test_a_tunnel_needs_the_whole_host_to_be_allowed(place, serve):
    server = serve()
    prefix = f"https://a.example:{server.port}/v1/"
    place.open(network={"allowed_domains": [], "allowed_url_prefixes": [prefix]})
    came = place.door().ask(f"CONNECT a.example:{server.port} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
    assert status(came) == 403
    assert b"non_allowlisted_domain" in came
