"""The rows of runs, their calls and what is told of them, in the database that also holds requests for approval: what
belongs together changes in one transaction.

Only statements are here, with the conditions under which they may take effect. Whoever holds a run says so with the
number of its segment; if another process has taken it up since, nothing is changed, and `Overtaken` is raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.database import SqliteDatabase
from guardhouse.runs.interface import FINAL, Call, CallState, IsToEnd, NoSuchRun, Overtaken, Run, RunStatus, Telling

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from guardhouse.database import Database, Rows
    from guardhouse.runs.interface import Outcome, Place, Why

_RUN: Final = tuple(name for name in Run.__struct_fields__ if name != "title")
_CALL: Final = Call.__struct_fields__
_RUNS: Final = f"SELECT {', '.join(_RUN)} FROM runs"  # noqa: S608 - names of columns, from our own structs
_CALLS: Final = f"SELECT {', '.join(_CALL)} FROM run_calls"  # noqa: S608 - the same
_MOST_LISTED: Final = 1000
_SETTLED: Final = (
    "NOT EXISTS (SELECT 1 FROM run_calls c WHERE c.run_id = runs.id AND c.delivered = 0 AND ("
    "c.state IN ('waiting', 'returned') AND "
    "EXISTS (SELECT 1 FROM requests q WHERE q.id = c.request_id AND q.status = 'pending')"
    " OR c.state = 'waiting' AND "
    "EXISTS (SELECT 1 FROM runs r WHERE r.id = c.child_id AND r.status NOT IN ('done', 'failed', 'cancelled'))))"
)
"""Nothing that a run waits for is still to come."""
_UNATTENDED: Final = (
    "NOT EXISTS (SELECT 1 FROM runs above WHERE above.id = runs.parent_id AND above.status = 'running')"
)
"""Nobody works on the run that a run is inside of, and would take it up."""


class RunRows:
    """Runs, inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def now(self) -> float:
        """The clock that all who use the database share."""
        return self._rows.now()

    # Looking

    def get(self, run_id: str) -> Run:
        """The run with that id, without its title, which is sealed; NoSuchRun."""
        found = self._rows.run(f"{_RUNS} WHERE id = ?", (run_id,))
        if not found:
            raise NoSuchRun
        return _run_of(found[0])

    def find(
        self,
        *,
        status: Collection[RunStatus] | None = None,
        principal: str | None = None,
        session_id: str | None = None,
        parent_id: str | None = None,
        beginning: str = "",
        limit: int = 100,
    ) -> list[Run]:
        """Runs that fit everything given and whose id begins so, newest first, without their titles."""
        where, values = ["substr(id, 1, ?) = ?"], [len(beginning), beginning]  # type: list[str], list[Any]
        for column, value in (("principal", principal), ("session_id", session_id), ("parent_id", parent_id)):
            if value is not None:
                where.append(f"{column} = ?")
                values.append(value)
        if status is not None:
            where.append(f"status IN ({', '.join('?' * len(status)) or 'NULL'})")
            values += [one.value for one in status]
        statement = f"{_RUNS} WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT ?"
        return [_run_of(row) for row in self._rows.run(statement, (*values, min(max(limit, 0), _MOST_LISTED)))]

    def counts(self) -> dict[str, int]:
        """How many runs there are, by status."""
        return {status: int(count) for status, count in self._rows.run("SELECT status, count(*) FROM runs GROUP BY 1")}

    def has_open(self, principal: str, most: int) -> bool:
        """Whether so many runs of a principal, or more, are not over."""
        count = "SELECT count(*) FROM runs WHERE status IN ('ready', 'running', 'waiting', 'paused')"
        if int(self._rows.run(count)[0][0]) < most:
            return False  # which an index tells; whose they are stands in the rows
        return int(self._rows.run(f"{count} AND principal = ?", (principal,))[0][0]) >= most

    def calls(self, run_id: str, *, undelivered: bool = False) -> list[Call]:
        """The calls of a run in the order in which the model wanted them; only those it has not been told of yet."""
        only = " AND delivered = 0" if undelivered else ""
        found = self._rows.run(f"{_CALLS} WHERE run_id = ?{only} ORDER BY number", (run_id,))
        return [_call_of(row) for row in found]

    def call(self, run_id: str, call_id: str) -> Call:
        """One call of a run."""
        found = self._rows.run(f"{_CALLS} WHERE run_id = ? AND call_id = ?", (run_id, call_id))
        if not found:
            raise NoSuchRun
        return _call_of(found[0])

    def sealed(self, run_id: str, what: Literal["title", "task", "state", "output"]) -> bytes | None:
        """What is sealed of a run."""
        column = f"sealed_{what}"
        found = self._rows.run(f"SELECT {column} FROM runs WHERE id = ?", (run_id,))  # noqa: S608 - one of four
        return found[0][0] if found else None

    def sealed_call(self, run_id: str, call_id: str) -> bytes | None:
        """What is sealed of a call."""
        found = self._rows.run("SELECT sealed FROM run_calls WHERE run_id = ? AND call_id = ?", (run_id, call_id))
        return found[0][0] if found else None

    def holder(self, run_id: str) -> str | None:
        """Who works on a run."""
        found = self._rows.run("SELECT holder FROM runs WHERE id = ?", (run_id,))
        return found[0][0] if found else None

    def to_take_up(
        self, places: Collection[Place], *, limit: int, answered: Collection[str] | None = None
    ) -> dict[str, str]:
        """Runs that can go on: ready ones, and those that wait for nothing any more. The oldest first. With `answered`,
        of those that waited only such as waited for one of these requests, each with that: it costs nothing that others
        wait."""
        there = f"place IN ({_marks(places)})"
        requests: Collection[str] = ()
        waited = f"'' FROM runs WHERE status = 'waiting' AND {there} AND {_SETTLED}"
        if answered is not None:
            requests = answered
            waited = (
                "w.request_id FROM run_calls w JOIN runs ON runs.id = w.run_id WHERE w.state IN ('waiting', 'returned')"
                f" AND w.request_id IN ({_marks(answered)}) AND runs.status = 'waiting' AND {there} AND {_SETTLED}"
            )
        found = self._rows.run(
            f"SELECT number, id, '' FROM runs WHERE status = 'ready' AND {there} AND {_UNATTENDED} "  # noqa: S608
            f"UNION ALL SELECT runs.number, runs.id, {waited} ORDER BY 1 LIMIT ?",
            (*places, *requests, *places, limit),
        )
        return {run_id: request_id for _number, run_id, request_id in found}

    def of_request(self, request_id: str) -> str | None:
        """The run with a call that waits for a request."""
        found = self._rows.run(
            "SELECT run_id FROM run_calls WHERE request_id = ? AND state IN ('waiting', 'returned')", (request_id,)
        )
        return found[0][0] if found else None

    def left_waiting(self, changed_before: float, *, limit: int) -> list[str]:
        """Runs that have stood still since then, and are not over. Somebody may still work on one that is running."""
        found = self._rows.run(
            "SELECT id FROM runs WHERE status IN ('ready', 'running', 'waiting', 'paused') AND changed_at < ? "
            "ORDER BY number LIMIT ?",
            (changed_before, limit),
        )
        return [run_id for (run_id,) in found]

    def is_settled(self, run_id: str) -> bool:
        """Whether nothing that a run waits for is still to come."""
        return bool(self._rows.run(f"SELECT 1 FROM runs WHERE id = ? AND {_SETTLED}", (run_id,)))  # noqa: S608

    def held(self, places: Collection[Place]) -> list[tuple[str, str]]:
        """Runs that somebody works on, each with who."""
        statement = f"SELECT id, holder FROM runs WHERE status = 'running' AND place IN ({_marks(places)})"  # noqa: S608
        return [(run_id, holder) for run_id, holder in self._rows.run(statement, tuple(places))]

    def tellings(self, run_id: str, after: int, *, limit: int = 1000) -> list[Telling]:
        """What was told of a run behind a number, in order."""
        found = self._rows.run(
            "SELECT number, run_id, at, kind, told FROM run_events WHERE run_id = ? AND number > ? "
            "ORDER BY number LIMIT ?",
            (run_id, after, limit),
        )
        return [Telling(number, one, at, kind, msgspec.json.decode(told)) for number, one, at, kind, told in found]

    def latest_telling(self) -> int:
        """The number of what was told last of any run."""
        return int(self._rows.run("SELECT coalesce(max(number), 0) FROM run_events")[0][0])

    def told_of(self, after: int) -> dict[str, int]:
        """The runs of which something was told behind a number, each with the number of the last of it."""
        found = self._rows.run("SELECT run_id, max(number) FROM run_events WHERE number > ? GROUP BY run_id", (after,))
        return {run_id: int(number) for run_id, number in found}

    # Changing

    def add(self, run: Run, *, title: bytes, task: bytes) -> None:
        """A new run."""
        values = {**_plain(run), "holder": None, "denied_in_a_row": 0, "sealed_title": title, "sealed_task": task}
        del values["title"]
        names = ", ".join(values)
        self._rows.announce()
        self._rows.change(
            f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608 - our own columns
            tuple(values.values()),
        )

    def take(self, run_id: str, holder: str) -> Run:
        """Let `holder` work on a run, whatever it stood at: whether that may be is for the caller to have looked."""
        self._rows.announce()
        self._rows.change(
            "UPDATE runs SET status = 'running', holder = ?, segment = segment + 1, changed_at = ? WHERE id = ?",
            (holder, self.now(), run_id),
        )
        return self.get(run_id)

    def check_held(self, run_id: str, segment: int) -> None:
        """Overtaken unless that segment of the run is the one at work."""
        if not self._rows.run(
            "SELECT 1 FROM runs WHERE id = ? AND segment = ? AND status = 'running'", (run_id, segment)
        ):
            raise Overtaken

    def check_going_on(self, run_id: str) -> None:
        """IsToEnd if the run, or one that it is inside of, is over or is to be."""
        if any(
            run.status in FINAL or run.cancel_asked_by is not None for run in (self.get(run_id), *self.above(run_id))
        ):
            raise IsToEnd

    def descendants(self, run_id: str) -> list[Run]:
        """Those inside a run that are not over, and those inside them."""
        found = self.children(run_id)
        inside = [one for run in found for one in self.descendants(run.id)]
        return [run for run in found if run.status not in FINAL] + inside

    def above(self, run_id: str) -> list[Run]:
        """The runs that a run is inside of, the innermost first."""
        found: list[Run] = []
        parent_id = self.get(run_id).parent_id
        while parent_id is not None:
            found.append(self.get(parent_id))
            parent_id = found[-1].parent_id
        return found

    def tokens(self, run_id: str) -> int:
        """Tokens that a run has used, with those that it is inside of and all that are inside of these."""
        outermost = ([self.get(run_id), *self.above(run_id)])[-1]
        found = self._rows.run(
            "WITH RECURSIVE family (id, used) AS (SELECT id, input_tokens + output_tokens FROM runs WHERE id = ? "
            "UNION ALL SELECT r.id, r.input_tokens + r.output_tokens FROM runs r JOIN family f ON r.parent_id = f.id) "
            "SELECT sum(used) FROM family",
            (outermost.id,),
        )
        return int(found[0][0])

    def children(self, run_id: str) -> list[Run]:
        """The runs that calls of a run were passed on to."""
        return [_run_of(row) for row in self._rows.run(f"{_RUNS} WHERE parent_id = ?", (run_id,))]

    def open_requests(self, run_ids: Collection[str]) -> list[str]:
        """The requests for approval that calls of these runs wait for, and no call of another one that goes on."""
        marks = _marks(run_ids)
        found = self._rows.run(
            f"SELECT DISTINCT request_id FROM run_calls c WHERE run_id IN ({marks}) AND request_id IS NOT NULL "  # noqa: S608
            "AND state IN ('waiting', 'returned') AND NOT EXISTS (SELECT 1 FROM run_calls o JOIN runs r "
            "ON r.id = o.run_id WHERE o.request_id = c.request_id AND o.state IN ('waiting', 'returned') "
            f"AND o.run_id NOT IN ({marks}) AND r.status NOT IN ('done', 'failed', 'cancelled'))",
            (*run_ids, *run_ids),
        )
        return [request_id for (request_id,) in found]

    def keep_step(
        self, run_id: str, segment: int, *, state: bytes, calls: Iterable[Call], tokens: tuple[int, int]
    ) -> None:
        """What the model has answered: the conversation so far, and the calls it wants. It has been told of all it
        wanted before."""
        self.check_held(run_id, segment)
        self._rows.change(
            "UPDATE run_calls SET delivered = 1, sealed = NULL WHERE run_id = ? AND delivered = 0", (run_id,)
        )
        self._rows.change(
            "UPDATE runs SET sealed_state = ?, steps = steps + 1, input_tokens = input_tokens + ?, "
            "output_tokens = output_tokens + ?, changed_at = ? WHERE id = ?",
            (state, *tokens, self.now(), run_id),
        )
        for call in calls:
            values = {**_plain(call), "delivered": 0}
            self._rows.change(
                f"INSERT INTO run_calls ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608
                tuple(values.values()),
            )

    def change_call(self, before: Call, segment: int, *, sealed: bytes | None = None, **fields: Any) -> Call:
        """Let a call come further, if it still stands as it did and the run is still ours."""
        self.check_held(before.run_id, segment)
        after = msgspec.structs.replace(before, **fields)
        plain = {name: value for name, value in _plain(after).items() if name in _CHANGING}
        changed = self._rows.change(
            f"UPDATE run_calls SET {', '.join(f'{name} = ?' for name in plain)}, sealed = ? "  # noqa: S608 - columns
            "WHERE run_id = ? AND call_id = ? AND state = ? AND attempt = ?",
            (*plain.values(), sealed, before.run_id, before.call_id, before.state.value, before.attempt),
        )
        if changed != 1:
            raise Overtaken
        return after

    def count_denial(self, run_id: str, segment: int, outcome: Outcome) -> int:
        """How many calls were denied, counting this one, since one last came to something."""
        self.check_held(run_id, segment)
        steps = {"denied": "denied_in_a_row + 1", "completed": "0", "redacted": "0"}
        counted = steps.get(outcome, "denied_in_a_row")
        self._rows.change(f"UPDATE runs SET denied_in_a_row = {counted} WHERE id = ?", (run_id,))  # noqa: S608 - ours
        return int(self._rows.run("SELECT denied_in_a_row FROM runs WHERE id = ?", (run_id,))[0][0])

    def let_go(self, run_id: str, segment: int, status: RunStatus, why: Why = "") -> Run:
        """Stop working on a run that goes on later."""
        self.check_held(run_id, segment)
        self._rows.announce()
        self._rows.change(
            "UPDATE runs SET status = ?, why = ?, holder = NULL, changed_at = ? WHERE id = ?",
            (status.value, why, self.now(), run_id),
        )
        return self.get(run_id)

    def move(self, run_id: str, before: RunStatus, after: RunStatus) -> bool:
        """Let a run that nobody works on stand elsewhere; whether it stood as `before`."""
        self._rows.announce()
        return bool(
            self._rows.change(
                "UPDATE runs SET status = ?, changed_at = ? WHERE id = ? AND status = ?",
                (after.value, self.now(), run_id, before.value),
            )
        )

    def end(self, run_id: str, status: RunStatus, why: Why = "", *, output: bytes | None = None) -> Run:
        """End a run for good, and those inside it. What was kept to go on with is erased."""
        assert status in FINAL  # noqa: S101 - a mistake of ours
        self._rows.announce()
        self._rows.change(
            "UPDATE runs SET status = ?, why = ?, holder = NULL, sealed_task = NULL, sealed_state = NULL, "
            "sealed_output = ?, changed_at = ? WHERE id = ?",
            (status.value, why, output, self.now(), run_id),
        )
        self._rows.change("UPDATE run_calls SET sealed = NULL WHERE run_id = ?", (run_id,))
        for inside in self.children(run_id):
            if inside.status is RunStatus.RUNNING:
                self.ask_to_cancel(inside.id, "run")
            elif inside.status not in FINAL:
                self.end(inside.id, RunStatus.CANCELLED)
        return self.get(run_id)

    def ask_to_cancel(self, run_id: str, actor: str) -> None:
        """Let whoever works on a run know that it is to end."""
        self._rows.announce()
        self._rows.change("UPDATE runs SET cancel_asked_by = ? WHERE id = ?", (actor, run_id))

    def tell(self, run_id: str, kind: str, told: Mapping[str, Any]) -> None:
        """Add to what is told of a run."""
        self._rows.announce()
        self._rows.change(
            "INSERT INTO run_events (run_id, at, kind, told) VALUES (?, ?, ?, ?)",
            (run_id, self.now(), kind, msgspec.json.encode(told).decode()),
        )

    def remove(self, *, changed_before: float) -> int:
        """Remove runs that were over by then, with all that is known of them."""
        return self._rows.change(
            "DELETE FROM runs WHERE status IN ('done', 'failed', 'cancelled') AND changed_at < ?", (changed_before,)
        )


def count_runs(path: Path, shared: str | None) -> dict[str, int]:
    """How many runs there are by status, in a file or in the database that nodes share. No file is made by looking."""
    if not shared and not path.exists():
        return {}
    database: Database = _shared(shared) if shared else SqliteDatabase(path)
    try:
        with database.reading() as rows:
            return RunRows(rows).counts()
    finally:
        database.close()


def _shared(url: str) -> Database:
    from guardhouse.database import PostgresDatabase  # few have one

    return PostgresDatabase(url)


_CHANGING: Final = ("state", "outcome", "attempt", "request_id", "child_id", "begun_at", "ended_at")


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values)) or "NULL"


def _plain(struct: Run | Call) -> dict[str, Any]:
    fields = msgspec.structs.asdict(struct)
    return {name: value.value if isinstance(value, (RunStatus, CallState)) else value for name, value in fields.items()}


def _run_of(row: tuple[Any, ...]) -> Run:
    return msgspec.convert(dict(zip(_RUN, row, strict=True)), Run)


def _call_of(row: tuple[Any, ...]) -> Call:
    return msgspec.convert(dict(zip(_CALL, row, strict=True)), Call)
