"""What a person is asked, and what their answer is bound to.

A request for approval is about one action, exactly as it was when it was shown: what is done, where, for whom, and
what the files it names held. Whoever keeps requests keeps them by the hash of that; what differs later is `drift`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from guardhouse.model.actions import Action, wire
from guardhouse.model.canonical import typed_digest
from guardhouse.model.verdicts import ApprovalStatus, Reason, RiskLevel


class Bound(msgspec.Struct, frozen=True):
    """What an approval is bound to."""

    action: dict[str, Any]
    """The action without what names a moment, a run or a surface."""
    facts: dict[str, str]
    """What the world said that matters: where paths lead, digests of files and programs."""

    @property
    def hash(self) -> str:
        """The action hash (SPEC A2)."""
        return typed_digest({"action": self.action, "facts": self.facts})

    @property
    def intent(self) -> str:
        """A digest of the action alone: equal while only the world around it has changed."""
        return typed_digest({"action": self.action})

    @property
    def scope(self) -> str:
        """A digest of who asks, in which session. An approval never leaves its scope."""
        return typed_digest({key: self.action.get(key) for key in ("principal", "session_id")})


def bind(action: Action, facts: dict[str, str]) -> Bound:
    """`action` with the facts that an approval of it depends on."""
    return Bound({key: value for key, value in wire(action).items() if key not in action.unbound}, facts)


def action_hash(action: Action, facts: dict[str, str] | None = None) -> str:
    """The hash an approval is bound to: what is done, where, for whom, in which session, given these facts."""
    return bind(action, facts or {}).hash


_MOST_DRIFT: Final = 8
"""Differences that are named; there may be more."""


def drift(approved: Bound, now: Bound) -> tuple[str, ...]:
    """What is different `now`: fields of the action by their path, facts by their name. Never a value."""
    named: list[str] = []
    _differences("", approved.action, now.action, named)
    named += sorted(
        name for name in approved.facts.keys() | now.facts.keys() if approved.facts.get(name) != now.facts.get(name)
    )
    return tuple(named[:_MOST_DRIFT])


def _differences(field: str, before: Any, now: Any, named: list[str]) -> None:
    if len(named) >= _MOST_DRIFT:
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            inner = f"{field}.{key}" if field else key
            if key in before and key in now:
                _differences(inner, before[key], now[key], named)
            else:
                named.append(inner)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (old, new) in enumerate(zip(before, now, strict=True)):
            _differences(f"{field}[{index}]", old, new, named)
    elif type(before) is not type(now) or before != now:
        named.append(field)


class Supply(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who supplied one value of a call, as far as the session tells."""

    field: str
    source: str
    """A word for it: `user`, `trusted`, `untrusted`, `nowhere` and so on."""
    tool: str = ""
    """Which tool's answer it was found in; masked."""
    call_id: str = ""
    offered: bool = False
    """A yes for the rest of the run would cover later calls of this tool with the same value there."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question that the gate wants to put to a person: everything a request is made of."""

    bound: Bound
    resume: bytes
    """The action on the wire, unmasked, so that it can be taken up again. Only ever kept sealed."""
    action_type: str
    tool_name: str | None
    session_id: str | None
    """Masked, like every other text here; matching goes by `bound.scope`."""
    run_id: str | None
    principal: str | None
    action_summary_redacted: str
    action_redacted: dict[str, Any]
    """The whole action for a card: on the wire, with every secret masked."""
    risk_level: RiskLevel
    reasons: tuple[Reason, ...]
    codes: tuple[str, ...]
    """What an approval would cover: the codes that ask, sorted."""
    policy_revision: str
    bound_to: tuple[str, ...] = ()
    """Files and programs that must stay as they are, for people to read."""
    supplied: tuple[Supply, ...] = ()
    """Who supplied which value."""
    kin: str = ""
    """The same for questions of one tool about values from one source, so that they can be answered together."""


class ApprovalRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to a person, and what became of it. Times are seconds since 1970, UTC."""

    id: str
    created_at: float
    expires_at: float
    """Until when it can be answered."""
    use_by: float | None = None
    """Until when an approval can be used; known once it is approved."""
    run_id: str | None = None
    session_id: str | None = None
    principal: str | None = None
    action_type: str
    tool_name: str | None = None
    action_hash: str
    action_summary_redacted: str
    action_redacted: dict[str, Any]
    risk_level: RiskLevel
    reasons: tuple[Reason, ...]
    codes: tuple[str, ...]
    policy_revision: str
    bound_to: tuple[str, ...] = ()
    supplied: tuple[Supply, ...] = ()
    kin: str = ""
    for_run: bool = False
    """The yes is for the rest of the run: for later calls of this tool too, with the values that were offered."""
    status: ApprovalStatus = ApprovalStatus.PENDING
    answered_at: float | None = None
    actor: str | None = None
    """Who answered, as the channel authenticated them."""
    comment: str | None = None
    """What they said; with a denial it is passed on to the agent."""
    superseded_by: str | None = None
    resume_asked_at: float | None = None
    """When a person last asked for the approved call to be taken up."""


Refusal = Literal[
    "denied", "timeout", "used", "too_late", "drift", "unknown", "cancelled", "superseded", "too_many", "unattended"
]


class Settlement(msgspec.Struct, frozen=True):
    """What the keeper of approvals says to a question: go ahead, this once; wait; or no, and why."""

    request: ApprovalRequest | None = None
    granted: bool = False
    refusal: Refusal | None = None
    drifted: tuple[str, ...] = ()
    """With the refusal `drift`: what is different from what was approved."""
