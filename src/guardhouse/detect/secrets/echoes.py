"""Finds the other places where a value that is known to be secret stands, without what gave it away there.

A password that was read from `password=…` is no less secret when it is repeated bare three lines below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from guardhouse.detect.secrets.checks import wordiness
from guardhouse.detect.secrets.offsets import Offsets, bytes_of
from guardhouse.detect.secrets.searching import for_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T")

_SHORTEST: Final = 8
"""Shorter values, like words, are too likely to be part of something harmless."""
_PREFIX: Final = 8
_COMPARED: Final = 64
"""The beginning of a long value counts as the value: keys get cut off when people paste them."""
_FEW: Final = 16
_MOST: Final = 2000
"""Values that are looked for. A text that has more secrets than this in the clear has them in their own places."""
_CROWD: Final = 8
"""With more values than this behind one prefix, the prefix is enough: masking too much is the safe side."""
_SET_MEMORY: Final = 64 << 20
_IN_TOKENS: Final = frozenset(b"_-+/=.")


class Echoes(Generic[T]):
    """Values known to be secret, each with what is to be remembered about it."""

    def __init__(self, known: Iterable[tuple[str, T]]) -> None:
        self._by_prefix: dict[bytes, dict[bytes, T]] = {}
        for value, about in known:
            if len(self._by_prefix) < _MOST and len(value) >= _SHORTEST and not _is_word(value):
                data, _plain = bytes_of(value)
                self._by_prefix.setdefault(data[:_PREFIX], {}).setdefault(data, about)
        self._pattern: Any = None

    def __bool__(self) -> bool:
        return bool(self._by_prefix)

    def spans(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, T]]:
        """Where known values stand in `text` outside the spans `taken`, which are sorted and do not overlap."""
        data, plain = bytes_of(text)
        if plain:
            yield from self._spans(data, taken)
            return
        offsets = Offsets(data)
        for start, end, about in self._spans(data, list(_in_bytes(text, taken))):
            yield offsets.floor(start), offsets.ceil(end), about

    def _spans(self, data: bytes, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, T]]:
        spans = iter((*taken, (len(data), len(data))))
        start, end = next(spans)
        at = 0
        for place in self._places(data):
            while end <= place:
                at = max(at, end)
                start, end = next(spans)
            if at <= place < start:
                found = self._longest(data, place, start)
                if found is not None:
                    at = found[0]
                    yield place, *found

    def _places(self, data: bytes) -> Iterable[int]:
        """Every place where some known prefix begins, in order."""
        if len(self._by_prefix) > _FEW:
            return self._many_places(data)
        places: list[int] = []
        for prefix in self._by_prefix:
            place = data.find(prefix)
            while place >= 0:
                places.append(place)
                place = data.find(prefix, place + 1)
        return sorted(places)

    def _many_places(self, data: bytes) -> Iterator[int]:
        if self._pattern is None:
            import re2  # kept out of `import guardhouse`

            self._pattern = re2.compile(b"|".join(map(re2.escape, self._by_prefix)), for_bytes(re2, _SET_MEMORY))
        at = 0
        while (match := self._pattern.search(data, at)) is not None:
            yield match.start()
            at = match.start() + 1

    def _longest(self, data: bytes, place: int, stop: int) -> tuple[int, T] | None:
        bucket = self._by_prefix.get(data[place : place + _PREFIX])
        if bucket is None:
            return None
        if len(bucket) > _CROWD:
            return _run_end(data, place, stop), next(iter(bucket.values()))
        best: tuple[int, T] | None = None
        for value, about in bucket.items():
            if data.startswith(value[:_COMPARED], place, stop):
                end = _agreement(data, place, stop, value)
                if best is None or end > best[0]:
                    best = (end, about)
        return best


def _in_bytes(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans of characters as spans of bytes."""
    at = place = 0
    for start, end in spans:
        first = place + len(bytes_of(text[at:start])[0])
        place = first + len(bytes_of(text[start:end])[0])
        at = end
        yield first, place


def _is_word(value: str) -> bool:
    return value.isalpha() and wordiness(value) >= 0.5


def _agreement(data: bytes, place: int, stop: int, value: bytes) -> int:
    """How far data and value agree, by steps. What was compared is masked and skipped, so the whole stays linear."""
    done = min(len(value), _COMPARED)
    while done < len(value) and data.startswith(value[done : done + _COMPARED], place + done, stop):
        done = min(len(value), done + _COMPARED)
    return place + done


def _run_end(data: bytes, place: int, stop: int) -> int:
    end = place + _PREFIX
    while end < stop and (data[end : end + 1].isalnum() or data[end] in _IN_TOKENS):
        end += 1
    return end
