"""Looks at our hooks in one settings file: are they all there and closed, are they what was installed, which policy do
they use, and what do they really answer.

Settings in a project came with somebody's repository. So nothing that stands there is run, unless it is word for word
a command that this installation writes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.paths import OWN_FILES
from guardhouse.installing import codex_checks
from guardhouse.installing.agents import CODEX, Agent, Scope
from guardhouse.installing.canary import Canary, deny_a_read, refuse_garbage
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.commands import HookCommand, read_handler
from guardhouse.installing.house_checks import policy_checks
from guardhouse.installing.places import anybodys_options, pinned_options, sources_of
from guardhouse.installing.programs import run
from guardhouse.installing.settings_shape import misfits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.hook_settings import Handler
    from guardhouse.installing.machine import Machine, Settings
    from guardhouse.installing.records import Record

_PATIENCE: Final = 20.0
_MOST_MISFITS: Final = 5


class _Hooks(NamedTuple):
    """What is looked at."""

    agent: Agent
    machine: Machine
    settings: Settings
    record: Record | None
    """What `install` has noted of this file."""
    own: list[Handler]
    again: str
    """What to type to mend it."""


def hook_checks(
    agent: Agent, machine: Machine, scope: Scope, settings: Settings, own: list[Handler]
) -> Iterator[Check]:
    """Everything there is to say about our hooks in a file."""
    again = f"`guardhouse install {agent.name}{'' if scope == 'user' else f' --scope {scope}'}`"
    real = os.path.realpath(settings.path)
    record = next((one for one in machine.records if one.real == real and one.kind == agent.name), None)
    hooks = _Hooks(agent, machine, settings, record, own, again)
    yield from _shape(hooks)
    yield from _entries(hooks)
    yield from _commands(hooks)
    if agent is CODEX:
        yield from codex_checks.trust_checks(machine, settings, own)


def _shape(hooks: _Hooks) -> Iterator[Check]:
    """Whether the agent can read the file that our hooks stand in."""
    agent, where = hooks.agent, str(hooks.settings.path)
    found = list(misfits(hooks.settings.value or {}, agent))
    for one in [one for one in found if one.drops_file][:_MOST_MISFITS]:
        what = f"{where}: `{one.place}` {one.what}: {agent.title} may read nothing of this file, and run no hooks of it"
        yield fail(agent.name, "settings", what, "Mend it.")
    for one in [one for one in found if not one.drops_file][:_MOST_MISFITS]:
        yield warn(agent.name, "settings", f"{where}: `{one.place}` {one.what}", "Look whether it is spelled right.")


def _entries(hooks: _Hooks) -> Iterator[Check]:
    agent, where = hooks.agent, str(hooks.settings.path)
    missing = [event for event in agent.events if event not in {found.event for found in hooks.own}]
    odd = [found.event for found in hooks.own if not agent.is_complete(found.event, found.group, found.handler)]
    if missing:
        yield fail(agent.name, "hooks", f"{where} has none for {', '.join(missing)}", hooks.again)
    if odd:
        what = f"{where}: not as installed: {', '.join(dict.fromkeys(odd))}"
        yield fail(agent.name, "fail-closed", what, hooks.again)
    if not missing and not odd:
        yield ok(agent.name, "hooks", f"{where}: all {len(agent.events)} events, fail-closed")


def _commands(hooks: _Hooks) -> Iterator[Check]:
    agent, where = hooks.agent, str(hooks.settings.path)
    read = [(found, read_handler(found.handler)) for found in hooks.own]
    whole = [
        (found, command)
        for found, command in read
        if command is not None and command.event == found.event and command.agent == agent.name
    ]
    foreign = [found.event for found, _command in read if all(found is not one for one, _its in whole)]
    if foreign:
        what = f"{where}: the command for {', '.join(dict.fromkeys(foreign))} is not one that `install` writes"
        yield fail(agent.name, "command", what, hooks.again)
    changed = [] if hooks.record is None else _changed(hooks.record, [command for _found, command in whole])
    if changed:
        what = f"{where}: the command for {', '.join(changed)} is not the one that was installed here"
        yield fail(agent.name, "command", what, f"If you did not change it, somebody else did: {hooks.again}")
    for python in dict.fromkeys(command.python for _found, command in whole):
        yield _interpreter(hooks, python, [command for _found, command in whole])
    yield from _places(hooks, [command for _found, command in whole])
    canary = next((one for one in whole if one[1].event == agent.call), None)
    if canary is not None:
        yield from _canaries(hooks, *canary)


def _changed(record: Record, commands: list[HookCommand]) -> list[str]:
    noted = frozenset(record.commands)
    return list(dict.fromkeys(command.event for command in commands if command.text not in noted))


def _places(hooks: _Hooks, commands: list[HookCommand]) -> Iterator[Check]:
    """The guard that was looked at before the agents has to be the one that the hooks run."""
    agent, machine = hooks.agent, hooks.machine
    expected = pinned_options(machine.locations, machine.config_file)
    for options in dict.fromkeys(command.options for command in commands):
        if options in (expected, anybodys_options()):
            continue
        noted = hooks.record is not None and not _changed(
            hooks.record, [command for command in commands if command.options == options]
        )
        named = [("--state-dir", options.state_dir), ("--config", options.config)]
        words = " ".join(["guardhouse doctor", *(f"{option} {value}" for option, value in named if value)])
        what = f"{hooks.settings.path}: its hook uses another configuration, state directory or home than this one"
        yield (warn if noted else unknown)(agent.name, "places", what, f"`{words}`, or {hooks.again}")
    for options in dict.fromkeys(command.options for command in commands):
        # Also where they are equal: a hook does not see the variables that this process has.
        yield from policy_checks(agent.name, sources_of(options, machine.cwd), told_if_sound=options != expected)


def _is_ours(hooks: _Hooks, commands: list[HookCommand], python: str) -> bool:
    """Whether what would be run is this installation, or what one on this machine has noted that it wrote."""
    if python == sys.executable:
        return True
    return hooks.record is not None and not _changed(
        hooks.record, [command for command in commands if command.python == python]
    )


def _interpreter(hooks: _Hooks, python: str, commands: list[HookCommand]) -> Check:
    name = hooks.agent.name
    if not Path(python).is_absolute() or not Path(python).is_file() or not os.access(python, os.X_OK):
        return fail(name, "command", f"{python} is no program that can be run: everything is blocked", hooks.again)
    if not _is_ours(hooks, commands, python):
        what = f"{python} was not noted when it was installed, and is not run by doctor"
        return unknown(name, "command", what, hooks.again)
    ran = run([python, "-I", "-m", "guardhouse", "--version"], timeout=_PATIENCE, cwd=Path("/"))
    if ran.status != 0:
        what = f"{python} can't run guardhouse: everything is blocked"
        return fail(name, "command", what, f"Install guardhouse for it, or {hooks.again}")
    return ok(name, "command", f"{python} runs {ran.stdout.decode('utf-8', 'replace').strip()[:60]}")


def _canaries(hooks: _Hooks, found: Handler, command: HookCommand) -> Iterator[Check]:
    agent, machine = hooks.agent, hooks.machine
    if not _is_ours(hooks, [command], command.python):
        yield unknown(
            agent.name, "canary", "not tried: the command is not one that this installation wrote", hooks.again
        )
        return
    state = Path(command.options.state_dir) if command.options.state_dir else machine.locations.state
    cwd = machine.home if machine.home.is_dir() else Path("/")
    # As the entry stands there, not as it should: it may be of the other form.
    words = agent.runs(found.handler, command)
    closes = agent.closes(found.event, found.handler)
    read = deny_a_read(agent, words, state, cwd, closes=closes)
    if read.answer == "denied" and OWN_FILES.id not in read.detail:
        yield warn(agent.name, "canary", f"a forbidden read is denied, but for another reason: {read.detail}")
    else:
        yield _canary(hooks, "a forbidden read", read)
    garbage = refuse_garbage(agent, words, cwd, closes=closes)
    if garbage.answer == "open":
        yield _canary(hooks, "garbage", garbage)
    else:
        yield ok(agent.name, "canary", "garbage is held back")


def _canary(hooks: _Hooks, call: str, canary: Canary) -> Check:
    name = hooks.agent.name
    if canary.answer == "denied":
        return ok(name, "canary", f"{call} is denied: {canary.detail}")
    if canary.answer == "broken":
        what = f"{call} is held back only because the hook is broken: {canary.detail}"
        return fail(name, "canary", what, f"Everything is blocked. See the other lines, or {hooks.again}")
    return fail(name, "canary", f"THE GATE IS OPEN: {call} is not denied: {canary.detail}", hooks.again)
