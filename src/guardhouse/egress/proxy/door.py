"""A door of the proxy: who comes in by one listener, and which gate is asked about what they do.

At a door of its own an agent is known by the door, as in a sandbox that has no other way out. At a shared one each
request says by its token who it is of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from guardhouse.guard import Guard


class Callers(Protocol):
    """Knows who a token stands for."""

    def known(self, token: str) -> str | None:
        """The agent, if it was looked up a moment ago."""
        ...

    async def look_up(self, token: str) -> str | None:
        """The agent; None if the token is nobody's, or no agent's. Raises if that can't be told."""
        ...


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """Whose connections these are. Every one of them is judged by `guard` under these names."""

    guard: Guard
    principal: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    callers: Callers | None = None
    """If given, a request must bring a token, and the principal is whoever that stands for."""
