"""The HTTP connection to a daemon, sync and async: one request, one whole answer, within a time and a size.

No proxy of the environment is asked, no redirect is followed, no cookie is kept, and nothing is sent twice: a request
whose answer was lost may have been carried out. The token goes into one header and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextlib import contextmanager
from ssl import SSLError
from typing import TYPE_CHECKING, Any, Final

import httpcore
import msgspec

from guardhouse.client.address import read_address, read_token
from guardhouse.client.dialing import AsyncBackend, DeadlineBackend, until
from guardhouse.client.errors import BadAnswer, Unreachable
from guardhouse.egress.client import answered_early, trusted_roots
from guardhouse.model import GuardhouseError, InvalidAction, Limits, decode

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

SECONDS: Final = 30.0
"""How long a request may take, from dialling to the last byte of the answer."""
_MOST: Final = 64 * 1024 * 1024
"""Bytes of the largest answer that is read: a result of the largest size, masked, and once more in its wrapper."""
_ANSWER: Final = Limits(max_bytes=_MOST, max_nodes=4_000_000)
_MOST_CONNECTIONS: Final = 100
_KEPT: Final[dict[str, Any]] = {"max_keepalive_connections": 20, "keepalive_expiry": 10.0}
"""Kept for less long than the daemon does, so that none is used while it is being closed there."""


class Answer(msgspec.Struct, frozen=True):
    """What the daemon said."""

    status: int
    value: dict[str, Any]


class Connection:
    """The way to one daemon as one principal, for any number of threads and event loops."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca_file: str | None = None,
        plain_http: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        self.address: Final = read_address(url, plain_http=plain_http)
        self.seconds: Final = seconds
        self._token = read_token(token)
        self._context = _roots(ca_file) if self.address.scheme == "https" else None
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._pool: httpcore.ConnectionPool | None = None
        self._async_pools: dict[asyncio.AbstractEventLoop, httpcore.AsyncConnectionPool] = {}
        self._closed = False

    def __repr__(self) -> str:
        """Without the token."""
        return f"Connection({self.address.url!r})"

    @property
    def role(self) -> str:
        """What the token says that it is for: agent, approver or admin; nothing if it does not say."""
        parts = self._token.split("_")
        return parts[1] if parts[0] == "gdh" and len(parts) > 2 else ""

    def request(self, method: str, target: str, body: bytes = b"", *, seconds: float | None = None) -> Answer:
        """The answer to one request. Unreachable if there is no whole one, BadAnswer if it is none of a daemon's."""
        request = self._request(method, target, body)
        pool = self._open_pool()
        with _told(), until(time.monotonic() + (seconds or self.seconds)):
            response = pool.handle_request(request)
            try:
                reading = _Reading(response)
                for piece in response.iter_stream():
                    reading.feed(piece)
            finally:
                response.close()
            for connection in filter(answered_early, pool.connections):
                connection.close()
        return reading.answer()

    async def request_async(
        self, method: str, target: str, body: bytes = b"", *, seconds: float | None = None
    ) -> Answer:
        """The same, without blocking the event loop."""
        request = self._request(method, target, body)
        pool = self._open_async_pool()
        with _told():
            async with asyncio.timeout(seconds or self.seconds):
                response = await pool.handle_async_request(request)
                try:
                    reading = _Reading(response)
                    async for piece in response.aiter_stream():
                        reading.feed(piece)
                finally:
                    await response.aclose()
                for connection in filter(answered_early, pool.connections):
                    await connection.aclose()
        return reading.answer()

    @contextmanager
    def stream(self, target: str, *, last_event: str = "") -> Iterator[Stream]:
        """An answer that does not end. Its status says whether it is one."""
        request = self._request("GET", target, b"", last_event, accept="text/event-stream")
        pool = self._open_pool()
        with _told():
            with until(time.monotonic() + self.seconds):
                response = pool.handle_request(request)
            try:
                yield Stream(response)
            finally:
                response.close()

    def close(self) -> None:
        """Close what is open. What is asked after that is an error."""
        self._closed = True
        own = self._process == os.getpid()
        pool, self._pool = self._pool, None
        if pool is not None and own:
            pool.close()
        for loop, opened in list(self._async_pools.items()) if own else ():
            if loop.is_running():
                asyncio.run_coroutine_threadsafe(opened.aclose(), loop)
        self._async_pools = {}

    async def close_async(self) -> None:
        """The same, and the connections of this event loop are closed when it returns."""
        opened = self._async_pools.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.aclose()
        self.close()

    def _request(
        self, method: str, target: str, body: bytes, last_event: str = "", *, accept: str = "application/json"
    ) -> httpcore.Request:
        headers = [
            ("Host", self.address.name),
            ("Authorization", f"Bearer {self._token}"),
            ("Accept", accept),
            ("Accept-Encoding", "identity"),
            ("User-Agent", "guardhouse"),
        ]
        if body:
            headers.append(("Content-Type", "application/json"))
        if method != "GET":
            headers.append(("Content-Length", str(len(body))))
        if last_event:
            headers.append(("Last-Event-ID", last_event))
        address = self.address
        url = httpcore.URL(scheme=address.scheme, host=address.dialled, port=address.port, target=target)
        # Every wait for the network has the deadline; the wait for a free connection is bounded here.
        extensions = {"timeout": {"pool": self.seconds}}
        return httpcore.Request(method, url, headers=headers, content=body or None, extensions=extensions)

    def _open_pool(self) -> httpcore.ConnectionPool:
        self._after_fork()
        with self._lock:
            if self._closed:
                raise _closed()
            if self._pool is None:
                self._pool = httpcore.ConnectionPool(
                    ssl_context=self._context,
                    network_backend=DeadlineBackend(only_loopback=self.address.needs_loopback),
                    max_connections=_MOST_CONNECTIONS,
                    **_KEPT,
                )
            return self._pool

    def _open_async_pool(self) -> httpcore.AsyncConnectionPool:
        self._after_fork()
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._closed:
                raise _closed()
            pool = self._async_pools.get(loop)
            if pool is None:
                for ended in [one for one in self._async_pools if one.is_closed()]:
                    del self._async_pools[ended]
                pool = self._async_pools[loop] = httpcore.AsyncConnectionPool(
                    ssl_context=self._context,
                    network_backend=AsyncBackend(only_loopback=self.address.needs_loopback),
                    max_connections=_MOST_CONNECTIONS,
                    **_KEPT,
                )
            return pool

    def _after_fork(self) -> None:
        """In a child process: the connections are the parent's, and two processes would read each other's answers. So
        is the lock, and whoever held it there will not let go of it here."""
        if self._process != os.getpid():
            self._lock, self._pool, self._async_pools = threading.Lock(), None, {}
            self._process = os.getpid()


class Stream:
    """An answer that goes on. Each piece must come within a time; the whole may take for ever."""

    def __init__(self, response: httpcore.Response) -> None:
        self.status: Final = response.status
        self._response = response

    def lines(self, *, within: float, longest: int) -> Iterator[str]:
        """The lines as they come, without their ends. Unreachable if nothing comes `within` so many seconds."""
        held = bytearray()
        pieces: Iterator[bytes] = self._response.iter_stream()
        while True:
            with _told(), until(time.monotonic() + within):
                piece = next(pieces, None)
            if piece is None:
                return
            *whole, rest = piece.split(b"\n")  # what is held has no end of a line in it, and is not searched again
            for end in whole:
                held += end
                if len(held) > longest:
                    raise BadAnswer
                yield held.rstrip(b"\r").decode("utf-8", "replace")
                held.clear()
            held += rest
            if len(held) > longest:
                raise BadAnswer

    def stop(self) -> None:
        """From another thread: end it, also if something is being waited for."""
        import socket

        connection = self._response.extensions["network_stream"].get_extra_info("socket")
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has ended by itself


class _Reading:
    """An answer as it comes in: JSON, not packed, and not too much of it."""

    def __init__(self, response: httpcore.Response) -> None:
        self._status = response.status
        self._parts: list[bytes] = []
        self._left = _MOST
        self._type = self._coding = b""
        for name, value in response.headers:
            if name.lower() == b"content-type":
                self._type = value.partition(b";")[0].strip().lower()
            elif name.lower() == b"content-encoding":
                self._coding = value.strip().lower()
            elif name.lower() == b"content-length" and value.strip().isdigit() and int(value) > _MOST:
                raise BadAnswer("The daemon's answer is larger than is read.")

    def feed(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise BadAnswer("The daemon's answer is larger than is read.")
        self._parts.append(piece)

    def answer(self) -> Answer:
        """All of it. One that is an error by its status need not be JSON: then it says nothing but that."""
        value = self._value()
        if not isinstance(value, dict):
            if self._status < 300:
                raise BadAnswer
            value = {}
        return Answer(self._status, value)

    def _value(self) -> Any:
        if self._type != b"application/json" or self._coding not in {b"", b"identity"}:
            return None
        try:
            return decode(b"".join(self._parts), _ANSWER)
        except InvalidAction:
            return None


@contextmanager
def _told() -> Iterator[None]:
    """What httpcore raises, in our words: its own may quote what was sent."""
    try:
        yield
    except (httpcore.ConnectTimeout, httpcore.PoolTimeout):
        raise Unreachable("The daemon can't be reached: no connection in time.", fix=_START) from None
    except httpcore.ConnectError as error:
        if isinstance(error.__context__, SSLError):
            fix = "Name the authority that its certificate is from: `ca_file`, --ca-file."
            raise Unreachable("The daemon's certificate is none that is trusted.", fix=fix) from None
        raise Unreachable("The daemon can't be reached.", fix=_START) from None
    except (httpcore.TimeoutException, TimeoutError):
        raise Unreachable("The daemon did not answer in time.", fix="Look at its log.", sent=True) from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError):
        raise Unreachable("The connection to the daemon broke.", fix="Look whether it still runs.", sent=True) from None


_START: Final = "Look whether it runs there: `guardhouse serve`."


def _roots(ca_file: str | None) -> ssl.SSLContext:
    try:
        return trusted_roots(ca_file)
    except (OSError, SSLError):
        raise GuardhouseError("The file of authorities can't be used.", fix="Name one in PEM form.") from None


def _closed() -> Unreachable:
    return Unreachable("The guard was closed.", fix="Open another one.")
