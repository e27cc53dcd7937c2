"""Cuts code into names, strings, numbers and marks, in one pass from left to right.

It knows where strings, comments and patterns end, so that what stands in them is not taken for code. It does not know
statements or types; an end that can't be found makes the opening quote a mark, so that nothing hides behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from guardhouse.detect.inline.cutting import Cutter
from guardhouse.detect.inline.languages import Language
from guardhouse.detect.inline.quoting import (
    PERL_QUOTES,
    heredoc,
    lisp_letter,
    long_bracket,
    m4_quote,
    pattern,
    perl_quote,
    ruby_quote,
    sigil_quote,
    single_letter,
)
from guardhouse.detect.inline.strings import plain
from guardhouse.detect.inline.tokens import DIGITS, MARK, NAME, NUMBER, PLAIN, TEXT, Tokens

_MOST_PARTS: Final = 12
_OTHER_QUOTES: Final[dict[str, Callable[[Cutter, int], int]]] = {
    "/": pattern,
    "<": heredoc,
    "%": ruby_quote,
    "~": sigil_quote,
    "[": long_bracket,
    "`": m4_quote,
    "'": single_letter,
    "?": lisp_letter,
    "#": lisp_letter,
}


def scan(language: Language, code: str, most: int) -> Tokens:
    """The tokens of the code, a few more than `most` at the most. Takes time in proportion to its length."""
    return _Scanner(language, code).scan(most)


class _Scanner(Cutter):
    def scan(self, most: int) -> Tokens:
        code, size, shape = self.code, len(self.code), self.shape
        kinds, texts, starts, ends, _ = self.tokens
        special, starters, letters, sigils, joins = (
            shape.special,
            shape.starters,
            shape.letters,
            shape.sigils,
            shape.joins,
        )
        i = 0
        while i < size and len(kinds) < most:
            c = code[i]
            if c in starters or c > "\x7f":
                i = self._name(i, i)
            elif c in " \t\r":
                i += 1
            elif c in DIGITS:
                i = self._number(i)
            elif c in sigils and i + 1 < size and (code[i + 1] in letters or code[i + 1] in "_^"):
                i = self._name(i, i + 1)
            elif c in special and (end := self._special(i, c)) > i:
                i = end
            elif c in joins and (end := self._joined(i)):
                i = self._name(i, end, lead=".")
            else:
                kinds.append(MARK)
                texts.append(c)
                starts.append(i)
                i += 1
                ends.append(i)
                if c == "\n" and i - 1 in self.heredocs:
                    i = max(i, self.heredocs[i - 1])
        return self.tokens

    def _number(self, i: int) -> int:
        code, end = self.code, i + 1
        while end < len(code) and (code[end] in PLAIN or (code[end] == "." and code[end + 1 : end + 2].isdigit())):
            end += 1
        return self.add(NUMBER, code[i:end], i, end)

    def _joined(self, i: int) -> int:
        """Where the part of a name starts, if what stands at `i` joins one to what was before; else 0."""
        code = self.code
        for join in self.shape.joins.get(code[i], ()):
            after = i + len(join)
            if (
                code.startswith(join, i)
                and after < len(code)
                and (code[after] in self.shape.starters or code[after] > "\x7f")
            ):
                return after
        return 0

    def _name(self, start: int, i: int, *, lead: str = "") -> int:
        """A name with its parts, `a.b.c`, however the language joins them."""
        code, shape = self.code, self.shape
        end = shape.rest_of_name.match(code, i + 1).end()  # type: ignore[union-attr]  # it may match nothing
        text = lead + code[i:end] if lead else code[start:end]
        if code[end : end + 1] in shape.joins and (after := self._joined(end)):
            text, end = self._parts(text, after)
        if text in PERL_QUOTES and "perl" in self.language.specials and (quoted := perl_quote(self, text, start, end)):
            return quoted
        if text == "dnl" and self.language.specials == "m4":
            return code.find("\n", end) % (len(code) + 1)
        return self.add(NAME, text, start, end)

    def _parts(self, first: str, i: int) -> tuple[str, int]:
        code, shape = self.code, self.shape
        parts = [first]
        while i and len(parts) < _MOST_PARTS:
            end = shape.rest_of_name.match(code, i + 1).end()  # type: ignore[union-attr]  # it may match nothing
            parts.append(code[i:end])
            i = self._joined(end) if code[end : end + 1] in shape.joins else 0
        return ".".join(parts), end

    def _special(self, i: int, c: str) -> int:
        """Where the string, comment or pattern ends that starts at `i`; `i` itself if none does."""
        code, shape = self.code, self.shape
        for opening, closing in shape.blocks.get(c, ()):
            if code.startswith(opening, i) and closing not in self.unclosed:
                return self._block(i, opening, closing)
        for comment in shape.comments.get(c, ()):
            if code.startswith(comment, i) and not (c == "#" and i and code[i - 1] == "$"):
                end = code.find("\n", i)
                return len(code) if end < 0 else end
        if c in shape.quotes:
            return self._quoted(i, c)
        if c == "$":
            return self._odd_variable(i)
        other = _OTHER_QUOTES.get(c)
        return other(self, i) if other is not None else i

    def _block(self, i: int, opening: str, closing: str) -> int:
        code = self.code
        if opening[0] == "=":
            if i and code[i - 1] != "\n":
                return i
            end = code.find("\n" + closing, i)
            if end < 0:
                self.unclosed.add(closing)
                return i
            line = code.find("\n", end + 1)
            return line if line >= 0 else len(code)
        end = code.find(closing, i + len(opening))
        if end < 0:
            self.unclosed.add(closing)
            return i
        return end + len(closing)

    def _odd_variable(self, i: int) -> int:
        """`$"`, `$/`, `$<`: variables whose name is a mark that would start something else."""
        following = self.code[i + 1 : i + 2]
        if following and following in "\"'/<>()&`;!@,.\\0|?[]":
            return self.add(NAME, "$" + following, i, i + 2)
        return i

    def _tripled(self, i: int, quote: str) -> int:
        """The end of a string between three quotes; 0 if none starts here."""
        code, triple = self.code, quote * 3
        if not code.startswith(triple, i) or triple in self.unclosed or self.language.names[0] in "pr":
            return 0
        end = code.find(triple, i + 3)
        if end < 0:
            self.unclosed.add(triple)
            return 0
        raw = code[i + 3 : end]
        return self.add(self.kind(self.shape.quotes[quote], raw), raw, i, end + 3)

    def _quoted(self, i: int, quote: str) -> int:
        style, code = self.shape.quotes[quote], self.code
        if code.startswith(quote, i + 1) and (end := self._tripled(i, quote)):
            return end
        if quote in self.unclosed:
            return i
        end = code.find(quote, i + 1) if "v" in style else self.closing(i + 1, quote)
        if end < 0:
            self.unclosed.add(quote)
            return i
        raw = code[i + 1 : end]
        kind = self.kind(style, raw)
        if kind == TEXT and "v" not in style and "\\" in raw:
            raw = plain(raw, quote if "r" in style else "")
        return self.add(kind, raw, i, end + 1)
