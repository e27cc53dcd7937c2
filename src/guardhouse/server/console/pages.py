"""The table of the console's pages. Each URL gives the same shell, which holds no data and needs no token.

Once somebody is signed in, the shell asks for the fragment of its own path under `/console`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from guardhouse.server.console.assets import CONTENT_POLICY
from guardhouse.server.console.rendering import page

if TYPE_CHECKING:
    from starlette.requests import Request


class Page(msgspec.Struct, frozen=True):
    """A page of the console."""

    path: str
    name: str
    icon: str = ""
    """In `icons.svg`. A page without one is not in the navigation."""


PAGES: Final = (
    # path, name, icon
    Page("/approvals", "Approvals", "inbox"),
    Page("/approvals/{id}", "Approval"),
    Page("/runs", "Runs", "run"),
    Page("/runs/{id}", "Run"),
    Page("/grants", "Grants", "key"),
    Page("/denied", "Denied", "ban"),
    Page("/decisions", "Decisions", "chart"),
    Page("/sessions", "Sessions", "session"),
    Page("/sessions/{id}", "Session"),
    Page("/audit", "Record", "record"),
    Page("/audit/{id}", "Call"),
    Page("/reasons", "Reasons", "book"),
    Page("/reasons/{id}", "Reason"),
)
_PATHS: Final = re.compile("/|" + "|".join(re.sub(r"\{id\}", "[^/]+", one.path) for one in PAGES))


def is_page(path: str) -> bool:
    """Whether the shell answers there."""
    return _PATHS.fullmatch(path) is not None


@cache
def _shell(*, from_elsewhere: bool) -> str:
    return page("shell.html", pages=[one for one in PAGES if one.icon], from_elsewhere=from_elsewhere)


async def _shown(request: Request) -> Response:
    """The shell. It is told if a link of another place led here: then it signs nobody in by what the link says."""
    site = request.headers.get("sec-fetch-site", "none")
    headers = {"content-security-policy": CONTENT_POLICY, "cross-origin-opener-policy": "same-origin"}
    return HTMLResponse(_shell(from_elsewhere=site not in {"none", "same-origin"}), 200, headers)


def page_routes() -> list[Route]:
    """A route for each page."""
    return [Route(path, _shown, methods=["GET"]) for path in ("/", *(one.path for one in PAGES))]
