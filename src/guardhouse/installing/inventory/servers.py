"""The MCP servers in one file of a client's, and whether each is behind the gateway. Pure: values in, items out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from guardhouse.installing.inventory.interface import Item, Standing
from guardhouse.installing.mcp_servers import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.inventory.places import ServerList

_PROJECTS: Final = "projects"
"""Where Claude Code's own file keeps the lists of single projects."""
_CAN_BE_WRAPPED: Final = frozenset({"mcpServers", "servers"})
"""Lists that `install mcp` knows how to rewrite."""
_SWITCHED_OFF: Final = (("disabled", True), ("enabled", False))
_MOST: Final = 1000


def servers(found: ServerList, path: str, value: Any, client: Standing, title: str) -> Iterator[Item]:
    """Those of a file that was read. `client` is how the agent stands whose servers they are."""
    for place, name, server in _named(found, value):
        entry = Entry((*place, name), name, _plain(server))
        standing, why = _stands(entry, client, title)
        wraps = found.key in _CAN_BE_WRAPPED and path.endswith(".json") and entry.kind == "open"
        fix = f"`guardhouse install mcp {path}`" if wraps and standing != "guarded" else ""
        yield Item(kind="server", name=name, of=found.client, where=path, standing=standing, why=why, fix=fix)


def project_directories(value: Any) -> list[str]:
    """The directories of the projects that Claude Code's own file names."""
    projects = value.get(_PROJECTS) if isinstance(value, Mapping) else None
    return [name for name in projects if name.startswith("/")][:_MOST] if isinstance(projects, Mapping) else []


def _named(found: ServerList, value: Any) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    lists: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((found.key,), _inside(value, found.key))]
    projects = value.get(_PROJECTS) if isinstance(value, Mapping) else None
    for name, project in projects.items() if isinstance(projects, Mapping) else ():
        lists.append(((_PROJECTS, name, found.key), _inside(project, found.key)))
    for place, listed in lists:
        for name, server in listed.items():
            if isinstance(server, Mapping) and not _is_off(server):
                yield place, str(name), server


def _inside(value: Any, key: str) -> Mapping[str, Any]:
    listed = value.get(key) if isinstance(value, Mapping) else None
    return listed if isinstance(listed, Mapping) else {}


def _is_off(server: Mapping[str, Any]) -> bool:
    return any(server.get(key) is value for key, value in _SWITCHED_OFF)


def _plain(server: Mapping[str, Any]) -> dict[str, Any]:
    """The server as most clients write it down: `command` a text, `args` a list."""
    plain = {str(key): value for key, value in server.items()}
    if "cmd" in plain:
        plain["command"] = plain.pop("cmd")
    command = plain.get("command")
    if isinstance(command, list) and command:
        plain["command"], plain["args"] = command[0], [*command[1:]]
    elif isinstance(command, Mapping):
        plain["command"], plain["args"] = command.get("path"), command.get("args")
    return plain


def _stands(entry: Entry, client: Standing, title: str) -> tuple[Standing, str]:
    kind = entry.kind
    if kind == "guarded":
        return "guarded", "behind the gateway"
    if kind == "by hand":
        return "guarded", "behind a gateway that somebody wrote there by hand"
    if client == "guarded":
        return "guarded", f"its calls pass the hooks of {title}"
    if kind == "remote":
        return "open", "reached by URL, in a way that the gateway can't"
    if kind == "unclear":
        return "open", "what stands there is not understood, and not behind the gateway"
    how = "started" if entry.remote is None else "reached by URL,"
    return "open", f"{how} without the gateway"
