"""`/v1/runs…`: starting runs that the daemon works on, looking at them, following, cancelling and resuming them.

A run is its principal's: an agent sees and touches its own; people see all. What happens in one is judged as everything
that its principal asks for, in sessions of its principal. Who takes runs up is `runs/dispatching.py`.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from guardhouse.model import GuardhouseError
from guardhouse.runs import FINAL, CallState, NoSuchRun, NotTaken, RunStatus
from guardhouse.runs.calling import OUTPUT
from guardhouse.runs.models import NoModel, check_model
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import number, one_of, read_small
from guardhouse.wire import moment_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from guardhouse.runs import Call, Run, Telling
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

LISTED_BY: Final = ("status", "session_id", "principal", "limit")
_MOST: Final = 1000
_MOST_OPEN: Final = 5000
"""Runs of one principal that are not over."""
_LONGEST_WAIT: Final = 60
_LARGEST: Final = 1024 * 1024
"""Bytes of a task."""
_PING: Final = 15
_AT_ONCE: Final = 200
_CHECKED_EVERY: Final = 5.0
"""Seconds after which it is looked whether the token is still good."""
_STILL: Final = frozenset({*FINAL, RunStatus.PAUSED})
"""Where a run stands that does not go on by itself."""


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run to be started."""

    task: Annotated[str, msgspec.Meta(min_length=1, max_length=200_000)]
    """What is to be done."""
    role: Annotated[str, msgspec.Meta(max_length=100)] = "agent"
    session_id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | None = None
    """A session of the principal's that it is to be part of; one of its own if none is named."""
    workspace: Annotated[str, msgspec.Meta(min_length=1, max_length=4096)] | None = None
    """One of the directories in `runs.workspaces`; a new one if none is named."""


async def start(house: House, principal: Principal, request: Request) -> Response:
    """Start a run; at once, before anything of it was done."""
    given: NewRun = await read_small(request, NewRun, most=_LARGEST)
    run = await house.in_thread(partial(_started, house, principal, given))
    return answer(run_wire(run), 201)


async def list_(house: House, principal: Principal, request: Request) -> Response:
    """Runs, newest first; an agent's own, for people everybody's or one principal's."""
    status = one_of(request, "status", RunStatus)
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    own = None if has_right(principal, "answer") else principal.name
    found = await house.in_thread(
        lambda: house.runs.find(
            status=None if status is None else [status],
            principal=own or request.query_params.get("principal"),
            session_id=request.query_params.get("session_id"),
            limit=limit,
        )
    )
    return answer({"runs": [run_wire(run) for run in found]})


async def show(house: House, principal: Principal, request: Request) -> Response:
    """One run with its calls, what it waits for, and its output; with `wait`, once it is over or paused, or so many
    seconds have passed."""
    wait = number(request, "wait", 0, most=_LONGEST_WAIT)
    run_id = request.path_params["id"]
    run = await visible(house, principal, run_id)
    if wait and run.status not in _STILL:
        await _stood_still(house, run_id, wait)
        await house.in_thread(partial(house.door.check_still, principal))
    return answer(await house.in_thread(partial(_told, house, run_id)))


async def events(house: House, principal: Principal, request: Request) -> Response:
    """What happens in a run, as it happens, until it is over. `Last-Event-ID` tells what was missed."""
    run = await visible(house, principal, request.path_params["id"])
    most = house.policy.current().config.server.max_streams
    listening = house.following.listening + house.run_news.listening
    if listening >= (most if has_right(principal, "answer") else max(1, most // 2)):
        raise Problem(503, "Too many listen already.", fix="Try again later, or raise `server.max_streams`.")
    given = request.headers.get("last-event-id", "")
    if given and not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Problem(400, "`Last-Event-ID` is no number of an event.", fix="Leave it out.")
    if request.method == "HEAD":
        raise Problem(405, "Events can only be listened to.")
    after = int(given or 0)
    if run.status in FINAL and not await house.in_thread(lambda: house.runs.tellings(run.id, after, limit=1)):
        return Response(status_code=204)  # whoever comes back by itself stops doing so
    return EventSourceResponse(_followed(house, principal, run.id, after), ping=_PING)


async def cancel(house: House, principal: Principal, request: Request) -> Response:
    """End a run, and those inside it; what it does at the moment is done first."""
    run = await visible(house, principal, request.path_params["id"])
    return answer(run_wire(await house.in_thread(partial(cancelled, house, principal, run))))


async def resume(house: House, principal: Principal, request: Request) -> Response:
    """Let a paused run go on."""
    run = await visible(house, principal, request.path_params["id"])
    return answer(run_wire(await house.in_thread(partial(resumed, house, principal, run))))


# What others say of runs too


async def visible(house: House, principal: Principal, run_id: str) -> Run:
    """The run, if this principal may see it; the same Problem whether it is another's or none."""
    try:
        run = await house.in_thread(lambda: house.runs.get(run_id))
    except NoSuchRun:
        raise _unknown() from None
    if not has_right(principal, "answer") and run.principal != principal.name:
        raise _unknown()
    return run


def cancelled(house: House, principal: Principal, run: Run) -> Run:
    """The run, ended or about to; in a thread."""
    if run.status in FINAL:
        raise Problem(409, f"The run is over ({run.status.value}).", run=run_wire(run))
    _noted(house, principal, run, "a run was cancelled")
    return house.runs.cancel(run.id, actor=actor_of(principal))


def resumed(house: House, principal: Principal, run: Run) -> Run:
    """The run, to be taken up again; in a thread."""
    if run.place != "daemon" and run.status is RunStatus.PAUSED:
        raise Problem(409, "No daemon works on this run.", fix="Resume it where it was started.", code="not_a_daemons")
    try:
        ready = house.runs.resume(run.id)
    except NotTaken as error:
        raise Problem(409, error.what, fix=_HOW_IT_GOES_ON.get(run.status, ""), run=run_wire(run)) from None
    _noted(house, principal, run, "a run was resumed")
    return ready


def calls_of(house: House, run_id: str) -> list[Call]:
    """The calls of a run, in order. Its answer is among them only if that has to wait, or was denied."""
    calls = house.runs.calls(run_id)
    return [call for call in calls if call.tool != OUTPUT or call.state is not CallState.PLANNED]


def run_wire(run: Run) -> dict[str, Any]:
    """A run, its times as text."""
    told: dict[str, Any] = msgspec.to_builtins(run)
    for name in ("created_at", "changed_at"):
        told[name] = moment_wire(told[name])
    return told


def call_wire(call: Call) -> dict[str, Any]:
    """A call of a run: how far it has come, and what came of it, without its arguments."""
    told: dict[str, Any] = {"call_id": call.call_id, "tool": call.tool, "state": call.state.value}
    told |= {name: value for name in ("outcome", "request_id", "child_id") if (value := getattr(call, name))}
    told |= {name: moment_wire(at) for name in ("begun_at", "ended_at") if (at := getattr(call, name)) is not None}
    return told


# Inside

_HOW_IT_GOES_ON: Final = {
    RunStatus.WAITING: "Answer what it waits for.",
    RunStatus.READY: "It is taken up as soon as there is room.",
    RunStatus.RUNNING: "It goes on already.",
}


def _started(house: House, principal: Principal, given: NewRun) -> Run:
    section = house.policy.current().config.runs
    try:
        check_model(section.model)
    except NoModel as error:
        raise Problem(503, error.what, fix=error.fix, code="no_model") from None
    runs = house.runs
    if not runs.has_role(given.role):
        raise Problem(422, "There is no such role.", fix="Leave `role` out.")
    if not given.task.strip():
        raise Problem(422, "There is no task.", fix="Say what is to be done.")
    if runs.has_open(principal.name, _MOST_OPEN):
        raise Problem(
            429, "Too many runs of this token are not over.", fix="Cancel some.", headers={"retry-after": "60"}
        )
    workspace = _workspace(section.workspaces, given.workspace)
    try:
        return runs.start(
            given.task,
            role=given.role,
            place="daemon",
            principal=principal.name,
            session_id=given.session_id,
            workspace=workspace,
            scratch=house.sources.locations.scratch,
        )
    except OSError as error:
        raise GuardhouseError(f"A run can't be kept: {error.strerror}.") from None


def _workspace(allowed: tuple[str, ...], wanted: str | None) -> str:
    """The directory that was asked for, as it really is; nothing if none was."""
    if wanted is None:
        return ""
    real = os.path.realpath(wanted) if wanted.startswith("/") and "\0" not in wanted else ""
    if not real or real not in map(os.path.realpath, allowed) or not os.path.isdir(real):  # noqa: PTH112
        raise Problem(
            422,
            "Runs may not be started there.",
            fix="Leave `workspace` out, or have an administrator name the directory in `runs.workspaces`.",
            code="workspace",
        )
    return real


async def _stood_still(house: House, run_id: str, seconds: float) -> None:
    """Until the run is over or paused, or so many seconds have passed."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    with house.run_news.watching(run_id) as watch:
        while (left := end - loop.time()) > 0:
            try:
                run = await house.in_thread(lambda: house.runs.get(run_id))
            except NoSuchRun:
                return
            if run.status in _STILL:
                return
            await watch.news(left)


async def _followed(house: House, principal: Principal, run_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    """Everything behind `after`, until the run is over or the token no longer good."""
    with house.run_news.watching(run_id) as watch:
        while True:
            try:
                run, told = await house.in_thread(partial(_news, house, run_id, after))
            except NoSuchRun:
                return
            for telling in told:
                after = telling.number
                yield _event(telling)
            if len(told) == _AT_ONCE:
                continue
            if run.status in FINAL or house.following.is_ending:
                return
            await watch.news(_CHECKED_EVERY)
            try:
                await house.in_thread(partial(house.door.check_still, principal))
            except Problem:
                return


def _news(house: House, run_id: str, after: int) -> tuple[Run, list[Telling]]:
    run = house.runs.get(run_id)  # before what was told: then nothing is missed of one that is over
    return run, house.runs.tellings(run_id, after, limit=_AT_ONCE)


def _event(telling: Telling) -> ServerSentEvent:
    told = {"run_id": telling.run_id, "at": moment_wire(telling.at), "kind": telling.kind, **telling.told}
    return ServerSentEvent(data=msgspec.json.encode(told).decode(), event="run", id=str(telling.number))


def _told(house: House, run_id: str) -> dict[str, Any]:
    runs = house.runs
    try:
        run, calls = runs.get(run_id), calls_of(house, run_id)
        told = {**run_wire(run), "waits_for": runs.waits_for(run_id), "calls": [call_wire(call) for call in calls]}
        if run.status is RunStatus.DONE:
            told["output"] = runs.output(run_id)
    except NoSuchRun:
        raise _unknown() from None
    return told


def _noted(house: House, principal: Principal, run: Run, what: str) -> None:
    house.desk.note(
        what, source="http", actor=actor_of(principal), session_id=run.session_id, run_id=run.id, durable=True
    )


def _unknown() -> Problem:
    return Problem(404, "There is no such run.", fix="Look for its id among your own.")
