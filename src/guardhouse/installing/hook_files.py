"""Whether our hooks for an agent are there at all, for whoever has to know that while a call is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.machine import read_settings

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.installing.agents import Agent


def holds_hooks(agent: Agent, home: Path, cwd: Path) -> bool:
    """Whether the call of a tool would reach a hook of ours under this agent: for the user, for the machine, or in the
    project at `cwd` or around it."""
    files = [agent.settings_file("user", {}, home, cwd)]
    if agent.managed_file:
        files.append(agent.settings_file("managed", {}, home, cwd))
    if agent.project_file:
        files += [agent.settings_file("project", {}, home, place) for place in (cwd, *cwd.parents)]
    return any(_is_there(agent, file) for file in files)


def _is_there(agent: Agent, file: Path) -> bool:
    return any(found.event == agent.call for found in own_handlers(read_settings(file).value, agent))
