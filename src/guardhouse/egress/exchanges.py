"""Exchanges with one URL whose answers are read as they come: for streams, which a guarded client would wait for.

Every exchange is an errand like a request of the guarded client: judged by the rules in force when it begins, dialled
at judged addresses only, without redirects, cookies or proxies. h11 reads and writes; what is packed is refused, so
that nothing can unpack to more than came. Who may wait how long for what is the caller's to say, by `until`.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import h11
import httpcore

from guardhouse.egress.client import trusted_roots
from guardhouse.egress.dialing import CURRENT, Errand, GuardedBackend, is_readable
from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.egress.outgoing import check_headers
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from guardhouse.net import NetworkRules
    from guardhouse.net.destination import Destination
    from guardhouse.ports import Resolver

_CHUNK: Final = 64 * 1024
_LONGEST_HEAD: Final = 64 * 1024
_MOST_KEPT: Final = 8
_KEPT_FOR: Final = 5.0
"""Seconds; less than servers keep a connection, so that few are used while they are being closed there."""
_MOST_INTERIM: Final = 8
_KEEPALIVE: Final = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3))
"""A stream may be silent for long: this tells whether anybody is there."""


class Exchanges:
    """Exchanges with one URL, from any number of threads, and the connections that are kept for the next one.

    `rules` gives those in force. Refused at once if the URL is none that can be asked.
    """

    def __init__(
        self,
        url: str,
        rules: Callable[[], NetworkRules],
        resolver: Resolver,
        *,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.destination: Final = _destination(url)
        self._rules = rules
        self._backend = GuardedBackend(resolver)
        self._ssl_context = ssl_context
        self._lock = threading.Lock()
        self._idle: list[_Line] = []
        self._open: set[_Line] = set()
        self._is_closed = False
        self._last_named: tuple[tuple[tuple[str, str], ...], list[tuple[bytes, bytes]]] = ((), [])
        start = self.destination.href.index("/", self.destination.href.index("://") + 3)
        origin, self._target = self.destination.href[:start], self.destination.href[start:].encode()
        self._host = origin.partition("://")[2].encode()

    def begin(
        self, method: str, headers: Sequence[tuple[str, str]], body: bytes, *, seconds: float, wire_bytes: int
    ) -> Exchange:
        """Send a request. Refused if it may not be sent, FetchFailed if it can't be."""
        errand = Errand(self.destination, self._rules(), deadline=time.monotonic() + seconds, wire_bytes=wire_bytes)
        named = self._named(tuple(headers))
        line = self._take()
        with _running(errand):
            try:
                if line is None:
                    line = self._dial()
                length = [(b"Content-Length", str(len(body)).encode())] if method == "POST" else []
                line.send(method, self._target, [*named, *length], body)
            except BaseException:
                if line is not None:
                    self._drop(line)
                raise
        return Exchange(self, line, errand)

    def _named(self, headers: tuple[tuple[str, str], ...]) -> list[tuple[bytes, bytes]]:
        """Headers as they are sent. The same few come again and again. Refused if one may not be sent."""
        known, named = self._last_named
        if headers != known or not named:
            check_headers(headers)
            named = [(b"Host", self._host), (b"User-Agent", b"guardhouse"), (b"Accept-Encoding", b"identity")]
            named += [(name.encode(), value.encode()) for name, value in headers]
            self._last_named = (headers, named)
        return named

    def close(self) -> None:
        """End every exchange, also those that others wait for."""
        with self._lock:
            self._is_closed = True
            lines, self._idle = list(self._open), []
        for line in lines:
            line.stop()

    def _take(self) -> _Line | None:
        """A kept connection that nothing has come on since."""
        with self._lock:
            while self._idle:
                line = self._idle.pop()
                if line.idle_since + _KEPT_FOR > time.monotonic() and not line.is_readable():
                    return line
                self._open.discard(line)
                line.close()
        return None

    def _dial(self) -> _Line:
        destination = self.destination
        stream = self._backend.connect_tcp(destination.host, destination.port)
        if destination.scheme == "https":
            if self._ssl_context is None:
                self._ssl_context = trusted_roots()
            stream = stream.start_tls(self._ssl_context, destination.host)
        line = _Line(stream)
        with self._lock:
            self._open.add(line)
            is_closed = self._is_closed
        if is_closed:
            self._drop(line)
            raise FetchFailed("The connection was closed.")
        return line

    def _keep(self, line: _Line) -> None:
        line.idle_since = time.monotonic()
        with self._lock:
            if len(self._idle) < _MOST_KEPT and not self._is_closed:
                self._idle.append(line)
                return
        self._drop(line)

    def _drop(self, line: _Line) -> None:
        with self._lock:
            self._open.discard(line)
        line.close()


class Exchange:
    """One request that was sent, and its answer. Close it, whatever becomes of it."""

    def __init__(self, exchanges: Exchanges, line: _Line, errand: Errand) -> None:
        self._exchanges = exchanges
        self._line: _Line | None = line
        self._errand = errand
        self.status = 0
        self.headers: dict[str, str] = {}
        """By names in lower case. Of what is there more than once, the values behind each other."""

    def before_reading(self, wait: Callable[[Any], None] | None) -> None:
        """Call this with the connection's socket each time before something is read from it."""
        self._open_line().before_read = wait

    def until(self, seconds: float, wire_bytes: int) -> None:
        """What comes from now on must come within so many seconds, and be no more than so many bytes."""
        self._errand.deadline = time.monotonic() + seconds
        self._errand.wire_bytes = wire_bytes

    def read_head(self) -> None:
        """Wait for status and headers. FetchFailed if they can't be read; Refused if they don't come in time."""
        line = self._open_line()
        with _running(self._errand):
            for _ in range(_MOST_INTERIM):
                event = line.next_event()
                if isinstance(event, h11.Response):
                    break
                if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                    raise _broken()
            else:
                raise _broken()
        self.status = event.status_code
        for raw_name, raw_value in event.headers:
            name, value = raw_name.decode("ascii"), raw_value.decode("latin-1")
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value
        if self.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise Refused("net.response_unreadable", "The answer is packed, although that was not asked for.")

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes, to its end. FetchFailed if it breaks off."""
        line = self._open_line()
        while True:
            with _running(self._errand):
                event = line.next_event()
            if isinstance(event, h11.EndOfMessage):
                return
            if not isinstance(event, h11.Data):
                raise _broken()
            yield bytes(event.data)

    def close(self) -> None:
        """Keep the connection for the next exchange if this one has come to its end; else close it."""
        line, self._line = self._line, None
        if line is None:
            return
        line.before_read = None
        if line.renew():
            self._exchanges._keep(line)
        else:
            self._exchanges._drop(line)

    def _open_line(self) -> _Line:
        if self._line is None:
            raise AssertionError("an exchange that was closed is not read")
        return self._line


class _Line:
    """A connection, with what h11 knows of it."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        self.idle_since = 0.0
        self.before_read: Callable[[Any], None] | None = None
        connection = stream.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    def send(self, method: str, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        with _told():
            request = h11.Request(method=method, target=target, headers=headers)
            parts = [self._h11.send(request)]
            if body:
                parts.append(self._h11.send(h11.Data(data=body)))
            parts.append(self._h11.send(h11.EndOfMessage()))
            self._stream.write(b"".join(part for part in parts if part))

    def next_event(self) -> Any:
        with _told():
            while (event := self._h11.next_event()) is h11.NEED_DATA:
                if self.before_read is not None:
                    self.before_read(self._stream.get_extra_info("socket"))
                self._h11.receive_data(self._stream.read(_CHUNK))
            return event

    def renew(self) -> bool:
        """Make ready for the next exchange; False if there can be none, because one side has not said all, or the
        server more than that."""
        if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE or self._h11.trailing_data[0]:
            return False
        self._h11.start_next_cycle()
        return True

    def is_readable(self) -> bool:
        return is_readable(self._stream.get_extra_info("socket"))

    def stop(self) -> None:
        """From another thread: whoever reads comes to an end."""
        with suppress(OSError):  # it has ended by itself
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._stream.close()


@contextmanager
def _running(errand: Errand) -> Iterator[None]:
    token = CURRENT.set(errand)
    try:
        yield
    finally:
        CURRENT.reset(token)


@contextmanager
def _told() -> Iterator[None]:
    """What h11 and the network raise, in our words: theirs may quote what was sent."""
    try:
        yield
    except h11.LocalProtocolError:
        raise Refused("net.request_refused", "The request is none that HTTP can carry.") from None
    except h11.RemoteProtocolError:
        raise _broken() from None
    except (httpcore.NetworkError, OSError):
        raise FetchFailed("The connection to the host broke.", fix="Try again later.") from None


def _broken() -> FetchFailed:
    return FetchFailed("The server's answer broke off, or is no HTTP.", fix="Try again later.")


def _destination(url: str) -> Destination:
    try:
        destination = parse_destination(url)
    except BadDestination as error:
        raise Refused(error.code, error.what, fix=error.fix) from None
    if destination.scheme not in {"http", "https"}:
        raise Refused("url.scheme", "Only http and https URLs can be reached.", fix="Use an https URL.")
    return destination
