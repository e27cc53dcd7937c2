"""Where the repository of a working tree of git is, if it lies elsewhere (`git worktree add`). Git is not run."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple


class LinkedTree(NamedTuple):
    """A working tree whose repository lies elsewhere."""

    own: str
    """What of the repository is this working tree's."""
    common: str
    """The repository."""


def linked_tree(root: str) -> LinkedTree | None:
    """Where the repository of a working tree is that git itself has made for another one. Both must name each other:
    a file in the workspace could name any directory."""
    told = first_line(f"{root}/.git")
    if not told.startswith("gitdir: "):
        return None
    own = os.path.realpath(os.path.join(root, told.removeprefix("gitdir: ")))
    above, name = os.path.split(os.path.dirname(own))
    common = os.path.realpath(os.path.join(own, first_line(f"{own}/commondir") or "."))
    names_us = os.path.realpath(first_line(f"{own}/gitdir")) == os.path.realpath(f"{root}/.git")
    is_repository = os.path.isfile(f"{common}/HEAD") and os.path.isdir(f"{common}/objects")
    return LinkedTree(own, common) if name == "worktrees" and above == common and names_us and is_repository else None


def first_line(file: str) -> str:
    """The first line of a file; nothing if it can't be read, or is something else that would have to be waited for."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        return os.read(handle, 4096).split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    finally:
        os.close(handle)
