"""Reads Tcl, as far as finding the commands that run a program, delete, open or reach something.

What stands in braces and brackets is read as commands too. A command whose name is not written out can't be analysed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.home import HOME
from guardhouse.detect.inline.hosts import is_remote
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.strings import bracket_end
from guardhouse.model import Effect

_MOST_WORDS: Final = 32
_LONGEST_WORD: Final = 2048
_COUNTED: Final = frozenset('{}[];\n"$#\\')
_PLAIN: Final = re.compile('[^ \\t;\\n{}\\[\\]"$#\\\\]*+')
"""Letters that only make a word longer: one class, taken without looking back."""
_RUNS: Final = frozenset({"exec", "spawn", "system"})
_EVALUATIONS: Final = frozenset({"eval", "uplevel", "subst"})
_OPERATORS: Final = frozenset("eq ne == != < > <= >= && || in ni + - * / % ? & | ^ ** << >>".split())
_HOMES: Final = ("env(HOME)", "::env(HOME)")


class _Command(NamedTuple):
    start: int
    end: int
    words: list[str]


def read_tcl(code: str, notes: Notes) -> None:
    """Note the commands of a Tcl script."""
    for command in _Cutting(code, notes).commands():
        notes.place = (command.start, command.end)
        if command.words:
            _note(command.words, notes)


class _Cutting:
    """A script that is being cut into commands with their words. Brackets in a word are `UNKNOWN`."""

    def __init__(self, code: str, notes: Notes) -> None:
        self.code = code
        self.notes = notes
        self.found: list[_Command] = []
        self.words: list[str] = []
        self.piece: list[str] = []
        self.outer: list[tuple[int, list[str]]] = []
        self.start = 0

    def commands(self) -> list[_Command]:
        code, i = self.code, 0
        while i < len(code):
            c = code[i]
            if c in _COUNTED and not self.notes.spend(1):
                break
            if c in " \t":
                self._end_word()
            elif c in ";\n":
                self._end_command(i)
            elif c in "{[":
                self._open(i, c)
            elif c in "}]":
                self._close(i, c)
            elif c in '"$#\\':
                i = self._special(i, c)
                continue
            else:
                end = _PLAIN.match(code, i + 1).end()  # type: ignore[union-attr]  # it may match nothing
                self.piece.append(code[i:end])
                i = end
                continue
            i += 1
        self._end_command(len(code))
        return self.found

    def _end_word(self) -> None:
        if self.piece:
            self.words.append("".join(self.piece))
            self.piece.clear()

    def _end_command(self, i: int) -> None:
        self._end_word()
        if self.words:
            self.found.append(_Command(self.start, i, self.words))
            self.words = []
        self.start = i + 1

    def _open(self, i: int, c: str) -> None:
        if self.piece and c == "{":
            self.piece.append(c)
            return
        self._end_word()
        self.outer.append((self.start, self.words))
        self.words, self.start = [], i + 1

    def _close(self, i: int, c: str) -> None:
        self._end_word()
        inner = self.words
        if inner:
            self.found.append(_Command(self.start, i, inner))
        self.start, self.words = self.outer.pop() if self.outer else (i + 1, [])
        text = " ".join(inner) if c == "}" and len(self.words) < _MOST_WORDS else UNKNOWN
        self.words.append(text if len(text) <= _LONGEST_WORD else UNKNOWN)

    def _special(self, i: int, c: str) -> int:
        code = self.code
        if c == '"' and not self.piece:
            end = _quote_end(code, i + 1)
            self.words.append(_filled(code[i + 1 : end]))
            return end + 1
        if c == "$":
            end, text = _variable(code, i + 1)
            self.piece.append(text)
            return end
        if c == "#" and not self.words and not self.piece:
            end = code.find("\n", i)
            return end if end >= 0 else len(code)
        if c == "\\" and i + 1 < len(code):
            if code[i + 1] != "\n":
                self.piece.append(code[i + 1])
            return i + 2
        self.piece.append(c)
        return i + 1


def _quote_end(code: str, i: int) -> int:
    end = code.find('"', i)
    while end > 0 and code[end - 1] == "\\":
        end = code.find('"', end + 1)
    return len(code) if end < 0 else end


def _variable(code: str, i: int) -> tuple[int, str]:
    """Where the variable ends whose name starts at `i`, and what it stands for."""
    for home in _HOMES:
        if code.startswith(home, i):
            return i + len(home), HOME
    if code.startswith("{", i):
        return min(bracket_end(code, i + 1, "{") + 1, len(code)), UNKNOWN
    while i < len(code) and (code[i].isalnum() or code[i] in "_:"):
        i += 1
    return i, UNKNOWN


def _filled(text: str) -> str:
    """A quoted word, with what is put in left unknown."""
    if "$" not in text and "[" not in text:
        return text.replace("\\", "")
    pieces, i = [], 0
    while i < len(text):
        if text[i] == "$":
            i, value = _variable(text, i + 1)
            pieces.append(value)
        elif text[i] == "[":
            i = bracket_end(text, i + 1, "[") + 1
            pieces.append(UNKNOWN)
        else:
            pieces.append(text[i])
            i += 1
    return "".join(pieces)


def _note(words: list[str], notes: Notes) -> None:
    name, rest = words[0].removeprefix("::"), words[1:]
    if name in _RUNS:
        _note_run(rest, notes)
    elif name == "open" and rest:
        _note_open(rest, notes)
    elif name == "socket" and rest:
        _note_socket(rest, notes)
    elif name == "file":
        _note_file(rest, notes)
    elif (name in _EVALUATIONS and any(UNKNOWN in word for word in rest)) or _is_unknown(name, rest):
        notes.evaluate()
    elif name == "source" and rest and rest[0].startswith(("/", "~")):
        notes.act(Effect.EXECUTES, rest[0], "program", what="code out of a file would be run")
    elif name == "glob":
        for word in rest:
            notes.glob("" if word.startswith("-") else word)
    elif name in ("http::geturl", "geturl") and rest and is_remote(rest[0]):
        notes.fetches = True
        notes.connect(rest[0], "url")


def _is_unknown(name: str, rest: list[str]) -> bool:
    """Whether the command's name is not written out, and it is no condition, which looks like a command here."""
    return name == UNKNOWN and bool(rest) and rest[0] not in _OPERATORS


def _note_run(rest: list[str], notes: Notes) -> None:
    while rest and rest[0].startswith("-"):
        rest = rest[1:]
    words = [word for word in rest if not word.endswith("@1") and not word.startswith((">@", "<@", "2>@"))]
    notes.run(" ".join(words) or UNKNOWN)


def _note_open(rest: list[str], notes: Notes) -> None:
    mode = rest[1][:2] if len(rest) > 1 else "r"
    if rest[0].startswith("|"):
        notes.run(rest[0][1:].strip() or UNKNOWN)
    elif mode[:1] == "a" or "+" in mode:
        notes.path(Effect.WRITES, rest[0])
    else:
        notes.path(Effect.OVERWRITES if mode[:1] == "w" else Effect.READS, rest[0])


def _note_socket(rest: list[str], notes: Notes) -> None:
    values = [word for word in rest if not word.startswith("-")]
    if "-server" in rest:
        notes.listens = True
        notes.act(Effect.LISTENS, values[-1] if values else "", "host")
    else:
        notes.sockets = True
        notes.connect(":".join(values[:2]) if len(values) > 1 else UNKNOWN, "host")


def _note_file(rest: list[str], notes: Notes) -> None:
    if rest[:1] == ["delete"]:
        for word in rest[1:]:
            if not word.startswith("-"):
                notes.path(Effect.DELETES, word, recursive="-force" in rest)
    elif rest[:1] in (["rename"], ["copy"]) and len(rest) > 2:
        notes.path(Effect.OVERWRITES, rest[-1])
