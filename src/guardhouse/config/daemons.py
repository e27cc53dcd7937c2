"""Where daemons of this state directory listen, noted while they run, so that every gate keeps its agent away from it.

Configuration names an address too, but a daemon may be started with another. A note is an empty file whose name says
it all; its daemon holds it locked, so that one whose daemon was killed can be told and removed.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from guardhouse.detect import OwnSocket
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAME: Final = re.compile(r"([0-9]{1,5})@([0-9a-z.:_-]{1,253})", re.ASCII)
_FIX: Final = "Mend it, or remove it if no daemon runs."


@contextmanager
def noted_daemon(directory: Path, host: str, port: int) -> Iterator[None]:
    """Note that a daemon listens at an address, as long as this lasts. GuardhouseError if that can't be noted."""
    name = f"{port}@{host.strip('[]').lower()}"
    if _NAME.fullmatch(name) is None:
        raise GuardhouseError("That is no address that a daemon can listen at.", fix="Name an address and a port.")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_stale(directory)
        handle = _locked(directory / name)
    except OSError as error:
        raise GuardhouseError(f"Daemons can't be noted in {directory}: {error.strerror}.", fix=_FIX) from None
    try:
        yield
    finally:
        (directory / name).unlink(missing_ok=True)
        os.close(handle)


def noted_sockets(directory: Path) -> tuple[OwnSocket, ...]:
    """Every address that is noted, also of daemons that were killed and have not been missed yet."""
    try:
        names = sorted(os.listdir(directory))  # noqa: PTH208 - an error must be an error, not an empty directory
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise GuardhouseError(f"The notes of daemons {directory} can't be read: {error.strerror}.", fix=_FIX) from None
    return tuple(OwnSocket(found[2], int(found[1])) for name in names if (found := _NAME.fullmatch(name)))


def _locked(note: Path) -> int:
    """The note, made and locked. Whoever removes stale ones may have taken it for one in between."""
    while True:
        handle = os.open(note, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if note.exists() and os.path.samestat(os.fstat(handle), note.stat()):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _remove_stale(directory: Path) -> None:
    """Remove the notes that no daemon holds any more."""
    for note in directory.iterdir():
        try:
            handle = os.open(note, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            note.unlink(missing_ok=True)
        except BlockingIOError:
            continue
        finally:
            os.close(handle)
