"""The way out of the house: looking hosts up, and the guarded client with the tools on it.

The client is loaded when it is first used: most processes never fetch anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardhouse.egress.dns import SkippedLookup, SystemResolver

if TYPE_CHECKING:
    from guardhouse.egress.client import AsyncGuardedClient, FetchLimits, GuardedClient, Response
    from guardhouse.egress.errors import FetchFailed, Refused
    from guardhouse.egress.fetching import FetchTools
    from guardhouse.egress.recent_answers import RecentAnswers

__all__ = [
    "AsyncGuardedClient",
    "FetchFailed",
    "FetchLimits",
    "FetchTools",
    "GuardedClient",
    "RecentAnswers",
    "Refused",
    "Response",
    "SkippedLookup",
    "SystemResolver",
]

_HOMES = {
    **dict.fromkeys(("AsyncGuardedClient", "FetchLimits", "GuardedClient", "Response"), "guardhouse.egress.client"),
    **dict.fromkeys(("FetchFailed", "Refused"), "guardhouse.egress.errors"),
    "FetchTools": "guardhouse.egress.fetching",
    "RecentAnswers": "guardhouse.egress.recent_answers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'guardhouse.egress' has no attribute {name!r}")
    from importlib import import_module  # only needed the first time a name is used

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
