"""`memory`: what agents of runs keep for later, to be looked at and forgotten by the person whose machine it is.

An agent is given a memory by the gate, with what it is to believe of it. So nothing that a guarded agent has started
may look here, or take anything away.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from guardhouse.cli.options import confirmed, json_option, state_dir_option, yes_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from guardhouse.opening import LocalGuard
    from guardhouse.runs.tools.memories import Kept, SqliteMemories

_USAGE = 2
_SHOWN = 100
"""Characters of a memory in a list."""

_principal_option = click.option(
    "--principal", default="", help="Whose memory: the name of a token. Default: that of runs in a terminal."
)


@click.group()
def memory() -> None:
    """What agents of runs keep for later tasks. Texts are masked."""


@memory.command("list")
@_principal_option
@click.option("--limit", type=click.IntRange(1, 20_000), default=100, show_default=True, help="At most so many.")
@state_dir_option
@json_option
def list_(principal: str, limit: int, state_dir: Path | None, *, as_json: bool) -> None:
    """List what is kept, the newest first: number, when, whether it is believed, and how it begins."""
    with _opened(state_dir) as (guard, store):
        found = [_wire(guard, one) for one in store.kept(principal, limit=limit)]
    if as_json:
        _print_json(found)
        return
    for one in found:
        text = " ".join(str(one["text"]).split())
        cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        _print(f"{one['id']:>6}  {one['stored']}  {'untrusted' if one['untrusted'] else 'trusted':9}  {cut}")
    if not found:
        _print("Nothing is kept.")


@memory.command()
@click.argument("number", metavar="ID", type=int)
@_principal_option
@state_dir_option
@json_option
def show(number: int, principal: str, state_dir: Path | None, *, as_json: bool) -> None:
    """Show one memory as a whole."""
    from guardhouse.cli.run_screen import plain_text

    with _opened(state_dir) as (guard, store):
        found = [_wire(guard, one) for one in store.kept(principal, number=number)]
    if not found:
        _fail(f"There is no memory {number}. See: guardhouse memory list")
    if as_json:
        _print_json(found[0])
        return
    _print(f"{found[0]['id']}, stored {found[0]['stored']}, {'untrusted' if found[0]['untrusted'] else 'trusted'}")
    click.echo(plain_text(str(found[0]["text"])))


@memory.command()
@click.argument("numbers", metavar="[ID]...", type=int, nargs=-1)
@click.option("--all", "every", is_flag=True, help="Everything that is kept.")
@_principal_option
@yes_option
@state_dir_option
def forget(numbers: tuple[int, ...], principal: str, state_dir: Path | None, *, every: bool, yes: bool) -> None:
    """Remove memories for good: those with these numbers, or all."""
    from guardhouse.approvals.terminal import local_actor

    if every == bool(numbers):
        raise click.UsageError("Say which: numbers of `guardhouse memory list`, or --all.")
    with _opened(state_dir) as (guard, store):
        if every and not confirmed("Forget everything that is kept?", yes=yes):
            return
        whose = f" of {principal}" if principal else ""
        what = "everything" if every else f"{len(set(numbers))} memories"
        guard.note(f"{what}{whose} is forgotten by {local_actor()}", source="run")
        gone = store.forget(principal, None if every else set(numbers))
    missing = 0 if every else len(set(numbers)) - gone
    _print(f"Forgotten: {gone}." + (f" Not there: {missing}." if missing else ""))
    sys.exit(_USAGE if missing else 0)


@contextmanager
def _opened(state_dir: Path | None) -> Iterator[tuple[LocalGuard, SqliteMemories]]:
    """The memory of this machine, for a person."""
    from guardhouse.config import find_sources
    from guardhouse.observing import require_person
    from guardhouse.opening import open_considering
    from guardhouse.runs.tools.memories import open_memories

    require_person(find_sources(state_dir=state_dir).locations)
    with open_considering(None, state_dir=state_dir) as guard:
        yield guard, open_memories(guard)


def _wire(guard: LocalGuard, one: Kept) -> dict[str, object]:
    from guardhouse.wire import moment_wire

    text = "[it can't be opened]" if one.text is None else guard.masked(one.text)
    return {"id": one.number, "stored": moment_wire(one.at), "untrusted": one.untrusted, "text": text}


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2))  # ASCII: every character that could do anything is an escape


def _print(text: str) -> None:
    from guardhouse.model import visible

    click.echo(visible(text))


def _fail(problem: str) -> NoReturn:
    click.echo(f"guardhouse: {problem}", err=True)
    sys.exit(_USAGE)
