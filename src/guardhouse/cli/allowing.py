"""`allow` and `trust`: what only the person at the keyboard may do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from guardhouse.cli.options import confirmed, json_option, state_dir_option, yes_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.config import Kind, Sources, TrustStore
    from guardhouse.observing import Given


@click.command()
@click.argument("kind", required=False, type=click.Choice(["domain", "command", "path", "tool"]))
@click.argument("entry", required=False)
@click.option("--can", default=None, help="For a tool: what it can do, with commas; '' for nothing of consequence.")
@click.option("--remove", is_flag=True, help="Take it back.")
@click.option("--list", "list_all", is_flag=True, help="Print everything allowed so far.")
@json_option
@state_dir_option
def allow(
    kind: Kind | None,
    entry: str | None,
    can: str | None,
    state_dir: Path | None,
    *,
    remove: bool,
    list_all: bool,
    as_json: bool,
) -> None:
    """Allow a domain, a command, a path or a tool from now on, for you.

    A command that ends in ' *' allows further plain words: guardhouse allow command 'git log *'. What you say of a tool
    of an MCP server is said of it as it is described now: if that changes, you are asked again.
    """
    from guardhouse.config import Allowances, find_sources
    from guardhouse.model import visible

    sources = find_sources(state_dir=state_dir)
    allowances = Allowances(sources.locations.allowed)
    if list_all:
        _print_entries(allowances.entries(), as_json=as_json)
        return
    if kind is None or entry is None:
        raise click.UsageError("Say what to allow, as in: guardhouse allow domain api.example.com")
    if kind == "tool" and can is None and not remove:
        raise click.UsageError("Say what the tool can do, as in: guardhouse allow tool NAME --can reads,writes")
    if remove:
        done = allowances.remove(kind, entry)
        click.echo(f"{'No longer allowed' if done else 'Was not allowed'}: {kind} {visible(entry)}")
        sys.exit(0 if done else 1)
    if kind == "tool":
        from guardhouse.cli.gateway import pinned_digest

        allow_tool(sources, entry, capability_names(can), pinned_digest(entry, state_dir))
        return
    from guardhouse.observing import give

    given = give(sources, kind, entry)
    click.echo(f"{_done(given)}: {kind} {visible(entry)} (revision {given.revision})")


def capability_names(can: str | None) -> list[str]:
    """What `--can` lists. GuardhouseError if there is no such capability."""
    from guardhouse.config.allowances import known_capabilities

    return known_capabilities([name.strip() for name in (can or "").split(",") if name.strip()])


def allow_tool(sources: Sources, tool: str, can: list[str], digest: str | None) -> None:
    """Say what a tool can do, as it is described by `digest`, or however it is described."""
    from guardhouse.model import visible
    from guardhouse.observing import give

    given = give(sources, "tool", tool, can, pinned_to=digest)
    pinned = "" if digest is None else ", as it is described now"
    click.echo(f"{_done(given)}: tool {visible(tool)}{pinned} (revision {given.revision})")


def _done(given: Given) -> str:
    return "Allowed" if given.is_new else "Already allowed"


def _print_entries(entries: Sequence[tuple[str, str]], *, as_json: bool) -> None:
    import json

    from guardhouse.model import visible

    if as_json:
        click.echo(json.dumps([{"kind": kind, "entry": entry} for kind, entry in entries]))
        return
    for kind, entry in entries:
        click.echo(f"{kind} {visible(entry)}")
    if not entries:
        click.echo("Nothing is allowed beyond the configuration.")


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
@click.option("--list", "list_all", is_flag=True, help="Print what is trusted.")
@yes_option
def trust(file: Path | None, *, revoke: bool, list_all: bool, yes: bool) -> None:
    """Trust a project's configuration file, exactly as it is now. Any change to it ends the trust.

    Until then a project file may only tighten your policy, because it came with somebody's repository. Without FILE,
    the project files of this directory are meant.
    """
    from guardhouse.config import TrustStore, find_sources
    from guardhouse.model import GuardhouseError, visible

    sources = find_sources()
    store = TrustStore(sources.locations.trusted)
    if list_all:
        for name, digest in sorted(store.entries().items()):
            click.echo(f"{visible(name)} {digest}")
        if not store.entries():
            click.echo("No project file is trusted.")
        return
    files = [file.absolute()] if file else sources.project_files()
    if not files:
        raise GuardhouseError("There is no project file here.", fix="Name the file.")
    for path in files:
        if revoke:
            click.echo(f"{'No longer trusted' if store.revoke(path) else 'Was not trusted'}: {visible(str(path))}")
        else:
            _trust_one(sources, store, path, yes=yes)


def _trust_one(sources: Sources, store: TrustStore, path: Path, *, yes: bool) -> None:
    """Show the file, whole and with nothing hidden, and trust the bytes that were shown."""
    from guardhouse.model import GuardhouseError, visible
    from guardhouse.observing import loosen, require_person
    from guardhouse.policy import read_document

    require_person(sources.locations)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GuardhouseError(f"{path} can't be read: {error.strerror}.") from None
    read_document(str(path), content)
    for line in content.decode("utf-8").split("\n"):
        click.echo(f"  {visible(line)}")
    if not confirmed(f"Trust {visible(str(path))}, exactly as shown?", yes=yes):
        raise GuardhouseError("Not trusted.")
    loosen(sources, f"trusting {path}")
    store.trust(path, content)
    click.echo(f"Trusted, exactly as shown: {visible(str(path))}")
