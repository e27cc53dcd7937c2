"""The tokens of one statement and ways to find one's way in them; and which pieces make up one routine.

It knows brackets and the outline of CREATE PROCEDURE, but not what any statement does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.sql.lexicons import MYSQL, Lexicon
from guardhouse.detect.sql.lexing import Kind, Token

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMING: Final = (Kind.WORD, Kind.NAME, Kind.VARIABLE, Kind.STRING)
_ROUTINES: Final = frozenset("FUNCTION PROCEDURE PROC TRIGGER PACKAGE".split())
_NO_ROUTINE: Final = frozenset("( AS TABLE VIEW USER ROLE EXTENSION".split())
_BLOCKS: Final = frozenset("IF LOOP WHILE REPEAT FOR".split())


class Statement:
    """The tokens of one statement, with the bracket that closes each bracket."""

    __slots__ = ("close", "inside", "lexicon", "tokens")

    def __init__(self, tokens: list[Token], lexicon: Lexicon) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        size = len(tokens)
        self.close = [size] * size
        self.inside = [-1] * size
        """The opening bracket around each token."""
        opened: list[int] = []
        around = -1
        for i, token in enumerate(tokens):
            key = token.key
            if key == ")" and opened:
                self.close[opened.pop()] = i
                around = opened[-1] if opened else -1
            self.inside[i] = around
            if key == "(":
                opened.append(i)
                around = i

    def key(self, i: int) -> str:
        """What the token is compared by; empty beyond the ends."""
        return self.tokens[i].key if 0 <= i < len(self.tokens) else ""

    def keys(self, i: int, count: int) -> tuple[str, ...]:
        """The same for some tokens from `i`."""
        return tuple(token.key for token in self.tokens[i : i + count])

    def level(self, start: int, end: int) -> Iterator[int]:
        """The tokens from `start` to `end` that stand in no bracket of their own."""
        i = start
        while i < end:
            yield i
            i = self.close[i] + 1 if self.tokens[i].key == "(" else i + 1

    def find(self, start: int, end: int, *keys: str) -> int:
        """Where one of the words stands on this level, or `end`."""
        return next((i for i in self.level(start, end) if self.tokens[i].key in keys), end)

    def string(self, start: int, end: int) -> Token | None:
        """The first string."""
        return next((one for one in self.tokens[start:end] if one.kind == Kind.STRING), None)

    def skip(self, i: int, words: frozenset[str]) -> int:
        """The first token from `i` that is none of the words."""
        while self.key(i) in words:
            i += 1
        return i

    def name(self, i: int) -> tuple[str, int]:
        """The name at `i` with its dots, and where it ends; empty if there is none."""
        parts: list[str] = []
        size = len(self.tokens)
        while i < size and self.tokens[i].kind in _NAMING:
            parts.append(self.tokens[i].text)
            i += 1
            if self.key(i) != ".":
                break
            while self.key(i) == ".":
                i += 1
        return ".".join(parts), i

    def names(self, at: int, end: int) -> Iterator[tuple[str, Token]]:
        """The names from `at`, separated by commas, each with its last token."""
        while at < end:
            name, after = self.name(at)
            if not name:
                return
            yield name, self.tokens[after - 1]
            if self.key(after) == "(":
                after = self.close[after] + 1
            if self.key(after) != ",":
                return
            at = after + 1

    def arguments(self, opening: int) -> list[tuple[int, int]]:
        """The first arguments in a bracket, each by where it begins and ends."""
        end = min(self.close[opening], len(self.tokens))
        found: list[tuple[int, int]] = []
        begin = opening + 1
        for i in self.level(begin, end):
            if self.tokens[i].key == ",":
                found.append((begin, i))
                begin = i + 1
                if len(found) > 3:
                    return found
        found.append((begin, end))
        return found


def routine_at(tokens: list[Token]) -> int:
    """Where a statement that makes a routine says so, or 0."""
    if tokens[0].key not in ("CREATE", "ALTER"):
        return 0
    for i, token in enumerate(tokens[1:12], 1):
        if token.key in _ROUTINES:
            return i
        if token.key in _NO_ROUTINE:
            return 0
    return 0


def whole_routines(pieces: list[list[Token]], lexicon: Lexicon) -> Iterator[list[Token]]:
    """The pieces, but the body of a routine, which holds semicolons, in one.

    mysql's client would cut there nevertheless, so that each piece is run.
    """
    at, hopeless = 0, lexicon is MYSQL
    while at < len(pieces):
        piece = pieces[at]
        at += 1
        if not hopeless and routine_at(piece) and any(token.key == "BEGIN" for token in piece):
            end = _body_end(pieces, at - 1)
            hopeless = end < 0
            if end >= 0:
                piece = [token for one in pieces[at - 1 : end] for token in one]
                at = end
        yield piece


def _body_end(pieces: list[list[Token]], at: int) -> int:
    depth = 0
    for i in range(at, len(pieces)):
        before = ""
        for token in pieces[i]:
            if token.key == "END":
                depth -= 1
            elif before == "END" and token.key in _BLOCKS:
                # `END IF` closes what was never counted as open.
                depth += 1
            elif token.key in ("BEGIN", "CASE") and before != "END":
                depth += 1
            before = token.key
        if depth <= 0:
            return i + 1
    return -1
