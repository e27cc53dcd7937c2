"""A client's lists of MCP servers, rewritten so that each server that it starts runs behind the gateway, and back.

A server that is reached by URL becomes a gateway that the client starts, and the values of its headers become variables
of that. Those that can't be reached by a gateway stay as they are, and are named, because nobody guards them. Pure:
text in, text out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from guardhouse.installing.commands import (
    Guarded,
    Options,
    Remote,
    gateway_arguments,
    gateway_to_url_arguments,
    read_foreign_gateway,
    read_gateway_arguments,
)
from guardhouse.installing.variables import meddling_with_gateway
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.installing.json_text import Path
    from guardhouse.installing.settings_text import SettingsText

_LISTS: Final = ("mcpServers", "servers")
_PROJECTS: Final = "projects"
"""Where Claude Code's own file keeps lists of single projects."""
_STARTED: Final = frozenset({"stdio", "local"})
"""Types of servers that a client starts, as clients spell them."""
_ADDRESSES: Final = ("url", "serverUrl", "httpUrl")
_STREAMABLE: Final = frozenset({"", "http", "streamable-http", "streamable_http", "streamablehttp"})
"""Types of servers that speak streamable HTTP, in lower case."""
_SIGNING_IN: Final = ("auth", "headershelper")
"""What keys have in them that tell the client how to sign in by itself, which a gateway can't do for it."""
_HEADER: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")
_VARIABLE: Final = "MCP_HEADER_"
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_NAME: Final = 48

Claims = Mapping[str, tuple[str, ...]]
"""Names of servers, each with the command line it stands for."""
NOTHING: Final[Claims] = {}

_Kind = Literal["guarded", "by hand", "open", "unclear", "remote"]


class Servers(NamedTuple):
    """The servers of all lists in a file, by how they stand to the gateway."""

    guarded: tuple[str, ...]
    open: tuple[str, ...]
    """Started by the client, or reached by URL, without the gateway."""
    remote: tuple[str, ...]
    """Reached by URL in a way that the gateway can't."""
    unclear: tuple[str, ...] = ()
    """With a command that the client may start, in an entry that is not understood: not guarded."""
    by_hand: tuple[str, ...] = ()
    """Behind a gateway that somebody wrote there without `install`."""


class Entry(NamedTuple):
    """One server, and where it stands."""

    path: Path
    label: str
    """Its name, with the project that it is for."""
    server: Any

    @property
    def name(self) -> str:
        """What the client calls it."""
        return str(self.path[-1])

    @property
    def kind(self) -> _Kind:
        """How it stands to the gateway."""
        server = self.server
        if not isinstance(server, dict) or server.get("command") in (None, ""):
            return "remote" if self.remote is None else "open"
        if not _is_understood(server):
            return "unclear"
        if read_gateway_arguments(server.get("args")) is not None:
            return "guarded"
        return "open" if read_foreign_gateway(server["command"], server.get("args")) is None else "by hand"

    @property
    def remote(self) -> Remote | None:
        """Where it is, if it is reached by URL in a way that the gateway can; its headers without variables."""
        return _read_remote(self.server) if isinstance(self.server, dict) else None

    @property
    def guarded(self) -> Guarded | None:
        """The server behind the gateway; None if there is none."""
        match self.kind:
            case "guarded":
                return read_gateway_arguments(self.server.get("args"))
            case "by hand":
                return read_foreign_gateway(self.server["command"], self.server.get("args"))
        return None

    @property
    def line(self) -> tuple[str, ...]:
        """The command line of the server itself."""
        behind = self.guarded
        remote = self.remote if behind is None else behind.remote
        if remote is not None:
            return ("--url", remote.url)
        if behind is not None:
            return (behind.command, *behind.arguments)
        return (self.server["command"], *(self.server.get("args") or ()))


def entries(value: Any) -> list[Entry]:
    """Every server of every list. GuardhouseError if there is no list of servers."""
    found: list[Entry] = []
    lists = _lists(value)
    for path, servers in lists:
        where = f" (in {path[1]})" if path[0] == _PROJECTS else f" (in {path[0]})" if path != lists[0][0] else ""
        found += [Entry((*path, name), f"{name}{where}", server) for name, server in servers.items()]
    return found


def _lists(value: Any) -> list[tuple[Path, dict[str, Any]]]:
    top = value if isinstance(value, dict) else {}
    found: list[tuple[Path, dict[str, Any]]] = [((name,), top[name]) for name in _LISTS if _is_object(top.get(name))]
    projects = top.get(_PROJECTS)
    for key, project in projects.items() if isinstance(projects, dict) else ():
        servers = project.get(_LISTS[0]) if isinstance(project, dict) else None
        if isinstance(servers, dict):
            found.append(((_PROJECTS, key, _LISTS[0]), servers))
    if not found:
        raise GuardhouseError(
            "It has no list of servers: neither `mcpServers` nor `servers`.", fix="Name another file."
        )
    return found


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_understood(server: dict[str, Any]) -> bool:
    """Whether it is plain that the client starts this command with these arguments, and reaches nothing by URL."""
    arguments, kind = server.get("args"), server.get("type")
    plain = arguments is None or (isinstance(arguments, list) and all(isinstance(word, str) for word in arguments))
    started = kind in (None, "") or (isinstance(kind, str) and kind.casefold() in _STARTED)
    near = all(server.get(key) in (None, "") for key in _ADDRESSES)
    return isinstance(server["command"], str) and plain and started and near


def _read_remote(server: dict[str, Any]) -> Remote | None:
    addresses = [key for key in _ADDRESSES if server.get(key) not in (None, "")]
    kind, headers = server.get("type"), server.get("headers")
    if server.get("command") not in (None, "") or server.get("args") or len(addresses) != 1:
        return None
    (key,) = addresses
    url = server[key]
    plain = isinstance(url, str) and not url.partition("?")[0].rstrip("/").endswith("/sse")
    known = kind is None or (isinstance(kind, str) and kind.casefold() in _STREAMABLE)
    named = headers is None or (
        isinstance(headers, dict)
        and all(name and _HEADER.issuperset(name) and isinstance(value, str) for name, value in headers.items())
    )
    signs_in = any(word in name.casefold() for name in server for word in _SIGNING_IN)
    if not (plain and known and named) or signs_in or not isinstance(server.get("env", {}), dict):
        return None
    return Remote(url, key if kind is None else f"{key},{kind}", tuple((name, "") for name in headers or ()))


def survey(value: Any) -> Servers:
    """Which servers there are. GuardhouseError if there is no list of servers."""
    labels: dict[_Kind, list[str]] = {kind: [] for kind in ("guarded", "by hand", "open", "unclear", "remote")}
    for entry in entries(value):
        labels[entry.kind].append(entry.label)
    return Servers(
        guarded=(*labels["guarded"], *labels["by hand"]),
        open=tuple(labels["open"]),
        remote=tuple(labels["remote"]),
        unclear=tuple(labels["unclear"]),
        by_hand=tuple(labels["by hand"]),
    )


def with_gateway(
    text: SettingsText, python: str, options: Options, only: tuple[str, ...] = (), elsewhere: Claims = NOTHING
) -> SettingsText:
    """With every server behind the gateway, or `only` those. GuardhouseError if one of those can't be, or if one has
    variables that would decide what the gateway itself loads.

    `elsewhere` has the names that are taken by other lists, with their commands: a name means one command. What
    somebody has put behind a gateway by hand stays as it is.
    """
    found = entries(text.value)
    _require(only, found)
    names = _names(found, elsewhere)
    changes = _Changes()
    for entry in found:
        if (not only or entry.name in only) and entry.kind in {"guarded", "open"}:
            _refuse_meddling(entry)
            behind, name = entry.guarded, names[entry.path]
            if behind is None and entry.remote is not None:
                changes.start(entry, python, name, options, entry.remote)
            elif behind is not None and behind.remote is not None:
                changes.rewrite(entry, python, gateway_to_url_arguments(name, options, behind.remote))
            else:
                command, *arguments = entry.line
                changes.rewrite(entry, python, gateway_arguments(name, options, command, arguments))
    return changes.applied(text)


def _require(only: tuple[str, ...], found: list[Entry]) -> None:
    for name in only:
        kinds = {entry.kind for entry in found if entry.name == name}
        if not kinds:
            raise GuardhouseError(f"There is no server {name!r} in the list.", fix="Name one that is there.")
        if kinds <= {"remote", "unclear"}:
            raise GuardhouseError(f"The server {name!r} is not one that the client starts, or is not understood.")


def _refuse_meddling(entry: Entry) -> None:
    """The gateway has the environment of its server, and is told its places; what it loads nobody can tell it."""
    names = meddling_with_gateway(entry.server.get("env"), is_told_its_places=True)
    if names:
        raise GuardhouseError(
            f"The `env` of the server {entry.label!r} decides what the gateway before it loads: {', '.join(names)}.",
            fix="Take that out, or start the server by a script that sets it.",
        )


def claims(value: Any) -> dict[str, tuple[str, ...]]:
    """The names of the servers of a file that are behind the gateway."""
    found = [(entry.guarded, entry.line) for entry in entries(value) if entry.kind in {"guarded", "by hand"}]
    return {guarded.name: line for guarded, line in found if guarded is not None and guarded.name}


def without_gateway(text: SettingsText, only: tuple[str, ...] = ()) -> SettingsText:
    """With every server that `with_gateway` put behind the gateway as it was before."""
    changes = _Changes()
    for entry in entries(text.value):
        behind = entry.guarded
        if (not only or entry.name in only) and entry.kind == "guarded" and behind is not None:
            if behind.remote is not None:
                changes.reach(entry, behind.remote)
            else:
                command, *arguments = entry.line
                changes.rewrite(entry, command, arguments)
    return changes.applied(text)


def header_values(value: Any) -> list[str]:
    """The values of the headers that servers are reached with, as the list has them, before it is rewritten and after:
    nobody needs to see them."""
    found: list[str] = []
    for entry in entries(value):
        server = entry.server if isinstance(entry.server, dict) else {}
        headers, given = server.get("headers"), server.get("env")
        found += headers.values() if isinstance(headers, dict) else ()
        behind = entry.guarded
        if behind is not None and behind.remote is not None and isinstance(given, dict):
            found += [given[variable] for _, variable in behind.remote.headers if variable in given]
    return [one for one in found if isinstance(one, str) and one]


class _Changes:
    """Gathered, so that a long list is read once."""

    def __init__(self) -> None:
        self._replaced: dict[Path, Any] = {}
        self._added: list[tuple[Path, str | None, Any]] = []
        self._removed: list[Path] = []

    def rewrite(self, entry: Entry, command: str, arguments: list[str]) -> None:
        """Another command for a server; no `args` where there are none."""
        server, path = entry.server, entry.path
        if server["command"] != command:
            self._replaced[*path, "command"] = command
        if "args" not in server:
            self._added += [(path, "args", arguments)] if arguments else []
        elif not arguments:
            self._removed.append((*path, "args"))
        elif server["args"] != arguments:
            self._replaced[*path, "args"] = arguments

    def start(self, entry: Entry, python: str, name: str, options: Options, remote: Remote) -> None:
        """A gateway in the place of a URL. The values of headers become variables, which the client hands over."""
        server, path = entry.server, entry.path
        given = server.get("env") or {}
        taken = set(given)
        variables: dict[str, str] = {}
        for header, _ in remote.headers:
            wanted = variable = _VARIABLE + header.upper().replace("-", "_")
            number = 1
            while variable in taken:
                number += 1
                variable = f"{wanted}_{number}"
            taken.add(variable)
            variables[header] = variable
        told = Remote(remote.url, remote.listed_as, tuple(variables.items()))
        self._removed += [(*path, key) for key in (*_ADDRESSES, "headers", "command", "args") if key in server]
        if "type" in server:
            self._replaced[*path, "type"] = "stdio"
        self._added += [(path, "command", python), (path, "args", gateway_to_url_arguments(name, options, told))]
        values = {variable: server["headers"][header] for header, variable in variables.items()}
        if "env" not in server:
            self._added += [(path, "env", values)] if values else []
        elif not given:
            self._replaced[*path, "env"] = values
        else:
            self._added += [((*path, "env"), variable, value) for variable, value in values.items()]

    def reach(self, entry: Entry, remote: Remote) -> None:
        """The URL again in the place of its gateway. A header whose variable is gone has no value any more."""
        server, path = entry.server, entry.path
        key, _, kind = remote.listed_as.partition(",")
        own = server.get("env") if isinstance(server.get("env"), dict) else {}
        headers = {header: own[variable] for header, variable in remote.headers if variable in own}
        self._removed += [(*path, "command"), (*path, "args")]
        self._added.append((path, key, remote.url))
        if "type" in server:
            if kind:
                self._replaced[*path, "type"] = kind
            else:
                self._removed.append((*path, "type"))
        elif kind:
            self._added.append((path, "type", kind))
        if headers:
            self._added.append((path, "headers", headers))
        ours = {variable for _, variable in remote.headers}
        if own and ours.issuperset(own):
            self._removed.append((*path, "env"))
        else:
            self._removed += [(*path, "env", variable) for variable in own if variable in ours]

    def applied(self, text: SettingsText) -> SettingsText:
        if not (self._replaced or self._added or self._removed):
            return text
        return text.changed(replace=self._replaced, add=self._added, remove=self._removed)


def _names(found: Sequence[Entry], elsewhere: Claims) -> dict[Path, str]:
    """A name for each server that the gateway takes: its key, cleaned; a number where two become equal. The same
    command line in another list may have the same name."""
    names: dict[Path, str] = {}
    here: dict[Path, set[str]] = {}
    anywhere: dict[str, tuple[str, ...]] = dict(elsewhere)
    for entry in found:
        taken = here.setdefault(entry.path[:-1], set())
        guarded = entry.guarded
        if guarded is not None and guarded.name:
            names[entry.path] = guarded.name
            taken.add(guarded.name)
            anywhere.setdefault(guarded.name, entry.line)
    for entry in found:
        if entry.path in names or entry.kind != "open":
            continue
        taken, line = here[entry.path[:-1]], entry.line
        number, name = 1, _cleaned(entry.name)
        free = name
        while free in taken or anywhere.get(free, line) != line:
            number += 1
            free = f"{name}-{number}"
        names[entry.path] = free
        taken.add(free)
        anywhere.setdefault(free, line)
    return names


def _cleaned(key: str) -> str:
    name = "".join(char if char in _NAME_CHARACTERS else "-" for char in key.lower())
    while "__" in name or "--" in name:
        name = name.replace("__", "_").replace("--", "-")
    return name[:_LONGEST_NAME].strip("-_") or "server"
