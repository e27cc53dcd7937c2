"""What the user allowed with `guardhouse allow`: entries for allowlists, in a file of their own.

The file has the form of a configuration, so it is read, checked and merged like one; it only ever adds entries. The
user's own configuration is never rewritten by a command.
"""

from __future__ import annotations

from os.path import normpath
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError
from guardhouse.net import NetworkRules, NetworkSettings
from guardhouse.policy import Configuration
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

    def add(self, kind: Kind, entry: str, capabilities: Sequence[str] = (), *, pinned_to: str | None = None) -> bool:
        """Allow `entry`; False if it was allowed already. What is said of a tool can be pinned to a digest of its
        description; what was said of another description then no longer counts, and is replaced."""
        data = self._read()
        entry = _canonical(kind, entry)
        if kind == "tool" and pinned_to is not None:
            return self._add_pinned(data, entry, known_capabilities(capabilities), pinned_to)
        known = self._has(data, kind, entry)
        values = self._values(data, kind, entry)
        wanted = known_capabilities(capabilities) if kind == "tool" else [entry]
        new = [value for value in wanted if value not in values]
        if known and not new:
            return False
        values += new
        write_json(self._path, data)
        return True

    def _add_pinned(self, data: dict[str, Any], entry: str, wanted: list[str], pinned_to: str) -> bool:
        tools = data.setdefault("guard", {}).setdefault("tools", {})
        before = tools.get(entry)
        said = before["capabilities"] if before is not None and before.get("pinned_to") == pinned_to else []
        tools[entry] = {"capabilities": list(dict.fromkeys([*said, *wanted])), "pinned_to": pinned_to}
        if tools[entry] == before:
            return False
        write_json(self._path, data)
        return True

    def remove(self, kind: Kind, entry: str) -> bool:
        """Allow `entry` no longer; False if it was not allowed."""
        data = self._read()
        entry = _canonical(kind, entry)
        if not self._has(data, kind, entry):
            return False
        if kind == "tool":
            del data["guard"]["tools"][entry]
        else:
            self._values(data, kind, entry).remove(entry)
        write_json(self._path, data)
        return True

    def entries(self) -> list[tuple[Kind, str]]:
        """Everything that is allowed."""
        data = self._read()
        kinds: tuple[Kind, ...] = ("domain", "command", "path")
        found = [(kind, value) for kind in kinds for value in self._values(data, kind, "")]
        found += [
            ("tool", f"{name}: {', '.join(section['capabilities']) or 'nothing of consequence'}{_pinned(section)}")
            for name, section in data.get("guard", {}).get("tools", {}).items()
        ]
        return found

    def _read(self) -> dict[str, Any]:
        data = read_json(self._path)
        try:
            msgspec.convert(data, Configuration)
        except msgspec.ValidationError:
            raise GuardhouseError(f"{self._path} is damaged.", fix="Move it away and start again.") from None
        return data

    def _has(self, data: dict[str, Any], kind: Kind, entry: str) -> bool:
        if kind == "tool":
            return entry in data.get("guard", {}).get("tools", {})
        return entry in self._values(data, kind, entry)

    def _values(self, data: dict[str, Any], kind: Kind, entry: str) -> list[str]:
        key = ("tools", entry, "capabilities") if kind == "tool" else _KEYS[kind]
        section = data.setdefault("guard", {})
        for part in key[:-1]:
            section = section.setdefault(part, {})
        values: list[str] = section.setdefault(key[-1], [])
        return values


def _pinned(section: dict[str, Any]) -> str:
    return f" (as described by {section['pinned_to'][:19]}…)" if section.get("pinned_to") else ""


def _canonical(kind: Kind, entry: str) -> str:
    """The one way an entry is written, so that what was added can be taken back; an error for one that can't work."""
    match kind:
        case "domain":
            NetworkRules(NetworkSettings(allowed_domains=(entry,)))
            return entry.lower().rstrip(".")
        case "command" if not entry.strip() or entry.split(maxsplit=1)[0] == "*":
            raise GuardhouseError("That would allow every command, or none.", fix="Name the program: `git log *`.")
        case "path" if not entry.startswith(("/", "~/")):
            raise GuardhouseError("A path to allow is absolute.", fix="Start it with `/` or `~/`.")
        case "path":
            path = normpath(entry)
            if path in {"/", "//", "~"}:
                raise GuardhouseError("That would allow everything.", fix="Name a directory of its own.")
            return path
        case "tool":
            return tool_name(entry)
    return entry.strip()


def known_capabilities(names: Sequence[str]) -> list[str]:
    """The names, if they all are capabilities; GuardhouseError if one is not."""
    known = [capability.value for capability in Capability]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GuardhouseError(f"`{unknown[0]}` is no capability.", fix=f"Known: {', '.join(known)}.")
    return list(names)
