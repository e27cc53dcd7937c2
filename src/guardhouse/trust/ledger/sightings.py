"""What the index answered, as the ledger reads it: who gave a value, and whether the user's words single it out.

The user's words and the words of objects are compared as fingerprints; nothing here needs their texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.words import COMMON, name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from guardhouse.model import KeptObject, Occurrence, SessionState, Traces
    from guardhouse.trust.ledger.request import Request

_FEW_WORDS: Final = 8
_SHORTEST_NAME: Final = 3


class Sightings:
    """The answers to the questions about one call."""

    def __init__(self, state: SessionState, traces: Traces, requests: Sequence[Request]) -> None:
        self._state = state
        self._traces = traces
        self.requests = tuple(requests)
        self.is_cut = state.cut > 0
        """More untrusted content was read than can be found again: what is found nowhere may be from there."""
        self.marks = frozenset(mark for request in requests for mark in request.marks)
        self.fields = frozenset(field for request in requests for field in request.fields)
        self._places = frozenset(request.place for request in requests if request.place is not None)

    def of(self, value: str) -> tuple[Occurrence, ...]:
        """Where a value was seen."""
        return self._traces.found.get(value, ())

    def of_any(self, values: Iterable[str]) -> list[Occurrence]:
        """Where any of these was seen."""
        return [one for value in values for one in self.of(value)]

    def by_user(self, values: Iterable[str]) -> bool:
        """Whether the user gave one of these."""
        return any(one.event.grade == "user" for one in self.of_any(values))

    def is_confirmed(self, values: Iterable[str]) -> bool:
        """Whether the assistant showed one of these and the user then said yes, or a person has granted it."""
        return any(one.event.kind == "granted" or one.event.seq == self._state.confirmed for one in self.of_any(values))

    def trusted(self, values: Iterable[str]) -> list[Occurrence]:
        """Where trusted data had one of these."""
        return [one for one in self.of_any(values) if one.event.grade == "trusted" and one.event.kind != "granted"]

    def untrusted(self, values: Iterable[str]) -> list[Occurrence]:
        """Where untrusted content had one of these. What the assistant says is nobody's source."""
        return [
            one
            for one in self.of_any(values)
            if one.event.grade == "untrusted" and one.event.kind != "assistant_showed"
        ]

    def said_word(self, word: str) -> bool:
        """Whether the user's words have this stem."""
        return any(one.event.grade == "user" for one in self.of(f"word:{word}"))

    def speaks_of(self, name: str) -> bool:
        """Whether the user named somebody: by a part of their name, or by the first part of their address."""
        said = [word for word in words(name.partition("@")[0]) if len(word) >= _SHORTEST_NAME and word.isalpha()]
        return any(self.said_word(stem(word)) for word in said[:2] if word not in COMMON)

    def object_of(self, one: Occurrence) -> KeptObject | None:
        """The thing that a value belongs to."""
        objects = self._traces.objects.get(one.event.seq, ())
        place = place_of(one)
        return objects[place] if place is not None and place < len(objects) else None

    def is_spoken_of(self, one: Occurrence) -> bool:
        """Whether the user spoke of the field that a value stands in, or of what it belongs to."""
        if not self.fields.isdisjoint(map(stem, name_words(field_of(one)))):
            return True
        own = self.object_of(one)
        return own is not None and not self._state.said.isdisjoint(own.words)

    def is_picked(self, one: Occurrence, *, loosely: bool = False) -> bool:
        """Whether the user's words single out the thing that a value belongs to, among its siblings: it has what they
        asked for most or least of, it is the one at the place that they named, or it fits their words best, and better
        than any other. `loosely`, it is enough that it alone has one of their words."""
        own = self.object_of(one)
        if own is None:
            return False
        siblings = self._siblings(one, own)
        if not self.marks.isdisjoint(own.flags) or self._stands_there(one, own, siblings):
            return True
        mine = self._score(own, siblings)
        fits = mine > 0 or is_pointed(one)
        if len(siblings) == 1 or "all" in self.marks:
            return fits
        if loosely and any(
            sum(word in other.words for other in siblings) == 1 for word in self._state.said & {*own.words}
        ):
            return True
        scores = [self._score(other, siblings) for other in siblings]
        return mine > 0 and mine == max(scores) and scores.count(mine) == 1

    def is_named(self, one: Occurrence) -> bool:
        """Whether the user's words single out what a value belongs to, and it is more than all that was there to read:
        a lone sentence is not picked by having been looked at."""
        own = self.object_of(one)
        if own is None or (len(self._siblings(one, own)) == 1 and self._state.said.isdisjoint(own.words)):
            return False
        return self.is_picked(one)

    def is_passed_over(self, one: Occurrence) -> bool:
        """Whether the user spoke of one of the siblings of what a value belongs to, and of nothing that it has."""
        own = self.object_of(one)
        if own is None or "all" in self.marks:
            return False
        siblings = self._siblings(one, own)
        return self._score(own, siblings) == 0 and any(self._score(other, siblings) > 0 for other in siblings)

    def _siblings(self, one: Occurrence, own: KeptObject) -> list[KeptObject]:
        return [other for other in self._traces.objects.get(one.event.seq, ()) if other.group == own.group]

    def _stands_there(self, one: Occurrence, own: KeptObject, siblings: Sequence[KeptObject]) -> bool:
        """Whether it is `the second one`."""
        place = place_of(one)
        if not self._places or len(siblings) < 2 or place is None:
            return False
        before = self._traces.objects[one.event.seq][:place]
        return sum(other.group == own.group for other in before) in self._places

    def _score(self, own: KeptObject, siblings: Sequence[KeptObject]) -> float:
        """How much of a thing the user spoke of; words that all siblings share tell nothing, and who piles up words so
        as to fit every request fits none of them well."""
        score = 0.0
        for word in self._state.said & {*own.words}:
            shared = sum(word in other.words for other in siblings)
            if shared < len(siblings) or len(siblings) == 1:
                score += 1 / shared
        size: float = max(len(own.words), _FEW_WORDS) ** 0.5
        return round(score / size, 6)


def place_of(one: Occurrence) -> int | None:
    """The number of the thing, within its event, that a value belongs to."""
    digits = one.slot.partition(":")[0][1:]
    return int(digits) if digits.isdecimal() else None


def field_of(one: Occurrence) -> str:
    """The field that a value stood in; empty for prose."""
    return one.slot.partition(":")[2]


def is_structured(one: Occurrence) -> bool:
    """Whether it stood in a field of a record, and was all of it, or nearly."""
    return one.slot[:1] in {"f", "s", "o"}


def is_written(one: Occurrence) -> bool:
    """Whether somebody wrote it, other than a service in a field of its own."""
    return one.slot[:1] in {"p", "f"}


def is_listed(one: Occurrence) -> bool:
    """Whether it stood in a text by itself, and not in the free text of a record."""
    return one.slot[:1] == "p" and one.slot.endswith(":")


def is_pointed(one: Occurrence) -> bool:
    """Whether the call that brought this in was about something that the user named."""
    return one.event.detail is not None and "pointed" in one.event.detail


def is_made(one: Occurrence) -> bool:
    """Whether it came back from a call that made or changed something, in a field that the service fills in."""
    return one.event.detail is not None and "made" in one.event.detail and one.slot[:1] == "s"
