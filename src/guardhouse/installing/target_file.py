"""A settings file of somebody else's: looked at once, and replaced whole only if it is still what was looked at.

Links are followed to where they lead, because many keep their settings in a repository. A file that its owner made
read-only stays as it is. What is written into it is not decided here.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

_LARGEST: Final = 4 * 1024 * 1024
_WRITABLE: Final = 0o222
_NEW_FILE: Final = 0o600
_NEW_DIRECTORY: Final = 0o700
_NEW_FOR_ALL: Final = 0o755
_READ_BY_ALL: Final = 0o004
FOR_ALL: Final = 0o644
"""The mode of a new file that everybody on the machine has to read."""
_DRAFT: Final = ".guardhouse-"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was when it was looked at."""

    path: Path
    """As it was named."""
    real: Path
    """Where that leads."""
    content: bytes | None
    """None if there is no file."""
    mode: int = _NEW_FILE
    owner: tuple[int, int] | None = None

    @property
    def exists(self) -> bool:
        """Whether there was a file."""
        return self.content is not None

    @property
    def shown(self) -> str:
        """Its name, and where that really leads if a link does."""
        path = str(self.path.absolute())
        return path if path == str(self.real) else f"{path} (really {self.real})"


def look(path: Path) -> Target:
    """The file at `path`, or that there is none. GuardhouseError if it is something else, or can't be read."""
    real = Path(os.path.realpath(path))
    try:
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return Target(path=path, real=real, content=None)
    except OSError as error:
        raise _failed(path, "can't be read", error) from None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise GuardhouseError(f"{path} is not a file.", fix="Look what is there.")
        try:
            content = file.read(_LARGEST + 1)
        except OSError as error:
            raise _failed(path, "can't be read", error) from None
    if len(content) > _LARGEST:
        raise GuardhouseError(f"{path} is larger than {_LARGEST} bytes.", fix="Look what is in it.")
    owner = (status.st_uid, status.st_gid)
    return Target(path=path, real=real, content=content, mode=stat.S_IMODE(status.st_mode), owner=owner)


def require_inside(path: Path, directory: Path) -> None:
    """GuardhouseError if a link leads `path` out of `directory`: a repository could name any file of yours."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(directory)):
        raise GuardhouseError(
            f"{path} is a link that leads out of the project, to {real}. Nothing was changed.",
            fix="Take the link away, or install for the user.",
        )


def check_writable(target: Target) -> None:
    """GuardhouseError if the file's owner has made it read-only."""
    if target.exists and not target.mode & _WRITABLE:
        raise GuardhouseError(f"{target.path} is read-only.", fix="Make it writable, or edit what it is made from.")


def missing_directories(target: Target) -> tuple[Path, ...]:
    """The directories that `replace` would have to make, the outermost first."""
    missing = [parent for parent in target.real.parents if not parent.exists()]
    return tuple(reversed(missing))


def replace(target: Target, content: bytes, mode: int | None = None) -> None:
    """Put `content` in the place of what was looked at, whole and on disk, with its mode and owner; or raise
    GuardhouseError and leave everything as it is."""
    check_writable(target)
    made = missing_directories(target)
    with _undoing(target, made):
        for directory in made:
            directory.mkdir(mode=_NEW_FOR_ALL if target.mode & _READ_BY_ALL else _NEW_DIRECTORY)
        draft = _draft(target, content, target.mode if mode is None else mode)
        try:
            _require_unchanged(target)
            draft.replace(target.real)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        _sync(target.real.parent)


def remove(target: Target, directories: Iterable[Path]) -> None:
    """Take the file away, and those of the `directories` that are empty without it, the innermost first."""
    check_writable(target)
    with _undoing(target, ()):
        _require_unchanged(target)
        target.real.unlink()
        _sync(target.real.parent)
        for directory in directories:
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()


def _draft(target: Target, content: bytes, mode: int) -> Path:
    handle, name = tempfile.mkstemp(dir=target.real.parent, prefix=_DRAFT)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if target.owner is not None and target.owner != (os.geteuid(), os.getegid()):
                os.fchown(handle, *target.owner)
            os.fchmod(handle, mode)
            file.flush()
            os.fsync(handle)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


def _require_unchanged(target: Target) -> None:
    now = look(target.path)
    if (now.real, now.content) != (target.real, target.content) or (target.exists and now.mode != target.mode):
        raise GuardhouseError(
            f"{target.path} was changed by somebody else meanwhile. Nothing was written.", fix="Start again."
        )


@contextlib.contextmanager
def _undoing(target: Target, made: tuple[Path, ...]) -> Generator[None]:
    """Directories that were made for nothing are taken away again."""
    try:
        yield
    except BaseException as error:
        for directory in reversed(made):
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()
        if isinstance(error, OSError):
            raise _failed(target.path, "can't be written", error) from None
        raise


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _failed(path: Path, what: str, error: OSError) -> GuardhouseError:
    return GuardhouseError(f"{path} {what}: {error.strerror}.", fix="Nothing was changed. Check its directory.")
