"""What the gate needs of the world, as interfaces: whoever builds a gate hands the real parts in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.model import (
        Addresses,
        Asked,
        AuditEvent,
        Extent,
        FileDigest,
        OpinionOf,
        RealPath,
        Remembered,
        SecondOpinion,
        SessionState,
        Settlement,
        ToolPin,
        Traces,
        Transcript,
    )
    from guardhouse.policy import Policy


class Resolver(Protocol):
    """Looks host names up. A failure is an answer with an error, not an exception."""

    def resolve(self, host: str) -> Addresses: ...

    async def resolve_async(self, host: str) -> Addresses: ...


class Files(Protocol):
    """Looks at the file system. A failure is an answer with an error, not an exception."""

    def real_path(self, path: str) -> RealPath: ...

    def digest(self, path: str, *, brief: bool = False) -> FileDigest: ...

    def program(self, name: str) -> FileDigest: ...

    def extents(self, paths: Sequence[str]) -> Mapping[str, Extent]: ...


class Pins(Protocol):
    """Knows what was pinned of tools' descriptions. A failure is an answer with an error, not an exception."""

    def pin(self, tool: str) -> ToolPin: ...


class PolicySource(Protocol):
    """Gives the policy in force; PolicyError if it can't be read."""

    def current(self) -> Policy: ...


class FixedPolicy:
    """A policy that does not change."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def current(self) -> Policy:
        """The one policy."""
        return self._policy


class Alongside(Protocol):
    """What has to happen together with a settlement, or not at all: done in its transaction, whose rows it is given."""

    def __call__(self, rows: Any, settlement: Settlement) -> None: ...


class Approvals(Protocol):
    """Keeps questions to people, and their answers. Raises if it can't; then nothing has happened, `alongside` neither.

    Whoever asks with `alongside` keeps the call in a run that outlives its process.
    """

    def settle(
        self, asked: Asked, approval_id: str | None = None, *, alongside: Alongside | None = None
    ) -> Settlement: ...


class Sessions(Protocol):
    """Remembers what happened in a session, and where values were seen in it. Raises if it can't."""

    def remember(self, session_id: str, remembered: Remembered) -> None: ...

    def state(self, session_id: str) -> SessionState: ...

    def traces(self, session_id: str, values: Sequence[str]) -> Traces: ...


class TranscribedSessions(Sessions, Protocol):
    """Sessions that keep their latest words, too."""

    def transcript(self, session_id: str) -> Transcript: ...

    def known_as(self, session_id: str) -> str: ...


class Judge(Protocol):
    """Says what it thinks of a call. A failure is an opinion with the outcome `error`, not an exception."""

    def opinion(self, question: OpinionOf) -> SecondOpinion: ...

    async def opinion_async(self, question: OpinionOf) -> SecondOpinion: ...


class AuditSink(Protocol):
    """Keeps events. Raises if it can't; a `durable` event is on disk when it returns."""

    def record(self, event: AuditEvent, *, durable: bool = False) -> None: ...


class PromptAuditSink(AuditSink, Protocol):
    """One that can also keep an event without waiting for anybody; False if it would have to."""

    def try_record(self, event: AuditEvent) -> bool: ...
