"""Adapters: thin translations from the ways agents call tools to the gate. They decide nothing.

Names are loaded when they are first used: a hook starts for every call, and needs none of these.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from guardhouse.adapters.framework_calls import Withheld
    from guardhouse.adapters.functions import (
        CallContext,
        Gate,
        GuardedAsyncFunction,
        GuardedFunction,
        TakenUp,
        is_async,
    )
    from guardhouse.adapters.holding import AgentGuard
    from guardhouse.adapters.names import ToolNames
    from guardhouse.adapters.outcomes import Completed, Denied, Failed, NotCompleted, Outcome, Pending

__all__ = [
    "AgentGuard",
    "CallContext",
    "Completed",
    "Denied",
    "Failed",
    "Gate",
    "GuardedAsyncFunction",
    "GuardedFunction",
    "NotCompleted",
    "Outcome",
    "Pending",
    "TakenUp",
    "ToolNames",
    "Withheld",
    "is_async",
]

_HOMES: Final = {
    **dict.fromkeys(
        ("CallContext", "Gate", "GuardedAsyncFunction", "GuardedFunction", "TakenUp", "is_async"), "functions"
    ),
    "AgentGuard": "holding",
    "ToolNames": "names",
    "Withheld": "framework_calls",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'outcomes')}"), name)
