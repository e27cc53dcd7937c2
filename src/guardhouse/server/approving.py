"""`/v1/approvals…`: listing, showing and waiting for requests, and answering them.

An agent sees its own requests only, and can take them back; it can answer none. Nobody answers what they asked.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import ApprovalStatus
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import number, one_of, read_small
from guardhouse.wire import request_wire

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import ApprovalRequest
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

LISTED_BY: Final = ("status", "session_id", "principal", "beginning", "limit")
_MOST: Final = 1000
_LONGEST_WAIT: Final = 60
_LONGEST_COMMENT: Final = 4000


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person adds to an answer."""

    comment: str | None = None
    """For the record; with a denial it is passed on to the agent."""
    for_run: bool = False
    """With a yes: also for later calls of the same tool with the values that the request offers."""


async def list_(house: House, principal: Principal, request: Request) -> Response:
    """Requests, newest first, without their actions."""
    status = one_of(request, "status", ApprovalStatus)
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    own = None if has_right(principal, "answer") else principal.name
    found = await house.in_thread(
        partial(
            house.approver.outlines,
            status=status,
            session_id=request.query_params.get("session_id"),
            principal=own or request.query_params.get("principal"),
            beginning=request.query_params.get("beginning", ""),
            limit=limit,
        ),
    )
    return answer({"approvals": [request_wire(one) for one in found]})


async def show(house: House, principal: Principal, request: Request) -> Response:
    """One request, whole; with `wait`, once it is no longer pending or so many seconds have passed."""
    wait = number(request, "wait", 0, most=_LONGEST_WAIT)
    request_id = request.path_params["id"]
    await _visible(house, principal, request_id)
    found = await house.following.wait(request_id, wait)
    if wait:
        await house.in_thread(partial(house.door.check_still, principal))
    return answer(_told(_shown(found, principal), principal))


async def alike(house: House, principal: Principal, request: Request) -> Response:
    """The other pending requests of the same tool about values from the same source."""
    found = await _visible(house, principal, request.path_params["id"])
    others = await house.in_thread(partial(house.approver.alike, found))
    return answer({"approvals": [_told(_shown(one, principal), principal) for one in others]})


async def approve(house: House, principal: Principal, request: Request) -> Response:
    """A yes. The first answer counts; the same again gives the first record back."""
    return await _answered(house, principal, request, approve=True)


async def deny(house: House, principal: Principal, request: Request) -> Response:
    """A no; its comment is passed on to the agent."""
    return await _answered(house, principal, request, approve=False)


async def cancel(house: House, principal: Principal, request: Request) -> Response:
    """Take a request back, or an approval that was not used yet."""
    request_id = request.path_params["id"]
    await _visible(house, principal, request_id)
    done = await house.in_thread(partial(house.approver.cancel, request_id, actor=actor_of(principal)))
    return answer(_told(done, principal))


async def _answered(house: House, principal: Principal, request: Request, *, approve: bool) -> Response:
    given: Answer = await read_small(request, Answer)
    if given.comment is not None and len(given.comment) > _LONGEST_COMMENT:
        raise Problem(413, f"A comment has at most {_LONGEST_COMMENT} characters.")
    request_id = request.path_params["id"]
    found = await _visible(house, principal, request_id)
    if found.principal == principal.name:
        raise Problem(403, "Whoever asked can't answer.", fix="Let somebody else answer it.")
    if given.for_run and not any(supply.offered for supply in found.supplied):
        raise Problem(422, "This request offers nothing for the rest of the run.", fix="Approve it for this once.")
    settled = await house.in_thread(
        partial(
            house.approver.answer,
            request_id,
            approve=approve,
            actor=actor_of(principal),
            comment=given.comment,
            for_run=given.for_run,
        ),
    )
    return answer(_told(settled, principal))


async def _visible(house: House, principal: Principal, request_id: str) -> ApprovalRequest:
    return _shown(await house.in_thread(partial(house.approver.get, request_id)), principal)


def _shown(found: ApprovalRequest | None, principal: Principal) -> ApprovalRequest:
    """The request, if this principal may see it; the same Problem whether it is another's or none."""
    if found is None or (not has_right(principal, "answer") and found.principal != principal.name):
        raise Problem(404, "There is no such approval request.", fix="Look for its id among the pending ones.")
    return found


def _told(request: ApprovalRequest, principal: Principal) -> dict[str, Any]:
    return request_wire(request, "agent" if principal.role == "agent" else "person")
