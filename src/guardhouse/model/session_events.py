"""What happens in a session: who said or returned something, how far that is to be trusted, and where a value was seen.

Texts are masked by whoever makes an event. Which values of it are worth finding again, and what follows from where one
was found, is not said here.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from guardhouse.model.conditions import Conditioned

SessionEventKind = Literal[
    "user_said", "assistant_showed", "tool_returned", "memory_returned", "skill_returned", "granted", "conditioned"
]
"""What can happen. `granted` is in sessions that were kept before grants for a run were kept with all others; it says
nothing any more."""
Grade = Literal["user", "trusted", "untrusted"]

KINDS: Final[tuple[SessionEventKind, ...]] = get_args(SessionEventKind)
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened in a session, as it is handed in."""

    kind: SessionEventKind
    name: str = ""
    """The tool, memory store or skill. Cut at 200 characters."""
    call_id: str | None = None
    """Cut at 200 characters."""
    grade: Grade
    excerpt: str = ""
    """A line for a person, masked by the caller. Cut at 200 characters."""
    detail: dict[str, str] | None = None
    """A few facts, masked by the caller: at most 16, names cut at 64 and values at 200 characters."""


class SessionEvent(NewEvent, frozen=True, kw_only=True):
    """Something that happened in a session, as it is kept."""

    seq: int
    """Its place: 1, 2, 3, … without a gap."""
    at: float
    """Seconds since 1970, UTC, by the clock of whoever recorded it."""
    capped: bool = False
    """Some of its values were over a limit and can't be found."""


class Occurrence(msgspec.Struct, frozen=True):
    """A value was in this event, as this kind of value."""

    event: SessionEvent
    slot: str


WRITTEN: Final = "w"
"""The slot of what a model wrote after untrusted content had come in: it may be what somebody told it to write."""
TOLD_THINGS: Final = 0
TOLD_PEOPLE: Final = 1
TOLD_SPARED: Final = 2
TOLD_GONE: Final = 3
"""The groups of what a message of a person's speaks of."""


class NewObject(msgspec.Struct, frozen=True):
    """One thing in an event's content, among its siblings, as it is handed in."""

    group: int
    """Siblings have the same."""
    words: tuple[str, ...]
    """What tells it from others; kept as fingerprints."""
    flags: tuple[str, ...] = ()
    """Of a closed vocabulary, so they are kept as they are."""
    excerpt: str = ""
    """A line for a person, masked by the caller. Cut at 200 characters."""


class KeptObject(msgspec.Struct, frozen=True, array_like=True):
    """One thing in an event's content, as it is kept."""

    group: int
    words: tuple[int, ...]
    """Fingerprints, which can be compared with those of the user's words."""
    flags: tuple[str, ...] = ()
    excerpt: str = ""


TurnOrigin = Literal["user", "pasted", "assistant", "trusted", "untrusted"]
"""Whose words a turn is: the user's own; what they put in from elsewhere; the model's; what a tool, a memory or a skill
came back with, which the house trusts, or anybody may have written."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was said or returned, in words, masked by the caller. Kept only where a judge may read it, and sealed."""

    origin: TurnOrigin
    text: str
    kind: str = ""
    """The kind of event that it is of."""
    name: str = ""
    """The tool, memory store or skill."""
    call_id: str = ""
    params: str = ""
    """Of a result: what the call was made with, as JSON."""
    whole: bool = True
    """False: something of it is told by its structure only, or not at all. `text` is JSON then."""


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a session for a judge to read."""

    turns: tuple[Turn, ...] = ()
    """The latest ones, in order."""
    earlier: tuple[Turn, ...] = ()
    """What the user said before them, as far back as it is kept."""
    forgotten: int = 0
    """Turns before `turns` that are not kept."""


class Remembered(msgspec.Struct, frozen=True):
    """An event with what can be found of it again."""

    event: NewEvent
    values: tuple[tuple[str, str], ...] = ()
    """Slots and values."""
    objects: tuple[NewObject, ...] = ()
    cut: bool = False
    """There are more values in it than these."""
    turn: Turn | None = None
    """The words of it, where a judge may have to read them."""


class SessionState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a session stands: what its user asked for, and whether anything untrusted has come into it."""

    kept: bool = True
    """False: nobody remembers sessions here, so nothing can be told."""
    error: str = ""
    """Why nothing can be told although it should."""
    user: int = 0
    """Messages of the user's own words."""
    untrusted: int = 0
    """Events that brought in content that anybody may have written."""
    cut: int = 0
    """Those of them that brought in more than can be found again: what is found nowhere may still be from there."""
    requests: tuple[dict[str, str], ...] = ()
    """What the latest messages of the user ask for, in marks of a closed vocabulary; the latest last."""
    heard: tuple[int, ...] = ()
    """The events that these stand in, in the same order."""
    said: frozenset[int] = frozenset()
    """Fingerprints of the words of those messages."""
    named: frozenset[int] = frozenset()
    """Fingerprints of the names of people in them."""
    spared: frozenset[int] = frozenset()
    """Fingerprints of the words of what they leave out."""
    gone: frozenset[int] = frozenset()
    """Fingerprints of the words that may say what is to be gone, where they order other things as well."""
    confirmed: int | None = None
    """The event in which the assistant showed what the user then said yes to."""
    conditions: tuple[Conditioned, ...] = ()
    """The latest calls that a person let through on a condition; the latest last."""
    forgot_conditions: bool = False
    """There were more of them before."""


class Traces(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where values were seen in a session."""

    found: dict[str, tuple[Occurrence, ...]] = {}
    objects: dict[int, tuple[KeptObject, ...]] = {}
    """The objects of the events that they were seen in, by the event's `seq`."""
    error: str = ""
