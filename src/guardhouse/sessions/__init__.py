"""Sessions: what was said and returned, as events, and an index that tells where a value came from."""

from guardhouse.model import Grade, KeptObject, NewEvent, NewObject, Occurrence, SessionEvent, SessionEventKind
from guardhouse.sessions.interface import (
    ANY_SLOT,
    DEFAULT_SESSION_LIMITS,
    Origins,
    SessionIndex,
    SessionLimits,
    Summary,
    Tally,
    Value,
)
from guardhouse.sessions.memory import MemorySessions
from guardhouse.sessions.remembering import session_state, traces
from guardhouse.sessions.sqlite import SQLiteSessions, check_index

__all__ = [
    "ANY_SLOT",
    "DEFAULT_SESSION_LIMITS",
    "Grade",
    "KeptObject",
    "MemorySessions",
    "NewEvent",
    "NewObject",
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
    "session_state",
    "traces",
]
