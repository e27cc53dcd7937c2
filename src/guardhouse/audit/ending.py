"""Where the log really ends, by looking: after a crash, a failure of power, or somebody's work on the files.

Only reading. What is made of it, and what the log says about it, is the log's business.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from guardhouse.audit.chain import GENESIS, follows, read_link
from guardhouse.audit.head import Head
from guardhouse.audit.place import Lines, LogFile, first_line, log_files, open_own

if TYPE_CHECKING:
    from pathlib import Path


class End(msgspec.Struct, frozen=True):
    """Where the log really ends."""

    head: Head
    unfinished: int
    """Bytes of an unfinished line after that."""


def scan(handle: int, start: Head, size: int) -> End:
    """Follow the lines from `start` to the end of the file. Lines that are none of ours stay, and count for nothing."""
    if size == start.offset:
        return End(start, 0)
    lines = Lines(handle, start.offset, size)
    seq, digest = start.seq, start.hash
    for line in lines:
        link = read_link(line)
        if link is not None and link.sound and link.seq > seq:
            seq, digest = link.seq, link.hash
    return End(Head(start.file, size - lines.unfinished, seq, digest), lines.unfinished)


def find_end(directory: Path) -> End | None:
    """Where the log ends if the head can't help; None if there is no log. The newest file with a line has the end."""
    files, _ = log_files(directory)
    newest: End | None = None
    for file in reversed(files):
        end = _scan_file(directory, Head(file.name, 0, 0, GENESIS))
        newest = newest or end
        if end.head.seq:
            return End(replace(newest.head, seq=end.head.seq, hash=end.head.hash), newest.unfinished)
    return newest


def follow_on(directory: Path, end: End) -> End:
    """Where the log ends if it goes on in files that the head does not know of.

    The head is on disk before a new file is begun. But there are disks that say so too early before power fails, and
    copies in which the head is older than the rest. What follows on the chain is the log's; nothing may be written
    beside it.
    """
    files, _ = log_files(directory)
    for file in files:
        if end.unfinished:
            break
        if file > (LogFile.parse(end.head.file) or file) and follows(
            first_line(directory, file), end.head.seq, end.head.hash
        ):
            end = _scan_file(directory, replace(end.head, file=file.name, offset=0))
    return end


def _scan_file(directory: Path, start: Head) -> End:
    handle = open_own(directory / start.file, os.O_RDWR)
    try:
        return scan(handle, start, os.fstat(handle).st_size)
    finally:
        os.close(handle)
