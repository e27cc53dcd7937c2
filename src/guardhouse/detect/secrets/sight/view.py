"""What was read behind a veil, and where each byte of it stands in the text.

A view holds many segments, so that one look at it looks at all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

BETWEEN: Final = b"\n\x00\n"
"""Stands between two segments: no secret has it inside."""


class Piece(NamedTuple):
    """`size` bytes of the view, and how they lie in the text."""

    origin: int
    """Where it begins in the text."""
    step: int
    """How many bytes of the text each byte of the view takes. Below 0, the text runs backwards. 0: the piece stands
    for `width` bytes of the text as a whole."""
    width: int
    """How many bytes of the text it takes in all."""


class View:
    """The readings of one text; grows at its end."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._starts: list[int] = []
        self._pieces: list[Piece] = []
        self.size = 0

    def add(self, data: bytes, origin: int, step: int, width: int) -> None:
        """The next piece of the segment."""
        if data:
            self._starts.append(self.size)
            self._pieces.append(Piece(origin, step, width))
            self._chunks.append(data)
            self.size += len(data)

    def end(self) -> None:
        """Ends a segment."""
        self._chunks.append(BETWEEN)
        self.size += len(BETWEEN)

    def data(self) -> bytes:
        """All of it."""
        return b"".join(self._chunks)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Which part of the text view[start:end] was read from."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        low, high = self._span(first, start)
        for at in range(first, last + 1):
            # Both ends of what is in each piece: a piece may run backwards.
            following = self._starts[at + 1] if at < last else end
            for place in (max(start, self._starts[at]), following - 1):
                begin, stop = self._span(at, place)
                low, high = min(low, begin), max(high, stop)
        return low, high

    def _span(self, index: int, place: int) -> tuple[int, int]:
        piece = self._pieces[index]
        if piece.step == 0:
            return piece.origin, piece.origin + piece.width
        within = place - self._starts[index]
        if piece.step < 0:
            # A byte between two segments counts as the end of the one before, here as well.
            at = max(piece.origin, piece.origin + piece.width - 1 - within)
            return at, at + 1
        at = piece.origin + within * piece.step
        # A byte between two segments belongs to neither; it counts as the end of the one before.
        return min(at, piece.origin + piece.width), min(at + piece.step, piece.origin + piece.width)
