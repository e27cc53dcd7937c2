"""Takes the inventory of one person's home directory, of the directory we stand in, and of the projects that agents
have noted.

What can't be read is an item that says so: nothing that may be there is passed over in silence.
"""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.agent_checks import is_present, settings_files
from guardhouse.installing.agents import AGENTS, Agent
from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.inventory.interface import Item, Standing
from guardhouse.installing.inventory.places import OTHER_AGENTS, SERVER_LISTS, SKILLS, OtherAgent
from guardhouse.installing.inventory.servers import project_directories, servers
from guardhouse.installing.machine import read_settings
from guardhouse.installing.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from guardhouse.installing.inventory.places import ServerList
    from guardhouse.installing.machine import Machine

_TITLES: Final = {
    **{agent.name: agent.title for agent in AGENTS.values()},
    **{agent.name: agent.title for agent in OTHER_AGENTS},
    "vscode": "VS Code",
}
_MOST_SKILLS: Final = 1000
_NAMED_SKILLS: Final = 5


def take(machine: Machine) -> Iterator[Item]:
    """Everything that is found."""
    standings: dict[str, Standing] = {}
    for agent in AGENTS.values():
        for item in _agent(agent, machine):
            standings[agent.name] = item.standing
            yield item
    for other in OTHER_AGENTS:
        yield from _other(other, machine)
    projects = [machine.cwd]
    for found in (one for one in SERVER_LISTS if not one.in_project):
        path = machine.home / found.file
        value: Any = yield from _read(path, found.client)
        projects += map(Path, project_directories(value))
        yield from _servers(found, path, value, standings)
    for project in dict.fromkeys(projects):
        for found in (one for one in SERVER_LISTS if one.in_project):
            path = project / found.file
            if project != machine.home or not _is_listed(found.file):
                yield from _servers(found, path, (yield from _read(path, found.client)), standings)
    for skills in SKILLS:
        roots = (
            [machine.home] if not skills.in_project else [one for one in dict.fromkeys(projects) if one != machine.home]
        )
        for root in roots:
            yield from _skills(root / skills.directory, skills.client, standings)


def homes() -> Iterator[tuple[str, Path]]:
    """Everybody who has a home directory on this machine, by name."""
    seen: set[str] = set()
    for entry in pwd.getpwall():
        if entry.pw_dir not in seen and os.path.isdir(entry.pw_dir) and entry.pw_dir != "/":  # noqa: PTH112
            seen.add(entry.pw_dir)
            yield entry.pw_name, Path(entry.pw_dir)


def _is_listed(file: str) -> bool:
    """Whether the same file is looked at as the user's own."""
    return any(one.file == file and not one.in_project for one in SERVER_LISTS)


# Agents


def _agent(agent: Agent, machine: Machine) -> Iterator[Item]:
    if not is_present(agent, machine):
        return
    scopes: set[str] = set()
    problem = where = ""
    for scope, path in settings_files(agent, machine):
        settings = read_settings(path)
        where = where or str(path)
        problem = problem or (f"{path} can't be read: {settings.problem}" if settings.problem else "")
        if own_handlers(settings.value, agent):
            scopes.add(scope)
            where = str(path)
    install = f"`guardhouse install {agent.name}`"
    if scopes - {"project"}:
        proof = f"`guardhouse doctor {agent.name}` proves that they hold"
        yield _item(agent, where, "guarded", f"our hooks are in its settings; {proof}")
    elif scopes:
        yield _item(agent, where, "partly", "our hooks are in the settings of this project only", install)
    elif problem:
        yield _item(agent, where, "unknown", problem, "Mend it.")
    else:
        yield _item(agent, where, "open", "no hooks of ours are installed", install)


def _other(agent: OtherAgent, machine: Machine) -> Iterator[Item]:
    places = [machine.home / place for place in agent.places]
    found = next((place for place in places if os.path.lexists(place)), None)
    if found is None and agent.program:
        found = find_program(agent.program, machine.variables.get("PATH", os.defpath), machine.cwd, machine.home).path
    if found is not None:
        fix = "Put its MCP servers behind the gateway (`guardhouse install mcp`)"
        fix += f", and start it by `guardhouse sandbox -- {agent.program}`." if agent.program else "."
        yield _item(agent, str(found), "open", "it has no hooks that Guardhouse knows", fix)


def _item(agent: Agent | OtherAgent, where: str, standing: Standing, why: str, fix: str = "") -> Item:
    return Item(kind="agent", name=agent.name, where=where, standing=standing, why=why, fix=fix)


# Servers


def _read(path: Path, client: str) -> Generator[Item, None, Any]:
    """What is in a file; an item if it is there and can't be read."""
    settings = read_settings(path)
    if settings.problem:
        why = f"can't be read: {settings.problem}"
        yield Item(kind="server", name="?", of=client, where=str(path), standing="unknown", why=why, fix="Mend it.")
    return settings.value


def _servers(found: ServerList, path: Path, value: Any, standings: dict[str, Standing]) -> Iterator[Item]:
    if value is not None:
        title = _TITLES.get(found.client, found.client)
        yield from servers(found, str(path), value, standings.get(found.client, "open"), title)


# Skills


def _skills(directory: Path, client: str, standings: dict[str, Standing]) -> Iterator[Item]:
    try:
        with os.scandir(directory) as entries:
            names = sorted(entry.name for entry, _ in zip(entries, range(_MOST_SKILLS), strict=False))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        why = f"can't be read: {error.strerror}"
        yield Item(kind="skills", name="?", of=client, where=str(directory), standing="unknown", why=why)
        return
    skills = [name for name in names if os.path.lexists(directory / name / "SKILL.md")]
    if not skills:
        return
    named = ", ".join(skills[:_NAMED_SKILLS]) + (
        f" and {len(skills) - _NAMED_SKILLS} more" * (len(skills) > _NAMED_SKILLS)
    )
    readers = [client] if client else [*standings]
    is_guarded = bool(readers) and all(standings.get(name) == "guarded" for name in readers)
    why = "what they say is not looked at; "
    if is_guarded:
        why += f"the calls of {' and '.join(_TITLES[name] for name in readers)} that follow them are judged"
    else:
        why += "and neither are the calls that follow them"
    yield Item(
        kind="skills",
        name=named,
        of=client,
        where=str(directory),
        standing="guarded" if is_guarded else "open",
        why=why,
        fix="" if is_guarded else "Put the gate under the agent that reads them.",
    )
