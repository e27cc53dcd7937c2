"""What a person is asked, and what their answer is bound to.

A request for approval is about one action, exactly as it was when it was shown: what is done, where, for whom, and
what the files it names held. Whoever keeps requests keeps them by the hash of that; what differs later is `drift`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from guardhouse.model.actions import Action, wire
from guardhouse.model.canonical import typed_digest
from guardhouse.model.conditions import Condition
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


class Target(msgspec.Struct, frozen=True, order=True):
    """What asks, and what it is about: a code as `codes` names it, and the place that it would reach or change."""

    code: str
    place: str
    """`path /srv/data`, `host https://api.example.com`, `to bob@example.com`: written so that equal means equal."""


GrantReach = Literal["exact", "destination"]
"""What a yes can be good for, for a while: exactly the same action; or the same tool, for the same reasons, at the same
places."""
Reach = Literal["exact", "destination", "values"]
"""What a grant is good for: that; or the same tool, for the same reasons, with the same values from outside."""


class GrantScope(msgspec.Struct, frozen=True, omit_defaults=True):
    """A yes that is good for more than once, in the same session and for the same principal."""

    reach: GrantReach
    seconds: float | None = None
    """For how long; None is for the rest of the session, as long as the policy lets any grant last."""


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a yes is good for, if it is not only for this once and without conditions."""

    for_run: bool = False
    """Also for later calls of the same tool in that session with the values that the request offers: a grant of the
    reach `values`, for as long as the policy lets any grant last."""
    condition: Condition | None = None
    grant: GrantScope | None = None


ONCE: Final = Terms()


class Consent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One person's yes to a request that may need more than one."""

    actor: str
    at: float
    comment: str | None = None


class Grant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A yes that goes on: what it covers, who gave it, until when, and what became of it. Texts are masked.

    It never leaves the session and the principal that it was given for, covers no reason that was not on the card and
    no higher risk, and lifts no deny.
    """

    id: str
    request_id: str
    """The request that it was given with."""
    created_at: float
    expires_at: float
    session_id: str | None = None
    principal: str | None = None
    action_type: str
    tool_name: str | None = None
    action_summary_redacted: str
    reach: Reach
    action_hash: str
    """With the reach `exact`: of the only action that it covers."""
    targets: tuple[Target, ...] = ()
    """With the reach `destination`: everything that may ask."""
    fields: tuple[str, ...] = ()
    """With the reach `values`: the arguments whose values must be those that the card showed. The values themselves are
    only kept sealed."""
    codes: tuple[str, ...]
    risk_level: RiskLevel
    condition: Condition | None = None
    most_uses: int | None = None
    uses: int = 0
    last_used_at: float | None = None
    actor: str
    comment: str | None = None
    revoked_at: float | None = None
    revoked_by: str | None = None

    def is_live(self, now: float) -> bool:
        """Whether it still covers anything."""
        used_up = self.most_uses is not None and self.uses >= self.most_uses
        return self.revoked_at is None and now < self.expires_at and not used_up


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
    """The same for questions of one tool, for one reason, about values from one source, so that they can be answered
    together."""
    turn: str = ""
    """The same for all questions between two messages of the user's."""
    targets: tuple[Target, ...] = ()
    """What asks, and where; empty unless everything that asks is about a place."""
    conditional: bool = False
    """Whether its result will be known as its own when it comes back, so that a yes can have conditions."""
    executes: bool = True
    """Whether the tool may run what it is given: then a condition can hold for exactly this call only."""
    values: tuple[str, ...] = ()
    """Digests of the values that are offered for the rest of the run. Only ever kept sealed."""
    only_values: bool = False
    """Whether nothing asks but where these values come from, and what kind of call it is that has them."""
    durable: bool = False
    """Whether the call waits in a run that is kept, so that an approval of it is good until the run is taken up."""


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
    turn: str = ""
    targets: tuple[Target, ...] = ()
    conditional: bool = False
    executes: bool = True
    durable: bool = False
    edit_of: str | None = None
    """The request that a person put this one in the place of, with other arguments."""
    needed: int = 1
    """How many people must say yes."""
    consents: tuple[Consent, ...] = ()
    """Who said yes so far."""
    terms: Terms = ONCE
    """What the yes is good for."""
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
    "denied",
    "timeout",
    "used",
    "too_late",
    "drift",
    "unknown",
    "cancelled",
    "superseded",
    "too_many",
    "paused",
    "unattended",
]


class Edited(msgspec.Struct, frozen=True):
    """A person said yes to the call with other arguments: that one, by its request and as it was sealed."""

    request_id: str
    action: bytes


class Settlement(msgspec.Struct, frozen=True):
    """What the keeper of approvals says to a question: go ahead, this once; wait; or no, and why."""

    request: ApprovalRequest | None = None
    granted: bool = False
    refusal: Refusal | None = None
    drifted: tuple[str, ...] = ()
    """With the refusal `drift`: what is different from what was approved."""
    grant: Grant | None = None
    """With `granted`: the grant that covers it, if it is not an approval of its own."""
    values: tuple[str, ...] = ()
    """With a grant of the reach `values`: digests of those that it covers."""
    edited: Edited | None = None
    """Neither granted nor refused: another call was approved in its place."""
