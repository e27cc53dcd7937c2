"""`/v1/audit…`: the record of this node, for people: events, one with all that belongs to it, figures, the chain.

All but the chain is asked of the index over the record, whose answers say how far it is.
"""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.audit import Query, moment, verify
from guardhouse.audit.query import at_second
from guardhouse.model import EVENT_KINDS, Decision, GuardhouseError, RiskLevel
from guardhouse.model.records import encode_event
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import member, number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import Entry, Progress, Story
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 1000
_MOST_BUCKETS: Final = 500
_HIGHEST: Final = 2**53
_CATCHING_UP: Final = 0.1
"""Seconds that are spent on what was recorded last before a question is answered."""
_TEXTS: Final = (
    "outcome",
    "action",
    "tool",
    "code",
    "session",
    "run",
    "approval",
    "principal",
    "actor",
    "trace",
    "call",
)
FILTERS: Final = ("kind", "decision", "would_be", "risk", *_TEXTS, "since", "until")
LISTED_BY: Final = ("limit", "before", "after", *FILTERS)
CHARTED_BY: Final = ("buckets", *FILTERS)


async def list_(house: House, _principal: Principal, request: Request) -> Response:
    """Events, newest first, that fit everything asked for."""
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    before, after = (seq_in(request, name) for name in ("before", "after"))
    query = query_in(request.query_params)
    told, page = await house.in_thread(
        lambda: (caught_up(house), house.record.page(query, before=before, after=after, limit=limit))
    )
    events = [_told(entry) for entry in page.entries]
    return answer({"events": events, "more": page.more, "first": page.first, "last": page.last, "index": told})


async def show(house: House, _principal: Principal, request: Request) -> Response:
    """One event, with the others about the same call; by its id, or by the id of an approval or a trace."""
    told, found = await story_in(house, request.path_params["id"])
    return answer({"event": _told(found.entry), "related": [_told(entry) for entry in found.related], "index": told})


async def stats(house: House, _principal: Principal, request: Request) -> Response:
    """Figures about what was decided, and how long people took to answer."""
    query = query_in(request.query_params)
    told, figures, waits = await house.in_thread(
        lambda: (caught_up(house), house.record.statistics(query), house.record.waits(query))
    )
    return answer({**msgspec.to_builtins(figures), "waits": msgspec.to_builtins(waits), "index": told})


async def timeline(house: House, _principal: Principal, request: Request) -> Response:
    """How many decisions of each sort there were over time; of the last day, if nothing else is said."""
    buckets = int(number(request, "buckets", 60, least=1, most=_MOST_BUCKETS))
    now = time.time()
    query = query_in(request.query_params)
    since, until = query.since or moment("1d", now), query.until or at_second(int(now) + 1)
    told, chart = await house.in_thread(
        lambda: (caught_up(house), house.record.timeline(query, seconds_of(since), seconds_of(until), buckets))
    )
    return answer({**msgspec.to_builtins(chart), "index": told})


async def check(house: House, _principal: Principal, _request: Request) -> Response:
    """Whether the chain of the record is whole. All of it is checked, which takes a while if it is long."""
    found = await house.in_thread(partial(verify, _directory(house)))
    problems = [str(problem) for problem in found.problems]
    return answer({"ok": found.ok, "events": found.events, "problems": problems})


async def chain(house: House, _principal: Principal, _request: Request) -> Response:
    """What was found when the chain of the record was last checked, and when that was. Costs nothing."""
    return answer(house.chain.status())


async def story_in(house: House, wanted: str) -> tuple[dict[str, Any], Story]:
    """What belongs to the id of an event, an approval or a trace, with how far the index is. A Problem if there is no
    such thing."""
    told, found = await house.in_thread(lambda: (caught_up(house), _story(house, wanted)))
    if found is None and not told["complete"]:
        raise Problem(503, "The record is still being read.", fix="Ask again in a moment.")
    if found is None:
        raise Problem(404, "There is no such event in the record of this node.")
    return told, found


def caught_up(house: House) -> dict[str, Any]:
    """How far the index is, once what was recorded last is in it, unless that is much. If it can't be brought up to
    date, what it has is still worth an answer that says so; whoever runs the daemon is told by who follows."""
    try:
        progress = house.record.catch_up(within=_CATCHING_UP)
    except GuardhouseError as error:
        progress = house.record.progress()
        return {"complete": False, "seq": progress.seq, "share": _share(progress), "problem": error.what}
    return {"complete": progress.complete, "seq": progress.seq, "share": _share(progress)}


def _share(progress: Progress) -> float:
    return round(progress.done / progress.of, 4) if progress.of else 1.0


def _story(house: House, wanted: str) -> Story | None:
    if wanted.startswith("ap_"):
        return house.record.story_of_approval(wanted)
    if wanted.startswith("tr_"):
        return house.record.story_of_trace(wanted)
    return house.record.story(wanted)


def seq_in(request: Request, name: str) -> int | None:
    """A parameter that is the number of an event."""
    value = int(number(request, name, -1, most=_HIGHEST))
    return value if value >= 0 else None


def seconds_of(written: str) -> float:
    """A moment of an event, in seconds since 1970."""
    return datetime.fromisoformat(written).timestamp()


def _told(entry: Entry) -> msgspec.Raw:
    return msgspec.Raw(encode_event(entry.event))


def query_in(said: Mapping[str, str]) -> Query:
    """The filters that parameters name. A Problem if one can't be."""
    kind = said.get("kind")
    if kind is not None and kind not in EVENT_KINDS:
        raise Problem(400, "`kind` is not one of those there are.", fix=f"Use one of: {', '.join(EVENT_KINDS)}.")
    texts = {name: said.get(name) for name in _TEXTS}
    try:
        times = {
            name: moment(given, time.time()) for name in ("since", "until") if (given := said.get(name)) is not None
        }
    except GuardhouseError as error:
        raise Problem(400, error.what, fix=error.fix) from None
    return msgspec.convert(
        {
            "kind": kind,
            "decision": member(said, "decision", Decision),
            "would_be": member(said, "would_be", Decision),
            "risk": member(said, "risk", RiskLevel),
            **texts,
            **times,
        },
        Query,
    )


def _directory(house: House) -> Path:
    return house.sources.locations.state / "audit"
