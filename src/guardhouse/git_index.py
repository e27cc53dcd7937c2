"""Reads git's index: which files a repository has, and how they were when git last looked at them.

The file is all that is read: git is never run, no configuration is looked at, and no hook can fire. It is for counting
what version control has not got; an index that this does not understand through and through tells nothing.
"""

from __future__ import annotations

from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of the largest index that is read."""


class BrokenIndex(ValueError):
    """These bytes are no index, or one of a kind that can't be understood from itself alone."""


class Tracked(NamedTuple):
    """A file as git last saw it."""

    size: int
    """Modulo 2³²."""
    seconds: int
    nanoseconds: int
    """When it was last written; no nanoseconds if git did not keep them."""


def tracked_files(index: bytes, wanted: Container[bytes]) -> dict[bytes, Tracked]:
    """Those of the `wanted` files that git has, by their path from the top of the working tree. BrokenIndex if the
    index can't be read to its end."""
    found: dict[bytes, Tracked] = {}
    try:
        for name, at in _entries(index):
            if name in wanted:
                seconds, nanoseconds = _number(index, at + _MTIME), _number(index, at + _MTIME + 4)
                found[name] = Tracked(_number(index, at + _SIZE), seconds, nanoseconds)
    except IndexError:
        raise BrokenIndex("the index ends early") from None
    return found


_HEADER: Final = 12
_VERSIONS: Final = (2, 3, 4)
_MTIME: Final = 8
_SIZE: Final = 36
_STATUS: Final = 40
"""Bytes that tell of a file's status, before the name of its content."""
_EXTENDED: Final = 0x4000
_INTENT_TO_ADD: Final = 0x2000
_NAME_LENGTH: Final = 0x0FFF
_LONGEST_NAME: Final = 8192
"""No system has longer paths; and each name may be made of the one before it."""


def _entries(index: bytes) -> Iterator[tuple[bytes, int]]:
    """Every file that git has the content of, and where its entry begins."""
    if len(index) < _HEADER or index[:4] != b"DIRC":
        raise BrokenIndex("this is no index")
    version, count = _number(index, 4), _number(index, 8)
    if version not in _VERSIONS:
        raise BrokenIndex("an index of another version")
    hash_size = _hash_size(index)
    end = len(index) - hash_size
    to_flags = _STATUS + hash_size
    at, name = _HEADER, b""
    for _ in range(count):
        start = at
        at += to_flags + 2
        if at > end:
            raise BrokenIndex("the index ends early")
        flags = index[at - 2] << 8 | index[at - 1]
        promised = False
        if flags & _EXTENDED:
            if version == 2:
                raise BrokenIndex("an entry of another version")
            promised = bool((index[at] << 8 | index[at + 1]) & _INTENT_TO_ADD)
            at += 2
        if version == 4:
            name, at = _compressed_name(index, at, name)
        else:
            name, at = _padded_name(index, start, at, flags & _NAME_LENGTH)
        if at > end or len(name) > _LONGEST_NAME:
            raise BrokenIndex("the index ends early, or has a name that no file has")
        if not promised:  # `git add -N` keeps the name alone
            yield name, start
    _check_extensions(index, at, end)


def _padded_name(index: bytes, start: int, at: int, length: int) -> tuple[bytes, int]:
    """A name of a known length, or a very long one up to its zero byte; entries are filled up to eight bytes."""
    stop = at + length if length < _NAME_LENGTH else index.find(b"\0", at)
    if stop < 0 or index[stop : stop + 1] != b"\0":
        raise BrokenIndex("a name has no end")
    return index[at:stop], start + (stop - start + 8) // 8 * 8


def _compressed_name(index: bytes, at: int, before: bytes) -> tuple[bytes, int]:
    """How many bytes of the name before are dropped, then what is put there instead, up to a zero byte."""
    byte = index[at]
    dropped = byte & 0x7F
    at += 1
    while byte & 0x80:
        byte = index[at]
        dropped = (dropped + 1) << 7 | byte & 0x7F
        at += 1
        if dropped > len(before):
            break
    stop = index.find(b"\0", at)
    if dropped > len(before) or stop < 0:
        raise BrokenIndex("a name has no beginning, or no end")
    return before[: len(before) - dropped] + index[at:stop], stop + 1


def _check_extensions(index: bytes, at: int, end: int) -> None:
    """What follows the entries may be skipped, unless its name is in lower case: then it changes what they mean, as in
    an index that is split in two, or that has whole directories as one entry."""
    while at < end:
        if not index[at : at + 1].isupper():
            raise BrokenIndex("an index that needs more than itself")
        at += 8 + _number(index, at + 4)
    if at != end:
        raise BrokenIndex("something after the entries has no end")


def _hash_size(index: bytes) -> int:
    """How long the digests in this index are, told by the one at its end, or by the zeros that git may put there."""
    for size, digest in ((20, sha1), (32, sha256)):
        if digest(memoryview(index)[:-size], usedforsecurity=False).digest() == index[-size:]:
            return size
    for size in (32, 20):
        if not any(index[-size:]):
            return size
    raise BrokenIndex("the index is damaged")


def _number(index: bytes, at: int) -> int:
    return int.from_bytes(index[at : at + 4], "big")
