"""Finds the triggers that have no fixed text, such as base64 or letters with blanks between them, in one walk.

An engine for many words finds each of these in a walk of its own, the slower the more a text looks like it: indented
code is full of single characters before blanks. One automaton for all of them takes the same time for any text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets.interface import Pass
from guardhouse.detect.secrets.searching import Searcher
from guardhouse.detect.secrets.triggers import triggers

if TYPE_CHECKING:
    from guardhouse.detect.secrets.interface import Places

MOST: Final = 64
"""So many are found in one text. Where there are more, an engine that finds them all at once is faster."""
WIDEST: Final = 128
"""No match is wider than this."""


class ShapeFinder:
    """Finds the first few triggers without a fixed text."""

    def __init__(self) -> None:
        import re2  # kept out of `import guardhouse`

        shapes = [trigger for trigger in triggers() if trigger.look is Pass.SHAPES]
        self._any = Searcher(re2, "|".join(f"(?:{trigger.pattern})" for trigger in shapes))
        self._each = [(trigger.target, Searcher(re2, trigger.pattern)) for trigger in shapes]

    def find(self, data: bytes, found: Places) -> int:
        """Adds to `found` where they end. Returns how far it came: to the end, unless there were too many."""
        search = self._any.search
        at, size = 0, len(data)
        for _ in range(MOST):
            spans = search(data, at, size) if at < size else None
            if spans is None:
                return size
            start = spans[0][0]
            for target, one in self._each:
                match = one.match(data, start, size)
                if match is not None:
                    found[target].append(match[0][1])
            at = start + 1
        return at
