"""One turn of the state machine: a transaction at one moment, in which what is due has expired.

The only place where a request takes on a status, and where a grant is given, used or revoked. Who may ask for that, and
what a question comes to, is decided by those who take the turn.
"""

from __future__ import annotations

import json
from functools import partial
from math import isfinite
from os import urandom
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.approvals import grants
from guardhouse.approvals.interface import Entry, NotOffered
from guardhouse.approvals.people import People
from guardhouse.approvals.rows import damaged
from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Asked,
    Bound,
    Consent,
    Grant,
    GuardhouseError,
    RiskLevel,
    Settlement,
    Terms,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from guardhouse.approvals.interface import Transaction
    from guardhouse.database import Rows
    from guardhouse.model import Reach
    from guardhouse.sealing import Seal

_ANSWER_WITHIN: Final = 300.0
_KEPT: Final = 30 * 86_400.0
"""Seconds for which an approval is good that a run is to be resumed with: longer than any run is kept waiting."""
_MOST_GRANTS: Final = 100
"""Grants of one scope that are in force at a time."""
_NEXT: Final[dict[ApprovalStatus, frozenset[ApprovalStatus]]] = {
    ApprovalStatus.PENDING: frozenset(
        {
            ApprovalStatus.APPROVED,
            ApprovalStatus.DENIED,
            ApprovalStatus.EXPIRED,
            ApprovalStatus.CANCELLED,
            ApprovalStatus.SUPERSEDED,
        }
    ),
    ApprovalStatus.APPROVED: frozenset(
        {ApprovalStatus.CONSUMED, ApprovalStatus.EXPIRED, ApprovalStatus.CANCELLED, ApprovalStatus.SUPERSEDED}
    ),
}
"""Every step there is. A status that is not a key here is final."""


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long people have, how much they may be asked at once, and how far a yes can go. Times are seconds."""

    answer_within: Mapping[str, float] = msgspec.field(default_factory=dict)
    """By risk level (`low`, …, `critical`): how long a request can be answered. 300 for a level that is not named."""
    use_within: float = 600.0
    """How long an approval can be used after it was given."""
    most_pending: int = 100
    """Requests that may wait for an answer in one scope: one principal's session."""
    most_pending_of_one: int = 2_000
    """Of one principal, in whatever sessions: those are theirs to name."""
    most_pending_in_all: int = 10_000
    """In all scopes together. So many more that one noisy session can't keep the others from asking."""
    unattended: bool = False
    """Nobody is there: what would be asked is refused at once. What was answered before still counts."""
    second_from: RiskLevel | None = None
    """From this risk on, two people must say yes."""
    people: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Which actors are one person."""
    longest_grant: float = 28_800.0
    """How long any grant lasts at most; 0 is that there are none."""
    never_grant: tuple[str, ...] = ()
    """Codes, or globs, to which a yes is good for this once only."""
    pause_after: int = 5
    """Denials in a row after which a session is left alone for a while; 0 is never."""
    pause: float = 600.0

    def __post_init__(self) -> None:
        unknown = self.answer_within.keys() - {level.value for level in RiskLevel}
        times = (*self.answer_within.values(), self.use_within)
        if unknown or not all(isfinite(seconds) and seconds > 0 for seconds in times):
            raise GuardhouseError(
                "The times for approvals are not positive seconds by risk level.",
                fix="Give `answer_within` by low, medium, high and critical.",
            )

    def time_to_answer(self, risk: RiskLevel) -> float:
        """Seconds for a request of that risk."""
        return self.answer_within.get(risk.value, _ANSWER_WITHIN)

    def needed(self, risk: RiskLevel) -> int:
        """How many people must say yes to a request of that risk."""
        return 2 if self.second_from is not None and risk >= self.second_from else 1


class Records(msgspec.Struct, frozen=True):
    """Who is told of every step before it takes effect. If one raises, nothing has happened."""

    request: Callable[[ApprovalRequest], None]
    grant: Callable[[Grant], None]


def yeses(request: ApprovalRequest) -> int:
    """How many people said yes to an approved request."""
    return max(1, len(request.consents))


class Question:
    """What the gate asked, with the digests it is looked up by."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.hash = asked.bound.hash
        self.intent = asked.bound.intent
        self.scope = asked.bound.scope
        if not (self.hash and self.intent and self.scope):
            raise GuardhouseError("An approval without an action hash would be good for anything.", fix="Report it.")

    def covered_by(self, request: ApprovalRequest) -> bool:
        """Whether a yes to `request` is one to this: no other cause asks, and the risk is no higher."""
        if self.is_moot:
            return True
        return set(self.asked.codes) <= set(request.codes) and self.asked.risk_level <= request.risk_level

    @property
    def is_moot(self) -> bool:
        """Whether nothing asks any more, so that no answer is needed."""
        return not self.asked.codes


class No(msgspec.Struct, frozen=True):
    """That a person said no to exactly one action, or put another in its place; and when."""

    request_id: str
    at: float


class Covering(msgspec.Struct, frozen=True):
    """A grant that covers a question, and digests of the values that it is for, if it is for values."""

    grant: Grant
    values: tuple[str, ...]


class Turn:
    """One transaction at one moment."""

    def __init__(
        self,
        transaction: Transaction,
        now: float,
        seal: Seal,
        settings: ApprovalSettings,
        records: Records,
        new_id: Callable[[], str],
        may_answer: Callable[[Rows, str], bool],
    ) -> None:
        self.transaction = transaction
        self.now = now
        self.settings = settings
        self.people = People(settings.people)
        self._seal = seal
        self._records = records
        self._new_id = new_id
        self._may_answer = may_answer
        self.expired = 0
        while due := transaction.due(now, limit=1):  # one at a time: many large ones need not be in memory together
            self.move(due[0], ApprovalStatus.EXPIRED)
            self.expired += 1

    def get(self, request_id: str) -> Entry | None:
        """The request with that id."""
        return self.transaction.get(request_id) if is_id(request_id) else None

    # Requests

    def move(self, entry: Entry, status: ApprovalStatus, **fields: Any) -> ApprovalRequest:
        """Let a request take on a status it may take on. What was sealed goes when that is a final one."""
        before = entry.request
        if status not in _NEXT.get(before.status, ()):
            raise AssertionError(f"no step leads from {before.status.value} to {status.value}")
        after = msgspec.structs.replace(before, status=status, **fields)
        self.transaction.change(before, after, at=self.now, erase=status not in _NEXT)
        self._records.request(after)
        return after

    def consent(self, entry: Entry, *, actor: str, comment: str | None, terms: Terms) -> ApprovalRequest:
        """One more person's yes; the last one that is needed makes it an approval. Who has said so already changes
        nothing. All must say yes to the same. As many are needed as the policy says now, if that is more than when it
        was asked; who said yes and may not answer any more does not count."""
        before = entry.request
        earlier = tuple(one for one in before.consents if self._may_answer(self.transaction.rows, one.actor))
        if self.people.is_among(actor, (one.actor for one in earlier)):
            return before
        if earlier and terms != before.terms:
            raise NotOffered(
                f"{earlier[0].actor} said yes on other terms.", fix="Say yes on the same ones, or deny it."
            )
        consents = (*earlier, Consent(actor=actor, at=self.now, comment=comment))
        needed = max(before.needed, self.settings.needed(before.risk_level))
        if len(consents) < needed:
            after = msgspec.structs.replace(before, needed=needed, consents=consents, terms=terms)
            self._keep(before, after)
            return after
        approved = self.move(
            entry,
            ApprovalStatus.APPROVED,
            answered_at=self.now,
            use_by=self.now + (_KEPT if before.durable else self.settings.use_within),
            actor=" and ".join(one.actor for one in consents),
            comment=comment,
            needed=needed,
            consents=consents,
            terms=terms,
        )
        lasts = self.settings.longest_grant
        if terms.for_run:
            self.give(entry, approved, "values", seconds=lasts)
        if terms.grant is not None:
            seconds = lasts if terms.grant.seconds is None else min(terms.grant.seconds, lasts)
            self.give(entry, approved, terms.grant.reach, seconds=seconds)
        return approved

    def deny(self, entry: Entry, *, actor: str, comment: str | None) -> ApprovalRequest:
        """A person's no."""
        return self.move(entry, ApprovalStatus.DENIED, answered_at=self.now, actor=actor, comment=comment)

    def renew(self, entry: Entry) -> ApprovalRequest:
        """Give an approval its whole time to be used once more, because a person says so."""
        before = entry.request
        lasts = _KEPT if before.durable else self.settings.use_within
        after = msgspec.structs.replace(before, use_by=self.now + lasts, resume_asked_at=self.now)
        self._keep(before, after)
        return after

    def open(self, question: Question, *, instead_of: Sequence[Entry] = ()) -> Settlement:
        """A new request, `instead_of` those that it supersedes; or a refusal if nobody is there, or too many wait."""
        if self.settings.unattended:
            return Settlement(refusal="unattended")
        if self._too_many(question, instead_of):
            return Settlement(refusal="too_many")
        if self.paused_until(question.scope) is not None:
            return Settlement(refusal="paused")
        edit_of = next((entry.request.edit_of for entry in instead_of if entry.request.edit_of), None)
        return Settlement(self.add(question, instead_of=instead_of, edit_of=edit_of).request)

    def add(self, question: Question, *, instead_of: Sequence[Entry], edit_of: str | None = None) -> Entry:
        """A new request, in the place of those."""
        durable = question.asked.durable or any(entry.request.durable for entry in instead_of)
        request = self._request(question, edit_of, durable=durable)
        for entry in instead_of:
            self.move(entry, ApprovalStatus.SUPERSEDED, superseded_by=request.id)
        added = Entry(request, question.scope, question.intent)
        self.transaction.add(
            added,
            bound=self._seal.seal("bound", request.id, _packed(question.asked)),
            resume=self._seal.seal("resume", request.id, question.asked.resume),
        )
        self._records.request(request)
        return added

    def check(self, entry: Entry) -> Bound:
        """What a live request is bound to, as it was sealed; GuardhouseError unless its row says the same."""
        return self._opened(entry)[0]

    def _opened(self, entry: Entry) -> tuple[Bound, tuple[str, ...]]:
        """The same, and the values that it offers for the rest of the run."""
        request = entry.request
        sealed = self.transaction.sealed(request.id, "bound")
        if sealed is None:
            raise damaged(request.id)
        try:
            bound, values = _unpacked(self._seal.open("bound", request.id, sealed))
        except (ValueError, msgspec.ValidationError):
            raise damaged(request.id) from None
        if (bound.hash, bound.intent, bound.scope) != (request.action_hash, entry.intent, entry.scope):
            raise damaged(request.id)
        return bound, values

    def unsealed(self, entry: Entry) -> bytes:
        """The action of a live request, as it was sealed."""
        sealed = self.transaction.sealed(entry.request.id, "resume")
        if sealed is None:
            raise damaged(entry.request.id)
        return self._seal.open("resume", entry.request.id, sealed)

    def paused_until(self, scope: str) -> float | None:
        """Until when a scope is left alone; None if it is not."""
        return paused_until(self.transaction, self.settings, scope, self.now)

    # Grants

    def covering(self, question: Question, no: No | None = None) -> Covering | None:
        """A grant that is in force and covers what is asked, by the policy in force. Where a person has said `no` to
        exactly this, only what they said later counts. GuardhouseError for a row that was not sealed so."""
        if question.is_moot:
            return None
        for entry in self.transaction.live_grants(question.scope, self.now, limit=_MOST_GRANTS):
            grant = entry.grant
            if no is not None and grant.request_id != no.request_id and grant.created_at <= no.at:
                continue
            values = partial(grants.values_of, self._seal, entry)
            is_covered = grants.covers(grant, question.asked, question.hash, values)
            if is_covered and self._stands(grant, question.asked.risk_level):
                return Covering(grant, values())
        return None

    def _stands(self, grant: Grant, risk: RiskLevel) -> bool:
        settings = self.settings
        given = self.get(grant.request_id)
        said = yeses(given.request) if given is not None else 0
        longest, never = settings.longest_grant, settings.never_grant
        return said >= settings.needed(risk) and grants.stands(grant, self.now, longest=longest, never=never)

    def has_room(self, scope: str, number: int = 1) -> bool:
        """Whether so many more grants can be given in a scope."""
        return len(self.transaction.live_grants(scope, self.now, limit=_MOST_GRANTS)) + number <= _MOST_GRANTS

    def give(
        self,
        entry: Entry,
        request: ApprovalRequest,
        reach: Reach,
        *,
        seconds: float,
        once_by: tuple[str, str | None] | None = None,
    ) -> Grant:
        """A grant that goes with a yes to `request`, on its terms; or, `once_by` a person who takes a no back, for
        one use. A condition that was on the card holds either way."""
        is_for_values = reach == "values"
        actor, comment = once_by if once_by is not None else (request.actor or "", request.comment)
        grant = Grant(
            id=f"gr_{urandom(12).hex()}",
            request_id=request.id,
            created_at=self.now,
            expires_at=self.now + seconds,
            session_id=request.session_id,
            principal=request.principal,
            action_type=request.action_type,
            tool_name=request.tool_name,
            action_summary_redacted=request.action_summary_redacted.partition("\n")[0],
            reach=reach,
            action_hash=request.action_hash,
            targets=request.targets if reach == "destination" else (),
            fields=tuple(one.field for one in request.supplied if one.offered) if is_for_values else (),
            codes=request.codes,
            risk_level=request.risk_level,
            condition=request.terms.condition,
            most_uses=None if once_by is None else 1,
            actor=actor,
            comment=comment,
        )
        values = self._opened(entry)[1] if is_for_values else ()
        self.transaction.add_grant(grants.sealed(self._seal, grant, entry.scope, values))
        self._records.grant(grant)
        return grant

    def has_taken_back(self, entry: Entry) -> bool:
        """Whether a person's no to this request was taken back already, and that was not used yet."""
        live = self.transaction.live_grants(entry.scope, self.now, limit=_MOST_GRANTS)
        return any(one.grant.request_id == entry.request.id and one.grant.most_uses == 1 for one in live)

    def use_grant(self, grant: Grant) -> Grant:
        """Count one more use."""
        used = msgspec.structs.replace(grant, uses=grant.uses + 1, last_used_at=self.now)
        self.transaction.change_grant(grant, used, erase=not used.is_live(self.now))
        return used

    def revoke(self, grant: Grant, *, actor: str) -> Grant:
        """Let a grant cover nothing any more."""
        revoked = msgspec.structs.replace(grant, revoked_at=self.now, revoked_by=actor)
        self.transaction.change_grant(grant, revoked, erase=True)
        self._records.grant(revoked)
        return revoked

    # Inside

    def _keep(self, before: ApprovalRequest, after: ApprovalRequest) -> None:
        """A change that leaves the status as it is."""
        self.transaction.change(before, after, at=self.now, erase=False)
        self._records.request(after)

    def _too_many(self, question: Question, instead_of: Sequence[Entry]) -> bool:
        leaving = sum(entry.request.status is ApprovalStatus.PENDING for entry in instead_of)
        here = self.transaction.count_pending(scope=question.scope) - leaving
        principal = question.asked.principal
        theirs = self.transaction.count_pending(principal=principal) - leaving if principal is not None else 0
        return (
            here >= self.settings.most_pending
            or theirs >= self.settings.most_pending_of_one
            or self.transaction.count_pending() - leaving >= self.settings.most_pending_in_all
        )

    def _request(self, question: Question, edit_of: str | None, *, durable: bool) -> ApprovalRequest:
        asked = question.asked
        request_id = self._new_id()
        if not is_id(request_id):
            raise GuardhouseError("A new approval request got an id that is none.", fix="Mend `new_id`.")
        return ApprovalRequest(
            id=request_id,
            created_at=self.now,
            expires_at=self.now + self.settings.time_to_answer(asked.risk_level),
            run_id=asked.run_id,
            session_id=asked.session_id,
            principal=asked.principal,
            action_type=asked.action_type,
            tool_name=asked.tool_name,
            action_hash=question.hash,
            action_summary_redacted=asked.action_summary_redacted,
            action_redacted=asked.action_redacted,
            risk_level=asked.risk_level,
            reasons=asked.reasons,
            codes=asked.codes,
            policy_revision=asked.policy_revision,
            bound_to=asked.bound_to,
            supplied=asked.supplied,
            kin=asked.kin,
            turn=asked.turn,
            targets=asked.targets,
            conditional=asked.conditional,
            executes=asked.executes,
            durable=durable,
            edit_of=edit_of,
            needed=self.settings.needed(asked.risk_level),
        )


def paused_until(transaction: Transaction, settings: ApprovalSettings, scope: str, now: float) -> float | None:
    """Until when a scope is left alone, because people denied what it asked again and again; None if it is not."""
    most = settings.pause_after
    if not most:
        return None
    answers = transaction.latest_answers(scope, limit=most)
    if len(answers) < most or any(status is not ApprovalStatus.DENIED for status, _ in answers):
        return None
    until = answers[0][1] + settings.pause
    return until if until > now and answers[-1][1] > transaction.lifted_at(scope) else None


_LONGEST_ID: Final = 128


def is_id(request_id: object) -> bool:
    """Whether this could be an id at all: agents send what they like."""
    return (
        isinstance(request_id, str)
        and 0 < len(request_id) <= _LONGEST_ID
        and request_id.isascii()
        and request_id.isprintable()
    )


# What is sealed


def _packed(asked: Asked) -> bytes:
    told = {"action": asked.bound.action, "facts": asked.bound.facts, "values": asked.values}
    return json.dumps(told, ensure_ascii=False, allow_nan=False).encode()


def _unpacked(content: bytes) -> tuple[Bound, tuple[str, ...]]:
    told = json.loads(content)
    return msgspec.convert(told, Bound), msgspec.convert(told.get("values", ()), tuple[str, ...])
