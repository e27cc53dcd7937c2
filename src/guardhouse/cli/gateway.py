"""`mcp` and `pins`: a gate in front of an MCP server, and what people say to the tools it announces."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from guardhouse.cli.options import config_option, confirmed, json_option, state_dir_option, yes_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.mcp import Gateway
    from guardhouse.opening import LocalGuard
    from guardhouse.pins import Described, PinnedTool, PinStore, ServerPins


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--name", default=None, help="What the server is called; else that is read off its command.")
@click.option("--session", default=None, help="The session that its calls belong to; else the client's, if it says so.")
@config_option
@state_dir_option
@click.option(
    "--home",
    metavar="DIR",
    help="Your home. With it, no variable of the environment decides where anything is, nor what is allowed: a client"
    " may have been given its list of servers by a repository.",
)
@click.option("--config-home", metavar="DIR", help="With --home: where configuration lives, if not in ~/.config.")
@click.option(
    "--key-dir", metavar="DIR", help="With --home: where keys live, if not in ~/.local/share/guardhouse/keys."
)
@click.option("--url", metavar="URL", help="Instead of a command: where a server is that speaks streamable HTTP.")
@click.option(
    "--header-env",
    "header_env",
    metavar="NAME=VARIABLE",
    multiple=True,
    help="With --url: a header that is sent, and the variable of the environment that holds its value.",
)
@click.option("--listed-as", hidden=True, help="With --url: how the client's list named it, for `uninstall`.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def mcp(
    context: click.Context,
    *,
    name: str | None,
    session: str | None,
    config_file: Path | None,
    state_dir: Path | None,
    home: str | None,
    config_home: str | None,
    key_dir: str | None,
    url: str | None,
    header_env: tuple[str, ...],
    listed_as: str | None,  # noqa: ARG001 - read off the list by `uninstall`
    command: tuple[str, ...],
) -> None:
    """Run an MCP server behind the gate: guardhouse mcp -- npx -y @scope/server ARGS.

    Or put one behind it that is reached by URL: guardhouse mcp --url https://mcp.example.com/mcp. Put this in the place
    of the server's own command, or of its URL, in your client's list of servers. Exit status: the server's (of one that
    is reached by URL, 0 when the client has ended), or 2 if the gate could not be built; then nothing is started.
    """
    from guardhouse.adapters.hooks.host import host_process
    from guardhouse.adapters.mcp import Gateway, notice, place_of, relay, server_name
    from guardhouse.config import pinned_variables
    from guardhouse.opening import open_guard

    if (url is None) is not bool(command) or (header_env and url is None):
        raise click.UsageError("Give either a command after `--`, or --url, with --header-env if it needs any.")
    variables = pinned_variables(home, config_home, key_dir)
    if variables is not None and context.get_parameter_source("state_dir") is ParameterSource.ENVIRONMENT:
        state_dir = None
    client = host_process(os.getppid(), frozenset())
    with open_guard(config_file=config_file, state_dir=state_dir, agent_pid=client, variables=variables) as guard:
        remote = _Remote(url, header_env, guard) if url is not None else None
        server = remote.name(name) if remote is not None else server_name(name, command, guard.masked)
        store = guard.pins
        place = place_of(command, Path.cwd()) if remote is None else ()
        store.claim(server, command or ("--url", str(url)), guard.masked, place)
        gateway = Gateway(
            guard,
            server,
            store,
            session_id=session or _session_of_client(os.environ) or f"mcp_{os.urandom(8).hex()}",
            mask=guard.masked,
            notice=notice,
            offers=_Offered(guard, server),
        )
        status = relay(gateway, command) if remote is None else remote.relay(gateway, server)
    sys.exit(status)


class _Offered:
    """Which of a server's tools clients may have, as the configuration says; while that can't be read, as it last did:
    every call is denied by the gate then."""

    def __init__(self, guard: LocalGuard, server: str) -> None:
        self._guard = guard
        self._server = server
        self._known = guard.policy.config.mcp.servers.get(server)

    def __call__(self, tool: str) -> bool:
        from guardhouse.adapters.mcp import offered
        from guardhouse.model import PolicyError

        with suppress(PolicyError):
            self._known = self._guard.policy.config.mcp.servers.get(self._server)
        return self._known is None or offered(tool, self._known.allowed_tools, self._known.denied_tools)


class _Remote:
    """A server that is reached by URL. GuardhouseError if the URL or a header is none that can be used."""

    def __init__(self, url: str, header_env: tuple[str, ...], guard: LocalGuard) -> None:
        from guardhouse.adapters.mcp.streamable import read_headers
        from guardhouse.net import parse_destination

        self._url = url
        self._guard = guard
        self._headers = read_headers(header_env, os.environ)
        self._host = parse_destination(url).host

    def name(self, given: str | None) -> str:
        """What it is called."""
        from guardhouse.adapters.mcp import server_name_of_host

        return server_name_of_host(given, self._host, self._guard.masked)

    def relay(self, gateway: Gateway, server: str) -> int:
        """Pass messages until the client is gone; the exit status."""
        from guardhouse.adapters.mcp.streamable import relay_to

        return relay_to(gateway, self._guard.exchanges(f"mcp__{server}", self._url), self._headers)


_SESSION_VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID",)
"""Where a client tells its servers which session it is, by the name that its hooks know it by."""
_LONGEST_SESSION: Final = 128


def _session_of_client(environment: Mapping[str, str]) -> str | None:
    """The session that the client says it is in; None if it says nothing, or nothing that could be one. It allows
    nothing by itself: a session has the user's words only if a hook has heard them, and that hook judges calls too."""
    for name in _SESSION_VARIABLES:
        said = environment.get(name, "")
        if len(said) <= _LONGEST_SESSION and said.isascii() and said.replace("-", "").isalnum():
            return said
    return None


@click.group()
def pins() -> None:
    """What MCP servers said of their tools when they were first seen, and whether they say something else now."""


@pins.command("list")
@click.option("--changed", is_flag=True, help="Only what has changed, or is suspicious.")
@json_option
@state_dir_option
def list_(state_dir: Path | None, *, changed: bool, as_json: bool) -> None:
    """List every tool by server, with its description; of those that have changed, the old one and the new one."""
    servers = _store(state_dir).servers()
    if as_json:
        import json

        import msgspec

        click.echo(json.dumps([_without_salt(msgspec.to_builtins(server)) for server in servers], indent=2))
        return
    for server in servers:
        _print_server(server, changed=changed)
    if not servers:
        click.echo("No MCP server has been seen.")


@pins.command()
@click.argument("tool")
@yes_option
@state_dir_option
def accept(tool: str, state_dir: Path | None, *, yes: bool) -> None:
    """Accept what the server says of TOOL now: `mcp__server__tool`; or, given a server's name, what it says of itself.
    What you said that the tool can do was said of the old description, and is asked again."""
    from guardhouse.model import visible
    from guardhouse.pins import is_server_name

    store = _store(state_dir)
    if is_server_name(tool) and not tool.startswith("mcp__"):
        _accept_instructions(store, tool, state_dir, yes=yes)
        return
    server, name, known = _known(store, tool)
    if known.announced is None and not _is_suspicious(known.pinned):
        click.echo(f"Nothing has changed: {visible(tool)}")
        sys.exit(1)
    _print_tool(server, name, known)
    if not confirmed("Accept the new description?", yes=yes):
        click.echo("Not accepted.")
        sys.exit(1)
    _loosen(state_dir, f"accepting what the server says of {tool}")
    store.accept(server, name, (known.announced or known.pinned).digest)
    click.echo(f"Accepted: {visible(tool)}")


def _accept_instructions(store: PinStore, server: str, state_dir: Path | None, *, yes: bool) -> None:
    known = store.server(server)
    if known is None or known.instructions is None or not _is_suspicious(known.instructions):
        click.echo(f"There is nothing to accept of {server}.")
        sys.exit(1)
    _print_described(known.instructions)
    if not confirmed("Let the model read this?", yes=yes):
        click.echo("Not accepted.")
        sys.exit(1)
    _loosen(state_dir, f"accepting what the server {server} says of itself")
    store.accept_instructions(server, known.instructions.digest)
    click.echo(f"Accepted: {server}. It counts when the client next starts the server.")


def _is_suspicious(said: Described) -> bool:
    return bool(said.suspicions) and not said.accepted


@pins.command()
@click.argument("server")
@state_dir_option
def forget(server: str, state_dir: Path | None) -> None:
    """Let go of SERVER's name and of everything that was pinned of it. When it is next seen, it is new."""
    from guardhouse.model import visible

    _loosen(state_dir, f"forgetting what was pinned of the server {server}")
    done = _store(state_dir).forget(server)
    click.echo(f"{'Forgotten' if done else 'Not known'}: {visible(server)}")
    sys.exit(0 if done else 1)


def _loosen(state_dir: Path | None, detail: str) -> None:
    """A server's tools count as new, or as described anew: a person's to say, and in the record first."""
    from guardhouse.config import find_sources
    from guardhouse.observing import loosen

    loosen(find_sources(state_dir=state_dir), detail)


def pinned_digest(tool: str, state_dir: Path | None = None) -> str | None:
    """The digest of the description that is pinned of a tool; None if no gateway has seen its server, or if `tool` is a
    pattern. GuardhouseError if nobody could say which description is meant."""
    from guardhouse.model import GuardhouseError, visible

    store = _store(state_dir)
    found = store.find(tool)
    server = store.server(found[0]) if found is not None else None
    if found is None or server is None:
        if store.knows_server_of(tool) and not any(char in tool for char in "*?["):
            raise GuardhouseError(
                f"The server has announced no tool {visible(tool)}, so nothing can be said of it yet.",
                fix="Let the client list the server's tools first, then look: guardhouse pins list",
            )
        return None
    known = server.tools[found[1]]
    if known.announced is not None:
        raise GuardhouseError(
            f"The server describes {visible(tool)} otherwise than it was pinned.",
            fix="Look at both descriptions, and accept the new one first: guardhouse pins accept NAME",
        )
    return known.pinned.digest


def _store(state_dir: Path | None) -> PinStore:
    from guardhouse.config import find_locations
    from guardhouse.pins import PinStore

    return PinStore(find_locations(state_dir=state_dir).pins)


def _known(store: PinStore, tool: str) -> tuple[str, str, PinnedTool]:
    from guardhouse.model import GuardhouseError, visible

    found = store.find(tool)
    server = store.server(found[0]) if found is not None else None
    if found is None or server is None:
        raise GuardhouseError(f"There is no pinned tool {visible(tool)}.", fix="See: guardhouse pins list")
    return found[0], found[1], server.tools[found[1]]


def _print_server(server: ServerPins, *, changed: bool) -> None:
    from guardhouse.model import visible

    tools = {name: tool for name, tool in server.tools.items() if not changed or _is_to_be_seen(tool)}
    said = server.instructions if server.instructions is not None and _is_suspicious(server.instructions) else None
    if changed and not tools and said is None:
        return
    click.echo(f"{server.server}: {visible(server.shown_command)}")
    if said is not None:
        click.echo("  The server's instructions, which are left out:")
        _print_described(said)
    for name, tool in sorted(tools.items()):
        _print_tool(server.server, name, tool)


def _is_to_be_seen(tool: PinnedTool) -> bool:
    return tool.announced is not None or _is_suspicious(tool.pinned)


def _print_described(said: Described) -> None:
    from guardhouse.model import visible

    click.echo(f"    pinned: {visible(said.shown)}")
    for one in said.suspicions:
        where = f"{visible(one.field)}, characters {one.start}–{one.end}"
        click.echo(
            f"    {'accepted' if said.accepted else 'suspicious'}: {one.code} ({where}): “{visible(one.excerpt)}”"
        )


def _print_tool(server: str, name: str, tool: PinnedTool) -> None:
    from guardhouse.model import visible

    click.echo(f"  mcp__{server}__{visible(name)}")
    if tool.announced is None:
        _print_described(tool.pinned)
        return
    for one in tool.announced.suspicions:
        click.echo(f"    suspicious: {one.code} ({visible(one.field)}): “{visible(one.excerpt)}”")
    old, new = tool.pinned.shown, tool.announced.shown
    first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    if old == new:
        click.echo("    What differs is masked, or lies beyond what is kept of so long a description.")
    for label, text, digest in (("old", old, tool.pinned.digest), ("new", new, tool.announced.digest)):
        click.echo(f"    {label}: {visible(_around(text, first))}")
        click.echo(f"      {digest}")


_SHOWN: Final = 8192
"""Characters of a changed description that are shown; more would push the change off the screen."""


def _around(text: str, first: int) -> str:
    """The part of a description that a change is in, and how much is left out before and after it."""
    if len(text) <= _SHOWN:
        return text
    start = max(0, min(first - _SHOWN // 4, len(text) - _SHOWN))
    end = start + _SHOWN
    before = f"[{start} characters are the same] " if start else ""
    after = f" [{len(text) - end} more]" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _without_salt(server: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in server.items() if key not in {"salt", "command"}}
