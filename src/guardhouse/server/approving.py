"""`/v1/approvals…`: listing, showing and waiting for requests, and answering them.

An agent sees its own requests only, and can take them back; it can answer none. Nobody answers what they asked.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.editing import Edit, edit_and_approve
from guardhouse.model import ONCE, ApprovalStatus, GuardhouseError, Terms
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem, answer, problem_of
from guardhouse.server.reading import number, one_of, read_small
from guardhouse.wire import grant_wire, request_wire, verdict_wire

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import ApprovalRequest
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal
    from guardhouse.wire import Voice

LISTED_BY: Final = ("status", "session_id", "principal", "beginning", "limit")
GRANTS_BY: Final = ("all", "session_id", "principal", "request_id", "limit")
_MOST: Final = 1000
_LONGEST_WAIT: Final = 60
_LONGEST_COMMENT: Final = 4000
_MOST_TOGETHER: Final = 200


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person adds to an answer."""

    comment: str | None = None
    """For the record; with a denial it is passed on to the agent."""
    terms: Terms = ONCE
    """With a yes: what it is good for beyond this once, and on which condition."""


class Edited(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A yes to a call with other arguments."""

    changes: dict[str, Any]
    """New values, by JSON Pointer: `{"/params/command": "ls"}`."""
    comment: str | None = None
    terms: Terms = ONCE


class OneOfMany(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several answers that are given together."""

    id: str
    approve: bool
    comment: str | None = None
    terms: Terms = ONCE


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several answers, each by itself."""

    answers: tuple[OneOfMany, ...]


class Lift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says when a denied call is taken up again."""

    comment: str | None = None


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


async def edit(house: House, principal: Principal, request: Request) -> Response:
    """A yes to the call with other arguments: judged afresh, with a request of its own. If that is denied, nothing has
    happened."""
    given: Edited = await read_small(request, Edited)
    found = await _visible(house, principal, request.path_params["id"])
    done = await house.in_thread(partial(edited, house, principal, found, given))
    if done.request is None:
        raise Problem(
            422, "The changed call would be denied; nothing was changed.", verdict=verdict_wire(done.verdict, "person")
        )
    return answer(_told(done.request, principal))


async def answer_many(house: House, principal: Principal, request: Request) -> Response:
    """Several answers at once, some yes, some no. Each counts by itself: what can't be done to one leaves the others
    alone."""
    given: Answers = await read_small(request, Answers)
    if not 0 < len(given.answers) <= _MOST_TOGETHER:
        raise Problem(400, f"From 1 to {_MOST_TOGETHER} answers can be given together.")
    for one in given.answers:
        _check_comment(one.comment)
    results = await house.in_thread(partial(_answered_many, house, principal, given.answers))
    return answer({"results": results})


async def reapprove(house: House, principal: Principal, request: Request) -> Response:
    """Let a call that was denied, or that nobody answered in time, be made after all: exactly it, once."""
    given: Lift = await read_small(request, Lift)
    _check_comment(given.comment)
    found = await _visible(house, principal, request.path_params["id"])
    grant = await house.in_thread(
        partial(house.approver.reapprove, found.id, actor=actor_of(principal), comment=given.comment)
    )
    return answer(grant_wire(grant))


async def lift(house: House, principal: Principal, request: Request) -> Response:
    """Let the session of a request ask again, although so much of what it asked was denied."""
    found = await _visible(house, principal, request.path_params["id"])
    await house.in_thread(partial(_lifted, house, principal, found))
    return answer({"status": "lifted"})


async def list_grants(house: House, principal: Principal, request: Request) -> Response:
    """Grants, newest first: those in force, or with `all` every one that is kept. An agent sees its own."""
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    own = None if has_right(principal, "answer") else principal.name
    found = await house.in_thread(
        partial(
            house.approver.grants,
            live=request.query_params.get("all") is None,
            session_id=request.query_params.get("session_id"),
            principal=own or request.query_params.get("principal"),
            request_id=request.query_params.get("request_id"),
            limit=limit,
        )
    )
    voice: Voice = "person" if own is None else "agent"
    return answer({"grants": [grant_wire(one, voice) for one in found]})


async def revoke(house: House, principal: Principal, request: Request) -> Response:
    """Let a grant cover nothing any more."""
    grant_id = request.path_params["id"]
    done = await house.in_thread(partial(house.approver.revoke, grant_id, actor=actor_of(principal)))
    return answer(grant_wire(done))


def edited(house: House, principal: Principal, found: ApprovalRequest, given: Edited) -> Edit:
    """A yes to the call with other arguments, in a thread; without a request, if the changed call is denied. A Problem
    if it can't be answered so."""
    _check_comment(given.comment)
    return edit_and_approve(
        house.guard_of_name(found.principal),
        house.approver,
        found.id,
        given.changes,
        actor=actor_of(principal),
        comment=given.comment,
        terms=given.terms,
    )


def _answered_many(house: House, principal: Principal, given: tuple[OneOfMany, ...]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for one in given:
        try:
            done = house.approver.answer(
                one.id, approve=one.approve, actor=actor_of(principal), comment=one.comment, terms=one.terms
            )
        except GuardhouseError as error:
            results.append({"id": one.id, **problem_of(error).told})
        else:
            results.append({"id": one.id, "approval": _told(done, principal)})
    return results


def _lifted(house: House, principal: Principal, found: ApprovalRequest) -> None:
    house.note(principal, f"the session of {found.id} may ask again")
    house.approver.lift_pause(found.id, actor=actor_of(principal))


async def _answered(house: House, principal: Principal, request: Request, *, approve: bool) -> Response:
    given: Answer = await read_small(request, Answer)
    return answer(_told(await give(house, principal, request.path_params["id"], given, approve=approve), principal))


async def give(house: House, principal: Principal, request_id: str, given: Answer, *, approve: bool) -> ApprovalRequest:
    """The request, answered by a person. A Problem if they may not, or it can't be answered so."""
    _check_comment(given.comment)
    await _visible(house, principal, request_id)
    return await house.in_thread(
        partial(
            house.approver.answer,
            request_id,
            approve=approve,
            actor=actor_of(principal),
            comment=given.comment,
            terms=given.terms,
        ),
    )


def _check_comment(comment: str | None) -> None:
    if comment is not None and len(comment) > _LONGEST_COMMENT:
        raise Problem(413, f"A comment has at most {_LONGEST_COMMENT} characters.")


async def _visible(house: House, principal: Principal, request_id: str) -> ApprovalRequest:
    return _shown(await house.in_thread(partial(house.approver.get, request_id)), principal)


def _shown(found: ApprovalRequest | None, principal: Principal) -> ApprovalRequest:
    """The request, if this principal may see it; the same Problem whether it is another's or none."""
    if found is None or (not has_right(principal, "answer") and found.principal != principal.name):
        raise Problem(404, "There is no such approval request.", fix="Look for its id among the pending ones.")
    return found


def _told(request: ApprovalRequest, principal: Principal) -> dict[str, Any]:
    return request_wire(request, "agent" if principal.role == "agent" else "person")
