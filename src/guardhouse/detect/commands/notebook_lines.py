"""Where the lines of notebook code begin and end: statements of Python, however many lines they take, and commands.

Only strings, brackets and comments are known here; what a command does is not.
"""

from __future__ import annotations

from typing import Final

import msgspec

_NAME_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*%[]")
_ESCAPES: Final = frozenset("!%?,;/")


class Line(msgspec.Struct, frozen=True):
    """One statement, or one command."""

    text: str
    is_command: bool
    sets: int
    """Where the command in `name = !command` begins; -1 if there is none."""


def logical_lines(code: str) -> list[Line]:
    """The lines of a cell; those of one statement, or one string, together."""
    scanner = _Scanner(code)
    lines = scanner.lines()
    if scanner.trusted:
        return lines
    # Where strings end depends on the version of Python: a line that may be a command is then one.
    return [Line(line, _is_command(line.lstrip()), _assigned_command(line)) for line in code.split("\n")]


def _assigned_command(line: str) -> int:
    at = line.find("=") + 1
    value = line[at:].lstrip()
    return at if at and _is_assigned(value) else -1


def _is_assigned(value: str) -> bool:
    return value[:1] in ("!", "%") and _is_command(value)


def _is_command(bare: str) -> bool:
    first, second = bare[:1], bare[1:2]
    if first == "%":
        return second.isalpha() or second in ("_", "%")
    if first == "!":
        return second != "="
    return first in _ESCAPES or (bare.rstrip().endswith("?") and is_question(bare))


class _Scanner:
    """One pass over a cell."""

    def __init__(self, code: str) -> None:
        self._code = code
        self.trusted = True
        """No string was seen of which versions of Python differ where it ends."""

    def lines(self) -> list[Line]:
        found = []
        at, size = 0, len(self._code)
        while at < size:
            start = at
            bare_at = at
            while bare_at < size and self._code[bare_at] in " \t\f":
                bare_at += 1
            end = self._line_end(bare_at)
            if _is_command(self._code[bare_at:end]):
                end = self._continued(bare_at)
                found.append(Line(self._code[start:end], is_command=True, sets=-1))
            else:
                end, sets = self._statement(bare_at)
                found.append(Line(self._code[start:end], is_command=False, sets=sets - start if sets >= 0 else -1))
            at = end + 1
        return found

    def _line_end(self, at: int) -> int:
        end = self._code.find("\n", at)
        return end if end >= 0 else len(self._code)

    def _continued(self, at: int) -> int:
        """The end of a command line, with the lines that a backslash joins to it."""
        end = self._line_end(at)
        while end < len(self._code) and self._code[end - 1] == "\\":
            end = self._line_end(end + 1)
        return end

    def _statement(self, at: int) -> tuple[int, int]:
        """The end of a Python statement that begins at a place, and where a command that it assigns begins."""
        code, size = self._code, len(self._code)
        depth = 0
        assigned = False
        while at < size:
            char = code[at]
            if char == "\n" and not depth:
                return at, -1
            if char in "'\"":
                at = self._string_end(at)
                continue
            if char == "#":
                at = self._line_end(at)
                continue
            if char == "\\":
                at += 1
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth = max(depth - 1, 0)
            elif char == "=" and not depth and not assigned and self._assigns(at):
                assigned = True
                value = at + 1
                while value < size and code[value] in " \t":
                    value += 1
                if _is_assigned(code[value : value + 3]):
                    return self._continued(value), at + 1
            at += 1
        return size, -1

    def _assigns(self, at: int) -> bool:
        return self._code[at + 1 : at + 2] != "=" and self._code[at - 1 : at] not in tuple("=!<>+-*/%&|^@:~")

    def _string_end(self, at: int) -> int:
        """Behind the string that begins at a place."""
        code, size = self._code, len(self._code)
        begin = at
        while begin > 0 and at - begin < 2 and code[begin - 1].isalpha():
            begin -= 1
        filled = not set(code[begin:at].lower()).isdisjoint("ft")
        quote = code[at] * 3 if code.startswith(code[at] * 3, at) else code[at]
        at += len(quote)
        braces = 0
        while at < size:
            char = code[at]
            if char == "\\":
                at += 2
                continue
            if char == "\n" and len(quote) == 1:
                break
            if code.startswith(quote, at):
                at += len(quote)
                break
            if filled and char in "{}":
                braces += 1 if char == "{" else -1
            at += 1
        if braces > 0:
            self.trusted = False
        return min(at, size)


def is_question(line: str) -> bool:
    """`?name`, `name?`: asks for the documentation of something."""
    bare = line.strip()
    return (bare.startswith("?") or bare.endswith("?")) and not set(bare.strip("?")) - _NAME_LETTERS
