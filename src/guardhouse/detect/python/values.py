"""What is known of a value in Python code before it runs, and how text is put together out of such values.

It is an estimate for reading, not an interpreter: what can't be known stays unknown, every text and list is bounded,
and nothing of the code is ever run.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.acts import UNKNOWN, Source

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_TEXT: Final = 4096
LONGEST_DECODED: Final = 16 * 1024
LONGEST_LIST: Final = 64
_MOST_CHOICES: Final = 8
_MOST_COMBINATIONS: Final = 16
_LARGEST: Final = 2**63

NOWHERE: Final[frozenset[Source]] = frozenset()
DECODED: Final = frozenset({Source.DECODED})


class Value(msgspec.Struct, frozen=True):
    """Anything that an expression may come to; by itself: unknown."""

    origin: frozenset[Source] = NOWHERE
    """Where it comes from, if that is not the code itself."""


class Text(Value, frozen=True):
    """A string, or bytes with one character a byte; `UNKNOWN` in it stands for what is not known."""

    text: str = ""
    is_bytes: bool = False


class Number(Value, frozen=True):
    """An integer."""

    number: int = 0


class Items(Value, frozen=True, eq=False):
    """A list, tuple or set."""

    items: tuple[Value, ...] = ()


class Table(Value, frozen=True, eq=False):
    """A dictionary whose keys are strings."""

    entries: tuple[tuple[str, Value], ...] = ()


class Named(Value, frozen=True):
    """A module, a class or a function, by its full name."""

    name: str = ""


class Made(Value, frozen=True):
    """What a call gave: a path, an open file, a socket, a process."""

    by: str = ""
    text: str = ""
    """The path, the address or the command it stands for."""


class Bound(Value, frozen=True, eq=False):
    """A method of something made."""

    name: str = ""
    owner: Value = Value()


class Routine(Value, frozen=True, eq=False):
    """A function that the code defines."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None = None


class Partly(Value, frozen=True, eq=False):
    """A function with its first arguments already given."""

    function: Value = Value()
    given: tuple[Value, ...] = ()


class Choice(Value, frozen=True):
    """One of several, depending on how the code runs."""

    choices: tuple[Value, ...] = ()


NOTHING: Final = Value()
PATH: Final = "pathlib.Path"
EVERYTHING: Final = f"/{UNKNOWN}/{UNKNOWN}"
"""How the path of a file ends that may be any of those below a place, however deep."""


def unknown(*values: Value) -> Value:
    """Something made out of `values` in a way that is not followed."""
    origin = origin_of(*values)
    return Value(origin) if origin else NOTHING


def origin_of(*values: Value) -> frozenset[Source]:
    """Where the values come from, also what they hold."""
    origin = NOWHERE
    for value in values:
        origin |= value.origin
    return origin


def items(values: Iterable[Value]) -> Items:
    """A list of values, cut where it is too long."""
    kept = tuple(islice(values, LONGEST_LIST))
    return Items(origin_of(*kept), kept)


def choice(*values: Value) -> Value:
    """Any of `values`."""
    if len(values) == 1:
        return values[0]
    found: list[Value] = []
    for value in values:
        found.extend(each for each in alternatives(value) if each not in found)
    if len(found) > _MOST_CHOICES:
        found = [*found[: _MOST_CHOICES - 1], unknown(*found)]
    return found[0] if len(found) == 1 else Choice(origin_of(*found), tuple(found))


def alternatives(value: Value) -> tuple[Value, ...]:
    """Everything that a value may be."""
    return value.choices if isinstance(value, Choice) else (value,)


def combinations(values: Sequence[Value]) -> Iterator[tuple[Value, ...]]:
    """What a row of values may be, for a bounded number of cases."""
    if not any(isinstance(value, Choice) for value in values):
        return iter((tuple(values),))
    return islice(product(*(alternatives(value) for value in values)), _MOST_COMBINATIONS)


def text_of(value: Value) -> str:
    """A value as `str` would give it."""
    if isinstance(value, Text):
        return value.text
    if isinstance(value, Number):
        return str(value.number)
    if isinstance(value, Made) and value.by == PATH:
        return value.text
    return UNKNOWN


def text(parts: str, origin: frozenset[Source] = NOWHERE, *, is_bytes: bool = False) -> Text:
    """A text, cut where it is too long."""
    if len(parts) > LONGEST_TEXT:
        parts = parts[:LONGEST_TEXT] + UNKNOWN
    return Text(origin, parts, is_bytes)


def number(value: int) -> Value:
    return Number(NOWHERE, value) if -_LARGEST < value < _LARGEST else NOTHING


def added(left: Value, right: Value) -> Value:
    """`left + right`."""
    if isinstance(left, Number) and isinstance(right, Number):
        return number(left.number + right.number)
    if isinstance(left, Items) and isinstance(right, Items):
        return items(left.items + right.items)
    origin = left.origin | right.origin
    if isinstance(left, Text):
        return text(left.text + text_of(right), origin, is_bytes=left.is_bytes)
    if isinstance(right, Text):
        return text(text_of(left) + right.text, origin, is_bytes=right.is_bytes)
    return unknown(left, right)


def times(left: Value, right: Value) -> Value:
    """`left * right`."""
    if isinstance(left, Number) and isinstance(right, Number):
        return number(left.number * right.number)
    if isinstance(left, Text) and isinstance(right, Number):
        count = min(right.number, LONGEST_TEXT // max(1, len(left.text)) + 1)
        return text(left.text * count, left.origin, is_bytes=left.is_bytes)
    if isinstance(left, Items) and isinstance(right, Number):
        return items(left.items * min(right.number, LONGEST_LIST))
    return unknown(left, right)


def under(left: Value, right: Value) -> Value:
    """`left / right`, which joins paths."""
    if isinstance(left, Made) or isinstance(right, Made):
        return Made(left.origin | right.origin, PATH, path_join((text_of(left), text_of(right))))
    return unknown(left, right)


def path_join(parts: Iterable[str]) -> str:
    """Paths put together as `os.path.join` does."""
    joined = ""
    for part in parts:
        if part.startswith(("/", "~")) or not joined:
            joined = part
        else:
            joined += part if joined.endswith("/") else "/" + part
    return joined[:LONGEST_TEXT]


def sliced(value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
    """`value[start:stop:step]`."""
    ends = [_whole(end) for end in (start, stop, step)]
    if any(end is False for end in ends) or ends[2] == 0:
        return unknown(value)
    cut = slice(*ends)
    if isinstance(value, Text):
        turned = DECODED if cut.step is not None else NOWHERE
        return Text(value.origin | turned, value.text[cut], value.is_bytes)
    if isinstance(value, Items):
        return items(value.items[cut])
    return unknown(value)


def _whole(end: Value | None) -> int | bool | None:
    """A slice's end; False if it is not known."""
    if end is None:
        return None
    return end.number if isinstance(end, Number) else False


def picked(value: Value, key: Value) -> Value:
    """`value[key]`."""
    if isinstance(value, Table) and isinstance(key, Text):
        found = [each for name, each in value.entries if name == key.text]
        return found[-1] if found else unknown(value)
    if isinstance(value, Table):
        return choice(*(each for _, each in value.entries)) if value.entries else NOTHING
    if isinstance(value, Items) and isinstance(key, Number):
        held = -len(value.items) <= key.number < len(value.items)
        return value.items[key.number] if held else unknown(value)
    if isinstance(value, Items) and value.items:
        return choice(*value.items)
    if isinstance(value, Text) and isinstance(key, Number):
        if not -len(value.text) <= key.number < len(value.text):
            return unknown(value)
        char = value.text[key.number]
        return number(ord(char)) if value.is_bytes else Text(value.origin, char)
    return unknown(value)
