"""What the arguments of a call say: which one is meant, what address it is, what command line it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import Source
from guardhouse.detect.python import known
from guardhouse.detect.python.values import NOTHING, Items, Made, Named, Number, Text, Value, text_of
from guardhouse.detect.python.words import command_line, command_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NONE: Final = "builtins.None"
SOCKET: Final = "socket.socket"
TELLING: Final = frozenset({Source.FILE, Source.SECRET, Source.DYNAMIC})
"""Origins that make data worth a look when it is sent."""


def argument(given: Sequence[Value], named: Mapping[str, Value], at: int, keyword: str) -> Value:
    if at < len(given):
        return given[at]
    return named.get(keyword, NOTHING)


def is_given(value: Value) -> bool:
    """Whether an argument is there and not None."""
    return value is not NOTHING and not (isinstance(value, Named) and value.name == NONE)


def is_socket(value: Value) -> bool:
    return isinstance(value, Made) and value.by == SOCKET


def address(
    row: known.Reach, given: Sequence[Value], named: Mapping[str, Value]
) -> tuple[str, frozenset[Source]] | None:
    """Where it goes, with where that comes from; None if it goes nowhere yet."""
    value = argument(given, named, row.at, row.keyword)
    if row.form == "url":
        target = value.text if isinstance(value, Made) and value.text else text_of(value)
        return target, value.origin
    if row.form == "pair":
        if isinstance(value, Text):
            return None  # a socket file, which stays on this machine
        pair = value.items if isinstance(value, Items) else ()
        host, port = (*pair[:2], NOTHING, NOTHING)[:2]
    else:
        if row.at >= len(given) and row.keyword not in named:
            return _usual(row, named)
        host, port = value, argument(given, named, row.at + 1, "port")
    shown = text_of(host)
    return (f"{shown}:{text_of(port)}" if is_given(port) or row.form == "pair" else shown), host.origin


def _usual(row: known.Reach, named: Mapping[str, Value]) -> tuple[str, frozenset[Source]] | None:
    """The address of a server that is told none, or only a port."""
    if not row.usual:
        return None
    host, _, port = row.usual.partition(":")
    return f"{host}:{text_of(named['port']) if 'port' in named else port}", NOTHING.origin


def command(
    row: known.Start, name: str, given: Sequence[Value], named: Mapping[str, Value]
) -> tuple[str, frozenset[Source]]:
    """The command line of a process, with where it comes from."""
    if row.form == "line":
        value = argument(given, named, row.at, row.keyword)
        if isinstance(value, Items) and value.items and _is_true(named.get("shell", NOTHING)):
            value = value.items[0]
        if isinstance(value, Items):
            return command_words(text_of(each) for each in value.items) or "$UNKNOWN", value.origin
        line = value.text if isinstance(value, Made) and value.by == "line" else text_of(value)
        return command_line(line), value.origin
    words: Sequence[Value]
    if row.form == "words":
        words = given[row.at :]
    elif row.form == "program":
        rest = given[row.at + 2 :]
        words = (*given[row.at : row.at + 1], *(rest[:-1] if name in known.WITH_SURROUNDINGS else rest))
    else:
        listed = given[row.at + 1] if row.at + 1 < len(given) else NOTHING
        tail = listed.items[1:] if isinstance(listed, Items) else (Value(listed.origin),)
        words = (*given[row.at : row.at + 1], *tail)
    origin = frozenset[Source]().union(*(each.origin for each in words))
    return command_words(text_of(each) for each in words) or "$UNKNOWN", origin


def _is_true(value: Value) -> bool:
    return isinstance(value, Number) and value.number != 0
