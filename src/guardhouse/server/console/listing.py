"""Rows of events for the pages about the record: the newest, older ones behind them, and how many are new since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.server.auditing import caught_up, seq_in
from guardhouse.server.console.events import EventRow, rows_of
from guardhouse.server.console.rendering import fragment

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import Query
    from guardhouse.server.console.filters import Wanted
    from guardhouse.server.house import House

_AT_ONCE: Final = 50
_MOST_NEW: Final = 99


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Some rows, newest first."""

    rows: tuple[EventRow, ...]
    older: str
    """Where the next ones are; empty if there are none."""
    newest: int
    """The number of the newest event that was there when this was made."""
    index: dict[str, Any]
    """How far the index is."""


def listing(house: House, wanted: Wanted, query: Query, path: str, before: int | None = None) -> Listing:
    """Rows of what `query` wants, for the page at `path`."""
    told = caught_up(house)
    page = house.record.page(query, before=before, limit=_AT_ONCE)
    marks = house.record.opinions_on([one.event.event_id for one in page.entries if one.event.kind == "decision"])
    older = wanted.link(f"/console{path}/rows", before=str(page.last)) if page.more else ""
    return Listing(rows=rows_of(page.entries, marks), older=older, newest=told["seq"], index=told)


async def older_rows(house: House, wanted: Wanted, query: Query, path: str, request: Request) -> Response:
    """The rows behind the one whose number is given."""
    before = seq_in(request, "before")
    listed = await house.in_thread(lambda: listing(house, wanted, query, path, before))
    return fragment("event_rows.html", listed=listed, with_kind=path == "/audit")


async def count_new(house: House, query: Query, request: Request) -> Response:
    """How many there are behind a number, in a header; it costs little, so a page may ask often."""
    after = seq_in(request, "after") or 0

    def count() -> str:
        if caught_up(house)["seq"] <= after:
            return "0"
        page = house.record.page(query, after=after, limit=_MOST_NEW)
        return f"{len(page.entries)}{'+' if page.more else ''}"

    return fragment("nothing.html", headers={"guardhouse-new": await house.in_thread(count)})
