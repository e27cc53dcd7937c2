"""Who works on a run, and whether they are still there.

On one machine: a file that a process keeps locked for as long as it lives. The system lets go of the lock when the
process dies, however it dies; so nobody has to wait for a lease to end, and no tool is too slow for one. Among nodes
that share a database it is the heartbeat of their workers (`jobs.py`).
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from pathlib import Path

_TOKEN: Final = 24


class Holders(Protocol):
    """This process as one that works on runs, and what it can tell of others."""

    @property
    def name(self) -> str:
        """What it is known by."""
        ...

    def is_gone(self, name: str) -> bool:
        """Whether another one has ended. One of which that can't be told has not."""
        ...

    def close(self) -> None:
        """Work on nothing any more."""
        ...


class Holder:
    """By a file. It tells about processes of this state directory only."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._machine = ""
        self._handle = -1
        self._token = ""

    @property
    def name(self) -> str:
        """What it is known by."""
        if self._handle < 0:
            self._take()
        return f"{self._own_machine()}.{self._token}"

    def is_gone(self, name: str) -> bool:
        """Whether another one has ended. One of which that can't be told has not."""
        machine, _, token = name.partition(".")
        if machine != self._own_machine() or token == self._token or len(token) != _TOKEN or not token.isalnum():
            return False
        file = self._directory / token
        try:
            handle = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            file.unlink(missing_ok=True)
            return True
        finally:
            os.close(handle)

    def close(self) -> None:
        """Work on nothing any more."""
        if self._handle >= 0:
            (self._directory / self._token).unlink(missing_ok=True)
            os.close(self._handle)
            self._handle, self._token = -1, ""

    def _own_machine(self) -> str:
        """What the state directory is known by, which outlives the machine's name: whoever shares a database has a
        directory of their own."""
        if not self._machine:
            file = self._directory / "name"
            try:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not file.exists():
                    draft = self._directory / f"new-{os.urandom(8).hex()}"
                    draft.write_text(os.urandom(6).hex(), encoding="ascii")
                    with suppress(FileExistsError):  # the first of two wins
                        os.link(draft, file)
                    draft.unlink()
                self._machine = file.read_text(encoding="ascii").strip() or "unnamed"
            except OSError as error:
                raise _unusable(self._directory, error) from None
        return self._machine

    def _take(self) -> None:
        token = os.urandom(_TOKEN // 2).hex()
        file, draft = self._directory / token, self._directory / f"new-{token}"
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.rename(file)  # there only once it is locked: nobody finds it free
        except OSError as error:
            raise _unusable(self._directory, error) from None
        self._handle, self._token = handle, token


def _unusable(directory: Path, error: OSError) -> GuardhouseError:
    return GuardhouseError(f"{directory} can't be used: {error.strerror}.", fix="Mend the state directory.")
