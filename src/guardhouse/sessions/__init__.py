"""Sessions: what was said and returned, as events, and an index that tells where a value came from."""

from guardhouse.model import Grade, NewEvent, SessionEventKind
from guardhouse.sessions.interface import (
    ANY_SLOT,
    DEFAULT_SESSION_LIMITS,
    Occurrence,
    Origins,
    SessionEvent,
    SessionIndex,
    SessionLimits,
    Summary,
    Tally,
    Value,
)
from guardhouse.sessions.memory import MemorySessions
from guardhouse.sessions.sqlite import SQLiteSessions, check_index

__all__ = [
    "ANY_SLOT",
    "DEFAULT_SESSION_LIMITS",
    "Grade",
    "MemorySessions",
    "NewEvent",
    "Occurrence",
    "Origins",
    "SQLiteSessions",
    "SessionEvent",
    "SessionEventKind",
    "SessionIndex",
    "SessionLimits",
    "Summary",
    "Tally",
    "Value",
    "check_index",
]
