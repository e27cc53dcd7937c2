"""A JSON file as text: values are put in and taken out, and every other byte stays as it is.

Somebody's settings are theirs: the order of keys, how lines are indented and how numbers are written survive. A file
that is not plain JSON (comments, trailing commas, a key given twice) is refused, not mended. A text is read once for
all the changes that are made to it, because a repository can make one long.
"""

from __future__ import annotations

import json
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from guardhouse.model import Limits, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Path = tuple[str | int, ...]
"""Keys and indexes that lead from the root to a value."""

_LIMITS: Final = Limits(max_bytes=4 * 1024 * 1024, max_nodes=100_000)
_BLANK: Final = " \t\r\n"
_ENDS: Final = frozenset(",]}" + _BLANK)
_NONE: Final[Mapping[Path, Any]] = MappingProxyType({})
_Splice = tuple[int, int, str]
"""From where to where in the text, and what comes there."""


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
        self._members: dict[int, dict[str | int, _Node]] = {}

    def replaced(self, path: Path, value: Any) -> Self:
        """With another value at `path`."""
        return self.changed(replace={path: value})

    def added(self, path: Path, key: str | None, value: Any) -> Self:
        """With a member `key` at the end of the object at `path`, or without a key, an item of the array there."""
        return self.changed(add=[(path, key, value)])

    def removed(self, path: Path) -> Self:
        """Without the member or item at `path`."""
        return self.changed(remove=[path])

    def changed(
        self,
        *,
        replace: Mapping[Path, Any] = _NONE,
        add: Iterable[tuple[Path, str | None, Any]] = (),
        remove: Iterable[Path] = (),
    ) -> Self:
        """With all of these changes. Every path is one of the text as it is now, and none lies in another's value."""
        splices = [self._replacing(self._find(path), value) for path, value in replace.items()]
        added: dict[Path, list[tuple[str, Any]]] = {}
        for path, key, value in add:
            name = "" if key is None else json.dumps(key, ensure_ascii=False) + self._colon
            added.setdefault(path, []).append((name, value))
        gone: dict[Path, set[str | int]] = {}
        for path in remove:
            gone.setdefault(path[:-1], set()).add(path[-1])
        for path in dict.fromkeys((*added, *gone)):
            splices += self._resized(self._find(path), gone.get(path, set()), added.get(path, []))
        pieces: list[str] = []
        place = 0
        for start, end, piece in sorted(splices):
            pieces += (self.text[place:start], piece)
            place = end
        return type(self)("".join([*pieces, self.text[place:]]))

    def _replacing(self, node: _Node, value: Any) -> _Splice:
        if self.text.find("\n", node.start, node.end) < 0 and node.children:
            return node.start, node.end, self._compact(value)
        return node.start, node.end, self._rendered(value, self._indent_at(node.start))

    def _resized(self, node: _Node, gone: set[str | int], added: list[tuple[str, Any]]) -> Iterator[_Splice]:
        """What takes children away and puts others at the end. What stands before a child goes with it."""
        children = node.children
        first = next((place for place, child in enumerate(children) if child.key not in gone), None)
        if first is None:
            yield self._filled(node, added) if added else (node.start + 1, node.end - 1, "")
            return
        if first:
            yield children[0].start, children[first].start, ""
        for before, child in pairwise(children[first:]):
            if child.key in gone:
                yield before.value.end, child.value.end, ""
        if added:
            yield self._appended(children[-1], added)

    def _appended(self, last: _Child, added: list[tuple[str, Any]]) -> _Splice:
        gap = self._blank_before(last.start)
        end = last.value.end
        if "\n" not in gap:
            return end, end, "".join(f",{gap}{name}{self._compact(value)}" for name, value in added)
        indent = gap.rpartition("\n")[2]
        lines = [f",{self._newline}{indent}{name}{self._rendered(value, indent)}" for name, value in added]
        return end, end, "".join(lines)

    def _filled(self, node: _Node, added: list[tuple[str, Any]]) -> _Splice:
        opening, closing = self.text[node.start], self.text[node.end - 1]
        if self._unit is None:
            comma = "," if self._is_tight else ", "
            inside = comma.join(f"{name}{self._compact(value)}" for name, value in added)
            return node.start, node.end, f"{opening}{inside}{closing}"
        outer = self._indent_at(node.start)
        inner = outer + self._unit
        lines = f",{self._newline}{inner}".join(f"{name}{self._rendered(value, inner)}" for name, value in added)
        return node.start, node.end, f"{opening}{self._newline}{inner}{lines}{self._newline}{outer}{closing}"

    def _find(self, path: Path) -> _Node:
        node = self._root
        for step in path:
            if isinstance(step, int):
                node = node.children[step].value
                continue
            if node.start not in self._members:
                self._members[node.start] = {child.key: child.value for child in node.children}
            node = self._members[node.start][step]
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
        start = place
        while start and self.text[start - 1] in _BLANK:
            start -= 1
        return self.text[start:place]

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
