"""The page of decisions: how many of which sort over time, why and about what, and the newest of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.audit import moment
from guardhouse.audit.query import at_second
from guardhouse.server.auditing import seconds_of
from guardhouse.server.console.events import DECIDED, Word, shown
from guardhouse.server.console.filters import OF_DECISIONS, filters_of, only_decisions, wanted_in
from guardhouse.server.console.listing import count_new, listing, older_rows
from guardhouse.server.console.rendering import fragment
from guardhouse.server.console.spans import waited

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import Statistics, Timeline, Waits
    from guardhouse.server.console.filters import Wanted
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_PATH: Final = "/decisions"
_SINCE: Final = "24h"
_BUCKETS: Final = 62
"""At most; one more or two than the round numbers that hours, days and weeks are cut into."""
_TOP: Final = 8
_LONGEST_NAME: Final = 60
_WIDTHS: Final = {
    60: "minute",
    300: "5 minutes",
    900: "15 minutes",
    1800: "half hour",
    3600: "hour",
    7200: "2 hours",
    10_800: "3 hours",
    21_600: "6 hours",
    43_200: "12 hours",
    86_400: "day",
    604_800: "week",
}


class Sort(msgspec.Struct, frozen=True):
    """Decisions of one sort, in all and over time."""

    name: str
    word: Word
    total: int
    share: str
    counts: tuple[int, ...]
    link: str


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Decisions over time."""

    times: tuple[int, ...]
    width: str
    sorts: tuple[Sort, ...]
    words: str
    """The same in a sentence."""
    table: tuple[tuple[int, str, tuple[int, ...]], ...]
    """The same in rows, without those in which nothing happened."""


class Figure(msgspec.Struct, frozen=True):
    """A number, and what there is to say of it."""

    name: str
    value: str
    about: str
    tone: str = ""


class Bar(msgspec.Struct, frozen=True):
    """A name among the most frequent."""

    name: str
    count: int
    share: int
    """Of the most frequent one, in percent."""
    link: str
    is_chosen: bool


async def page(house: House, _principal: Principal, request: Request) -> Response:
    """The whole page."""
    wanted = wanted_in(request, since=_SINCE)
    query = only_decisions(wanted.query)
    now = time.time()
    since, until = query.since or moment(_SINCE, now), query.until or at_second(int(now) + 1)
    answers = replace(wanted.query, kind="approval", decision=None, code=None)
    listed, chart, figures, waits, offers = await house.in_thread(
        lambda: (
            listing(house, wanted, query, _PATH),
            house.record.timeline(query, seconds_of(since), seconds_of(until), _BUCKETS),
            house.record.statistics(replace(wanted.query, kind=None)),
            house.record.waits(answers),
            house.record.offers(),
        )
    )
    return fragment(
        "decisions.html",
        filters=filters_of(wanted, _PATH, OF_DECISIONS, offers, since=_SINCE),
        listed=listed,
        chart=_chart(chart, figures, wanted),
        figures=_figures(figures, waits),
        tools=_bars(figures.tools, "tool", wanted),
        codes=_bars(figures.codes, "code", wanted),
        with_kind=False,
    )


async def rows(house: House, _principal: Principal, request: Request) -> Response:
    """Older decisions."""
    wanted = wanted_in(request, since=_SINCE)
    return await older_rows(house, wanted, only_decisions(wanted.query), _PATH, request)


async def news(house: House, _principal: Principal, request: Request) -> Response:
    """How many decisions there are behind a number."""
    return await count_new(house, only_decisions(wanted_in(request, since=_SINCE).query), request)


def _chart(found: Timeline, figures: Statistics, wanted: Wanted) -> Chart:
    times = tuple(range(found.since, found.until, found.width))
    by_time = {one.start: one.decisions for one in found.buckets}
    total = sum(figures.decisions.values())
    sorts = tuple(
        Sort(
            name,
            word,
            figures.decisions.get(name, 0),
            _percent(figures.decisions.get(name, 0), total),
            tuple(by_time.get(at, {}).get(name, 0) for at in times),
            wanted.link(_PATH, decision="" if wanted.given.get("decision") == name else name),
        )
        for name, word in DECIDED.items()
    )
    said = ", ".join(f"{one.total:,} {one.word.text.lower()}" for one in sorts)
    width = _WIDTHS.get(found.width, waited(found.width))
    return Chart(
        times=times,
        width=width,
        sorts=sorts,
        words=f"Decisions per {width}: {said}.",
        table=tuple(
            (at, at_second(at)[:16].replace("T", " "), tuple(one.counts[place] for one in sorts))
            for place, at in enumerate(times)
            if at in by_time
        ),
    )


def _figures(figures: Statistics, waits: Waits | None) -> tuple[Figure, ...]:
    total = sum(figures.decisions.values())
    denied, asked = figures.decisions.get("deny", 0), figures.decisions.get("require_approval", 0)
    marked = sum(figures.feedback.values())
    alarms, missed = figures.feedback.get("false_alarm", 0), figures.feedback.get("missed", 0)
    answered = f"median of {waits.answers:,}; 9 in 10 within {waited(waits.p90)}" if waits else "nobody was asked"
    said = f"{alarms:,} of {marked:,} marked" + (f"; {missed:,} missed" if missed else "")
    return (
        Figure("Decisions", f"{total:,}", f"{figures.decisions.get('allow', 0):,} allowed as they were"),
        Figure("Blocked", _percent(denied, total), f"{denied:,} denied", "deny" if denied else ""),
        Figure("Asked", _percent(asked, total), f"{asked:,} put to a person", "asked" if asked else ""),
        Figure("Answered in", waited(waits.median) if waits else "–", answered),
        Figure("False alarms", _percent(alarms, marked), said if marked else "nothing was marked yet"),
    )


def _bars(counts: dict[str, int], name: str, wanted: Wanted) -> tuple[Bar, ...]:
    most = max(counts.values(), default=1)
    chosen = wanted.given.get(name)
    return tuple(
        Bar(
            shown(one, _LONGEST_NAME),
            count,
            max(1, round(100 * count / most)),
            wanted.link(_PATH, **{name: "" if one == chosen else one}),
            one == chosen,
        )
        for one, count in list(counts.items())[:_TOP]
    )


def _percent(part: int, whole: int) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{share:.1f} %" if share < 10 and part else f"{share:.0f} %"
