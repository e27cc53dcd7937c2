"""From the bytes of one configuration file to its data, with the line of every key for error messages.

YAML, TOML and JSON are read into the same plain data. Nothing is guessed: a key given twice, an unknown ending, a
YAML tag, or more values than a configuration can sensibly have is an error. No files are opened here.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import InvalidAction, Limits, PolicyError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

Key = tuple[str | int, ...]

_LIMITS: Final = Limits(max_bytes=4 * 1024 * 1024, max_nodes=200_000)
FORMATS: Final = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}


class Document(msgspec.Struct, frozen=True):
    """What one file says."""

    file: str
    data: dict[str, Any]
    lines: dict[Key, int] = msgspec.field(default_factory=dict)
    variables: dict[Key, str] = msgspec.field(default_factory=dict)
    """In the environment: the variable of each key."""

    def line(self, key: Key) -> int | None:
        """The line of `key`, or of the nearest key above it that is in the file."""
        for end in range(len(key), 0, -1):
            if key[:end] in self.lines:
                return self.lines[key[:end]]
        return None

    def problem(self, key: Key, what: str, fix: str = "") -> str:
        """One error message, as every problem in a configuration is told: file, line, key, what is wrong, the fix."""
        line = self.line(key)
        where = f"{self.file}:{line}" if line else self.file
        if self.variables:
            where = next((f"{where}: {name}" for at, name in self.variables.items() if at == key[: len(at)]), where)
        name = dotted(key)
        return " ".join(part for part in (f"{where}:", f"`{name}`" if name else "", what, fix) if part)


def dotted(key: Key) -> str:
    """A key as people write it, without the leading `guard`."""
    parts = key[1:] if key[:1] == ("guard",) and len(key) > 1 else key
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def read_document(file: str, content: bytes) -> Document:
    """The data of a configuration file; PolicyError says what can't be read, and where."""
    kind = next((kind for ending, kind in FORMATS.items() if file.lower().endswith(ending)), None)
    if kind is None:
        raise PolicyError(f"{file}: the ending does not say what it is.", fix=f"Use one of {', '.join(FORMATS)}.")
    if len(content) > _LIMITS.max_bytes:
        raise PolicyError(f"{file}: larger than {_LIMITS.max_bytes} bytes.", fix="Split or shorten it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError(f"{file}: not UTF-8 (byte {error.start}).", fix="Save it as UTF-8.") from None
    data, lines = {"yaml": _read_yaml, "toml": _read_toml, "json": _read_json}[kind](file, text)
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise PolicyError(f"{file}: a configuration is a mapping.", fix="Start with `guard:`.")
    return Document(file, data, lines)


def _read_yaml(file: str, text: str) -> tuple[Any, dict[Key, int]]:
    import yaml  # only where a YAML file is read

    builder = _YamlBuilder(file, yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    try:
        return builder.document(), builder.lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}:{mark.line + 1}" if mark else file
        what = getattr(error, "problem", None) or getattr(error, "reason", "it can't be parsed")
        raise PolicyError(f"{where}: not YAML: {what}.", fix="Check the indentation.") from None


_DEEPEST: Final = 32
_YES: Final = frozenset({"yes", "true", "on"})
_NO: Final = frozenset({"no", "false", "off"})


class _YamlBuilder:
    """Plain data from YAML events: no tags, no merge keys, no key twice, and a budget against aliases that multiply.

    PyYAML's own composer recurses in C and dies with the process on deep nesting; a repository's file must not be
    able to do that.
    """

    def __init__(self, file: str, events: Iterator[Any]) -> None:
        self.file = file
        self.events = events
        self.lines: dict[Key, int] = {}
        self.left = _LIMITS.max_nodes
        self.anchors: dict[str, tuple[Any, int]] = {}
        """What each finished anchor stands for, and how many values that is."""

    def document(self) -> Any:
        """The one document of the file; None if there is none."""
        found: list[Any] = []
        for event in self.events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent" and found:
                raise self._error(event, "there is a second document.", "Keep one.")
            if kind not in {"StreamStartEvent", "StreamEndEvent", "DocumentStartEvent", "DocumentEndEvent"}:
                found.append(self._value(event, (), 0))
        return found[0] if found else None

    def _value(self, event: Any, key: Key, depth: int) -> Any:
        kind = type(event).__name__
        self.lines.setdefault(key, event.start_mark.line + 1)
        if kind == "AliasEvent":
            return self._alias(event)
        before = self.left
        self._spend(event, 1)
        if event.tag is not None:
            raise self._error(event, "YAML tags are not used here.", "Take the tag out, or put the value in quotes.")
        if depth > _DEEPEST:
            raise self._too_much(event)
        if kind == "MappingStartEvent":
            value: Any = self._mapping(key, depth)
        elif kind == "SequenceStartEvent":
            value = []
            while type(item := next(self.events)).__name__ != "SequenceEndEvent":
                value.append(self._value(item, (*key, len(value)), depth + 1))
        else:
            value = self._scalar(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, before - self.left)
        return value

    def _mapping(self, key: Key, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            is_plain = type(event).__name__ == "ScalarEvent" and event.tag is None and event.anchor is None
            if not is_plain or (event.value == "<<" and event.implicit[0]):
                raise self._error(event, "only plain keys are used here.", "Write the keys out.")
            name = event.value
            if name in result:
                raise self._error(event, f"the key `{name}` is there twice.", "Keep one.")
            self.lines[(*key, name)] = event.start_mark.line + 1
            result[name] = self._value(next(self.events), (*key, name), depth + 1)
        return result

    def _scalar(self, event: Any) -> Any:
        import yaml

        text = event.value
        if not event.implicit[0]:
            return text
        kind = _yaml_kind(yaml.resolver.Resolver, text)
        if kind == "null":
            return None
        if kind == "bool" and text.lower() in _YES | _NO:
            return text.lower() in _YES
        if kind == "int" and _is_decimal(text):
            return int(text)
        if kind == "float" and isfinite(number := _float(text)):
            return number
        if kind == "str":
            return text
        # 010 is eight to some readers and ten to others, 1:30 is ninety: what can be misread is not read at all.
        raise self._error(event, f"a value of YAML type `{kind}` in this form is not used here.", "Put it in quotes.")

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self.anchors:
            raise self._error(event, f"`*{event.anchor}` stands for nothing yet.", "Write it out.")
        value, size = self.anchors[event.anchor]
        self._spend(event, size)
        return value

    def _spend(self, event: Any, values: int) -> None:
        self.left -= values
        if self.left < 0:
            raise self._too_much(event)

    def _too_much(self, event: Any) -> PolicyError:
        return self._error(event, "too many or too deeply nested values.", "Write it out more simply.")

    def _error(self, event: Any, what: str, fix: str) -> PolicyError:
        return PolicyError(f"{self.file}:{event.start_mark.line + 1}: {what}", fix=fix)


def _yaml_kind(resolver: Any, text: str) -> str:
    """What a plain scalar is by YAML's own rules."""
    by_first = resolver.yaml_implicit_resolvers
    for tag, pattern in (*by_first.get(text[:1], ()), *by_first.get(None, ())):
        if pattern.match(text):
            return str(tag.rpartition(":")[2])
    return "str"


def _is_decimal(text: str) -> bool:
    digits = text.lstrip("+-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 18 and (digits == "0" or digits[0] != "0")


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _read_toml(file: str, text: str) -> tuple[Any, dict[Key, int]]:
    import tomllib  # only where a TOML file is read

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+), column \d+\)", str(error))
        last = max(len(text.splitlines()), 1)
        raise PolicyError(f"{file}:{line[1] if line else last}: not TOML: {error}.", fix="Check that line.") from None
    except (RecursionError, ValueError):
        raise PolicyError(f"{file}: too deeply nested, or a number too long.", fix="Write it more simply.") from None
    lines = dict(_toml_lines(text))
    odd = next(_not_plain(data, ()), None)
    if odd is not None:
        what = "is a date, no finite number, or nested too deeply."
        raise PolicyError(Document(file, {}, lines).problem(odd, what, "Use a string."))
    return data, lines


def _not_plain(value: Any, key: Key) -> Iterator[Key]:
    """The keys of what TOML has and JSON has not, and of what is nested too deeply."""
    if len(key) > _DEEPEST:
        yield key[:_DEEPEST]
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _not_plain(item, (*key, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _not_plain(item, (*key, index))
    elif not isinstance(value, (str, int, float)) or (isinstance(value, float) and not isfinite(value)):
        yield key


def _toml_lines(text: str) -> Iterator[tuple[Key, int]]:
    """The lines of TOML tables and keys. tomllib keeps none, and error messages can live with a key's first line."""
    table: Key = ()
    counts: dict[Key, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith("[["):
            name = _toml_place(bare[2:].partition("]]")[0], counts)
            counts[name] = counts.get(name, -1) + 1
            table = (*name, counts[name])
            yield table, number
        elif bare.startswith("["):
            table = _toml_place(bare[1:].partition("]")[0], counts)
            yield table, number
        elif (named := re.match(_TOML_ENTRY, bare)) is not None:
            yield (*table, *_toml_key(named[1])), number


_TOML_PART: Final = r"""(?:[A-Za-z0-9_-]+|"[^"\\]*"|'[^']*')"""
_TOML_ENTRY: Final = rf"({_TOML_PART}(?:\s*\.\s*{_TOML_PART})*)\s*="


def _toml_key(text: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(_TOML_PART, text))


def _toml_place(text: str, counts: dict[Key, int]) -> Key:
    """The key of a table; below an array of tables it is in that array's latest entry."""
    place: Key = ()
    parts = _toml_key(text)
    for index, part in enumerate(parts):
        place = (*place, part)
        if place in counts and index < len(parts) - 1:
            place = (*place, counts[place])
    return place


def _read_json(file: str, text: str) -> tuple[Any, dict[Key, int]]:
    try:
        data = decode(text, _LIMITS)
    except InvalidAction as error:
        raise PolicyError(f"{_json_place(file, text, error)}: {error.what}", fix="Mend it there.") from None
    return data, dict(_json_lines(text))


def _json_place(file: str, text: str, error: InvalidAction) -> str:
    """Where in the file the error is, as far as it can be told."""
    syntax = re.search(r" at line (\d+), column \d+\.$", error.what)
    if syntax is not None:
        return f"{file}:{syntax[1]}"
    seen: set[Key] = set()
    for key, line in _json_lines(text) if "twice" in error.what else ():
        if key in seen:
            return f"{file}:{line}: `{dotted(key)}`"
        seen.add(key)
    return file


def _json_lines(text: str) -> Iterator[tuple[Key, int]]:
    """The lines of keys in valid JSON: strings followed by a colon are keys, brackets open and close levels."""
    path: list[str | int] = []
    opened: list[str] = []
    line, index, last = 1, 0, ""
    while index < len(text):
        char = text[index]
        if char == "\n":
            line += 1
        elif char == '"':
            end = index + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            last = text[index + 1 : end]
            index = end
        elif char == ":":
            path[-1] = last
            yield tuple(path), line
        elif char in "{[":
            opened.append(char)
            path.append(0 if char == "[" else "")
        elif char in "}]":
            opened.pop()
            path.pop()
        elif char == "," and opened[-1] == "[":
            path[-1] = int(path[-1]) + 1
        index += 1
