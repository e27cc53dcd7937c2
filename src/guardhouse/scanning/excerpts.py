"""Where a secret stands in a text, and what stands round it, without it: for people who have to find it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.detect.secrets import SecretMatch
    from guardhouse.redact import Redactor

_BESIDE: Final = 60
"""So many characters of the line are shown on either side of a secret."""
_LONGEST: Final = 160
_CUT: Final = "…"
_MASK: Final = "[redacted"


class Positions:
    """Turns offsets into lines and columns, both from 1. They are asked for in rising order, so that all of a text is
    counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._begins = 0

    def of(self, offset: int) -> tuple[int, int]:
        """The line and the column of the character at `offset`."""
        lines = self._text.count("\n", self._at, offset)
        if lines:
            self._line += lines
            self._begins = self._text.rfind("\n", self._at, offset) + 1
        self._at = offset
        return self._line, offset - self._begins + 1


def excerpt(redactor: Redactor, text: str, found: Sequence[SecretMatch], number: int) -> str:
    """What stands round `found[number]` on its line. All that was `found` in the whole text is masked: a part of it
    would not always be known for what it is when it stands alone."""
    match = found[number]
    line = text.rfind("\n", max(0, match.start - _BESIDE), match.start) + 1
    low = line or max(0, match.start - _BESIDE)
    high = text.find("\n", match.end, match.end + _BESIDE)
    high = high if high >= 0 else min(len(text), match.end + _BESIDE)
    first = last = number
    while first > 0 and found[first - 1].end > low:
        first -= 1
        low = min(low, found[first].start)
    while last + 1 < len(found) and found[last + 1].start < high:
        last += 1
        high = max(high, found[last].end)
    here = [
        msgspec.structs.replace(other, start=other.start - low, end=other.end - low)
        for other in found[first : last + 1]
    ]
    # Masking, or the cut, can bring out another secret.
    shown = visible(redactor.text(redactor.masked(text[low:high], here)).replace("\t", " ").strip())
    starts_early = low > 0 and text[low - 1] != "\n"
    ends_late = high < len(text) and text[high] != "\n"
    if len(shown) > _LONGEST:
        begin = max(0, min(shown.find(_MASK) - _LONGEST // 2, len(shown) - _LONGEST))
        starts_early = starts_early or begin > 0
        ends_late = ends_late or begin + _LONGEST < len(shown)
        shown = shown[begin : begin + _LONGEST]
    return f"{_CUT if starts_early else ''}{shown}{_CUT if ends_late else ''}"
