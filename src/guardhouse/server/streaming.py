"""`/v1/events`: requests as they change, as server-sent events.

Each event is numbered as the change is; whoever comes back with `Last-Event-ID` hears first what was missed. An agent
hears of its own requests only.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent

from guardhouse.server.door import has_right
from guardhouse.server.problems import Problem
from guardhouse.wire import request_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.approvals import Outline
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_PING: Final = 15
_AT_ONCE: Final = 200
_CHECKED_EVERY: Final = 5.0
"""Seconds after which it is looked whether the token is still good."""


async def events(house: House, principal: Principal, request: Request) -> Response:
    """Changes of requests, as they happen, until the listener goes away."""
    most = house.policy.current().config.server.max_streams
    if house.following.listening >= (most if has_right(principal, "answer") else max(1, most // 2)):
        raise Problem(503, "Too many listen already.", fix="Try again later, or raise `server.max_streams`.")
    after = request.headers.get("last-event-id", "")
    if after and not (after.isascii() and after.isdigit() and len(after) < 19):
        raise Problem(400, "`Last-Event-ID` is no number of an event.", fix="Leave it out.")
    if request.method == "HEAD":
        raise Problem(405, "Events can only be listened to.")
    return EventSourceResponse(_told(house, principal, int(after) if after else None), ping=_PING)


async def _told(house: House, principal: Principal, after: int | None) -> AsyncIterator[ServerSentEvent]:
    """Events from now on, or from behind `after` on, as long as the token is good."""
    own = None if has_right(principal, "answer") else principal.name
    last = after or 0
    listener = house.following.listen()  # here, where it is certain to be closed
    try:
        while after is not None:
            look = partial(house.approver.changed_outlines, last, principal=own, limit=_AT_ONCE)
            missed = await house.in_thread(look)
            for number, outline in missed:
                last = number
                yield _event(number, outline)
            after = last if len(missed) == _AT_ONCE else None
        while True:
            try:
                heard = await asyncio.wait_for(listener.next(), _CHECKED_EVERY)
            except TimeoutError:
                await house.in_thread(partial(house.door.check_still, principal))
                continue
            if heard is None:
                return
            number, outline = heard
            if number > last and own in {None, outline.principal}:
                await house.in_thread(partial(house.door.check_still, principal))
                last = number
                yield _event(number, outline)
    except Problem:
        return  # the token was revoked, or is over
    finally:
        listener.close()


def _event(number: int, outline: Outline) -> ServerSentEvent:
    return ServerSentEvent(data=msgspec.json.encode(request_wire(outline)).decode(), event="approval", id=str(number))
