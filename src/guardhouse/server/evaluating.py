"""`/v1/evaluate`, `/v1/consume`, `/v1/report` and taking approvals up: what agents ask.

Whoever asks is the principal of the action, whatever the action says. A small action is judged in the event loop, where
it takes less time than a thread would to begin; what has to wait for a disk, a name or a person's answer is done in
threads, and so is everything about a large one.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from starlette.responses import Response

from guardhouse.model import (
    Action,
    ApprovalStatus,
    Decision,
    InvalidAction,
    RiskLevel,
    SkillRunPost,
    ToolCallPost,
    ToolCallPre,
    Verdict,
    action_of,
    decode,
    parse_action,
    wire,
)
from guardhouse.policy import REFUSED
from guardhouse.runs import RunStatus
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import read_body, read_small
from guardhouse.server.runs import resumed, run_wire
from guardhouse.trust import Announcement, Capability
from guardhouse.wire import pending_wire, request_wire, verdict_wire

if TYPE_CHECKING:
    from starlette.requests import Request

    from guardhouse.model import Limits
    from guardhouse.runs import Run
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal
    from guardhouse.wire import Voice

_STATUSES: Final = {
    REFUSED["timeout"].id: 410,
    REFUSED["too_late"].id: 410,
    REFUSED["unknown"].id: 404,
    REFUSED["denied"].id: 409,
    REFUSED["used"].id: 409,
    REFUSED["drift"].id: 409,
    REFUSED["cancelled"].id: 409,
    REFUSED["superseded"].id: 409,
}
"""What it means over HTTP that an approval can't be used."""
_SMALL: Final = 4 * 1024
"""Bytes that are judged in the event loop, unless they are a command, which may take long to follow."""
_LONGEST_PLACE: Final = 60


# What stands in the record as it was sent has a form that can say nothing else.
EventId = Annotated[str, msgspec.Meta(pattern="^(ev_[0-9a-f]{24})?$", max_length=27)]
TraceId = Annotated[str, msgspec.Meta(pattern="^(tr_[0-9a-f]{24})?$", max_length=27)]
Hash = Annotated[str, msgspec.Meta(pattern="^(v1:[0-9a-f]{64})?$", max_length=67)]
RequestId = Annotated[str, msgspec.Meta(pattern="^ap_[0-9a-f]{24}$", max_length=27)]


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With a result: that the call was made, by which verdict."""

    event_id: EventId = ""
    risk_level: RiskLevel = RiskLevel.LOW
    raised: bool = False


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action with what goes with it."""

    action: dict[str, Any]
    session_id: str | None = None
    approval_id: str | None = None
    announced: Announcement | None = None
    made: Made | None = None


class Resume(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What goes with taking a call up: what its tool is said to be, as when it was first asked about."""

    announced: Announcement | None = None


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of an action that was let through."""

    action: dict[str, Any]
    event_id: EventId
    trace_id: TraceId = ""
    action_hash: Hash = ""
    risk_level: RiskLevel = RiskLevel.LOW
    approval_request_id: RequestId | None = None
    outcome: Literal["executed", "aborted"]
    detail: Literal["", "raised", "stopped"] = ""


class _Asked(msgspec.Struct, frozen=True):
    action: Action
    approval_id: str | None = None
    announced: Announcement | None = None
    made: Made | None = None


async def evaluate(house: House, principal: Principal, request: Request) -> Response:
    """The verdict on an action; at once also if a person has to be asked."""
    limits = house.policy.current().config.limits
    body = await read_body(request, limits.max_bytes)
    if len(body) > _SMALL:
        return await house.in_judging_thread(principal, partial(_evaluated, house, principal, body))
    try:
        asked = _read(body, limits, principal)
    except InvalidAction:
        return await house.in_judging_thread(principal, partial(_evaluated, house, principal, body))
    if asked.made is not None or _may_take_long(house, asked.action):
        return await house.in_judging_thread(
            principal, lambda: answer(_told(_judged(house, principal, asked), principal))
        )
    begun = time.perf_counter()
    verdict = await house.guard_of(principal).evaluate_async(
        asked.action, approval_id=asked.approval_id, announced=asked.announced, is_private=True
    )
    house.metrics.decided(verdict, time.perf_counter() - begun)
    return answer(_told(verdict, principal))


async def consume(house: House, principal: Principal, request: Request) -> Response:
    """The same for an action that is about to run: an approval of it is used up."""
    return await evaluate(house, principal, request)


async def consume_by_id(house: House, principal: Principal, request: Request) -> Response:
    """The verdict under one approval: on the action that is sent, or on the one that was kept."""
    body = await read_body(request, house.policy.current().config.limits.max_bytes)
    return await house.in_judging_thread(
        principal, partial(_consumed, house, principal, request.path_params["id"], body)
    )


async def resume(house: House, principal: Principal, request: Request) -> Response:
    """For an agent: the call that was kept, to be made now, if its approval can be used. For a person: a sign to the
    agent that it should do so."""
    request_id = request.path_params["id"]
    run = await house.in_thread(partial(_run_of, house, request_id))
    if run is not None:
        return await house.in_thread(partial(_run_goes_on, house, principal, request_id, run))
    if has_right(principal, "answer"):
        return await house.in_thread(partial(_asked_to_resume, house, principal, request_id))
    given: Resume = await read_small(request, Resume)
    return await house.in_judging_thread(principal, partial(_resumed, house, principal, request_id, given.announced))


async def report(house: House, principal: Principal, request: Request) -> Response:
    """Record what became of an action that was let through."""
    body = await read_body(request, house.policy.current().config.limits.max_bytes)
    return await house.in_judging_thread(principal, partial(_reported, house, principal, body))


# In a thread, unless it is small


def _evaluated(house: House, principal: Principal, body: bytes) -> Response:
    return answer(_told(_judged(house, principal, _read_or_refuse(house, principal, body)), principal))


def _read_or_refuse(house: House, principal: Principal, body: bytes) -> _Asked:
    """What was sent; a Problem if it is no action, of which the record says that it came."""
    try:
        return _read(body, house.policy.current().config.limits, principal)
    except InvalidAction as error:
        verdict = house.guard_of(principal).refuse(error, principal.name)
        raise Problem(
            413 if error.code == "action.too_large" else 400,
            error.what,
            fix=error.fix,
            code=error.code,
            verdict=verdict_wire(verdict, _voice(principal)),
        ) from None


def _may_take_long(house: House, action: Action) -> bool:
    """Whether it is code that has to be followed to be judged."""
    tools = house.policy.current().settings.tools
    return isinstance(action, ToolCallPre) and Capability.EXECUTES in tools.profile(action.tool).capabilities


def _judged(house: House, principal: Principal, asked: _Asked) -> Verdict:
    guard = house.guard_of(principal)
    begun = time.perf_counter()
    if asked.made is not None and isinstance(asked.action, (ToolCallPost, SkillRunPost)):
        call = Verdict(
            decision=Decision.ALLOW,
            risk_level=asked.made.risk_level,
            reasons=(),
            policy_revision="",
            event_id=asked.made.event_id,
        )
        verdict = guard.evaluate_result(asked.action, call, raised=asked.made.raised)
    else:
        verdict = guard.evaluate(asked.action, approval_id=asked.approval_id, announced=asked.announced)
    house.metrics.decided(verdict, time.perf_counter() - begun)
    return verdict


def _consumed(house: House, principal: Principal, request_id: str, body: bytes) -> Response:
    asked = _kept(house, principal, request_id) if not body.strip() else _sent(house, principal, body)
    verdict = _judged(house, principal, msgspec.structs.replace(asked, approval_id=request_id))
    return answer(_told(_used(verdict, principal), principal))


def _resumed(house: House, principal: Principal, request_id: str, announced: Announcement | None) -> Response:
    asked = msgspec.structs.replace(_kept(house, principal, request_id), announced=announced)
    verdict = _used(_judged(house, principal, asked), principal)
    told = _told(verdict, principal)
    if verdict.decision > Decision.ALLOW_WITH_REDACTION:
        return answer(told)
    action = asked.action
    if verdict.params is not None and isinstance(action, ToolCallPre):
        action = msgspec.structs.replace(action, params=verdict.params)
    return answer({"status": "resumed", "action": wire(action), "verdict": told})


def _run_of(house: House, request_id: str) -> Run | None:
    """The run of the daemon's with a call that waits for a request."""
    request = house.approver.get(request_id)
    run = house.runs.of_request(request_id) if request is not None and request.durable else None
    return run if run is not None and run.place == "daemon" else None


def _run_goes_on(house: House, principal: Principal, request_id: str, run: Run) -> Response:
    """A call of a run is made by the run and by nobody else: it goes on as soon as the request is answered, and now if
    it was paused."""
    if not has_right(principal, "answer") and run.principal != principal.name:
        raise _unknown()
    request = house.approver.get(request_id)
    if request is not None and request.status is ApprovalStatus.PENDING:
        raise Problem(
            409,
            "The request is pending: the run goes on once it is answered.",
            approval=request_wire(request, _voice(principal)),
            run=run_wire(run),
        )
    if run.status is RunStatus.PAUSED:
        run = resumed(house, principal, run)
    return answer({"status": "run", "run": run_wire(run)})


def _asked_to_resume(house: House, principal: Principal, request_id: str) -> Response:
    found = house.approver.get(request_id)
    if found is not None and found.principal == principal.name:
        raise Problem(403, "Whoever asked can't answer.", fix="Let somebody else do it.")
    request = house.approver.ask_to_resume(request_id, actor=actor_of(principal))
    return answer({"status": "asked", "approval": request_wire(request)})


def _reported(house: House, principal: Principal, body: bytes) -> Response:
    limits = house.policy.current().config.limits
    told = _converted(decode(body, limits), Report)
    action = _of(principal, action_of(told.action))
    verdict = Verdict(
        decision=Decision.ALLOW,
        risk_level=told.risk_level,
        reasons=(),
        policy_revision="",
        event_id=told.event_id,
        trace_id=told.trace_id,
        action_hash=told.action_hash,
        approval_request_id=told.approval_request_id,
    )
    unrecorded = house.guard_of(principal).report(action, verdict, told.outcome, told.detail)
    if unrecorded is not None:
        raise Problem(503, "It could not be recorded.", verdict=verdict_wire(unrecorded, _voice(principal)))
    return answer({"status": "recorded"})


def _kept(house: House, principal: Principal, request_id: str) -> _Asked:
    """The call that waits for an approval, as it was sealed. A Problem unless it is theirs and still waits."""
    request = house.approver.get(request_id)
    if request is None or request.principal != principal.name:
        raise _unknown()
    if request.durable:
        raise Problem(
            409,
            "This call belongs to a run, which makes it itself.",
            fix="Let the run go on: POST /v1/runs/{id}/resume.",
            code="of_a_run",
        )
    data = house.approver.resume_data(request_id)
    if data is None:
        late = request.status.value == "expired"
        raise Problem(
            410 if late else 409,
            f"The request is {request.status.value}: there is no call left to make.",
            fix="Ask again.",
            approval=request_wire(request, _voice(principal)),
        )
    return _Asked(parse_action(data), approval_id=request_id)


def _sent(house: House, principal: Principal, body: bytes) -> _Asked:
    try:
        return _read(body, house.policy.current().config.limits, principal)
    except InvalidAction as error:
        raise Problem(400, error.what, fix=error.fix, code=error.code) from None


def _used(verdict: Verdict, principal: Principal) -> Verdict:
    """The verdict, unless it is about the approval that there is none to be had: that is a Problem."""
    code = verdict.reasons[0].code if verdict.reasons else ""
    status = _STATUSES.get(code)
    if verdict.decision is not Decision.DENY or status is None:
        return verdict
    if status == 404:
        raise _unknown()
    raise Problem(
        status,
        verdict.reasons[0].why,
        fix=verdict.reasons[0].instead,
        code=code,
        verdict=verdict_wire(verdict, _voice(principal)),
    )


def _unknown() -> Problem:
    return Problem(404, "There is no such approval request.", fix="Look for its id among your own.")


def _told(verdict: Verdict, principal: Principal) -> dict[str, Any]:
    voice = _voice(principal)
    if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
        return pending_wire(verdict, voice)
    return verdict_wire(verdict, voice)


def _voice(principal: Principal) -> Voice:
    return "agent" if principal.role == "agent" else "person"


def _read(body: bytes, limits: Limits, principal: Principal) -> _Asked:
    """What was sent: an action, or an envelope with one. InvalidAction if it is neither."""
    value = decode(body, limits)
    if not isinstance(value, dict) or "action" not in value or "type" in value:
        return _Asked(_of(principal, action_of(value)))
    envelope = _converted(value, Envelope)
    session_id = envelope.session_id
    if session_id is not None and envelope.action.setdefault("session_id", session_id) != session_id:
        raise InvalidAction("The action names another session than what it came in.", fix="Name one session.")
    action = action_of(envelope.action)
    return _Asked(_of(principal, action), envelope.approval_id, envelope.announced, envelope.made)


def _converted(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        # It may quote a value or a name that was sent: only the place is told.
        place = str(error).rpartition(" - at ")[2] if " - at " in str(error) else ""
        where = f" at {place}" if place and len(place) <= _LONGEST_PLACE else ""
        raise InvalidAction(f"What was sent has another form{where}.", fix="See /v1/openapi.json.") from None


def _of(principal: Principal, action: Action) -> Action:
    """The action as that of whoever sent it."""
    return msgspec.structs.replace(action, principal=principal.name)
