"""A client's list of MCP servers, rewritten so that each server that it starts runs behind the gateway, and back.

Servers that are reached by URL are not started by the client and stay as they are; they are named, because nobody
guards them. Pure: text in, text out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.installing.commands import Options, gateway_arguments, read_gateway_arguments
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from guardhouse.installing.json_text import JsonText

_LISTS: Final = ("mcpServers", "servers")
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_NAME: Final = 48

Claims = Mapping[str, tuple[str, ...]]
"""Names of servers, each with the command line it stands for."""
NOTHING: Final[Claims] = {}


class Servers(NamedTuple):
    """The servers of a list, by how they stand to the gateway."""

    guarded: tuple[str, ...]
    open: tuple[str, ...]
    """Started by the client, without the gateway."""
    remote: tuple[str, ...]
    """Reached by URL, or not understood: they can't be put behind it."""


def survey(value: Any) -> Servers:
    """Which servers there are. GuardhouseError if there is no list of servers."""
    guarded: list[str] = []
    plain: list[str] = []
    remote: list[str] = []
    for name, server in value[_list_of(value)].items():
        if _is_guarded(server):
            guarded.append(name)
        else:
            (plain if _is_started(server) else remote).append(name)
    return Servers(tuple(guarded), tuple(plain), tuple(remote))


def with_gateway(
    text: JsonText, python: str, options: Options, only: tuple[str, ...] = (), elsewhere: Claims = NOTHING
) -> JsonText:
    """With every server behind the gateway, or `only` those. GuardhouseError if one of those can't be.

    `elsewhere` has the names that are taken by other lists, with their commands: a name means one command.
    """
    place = _list_of(text.value)
    names = _names(text.value[place], elsewhere)
    for missing in only:
        if missing not in text.value[place]:
            raise GuardhouseError(f"There is no server {missing!r} in the list.", fix="Name one that is there.")
        if missing in survey(text.value).remote:
            raise GuardhouseError(f"The server {missing!r} is not one that the client starts.")
    for name in only or tuple(text.value[place]):
        server = text.value[place][name]
        guarded = read_gateway_arguments(server.get("args")) if _is_guarded(server) else None
        if guarded is None and not _is_started(server):
            continue
        command = guarded.command if guarded else server["command"]
        given = guarded.arguments if guarded else server.get("args", [])
        text = _rewritten(text, (place, name), python, gateway_arguments(names[name], options, command, given))
    return text


def claims(value: Any) -> dict[str, tuple[str, ...]]:
    """The names of the servers of a list that are behind the gateway."""
    servers = value[_list_of(value)].values()
    found = [read_gateway_arguments(server["args"]) for server in servers if _is_guarded(server)]
    return {server.name: (server.command, *server.arguments) for server in found if server is not None}


def without_gateway(text: JsonText, only: tuple[str, ...] = ()) -> JsonText:
    """With every server as it was before it was put behind the gateway."""
    place = _list_of(text.value)
    for name in only or tuple(text.value[place]):
        server = text.value[place].get(name)
        guarded = read_gateway_arguments(server.get("args")) if _is_guarded(server) else None
        if guarded is not None:
            text = _rewritten(text, (place, name), guarded.command, guarded.arguments)
            if not guarded.arguments:
                text = text.removed((place, name, "args"))
    return text


def _rewritten(text: JsonText, path: tuple[str, str], command: str, arguments: list[str]) -> JsonText:
    server = text.value[path[0]][path[1]]
    if server["command"] != command:
        text = text.replaced((*path, "command"), command)
    if "args" not in server:
        return text.added(path, "args", arguments)
    return text if server["args"] == arguments else text.replaced((*path, "args"), arguments)


def _list_of(value: Any) -> str:
    for name in _LISTS:
        if isinstance(value, dict) and isinstance(value.get(name), dict):
            return name
    raise GuardhouseError("It has no list of servers: neither `mcpServers` nor `servers`.", fix="Name another file.")


def _is_started(server: Any) -> bool:
    """Whether the client starts the server itself, by a command that is understood."""
    if not isinstance(server, dict) or not isinstance(server.get("command"), str) or not server["command"]:
        return False
    arguments = server.get("args", [])
    plain = isinstance(arguments, list) and all(isinstance(word, str) for word in arguments)
    return plain and server.get("type", "stdio") == "stdio" and "url" not in server


def _is_guarded(server: Any) -> bool:
    return _is_started(server) and read_gateway_arguments(server.get("args")) is not None


def _names(servers: dict[str, Any], elsewhere: Claims) -> dict[str, str]:
    """A name for each server that the gateway takes: its key, cleaned; a number where two become equal."""
    names: dict[str, str] = {}
    for key, server in servers.items():
        guarded = read_gateway_arguments(server.get("args")) if _is_guarded(server) else None
        if guarded is not None:
            names[key] = guarded.name
    taken = set(names.values())
    for key, server in servers.items():
        if key not in names and _is_started(server):
            line = (server["command"], *server.get("args", ()))
            names[key] = _free(_cleaned(key), taken | {name for name, its in elsewhere.items() if its != line})
            taken.add(names[key])
    return names


def _cleaned(key: str) -> str:
    name = "".join(char if char in _NAME_CHARACTERS else "-" for char in key.lower())
    while "__" in name or "--" in name:
        name = name.replace("__", "_").replace("--", "-")
    return name[:_LONGEST_NAME].strip("-_") or "server"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
