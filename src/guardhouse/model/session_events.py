"""What happens in a session, as it is handed in to be remembered: who said or returned something, and how far it goes.

Texts are masked by whoever makes an event. Which values of it are worth finding again is not said here.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

SessionEventKind = Literal[
    "user_said", "assistant_showed", "tool_returned", "memory_returned", "skill_returned", "granted"
]
Grade = Literal["user", "trusted", "untrusted"]

KINDS: Final[tuple[SessionEventKind, ...]] = get_args(SessionEventKind)
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened in a session, as it is handed in."""

    kind: SessionEventKind
    name: str = ""
    """The tool, memory store or skill. Cut at 200 characters."""
    call_id: str | None = None
    """Cut at 200 characters."""
    grade: Grade
    excerpt: str = ""
    """A line for a person, masked by the caller. Cut at 200 characters."""
    detail: dict[str, str] | None = None
    """A few facts, masked by the caller: at most 16, names cut at 64 and values at 200 characters."""
