"""What the guarded client sends: methods and headers that say nothing but what was judged, and where a redirect leads.

The host, the length and the connection are the client's own affair. A header that speaks of them, or that tells a
server to take the request for another one, is refused rather than dropped: whoever set it expects it to count.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final, Self

import httpcore
import msgspec

from guardhouse.egress.bodies import ENCODINGS
from guardhouse.egress.errors import Refused
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.net.destination import Destination

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_OURS: Final = frozenset(
    "accept-encoding connection content-length expect host http2-settings keep-alive te trailer trailers "
    "transfer-encoding upgrade x-http-method x-http-method-override x-method-override forwarded x-forwarded-host "
    "x-forwarded-server x-forwarded-proto x-forwarded-port x-host x-original-host x-original-url x-rewrite-url".split()
)
_OF_A_BODY: Final = frozenset({"content-type", "content-encoding", "content-language", "content-location"})
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_MOST_HEADERS: Final = 64 * 1024
"""Bytes of all headers of a request."""


class Outgoing(msgspec.Struct, frozen=True):
    """A request, apart from where it goes."""

    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, method: str, headers: Mapping[str, str] | None, body: bytes) -> Self:
        """A request as it may be sent. Refused for a method or a header that may not."""
        if method not in METHODS:
            raise Refused("net.request_refused", "The method is none that is sent here.", fix="Use GET or POST.")
        given = tuple((headers or {}).items())
        if type(body) is not bytes or not all(type(text) is str for pair in given for text in pair):
            raise Refused("net.request_refused", "Headers are text, and a body is bytes.", fix="Convert them.")
        check_headers(given)
        return cls(method, given, body)

    def after(self, status: int) -> Outgoing:
        """The request that follows a redirect: only 307 and 308 have the body sent again."""
        if status in {307, 308} or self.method in {"GET", "HEAD"}:
            return self
        kept = tuple((name, value) for name, value in self.headers if name.lower() not in _OF_A_BODY)
        return Outgoing("GET", kept, b"")


def check_headers(headers: Sequence[tuple[str, str]]) -> None:
    """Refused if one of these headers may not be sent."""
    for name, value in headers:
        _check(name, value)
    if sum(len(name) + len(value) for name, value in headers) > _MOST_HEADERS:
        raise Refused("net.request_refused", f"The headers are longer than {_MOST_HEADERS} bytes.")


def _check(name: str, value: str) -> None:
    lower = name.lower()
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        raise Refused(
            "net.request_refused",
            "A header has characters in it that may not be sent.",
            fix="Leave out line breaks, and write names and values in ASCII.",
        )
    # Many a server takes an underscore for a hyphen.
    plain = lower.replace("_", "-")
    if plain in _OURS or plain.startswith("proxy-"):
        raise Refused("net.request_refused", f"The header {lower} may not be set.", fix="Leave it out.")


def request_for(outgoing: Outgoing, destination: Destination, deadline: float) -> httpcore.Request:
    """The request to `destination`, in exactly the parts that were judged."""
    origin, target = _split(destination)
    given = {name.lower() for name, _value in outgoing.headers}
    headers = [(b"Host", origin.partition("://")[2].encode())]
    headers += [pair for pair in _DEFAULTS if pair[0].decode().lower() not in given]
    headers += [(name.encode(), value.encode()) for name, value in outgoing.headers]
    if outgoing.body or outgoing.method in {"POST", "PUT", "PATCH"}:
        headers.append((b"Content-Length", str(len(outgoing.body)).encode()))
    return httpcore.Request(
        method=outgoing.method.encode(),
        url=httpcore.URL(
            scheme=destination.scheme.encode(),
            host=destination.host.encode(),
            port=destination.port,
            target=target.encode(),
        ),
        headers=headers,
        content=outgoing.body,
        extensions={"timeout": {"pool": max(deadline - time.monotonic(), 0.0)}},
    )


_DEFAULTS: Final = (
    (b"User-Agent", b"guardhouse"),
    (b"Accept", b"*/*"),
    (b"Accept-Encoding", ENCODINGS.encode()),
)


def _split(destination: Destination) -> tuple[str, str]:
    """Origin and target of what may be requested: `https://host:port`, and `/path?query`."""
    start = destination.href.index("/", destination.href.index("://") + 3)
    return destination.href[:start], destination.href[start:]


# Redirects -----------------------------------------------------------------------------------------------------------

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def redirected(status: int, headers: Sequence[tuple[str, str]], current: Destination) -> Destination | None:
    """Where an answer from `current` leads; None if it is no redirect. Refused if that is another origin."""
    locations = {value for name, value in headers if name == "location"}
    if status not in _REDIRECTS or not locations:
        return None
    if len(locations) > 1:
        raise _refused("The answer names more than one place to go to.")
    try:
        location = locations.pop().encode("latin-1").decode()
        target = parse_destination(_absolute(location, current))
    except (BadDestination, UnicodeDecodeError):
        raise _refused("The redirect leads to something that can't be judged.") from None
    if (target.scheme, target.host, target.port) != (current.scheme, current.host, current.port):
        raise _refused(f"The redirect leads to another origin, {target.scheme}://{target.host}:{target.port}.")
    return target


def _absolute(location: str, current: Destination) -> str:
    """`location` in full. What it is then is for the strict reading to say."""
    origin, target = _split(current)
    path = target.partition("?")[0]
    if _SCHEME.match(location):
        return location
    if location.startswith("//"):
        return f"{current.scheme}:{location}"
    if location.startswith("/"):
        return f"{origin}{location}"
    if not location or location.startswith("#"):
        return f"{origin}{target}"
    if location.startswith("?"):
        return f"{origin}{path}{location}"
    return f"{origin}{path.rpartition('/')[0]}/{location}"


def _refused(what: str) -> Refused:
    return Refused("net.redirect_refused", what, fix="Fetch that URL by itself, if it is what you want.")
