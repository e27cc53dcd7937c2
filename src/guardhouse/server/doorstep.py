"""What every request passes before anything looks at it: is it meant for us, and does it come from a page of ours.

A daemon on loopback is in reach of every web page that its user opens. A page can't send a token, but it must not even
be able to ask: other hosts' names (DNS rebinding) and other origins are turned away. A link somewhere else may lead a
person to the console, whose pages hold nothing by themselves. Every answer says that it is no page to be framed,
scripted or kept, unless it says better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from guardhouse.server.metrics import Metrics

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_ANYWHERE: Final = frozenset({"0.0.0.0", "::", "[::]", ""})  # noqa: S104 - compared, not bound to
_HEADERS: Final = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Doorstep:
    """The application behind its door step. `hosts` names those that it may be asked as; none means any."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str] | None,
        metrics: Callable[[], Metrics],
        is_page: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._metrics = metrics
        self._is_page = is_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                named = {name for name, _ in given}
                message["headers"] = [*given, *(one for one in _HEADERS if one[0] not in named)]
                self._metrics().responded(message["status"])
            await send(message)

        try:
            self._check(scope)
        except Problem as problem:
            await problem.response(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _check(self, scope: Scope) -> None:
        """A Problem unless the request is meant for us and comes from nobody else's page."""
        hosts: list[bytes] = []
        origin = site = mode = kind = b""
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
            elif name == b"sec-fetch-mode":
                mode = value
            elif name == b"sec-fetch-dest":
                kind = value
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if not host or (self._hosts is not None and host_name(host) not in self._hosts):
            raise Problem(421, "This daemon does not go by that name.", fix="Name it in `server.public_url`.")
        if origin and origin.decode("latin-1").lower() != f"{scope['scheme']}://{host}":
            raise Problem(403, "Pages of other places may not ask here.", code="cross_origin")
        follows_link = (mode, kind, scope["method"]) == (b"navigate", b"document", "GET")
        if site not in {b"", b"same-origin", b"none"} and not (follows_link and self._is_page(scope["path"])):
            raise Problem(403, "Pages of other places may not ask here.", code="cross_origin")


def host_name(host: str) -> str:
    """A `Host` without its port; nothing if it has another form."""
    name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not name:
        return port if ":" not in host else ""
    if port and not (port.isascii() and port.isdigit()):
        return ""
    is_bracketed = name.startswith("[") and name.endswith("]")
    return name if is_bracketed or not set(name) & set(":@[]/") else ""


def hosts_of(bound: str, public_url: str) -> frozenset[str] | None:
    """The names that a daemon goes by, by where it listens and how people reach it; None if any may be right."""
    public = urlsplit(public_url).hostname or ""
    if bound in _ANYWHERE and not public:
        return None
    own = f"[{bound}]" if ":" in bound and not bound.startswith("[") else bound
    names = {*_LOOPBACK, own.lower(), f"[{public}]" if ":" in public else public}
    return frozenset(names - _ANYWHERE)
