"""`scan-machine`: which agents, MCP servers and skills there are, and which are not under the gate."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from guardhouse.cli.options import json_option, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.inventory import Item

_MARKS: Final = {"guarded": "ok  ", "partly": "PART", "open": "OPEN", "unknown": "?   "}
_TITLES: Final = {"agent": "Agents", "server": "MCP servers", "skills": "Skills"}
_SUMMARIES: Final = (
    "Everything that was found is under the gate.",
    "Something is not under the gate.",
    "Something can't be told.",
)


@click.command("scan-machine")
@click.option(
    "--all-users", is_flag=True, help="Look into the home directories of everybody, as far as they can be read."
)
@json_option
def scan_machine(*, all_users: bool, as_json: bool) -> None:
    """Find the agents, MCP servers and skills on this machine, and tell which are not under the gate.

    It reads settings, of yours, of this directory and of the projects that agents have noted, and starts nothing.

    Exit status: 0 everything is under the gate, 1 something is not, 2 something can't be told.
    """
    from guardhouse.installing.inventory import overall

    items = list(_everybodys() if all_users else _ours())
    status, standing = overall(items), _standing()
    if standing and not status and items:
        status = 1
    if as_json:
        _print_json(items, status, standing)
    else:
        _print(items, standing)
        click.echo(_SUMMARIES[status] if items else "No agents, MCP servers or skills were found.")
    sys.exit(status)


def _ours() -> Iterator[Item]:
    from guardhouse.installing.inventory import take
    from guardhouse.installing.machine import this_machine

    return take(this_machine(None, None))


def _everybodys() -> Iterator[Item]:
    """Other people's as far as their own settings tell: what their shells set is not known."""
    import os
    from pathlib import Path

    import msgspec

    from guardhouse.config import find_locations
    from guardhouse.installing.inventory import homes, take
    from guardhouse.installing.machine import Machine

    for user, home in homes():
        variables = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
        machine = Machine(locations=find_locations(variables), cwd=Path("/"), variables=variables)
        for item in take(machine):
            yield msgspec.structs.replace(item, user=user)


def _standing() -> str:
    """What the policy in force makes of the gate, if it holds nothing back; empty if it does."""
    from guardhouse.config import find_sources
    from guardhouse.model import GuardhouseError

    try:
        config = find_sources().load(project=False).config
    except GuardhouseError as error:
        return f"The policy can't be read, so everything is denied: {error}"
    if not config.enabled:
        return "The gate is SWITCHED OFF by `enabled: false`: everything is let through."
    return "The gate only observes: `guardhouse enforce` ends that." if config.mode == "observe" else ""


def _print(items: list[Item], standing: str) -> None:
    if standing:
        click.echo(printable(standing))
    for kind, title in _TITLES.items():
        of_kind = [item for item in items if item.kind == kind]
        if of_kind:
            click.echo(f"{title}:")
        for item in of_kind:
            whose = f" ({item.of})" if item.of else ""
            user = f"{item.user}: " if item.user else ""
            click.echo(printable(f"  {_MARKS[item.standing]}  {user}{item.name}{whose}: {item.why}"))
            click.echo(printable(f"          {item.where}"))
            if item.fix:
                click.echo(printable(f"          {item.fix}"))


def _print_json(items: list[Item], status: int, standing: str) -> None:
    import json

    import msgspec

    plain = [{key: printable(value) for key, value in msgspec.to_builtins(item).items()} for item in items]
    click.echo(json.dumps({"exit_status": status, "gate": printable(standing), "items": plain}, ensure_ascii=False))
