"""Files that have several names (hard links). What lies over one name of a file does not lie over another: who can
write to that one changes the file, and who can read it has read it.

So of what is protected or hidden, the files with more than one name are looked at, and where one is found, the other
names are looked for, everywhere that is seen inside. Nobody inside can give a protected file another name, but somebody
may have done so before it was one.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from typing import TYPE_CHECKING, Final

from guardhouse.model import visible
from guardhouse.sandbox.errors import NoSandbox

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

File = tuple[int, int, int]
"""Device, inode and time of the last change, which a new name is."""

_MOST: Final = 2_000_000
"""Files and directories at one place, as of a workspace."""
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES})
"""What is said of a directory that was there a moment ago, or that its owner has closed: nobody inside can open it."""
_MOST_REMEMBERED: Final = 100_000
_A_MOMENT: Final = 2_000_000_000


class Names:
    """Finds names of files. Remembers which have no others; not for several threads at once."""

    def __init__(self) -> None:
        self._alone: set[tuple[tuple[str, ...], File]] = set()

    def others(self, places: Iterable[str], roots: tuple[str, ...]) -> list[tuple[str, str]]:
        """Names below `roots` of the files at `places`, or below them, each with the place that is meant; those places
        are among them. Nothing if none has more than one name. NoSandbox if that can't be told."""
        wanted = {file: place for place in places for file, place in _with_several(place)}
        left = {file: place for file, place in wanted.items() if (roots, file) not in self._alone}
        if not left:
            return []
        found = list(_named(left, roots))
        more = {place for name, place in found if name != place}
        if len(self._alone) > _MOST_REMEMBERED:
            self._alone.clear()
        before = time.time_ns() - _A_MOMENT
        self._alone.update((roots, file) for file, place in left.items() if place not in more and file[2] < before)
        return found


def has_several(found: os.stat_result) -> bool:
    """Whether a file has more than one name."""
    return stat.S_ISREG(found.st_mode) and found.st_nlink > 1


def _with_several(place: str) -> Iterator[tuple[File, str]]:
    """Files with several names, at a place or below it."""
    try:
        found = os.lstat(place)
        if not stat.S_ISDIR(found.st_mode):
            if has_several(found):
                yield _file(found), place
            return
        yield from _with_several_below(place)
    except OSError as error:
        if error.errno not in _GONE:
            raise NoSandbox(f"{visible(place)} can't be looked at: {error.strerror}.") from None


def _with_several_below(place: str) -> Iterator[tuple[File, str]]:
    left, count = [place], 0
    while left:
        directory = left.pop()
        with os.scandir(directory) as entries:
            for entry in entries:
                count += 1
                if count > _MOST:
                    raise NoSandbox(f"There is too much in {visible(place)} to protect it.")
                if entry.is_dir(follow_symlinks=False):
                    # Working trees that Claude Code makes are work, not settings.
                    if not directory.endswith("/.claude") or entry.name != "worktrees":
                        left.append(entry.path)
                elif has_several(found := entry.stat(follow_symlinks=False)):
                    yield _file(found), entry.path


def _named(wanted: Mapping[File, str], roots: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every name of these files below directories, also in repositories, where nothing else is looked for."""
    inodes = {(device, inode): place for (device, inode, _), place in wanted.items()}
    numbers = {inode for _, inode in inodes}
    left = list(roots)
    while left:
        directory = left.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    elif entry.inode() in numbers:
                        found = entry.stat(follow_symlinks=False)
                        place = inodes.get((found.st_dev, found.st_ino))
                        if place is not None:
                            yield entry.path, place
        except OSError as error:
            if error.errno not in _GONE:  # a path that is too long for the system, for instance
                one = visible(next(iter(wanted.values())))
                raise NoSandbox(
                    f"{one} is protected or hidden, and has other names; they can't be looked for everywhere:"
                    f" {error.strerror}.",
                    fix="Put a copy in its place.",
                ) from None


def _file(found: os.stat_result) -> File:
    return found.st_dev, found.st_ino, found.st_ctime_ns
