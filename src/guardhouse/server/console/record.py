"""The page of the record: events of every kind, and whether its chain is whole."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.card import plain
from guardhouse.server.auditing import caught_up
from guardhouse.server.console.events import shown
from guardhouse.server.console.filters import OF_EVENTS, filters_of, wanted_in
from guardhouse.server.console.listing import count_new, listing, older_rows
from guardhouse.server.console.rendering import fragment

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import ChainStatus
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_PATH: Final = "/audit"
_LONGEST: Final = 300


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the chain."""

    state: str
    """`ok`, `broken`, `unknown` or `checking`."""
    title: str
    is_checking: bool
    seq: int
    newer: int
    """Events that came since."""
    at: float
    problems: tuple[str, ...]
    more_problems: int
    notices: tuple[str, ...]
    failure: str
    node: str
    directory: str


async def page(house: House, _principal: Principal, request: Request) -> Response:
    """The whole page."""
    wanted = wanted_in(request)
    listed, offers = await house.in_thread(lambda: (listing(house, wanted, wanted.query, _PATH), house.record.offers()))
    filters = filters_of(wanted, _PATH, OF_EVENTS, offers)
    return fragment("audit.html", filters=filters, listed=listed, chain=_chain(house, listed.newest), with_kind=True)


async def rows(house: House, _principal: Principal, request: Request) -> Response:
    """Older events."""
    wanted = wanted_in(request)
    return await older_rows(house, wanted, wanted.query, _PATH, request)


async def news(house: House, _principal: Principal, request: Request) -> Response:
    """How many events there are behind a number."""
    return await count_new(house, wanted_in(request).query, request)


async def chain(house: House, _principal: Principal, _request: Request) -> Response:
    """What is known of the chain."""
    return fragment("chain.html", chain=_chain(house, await _head(house)))


async def check(house: House, _principal: Principal, _request: Request) -> Response:
    """Have it checked now."""
    house.chain.check_soon()
    return fragment("chain.html", chain=_chain(house, await _head(house), is_wanted=True))


async def _head(house: House) -> int:
    """The number of the newest event."""
    newest: int = await house.in_thread(lambda: caught_up(house)["seq"])
    return newest


def _chain(house: House, head: int, *, is_wanted: bool = False) -> Chain:
    status = house.chain.status()
    newer = max(0, head - status.seq)
    state = _state(status)
    return Chain(
        state=state,
        title=f"The record is whole up to event {status.seq:,}" if state == "ok" and newer else _TITLES[state],
        is_checking=status.is_checking or is_wanted,
        seq=status.seq,
        newer=newer,
        at=status.at,
        problems=tuple(shown(one, _LONGEST) for one in status.problems[:10]),
        more_problems=status.more_problems + max(0, len(status.problems) - 10),
        notices=tuple(shown(one, _LONGEST) for one in status.notices),
        failure=shown(status.failure, _LONGEST),
        node=plain(platform.node() or "this machine"),
        directory=plain(str(house.sources.locations.state / "audit")),
    )


_TITLES: Final = {
    "ok": "The record is whole",
    "broken": "The chain of the record is broken",
    "unknown": "The record has not been checked yet",
}


def _state(status: ChainStatus) -> str:
    if status.ok is None or (status.ok and not status.seq):  # a record in which nothing was yet says nothing
        return "unknown"
    return "ok" if status.ok else "broken"
