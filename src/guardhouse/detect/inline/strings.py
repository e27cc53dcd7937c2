"""What the text between quotes stands for: escapes made into letters, and pieces that are put in told from the text.

Where a string ends is found out elsewhere, and so is what the pieces are worth.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.languages import Language, called

CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_OCTAL: Final = frozenset("01234567")
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "0": "", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE_BASES: Final = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}
_SUBSCRIPTED: Final = frozenset({"perl", "php"})
"""Where `$name[…]` in a string is one piece."""


class Piece(NamedTuple):
    """A part of a string: text, or code whose value is put in."""

    text: str
    is_code: bool


def plain(raw: str, quote: str) -> str:
    """What a string stands for, as written between its quotes; with a quote, only that and the backslash are hidden."""
    if "\\" not in raw:
        return raw
    if quote:
        return raw.replace("\\" + quote, quote).replace("\\\\", "\\")
    pieces: list[str] = []
    i = 0
    while (at := raw.find("\\", i)) >= 0 and at + 1 < len(raw):
        pieces.append(raw[i:at])
        value, i = _escaped(raw, at + 1)
        pieces.append(value)
    pieces.append(raw[i:])
    return "".join(pieces)


def _escaped(raw: str, i: int) -> tuple[str, int]:
    letter = raw[i]
    if letter in _ESCAPE_BASES:
        base, most = _ESCAPE_BASES[letter]
        braced = raw.startswith("{", i + 1)
        start = i + 1 + braced
        end = start
        while end < len(raw) and end - start < (8 if braced else most) and raw[end] in _HEX:
            end += 1
        number = int(raw[start:end] or "0", base)
        return (chr(number) if 0 < number < 0x110000 else ""), end + (braced and raw.startswith("}", end))
    if letter in _OCTAL:
        end = i
        while end < len(raw) and end - i < 3 and raw[end] in _OCTAL:
            end += 1
        return chr(int(raw[i:end], 8)).replace(UNKNOWN, ""), end
    return _SIMPLE.get(letter, letter), i + 1


@cache
def openings(language: Language) -> tuple[str, ...]:
    """What starts a piece, the longest first."""
    return tuple(sorted(language.pieces.split(), key=len, reverse=True))


def pieces(language: Language, raw: str) -> list[Piece]:
    """The parts of a string with pieces put in."""
    marks = openings(language)
    firsts = {mark[0] for mark in marks} | {"\\"}
    found: list[Piece] = []
    text, i = 0, 0
    while i < len(raw):
        if raw[i] not in firsts:
            i += 1
            continue
        if raw[i] == "\\":
            i += 2
            continue
        opening = next((mark for mark in marks if raw.startswith(mark, i)), "")
        start, end, after = _piece(language, raw, i, opening) if opening else (0, 0, 0)
        if end == start:
            i += 1
            continue
        found.append(Piece(plain(raw[text:i], ""), is_code=False))
        found.append(Piece(raw[start:end], is_code=True))
        i = text = after
    found.append(Piece(plain(raw[text:], ""), is_code=False))
    return found


def _piece(language: Language, raw: str, i: int, opening: str) -> tuple[int, int, int]:
    """Where the code of the piece starts and ends, and where the text goes on; nothing if no piece is there."""
    start = i + len(opening)
    if opening == "{$":
        end = bracket_end(raw, i + 1, "{")
        return i + 1, end, end + 1
    if len(opening) == 2:
        end = bracket_end(raw, start, opening[1])
        return start, end, end + 1
    end = start
    while end < len(raw) and raw[end] in _LETTERS:
        end += 1
    if end == start:
        return i, i, i
    if called(language) in _SUBSCRIPTED:
        end = _subscript_end(raw, end)
    return i, end, end


def _subscript_end(raw: str, end: int) -> int:
    at = end + 2 * raw.startswith("->", end)
    if raw[at : at + 1] in ("[", "{"):
        return min(bracket_end(raw, at + 1, raw[at]) + 1, len(raw))
    return end


def bracket_end(raw: str, i: int, opening: str) -> int:
    """Where the bracket that was opened before `i` is closed, or the end."""
    closing, depth = CLOSERS[opening], 1
    while True:
        close = raw.find(closing, i)
        if close < 0:
            return len(raw)
        depth += raw.count(opening, i, close) - 1
        if not depth:
            return close
        i = close + 1
