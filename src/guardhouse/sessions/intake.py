"""What an event and its values become before they are kept, and which of a value's occurrences count.

All indexes use this, so that they take in, leave out and answer the same. It does no I/O.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.model import GRADES, KINDS, GuardhouseError, KeptObject, NewEvent
from guardhouse.sessions.fingerprints import kin_of
from guardhouse.sessions.interface import ANY_SLOT, SessionLimits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from guardhouse.model import NewObject
    from guardhouse.sessions.fingerprints import SessionKey
    from guardhouse.sessions.interface import KeptTurn, Value

_LONGEST_TEXT: Final = 200
_LONGEST_NAME: Final = 64
_MOST_DETAILS: Final = 16
_MOST_WORDS: Final = 1500
_SLOT_HEAD: Final = 40


Mark = tuple[int, str]
"""A value in an event as it is kept: its fingerprint, and its slot."""


class Row(NamedTuple):
    """One kept occurrence of a value. Rows sort in the order in which things happened."""

    seq: int
    slot: str
    grade: int
    """By its place in GRADES."""


class Intake(NamedTuple):
    """An event, ready to be kept."""

    event: NewEvent
    marks: list[Mark]
    """In the order in which they were given."""
    capped: bool
    objects: tuple[KeptObject, ...] = ()
    cut: bool = False
    """Some values are not among the marks at all."""

    def within(self, allowance: int) -> Intake:
        """The same with at most `allowance` values."""
        if len(self.marks) <= allowance:
            return self
        return self._replace(marks=self.marks[: max(allowance, 0)], capped=True, cut=True)


def kin_asked(key: bytes, beginning: str) -> bytes:
    """What sessions are found by whose ids begin so; GuardhouseError if it is not the part up to a first slash."""
    if beginning.find("/") != len(beginning) - 1:
        raise GuardhouseError("Sessions are found by the part of their ids up to and with the first slash.")
    return kin_of(key, beginning.encode("utf-8", "surrogatepass"))


def take_in(
    key: SessionKey,
    event: NewEvent,
    values: Iterable[Value],
    limits: SessionLimits,
    objects: Sequence[NewObject] = (),
    *,
    cut: bool = False,
) -> Intake:
    """The event with its texts cut, and its values and the words of its objects as fingerprints, each pair of slot and
    value once."""
    marks: list[Mark] = []
    slots_of: dict[int, tuple[str, ...]] = {}
    kept_slots: dict[str, tuple[str]] = {}
    fingerprint_of = key.fingerprint
    capped = False
    for slot, value in values:
        kept_slot = kept_slots.get(slot) or kept_slots.setdefault(slot, (slot_as_kept(key, slot),))
        fingerprint = fingerprint_of(value)
        slots = slots_of.get(fingerprint, ())
        if kept_slot[0] in slots:
            continue
        if len(marks) >= limits.values_per_event:
            cut = True
            break
        if len(slots) >= limits.slots_per_value:
            capped = True
            continue
        slots_of[fingerprint] = slots + kept_slot
        marks.append((fingerprint, kept_slot[0]))
    capped = capped or cut or len(objects) > limits.objects_per_event
    kept = tuple(
        KeptObject(
            one.group,
            tuple(map(key.short, one.words[:_MOST_WORDS])),
            tuple(_cut(flag, _LONGEST_NAME) for flag in one.flags[:_MOST_DETAILS]),
            _cut(one.excerpt),
        )
        for one in objects[: limits.objects_per_event]
    )
    return Intake(_tidied(event), marks, capped, kept, cut)


def slot_as_kept(key: SessionKey, slot: str) -> str:
    """The slot itself, if it is a short text. A long one keeps its beginning and gets a fingerprint: names of fields
    are chosen by whoever wrote the content, and two of them must not become one."""
    if not isinstance(slot, str) or not slot or slot == ANY_SLOT:
        raise GuardhouseError(f'The slot of a value is a text, neither empty nor "{ANY_SLOT}".', fix="Name the slot.")
    if len(slot) <= _LONGEST_NAME and slot.isprintable():
        return slot
    return f"{_writable(slot[:_SLOT_HEAD])}~{key.fingerprint(slot) & (2**64 - 1):016x}"


def slot_asked(key: SessionKey, slot: str) -> str:
    """The slot to look for: as it is kept, or any."""
    return slot if slot == ANY_SLOT else slot_as_kept(key, slot)


def first_rows(rows: Iterable[Row], limits: SessionLimits) -> list[Row]:
    """The occurrences of one value that count: in order, as long as their slot and their grade have room.

    Whether a row counts depends on the rows before it only. So an index may drop rows that do not count, and gets the
    same answer later from what it kept and what came since.
    """
    ordered = sorted(rows)
    if len(ordered) <= _always_room(limits):
        return ordered
    kept: list[Row] = []
    in_grade: Counter[int] = Counter()
    in_slot: Counter[tuple[int, str]] = Counter()
    for row in ordered:
        at = (row.grade, row.slot)
        has_room = in_grade[row.grade] < limits.occurrences_per_grade and in_slot[at] < limits.occurrences_per_slot
        if has_room or len(kept) < _always_room(limits):
            kept.append(row)
            in_grade[row.grade] += 1
            in_slot[at] += 1
    return kept


def has_room(kept: Sequence[Row], row: Row, limits: SessionLimits) -> bool:
    """Whether a further occurrence of a value counts, after those that were `kept`."""
    if len(kept) < _always_room(limits):
        return True
    in_grade = [other.slot for other in kept if other.grade == row.grade]
    return len(in_grade) < limits.occurrences_per_grade and in_grade.count(row.slot) < limits.occurrences_per_slot


def _always_room(limits: SessionLimits) -> int:
    return min(limits.occurrences_per_slot, limits.occurrences_per_grade)


def answer(kept: list[Row], slot: str, limits: SessionLimits, most: int | None = None) -> tuple[list[Row], bool]:
    """Those of the rows that count which are about `slot`, at most so many of each grade, and whether there may be
    more."""
    listed = kept if slot == ANY_SLOT else [row for row in kept if row.slot == slot]
    if most is not None and len(listed) > most:
        return _first_of_each_grade(listed, most), True
    if len(kept) < _always_room(limits):
        return listed, False
    # A row that there would be no room for may have been left out.
    full = any(
        not has_room(kept, Row(0, row.slot if slot == ANY_SLOT else slot, row.grade), limits)
        for row in {row[1:]: row for row in kept}.values()
    )
    return listed, full


def _first_of_each_grade(rows: Iterable[Row], most: int) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        if sum(other.grade == row.grade for other in kept) < most:
            kept.append(row)
    return kept


def session_is_full(limits: SessionLimits) -> GuardhouseError:
    """What an `append` to a session with its most events raises."""
    return GuardhouseError(f"The session has {limits.events} events, the most it can have.", fix="Start a new session.")


def _tidied(event: NewEvent) -> NewEvent:
    if event.kind not in KINDS or event.grade not in GRADES:
        raise GuardhouseError("An event has a kind and a grade, and this one's are unknown.", fix="See NewEvent.")
    return NewEvent(
        kind=event.kind,
        name=_cut(event.name),
        call_id=None if event.call_id is None else _cut(event.call_id),
        grade=event.grade,
        excerpt=_cut(event.excerpt),
        detail=_tidied_detail(event.detail),
    )


def _tidied_detail(detail: dict[str, str] | None) -> dict[str, str] | None:
    if not detail:
        return None
    if len(detail) > _MOST_DETAILS:
        raise GuardhouseError(f"An event has at most {_MOST_DETAILS} details.", fix="Leave some out.")
    return {_cut(name, _LONGEST_NAME): _cut(value) for name, value in detail.items()}


def _cut(text: str, longest: int = _LONGEST_TEXT) -> str:
    if not isinstance(text, str):
        raise GuardhouseError("The name, call id, excerpt and details of an event are texts.", fix="See NewEvent.")
    return _writable(text if len(text) <= longest else f"{text[: longest - 1]}…")


def _writable(text: str) -> str:
    """Half a surrogate pair can't be written anywhere, and PostgreSQL knows no character 0: both become a question
    mark."""
    text = text.replace("\0", "?")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def kept_turns(turns: Sequence[KeptTurn], limits: SessionLimits) -> list[KeptTurn]:
    """Which turns are kept: the latest of all, and some more of the user's own."""
    latest = {one.seq for one in turns[-limits.turns :]} if limits.turns else set()
    own = [one.seq for one in turns if one.own]
    latest.update(own[-limits.own_turns :] if limits.own_turns else ())
    return [one for one in turns if one.seq in latest]
