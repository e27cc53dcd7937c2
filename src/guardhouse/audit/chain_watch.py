"""Has the chain checked from time to time, by a process of its own, and remembers what was found.

Each time all of it is checked: going on from where the last check ended would not find a byte that was changed before
that place since. It runs in another process, with the lowest priority, because it takes seconds of a processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable

_FIRST: Final = 10.0
"""Seconds after which it is checked for the first time: a daemon that was just started has other things to do."""
_EVERY: Final = 300.0
_REST: Final = 50
"""It rests at least so many times as long as it took."""
_LONGEST: Final = 900.0
_LOWEST_PRIORITY: Final = 19
_NOTICES_TOLD: Final = 20


class ChainStatus(msgspec.Struct, frozen=True):
    """What was found when the chain was last checked."""

    ok: bool | None = None
    """Whether it was whole; None if it was not checked yet."""
    seq: int = 0
    """The last event that this is about,"""
    events: int = 0
    """and how many there were."""
    at: float = 0.0
    """When it was checked, in seconds since 1970."""
    took: float = 0.0
    problems: tuple[str, ...] = ()
    more_problems: int = 0
    notices: tuple[str, ...] = ()
    """What the log says about itself: what was cut, lost or removed."""
    is_checking: bool = False
    failure: str = ""
    """Why the last check came to no end, if it did not. What stands beside it is of the check before."""


class ChainWatch:
    """Watches the chain of the log in `directory`. Asking it for the status costs nothing."""

    def __init__(self, directory: Path, report: Callable[[str], None], *, first: float = _FIRST) -> None:
        self._directory = directory
        self._report = report
        self._first = first
        self._status = ChainStatus()
        self._changed = threading.Condition()
        self._wanted = False
        self._is_over = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, name="guardhouse-chain", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it, and the check that is under way."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
            if self._process is not None:
                self._process.kill()
        if self._thread.is_alive():
            self._thread.join()

    def status(self) -> ChainStatus:
        """What was found last."""
        return self._status

    def check_soon(self) -> None:
        """Somebody wants it checked now. It is, unless that is under way already."""
        with self._changed:
            self._wanted = True
            self._changed.notify_all()

    def wait(self, seconds: float) -> ChainStatus:
        """The status once a check that was wanted has ended, or as it is after so many `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._wanted and not self._status.is_checking, seconds)
            return self._status

    def _watch(self) -> None:
        pause = self._first
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._is_over, pause)
                if self._is_over:
                    return
                self._status = replace(self._status, is_checking=True)
            found = self._checked()
            with self._changed:
                if found.failure and not self._is_over and found.failure != self._status.failure:
                    self._report(f"The chain of the record can't be checked: {found.failure}")
                if found.ok is False and self._status.problems != found.problems:
                    self._report(f"The chain of the record is broken: {found.problems[0]}")
                self._status, self._wanted = found, False
                self._changed.notify_all()
            pause = max(_EVERY, _REST * found.took)

    def _checked(self) -> ChainStatus:
        begun = time.monotonic()
        # -P: what lies in the directory that the daemon was started in is not loaded.
        command = [sys.executable, "-P", "-m", __name__, str(self._directory)]
        # Nor is it told where a database is: it may come with a password.
        variables = {name: value for name, value in os.environ.items() if not name.startswith("GUARDHOUSE_")}
        try:
            with self._changed:
                if self._is_over:
                    return self._status
                self._process = subprocess.Popen(  # noqa: S603 - our own words
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=variables,
                )
            said, _ = self._process.communicate(timeout=_LONGEST)
            found = msgspec.json.decode(said, type=ChainStatus)
        except (OSError, subprocess.TimeoutExpired, msgspec.DecodeError) as error:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            return replace(self._status, is_checking=False, failure=f"{type(error).__name__}.")
        finally:
            self._process = None
        if found.failure:
            return replace(self._status, is_checking=False, failure=found.failure)
        return replace(found, at=time.time(), took=time.monotonic() - begun)


def _check(directory: Path) -> ChainStatus:
    """The whole of it, as `verify` finds it."""
    from guardhouse.audit.notes import describe
    from guardhouse.audit.verifying import verify

    try:
        found = verify(directory)
    except GuardhouseError as error:
        return ChainStatus(failure=str(error))
    return ChainStatus(
        ok=found.ok,
        seq=found.anchor.seq,
        events=found.events,
        problems=tuple(map(str, found.problems)),
        more_problems=found.more_problems,
        notices=tuple(f"{one.seq}: {describe(one.note)}" for one in found.notices[-_NOTICES_TOLD:]),
    )


if __name__ == "__main__":
    os.nice(_LOWEST_PRIORITY)
    sys.stdout.buffer.write(msgspec.json.encode(_check(Path(sys.argv[1]))))
