"""A JSON file as text: values are put in and taken out, and every other byte stays as it is.

Somebody's settings are theirs: the order of keys, how lines are indented and how numbers are written survive. A file
that is not plain JSON (comments, trailing commas, a key given twice) is refused, not mended.
"""

from __future__ import annotations

import json
from typing import Any, Final, Self

import msgspec

from guardhouse.model import Limits, decode

Path = tuple[str | int, ...]
"""Keys and indexes that lead from the root to a value."""

_LIMITS: Final = Limits(max_bytes=4 * 1024 * 1024, max_nodes=100_000)
_BLANK: Final = " \t\r\n"
_ENDS: Final = frozenset(",]}" + _BLANK)


class _Node(msgspec.Struct, frozen=True):
    """Where a value stands in the text."""

    start: int
    end: int
    children: tuple[_Child, ...] = ()


class _Child(msgspec.Struct, frozen=True):
    """A member of an object, from its key on, or an item of an array."""

    key: str | int
    start: int
    value: _Node


class JsonText:
    """A JSON object as text. Immutable: a change gives another one. InvalidAction if the text is no JSON."""

    def __init__(self, text: str) -> None:
        self.text: Final = text if text.strip(_BLANK) else "{}\n"
        self.value: Final[Any] = decode(self.text, _LIMITS)
        self._root, _ = _scan(self.text, _skip(self.text, 0))
        self._newline = "\r\n" if "\r\n" in self.text else "\n"
        self._unit = self._find_unit()

    def replaced(self, path: Path, value: Any) -> Self:
        """With another value at `path`."""
        node = self._find(path)
        rendered = self._rendered(value, self._indent_at(node.start))
        if "\n" not in self.text[node.start : node.end] and node.children:
            rendered = self._compact(value)
        return self._spliced(node.start, node.end, rendered)

    def added(self, path: Path, key: str | None, value: Any) -> Self:
        """With a member `key` at the end of the object at `path`, or without a key, an item of the array there."""
        node = self._find(path)
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + self._colon
        if not node.children:
            return self._filled(node, name, value)
        last = node.children[-1]
        gap = self._blank_before(last.start)
        if "\n" not in gap:
            return self._spliced(last.value.end, last.value.end, f",{gap}{name}{self._compact(value)}")
        indent = gap.rpartition("\n")[2]
        piece = f",{self._newline}{indent}{name}{self._rendered(value, indent)}"
        return self._spliced(last.value.end, last.value.end, piece)

    def removed(self, path: Path) -> Self:
        """Without the member or item at `path`."""
        parent = self._find(path[:-1])
        index = next(place for place, child in enumerate(parent.children) if child.key == path[-1])
        children = parent.children
        if len(children) == 1:
            return self._spliced(parent.start + 1, parent.end - 1, "")
        if index:
            return self._spliced(children[index - 1].value.end, children[index].value.end, "")
        return self._spliced(children[0].start, children[1].start, "")

    def _filled(self, node: _Node, name: str, value: Any) -> Self:
        opening, closing = self.text[node.start], self.text[node.end - 1]
        if self._unit is None:
            return self._spliced(node.start, node.end, f"{opening}{name}{self._compact(value)}{closing}")
        outer = self._indent_at(node.start)
        inner = outer + self._unit
        lines = f"{opening}{self._newline}{inner}{name}{self._rendered(value, inner)}{self._newline}{outer}{closing}"
        return self._spliced(node.start, node.end, lines)

    def _spliced(self, start: int, end: int, piece: str) -> Self:
        return type(self)(self.text[:start] + piece + self.text[end:])

    def _find(self, path: Path) -> _Node:
        node = self._root
        for step in path:
            node = next(child.value for child in node.children if child.key == step)
        return node

    def _find_unit(self) -> str | None:
        """What one level is indented by; None if everything is on one line."""
        if not self._root.children:
            return "  "
        gap = self._blank_before(self._root.children[0].start)
        if "\n" not in gap:
            return None if "\n" not in self.text[self._root.start : self._root.end] else "  "
        return gap.rpartition("\n")[2] or "  "

    def _blank_before(self, place: int) -> str:
        return self.text[len(self.text[:place].rstrip(_BLANK)) : place]

    def _indent_at(self, place: int) -> str:
        """What the line of `place` begins with."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]

    @property
    def _is_tight(self) -> bool:
        children = self._root.children
        return self._unit is None and bool(children) and self.text[children[0].value.start - 1] == ":"

    @property
    def _colon(self) -> str:
        return ":" if self._is_tight else ": "

    def _compact(self, value: Any) -> str:
        separators = (",", ":") if self._is_tight else (", ", ": ")
        return json.dumps(value, ensure_ascii=False, separators=separators)

    def _rendered(self, value: Any, indent: str) -> str:
        if self._unit is None:
            return self._compact(value)
        lines = json.dumps(value, ensure_ascii=False, indent=self._unit).split("\n")
        return f"{self._newline}{indent}".join(lines)


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] and text[place] in _BLANK:
        place += 1
    return place


def _scan(text: str, start: int) -> tuple[_Node, int]:
    """The value at `start` of a text that is known to be JSON of bounded depth, and where it ends."""
    opening = text[start]
    if opening not in "{[":
        end = _string_end(text, start) if opening == '"' else _scalar_end(text, start)
        return _Node(start, end), end
    children: list[_Child] = []
    place = _skip(text, start + 1)
    while text[place] not in "}]":
        begin = place
        key: str | int = len(children)
        if opening == "{":
            place = _string_end(text, place)
            key = json.loads(text[begin:place])
            place = _skip(text, _skip(text, place) + 1)
        value, place = _scan(text, place)
        children.append(_Child(key, begin, value))
        place = _skip(text, place)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return _Node(start, place + 1, tuple(children)), place + 1


def _string_end(text: str, place: int) -> int:
    place += 1
    while text[place] != '"':
        place += 2 if text[place] == "\\" else 1
    return place + 1


def _scalar_end(text: str, place: int) -> int:
    while place < len(text) and text[place] not in _ENDS:
        place += 1
    return place
