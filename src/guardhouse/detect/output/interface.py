"""What is looked for in published text: references that a reader's program may follow, and what a reader can't see."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from typing import Final, NamedTuple


class Means(Enum):
    """How text comes to name a place."""

    IMAGE = "image"
    """Fetched as soon as the text is shown."""
    LINK = "link"
    """Followed when somebody clicks, or when a program makes a preview of it."""
    BARE = "bare"
    """An address in running text, which many programs turn into a link."""


class Reference(NamedTuple):
    """A place that a text names, and the construct that names it."""

    means: Means
    start: int
    end: int
    """`text[start:end]` is the construct."""
    url: str
    """Where it leads, as it is written."""
    url_start: int
    """Where that stands."""
    label: str = ""
    """What a reader sees of it, as it is written."""
    tail: str = ""
    """Of a bare address, what some programs take for more of it."""


_FOLD: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def folded(text: str) -> str:
    """`text` with its ASCII letters in lower case, each in its place."""
    return text.lower() if text.isascii() else text.translate(_FOLD)  # which takes ten times as long


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Of single characters, or possessive throughout, so that it never goes back. Most texts need none."""
    return re.compile(pattern)


class Next:
    """Where a word stands next; asked in rising order, it looks at the text once."""

    def __init__(self, text: str, word: str) -> None:
        self._text = text
        self._word = word
        self._at = -1

    def __call__(self, start: int) -> int:
        """The first place from `start` on; the end of the text if there is none."""
        if start > self._at:
            found = self._text.find(self._word, start)
            self._at = len(self._text) if found < 0 else found
        return self._at
