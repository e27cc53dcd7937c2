"""Looks at one coding agent: its version, our hooks in its settings, and what they really answer.

Settings in a project came with somebody's repository. So nothing that stands there is run, unless it is word for word
a command that this installation writes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.paths import OWN_FILES
from guardhouse.installing import claude_checks, codex_checks
from guardhouse.installing.agents import CODEX, Agent, Scope
from guardhouse.installing.canary import EVENT, Canary, deny_a_read, refuse_garbage
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.commands import HookCommand, read_hook_command
from guardhouse.installing.hook_settings import Handler, own_handlers
from guardhouse.installing.machine import Machine, Settings, read_settings
from guardhouse.installing.programs import Found, find_program, read_version, run

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE: Final = 20.0
_MOST_FIELDS: Final = 10


class _Unknown(msgspec.Struct, frozen=True):
    fields: dict[str, int]


def settings_files(agent: Agent, machine: Machine) -> list[tuple[Scope, Path]]:
    """Every file that our hooks may stand in."""
    directories = {scope: _directory(agent, scope, machine) for scope in _SCOPES}
    files: list[tuple[Scope, Path]] = [
        ("user", directories["user"] / agent.user_file),
        ("project", directories["project"] / agent.project_file),
        *(("project", directories["project"] / name) for name in agent.other_files),
    ]
    unique: dict[Path, tuple[Scope, Path]] = {}
    for scope, path in files:  # the home directory may be the working directory
        unique.setdefault(Path(os.path.realpath(path)), (scope, path))
    return list(unique.values())


_SCOPES: Final[tuple[Scope, ...]] = ("user", "project")


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
            yield from _hooks(agent, machine, scope, settings, own)
    if not installed:
        yield fail(agent.name, "hooks", "none are installed", f"`guardhouse install {agent.name}`")
    if installed > 1:
        yield warn(agent.name, "hooks", "installed twice: each call is judged twice", "Uninstall one of them.")
    yield from (codex_checks if agent is CODEX else claude_checks).settings_checks(agent, machine)
    yield _unknown_fields(agent, machine)


def _find(agent: Agent, machine: Machine) -> Found:
    return find_program(agent.program, machine.variables.get("PATH", os.defpath), machine.cwd, machine.home)


def _version(agent: Agent, machine: Machine) -> Iterator[Check]:
    found = _find(agent, machine)
    if found.passed_over is not None:
        what = f"{found.passed_over} lies in this directory, and was not run"
        yield warn(agent.name, "program", what, "Take it off your PATH.")
    if found.path is None:
        yield warn(agent.name, "program", f"`{agent.program}` is not on the PATH: its version can't be told")
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


def _hooks(agent: Agent, machine: Machine, scope: Scope, settings: Settings, own: list[Handler]) -> Iterator[Check]:
    again = f"`guardhouse install {agent.name}{' --scope project' if scope == 'project' else ''}`"
    missing = [event for event in agent.events if event not in {found.event for found in own}]
    odd = [found.event for found in own if not agent.is_complete(found.event, found.group, found.handler)]
    where = str(settings.path)
    if missing:
        yield fail(agent.name, "hooks", f"{where} has none for {', '.join(missing)}", again)
    if odd:
        yield fail(agent.name, "fail-closed", f"{where}: not as installed: {', '.join(dict.fromkeys(odd))}", again)
    if not missing and not odd:
        yield ok(agent.name, "hooks", f"{where}: all {len(agent.events)} events, fail-closed")
    yield from _commands(agent, machine, settings, own, again)
    if agent is CODEX:
        yield from codex_checks.trust_checks(machine, settings, own)


def _commands(agent: Agent, machine: Machine, settings: Settings, own: list[Handler], again: str) -> Iterator[Check]:
    commands = {found.event: read_hook_command(found.handler.get("command")) for found in own}
    foreign = [event for event, command in commands.items() if command is None or command.event != event]
    if foreign:
        what = f"{settings.path}: the command for {', '.join(foreign)} is not one that `install` writes"
        yield fail(agent.name, "command", what, again)
    whole = [command for event, command in commands.items() if command is not None and command.event == event]
    for python in dict.fromkeys(command.python for command in whole):
        yield _interpreter(agent, python, _is_ours(machine, settings, whole, python), again)
    canary = next((command for command in whole if command.event == EVENT), None)
    if canary is not None:
        yield from _elsewhere(agent, machine, canary)
        yield from _canaries(agent, machine, settings, canary, again)


def _elsewhere(agent: Agent, machine: Machine, command: HookCommand) -> Iterator[Check]:
    """The guard that was looked at above has to be the one that the hook runs."""
    config, state = command.options.config, command.options.state_dir
    looked_at = str(machine.config_file.absolute()) if machine.config_file else None
    if config != looked_at or (state or str(machine.locations.state)) != str(machine.locations.state):
        words = " ".join(["guardhouse doctor", *command.options.words()])
        yield warn(agent.name, "places", "its hook uses another configuration or state directory", f"`{words}`")


def _is_ours(machine: Machine, settings: Settings, commands: list[HookCommand], python: str) -> bool:
    """Whether what would be run is this installation, or what one on this machine has noted that it wrote."""
    if python == sys.executable:
        return True
    real = os.path.realpath(settings.path)
    noted = {command for record in machine.records if record.real == real for command in record.commands}
    return all(command.text in noted for command in commands if command.python == python)


def _interpreter(agent: Agent, python: str, is_ours: bool, again: str) -> Check:  # noqa: FBT001
    if not Path(python).is_absolute() or not Path(python).is_file() or not os.access(python, os.X_OK):
        return fail(agent.name, "command", f"{python} is no program that can be run: everything is blocked", again)
    if not is_ours:
        what = f"{python} was not noted when it was installed, and is not run by doctor"
        return unknown(agent.name, "command", what, again)
    ran = run([python, "-I", "-m", "guardhouse", "--version"], timeout=_PATIENCE, cwd=Path("/"))
    if ran.status != 0:
        what = f"{python} can't run guardhouse: everything is blocked"
        return fail(agent.name, "command", what, f"Install guardhouse for it, or {again}")
    return ok(agent.name, "command", f"{python} runs {ran.stdout.decode('utf-8', 'replace').strip()[:60]}")


def _canaries(agent: Agent, machine: Machine, settings: Settings, command: HookCommand, again: str) -> Iterator[Check]:
    if not _is_ours(machine, settings, [command], command.python):
        yield unknown(agent.name, "canary", "not tried: the command is not one that this installation wrote", again)
        return
    state = Path(command.options.state_dir) if command.options.state_dir else machine.locations.state
    cwd = machine.home if machine.home.is_dir() else Path("/")
    read = deny_a_read(agent.name, command.text, state, cwd)
    if read.answer == "denied" and OWN_FILES.id not in read.detail:
        yield warn(agent.name, "canary", f"a forbidden read is denied, but for another reason: {read.detail}")
    else:
        yield _canary(agent, "canary", "a forbidden read", read, again)
    garbage = refuse_garbage(agent.name, command.text, cwd)
    if garbage.answer == "open":
        yield _canary(agent, "canary", "garbage", garbage, again)
    else:
        yield ok(agent.name, "canary", "garbage is held back")


def _canary(agent: Agent, name: str, call: str, canary: Canary, again: str) -> Check:
    if canary.answer == "denied":
        return ok(agent.name, name, f"{call} is denied: {canary.detail}")
    if canary.answer == "broken":
        what = f"{call} is held back only because the hook is broken: {canary.detail}"
        return fail(agent.name, name, what, f"Everything is blocked. See the other lines, or {again}")
    return fail(agent.name, name, f"THE GATE IS OPEN: {call} is not denied: {canary.detail}", again)


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
