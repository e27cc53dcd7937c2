"""The file system as the gate sees it: where paths really lead. It looks; it never reads or changes a file."""

from __future__ import annotations

import os
from typing import Final

from guardhouse.model import RealPath

_PATH_ONLY: Final = getattr(os, "O_PATH", None)
"""Linux can be asked where a path leads without opening what is there: three calls, however long the path."""


class LocalFiles:
    """The Files port over this machine's file system."""

    def real_path(self, path: str) -> RealPath:
        """Where `path` leads with every link followed. What does not exist yet leads to where it would be made."""
        try:
            real = _followed(path)
        except FileNotFoundError:
            real = _followed_missing(path)
        except (OSError, ValueError) as error:
            return RealPath(error=type(error).__name__)
        # A pipe or a socket has a name here, and no path.
        return RealPath(path=real) if real.startswith("/") else RealPath(error="NoPath")


def _followed(path: str) -> str:
    if _PATH_ONLY is None:
        return os.path.realpath(path, strict=True)
    handle = os.open(path, _PATH_ONLY | os.O_CLOEXEC)
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - pathlib adds nothing but time
    finally:
        os.close(handle)


def _followed_missing(path: str) -> str:
    """Where something that is not there would be made: a new file in a directory that is there, or further away."""
    directory, _, name = path.rpartition("/")
    if name not in {"", ".", ".."} and not os.path.lexists(path):
        try:
            return f"{_followed(directory or '/').rstrip('/')}/{name}"
        except OSError:  # the directory is not there either, so every part is looked at
            return os.path.realpath(path)
    return os.path.realpath(path)
