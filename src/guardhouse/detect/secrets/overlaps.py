"""Matches before they are told: which are known already, which overlap, and where masks stand.

All of it is about places in bytes, but for masks, which are looked for in the text.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.secrets.masks import LONGEST_MASK, mask_end
from guardhouse.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Raw(msgspec.Struct, frozen=True, gc=False):
    """A match before overlaps are settled: `low`..`end` was matched, `start`..`end` is to be masked."""

    rank: int
    low: int
    start: int
    end: int
    confidence: Confidence
    also: tuple[int, ...] = ()
    """What else was found here: the ranks of other kinds."""


_NO_MORE: Final = (sys.maxsize, sys.maxsize)
_BESIDE: Final = 8
"""So many matches may overlap in one place and be looked at."""
BY_START: Final = attrgetter("start")
_BY_START_AND_RANK: Final = attrgetter("start", "rank")


class Known:
    """Tells whether a span is just a match with its kept beginning, so that `token=ghp_…` keeps its `ghp_`."""

    def __init__(self, raws: list[Raw]) -> None:
        self._forms = sorted(raws, key=_BY_START_AND_RANK)
        self._starts = [raw.start for raw in self._forms]

    def __call__(self, start: int, end: int) -> bool:
        at = bisect_right(self._starts, end)
        return any(form.low <= start and end <= form.end for form in self._forms[max(0, at - _BESIDE) : at])


class Taken:
    """Tells what is known to be a secret already."""

    def __init__(self, raws: Sequence[Raw]) -> None:
        self._spans = sorted([(raw.start, raw.end) for raw in raws])
        self._starts = [start for start, _end in self._spans]

    def __call__(self, place: int) -> int:
        """How far the secret reaches that `place` lies in; 0 if it lies in none."""
        at = bisect_right(self._starts, place) - 1
        return self._spans[at][1] if at >= 0 and place < self._spans[at][1] else 0

    def free(self, places: Iterable[int]) -> list[int]:
        """Those of `places`, which are in order, that lie in none."""
        found: list[int] = []
        spans = iter(self._spans)
        start, end = next(spans, _NO_MORE)
        reach = 0
        for place in places:
            while start <= place:
                if end > reach:  # noqa: PLR1730 - to call `max` would take as long as all the rest
                    reach = end
                start, end = next(spans, _NO_MORE)
            if place >= reach:
                found.append(place)
        return found

    def covers(self, start: int, end: int) -> bool:
        """Whether all of it lies in one of them."""
        at = bisect_right(self._starts, start)
        return any(end <= last for _first, last in self._spans[max(0, at - _BESIDE) : at])


def settled(raws: list[Raw]) -> list[Raw]:
    """Overlaps made one: the most specific kind names the match, and all that any of them would mask is masked.

    What the most specific kind keeps as structure (`sk-ant-api03-`) stays, whatever a more general one says of it.
    """
    raws.sort(key=_BY_START_AND_RANK)
    done: list[Raw] = []
    end = 0
    for raw in raws:
        if raw.start >= end or not done:
            done.append(raw)
            end = raw.end
            continue
        last = done[-1]
        best, other = (last, raw) if last.rank <= raw.rank else (raw, last)
        also = tuple(dict.fromkeys(rank for rank in (*best.also, other.rank, *other.also) if rank != best.rank))
        if best.low <= other.start and other.end <= best.end:
            done[-1] = Raw(best.rank, best.low, best.start, best.end, best.confidence, also)
        else:
            done[-1] = Raw(best.rank, best.low, last.start, max(last.end, raw.end), best.confidence, also)
        end = done[-1].end
    return done


def around_masks(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span, grown over a mask it cuts; None if it is a mask or inside one, so that redacting twice is once.

    Only what the redactor itself writes is a mask: anybody can write `[redacted` before a secret and `]` after it.
    """
    head = _mask_at(text, start)
    if head is not None:
        if end <= head[1]:
            return None
        start = head[0]
    tail = _mask_at(text, end - 1)
    return start, end if tail is None else tail[1]


def _mask_at(text: str, at: int) -> tuple[int, int] | None:
    """The mask that the character at `at` is part of."""
    first = text.rfind("[", max(0, at - LONGEST_MASK + 1), at + 1)
    if first >= 0 and at < (end := mask_end(text, first)):
        return first, end
    return None
