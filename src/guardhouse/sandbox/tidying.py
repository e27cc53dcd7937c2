"""What is done when a command has ended: what it made at protected places is put aside, under another name beside it.

The command chose what lies there, links included. So the way from the workspace is gone step by step, through
directories only; a link on it is put aside itself, and what it leads to is left alone.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from guardhouse.sandbox.repositories import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator


def put_aside(root: str, places: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Put aside what is at any of these places below `root`; each place, with why it is still there if it is."""
    for place in places:
        try:
            moved = _put_aside(root, place)
        except OSError as error:
            yield place, error.strerror or type(error).__name__
        else:
            if moved:
                yield moved, ""


def _put_aside(root: str, place: str) -> str:
    """What was put aside: the place itself, or a link on the way there; nothing if nothing is there."""
    names = place[len(root) :].strip("/").split("/")
    directory = os.open(root, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for depth, name in enumerate(names):
            try:
                mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
            except FileNotFoundError:
                return ""
            reached = "/".join((root, *names[: depth + 1]))
            is_last = depth == len(names) - 1
            if is_last and _is_harmless(reached):
                return ""
            if is_last or stat.S_ISLNK(mode):
                aside = f"{name}.from-sandbox-{os.urandom(4).hex()}"
                try:
                    os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
                except PermissionError:  # the command may have taken the right to write from the directory
                    os.fchmod(directory, stat.S_IMODE(os.fstat(directory).st_mode) | stat.S_IRWXU)
                    os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
                return reached
            if not stat.S_ISDIR(mode):
                return ""
            below = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
            os.close(directory)
            directory = below
        return ""
    finally:
        os.close(directory)


def _is_harmless(place: str) -> bool:
    """Whether what a command made at a protected place may stay: a repository that runs nothing, or a file that is only
    called like a part of one."""
    directory, _, name = place.rpartition("/")
    if name == "HEAD":
        return not (os.path.isdir(f"{directory}/objects") and os.path.isdir(f"{directory}/refs"))
    return name == ".git" and is_plain(place)
