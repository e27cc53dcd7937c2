"""A real proxy in an event loop of its own, with a real gate, and clients that talk to it byte by byte."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import ssl
import struct
import threading
import time

from loopback_server import HERE, Names

from guardhouse import open_guard
from guardhouse.audit import events

DEADLINE = 20
OK = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Place:
    """A guard with a configuration of the test's, and proxies at which it is asked."""

    def __init__(self, root):
        self.root = root
        self.names = Names(a_example=[HERE], b_example=[HERE], inside_example=[("10.0.0.1",)])
        self.file = root / "config.json"
        self.guard = None
        self.said = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._closing = []

    def open(self, *servers, names=("a.example",), network=None, resolver=None, in_loop=True, **guard):
        """A guard under which the proxy may reach these servers by these names."""
        section = {
            "allowed_domains": [f"{name}:{server.port}" for server in servers for name in names],
            "deny_private_ips": False,
            **(network or {}),
        }
        self.file.write_text(json.dumps({"guard": {"network": {"proxy": section}, **guard}}))
        self.guard = open_guard(
            config_file=self.file,
            cwd=self.root,
            state_dir=self.root / "state",
            resolver=resolver or self.names,
            variables={},
            in_loop=in_loop,
        )
        return self.guard

    def change(self, config):
        self.file.write_text(json.dumps(config))
        self.guard._policy._interval = 0

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(DEADLINE)

    def door(self, *, guard=None, listener=None, proxy=None, **names):
        """A door that is open, and the proxy behind it."""
        from guardhouse.egress.proxy import Door

        proxy = proxy or self.guard.forward_proxy(report=self.said.append)
        listener = listener or socket.create_server(("127.0.0.1", 0))
        opened = OpenDoor(proxy, listener.getsockname(), listener.family)
        context = proxy.open(listener, Door(guard=guard or self.guard, **names))
        self.run(context.__aenter__())

        def close():
            if context is not None and opened.is_open:
                opened.is_open = False
                self.run(context.__aexit__(None, None, None))

        opened.close = close
        self._closing.append(close)
        return opened

    def close(self):
        for close in self._closing:
            close()
        if self.guard is not None:
            self.guard.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE)
        self._loop.close()

    @staticmethod
    def until(is_so):
        """Wait until something is so."""
        deadline = time.monotonic() + DEADLINE
        while not is_so() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert is_so()

    @property
    def events(self):
        """What the record says, once it says what became of everything that was let through."""
        deadline = time.monotonic() + DEADLINE
        while True:
            found = [entry.event for entry in events(self.root / "state" / "audit")]
            open_calls = sum(
                1 if one.kind == "decision" and one.decision is not None and one.decision.value == "allow" else 0
                for one in found
            ) - sum(one.kind == "execution" for one in found)
            if open_calls <= 0 or time.monotonic() > deadline:
                return found
            time.sleep(0.01)

    def outcomes(self):
        return [(event.outcome, event.detail) for event in self.events if event.kind == "execution"]


class OpenDoor:
    def __init__(self, proxy, place, family):
        self.proxy = proxy
        self.place = place
        self.family = family
        self.is_open = True

    @property
    def port(self):
        return self.place[1]

    def connect(self):
        connection = socket.socket(self.family, socket.SOCK_STREAM)
        connection.settimeout(DEADLINE)
        connection.connect(self.place)
        return connection

    def connect_and(self, data):
        connection = self.connect()
        connection.sendall(data)
        return connection

    def ask(self, *pieces):
        """What comes back for these bytes, until the proxy ends the connection."""
        with self.connect() as connection:
            for piece in pieces:
                connection.sendall(piece)
            return read_all(connection)

    def tunnel(self, host, port):
        """A connection on which the tunnel stands."""
        connection = self.connect()
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        answer = read_head(connection)
        if answer != OK:
            connection.close()
            raise AssertionError(answer)
        return connection


class Listener:
    """A host that the test itself plays."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(DEADLINE)
        self.port = self._socket.getsockname()[1]

    def accept(self):
        connection = self._socket.accept()[0]
        connection.settimeout(DEADLINE)
        return connection

    def close(self):
        self._socket.close()


def read_all(connection):
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionError:
        pass
    return b"".join(pieces)


def read_head(connection):
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        if not piece:
            return data
        data += piece
    return data


def read_answer(connection):
    """The head and the body of one answer that has a length."""
    head = read_head(connection)
    lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    body = b""
    while lengths and len(body) < lengths[0]:
        body += connection.recv(lengths[0] - len(body))
    return head, body


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else None


def get(server, path="/", *headers, method="GET", name="a.example", body=b""):
    """A request of plain HTTP as a client sends it to a proxy."""
    place = f"{name}:{server.port}"
    lines = [f"{method} http://{place}{path} HTTP/1.1", f"Host: {place}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# Handshakes ----------------------------------------------------------------------------------------------------------


def real_hello(name, **context):
    """The first message of a real client."""
    made = ssl.create_default_context()
    made.check_hostname = name is not None
    if name is None:
        made.verify_mode = ssl.CERT_NONE
    for key, value in context.items():
        setattr(made, key, value)
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        made.wrap_bio(coming, going, server_hostname=name).do_handshake()
    return going.read()


def counted(data, size=2):
    return len(data).to_bytes(size) + data


def extension(kind, data=b""):
    return struct.pack(">H", kind) + counted(data)


def server_name(*names, kind=0):
    return extension(0, counted(b"".join(bytes([kind]) + counted(name) for name in names)))


def hello(*extensions, version=0x0303, suites=b"\x13\x01", session=b"", compressions=b"\0", after=b""):
    """A message that says ClientHello, without records around it."""
    body = (
        struct.pack(">H", version)
        + bytes(32)
        + counted(session, 1)
        + counted(suites)
        + counted(compressions, 1)
        + counted(b"".join(extensions))
        + after
    )
    return b"\x01" + counted(body, 3)


def records(message, *cuts, kind=22, version=0x0301):
    """The message in records, cut at these places."""
    places = [0, *sorted(cuts), len(message)]
    return b"".join(
        bytes([kind]) + struct.pack(">H", version) + counted(message[start:end])
        for start, end in itertools.pairwise(places)
        if end > start
    )
