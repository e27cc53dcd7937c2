"""The console's own files (styles, scripts, icons), under a URL that has the digest of all of them in it.

So a browser may keep them for good, and a new release is another URL. They hold nothing about anybody.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

_DIRECTORY: Final = Path(__file__).parent / "static"
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
CONTENT_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types guardhouse",
    )
)
"""What the shell may do: load from here, and nothing else. Scripts turn text into HTML by one named policy only."""


@cache
def _files() -> dict[str, bytes]:
    found = (path for path in sorted(_DIRECTORY.rglob("*")) if path.suffix in _TYPES)
    return {path.relative_to(_DIRECTORY).as_posix(): path.read_bytes() for path in found}


@cache
def digest() -> str:
    """A digest of all files, with their names."""
    total = sha256()
    for name, content in _files().items():
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def asset_url(name: str) -> str:
    """Where a file is. KeyError if there is none of that name."""
    _files()[name]
    return f"/console/static/{digest()}/{name}"


async def _asset(request: Request) -> Response:
    content = _files().get(request.path_params["name"])
    if content is None or request.path_params["digest"] != digest():
        return Problem(404, "There is nothing here.").response
    headers = {
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": CONTENT_POLICY,
    }
    kind = _TYPES[Path(request.path_params["name"]).suffix]
    return Response(content, 200, headers, f"{kind}; charset=utf-8")


def assets_route() -> Route:
    """The route of all files."""
    return Route("/console/static/{digest}/{name:path}", _asset, methods=["GET"])
