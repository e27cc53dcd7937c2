"""`serve`: the daemon."""

from __future__ import annotations

from pathlib import Path

import click

from guardhouse.cli.options import config_option, state_dir_option

_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command()
@click.option("--host", default=None, help="The address to listen at. [default: server.host, 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), default=None, help="[default: server.port, 8765; 0: any]")
@click.option("--tls-cert", type=_FILE, default=None, help="A certificate with its chain, in PEM form.")
@click.option("--tls-key", type=_FILE, default=None, help="Its key.")
@click.option("--plain-http", is_flag=True, help="Let others reach it without TLS: a proxy of yours has it.")
@click.option("--unattended", is_flag=True, help="Nobody is there to be asked: deny what would ask, at once.")
@config_option
@state_dir_option
def serve(
    host: str | None,
    port: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    config_file: Path | None,
    state_dir: Path | None,
    *,
    plain_http: bool,
    unattended: bool,
) -> None:
    """Run the daemon: one gate, one store of approvals and one record for many agents and people, over HTTP.

    The first time, it prints a token for an administrator. `guardhouse token create` makes more: an agent may ask, an
    approver may answer, an admin may change the policy. docs/deploy.md tells how to run it for good.
    """
    import msgspec

    from guardhouse.config import find_sources
    from guardhouse.observing import require_person

    try:
        from guardhouse.server import Address, Daemon
    except ImportError:
        from guardhouse.model import GuardhouseError

        raise GuardhouseError(
            "The daemon needs a part that is not installed.", fix="pip install 'guardhouse[server]'"
        ) from None

    sources = find_sources(config_file=config_file, state_dir=state_dir)
    require_person(sources.locations)  # who starts it is told the first administrator's token
    if unattended:
        told = {**sources.variables, "GUARDHOUSE_APPROVALS_UNATTENDED": "true"}
        sources = msgspec.structs.replace(sources, variables=told)
    config = sources.load().config.server
    address = Address(
        host=host or config.host,
        port=config.port if port is None else port,
        tls_cert=str(tls_cert or config.tls_cert),
        tls_key=str(tls_key or config.tls_key),
        plain_http=plain_http or config.plain_http,
    )
    daemon = Daemon(sources, address)
    daemon.serve(lambda: _welcome(daemon, unattended=unattended))


def _welcome(daemon: object, *, unattended: bool) -> None:
    """Where it listens, and the first token, once."""
    from guardhouse.server.running import Daemon, is_journal

    if not isinstance(daemon, Daemon):
        raise TypeError("no daemon")
    click.echo(f"Guardhouse listens at {daemon.url}. Ctrl-C ends it.")
    if unattended:
        click.echo("Unattended: what would need a person's approval is denied at once.")
    if is_journal():
        click.echo("Make a token with: guardhouse token create --role admin")
    else:
        first = daemon.house.tokens.first_admin()
        if first is not None:
            click.echo(f"The administrator's token, shown this once:\n{first}")
            click.echo("Tokens for others: guardhouse token create --role agent|approver")
    click.echo("Its console is at the same address; `guardhouse console` opens it signed in.")
