"""Turns at a SQLite file, for those that want to write.

SQLite lets whoever finds the file free write, and who waits looks ever more seldom: where others write without a pause
it may never look at the right moment. So who wants to write holds the place of the next one, until its transaction has
begun: whoever ends one and wants another comes after it. This is courtesy only. SQLite's own lock keeps writers apart,
also from those that know nothing of turns.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOOK: Final = 0.002
"""Seconds between two looks whether the place is free. There are few that wait at a time, and each look is short."""


@contextmanager
def next_to_write(directory: Path, wait: float) -> Generator[float]:
    """Be the next to write in a directory. Gives how many seconds of `wait` are left then, and after all of them goes
    on without having the place: its holder may hang, and the file be free."""
    place = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield _waited_for(place, wait)
    finally:
        os.close(place)  # which also gives the place to another


def _waited_for(place: int, wait: float) -> float:
    if _is_taken(place):
        return wait
    end = time.monotonic() + wait
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(_LOOK, left))
        if _is_taken(place):
            return max(0.0, end - time.monotonic())
    return 0.0


def _is_taken(place: int) -> bool:
    """Whether the place is ours now."""
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
