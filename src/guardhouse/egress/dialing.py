"""Connections to judged addresses only: the network backend of the guarded client, sync and async.

Every connection is made for an errand: one request, with the destination and the rules it was judged by. A name is
looked up once, all its addresses are judged, and one of those is dialled; nothing is looked up again below. A
connection that is kept belongs to the host it was made for, and carries a later request only if the rules in force then
allow the addresses it was made with. TLS is started by the layer above, with the name as server name.
"""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import httpcore

from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.model import Addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.net import NetworkRules
    from guardhouse.net.destination import Destination
    from guardhouse.ports import Resolver

MOST_DIALLED: Final = 8
"""Addresses of one host that are tried."""


class Errand:
    """One request on its way: where it may go, by which rules, until when, and how much may come back.

    There is none for a destination that the rules refuse: making one raises Refused.
    """

    __slots__ = ("deadline", "destination", "heard", "proxy", "rules", "wire_bytes")

    def __init__(
        self,
        destination: Destination,
        rules: NetworkRules,
        *,
        deadline: float,
        wire_bytes: int,
        proxy: tuple[str, int] | None = None,
    ) -> None:
        refusal = rules.judge(destination, None)
        if refusal is not None:
            raise Refused(refusal.code, f"Not reached: {refusal.detail}.")
        self.destination = destination
        self.rules = rules
        self.deadline = deadline
        """By `time.monotonic`."""
        self.wire_bytes = wire_bytes
        """What may still be read from the network."""
        self.proxy = proxy
        """Host and port to dial instead."""
        self.heard = False
        """Whether anything was read from the network."""

    @property
    def place(self) -> tuple[str, int]:
        """Host and port that a connection is made to."""
        return self.proxy or (self.destination.host, self.destination.port)

    def remaining(self) -> float:
        """Seconds until the deadline. Refused if it is over."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise too_slow()
        return left

    def received(self, size: int) -> None:
        """Count what was read. Refused if it is too much."""
        self.heard = True
        self.wire_bytes -= size
        if self.wire_bytes < 0:
            raise Refused("net.response_too_large", "The answer is larger than may be read.")

    def judge(self, addresses: tuple[str, ...]) -> None:
        """Refused unless every one of these addresses of the destination may be reached."""
        refusal = self.rules.judge(self.destination, addresses)
        if refusal is not None:
            raise Refused(refusal.code, f"Not reached: {refusal.detail}.")


CURRENT: Final[ContextVar[Errand | None]] = ContextVar("guardhouse_errand", default=None)
"""The errand that is being run by this thread or task."""


def too_slow() -> Refused:
    """The deadline is over."""
    return Refused("net.too_slow", "The answer did not come in time.", fix="Try again later, or ask for less.")


def _errand_to(host: str, port: int) -> Errand:
    """The errand under way, if it leads to this place. Refused otherwise: nobody has judged it."""
    errand = CURRENT.get()
    if errand is None or errand.place != (host, port):
        raise Refused("non_allowlisted_domain", "A connection was asked for that no request was judged for.")
    return errand


def _literal(answer: Addresses) -> tuple[str, ...]:
    """The addresses of an answer. Refused if there are none, or if one of them would have to be looked up again."""
    if not isinstance(answer, Addresses) or not all(type(one) is str for one in answer.addresses):
        raise Refused("dns_failure", "The host was not found: the resolver gave no answer.")
    if answer.error or not answer.addresses:
        raise Refused("dns_failure", f"The host was not found: {answer.error or 'it has no address'}.")
    if None in map(family_of, answer.addresses):
        raise Refused("dns_failure", "The host was not found: the resolver gave something that is no address.")
    return tuple(answer.addresses)


def family_of(address: str) -> socket.AddressFamily | None:
    """What kind of address this is; None if it is a name, or nothing at all."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, address)
        except (OSError, ValueError):
            continue
        return family
    return None


def is_own(address: str) -> bool:
    """Whether this machine has the address: what listens there trusts its neighbours, however public it is."""
    family = family_of(address)
    if family is None:
        return False
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def _names(errand: Errand) -> list[str]:
    """The names to look up: of the destination, and of the proxy if that is dialled instead."""
    names = [] if errand.destination.address is not None else [errand.destination.host]
    return names if errand.proxy is None else [*names, errand.proxy[0]]


def judged_addresses(errand: Errand, answers: list[Addresses]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every address of the destination, judged; and the addresses to dial, which with a proxy are its own."""
    address = errand.destination.address
    judged = _literal(answers[0]) if address is None else (address,)
    errand.judge(judged)
    if errand.rules.settings.deny_private_ips and any(map(is_own, judged)):
        raise Refused("private_ip", "Not reached: an address of the host is one of this machine.")
    return judged, judged if errand.proxy is None else _literal(answers[-1])


def attempts(errand: Errand, addresses: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Each address to try, with its share of the time that is left, so that a dead one leaves some to the next."""
    tried = addresses[:MOST_DIALLED]
    for index, address in enumerate(tried):
        yield address, errand.remaining() / (len(tried) - index)


def unreachable() -> FetchFailed:
    return FetchFailed("No connection could be made to the host.", fix="Try again later.")


class _Kept:
    """What a connection remembers: where it leads, and what was judged when it was made."""

    __slots__ = ("addresses", "errand", "place")

    def __init__(self, errand: Errand, addresses: tuple[str, ...]) -> None:
        self.place = errand.place
        self.addresses = addresses
        self.errand = errand
        """The last one it was used for."""

    def use(self) -> Errand:
        """The errand under way, which may use this connection. Refused if it may not."""
        errand = CURRENT.get()
        if errand is self.errand and errand is not None:
            return errand
        before = self.errand
        if errand is None or errand.place != self.place or errand.destination.host != before.destination.host:
            raise Refused("non_allowlisted_domain", "A connection was to be used for another host than its own.")
        # The errand was judged by name and path when it was made. Its rules may be others than those of the last one.
        if errand.rules is not before.rules:
            errand.judge(self.addresses)
        self.errand = errand
        return errand


# Sync ----------------------------------------------------------------------------------------------------------------


class GuardedBackend(httpcore.NetworkBackend):
    """Dials judged addresses, for httpcore's connection pool."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the errand has the deadline
        local_address: str | None = None,  # noqa: ARG002 - never set by the client
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - never set by the client
    ) -> httpcore.NetworkStream:
        """A connection to a judged address of `host`. Refused if the errand under way does not lead there."""
        errand = _errand_to(host, port)
        judged, addresses = judged_addresses(errand, [self._look_up(name, errand) for name in _names(errand)])
        for address, seconds in attempts(errand, addresses):
            try:
                connection = socket.socket(family_of(address) or socket.AF_INET, socket.SOCK_STREAM)
            except OSError:
                continue
            try:
                connection.settimeout(seconds)
                connection.connect((address, port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                connection.close()
            else:
                return _Stream(connection, _Kept(errand, judged))
        errand.remaining()
        raise unreachable()

    def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002 - refused unseen
        timeout: float | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Always refused: what listens there is on this machine."""
        raise _local_socket()

    def _look_up(self, host: str, errand: Errand) -> Addresses:
        """The answer of the resolver, which may have no deadline of its own."""
        answer: SimpleQueue[Addresses | BaseException] = SimpleQueue()

        def ask() -> None:
            try:
                answer.put(self._resolver.resolve(host))
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
                answer.put(error)

        threading.Thread(target=ask, name="guardhouse-look-up", daemon=True).start()
        try:
            found = answer.get(timeout=errand.remaining())
        except Empty:
            raise too_slow() from None
        if isinstance(found, BaseException):
            raise Refused("dns_failure", f"The host was not found: {type(found).__name__}.") from found
        return found


def _local_socket() -> Refused:
    return Refused("private_ip", "Local sockets are not reached.")


class _Stream(httpcore.NetworkStream):
    """A connection, each use of which ends at the deadline of the errand under way."""

    def __init__(self, connection: socket.socket, kept: _Kept) -> None:
        self._socket = connection
        self._kept = kept

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        errand = self._kept.use()
        try:
            self._socket.settimeout(errand.remaining())
            data = self._socket.recv(max_bytes)
        except TimeoutError:
            raise too_slow() from None
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error
        errand.received(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        errand = self._kept.use()
        unsent = memoryview(buffer)
        while unsent:
            try:
                self._socket.settimeout(errand.remaining())
                unsent = unsent[self._socket.send(unsent) :]
            except TimeoutError:
                raise too_slow() from None
            except OSError as error:
                raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        errand = self._kept.use()
        try:
            # The time-out of a handshake is that of all of it, not of each piece.
            self._socket.settimeout(errand.remaining())
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except TimeoutError:
            self.close()
            raise too_slow() from None
        except OSError as error:
            self.close()
            raise _no_tls(error) from None
        except BaseException:
            self.close()
            raise
        return _Stream(secured, self._kept)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return is_readable(self._socket)
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        return self._socket if info == "socket" else None


def _no_tls(error: Exception) -> FetchFailed:
    if isinstance(error, ssl.SSLCertVerificationError):
        return FetchFailed("The server's certificate is not valid for this host.", fix="Check the host's name.")
    return FetchFailed("No secure connection could be made to the host.", fix="Try again later.")


def is_readable(connection: socket.socket) -> bool:
    """Whether there is something to read: on an idle connection that is its end, or something nobody asked for."""
    if connection.fileno() < 0:
        return True
    watch = select.poll()
    watch.register(connection.fileno(), select.POLLIN)
    return bool(watch.poll(0))


# Async ---------------------------------------------------------------------------------------------------------------


class AsyncGuardedBackend(httpcore.AsyncNetworkBackend):
    """The same for an event loop. Whoever runs an errand ends it at its deadline."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the errand has the deadline
        local_address: str | None = None,  # noqa: ARG002 - never set by the client
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - never set by the client
    ) -> httpcore.AsyncNetworkStream:
        """A connection to a judged address of `host`. Refused if the errand under way does not lead there."""
        errand = _errand_to(host, port)
        judged, addresses = judged_addresses(errand, [await self._look_up(name) for name in _names(errand)])
        for address, seconds in attempts(errand, addresses):
            try:
                stream = await self._backend.connect_tcp(address, port, timeout=seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
            return _AsyncStream(stream, _Kept(errand, judged))
        errand.remaining()
        raise unreachable()

    async def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002 - refused unseen
        timeout: float | None = None,  # noqa: ARG002, ASYNC109
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Always refused: what listens there is on this machine."""
        raise _local_socket()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._backend.sleep(seconds)

    async def _look_up(self, host: str) -> Addresses:
        try:
            return await self._resolver.resolve_async(host)
        except Exception as error:
            raise Refused("dns_failure", f"The host was not found: {type(error).__name__}.") from error


class _AsyncStream(httpcore.AsyncNetworkStream):
    """A connection, each use of which is checked against the errand under way."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, kept: _Kept) -> None:
        self._stream = stream
        self._kept = kept

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        errand = self._kept.use()
        data = await self._stream.read(max_bytes)
        errand.received(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        self._kept.use()
        await self._stream.write(buffer)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        self._kept.use()
        try:
            secured = await self._stream.start_tls(ssl_context, server_hostname)
        except (httpcore.ConnectError, OSError) as error:
            cause = error.__cause__
            raise _no_tls(cause if isinstance(cause, Exception) else error) from None
        return _AsyncStream(secured, self._kept)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
