"""Templates: HTML from small frozen views. Every value is escaped, and a name that a template misses is an error.

A template decides how something looks, never what may be done; that is in the view it is given.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from guardhouse.server.console.assets import asset_url
from guardhouse.server.console.forms import DURATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from guardhouse.server.problems import Problem

_DIRECTORY: Final = Path(__file__).parent / "templates"


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_DIRECTORY),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["asset"] = asset_url
    environment.globals["durations"] = DURATIONS
    return environment


def page(template: str, **views: Any) -> str:
    """What a template makes of views."""
    return _templates().get_template(template).render(**views)


def fragment(template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **views: Any) -> Response:
    """The same, as an answer."""
    return HTMLResponse(page(template, **views), status, headers)


def problem_fragment(problem: Problem) -> Response:
    """A problem as a sentence in the page, with what to do."""
    error = problem.error
    return fragment(
        "problem.html",
        status=problem.status,
        headers=problem.headers,
        message=error["message"],
        fix=error.get("fix", ""),
    )
