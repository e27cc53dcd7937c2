"""The cursor under the shell parser: the text, a position in it, the budgets, and the first problem met.

After a problem the position stands at the end of the text, so that every reader above finishes with what it has and
nothing understood is thrown away. It knows blanks, comments and line continuations; words and commands are read above.
"""

from __future__ import annotations

from typing import Literal, Self

import msgspec

END = "\0"
"""Stands after the last character, so that looking at the next one needs no check. The text itself never has it."""

READER_NODES = 8
"""What a text of its own costs, in nodes."""

NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
DIGITS = frozenset("0123456789")
NAME = NAME_START | DIGITS
WORD_END = frozenset(" \t\n;&|()" + END)
"""What ends a word. `<` and `>` do too, unless a parenthesis follows."""
OPERATORS = frozenset("<< <<< <<- <& <> >> >& >| && &> &>> || |& ;; ;& ;;&".split())
"""Operators of more than one character. Each one's beginning is an operator too: the longest wins."""


class Limits(msgspec.Struct, frozen=True):
    """How much the parser takes on before it says that a command can't be analysed."""

    max_bytes: int = 65536
    max_nodes: int = 20000
    """Words, parts of words, commands, and lines of here-documents: about a microsecond each."""
    max_depth: int = 60
    """Substitutions, quotes, groups and the like inside each other. Python's own stack allows about twice as many."""


class Problem(msgspec.Struct, frozen=True):
    """Why a text was not understood to its end."""

    kind: Literal["syntax", "bytes", "nodes", "nesting"]
    position: int
    what: str


class Reader:
    """A position in a text, and what may still be spent on it."""

    __slots__ = ("depth", "i", "last", "limits", "nodes", "place", "problem", "text")

    def __init__(self, text: str, limits: Limits, place: tuple[int, int] | None = None) -> None:
        self.text = text + END
        self.last = len(text)
        self.limits = limits
        self.place = place
        """Where the whole text stands in the command, if it is a changed copy of a piece of it."""
        self.i = 0
        self.depth = 0
        self.nodes = 0
        self.problem: Problem | None = None

    def inside(self, text: str, place: tuple[int, int] | None) -> Self:
        """A reader of a text of its own, on the same budgets; `finish` takes back what it spent."""
        reader = type(self)(text, self.limits, self.place or place)
        reader.nodes = self.nodes
        reader.spend(READER_NODES)
        reader.depth = self.depth
        return reader

    def finish(self, reader: Reader) -> None:
        """Where the inner text ends is known whatever is wrong inside, so reading goes on, but not over a limit."""
        self.nodes = reader.nodes
        if self.problem is None:
            self.problem = reader.problem
        if reader.problem is not None and reader.problem.kind != "syntax":
            self.i = self.last

    def fail(self, what: str, kind: Literal["syntax", "nodes", "nesting"] = "syntax") -> None:
        """Keeps the first problem and goes to the end, where every reader stops."""
        if self.problem is None:
            self.problem = Problem(kind, self.i if self.place is None else self.place[0], what)
        self.i = self.last

    def unexpected(self) -> None:
        """Fails on what stands at the position."""
        c = self.text[self.i]
        if self.i == self.last:
            self.fail("the command ends too early")
        else:
            self.fail("unexpected line end" if c == "\n" else f"unexpected `{c}`")

    def enter(self) -> bool:
        """Goes one level deeper, if that is allowed; whoever enters takes one off `depth` afterwards."""
        self.depth += 1
        if self.depth > self.limits.max_depth:
            self.fail(f"nested more than {self.limits.max_depth} deep", "nesting")
        return self.i < self.last

    def spend(self, nodes: int) -> None:
        """Counts nodes against their limit."""
        self.nodes += nodes
        if self.nodes > self.limits.max_nodes:
            self.fail(f"more than {self.limits.max_nodes} parts", "nodes")

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where it is in the text that was given to the parser."""
        return self.place or (start, end)

    def blanks(self) -> str:
        """Skips blanks, continued lines and a comment; says which character comes then."""
        s = self.text
        i = self.i
        while True:
            c = s[i]
            if c == " " or c == "\t":  # noqa: PLR1714 -- twice as fast as a set here
                i += 1
            elif c == "\\" and s[i + 1] == "\n":
                i += 2
            elif c == "#":
                i = s.find("\n", i)
                if i < 0:
                    i = self.last
            else:
                self.i = i
                return c

    def joined(self, i: int) -> int:
        """The next position that is not a continued line: a shell takes those out even inside operators and names."""
        s = self.text
        while s[i] == "\\" and s[i + 1] == "\n":
            i += 2
        return i

    def run(self, i: int, characters: frozenset[str]) -> tuple[str, int]:
        """The longest run of such characters from there, and where it ends."""
        s = self.text
        start = i
        while s[i] in characters:
            i += 1
        if s[i] != "\\" or s[i + 1] != "\n":
            return s[start:i], i
        pieces = [s[start:i]]
        while (following := self.joined(i)) > i and s[following] in characters:
            start = i = following
            while s[i] in characters:
                i += 1
            pieces.append(s[start:i])
        return "".join(pieces), i

    def operator(self) -> tuple[str, int]:
        """The longest operator at the position, and where it ends."""
        s = self.text
        found = s[self.i]
        end = self.i + 1
        while end <= self.last:
            following = self.joined(end)
            if found + s[following] not in OPERATORS:
                break
            found += s[following]
            end = following + 1
        return found, end
