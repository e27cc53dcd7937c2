"""Options and arguments of a program, told apart the way getopt does it.

Which options take a value must be known; the rest follows: clusters (`-xzf file`), glued values (`-ofile`),
`--name=value`, abbreviated long names, `--` that ends them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.shell.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence


class Given(msgspec.Struct, frozen=True):
    """One option as it was given."""

    name: str
    """`-o` or `--output`."""
    value: Value | None = None


class Parsed(msgspec.Struct, frozen=True):
    """A program's arguments, sorted."""

    options: list[Given]
    arguments: list[Value]
    begins: int
    """The index of the first argument that is no option; the number of words if there is none."""

    def has(self, names: str) -> bool:
        """Whether one of these options is given."""
        given = {one.name for one in self.options}
        wanted = names.split()
        return not given.isdisjoint(wanted) or any(
            matches(one, name) for one in given if len(one) > 4 for name in wanted if len(name) > 4
        )

    def values(self, names: str) -> list[Value]:
        """The values of these options."""
        wanted = names.split()
        return [
            one.value
            for one in self.options
            if one.value is not None and any(matches(one.name, name) for name in wanted)
        ]


def matches(given: str, name: str) -> bool:
    """Whether an option that was given is the one named, perhaps abbreviated."""
    return given == name or (len(given) > 4 and given[:2] == "--" and name.startswith(given))


@lru_cache(maxsize=512)
def _table(valued: str) -> tuple[frozenset[str], tuple[str, ...]]:
    names = valued.split()
    return frozenset(name[1] for name in names if len(name) == 2), tuple(name for name in names if len(name) > 2)


def parsed(args: Sequence[Value], valued: str = "", *, stop: bool = False, single: bool = False) -> Parsed:
    """Sort arguments into options and the rest. With `stop`, everything from the first argument on is the rest: that
    is how programs read that run another one. `single` is for programs with long options after one dash."""
    letters, longs = _table(valued)
    options: list[Given] = []
    rest: list[Value] = []
    index = 0
    begins = len(args)
    while index < len(args):
        value = args[index]
        text = value.text
        if text == "--":
            begins = min(begins, index + 1)
            rest += args[index + 1 :]
            break
        if len(text) < 2 or text[0] != "-":
            begins = min(begins, index)
            if stop:
                rest += args[index:]
                break
            rest.append(value)
            index += 1
            continue
        if text[1] == "-" or single:
            index = _long(args, index, longs if not single else tuple(valued.split()), options)
        else:
            index = _short(args, index, letters, longs, options)
    return Parsed(options, rest, begins)


def _long(args: Sequence[Value], index: int, longs: tuple[str, ...], options: list[Given]) -> int:
    value = args[index]
    name, equals, text = value.text.partition("=")
    if equals:
        options.append(Given(name, replace(value, text=text)))
        return index + 1
    if any(name == long or (len(name) > 4 and long.startswith(name)) for long in longs) and index + 1 < len(args):
        options.append(Given(name, args[index + 1]))
        return index + 2
    options.append(Given(name))
    return index + 1


def _short(
    args: Sequence[Value], index: int, letters: frozenset[str], longs: tuple[str, ...], options: list[Given]
) -> int:
    value = args[index]
    text = value.text
    if text in longs and index + 1 < len(args):
        options.append(Given(text, args[index + 1]))
        return index + 2
    for place in range(1, len(text)):
        letter = text[place]
        if letter == UNKNOWN:
            continue
        if letter in letters:
            if place + 1 < len(text):
                glued = text[place + 1 :]
                options.append(Given(f"-{letter}", replace(value, text=glued)))
            elif index + 1 < len(args):
                options.append(Given(f"-{letter}", args[index + 1]))
                return index + 2
            return index + 1
        options.append(Given(f"-{letter}"))
    return index + 1
