"""Python code as a syntax tree, without a way to bring the interpreter down; and what is left of code that is not
valid, or of another version of Python.
"""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python.known import TELLING
from guardhouse.detect.python.layout import Layout, Statement, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGEST: Final = 64 * 1024
PLACEHOLDER: Final = "ꙮ"
"""Stands for `UNKNOWN` in the code that is parsed, where no NUL may be: a letter, so that it can be a name."""
_FILE_NAME: Final = "code-that-guardhouse-reads"
_USUAL: Final = 16 * 1024
_MOST_WEIGHT: Final = 17_500
"""What is spent on parsing code of the usual length; longer code gets more. Units are those of a layout's weight."""
_A_TRY: Final = 60
"""What it takes to call the parser at all, or the scanner."""
_LETTERS_A_UNIT: Final = 4
_MOST_CALLS: Final = 24
_MOST_CHOSEN: Final = 150
_MOST_FINDS: Final = 1000
_LONGEST_PIECE: Final = 2048
_HEADERS: Final = ("if", "elif", "while", "for", "with", "else", "try", "finally", "except", "def", "class")
_BREAKS: Final = str.maketrans(dict.fromkeys("()[]{}'\",.;:=+-*/@%&|^~<>!#\\`", " "))

# The parser warns of odd escapes in the code it reads. That is nobody's concern here, and `catch_warnings` would not
# do: it is not safe with threads. This filter is only for code that goes by our name for it.
warnings.filterwarnings("ignore", module=_FILE_NAME)


class Piece(NamedTuple):
    """A part of code that could not be parsed as a whole."""

    start: int
    end: int
    body: list[ast.stmt]


class Parser:
    """Parses code, and code inside it, until what it may spend is spent."""

    def __init__(self, letters: int) -> None:
        self._left = _MOST_WEIGHT * max(letters, _USUAL) // _USUAL
        self.complete = True
        """Whether everything that could do something was read."""
        self.dense = False
        """Whether something was not read because it would take too long."""

    def lay_out(self, code: str) -> Layout:
        """The layout of code inside the code; what that takes counts."""
        self._left -= _A_TRY + len(code) // _LETTERS_A_UNIT
        return lay_out(code) if self._left > 0 else Layout((), too_deep=True, cut=True, weight=0)

    def parse(self, code: str, layout: Layout) -> ast.Module | None:
        """The syntax tree, or None if there is none."""
        if len(code) > LARGEST or layout.too_deep:
            self.dense |= layout.cut
            return None
        if layout.weight + _A_TRY > self._left:
            self.dense = True
            return None
        self._left -= layout.weight + _A_TRY
        try:
            return ast.parse(code.replace(UNKNOWN, PLACEHOLDER), _FILE_NAME)
        except SyntaxError as error:
            self._give_back(layout.weight, (error.lineno or 1) / (code.count("\n") + 1))
            return None
        except (ValueError, RecursionError, MemoryError, OverflowError):
            # Python itself can't read it: it is then read in pieces, and what is left over is said to be unread.
            return None

    def _give_back(self, weight: int, part: float) -> None:
        """The parser goes over the code up to a mistake twice, and does not see the rest. It tells a wrong line for
        some mistakes, so that not everything is given back."""
        self._left += weight - int(weight * min(2.0, max(0.5, 2 * part)))

    def pieces(self, code: str, layout: Layout, *, strict: bool = False) -> list[Piece]:
        """The statements that can be parsed by themselves, and the calls in those that can't.

        If there are too many of them, only those in which something is named that matters. What is not valid counts as
        read if there is no call in it, unless the caller is `strict`.
        """
        found: list[Piece] = []
        tries = _MOST_CALLS
        for start, end in self._chosen(code, layout):
            if self._left < _A_TRY:
                self.dense = True
                return found
            statement = code[start:end].strip()
            if not statement or statement.startswith("#"):
                continue
            tree = self._piece(statement)
            if tree is not None:
                found.append(Piece(start + code[start:end].index(statement[0]), end, tree.body))
                continue
            texts = list(islice(_calls(statement), max(0, tries)))
            tries -= len(texts) or 1
            calls = [call for call in map(self._piece, texts) if call is not None]
            found.extend(Piece(start, end, call.body) for call in calls)
            self.complete = self.complete and not strict and ("(" not in statement or bool(calls))
        self.complete = self.complete and tries > 0
        return found

    def _chosen(self, code: str, layout: Layout) -> Sequence[Statement]:
        statements = layout.statements
        if not layout.cut and len(statements) <= _MOST_CHOSEN and layout.weight < self._left:
            return statements
        self.complete = False
        if not statements:
            return ()
        starts = [start for start, _ in statements]
        chosen: dict[int, None] = {}
        left = self._left
        for at in _telling_places(code):
            index = bisect_right(starts, at) - 1
            if index not in chosen and left > 0:
                chosen[index] = None
                left -= 4 * _A_TRY + 2 * (statements[index].end - statements[index].start)
        return [statements[index] for index in sorted(chosen)]

    def _piece(self, piece: str) -> ast.Module | None:
        if len(piece) > _LONGEST_PIECE:
            return None
        for form in _forms(piece):
            tree = self.parse(form, self.lay_out(form))
            if tree is not None:
                return tree
        return None


def _telling_places(code: str) -> list[int]:
    """Where words stand that name something that matters; the rarest first, as far as there is time for them."""
    counts = Counter(word for word in code.translate(_BREAKS).split() if word in TELLING)
    found: list[int] = []
    tries = _MOST_FINDS
    for word, _ in sorted(counts.items(), key=lambda pair: pair[1]):
        at = code.find(word)
        while at >= 0 and tries and len(found) < _MOST_CHOSEN:
            tries -= 1
            if not any(map(str.isalnum, code[at - 1 : at] + code[at + len(word) : at + len(word) + 1])):
                found.append(at)
            at = code.find(word, at + len(word))
    return found


def _forms(piece: str) -> Iterator[str]:
    """Ways to read a statement: as it is, as the head of a block, as Python 2 has it."""
    word, _, rest = piece.partition(" ")
    if word in {"print", "exec"}:
        yield f"{word}({rest.lstrip('> ')})"
        if word == "exec":
            yield f"exec({rest.partition(' in ')[0]})"
    yield piece
    head = word.partition(":")[0].partition("(")[0]
    if head in _HEADERS:
        yield piece + " pass"
        if head == "elif":
            yield piece[2:] + (" pass" if piece.endswith(":") else "")
        body = piece.partition(":")[2].strip()
        if body:
            yield from _forms(body)
        elif head in {"else", "try", "finally", "except"}:
            yield "pass"


def _calls(statement: str) -> Iterator[str]:
    """Texts that look like `name.name(…)`, the outermost ones, in a statement that is not valid."""
    at = 0
    for _ in range(_MOST_CALLS):
        opened = statement.find("(", at)
        if opened < 0:
            return
        start = opened
        while start > at and (statement[start - 1].isalnum() or statement[start - 1] in "_."):
            start -= 1
        closed = _closing_bracket(statement, opened)
        at = opened + 1
        if start < opened and closed is not None:
            yield statement[start : closed + 1]
            at = closed + 1


def _closing_bracket(statement: str, opened: int) -> int | None:
    depth = 0
    quote = ""
    for index in range(opened, min(len(statement), opened + _LONGEST_PIECE)):
        char = statement[index]
        if quote:
            quote = "" if char == quote and statement[index - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return index
    return None
