"""Where a text holds code, which is shown and does nothing, so that tags in it are harmless.

Programs do not agree on that, so only what is code for every one of them counts: a block between two lines of nothing
but marks, neither indented nor quoted nor in a list, and a piece between backticks in a paragraph that has no tags.
Wherever something could make it otherwise (a comment, a block of HTML, a mark that could be the end), it is no code.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from guardhouse.detect.output.interface import compiled, folded

_LINE: Final = r"[^\r\n]*+(?:\r\n|\r|\n|\Z)"
_FENCE: Final = r"(`{3,}+|~{3,}+)[ \t]*+([^`\r\n]*+)"
_MAY_END: Final = r"[\s>*+\-0-9.)]*+(`{3,}+|~{3,}+)"
_RAW: Final = (
    "<!", "<?", "<pre", "<script", "<style", "<textarea", "<xmp", "<title", "<plaintext", "<svg", "<math", "<iframe",
    "<noscript", "<noembed", "<noframes", "<template",
)  # fmt: skip
"""What may begin a stretch of HTML that goes on over blank lines."""
_TAG: Final = r"<[A-Za-z/!?]"
_PIECE: Final = r"(?<!`)(`++)[^`\r\n]++\1(?!`)"
_BEFORE_PIECE: Final = frozenset(" \t\r\n([{\"'*_,:;\u2013\u2014|/")
"""Behind a letter, the marks may be part of an address."""
_DRAWN: Final = ("mermaid", "dot", "graphviz", "plantuml", "svg", "abc", "vega")
"""Blocks of code that are shown as a drawing, with the links in it."""


class Code:
    """The code in a text."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        if "`" in text or "~~~" in text:
            self._read(text)

    def holds(self, at: int) -> bool:
        """Whether `at` is inside."""
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ends[place]

    def _add(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)

    def _read(self, text: str) -> None:
        paragraph = 0
        mark, opened = "", 0
        is_drawn = False
        for line in compiled(_LINE).finditer(text):
            start, end = line.span()
            if start == end:
                break
            words = line[0].strip()
            if mark:
                closing = compiled(_MAY_END).match(line[0])
                if closing is None or closing[1][0] != mark[0] or len(closing[1]) < len(mark):
                    continue
                if words.strip(mark[0]) or closing.start(1):
                    return  # it may end here, or not: from here on, nobody can tell what is code
                if not is_drawn:
                    self._add(opened, end)
                mark, paragraph = "", end
                continue
            fence = compiled(_FENCE).match(line[0])
            if fence is not None and not line[0][fence.end() :].strip("\r\n"):
                before = text[paragraph:start]
                if not self._paragraph(text, paragraph, start) or compiled(r"(?m)^[ \t]{0,3}<").search(before):
                    return
                mark, opened = fence[1], start
                is_drawn = fence[2].lower().startswith(_DRAWN)
            elif not words:
                if not self._paragraph(text, paragraph, start):
                    return
                paragraph = end
        if not mark:
            self._paragraph(text, paragraph, len(text))

    def _paragraph(self, text: str, start: int, end: int) -> bool:
        """Read the pieces of code in a paragraph. False if HTML may begin there that goes on behind it."""
        pieces: list[tuple[int, int]] = []
        if "`" in text[start:end]:
            pieces = [(start + one.start(), start + one.end()) for one in compiled(_PIECE).finditer(text[start:end])]
        bare, at = [], start
        for low, high in pieces:
            bare.append(text[at:low])
            at = high
        bare.append(text[at:end])
        outside = "`".join(bare)
        has_tags = compiled(_TAG).search(outside) is not None
        # With a mark to spare, others may pair them otherwise.
        is_clear = not has_tags and "\\" not in outside and not any("`" in part for part in bare)
        if is_clear and all(low == start or text[low - 1] in _BEFORE_PIECE for low, _high in pieces):
            for low, high in pieces:
                self._add(low, high)
        if has_tags and pieces:
            outside = text[start:end]
        return not has_tags or not any(word in folded(outside) for word in _RAW)
