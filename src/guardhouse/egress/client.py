"""The guarded HTTP client: requests to judged destinations, with answers that are bounded in time and size.

What was judged is what is sent: the parts of the one strict reading of a URL go to httpcore, the engine of httpx, and
no other parser sees it. Nothing is kept from one request to the next but connections: no cookies, no credentials. The
course of a request is written once, as a generator; the two clients only do what it says.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import httpcore
import msgspec

from guardhouse.egress.bodies import Body
from guardhouse.egress.dialing import CURRENT, AsyncGuardedBackend, Errand, GuardedBackend, too_slow
from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.egress.outgoing import Outgoing, redirected, request_for
from guardhouse.model import GuardhouseError
from guardhouse.net import BadDestination, NetworkRules, parse_destination

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from guardhouse.net.destination import Destination
    from guardhouse.ports import Resolver


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a request may take and how much may come back, redirects included."""

    seconds: float = 30.0
    """From the look-up of the name to the last byte of the answer."""
    body_bytes: int = 10 * 1024 * 1024
    """Of a body, unpacked."""
    wire_bytes: int = 16 * 1024 * 1024
    """Read from the network for one answer: heads, bodies as they were sent, and everything around them."""
    redirects: int = 5
    """Followed, where that is switched on."""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer, unpacked. Everything in it is the server's word."""

    status: int
    destination: Destination
    """Where it came from, after redirects."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case."""
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header of that name."""
        return next((value for known, value in self.headers if known == name), None)


class _Send(msgspec.Struct, frozen=True):
    """To be done: send a request on an errand, and read the answer."""

    errand: Errand
    request: httpcore.Request
    body: Body
    proxy: str | None


class _Answer(msgspec.Struct, frozen=True):
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def _course(
    outgoing: Outgoing, url: str, rules: NetworkRules, limits: FetchLimits, deadline: float
) -> Generator[_Send, _Answer, Response]:
    """The course of a request: judged, sent, and judged again for each redirect that is followed."""
    destination = _destination(url)
    followed = 0
    while True:
        proxy = _proxy_for(destination) if rules.settings.allow_proxy else None
        errand = Errand(
            destination,
            rules,
            deadline=deadline,
            wire_bytes=limits.wire_bytes,
            proxy=None if proxy is None else _place(proxy),
        )
        body = Body(limits.body_bytes)
        answer = yield _Send(errand, request_for(outgoing, destination, deadline), body, proxy)
        target = redirected(answer.status, answer.headers, destination) if rules.settings.follow_redirects else None
        if target is None:
            return Response(status=answer.status, destination=destination, headers=answer.headers, body=answer.body)
        followed += 1
        if followed > limits.redirects:
            raise Refused("net.redirect_refused", f"There were more than {limits.redirects} redirects.")
        outgoing = outgoing.after(answer.status)
        destination = target


def _destination(url: str) -> Destination:
    if type(url) is not str:
        raise Refused("url.invalid", "The URL is no text.", fix="Write it in full: https://host/path.")
    try:
        destination = parse_destination(url)
    except BadDestination as error:
        raise Refused(error.code, error.what, fix=error.fix) from None
    if destination.scheme not in {"http", "https"}:
        raise Refused("url.scheme", "Only http and https URLs can be fetched.", fix="Use an https URL.")
    return destination


def _proxy_for(destination: Destination) -> str | None:
    """The proxy that the environment names for a destination."""
    from urllib.request import getproxies_environment, proxy_bypass  # only where proxies are allowed

    proxies = getproxies_environment()
    if proxy_bypass(f"{destination.host}:{destination.port}"):
        return None
    proxy = proxies.get(destination.scheme) or proxies.get("all")
    return None if not proxy else proxy if "://" in proxy else f"http://{proxy}"


def _place(proxy: str) -> tuple[str, int]:
    from urllib.parse import urlsplit

    unusable = FetchFailed("The proxy of the environment is none that can be used.", fix="Name it as http://host:port.")
    try:
        parts = urlsplit(proxy)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise unusable from None
    if parts.scheme != "http" or not host:
        raise unusable
    return host, port or 80


def _proxy_settings(proxy: str) -> dict[str, Any]:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(proxy)
    host, port = _place(proxy)
    name = f"[{host}]" if ":" in host else host
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return {"proxy_url": f"http://{name}:{port}", "proxy_auth": auth}


@contextmanager
def _told() -> Iterator[None]:
    """What httpcore raises, in our words: its own may quote what was sent."""
    try:
        yield
    except (httpcore.TimeoutException, TimeoutError):
        raise too_slow() from None
    except httpcore.LocalProtocolError:
        raise Refused("net.request_refused", "The request is none that HTTP can carry.") from None
    except httpcore.RemoteProtocolError:
        raise FetchFailed("The server's answer broke off, or is no HTTP.", fix="Try again later.") from None
    except httpcore.ProxyError:
        raise FetchFailed("The proxy did not make the connection.", fix="Look at the proxy.") from None
    except (httpcore.NetworkError, httpcore.UnsupportedProtocol, OSError):
        raise FetchFailed("The connection to the host broke.", fix="Try again later.") from None


def _check_order(errand: Errand) -> None:
    """A server that answers twice leaves the second answer to the next request on the same connection."""
    if not errand.heard:
        raise FetchFailed("The server answered before it was asked.", fix="Try again later.")


def answered_early(connection: Any) -> bool:
    """Whether more has come on an idle connection than was asked for: it would be taken for the next answer. What comes
    later, httpcore sees by itself before it uses the connection again."""
    if not connection.is_idle():
        return False
    while not hasattr(connection, "_h11_state") and hasattr(connection, "_connection"):
        connection = connection._connection
    state = getattr(connection, "_h11_state", None)
    return state is None or bool(state.trailing_data[0])


def _texts(headers: list[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)


def trusted_roots(ca_file: str | None = None) -> ssl.SSLContext:
    """What servers are known by: the authorities of certifi, or those in a file, whatever the environment says.
    It could also ask for the keys of every connection to be written to a file."""
    import certifi

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(ca_file or certifi.where())
    return context


def _closed() -> GuardhouseError:
    return GuardhouseError("The client is closed.", fix="Open another one.")


_KEPT: Final[dict[str, Any]] = {"max_connections": 100, "max_keepalive_connections": 20, "keepalive_expiry": 5.0}


class GuardedClient:
    """Fetches over HTTP what `rules` allow, from any number of threads. Close it, or use it as a context manager."""

    def __init__(
        self,
        rules: NetworkRules,
        resolver: Resolver,
        *,
        limits: FetchLimits = FetchLimits(),  # noqa: B008 - frozen
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._rules = rules
        self._limits = limits
        self._backend = GuardedBackend(resolver)
        self._ssl_context = ssl_context
        self._lock = threading.Lock()
        self._pools: dict[str | None, httpcore.ConnectionPool] | None = {}
        self._process = os.getpid()

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        rules: NetworkRules | None = None,
    ) -> Response:
        """The answer to a request. Refused if it may not be made or its answer not be read, FetchFailed if there is
        none. `rules` are those of this request, if other than the client's."""
        limits = self._limits
        deadline = time.monotonic() + limits.seconds
        course = _course(Outgoing.of(method, headers, body), url, rules or self._rules, limits, deadline)
        step = next(course)
        while True:
            answer = self._send(step)
            try:
                step = course.send(answer)
            except StopIteration as end:
                response: Response = end.value
                return response

    def _send(self, step: _Send) -> _Answer:
        pool = self._pool(step.proxy)
        token = CURRENT.set(step.errand)
        try:
            with _told():
                response = pool.handle_request(step.request)
                try:
                    _check_order(step.errand)
                    headers = _texts(response.headers)
                    step.body.begin(headers)
                    for piece in response.iter_stream():
                        step.body.feed(piece)
                finally:
                    response.close()
                for connection in filter(answered_early, pool.connections):
                    connection.close()
            return _Answer(response.status, headers, step.body.end())
        finally:
            CURRENT.reset(token)

    def _pool(self, proxy: str | None) -> httpcore.ConnectionPool:
        self._context()  # which takes long: not while others wait
        if self._process != os.getpid():
            # The connections are the parent's: two processes would talk into each other's. So is the lock, and whoever
            # held it there will not let go of it here.
            pools: dict[str | None, httpcore.ConnectionPool] | None = None if self._pools is None else {}
            self._lock, self._pools, self._process = threading.Lock(), pools, os.getpid()
        with self._lock:
            if self._pools is None:
                raise _closed()
            if proxy not in self._pools:
                made: dict[str, Any] = {"network_backend": self._backend, "ssl_context": self._context(), **_KEPT}
                self._pools[proxy] = (
                    httpcore.ConnectionPool(**made)
                    if proxy is None
                    else httpcore.HTTPProxy(**_proxy_settings(proxy), **made)
                )
            return self._pools[proxy]

    def _context(self) -> ssl.SSLContext:
        self._ssl_context = self._ssl_context or trusted_roots()
        return self._ssl_context

    def close(self) -> None:
        """Close every connection. What is asked after that is an error."""
        with self._lock:
            pools, self._pools = self._pools, None
        if self._process == os.getpid():
            for pool in (pools or {}).values():
                pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncGuardedClient:
    """The same for asyncio, within one event loop."""

    def __init__(
        self,
        rules: NetworkRules,
        resolver: Resolver,
        *,
        limits: FetchLimits = FetchLimits(),  # noqa: B008 - frozen
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._rules = rules
        self._limits = limits
        self._backend = AsyncGuardedBackend(resolver)
        self._ssl_context = ssl_context
        self._pools: dict[str | None, httpcore.AsyncConnectionPool] | None = {}

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        rules: NetworkRules | None = None,
    ) -> Response:
        """The answer to a request; see `GuardedClient.request`."""
        limits = self._limits
        deadline = time.monotonic() + limits.seconds
        course = _course(Outgoing.of(method, headers, body), url, rules or self._rules, limits, deadline)
        try:
            async with asyncio.timeout(limits.seconds):
                step = next(course)
                while True:
                    answer = await self._send(step)
                    try:
                        step = course.send(answer)
                    except StopIteration as end:
                        response: Response = end.value
                        return response
        except TimeoutError:
            raise too_slow() from None

    async def _send(self, step: _Send) -> _Answer:
        pool = self._pool(step.proxy)
        token = CURRENT.set(step.errand)
        try:
            with _told():
                response = await pool.handle_async_request(step.request)
                try:
                    _check_order(step.errand)
                    headers = _texts(response.headers)
                    step.body.begin(headers)
                    async for piece in response.aiter_stream():
                        step.body.feed(piece)
                finally:
                    await response.aclose()
                for connection in filter(answered_early, pool.connections):
                    await connection.aclose()
            return _Answer(response.status, headers, step.body.end())
        finally:
            CURRENT.reset(token)

    def _pool(self, proxy: str | None) -> httpcore.AsyncConnectionPool:
        pools = self._pools
        if pools is None:
            raise _closed()
        if proxy not in pools:
            self._ssl_context = self._ssl_context or trusted_roots()
            made: dict[str, Any] = {"network_backend": self._backend, "ssl_context": self._ssl_context, **_KEPT}
            pools[proxy] = (
                httpcore.AsyncConnectionPool(**made)
                if proxy is None
                else httpcore.AsyncHTTPProxy(**_proxy_settings(proxy), **made)
            )
        return pools[proxy]

    async def aclose(self) -> None:
        """Close every connection. What is asked after that is an error."""
        pools, self._pools = self._pools, None
        for pool in (pools or {}).values():
            await pool.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
