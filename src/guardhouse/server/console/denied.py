"""The page of what was denied: by people, by time, and by the policy; with what can be done about each.

A person's no, or a question that nobody answered, can be taken back for that one call. What the policy denies no
grant lifts; an admin can add to an allowlist what the record itself names.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals import NoSuchRequest
from guardhouse.approvals.card import outcome, plain
from guardhouse.approvals.people import People
from guardhouse.audit import Query
from guardhouse.model import ApprovalStatus, Decision
from guardhouse.server import allowing
from guardhouse.server.allowing import remedy_of
from guardhouse.server.console.cards import Remedy, row_of
from guardhouse.server.console.forms import LONGEST_FORM, Form
from guardhouse.server.console.headings import heading_of
from guardhouse.server.console.rendering import fragment
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.approvals import ApprovalSettings
    from guardhouse.model import ApprovalRequest, AuditEvent
    from guardhouse.server.console.headings import Heading
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 30
_LONGEST: Final = 2_000


class DeniedTile(msgspec.Struct, frozen=True, kw_only=True):
    """A request that came to nothing."""

    id: str
    risk: str
    tool: str
    summary: str
    session: str
    principal: str
    outcome: str
    is_timeout: bool
    at: float
    may_reapprove: bool
    reapproved: str
    """The grant that takes it back, if there is one in force."""


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is left alone for a while."""

    request_id: str
    session: str
    principal: str
    until: float


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of the policy's."""

    event_id: str
    risk: str
    tool: str
    summary: str
    session: str
    when: str
    head: Heading | None
    code: str
    remedies: tuple[Remedy, ...]


async def page(house: House, principal: Principal, _request: Request) -> Response:
    """What was denied lately."""
    return await _page(house, principal)


async def lift(house: House, principal: Principal, request: Request) -> Response:
    """Let a session ask again; the page as it is then."""
    request_id = request.path_params["id"]
    await house.in_thread(partial(_lifted, house, principal, request_id))
    return await _page(house, principal)


async def allow(house: House, principal: Principal, request: Request) -> Response:
    """Add to an allowlist what an event of the record names; the page as it is then."""
    form = Form(await read_body(request, LONGEST_FORM))
    event = await house.in_thread(partial(_event, house, request.path_params["id"]))
    wanted = [one for reason in event.reasons if (one := remedy_of(reason)) is not None] if event is not None else []
    chosen = next((one for one in wanted if f"{one.kind} {plain(one.entry)}" == form.one("remedy")), None)
    if chosen is None:
        raise Problem(422, "That event names nothing like that.", fix="Load the page again.")
    await house.in_thread(partial(allowing.allow, house, principal, chosen))
    return await _page(house, principal)


async def _page(house: House, principal: Principal) -> Response:
    may_allow = has_right(principal, "administer")
    tiles, pauses = await house.in_thread(partial(_requests, house, actor_of(principal)))
    blocked = await house.in_thread(partial(_blocked, house, may_allow=may_allow))
    return fragment("denied.html", tiles=tiles, pauses=pauses, blocked=blocked, may_allow=may_allow)


# In a thread


def _requests(house: House, viewer: str) -> tuple[list[DeniedTile], list[Pause]]:
    approver = house.approver
    settings = approver.settings
    found = [
        *approver.find(status=ApprovalStatus.DENIED, limit=_MOST),
        *approver.find(status=ApprovalStatus.EXPIRED, limit=_MOST),
    ]
    found.sort(key=lambda one: one.answered_at or one.expires_at, reverse=True)
    given = {grant.request_id: grant.id for grant in approver.grants(limit=1000) if grant.most_uses == 1}
    tiles = [_tile(one, settings, viewer, given.get(one.id, "")) for one in found[:_MOST]]
    pauses: dict[tuple[str | None, str | None], Pause] = {}
    for one in found:
        whose = (one.principal, one.session_id)
        if one.status is ApprovalStatus.DENIED and whose not in pauses:
            until = approver.paused_until(one.id)
            if until is not None:
                pauses[whose] = Pause(
                    request_id=one.id,
                    session=plain(one.session_id or "(none)"),
                    principal=plain(one.principal or ""),
                    until=until,
                )
    return tiles, list(pauses.values())


def _tile(request: ApprovalRequest, settings: ApprovalSettings, viewer: str, grant: str) -> DeniedTile:
    row = row_of(request)
    asked = People(settings.people).has_asked(viewer, request)
    return DeniedTile(
        id=row.id,
        risk=row.risk,
        tool=row.tool,
        summary=row.summary,
        session=row.session,
        principal=row.principal,
        outcome=outcome(request),
        is_timeout=request.status is ApprovalStatus.EXPIRED,
        at=request.answered_at or request.expires_at,
        may_reapprove=request.needed == 1 and not grant and not asked,
        reapproved=grant,
    )


def _blocked(house: House, *, may_allow: bool) -> list[Blocked]:
    query = Query(kind="decision", decision=Decision.DENY)
    house.record.catch_up(within=0.05)
    events = [entry.event for entry in house.record.page(query, limit=_MOST).entries]
    return [_of_policy(event, may_allow=may_allow) for event in events if not _is_peoples(event)]


def _is_peoples(event: AuditEvent) -> bool:
    """Whether a person, or time, denied it: that is told above."""
    return bool(event.reasons) and event.reasons[0].code in {"approval.denied", "timeout"}


def _of_policy(event: AuditEvent, *, may_allow: bool) -> Blocked:
    first = event.reasons[0] if event.reasons else None
    remedies = {(one.kind, one.entry) for reason in event.reasons if (one := remedy_of(reason)) is not None}
    return Blocked(
        event_id=event.event_id,
        risk=event.risk_level.value if event.risk_level is not None else "low",
        tool=plain(event.tool_name or event.action_type),
        summary=plain(event.action_summary_redacted.text),
        session=plain(event.session_id or ""),
        when=event.timestamp,
        head=heading_of(first, _LONGEST) if first is not None else None,
        code=first.code if first is not None else "",
        remedies=tuple(Remedy(kind=kind, entry=plain(entry)) for kind, entry in sorted(remedies)) if may_allow else (),
    )


def _event(house: House, event_id: str) -> AuditEvent | None:
    found = house.record.story(event_id)
    return found.entry.event if found is not None else None


def _lifted(house: House, principal: Principal, request_id: str) -> None:
    if house.approver.get(request_id) is None:
        raise NoSuchRequest
    house.note(principal, f"the session of {request_id} may ask again")
    house.approver.lift_pause(request_id, actor=actor_of(principal))
