"""Remembers for a moment which calls a person has let through, for agents that tell of a call twice.

An approval is used up by the first event about a call; the second one, about the same call of the same turn, must not
ask again. What is remembered is used once, and soon; whoever comes later, or with anything else, asks.
"""

from __future__ import annotations

import time
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from pathlib import Path

_SOON: Final = 120.0
"""Seconds that may lie between the two events: the agent may ask its user in between."""


def note(state: Path, agent: str, call: str) -> None:
    """Remember that this call was let through."""
    file = _file(state, agent, call)
    try:
        for directory in (file.parent.parent, file.parent):
            directory.mkdir(mode=0o700, exist_ok=True)
        for old in file.parent.iterdir():
            with suppress(FileNotFoundError):  # another event has just used it
                if not _is_fresh(old):
                    old.unlink()
        file.touch(mode=0o600)
    except OSError as error:
        raise GuardhouseError(f"{file} can't be written: {error.strerror}.", fix="Check the state directory.") from None


def take(state: Path, agent: str, call: str) -> bool:
    """Whether it was let through, just now; once."""
    file = _file(state, agent, call)
    try:
        fresh = _is_fresh(file)
        file.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise GuardhouseError(f"{file} can't be used: {error.strerror}.", fix="Check the state directory.") from None
    return fresh


def _file(state: Path, agent: str, call: str) -> Path:
    return state / "hooks" / "passed" / sha256(f"{agent}\0{call}".encode()).hexdigest()


def _is_fresh(file: Path) -> bool:
    return 0 <= time.time() - file.stat().st_mtime < _SOON
