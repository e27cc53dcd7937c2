"""Opens a guard on this machine: the real ports, and the policy that the configuration files make."""

from __future__ import annotations

import inspect
import os
import sys
import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar, overload

import msgspec

from guardhouse.config import ReloadingPolicy, find_sources
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.guard import Guard, utc
from guardhouse.model import ApprovalStatus, AuditEvent, GuardhouseError, RedactedText

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from guardhouse.adapters import GuardedAsyncFunction, GuardedFunction
    from guardhouse.approvals import Approver
    from guardhouse.audit import AuditLog
    from guardhouse.config import Locations, Sources
    from guardhouse.detect import Detector
    from guardhouse.guard import Resolver
    from guardhouse.model import ApprovalRequest, Asked, Settlement
    from guardhouse.policy import Policy

P = ParamSpec("P")
R = TypeVar("R")
_DAY: Final = 86_400
_LARGE_STORE: Final = 8 * 1024 * 1024
"""From this size on, finished requests that are older than the record are removed when the store is opened."""
_AGENTS: Final = "agents"
"""The registry of guarded agents, in the state directory."""


def open_judge(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    resolver: Resolver | None = None,
    extra_detectors: tuple[Detector, ...] = (),
) -> Guard:
    """A guard that only judges: nobody is asked and nothing is recorded. PolicyError if the policy can't be read."""
    sources = find_sources(config_file=config_file, cwd=cwd, state_dir=state_dir, extra_detectors=extra_detectors)
    return Guard(ReloadingPolicy(sources), resolver=resolver or SystemResolver(), files=LocalFiles())


def open_guard(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    resolver: Resolver | None = None,
    extra_detectors: tuple[Detector, ...] = (),
    clock: Callable[[], float] = time.time,
) -> LocalGuard:
    """A guard with the configuration of this machine, user and project, which asks people and records what it decides.

    `config_file` stands in for the user's own file. The policy follows the files as they change; PolicyError if it
    can't be read now. This process then counts as a guarded agent: what it starts can't approve anything.
    """
    sources = find_sources(config_file=config_file, cwd=cwd, state_dir=state_dir, extra_detectors=extra_detectors)
    return LocalGuard(sources, resolver=resolver or SystemResolver(), clock=clock)


class LocalGuard(Guard):
    """A guard on this machine, with its record and its approvals. Close it, or use it as a context manager."""

    def __init__(self, sources: Sources, *, resolver: Resolver, clock: Callable[[], float] = time.time) -> None:
        policy = ReloadingPolicy(sources)
        self._desk = desk = _Desk(sources.locations, policy.current, clock)
        super().__init__(policy, resolver=resolver, files=LocalFiles(), approvals=desk, audit=desk.audit, clock=clock)
        _register(sources.locations)

    @property
    def approvals(self) -> Approver:
        """The requests, and answering them."""
        return self._desk.approver

    @overload
    def wrap(  # type: ignore[overload-overlap]  # the first that fits is meant
        self, tool: Callable[P, Awaitable[R]], *, name: str | None = None, **context: str | None
    ) -> GuardedAsyncFunction[P, R]: ...

    @overload
    def wrap(
        self, tool: Callable[P, R], *, name: str | None = None, **context: str | None
    ) -> GuardedFunction[P, R]: ...

    def wrap(self, tool: Callable[..., Any], *, name: str | None = None, **context: str | None) -> Any:
        """`tool` behind the gate: calling it gives an outcome, never an unjudged result.

        `name` is what the policy knows the tool by, its own name unless given. `context` is what every call says of
        itself: session_id, principal, run_id, parent_run_id, task_id, cwd.
        """
        from guardhouse.adapters import CallContext, GuardedAsyncFunction, GuardedFunction

        if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
            raise GuardhouseError("A tool that yields its result bit by bit can't be wrapped.", fix="Return it whole.")
        kind: Any = GuardedAsyncFunction if inspect.iscoroutinefunction(tool) else GuardedFunction
        return kind(self, tool, name=name, context=msgspec.convert(context, CallContext), kept=self._desk)

    def ask_in_terminal(self, approval_id: str, *, timeout: float | None = None) -> ApprovalRequest:
        """Put a pending request to the person at this process's terminal; the request as it stands then.

        `timeout` is how many seconds they have, if not until the request expires. NoTerminal if there is no terminal
        to ask at.
        """
        return self._desk.ask_in_terminal(approval_id, timeout=timeout)

    def close(self) -> None:
        """Bring the record to disk and let go of the stores."""
        self._desk.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def open_approvals(*, state_dir: Path | None = None) -> Iterator[Approver]:
    """The approvals of this machine and user, for whoever answers them. What is answered is recorded."""
    sources = find_sources(state_dir=state_dir)
    desk = _Desk(sources.locations, sources.load)
    try:
        yield desk.approver
    finally:
        desk.close()


class _Desk:
    """The stores of one state directory, each opened when it is first needed: most calls ask nobody."""

    def __init__(
        self, locations: Locations, policy: Callable[[], Policy], clock: Callable[[], float] = time.time
    ) -> None:
        from guardhouse.audit import AuditLog, AuditSettings

        self._locations = locations
        self._clock = clock
        self._opening = Lock()
        self._policy = policy
        self._approver: Approver | None = None
        _make_private(locations.state)
        section = policy().config.audit
        self.audit: AuditLog = AuditLog(
            locations.state / "audit",
            AuditSettings(
                max_file_bytes=section.max_file_bytes,
                max_age_days=section.max_age_days,
                max_total_bytes=section.max_total_bytes,
            ),
            clock,
        )

    @property
    def approver(self) -> Approver:
        with self._opening:
            if self._approver is None:
                self._approver = self._open_approver()
            return self._approver

    def _open_approver(self) -> Approver:
        from guardhouse.approvals import ApprovalSettings, Approver, SqliteStore
        from guardhouse.keys import KeyDirectory

        config = self._policy().config
        section = config.approvals
        path = self._locations.state / "approvals.db"
        approver = Approver(
            SqliteStore(path),
            KeyDirectory(self._locations.keys).key("approvals"),
            ApprovalSettings(
                answer_within=msgspec.structs.asdict(section.answer_within), use_within=section.use_within
            ),
            clock=self._clock,
            record=self._record,
        )
        if path.exists() and path.stat().st_size > _LARGE_STORE:
            approver.compact(config.audit.max_age_days * _DAY)
        return approver

    def ask_in_terminal(self, approval_id: str, *, timeout: float | None) -> ApprovalRequest:
        from guardhouse.approvals import TerminalChannel

        request = self.approver.get(approval_id)
        if request is None:
            raise GuardhouseError("There is no such request for approval.")
        channel = TerminalChannel(
            self.approver,
            self._locations.state / _AGENTS,
            mask=self._policy().redactor.text,
            own=True,
            timeout=timeout,
            use_within=self._policy().config.approvals.use_within,
            clock=self._clock,
        )
        return channel.ask(request)

    def settle(self, asked: Asked, approval_id: str | None = None) -> Settlement:
        return self.approver.settle(asked, approval_id)

    def resume_data(self, request_id: str) -> bytes | None:
        return self.approver.resume_data(request_id)

    def _record(self, request: ApprovalRequest) -> None:
        """Keep the evidence of a change before it takes effect. What lets something happen is on disk first."""
        mask = self._policy().redactor.text
        event = AuditEvent(
            event_id=f"ev_{os.urandom(12).hex()}",
            kind="approval",
            timestamp=utc(self._clock()),
            run_id=request.run_id,
            session_id=request.session_id,
            principal=request.principal,
            action_type=request.action_type,
            tool_name=request.tool_name,
            action_summary_redacted=RedactedText(request.action_summary_redacted),
            action_hash=request.action_hash,
            risk_level=request.risk_level,
            policy_revision=request.policy_revision,
            approval_request_id=request.id,
            approval_status=request.status,
            actor=request.actor,
            comment=RedactedText(mask(request.comment or "")),
        )
        self.audit.record(event, durable=request.status is ApprovalStatus.APPROVED)

    def close(self) -> None:
        try:
            if self._approver is not None:
                self._approver.close()
        finally:
            self.audit.close()


def _make_private(directory: Path) -> None:
    """Make a directory that is for its owner only, if it is not there."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise GuardhouseError(
            f"The state directory {directory} can't be made: {error.strerror}.", fix="Name another: --state-dir."
        ) from None


def _register(locations: Locations) -> None:
    from guardhouse.approvals import register

    register(locations.state / _AGENTS, os.path.basename(sys.argv[0]) or "python")  # noqa: PTH119
