"""Looks a call up in the transcript that Codex keeps, for what it does not tell its hooks: where a command runs, and by
what.

A hook of Codex gets the command and the directory of the turn, but the model may have named another directory, or
another shell, for just this command. The transcript has the call as the model made it. Only its end is read, and only
that one call.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any, Final

_TAIL: Final = 1024 * 1024
_PLACES: Final = ("workdir", "working_directory", "cwd")


def directory_of(transcript: str | None, call_id: str | None) -> str | None:
    """The directory that a call named for itself; None if it named none, or is not to be found."""
    given = arguments_of(transcript, call_id) or {}
    return next((given[key] for key in _PLACES if isinstance(given.get(key), str) and given[key]), None)


@lru_cache(maxsize=4)
def arguments_of(transcript: str | None, call_id: str | None) -> dict[str, Any] | None:
    """What the model gave to a call; None if that is not to be found. A hook looks once."""
    if not transcript or not call_id:
        return None
    needle = call_id.encode("utf-8", "replace")
    for line in reversed(_last_lines(transcript)):
        if needle in line:
            found = _given(_decoded(line), call_id)
            if found is not None:
                return found
    return None


def _last_lines(transcript: str) -> list[bytes]:
    try:
        handle = os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []  # Codex may keep none: then the directory of the turn is all there is to know
    with os.fdopen(handle, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        return file.read(_TAIL).split(b"\n")


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _given(entry: Any, call_id: str) -> dict[str, Any] | None:
    """The arguments in an entry that is this very call; what a tool printed is no such entry."""
    item = entry.get("payload", entry) if isinstance(entry, dict) else None
    if not isinstance(item, dict) or item.get("call_id") != call_id or "output" in item:
        return None
    given = item.get("arguments", item.get("action", item.get("input")))
    given = _decoded(given.encode()) if isinstance(given, str) else given
    return given if isinstance(given, dict) else None
