"""The nouns of runs: a run, the calls of tools that it makes, what is told of it while it goes on, and its errors.

A run is an agent at work on one task. It is kept, so that it outlives the process that works on it: that ends its part,
a segment, where the run has to wait, and the run goes on from there in whichever process takes it up.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal

import msgspec

from guardhouse.model import GuardhouseError

Place = Literal["terminal", "daemon", "program"]
"""Who takes a run up: a person at a terminal, daemons by themselves, or a program that asks for it."""


class RunStatus(Enum):
    """Where a run stands. The last three are final."""

    __hash__ = object.__hash__

    READY = "ready"
    """To be taken up."""
    RUNNING = "running"
    """A process works on it."""
    WAITING = "waiting"
    """For people's answers, or for a run of its own."""
    PAUSED = "paused"
    """Until somebody resumes it."""
    DONE = "done"
    FAILED = "failed"
    """`why` says what it failed of."""
    CANCELLED = "cancelled"


FINAL: Final = frozenset({RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED})

Why = Literal[
    "",
    "model",
    "steps",
    "tokens",
    "denied",
    "breaker",
    "state",
    "output",
]
"""What a run failed of: its model, too many steps or tokens, a task that the gate denies, too many denials in a row,
what is kept of it, or an answer that may not be shown."""


class CallState(Enum):
    """How far a call of a tool has come."""

    __hash__ = object.__hash__

    PLANNED = "planned"
    """The model wants it; nothing has happened."""
    WAITING = "waiting"
    """For an answer to its request, or for the run that it started."""
    BEGUN = "begun"
    """The tool was called, and has not come back. After a crash nobody knows whether it did its work."""
    RETURNED = "returned"
    """It has come back, and a person has to say whether the model may see with what."""
    ENDED = "ended"
    """There is something to tell the model: a result, or why there is none."""


Outcome = Literal["", "completed", "redacted", "denied", "failed", "unknown"]
"""What became of a call: with `unknown` it was begun, and nobody can tell whether it was made."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a tool that the model wants, as its journal has it. What it was called with is in the run's state."""

    run_id: str
    call_id: str
    number: int
    tool: str
    state: CallState = CallState.PLANNED
    outcome: Outcome = ""
    attempt: int = 0
    """How often it may have been made before, without anybody knowing what came of it."""
    request_id: str | None = None
    """The request for approval that it waits for."""
    child_id: str | None = None
    """The run that it started."""
    begun_at: float | None = None
    ended_at: float | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run as it stands. Texts are masked."""

    id: str
    status: RunStatus
    why: Why = ""
    title: str = ""
    """How its task begins. It is kept sealed, and only told by `Runs`."""
    place: Place
    role: str
    session_id: str
    principal: str | None = None
    parent_id: str | None = None
    parent_call: str | None = None
    """The call of the parent that this run is."""
    workspace: str
    created_at: float
    changed_at: float
    segment: int = 0
    """How often it was taken up. Whoever had it before can change nothing any more."""
    steps: int = 0
    """Answers of the model."""
    input_tokens: int = 0
    output_tokens: int = 0
    cancel_asked_by: str | None = None


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened in a run, for who follows it. `told` has names and numbers, and no text of anybody's."""

    number: int
    run_id: str
    at: float
    kind: str
    told: dict[str, Any]


class NoSuchRun(GuardhouseError):
    """There is no run with that id."""

    def __init__(self) -> None:
        super().__init__("There is no such run.", fix="`guardhouse runs list` has those there are.")


class NotTaken(GuardhouseError):
    """The run can't be taken up: somebody works on it, it waits, or it is over."""


class NotDelegated(GuardhouseError):
    """A call can't become a run of its own."""


class IsToEnd(GuardhouseError):
    """The run, or one that it is inside of, was cancelled or is over."""

    def __init__(self) -> None:
        super().__init__("The run is to end.", fix="Start another one.")


class Overtaken(GuardhouseError):
    """Another process has taken the run up meanwhile; this one has no say any more."""

    def __init__(self) -> None:
        super().__init__("Another process works on this run now.", fix="Follow it there.")
