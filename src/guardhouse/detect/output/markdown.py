"""Reads Markdown as far as it names places: links, images, definitions, and addresses in running text.

A hand-written scanner that reads the text once. Programs differ in what they take for a link, so what any of them takes
for one is one: behind an escaped bracket, in a block of code, over two lines of a quotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.output.interface import Means, Next, Reference, compiled, folded

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LONGEST: Final = 8192
"""Characters of an address that are read; no program follows a longer one."""
_DEEPEST: Final = 256
"""Open brackets that are remembered; the outer ones are forgotten first."""
_SKIPPED: Final = r"(?:[\s>\ufeff]|&nbsp;|&#160;|&#xa0;)*+"
"""What may stand before an address: blanks of any kind, and the marks of a quotation that it goes on in."""


def inline_references(text: str) -> Iterator[Reference]:
    """Links and images with their address beside them, and definitions of such addresses."""
    if "](" not in text and "]:" not in text:
        return
    opened: list[int] = []
    bracket, parenthesis = Next(text, "]"), Next(text, ")")
    skipped = compiled(_SKIPPED)
    skipped_to = 0
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
        if skipped_to <= at + 2:
            skipped_to = _end(skipped.match(text, at + 2), at + 2)
        url, url_start, end = _address(text, skipped_to, bracket(skipped_to))
        if not url:
            continue
        if following == ":":
            yield Reference(Means.LINK, start, end, url, url_start)
            continue
        is_image = text[start - 1 : start] == "!"
        end = _closing(text, end, parenthesis)
        means = Means.IMAGE if is_image else Means.LINK
        yield Reference(means, start - is_image, end, url, url_start, text[start + 1 : at])


def _end(match: re.Match[str] | None, otherwise: int) -> int:
    return otherwise if match is None else match.end()


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


def _address(text: str, at: int, limit: int) -> tuple[str, int, int]:
    """The address that stands at `at`, where it begins and where it ends: before `limit`, where the next bracket
    closes, so that no text is read twice. The host has been read by then."""
    limit = min(limit, at + _LONGEST)
    if text[at : at + 1] == "<":
        end = text.find(">", at, limit)
        return (text[at + 1 : end], at + 1, end + 1) if end >= 0 else (text[at + 1 : limit], at + 1, limit)
    depth = 0
    end = at
    while end < limit:
        char = text[end]
        if char.isspace() or (char == ")" and not depth):
            break
        depth += (char == "(") - (char == ")")
        end += 1
    return text[at:end], at, end


def _closing(text: str, at: int, parenthesis: Next) -> int:
    """Where the parenthesis ends that a link's address stands in, if that is soon; a title may come before."""
    end = parenthesis(at)
    return end + 1 if end < at + _LONGEST and "\n\n" not in text[at:end] else at


_IN_SCHEME: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-")
_IN_ADDRESS: Final = r"[^\s<>\"'`|\\^{}\ufeff]*+"
_IN_TAIL: Final = r"[^\s<>]*+"
_TRAILING: Final = ".,;:!?)]}*_~"
# As those programs have it that look for names without a scheme: general domains, and those of countries.
_NAMED: Final = (
    r"(?<![\w.@/-])(?:[\w-]++\.){1,12}+"
    r"(?:com|net|org|info|biz|edu|gov|pro|web|xxx|aero|asia|coop|museum|name|shop|site|online|xyz|app|dev|io|ai|cloud"
    r"|[a-z][a-z])(?::[0-9]{1,5})?/[^\s<>\"'`?#()\[\]]*+\?[^\s<>\"'`]*+"
)


def bare_references(text: str) -> Iterator[Reference]:
    """Addresses in running text: `https://…`, `www.…`, `//…`, `example.com/?…`."""
    words = _Words(text)
    at = 0
    while (found := text.find("//", at)) >= 0:
        at = found + 2
        start = found
        before = text[found - 1 : found]
        if before == ":":
            start = found - 1
            while start > max(0, found - 32) and text[start - 1] in _IN_SCHEME:
                start -= 1
            while start < found - 1 and not text[start].isalpha():
                start += 1
            if start == found - 1:
                continue
        elif before.isalnum() or before in {"/", "\\"}:
            continue
        yield from words.address(start, at, text[start:at])
        at = max(at, words.done)
    words = _Words(text)
    lowered = folded(text)
    at = 0
    while (found := lowered.find("www.", at)) >= 0:
        at = found + 4
        before = text[found - 1 : found]
        if not before.isalnum() and before not in {"/", "."}:
            yield from words.address(found, at, f"https://{text[found:at]}")
            at = max(at, words.done)
    if "?" in text:
        words = _Words(text)
        for match in compiled(_NAMED).finditer(lowered):
            yield from words.address(match.start(), match.start(), "https://")


_MOST_IN_ONE: Final = 8
_UNREADABLE: Final = "https:///?"


class _Words:
    """Reads addresses in words, that is between blanks, each word only a few times. One with more addresses in it than
    that is no word, and nobody can tell where it leads."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = -1
        self._number = 0
        self.done = 0
        """Where to go on."""

    def address(self, start: int, at: int, head: str) -> Iterator[Reference]:
        """The address that begins with `head` and goes on at `at`."""
        text = self._text
        if at >= self._end:
            self._end = _end(compiled(_IN_TAIL).match(text, at), at)
            self._number = 0
        self._number += 1
        if self._number > _MOST_IN_ONE:
            yield Reference(Means.BARE, start, self._end, _UNREADABLE, start)
            self.done = self._end
            return
        limit = min(self._end, at + _LONGEST)
        end = _end(compiled(_IN_ADDRESS).match(text, at, limit), at)
        tail = text[end:limit]
        while end > at and text[end - 1] in _TRAILING:
            end -= 1
        if end > at:
            yield Reference(Means.BARE, start, end, head + text[at:end], start, tail=tail)
