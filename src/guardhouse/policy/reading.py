"""From the bytes of one configuration file to its data, with the line of every key for error messages.

YAML, TOML and JSON are read into the same plain data. Nothing is guessed: a key given twice, an unknown ending, a
YAML tag, or more values than a configuration can sensibly have is an error. No files are opened here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import InvalidAction, Limits, PolicyError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

Key = tuple[str | int, ...]

_LIMITS: Final = Limits(max_bytes=4 * 1024 * 1024, max_nodes=200_000)
FORMATS: Final = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}


@dataclass(frozen=True, slots=True)
class Document:
    """What one file says."""

    file: str
    data: dict[str, Any]
    lines: dict[Key, int] = field(default_factory=dict)

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

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}:{mark.line + 1}" if mark else file
        raise PolicyError(
            f"{where}: not YAML: {getattr(error, 'problem', error)}.", fix="Check the indentation."
        ) from None
    if node is None:
        return None, {}
    builder = _YamlBuilder(file, yaml.SafeLoader(""))
    return builder.build(node, (), 0), builder.lines


class _YamlBuilder:
    """Plain data from YAML nodes: no tags, no merge keys, no key twice, and a budget against aliases that multiply."""

    def __init__(self, file: str, constructor: Any) -> None:
        self.file = file
        self.constructor = constructor
        self.lines: dict[Key, int] = {}
        self.left = _LIMITS.max_nodes

    def build(self, node: Any, key: Key, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > 32:
            raise self._error(node, "too many or too deeply nested values.", "Write it out more simply.")
        self.lines.setdefault(key, node.start_mark.line + 1)
        if node.id == "mapping":
            return self._mapping(node, key, depth)
        if node.id == "sequence":
            return [self.build(item, (*key, index), depth + 1) for index, item in enumerate(node.value)]
        kind = node.tag.rpartition(":")[2]
        if kind not in {"str", "int", "float", "bool", "null"} or not node.tag.startswith("tag:yaml.org,2002:"):
            raise self._error(node, f"a value of YAML type `{kind}` is not used here.", "Put it in quotes.")
        return self.constructor.construct_object(node)

    def _mapping(self, node: Any, key: Key, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name_node, value_node in node.value:
            if name_node.id != "scalar" or name_node.tag == "tag:yaml.org,2002:merge":
                raise self._error(name_node, "only plain keys are used here.", "Write the keys out.")
            name = name_node.value
            if name in result:
                raise self._error(name_node, f"the key `{name}` is there twice.", "Keep one.")
            self.lines[(*key, name)] = name_node.start_mark.line + 1
            result[name] = self.build(value_node, (*key, name), depth + 1)
        return result

    def _error(self, node: Any, what: str, fix: str) -> PolicyError:
        return PolicyError(f"{self.file}:{node.start_mark.line + 1}: {what}", fix=fix)


def _read_toml(file: str, text: str) -> tuple[Any, dict[Key, int]]:
    import tomllib  # only where a TOML file is read

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{file}: not TOML: {error}.") from None
    return data, dict(_toml_lines(text))


def _toml_lines(text: str) -> Iterator[tuple[Key, int]]:
    """The lines of TOML tables and keys. tomllib keeps none, and error messages can live with a key's first line."""
    table: Key = ()
    counts: dict[Key, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith("[["):
            name = _toml_key(bare[2:].partition("]]")[0])
            counts[name] = counts.get(name, -1) + 1
            table = (*name, counts[name])
            yield table, number
        elif bare.startswith("["):
            table = _toml_key(bare[1:].partition("]")[0])
            yield table, number
        elif "=" in bare and not bare.startswith("#"):
            yield (*table, *_toml_key(bare.partition("=")[0])), number


def _toml_key(text: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


def _read_json(file: str, text: str) -> tuple[Any, dict[Key, int]]:
    try:
        data = decode(text, _LIMITS)
    except InvalidAction as error:
        raise PolicyError(f"{file}: {error}") from None
    return data, dict(_json_lines(text))


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
