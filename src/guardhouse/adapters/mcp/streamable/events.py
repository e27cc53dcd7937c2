"""Server-sent events, read from bytes as they come, and written. Pure; each byte is looked at once.

How much may come is not limited here: whoever reads from the network limits that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM: Final = b"\xef\xbb\xbf"
_LONGEST_ID: Final = 1024
_LONGEST_RETRY: Final = 9
"""Digits."""


class Event(msgspec.Struct, frozen=True):
    """One event."""

    data: bytes
    id: str
    """What the stream can be resumed after; empty if it says none that could be sent."""
    name: str
    retry: float | None
    """Seconds to wait before the stream is resumed, if it says so."""


class EventReader:
    """Takes a stream in pieces, and gives the events that are complete."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_first = True
        self._after_return = False
        self._clear()

    def _clear(self) -> None:
        self._has_fields = False
        self._data = bytearray()
        self._has_data = False
        self._id = ""
        self._name = ""
        self._retry: float | None = None

    @property
    def is_within(self) -> bool:
        """Whether an event has begun that is not complete."""
        return bool(self._held) or self._has_fields

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Take the next piece."""
        for line in piece.splitlines(keepends=True):  # of bytes: at CR, LF, and both
            follows, self._after_return = self._after_return, False
            if follows and line == b"\n":
                continue  # the second half of the end of the line before
            if line[-1] not in _ENDS:
                self._held += line
                continue
            self._after_return = line.endswith(b"\r")
            whole = line.rstrip(b"\r\n")
            if self._held:
                self._held += whole
                whole = bytes(self._held)
                self._held.clear()
            if self._is_first:
                self._is_first = False
                whole = whole.removeprefix(_BOM)
            if whole:
                self._field(whole)
            elif self._has_fields:
                yield Event(bytes(self._data), self._id, self._name, self._retry)
                self._clear()

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if not name:
            return  # a comment
        self._has_fields = True
        value = value.removeprefix(b" ")
        if name == b"data":
            if self._has_data:
                self._data += b"\n"
            self._data += value
            self._has_data = True
        elif name == b"event":
            self._name = value[:_LONGEST_ID].decode("utf-8", "replace")
        elif name == b"id":
            self._id = value.decode() if _is_plain(value) else ""
        elif name == b"retry" and value.isdigit() and len(value) <= _LONGEST_RETRY:
            self._retry = int(value) / 1000


_ENDS: Final = frozenset(b"\r\n")


def _is_plain(value: bytes) -> bool:
    """Whether this can be sent in a header."""
    return len(value) <= _LONGEST_ID and value.isascii() and value.decode().isprintable()


def event(data: bytes, number: str) -> bytes:
    """One message as an event. It has no line breaks in it."""
    return b"id: %b\ndata: %b\n\n" % (number.encode(), data)


_AS_BLANKS: Final = bytes.maketrans(b"\r\n", b"  ")


def one_line(message: bytes) -> bytes:
    """A message as one line. In JSON a line break means no more than a blank; where it stands in a text, that is no
    JSON, and as a blank means no more than it says."""
    return message.translate(_AS_BLANKS) if b"\n" in message or b"\r" in message else message
