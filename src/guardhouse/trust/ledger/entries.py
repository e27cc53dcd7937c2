"""A text as the things that it speaks of, one after the other: entries of a list, records, lines, sentences; and how
far a service speaks in its own words before it passes on somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.fields import is_known

if TYPE_CHECKING:
    from collections.abc import Iterator

_BULLETS: Final = ("-", "*", "•", "·", "|", "+", "#", "[", "–")


def own_words(text: str) -> str:
    """A text up to the first quotation mark, or to where somebody is said to speak: what follows is their words."""
    ends = [at for mark in _QUOTING if (at := text.find(mark)) >= 0]
    return text[: min(ends)] if ends else text


_QUOTING: Final = (
    *('"', "“", "”", "„", "«", "‘", " '", ": '"),
    *(f" {word}{mark}" for word in "says writes wrote said asks asked adds added words note notes remark".split()
      for mark in " :,"),
)  # fmt: skip
"""From here on somebody else may speak."""


class Entry(NamedTuple):
    """One of the things that a text speaks of."""

    lines: list[str]
    """What belongs to it."""
    goes_on: bool = False
    """It stands on the same line as the one before."""


def entries_of(text: str) -> Iterator[Entry]:
    """The things that a text speaks of, one after the other."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            block.append(line)
            continue
        if block:
            yield from _split(block)
        block = []


def _split(block: list[str]) -> Iterator[Entry]:
    """A paragraph: a record of `key: value` lines is one thing, a list is many, and prose is cut into sentences."""
    listed = sum(map(_is_item, block))
    labels = {line.partition(":")[0] for line in block if _is_labelled(line)}
    is_record = listed < 2 and len({label.split()[0] for label in labels}) * 3 >= len(block) * 2 and len(block) > 1
    if is_record and sum(map(is_known, labels)) * 2 >= len(labels):
        yield Entry(block)
        return
    for line in block:
        yield from (Entry([sentence], goes_on=at > 0) for at, sentence in enumerate(parts_of_line(line)))


def parts_of_line(line: str) -> Iterator[str]:
    """Cut at a full stop or its like with a blank and no small letter behind it."""
    start = 0
    for at in range(1, len(line) - 1):
        if line[at] == " " and line[at - 1] in ".!?。;" and not line[at + 1].islower() and at - start > _SHORTEST:
            yield line[start:at]
            start = at + 1
    yield line[start:]


_SHORTEST: Final = 12
"""Characters of a sentence: `No. 5` is none."""


def _is_labelled(line: str) -> bool:
    head, colon, _ = line.partition(":")
    return bool(colon and head.strip()) and len(head.split()) <= 4 and not _is_item(line) and _has_no_digit(head)


def _has_no_digit(text: str) -> bool:
    return not any(map(str.isdecimal, text))


def _is_item(line: str) -> bool:
    bare = line.strip()
    head = bare.split(maxsplit=1)[0]
    return bare.startswith(_BULLETS) or (head[:1].isdecimal() and head[-1:] in {".", ")", ":"})
