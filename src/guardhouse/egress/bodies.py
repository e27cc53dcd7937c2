"""The body of an answer, unpacked piece by piece and never further than its limit.

Only what the standard library unpacks within bounds is read: gzip and deflate, once. What is packed twice, in another
way, incompletely, or followed by something else is refused, because whoever reads on would not read what was checked.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

from guardhouse.egress.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

ENCODINGS: Final = "gzip, deflate"
"""What the client says it can read."""


class Body:
    """Takes a body in pieces: `begin`, `feed` each, then `end`. Refused if it can't be read within its limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._read = bytearray()
        self._encoding = ""
        self._unpacking: Any = None

    def begin(self, headers: Sequence[tuple[str, str]]) -> None:
        """Take note of how the body is packed."""
        named = ",".join(value for name, value in headers if name == "content-encoding").lower().split(",")
        encodings = [name for name in map(str.strip, named) if name not in {"", "identity"}]
        if len(encodings) > 1 or not _KNOWN.issuperset(encodings):
            raise _unreadable("packed in a way that is not read here")
        self._encoding = encodings[0] if encodings else ""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if not piece:
            return
        if not self._encoding:
            self._keep(piece)
            return
        if self._unpacking is None:
            self._unpacking = _unpacker(self._encoding, piece)
        while piece:
            if self._unpacking.eof:
                raise _unreadable("followed by something else")
            try:
                # One byte more than there is room for tells that there is more.
                self._keep(self._unpacking.decompress(piece, self._most - len(self._read) + 1))
            except zlib.error:
                raise _unreadable("damaged") from None
            piece = self._unpacking.unconsumed_tail or self._unpacking.unused_data

    def end(self) -> bytes:
        """The whole body."""
        if self._unpacking is not None and not self._unpacking.eof:
            raise _unreadable("cut off")
        return bytes(self._read)

    def _keep(self, unpacked: bytes) -> None:
        if len(self._read) + len(unpacked) > self._most:
            raise Refused(
                "net.response_too_large", f"The answer is larger than {self._most} bytes.", fix="Ask for a part of it."
            )
        self._read += unpacked


_KNOWN: Final = frozenset({"gzip", "x-gzip", "deflate"})


def _unpacker(encoding: str, beginning: bytes) -> Any:
    """Deflate comes with a header, as the standard says, or without, as some servers have it."""
    if encoding != "deflate":
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    has_header = beginning[0] & 0x0F == zlib.DEFLATED and beginning[0] >> 4 <= 7
    return zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)


def _unreadable(why: str) -> Refused:
    return Refused("net.response_unreadable", f"The body of the answer is {why}.", fix="Ask for another form of it.")
