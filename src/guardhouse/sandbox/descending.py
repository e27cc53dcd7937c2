"""Goes down into a workspace in which a command may have changed what names mean: step by step, through directories
only, never by a link; and through directories that the command has closed, which are opened for that.
"""

from __future__ import annotations

import os
import stat
from typing import Final

_STEP: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def start_at(root: str) -> int:
    """A directory to go down from."""
    return os.open(root, _STEP)


def step_into(directory: int, name: str) -> int:
    """A directory in another one. NotADirectoryError if it is a link, or no directory."""
    try:
        return os.open(name, _STEP, dir_fd=directory)
    except PermissionError:
        open_for_owner(directory)
        return os.open(name, _STEP, dir_fd=directory)


def opened_up(base: int, path: str) -> None:
    """Let its owner look into a directory below another one again."""
    directory = os.dup(base)
    try:
        for name in filter(None, path.split("/")):
            below = step_into(directory, name)
            os.close(directory)
            directory = below
        open_for_owner(directory)
    finally:
        os.close(directory)


def open_for_owner(directory: int) -> None:
    """Give the owner of an open directory all rights in it."""
    mode = stat.S_IMODE(os.fstat(directory).st_mode)
    os.chmod(f"/proc/self/fd/{directory}", mode | stat.S_IRWXU)
