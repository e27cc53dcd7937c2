"""Guarded runs of agents that pause, outlive their process, and resume exactly.

A run is kept in the database of approvals (`store.py`); one process at a time works on it, a segment (`segment.py`): it
asks the model (`conversing.py`), makes the calls that the model wants (`calling.py`, `journal.py`), and ends where it
has to wait for people. Whoever takes it up again makes the call that was kept. `tools/` are what agents can use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.runs.holders import Holder
    from guardhouse.runs.interface import (
        FINAL,
        Call,
        CallState,
        NoSuchRun,
        NotTaken,
        Overtaken,
        Run,
        RunStatus,
        Telling,
    )
    from guardhouse.runs.roles import Role
    from guardhouse.runs.runs import Runs
    from guardhouse.runs.segment import Hearing
    from guardhouse.runs.store import count_runs
    from guardhouse.runs.tools.functions import FunctionTool
    from guardhouse.runs.tools.interface import Errand, Names, Tool

__all__ = [
    "FINAL",
    "Call",
    "CallState",
    "Errand",
    "FunctionTool",
    "Hearing",
    "Holder",
    "Names",
    "NoSuchRun",
    "NotTaken",
    "Overtaken",
    "Role",
    "Run",
    "RunStatus",
    "Runs",
    "Telling",
    "Tool",
    "count_runs",
]

_HOMES = {
    "Errand": "tools.interface",
    "FunctionTool": "tools.functions",
    "Hearing": "segment",
    "Holder": "holders",
    "Names": "tools.interface",
    "Role": "roles",
    "Runs": "runs",
    "Tool": "tools.interface",
    "count_runs": "store",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'guardhouse.runs' has no attribute {name!r}")
    from importlib import import_module  # most commands have no use for them

    value = getattr(import_module(f"guardhouse.runs.{_HOMES.get(name, 'interface')}"), name)
    globals()[name] = value
    return value
