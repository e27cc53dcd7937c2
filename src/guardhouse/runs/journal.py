"""The journal of one segment of a run: how far each call has come, written before and after it is made.

A call that is in the journal as begun is never made again by itself. So a crash between two entries leaves at most a
call of which nobody knows whether it was made, never one that was made twice.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.runs.interface import Call, CallState, Outcome, Run, RunStatus
from guardhouse.runs.store import RunRows

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from guardhouse.approvals import Withdrawing
    from guardhouse.database import Database, Rows
    from guardhouse.model import Settlement
    from guardhouse.ports import Alongside
    from guardhouse.runs.interface import Why
    from guardhouse.sealing import Seal


class Ended(msgspec.Struct, frozen=True):
    """What the model is told of a call."""

    outcome: Outcome
    text: str


class Returned(msgspec.Struct, frozen=True):
    """What a tool came back with, before the gate has let anybody see it."""

    params: dict[str, Any]
    content: Any
    raised: bool


class Entry:
    """A call that is being made: how it stands changes while the gate asks people."""

    def __init__(self, call: Call) -> None:
        self.call = call


class Journal:
    """Of one run, for the segment that works on it. Every change raises Overtaken once another one does."""

    def __init__(self, database: Database, seal: Seal, run: Run, *, withdrawing: Withdrawing) -> None:
        """`withdrawing` gives transactions in which requests can be taken back: whatever a run asks ends with it."""
        self._database = database
        self._seal = seal
        self._withdrawing = withdrawing
        self._id = run.id
        self.segment = run.segment

    @contextmanager
    def _writing(self) -> Generator[RunRows]:
        with self._database.writing() as rows:
            yield RunRows(rows)

    @contextmanager
    def _reading(self) -> Generator[RunRows]:
        with self._database.reading() as rows:
            yield RunRows(rows)

    # What is kept of the conversation

    def state(self) -> bytes | None:
        """The conversation, as it was kept last."""
        with self._reading() as rows:
            sealed = rows.sealed(self._id, "state")
        return None if sealed is None else self._seal.open("state", self._id, sealed)

    def task(self) -> str:
        """What the run is to do."""
        with self._reading() as rows:
            sealed = rows.sealed(self._id, "task")
        return self._seal.open("task", self._id, sealed or b"").decode()

    def keep_step(self, state: bytes, calls: Iterable[Call], tokens: tuple[int, int]) -> None:
        """Keep what the model has answered, and the calls that it wants."""
        sealed = self._seal.seal("state", self._id, state)
        wanted = list(calls)
        with self._writing() as rows:
            rows.keep_step(self._id, self.segment, state=sealed, calls=wanted, tokens=tokens)
            rows.tell(self._id, "step", {"tools": [call.tool for call in wanted if call.tool]})

    def open_calls(self) -> list[Call]:
        """The calls that the model has not been told of yet."""
        with self._reading() as rows:
            return rows.calls(self._id, undelivered=True)

    def call(self, call_id: str) -> Call:
        """One call, as it stands."""
        with self._reading() as rows:
            return rows.call(self._id, call_id)

    def tokens(self) -> int:
        """Tokens used so far, by all runs that are inside each other."""
        with self._reading() as rows:
            return rows.tokens(self._id)

    def is_to_end(self) -> str | None:
        """Who wants the run to end, if anybody does."""
        with self._reading() as rows:
            return rows.get(self._id).cancel_asked_by

    # A call's way

    def alongside(self, entry: Entry, returned: Returned | None = None) -> Alongside:
        """What is written together with a settlement of the gate's question: that the call waits, or is begun; of a
        result that `returned`, that it waits. A refusal changes nothing here."""

        def write(rows: Rows, settlement: Settlement) -> None:
            runs, call = RunRows(rows), entry.call
            if settlement.granted:
                if returned is None:
                    self._begin(runs, call)
            elif settlement.request is not None and settlement.refusal is None and settlement.edited is None:
                state = CallState.WAITING if returned is None else CallState.RETURNED
                sealed = None if returned is None else self._sealed(call, returned)
                request_id = settlement.request.id
                runs.change_call(call, self.segment, state=state, request_id=request_id, sealed=sealed)
                if call.request_id != request_id:
                    runs.tell(self._id, "asked", {"call": call.call_id, "tool": call.tool, "approval": request_id})

        return write

    def begin(self, call: Call) -> Call:
        """Note that a call is made now."""
        with self._writing() as rows:
            return self._begin(rows, call)

    def _begin(self, rows: RunRows, call: Call) -> Call:
        rows.check_going_on(self._id)
        rows.tell(self._id, "begun", {"call": call.call_id, "tool": call.tool})
        return rows.change_call(call, self.segment, state=CallState.BEGUN, begun_at=rows.now())

    def again(self, call: Call, *, attempt: int) -> Call:
        """Let a call that was begun in an earlier segment be planned anew."""
        with self._writing() as rows:
            rows.tell(self._id, "unknown", {"call": call.call_id, "tool": call.tool, "asks": attempt > call.attempt})
            return rows.change_call(
                call, self.segment, state=CallState.PLANNED, attempt=attempt, request_id=None, begun_at=None
            )

    def end(self, call: Call, ended: Ended) -> tuple[Call, int]:
        """Note what became of a call. Also gives how many were denied in a row."""
        sealed = self._seal.seal("call", _name(call), ended.text.encode("utf-8", "replace"))
        with self._writing() as rows:
            after = rows.change_call(
                call, self.segment, state=CallState.ENDED, outcome=ended.outcome, ended_at=rows.now(), sealed=sealed
            )
            told = {"call": call.call_id, "tool": call.tool, "outcome": ended.outcome}
            rows.tell(self._id, "ended", told)
            return after, rows.count_denial(self._id, self.segment, ended.outcome)

    def wait_for(self, call: Call, child: Run, *, title: bytes, task: bytes) -> Call:
        """Start a run that a call is to be, and note that the call waits for it."""
        with self._writing() as rows:
            rows.check_going_on(self._id)
            rows.add(child, title=title, task=task)
            rows.tell(self._id, "delegated", {"call": call.call_id, "run": child.id})
            return rows.change_call(call, self.segment, state=CallState.WAITING, child_id=child.id, begun_at=rows.now())

    def told(self, call: Call) -> str:
        """What the model is told of a call that has ended."""
        with self._reading() as rows:
            sealed = rows.sealed_call(self._id, call.call_id)
        return self._seal.open("call", _name(call), sealed or b"").decode()

    def returned(self, call: Call) -> Returned:
        """What a tool has come back with that waits to be seen."""
        with self._reading() as rows:
            sealed = rows.sealed_call(self._id, call.call_id)
        return msgspec.json.decode(self._seal.open("call", _name(call), sealed or b""), type=Returned)

    def _sealed(self, call: Call, returned: Returned) -> bytes:
        return self._seal.seal("call", _name(call), msgspec.json.encode(returned))

    # The run's way

    def let_go(self, status: RunStatus, why: Why = "") -> Run:
        """Stop working on the run, which goes on later."""
        with self._writing() as rows:
            if rows.get(self._id).cancel_asked_by is None:
                told = {"why": why} if why else {}
                rows.tell(self._id, status.value, told)
                for above in rows.above(self._id) if status is RunStatus.PAUSED else ():
                    if rows.move(above.id, RunStatus.WAITING, RunStatus.PAUSED):  # nothing else would wake it
                        rows.tell(above.id, status.value, told)
                return rows.let_go(self._id, self.segment, status, why)
        return self.finish(RunStatus.CANCELLED)

    def finish(self, status: RunStatus, why: Why = "", output: str | None = None) -> Run:
        """End the run for good."""
        sealed = None if output is None else self._seal.seal("output", self._id, output.encode("utf-8", "replace"))
        with self._withdrawing(actor="run") as (tables, withdraw):
            rows = RunRows(tables)
            rows.check_held(self._id, self.segment)
            rows.tell(self._id, status.value, {"why": why} if why else {})
            # Nothing is left that it asks, nor those inside it: nobody would use an answer.
            withdraw(rows.open_requests([self._id, *(one.id for one in rows.descendants(self._id))]))
            return rows.end(self._id, status, why, output=sealed)


def _name(call: Call) -> str:
    return f"{call.run_id}\0{call.call_id}"
