"""Sessions: what was said and returned, as events, and an index that tells where a value came from.

The index that several nodes share is loaded when it is first used: few have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardhouse.model import Grade, KeptObject, NewEvent, NewObject, Occurrence, SessionEvent, SessionEventKind
from guardhouse.sessions.interface import (
    ANY_SLOT,
    DEFAULT_SESSION_LIMITS,
    KeptTurn,
    Origins,
    SessionIndex,
    SessionLimits,
    SessionOutline,
    Summary,
    Tally,
    Value,
)
from guardhouse.sessions.memory import MemorySessions
from guardhouse.sessions.remembering import session_state, traces
from guardhouse.sessions.sqlite import SQLiteSessions, check_index

if TYPE_CHECKING:
    from guardhouse.sessions.postgres import PostgresSessions

__all__ = [
    "ANY_SLOT",
    "DEFAULT_SESSION_LIMITS",
    "Grade",
    "KeptObject",
    "KeptTurn",
    "MemorySessions",
    "NewEvent",
    "NewObject",
    "Occurrence",
    "Origins",
    "PostgresSessions",
    "SQLiteSessions",
    "SessionEvent",
    "SessionEventKind",
    "SessionIndex",
    "SessionLimits",
    "SessionOutline",
    "Summary",
    "Tally",
    "Value",
    "check_index",
    "session_state",
    "traces",
]


def __getattr__(name: str) -> Any:
    if name != "PostgresSessions":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from guardhouse.sessions.postgres import PostgresSessions

    return PostgresSessions
