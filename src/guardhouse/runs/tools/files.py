"""Files as tools of a run: reading text, writing it, and finding files by a pattern.

The gate judges where a path leads, and a path can lead elsewhere a moment later. So what is opened must be what was
judged: the file that was opened is asked where it lies, and a new file is made in a directory that was asked. A
relative path is read against the run's workspace, as the gate reads it.
"""

from __future__ import annotations

import asyncio
import os
import stat
from fnmatch import fnmatchcase
from itertools import accumulate
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import GuardhouseError
from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.model import Action
    from guardhouse.runs.tools.interface import Errand, Names

MOST_CHARACTERS: Final = 200_000
"""Of one answer."""
_MOST_LINES: Final = 2_000
_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a file that is read through to where the lines are that were asked for."""
_LARGEST_WRITTEN: Final = 8 * 1024 * 1024
_MOST_LISTED: Final = 1_000
_MOST_VISITED: Final = 50_000
_LONGEST_PATTERN: Final = 500
_LOOKED_AT: Final = 8_192
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class FileTrouble(GuardhouseError):
    """A file can't be read or written, in words for the model."""


class _Read(Arguments, frozen=True, kw_only=True):
    path: str
    offset: int = 1
    limit: int = _MOST_LINES


class ReadFile(HouseTool):
    """`read_file`."""

    takes = _Read
    name = "read_file"
    description = "Read a text file. Long files are given in parts: say from which line on, and how many."
    parameters = schema(
        "path",
        path={"type": "string", "description": "Absolute, or relative to the workspace."},
        offset={"type": "integer", "minimum": 1, "default": 1, "description": "The first line."},
        limit={"type": "integer", "minimum": 1, "maximum": _MOST_LINES, "default": _MOST_LINES},
    )

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - it only reads
        """Reading changes nothing."""
        return True

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """The lines. FileTrouble."""
        return await asyncio.to_thread(_read, _Read.of(params), errand)


class _Write(Arguments, frozen=True, kw_only=True):
    path: str
    content: str


class WriteFile(HouseTool):
    """`write_file`."""

    takes = _Write
    name = "write_file"
    description = "Write a text file, in the place of what it held. Directories on the way must be there."
    parameters = schema(
        "path",
        "content",
        path={"type": "string", "description": "Absolute, or relative to the workspace."},
        content={"type": "string"},
    )

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - the same content is in the same place
        """Not: somebody may have changed the file since."""
        return False

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """How much was written. FileTrouble."""
        return await asyncio.to_thread(_write, _Write.of(params), errand)


class _List(Arguments, frozen=True, kw_only=True):
    path: str = "."
    pattern: str = "**"


class ListFiles(HouseTool):
    """`list_files`."""

    takes = _List
    name = "list_files"
    description = "List files below a directory whose path there fits a pattern: `*.py`, `src/**/test_*`."
    parameters = schema(
        path={"type": "string", "default": ".", "description": "The directory."},
        pattern={"type": "string", "default": "**", "description": "`**` stands for any directories."},
    )

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - it only reads
        """Looking changes nothing."""
        return True

    def before(self, params: dict[str, Any], call_id: str, attempt: int, names: Names) -> Action:
        """The call, with the directory that it means if it names none: the gate judges what is named."""
        return super().before({"path": ".", **params}, call_id, attempt, names)

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """The paths. FileTrouble."""
        return await asyncio.to_thread(_listed, _List.of(params), errand)


# Where a path leads


def _judged(path: str, errand: Errand) -> str:
    """Where the path of a call led when it was judged. FileTrouble if the gate has read it as another path. A gate that
    is switched off has looked at none: then it is where it leads now."""
    whole = os.path.join(errand.names.cwd or os.getcwd(), path)  # noqa: PTH109, PTH118 - `..` stays as it is
    for spelling in (path, whole, os.path.normpath(whole)):
        answer = errand.real_paths.get(spelling)
        if answer is not None and answer.path:
            return answer.path
    if errand.real_paths:
        raise FileTrouble("The path can be read in more than one way.", fix="Write it out, from `/` on.")
    return os.path.realpath(whole)


def _open(judged: str, flags: int) -> int:
    """Open what lies at a path that leads nowhere else. FileTrouble if it does by now."""
    try:
        handle = os.open(judged, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW)
    except OSError as error:
        raise FileTrouble(f"It can't be opened: {error.strerror}.") from None
    if _place(handle, judged) != judged:
        os.close(handle)
        raise FileTrouble("The path leads somewhere else than it did a moment ago.", fix="Look what is there.")
    return handle


def _place(handle: int, judged: str) -> str:
    """Where an open file lies: as the system says it, or if it does not say, where the path leads now."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - as the gate asks
    except OSError:
        return os.path.realpath(judged)


# Reading


def _read(asked: _Read, errand: Errand) -> str:
    if asked.offset < 1 or asked.limit < 1:
        raise FileTrouble("Lines are counted from 1, and at least one is read.")
    handle = _open(_judged(asked.path, errand), os.O_RDONLY)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise FileTrouble("That is a directory.", fix="List it: `list_files`.")
        if not stat.S_ISREG(status.st_mode):
            raise FileTrouble("That is no plain file but a device, a pipe or a socket.")
        beginning = file.read(_LOOKED_AT)
        if b"\0" in beginning:
            return f"A binary file of {status.st_size} bytes, which is not shown."
        file.seek(0)
        shown, size, rest, left = [], 0, "", _MOST_BYTES
        for number, line in enumerate(iter(lambda: file.readline(MOST_CHARACTERS), b""), start=1):
            left -= len(line)
            if left < 0:
                rest = "the file is larger than what is read through"
                break
            if number < asked.offset:
                continue
            text = line.decode("utf-8", "replace")
            if number >= asked.offset + min(asked.limit, _MOST_LINES) or size + len(text) > MOST_CHARACTERS:
                rest = f"it goes on at line {number}"
                break
            shown.append(text)
            size += len(text)
    if rest:
        shown.append(f"\n[{rest}; the file has {status.st_size} bytes]")
    return "".join(shown)


# Writing


def _write(asked: _Write, errand: Errand) -> str:
    """Write a draft beside the file and put it in its place, so that nobody ever sees half of it."""
    content = asked.content.encode("utf-8", "replace")
    if len(content) > _LARGEST_WRITTEN:
        raise FileTrouble(f"That is more than {_LARGEST_WRITTEN} bytes.", fix="Write less at once.")
    judged = Path(_judged(asked.path, errand))
    directory = _open(str(judged.parent), _DIRECTORY)
    draft = f".{judged.name[:100]}.{os.urandom(6).hex()}"
    try:
        mode = _mode_of(judged.name, directory)
        handle = os.open(draft, _NEW_FILE, 0o666 if mode is None else 0o600, dir_fd=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
                if mode is not None:
                    os.fchmod(handle, mode)
            os.replace(draft, judged.name, src_dir_fd=directory, dst_dir_fd=directory)
        except OSError:
            os.unlink(draft, dir_fd=directory)
            raise
    except OSError as error:
        raise FileTrouble(f"It can't be written: {error.strerror}.") from None
    finally:
        os.close(directory)
    return f"Written: {len(content)} bytes."


def _mode_of(name: str, directory: int) -> int | None:
    """The permissions of the file that is there; None if there is none. A link that was put there since it was judged
    is no file that may be replaced, nor is anything but a plain one."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise FileTrouble("There is something that is no plain file.", fix="Write to another path.")
    return stat.S_IMODE(status.st_mode) & 0o777


# Finding


def _listed(asked: _List, errand: Errand) -> str:
    pattern = asked.pattern.removeprefix("./")
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise FileTrouble("A pattern is for paths below the directory.", fix="Say which directory as `path`.")
    if len(pattern) > _LONGEST_PATTERN:
        raise FileTrouble(f"A pattern has {_LONGEST_PATTERN} characters at most.", fix="List a directory further down.")
    judged = _judged(asked.path, errand)
    os.close(_open(judged, _DIRECTORY))
    wanted = pattern.split("/")
    found: list[str] = []
    for visited, path in enumerate(_below(judged), start=1):
        if visited > _MOST_VISITED:
            return "\n".join([*found, f"[not all was looked at: there are more than {_MOST_VISITED} entries]"])
        if not _fits(path.split("/"), wanted):
            continue
        if len(found) == _MOST_LISTED:
            return "\n".join([*found, f"[there are more than {_MOST_LISTED}]"])
        found.append(path)
    return "\n".join(found) or "Nothing fits."


def _below(directory: str) -> Iterator[str]:
    """The files below a directory, by their paths there, in order. Links are told, and not followed; what can't be
    looked into is left out."""
    for place, directories, files in os.walk(directory, followlinks=False):
        directories[:] = sorted(name for name in directories if name not in _LEFT_OUT)
        links = [name for name in directories if (Path(place) / name).is_symlink()]
        for name in sorted([*files, *links]):
            yield os.path.relpath(f"{place}/{name}", directory)


_LEFT_OUT: Final = frozenset({".git", "node_modules", "__pycache__", ".venv"})
"""Directories that hold much, and nothing that anybody looks for by its name."""


def _fits(parts: list[str], wanted: list[str]) -> bool:
    """Whether a path fits a pattern. Who wrote the pattern may have meant to keep us busy: the work is what the parts
    of the one times those of the other make, however many `**` there are."""
    reached = [True, *[False] * len(parts)]  # after so many parts of the path, by what was looked at of the pattern
    for one in wanted:
        if one == "**":
            reached = list(accumulate(reached, or_))
        else:
            reached = [False, *(was and fnmatchcase(part, one) for was, part in zip(reached, parts, strict=False))]
    return reached[-1]
