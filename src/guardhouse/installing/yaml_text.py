"""A YAML file as text: values are put in and taken out, and every other byte stays as it is, comments too.

It does what `json_text` does, for the block style that people write. Whatever comes out is read again and compared with
what it should hold; a file for which that fails, or that uses what makes the same text mean two things (anchors, merged
keys, keys given twice, several documents), is refused, not mended.
"""

from __future__ import annotations

from copy import deepcopy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import yaml

from guardhouse.installing.settings_text import UnsafeChange
from guardhouse.model import InvalidAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from guardhouse.installing.json_text import Path

_LARGEST: Final = 512 * 1024
_DEEPEST: Final = 64
_NONE: Final[Mapping[Any, Any]] = MappingProxyType({})
_MERGED: Final = "tag:yaml.org,2002:merge"
"""The tag of the key `<<`, by which what stands elsewhere counts here."""
_Splice = tuple[int, int, str]
"""From where to where in the text, and what comes there."""


class YamlText:
    """A YAML mapping as text. Immutable: a change gives another one. InvalidAction if it is none, UnsafeChange if a
    change can't be made in it."""

    def __init__(self, text: str) -> None:
        self.text: Final = text
        if len(text) > _LARGEST:
            raise InvalidAction(f"it is larger than {_LARGEST} bytes")
        try:
            _check(yaml.parse(text, yaml.SafeLoader))
            self._root: Final = yaml.compose(text, yaml.SafeLoader)
            value = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError, TypeError):
            raise InvalidAction("it is no YAML, or has several documents in it") from None
        self.value: Final[Any] = {} if value is None else value
        self._newline = "\r\n" if "\r\n" in text else "\n"
        for node in _mappings(self._root):
            keys = [key.value for key, _value in node.value]
            if len(set(keys)) != len(keys):
                raise InvalidAction("a key is given twice")
            if any(key.tag == _MERGED for key, _value in node.value):
                raise InvalidAction("it has merged keys in it")

    def added(self, path: Path, key: str | None, value: Any) -> Self:
        """With a member `key` at the end of the mapping at `path`, or without a key, an item of the list there."""
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
        added: dict[Path, list[tuple[str | None, Any]]] = {}
        for path, key, value in add:
            added.setdefault(path, []).append((key, value))
        gone = list(remove)
        splices = [self._without(path) for path in gone]
        for path, value in replace.items():
            splices.append(self._instead(path, value))
        splices += [self._with(path, members) for path, members in added.items()]
        new = type(self)(self._spliced(splices))
        if new.value != _changed(self.value, replace, added, gone):
            raise UnsafeChange("It is written in a way that can't be changed safely.", fix="Change it by hand.")
        return new

    def _spliced(self, splices: list[_Splice]) -> str:
        pieces: list[str] = []
        place = 0
        for start, end, piece in sorted(splices):
            pieces += (self.text[place:start], piece.replace("\n", self._newline))
            place = end
        return "".join([*pieces, self.text[place:]])

    def _without(self, path: Path) -> _Splice:
        start, node = self._member(path)
        return self._line_of(start), self._after(node), ""

    def _instead(self, path: Path, value: Any) -> _Splice:
        start, node = self._member(path)
        line = self._line_of(start)
        indent = self.text[line:start].replace("-", " ")
        key = path[-1]
        if isinstance(key, int):
            indent = " " * self._find(path[:-1]).start_mark.column
        return line, self._after(node), _rendered(indent, [(None if isinstance(key, int) else key, value)])

    def _with(self, path: Path, members: list[tuple[str | None, Any]]) -> _Splice:
        node = self._find(path) if self._root is not None else None
        if node is None:
            return self._at_end(_rendered("", members))
        if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
            place = self._after(node)
            text = _rendered(" " * node.start_mark.column, members)
            broken = place > 0 and self.text[place - 1] != "\n"
            return place, place, f"\n{text}" if broken else text
        if isinstance(node, yaml.CollectionNode) and node.value:
            raise UnsafeChange("What stands there is written on one line.", fix="Change it by hand.")
        if not path:
            return self._at_end(_rendered("", members))
        key_start, _value = self._member(path)
        indent = " " * (key_start - self._line_of(key_start) + 2)
        text = _rendered(indent, members).rstrip("\n")
        return node.start_mark.index, node.end_mark.index, f"\n{text}"

    def _at_end(self, text: str) -> _Splice:
        end = len(self.text)
        broken = self.text and not self.text.endswith("\n")
        return end, end, f"\n{text}" if broken else text

    def _find(self, path: Path) -> yaml.Node:
        node: Any = self._root
        for step in path:
            node = node.value[step] if isinstance(step, int) else {k.value: v for k, v in node.value}[step]
        found: yaml.Node = node
        return found

    def _member(self, path: Path) -> tuple[int, yaml.Node]:
        """Where a member or an item begins, and its value."""
        above, step = self._find(path[:-1]), path[-1]
        if isinstance(step, int):
            node = above.value[step]
            return node.start_mark.index, node
        key, value = next((key, value) for key, value in above.value if key.value == step)
        return key.start_mark.index, value

    def _line_of(self, place: int) -> int:
        return self.text.rfind("\n", 0, place) + 1

    def _after(self, node: yaml.Node) -> int:
        """Where the line begins that follows the last one of a value."""
        end = _end(node)
        if end and self.text[end - 1] == "\n":
            return end
        line = self.text.find("\n", end)
        return len(self.text) if line < 0 else line + 1


def _rendered(indent: str, members: list[tuple[str | None, Any]]) -> str:
    """Members of a mapping, or items of a list without keys, each on lines of its own."""
    pieces: list[str] = []
    for key, value in members:
        whole = [value] if key is None else {key: value}
        text = yaml.safe_dump(whole, sort_keys=False, default_flow_style=False, allow_unicode=True, width=1 << 20)
        pieces += [f"{indent}{line}\n" for line in text.splitlines()]
    return "".join(pieces)


def _check(events: Iterable[yaml.Event]) -> None:
    """InvalidAction for anchors, and for nesting of which the library makes work that grows with its square: nothing
    is read beyond that."""
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise InvalidAction("it has anchors in it")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise InvalidAction("it is nested too deep")


def _end(node: yaml.Node) -> int:
    """Where the last thing in a value ends: the mark of a block is already at what follows it."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _mappings(node: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _key, value in node.value:
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _mappings(item)


def _changed(
    value: Any, replace: Mapping[Path, Any], added: Mapping[Path, list[tuple[str | None, Any]]], gone: list[Path]
) -> Any:
    """What the text should hold after the changes."""
    new = deepcopy(value)
    for path, other in replace.items():
        _at(new, path[:-1])[path[-1]] = other
    for path, members in added.items():
        for key, member in members:
            _add(new, path, key, member)
    for path in sorted(gone, key=lambda one: [(isinstance(step, int), step) for step in one], reverse=True):
        del _at(new, path[:-1])[path[-1]]
    return new


def _add(value: Any, path: Path, key: str | None, member: Any) -> None:
    target = _at(value, path)
    if target is None and path:  # a key without a value
        target = _at(value, path[:-1])[path[-1]] = {} if key is not None else []
    if key is None:
        target.append(member)
    else:
        target[key] = member


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
