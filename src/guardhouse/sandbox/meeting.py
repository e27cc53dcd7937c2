"""How a command that wants into the sandbox and the keeper speak to each other: a request, an answer, descriptors.

The command's side is started for every call of an agent's, so nothing but the standard library is loaded here. Where
they meet is a socket in the state directory, which nobody else can enter.
"""

from __future__ import annotations

import os
from _socket import SCM_RIGHTS, SOL_SOCKET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket  # noqa: N812 - the class
    from collections.abc import Mapping
    from typing import Any, Final

VERSION: Final = 3
"""Of what they say to each other."""
LARGEST: Final = 8 * 1024 * 1024
"""Bytes of a request or an answer. A command and its environment are at most two million."""
_HEAD: Final = 8
_MOST_DESCRIPTORS: Final = 4
_PIECE: Final = 1 << 16


def state_directory(variables: Mapping[str, str]) -> str:
    """The state directory that an environment names, as `find_locations` has it. A relative one is none."""
    named = variables.get("GUARDHOUSE_STATE_DIR")
    if named:
        return os.path.abspath(named)
    home = variables.get("HOME") or os.path.expanduser("~")
    return os.path.join(variables.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state"), "guardhouse")


def meeting_place(state: str) -> str:
    """The directory that the keeper's socket and lock are in."""
    return os.path.join(state, "sandbox")


def send(connection: Socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Send a message, whole, and hand over descriptors with it."""
    import json

    data = json.dumps(message).encode()
    head = len(data).to_bytes(_HEAD, "big")
    rights = b"".join(one.to_bytes(4, "little") for one in descriptors)
    connection.sendmsg([head], [(SOL_SOCKET, SCM_RIGHTS, rights)] if descriptors else [])
    connection.sendall(data)


def receive(connection: Socket) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The other side's message, with the descriptors that came along. ValueError or OSError if it is none."""
    import json
    from _socket import CMSG_LEN

    head, ancillary, _flags, _address = connection.recvmsg(_HEAD, CMSG_LEN(4 * _MOST_DESCRIPTORS))
    descriptors = [
        int.from_bytes(data[at : at + 4], "little")
        for level, kind, data in ancillary
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS)
        for at in range(0, len(data) - len(data) % 4, 4)
    ]
    try:
        message = json.loads(_body(connection, head))
    except BaseException:
        for one in descriptors:
            os.close(one)
        raise
    return message if isinstance(message, dict) else {}, tuple(descriptors)


def _body(connection: Socket, head: bytes) -> bytes:
    size = int.from_bytes(_exactly(connection, head, _HEAD), "big")
    if size > LARGEST:
        raise ValueError("too large")
    return _exactly(connection, b"", size)


def _exactly(connection: Socket, begun: bytes, size: int) -> bytes:
    data = bytearray(begun)
    while len(data) < size:
        piece = connection.recv(min(_PIECE, size - len(data)))
        if not piece:
            raise ValueError("it broke off")
        data += piece
    return bytes(data)
