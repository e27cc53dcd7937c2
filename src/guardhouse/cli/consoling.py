"""`console`: opens the daemon's console, signed in. What a guarded agent has started signs nobody in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from guardhouse.cli.options import config_option, state_dir_option

if TYPE_CHECKING:
    from guardhouse.config import Sources


@click.command()
@click.option("--name", default=None, help="Whose token to sign in by: an approver's or admin's. [default: an admin's]")
@click.option("--url", default=None, help="Where the daemon is. [default: where it runs on this machine]")
@click.option("--print", "only_print", is_flag=True, help="Print the link instead of opening it.")
@config_option
@state_dir_option
def console(
    name: str | None, url: str | None, config_file: Path | None, state_dir: Path | None, *, only_print: bool
) -> None:
    """Open the console of this machine's daemon in a browser, signed in.

    The link has a code in it that is good once and for two minutes. Who answers there is who the token stands for.
    """
    import webbrowser

    from guardhouse.config import find_sources
    from guardhouse.observing import record_change, require_person
    from guardhouse.opening import open_sign_ins

    sources = find_sources(config_file=config_file, state_dir=state_dir)
    require_person(sources.locations)
    base = (url or _address(sources)).rstrip("/")
    with open_sign_ins(state_dir=state_dir) as sign_ins:
        code, principal = sign_ins.make_code(name)
    # Nobody has the code before it is printed, so it is in the record before it is of any use.
    record_change(sources, f"making a link that signs {principal.name} in to the console")
    # Behind the #, so that it reaches no server, and no server's log.
    link = f"{base}/#code={code}"
    if only_print or not webbrowser.open(link):
        click.echo(link)
    click.echo(f"Signs {principal.name} ({principal.role}) in, once, within two minutes.", err=True)


def _address(sources: Sources) -> str:
    """Where a daemon of this state directory listens now; where the policy says, if none does."""
    from guardhouse.config import noted_sockets

    server = sources.load(project=False).config.server
    scheme = "https" if server.tls_cert else "http"
    running = [(one.host, one.port) for one in noted_sockets(sources.locations.daemons)]
    chosen = (server.host, server.port)
    host, port = chosen if chosen in running or not running else running[0]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound to
        host = "127.0.0.1"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
