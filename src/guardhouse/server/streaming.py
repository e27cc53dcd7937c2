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

from guardhouse.approvals import Outline
from guardhouse.server.door import has_right
from guardhouse.server.problems import Problem
from guardhouse.wire import request_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import ApprovalRequest
    from guardhouse.server.following import Listener
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_PING: Final = 15
_MOST_MISSED: Final = 1000


async def events(house: House, principal: Principal, request: Request) -> Response:
    """Changes of requests, as they happen, until the listener goes away."""
    most = house.policy.current().config.server.max_streams
    if house.following.listening >= (most if has_right(principal, "answer") else max(1, most // 2)):
        raise Problem(503, "Too many listen already.", fix="Try again later, or raise `server.max_streams`.")
    after = request.headers.get("last-event-id", "")
    if after and not (after.isascii() and after.isdigit() and len(after) < 19):
        raise Problem(400, "`Last-Event-ID` is no number of an event.", fix="Leave it out.")
    listener = house.following.listen()
    told = _told(house, principal, listener, int(after) if after else None)
    return EventSourceResponse(told, ping=_PING)


async def _told(
    house: House, principal: Principal, listener: Listener, after: int | None
) -> AsyncIterator[ServerSentEvent]:
    last = 0
    try:
        if after is not None:
            changes = await asyncio.to_thread(partial(house.approver.changes, after, limit=_MOST_MISSED))
            for number, request in zip(changes.numbers, changes.requests, strict=True):
                last = number
                if _concerns(principal, request):
                    yield _event(number, request)
        while (heard := await listener.next()) is not None:
            number, request = heard
            if number > last and _concerns(principal, request):
                last = number
                yield _event(number, request)
    finally:
        listener.close()


def _concerns(principal: Principal, request: ApprovalRequest) -> bool:
    return has_right(principal, "answer") or request.principal == principal.name


def _event(number: int, request: ApprovalRequest) -> ServerSentEvent:
    outline = Outline(**{name: getattr(request, name) for name in Outline.__struct_fields__})
    told = request_wire(outline)
    if request.resume_asked_at is not None:
        told["resume_asked"] = True
    return ServerSentEvent(data=msgspec.json.encode(told).decode(), event="approval", id=str(number))
