"""The hooks that Claude Code's plugins bring: they run beside ours, and stand in no settings file.

Read as far as that is simple: the list of what is installed, and of each plugin that settings enable its own file of
hooks. What can't be read so is named, for a person to look at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.installing.machine import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DIRECTORY: Final = "plugins"
_DIRECTORY_VARIABLE: Final = "CLAUDE_CODE_PLUGIN_CACHE_DIR"
_INSTALLED: Final = "installed_plugins.json"
_HOOKS: Final = "hooks/hooks.json"
_MANIFEST: Final = ".claude-plugin/plugin.json"


class PluginHooks(NamedTuple):
    """What is known of the hooks of the plugins that are switched on."""

    read: tuple[Settings, ...]
    """Files of hooks, in the shape of settings."""
    unread: tuple[str, ...]
    """Plugins whose hooks can't be told."""


def plugin_hooks(user: Path, variables: Mapping[str, str], layers: list[Settings]) -> PluginHooks:
    """The hooks of every plugin that one of the `layers` enables; `user` is the directory of the user's settings."""
    directory = Path(variables.get(_DIRECTORY_VARIABLE) or user / _DIRECTORY)
    places = _places(read_settings(directory / _INSTALLED).value)
    read: list[Settings] = []
    unread: list[str] = []
    for plugin in dict.fromkeys(name for layer in layers for name in _enabled(layer)):
        found = [_hooks_in(Path(place)) for place in places.get(plugin, [])]
        read += [settings for settings in found if settings is not None]
        if not found or None in found:
            unread.append(plugin)
    return PluginHooks(tuple(read), tuple(unread))


def _enabled(layer: Settings) -> Iterator[str]:
    """The plugins that a layer switches on. Another may switch them off again: better one too many is looked at."""
    named = (layer.value or {}).get("enabledPlugins")
    return (name for name, switch in named.items() if switch is True) if isinstance(named, dict) else iter(())


def _places(installed: Any) -> dict[str, list[str]]:
    """Where each plugin lies: one place for each scope that it was installed for, in older files one alone."""
    plugins = installed.get("plugins") if isinstance(installed, dict) else None
    found: dict[str, list[str]] = {}
    for name, entries in plugins.items() if isinstance(plugins, dict) else ():
        several = entries if isinstance(entries, list) else [entries]
        paths = [entry.get("installPath") for entry in several if isinstance(entry, dict)]
        found[name] = [path for path in paths if isinstance(path, str) and path.startswith("/")]
    return found


def _hooks_in(place: Path) -> Settings | None:
    """The hooks of one plugin; None if there may be others than those in the usual file."""
    manifest, hooks = read_settings(place / _MANIFEST), read_settings(place / _HOOKS)
    if not place.is_dir() or manifest.problem or hooks.problem or "hooks" in (manifest.value or {}):
        return None
    return hooks
