"""`/v1/sessions…`: what happened in a session, as far as it is kept: kinds, grades, names and times, no contents.

A session belongs to the principal who speaks in it; another principal's session of the same name is another session.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.server.door import has_right
from guardhouse.server.house import session_key
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.sessions import SessionOutline
    from guardhouse.tokens import Principal

LISTED_BY: Final = ("principal", "before", "limit")
SHOWN_BY: Final = ("principal", "after", "limit")
_MOST: Final = 1000


async def create(_house: House, _principal: Principal, _request: Request) -> Response:
    """A name for a new session, which nobody has used."""
    return answer({"session_id": f"s_{os.urandom(12).hex()}"}, 201)


async def list_(house: House, principal: Principal, request: Request) -> Response:
    """Sessions, those first that were begun last; an agent's own, for a person everybody's or one principal's."""
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    before = int(number(request, "before", 2**53, most=2**53))
    whose = request.query_params.get("principal") if has_right(principal, "observe") else principal.name
    if whose is not None and "/" in whose:
        raise Problem(400, "No principal has a slash in its name.")
    beginning = session_key(whose, "") if whose else ""
    found = await house.in_thread(partial(house.sessions.recent, limit, before=before, beginning=beginning))
    mask = house.policy.current().redactor.text
    return answer({"sessions": [_outlined(one, mask) for one in found]})


def _outlined(outline: SessionOutline, mask: Callable[[str], str]) -> dict[str, Any]:
    """What is told of a session. One that no daemon keeps, but a hook of this machine, has no principal."""
    principal, slash, name = outline.name.partition("/")
    told = msgspec.to_builtins(outline)
    told.pop("name")
    return {
        "session_id": mask(name if slash else principal),
        "principal": mask(principal) if slash else None,
        **told,
    }


async def show(house: House, principal: Principal, request: Request) -> Response:
    """What is in a session: how much of what kind and grade, and its events in order."""
    key = _key(principal, request)
    after = int(number(request, "after", 0, most=2**53))
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    summary = await house.in_thread(partial(house.sessions.summary, key))
    if not summary.tallies:
        raise Problem(404, "There is no such session.", fix="Name it, and the principal whose it is.")
    listed = await house.in_thread(partial(house.sessions.events, key, after=after, limit=limit))
    events: list[dict[str, Any]] = [msgspec.to_builtins(event) for event in listed]
    if not has_right(principal, "observe"):
        for event in events:
            event.pop("excerpt", None)  # what came from outside is not told to an agent again
            event.pop("detail", None)
    return answer({"tallies": [msgspec.to_builtins(tally) for tally in summary.tallies], "events": events})


async def forget(house: House, principal: Principal, request: Request) -> Response:
    """Remove everything about a session."""
    key = _key(principal, request)
    await house.in_thread(partial(house.note, principal, "a session was removed"))
    if not await house.in_thread(partial(house.sessions.forget, key)):
        raise Problem(404, "There is no such session.")
    return answer({"status": "removed"})


def _key(principal: Principal, request: Request) -> str:
    whose = request.query_params.get("principal") if has_right(principal, "observe") else None
    return session_key(whose or principal.name, request.path_params["id"])
