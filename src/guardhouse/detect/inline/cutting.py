"""What every part of the scanner works on: the code, the tokens so far, and where strings end.

A closing mark that is not there is looked for once, so that the time goes by the length of the code.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.inline.languages import Language
from guardhouse.detect.inline.strings import CLOSERS, plain
from guardhouse.detect.inline.tokens import COMMAND, MARK, MIXED, PATTERN, TEXT, Tokens, shape_of

_SPACES: Final = frozenset(" \t\n")


class Cutter:
    """Code that is being cut into tokens."""

    def __init__(self, language: Language, code: str) -> None:
        self.language = language
        self.code = code
        self.shape = shape_of(language)
        self.tokens = Tokens([], [], [], [], [])
        self.unclosed: set[str] = set()
        """Closing marks that were looked for and are not there any more: nobody looks a second time."""
        self.no_pattern_before = 0
        self.lines_tried = 0
        self.heredocs: dict[int, int] = {}
        """Where lines end that texts follow, and where those texts end."""

    def add(self, kind: str, text: str, start: int, end: int) -> int:
        """Add a token; gives its end."""
        tokens = self.tokens
        tokens.kinds.append(kind)
        tokens.texts.append(text)
        tokens.starts.append(start)
        tokens.ends.append(end)
        return end

    def add_raw(self, kind: str, raw: str, start: int, end: int) -> int:
        """Add a string as it is written."""
        if kind == MIXED:
            kind = self.kind("i", raw)
            raw = plain(raw, "") if kind == TEXT else raw
        return self.add(kind, "" if kind == PATTERN else raw, start, end)

    def add_words(self, kind: str, raw: str, start: int, end: int) -> int:
        """Add a list of words: as if each were quoted, with commas between."""
        self.add(MARK, "(", start, start)
        for number, word in enumerate(raw.split()):
            if number:
                self.add(MARK, ",", start, start)
            self.add(kind, word, start, end)
        return self.add(MARK, ")", end, end)

    def kind(self, style: str, raw: str) -> str:
        """What a string is whose quote has this style."""
        if "x" in style:
            return COMMAND
        if "i" in style:
            for piece in self.shape.pieces:
                if piece in raw:
                    return MIXED
        return TEXT

    def closing(self, i: int, quote: str) -> int:
        """Where the quote is, from `i` on, that no backslash hides; -1 if nowhere."""
        code = self.code
        end = code.find(quote, i)
        while end > i and code[end - 1] == "\\":
            back = end - 1
            while back > i and code[back - 1] == "\\":
                back -= 1
            if (end - back) % 2 == 0:
                break
            end = code.find(quote, end + 1)
        return end

    def balanced(self, i: int, opening: str) -> int:
        """Where the text ends that the bracket or mark before `i` opens; -1 if nowhere."""
        closing = CLOSERS.get(opening, opening)
        if closing in self.unclosed:
            return -1
        end = self.closing(i, closing) if closing == opening else self._bracket_end(i, opening, closing)
        if end < 0:
            self.unclosed.add(closing)
        return end

    def _bracket_end(self, i: int, opening: str, closing: str) -> int:
        end, depth, code = i, 1, self.code
        if code.find(closing, i) < 0:
            return -1
        while end < len(code):
            c = code[end]
            if c == "\\":
                end += 1
            elif c == opening:
                depth += 1
            elif c == closing:
                depth -= 1
                if not depth:
                    return end
            end += 1
        return -1

    def after_spaces(self, i: int) -> int:
        """Where something else than blanks and ends of lines comes."""
        code = self.code
        while i < len(code) and code[i] in _SPACES:
            i += 1
        return i

    def after_value(self) -> bool:
        """Whether a value ends here, so that what follows is an operator and starts no pattern."""
        kinds, texts = self.tokens.kinds, self.tokens.texts
        if not kinds:
            return False
        if kinds[-1] == MARK:
            return texts[-1] in ")]" or (texts[-1] == "}" and not self.language.names.startswith("awk"))
        return True
