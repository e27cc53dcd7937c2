"""Records as programs print them, one `key: value` a line: YAML as dumpers write it, and what services make by hand.

Not a YAML reader: no anchors, tags or types of its own, and what does not fit its grammar from the first line to the
last is no record. Whoever writes a value can't end it, where it was quoted or indented as dumpers do; where it was not,
the caller has to doubt what follows a free text. Every line is looked at once.
"""

from __future__ import annotations

from typing import Any, Final

_DEEPEST: Final = 12
_LONGEST_KEY: Final = 40
_MOST_KEY_WORDS: Final = 4
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "/": "/", " ": " ", "_": "\xa0"}
_CODES: Final = {"x": 2, "u": 4, "U": 8}
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "~": None, "[]": [], "{}": {}}
_MARKS: Final = "&*!%@`"
"""What a value does not begin with: then it is more than this reads."""


class _OtherwiseError(Exception):
    """It is not such a text."""


def from_dump(text: str) -> Any:
    """The mapping or list that a text prints; None if it prints none."""
    try:
        return _Dump(text).whole()
    except _OtherwiseError:
        return None


def labelled(line: str) -> tuple[str, str] | None:
    """The key and the value of a line, if it has a key."""
    head, colon, rest = line.partition(":")
    key = head.strip().strip("'\"")
    if not colon or (rest and rest[0] not in " \t") or not key or len(key) > _LONGEST_KEY:
        return None
    if len(key.split()) > _MOST_KEY_WORDS or not all(char.isalnum() or char in " _-./#'()" for char in key):
        return None
    return key, rest.strip()


class _Dump:
    """The lines of a text, each with how far it is set in."""

    def __init__(self, text: str) -> None:
        self._lines = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in text.rstrip().split("\n")]
        self._at = 0

    def whole(self) -> Any:
        if not self._lines or self._lines[0][0] or not self._lines[0][1]:
            raise _OtherwiseError
        value = self._block(0, 0)
        if self._at < len(self._lines):
            raise _OtherwiseError
        return value

    def _here(self) -> tuple[int, str]:
        return self._lines[self._at] if self._at < len(self._lines) else (-1, "")

    def _block(self, indent: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _OtherwiseError
        return self._list(indent, depth) if _is_item(self._here()[1]) else self._map(indent, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while self._here()[0] == indent and _is_item(self._here()[1]):
            line = self._here()[1]
            rest = line[1:].lstrip()
            inner = indent + len(line) - len(rest)
            if rest and (_is_item(rest) or labelled(rest)):
                self._lines[self._at] = (inner, rest)
                items.append(self._block(inner, depth + 1))
            else:
                self._at += 1
                items.append(self._value(rest, indent, depth))
        return items

    def _map(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._here()[0] == indent and self._here()[1] and not _is_item(self._here()[1]):
            entry = labelled(self._here()[1])
            if entry is None or entry[0] in found:
                raise _OtherwiseError
            self._at += 1
            found[entry[0]] = self._value(entry[1], indent, depth)
        if not found:
            raise _OtherwiseError
        return found

    def _value(self, rest: str, indent: int, depth: int) -> Any:
        if not rest:
            following, line = self._here()
            if following > indent or (following == indent and _is_item(line)):
                return (
                    self._block(following, depth + 1) if _is_item(line) or labelled(line) else self._plain("", indent)
                )
            return None
        if rest[0] in "'\"":
            return self._quoted(rest)
        if rest[0] in "|>" and len(rest) <= 2:
            return "\n".join(self._inner(indent))
        if rest[0] in _MARKS:
            raise _OtherwiseError
        return _typed(self._plain(rest, indent))

    def _inner(self, indent: int) -> list[str]:
        """The lines that belong to what is set in less."""
        found = []
        while self._at < len(self._lines) and (self._here()[0] > indent or self._is_gap(indent)):
            found.append(self._here()[1])
            self._at += 1
        return found

    def _is_gap(self, indent: int) -> bool:
        """Whether this line is empty, and what follows it still belongs to what is set in less."""
        if self._here()[1]:
            return False
        after = next((line for line in self._lines[self._at + 1 : self._at + 3] if line[1]), None)
        return after is not None and after[0] > indent

    def _plain(self, first: str, indent: int) -> str:
        lines = [first, *self._inner(indent)]
        if any(": " in line for line in lines[1:]):
            raise _OtherwiseError
        return " ".join(line or "\n" for line in lines).strip()

    def _quoted(self, first: str) -> str:
        mark, kept, line = first[0], [], first[1:]
        while True:
            text, rest = _until_quote(line, mark)
            kept.append(text)
            if rest is not None:
                if rest.strip():
                    raise _OtherwiseError
                return " ".join(kept)
            if self._at >= len(self._lines):
                raise _OtherwiseError
            line = self._lines[self._at][1]
            self._at += 1


def _is_item(line: str) -> bool:
    return line == "-" or line.startswith("- ")


def _until_quote(line: str, mark: str) -> tuple[str, str | None]:
    """A line up to the quote that ends it, and what follows that; None if there is none."""
    kept, at = [], 0
    while at < len(line):
        char = line[at]
        if char == "\\" and mark == '"':
            escaped = line[at + 1 : at + 2]
            size = _CODES.get(escaped, 0)
            kept.append(_char(line[at + 2 : at + 2 + size]) if size else _ESCAPES.get(escaped, ""))
            at += 2 + size
        elif char == mark and mark == "'" and line[at + 1 : at + 2] == mark:
            kept.append(mark)
            at += 2
        elif char == mark:
            return "".join(kept), line[at + 1 :]
        else:
            kept.append(char)
            at += 1
    return "".join(kept), None


def _char(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        raise _OtherwiseError from None


def _typed(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text.startswith("[") and text.endswith("]"):
        return [one.strip().strip("'\"") for one in text[1:-1].split(",")]
    digits = text.removeprefix("-")
    if digits.replace(".", "", 1).isdecimal() and digits.isascii() and digits[0] != "." and len(digits) <= 15:
        is_code = len(digits) > 1 and digits[0] == "0" and digits[1] != "."
        return text if is_code else float(text) if "." in text else int(text)
    return text
