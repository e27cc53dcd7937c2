"""A daemon's requests as they change, read from its stream of server-sent events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.client.errors import BadAnswer
from guardhouse.model import InvalidAction, decode
from guardhouse.wire import outline_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.approvals import Outline
    from guardhouse.client.connection import Stream

_SILENCE: Final = 45.0
"""Seconds after which a stream that says nothing is dead: the daemon says something every 15."""
_LONGEST_LINE: Final = 1_000_000


class Events:
    """The changes that come in on a stream: each request as it stands then, with the mark to go on from later."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[tuple[str, Outline]]:
        """Until the daemon ends it. Unreachable if the connection breaks, or nothing is heard for too long."""
        mark = data = ""
        for line in self._stream.lines(within=_SILENCE, longest=_LONGEST_LINE):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id" and value.isascii() and value.isdigit():
                mark = value
            elif name == "data":
                data = value
            elif not line and data:
                yield mark, outline_of(_object(data))
                data = ""

    def stop(self) -> None:
        """From another thread: end it now."""
        self._stream.stop()


def _object(data: str) -> dict[str, Any]:
    try:
        value = decode(data)
    except InvalidAction:
        value = None
    if not isinstance(value, dict):
        raise BadAnswer
    return value
