"""Reads the head of a request strictly, and says what it asks for: a tunnel to a host, or one URL of plain HTTP.

h11 reads it. Before and after that, everything is refused that two readers could read differently: it must have one
meaning here, at the gate and at the server. Nothing of a head is quoted in what is said about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11
import msgspec

from guardhouse.egress.outgoing import METHODS
from guardhouse.egress.proxy.callers import token_in
from guardhouse.egress.proxy.declining import Declined, malformed
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.net.destination import Destination

Headers = tuple[tuple[bytes, bytes], ...]

_OF_THE_CONNECTION: Final = frozenset(
    b"connection keep-alive te trailer trailers transfer-encoding upgrade http2-settings expect host "
    b"content-length".split()
)
"""Headers that speak of one connection, or of framing: each side has its own."""
_MISLEADING: Final = frozenset(
    b"x-http-method x-http-method-override x-method-override forwarded x-forwarded-host x-forwarded-server "
    b"x-forwarded-proto x-forwarded-port x-host x-original-host x-original-url x-rewrite-url".split()
)
"""Headers by which a server takes a request for another one than was judged."""
_VERSIONS: Final = frozenset({b"1.0", b"1.1"})


class Asked(msgspec.Struct, frozen=True):
    """What the head of a request asks for."""

    destination: Destination
    method: str
    """`CONNECT` for a tunnel."""
    token: str
    """The one it came with; empty if there was none."""
    headers: Headers
    """Those that are passed on: all but those of the connection and of the proxy."""
    reader: h11.Connection
    """Reads the body."""
    length: int | None
    """Of the body; None if it comes in chunks."""
    expects: bool
    """Whether the client waits for a word before it sends the body."""
    is_keeping: bool
    """Whether the client may send another request on the same connection."""

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"

    @property
    def has_body(self) -> bool:
        return self.length != 0


def read_head(head: bytes, most: int) -> Asked:
    """What `head`, which ends with an empty line, asks for. Declined if it is anything but one plain meaning."""
    request, reader = _parsed(head, most)
    headers = tuple(request.headers)
    method = request.method.decode("ascii")
    named = _named_by_connection(headers)
    token = _token(headers)
    if method == "CONNECT":
        destination = _authority(request.target)
        if any(name in {b"content-length", b"transfer-encoding", b"expect"} for name, _ in headers):
            raise malformed("a tunnel has no body of its own.")
    else:
        destination = _absolute(request.target)
        if method not in METHODS:
            raise malformed("the method is none that is sent here.", 501)
    _check_host(headers, destination)
    _check(headers)
    lengths = [value for name, value in headers if name == b"content-length"]
    is_chunked = any(name == b"transfer-encoding" for name, _ in headers)
    expectations = [value.lower() for name, value in headers if name == b"expect"]
    if expectations not in ([], [b"100-continue"]):
        raise malformed("of expectations only 100-continue is understood.", 417)
    return Asked(
        destination=destination,
        method=method,
        token=token,
        headers=passed_on(headers, named),
        reader=reader,
        length=None if is_chunked else int(lengths[0]) if lengths else 0,
        expects=bool(expectations) and request.http_version == b"1.1",
        is_keeping=request.http_version == b"1.1" and b"close" not in named,
    )


def _parsed(head: bytes, most: int) -> tuple[h11.Request, h11.Connection]:
    lines = head.count(b"\r\n")
    if head.count(b"\n") != lines or head.count(b"\r") != lines:
        raise malformed("its lines do not all end as those of HTTP do.")
    if b"\n " in head or b"\n\t" in head:
        raise malformed("a header goes on in the next line.")
    lowered = head.lower()
    if lowered.count(b"\ncontent-length") > 1 or lowered.count(b"\ntransfer-encoding") > 1:
        raise malformed("its length is given more than once.")
    reader = h11.Connection(h11.SERVER, max_incomplete_event_size=most)
    reader.receive_data(head)
    try:
        request = reader.next_event()
    except h11.RemoteProtocolError as error:
        status = error.error_status_hint
        raise malformed("it is no request of HTTP/1.1.", status if status in {431, 501} else 400) from None
    if not isinstance(request, h11.Request) or request.http_version not in _VERSIONS:
        raise malformed("it is no request of HTTP/1.1.")
    if head.startswith(b"PRI "):
        raise malformed("HTTP/2 is not spoken here.")
    return request, reader


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    """The headers that are said to be for the next hop only, and words such as `close`."""
    return frozenset(
        word.strip().lower()
        for name, value in headers
        if name in {b"connection", b"proxy-connection"}
        for word in value.split(b",")
    )


def passed_on(headers: Headers, named: Iterable[bytes]) -> Headers:
    """The headers that go to the other side: no hop-by-hop ones, none that speak of proxies."""
    dropped = _OF_THE_CONNECTION.union(named)
    return tuple((name, value) for name, value in headers if name not in dropped and not name.startswith(b"proxy-"))


def answer_headers(headers: Headers) -> Headers:
    """The headers of an answer that a client gets, with the length if there is one."""
    lengths = tuple(pair for pair in headers if pair[0] == b"content-length")
    return passed_on(headers, _named_by_connection(headers)) + lengths


def _token(headers: Headers) -> str:
    given = [value for name, value in headers if name == b"proxy-authorization"]
    if len(given) > 1:
        raise malformed("it says more than once who sends it.")
    return token_in(given[0]) if given else ""


def _authority(target: bytes) -> Destination:
    """Where a tunnel leads: `host:port`, with the port, and nothing else."""
    text = target.decode("ascii")
    _, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or not _BEYOND_AUTHORITY.isdisjoint(text):
        raise malformed("a tunnel is asked for by host and port.")
    return _destination(f"https://{text}/")


_BEYOND_AUTHORITY: Final = frozenset("/?#@\\")


def _absolute(target: bytes) -> Destination:
    """Where a request of plain HTTP goes: its whole URL stands in its first line."""
    text = target.decode("ascii")
    scheme, colon, _ = text.partition("://")
    if not colon:
        raise malformed("its first line does not have the whole URL in it.")
    if scheme.lower() != "http":
        raise malformed("only http URLs are fetched for a client; for others it asks for a tunnel.")
    return _destination(text)


def _destination(url: str) -> Destination:
    try:
        return parse_destination(url)
    except BadDestination as error:
        raise Declined(403, f"Blocked: `{error.code}`. {error.what}", codes=(error.code,), malformed=True) from None


def _check_host(headers: Headers, destination: Destination) -> None:
    """The `Host`, if there is one, is that of the URL: a server may go by either."""
    for name, value in headers:
        if name == b"host":
            text = value.decode("latin-1")
            try:
                host = parse_destination(f"{destination.scheme}://{text}/")
            except BadDestination:
                raise malformed("its Host can't be read.") from None
            # Of a tunnel, many a client leaves the port out of the Host.
            is_same = host.host == destination.host and (host.port == destination.port or destination.scheme == "https")
            if not is_same or not _BEYOND_AUTHORITY.isdisjoint(text):
                raise malformed("its Host is another one than that of its URL.", 421)


def _check(headers: Headers) -> None:
    names = {name for name, _ in headers}
    if b"upgrade" in names:
        raise malformed("connections are not upgraded here.")
    if {b"content-length", b"transfer-encoding"} <= names:
        raise malformed("its length is given in two ways.")
    for name in names:
        plain = name.replace(b"_", b"-")  # many a server takes one for the other
        if plain in _MISLEADING:
            raise malformed("a header would have the server take it for another request.")
        if plain != name and (plain in _OF_THE_CONNECTION or plain.startswith(b"proxy-")):
            raise malformed("a header looks like one of the connection.")
