"""The state machine of approvals: who may answer what until when, and what an answer is good for.

Every rule about requests is here, once, over any `Store`. One operation is one transaction at one moment, which
first expires what is due; so nothing can be answered or used too late because nobody swept, and what was once seen
to be too late stays so when the clock goes back. How people are asked is not here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from os import urandom
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from guardhouse.approvals.closing import answer_given, closed, not_resumable
from guardhouse.approvals.interface import Changes, Entry, NoSuchRequest, Outline, Store, Transaction
from guardhouse.approvals.rows import damaged
from guardhouse.approvals.sealing import Seal
from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Asked,
    Bound,
    GuardhouseError,
    Refusal,
    RiskLevel,
    Settlement,
    drift,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from guardhouse.database import Watch

_ANSWER_WITHIN: Final = 300.0
_MOST_STORED: Final = 1_000_000
"""Bytes that one request may take: the action as it is shown and as it is taken up again, together."""
_POLICY: Final = "policy"
"""Who takes a question back that nobody has to answer any more."""
_WAITING: Final = (ApprovalStatus.PENDING,)
_LIVE: Final = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)
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

_REFUSALS: Final[dict[ApprovalStatus, Refusal]] = {
    ApprovalStatus.DENIED: "denied",
    ApprovalStatus.CONSUMED: "used",
    ApprovalStatus.CANCELLED: "cancelled",
    ApprovalStatus.SUPERSEDED: "superseded",
}

_Seen = TypeVar("_Seen")


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long people have, and how much they may be asked at once. Times are seconds."""

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


def _no_record(_request: ApprovalRequest) -> None:
    """For an approver that nobody keeps a record of."""


def _as_it_is(comment: str) -> str:
    """For an approver whose channels know no secrets."""
    return comment


class Approver:
    """Keeps requests and their answers. Safe to share between threads; several may work on one store at once.

    `record` is called with a request for every status it takes on, before that takes effect; if it raises, nothing
    has happened. It must not call the approver. `mask` takes secrets out of what people say, before anything of it is
    kept. `settings` that are a function are asked for with every turn. Without a `clock`, time is the store's own,
    which all nodes share. Whatever fails raises GuardhouseError, and then nothing was granted.
    """

    def __init__(
        self,
        store: Store,
        key: bytes,
        settings: ApprovalSettings | Callable[[], ApprovalSettings] = ApprovalSettings(),  # noqa: B008 - frozen
        *,
        clock: Callable[[], float] | None = None,
        record: Callable[[ApprovalRequest], None] = _no_record,
        mask: Callable[[str], str] = _as_it_is,
        new_id: Callable[[], str] = lambda: f"ap_{urandom(12).hex()}",
    ) -> None:
        self._store = store
        self._seal = Seal(key)
        self._settings = settings if callable(settings) else lambda: settings
        self._clock = clock
        self._record = record
        self._mask = mask
        self._new_id = new_id

    def settle(self, asked: Asked, approval_id: str | None = None) -> Settlement:
        """What is to become of an action that needs approval: go ahead, wait for an answer, or no.

        With `approval_id` it is about that request; without, about what is known of exactly this action in its
        scope. `granted` is said once for each approval, whoever asks. Asking again opens no second request.

        Without `asked.codes` nothing asks any more: then only what became of the request `approval_id` counts. A no
        stands; an approval is used up; a question that waits is moot, and taken back. GuardhouseError without an id,
        and for an action too large to be kept.
        """
        if approval_id is None and not asked.codes:
            raise GuardhouseError("An action that nothing asks about was put to people.", fix="Report it.")
        _check_size(asked)
        question = _Question(asked)
        self._seal.prepare()
        with self._turn() as turn:
            if approval_id is None:
                return _settle_by_hash(turn, question)
            return _settle_by_id(turn, question, approval_id)

    def answer(
        self, request_id: str, *, approve: bool, actor: str, comment: str | None = None, for_run: bool = False
    ) -> ApprovalRequest:
        """A person's answer. The first one counts; the same again gives the first back.

        `actor` is who the channel authenticated; `comment` is kept masked. A yes `for_run` is also one to later calls
        of the same tool in that session with the values that the request offers, and no others. AlreadyAnswered if
        the first answer was the opposite one, RequestClosed if the time is over or the request is void, NoSuchRequest.
        """
        _check_person(actor, comment)
        said = self._mask(comment) if comment else None
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None:
                error = NoSuchRequest()
            elif entry.request.status is ApprovalStatus.PENDING:
                _check_offer(entry.request, for_run=approve and for_run)
                return turn.answer(entry, approve=approve, actor=actor, comment=said, for_run=for_run)
            elif answer_given(entry.request) is approve:
                return entry.request
            else:
                error = closed(entry.request)
        raise error  # only now: what has just expired stays so

    def alike(self, request: ApprovalRequest) -> list[ApprovalRequest]:
        """The other questions of the same tool, in the same session, about values from the same source, that wait for
        an answer as well; the oldest first."""
        if not request.kin:
            return []

        def look(transaction: Transaction) -> list[Entry]:
            own = transaction.get(request.id)  # its scope: whoever else has a session of that name is somebody else
            return [] if own is None else transaction.select(status=_WAITING, scope=own.scope, limit=_MOST_ALIKE)

        pending = [entry.request for entry in self._look(look)]
        return [one for one in reversed(pending) if one.kin == request.kin and one.id != request.id]

    def cancel(self, request_id: str, *, actor: str) -> ApprovalRequest:
        """Take a question back, or an approval that was not used yet. `actor` is then who did that."""
        _check_person(actor, None)
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None:
                error = NoSuchRequest()
            elif entry.request.status in _LIVE:
                return turn.move(entry, ApprovalStatus.CANCELLED, actor=actor)
            elif entry.request.status is ApprovalStatus.CANCELLED:
                return entry.request
            else:
                error = closed(entry.request)
        raise error

    def ask_to_resume(self, request_id: str, *, actor: str) -> ApprovalRequest:
        """A person wants an approved call to be taken up now: it has its whole time for that once more, from now on.

        Whoever follows the requests sees it. RequestClosed if it is not approved, or was used; NoSuchRequest.
        """
        _check_person(actor, None)
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None:
                error = NoSuchRequest()
            elif entry.request.status is ApprovalStatus.APPROVED:
                return turn.renew(entry)
            else:
                error = not_resumable(entry.request)
        raise error

    def get(self, request_id: str) -> ApprovalRequest | None:
        """The request as it stands now."""
        if not _is_id(request_id):
            return None
        entry = self._look(lambda transaction: transaction.get(request_id))
        return entry.request if entry else None

    def find(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        limit: int = 100,
    ) -> list[ApprovalRequest]:
        """Requests as they stand now, newest first, each whole. Names are compared as they are shown: masked."""
        statuses = None if status is None else (status,)
        entries = self._look(
            lambda transaction: transaction.select(
                status=statuses, session_id=session_id, principal=principal, limit=max(limit, 0)
            )
        )
        return [entry.request for entry in entries]

    def outlines(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        beginning: str = "",
        limit: int = 100,
    ) -> list[Outline]:
        """The same for a list: without the actions, which may be large. `beginning` is how their ids must begin."""
        return self._look(
            lambda transaction: transaction.outlines(
                status=status,
                session_id=session_id,
                principal=principal,
                beginning=beginning,
                limit=max(limit, 0),
            )
        )

    def resume_data(self, request_id: str) -> bytes | None:
        """The action as it was sealed, while the request is pending or approved; None after that."""
        if not _is_id(request_id):
            return None
        sealed = self._look(lambda transaction: transaction.sealed(request_id, "resume"))
        return None if sealed is None else self._seal.open("resume", request_id, sealed)

    def sweep(self) -> int:
        """Expire what is due, and say how many that were."""
        with self._turn() as turn:
            return turn.expired

    def compact(self, older_than: float) -> int:
        """Remove requests that were finished more than `older_than` seconds ago, and make the store smaller.

        A denial stays as long as it stands. Says how many were removed.
        """
        with self._turn() as turn:
            removed = turn.transaction.remove(changed_before=turn.now - older_than, expired_before=turn.now)
        self._store.shrink()
        return removed

    def changes(self, after: int, *, limit: int = 100) -> Changes:
        """The requests that changed behind the change number `after`, and the number to go on from. What is due has
        expired."""
        found = self._look(lambda transaction: transaction.changed(after, limit=limit))
        numbers = tuple(number for number, _ in found)
        return Changes(tuple(entry.request for _, entry in found), numbers, numbers[-1] if numbers else after)

    def count_pending(self) -> int:
        """How many requests wait for an answer."""
        return self._look(lambda transaction: transaction.count_pending())

    def changed_outlines(
        self, after: int, *, principal: str | None = None, limit: int = 100
    ) -> list[tuple[int, Outline]]:
        """The same without the actions, of one principal if one is named."""
        return self._look(lambda transaction: transaction.changed_outlines(after, principal=principal, limit=limit))

    def latest_change(self) -> int:
        """The number of the last change there was."""
        with self._store.reading() as transaction:
            return transaction.latest()

    def wait(self, request_id: str, timeout: float) -> ApprovalRequest:
        """The request once it is no longer pending, or as it is after `timeout` seconds."""
        end = time.monotonic() + timeout
        with self._store.watching() as watch:
            while True:
                request = self.get(request_id)
                if request is None:
                    raise NoSuchRequest
                left = end - time.monotonic()
                if request.status is not ApprovalStatus.PENDING or left <= 0:
                    return request
                # Not for long: time may be another's, and may jump.
                watch.changed(min(left, _LONGEST_WAIT))

    def watching(self) -> AbstractContextManager[Watch]:
        """A watch that tells one thread when anything may have been changed, by anybody."""
        return self._store.watching()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    @contextmanager
    def _turn(self) -> Generator[_Turn]:
        """A transaction in which what is due has expired. The clock is read once nobody else can write any more."""
        with self._store.writing() as transaction:
            yield _Turn(transaction, self._now(transaction), self._seal, self._settings(), self._record, self._new_id)

    def _look(self, look: Callable[[Transaction], _Seen]) -> _Seen:
        """What `look` sees. Writes only if something is due, so that reading is free for all."""
        with self._store.reading() as transaction:
            if not transaction.due(self._now(transaction), limit=1):
                return look(transaction)
        with self._turn() as turn:
            return look(turn.transaction)

    def _now(self, transaction: Transaction) -> float:
        now = transaction.now() if self._clock is None else self._clock()
        if not isfinite(now):
            raise GuardhouseError("The clock gives no time.", fix="Mend the clock.")  # else nothing would be due
        return now


class _Question:
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


class _Turn:
    """One transaction at one moment: the only place where a request takes on a status."""

    def __init__(
        self,
        transaction: Transaction,
        now: float,
        seal: Seal,
        settings: ApprovalSettings,
        record: Callable[[ApprovalRequest], None],
        new_id: Callable[[], str],
    ) -> None:
        self.transaction = transaction
        self.now = now
        self._seal = seal
        self._settings = settings
        self._record = record
        self._new_id = new_id
        self.expired = 0
        while due := transaction.due(now, limit=1):  # one at a time: many large ones need not be in memory together
            self.move(due[0], ApprovalStatus.EXPIRED)
            self.expired += 1

    def get(self, request_id: str) -> Entry | None:
        return self.transaction.get(request_id) if _is_id(request_id) else None

    def move(self, entry: Entry, status: ApprovalStatus, **fields: Any) -> ApprovalRequest:
        """Let a request take on a status it may take on. What was sealed goes when that is a final one."""
        before = entry.request
        if status not in _NEXT.get(before.status, ()):
            raise AssertionError(f"no step leads from {before.status.value} to {status.value}")
        after = msgspec.structs.replace(before, status=status, **fields)
        self.transaction.change(before, after, at=self.now, erase=status not in _NEXT)
        self._record(after)
        return after

    def answer(self, entry: Entry, *, approve: bool, actor: str, comment: str | None, for_run: bool) -> ApprovalRequest:
        if approve:
            return self.move(
                entry,
                ApprovalStatus.APPROVED,
                answered_at=self.now,
                use_by=self.now + self._settings.use_within,
                actor=actor,
                comment=comment,
                for_run=for_run,
            )
        return self.move(entry, ApprovalStatus.DENIED, answered_at=self.now, actor=actor, comment=comment)

    def renew(self, entry: Entry) -> ApprovalRequest:
        """Give an approval its whole time to be used once more, because a person says so."""
        before = entry.request
        after = msgspec.structs.replace(before, use_by=self.now + self._settings.use_within, resume_asked_at=self.now)
        self.transaction.change(before, after, at=self.now, erase=False)
        self._record(after)
        return after

    def open(self, question: _Question, *, instead_of: Sequence[Entry] = ()) -> Settlement:
        """A new request, `instead_of` those that it supersedes; or a refusal if nobody is there, or too many wait."""
        if self._settings.unattended:
            return Settlement(refusal="unattended")
        if self._too_many(question, instead_of):
            return Settlement(refusal="too_many")
        request = self._request(question)
        for entry in instead_of:
            self.move(entry, ApprovalStatus.SUPERSEDED, superseded_by=request.id)
        self.transaction.add(
            Entry(request, question.scope, question.intent),
            bound=self._seal.seal("bound", request.id, _packed(question.asked.bound)),
            resume=self._seal.seal("resume", request.id, question.asked.resume),
        )
        self._record(request)
        return Settlement(request)

    def check(self, entry: Entry) -> Bound:
        """What a live request is bound to, as it was sealed; GuardhouseError unless its row says the same."""
        request = entry.request
        sealed = self.transaction.sealed(request.id, "bound")
        if sealed is None:
            raise damaged(request.id)
        try:
            bound = _unpacked(self._seal.open("bound", request.id, sealed))
        except (ValueError, msgspec.ValidationError):
            raise damaged(request.id) from None
        if (bound.hash, bound.intent, bound.scope) != (request.action_hash, entry.intent, entry.scope):
            raise damaged(request.id)
        return bound

    def _too_many(self, question: _Question, instead_of: Sequence[Entry]) -> bool:
        leaving = sum(entry.request.status is ApprovalStatus.PENDING for entry in instead_of)
        here = self.transaction.count_pending(scope=question.scope) - leaving
        principal = question.asked.principal
        theirs = self.transaction.count_pending(principal=principal) - leaving if principal is not None else 0
        return (
            here >= self._settings.most_pending
            or theirs >= self._settings.most_pending_of_one
            or self.transaction.count_pending() - leaving >= self._settings.most_pending_in_all
        )

    def _request(self, question: _Question) -> ApprovalRequest:
        asked = question.asked
        request_id = self._new_id()
        if not _is_id(request_id):
            raise GuardhouseError("A new approval request got an id that is none.", fix="Mend `new_id`.")
        return ApprovalRequest(
            id=request_id,
            created_at=self.now,
            expires_at=self.now + self._settings.time_to_answer(asked.risk_level),
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
        )


_MOST_ALIKE: Final = 100
_LONGEST_WAIT: Final = 1.0
"""Seconds after which somebody who waits looks whether time is over."""


def _check_offer(request: ApprovalRequest, *, for_run: bool) -> None:
    """A yes for the rest of the run is good for listed values only; without any it would be good for anything."""
    if for_run and not any(supply.offered for supply in request.supplied):
        raise GuardhouseError("This request offers nothing for the rest of the run.", fix="Approve it for this once.")


# What a question comes to


def _settle_by_id(turn: _Turn, question: _Question, approval_id: str) -> Settlement:
    entry = turn.get(approval_id)
    if entry is None or entry.scope != question.scope:
        return Settlement(refusal="unknown")  # the same for both: an id tells nothing to those it is not for
    if entry.request.status not in _LIVE:
        return Settlement(entry.request, refusal=_refusal(entry.request))
    bound = turn.check(entry)
    if entry.request.action_hash == question.hash:
        if entry.request.status is ApprovalStatus.APPROVED:
            return _use(turn, question, entry)
        return _take_back(turn, entry) if question.is_moot else _wait(entry)
    drifted = drift(bound, question.asked.bound)
    request = entry.request
    if request.status is ApprovalStatus.APPROVED and entry.intent == question.intent:
        request = turn.move(entry, ApprovalStatus.SUPERSEDED)
    return Settlement(request, refusal="drift", drifted=drifted)


def _settle_by_hash(turn: _Turn, question: _Question) -> Settlement:
    select, same = turn.transaction.select, {"scope": question.scope, "action_hash": question.hash}
    for entry in select(status=_LIVE, limit=1, **same):
        turn.check(entry)
        if entry.request.status is ApprovalStatus.APPROVED:
            return _use(turn, question, entry)
        return _wait(entry) if question.covered_by(entry.request) else turn.open(question, instead_of=[entry])
    for entry in select(status=(ApprovalStatus.DENIED,), limit=1, **same):
        if turn.now < entry.request.expires_at:
            return Settlement(entry.request, refusal="denied")
    refusal = _drifted(turn, question)
    if refusal is not None:
        return refusal
    # The same call asked while the world was another: of two cards for one call, only the newer one can be used.
    outdated = select(status=(ApprovalStatus.PENDING,), scope=question.scope, intent=question.intent)
    return turn.open(question, instead_of=outdated)


def _wait(entry: Entry) -> Settlement:
    return Settlement(entry.request)


def _use(turn: _Turn, question: _Question, entry: Entry) -> Settlement:
    """Use an approval of exactly this action, if it covers what is asked now."""
    if not question.covered_by(entry.request):
        return turn.open(question, instead_of=[entry])
    return Settlement(turn.move(entry, ApprovalStatus.CONSUMED), granted=True)


def _take_back(turn: _Turn, entry: Entry) -> Settlement:
    """Go ahead without an answer, and see to it that the id is good for nothing any more."""
    return Settlement(turn.move(entry, ApprovalStatus.CANCELLED, actor=_POLICY), granted=True)


def _drifted(turn: _Turn, question: _Question) -> Settlement | None:
    """A refusal if this same action was approved while the world around it was another; that is void now."""
    approved = turn.transaction.select(status=(ApprovalStatus.APPROVED,), scope=question.scope, intent=question.intent)
    if not approved:
        return None
    drifted = drift(turn.check(approved[0]), question.asked.bound)
    newest, *_ = [turn.move(entry, ApprovalStatus.SUPERSEDED) for entry in approved]
    return Settlement(newest, refusal="drift", drifted=drifted)


def _refusal(request: ApprovalRequest) -> Refusal:
    if request.status is ApprovalStatus.EXPIRED:
        return "timeout" if request.answered_at is None else "too_late"
    return _REFUSALS[request.status]


# Answers


def _check_person(actor: str, comment: str | None) -> None:
    if not isinstance(actor, str) or not actor.strip():
        raise GuardhouseError("An answer needs to say who gives it.", fix="Pass who the channel authenticated.")
    if comment is not None and not isinstance(comment, str):
        raise GuardhouseError("A comment is text.", fix="Pass a string or nothing.")


def _check_size(asked: Asked) -> None:
    """Nobody could read what is larger, and an agent must not be able to fill the disk by asking."""
    if len(msgspec.json.encode(asked.action_redacted)) + len(asked.resume) > _MOST_STORED:
        raise GuardhouseError("The action is too large to be put to a person.", fix="Do it in smaller parts.")


_LONGEST_ID: Final = 128


def _is_id(request_id: object) -> bool:
    """Whether this could be an id at all: agents send what they like."""
    return (
        isinstance(request_id, str)
        and 0 < len(request_id) <= _LONGEST_ID
        and request_id.isascii()
        and request_id.isprintable()
    )


# What is sealed


def _packed(bound: Bound) -> bytes:
    return json.dumps({"action": bound.action, "facts": bound.facts}, ensure_ascii=False, allow_nan=False).encode()


def _unpacked(content: bytes) -> Bound:
    return msgspec.convert(json.loads(content), Bound)
