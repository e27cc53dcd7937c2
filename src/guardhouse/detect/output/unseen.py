"""Finds what a reader does not see: commands to a terminal, and characters without a shape that carry text.

Joiners in the scripts that need them and in emoji, flags, variants of ideographs, marks of direction in text that has
both, and breaks between words of Thai or Khmer stay: people write them.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.interface import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hidden(NamedTuple):
    """Characters that a reader does not see, or that a terminal obeys."""

    start: int
    end: int
    is_command: bool
    """For a terminal; otherwise it is text that can't be seen."""
    instead: str = ""


_CONTROL: Final = r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]|\r(?!\n)"
_SEQUENCE: Final = r"(?:\x1b\[|\x9b)[ -?]{0,256}+[@-~]?+"
_STRING: Final = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]{0,4096}+(?:\x07|\x1b\\|\x9c)?+"

_FLAG: Final = "\U0001f3f4"
_END_TAG: Final = "\U000e007f"
_IGNORABLE: Final = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]++"
)
"""What Unicode says that programs may ignore, and marks of annotation."""
_JOINERS: Final = frozenset("\u200c\u200d")
_BREAK: Final = "\u200b"
_DIRECTIONS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_OVERRIDES: Final = frozenset("\u202d\u202e")
_SOFT: Final = frozenset("\u00ad\u2060\ufeff")
_JOINED: Final = (
    "ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU",
    "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "TIBETAN", "MYANMAR", "ADLAM", "MEETEI",
)  # fmt: skip
_UNSPACED: Final = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "CJK", "HIRAGANA", "KATAKANA", "TAI", "JAVANESE")
_FEW: Final = 4
"""So many in a row, or sixteen in all where nobody needs them, are no accident."""
_MANY: Final = 16


def hidden(text: str) -> list[Hidden]:
    """Everything of the kind in `text`, in order."""
    if text.isascii():
        return list(_commands(text)) if not text.isprintable() else []
    return sorted([*_commands(text), *_ignorable(text)])


def _commands(text: str) -> Iterator[Hidden]:
    """Control characters, with the commands that they begin."""
    at = 0
    while (found := compiled(_CONTROL).search(text, at)) is not None:
        start = found.start()
        command = compiled(_SEQUENCE).match(text, start) or compiled(_STRING).match(text, start)
        at = max(found.end(), command.end() if command is not None else 0)
        yield Hidden(start, at, is_command=True, instead="\n" if found[0] == "\r" else "")


def _ignorable(text: str) -> Iterator[Hidden]:
    odd: list[tuple[int, int]] = []
    is_rtl: bool | None = None
    for found in compiled(_IGNORABLE).finditer(text):
        start, end = found.span()
        run = found[0]
        if _DIRECTIONS.issuperset(run):
            is_rtl = _has_rtl(text) if is_rtl is None else is_rtl
            if not is_rtl:
                odd.append((start, end))
        elif _OVERRIDES & set(run):
            yield Hidden(start, end, is_command=False)
        elif not _is_needed(text, start, end):
            odd.append((start, end))
    total = sum(end - start for start, end in odd)
    for start, end in odd:
        if end - start >= _FEW or total >= _MANY or text[start] >= "\U000e0000":
            yield Hidden(start, end, is_command=False)


def _is_needed(text: str, start: int, end: int) -> bool:
    """Whether a run of such characters has something to do where it stands."""
    run, before, behind = text[start:end], text[start - 1 : start], text[end : end + 1]
    if run[-1] == _END_TAG:
        return before == _FLAG and 4 <= len(run) <= 7 and run[0] > "\U000e001f"
    if not before:
        return run == "\ufeff"  # the mark at the beginning of a file
    kind = unicodedata.category(before)
    if run[0] in "\ufe0e\ufe0f" and len(run) <= 2 and (kind[0] == "S" or before in "0123456789#*\u203c\u2049\u3030"):
        return len(run) == 1 or run[1] == "\u200d"
    if len(run) > 1:
        return False
    if "\ufe00" <= run <= "\ufe0f" or "\U000e0100" <= run <= "\U000e01ef":
        return kind in {"Lo", "Sm"}
    if run in _JOINERS:
        return kind[0] == "S" or _script(before) in _JOINED
    if run == _BREAK:
        return _script(before) in _UNSPACED or _script(behind) in _UNSPACED
    if "\u180b" <= run <= "\u180f":
        return _script(before) == "MONGOLIAN"
    return run in _SOFT and before.isalpha() and not behind.isspace()


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char else ""


def _has_rtl(text: str) -> bool:
    return compiled("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]").search(text) is not None
