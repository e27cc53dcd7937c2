"""Finds what a reader does not see: commands to a terminal, and characters without a shape that carry text.

Joiners in Persian and in Indic scripts, in emoji and in flags, and variants of ideographs stay: people write them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from guardhouse.detect.output.interface import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Of single characters only, so that it never goes back."""
    return re.compile(pattern)


_ESCAPE: Final = "\x1b"
_CONTROL: Final = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_INTRODUCERS: Final = {"\x9b": "\x1b[", "\x9d": "\x1b]"}
_LONGEST: Final = 4096

_FLAG: Final = "\U0001f3f4"
_END_TAG: Final = "\U000e007f"
_TAG_LETTERS: Final = "[\U000e0000-\U000e007f]+"
_SELECTORS: Final = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
_JOINERS: Final = frozenset("\u200c\u200d")
_SHAPELESS: Final = "[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0]+"
_OVERRIDES: Final = "[\u202d\u202e]"
_FEW: Final = 4
"""So many characters without a shape in a row, or sixteen in all where nobody needs them, are no accident."""
_MANY: Final = 16


def hidden(text: str) -> list[Hidden]:
    """Everything of the kind in `text`, in order."""
    if text.isascii():
        return list(_commands(text)) if not text.isprintable() else []
    return sorted([*_commands(text), *_tags(text), *_variants(text), *_shapeless(text)])


def _commands(text: str) -> Iterator[Hidden]:
    """Control characters, with the commands that they begin."""
    at, size = 0, len(text)
    while (found := _compiled(_CONTROL).search(text, at)) is not None:
        start = at = found.start()
        begin = text[at : at + 2] if text[at] == _ESCAPE else _INTRODUCERS.get(text[at], text[at])
        at += 2 if text[start] == _ESCAPE else 1
        if begin == "\x1b[":
            while at < min(size, start + _LONGEST) and " " <= text[at] <= "?":
                at += 1
            at += at < size and "@" <= text[at] <= "~"
        elif begin in {"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x90"}:
            end = at
            while end < min(size, start + _LONGEST) and text[end] not in "\x07\x1b\x9c\n":
                end += 1
            if end < size and text[end] != "\n":
                at = end + (2 if text[end : end + 2] == "\x1b\\" else 1)
        yield Hidden(start, min(at, size), is_command=True)


def _tags(text: str) -> Iterator[Hidden]:
    """Letters of Unicode's invisible alphabet, but for those that make a flag."""
    for found in _compiled(_TAG_LETTERS).finditer(text):
        start, at = found.span()
        is_flag = text[start - 1 : start] == _FLAG and text[at - 1] == _END_TAG and 4 <= at - start <= 7
        if not is_flag:
            yield Hidden(start, at, is_command=False)


def _variants(text: str) -> Iterator[Hidden]:
    """Variation selectors where they select nothing: several in a row, or a rare one behind what is no ideograph."""
    for found in _compiled(_SELECTORS).finditer(text):
        start, at = found.span()
        before = text[start - 1 : start]
        selects = at - start == 1 and before and (text[start] <= "\ufe0f" or unicodedata.category(before) == "Lo")
        if not selects:
            yield Hidden(start, at, is_command=False)


def _shapeless(text: str) -> Iterator[Hidden]:
    """Characters without a shape: many of them, where no script or emoji needs one; and what turns text round."""
    runs: list[tuple[int, int]] = []
    for found in _compiled(_OVERRIDES).finditer(text):
        yield Hidden(*found.span(), is_command=False)
    for found in _compiled(_SHAPELESS).finditer(text):
        start, at = found.span()
        if not (at - start == 1 and text[start] in _JOINERS and _joins(text, start)):
            runs.append((start, at))
    total = sum(end - start for start, end in runs)
    for start, end in runs:
        if end - start >= _FEW or total >= _MANY:
            yield Hidden(start, end, is_command=False)


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between two characters that can be joined: not in Latin text."""
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    return bool(before and behind) and not before.isascii() and not behind.isascii()
