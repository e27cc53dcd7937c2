"""The pieces that code is cut into: names, strings, numbers and marks.

What a language's row says is made ready here for looking up single letters; the cutting itself is done elsewhere.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.languages import Language
from guardhouse.detect.inline.strings import openings

NAME: Final = "name"
TEXT: Final = "text"
MIXED: Final = "mixed"
"""A string with pieces put in; its text is as written."""
COMMAND: Final = "command"
"""A string that is run, as written."""
NUMBER: Final = "number"
PATTERN: Final = "pattern"
MARK: Final = "mark"

DIGITS: Final = frozenset("0123456789")
PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_SPECIAL_MARKS: Final = (
    ("heredoc", "<"),
    ("ruby", "%"),
    ("lua", "["),
    ("elixir", "~"),
    ("m4", "`"),
    ("letters", "'"),
    ("lisp", "?#"),
)


class Tokens(NamedTuple):
    """The pieces of the code, in four lists of the same length that belong together."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]
    codes: list[tuple[str, int, int]]
    """Code that stands in patterns (`s//code/e`), with its place."""

    def is_mark(self, i: int, text: str) -> bool:
        return 0 <= i < len(self.kinds) and self.texts[i] == text and self.kinds[i] == MARK

    def is_name(self, i: int) -> bool:
        return 0 <= i < len(self.kinds) and self.kinds[i] == NAME

    def opening(self, i: int, most: int = 64) -> int:
        """The bracket that the one at `i` closes; -1 if it is not near."""
        depth = 0
        for at in range(i, max(-1, i - most), -1):
            if self.kinds[at] == MARK:
                depth += (self.texts[at] in ")]}") - (self.texts[at] in "([{")
                if not depth:
                    return at
        return -1


class Shape(NamedTuple):
    """A language's row, made ready for looking up single letters."""

    quotes: dict[str, str]
    comments: dict[str, tuple[str, ...]]
    blocks: dict[str, tuple[tuple[str, str], ...]]
    joins: dict[str, tuple[str, ...]]
    sigils: frozenset[str]
    letters: frozenset[str]
    starters: frozenset[str]
    rest_of_name: re.Pattern[str]
    """The letters of a name from some place on. It is one class of letters, taken without looking back."""
    pattern_words: frozenset[str]
    special: frozenset[str]
    """Letters that may start something that is no name, number or mark."""
    pieces: tuple[str, ...]


@cache
def shape_of(language: Language) -> Shape:
    """The row of a language, ready for use."""
    words = language.blocks.split()
    blocks = list(zip(words[::2], words[1::2], strict=True))
    comments = language.comments.split()
    joins = language.joins.split()
    quotes = {word[0]: word[1:] for word in language.quotes.split()}
    extra = frozenset(language.letters) | {UNKNOWN}
    letters = PLAIN | extra
    special = set(quotes) | {word[0] for word in comments} | {pair[0][0] for pair in blocks}
    special |= {mark for word, marks in _SPECIAL_MARKS if word in language.specials for mark in marks}
    special |= {"/"} if language.patterns else set()
    special |= {"$"} if "$" in language.sigils and language.bare else set()
    return Shape(
        quotes=quotes,
        comments={word[0]: tuple(other for other in comments if other[0] == word[0]) for word in comments},
        blocks={pair[0][0]: tuple(other for other in blocks if other[0][0] == pair[0][0]) for pair in blocks},
        joins={word[0]: tuple(other for other in joins if other[0] == word[0]) for word in joins},
        sigils=frozenset(language.sigils),
        letters=letters,
        starters=(PLAIN - DIGITS) | (extra - set("!?.'")),
        rest_of_name=re.compile("[" + re.escape("".join(sorted(letters))) + "\x80-\U0010ffff]*+"),
        pattern_words=frozenset(language.patterns.split()),
        special=frozenset(special),
        pieces=openings(language),
    )
