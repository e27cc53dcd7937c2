"""A small MCP server over streamable HTTP, for tests: it behaves, except where a test says what it answers.

It speaks HTTP by hand, so that a test can have it say anything at all.
"""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress

SESSION = "s-1"


def head(status="200 OK", *headers):
    return "\r\n".join([f"HTTP/1.1 {status}", *headers]).encode() + b"\r\n\r\n"


def plain(body=b"", status="200 OK", *headers):
    """A whole answer."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(status, f"Content-Length: {len(body)}", "Content-Type: application/json", *headers) + body


def stream(*events, ended=True):
    """A stream of events, each its lines; in chunks, so that the connection goes on."""
    body = b"".join(chunk(event) for event in events)
    return head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked") + body + b"0\r\n\r\n" * ended


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(message, number=""):
    """A message as an event."""
    said = message if isinstance(message, bytes) else json.dumps(message).encode()
    return (f"id: {number}\n".encode() if number else b"") + b"data: " + said + b"\n\n"


def result(number, text):
    return {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}]}}


class Request:
    def __init__(self, data):
        raw, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")
        self.method = first.split()[0]
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        self.message = json.loads(self.body) if self.body else {}

    @property
    def rpc(self):
        """What is asked, in the words of the protocol."""
        return self.message.get("method", "") if self.method == "POST" else self.method

    @property
    def id(self):
        return self.message.get("id")


class UrlServer:
    """Listens on loopback. `answers` has what it says to a method, in place of what it would say: bytes, which are
    sent, or a function of the request and the connection, which is then closed. More than one are said in turn."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "/"): said for name, said in answers.items()}
        self.requests = []
        self.connections = 0
        self.over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def of(self, rpc):
        """The requests for this."""
        return [one for one in self.requests if one.rpc == rpc]

    def close(self):
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def drip(self, beginning, piece):
        """An answer that never ends: a little now and then."""

        def dripping(_request, connection):
            connection.sendall(beginning)
            while not self.over.wait(0.05):
                connection.sendall(piece)

        return dripping

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
            while (request := self._read(connection)) is not None:
                self.requests.append(request)
                said = self._said(request)
                if isinstance(said, bytes):
                    connection.sendall(said)
                else:
                    said(request, connection)
                    return

    @staticmethod
    def _read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        raw, _, body = data.partition(b"\r\n\r\n")
        lines = raw.lower().split(b"\r\n")
        length = next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")), 0)
        while len(body) < length:
            body += connection.recv(65536)
        return Request(raw + b"\r\n\r\n" + body)

    def _said(self, request):
        said = self.answers.get(request.rpc)
        if isinstance(said, list):
            said = said.pop(0) if said else None
        if said is not None:
            return said(request) if getattr(said, "is_made", False) else said
        match request.rpc:
            case "GET":
                return plain(b"", "405 Method Not Allowed")
            case "DELETE":
                return plain(b"")
            case "initialize":
                offers = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
                found = {**offers, "serverInfo": {"name": "by url", "version": "1"}}
                return plain(_answer(request, found), "200 OK", f"Mcp-Session-Id: {SESSION}")
            case "tools/list":
                tools = [{"name": name, "description": "A tool.", "inputSchema": {"type": "object"}} for name in TOOLS]
                return plain(_answer(request, {"tools": tools}))
            case "tools/call":
                said = json.dumps(request.message["params"].get("arguments"))
                return plain(_answer(request, {"content": [{"type": "text", "text": said}]}))
            case "ping":
                return plain(_answer(request, {}))
        return plain(b"", "202 Accepted")


TOOLS = ("echo", "other")


def _answer(request, found):
    return {"jsonrpc": "2.0", "id": request.id, "result": found}


def made(function):
    """An answer that is made of the request."""
    function.is_made = True
    return function
