"""Whether our hooks for an agent are there at all, for whoever has to know that while a call is judged.

A file of the user's or the administrator's is believed. One in a project may have come with it, so it counts only if it
is, byte for byte, what `guardhouse install` has written there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.machine import read_settings
from guardhouse.installing.records import Records, digest
from guardhouse.installing.settings_shape import misfits
from guardhouse.installing.target_file import look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from guardhouse.config import Locations
    from guardhouse.installing.agents import Agent


def holds_hooks(
    agent: Agent, locations: Locations, variables: Mapping[str, str], cwd: Path, root: Path | None = None
) -> bool:
    """Whether the call of a tool would reach a hook of ours under this agent: for the user, for the machine, or in the
    project, which is at `root`, if the agent says so, or else at `cwd` or around it."""
    home = locations.home
    usual = agent.settings_file("user", {}, home, cwd)
    named = agent.settings_file("user", variables, home, cwd)
    believed = [usual] if named == usual else []
    if agent.managed_file:
        believed.append(agent.settings_file("managed", {}, home, cwd))
    written = [named]
    if agent.project_file:
        places = [root] if root is not None else _around(cwd)
        written += [agent.settings_file("project", {}, home, place) for place in places]
    records = Records(locations)
    return any(_is_whole(agent, file) for file in believed) or any(
        _is_whole(agent, file) for file in written if _is_as_written(records, file)
    )


def _around(cwd: Path) -> Iterator[Path]:
    """A directory and those around it, as far as its repository goes: beyond that is another project."""
    for place in (cwd, *cwd.parents):
        yield place
        if (place / ".git").exists():
            return


def _is_as_written(records: Records, file: Path) -> bool:
    target = look(file)
    record = records.find(target.real)
    return record is not None and target.content is not None and digest(target.content) == record.after


def _is_whole(agent: Agent, file: Path) -> bool:
    """Whether the agent would run our hook for every call by what this file says."""
    value = read_settings(file).value
    if value is None or any(one.drops_file for one in misfits(value, agent)):
        return False
    return any(
        found.event == agent.call and agent.is_complete(found.event, found.group, found.handler)
        for found in own_handlers(value, agent)
    )
