"""Finds the other places where a value that is known to be secret stands, without what gave it away there.

A password that was read from `password=…` is no less secret when it is repeated bare three lines below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from guardhouse.detect.secrets.checks import wordiness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T")

_SHORTEST: Final = 8
"""Shorter values, like words, are too likely to be part of something harmless."""
_PREFIX: Final = 8
_COMPARED: Final = 64
"""The beginning of a long value counts as the value: keys get cut off when people paste them."""
_FEW: Final = 64
_CROWD: Final = 32
"""With more values than this behind one prefix, the prefix is enough: masking too much is the safe side."""


class Echoes(Generic[T]):
    """Values known to be secret, each with what is to be remembered about it."""

    def __init__(self, known: Iterable[tuple[str, T]]) -> None:
        self._by_prefix: dict[str, dict[str, T]] = {}
        for value, about in known:
            if len(value) >= _SHORTEST and not (value.isalpha() and wordiness(value) >= 0.5):
                self._by_prefix.setdefault(value[:_PREFIX], {}).setdefault(value, about)

    def __bool__(self) -> bool:
        return bool(self._by_prefix)

    def spans(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, T]]:
        """Where known values stand in `text` outside the spans `taken`, which are sorted and do not overlap."""
        at = 0
        for start, end in (*taken, (len(text), len(text))):
            if start - at >= _PREFIX:
                yield from self._in(text, at, start)
            at = end

    def _in(self, text: str, at: int, stop: int) -> Iterator[tuple[int, int, T]]:
        for place in self._places(text, at, stop):
            if place < at:
                continue
            found = self._longest(text, place, stop)
            if found is not None:
                at = found[0]
                yield place, *found

    def _places(self, text: str, at: int, stop: int) -> Iterable[int]:
        """Every place in text[at:stop] where some known prefix begins, in order."""
        if len(self._by_prefix) > _FEW:
            return (i for i in range(at, stop - _PREFIX + 1) if text[i : i + _PREFIX] in self._by_prefix)
        places: list[int] = []
        for prefix in self._by_prefix:
            place = text.find(prefix, at, stop)
            while place >= 0:
                places.append(place)
                place = text.find(prefix, place + 1, stop)
        return sorted(places)

    def _longest(self, text: str, place: int, stop: int) -> tuple[int, T] | None:
        bucket = self._by_prefix[text[place : place + _PREFIX]]
        if len(bucket) > _CROWD:
            return _run_end(text, place, stop), next(iter(bucket.values()))
        best: tuple[int, T] | None = None
        for value, about in bucket.items():
            if text.startswith(value[:_COMPARED], place, stop):
                end = _agreement(text, place, stop, value)
                if best is None or end > best[0]:
                    best = (end, about)
        return best


def _agreement(text: str, place: int, stop: int, value: str) -> int:
    """How far text and value agree, by steps. What was compared is masked and skipped, so the whole stays linear."""
    done = min(len(value), _COMPARED)
    while done < len(value) and text.startswith(value[done : done + _COMPARED], place + done, stop):
        done = min(len(value), done + _COMPARED)
    return place + done


def _run_end(text: str, place: int, stop: int) -> int:
    end = place + _PREFIX
    while end < stop and (text[end].isalnum() or text[end] in "_-+/=."):
        end += 1
    return end
