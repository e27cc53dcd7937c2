"""The pages of runs: which there are and how they stand, and one with its calls, what it waits for, and its answer.

Small frozen views; what came from an agent or a model has passed through `plain`. What may be done to a run is said in
`server/runs.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

import msgspec

from guardhouse.runs import FINAL, CallState, NoSuchRun, RunStatus
from guardhouse.runs.calling import OUTPUT
from guardhouse.server.auditing import seq_in
from guardhouse.server.console.events import Word, lines_of, shown
from guardhouse.server.console.links import session_link
from guardhouse.server.console.rendering import fragment
from guardhouse.server.console.spans import waited
from guardhouse.server.problems import Problem
from guardhouse.server.reading import one_of
from guardhouse.server.runs import calls_of, cancelled, resumed, visible

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.runs import Call, Run
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 100
_MOST_CALLS: Final = 500
_NAME: Final = 120
_OUTPUT: Final = 400_000
STANDS: Final = {
    RunStatus.READY: Word("Ready", "clock", "plain"),
    RunStatus.RUNNING: Word("Running", "run", "plain"),
    RunStatus.WAITING: Word("Waits", "ask", "asked"),
    RunStatus.PAUSED: Word("Paused", "pause", "asked"),
    RunStatus.DONE: Word("Done", "check", "allow"),
    RunStatus.FAILED: Word("Failed", "cross", "deny"),
    RunStatus.CANCELLED: Word("Cancelled", "stop", "plain"),
}
CAME_OF_IT: Final = {
    "completed": Word("Completed", "check", "allow"),
    "redacted": Word("Redacted", "mask", "redacted"),
    "denied": Word("Denied", "cross", "deny"),
    "failed": Word("Failed", "alert", "plain"),
    "unknown": Word("Not known", "alert", "asked"),
}
STATES: Final = {
    CallState.PLANNED: Word("Planned", "plan", "plain"),
    CallState.WAITING: Word("Waits", "ask", "asked"),
    CallState.BEGUN: Word("Begun", "run", "plain"),
    CallState.RETURNED: Word("Its result waits", "ask", "asked"),
    CallState.ENDED: Word("Ended", "check", "plain"),
}
WHYS: Final = {
    "": "",
    "model": "The model could not be asked, or gave no usable answer.",
    "steps": "It took as many steps as it may.",
    "tokens": "It used as many tokens as it may.",
    "denied": "The gate did not let its task in.",
    "breaker": "Too many calls in a row were denied.",
    "state": "What is kept of it, or something that it depends on, can't be used. The daemon's log says more.",
    "output": "Its answer may not be shown.",
}


class RunTile(msgspec.Struct, frozen=True, kw_only=True):
    """A run among others."""

    id: str
    title: str
    word: Word
    agent: str
    place: str
    steps: int
    tokens: int
    created_at: float
    changed_at: float
    waits_for: tuple[str, ...]
    why: str


class CallStep(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a run."""

    tool: str
    is_output: bool
    word: Word
    took: str
    at: float | None
    request_id: str
    child_id: str
    trace: str
    """Where the record of it is."""


async def page(house: House, _principal: Principal, request: Request) -> Response:
    """Runs, newest first; all, or those that stand in one way."""
    status = one_of(request, "status", RunStatus)
    newest, tiles = await house.in_thread(partial(_listed, house, status))
    chosen = "" if status is None else status.value
    kinds = [(one.value, word.text) for one, word in STANDS.items()]
    return fragment("runs.html", runs=tiles, newest=newest, chosen=chosen, kinds=kinds, most=_MOST)


async def news(house: House, _principal: Principal, request: Request) -> Response:
    """In how many runs something has happened since, in a header."""
    after = seq_in(request, "after") or 0
    told = await house.in_thread(lambda: house.runs.told_of(after))
    return fragment("nothing.html", headers={"guardhouse-new": str(len(told))})


async def show(house: House, principal: Principal, request: Request) -> Response:
    """One run: how it stands, what it waits for, its calls in their order, and what it has answered."""
    await visible(house, principal, request.path_params["id"])
    return await _shown(house, request.path_params["id"])


async def run_news(house: House, principal: Principal, request: Request) -> Response:
    """How much has happened in a run since, in a header."""
    after = seq_in(request, "after") or 0
    run = await visible(house, principal, request.path_params["id"])
    told = await house.in_thread(lambda: house.runs.tellings(run.id, after, limit=99))
    return fragment("nothing.html", headers={"guardhouse-new": str(len(told))})


async def cancel(house: House, principal: Principal, request: Request) -> Response:
    """End a run; its page as it is then."""
    run = await visible(house, principal, request.path_params["id"])
    await house.in_thread(partial(cancelled, house, principal, run))
    return await _shown(house, run.id)


async def resume(house: House, principal: Principal, request: Request) -> Response:
    """Let a paused run go on; its page as it is then."""
    run = await visible(house, principal, request.path_params["id"])
    await house.in_thread(partial(resumed, house, principal, run))
    return await _shown(house, run.id)


async def _shown(house: House, run_id: str) -> Response:
    views = await house.in_thread(partial(_views, house, run_id))
    return fragment("run.html", **views)


def _listed(house: House, status: RunStatus | None) -> tuple[int, tuple[RunTile, ...]]:
    runs = house.runs
    newest = runs.latest_telling()  # first: what comes in between is news
    found = runs.find(status=None if status is None else [status], limit=_MOST)
    return newest, tuple(_tile(house, run) for run in found)


def _views(house: House, run_id: str) -> dict[str, Any]:
    runs = house.runs
    try:
        newest = runs.latest_telling()
        run, calls = runs.get(run_id), calls_of(house, run_id)
        output = runs.output(run_id) if run.status is RunStatus.DONE else None
    except NoSuchRun:
        raise Problem(404, "There is no such run.", fix="It may have been removed when it was old.") from None
    inside = runs.find(parent_id=run_id, limit=_MOST)
    is_daemons = run.place == "daemon"
    return {
        "run": _tile(house, run),
        "newest": newest,
        "workspace": shown(run.workspace, 400),
        "role": shown(run.role, _NAME),
        "session": shown(run.session_id, _NAME),
        "session_link": session_link(run.principal, run.session_id),
        "parent": run.parent_id or "",
        "segment": run.segment,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cancelled_by": shown(run.cancel_asked_by or "", _NAME),
        "record": f"/audit?{urlencode({'run': run.id})}",
        "calls": tuple(_step(run, call) for call in calls[-_MOST_CALLS:]),
        "earlier": max(0, len(calls) - _MOST_CALLS),
        "inside": tuple(_tile(house, child) for child in reversed(inside)),
        "output": lines_of(output, _OUTPUT) if output is not None else (),
        "is_answered": output is not None,
        "may_cancel": run.status not in FINAL and run.cancel_asked_by is None,
        "may_resume": run.status is RunStatus.PAUSED and is_daemons,
    }


def _tile(house: House, run: Run) -> RunTile:
    waits = run.status is RunStatus.WAITING
    return RunTile(
        id=run.id,
        title=shown(run.title, 240),
        word=STANDS[run.status],
        agent=shown(run.principal or "", _NAME),
        place=run.place,
        steps=run.steps,
        tokens=run.input_tokens + run.output_tokens,
        created_at=run.created_at,
        changed_at=run.changed_at,
        waits_for=tuple(house.runs.waits_for(run.id)) if waits else (),
        why=WHYS[run.why],
    )


def _step(run: Run, call: Call) -> CallStep:
    took = ""
    if call.begun_at is not None and call.ended_at is not None:
        took = waited(call.ended_at - call.begun_at)
    by_call = f"/audit?{urlencode({'run': run.id, 'call': call.call_id})}"
    return CallStep(
        tool=shown(call.tool, _NAME),
        is_output=call.tool == OUTPUT,
        word=CAME_OF_IT.get(call.outcome) or STATES[call.state],
        took=took,
        at=call.ended_at or call.begun_at,
        request_id=call.request_id or "",
        child_id=call.child_id or "",
        trace=f"/audit/{quote(call.request_id)}" if call.request_id else by_call,
    )
