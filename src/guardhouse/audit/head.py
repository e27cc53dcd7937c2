"""Where the log ends: a small record in the lock file, so that appending never has to look for it.

Two slots of fixed size: the head, and up to which event the log is known to be on disk. Each is written in one go and
carries a checksum, so that a damaged one is seen. Pure: bytes in, bytes out.
"""

from __future__ import annotations

from typing import Final

import msgspec

from guardhouse.model.digests import sha256_hex

HEAD_SIZE: Final = 256
SYNCED_SIZE: Final = 64
_CHECKSUM: Final = 16


class Head(msgspec.Struct, frozen=True):
    """The end of the log."""

    file: str
    offset: int
    """How long the file is."""
    seq: int
    hash: bytes


def encode_head(head: Head) -> bytes:
    """The record of `head`."""
    return _sealed(b"head %b %d %d %b" % (head.file.encode(), head.offset, head.seq, head.hash), HEAD_SIZE)


def decode_head(record: bytes) -> Head | None:
    """The head in `record`; None if it is damaged."""
    parts = record.split()
    if len(parts) != 6 or not (parts[2].isdigit() and parts[3].isdigit()):
        return None
    try:
        head = Head(parts[1].decode("ascii"), int(parts[2]), int(parts[3]), parts[4])
    except ValueError:
        return None
    return head if encode_head(head) == record else None


def encode_synced(seq: int) -> bytes:
    """The record that says everything up to `seq` is on disk."""
    return _sealed(b"synced %d" % seq, SYNCED_SIZE)


def decode_synced(record: bytes) -> int | None:
    """The number in `record`; None if it is damaged."""
    parts = record.split()
    if len(parts) != 3 or not parts[1].isdigit() or len(parts[1]) > 18:
        return None
    seq = int(parts[1])
    return seq if encode_synced(seq) == record else None


def _sealed(text: bytes, size: int) -> bytes:
    checksum = sha256_hex(text)[:_CHECKSUM].encode()
    return (text + b" " + checksum).ljust(size - 1) + b"\n"
