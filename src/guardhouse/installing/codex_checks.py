"""Looks at what decides whether Codex runs our hooks: trust, switches, the administrator; and at its sandbox."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.agents import CODEX
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.claude_checks import SAME_USER
from guardhouse.installing.codex_trust import Trust, trust_of
from guardhouse.installing.commands import is_own_handler
from guardhouse.installing.hook_settings import Handler, handlers
from guardhouse.installing.machine import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.agents import Agent, Scope
    from guardhouse.installing.machine import Machine

_REQUIREMENTS: Final = Path("/etc/codex/requirements.toml")
_SYSTEM: Final = (Path("/etc/codex/config.toml"), Path("/etc/codex/managed_config.toml"))
_SWITCHES: Final = ("hooks", "codex_hooks")
_TRUST_IT: Final = "Start `codex`, type `/hooks`, and trust the hooks of Guardhouse."
_WORDS: Final[dict[Trust, str]] = {
    "untrusted": "not trusted, so Codex does not run them",
    "changed": "trusted with another content, so Codex does not run them",
    "disabled": "switched off in Codex",
}


def trust_checks(machine: Machine, settings: Settings, own: list[Handler]) -> Iterator[Check]:
    """Whether a person has trusted our hooks in a file."""
    config = _config(machine)
    if config.problem:
        yield unknown(CODEX.name, "trust", f"{config.path} can't be read: {config.problem}", "Mend it.")
        return
    found = {handler.event: trust_of(handler, settings.path, config.value or {}) for handler in own}
    for trust, words in _WORDS.items():
        events = [event for event, its in found.items() if its == trust]
        if events:
            yield fail(CODEX.name, "trust", f"{settings.path}: {words}: {', '.join(events)}", _TRUST_IT)
    unclear = [event for event, its in found.items() if its == "unknown"]
    if unclear:
        what = f"{settings.path}: it can't be told whether Codex trusts {', '.join(unclear)}"
        yield unknown(CODEX.name, "trust", what, "Look in Codex: `/hooks`.")
    if set(found.values()) == {"trusted"}:
        yield ok(CODEX.name, "trust", f"{settings.path}: Codex trusts all of them as they are")
    if settings.path.is_relative_to(machine.cwd / CODEX.directory) and not _trusts_project(machine, config):
        yield fail(CODEX.name, "trust", f"Codex does not trust the project {machine.cwd}", "Start `codex` there once.")


def settings_checks(agent: Agent, machine: Machine) -> Iterator[Check]:
    """The switches, the other hooks, and whether there is a sandbox."""
    config, requirements = _config(machine), read_settings(_REQUIREMENTS)
    layers = [config, *map(read_settings, _further_files(machine))]
    for layer in (*layers, requirements):
        if layer.problem:
            yield unknown(agent.name, "settings", f"{layer.path} can't be read: {layer.problem}", "Mend it.")
    off = [f"{layer.path}{where}" for layer in layers for where in _switched_off(layer.value or {})]
    for where in off:
        yield fail(agent.name, "hooks run", f"{where} switches hooks off", "Take that out of `features`.")
    only = bool((requirements.value or {}).get("allow_managed_hooks_only"))
    if only:
        what = f"{requirements.path} lets only the administrator's hooks run"
        yield fail(agent.name, "hooks run", what, "Have the administrator install the hooks.")
    if not off and not only:
        yield ok(agent.name, "hooks run", "no settings switch them off")
    yield from _others(agent, machine, layers)
    sandbox = (config.value or {}).get("sandbox_mode")
    if sandbox == "danger-full-access":
        yield warn(agent.name, "same user", SAME_USER, "Use another `sandbox_mode`. See docs/threat-model.md")
    else:
        what = f"runs as you; its commands run in Codex's sandbox ({sandbox or 'the default'}), its other tools do not"
        yield warn(agent.name, "same user", what, "What that leaves open: docs/threat-model.md")


def _further_files(machine: Machine) -> list[Path]:
    """Layers besides the user's own: the system's, those of profiles, and those of the project and around it."""
    user = CODEX.settings_directory("user", machine.variables, machine.home, machine.cwd)
    profiles = sorted(user.glob("*.config.toml")) if user.is_dir() else []
    around = [place / CODEX.directory / "config.toml" for place in (machine.cwd, *machine.cwd.parents)]
    files = dict.fromkeys((*_SYSTEM, *profiles, *around))
    return [file for file in files if os.path.realpath(file) != os.path.realpath(user / "config.toml")]


def _switched_off(value: dict[str, Any]) -> Iterator[str]:
    """Where a layer switches hooks off: for itself, or in one of its profiles."""
    if _says_off(value):
        yield ""
    profiles = value.get("profiles")
    for name, profile in profiles.items() if isinstance(profiles, dict) else ():
        if isinstance(profile, dict) and _says_off(profile):
            yield f" (profile {name})"


def _says_off(value: dict[str, Any]) -> bool:
    """Whatever is neither missing nor plainly on counts as off."""
    features = value.get("features")
    given = [features.get(switch) for switch in _SWITCHES] if isinstance(features, dict) else []
    return any(switch is not None and switch is not True for switch in given)


def _others(agent: Agent, machine: Machine, layers: list[Settings]) -> Iterator[Check]:
    """Hooks stand in files of their own, and in every layer of the configuration."""
    scopes: tuple[Scope, ...] = ("user", "project")
    files = [agent.settings_file(scope, machine.variables, machine.home, machine.cwd) for scope in scopes]
    for settings in (*map(read_settings, dict.fromkeys(files)), *layers):
        for found in handlers(settings.value):
            if found.event == "PreToolUse" and not is_own_handler(found.handler, agent.name):
                what = f"{settings.path}: another PreToolUse hook may rewrite a call after it was judged"
                yield warn(agent.name, "other hooks", what, "Make sure that it rewrites nothing.")


def _config(machine: Machine) -> Settings:
    directory = CODEX.settings_directory("user", machine.variables, machine.home, machine.cwd)
    return read_settings(directory / "config.toml")


def _table(settings: Settings, key: str) -> dict[str, Any]:
    value = (settings.value or {}).get(key)
    return value if isinstance(value, dict) else {}


def _trusts_project(machine: Machine, config: Settings) -> bool:
    projects = _table(config, "projects")
    entries = [projects.get(str(place)) for place in (machine.cwd, *machine.cwd.parents)]
    return any(isinstance(entry, dict) and entry.get("trust_level") == "trusted" for entry in entries)
