"""What the user allowed with `guardhouse allow`: entries for allowlists, in a file of their own.

The file has the form of a configuration, so it is read, checked and merged like one; it only ever adds entries. The
user's own configuration is never rewritten by a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError
from guardhouse.net import NetworkRules, NetworkSettings
from guardhouse.trust import Capability, tool_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Kind = Literal["domain", "command", "path", "tool"]

_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "domain": ("network", "default", "allowed_domains"),
    "command": ("commands", "allowed"),
    "path": ("paths", "allowed_directories"),
}


class Allowances:
    """The user's additions."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, kind: Kind, entry: str, capabilities: Sequence[str] = ()) -> bool:
        """Allow `entry`; False if it was allowed already."""
        data = read_json(self._path)
        values = self._values(data, kind, entry)
        wanted = self._wanted(kind, entry, capabilities)
        new = [value for value in wanted if value not in values]
        if not new and values:
            return False
        values += new
        write_json(self._path, data)
        return True

    def remove(self, kind: Kind, entry: str) -> bool:
        """Allow `entry` no longer; False if it was not allowed."""
        data = read_json(self._path)
        if kind == "tool":
            tools = data.get("guard", {}).get("tools", {})
            found = tools.pop(tool_name(entry), None) is not None
        else:
            values = self._values(data, kind, entry)
            found = entry in values
            if found:
                values.remove(entry)
        if found:
            write_json(self._path, data)
        return found

    def entries(self) -> list[tuple[Kind, str]]:
        """Everything that is allowed."""
        guard = read_json(self._path).get("guard", {})
        found: list[tuple[Kind, str]] = []
        for kind in ("domain", "command", "path"):
            section: Any = guard
            for part in _KEYS[kind]:
                section = section.get(part, {}) if isinstance(section, dict) else {}
            found += [(kind, value) for value in section]
        found += [
            ("tool", f"{name}: {', '.join(section['capabilities']) or 'nothing of consequence'}")
            for name, section in guard.get("tools", {}).items()
        ]
        return found

    def _values(self, data: dict[str, Any], kind: Kind, entry: str) -> list[str]:
        key = ("tools", tool_name(entry), "capabilities") if kind == "tool" else _KEYS[kind]
        section = data.setdefault("guard", {})
        for part in key[:-1]:
            section = section.setdefault(part, {})
        values: list[str] = section.setdefault(key[-1], [])
        return values

    def _wanted(self, kind: Kind, entry: str, capabilities: Sequence[str]) -> list[str]:
        match kind:
            case "domain":
                NetworkRules(NetworkSettings(allowed_domains=(entry,)))
            case "path" if not entry.startswith(("/", "~/")):
                raise GuardhouseError("A path to allow is absolute.", fix="Start it with `/` or `~/`.")
            case "tool":
                known = [capability.value for capability in Capability]
                unknown = [name for name in capabilities if name not in known]
                if unknown:
                    raise GuardhouseError(f"`{unknown[0]}` is no capability.", fix=f"Known: {', '.join(known)}.")
                return list(capabilities)
        return [entry]
