"""Reads Markdown as far as it names places: links, images, definitions, addresses, and where code is.

A hand-written scanner that reads the text once. Programs differ in what they take for a link, so where they do, it is
one: an escaped bracket, a link in a block of code. Code counts only for what is no Markdown, such as tags.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.interface import Means, Next, Reference, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST: Final = 8192
"""Characters of an address that are read; no program follows a longer one."""
_DEEPEST: Final = 256
"""Open brackets that are remembered; the outer ones are forgotten first."""
_SPACE: Final = " \t\r\n"
_BEFORE_DEFINITION: Final = frozenset(" \t>*-+0123456789.)")


def inline_references(text: str) -> Iterator[Reference]:
    """Links and images with their address beside them, and definitions of such addresses."""
    if "](" not in text and "]:" not in text and "] (" not in text:
        return
    opened: list[int] = []
    bracket, parenthesis = Next(text, "]"), Next(text, ")")
    for at in _brackets(text):
        if text[at] == "[":
            opened.append(at)
            if len(opened) > _DEEPEST:
                del opened[0]
            continue
        # With nothing open, or nothing any more, the bracket itself stands for all that is before it.
        start = opened.pop() if opened else at
        following = text[at + 1 : at + 2]
        if following not in ("(", ":"):
            continue
        if following == ":":
            if _begins_line(text, start):
                url, end = _address(text, at + 2, bracket(at + 2))
                if url:
                    yield Reference(Means.LINK, start, end, url)
            continue
        url, end = _address(text, at + 2, bracket(at + 2))
        end = _closing(text, end, parenthesis)
        is_image = text[start - 1 : start] == "!"
        if url:
            means = Means.IMAGE if is_image else Means.LINK
            yield Reference(means, start - is_image, end, url, text[start + 1 : at])


def _brackets(text: str) -> Iterator[int]:
    """Where square brackets stand, in order."""
    left, right = text.find("["), text.find("]")
    while left >= 0 or right >= 0:
        if right < 0 or 0 <= left < right:
            yield left
            left = text.find("[", left + 1)
        else:
            yield right
            right = text.find("]", right + 1)


def _begins_line(text: str, start: int) -> bool:
    line = text.rfind("\n", max(0, start - 64), start) + 1
    if not line and start > 64:
        return False
    return _BEFORE_DEFINITION.issuperset(text[line:start])


def _address(text: str, at: int, limit: int) -> tuple[str, int]:
    """The address that stands at `at`, behind white space, and where it ends: before `limit`, where the next bracket
    closes, so that no text is read twice. The host has been read by then."""
    limit = min(limit, at + _LONGEST)
    while at < limit and text[at] in _SPACE:
        at += 1
    if text[at : at + 1] == "<":
        end = text.find(">", at, limit)
        return (text[at + 1 : end], end + 1) if end >= 0 else (text[at + 1 : limit], limit)
    depth = 0
    end = at
    while end < limit:
        char = text[end]
        if char in _SPACE or (char == ")" and not depth):
            break
        depth += (char == "(") - (char == ")")
        end += 1
    return text[at:end], end


def _closing(text: str, at: int, parenthesis: Next) -> int:
    """Where the parenthesis ends that a link's address stands in; a title may come before that."""
    limit = min(len(text), at + _LONGEST)
    while at < limit and text[at] in _SPACE:
        at += 1
    quote = {'"': '"', "'": "'", "(": ")"}.get(text[at : at + 1])
    if quote is not None:
        end = text.find(quote, at + 1, limit)
        at = end + 1 if end >= 0 else at
    end = parenthesis(at)
    return end + 1 if end < limit else at


_IN_SCHEME: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-")
_ENDS_ADDRESS: Final = frozenset(" \t\r\n\f\v<>\"'`|")
_TRAILING: Final = ".,;:!?]}*_~"


def bare_references(text: str) -> Iterator[Reference]:
    """Addresses in running text: `https://…`, `<https://…>`, `www.…`."""
    at = 0
    while (found := text.find("://", at)) >= 0:
        start = found
        while start > max(at, found - 32) and text[start - 1] in _IN_SCHEME:
            start -= 1
        while start < found and not text[start].isalpha():
            start += 1
        end = _bare_end(text, found + 3)
        at = max(end, found + 3)
        if start < found < end - 3:
            yield Reference(Means.BARE, start, end, text[start:end])
    at = 0
    lowered = folded(text)
    while (found := lowered.find("www.", at)) >= 0:
        at = _bare_end(text, found)
        before = text[found - 1 : found]
        if not before.isalnum() and before != "/" and at > found + 4:
            yield Reference(Means.BARE, found, at, f"https://{text[found:at]}")


def _bare_end(text: str, at: int) -> int:
    limit = min(len(text), at + _LONGEST)
    end = at
    depth = 0
    while end < limit and text[end] not in _ENDS_ADDRESS:
        char = text[end]
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        end += 1
    while end > at and text[end - 1] in _TRAILING:
        end -= 1
    return end


class Code:
    """Where code is: nothing in it is taken for a tag, or for an address to click on."""

    def __init__(self, blocks: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _end in blocks]
        self._ends = [end for _start, end in blocks]

    def holds(self, at: int) -> bool:
        """Whether `at` is inside."""
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ends[place]


class _Fence(NamedTuple):
    mark: str
    size: int
    start: int
    is_drawn: bool


_DRAWN: Final = ("mermaid", "dot", "graphviz", "plantuml", "svg", "abc", "vega")
"""Blocks of code that are shown as a drawing, with the links in it."""


def code_in(text: str) -> tuple[Code, Code]:
    """Blocks and pieces of code; and those blocks that are shown as a drawing. One that is not closed is none."""
    blocks: list[tuple[int, int]] = []
    drawn: list[tuple[int, int]] = []
    if "`" not in text and "~~~" not in text:
        return Code([]), Code([])
    fence: _Fence | None = None
    spans_from = 0
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.lstrip(" >")
        mark = bare[:1]
        size = len(bare) - len(bare.lstrip(mark)) if mark and mark in "`~" else 0
        if size >= 3 and fence is None and (mark == "~" or "`" not in bare[size:]):
            blocks += _spans(text, spans_from, at)
            info = bare[size:].strip().lower()
            fence = _Fence(mark, size, at, info.startswith(_DRAWN))
        elif fence is not None and mark == fence.mark and size >= fence.size and not bare[size:].strip():
            (drawn if fence.is_drawn else blocks).append((fence.start, at + len(line)))
            fence, spans_from = None, at + len(line)
        at += len(line)
    blocks += _spans(text, spans_from, fence.start if fence is not None else at)
    if fence is not None:
        blocks += _spans(text, fence.start + fence.size, at)
    return Code(sorted(blocks)), Code(drawn)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces of code in running text: between two rows of as many backticks."""
    rows: list[tuple[int, int]] = []
    at = text.find("`", start, end)
    while at >= 0:
        size = 1
        while at + size < end and text[at + size] == "`":
            size += 1
        rows.append((at, size))
        at = text.find("`", at + size, end)
    last: dict[int, list[int]] = {}
    for place in range(len(rows) - 1, -1, -1):
        last.setdefault(rows[place][1], []).append(place)
    place = 0
    while place < len(rows):
        begin, size = rows[place]
        later = last[size]
        while later and later[-1] <= place:
            later.pop()
        if later:
            place = later.pop()
            yield begin, rows[place][0] + size
        place += 1
