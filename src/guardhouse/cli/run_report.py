"""A run as it stands, for people and for machines: what it did, asked, was denied, and what it came to."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.approvals.card import moment, outcome
from guardhouse.runs import FINAL, Call, CallState, RunStatus
from guardhouse.runs.calling import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.approvals import Approver
    from guardhouse.model import ApprovalRequest
    from guardhouse.runs import Run, Runs, Telling

_WHY = {
    "model": "the model gave no usable answer",
    "steps": "it took more steps than `runs.most_steps`",
    "tokens": "it took more tokens than `runs.most_tokens`",
    "denied": "the gate denies the task itself",
    "breaker": "too many calls in a row were denied",
    "state": "what is kept of it, or needed for it, can't be used",
    "output": "its answer may not be shown",
}


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """A run with those inside it."""

    run: Run
    is_held: bool
    calls: tuple[Call, ...]
    """Of all of them; without their answers, which are no tool's."""
    asked: tuple[ApprovalRequest, ...]
    waits_for: tuple[str, ...]
    output: str | None
    tokens: tuple[int, int]

    @property
    def is_abandoned(self) -> bool:
        """Whether it was being worked on by a process that is gone."""
        return self.run.status is RunStatus.RUNNING and not self.is_held

    def count(self, *outcomes: str) -> int:
        """How many calls came to one of these."""
        return sum(call.outcome in outcomes for call in self.calls)


def report(runs: Runs, approvals: Approver, run_id: str) -> RunReport:
    """How a run stands. NoSuchRun."""
    family = runs.family(run_id)
    run = family[-1]
    asked = [
        approvals.get(str(told.told["approval"]))
        for one in family
        for told in runs.tellings(one.id)
        if told.kind == "asked"
    ]
    return RunReport(
        run=run,
        is_held=runs.is_held(run_id),
        calls=tuple(call for one in family for call in runs.calls(one.id) if call.tool != OUTPUT),
        asked=tuple(request for request in asked if request is not None),
        waits_for=() if run.status in FINAL else tuple(runs.waits_for(run_id)),
        output=runs.output(run_id),
        tokens=(sum(one.input_tokens for one in family), sum(one.output_tokens for one in family)),
    )


def standing(run: Run, *, is_abandoned: bool) -> str:
    """How a run stands, in a few words."""
    if is_abandoned:
        return "its process is gone: resume it"
    words = {
        RunStatus.READY: "not begun",
        RunStatus.RUNNING: "a process works on it",
        RunStatus.WAITING: "waits for an answer",
        RunStatus.PAUSED: "paused until it is resumed",
    }
    return words.get(run.status, run.status.value) + (f": {_WHY.get(run.why, run.why)}" if run.why else "")


def wire(told: RunReport) -> dict[str, Any]:
    """The same for machines."""
    run = told.run
    return {
        "run_id": run.id,
        "status": run.status.value,
        "why": run.why,
        "abandoned": told.is_abandoned,
        "title": run.title,
        "role": run.role,
        "place": run.place,
        "workspace": run.workspace,
        "session_id": run.session_id,
        "created_at": run.created_at,
        "changed_at": run.changed_at,
        "steps": run.steps,
        "tokens": {"input": told.tokens[0], "output": told.tokens[1]},
        "calls": [_call_wire(call) for call in told.calls],
        "denied": told.count("denied"),
        "redacted": told.count("redacted"),
        "asked": [
            {"approval": one.id, "tool": one.tool_name, "status": one.status.value, "by": one.actor}
            for one in told.asked
        ],
        "waits_for": list(told.waits_for),
        "output": told.output,
    }


def _call_wire(call: Call) -> dict[str, Any]:
    return {
        "run_id": call.run_id,
        "call_id": call.call_id,
        "tool": call.tool,
        "state": call.state.value,
        "outcome": call.outcome,
        "attempt": call.attempt,
        "approval": call.request_id,
        "child": call.child_id,
        "begun_at": call.begun_at,
        "ended_at": call.ended_at,
    }


def summary_lines(told: RunReport) -> Iterator[str]:
    """What a run has done, when it stops."""
    run = told.run
    state = standing(run, is_abandoned=told.is_abandoned)
    seconds = max(0.0, run.changed_at - run.created_at)
    yield f"── {run.id}: {state}"
    made = Counter(call.tool for call in told.calls if call.outcome in {"completed", "redacted", "failed"})
    named = f" ({', '.join(f'{tool} {count}' for tool, count in sorted(made.items()))})" if made else ""
    more = [
        f"{count} {words}"
        for count, words in (
            (told.count("denied"), "denied"),
            (told.count("failed"), "failed"),
            (told.count("unknown"), "of unknown outcome"),
            (told.count("redacted"), "with a masked result"),
        )
        if count
    ]
    yield f"   calls: {', '.join([f'{made.total()} made{named}', *more])}"
    for one in told.asked:
        yield f"   asked: {one.id} {one.tool_name or one.action_type}: {outcome(one)}"
    yield f"   {_effort(told)}, {seconds:.1f} seconds"


def _effort(told: RunReport) -> str:
    steps = told.run.steps
    answers = f"{steps} answer{'' if steps == 1 else 's'} of the model"
    return f"{answers}, {told.tokens[0]} tokens read, {told.tokens[1]} written"


def list_line(run: Run, *, is_abandoned: bool, now: float) -> str:
    """One run of a list."""
    status = "gone" if is_abandoned else run.status.value
    return f"{run.id}  {status:<9}  {_age(now - run.changed_at):>4}  {run.title}"


def show_lines(told: RunReport, tellings: list[Telling]) -> Iterator[str]:
    """All that may be shown of a run."""
    run = told.run
    yield f"{run.id}  {run.status.value}"
    yield f"  stands:    {standing(run, is_abandoned=told.is_abandoned)}"
    yield f"  task:      {run.title}"
    yield f"  workspace: {run.workspace or '(none)'}"
    yield f"  session:   {run.session_id}"
    yield f"  begun:     {moment(run.created_at)}; last changed {moment(run.changed_at)}"
    yield f"  so far:    {_effort(told)}"
    for call in told.calls:
        yield f"  call:      {_call_line(call)}"
    for one in told.asked:
        yield f"  asked:     {one.id} {one.tool_name or one.action_type}: {outcome(one)}"
    for one_id in told.waits_for:
        yield f"  waits for: {one_id}"
    for each in tellings:
        words = " ".join(f"{name}={_flat(value)}" for name, value in each.told.items())
        yield f"  event:     {time.strftime('%H:%M:%S', time.gmtime(each.at))} {each.kind} {words}".rstrip()


def _call_line(call: Call) -> str:
    how = {
        CallState.PLANNED: "to be made",
        CallState.WAITING: f"waits for {call.child_id or call.request_id}",
        CallState.BEGUN: "begun, not ended",
        CallState.RETURNED: f"made; whether the model may see the result waits for {call.request_id}",
        CallState.ENDED: call.outcome,
    }[call.state]
    return f"{call.tool}: {how}{f' (attempt {call.attempt + 1})' if call.attempt else ''}"


def _flat(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(0, int(seconds))}s"
