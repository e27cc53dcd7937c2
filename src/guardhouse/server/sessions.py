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
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

SHOWN_BY: Final = ("principal", "after", "limit")
_MOST: Final = 1000


async def create(_house: House, _principal: Principal, _request: Request) -> Response:
    """A name for a new session, which nobody has used."""
    return answer({"session_id": f"s_{os.urandom(12).hex()}"}, 201)


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
