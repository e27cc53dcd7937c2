"""Says which files a scan is about: those that were named, and all that lie below the directories that were named.

Symbolic links are followed only where they were named themselves: so no link leads out of a directory or round in a
circle. It opens no file; what is no regular file or can't be looked at is named.
"""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from guardhouse.scanning.interface import File, NotScanned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STANDARD_INPUT: Final = "-"
_NOT_ENTERED: Final = frozenset({".git"})
"""Most of what Git keeps is packed. They are counted, and scanned where they are named."""


class Walk:
    """Goes over paths. Afterwards it knows the files, each once, and what it could not look at."""

    def __init__(self, excluded: Sequence[str] = ()) -> None:
        self._excluded = [glob.rstrip("/").removeprefix("./") for glob in excluded]
        self._met: set[str] = set()
        self.files: list[File] = []
        self.not_scanned: list[NotScanned] = []
        self.links = 0
        self.not_entered = 0

    def named(self, path: str) -> None:
        """Take in `path`, which a person named: a file, a directory, or `-`."""
        if path == STANDARD_INPUT:
            self._add(path, "", 0)
            return
        shown = os.path.normpath(path) if path else ""
        try:
            status = os.stat(path)  # noqa: PTH116 - an empty path would become the working directory
            real = os.path.realpath(path, strict=True)
        except (OSError, ValueError) as error:
            self._leave(shown, error)
            return
        if stat.S_ISDIR(status.st_mode):
            self._below("" if shown == "." else shown, real)
        elif not self._is_excluded(shown):
            self._file(shown, real, status)

    def _below(self, shown: str, real: str) -> None:
        """Take in everything below a directory, in an order that does not depend on the file system."""
        waiting = [(shown, real)]
        while waiting:
            shown, real = waiting.pop()
            try:
                with os.scandir(real) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                self._leave(shown or ".", error)
                continue
            deeper: list[tuple[str, str]] = []
            for entry in entries:
                path = _joined(shown, entry.name)
                if self._is_excluded(path):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError as error:
                    self._leave(path, error)
                    continue
                if stat.S_ISLNK(status.st_mode):
                    self.links += 1
                elif not stat.S_ISDIR(status.st_mode):
                    self._file(path, _joined(real, entry.name), status)
                elif entry.name in _NOT_ENTERED:
                    self.not_entered += 1
                else:
                    deeper.append((path, _joined(real, entry.name)))
            waiting.extend(reversed(deeper))

    def _file(self, shown: str, real: str, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode):
            self._add(shown, real, status.st_size)
        else:
            self.not_scanned.append(NotScanned(shown, "It is a pipe, a socket or a device, not a file."))

    def _add(self, shown: str, real: str, size: int) -> None:
        if real not in self._met:
            self._met.add(real)
            self.files.append(File(shown, real, size))

    def _leave(self, shown: str, error: Exception) -> None:
        self.not_scanned.append(NotScanned(shown, because(error)))

    def _is_excluded(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return any(fnmatchcase(path if "/" in glob else name, glob) for glob in self._excluded)


def _joined(directory: str, name: str) -> str:
    return f"{directory.rstrip('/')}/{name}" if directory else name


def because(error: Exception) -> str:
    """Why a file could not be looked at, as the system says it."""
    return f"{error.strerror}." if isinstance(error, OSError) and error.strerror else "There can be no such file."


def walk(paths: Iterable[str], excluded: Sequence[str] = ()) -> Walk:
    """What `paths` lead to, without what one of the globs `excluded` covers: by its name, or by its whole path if the
    glob has a slash. In a glob, `*` covers slashes, too."""
    walked = Walk(excluded)
    for path in paths:
        walked.named(path)
    return walked
