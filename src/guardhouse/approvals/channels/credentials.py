"""Secrets that notifiers need of the operator: from the environment, or from a file for its owner only; and where they
may be sent.

What is read here is never part of an error, and is kept by nobody but the notifier that asked for it.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from guardhouse.model import GuardhouseError
from guardhouse.net.destination import Destination

_LARGEST: Final = 4096


def read_credential(environment: Mapping[str, str], variable: str, file: str, what: str) -> str:
    """The secret in the environment's `variable`, or else in `file`, without blanks around it.

    GuardhouseError if there is neither, or if somebody else could read or change the file. `what` is what people call
    the secret.
    """
    given = environment.get(variable, "").strip()
    if given:
        return given
    if not file:
        raise GuardhouseError(f"There is no {what}.", fix=f"Set {variable}, or name a file that holds it.")
    path = Path(file).expanduser()
    try:
        content = _read(path, what)
    except OSError as error:
        raise GuardhouseError(f"The file {path} with the {what} can't be read: {error.strerror}.") from None
    if not content:
        raise GuardhouseError(f"The file {path} holds no {what}.", fix="Put it there, on a line of its own.")
    return content


def _read(path: Path, what: str) -> str:
    # Not to be held up by a pipe; a link to a file is what secrets are often mounted as.
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in {0, os.geteuid()} or status.st_mode & 0o077:
            raise GuardhouseError(
                f"The file {path} with the {what} is not for its owner only.", fix=f"chmod 600 {path}"
            )
        content = os.read(handle, _LARGEST + 1)
    finally:
        os.close(handle)
    if len(content) > _LARGEST:
        raise GuardhouseError(f"The file {path} is too large to hold a {what}.")
    try:
        return content.decode("ascii").strip()
    except UnicodeDecodeError:
        raise GuardhouseError(f"The file {path} holds no {what}: it is not plain text.") from None


def stays_unread(destination: Destination) -> bool:
    """Whether nobody on the way can read what is sent there: it is encrypted, or does not leave this machine."""
    if destination.scheme == "https":
        return True
    if destination.address is not None:
        return ipaddress.ip_address(destination.address).is_loopback
    return destination.host == "localhost"
