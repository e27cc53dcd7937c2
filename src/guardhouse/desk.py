"""The stores of one state directory at work together: record, requests for approval, sessions, registry of agents.

Each is opened when it is first needed, because most calls ask nobody. What changes in one is recorded in the other,
which neither of them knows about.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

import msgspec

from guardhouse.audit import AuditLog, AuditSettings
from guardhouse.model import ApprovalStatus, AuditEvent, GuardhouseError, RiskLevel
from guardhouse.recording import approval_event, grant_event, utc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from guardhouse.approvals import ApprovalSettings, Approver
    from guardhouse.audit import Sink
    from guardhouse.config import Locations
    from guardhouse.database import Database, PostgresDatabase, Rows
    from guardhouse.model import (
        ApprovalRequest,
        Asked,
        Grant,
        Remembered,
        SessionState,
        Settlement,
        Traces,
        Transcript,
    )
    from guardhouse.policy import Policy
    from guardhouse.ports import Alongside
    from guardhouse.sealing import Seal
    from guardhouse.sessions import SessionIndex

_DAY: Final = 86_400
_LARGE_STORE: Final = 8 * 1024 * 1024
"""From this size on, what is older than the record is removed from a store, at most once a day."""


class Desk:
    """Keeps the record and the requests of one user on one machine: the gate's `Approvals` and where its `AuditSink`
    is. `policy` gives the policy in force. `has_stdout` says that standard output is free for events, as it is in the
    daemon and nowhere else."""

    def __init__(
        self,
        locations: Locations,
        policy: Callable[[], Policy],
        clock: Callable[[], float] = time.time,
        *,
        has_stdout: bool = False,
    ) -> None:
        self._locations = locations
        self._policy = policy
        self._clock = clock
        self._opening = Lock()
        self._database: Database | None = None
        self._shared: PostgresDatabase | None = None
        self._approver: Approver | None = None
        self._sessions: SessionIndex | None = None
        self._marker_key = b""
        self._transcript_seal: Seal | None = None
        self._closed = False
        _make_private(locations.state)
        section = policy().config.audit
        self.audit = AuditLog(
            locations.state / "audit",
            AuditSettings(
                max_file_bytes=section.max_file_bytes,
                max_age_days=section.max_age_days,
                max_total_bytes=section.max_total_bytes,
            ),
            clock,
            _sinks(section.sinks, has_stdout=has_stdout) if section.sinks else (),
        )
        _DESKS.add(self)

    @property
    def approver(self) -> Approver:
        """The requests, and answering them."""
        with self._opening:
            if self._closed:
                raise _closed()
            if self._approver is None:
                self._approver = self._open_approver()
            return self._approver

    @property
    def database(self) -> Database:
        """Where requests are kept: a file of the state directory, or the database that several nodes share."""
        with self._opening:
            return self._open_database()

    @property
    def state_dir(self) -> Path:
        """The state directory."""
        return self._locations.state

    def seal(self, room: str) -> Seal:
        """Seals what a room keeps in the database, with a key of that room's own. GuardhouseError if nodes that share
        the database seal with another one."""
        from guardhouse.keys import KeyDirectory
        from guardhouse.sealing import Seal

        key = KeyDirectory(self._locations.keys).key(room)
        if self.database.is_shared:
            from guardhouse.database import check_key

            check_key(self.database, room, key)
        return Seal(key, room)

    def settle(self, asked: Asked, approval_id: str | None = None, *, alongside: Alongside | None = None) -> Settlement:
        """What is to become of a question; see `Approver.settle`."""
        return self.approver.settle(asked, approval_id, alongside=alongside)

    @property
    def sessions(self) -> SessionIndex:
        """What was said and returned, by session."""
        with self._opening:
            if self._closed:
                raise _closed()
            if self._sessions is None:
                self._sessions = self._open_sessions()
            return self._sessions

    def remember(self, session_id: str, remembered: Remembered) -> None:
        """Add an event to a session."""
        turn = None
        if remembered.turn is not None:
            from guardhouse.sessions.transcripts import sealed_turn  # only where a judge is configured

            turn = sealed_turn(self._transcripts, session_id, remembered.turn)
        self.sessions.append(
            session_id, remembered.event, remembered.values, remembered.objects, cut=remembered.cut, turn=turn
        )

    def transcript(self, session_id: str) -> Transcript:
        """What is kept of a session in words, for a judge."""
        from guardhouse.sessions.transcripts import read_transcript

        return read_transcript(self.sessions, self._transcripts, session_id)

    def known_as(self, session_id: str) -> str:
        """What a session is kept by: here its own id."""
        return session_id

    @property
    def _transcripts(self) -> Seal:
        """Seals the words of sessions; the key is looked at once."""
        if self._transcript_seal is None:
            from guardhouse.sessions.transcripts import ROOM

            self._transcript_seal = self.seal(ROOM)
        return self._transcript_seal

    def state(self, session_id: str) -> SessionState:
        """How a session stands; see `session_state`."""
        from guardhouse.sessions import session_state

        return session_state(self.sessions, session_id)

    def traces(self, session_id: str, values: Sequence[str]) -> Traces:
        """Where values were seen in a session; see `traces`."""
        from guardhouse.sessions import traces

        return traces(self.sessions, session_id, values)

    def marker_key(self) -> bytes:
        """The key of the markers around content from outside."""
        if not self._marker_key:
            from guardhouse.keys import KeyDirectory

            self._marker_key = KeyDirectory(self._locations.keys).key("markers")
        return self._marker_key

    def resume_data(self, request_id: str) -> bytes | None:
        """The call that waits for an approval; see `Approver.resume_data`."""
        return self.approver.resume_data(request_id)

    def ask_in_terminal(self, approval_id: str) -> ApprovalRequest:
        """Put a pending request to the person at this process's terminal; the request as it stands then."""
        from guardhouse.approvals import NoTerminal, TerminalChannel

        if not self._policy().config.approvals.terminal:
            raise NoTerminal("The policy has switched answers at a terminal off.", fix="Answer on another channel.")
        request = self.approver.get(approval_id)
        if request is None:
            raise GuardhouseError("There is no such request for approval.")
        channel = TerminalChannel(
            self.approver,
            self._locations.registries[0],
            own=True,
            use_within=self._policy().config.approvals.use_within,
            clock=self._clock,
        )
        return channel.ask(request)

    def register_agent(self, name: str, pid: int | None = None) -> None:
        """Let it be known that a process (this one, if not given) is a guarded agent: what it starts can't approve."""
        note_agent(self._locations, self._mask(name), pid)

    def close(self) -> None:
        """Bring the record to disk and let go of the stores."""
        self._closed = True
        try:
            if self._database is not None:
                self._database.close()
            if self._sessions is not None:
                self._sessions.close()
        finally:
            self.audit.close()

    def after_fork(self) -> None:
        """In a child process: another thread may have held the lock when it was made."""
        self._opening = Lock()

    def _open_database(self) -> Database:
        if self._database is None:
            from guardhouse.database import SqliteDatabase

            self._database = self._shared_database() or SqliteDatabase(self._requests)
        return self._database

    def _shared_database(self) -> PostgresDatabase | None:
        """The database that several nodes share, if there is one."""
        if self._shared is None and self._locations.database:
            from guardhouse.database import PostgresDatabase

            self._shared = PostgresDatabase(self._locations.database)
        return self._shared

    @property
    def _shared_clock(self) -> Callable[[], float] | None:
        """None, unless a clock was handed in: nodes go by one, the database's."""
        return None if self._clock is time.time else self._clock

    @property
    def _requests(self) -> Path:
        return self._locations.state / "approvals.db"

    def _open_approver(self) -> Approver:
        from guardhouse.approvals import Approver, SqlStore
        from guardhouse.keys import KeyDirectory

        database = self._open_database()
        key = KeyDirectory(self._locations.keys).key("approvals")
        if database.is_shared:
            from guardhouse.database import check_key

            check_key(database, "approvals", key)
        approver = Approver(
            SqlStore(database),
            key,
            self._approval_settings,
            clock=self._shared_clock if database.is_shared else self._clock,
            record=self._record,
            record_grant=self._record_grant,
            mask=self._mask,
            may_answer=self._may_answer,
        )
        approver.sweep()  # what nobody has looked at since it expired keeps its sealed call until somebody does
        if not database.is_shared and self._is_due("approvals.compacted", self._requests):
            approver.compact(self._policy().config.audit.max_age_days * _DAY)
        return approver

    def _may_answer(self, rows: Rows, actor: str) -> bool:
        """Whether who answered as `actor` may still answer, as far as that is known: of tokens and of phones it is."""
        from guardhouse.tokens import is_good_name

        kind, _, name = actor.partition(":")
        if kind == "telegram":
            return name in map(str, self._policy().config.approvals.telegram.chat_ids)
        return is_good_name(rows, kind, name)

    def _approval_settings(self) -> ApprovalSettings:
        from guardhouse.approvals import ApprovalSettings

        section = self._policy().config.approvals
        second = section.second_approver
        return ApprovalSettings(
            answer_within=msgspec.structs.asdict(section.answer_within),
            use_within=section.use_within,
            unattended=section.unattended,
            second_from=None if second == "never" else RiskLevel(second),
            people=section.people,
            longest_grant=section.longest_grant,
            never_grant=section.never_grant,
            pause_after=section.pause_after,
            pause=section.pause,
        )

    def _open_sessions(self) -> SessionIndex:
        from guardhouse.keys import KeyDirectory
        from guardhouse.sessions import SQLiteSessions

        key = KeyDirectory(self._locations.keys).key("sessions")
        shared = self._shared_database()
        if shared is not None:
            return self._open_shared_sessions(shared, key)
        path = self._locations.state / "sessions.db"
        sessions = SQLiteSessions(path, key, clock=self._clock)
        if self._is_due("sessions.expired", path):
            sessions.expire(self._clock() - self._policy().config.audit.max_age_days * _DAY)
        return sessions

    def _open_shared_sessions(self, database: PostgresDatabase, key: bytes) -> SessionIndex:
        from guardhouse.database import check_key
        from guardhouse.sessions import PostgresSessions

        check_key(database, "sessions", key)  # with another one, what other nodes let in would look as if nobody had
        sessions = PostgresSessions(database, key, clock=self._shared_clock)
        # By a lease and not at every opening: a coding agent's hook opens a desk for each call, and would look through
        # all sessions each time, or keep an index up to date for it with every event.
        sessions.expire_daily(self._policy().config.audit.max_age_days * _DAY)
        return sessions

    def _is_due(self, mark: str, path: Path) -> bool:
        """Whether a store has grown large, and was not cleared out today; if so, it counts as cleared out now."""
        marker = path.with_name(mark)
        if not path.exists() or path.stat().st_size <= _LARGE_STORE:
            return False
        if marker.exists() and self._clock() - marker.stat().st_mtime < _DAY:
            return False
        marker.touch(mode=0o600)
        os.utime(marker, (self._clock(), self._clock()))
        return True

    def note(
        self,
        detail: str,
        *,
        source: str,
        actor: str | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        mode: Literal["enforce", "observe"] | None = None,
        durable: bool = False,
    ) -> None:
        """Record something that the house itself does, or a person does to it. Secrets in `detail` are masked."""
        policy = self._policy()
        self.audit.record(
            AuditEvent(
                event_id=f"ev_{os.urandom(12).hex()}",
                kind="notice",
                timestamp=utc(self._clock()),
                session_id=session_id,
                run_id=run_id,
                source=source,
                mode=mode or policy.config.mode,
                policy_revision=policy.revision,
                actor=actor,
                detail=policy.redactor.text(detail),
            ),
            durable=durable,
        )

    def _mask(self, text: str) -> str:
        return self._policy().redactor.text(text)

    def _record(self, request: ApprovalRequest) -> None:
        """Keep the evidence of a change before it takes effect. What lets something happen is on disk first."""
        event = approval_event(f"ev_{os.urandom(12).hex()}", request, self._clock(), self._mask)
        self.audit.record(event, durable=request.status is ApprovalStatus.APPROVED)

    def _record_grant(self, grant: Grant) -> None:
        """The same of a grant that is given or revoked."""
        event = grant_event(f"ev_{os.urandom(12).hex()}", grant, self._clock(), self._mask)
        self.audit.record(event, durable=True)


def _sinks(names: tuple[Literal["stdout", "syslog"], ...], *, has_stdout: bool) -> tuple[Sink, ...]:
    from guardhouse.audit import open_sinks  # most houses have none

    return open_sinks(names, stdout=has_stdout)


def note_agent(locations: Locations, name: str, pid: int | None = None) -> None:
    """Note in this user's registries that a process (this one, if not given) is a guarded agent. `name` is shown to
    people, so it has no secret in it."""
    from guardhouse.approvals import register

    _make_private(locations.state)
    beside_state, beside_configuration = locations.registries
    register(beside_state, name, pid=pid)
    if _may_be_written(beside_configuration):
        register(beside_configuration, name, pid=pid)


def _may_be_written(directory: Path) -> bool:
    """Whether this user can write there, or make it. Where they can't, no agent of theirs can loosen anything."""
    there = next(path for path in (directory, *directory.parents) if path.exists())
    return os.access(there, os.W_OK | os.X_OK)


def _closed() -> GuardhouseError:
    return GuardhouseError("The guard was closed.", fix="Open another one.")


def _make_private(directory: Path) -> None:
    """Make a directory that is for its owner only, or make it so."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
        if status.st_uid == os.geteuid() and status.st_mode & 0o077:
            directory.chmod(0o700)  # made by somebody with a lax umask: the stores would refuse to be in it
    except OSError as error:
        raise GuardhouseError(
            f"The state directory {directory} can't be made: {error.strerror}.", fix="Name another: --state-dir."
        ) from None


_DESKS: Final[WeakSet[Desk]] = WeakSet()


def _after_fork() -> None:
    for desk in _DESKS:
        desk.after_fork()


os.register_at_fork(after_in_child=_after_fork)
