"""The page of grants: what people said yes to for more than once, until when, and what was added to allowlists.

What a grant covers is said in the words of `approvals/grants.py`; revoking one is the approver's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.card import plain
from guardhouse.approvals.grants import reach_words
from guardhouse.server import allowing
from guardhouse.server.console.cards import briefly
from guardhouse.server.console.forms import LONGEST_FORM, Form
from guardhouse.server.console.rendering import fragment
from guardhouse.server.door import has_right
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import Grant
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 200


class GrantTile(msgspec.Struct, frozen=True, kw_only=True):
    """A grant."""

    id: str
    request_id: str
    is_live: bool
    standing: str
    lead: str
    places: tuple[str, ...]
    condition: str
    tool: str
    risk: str
    call: tuple[str, ...]
    """What exactly it covers, if that is one call and no other."""
    session: str
    principal: str
    actor: str
    comment: str
    created_at: float
    expires_at: float
    uses: int
    most_uses: int | None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of an allowlist."""

    kind: str
    entry: str
    shown: str
    is_removable: bool


async def page(house: House, principal: Principal, request: Request) -> Response:
    """The grants in force, or with `all` every one that is kept, and what was added to allowlists."""
    return await _page(house, principal, every=request.query_params.get("all") is not None)


async def revoke(house: House, principal: Principal, request: Request) -> Response:
    """Let a grant cover nothing any more; the page as it is then."""
    grant_id = request.path_params["id"]
    await house.in_thread(partial(house.approver.revoke, grant_id, actor=actor_of(principal)))
    return await _page(house, principal, every=False)


async def remove(house: House, principal: Principal, request: Request) -> Response:
    """Allow something no longer; the page as it is then."""
    form = Form(await read_body(request, LONGEST_FORM))
    try:
        wanted = msgspec.convert({"kind": form.one("kind"), "entry": form.one("entry")}, allowing.Allowance)
    except msgspec.ValidationError:
        raise Problem(400, "The form can't be read.", fix="Load the page again.") from None
    await house.in_thread(partial(allowing.disallow, house, principal, wanted))
    return await _page(house, principal, every=False)


async def _page(house: House, principal: Principal, *, every: bool) -> Response:
    found = await house.in_thread(partial(house.approver.grants, live=not every, limit=_MOST))
    live = {grant.id for grant in found}
    if every:
        live = {grant.id for grant in await house.in_thread(partial(house.approver.grants, limit=_MOST))}
    may_remove = has_right(principal, "administer")
    allowed = await house.in_thread(partial(allowing.listed, house))
    return fragment(
        "grants.html",
        grants=[_tile(grant, is_live=grant.id in live) for grant in found],
        every=every,
        entries=[_entry(kind, entry, may_remove=may_remove) for kind, entry in allowed],
    )


def _tile(grant: Grant, *, is_live: bool) -> GrantTile:
    # Its tool, places and fields stand beside it, tinted: their names may be anything.
    if grant.reach == "values":
        (lead,), places = reach_words("values", "this tool", ["values"]), list(grant.fields)
    else:
        lead, *places = reach_words(
            grant.reach, "this tool", [f"{target.place} ({target.code})" for target in grant.targets]
        )
    over = "used up" if grant.most_uses is not None and grant.uses >= grant.most_uses else "over"
    revoked = f"revoked by {plain(grant.revoked_by or '')}" if grant.revoked_at is not None else over
    return GrantTile(
        id=grant.id,
        request_id=grant.request_id,
        is_live=is_live,
        standing="in force" if is_live else revoked,
        lead=lead,
        places=tuple(map(plain, places)),
        condition=grant.condition.words if grant.condition is not None else "",
        tool=plain(grant.tool_name or grant.action_type),
        risk=grant.risk_level.value,
        call=_call(grant) if grant.reach == "exact" else (),
        session=plain(grant.session_id or ""),
        principal=plain(grant.principal or ""),
        actor=plain(grant.actor),
        comment=plain(grant.comment or ""),
        created_at=grant.created_at,
        expires_at=grant.expires_at,
        uses=grant.uses,
        most_uses=grant.most_uses,
    )


def _call(grant: Grant) -> tuple[str, ...]:
    """The call, line by line; behind its first line is what was at stake."""
    first, _, _ = grant.action_summary_redacted.partition("\n")
    return tuple(plain(line) for line in briefly(first, grant.tool_name or grant.action_type).split("\n"))


def _entry(kind: str, entry: str, *, may_remove: bool) -> Entry:
    is_removable = may_remove and kind in {"domain", "command", "path"}
    return Entry(kind=kind, entry=entry, shown=plain(entry), is_removable=is_removable)
