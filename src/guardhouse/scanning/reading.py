"""Reads one file for a scan: all of it, or the reason why not. It never waits at a pipe and follows no link."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from guardhouse.scanning.interface import NotScanned
from guardhouse.scanning.walking import because

if TYPE_CHECKING:
    from typing import BinaryIO

    from guardhouse.scanning.interface import File

_PIECE: Final = 1 << 20


def read_file(file: File, max_bytes: int) -> bytes | NotScanned:
    """What `file` holds, if that is no more than `max_bytes`. It may have become something else since it was met."""
    try:
        handle = os.open(file.real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(handle, "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):
                return NotScanned(file.path, "It is no longer a file.")
            if status.st_size > max_bytes:
                return _too_large(file.path, max_bytes)
            return read_stream(file.path, opened, max_bytes)
    except OSError as error:
        return NotScanned(file.path, because(error))


def read_stream(path: str, stream: BinaryIO, max_bytes: int) -> bytes | NotScanned:
    """The rest of `stream`, if that is no more than `max_bytes`: a file can grow while it is read."""
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > max_bytes:
                return _too_large(path, max_bytes)
    except OSError as error:
        return NotScanned(path, because(error))
    return b"".join(pieces)


def _too_large(path: str, max_bytes: int) -> NotScanned:
    return NotScanned(path, f"It is larger than {max_bytes} bytes.")
