"""`token`: who may use the daemon. What a guarded agent has started makes and revokes none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import json_option, state_dir_option

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.tokens import Role, TokenEntry

_DAY: Final = 86_400
_NOT_DONE: Final = 1


@click.group()
def token() -> None:
    """Tokens that the daemon lets somebody in by: agents ask, approvers answer, admins change the policy."""


@token.command()
@click.option("--role", type=click.Choice(["agent", "approver", "admin"]), required=True, help="What it may do.")
@click.option("--name", default=None, help="Who it is for, in a short word; it stands in the record.")
@click.option(
    "--expires-in",
    "days",
    type=click.FloatRange(0, 36_500, min_open=True),
    default=None,
    metavar="DAYS",
    help="How long it can be used; without this, until it is revoked.",
)
@json_option
@state_dir_option
def create(role: Role, name: str | None, days: float | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Make a token and print it, alone and only now: what is kept of it can't be turned back into it."""
    from guardhouse.config import find_sources
    from guardhouse.model import GuardhouseError
    from guardhouse.observing import record_change, require_person
    from guardhouse.opening import open_tokens

    sources = find_sources(state_dir=state_dir)
    require_person(sources.locations)
    with open_tokens(state_dir=state_dir) as tokens:
        made, principal = tokens.create(role, name, expires_in=None if days is None else days * _DAY)
        try:
            # Nobody has the token before it is printed, so it is in the record before it is of any use.
            record_change(sources, f"creating the token {principal.name} ({role}, id {principal.id})")
        except GuardhouseError:
            tokens.revoke(principal.id)
            raise
    if as_json:
        _print_json({"token": made, "id": principal.id, "name": principal.name, "role": role})
    else:
        click.echo(made)
    click.echo(f"This is the token of {principal.name} ({role}). It is shown only now.", err=True)


@token.command("list")
@json_option
@state_dir_option
def list_(state_dir: Path | None, *, as_json: bool) -> None:
    """List tokens, one a line: name, role, id, whether it can be used, and times."""
    from guardhouse.opening import open_tokens

    with open_tokens(state_dir=state_dir) as tokens:
        entries = tokens.listed()
    if as_json:
        _print_json([_for_machines(entry) for entry in entries])
        return
    for entry in entries:
        click.echo(_line(entry))
    if not entries:
        click.echo("No tokens.")


@token.command()
@click.argument("name")
@state_dir_option
def revoke(name: str, state_dir: Path | None) -> None:
    """Revoke the token of that name or id: it lets nobody in any more.

    Exit status: 0 it is revoked, 1 there is none.
    """
    from guardhouse.config import find_sources
    from guardhouse.model import visible
    from guardhouse.observing import record_change, require_person
    from guardhouse.opening import open_tokens

    sources = find_sources(state_dir=state_dir)
    require_person(sources.locations)
    with open_tokens(state_dir=state_dir) as tokens:
        done = tokens.revoke(name)
    if not done:
        click.echo(f"guardhouse: There is no token {visible(name)}. See: guardhouse token list", err=True)
        sys.exit(_NOT_DONE)
    record_change(sources, f"revoking the token {name}")  # afterwards: a full record must not keep a lost token alive
    click.echo(f"Revoked: {name}")


def _line(entry: TokenEntry) -> str:
    from guardhouse.recording import utc

    times = f"made {utc(entry.created_at)[:10]}"
    if entry.revoked_at is not None:
        times += f", revoked {utc(entry.revoked_at)[:10]}"
    elif entry.expires_at is not None:
        times += f", until {utc(entry.expires_at)[:16]}Z"
    return f"{entry.name}  {entry.role}  {entry.id}  {entry.status}  {times}"


def _for_machines(entry: TokenEntry) -> dict[str, Any]:
    """The entry as JSON, its times as text."""
    import msgspec

    from guardhouse.recording import utc

    wire: dict[str, Any] = msgspec.to_builtins(entry)
    for name in ("created_at", "expires_at", "revoked_at"):
        if wire[name] is not None:
            wire[name] = utc(wire[name])
    return wire


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2))
