"""One thing that was found on a machine, how it stands to the gate, and what the whole comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["agent", "server", "skills"]
Standing = Literal["guarded", "partly", "open", "unknown"]
"""Under the gate; only in one place, or for a part of what it does; not under it; it can't be told."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, one MCP server of a client's, or a directory of skills."""

    kind: Kind
    name: str
    of: str = ""
    """The agent or client that a server or a skill is for."""
    where: str
    """The file, directory or program that it was found by."""
    standing: Standing
    why: str
    fix: str = ""
    user: str = ""
    """Whose it is, where several people's were looked at."""


def overall(items: Iterable[Item]) -> int:
    """The exit status: 0 everything is under the gate, 1 something is not, 2 something can't be told."""
    found = {item.standing for item in items}
    if found & {"open", "partly"}:
        return 1
    return 2 if "unknown" in found else 0
