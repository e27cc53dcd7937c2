"""The way in to the shell parser: a text goes in, a tree comes out, with the first problem if there was one.

It is for reading what bash or sh would run, before they do. It expands nothing, knows no aliases, and runs nothing.
"""

from __future__ import annotations

import msgspec

from guardhouse.detect.shell.compounds import CompoundReader
from guardhouse.detect.shell.reading import END, Limits, Problem
from guardhouse.detect.shell.syntax import Script

__all__ = ["Limits", "Parsed", "Problem", "parse"]

DEFAULT = Limits()
LONG = 2000


class Parsed(msgspec.Struct, frozen=True):
    """What was understood of a text."""

    script: Script
    """Everything up to the first problem; a construct that the problem is in is there as far as it was read."""
    problem: Problem | None


def parse(text: str, limits: Limits = DEFAULT) -> Parsed:
    """Reads a script. Whatever the text, it returns, in time that grows no faster than the text."""
    size = len(text.encode("utf-8", "surrogatepass"))
    cut = text if size <= limits.max_bytes else beginning(text, limits.max_bytes)
    # No shell sees a NUL: an argument ends there, a script is read as if it were not there.
    end = cut.find(END)
    reader = CompoundReader(cut if end < 0 else cut[:end], limits)
    try:
        script = reader.whole() if reader.last < LONG else whole_in_one_piece(reader)
    except RecursionError:  # the caller was deep in Python's stack already
        return Parsed(Script(()), Problem("nesting", 0, "too little of Python's stack is left"))
    problem = reader.problem
    if size > limits.max_bytes:
        problem = Problem("bytes", len(cut), f"longer than {limits.max_bytes} bytes")
    elif problem is None and end >= 0:
        problem = Problem("syntax", end, "a NUL character")
    return Parsed(script, problem)


def whole_in_one_piece(reader: CompoundReader) -> Script:
    """Reads a long text on one piece of Python's stack.

    CPython keeps frames in pieces of 16 KiB. A function that happens to end at the edge of one takes and gives back a
    piece at each call it makes, which is ten times slower, and a text could be nested so that the parser sits there. A
    frame that asks for much gets a piece large enough for all that come after it.
    """
    return reader.whole()


whole_in_one_piece.__code__ = whole_in_one_piece.__code__.replace(co_stacksize=17_000)


def beginning(text: str, size: int) -> str:
    """The longest beginning of the text that is no longer in UTF-8 than that."""
    encoded = text.encode("utf-8", "surrogatepass")
    while size and encoded[size] & 0xC0 == 0x80:
        size -= 1
    return encoded[:size].decode("utf-8", "surrogatepass")
