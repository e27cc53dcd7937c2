"""Small real servers on loopback, a resolver of ours, and one face for the sync and the async client."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import suppress

from guardhouse.egress import AsyncGuardedClient, FetchLimits, GuardedClient
from guardhouse.egress.client import trusted_roots
from guardhouse.model import Addresses
from guardhouse.net import NetworkRules, NetworkSettings

QUICK = FetchLimits(seconds=5)
ROOTS = trusted_roots()
"""What a client would read for itself, which takes longer than most of what is asked here."""


def answer(body=b"hello", *headers, status="200 OK", length=None):
    """The bytes of an answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Server:
    """Answers each request on each connection with what `reply(request)` gives: bytes, or a function of the socket."""

    def __init__(self, reply=None, *, tls=None):
        self.reply = reply or (lambda request: answer())
        self.requests = []
        self.connections = 0
        self.server_names = []
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.server_names.append(name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.over = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with suppress(OSError), connection:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            while True:
                request = self._read(connection)
                if not request:
                    return
                self.requests.append(request)
                reply = self.reply(request)
                if isinstance(reply, bytes):
                    connection.sendall(reply)
                else:
                    reply(connection)
                    connection.close()
                    return

    @staticmethod
    def _read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return b""
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def drip(self, beginning, piece=b"a"):
        """A reply that never ends: a beginning, then a little now and then, until the test is over."""

        def dripping(connection):
            connection.sendall(beginning)
            while not self.over.wait(0.05):
                connection.sendall(piece)

        return dripping

    def close(self):
        self.over.set()
        # Wakes up whoever accepts, which closing alone does not.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Names:
    """A resolver: each name has answers, given one after the other; the last one stays."""

    def __init__(self, **names):
        self._answers = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked = []

    def resolve(self, host):
        self.asked.append(host)
        answers = self._answers.get(host)
        if not answers:
            return Addresses(error="no such name")
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return Addresses(addresses=found) if isinstance(found, tuple) else found

    async def resolve_async(self, host):
        return self.resolve(host)


HERE = ("127.0.0.1",)


def everything_here():
    return Names(a_example=[HERE], b_example=[HERE])


def rules(*domains, private=True, prefixes=(), **more):
    """Rules under which loopback can be reached, unless `private` says otherwise."""
    return NetworkRules(
        NetworkSettings(
            allowed_domains=domains or (() if prefixes else ("*",)),
            allowed_url_prefixes=prefixes,
            deny_private_ips=not private,
            **more,
        )
    )


class Asking:
    """A guarded client, sync or async, with one face."""

    def __init__(self, runner, given, resolver, limits=QUICK, ssl_context=ROOTS):
        self._runner = runner
        kind = GuardedClient if runner is None else AsyncGuardedClient
        self.client = kind(given, resolver, limits=limits, ssl_context=ssl_context)

    def request(self, method, url, **more):
        asked = self.client.request(method, url, **more)
        return asked if self._runner is None else self._runner.run(asked)

    def get(self, url, **more):
        return self.request("GET", url, **more)

    def close(self):
        if self._runner is None:
            self.client.close()
        else:
            self._runner.run(self.client.aclose())


def make_certificate(directory, name):
    """A certificate that signs itself, and contexts for the server and for a client that trusts it."""
    import subprocess

    key, certificate = directory / f"{name}.key", directory / f"{name}.pem"
    options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split()
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run(
        ["openssl", *options, *names, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    return server, ssl.create_default_context(cafile=certificate)


def new_runner():
    return asyncio.Runner()
