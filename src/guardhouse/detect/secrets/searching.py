"""Searches with RE2 for where a pattern and its groups match, and nothing else.

The Python wrapper of RE2 makes several objects of each match, which takes three times as long as finding it. Where a
text holds many secrets, that is most of the time. So the search underneath is called, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

Spans = Sequence[tuple[int, int]]
Search = Callable[[bytes, int, int], Spans | None]
"""From a text and a part of it to the span of the first match there, followed by those of its groups."""

_NOWHERE: Final = (-1, -1)


def for_bytes(re2: Any, memory: int = 0) -> Any:
    """How patterns over bytes are to be compiled. RE2 itself writes nothing to standard error: not a pattern, which may
    hold a secret, and not that it goes on in another way because it has run out of memory."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    if memory:
        options.max_mem = memory
    return options


class Searcher:
    """One compiled pattern, over UTF-8 bytes."""

    def __init__(self, re2: Any, pattern: str) -> None:
        self._compiled = re2.compile(pattern.encode("latin-1"), for_bytes(re2))
        native = getattr(getattr(self._compiled, "_regexp", None), "Match", None)
        anchors = getattr(re2, "_Anchor", None)
        if native is not None and anchors is not None:
            self.search: Search = _underneath(native, anchors.UNANCHORED)
            self.match: Search = _underneath(native, anchors.ANCHOR_START)
        else:
            self.search = _wrapped(self._compiled.search)
            self.match = _wrapped(self._compiled.match)


def _underneath(native: Callable[..., Spans], anchor: object) -> Search:
    def find(data: bytes, at: int, stop: int) -> Spans | None:
        spans = native(anchor, data, at, stop)
        return None if spans[0] == _NOWHERE else spans

    return find


def _wrapped(find: Callable[..., Any]) -> Search:
    def found(data: bytes, at: int, stop: int) -> Spans | None:
        match = find(data, at, stop)
        return None if match is None else [match.span(group) for group in range(match.re.groups + 1)]

    return found
