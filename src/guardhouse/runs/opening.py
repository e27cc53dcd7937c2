"""Puts runs together from the configuration: the model, the tools, and what an agent may do with them; or only to be
looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.runs.holders import Holder
from guardhouse.runs.models import KeptModel, NoModel
from guardhouse.runs.roles import DEFAULT, Role
from guardhouse.runs.runs import Runs
from guardhouse.runs.segment import Hearing
from guardhouse.runs.tools.builtin import tools_of
from guardhouse.runs.tools.mcp import McpServers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic_ai.models import Model

    from guardhouse.opening import LocalGuard
    from guardhouse.runs.holders import Holders
    from guardhouse.runs.interface import Run
    from guardhouse.runs.tools.interface import Tool


def open_runs(
    guard: LocalGuard,
    *,
    tools: Iterable[Tool] = (),
    model: Model | None = None,
    guard_for: Callable[[Run], LocalGuard] | None = None,
    hears: Callable[[Hearing], None] | None = None,
    holder: Holders | None = None,
) -> Runs:
    """The runs in the house of `guard`, with the tools and the model that its configuration names, and `tools` and
    `model` of the program's own. Close what it gives when no run is worked on any more."""
    section = guard.policy.config.runs

    def notice(what: str) -> None:
        guard.note(what, source="run")
        if hears is not None:
            hears(Hearing("", "trouble", {"what": what, "fix": ""}))

    role = Role(
        name=DEFAULT,
        instructions=section.instructions,
        tools=(*tools_of(section, guard), *tools),
        found=McpServers(section.mcp, guard, notice).tools,
        most_steps=section.most_steps,
        most_tokens=section.most_tokens,
        most_denied=section.most_denied,
    )
    kept = KeptModel(lambda: guard.policy.config.runs.model)
    return Runs(
        guard,
        roles=[role],
        model=lambda _role: model if model is not None else kept.current(),
        holder=holder or Holder(guard.state_dir / "runs"),
        guard_for=guard_for,
        hears=hears,
    )


def look_at_runs(guard: LocalGuard) -> Runs:
    """The runs in the house of `guard`, to be looked at and cancelled: none can be started or taken up."""

    def none(_role: Role) -> Model:
        raise NoModel("Here runs are only looked at.")

    return Runs(guard, roles=[], model=none, holder=Holder(guard.state_dir / "runs"))
