"""Counts fields of an agent's events that nobody has told us about, for `guardhouse doctor`.

An agent that was updated may say more than we know, and some of it may matter. Names only are kept, a few of them.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from pathlib import Path

_MOST: Final = 64
_LARGEST: Final = 64 * 1024
_LONGEST: Final = 40


def count_unknown(state: Path, agent: str, event: str, names: list[str]) -> None:
    """Add one to the count of each of `names`."""
    file = state / "hooks" / f"{agent}.unknown.json"
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "r+", encoding="utf-8", errors="replace") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fields = _fields(opened.read(_LARGEST))
            for name in names:
                key = f"{event}.{name if _is_plain(name) else '(an odd name)'}"
                if key in fields or len(fields) < _MOST:
                    fields[key] = fields.get(key, 0) + 1
            opened.seek(0)
            opened.write(json.dumps({"fields": fields}, sort_keys=True))
            opened.truncate()
    except BlockingIOError:
        return  # another process counts right now, and this is no exact science
    except OSError as error:
        raise GuardhouseError(f"{file} can't be written: {error.strerror}.", fix="Check the state directory.") from None


def _is_plain(name: str) -> bool:
    """Whether it is a name as agents have them: anything else could be content."""
    return len(name) <= _LONGEST and name.isascii() and name.replace("_", "").isalpha()


def _fields(content: str) -> dict[str, int]:
    """What the file holds. A damaged one counts for nothing: it is only a note, and is written anew."""
    try:
        kept: Any = json.loads(content).get("fields")
    except (ValueError, AttributeError, RecursionError):
        return {}
    return {key: count for key, count in kept.items() if isinstance(count, int)} if isinstance(kept, dict) else {}
