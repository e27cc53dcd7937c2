"""`proxy`: the forward proxy for programs that agents start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from guardhouse.cli.options import config_option, state_dir_option

if TYPE_CHECKING:
    import socket

    from guardhouse.opening import LocalGuard


@click.command()
@click.option("--listen", default="127.0.0.1:8766", show_default=True, metavar="HOST:PORT", help="Port 0 is any.")
@click.option("--plain-http", is_flag=True, help="Let others reach it: what lies between keeps their tokens private.")
@config_option
@state_dir_option
def proxy(listen: str, config_file: Path | None, state_dir: Path | None, *, plain_http: bool) -> None:
    """Run a forward proxy: what programs reach through it is judged, recorded and held to the policy's destinations.

    Each agent needs a token: `guardhouse token create --role agent`. docs/network.md tells what it looks at.
    """
    import asyncio

    from guardhouse.config import find_sources
    from guardhouse.observing import require_person
    from guardhouse.opening import open_for_proxy

    host, port = _place(listen, plain_http=plain_http)
    sources = find_sources(config_file=config_file, state_dir=state_dir)
    require_person(sources.locations)  # by another policy than the user's own, an agent would get anywhere
    listener = _listening(host, port)
    with listener, open_for_proxy(sources) as guard:
        asyncio.run(_serve(guard, listener))


async def _serve(guard: LocalGuard, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    import asyncio
    import gc
    import signal

    from guardhouse.egress.proxy import TokenCallers

    def report(problem: str) -> None:
        click.echo(f"guardhouse: {problem}", err=True)

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    _allow_files()
    gc.collect()
    gc.freeze()  # what is here stays: policies and tables need not be looked through again and again
    gc.set_threshold(5000, 20, 20)
    door = guard.door(callers=TokenCallers(guard.tokens.check))
    async with guard.forward_proxy(report=report).open(listener, door):
        _welcome(listener)
        await over.wait()


def _welcome(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    click.echo(f"Guardhouse's proxy listens at {place}. Ctrl-C ends it.")
    click.echo("Have an agent's programs use it, with the token of that agent for TOKEN:")
    click.echo(f"  export HTTPS_PROXY=http://agent:TOKEN@{place} HTTP_PROXY=http://agent:TOKEN@{place}")
    click.echo("  export https_proxy=$HTTPS_PROXY http_proxy=$HTTP_PROXY NO_PROXY= no_proxy=")
    click.echo("Make a token with: guardhouse token create --role agent")


def _place(listen: str, *, plain_http: bool) -> tuple[str, int]:
    """Where to listen. GuardhouseError if it is no place, or if others could listen to what is said there."""
    from guardhouse.model import GuardhouseError
    from guardhouse.net import address_class

    host, colon, number = listen.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not (number.isascii() and number.isdigit() and int(number) <= 65535):
        raise GuardhouseError("That is no place to listen at.", fix="Write it as 127.0.0.1:8766.")
    if host != "localhost" and address_class(host) != "loopback" and not plain_http:
        raise GuardhouseError(
            f"Others can reach {host}, and tokens would cross the network in the clear.",
            fix="Listen at 127.0.0.1, or say --plain-http if what lies between keeps them private.",
        )
    return host, int(number)


def _listening(host: str, port: int) -> socket.socket:
    import socket

    from guardhouse.model import GuardhouseError

    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(1024)
    except OSError as error:
        raise GuardhouseError(
            f"{host}, port {port}, can't be listened at: {error.strerror}.", fix="Take another port."
        ) from None
    return listener


def _allow_files() -> None:
    """Have as many connections at once as the system lets this process have."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
