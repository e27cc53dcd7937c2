"""Text as the bytes that are searched, and the way back from places in them to characters."""

from __future__ import annotations

from typing import Final

_SURROGATES: Final = range(0xD800, 0xE000)


def bytes_of(text: str) -> tuple[bytes, bool]:
    """UTF-8, and whether a byte is a character. A lone surrogate becomes U+FFFD, which is as long."""
    if text.isascii():
        return text.encode("ascii"), True
    try:
        return text.encode("utf-8"), False
    except UnicodeEncodeError:
        return text.translate(dict.fromkeys(_SURROGATES, 0xFFFD)).encode("utf-8"), False


class Offsets:
    """Turns byte offsets into character offsets; one inside a character goes to its near or far side.

    Offsets are asked for in rising order, more or less: what lies between two of them is counted once.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._chars = 0

    def floor(self, offset: int) -> int:
        """The character that the byte at `offset` is part of."""
        while offset < len(self._data) and self._data[offset] & 0xC0 == 0x80:
            offset -= 1
        return self._count(offset)

    def ceil(self, offset: int) -> int:
        """The first character behind what ends at `offset`."""
        while offset < len(self._data) and self._data[offset] & 0xC0 == 0x80:
            offset += 1
        return self._count(offset)

    def _count(self, offset: int) -> int:
        if offset < self._at:
            self._chars -= _characters(self._data[offset : self._at])
        else:
            self._chars += _characters(self._data[self._at : offset])
        self._at = offset
        return self._chars


_CONTINUING: Final = bytes(range(0x80, 0xC0))


def _characters(data: bytes) -> int:
    return len(data.translate(None, _CONTINUING))
