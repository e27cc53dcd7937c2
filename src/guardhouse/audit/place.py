"""The directory of the log: which files in it are ours, opening them without being led elsewhere, and its lock.

Nothing here knows what a line means.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.audit.chain import LONGEST_LINE
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_NAME: Final = "head.lock"
PATIENCE: Final = 5.0
"""Seconds to wait for the lock. Then it is an error: a gate that hangs may be taken for one that said nothing."""
_WRITABLE_BY_OTHERS: Final = 0o022
_SAFE: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_POLL: Final = 0.0005
_BLOCK: Final = 1 << 20
_FIX: Final = "Move it away, and look who put it there."


class LogFile(msgspec.Struct, frozen=True, order=True):
    """A file of the log, in the order of the chain."""

    day: str
    number: int

    @property
    def name(self) -> str:
        """The file's name."""
        return f"audit-{self.day}-{self.number:04d}.jsonl"

    @classmethod
    def parse(cls, name: str) -> LogFile | None:
        """The file of that name; None if it is not one of ours."""
        parts = name.removesuffix(".jsonl").split("-")
        if len(parts) != 3 or not name.isascii() or not (parts[1].isdigit() and parts[2].isdigit()):
            return None
        if len(parts[1]) != 8 or len(parts[2]) > 9:
            return None
        file = cls(parts[1], int(parts[2]))
        return file if file.name == name else None


def log_files(directory: Path) -> tuple[list[LogFile], list[str]]:
    """The files of the log, oldest first, and the names of what else lies there."""
    ours, foreign = [], []
    for name in os.listdir(directory):  # noqa: PTH208 - names are all that is wanted
        file = LogFile.parse(name)
        if file is not None:
            ours.append(file)
        elif name != LOCK_NAME:
            foreign.append(name)
    return sorted(ours), sorted(foreign)


def prepare(directory: Path) -> None:
    """Make the directory if it is not there; GuardhouseError if anybody but the user owns it or can write to it."""
    if not directory.parent.exists():
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not directory.exists():
        directory.mkdir(mode=0o700, exist_ok=True)  # another process may be making it, too
        sync_directory(directory.parent)
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _WRITABLE_BY_OTHERS:
        raise GuardhouseError(
            f"{directory} is not a directory of yours that only you can write to.",
            fix=f"Move it away, or if it is yours: `chmod 700 {directory}`.",
        )


def open_own(path: Path, flags: int) -> int:
    """A file of ours, opened for writing. GuardhouseError if it is a link, not a file, or somebody else's."""
    try:
        handle = os.open(path, flags | _SAFE, 0o600)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EISDIR, errno.ENXIO}:
            raise GuardhouseError(f"{path} is not a plain file.", fix=_FIX) from None
        raise
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _WRITABLE_BY_OTHERS:
        os.close(handle)
        raise GuardhouseError(f"{path} is not a file of yours that only you can write to.", fix=_FIX)
    return handle


def open_to_read(path: Path) -> int:
    """A file of the log to be read, whoever owns it. GuardhouseError if it is a link or not a file."""
    try:
        handle = os.open(path, os.O_RDONLY | _SAFE)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:
            raise GuardhouseError(f"{path} is not a plain file.", fix=_FIX) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise GuardhouseError(f"{path} is not a plain file.", fix=_FIX)
    return handle


class Held(GuardhouseError):
    """Somebody else is writing, and whoever asked does not want to wait."""


def lock(handle: int, kind: int = fcntl.LOCK_EX, *, waits: bool = True) -> None:
    """Take the lock. GuardhouseError if somebody holds it for longer than anything here takes; Held if they hold it at
    all and nobody `waits`."""
    deadline = 0.0
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if not waits:
                raise Held("The audit log is being written.") from None
            now = time.monotonic()
            deadline = deadline or now + PATIENCE
            if now > deadline:
                raise GuardhouseError(
                    f"The audit log has been locked by another process for {PATIENCE:g} seconds.",
                    fix="Look for a process that was stopped while it wrote.",
                ) from None
            time.sleep(_POLL)
        else:
            return


def unlock(handle: int) -> None:
    """Let the lock go."""
    fcntl.flock(handle, fcntl.LOCK_UN)


def sync(handle: int) -> None:
    """The file's content is on disk when this returns."""
    if hasattr(fcntl, "F_FULLFSYNC"):  # macOS: there fsync only reaches the drive's cache
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(handle)
    else:
        os.fsync(handle)


def sync_directory(directory: Path) -> None:
    """The names in the directory are on disk when this returns."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Lines:
    """The lines of a part of a file, each with its line break, in constant memory.

    A line that is longer than any of ours comes as a bare line break, which is no line of ours either. What follows
    the last line break does not come; `unfinished` says how much that is, once all lines were taken.
    """

    def __init__(self, handle: int, start: int, stop: int) -> None:
        self._handle = handle
        self._start = start
        self._stop = stop
        self.unfinished = 0

    def __iter__(self) -> Iterator[bytes]:
        left = self._stop - self._start
        with open(self._handle, "rb", buffering=_BLOCK, closefd=False) as file:
            file.seek(self._start)
            while left > 0:
                line = file.readline(min(left, LONGEST_LINE))
                if not line:
                    break
                left -= len(line)
                if line[-1:] == b"\n":
                    yield line
                    continue
                length = len(line)
                while left > 0 and line and line[-1:] != b"\n":
                    line = file.readline(min(left, _BLOCK))
                    left -= len(line)
                    length += len(line)
                if line[-1:] == b"\n":
                    yield b"\n"
                else:
                    self.unfinished = length


def first_line(directory: Path, file: LogFile) -> bytes:
    """The first line of a file, if it is a plain file and holds a whole one."""
    try:
        handle = open_to_read(directory / file.name)
    except GuardhouseError:
        return b""
    try:
        return next(iter(Lines(handle, 0, os.fstat(handle).st_size)), b"")
    finally:
        os.close(handle)


def digest_of(handle: int, start: int, stop: int) -> str:
    """The SHA-256 of a part of a file."""
    from hashlib import sha256

    digest = sha256()
    while start < stop and (block := os.pread(handle, min(_BLOCK, stop - start), start)):
        digest.update(block)
        start += len(block)
    return digest.hexdigest()
