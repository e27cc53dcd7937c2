"""Keys of this user, made when they are first needed, kept apart from what they protect.

A key is a file of 32 random bytes that only its owner can read. It is never written into a store, a log or an error.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from guardhouse.model import GuardhouseError

_SIZE: Final = 32
_PRIVATE: Final = 0o077


class KeyDirectory:
    """The directory that holds the keys, each by its name."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def key(self, name: str) -> bytes:
        """The key of that name, made if there is none. GuardhouseError if others could read or have changed it."""
        path = self._directory / f"{name}.key"
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                _make(path)
            return _read(path)
        except OSError as error:
            raise GuardhouseError(f"The key {path} can't be used: {error.strerror}.", fix=_FIX) from None


_FIX: Final = (
    "Mend its directory. With another key, pending approvals, what sessions know and older markers don't count."
)


def _make(path: Path) -> None:
    """A new key in place at once, whole, or not at all; the first of two that make it wins."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_SIZE))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _read(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _PRIVATE:
            raise GuardhouseError(f"The key {path} is not a file of yours that only you can read.", fix=_FIX)
        key = file.read(_SIZE + 1)
    if len(key) != _SIZE:
        raise GuardhouseError(f"The key {path} is damaged.", fix=_FIX)
    return key
