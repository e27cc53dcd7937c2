"""Looks at what else Claude Code's settings say: whether hooks run at all, and who may change what they answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.claude_plugins import plugin_hooks
from guardhouse.installing.commands import is_own_handler
from guardhouse.installing.hook_settings import handlers
from guardhouse.installing.machine import Settings, read_settings
from guardhouse.installing.variables import meddling_with_hooks, switched_off

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.hook_settings import Handler
    from guardhouse.installing.machine import Machine

_MANAGED: Final = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
_PLUGINS_ONLY: Final = "strictPluginOnlyCustomization"
_REMOTE: Final = "remote-settings.json"
"""What an administrator has sent, in the directory of the user's settings."""
_REWRITING: Final = ("PreToolUse", "PostToolUse")
"""Events whose hooks may replace what is sent or shown. They run side by side, and the last one to answer wins."""
_ANSWERING: Final = "PermissionRequest"
"""The event whose hooks may say yes in the user's place, also where our hook has said that the user is to be asked."""


def settings_checks(agent: Agent, machine: Machine) -> Iterator[Check]:
    """The layers of settings, what the other hooks could do, and whether there is a sandbox."""
    user = agent.settings_directory("user", machine.variables, machine.home, machine.cwd)
    project = agent.settings_directory("project", machine.variables, machine.home, machine.cwd)
    managed = [*map(read_settings, (*_managed_files(), user / _REMOTE))]
    own = read_settings(user / "settings.json")
    names = ("settings.json", "settings.local.json") if project != user else ("settings.local.json",)
    of_project = [read_settings(project / name) for name in names]
    layers = [*managed, own, *of_project]
    plugins = plugin_hooks(user, machine.variables, layers)
    for layer in managed:
        if layer.problem:
            yield unknown(agent.name, "settings", f"{layer.path} can't be read: {layer.problem}")
    yield from _switched_off(agent, layers, managed)
    yield from _environment(agent, layers, machine)
    yield from _others(agent, [*layers, *plugins.read])
    yield from _answering(agent, [*managed, own, *plugins.read], of_project)
    if plugins.unread:
        what = f"hooks of plugins run beside ours, and these can't be read here: {', '.join(plugins.unread)}"
        yield warn(agent.name, "other hooks", what, "Look at them in Claude Code: `/hooks`.")
    yield _sandbox(agent, layers)


def _managed_files() -> list[Path]:
    files = list(_MANAGED)
    for file in _MANAGED:
        directory = file.with_name("managed-settings.d")
        files += sorted(directory.glob("*.json")) if directory.is_dir() else []
    return files


def _switched_off(agent: Agent, layers: list[Settings], managed: list[Settings]) -> Iterator[Check]:
    off = [str(layer.path) for layer in layers if _says(layer, "disableAllHooks")]
    only = [str(layer.path) for layer in managed if _says(layer, "allowManagedHooksOnly")]
    strict = [str(layer.path) for layer in managed if _locks_hooks(layer)]
    for file in strict:
        what = f"{file} lets only hooks of plugins and of the administrator run (`{_PLUGINS_ONLY}`)"
        yield fail(agent.name, "hooks run", what, "Have the administrator install the hooks.")
    for file in off:
        yield fail(agent.name, "hooks run", f"{file} switches all hooks off", "Take `disableAllHooks` out.")
    for file in only:
        what = f"{file} lets only the administrator's hooks run"
        yield fail(agent.name, "hooks run", what, "Have the administrator install the hooks.")
    if not off and not only and not strict:
        yield ok(agent.name, "hooks run", "no settings switch them off")


def _says(layer: Settings, key: str) -> bool:
    """Whether a layer sets a switch. Whatever is neither missing nor plainly off counts as on."""
    value = None if layer.value is None else layer.value.get(key)
    return value is not None and value is not False


def _locks_hooks(layer: Settings) -> bool:
    """Whether an administrator's layer keeps the hooks of settings from running. It may name what it locks."""
    value = (layer.value or {}).get(_PLUGINS_ONLY)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return "hooks" in value
    return value is not None and value is not False


def _environment(agent: Agent, layers: list[Settings], machine: Machine) -> Iterator[Check]:
    """Variables that the agent hands to hooks, or that decide whether it runs any."""
    found = [(layer.path, meddling_with_hooks((layer.value or {}).get("env"))) for layer in layers]
    for path, names in found:
        if names:
            what = f"{path}: its `env` decides over the hooks: {', '.join(names)}"
            yield fail(agent.name, "environment", what, "Take it out.")
    here = switched_off(machine.variables)
    if here:
        what = f"{', '.join(here)} is set here: an agent that is started so runs no hooks"
        yield fail(agent.name, "environment", what, "Unset it.")
    if not here and not any(names for _path, names in found):
        yield ok(agent.name, "environment", "no settings change what hooks are given")


def _others(agent: Agent, layers: list[Settings]) -> Iterator[Check]:
    for layer in layers:
        others = {
            found.event: str(found.handler.get("command") or found.handler.get("type"))
            for found in handlers(layer.value)
            if found.event in _REWRITING and not is_own_handler(found.handler, agent.name)
        }
        for event, command in others.items():
            what = f"{layer.path}: another {event} hook may rewrite what was judged or masked: {command[:100]}"
            yield warn(agent.name, "other hooks", what, "Make sure that it rewrites nothing.")


def _answering(agent: Agent, own: list[Settings], of_project: list[Settings]) -> Iterator[Check]:
    """Hooks that may answer what only a person should. Those in a project may have come with a repository."""
    for layers, say in ((own, warn), (of_project, fail)):
        for layer in layers:
            commands = [str(one.handler.get("command") or one.handler.get("type")) for one in _foreign(agent, layer)]
            if commands:
                what = f"{layer.path}: a {_ANSWERING} hook may allow what Guardhouse asks you: {commands[0][:100]}"
                yield say(agent.name, "answering hooks", what, "Take it out, or make sure that it never allows.")


def _foreign(agent: Agent, layer: Settings) -> Iterator[Handler]:
    found = (one for one in handlers(layer.value) if one.event == _ANSWERING)
    return (one for one in found if not is_own_handler(one.handler, agent.name))


def _sandbox(agent: Agent, layers: list[Settings]) -> Check:
    sandboxes: list[Any] = [layer.value.get("sandbox") for layer in layers if layer.value]
    if any(isinstance(sandbox, dict) and sandbox.get("enabled") is True for sandbox in sandboxes):
        what = "runs as you; its commands run in a sandbox, its other tools do not"
        return warn(agent.name, "same user", what, "What that leaves open: docs/threat-model.md")
    return warn(agent.name, "same user", SAME_USER, "Switch its sandbox on. What stays open: docs/threat-model.md")


SAME_USER: Final = (
    "runs as you, without a sandbox: a program that you let it run could change Guardhouse's files, end its processes,"
    " or answer in your place"
)
