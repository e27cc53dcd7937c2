"""Conditions of a yes: how much of a call's result may be seen when it comes back."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

MOST_LINES: Final = 10_000


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much of a call's result may be seen. The gate itself sees to it when the result comes back."""

    show: Literal["first_lines", "redacted", "structure"]
    """The first `lines` only; all of it without secrets and without anything that has a label; or nothing but what it
    is made of: sizes, names of fields, kinds of values."""
    lines: int = 0

    def __post_init__(self) -> None:
        if (self.show == "first_lines") is not (1 <= self.lines <= MOST_LINES):
            raise ValueError(f"`lines` is a number from 1 to {MOST_LINES}, and belongs to `first_lines`")

    @property
    def words(self) -> str:
        """What it says, for people."""
        match self.show:
            case "first_lines":
                return f"only the first {self.lines} lines of the result"
            case "redacted":
                return "the result without secrets and labelled data"
            case "structure":
                return "only what the result is made of, not what it says"


class Conditioned(msgspec.Struct, frozen=True):
    """A call of a session that was let through on a condition."""

    tool: str
    call: str
    """A digest of the id that it had."""
    condition: Condition


STRICTEST: Final = Condition("structure")
