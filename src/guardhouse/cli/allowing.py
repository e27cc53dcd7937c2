"""`allow` and `trust`: what only the person at the keyboard may do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from guardhouse.cli.options import JsonOption


class AllowKind(Enum):
    """What can be allowed."""

    DOMAIN = "domain"
    COMMAND = "command"
    PATH = "path"
    TOOL = "tool"


def allow(
    kind: Annotated[AllowKind | None, typer.Argument(help="What to allow.")] = None,
    entry: Annotated[str | None, typer.Argument(help="A host, a command, an absolute path, or a tool's name.")] = None,
    can: Annotated[str, typer.Option("--can", help="For a tool: what it can do, with commas; '' for nothing.")] = "",
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Take it back.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Print everything allowed so far.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Allow a domain, a command, a path or a tool from now on, in your own configuration.

    A command that ends in ' *' allows further plain words: guardhouse allow command 'git log *'.
    """
    from guardhouse.config import Allowances, find_locations, find_sources
    from guardhouse.model import visible

    locations = find_locations()
    allowances = Allowances(locations.allowed)
    if list_all:
        _print_entries(allowances.entries(), as_json=as_json)
        return
    if kind is None or entry is None:
        raise typer.BadParameter("say what to allow, as in: guardhouse allow domain api.example.com")
    if remove:
        done = allowances.remove(kind.value, entry)
        typer.echo(f"{'No longer allowed' if done else 'Was not allowed'}: {kind.value} {visible(entry)}")
        raise typer.Exit(0 if done else 1)
    done = allowances.add(kind.value, entry, [name.strip() for name in can.split(",") if name.strip()])
    policy = find_sources().load()
    typer.echo(
        f"{'Allowed' if done else 'Already allowed'}: {kind.value} {visible(entry)} (revision {policy.revision})"
    )


def _print_entries(entries: Sequence[tuple[str, str]], *, as_json: bool) -> None:
    import json

    from guardhouse.model import visible

    if as_json:
        typer.echo(json.dumps([{"kind": kind, "entry": entry} for kind, entry in entries]))
        return
    for kind, entry in entries:
        typer.echo(f"{kind} {visible(entry)}")
    if not entries:
        typer.echo("Nothing is allowed beyond the configuration.")


def trust(
    file: Annotated[Path | None, typer.Argument(help="The project file; by default those of this directory.")] = None,
    *,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no longer.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Print what is trusted.")] = False,
) -> None:
    """Trust a project's configuration file, exactly as it is now. Any change to it ends the trust.

    Until then a project file may only tighten your policy, because it came with somebody's repository.
    """
    from guardhouse.config import TrustStore, find_sources
    from guardhouse.model import GuardhouseError, visible
    from guardhouse.policy import read_document

    sources = find_sources()
    store = TrustStore(sources.locations.trusted)
    if list_all:
        for name, digest in sorted(store.entries().items()):
            typer.echo(f"{visible(name)} {digest}")
        return
    files = [file.absolute()] if file else sources.project_files()
    if not files:
        raise GuardhouseError("There is no project file here.", fix="Name the file to trust.")
    for path in files:
        if revoke:
            typer.echo(f"{'No longer trusted' if store.revoke(path) else 'Was not trusted'}: {visible(str(path))}")
            continue
        try:
            content = path.read_bytes()
        except OSError as error:
            raise GuardhouseError(f"{path} can't be read: {error.strerror}.") from None
        read_document(str(path), content)
        for line in content.decode("utf-8").splitlines():
            typer.echo(f"  {visible(line)}")
        store.trust(path, content)
        typer.echo(f"Trusted, exactly as shown: {visible(str(path))}")
