"""Handing a part of the task to another agent: the call becomes a run of its own, and its answer is the call's.

That run is under the session of the run that started it: what came into one is known in the other, and what people
allowed for the session holds in both. What it asks, the run that waits for it waits for as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema
from guardhouse.runs.tools.interface import Delegation

if TYPE_CHECKING:
    from guardhouse.runs.tools.interface import Errand


class _Task(Arguments, frozen=True, kw_only=True):
    task: str
    role: str = ""


class Delegate(HouseTool):
    """`delegate`."""

    takes = _Task
    name = "delegate"
    description = (
        "Hand a part of the task to another agent, which knows nothing of this conversation; gives its answer."
    )
    parameters = schema(
        "task",
        task={"type": "string", "minLength": 1, "description": "All that it has to know."},
        role={"type": "string", "description": "The kind of agent; usually left out."},
    )

    def problem(self, params: dict[str, Any]) -> str:
        """What does not fit."""
        return super().problem(params) or ("" if params["task"].strip() else "There is no task.")

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - there is no run yet
        """A run that was started is known by the call that waits for it, so one that is not known was not started."""
        return True

    async def work(self, params: dict[str, Any], errand: Errand) -> Delegation:  # noqa: ARG002 - the run has its own
        """The run that the call is to be."""
        asked = _Task.of(params)
        return Delegation(asked.task, asked.role)
