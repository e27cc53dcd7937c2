"""How much would be lost: counts the files below paths, their bytes, and which of them git has not got.

It is for the card that a person approves by; nothing is decided by it. It changes nothing, runs nothing, follows no
link below where it starts, and stops at a budget of entries. What can't be looked at is said with what was counted.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS, name_matches
from guardhouse.git_index import LARGEST, BrokenIndex, tracked_files
from guardhouse.model import Extent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.git_index import Tracked

MOST: Final = 20_000
"""Entries of directories that are looked at for one path: about a tenth of a second."""
MOST_IN_ALL: Final = 40_000
"""The same for all the paths of one question."""
_MOST_PARTS: Final = 64
"""Names in a path with wildcards, and directories above a path in which a repository is looked for."""
_PER_COMPARISON: Final = 1024
"""Steps of comparing a name with wildcards that cost as much as one entry."""
_LONGEST_POINTER: Final = 4096


def extents(paths: Sequence[str]) -> dict[str, Extent]:
    """What lies at and below each path; for one with wildcards, at and below whatever matches it."""
    counts: dict[str, _Count] = {}
    left = MOST_IN_ALL
    for done, path in enumerate(paths):
        share = min(MOST, left // (len(paths) - done))
        count = counts[path] = _Count(share)
        count.look(path)
        left -= share - max(count.left, 0)
    tracked = _tracked(counts.values())
    return {path: count.extent(tracked.get(count.repository)) for path, count in counts.items()}


class _File(NamedTuple):
    """What is compared with git's index."""

    size: int
    written: int
    """Nanoseconds since 1970."""


class _Count:
    """What is counted for one path. Files are kept by name, so that none counts twice and git can be asked for all."""

    def __init__(self, budget: int) -> None:
        self.left = budget
        self.files: dict[bytes, _File] = {}
        self.error = ""
        self.repository = b""
        """The top of the working tree that the path lies in, with a slash at its end; empty if it lies in none."""

    def look(self, path: str) -> None:
        """Count what is there. Never raises."""
        try:
            is_glob = not GLOB_CHARACTERS.isdisjoint(path) and not os.path.lexists(path)
            base, names = _split(path, is_glob=is_glob)
            alone = _join(base, names[0])
            is_inside = is_glob or os.path.islink(alone)  # noqa: PTH114 - pathlib adds nothing but time
            self.repository = _repository(os.fsencode(base if is_inside else alone))
            for top in self._matching(base, names) if is_glob else (alone,):
                self._walk(os.fsencode(top))
        except (FileNotFoundError, NotADirectoryError):
            return  # nothing is there
        except (OSError, ValueError) as error:
            self._failed(error)

    def extent(self, tracked: dict[bytes, Tracked] | None) -> Extent:
        """The answer, given which of these files git has; None if that is not known."""
        own = {name: self.files[full] for name, full in self.in_tree()} if tracked is not None else {}
        known = tracked or {}
        return Extent(
            files=len(self.files),
            bytes=sum(file.size for file in self.files.values()),
            untracked=None if tracked is None else sum(name not in known for name in own),
            changed=None if tracked is None else sum(_differs(file, known.get(name)) for name, file in own.items()),
            history=any(name.endswith(b"/.git/HEAD") for name in self.files),
            more=self.left < 0,
            error=self.error,
        )

    def in_tree(self) -> Iterator[tuple[bytes, bytes]]:
        """The files that git could have, by their path from the top of the working tree, and as they were counted."""
        top = len(self.repository)
        for full in self.files:
            if top and full.startswith(self.repository) and b"/.git/" not in full + b"/":
                yield full[top:], full

    def _spend(self, entries: int = 1) -> bool:
        """Whether there was budget left for that much."""
        self.left -= entries
        return self.left >= 0

    def _failed(self, error: Exception) -> None:
        """The first thing that could not be looked at is named."""
        self.error = self.error or type(error).__name__

    def _walk(self, top: bytes) -> None:
        status = os.lstat(top)
        if not stat.S_ISDIR(status.st_mode):
            self._add_alone(top, status)
            return
        waiting: list[bytes] = [top]
        last: list[bytes] = []
        while waiting or last:
            directory = (waiting or last).pop()
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        if not self._spend():
                            return
                        if entry.is_dir(follow_symlinks=False):
                            # Everybody knows that a repository is large; what is beside it is worth the budget more.
                            (last if entry.name == b".git" else waiting).append(entry.path)
                        else:
                            self._add(entry.path, entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                continue  # removed while we look
            except OSError as error:
                self._failed(error)

    def _add_alone(self, path: bytes, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            self._add(path, status)
        else:
            self.error = "NoFile"  # a device has no size here, and may hold everything

    def _add(self, path: bytes, status: os.stat_result) -> None:
        self.files[path] = _File(status.st_size, status.st_mtime_ns)

    def _matching(self, base: str, names: Sequence[str]) -> Iterator[str]:
        """What matches, as a shell would say, but that `**` leads to any depth."""
        waiting = [(base, 0)]
        while waiting:
            directory, index = waiting.pop()
            name, is_last = names[index], index == len(names) - 1
            if name == "**" and not is_last:
                waiting.append((directory, index + 1))
            for path, is_directory in self._named(directory, name):
                if is_last:
                    yield path
                elif is_directory:
                    waiting.append((path, index if name == "**" else index + 1))

    def _named(self, directory: str, pattern: str) -> Iterator[tuple[str, bool]]:
        """The entries of a directory that a name stands for, and which are directories. A name with wildcards stands
        for hidden ones only if it begins so, and `**` for no link."""
        if GLOB_CHARACTERS.isdisjoint(pattern):
            path = _join(directory, pattern)
            if self._spend() and os.path.lexists(path):
                yield path, os.path.isdir(path)  # noqa: PTH112 - pathlib adds nothing but time
            return
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if not self._spend(1 + len(pattern) * len(entry.name) // _PER_COMPARISON):
                        return
                    is_hidden = entry.name.startswith(".") and not pattern.startswith(".")
                    if not is_hidden and name_matches(entry.name, pattern):
                        yield entry.path, entry.is_dir(follow_symlinks=pattern != "**")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._failed(error)


def _split(path: str, *, is_glob: bool) -> tuple[str, list[str]]:
    """A directory with its links followed, and the names below it: the last one, or all from the first wildcard on."""
    names = [name for name in path.split("/") if name]
    if not path.startswith("/") or (is_glob and (len(names) > _MOST_PARTS or ("{" in path and "," in path))):
        raise ValueError("this can't be looked at")
    at = len(names) - 1
    if is_glob:
        at = next(number for number, name in enumerate(names) if not GLOB_CHARACTERS.isdisjoint(name))
    return os.path.realpath("/" + "/".join(names[: max(at, 0)])), names[max(at, 0) :] or [""]


def _join(directory: str, name: str) -> str:
    return f"{directory.rstrip('/')}/{name}"


# What git has


def _repository(path: bytes) -> bytes:
    """The top of the working tree that a path lies in, with a slash at its end; empty if there is none."""
    directory = path.rstrip(b"/")
    for _ in range(_MOST_PARTS):
        if os.path.lexists(directory + b"/.git"):
            return directory + b"/"
        if not directory:
            break
        directory = directory.rpartition(b"/")[0]
    return b""


def _tracked(counts: Iterable[_Count]) -> dict[bytes, dict[bytes, Tracked] | None]:
    """For each repository, the counted files that git has. Each index is read once."""
    wanted: dict[bytes, set[bytes]] = {}
    for count in counts:
        if count.repository:
            wanted.setdefault(count.repository, set()).update(name for name, _ in count.in_tree())
    return {repository: _tracked_in(repository, names) for repository, names in wanted.items()}


def _tracked_in(repository: bytes, wanted: set[bytes]) -> dict[bytes, Tracked] | None:
    try:
        home = _git_directory(repository)
        try:
            index = _read(home + b"/index", LARGEST)
        except FileNotFoundError:
            # Nothing was ever added; or this is no repository at all.
            return {} if os.path.lexists(home + b"/HEAD") else None
        return tracked_files(index, wanted)
    except (BrokenIndex, OSError, ValueError):
        return None


def _git_directory(repository: bytes) -> bytes:
    """Where git keeps its files: in `.git`, or, for a second working tree, where the file `.git` says."""
    place = repository + b".git"
    if stat.S_ISDIR(os.stat(place).st_mode):  # noqa: PTH116 - pathlib has no paths of bytes
        return place
    key, _, target = _read(place, _LONGEST_POINTER).partition(b": ")
    if key != b"gitdir" or not target.strip():
        raise ValueError("this is no repository")
    return os.path.join(repository, target.rstrip(b"\r\n"))  # noqa: PTH118 - as above


def _read(path: bytes, most: int) -> bytes:
    """A plain file of bounded size. Looked at first: opening a pipe would wake whoever waits at its other end."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - as above
        raise ValueError("this is no file")
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with os.fdopen(handle, "rb", buffering=0) as file:
        if os.fstat(handle).st_size > most:
            raise ValueError("this is too large")
        return file.read(most)


def _differs(file: _File, tracked: Tracked | None) -> bool:
    """Whether a file was written since git last looked at it."""
    if tracked is None:
        return False
    seconds, nanoseconds = divmod(file.written, 1_000_000_000)
    return (
        file.size & 0xFFFFFFFF != tracked.size
        or seconds & 0xFFFFFFFF != tracked.seconds
        or tracked.nanoseconds not in {0, nanoseconds}
    )
