"""A first look at a text with what needs nothing built beforehand: words from the tables, and RE2 for the rest.

A process that looks at little finds the words by their first letters, which takes no preparation; one that looks at
more has RE2 find them. Either way only the triggers whose words are there are looked for. Good for a process that looks
at one call and ends; `vectorscan` is for those that stay.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.secrets.interface import Pass
from guardhouse.detect.secrets.kinds import FIRST_NAMED, NAMED, PREFIXED
from guardhouse.detect.secrets.kinds.rows import literals
from guardhouse.detect.secrets.searching import Search, Searcher, for_bytes
from guardhouse.detect.secrets.triggers import (
    PAIR_TARGETS,
    TELLING_BACKWARDS,
    Trigger,
    of_kind,
    of_prefixed_row,
    of_row_backwards,
    triggers,
    without_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.detect.secrets.interface import Places

_SET_MEMORY: Final = 64 << 20
_LITTLE: Final = 64 << 10
"""So many bytes are looked at without preparation, all in all."""
_OVERLAP: Final = 8
_OVERLAP_OF_PAIRS: Final = 64
"""What looks like the value of one name may be the name of another value."""
_SEEN: Final = 8192
_WIDEST: Final = 512
"""Of what is wider than this, the rest tells nothing."""
_FIRST: Final = 3
_FIRST_OF_NAME: Final = 4


class Re2Matcher:
    """Finds triggers with RE2."""

    def __init__(self) -> None:
        import re2  # kept out of `import guardhouse`

        self._re2 = re2
        self._searchers: dict[str, Searcher] = {}
        self._seen = 0
        self._others: list[_Set] | None = None
        self._all: list[_Set] | None = None

    def places(self, data: bytes) -> Places:
        """Where triggers end that are found, by what they are triggers of."""
        self._seen += len(data)
        found: Places = {}
        for trigger in self._present(data):
            overlap = _OVERLAP_OF_PAIRS if trigger.target in PAIR_TARGETS else _OVERLAP
            ends = _ends(self._searcher(trigger.pattern).search, data, overlap)
            if ends:
                found.setdefault(trigger.target, []).extend(ends)
        return found

    def _present(self, data: bytes) -> Iterator[Trigger]:
        """The triggers whose anchors are there."""
        if self._seen <= _LITTLE and self._all is None:
            if self._others is None:
                self._others = self._sets(without_words())
            yield from self._words.present(data)
            sets = self._others
        else:
            if self._all is None:
                self._all = self._sets(triggers())
            sets = self._all
        for one in sets:
            yield from one.present(data)

    @cached_property
    def _words(self) -> _Words:
        return _Words()

    def _sets(self, found: Iterable[Trigger]) -> list[_Set]:
        """Those without words apart: counting in them would multiply the states of all the words."""
        words = [trigger for trigger in found if trigger.look is not Pass.SHAPES]
        others = [trigger for trigger in found if trigger.look is Pass.SHAPES]
        return [_Set(self._re2, words), _Set(self._re2, others)]

    def _searcher(self, pattern: str) -> Searcher:
        searcher = self._searchers.get(pattern)
        if searcher is None:
            searcher = self._searchers[pattern] = Searcher(self._re2, pattern)
        return searcher


def _ends(search: Search, data: bytes, overlap: int) -> list[int]:
    """Where matches end. Each search sees a part of the text only: to find one match, it may have to read on to the end
    of what it sees."""
    found: list[int] = []
    at, size = 0, len(data)
    while at < size:
        stop = min(size, at + _SEEN)
        spans = search(data, at, stop)
        if spans is not None:
            start, end = spans[0]
            found.append(end)
            # One may begin where another ends.
            at = max(start + 1, end - overlap)
        else:
            at = stop if stop == size else stop - _WIDEST
    return found


class _Set:
    """Tells which anchors are in a text, in one go."""

    def __init__(self, re2: Any, found: list[Trigger]) -> None:
        self._look = re2.Set.SearchSet(for_bytes(re2, _SET_MEMORY))
        by_anchor: dict[str, list[Trigger]] = {}
        for trigger in found:
            by_anchor.setdefault(trigger.anchor, []).append(trigger)
        for anchor in by_anchor:
            self._look.Add(anchor)
        # RE2 answers "no match" also when it ran out of memory. This one always matches: without it in the answer,
        # there was none.
        self._look.Add(r"\z")
        self._look.Compile()
        self._members = list(by_anchor.values())

    def present(self, data: bytes) -> Iterator[Trigger]:
        """The triggers whose anchors are in `data`; all of them, if that can't be told."""
        answer = self._look.Match(data)
        if not answer or len(self._members) not in answer:
            answer = range(len(self._members))
        for place in answer:
            if place < len(self._members):
                yield from self._members[place]


class _Words:
    """The fixed words of the tables, by their first letters."""

    def __init__(self) -> None:
        self._heads: dict[bytes, list[tuple[bytes, int]]] = {}
        self._backwards: dict[bytes, list[tuple[bytes, int]]] = {}
        self._names: dict[bytes, list[tuple[bytes, int]]] = {}
        for index, row in enumerate(PREFIXED):
            for literal in literals(row.head):
                head = literal.encode("latin-1")
                self._heads.setdefault(head[:_FIRST], []).append((head, index))
                if len(head) >= TELLING_BACKWARDS:
                    self._backwards.setdefault(head[: -_FIRST - 1 : -1], []).append((head[::-1], index))
        for index, named in enumerate(NAMED, FIRST_NAMED):
            for name in named.names.encode("latin-1").split():
                self._names.setdefault(name[:_FIRST_OF_NAME], []).append((name, index))

    def present(self, data: bytes) -> Iterator[Trigger]:
        """The triggers whose words are in `data`."""
        beginnings = {data[at : at + _FIRST] for at in range(len(data) - _FIRST + 1)}
        for index in _found(self._heads, beginnings, data):
            yield from of_prefixed_row(index, PREFIXED[index])
        for index in _found(self._backwards, beginnings, data):
            yield from of_row_backwards(PREFIXED[index])
        lowered = data.lower()
        beginnings = {lowered[at : at + _FIRST_OF_NAME] for at in range(len(data) - _FIRST_OF_NAME + 1)}
        yield from map(of_kind, _found(self._names, beginnings, lowered))


def _found(words: dict[bytes, list[tuple[bytes, int]]], beginnings: set[bytes], data: bytes) -> dict[int, None]:
    return {
        index: None
        for beginning in sorted(words.keys() & beginnings)
        for word, index in words[beginning]
        if word in data
    }


@cache
def shared_matcher() -> Re2Matcher:
    """One for all of this process: what it has prepared is good for every policy."""
    return Re2Matcher()
