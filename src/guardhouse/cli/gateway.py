"""`mcp` and `pins`: a gate in front of an MCP server, and what people say to the tools it announces."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from guardhouse.cli.options import config_option, json_option, state_dir_option

if TYPE_CHECKING:
    from guardhouse.pins import PinnedTool, PinStore, ServerPins


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--name", default=None, help="What the server is called; else that is read off its command.")
@click.option("--session", default=None, help="The session that its calls belong to; else one of its own.")
@config_option
@state_dir_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def mcp(
    name: str | None, session: str | None, config_file: Path | None, state_dir: Path | None, command: tuple[str, ...]
) -> None:
    """Run an MCP server behind the gate: guardhouse mcp -- npx -y @scope/server ARGS.

    Put this in the place of the server's own command in your client's list of servers. Exit status: the server's, or 2
    if the gate could not be built; then the server is not started.
    """
    from guardhouse.adapters.mcp import Gateway, notice, relay, server_name
    from guardhouse.config import find_locations
    from guardhouse.opening import open_guard
    from guardhouse.pins import PinStore

    server = server_name(name, command)
    with open_guard(config_file=config_file, state_dir=state_dir, agent_pid=os.getppid()) as guard:
        store = PinStore(find_locations(state_dir=state_dir).pins)
        store.claim(server, command, guard.masked)
        gateway = Gateway(
            guard,
            server,
            store,
            session_id=session or f"mcp_{os.urandom(8).hex()}",
            mask=guard.masked,
            notice=notice,
        )
        status = relay(gateway, command)
    sys.exit(status)


@click.group()
def pins() -> None:
    """What MCP servers said of their tools when they were first seen, and whether they say something else now."""


@pins.command("list")
@click.option("--changed", is_flag=True, help="Only tools whose description has changed.")
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
@state_dir_option
def accept(tool: str, state_dir: Path | None) -> None:
    """Accept what the server says of TOOL now: `mcp__server__tool`. What you said that it can do was said of the old
    description, and is asked again."""
    from guardhouse.model import visible

    store = _store(state_dir)
    server, name, known = _known(store, tool)
    if known.announced is None:
        click.echo(f"Nothing has changed: {visible(tool)}")
        sys.exit(1)
    _print_tool(server, name, known)
    if sys.stdin.isatty() and not click.confirm("Accept the new description?"):
        click.echo("Not accepted.")
        sys.exit(1)
    store.accept(server, name)
    click.echo(f"Accepted: {visible(tool)}")


@pins.command()
@click.argument("server")
@state_dir_option
def forget(server: str, state_dir: Path | None) -> None:
    """Let go of SERVER's name and of everything that was pinned of it. When it is next seen, it is new."""
    from guardhouse.model import visible

    done = _store(state_dir).forget(server)
    click.echo(f"{'Forgotten' if done else 'Not known'}: {visible(server)}")
    sys.exit(0 if done else 1)


def pinned_digest(tool: str, state_dir: Path | None = None) -> str | None:
    """The digest of the description that is pinned of a tool; None if there is none."""
    store = _store(state_dir)
    found = store.find(tool)
    server = store.server(found[0]) if found is not None else None
    return server.tools[found[1]].pinned.digest if found is not None and server is not None else None


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

    tools = {name: tool for name, tool in server.tools.items() if tool.announced is not None or not changed}
    if changed and not tools:
        return
    click.echo(f"{server.server}: {visible(server.shown_command)}")
    for name, tool in sorted(tools.items()):
        _print_tool(server.server, name, tool)


def _print_tool(server: str, name: str, tool: PinnedTool) -> None:
    from guardhouse.model import visible

    click.echo(f"  mcp__{server}__{visible(name)}")
    click.echo(f"    {'pinned' if tool.announced is None else 'old'}: {visible(tool.pinned.shown)}")
    if tool.announced is not None:
        click.echo(f"    new: {visible(tool.announced.shown)}")


def _without_salt(server: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in server.items() if key not in {"salt", "command"}}
