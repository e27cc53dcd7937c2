"""Who comes in by a token: looked up in a thread, and remembered for two seconds, so that a revoked one does not last.

A token is remembered by its digest, never by itself. Which tokens there are is handed in.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64decode
from binascii import Error as NoBase64
from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED_FOR: Final = 2.0
_MOST_REMEMBERED: Final = 1024
_LONGEST_TOKEN: Final = 256
_LONGEST_CREDENTIALS: Final = 1024


class Holder(Protocol):
    """Who a token stands for."""

    @property
    def name(self) -> str: ...

    @property
    def role(self) -> str: ...


class TokenCallers:
    """The agents among the holders of tokens. `check` says whose a token is; it may wait for a database."""

    def __init__(self, check: Callable[[str], Holder | None], clock: Callable[[], float] = time.monotonic) -> None:
        self._check = check
        self._clock = clock
        self._known: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def known(self, token: str) -> str | None:
        """The agent, if it was looked up a moment ago."""
        found = self._known.get(_mark(token))
        return found[0] if found is not None and found[1] > self._clock() else None

    async def look_up(self, token: str) -> str | None:
        """The agent; None if the token is nobody's, or no agent's: what people can do is not for a program's hands."""
        if len(token) > _LONGEST_TOKEN:
            return None
        until = self._clock() + _REMEMBERED_FOR
        holder = await asyncio.to_thread(self._check, token)
        if holder is None or holder.role != "agent":
            return None
        self._known[_mark(token)] = (holder.name, until)
        self._known.move_to_end(_mark(token))
        while len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
        return holder.name


def _mark(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def token_in(credentials: bytes) -> str:
    """The token in a `Proxy-Authorization`: the password of `Basic`, or what `Bearer` says; empty if there is none."""
    scheme, _, given = credentials[:_LONGEST_CREDENTIALS].partition(b" ")
    match scheme.lower():
        case b"bearer":
            return given.strip().decode("latin-1")
        case b"basic":
            try:
                return b64decode(given.strip(), validate=True).decode("latin-1").partition(":")[2]
            except (NoBase64, ValueError):
                return ""
        case _:
            return ""
