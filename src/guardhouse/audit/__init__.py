"""The audit log: a chain of events on disk, and reading it back.

Only the log itself is loaded with this package; what reads it is loaded when it is asked for, because a gate that
appends one event must start fast.
"""

from typing import TYPE_CHECKING, Any

from guardhouse.audit.log import AuditLog
from guardhouse.audit.settings import AuditSettings

if TYPE_CHECKING:
    from guardhouse.audit.chain import Anchor, Entry
    from guardhouse.audit.chain_watch import ChainStatus, ChainWatch
    from guardhouse.audit.index import AuditIndex, Bucket, By, IndexFollower, Offers, Page, Progress, Timeline, Waits
    from guardhouse.audit.notes import Begun, Cut, Headless, Lost, Note, Removed, describe
    from guardhouse.audit.query import Query, moment
    from guardhouse.audit.reading import Story, Unreadable, events, find, follow, raw_entries, removed_for_room, story
    from guardhouse.audit.sinks import Sink, StreamSink, SystemLogSink, open_sinks
    from guardhouse.audit.statistics import Calls, Statistics, count, count_calls
    from guardhouse.audit.verifying import Noticed, Problem, Verification, head_anchor, verify

__all__ = [
    "Anchor",
    "AuditIndex",
    "AuditLog",
    "AuditSettings",
    "Begun",
    "Bucket",
    "By",
    "Calls",
    "ChainStatus",
    "ChainWatch",
    "Cut",
    "Entry",
    "Headless",
    "IndexFollower",
    "Lost",
    "Note",
    "Noticed",
    "Offers",
    "Page",
    "Problem",
    "Progress",
    "Query",
    "Removed",
    "Sink",
    "Statistics",
    "Story",
    "StreamSink",
    "SystemLogSink",
    "Timeline",
    "Unreadable",
    "Verification",
    "Waits",
    "count",
    "count_calls",
    "describe",
    "events",
    "find",
    "follow",
    "head_anchor",
    "moment",
    "open_sinks",
    "raw_entries",
    "removed_for_room",
    "story",
    "verify",
]

_MODULES = {
    "chain": ("Anchor", "Entry"),
    "chain_watch": ("ChainStatus", "ChainWatch"),
    "index": ("AuditIndex", "Bucket", "By", "IndexFollower", "Offers", "Page", "Progress", "Timeline", "Waits"),
    "notes": ("Begun", "Cut", "Headless", "Lost", "Note", "Removed", "describe"),
    "query": ("Query", "moment"),
    "reading": ("Story", "Unreadable", "events", "find", "follow", "raw_entries", "removed_for_room", "story"),
    "sinks": ("Sink", "StreamSink", "SystemLogSink", "open_sinks"),
    "statistics": ("Calls", "Statistics", "count", "count_calls"),
    "verifying": ("Noticed", "Problem", "Verification", "head_anchor", "verify"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
