"""What a session is, and what can be asked of it: events in their order, and in which of them a value occurred.

Nothing here says what a value means, which values are worth indexing, or what follows from where one came from: that
is for the rules of provenance. Texts in an event are kept as they are given, so whoever gives them masks them first;
values are kept as keyed fingerprints only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from guardhouse.model import Grade, KeptObject, NewEvent, NewObject, Occurrence, SessionEvent, SessionEventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANY_SLOT: Final = "*"
"""In a question: whatever the value was indexed as. No value can be indexed under it."""

Value = tuple[str, str]
"""A slot, which is what kind of value it is or what role it had ("url", "word", "field:amount"), and the value. The
slot is kept as it is given, so one that is made of content is masked by the caller; the value is not kept."""


class SessionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much a session takes in. All are counts, so the same events always give the same answers."""

    values_per_event: int = 80_000
    """Further values of an event are left out, and the event says so."""
    slots_per_value: int = 4
    """In how many roles one event may index the same value."""
    values_per_grade: int = 10_000_000
    """Each grade has its own allowance in a session, so that none can use up another's."""
    events: int = 100_000
    """A session that has this many takes no more."""
    occurrences_per_slot: int = 8
    """Of one value, in one role, from one grade of source: the first ones are kept."""
    occurrences_per_grade: int = 24
    """Of one value from one grade of source, whatever the role."""
    objects_per_event: int = 400
    """Further objects of an event are left out, and the event says so."""
    turns: int = 16
    """Of what was said and returned, the latest are kept in words, sealed, where they are given,"""
    own_turns: int = 48
    """and of the user's own words some more."""


DEFAULT_SESSION_LIMITS: Final = SessionLimits()


class KeptTurn(msgspec.Struct, frozen=True):
    """The words of an event, sealed by whoever gives them."""

    sealed: bytes
    own: bool = False
    """They are the user's own."""
    seq: int = 0
    """The event's place; given by the index."""


class Origins(msgspec.Struct, frozen=True):
    """Where a value occurred, earliest first."""

    occurrences: tuple[Occurrence, ...] = ()
    capped: bool = False
    """A limit on occurrences was reached, so there may be later ones than those listed. Each grade has its own limit:
    a value that is repeated in untrusted content never hides that the user gave it, nor the other way round."""


class Tally(msgspec.Struct, frozen=True):
    """How much of one kind and grade is in a session."""

    kind: SessionEventKind
    grade: Grade
    events: int
    values: int
    """Values that were indexed, repetitions included."""
    capped: int
    """Events of which some values can't be found."""
    last_seq: int
    """The latest of them."""
    cut: int = 0
    """Events of which some values were not indexed at all: with any, "it occurred nowhere" is not certain."""


class Summary(msgspec.Struct, frozen=True):
    """What is in a session, kept up to date with every event, so that asking costs the same at any length."""

    tallies: tuple[Tally, ...] = ()
    """Sorted by kind and grade; none for what did not happen."""

    def events(self, *, kind: SessionEventKind | None = None, grade: Grade | None = None) -> int:
        """How many events there are, of that kind and grade if they are given."""
        return sum(t.events for t in self.tallies if kind in (None, t.kind) and grade in (None, t.grade))

    def capped(self, *, grade: Grade | None = None) -> int:
        """How many events have values that can't be found, in some role at least."""
        return sum(t.capped for t in self.tallies if grade in (None, t.grade))


class SessionOutline(msgspec.Struct, frozen=True):
    """A session among others."""

    number: int
    """By which they are in order: a session that was begun later has a higher one."""
    name: str
    """Its id; empty if it is of before ids were kept, or too long to be."""
    begun: float
    """When its first event came,"""
    touched: float
    """and when its last."""
    events: int
    untrusted: int
    """Of these, how many brought in something untrusted."""


class SessionIndex(Protocol):
    """Sessions by their id, which is any text but the empty one. Safe to share between threads; what can't be done is
    a GuardhouseError."""

    def append(
        self,
        session_id: str,
        event: NewEvent,
        values: Iterable[Value] = (),
        objects: Sequence[NewObject] = (),
        *,
        cut: bool = False,
        turn: KeptTurn | None = None,
    ) -> int:
        """Add an event with the values that occurred in it and the objects in it, all or nothing. Gives its `seq`.
        `cut`: there were more values than are given. `turn` takes the place of the oldest one if there are as many as
        are kept."""
        ...

    def origins(self, session_id: str, values: Iterable[Value], *, most: int | None = None) -> dict[Value, Origins]:
        """In which events each of `values` occurred; with the slot `ANY_SLOT`, in whatever role. Has an answer for
        every value asked about. Costs the same however long the session is. `most` is how many of each grade are
        wanted, where it only matters who had a value at all."""
        ...

    def events(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[SessionEvent]:
        """Events in order, from the one behind `after`, at most `limit`."""
        ...

    def last(self, session_id: str, kind: SessionEventKind) -> SessionEvent | None:
        """The latest event of that kind."""
        ...

    def latest(self, session_id: str, kind: SessionEventKind, *, limit: int) -> list[SessionEvent]:
        """The latest events of that kind in order, at most `limit`. Costs the same however long the session is."""
        ...

    def objects(self, session_id: str, seqs: Iterable[int]) -> dict[int, tuple[KeptObject, ...]]:
        """The objects of those events; nothing for events that have none."""
        ...

    def turns(self, session_id: str) -> list[KeptTurn]:
        """The words that are kept of the session, in order."""
        ...

    def summary(self, session_id: str) -> Summary:
        """What is in the session by kind and grade."""
        ...

    def recent(self, limit: int, *, before: int | None = None, beginning: str = "") -> list[SessionOutline]:
        """The sessions that were begun last, the newest first: at most `limit`, from the one before that number on.
        `beginning` is the part of an id up to and with its first slash, where only those of one kind are wanted. Costs
        the same however many sessions there are, and however long they are."""
        ...

    def forget(self, session_id: str) -> bool:
        """Remove everything about the session. False if there was nothing."""
        ...

    def expire(self, older_than: float) -> int:
        """Remove the sessions whose latest event is from before `older_than`, and give back their space."""
        ...

    def close(self) -> None:
        """Let go of files. The index opens again if it is used again."""
        ...
