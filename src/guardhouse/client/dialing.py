"""Connections whose every wait ends at one deadline, however slowly the other side drips its answer.

httpcore's own time limits are for each read and each write; a server that sends a byte now and then would never reach
one. The async client needs none of this: there a whole request can be given a time. Where a token may only be sent to
this machine, both look who they are connected to before anything is sent.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import httpcore

from guardhouse.client.address import is_loopback
from guardhouse.egress.dialing import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DEADLINE: Final[ContextVar[float]] = ContextVar("guardhouse_daemon_deadline", default=0.0)
_MOST_HELD: Final = 64 * 1024


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Whatever waits in here for the daemon waits no longer than `deadline`, by `time.monotonic`."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def _left() -> float:
    left = _DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class DeadlineBackend(httpcore.NetworkBackend):
    """Dials for httpcore's connection pool, within the deadline; with `only_loopback`, this machine only."""

    def __init__(self, *, only_loopback: bool) -> None:
        self._only_loopback = only_loopback

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline counts
        local_address: str | None = None,  # noqa: ARG002 - never set by the client
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - never set by the client
    ) -> httpcore.NetworkStream:
        """A connection to the first address of `host` that takes one."""
        try:
            for family, place in _addresses(host, port):
                connection = socket.socket(family, socket.SOCK_STREAM)
                try:
                    connection.settimeout(_left())
                    connection.connect(place)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    if self._only_loopback:
                        _check_peer(connection.getpeername())
                except TimeoutError:
                    connection.close()
                    raise
                except OSError:
                    connection.close()
                else:
                    return _Stream(connection)
        except TimeoutError:
            raise httpcore.ConnectTimeout from None
        except (OSError, UnicodeError):
            raise httpcore.ConnectError from None
        raise httpcore.ConnectError


class AsyncBackend(httpcore.AsyncNetworkBackend):
    """Dials for the async pool; with `only_loopback`, this machine only."""

    def __init__(self, *, only_loopback: bool) -> None:
        self._only_loopback = only_loopback
        self._dialer = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore has it
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to `host`."""
        stream = await self._dialer.connect_tcp(host, port, timeout, local_address, socket_options)
        if self._only_loopback:
            try:
                _check_peer(stream.get_extra_info("server_addr"))
            except OSError:
                await stream.aclose()
                raise httpcore.ConnectError from None
        return stream


def _check_peer(peer: Any) -> None:
    """OSError unless `peer`, the other end of a connection, is this machine."""
    if not (isinstance(peer, tuple) and is_loopback(str(peer[0]))):
        raise OSError("not this machine")


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, Any]]:
    """Where `host` is. Looking a name up has no time limit of its own: a thread does it, which may be left behind."""
    answer: SimpleQueue[list[tuple[Any, ...]] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answer.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.put(error)

    if host == "localhost" or ":" in host or host.replace(".", "").isdigit():
        ask()  # nobody is asked for it
    else:
        threading.Thread(target=ask, name="guardhouse-look-up", daemon=True).start()
    try:
        found = answer.get(timeout=_left())
    except Empty:
        raise TimeoutError from None
    if isinstance(found, Exception):
        raise found
    return [(family, place) for family, _, _, _, place in found]


class _Stream(httpcore.NetworkStream):
    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        try:
            self._socket.settimeout(_left())
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout from None
        except OSError:
            raise httpcore.ReadError from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        unsent = memoryview(buffer)
        try:
            while unsent:
                self._socket.settimeout(_left())
                unsent = unsent[self._socket.send(unsent[:_MOST_HELD]) :]
        except TimeoutError:
            raise httpcore.WriteTimeout from None
        except OSError:
            raise httpcore.WriteError from None

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        try:
            # The time limit of a handshake is that of all of it, not of each piece.
            self._socket.settimeout(_left())
            return _Stream(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname))
        except TimeoutError:
            self.close()
            raise httpcore.ConnectTimeout from None
        except OSError as error:
            self.close()
            raise httpcore.ConnectError from error
        except BaseException:
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return is_readable(self._socket)
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        return self._socket if info == "socket" else None
