"""Where a daemon is and who asks: a URL read strictly, and a token that only goes where nobody can listen."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

URL_VARIABLE: Final = "GUARDHOUSE_URL"
TOKEN_VARIABLE: Final = "GUARDHOUSE_TOKEN"
_TOKEN: Final = re.compile(r"[!-~]{1,256}", re.ASCII)
_HOST: Final = re.compile(r"[a-z0-9._:-]{1,253}", re.ASCII)
_PORTS: Final = {"http": 80, "https": 443}


class Address(msgspec.Struct, frozen=True):
    """Where a daemon listens."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """The `Host` of requests."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address in full."""
        return f"{self.scheme}://{self.name}"

    @property
    def is_loopback(self) -> bool:
        """Whether what is sent there stays on this machine."""
        return self.host == "localhost" or is_loopback(self.host)

    @property
    def dialled(self) -> str:
        """What a connection is made to. Without TLS nothing proves who answers, so `localhost` is one address there and
        not whatever it is said to be: the daemon may be at one of several, and somebody else at another."""
        return "127.0.0.1" if self.scheme == "http" and self.host == "localhost" else self.host

    @property
    def needs_loopback(self) -> bool:
        """Whether the token may be sent only because it stays on this machine."""
        return self.scheme == "http" and self.is_loopback


def is_loopback(host: str) -> bool:
    """Whether this is a literal address that leads to this machine and nowhere else."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_address(url: str, *, plain_http: bool = False) -> Address:
    """The address that `url` names. GuardhouseError if it is none, or if a token would cross a network in the clear;
    `plain_http` says that it may."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise _no_address() from None
    extra = parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in _PORTS or not _HOST.fullmatch(host) or extra or port == 0:
        raise _no_address()
    address = Address(parts.scheme, host, port or _PORTS[parts.scheme])
    if address.scheme == "http" and not address.is_loopback and not plain_http:
        raise GuardhouseError(
            "The token would cross the network in the clear.",
            fix="Use https, or say `plain_http` if nobody can listen on the way.",
        )
    return address


def read_token(token: str) -> str:
    """`token`, if it can be one."""
    if not _TOKEN.fullmatch(token):
        raise GuardhouseError("This is no token.", fix="Make one with `guardhouse token create`.")
    return token


def token_from_file(path: Path) -> str:
    """The token in a file that only its owner can read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # not to be held up by a pipe
        try:
            _check_owned(os.fstat(handle))
            content = os.read(handle, 1024)
        finally:
            os.close(handle)
    except OSError as error:
        raise GuardhouseError(f"The token file can't be read: {error.strerror}.", fix="Name another.") from None
    return read_token(content.decode("latin-1").strip())


def _check_owned(status: os.stat_result) -> None:
    """GuardhouseError unless this is a file that nobody but this user, or the administrator, can have written."""
    if not stat.S_ISREG(status.st_mode):
        raise GuardhouseError("The token file is no file.", fix="Name another.")
    if status.st_uid not in {0, os.geteuid()}:
        raise GuardhouseError("The token file is somebody else's.", fix="Make one of your own: chmod 600.")
    if status.st_mode & 0o077:
        raise GuardhouseError("The token file can be read by others.", fix="Make it yours alone: chmod 600.")


def found_token(variables: Mapping[str, str]) -> str:
    """The token that the environment names."""
    token = variables.get(TOKEN_VARIABLE, "")
    if not token:
        raise GuardhouseError("There is no token for the daemon.", fix=f"Set {TOKEN_VARIABLE}, or name one.")
    return read_token(token)


def found_url(variables: Mapping[str, str]) -> str:
    """The URL that the environment names."""
    url = variables.get(URL_VARIABLE, "")
    if not url:
        raise GuardhouseError("It is not said where the daemon is.", fix=f"Set {URL_VARIABLE}, or name a URL.")
    return url


def _no_address() -> GuardhouseError:
    return GuardhouseError(
        "This is no address of a daemon.", fix="Write it as https://host:port, or http://127.0.0.1:port."
    )
