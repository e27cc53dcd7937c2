"""What a guarded call comes back with: a result, or first-class news that there is none, with words for an agent.

Every outcome has `text`, which is safe to put before a model, and `wire()`, the same for a machine. A caller that
wants plain Python uses `unwrap()`: the value, or an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from guardhouse.model import GuardhouseError, Verdict

R = TypeVar("R")


class NotCompleted(GuardhouseError):
    """A guarded call gave no result. `outcome` says why."""

    def __init__(self, outcome: Denied | Pending | Failed) -> None:
        super().__init__(outcome.text)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Completed(Generic[R]):
    """The tool has run, and this is what may be seen of its result."""

    value: R
    """The result as it was judged: JSON values, with secrets masked if there were any."""
    text: str
    """The result for a model; content from outside is marked as untrusted."""
    redacted: bool
    """Whether something was masked, in what was sent or in what came back."""
    untrusted: bool
    call: Verdict
    result: Verdict
    status: ClassVar[str] = "completed"

    def wire(self) -> dict[str, Any]:
        """For a machine."""
        return {"status": self.status, "redacted": self.redacted, "untrusted": self.untrusted, "value": self.value}

    def unwrap(self) -> R:
        """The result."""
        return self.value

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Denied:
    """The call was not made, or its result is withheld."""

    verdict: Verdict
    ran: bool = False
    """Whether the tool has run all the same: then it is its result that may not be seen."""
    status: ClassVar[str] = "denied"

    @property
    def text(self) -> str:
        """Why, and what to do instead, for an agent."""
        withheld = "The tool has run, but its result is withheld. " if self.ran else ""
        return f"{withheld}{self.verdict.for_agent}"

    def wire(self) -> dict[str, Any]:
        """For a machine."""
        return {
            "status": self.status,
            "ran": self.ran,
            "codes": [reason.code for reason in self.verdict.reasons],
            "event_id": self.verdict.event_id,
            "message": self.text,
        }

    def unwrap(self) -> Any:
        """Raises NotCompleted."""
        raise NotCompleted(self)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Pending:
    """A person has to approve the call first, or that its result is seen. Nothing else waits for that."""

    verdict: Verdict
    _again: Callable[[], Any] = field(repr=False, compare=False)
    ran: bool = False
    """Whether the tool has run already: then it is its result that waits."""
    status: ClassVar[str] = "pending"

    @property
    def approval_request_id(self) -> str:
        """The request that a person can answer."""
        return self.verdict.approval_request_id or ""

    @property
    def text(self) -> str:
        """What to tell an agent."""
        waits = "The tool has run; its result" if self.ran else "This call"
        then = "" if self.ran else ", make exactly this call again"
        return (
            f"{waits} waits for a person's approval ({self.approval_request_id}). Go on with something else; once it "
            f"is approved{then or ', the result can be had'}. {self.verdict.for_agent}"
        )

    def resume(self) -> Any:
        """Go on, with this approval: an outcome (of an async tool: to be awaited). The tool never runs twice."""
        return self._again()

    def wire(self) -> dict[str, Any]:
        """For a machine, as SPEC A1 has it."""
        return {"status": self.status, "approval_request_id": self.approval_request_id, "message": self.text}

    def unwrap(self) -> Any:
        """Raises NotCompleted."""
        raise NotCompleted(self)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool has run and raised an exception. Its words were judged like any result."""

    error: str
    """The exception's type."""
    text: str
    verdict: Verdict
    status: ClassVar[str] = "failed"

    def wire(self) -> dict[str, Any]:
        """For a machine."""
        return {"status": self.status, "error": self.error, "message": self.text}

    def unwrap(self) -> Any:
        """Raises NotCompleted."""
        raise NotCompleted(self)

    def __str__(self) -> str:
        return self.text


Outcome = Completed[R] | Denied | Pending | Failed
