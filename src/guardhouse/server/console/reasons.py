"""The pages of reason codes, from the catalogue: what each means, why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.policy import catalogue
from guardhouse.policy.pages import REMEDIES, leads_to
from guardhouse.server.console.rendering import fragment
from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal


async def index(_house: House, _principal: Principal, _request: Request) -> Response:
    """All codes, by the subject that they begin with."""
    subjects: dict[str, list[object]] = {}
    for code in sorted(catalogue().values(), key=lambda one: one.id):
        subject, dot, _ = code.id.partition(".")
        subjects.setdefault(subject if dot else "general", []).append(code)
    return fragment("reasons.html", subjects=sorted(subjects.items()))


async def show(_house: House, _principal: Principal, request: Request) -> Response:
    """One code."""
    code = catalogue().get(request.path_params["id"])
    if code is None:
        raise Problem(404, "There is no such reason.", fix="Look for it in the list of reasons.")
    remedy = _with_code(REMEDIES[code.remedy]) if code.remedy else ()
    leads = leads_to(code)
    return fragment(
        "reason.html",
        code=code,
        why=_with_code(code.why),
        instead=_with_code(code.instead or ""),
        remedy=remedy,
        table=leads.table,
        changing=_with_code(leads.changing),
    )


def _with_code(text: str) -> tuple[tuple[str, bool], ...]:
    """A text in pieces, each with whether it is code: it stood between backticks."""
    return tuple((piece, number % 2 == 1) for number, piece in enumerate(text.split("`")) if piece)
