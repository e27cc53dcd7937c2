"""Text of a program as a shell would get it: words quoted, and unknown pieces as a variable that nobody has set.

The variable is called `$UNKNOWN`, so that the reader of shell commands sees something that only the run would show.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from guardhouse.detect.acts import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def command_words(words: Iterable[str]) -> str:
    """A command line that gives exactly these words."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word == "~" or word.startswith("~/"):
        # Left as it is, because what was put together from the home directory begins so too.
        return "~" + (_quoted("/" + word[2:]) if word[1:] else "")
    pieces = word.split(UNKNOWN)
    return _with_variable([shlex.quote(piece) if piece or len(pieces) == 1 else "" for piece in pieces])


def _with_variable(pieces: list[str]) -> str:
    out = pieces[0]
    for piece in pieces[1:]:
        out += ("${UNKNOWN}" if piece[:1] in _NAME_CHARACTERS and piece else "$UNKNOWN") + piece
    return out


def command_line(line: str) -> str:
    """A command line with its unknown pieces as variables, also where they stand in single quotes."""
    if UNKNOWN not in line:
        return line
    pieces = line.split(UNKNOWN)
    out = pieces[0]
    quote = _open_quote(pieces[0], "")
    for piece in pieces[1:]:
        if quote == "'":
            out += "'\"$UNKNOWN\"'" + piece
        else:
            out += ("${UNKNOWN}" if piece[:1] in _NAME_CHARACTERS and piece else "$UNKNOWN") + piece
        quote = _open_quote(piece, quote)
    return out


def _open_quote(piece: str, quote: str) -> str:
    """The quote that is open after `piece`, if `quote` was before it."""
    escaped = False
    for char in piece:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
    return quote
