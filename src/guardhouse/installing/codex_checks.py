"""Looks at what decides whether Codex runs our hooks: trust, switches, the administrator; and at its sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.agents import CODEX
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.claude_checks import SAME_USER
from guardhouse.installing.codex_trust import Trust, trust_of
from guardhouse.installing.commands import is_hook_command
from guardhouse.installing.hook_settings import Handler, handlers
from guardhouse.installing.machine import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.machine import Machine

_REQUIREMENTS: Final = Path("/etc/codex/requirements.toml")
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
    for layer in (config, requirements):
        if layer.problem:
            yield unknown(agent.name, "settings", f"{layer.path} can't be read: {layer.problem}", "Mend it.")
    features = _table(config, "features")
    if features.get("hooks") is False or features.get("codex_hooks") is False:
        yield fail(agent.name, "hooks run", f"{config.path} switches hooks off", "Take that out of `[features]`.")
    elif (requirements.value or {}).get("allow_managed_hooks_only"):
        what = f"{requirements.path} lets only the administrator's hooks run"
        yield fail(agent.name, "hooks run", what, "Have the administrator install the hooks.")
    else:
        yield ok(agent.name, "hooks run", "no settings switch them off")
    yield from _others(agent, machine)
    sandbox = (config.value or {}).get("sandbox_mode")
    if sandbox == "danger-full-access":
        yield warn(agent.name, "same user", SAME_USER, "Use another `sandbox_mode`. See docs/threat-model.md")
    else:
        what = f"runs as you; its commands run in Codex's sandbox ({sandbox or 'the default'}), its other tools do not"
        yield warn(agent.name, "same user", what, "What that leaves open: docs/threat-model.md")


def _others(agent: Agent, machine: Machine) -> Iterator[Check]:
    for scope in ("user", "project"):
        file = agent.settings_file(scope, machine.variables, machine.home, machine.cwd)
        for found in handlers(read_settings(file).value):
            if found.event == "PreToolUse" and not is_hook_command(found.handler.get("command"), agent.name):
                what = f"{file}: another PreToolUse hook may rewrite a call after it was judged"
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
