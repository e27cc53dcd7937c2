"""The runs of a house: starting, taking up, cancelling, looking at them.

What is kept, and who may take what up, is decided here; what happens inside a run is in `segment.py`. Who takes runs up
by itself is `dispatching.py`.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from os import urandom
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import GuardhouseError
from guardhouse.runs.interface import (
    FINAL,
    Call,
    CallState,
    NoSuchRun,
    NotDelegated,
    NotTaken,
    Run,
    RunStatus,
    Telling,
)
from guardhouse.runs.journal import Ended, Journal
from guardhouse.runs.roles import DEFAULT, by_name
from guardhouse.runs.scratch import make_scratch
from guardhouse.runs.segment import Hearing, Segment
from guardhouse.runs.store import RunRows
from guardhouse.runs.tools.interface import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable
    from pathlib import Path

    from pydantic_ai.models import Model

    from guardhouse.opening import LocalGuard
    from guardhouse.runs.holders import Holders
    from guardhouse.runs.interface import Outcome, Place, Why
    from guardhouse.runs.roles import Role
    from guardhouse.runs.tools.interface import Delegation

_LONGEST_TITLE: Final = 120
_LONGEST_TASK: Final = 200_000
"""Characters."""
_DEEPEST: Final = 4
"""Runs inside each other."""
_DENIED: Final[frozenset[Why]] = frozenset({"breaker", "output"})
"""What a run inside another failed of, if it is the gate that ended it."""


class Runs:
    """Runs in the database of `guard`. Safe to share between tasks.

    `guard_for` gives the guard that judges a run, by its workspace and principal; `guard` itself unless given. `model`
    is asked for when one is needed. `hears` is told what happens in runs that this process works on.
    """

    def __init__(
        self,
        guard: LocalGuard,
        *,
        roles: Iterable[Role],
        model: Callable[[Role], Model],
        holder: Holders,
        guard_for: Callable[[Run], LocalGuard] | None = None,
        hears: Callable[[Hearing], None] | None = None,
    ) -> None:
        self._guard = guard
        self._roles = by_name(roles)
        self._model = model
        self._holder = holder
        self._guard_for = guard_for or (lambda _run: guard)
        self._hears = hears
        self._seal = guard.seal("runs")
        self._database = guard.database
        self._working: set[str] = set()

    # Looking

    def get(self, run_id: str) -> Run:
        """The run as it stands. NoSuchRun."""
        with self._reading() as rows:
            return self._titled(rows, rows.get(run_id))

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
        """Runs that fit everything given and whose id begins so, newest first."""
        with self._reading() as rows:
            found = rows.find(
                status=status,
                principal=principal,
                session_id=session_id,
                parent_id=parent_id,
                beginning=beginning,
                limit=limit,
            )
            return [self._titled(rows, run) for run in found]

    def counts(self) -> dict[str, int]:
        """How many runs there are, by status."""
        with self._reading() as rows:
            return rows.counts()

    def has_open(self, principal: str, most: int) -> bool:
        """Whether so many runs of a principal, or more, are not over."""
        with self._reading() as rows:
            return rows.has_open(principal, most)

    def calls(self, run_id: str) -> list[Call]:
        """The calls of a run, in order. NoSuchRun."""
        with self._reading() as rows:
            rows.get(run_id)
            return rows.calls(run_id)

    def output(self, run_id: str) -> str | None:
        """What a run has answered; None if it has not."""
        with self._reading() as rows:
            rows.get(run_id)
            sealed = rows.sealed(run_id, "output")
        return None if sealed is None else self._seal.open("output", run_id, sealed).decode()

    def tellings(self, run_id: str, after: int = 0, *, limit: int = 1000) -> list[Telling]:
        """What was told of a run behind a number."""
        with self._reading() as rows:
            return rows.tellings(run_id, after, limit=limit)

    def told_of(self, after: int) -> dict[str, int]:
        """The runs of which something was told behind a number, each with the number of the last of it."""
        with self._reading() as rows:
            return rows.told_of(after)

    def latest_telling(self) -> int:
        """The number of what was told last of any run."""
        with self._reading() as rows:
            return rows.latest_telling()

    def of_request(self, request_id: str) -> Run | None:
        """The run with a call that waits for a request for approval."""
        with self._reading() as rows:
            run_id = rows.of_request(request_id)
            return None if run_id is None else rows.get(run_id)

    def waits_for(self, run_id: str) -> list[str]:
        """The requests for approval that a run, or one inside it, waits for."""
        with self._reading() as rows:
            return list(dict.fromkeys(_awaited(rows, run_id, _DEEPEST)))

    def is_held(self, run_id: str) -> bool:
        """Whether a process works on a run that has not ended, as far as this machine can tell. NoSuchRun."""
        with self._reading() as rows:
            is_running, holder = rows.get(run_id).status is RunStatus.RUNNING, rows.holder(run_id)
        return is_running and not self._is_free(run_id, holder or "")

    def family(self, run_id: str) -> list[Run]:
        """A run and those inside it, the innermost first. NoSuchRun."""
        with self._reading() as rows:
            return [self._titled(rows, run) for run in _family(rows, rows.get(run_id))]

    # Starting and ending

    def start(
        self,
        task: str,
        *,
        role: str = DEFAULT,
        place: Place = "program",
        principal: str | None = None,
        session_id: str | None = None,
        workspace: str = "",
        scratch: Path | None = None,
        status: RunStatus = RunStatus.READY,
    ) -> Run:
        """A new run, kept and to be taken up. Without a `workspace` it works in a new directory below `scratch`, if
        that is given. GuardhouseError for a role that there is none of, or if the directory can't be made."""
        self._role(role)
        if not task.strip() or len(task) > _LONGEST_TASK:
            raise GuardhouseError("A task has between 1 and 200,000 characters.", fix="Say what is to be done.")
        run = self._new(
            task,
            role=role,
            place=place,
            principal=principal,
            session_id=session_id or f"s_{urandom(8).hex()}",
            workspace=workspace,
            status=status,
        )
        if scratch is not None and not workspace:
            run = msgspec.structs.replace(run, workspace=make_scratch(scratch / run.id))
        with self._writing() as rows:
            rows.add(run, **self._sealed(run, task))
            rows.tell(run.id, "started", {"role": role})
            return run

    def cancel(self, run_id: str, *, actor: str) -> Run:
        """End a run, and those inside it. One that somebody works on ends when what it does at the moment is done."""
        gone = self._gone_holder(run_id)
        with self._guard.approvals.withdrawing(actor=actor) as (tables, withdraw):
            rows = RunRows(tables)
            run = rows.get(run_id)
            if run.status in FINAL:
                return self._titled(rows, run)
            inside = rows.descendants(run_id)
            for one in (run, *inside):
                rows.ask_to_cancel(one.id, actor)
            withdraw(rows.open_requests([run_id, *(one.id for one in inside)]))
            if run.status is not RunStatus.RUNNING or rows.holder(run_id) == gone:
                rows.tell(run_id, "cancelled", {})
                rows.end(run_id, RunStatus.CANCELLED)
        return self.get(run_id)

    def resume(self, run_id: str) -> Run:
        """Let a run that was paused be taken up again, with those inside it that were, and those that it is inside of.
        NotTaken unless it was."""
        with self._writing() as rows:
            if not rows.move(run_id, RunStatus.PAUSED, RunStatus.READY):
                status = rows.get(run_id).status.value
                raise NotTaken(f"The run is not paused, but {status}.", fix="Only a paused run can be resumed.")
            rows.tell(run_id, "resumed", {})
            for other in (*rows.above(run_id), *rows.descendants(run_id)):
                if rows.move(other.id, RunStatus.PAUSED, RunStatus.READY):
                    rows.tell(other.id, "resumed", {})
            return rows.get(run_id)

    def sweep(self, keep: float) -> int:
        """Cancel runs that nobody works on and that have stood still for `keep` seconds, and remove those that were
        over for as long; how many were removed."""
        with self._reading() as rows:
            before = rows.now() - keep
            waiting = rows.left_waiting(before, limit=1000)
        for run_id in waiting:
            with suppress(NoSuchRun):  # another node was quicker
                if not self.is_held(run_id):
                    self.cancel(run_id, actor="house:retention")
        with self._writing() as rows:
            return rows.remove(changed_before=before)

    def close(self) -> None:
        """Work on nothing any more."""
        self._holder.close()

    # Working

    def to_take_up(
        self, places: Collection[Place], *, limit: int = 100, answered: Collection[str] | None = None
    ) -> dict[str, str]:
        """Runs that can go on, the oldest first, also those that a process worked on which is gone. With `answered`
        only those that are ready, or waited for one of these requests, which is told with them."""
        with self._reading() as rows:
            found = rows.to_take_up(places, limit=limit, answered=answered)
            held = rows.held(places) if answered is None else []
        return found | {run_id: "" for run_id, holder in held if self._is_free(run_id, holder)}

    def _is_free(self, run_id: str, holder: str) -> bool:
        """Whether nobody works on a run, although somebody has it: they are gone, or it is this process, which could
        not let it go."""
        if holder == self._holder.name:
            return run_id not in self._working
        return self._holder.is_gone(holder)

    async def take_up(
        self,
        run_id: str,
        *,
        from_anybody: bool = False,
        resumes: bool = True,
        when_stopped: RunStatus = RunStatus.PAUSED,
    ) -> Run:
        """Work on a run until it waits or is over; the run as it stands then.

        NotTaken if somebody works on it (unless it may be taken `from_anybody`, because they are known to be gone), it
        waits for something, or it is over; and if it is paused, unless this `resumes` it. If the model can't be asked
        it is paused; if the program is stopped it stands as `when_stopped`, and what raises anything unforeseen is
        paused too.
        """
        run = await self._taken(run_id, from_anybody=from_anybody, resumes=resumes, when_stopped=when_stopped)
        journal = self._journal(run)
        try:
            guard = await asyncio.to_thread(self._guard_for, run)
            role = await asyncio.to_thread(self._role(run.role).whole)
            segment = Segment(
                run,
                guard=guard,
                journal=journal,
                role=role,
                model=self._model(role),
                names=_names(run),
                delegates=_Inside(self, run, journal, when_stopped),
                hears=self._hears,
            )
            return await segment.work()
        except GuardhouseError as error:
            return await asyncio.to_thread(self._paused, journal, error)
        except (asyncio.CancelledError, KeyboardInterrupt):
            with suppress(GuardhouseError):  # it is over, or another's, or will be found without its process
                await asyncio.shield(asyncio.to_thread(journal.let_go, when_stopped))
            raise
        except Exception:
            with suppress(GuardhouseError):
                await asyncio.to_thread(journal.let_go, RunStatus.PAUSED, "state")
            raise
        finally:
            self._working.discard(run_id)

    async def _taken(self, run_id: str, *, from_anybody: bool, resumes: bool, when_stopped: RunStatus) -> Run:
        """The run, once it is this process's. Whoever is stopped meanwhile lets it go again."""
        taking = asyncio.create_task(asyncio.to_thread(self._take, run_id, from_anybody=from_anybody, resumes=resumes))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            with suppress(GuardhouseError):  # it was not to be had, and nothing is to be let go
                run = await taking
                await asyncio.to_thread(self._journal(run).let_go, when_stopped)
            self._working.discard(run_id)
            raise

    def _paused(self, journal: Journal, error: GuardhouseError) -> Run:
        """The run of a segment that failed, for which somebody has to do something before it goes on."""
        from guardhouse.runs.interface import Overtaken

        if isinstance(error, Overtaken):
            journal.let_go(RunStatus.PAUSED, "state")  # which raises the same, unless it is still ours
        from guardhouse.runs.models import NoModel

        about_model = isinstance(error, NoModel)
        if not about_model:
            from guardhouse.runs.conversing import ModelTrouble

            about_model = isinstance(error, ModelTrouble)
        paused = journal.let_go(RunStatus.PAUSED, "model" if about_model else "state")
        self._guard.note(
            f"a run was paused: {error.what}", source="run", run_id=paused.id, session_id=paused.session_id
        )
        if self._hears is not None:
            self._hears(Hearing(paused.id, "trouble", {"what": error.what, "fix": error.fix}))
        return paused

    def _gone_holder(self, run_id: str) -> str | None:
        """Who has a run although nobody works on it. Looked at outside of any transaction: it may take one."""
        with self._reading() as rows:
            holder = rows.holder(run_id)
        return holder if holder is not None and self._is_free(run_id, holder) else None

    def _take(self, run_id: str, *, from_anybody: bool, resumes: bool) -> Run:
        gone = self._gone_holder(run_id)
        with self._writing() as rows:
            run = rows.get(run_id)
            if run.status in FINAL:
                raise NotTaken(f"The run is over ({run.status.value}).", fix="Start another one.")
            if run.status is RunStatus.PAUSED and not resumes:
                raise NotTaken("The run is paused.", fix="Resume it.")
            is_held = run.status is RunStatus.RUNNING and not from_anybody
            if is_held and (rows.holder(run_id) != gone or run_id in self._working):
                raise NotTaken("Somebody works on this run.", fix="Follow it there.")
            if run.status is RunStatus.WAITING and not rows.is_settled(run_id):
                raise NotTaken("The run waits for an answer.", fix="Answer what it asks: `guardhouse approvals list`.")
            self._working.add(run_id)  # inside: nobody looks until this is committed
            try:
                taken = rows.take(run_id, self._holder.name)
                rows.tell(run_id, "running", {"segment": taken.segment})
            except BaseException:
                self._working.discard(run_id)
                raise
            return taken

    # Inside

    def _journal(self, run: Run) -> Journal:
        return Journal(self._database, self._seal, run, withdrawing=self._guard.approvals.withdrawing)

    def _role(self, name: str) -> Role:
        if name not in self._roles:
            known = ", ".join(sorted(self._roles))
            raise GuardhouseError(f"There is no role of that name. There are: {known}.", fix="Name one of them.")
        return self._roles[name]

    def _new(self, task: str, **fields: Any) -> Run:
        with self._reading() as rows:
            now = rows.now()
        title = self._guard.masked(" ".join(task.split()))[:_LONGEST_TITLE]
        return Run(id=f"run_{urandom(12).hex()}", title=title, created_at=now, changed_at=now, **fields)

    def _sealed(self, run: Run, task: str) -> dict[str, bytes]:
        texts = {"title": run.title, "task": task}
        return {name: self._seal.seal(name, run.id, text.encode("utf-8", "replace")) for name, text in texts.items()}

    def _titled(self, rows: RunRows, run: Run) -> Run:
        sealed = rows.sealed(run.id, "title")
        return msgspec.structs.replace(run, title=self._seal.open("title", run.id, sealed or b"").decode())

    def inside(self, parent: Run, call: Call, task: str, role: str) -> tuple[Run, dict[str, bytes]]:
        """A run inside another one, with what is sealed of it: under the same session, so with its grants and all that
        it knows. Not kept yet."""
        child = self._new(
            task,
            role=role,
            place=parent.place,
            principal=parent.principal,
            session_id=parent.session_id,
            workspace=parent.workspace,
            status=RunStatus.READY,
            parent_id=parent.id,
            parent_call=call.call_id,
        )
        return child, self._sealed(child, task)

    def depth(self, run: Run) -> int:
        """How many runs a run is inside of."""
        depth = 0
        with self._reading() as rows:
            while run.parent_id is not None:
                run, depth = rows.get(run.parent_id), depth + 1
        return depth

    def has_role(self, name: str) -> bool:
        """Whether there is a role of that name."""
        return name in self._roles

    @contextmanager
    def _reading(self) -> Generator[RunRows]:
        with self._database.reading() as rows:
            yield RunRows(rows)

    @contextmanager
    def _writing(self) -> Generator[RunRows]:
        with self._database.writing() as rows:
            yield RunRows(rows)


class _Inside:
    """Runs that are calls of another one."""

    def __init__(self, runs: Runs, parent: Run, journal: Journal, when_stopped: RunStatus) -> None:
        self._runs = runs
        self._parent = parent
        self._journal = journal
        self._when_stopped = when_stopped

    async def start(self, call: Call, delegation: Delegation) -> Call:
        """Keep the run that the call is, and let the call wait for it."""
        return await asyncio.to_thread(self._start, call, delegation)

    def _start(self, call: Call, delegation: Delegation) -> Call:
        role = delegation.role or DEFAULT
        if not self._runs.has_role(role):
            raise NotDelegated("There is no role of that name.", fix="Leave it out.")
        if self._runs.depth(self._parent) + 1 >= _DEEPEST:
            raise NotDelegated("Runs are inside each other too deeply.", fix="Do it without another one.")
        child, sealed = self._runs.inside(self._parent, call, delegation.task, role)
        return self._journal.wait_for(call, child, **sealed)

    async def answer(self, call: Call) -> Ended | None:
        """Take the run further, if nobody else does; what it has answered, if it is over."""
        assert call.child_id is not None  # noqa: S101 - only such calls are asked about
        try:
            child = await self._runs.take_up(call.child_id, when_stopped=self._when_stopped)
        except NotTaken:
            child = await asyncio.to_thread(self._runs.get, call.child_id)
        if child.status is RunStatus.DONE:
            answer: str | None = await asyncio.to_thread(self._runs.output, child.id)
            return Ended("completed", answer or "")
        if child.status in FINAL:
            why = f": {child.why}" if child.why else ""
            outcome: Outcome = "denied" if child.why in _DENIED else "failed"
            return Ended(outcome, f"It came to no answer ({child.status.value}{why}).")
        return None

    async def is_paused(self, call: Call) -> bool:
        """Whether the run goes on only if somebody resumes it: then so does this one."""
        return (await asyncio.to_thread(self._runs.get, call.child_id or "")).status is RunStatus.PAUSED


def _names(run: Run) -> Names:
    return Names(
        session_id=run.session_id,
        run_id=run.id,
        parent_run_id=run.parent_id,
        principal=run.principal,
        cwd=run.workspace or None,
    )


def _family(rows: RunRows, run: Run) -> Generator[Run]:
    for child in reversed(rows.find(parent_id=run.id, limit=1000)):
        yield from _family(rows, child)
    yield run


def _awaited(rows: RunRows, run_id: str, deepest: int) -> Generator[str]:
    for call in rows.calls(run_id, undelivered=True):
        if call.state in {CallState.WAITING, CallState.RETURNED} and call.request_id:
            yield call.request_id
        if call.state is CallState.WAITING and call.child_id and deepest:
            yield from _awaited(rows, call.child_id, deepest - 1)
