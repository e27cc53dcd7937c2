"""The page of approvals: the list of what waits, the card, and the answer a person gives in it.

Thin: what may be answered by whom and until when is the approver's, and `server/approving.py`'s.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from guardhouse.approvals import NoSuchRequest, NotOffered, RequestClosed, closed
from guardhouse.approvals.approver import are_alike
from guardhouse.approvals.card import duration, plain
from guardhouse.model import ONCE, ApprovalStatus, GuardhouseError, Terms
from guardhouse.server import allowing
from guardhouse.server.allowing import remedy_of
from guardhouse.server.approving import Answer, Edited, edited, give
from guardhouse.server.console.cards import Card, Viewer, card_of, editable_of, rows_of, standing_of
from guardhouse.server.console.forms import LONGEST_FORM, Form
from guardhouse.server.console.rendering import fragment
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import ApprovalRequest
    from guardhouse.server.console.cards import Row
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_AT_ONCE: Final = 50
_MOST: Final = 10_000
_MOST_NAMED: Final = 50
_SHOWN_ON_THE_CARD: Final = frozenset({409, 422})
"""Why nothing was answered, where the card as it is now says more than the problem alone."""


async def page(house: House, principal: Principal, request: Request) -> Response:
    """The list, and the card of the request that is named, if one is."""
    chosen = request.path_params.get("id", "")
    pending, is_more = await _pending(house)
    count = await house.in_thread(house.count_pending)
    card = await _card(house, principal, chosen) if chosen else None
    return fragment("approvals.html", rows=pending, is_more=is_more, count=count, chosen=chosen, card=card, notice="")


async def rows(house: House, _principal: Principal, request: Request) -> Response:
    """The rows of the requests that are named and still wait, for what has just arrived."""
    named = request.query_params.get("ids", "").split(",")[:_MOST_NAMED]
    found = await house.in_thread(lambda: [one for name in named if (one := house.approver.get(name)) is not None])
    waiting = [one for one in found if one.status is ApprovalStatus.PENDING]
    waiting.sort(key=lambda one: one.created_at, reverse=True)
    return await _listed(house, rows_of(waiting), is_more=False)


async def more(house: House, _principal: Principal, request: Request) -> Response:
    """The next rows, behind the one that is named; the first ones, if none is."""
    pending, is_more = await _pending(house, request.query_params.get("behind", ""))
    return await _listed(house, pending, is_more=is_more)


async def card(house: House, principal: Principal, request: Request) -> Response:
    """The card by itself."""
    shown = await _card(house, principal, request.path_params["id"])
    return fragment("card.html", card=shown, notice="")


async def answer(house: House, principal: Principal, request: Request) -> Response:
    """A person's answer, from the card's form, and answers to others that were on it; the card as it is then. If
    nothing was answered, it says why, and still holds what they wrote."""
    form = Form(await read_body(request, LONGEST_FORM))
    approve = form.one("answer") == "approve"
    if not approve and form.one("answer") != "deny":
        raise Problem(400, "That is no answer.", fix="Approve or deny.")
    found = await _found(house, request.path_params["id"])
    try:
        settled, notices = await _answered(house, principal, found, form, approve=approve)
    except Problem as problem:
        if problem.status not in _SHOWN_ON_THE_CARD:
            raise
        shown = await _card(house, principal, found.id)
        notice = f"{problem.error['message']} {problem.error.get('fix', '')}".strip()
        comment = form.one("comment")
        return fragment("card.html", status=problem.status, card=shown, notice=notice, comment=comment)
    card = await _card(house, principal, settled)
    return fragment("card.html", status=409 if notices else 200, card=card, notice=" ".join(notices))


async def _answered(
    house: House, principal: Principal, found: ApprovalRequest, form: Form, *, approve: bool
) -> tuple[str, list[str]]:
    """The id of the request that was settled, and what could not be answered. A Problem if nothing was."""
    others = form.others
    await _check_alike(house, found, others)
    if approve:
        await _check_shown(house, principal, found.id, form.one("shown"))
        if form.one("standing") != standing_of(found) and found.status is ApprovalStatus.PENDING:
            raise Problem(409, "Somebody else has said yes meanwhile.", fix="Look at it anew.")
    elif any(others.values()):
        raise Problem(422, "With a no to this one, others can't be approved here.", fix="Answer them by themselves.")
    for other in (one for one, is_yes in others.items() if is_yes):
        await _check_shown(house, principal, other, None)
    notices: list[str] = []
    changes = form.changes(editable_of(found)) if approve else {}
    settled = found.id
    terms = form.terms(found) if approve else ONCE
    try:
        if approve and found.status is not ApprovalStatus.PENDING and (changes or terms != found.terms):
            raise closed(found)  # the answer that stands is to something else than what is wanted now
        if changes:
            settled = await _edited(house, principal, found, Edited(changes=changes, comment=form.comment, terms=terms))
        else:
            await give(house, principal, found.id, Answer(comment=form.comment, terms=terms), approve=approve)
    except (RequestClosed, NotOffered) as refused:  # somebody was first, it is too late, or it can't be answered so
        notices.append(f"{refused.what} {refused.fix}")
    for other, is_yes in others.items():
        try:
            # A condition holds for all that was said yes to in one breath; what goes on is said of one card only.
            said = Answer(terms=Terms(condition=terms.condition)) if is_yes else Answer(comment=form.comment)
            await give(house, principal, other, said, approve=is_yes)
        except GuardhouseError as refused:
            notices.append(f"{other}: {refused.what} {refused.fix}")
    return settled, notices


async def reapprove(house: House, principal: Principal, request: Request) -> Response:
    """Let a call that was denied, or that nobody answered in time, be made after all, once; the card as it is then."""
    request_id = request.path_params["id"]
    actor = actor_of(principal)
    await _check_shown(house, principal, request_id, None)
    grant = await house.in_thread(partial(house.approver.reapprove, request_id, actor=actor))
    shown = await _card(house, principal, request_id)
    notice = f"The agent may make exactly this call once, in the next {duration(grant.expires_at - grant.created_at)}."
    return fragment("card.html", card=shown, notice=notice)


async def allow(house: House, principal: Principal, request: Request) -> Response:
    """Add what a reason of a request names to an allowlist, from now on; the card, which still waits for an answer."""
    form = Form(await read_body(request, LONGEST_FORM))
    found = await _found(house, request.path_params["id"])
    wanted = {(one.kind, one.entry): one for reason in found.reasons if (one := remedy_of(reason)) is not None}
    chosen = next((one for one in wanted.values() if f"{one.kind} {plain(one.entry)}" == form.one("remedy")), None)
    if chosen is None:
        raise Problem(422, "This request names nothing like that.", fix="Load the page again.")
    done = await house.in_thread(partial(allowing.allow, house, principal, chosen))
    shown = await _card(house, principal, found.id)
    notice = f"{chosen.kind} {plain(chosen.entry)} is {done['status']} from now on. This request still waits."
    return fragment("card.html", card=shown, notice=notice)


async def _edited(house: House, principal: Principal, found: ApprovalRequest, given: Edited) -> str:
    """The id of the request with the changed call. A Problem, with why, if that would be denied."""
    done = await house.in_thread(partial(edited, house, principal, found, given))
    if done.request is None:
        why = " ".join(plain(reason.title) for reason in done.verdict.reasons[:3])
        raise Problem(422, f"The changed call would be denied; nothing was changed. {why}", code="not_offered")
    return done.request.id


async def _listed(house: House, listed: tuple[Row, ...], *, is_more: bool) -> Response:
    """Rows, with how many wait in all."""
    headers = {"guardhouse-pending": str(await house.in_thread(house.count_pending))}
    return fragment("rows.html", headers=headers, rows=listed, is_more=is_more, chosen="")


async def _found(house: House, request_id: str) -> ApprovalRequest:
    found = await house.in_thread(partial(house.approver.get, request_id))
    if found is None:
        raise NoSuchRequest
    return found


async def _check_alike(house: House, found: ApprovalRequest, others: dict[str, bool]) -> None:
    """A Problem if one of those that are answered together with a request was not on its card."""
    if not others:
        return
    alike = {one.id for one in await house.in_thread(partial(house.approver.alike, found))}
    gone = [one for one in others if one not in alike]
    known = [await house.in_thread(partial(house.approver.get, one)) for one in gone]
    # One that was answered meanwhile is told to be so; one that never was alike is no mistake of the person's.
    if any(one is None or not are_alike(one, found) or one.session_id != found.session_id for one in known):
        raise Problem(422, "One of those is about something else.", fix="Look at them anew.")


async def _check_shown(house: House, principal: Principal, request_id: str, shown: str | None) -> None:
    """A Problem unless the whole request was there to be read, and is the one that was."""
    seen = await _card(house, principal, request_id, with_others=False)
    if not seen.is_shown:
        raise Problem(422, "It is too large to be shown whole, so it can't be approved.", fix="Deny it.")
    if shown is not None and shown != seen.action_hash:
        raise Problem(409, "The card showed something else.", fix="Look at it anew.")


async def _pending(house: House, behind: str = "") -> tuple[tuple[Row, ...], bool]:
    """The next requests that wait, the newest first, and whether there are more."""
    limit = _MOST if behind else _AT_ONCE + 1
    found = await house.in_thread(partial(house.approver.outlines, status=ApprovalStatus.PENDING, limit=limit))
    ids = [one.id for one in found]
    start = ids.index(behind) + 1 if behind in ids else 0
    return rows_of(found[start : start + _AT_ONCE]), len(found) > start + _AT_ONCE


async def _card(house: House, principal: Principal, request_id: str, *, with_others: bool = True) -> Card:
    found = await _found(house, request_id)
    viewer = Viewer(actor_of(principal), may_allow=has_right(principal, "administer"))
    approver = house.approver

    def made() -> Card:  # in a thread: there may be much to show
        alike = approver.alike(found) if with_others and found.status is ApprovalStatus.PENDING else []
        return card_of(found, alike, reaches=approver.offers(found), viewer=viewer, settings=approver.settings)

    return await house.in_thread(made)
