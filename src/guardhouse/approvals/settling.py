"""What a question of the gate comes to: an approval or a grant that covers it, a card that waits, or a refusal.

Each function works inside one turn; what a turn may do is in `turn.py`. The order matters: what a person has said about
exactly this comes before what they said about its like, and a new card is the last resort.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.approvals.turn import No, yeses
from guardhouse.model import ONCE, ApprovalStatus, Edited, Settlement, drift

if TYPE_CHECKING:
    from guardhouse.approvals.interface import Entry
    from guardhouse.approvals.turn import Covering, Question, Turn
    from guardhouse.model import ApprovalRequest, Refusal

POLICY: Final = "policy"
"""Who takes a question back that nobody has to answer any more."""
_LIVE: Final = (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)
_MOST_EDITS: Final = 16
"""How often one call may be put in the place of another."""
_REFUSALS: Final[dict[ApprovalStatus, Refusal]] = {
    ApprovalStatus.DENIED: "denied",
    ApprovalStatus.CONSUMED: "used",
    ApprovalStatus.CANCELLED: "cancelled",
    ApprovalStatus.SUPERSEDED: "superseded",
}


def settle_by_id(turn: Turn, question: Question, approval_id: str) -> Settlement:
    """About one request, which must be of this very action, or of the one that a person put in its place."""
    entry = turn.get(approval_id)
    if entry is None or entry.scope != question.scope:
        return Settlement(refusal="unknown")  # the same for both: an id tells nothing to those it is not for
    entry = _original(turn, question, entry)
    instead = in_place_of(turn, entry)
    if instead is not None:
        if question.hash == instead.request.action_hash:
            entry = instead
        elif question.hash == entry.request.action_hash:
            return _edited(turn, instead)
    is_it = entry.request.action_hash == question.hash
    if is_it and entry.request.status is not ApprovalStatus.APPROVED:
        covering = turn.covering(question, _no_by(turn, entry))
        if covering is not None:
            return _by_grant(turn, covering, entry)
    if entry.request.status not in _LIVE:
        return Settlement(entry.request, refusal=_refusal(entry.request))
    bound = turn.check(entry)
    if is_it:
        if entry.request.status is ApprovalStatus.APPROVED:
            return _use(turn, question, entry)
        return _take_back(turn, entry) if question.is_moot else _wait(entry)
    drifted = drift(bound, question.asked.bound)
    request = entry.request
    if request.status is ApprovalStatus.APPROVED and entry.intent == question.intent:
        request = turn.move(entry, ApprovalStatus.SUPERSEDED)
    return Settlement(request, refusal="drift", drifted=drifted)


def _no_by(turn: Turn, entry: Entry) -> No | None:
    """That a person said no by this very request, or took it back: whoever comes back with its id hears it however
    late that is, and only what was granted afterwards counts more."""
    request = entry.request
    if request.status is ApprovalStatus.DENIED:
        return No(request.id, request.answered_at or turn.now)
    by_itself = request.actor is not None and (request.actor == POLICY or request.actor.startswith("grant:"))
    if request.status is ApprovalStatus.CANCELLED and not by_itself:
        return No(request.id, turn.now)
    return None


def settle_by_hash(turn: Turn, question: Question) -> Settlement:
    """About what is known of exactly this action in its scope."""
    select, same = turn.transaction.select, {"scope": question.scope, "action_hash": question.hash}
    live = next(iter(select(status=_LIVE, limit=1, **same)), None)
    if live is not None:
        turn.check(live)
        if live.request.status is ApprovalStatus.APPROVED:
            return _use(turn, question, live)
    no, instead_of_it = (None, None) if live is not None else _said_no(turn, question)
    covering = turn.covering(question, no)
    if covering is not None:
        return _by_grant(turn, covering, live)
    if live is not None:
        return _wait(live) if question.covered_by(live.request) else turn.open(question, instead_of=[live])
    if instead_of_it is not None:
        return _edited(turn, instead_of_it)
    refusal = _drifted(turn, question)
    if refusal is not None:
        return refusal
    # The same call asked while the world was another: of two cards for one call, only the newer one can be used.
    outdated = select(status=(ApprovalStatus.PENDING,), scope=question.scope, intent=question.intent)
    return turn.open(question, instead_of=outdated)


def _said_no(turn: Turn, question: Question) -> tuple[No | None, Entry | None]:
    """That a person's no to exactly this stands, or that they put another call in its place; and the request by which
    that is to be answered."""
    same = {"scope": question.scope, "action_hash": question.hash}
    for entry in turn.transaction.select(status=(ApprovalStatus.SUPERSEDED,), limit=1, **same):
        instead = in_place_of(turn, entry)
        if instead is not None and (instead.request.status in _LIVE or _still_denied(turn, instead)):
            return No(instead.request.id, instead.request.created_at), instead
    for entry in turn.transaction.select(status=(ApprovalStatus.DENIED,), limit=1, **same):
        if _still_denied(turn, entry):
            return No(entry.request.id, entry.request.answered_at or 0.0), entry
    return None, None


def in_place_of(turn: Turn, entry: Entry) -> Entry | None:
    """The request that a person put in the place of this one, with other arguments; the last, if there were several."""
    current = entry
    for _ in range(_MOST_EDITS):
        newer = turn.get(current.request.superseded_by) if current.request.superseded_by else None
        if newer is None or newer.request.edit_of is None or newer.scope != entry.scope:
            break
        current = newer
    return None if current is entry else current


def _original(turn: Turn, question: Question, entry: Entry) -> Entry:
    """The request that `entry` was put in the place of, if that is what is asked about: whoever waits for the call they
    made may be told the newer id."""
    if entry.request.edit_of is None or entry.request.action_hash == question.hash:
        return entry
    asked = turn.get(entry.request.edit_of)
    return asked if asked is not None and asked.request.action_hash == question.hash else entry


def _edited(turn: Turn, instead: Entry) -> Settlement:
    """What a person put in the place of the call: to be judged and used by itself, or waited for."""
    if instead.request.status is ApprovalStatus.PENDING:
        return _wait(instead)
    if instead.request.status is not ApprovalStatus.APPROVED:
        return Settlement(instead.request, refusal=_refusal(instead.request))
    turn.check(instead)
    return Settlement(instead.request, edited=Edited(instead.request.id, turn.unsealed(instead)))


def _by_grant(turn: Turn, covering: Covering, waiting: Entry | None) -> Settlement:
    """Go ahead by a grant. A card for the same that waits is nobody's to answer any more."""
    used, values = turn.use_grant(covering.grant), covering.values
    if waiting is None:
        origin = turn.get(used.request_id)
        return Settlement(origin.request if origin else None, granted=True, grant=used, values=values)
    request = waiting.request
    if request.status is ApprovalStatus.PENDING:
        request = turn.move(waiting, ApprovalStatus.CANCELLED, actor=f"grant:{used.id}")
    return Settlement(request, granted=True, grant=used, values=values)


def _wait(entry: Entry) -> Settlement:
    return Settlement(entry.request)


def _use(turn: Turn, question: Question, entry: Entry) -> Settlement:
    """Use an approval of exactly this action, if it covers what is asked now, and as many said yes as must now."""
    asks_more = not question.is_moot and yeses(entry.request) < turn.settings.needed(question.asked.risk_level)
    if asks_more or not question.covered_by(entry.request):
        return turn.open(question, instead_of=[entry])
    return Settlement(turn.move(entry, ApprovalStatus.CONSUMED), granted=True)


def _take_back(turn: Turn, entry: Entry) -> Settlement:
    """Go ahead without an answer, and see to it that the id is good for nothing any more."""
    return Settlement(turn.move(entry, ApprovalStatus.CANCELLED, actor=POLICY, terms=ONCE), granted=True)


def _drifted(turn: Turn, question: Question) -> Settlement | None:
    """A refusal if this same action was approved while the world around it was another; that is void now."""
    approved = turn.transaction.select(status=(ApprovalStatus.APPROVED,), scope=question.scope, intent=question.intent)
    if not approved:
        return None
    drifted = drift(turn.check(approved[0]), question.asked.bound)
    newest, *_ = [turn.move(entry, ApprovalStatus.SUPERSEDED) for entry in approved]
    return Settlement(newest, refusal="drift", drifted=drifted)


def _still_denied(turn: Turn, entry: Entry) -> bool:
    """Whether a person's no stands: for as long as they had time to answer."""
    return entry.request.status is ApprovalStatus.DENIED and turn.now < entry.request.expires_at


def _refusal(request: ApprovalRequest) -> Refusal:
    if request.status is ApprovalStatus.EXPIRED:
        return "timeout" if request.answered_at is None else "too_late"
    return _REFUSALS[request.status]
