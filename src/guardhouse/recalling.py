"""Calls that come again just as they were, as the same host is connected to again and again: what was decided of them.

`decide` is pure: the same action, policy and facts have the same verdict, so it need not be worked out again. Facts are
always gathered anew, and only if they are the same is a verdict taken from here. What asked, was denied or was masked
is not kept: it comes rarely, and is worked out each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import Decision

if TYPE_CHECKING:
    from guardhouse.decide import Case, Needs
    from guardhouse.model import Action, Facts, Verdict
    from guardhouse.policy import Policy

_MOST: Final = 64
_LONGEST: Final = 2048
"""Bytes of an action that is kept."""


class Kept(msgspec.Struct, frozen=True):
    """What was decided of one action."""

    case: Case
    asked: tuple[Needs, ...]
    """The questions that the facts answer, in their order."""
    facts: Facts
    verdict: Verdict


class Recall:
    """The latest of what was simply allowed under one policy. Safe to share between threads."""

    def __init__(self) -> None:
        self._kept: tuple[Policy | None, dict[bytes, Kept]] = (None, {})

    def find(self, action: Action, policy: Policy) -> tuple[bytes, Kept | None]:
        """What an action is kept by, empty if it is not to be kept, and what was decided of it, if that is known."""
        if action.session_id:
            return b"", None  # what a session knows grows with every call
        name = msgspec.json.encode(action)
        if len(name) > _LONGEST:
            return b"", None
        of, kept = self._kept
        return name, kept.get(name) if of is policy else None

    def keep(self, name: bytes, case: Case, asked: tuple[Needs, ...], verdict: Verdict) -> None:
        """Keep what was decided, if it was simply allowed."""
        if not name or verdict.decision is not Decision.ALLOW:
            return
        of, others = self._kept
        if of is not case.policy or len(others) >= _MOST:
            self._kept = (case.policy, others := {})
        others[name] = Kept(case, asked, case.facts, verdict)
