"""What the arguments of a call are, as far as they are written there: strings, numbers, and names set once to such.

Nothing is computed but putting strings together and undoing plain encodings. What only the run would show is `UNKNOWN`.
"""

from __future__ import annotations

import shlex
from typing import Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.constants import Constants, filled
from guardhouse.detect.inline.decoding import decoded
from guardhouse.detect.inline.folding import OF_LISTS, by_method, folded, folds, hides, of_list
from guardhouse.detect.inline.home import HOME, home_end
from guardhouse.detect.inline.languages import Language, called
from guardhouse.detect.inline.tokens import COMMAND, MARK, MIXED, NAME, NUMBER, TEXT, Tokens

_MOST_TOKENS: Final = 64
_MOST_DEPTH: Final = 4
_LONGEST: Final = 8192
_NOTHINGS: Final = frozenset("NULL nil null undefined None nullptr".split())
_ENDS: Final = frozenset("if unless while until for foreach or and do then end function sub with without".split())
WRAPPERS: Final = frozenset(
    "new String Path.of Paths.get File Path URI URI.parse URI.create URL Seq List List.of Arrays.asList CString.new c "
    "listOf arrayOf Pathname.new Pathname java.io.File my local const qw var let parse URI.join Addressable.URI.parse "
    "scalar lc uc "
    "shell spawn glob Dir.glob Dir File.glob bsd_glob GLOB_BRACE string str list filepath.Glob glob.sync fs.globSync "
    "Path.new PathBuf.from Path.wildcard Sys.glob fast_glob.sync globSync String.from vec Path.expand File.expand_path "
    "path.expand path.resolve expand".split()
)
"""Names that only dress what they are given."""
_JOINERS: Final = frozenset(
    "File.join path.join filepath.Join Path.Combine joinpath path.resolve Path.join file.path catfile catdir "
    "File.Spec.catfile File.Spec.catdir filename.join Paths.get Path.of".split()
)
"""Names that make one path of several."""
_CONCATENATIONS: Final = frozenset("concat string-append str expand-file-name format".split())
_COMMAND_KEYS: Final = frozenset("args cmd command argv :args :command text spawn".split())
_JOINING: Final = frozenset("+.*~&<\\'$#")
"""Marks that put strings together, or stand before a value and change nothing."""
_BRACED_LISTS: Final = frozenset("java lua c erlang perl go".split())
_LISPS: Final = frozenset({"lisp", "clojure"})
_CASTS: Final = frozenset("char const void int wchar_t".split())


class Value(NamedTuple):
    """One argument."""

    text: str
    listed: bool = False
    """It stands in a list."""


class Arguments(NamedTuple):
    """What a call is given."""

    values: tuple[Value, ...]
    end: int
    """The token after the last one that was looked at."""
    was_decoded: bool = False
    """Some of it was written in a way that hides it."""


def arguments(language: Language, tokens: Tokens, i: int, constants: Constants, depth: int = 0) -> Arguments:
    """The arguments that start at token `i`, up to the first that is not known."""
    return _Gathering(language, tokens, i, constants, depth).gather()


class _Gathering:
    def __init__(self, language: Language, tokens: Tokens, i: int, constants: Constants, depth: int) -> None:
        self.language = language
        self.called = called(language)
        self.tokens = tokens
        self.opened = tokens.is_mark(i, "(") and self.called not in _LISPS
        self.i = i + self.opened
        self.last = min(len(tokens.kinds), i + _MOST_TOKENS)
        self.constants = constants
        self.depth = depth
        self.values: list[Value] = []
        self.current: str | None = None
        self.joined = False
        self.was_decoded = False
        self.brackets: list[str] = []

    def gather(self) -> Arguments:
        tokens = self.tokens
        while self.i < self.last:
            kind, text = tokens.kinds[self.i], tokens.texts[self.i]
            if kind == MARK:
                more = self._mark(text)
            elif kind == NAME:
                more = self._name(text)
            elif kind in (TEXT, NUMBER):
                more = self._value(text)
            elif kind == MIXED:
                more = self._value(filled(self.language, text, self.constants))
            else:
                more = self._value(UNKNOWN) and kind == COMMAND
            self.i += 1
            if not more:
                break
        else:
            if self.i < len(tokens.kinds):
                self._value(UNKNOWN)
        self._finish()
        return Arguments(tuple(self.values), self.i, self.was_decoded)

    def _finish(self) -> None:
        if self.current is not None:
            text = self.current if len(self.current) <= _LONGEST else UNKNOWN
            self.values.append(Value(text, listed="[" in self.brackets or "{" in self.brackets))
        self.current, self.joined = None, False

    def _value(self, text: str) -> bool:
        if self.language.spaced and self.current is not None and not self.joined:
            self._finish()
        self.current = text if self.current is None else self.current + text
        self.joined = False
        return True

    def _unknown(self) -> bool:
        self._value(UNKNOWN)
        # Where blanks part arguments, those after an unknown one can still be told.
        return self.called in _LISPS

    def _name(self, text: str) -> bool:
        tokens, i = self.tokens, self.i
        known = self.constants.get(text)
        if known is not None:
            return self._value(known)
        if end := home_end(tokens, i):
            self.i = end - 1
            return self._value(HOME)
        if self._computed(text):
            return True
        if text in WRAPPERS:
            return True
        if self.called in _LISPS:
            return self._lisp_name(text)
        if text in _COMMAND_KEYS and (tokens.is_mark(i + 1, ":") or tokens.is_mark(i + 1, "=")):
            self.i += 1
            self._finish()
            return True
        if text in _NOTHINGS or (text in _ENDS and not self.joined):
            return False
        if text[0] == ":" and len(text) > 1:
            # A symbol: the name of something to call, if it comes first.
            return not self.values and self._value(text[1:])
        if self._is_key(text):
            return False
        if text[0] == "." and (self.current is not None or (text in OF_LISTS and self._follows_list())):
            return self._method(text)
        return self._unknown()

    def _follows_list(self) -> bool:
        return self.tokens.is_mark(self.i - 1, "]") and bool(self.values) and self.values[-1].listed

    def _method(self, name: str) -> bool:
        """A method of what was read makes something else of it."""
        tokens, at = self.tokens, self.i + 1
        texts: list[str] = []
        if tokens.is_mark(at, "("):
            known = self.depth < _MOST_DEPTH
            inner = arguments(self.language, tokens, at, self.constants, self.depth + 1) if known else None
            texts = [value.text for value in inner.values] if inner is not None else [UNKNOWN]
            self.i = inner.end - 1 if inner is not None else self._closing(at)
        if self.current is not None:
            self.current = by_method(name, self.current, texts)
        else:
            items = [value.text for value in self.values if value.listed]
            self.values = [value for value in self.values if not value.listed]
            self.current = of_list(name, items, texts)
        return UNKNOWN not in self.current

    def _is_key(self, text: str) -> bool:
        tokens, i = self.tokens, self.i
        arrow = tokens.is_mark(i + 1, "=") and tokens.is_mark(i + 2, ">")
        return text.endswith(":") or tokens.is_mark(i + 1, ":") or arrow

    def _computed(self, name: str) -> bool:
        """`path.join(a, b)` and `atob("…")`, where what they make can be told."""
        tokens, at = self.tokens, self.i + 1
        if name in _JOINERS and tokens.is_mark(at, "(") and self.depth < _MOST_DEPTH:
            inner = arguments(self.language, tokens, at, self.constants, self.depth + 1)
            self.i = inner.end - 1
            return self._value("/".join(value.text.rstrip("/") for value in inner.values[:8]))
        if folds(self.called, name) and self.depth < _MOST_DEPTH and not self._is_decoder(at):
            inner = arguments(self.language, tokens, at, self.constants, self.depth + 1)
            self.i = inner.end - 1
            self.was_decoded |= hides(self.called, name)
            return self._value(folded(self.called, name, [value.text for value in inner.values]))
        at += tokens.is_mark(at, "(")
        if name == "pack" and at < len(tokens.kinds) and tokens.texts[at] == "H*":
            at += 2
        elif name == "pack":
            return False
        if at >= len(tokens.kinds) or tokens.kinds[at] != TEXT:
            return False
        text = decoded(name, tokens.texts[at])
        if text is None:
            return False
        self.was_decoded = True
        self.i = self._closing(at) if tokens.is_mark(self.i + 1, "(") else at
        if tokens.is_name(self.i + 1) and tokens.texts[self.i + 1] in (".toString", ".to_s"):
            self.i = self._closing(self.i + 2) if tokens.is_mark(self.i + 2, "(") else self.i + 1
        return self._value(text)

    def _is_decoder(self, at: int) -> bool:
        """`pack("H*", …)` undoes an encoding."""
        at += self.tokens.is_mark(at, "(")
        return at < len(self.tokens.kinds) and self.tokens.texts[at] == "H*"

    def _closing(self, at: int) -> int:
        """The next closing bracket."""
        while at < self.last and not self.tokens.is_mark(at, ")"):
            at += 1
        return at

    def _lisp_name(self, text: str) -> bool:
        if text in (":command", ":args"):
            self._finish()
            self.values.clear()
        elif text[0] == ":" and len(text) > 1:
            self.i += 1
        elif text == "nil":
            self._value(text)
        elif text in _ENDS:
            return False
        else:
            self._unknown()
        return True

    def _lisp_bracket(self) -> bool:
        """A list is its words; what strings are put together in is one; any other call is not known."""
        tokens, i = self.tokens, self.i
        name = tokens.texts[i + 1] if tokens.is_name(i + 1) else ""
        if tokens.is_mark(i - 1, "'") or tokens.is_mark(i - 1, "`") or name == "list" or name in WRAPPERS:
            self.brackets.append("[")
            self._finish()
            return True
        if name and (end := home_end(tokens, i + 1)) and tokens.is_mark(end, ")"):
            self.i = end
            return self._value(HOME)
        end, depth = i, 0
        while end < self.last:
            depth += tokens.is_mark(end, "(") - tokens.is_mark(end, ")")
            if not depth:
                break
            end += 1
        text = UNKNOWN
        if name in _CONCATENATIONS and self.depth < _MOST_DEPTH:
            inner = arguments(self.language, tokens, i + 2, self.constants, self.depth + 1)
            text = "".join(value.text for value in inner.values)
            if name == "format":
                text = inner.values[0].text.replace("%s", UNKNOWN) if inner.values else UNKNOWN
        self.i = end
        return self._value(text)

    def _mark(self, mark: str) -> bool:
        if mark == ",":
            self._finish()
        elif mark in "([{":
            return self._opening(mark)
        elif mark in ")]}":
            return self._closed(mark)
        elif mark == "$" and self.called == "awk":
            return self._unknown()
        elif (mark in "=>:" and "{" in self.brackets) or mark in _JOINING:
            self.joined = mark not in "'`" or self.called not in _LISPS
        elif mark == "\n":
            return self.opened or self.current is None
        elif mark in "?%-" and self.current is not None:
            return self._unknown()
        else:
            return mark in "@-!`" or (mark in ">=" and self.opened and self.current is None)
        return True

    def _opening(self, mark: str) -> bool:
        if mark == "(" and self.called in _LISPS:
            return self._lisp_bracket()
        if mark == "{" and self.values and self.called not in _BRACED_LISTS and not self._gives_words():
            return False
        if mark == "(" and self.called == "c" and self._skip_cast():
            return True
        if mark == "(" and self.current is not None:
            return self._unknown()
        if mark == "(" and self.values and self.called == "c":
            return False
        self.brackets.append(mark)
        return True

    def _skip_cast(self) -> bool:
        """`(char *[])` before a list of words changes nothing; before a nought it is the end of them."""
        tokens = self.tokens
        if not (tokens.is_name(self.i + 1) and tokens.texts[self.i + 1] in _CASTS):
            return False
        end = self._closing(self.i + 1)
        if not tokens.is_mark(end + 1, "{"):
            return False
        self.i = end
        return True

    def _gives_words(self) -> bool:
        return self.tokens.is_name(self.i + 1) and self.tokens.texts[self.i + 1] in _COMMAND_KEYS

    def _closed(self, mark: str) -> bool:
        if self.brackets:
            self._finish()
            self.brackets.pop()
            if mark == "}" and self.called == "ruby":
                self.values.clear()
            return bool(self.brackets or self.opened or not self.language.spaced)
        return False


def command_line(words: tuple[Value, ...]) -> str:
    """A command line that has these words."""
    return " ".join(
        _loosely_quoted(word.text) if UNKNOWN in word.text or HOME in word.text else shlex.quote(word.text)
        for word in words
    )


def _loosely_quoted(word: str) -> str:
    """Quoted so that the unknown piece stays one to be put in."""
    if word in (UNKNOWN, HOME):
        return word
    for mark in '\\"$`':
        word = word.replace(mark, "\\" + mark)
    return f'"{word}"'
