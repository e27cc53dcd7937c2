"""The pages of sessions: which there are, and what came into one, from whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import msgspec

from guardhouse.server.console.events import shown
from guardhouse.server.console.links import key_in, key_link
from guardhouse.server.console.rendering import fragment
from guardhouse.server.house import session_key
from guardhouse.server.problems import Problem
from guardhouse.server.reading import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.sessions import SessionEvent, SessionOutline, Tally
    from guardhouse.tokens import Principal

_AT_ONCE: Final = 50
_EVENTS: Final = 100
_HIGHEST: Final = 2**53
_NAME: Final = 120
_TEXT: Final = 400


class Happening(msgspec.Struct, frozen=True):
    """A kind of event of a session, in words."""

    words: str
    icon: str
    noun: str = ""
    """For several of them."""


KINDS: Final = {
    "user_said": Happening("The user said", "user", "Messages of the user"),
    "assistant_showed": Happening("The assistant showed", "chat", "Answers of the assistant"),
    "tool_returned": Happening("A tool returned", "tool", "Results of tools"),
    "memory_returned": Happening("Memory returned", "memory", "Results of memory"),
    "skill_returned": Happening("A skill returned", "skill", "Results of skills"),
    "granted": Happening("A person allowed", "key", "Permissions"),
    "conditioned": Happening("A person set a condition", "flag", "Conditions"),
}
GRADES: Final = {
    "user": Happening("From the user", "user"),
    "trusted": Happening("Trusted", "calm"),
    "untrusted": Happening("Untrusted", "alert"),
}


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session among others."""

    name: str
    link: str
    """Empty if it can't be opened: it has no name any more, or one that holds a secret."""
    principal: str
    begun: float
    touched: float
    events: int
    untrusted: int


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """Something that came into a session."""

    seq: int
    at: float
    kind: Happening
    grade: str
    grade_words: Happening
    name: str
    call_id: str
    excerpt: str
    detail: tuple[tuple[str, str], ...]
    capped: bool


class Total(msgspec.Struct, frozen=True):
    """How much of one kind and grade there is."""

    kind: Happening
    grade: str
    grade_words: Happening
    events: int
    values: int
    capped: int


async def page(house: House, _principal: Principal, request: Request) -> Response:
    """Sessions, those first that were begun last."""
    whose, listed, older = await _listed(house, request)
    return fragment("sessions.html", rows=listed, older=older, whose=whose)


async def rows(house: House, _principal: Principal, request: Request) -> Response:
    """The next ones."""
    _, listed, older = await _listed(house, request)
    return fragment("session_rows.html", rows=listed, older=older)


async def show(house: House, _principal: Principal, request: Request) -> Response:
    """One session: how much came from whom, and what, in its order."""
    key = _key(request)
    summary = await house.in_thread(partial(house.sessions.summary, key))
    if not summary.tallies:
        raise Problem(
            404,
            "Nothing is kept of this session.",
            fix="It may have had no events, or was removed when it was old. Its decisions may still be in the record.",
        )
    events, later = await _events(house, key, 0)
    mask = house.policy.current().redactor.text
    principal, slash, name = key.partition("/")
    found = {"session": name, "principal": principal} if slash else {"session": key}
    return fragment(
        "session.html",
        name=shown(mask(name if slash else key), _NAME),
        principal=shown(mask(principal), _NAME) if slash else "",
        totals=tuple(map(_total, summary.tallies)),
        count=summary.events(),
        untrusted=summary.events(grade="untrusted"),
        first=events[0].at,
        decisions=f"/decisions?{urlencode({**found, 'since': '30d'})}",
        events=events,
        later=later,
    )


async def more(house: House, _principal: Principal, request: Request) -> Response:
    """Later events of a session."""
    after = int(number(request, "after", 0, most=_HIGHEST))
    events, later = await _events(house, _key(request), after)
    return fragment("session_events.html", events=events, later=later)


async def _listed(house: House, request: Request) -> tuple[str, tuple[SessionRow, ...], str]:
    whose = request.query_params.get("principal", "").strip()
    if "/" in whose:
        raise Problem(400, "No agent has a slash in its name.")
    before = int(number(request, "before", _HIGHEST, most=_HIGHEST))
    beginning = session_key(whose, "") if whose else ""
    found = await house.in_thread(partial(house.sessions.recent, _AT_ONCE + 1, before=before, beginning=beginning))
    mask = house.policy.current().redactor.text
    listed = tuple(_row(one, mask) for one in found[:_AT_ONCE])
    older = ""
    if len(found) > _AT_ONCE:
        query = {"before": str(found[_AT_ONCE - 1].number), **({"principal": whose} if whose else {})}
        older = f"/console/sessions/rows?{urlencode(query)}"
    return shown(whose, _NAME), listed, older


def _row(outline: SessionOutline, mask: Callable[[str], str]) -> SessionRow:
    principal, slash, name = outline.name.partition("/")
    named = name if slash else principal
    return SessionRow(
        name=shown(mask(named), _NAME),
        link=key_link(outline.name) if outline.name and mask(outline.name) == outline.name else "",
        principal=shown(mask(principal), _NAME) if slash else "",
        begun=outline.begun,
        touched=outline.touched,
        events=outline.events,
        untrusted=outline.untrusted,
    )


def _key(request: Request) -> str:
    key = key_in(request.path_params["id"])
    if key is None:
        raise Problem(404, "That is no session.", fix="Choose one from the list of sessions.")
    return key


async def _events(house: House, key: str, after: int) -> tuple[tuple[Came, ...], str]:
    found = await house.in_thread(partial(house.sessions.events, key, after=after, limit=_EVENTS + 1))
    later = ""
    if len(found) > _EVENTS:
        later = f"/console{key_link(key)}/events?after={found[_EVENTS - 1].seq}"
    return tuple(map(_came, found[:_EVENTS])), later


def _came(event: SessionEvent) -> Came:
    return Came(
        seq=event.seq,
        at=event.at,
        kind=KINDS[event.kind],
        grade=event.grade,
        grade_words=GRADES[event.grade],
        name=shown(event.name, _NAME),
        call_id=shown(event.call_id or "", _NAME),
        excerpt=shown(event.excerpt, _TEXT),
        detail=tuple((shown(name, _NAME), shown(text, _TEXT)) for name, text in (event.detail or {}).items()),
        capped=event.capped,
    )


def _total(tally: Tally) -> Total:
    return Total(KINDS[tally.kind], tally.grade, GRADES[tally.grade], tally.events, tally.values, tally.capped)
