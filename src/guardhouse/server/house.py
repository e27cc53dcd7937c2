"""The parts of a daemon at work together: the policy, a gate for each principal, requests, record, tokens, channels.

What is done here is done in threads and may wait for a disk or a name look-up; how it is asked for over HTTP is in the
modules beside it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar, cast

from guardhouse.audit import AuditIndex, ChainWatch, IndexFollower
from guardhouse.config import ReloadingPolicy
from guardhouse.desk import Desk
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.model import ApprovalStatus, GuardhouseError, visible
from guardhouse.opening import At, open_at, with_first_look
from guardhouse.pins import PinStore
from guardhouse.runs.dispatching import Dispatcher
from guardhouse.runs.opening import open_runs
from guardhouse.runs.scratch import tidy_scratch
from guardhouse.server.door import Door
from guardhouse.server.following import Following
from guardhouse.server.mcp_sessions import Sessions as McpSessions
from guardhouse.server.metrics import Metrics
from guardhouse.server.run_news import RunNews
from guardhouse.sign_ins import Lasting, SignIns
from guardhouse.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from guardhouse.approvals import Approver, Changes
    from guardhouse.approvals.channels import Courier
    from guardhouse.config import Sources
    from guardhouse.database import PostgresDatabase
    from guardhouse.guard import Resolver
    from guardhouse.model import Remembered, SessionState, Traces, Transcript
    from guardhouse.opening import LocalGuard
    from guardhouse.runs import Run, Runs
    from guardhouse.runs.jobs import JobDispatcher
    from guardhouse.sessions import SessionIndex
    from guardhouse.tokens import Principal

_Done = TypeVar("_Done")

_THREADS: Final = 24
_DAY: Final = 86_400
_MOST_GUARDS: Final = 1000
_AT_ONCE: Final = 6
"""Large or slow actions of one principal that are judged at a time."""


class House:
    """What the daemon works with. `start` and `stop` it in the event loop that serves."""

    def __init__(
        self,
        sources: Sources,
        *,
        resolver: Resolver | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.sources: Final = sources
        self.policy: Final = ReloadingPolicy(with_first_look(sources))
        self.desk: Final = Desk(sources.locations, self.policy.current, has_stdout=True)
        self.tokens: Final = Tokens(self.desk.database)
        self.metrics: Final = Metrics()
        self.sign_ins: Final = SignIns(self.desk.database, self._lasting)
        self.door: Final = Door(
            self.tokens, self.sign_ins, lambda: self.policy.current().config.server.requests_per_minute
        )
        self.following: Final = Following(
            self.approver, on_wake=self._woken, on_change=self._changed, report=self.report
        )
        self.mcp: Final = McpSessions(self)
        self.run_news: Final = RunNews(lambda: self.runs)
        self.dispatcher: Final = Dispatcher(
            lambda: self.runs,
            at_once=lambda: self.policy.current().config.runs.at_once,
            keep=lambda: self.policy.current().config.runs.keep_days * _DAY,
            report=self.report,
            on_segment=self.metrics.worked,
            on_sweep=lambda: tidy_scratch(self.runs, sources.locations.scratch),
        )
        audit = sources.locations.state / "audit"
        self.record: Final = AuditIndex(audit, sources.locations.cache / "audit-index.db")
        self.chain: Final = ChainWatch(audit, self.report)
        self._follower: Final = IndexFollower(self.record, self.report)
        self.threads: Final = ThreadPoolExecutor(_THREADS, thread_name_prefix="guardhouse")
        threads = _THREADS + self.policy.current().config.runs.at_once  # a run that works holds one at most
        self._judging: Final = ThreadPoolExecutor(threads, thread_name_prefix="guardhouse-judging")
        self.begun: Final = time.monotonic()
        self._resolver: Final = resolver or SystemResolver()
        self._files: Final = LocalFiles()
        self._pins: Final = PinStore(sources.locations.pins)
        self._report: Final = report or _say
        self._courier: Final = self._open_courier(sources.variables)
        self._guards: dict[str | None, LocalGuard] = {}
        self._guards_lock: Final = Lock()
        self._turns: Final[dict[str, asyncio.Semaphore]] = {}
        self._jobs: Final = self._open_jobs()
        self._runs: Runs | None = None
        self._runs_lock: Final = Lock()
        self._has_worked = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def approver(self) -> Approver:
        """The requests, and answering them."""
        return self.desk.approver

    @property
    def sessions(self) -> SessionIndex:
        """What was said and returned; by `session_key`."""
        return self.desk.sessions

    @property
    def runs(self) -> Runs:
        """The runs of agents, opened when they are first asked for."""
        with self._runs_lock:
            if self._runs is None:
                self._runs = open_runs(
                    self.guard_of_name(None),
                    guard_for=self._guard_of_run,
                    holder=self._jobs.workers if self._jobs is not None else None,
                )
            return self._runs

    def _open_jobs(self) -> JobDispatcher | None:
        """Runs as jobs, where several nodes share a database."""
        if not self.desk.database.is_shared:
            return None
        from guardhouse.runs.jobs import JobDispatcher, Workers

        database = cast("PostgresDatabase", self.desk.database)
        return JobDispatcher(
            database,
            Workers(database),
            self.dispatcher.take_up,
            to_take_up=lambda: self.runs.to_take_up(["daemon"]),
            at_once=self.policy.current().config.runs.at_once,
            report=self.report,
            sweep=self.dispatcher.sweep,
        )

    def _guard_of_run(self, run: Run) -> LocalGuard:
        """The gate of who started a run."""
        self.starts_for_agents()
        return self.guard_of_name(run.principal)

    def starts_for_agents(self) -> None:
        """From now on this process is an agent's too: nothing that it starts can approve anything."""
        if not self._has_worked:
            self.desk.register_agent("runs of the daemon")
            self._has_worked = True

    def guard_of(self, principal: Principal) -> LocalGuard:
        """The gate of a principal. All decide alike; each sees its own sessions only."""
        return self.guard_of_name(principal.name)

    def guard_of_name(self, name: str | None) -> LocalGuard:
        """The same, by the name that stands in its requests; none stands in those of this machine's own agents, which
        ask without the daemon and have sessions of their own."""
        guard = self._guards.get(name)
        if guard is not None:
            return guard
        with self._guards_lock:
            if len(self._guards) >= _MOST_GUARDS:
                self._guards.clear()
            at = At(
                policy=self.policy,
                desk=self.desk,
                sessions=self.desk if name is None else _OwnSessions(self.desk, name),
                files=self._files,
                pins=self._pins,
            )
            guard = self._guards[name] = open_at(self.sources, at, self._resolver)
            return guard

    async def in_thread(self, call: Callable[[], _Done]) -> _Done:
        """What `call` gives, without holding the event loop up meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, call)

    async def in_judging_thread(self, principal: Principal, call: Callable[[], _Done]) -> _Done:
        """The same, for what agents ask, a few at a time of each: however much one asks, others get their turn, and
        people can answer."""
        if len(self._turns) > _MOST_GUARDS:
            self._turns.clear()
        async with self._turns.setdefault(principal.id, asyncio.Semaphore(_AT_ONCE)):
            return await asyncio.get_running_loop().run_in_executor(self._judging, call)

    def _lasting(self) -> Lasting:
        config = self.policy.current().config.server
        return Lasting(config.console_idle, config.console_session)

    def count_pending(self) -> int:
        """How many requests wait for an answer."""
        return self.approver.count_pending()

    def note(self, principal: Principal, detail: str) -> None:
        """Record what somebody changed in the house; on disk when this returns."""
        self.desk.note(detail, source="http", actor=actor_of(principal), durable=True)

    def report(self, problem: str) -> None:
        """Tell whoever runs the daemon of a problem; without secrets, and in one line."""
        try:
            masked = self.policy.current().redactor.text(problem)
        except Exception as error:  # noqa: BLE001 - without a policy nothing says what to mask
            masked = f"a problem that can't be told, because of {type(error).__name__}"
        self._report(visible(masked))

    async def start(self) -> None:
        """Begin to follow the requests and the record, and to carry cards to where people are."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(self._judging)
        self.following.start()
        if self._jobs is None:
            self.dispatcher.start()
        else:
            await self._start_jobs(self._jobs)
        self._follower.start()
        self.chain.start()
        if self._courier is not None:
            self._courier.start()

    async def _start_jobs(self, jobs: JobDispatcher) -> None:
        """Work on runs together with other nodes. Where that can't be, the daemon does everything else."""
        try:
            await jobs.start()
        except GuardhouseError as error:
            self.report(f"Runs are not worked on here: {error}")

    async def stop(self) -> None:
        """Let go of everything; what is under way is finished first."""
        if self._courier is not None and not await asyncio.to_thread(self._courier.stop):
            self.report("A channel did not end in time; its cards are looked after when the daemon begins again.")
        await self.mcp.stop()
        await (self.dispatcher if self._jobs is None else self._jobs).stop()
        await self.following.stop()
        self.run_news.close()
        await asyncio.to_thread(self.chain.stop)
        self._judging.shutdown(wait=True)
        self.threads.shutdown(wait=True)
        self._follower.stop()
        if self._runs is not None:
            self._runs.close()
        self.desk.close()

    @property
    def is_whole(self) -> bool:
        """Whether everything that should run still does."""
        return self.following.is_running and (self._courier is None or self._courier.is_running)

    def _open_courier(self, variables: Mapping[str, str]) -> Courier | None:
        """Who carries cards to channels elsewhere, if the policy names any. GuardhouseError if one can't be used."""
        config = self.policy.current().config
        if not config.approvals.telegram.chat_ids and not config.approvals.webhook.url:
            return None
        from guardhouse.approvals.channels import Courier, courier_settings, open_notifiers
        from guardhouse.egress.posting import Posting

        notifiers = open_notifiers(config, variables, Posting)
        return Courier(
            self.approver, self.desk.database, notifiers, settings=courier_settings(config), report=self.report
        )

    def _woken(self) -> None:
        """Something was changed in the database; in the thread that follows it."""
        self.door.forget()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.dispatcher.look)
            self.run_news.look(self._loop)

    def _changed(self, changes: Changes) -> None:
        self.metrics.changed(changes.requests)
        settled = {
            request.id: request.answered_at
            for request in changes.requests
            if request.durable and request.status is not ApprovalStatus.PENDING
        }
        if settled:
            self.dispatcher.answered(settled)


class _OwnSessions:
    """The sessions of one principal: nobody else can speak in them, or learn what was said."""

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._name = name

    def remember(self, session_id: str, remembered: Remembered) -> None:
        self._desk.remember(session_key(self._name, session_id), remembered)

    def state(self, session_id: str) -> SessionState:
        return self._desk.state(session_key(self._name, session_id))

    def traces(self, session_id: str, values: Sequence[str]) -> Traces:
        return self._desk.traces(session_key(self._name, session_id), values)

    def transcript(self, session_id: str) -> Transcript:
        return self._desk.transcript(session_key(self._name, session_id))

    def known_as(self, session_id: str) -> str:
        return session_key(self._name, session_id)


def session_key(principal: str, session_id: str) -> str:
    """What a principal's session is kept by. No name of a principal has a slash in it."""
    return f"{principal}/{session_id}"


def actor_of(principal: Principal) -> str:
    """Who answered, for the record: who authenticated, never a field of the request."""
    return f"{principal.role}:{principal.name}"


def _say(problem: str) -> None:
    print(f"guardhouse: {problem}", file=sys.stderr, flush=True)
