"""Looks at what decides whether Gemini CLI, Cursor, Copilot CLI, goose and hermes run our hooks, by their settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.agents import COPILOT, CURSOR, GEMINI, GOOSE, HERMES
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.claude_checks import SAME_USER
from guardhouse.installing.commands import is_own_handler
from guardhouse.installing.hook_settings import handlers, own_handlers
from guardhouse.installing.machine import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.machine import Machine

_ON: Final = frozenset({"1", "true", "yes", "on"})


def settings_checks(agent: Agent, machine: Machine) -> Iterator[Check]:
    """Whether settings switch hooks off, what the other hooks could do, and that the agent is the same user."""
    layers = [read_settings(path) for path in _layers(agent, machine)]
    for layer in layers:
        if layer.problem:
            yield unknown(agent.name, "settings", f"{layer.path} can't be read: {layer.problem}", "Mend it.")
    off = [*_SWITCHES[agent.name](agent, machine, layers)]
    for what, fix in off:
        yield fail(agent.name, "hooks run", what, fix)
    if not off:
        yield ok(agent.name, "hooks run", "no settings switch them off")
    yield from _others(agent, layers)
    yield warn(agent.name, "same user", SAME_USER, "What that leaves open: docs/threat-model.md")


_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    # Where settings lie that matter, in the user's directory (~/) and in the project's (./)
    GEMINI.name: ("~/settings.json", "./settings.json"),
    CURSOR.name: ("~/hooks.json", "./hooks.json"),
    COPILOT.name: (
        "~/settings.json",
        "~/hooks/guardhouse.json",
        "./copilot/settings.json",
        "./copilot/settings.local.json",
        "./hooks/guardhouse.json",
    ),
    GOOSE.name: ("~/hooks/hooks.json", "./hooks/hooks.json", "~/../../settings.json", "./../../settings.json"),
    HERMES.name: ("~/config.yaml",),
}


def _layers(agent: Agent, machine: Machine) -> list[Path]:
    user = agent.settings_directory("user", machine.variables, machine.home, machine.cwd)
    project = agent.settings_directory("project", machine.variables, machine.home, machine.cwd)
    named = [(user if name[0] == "~" else project) / name[2:] for name in _FILES[agent.name]]
    managed = [agent.settings_file("managed", {}, machine.home, machine.cwd)] if agent.managed_file else []
    return list(dict.fromkeys((*managed, *named)))


def _others(agent: Agent, layers: list[Settings]) -> Iterator[Check]:
    for layer in layers:
        for found in handlers(layer.value):
            if found.event == agent.call and not is_own_handler(found.handler, agent.name):
                what = f"{layer.path}: another {agent.call} hook may rewrite a call after it was judged"
                yield warn(agent.name, "other hooks", what, "Make sure that it rewrites nothing.")


# What switches hooks off, as (what, fix)

_Off = tuple[str, str]


def _gemini(agent: Agent, _machine: Machine, layers: list[Settings]) -> Iterator[_Off]:
    for layer in layers:
        config = (layer.value or {}).get("hooksConfig")
        config = config if isinstance(config, dict) else {}
        if config.get("enabled", True) is not True:
            yield f"{layer.path} switches all hooks off", "Take `hooksConfig.enabled` out."
        disabled = config.get("disabled", [])
        names = [name for name in disabled if isinstance(name, str)] if isinstance(disabled, list) else ["?"]
        if any(name in ("guardhouse", "?") or f" hook {agent.name} " in name for name in names):
            yield f"{layer.path} switches our hooks off", "Take them out of `hooksConfig.disabled`."


def _copilot(_agent: Agent, _machine: Machine, layers: list[Settings]) -> Iterator[_Off]:
    for layer in layers:
        value = (layer.value or {}).get("disableAllHooks")
        if value is not None and value is not False:
            yield f"{layer.path} switches hooks off", "Take `disableAllHooks` out."


def _goose(_agent: Agent, machine: Machine, layers: list[Settings]) -> Iterator[_Off]:
    for layer in layers:
        disabled = (layer.value or {}).get("disabledPlugins")
        if isinstance(disabled, list) and "guardhouse" in disabled:
            yield f"{layer.path} switches our plugin off", "Take it out of `disabledPlugins`."
    shadow = GOOSE.settings_directory("project", {}, machine.home, machine.cwd)
    user = GOOSE.settings_directory("user", {}, machine.home, machine.cwd)
    if shadow.is_dir() and shadow.resolve() != user.resolve():
        found = own_handlers(read_settings(shadow / GOOSE.project_file).value, GOOSE)
        if not any(one.event == GOOSE.call for one in found):
            yield f"{shadow} stands in the place of our plugin, and has no hook of ours", "Remove it."


def _hermes(_agent: Agent, machine: Machine, layers: list[Settings]) -> Iterator[_Off]:
    if machine.variables.get("HERMES_SAFE_MODE", "").strip().lower() in _ON:
        yield "HERMES_SAFE_MODE is set here: hermes runs no hooks so", "Unset it."
    directory = HERMES.settings_directory("user", machine.variables, machine.home, machine.cwd)
    given = _consented(directory / "shell-hooks-allowlist.json")
    own = [one for layer in layers for one in own_handlers(layer.value, HERMES)]
    accepts = any((layer.value or {}).get("hooks_auto_accept") is True for layer in layers)
    missing = [one.event for one in own if (one.event, one.handler.get("command")) not in given]
    if missing and not accepts:
        yield f"you have not consented to {', '.join(missing)}, so hermes does not run them", HERMES.then


def _consented(file: Path) -> set[tuple[Any, Any]]:
    try:
        kept = json.loads(file.read_bytes()).get("approvals")
    except (OSError, ValueError, AttributeError, RecursionError):
        return set()  # then hermes knows of no consent either
    entries = [entry for entry in kept if isinstance(entry, dict)] if isinstance(kept, list) else []
    texts = [(entry.get("event"), entry.get("command")) for entry in entries]
    return {(event, command) for event, command in texts if isinstance(event, str) and isinstance(command, str)}


def _none(_agent: Agent, _machine: Machine, _layers: list[Settings]) -> Iterator[_Off]:
    return iter(())


_SWITCHES: Final[Mapping[str, Callable[[Agent, Machine, list[Settings]], Iterator[_Off]]]] = {
    GEMINI.name: _gemini,
    CURSOR.name: _none,
    COPILOT.name: _copilot,
    GOOSE.name: _goose,
    HERMES.name: _hermes,
}
