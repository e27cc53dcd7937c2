"""Adapters: thin translations from the ways agents call tools to the gate. They decide nothing."""

from guardhouse.adapters.functions import CallContext, GuardedAsyncFunction, GuardedFunction, is_async
from guardhouse.adapters.names import ToolNames
from guardhouse.adapters.outcomes import Completed, Denied, Failed, NotCompleted, Outcome, Pending

__all__ = [
    "CallContext",
    "Completed",
    "Denied",
    "Failed",
    "GuardedAsyncFunction",
    "GuardedFunction",
    "NotCompleted",
    "Outcome",
    "Pending",
    "ToolNames",
    "is_async",
]
