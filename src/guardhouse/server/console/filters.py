"""The filters of a page about the record: what is wanted, as its address says it, and the form to change it.

All of it stands in the query of the page's address, so that a link shows somebody else the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from guardhouse.approvals.card import plain
from guardhouse.audit import Query
from guardhouse.model import EVENT_KINDS, Decision, RiskLevel
from guardhouse.server.auditing import FILTERS, query_in
from guardhouse.server.console.events import DECIDED, DONE, KINDS
from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

    from guardhouse.audit import Offers

SPANS: Final = (("1h", "1 hour"), ("24h", "24 hours"), ("7d", "7 days"), ("30d", "30 days"))
_LABELS: Final = {
    "kind": "Kind",
    "decision": "Decision",
    "risk": "Risk",
    "outcome": "Outcome",
    "tool": "Tool",
    "code": "Reason",
    "session": "Session",
    "principal": "Agent",
    "actor": "Person",
    "approval": "Approval id",
    "trace": "Trace id",
    "since": "From",
    "until": "To",
}
_CHOICES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "kind": tuple((one, KINDS[one]) for one in EVENT_KINDS),
    "decision": tuple((one.value, DECIDED[one.value].text) for one in Decision),
    "risk": tuple((one.value, one.value.capitalize()) for one in RiskLevel),
    "outcome": tuple((one, word.text) for one, word in DONE.items()),
}
_HINTS: Final = {"since": "24h, 7d or 2026-01-31", "until": "now"}
_LONGEST: Final = 120
OF_DECISIONS: Final = ("decision", "risk", "tool", "code", "session", "principal", "since", "until")
OF_EVENTS: Final = (
    "kind", "decision", "risk", "outcome", "tool", "code", "session", "principal", "actor", "approval", "trace",
    "since", "until",
)  # fmt: skip


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the form."""

    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...] = ()
    """What can be chosen; else it is written, with `offers` to begin from."""
    offers: tuple[str, ...] = ()
    hint: str = ""


class Chip(msgspec.Struct, frozen=True):
    """A filter that is set, and where one gets without it."""

    label: str
    value: str
    without: str


class Span(msgspec.Struct, frozen=True):
    """A stretch of time up to now that can be chosen."""

    label: str
    link: str
    is_chosen: bool


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted, for the page's form."""

    path: str
    fields: tuple[Field, ...]
    chips: tuple[Chip, ...]
    spans: tuple[Span, ...]
    trouble: str
    """What is wrong with what was asked for, if something is; then it is left out."""


class Wanted(msgspec.Struct, frozen=True):
    """What a request asks for."""

    given: dict[str, str]
    query: Query
    trouble: str = ""

    def link(self, path: str, **changes: str) -> str:
        """The page with some of it changed; an empty value takes a filter away."""
        kept = {name: value for name, value in {**self.given, **changes}.items() if value}
        return f"{path}?{urlencode(kept, errors='surrogatepass')}" if kept else path


def wanted_in(request: Request, *, since: str = "") -> Wanted:
    """What a request asks for; from `since` on, if it does not say from when. A time that can't be read is left out."""
    given = {name: value for name in FILTERS if (value := request.query_params.get(name, "").strip())}
    trouble = ""
    try:
        query = query_in({"since": since, **given} if since else given)
    except Problem as problem:
        trouble = " ".join(filter(None, (problem.error["message"], problem.error.get("fix"))))
        query = query_in({"since": since} if since else {})
        given = {}
    return Wanted(given, query, trouble)


def filters_of(wanted: Wanted, path: str, names: tuple[str, ...], offers: Offers, *, since: str = "") -> Filters:
    """The form of a page at `path`, with the fields of those names."""
    offered = {"tool": offers.tools, "code": offers.codes, "principal": offers.principals, "actor": offers.actors}
    fields = tuple(
        Field(
            name=name,
            label=_LABELS[name],
            value=_safe(wanted.given.get(name, "")),
            choices=_CHOICES.get(name, ()),
            offers=tuple(one for one in offered.get(name, ()) if _safe(one) == one),
            hint=_HINTS.get(name, "any"),
        )
        for name in names
    )
    chosen = wanted.given.get("since", since) if "until" not in wanted.given else ""
    spans = [Span(label, wanted.link(path, since=value, until=""), value == chosen) for value, label in SPANS]
    if not since:
        spans.append(Span("All", wanted.link(path, since="", until=""), not chosen and "until" not in wanted.given))
    return Filters(
        path=path,
        fields=fields,
        chips=tuple(
            Chip(_LABELS.get(name, name.capitalize()), _said(name, value), wanted.link(path, **{name: ""}))
            for name, value in wanted.given.items()
            if not (name == "since" and value in dict(SPANS))
        ),
        spans=tuple(spans),
        trouble=wanted.trouble,
    )


def only_decisions(query: Query) -> Query:
    """The same, of decisions."""
    return replace(query, kind="decision")


def _said(name: str, value: str) -> str:
    return dict(_CHOICES.get(name, ())).get(value) or _safe(value)


def _safe(text: str) -> str:
    return plain(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "")
