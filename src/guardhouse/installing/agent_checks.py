"""Looks at one coding agent: its version, where our hooks stand, what else its settings say, and what it sends that
Guardhouse does not know. The hooks themselves are looked at in `hook_checks`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.installing import claude_checks, codex_checks, other_checks
from guardhouse.installing.agents import CLAUDE_CODE, CODEX, Agent, Scope
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.hook_checks import hook_checks
from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.machine import Machine, read_settings
from guardhouse.installing.programs import Found, find_program, read_version, run

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE: Final = 20.0
_MOST_FIELDS: Final = 10


class _Unknown(msgspec.Struct, frozen=True):
    fields: dict[str, int]


def settings_files(agent: Agent, machine: Machine) -> list[tuple[Scope, Path]]:
    """Every file that our hooks may stand in."""
    named: tuple[tuple[Scope, str], ...] = (
        ("user", agent.user_file),
        ("project", agent.project_file),
        *(("project", name) for name in agent.other_files),
        ("managed", Path(agent.managed_file).name),
    )
    files = [(scope, _directory(agent, scope, machine) / name) for scope, name in named if name]
    unique: dict[Path, tuple[Scope, Path]] = {}
    for scope, path in files:  # the home directory may be the working directory
        unique.setdefault(Path(os.path.realpath(path)), (scope, path))
    return list(unique.values())


def _directory(agent: Agent, scope: Scope, machine: Machine) -> Path:
    return agent.settings_directory(scope, machine.variables, machine.home, machine.cwd)


def is_present(agent: Agent, machine: Machine) -> bool:
    """Whether there is a sign of the agent on this machine."""
    found = _find(agent, machine)
    return (
        found.path is not None
        or found.passed_over is not None
        or _directory(agent, "user", machine).is_dir()
        or any(record.kind == agent.name for record in machine.records)
        or any(own_handlers(read_settings(path).value, agent) for _, path in settings_files(agent, machine))
    )


def agent_checks(agent: Agent, machine: Machine) -> Iterator[Check]:
    """Everything there is to say about one agent."""
    yield from _version(agent, machine)
    installed = 0
    for scope, path in settings_files(agent, machine):
        settings = read_settings(path)
        if settings.problem:
            yield unknown(agent.name, "settings", f"{path} can't be read: {settings.problem}", "Mend it.")
        own = own_handlers(settings.value, agent)
        if own:
            installed += 1
            yield from hook_checks(agent, machine, scope, settings, own)
    if not installed:
        yield fail(agent.name, "hooks", "none are installed", f"`guardhouse install {agent.name}`")
    if installed > 1:
        yield warn(agent.name, "hooks", "installed twice: each call is judged twice", "Uninstall one of them.")
    yield from _CHECKS.get(agent.name, other_checks.settings_checks)(agent, machine)
    yield _unknown_fields(agent, machine)


_CHECKS: Final = {CLAUDE_CODE.name: claude_checks.settings_checks, CODEX.name: codex_checks.settings_checks}


def _find(agent: Agent, machine: Machine) -> Found:
    return find_program(agent.program, machine.variables.get("PATH", os.defpath), machine.cwd, machine.home)


def _version(agent: Agent, machine: Machine) -> Iterator[Check]:
    found = _find(agent, machine)
    if found.passed_over is not None:
        what = f"{found.passed_over} may have come with a project, and was not run"
        yield warn(agent.name, "program", what, "Take it off your PATH.")
    if found.path is None:
        which = f"`{agent.program}`" if found.passed_over is None else f"another `{agent.program}`"
        yield warn(agent.name, "program", f"{which} is not on the PATH: its version can't be told")
        return
    ran = run([str(found.path), "--version"], timeout=_PATIENCE, cwd=Path("/"))
    version = read_version(ran.stdout.decode("utf-8", "replace")) if ran.status == 0 else None
    if version is None:
        why = ran.why or f"it ends with status {ran.status}, and names no version"
        yield unknown(agent.name, "version", f"`{found.path} --version` does not say: {why}")
        return
    text = ".".join(map(str, version))
    if version < agent.least_version:
        least = ".".join(map(str, agent.least_version))
        yield fail(agent.name, "version", f"{text}: {agent.version_matters}", f"Update to {least} or newer.")
        return
    yield ok(agent.name, "version", text)


def _unknown_fields(agent: Agent, machine: Machine) -> Check:
    """What the hook has met and not understood: an agent's update shows here first."""
    path = machine.locations.state / "hooks" / f"{agent.name}.unknown.json"
    try:
        content = path.read_bytes() if path.exists() else b'{"fields":{}}'
        fields = msgspec.json.decode(content, type=_Unknown).fields
    except (OSError, msgspec.MsgspecError):
        return unknown(agent.name, "unknown fields", f"{path} can't be read", "Remove it.")
    if not fields:
        return ok(agent.name, "unknown fields", "none seen")
    named = sorted(fields, key=lambda field: (-fields[field], field))[:_MOST_FIELDS]
    what = f"{len(fields)} that Guardhouse does not know: {', '.join(f'{name} ({fields[name]})' for name in named)}"
    return warn(agent.name, "unknown fields", what, "Update Guardhouse.")
