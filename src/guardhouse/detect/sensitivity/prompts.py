"""Finds what repeats a text that is to stay private, such as a system prompt: eight of its words in a row.

Case, punctuation and the space between words do not count. Time is linear in the text that is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.detect.sensitivity.interface import Where

RUN: Final = 8
"""Words in a row that are no coincidence."""


def runs_of(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Every run of so many words."""
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return [text[start:end].casefold() for start, end in _places(text)]


def _places(text: str) -> list[Where]:
    places: list[Where] = []
    start = -1
    for at, char in enumerate(text):
        if char.isalnum():
            if start < 0:
                start = at
        elif start >= 0:
            places.append((start, at))
            start = -1
    if start >= 0:
        places.append((start, len(text)))
    return places


class PrivateTexts:
    """Texts that nobody outside is to read."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs = frozenset(run for text in texts for run in runs_of(words_of(text)))

    def spans(self, text: str) -> Iterator[Where]:
        """Where `text` repeats one of them, in characters; runs that overlap are one."""
        places = _places(text)
        words = [text[start:end].casefold() for start, end in places]
        begin = end = -1
        for at, run in enumerate(runs_of(words)):
            if run not in self._runs:
                continue
            if begin >= 0 and at > end:
                yield places[begin][0], places[end - 1][1]
                begin = -1
            begin, end = (at if begin < 0 else begin), at + RUN
        if begin >= 0:
            yield places[begin][0], places[end - 1][1]
