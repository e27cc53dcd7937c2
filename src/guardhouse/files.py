"""The file system as the gate sees it: where paths really lead, what files hold, by digest, and how much there is.

It changes nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

from guardhouse.model import FileDigest, RealPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.model import Extent

_PATH_ONLY: Final = getattr(os, "O_PATH", None)
"""Linux can be asked where a path leads without opening what is there: three calls, however long the path."""


class LocalFiles:
    """The Files port over this machine's file system."""

    def real_path(self, path: str) -> RealPath:
        """Where `path` leads with every link followed. What does not exist yet leads to where it would be made."""
        elsewhere = False
        try:
            real = _followed(path)
        except FileNotFoundError:
            real = _followed_missing(path)
            elsewhere = _is_elsewhere(real)
        except (OSError, ValueError) as error:
            return RealPath(error=type(error).__name__)
        # A pipe or a socket has a name here, and no path.
        return RealPath(path=real, elsewhere=elsewhere) if real.startswith("/") else RealPath(error="NoPath")

    def digest(self, path: str, *, brief: bool = False) -> FileDigest:
        """What the file at `path` holds. An error if that can't be told."""
        try:
            return FileDigest(digest=_digest(path, 0 if brief else _LARGEST))
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) or error.errno in _NO_FILE:
                return FileDigest(digest="absent")
            return FileDigest(error=type(error).__name__)

    def program(self, name: str) -> FileDigest:
        """The program that `name` would run on this process's PATH, and what it holds."""
        from shutil import which  # only needed where a person is to approve a command

        path = which(name)
        if path is None:
            return FileDigest(digest="absent")
        answer = self.digest(path)
        return FileDigest(digest=answer.digest, path=path, error=answer.error)

    def extents(self, paths: Sequence[str]) -> dict[str, Extent]:
        """How much lies at and below each path. Together they have one budget, so they are asked for together."""
        from guardhouse.extents import extents  # only needed where a person is to approve that something goes

        return extents(paths)


_NO_FILE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL})
"""Errors that say there is no file of that name, now."""
_LARGEST: Final = 32 * 1024 * 1024
_BLOCK: Final = 1024 * 1024


def _digest(path: str, largest: int) -> str:
    status = os.stat(path)  # noqa: PTH116 - looked at first: opening a pipe would wake whoever waits at its other end
    if stat.S_ISDIR(status.st_mode):
        return "directory"
    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        return f"device:{status.st_rdev}"
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, "a pipe or a socket holds something else each time")
    if status.st_size > largest:
        return _signature(status)
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with os.fdopen(handle, "rb", buffering=0) as file:
        from hashlib import sha256

        digest = sha256()
        left = largest + 1  # a file that grows while it is read does not keep us here
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left -= len(block)
        return f"sha256:{digest.hexdigest()}"


def _signature(status: os.stat_result) -> str:
    """What changes whenever a file is written; its last change can't be set back."""
    return f"status:{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def _followed(path: str) -> str:
    if _PATH_ONLY is None:
        return os.path.realpath(path, strict=True)
    handle = os.open(path, _PATH_ONLY | os.O_CLOEXEC)
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - pathlib adds nothing but time
    finally:
        os.close(handle)


def _is_elsewhere(real: str) -> bool:
    """Whether a path that leads nowhere begins with a directory that is not there either."""
    first, slash, _ = real.lstrip("/").partition("/")
    return bool(first and slash) and not os.path.lexists(f"/{first}")


def _followed_missing(path: str) -> str:
    """Where something that is not there would be made: a new file in a directory that is there, or further away."""
    directory, _, name = path.rpartition("/")
    if name not in {"", ".", ".."} and not os.path.lexists(path):
        try:
            return f"{_followed(directory or '/').rstrip('/')}/{name}"
        except OSError:  # the directory is not there either, so every part is looked at
            return os.path.realpath(path)
    return os.path.realpath(path)
