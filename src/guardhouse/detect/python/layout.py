"""Where the statements of a piece of Python code stand, and whether it is too deep or too dense for the real parser.

The parser of CPython recurses on the C stack, so what nests too deeply must not get there; and it takes time for every
token, so what it would cost is estimated first. This scanner only knows strings, comments, brackets and line ends; it
is no parser, and it works on code that is not valid too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

DEEPEST = 100
"""Brackets in brackets, and unary operators in a row."""
_MOST_RECURSIVE = 400
_RECURSIVE = ("lambda", "not", "else", "**", "await")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_MARKS = frozenset("()[]{}'\"#\n;\\-+~:")
_MOST_MARKS: Final = 5000
_LETTERS_A_MARK: Final = 4
"""Marks that are looked at, or one for so many letters if that is more. Everyday code has one in six to twelve."""

_A_NAME: Final = 4
_AN_OPERATOR: Final = 3
_A_LINE: Final = 10
_A_LIST: Final = 6
"""What the parser takes for each, in units of about 0.3 µs: fitted to everyday code and to the densest there is."""

_SPACE: Final = b" \t\r\n\f"
_WORDS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_?"
"""With the mark that stands for letters beyond ASCII."""
_ONLY_WORDS: Final = bytes(byte if byte in _WORDS or byte in _SPACE else 0x20 for byte in range(256))


class Statement(NamedTuple):
    """A stretch of code between line ends or semicolons that stand in no bracket and no string."""

    start: int
    end: int


class Layout(NamedTuple):
    """What the scanner saw."""

    statements: tuple[Statement, ...]
    too_deep: bool
    cut: bool
    """Whether it gave up; from there on, the statements are the lines."""
    weight: int
    """What the parser would take for it."""


def lay_out(code: str) -> Layout:
    """The statements of `code`, whatever it is. Time is linear in its length."""
    statements: list[Statement] = []
    bare: list[str] = []
    start = resume = kept = unary = depth = deepest_unary = deepest = 0
    last = -1
    left = max(_MOST_MARKS, len(code) // _LETTERS_A_MARK)
    for at in [index for index, char in enumerate(code) if char in _MARKS]:
        if at < resume:
            continue
        left -= 1
        if not left:
            break
        char = code[at]
        if char in "-+~":
            unary = unary + 1 if code[last + 1 : at].strip() == "" else 1
            deepest_unary = max(deepest_unary, unary)
            last = at
            continue
        if char in "'\"":
            resume = _string_end(code, at)
            if not _is_formatted(code, at):
                bare.append(code[kept : at + 1])
                kept = resume
        elif char == "#":
            resume = _find(code, "\n", at)
            bare.append(code[kept:at])
            kept = resume
        elif char == "\\":
            resume = at + 2
        elif char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in _CLOSING:
            depth = max(0, depth - 1)
        elif not depth and char != ":":
            statements.append(Statement(start, at))
            start = at + 1
        last, unary = at, 0
    if not left:
        statements.extend(_lines(code, start))
        return Layout(tuple(statements), too_deep=True, cut=True, weight=0)
    statements.append(Statement(start, len(code)))
    bare.append(code[kept:])
    too_deep = max(deepest, deepest_unary) > DEEPEST or _recurses(code, statements)
    return Layout(tuple(statements), too_deep, cut=False, weight=_weight("".join(bare)))


def _weight(bare: str) -> int:
    """What the parser would take for code whose plain strings and comments are left out."""
    data = bare.encode("ascii", "replace")
    names = len(data.translate(_ONLY_WORDS).split())
    operators = len(data.translate(None, _WORDS + _SPACE))
    lines = len(data.translate(None, b" \t\r\f").split()) + data.count(b";")
    return _A_NAME * names + _AN_OPERATOR * operators + _A_LINE * lines + _A_LIST * data.count(b"[")


def _lines(code: str, start: int) -> list[Statement]:
    found = []
    while start < len(code):
        end = _find(code, "\n", start)
        found.append(Statement(start, end))
        start = end + 1
    return found


def _is_formatted(code: str, at: int) -> bool:
    """Whether the string that begins at `at` is one that holds expressions."""
    before = code[max(0, at - 2) : at].lower()
    return before.endswith(("f", "fr"))


def _recurses(code: str, statements: list[Statement]) -> bool:
    """Whether operators that the parser recurses on come too often in one statement."""
    if code.count("elif") > _MOST_RECURSIVE:
        return True
    return any(
        sum(code.count(word, start, end) for word in _RECURSIVE) > _MOST_RECURSIVE
        for start, end in statements
        if end - start > 2 * _MOST_RECURSIVE
    )


def _string_end(code: str, at: int) -> int:
    """The place after the string that begins at `at`; a string that is not closed ends with its line."""
    quote = code[at]
    if code.startswith(quote * 3, at):
        return _closing(code, quote * 3, at + 3, len(code))
    return _closing(code, quote, at + 1, _line_end(code, at))


def _line_end(code: str, at: int) -> int:
    end = _find(code, "\n", at)
    while end < len(code) and code[end - 1] == "\\":
        end = _find(code, "\n", end + 1)
    return end


def _closing(code: str, quote: str, at: int, limit: int) -> int:
    found = -1
    while at < limit:
        if found < at:
            found = code.find(quote, at, limit)
        if found < 0:
            return limit
        escape = code.find("\\", at, found)
        if escape < 0:
            return found + len(quote)
        at = escape + 2
    return limit


def _find(code: str, text: str, at: int) -> int:
    found = code.find(text, at)
    return len(code) if found < 0 else found
