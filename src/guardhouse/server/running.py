"""Running the daemon: where it listens, with which certificate, and how it begins and ends.

It listens on loopback unless told otherwise, and at an address that others can reach only with TLS, or if its operator
says that something in front of it has it.
"""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import stat
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import msgspec
import uvicorn

from guardhouse.config import noted_daemon
from guardhouse.model import GuardhouseError
from guardhouse.server.app import make_app
from guardhouse.server.doorstep import hosts_of
from guardhouse.server.house import House

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.config import Sources

_GRACE: Final = 5
"""Seconds that requests under way have when the daemon is told to end."""
_MOST_AT_ONCE: Final = 5000
_COLLECTIONS: Final = (5000, 20, 20)
"""New objects before Python looks for circles among them, and so on; requests leave few."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a daemon listens."""

    host: str
    port: int
    """0 takes any that is free."""
    tls_cert: str = ""
    tls_key: str = ""
    plain_http: bool = False

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def check(self) -> None:
        """GuardhouseError if others could listen to what is said there."""
        if bool(self.tls_cert) != bool(self.tls_key):
            raise GuardhouseError("TLS needs a certificate and its key.", fix="Name both --tls-cert and --tls-key.")
        if not self.is_local and not self.tls_cert and not self.plain_http:
            raise GuardhouseError(
                f"Others can reach {self.host}, and tokens would cross the network in the clear.",
                fix="Give --tls-cert and --tls-key, or say --plain-http if a proxy of yours has TLS.",
            )


class Daemon:
    """A house that serves. `bind` it, tell people where, then `serve` until it is told to end."""

    def __init__(self, sources: Sources, address: Address) -> None:
        address.check()
        self._address = address
        self._socket = _bound(address)
        self.port: Final[int] = self._socket.getsockname()[1]
        self._noted = ExitStack()
        try:
            # Before the policy is first read, so that no gate ever takes this socket for anybody's.
            self._noted.enter_context(noted_daemon(sources.locations.daemons, address.host, self.port))
            self.house: Final = House(sources)
        except BaseException:
            self._noted.close()
            self._socket.close()
            raise

    @property
    def url(self) -> str:
        """Where it can be reached from this machine."""
        host = "127.0.0.1" if self._address.host == "0.0.0.0" else self._address.host  # noqa: S104 - compared
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._address.tls_cert else 'http'}://{shown}:{self.port}"

    def serve(self, ready: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM. `ready` is called once requests are taken."""
        config = self.house.policy.current().config.server
        app = make_app(
            self.house,
            hosts=hosts_of(self._address.host, config.public_url),
            open_metrics=self._address.is_local,
        )
        server = _Server(
            uvicorn.Config(
                app,
                http="httptools",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # whoever asks is who the connection says, not who a header says
                limit_concurrency=_MOST_AT_ONCE,
                timeout_graceful_shutdown=_GRACE,
                timeout_keep_alive=30,
                ssl_certfile=self._address.tls_cert or None,
                ssl_keyfile=self._address.tls_key or None,
            ),
            ready,
        )
        gc.collect()
        gc.freeze()  # what is here stays: policies and tables need not be looked through again and again
        gc.set_threshold(*_COLLECTIONS)
        _allow_files()
        with self._noted:
            server.run(sockets=[self._socket])
        if not server.started:
            raise GuardhouseError("The daemon could not begin.", fix="What was said before this tells why.")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _allow_files() -> None:
    """Have as many connections at once as the system lets this process have."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _bound(address: Address) -> socket.socket:
    # Named as TCP: only then does asyncio send small answers at once, instead of 40 ms later.
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise GuardhouseError(
            f"{address.host}, port {address.port}, can't be listened at: {error.strerror}.",
            fix="Take another --port, or end what listens there.",
        ) from None
    return listener


def is_journal(stream: Any = None) -> bool:
    """Whether what is printed goes into the system's journal, where a token must not stand."""
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        status = os.fstat((stream or sys.stdout).fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISSOCK(status.st_mode) and named == f"{status.st_dev}:{status.st_ino}"
