"""`/v1/audit…`: the record of this node, for people: events, one with all that belongs to it, figures, the chain."""

from __future__ import annotations

import time
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.audit import Query, count, events, moment, story, verify
from guardhouse.model import Decision, GuardhouseError, RiskLevel
from guardhouse.model.records import encode_event
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import number, one_of

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import Entry, Story
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_MOST: Final = 1000
_MOST_COUNTED: Final = 200_000
_KINDS: Final = frozenset({"decision", "execution", "approval", "notice"})
_TEXTS: Final = ("outcome", "action", "tool", "code", "session", "run", "approval")
LISTED_BY: Final = ("limit", "kind", "decision", "risk", *_TEXTS, "since", "until")


async def list_(house: House, _principal: Principal, request: Request) -> Response:
    """Events, newest first, that fit everything asked for."""
    limit = int(number(request, "limit", 100, least=1, most=_MOST))
    query = _query(request)
    found = await house.in_thread(partial(_newest, _directory(house), query, limit))
    return answer({"events": found})


async def show(house: House, _principal: Principal, request: Request) -> Response:
    """One event, with the others about the same call."""
    found: Story | None = await house.in_thread(partial(story, _directory(house), request.path_params["id"]))
    if found is None:
        raise Problem(404, "There is no such event in the record of this node.")
    return answer({"event": _told(found.entry), "related": [_told(entry) for entry in found.related]})


async def stats(house: House, _principal: Principal, request: Request) -> Response:
    """Figures about what was decided."""
    query = _query(request)
    figures = await house.in_thread(partial(_counted, _directory(house), query))
    return answer(figures)


async def check(house: House, _principal: Principal, _request: Request) -> Response:
    """Whether the chain of the record is whole."""
    found = await house.in_thread(partial(verify, _directory(house)))
    problems = [str(problem) for problem in found.problems]
    return answer({"ok": found.ok, "events": found.events, "problems": problems})


def _newest(directory: Path, query: Query, limit: int) -> list[Any]:
    return [_told(entry) for entry in islice(events(directory, query, newest_first=True), limit)]


def _counted(directory: Path, query: Query) -> Any:
    newest = islice(events(directory, query, newest_first=True), _MOST_COUNTED)
    return msgspec.to_builtins(count(entry.event for entry in newest))


def _told(entry: Entry) -> msgspec.Raw:
    return msgspec.Raw(encode_event(entry.event))


def _query(request: Request) -> Query:
    kind = request.query_params.get("kind")
    if kind is not None and kind not in _KINDS:
        raise Problem(400, "`kind` is not one of those there are.", fix=f"Use one of: {', '.join(sorted(_KINDS))}.")
    texts = {name: request.query_params.get(name) for name in _TEXTS}
    try:
        times = {
            name: moment(given, time.time())
            for name in ("since", "until")
            if (given := request.query_params.get(name)) is not None
        }
    except GuardhouseError as error:
        raise Problem(400, error.what, fix=error.fix) from None
    return msgspec.convert(
        {
            "kind": kind,
            "decision": one_of(request, "decision", Decision),
            "risk": one_of(request, "risk", RiskLevel),
            **texts,
            **times,
        },
        Query,
    )


def _directory(house: House) -> Path:
    return house.sources.locations.state / "audit"
