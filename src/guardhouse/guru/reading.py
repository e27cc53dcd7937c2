"""The prose of a reply as one page: without its disguise, cut into clauses of words, with the way back to each field.

The page is plain lower-case ASCII (`trust.disguise`), so one look sees through look-alikes, escapes and entities. What
other scripts have to say is read from the fields themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from guardhouse.guru.contract import Text, Violation, violation
from guardhouse.trust.disguise import Undisguised
from guardhouse.trust.lookalikes import HIDDEN, KINDS, belongs

_BETWEEN: Final = "\n¶\n"
"""Stands between two fields; nothing that is looked for goes over it."""
_TOKEN: Final = re.compile(rb"[a-z0-9_]++(?:['./+#=@-]++[a-z0-9_]++)*+|[^\x00-\x20]|\n")
_ENDS: Final = frozenset(".!?;\n\x01")
_HARD: Final = frozenset(':()[]{}"*-|>•/<=#$`~')
"""Behind these a clause may begin anew."""


ARGUMENTS: Final = "f("
"""What opens a clause that stands directly behind a name, as in `O(log n)`."""


@cache
def linear(pattern: bytes) -> Any:
    """A pattern over the page, compiled by what never backtracks."""
    import re2  # kept out of `import guardhouse`

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern, options)


class Word(NamedTuple):
    """A word of the page, and where it stands there."""

    text: str
    start: int
    end: int


class Clause(NamedTuple):
    """Words between two marks."""

    words: tuple[Word, ...]
    before: tuple[tuple[Word, ...], ...]
    """The clauses before it in its sentence that are divided from it by commas only."""
    closed_by: str
    """The mark behind it."""
    opened_by: str
    """The mark before it; empty where a sentence begins."""


class Page:
    """All prose of a reply."""

    def __init__(self, texts: list[Text]) -> None:
        self.texts = texts
        self._starts: list[int] = []
        pieces: list[str] = []
        at = 0
        for text in texts:
            self._starts.append(at)
            pieces += (text.text, _BETWEEN)
            at += len(text.text) + len(_BETWEEN)
        self.whole = "".join(pieces)
        self.kinds = self.whole.translate(KINDS)
        self._plain = Undisguised(self.whole, self.kinds)
        self.data = self._plain.text

    def field_at(self, place: int) -> Text:
        """The field that a place of `data` belongs to."""
        return self.texts[self._field(self._plain.origin(place))]

    def start_of(self, text: Text) -> int:
        """Where a field begins in `whole`."""
        return self._starts[self.texts.index(text)]

    def is_upper(self, place: int) -> bool:
        """Whether the character at a place of `data` was a capital."""
        origin = self._plain.origin(place)
        return not self.whole[origin : origin + 1].islower()

    def wrong(self, rule: str, start: int, end: int, why: str = "") -> Violation:
        """A violation at a place of `data`."""
        first = self._plain.origin(start)
        last = self._plain.origin(end - 1) + 1 if end > start else first
        return self.wrong_in_whole(rule, first, last, why)

    def wrong_in_whole(self, rule: str, start: int, end: int, why: str = "") -> Violation:
        """A violation at a place of `whole`."""
        field = self._field(start)
        text, low = self.texts[field], self._starts[field]
        first = min(start - low, len(text.text))
        return violation(rule, text.field, first, max(first, min(end - low, len(text.text))), why)

    def _field(self, place: int) -> int:
        return max(bisect_right(self._starts, place) - 1, 0)

    def hidden(self) -> Iterator[tuple[int, int]]:
        """Where characters stand that nobody sees, as places of `whole`."""
        at = self.kinds.find(HIDDEN)
        while at >= 0:
            belonging = belongs(self.whole, at)
            if belonging:
                at = self.kinds.find(HIDDEN, at + belonging)
                continue
            end = at + 1
            while end < len(self.kinds) and self.kinds[end] == HIDDEN:
                end += 1
            yield at, end
            at = self.kinds.find(HIDDEN, end)

    @cached_property
    def clauses(self) -> list[Clause]:
        """The page, clause by clause."""
        found: list[Clause] = []
        words: list[Word] = []
        before: list[tuple[Word, ...]] = []
        opened = ""

        def close(mark: str) -> None:
            nonlocal opened
            if words:
                clause = tuple(words)
                found.append(Clause(clause, tuple(before[-_KEPT:]), mark, opened))
                before.append(clause)
                words.clear()
            if mark != ",":
                before.clear()
            opened = "" if mark in _ENDS else mark

        for match in _TOKEN.finditer(self.data):
            token = match[0].decode("latin-1")
            if token[0].isalnum() or token[0] == "_":
                for word in self._apart(token, match.start()):
                    if word is None:
                        close(".")
                    else:
                        words.append(word)
            elif token == "-" and self.data[match.start() - 1 : match.start()].isalnum():
                continue  # `four- and eightfold`
            elif token in _ENDS or token == "," or token in _HARD:
                close(token)
                if token == "(" and self.data[match.start() - 1 : match.start()].isalnum():
                    opened = ARGUMENTS
        close(".")
        return found

    def _apart(self, token: str, start: int) -> Iterator[Word | None]:
        """A token as words; None between them where a sentence ends without a blank."""
        low = 0
        at = token.find(".")
        while at > 0:
            if token[at - 1].isalpha() and self._begins_sentence(start, token, at):
                yield Word(token[low:at], start + low, start + at)
                yield None
                low = at + 1
            at = token.find(".", at + 1)
        yield Word(token[low:], start + low, start + len(token))

    def _begins_sentence(self, start: int, token: str, at: int) -> bool:
        if at + 2 >= len(token) or token[at - 2 : at - 1] == "." or not token[at + 1].isalpha():
            return False
        place = self._plain.origin(start + at + 1)
        return self.whole[place : place + 2].istitle() and self.whole[place - 2 : place - 1].islower()


_KEPT: Final = 4
"""So many clauses before one are looked at: a list of a thousand commas must not cost a million looks."""
