"""A reason code: a stable name for one cause, with the words that explain it.

Each room lists its own codes beside what raises them; the catalogue joins them, and the pages under `docs/reasons`
are made from these entries.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from guardhouse.model.findings import Severity


class ReasonCode(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the catalogue."""

    id: str
    title: str
    """A short clause that completes "Blocked: …" or "Needs approval: …"."""
    severity: Severity
    why: str
    """Why it is risky."""
    instead: str
    """What the agent can do instead."""
    example: str
    """One action as JSON that raises this code under the default policy, or a sentence where no single action can."""
    remedy: Literal["", "domain", "path", "command", "tool", "pin"] = ""
    """What `guardhouse allow` can add so that this no longer stops the person."""
    masks: bool = False
    """Whether its findings point at text that can be masked, so that `redact` means something."""
    about: Literal["host", "path", "command", "text"] | None = None
    """What its findings speak of, so that a rule that asks for something else can be refused; None may be anything."""
    on: tuple[str, ...] = ()
    """The action types it is found in; empty means any."""
