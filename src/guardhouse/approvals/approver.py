"""The state machine of approvals: who may answer what until when, and what an answer is good for.

Every rule about requests is here and in `turn.py` and `settling.py` beside it, once, over any `Store`. One operation is
one transaction at one moment, which first expires what is due; so nothing can be answered or used too late because
nobody swept, and what was once seen to be too late stays so when the clock goes back. How people are asked is not here.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from math import isfinite
from os import urandom
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from guardhouse.approvals import grants
from guardhouse.approvals.closing import answer_given, closed, not_resumable
from guardhouse.approvals.interface import (
    Changes,
    Entry,
    NoSuchGrant,
    NoSuchRequest,
    NotOffered,
    NotYours,
    Outline,
    Store,
    Transaction,
)
from guardhouse.approvals.settling import in_place_of, settle_by_hash, settle_by_id
from guardhouse.approvals.turn import ApprovalSettings, Question, Records, Turn, is_id, paused_until
from guardhouse.model import (
    ONCE,
    ApprovalRequest,
    ApprovalStatus,
    Asked,
    Grant,
    GuardhouseError,
    Settlement,
    Terms,
)
from guardhouse.sealing import Seal

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from contextlib import AbstractContextManager

    from guardhouse.approvals.interface import Withdraw
    from guardhouse.database import Rows, Watch
    from guardhouse.model import Reach
    from guardhouse.ports import Alongside

__all__ = ["ApprovalSettings", "Approver"]

_MOST_STORED: Final = 1_000_000
"""Bytes that one request may take: the action as it is shown and as it is taken up again, together."""
_MOST_ALIKE: Final = 100
_LONGEST_WAIT: Final = 1.0
"""Seconds after which somebody who waits looks whether time is over."""
_WAITING: Final = (ApprovalStatus.PENDING,)
_LIVE: Final = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)

_Seen = TypeVar("_Seen")


def _no_record(_request: object) -> None:
    """For an approver that nobody keeps a record of."""


def _anybody(_rows: object, _actor: str) -> bool:
    """For an approver that does not know who may answer."""
    return True


def _as_it_is(comment: str) -> str:
    """For an approver whose channels know no secrets."""
    return comment


class Approver:
    """Keeps requests and their answers. Safe to share between threads; several may work on one store at once.

    `record` is called with a request for every step it takes, and `record_grant` with a grant that is given or revoked,
    before that takes effect; if it raises, nothing has happened. They must not call the approver. `mask` takes secrets
    out of what people say, before anything of it is kept. `may_answer` says, by the tables of the same transaction,
    whether who said yes a while ago may still answer. `settings` that are a function are asked for with every turn.
    Without a `clock`, time is the store's own, which all nodes share. Whatever fails raises GuardhouseError, and then
    nothing was granted.
    """

    def __init__(
        self,
        store: Store,
        key: bytes,
        settings: ApprovalSettings | Callable[[], ApprovalSettings] = ApprovalSettings(),  # noqa: B008 - frozen
        *,
        clock: Callable[[], float] | None = None,
        record: Callable[[ApprovalRequest], None] = _no_record,
        record_grant: Callable[[Grant], None] = _no_record,
        mask: Callable[[str], str] = _as_it_is,
        may_answer: Callable[[Rows, str], bool] = _anybody,
        new_id: Callable[[], str] = lambda: f"ap_{urandom(12).hex()}",
    ) -> None:
        self._store = store
        self._seal = Seal(key)
        self._settings = settings if callable(settings) else lambda: settings
        self._clock = clock
        self._records = Records(record, record_grant)
        self._mask = mask
        self._may_answer = may_answer
        self._new_id = new_id

    def settle(self, asked: Asked, approval_id: str | None = None, *, alongside: Alongside | None = None) -> Settlement:
        """What is to become of an action that needs approval: go ahead, wait for an answer, or no.

        With `approval_id` it is about that request; without, about what is known of exactly this action in its
        scope. `granted` is said once for each approval, whoever asks. Asking again opens no second request.

        Without `asked.codes` nothing asks any more: then only what became of the request `approval_id` counts. A no
        stands; an approval is used up; a question that waits is moot, and taken back. GuardhouseError without an id,
        and for an action too large to be kept.

        `alongside` is done in the same transaction: all of it happens, or nothing. An approval of a call that is asked
        about so is good until it is used.
        """
        if approval_id is None and not asked.codes:
            raise GuardhouseError("An action that nothing asks about was put to people.", fix="Report it.")
        _check_size(asked)
        question = Question(asked if alongside is None else msgspec.structs.replace(asked, durable=True))
        self._seal.prepare()
        with self._turn() as turn:
            if approval_id is None:
                settlement = settle_by_hash(turn, question)
            else:
                settlement = settle_by_id(turn, question, approval_id)
            if alongside is not None:
                alongside(turn.transaction.rows, settlement)
            return settlement

    def answer(
        self, request_id: str, *, approve: bool, actor: str, comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest:
        """A person's answer. The first one counts; the same again gives the first back.

        `actor` is who the channel authenticated; `comment` is kept masked. With a yes, `terms` say what it is good for
        beyond this once, and on which condition; where two must agree, it stays pending until the second has said yes
        on the same terms. AlreadyAnswered if the first answer was the opposite one, RequestClosed if the time is over
        or the request is void, NotOffered for terms that it can't have, NotYours for whoever asked, NoSuchRequest.
        """
        _check_person(actor, comment)
        said = self._mask(comment) if comment else None
        self._seal.prepare()
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None:
                error = NoSuchRequest()
            elif entry.request.status is ApprovalStatus.PENDING:
                _check_requester(turn, entry.request, actor)
                if not approve:
                    return turn.deny(entry, actor=actor, comment=said)
                _check_terms(turn, entry.scope, entry.request, terms)
                return turn.consent(entry, actor=actor, comment=said, terms=terms)
            elif answer_given(entry.request) is approve:
                return entry.request
            else:
                error = closed(entry.request)
        raise error  # only now: what has just expired stays so

    def replace(
        self, request_id: str, asked: Asked, *, actor: str, comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest:
        """A person's yes to a call with other arguments, in the place of the one that waits.

        `asked` is the question that the gate makes of the changed call: it gets a request of its own, which is approved
        by this, and the agent gets that call when it comes back with its own. Raises as `answer` does.
        """
        _check_person(actor, comment)
        _check_size(asked)
        said = self._mask(comment) if comment else None
        question = Question(asked)
        self._seal.prepare()
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None or entry.scope != question.scope:
                error = NoSuchRequest()
            elif entry.request.status is not ApprovalStatus.PENDING:
                error = closed(entry.request)
            else:
                _check_requester(turn, entry.request, actor)
                if entry.request.action_hash == question.hash:
                    raise NotOffered("Nothing was changed.", fix="Approve it as it is.")
                _check_edit(turn, entry, asked, terms)
                _check_terms(turn, entry.scope, asked, terms)
                # One call has one card: what waits for the same answer already gives way, too.
                twins = turn.transaction.select(status=_LIVE, scope=question.scope, action_hash=question.hash)
                origin = entry.request.edit_of or entry.request.id
                added = turn.add(question, instead_of=[entry, *twins], edit_of=origin)
                return turn.consent(added, actor=actor, comment=said, terms=terms)
        raise error

    def reapprove(self, request_id: str, *, actor: str, comment: str | None = None) -> Grant:
        """A person takes a no back, or a question that nobody answered in time: exactly that call may be made, once.

        What stood on the card counts, no more. NotOffered if it takes two people, or was neither denied nor too late.
        """
        _check_person(actor, comment)
        said = self._mask(comment) if comment else None
        self._seal.prepare()
        error: GuardhouseError
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is None:
                error = NoSuchRequest()
            else:
                request = entry.request
                _check_requester(turn, request, actor)
                if request.status not in {ApprovalStatus.DENIED, ApprovalStatus.EXPIRED}:
                    raise NotOffered("Only what was denied or expired can be taken up again.", fix="See how it stands.")
                if max(request.needed, turn.settings.needed(request.risk_level)) > 1:
                    raise NotOffered("This takes two people.", fix="Let the agent ask again.")
                _check_room(turn, entry.scope)
                if turn.has_taken_back(entry):
                    raise NotOffered("Somebody has done that already.", fix="The call may be made once.")
                turn.transaction.lift(entry.scope, turn.now)
                return turn.give(entry, request, "exact", seconds=turn.settings.use_within, once_by=(actor, said))
        raise error

    def lift_pause(self, request_id: str, *, actor: str) -> ApprovalRequest:
        """Let the session of this request ask again, although much of what it asked was denied."""
        _check_person(actor, None)
        with self._turn() as turn:
            entry = turn.get(request_id)
            if entry is not None:
                _check_requester(turn, entry.request, actor)
                turn.transaction.lift(entry.scope, turn.now)
                return entry.request
        raise NoSuchRequest

    def paused_until(self, request_id: str) -> float | None:
        """Until when the session of this request is left alone; None if it may ask."""
        if not is_id(request_id):
            return None
        with self._store.reading() as transaction:
            entry = transaction.get(request_id)
            if entry is None:
                return None
            return paused_until(transaction, self._settings(), entry.scope, self._now(transaction))

    def offers(self, request: ApprovalRequest) -> tuple[Reach, ...]:
        """How far a yes to this request can go beyond this once, by the policy in force."""
        settings = self._settings()
        return grants.offered(request, settings.never_grant) if settings.longest_grant > 0 else ()

    @property
    def settings(self) -> ApprovalSettings:
        """What is in force now."""
        return self._settings()

    def alike(self, request: ApprovalRequest) -> list[ApprovalRequest]:
        """The other questions of the same session that wait for an answer as well and are of one kind with this, about
        values from the same source, or of the same turn of the conversation; the oldest first."""

        def look(transaction: Transaction) -> list[Entry]:
            own = transaction.get(request.id)  # its scope: whoever else has a session of that name is somebody else
            return [] if own is None else transaction.select(status=_WAITING, scope=own.scope, limit=_MOST_ALIKE)

        pending = [entry.request for entry in self._look(look)]
        return [one for one in reversed(pending) if one.id != request.id and are_alike(one, request)]

    # Grants

    def grants(
        self,
        *,
        live: bool = True,
        session_id: str | None = None,
        principal: str | None = None,
        request_id: str | None = None,
        limit: int = 100,
    ) -> list[Grant]:
        """Grants, newest first: those in force, or all that are kept."""
        with self._store.reading() as transaction:
            now = self._now(transaction) if live else None
            return transaction.grants(
                live_at=now, session_id=session_id, principal=principal, request_id=request_id, limit=max(limit, 0)
            )

    def grant(self, grant_id: str) -> Grant | None:
        """The grant as it stands now."""
        if not is_id(grant_id):
            return None
        with self._store.reading() as transaction:
            entry = transaction.grant(grant_id)
            return entry.grant if entry is not None else None

    def revoke(self, grant_id: str, *, actor: str) -> Grant:
        """Let a grant cover nothing any more; one that is revoked already stays as it is. NoSuchGrant."""
        _check_person(actor, None)
        with self._turn() as turn:
            entry = turn.transaction.grant(grant_id) if is_id(grant_id) else None
            if entry is not None:
                return entry.grant if entry.grant.revoked_at is not None else turn.revoke(entry.grant, actor=actor)
        raise NoSuchGrant

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

    @contextmanager
    def withdrawing(self, *, actor: str) -> Generator[tuple[Rows, Withdraw]]:
        """A transaction for whoever ends what has asked: what is written to the tables in it, and that requests are
        taken back, happens together or not at all. Those that are over already stay as they are. It needs no policy
        that can be read: ending something never does."""
        _check_person(actor, None)
        with self._turn(ApprovalSettings()) as turn:

            def withdraw(request_ids: Iterable[str]) -> None:
                for request_id in request_ids:
                    entry = turn.get(request_id)
                    if entry is not None and entry.request.status in _LIVE:
                        turn.move(entry, ApprovalStatus.CANCELLED, actor=actor)

            yield turn.transaction.rows, withdraw

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
        if not is_id(request_id):
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
        """The action as it was sealed, while the request is pending or approved, or what a person put in its place is;
        None after that."""
        if not is_id(request_id):
            return None
        with self._turn() as turn:
            entry = turn.get(request_id)
            entry = (in_place_of(turn, entry) or entry) if entry is not None else None
            return turn.unsealed(entry) if entry is not None and entry.request.status in _LIVE else None

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
    def _turn(self, settings: ApprovalSettings | None = None) -> Generator[Turn]:
        """A transaction in which what is due has expired. The clock is read once nobody else can write any more.
        Whoever is refused has changed nothing by then; what has just expired stays so."""
        refused: GuardhouseError | None = None
        with self._store.writing() as transaction:
            turn = Turn(
                transaction,
                self._now(transaction),
                self._seal,
                self._settings() if settings is None else settings,
                self._records,
                self._new_id,
                self._may_answer,
            )
            try:
                yield turn
            except (NotOffered, NotYours) as error:
                refused = error
        if refused is not None:
            raise refused

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


def are_alike(one: ApprovalRequest | Outline, other: ApprovalRequest | Outline) -> bool:
    """Whether two questions of a session can be put together."""
    return bool(one.kin and one.kin == other.kin) or bool(one.turn and one.turn == other.turn)


# Answers


def _check_person(actor: str, comment: str | None) -> None:
    if not isinstance(actor, str) or not actor.strip():
        raise GuardhouseError("An answer needs to say who gives it.", fix="Pass who the channel authenticated.")
    if comment is not None and not (isinstance(comment, str) and _is_writable(comment)):
        raise GuardhouseError("A comment is text.", fix="Pass a string or nothing.")


def _is_writable(text: str) -> bool:
    """Whether every database can keep it: half a pair of surrogates is no character."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _check_requester(turn: Turn, request: ApprovalRequest, actor: str) -> None:
    if turn.people.has_asked(actor, request):
        raise NotYours("Whoever asked can't answer.", fix="Let somebody else answer it.")


def _check_terms(turn: Turn, scope: str, request: ApprovalRequest | Asked, terms: Terms) -> None:
    """NotOffered if a yes to this request can't be good for that. A yes for the rest of the run is good for listed
    values only; without any it would be good for anything."""
    if terms.for_run and not any(supply.offered for supply in request.supplied):
        raise NotOffered("This request offers nothing for the rest of the run.", fix="Approve it for this once.")
    if terms.for_run:
        _check_grant(turn, request, "values")
    if terms.condition is not None and not request.conditional:
        raise NotOffered(
            "The result of this could not be told from others when it comes back, so there can be no condition on it.",
            fix="Approve it without, or deny it.",
        )
    goes_on = terms.for_run or (terms.grant is not None and terms.grant.reach != "exact")
    if terms.condition is not None and goes_on and request.executes:
        raise NotOffered(
            "Another call of a tool that runs what it is given could put elsewhere what a condition keeps back.",
            fix="Choose one of the two.",
        )
    if terms.grant is not None:
        _check_grant(turn, request, terms.grant.reach, terms.grant.seconds)
    _check_room(turn, scope, terms.for_run + (terms.grant is not None))


def _check_room(turn: Turn, scope: str, number: int = 1) -> None:
    if number and not turn.has_room(scope, number):
        raise NotOffered("This session has too many grants already.", fix="Revoke some of them.")


def _check_grant(turn: Turn, request: ApprovalRequest | Asked, reach: Reach, seconds: float | None = None) -> None:
    if turn.settings.longest_grant <= 0 or reach not in grants.offered(request, turn.settings.never_grant):
        raise NotOffered("This can't be granted beyond this once.", fix="Approve it for this once.")
    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise NotOffered("A grant lasts for a positive number of seconds.", fix="Say for how long.")


def _check_edit(turn: Turn, entry: Entry, asked: Asked, terms: Terms) -> None:
    """Only the arguments of a call can be another's: not the tool, nor whose call it is. And only what the card showed
    is agreed to: no other reason, no higher risk, and the files and programs as they were."""
    request = entry.request
    if (asked.action_type, asked.tool_name) != (request.action_type, request.tool_name):
        raise NotOffered("Only the arguments of a call can be changed.", fix="Deny it, and say what you want instead.")
    if terms.for_run or terms.grant is not None:
        raise NotOffered("A changed call can be approved for this once only.", fix="Approve it without more.")
    if not set(asked.codes) <= set(request.codes) or asked.risk_level > request.risk_level:
        new = ", ".join(sorted(set(asked.codes) - set(request.codes))) or "a higher risk"
        raise NotOffered(
            f"The changed call is asked about for what the card did not show: {new}.",
            fix="Deny it, and tell the agent what you want: then you are shown that.",
        )
    before, now = turn.check(entry).facts, asked.bound.facts
    if any(before[name] != now[name] for name in before.keys() & now.keys()):
        raise NotOffered(
            "A file or program that the call names was changed after you were asked.", fix="Deny it, or look again."
        )


def _check_size(asked: Asked) -> None:
    """Nobody could read what is larger, and an agent must not be able to fill the disk by asking."""
    if len(msgspec.json.encode(asked.action_redacted)) + len(asked.resume) > _MOST_STORED:
        raise GuardhouseError("The action is too large to be put to a person.", fix="Do it in smaller parts.")
