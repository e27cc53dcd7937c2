"""What the console shows of requests: a row of the list, and the card. Small frozen views, made from the request alone.

Every text that came from elsewhere has passed through `plain` here, line by line; templates escape it for HTML. It
reads no clock, asks nothing and answers nothing.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.approvals.card import (
    MOST,
    SOURCES,
    action_rows,
    covered_rows,
    outcome,
    plain,
    recommendation,
    size_rows,
)
from guardhouse.approvals.grants import reach_words
from guardhouse.approvals.people import People
from guardhouse.approvals.wording import terms_words
from guardhouse.model import ApprovalStatus
from guardhouse.server.allowing import remedy_of
from guardhouse.server.console.headings import heading_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.approvals import ApprovalSettings, Outline
    from guardhouse.model import ApprovalRequest, Reach, Reason, Supply
    from guardhouse.server.console.headings import Heading

LONG_LINES: Final = 60
LONG_TEXT: Final = 8 * 1024
"""Values of more lines or characters are folded; nobody can approve before they were opened."""

_AROUND: Final = frozenset({"tool", "cwd", "call_id", "source"})
_FEW: Final = 200
_DOUBTFUL: Final = frozenset({"untrusted", "nowhere", "delegated"})
_MOST_EDITABLE: Final = 60
_MOST_TOGETHER: Final = 20
_COLUMNS: Final = 72
_MOST_ROWS: Final = 14
_FINAL_ICONS: Final = {
    ApprovalStatus.APPROVED: "check",
    ApprovalStatus.CONSUMED: "check",
    ApprovalStatus.DENIED: "cross",
}


class Viewer(msgspec.Struct, frozen=True):
    """Who looks at a card."""

    actor: str
    may_allow: bool
    """Whether they may change the policy."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list."""

    id: str
    risk: str
    tool: str
    summary: str
    session: str
    principal: str
    created_at: float
    expires_at: float
    is_pending: bool
    group: str
    """The same for those that are put together on one card."""
    needed: int


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A value of the action, with its name."""

    label: str
    """Ours, or empty if the name is a text of theirs: then it is `name`."""
    name: str
    lines: tuple[str, ...]
    is_long: bool
    size: str
    is_around: bool
    """Whether it says where and by what, in a few words, and not what is done."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Who supplied a value."""

    field: str
    who: str
    tool: str
    """Whose answer held it,"""
    call: str
    """to which call."""
    is_doubtful: bool


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """A reason."""

    code: str
    severity: str
    head: Heading
    why: str
    instead: str
    seen: tuple[str, ...]
    rule: str
    remedy: Remedy | None
    """For whoever may change the policy."""


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what an approval covers."""

    name: str
    words: str
    theirs: tuple[str, ...] = ()
    """Files, programs and places by their names."""


class Editable(msgspec.Struct, frozen=True, kw_only=True):
    """An argument that a person may change before they say yes."""

    pointer: str
    """Where it stands: a JSON Pointer."""
    name: str
    text: str
    is_text: bool
    """Otherwise it is a number, or yes or no, and must stay one."""
    rows: int


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What would allow this from now on."""

    kind: str
    entry: str


class Alike(msgspec.Struct, frozen=True, kw_only=True):
    """Another request that can be answered together with this one."""

    id: str
    tool: str
    risk: str
    summary: str
    values: tuple[Value, ...]
    stakes: tuple[str, ...]
    reasons: tuple[tuple[str, Heading], ...]
    """Codes and heads."""
    origins: tuple[Origin, ...]
    """Of the values that are doubtful."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A request, whole."""

    id: str
    action_hash: str
    status: str
    is_pending: bool
    is_shown: bool
    """Whether all of it is here. What is not can't be approved."""
    may_answer: bool
    """Whether whoever looks at it may: nobody answers what they asked."""
    risk: str
    advice: str
    outcome: str
    outcome_icon: str
    tool: str
    action_type: str
    stakes: tuple[str, ...]
    session: str
    principal: str
    run: str
    created_at: float
    expires_at: float
    answered_at: float | None
    values: tuple[Value, ...]
    sizes: tuple[tuple[str, str], ...]
    origins: tuple[Origin, ...]
    reasons: tuple[Why, ...]
    covers: tuple[Covered, ...]
    offered: tuple[str, ...]
    """Fields whose values a yes for the rest of the run would cover."""
    reaches: tuple[str, ...]
    """How far a yes can go beyond this once."""
    places: tuple[tuple[str, str], ...]
    """What a grant for the same places would name: place and reason."""
    is_conditional: bool
    editable: tuple[Editable, ...]
    edit_of: str
    superseded_by: str
    needed: int
    consents: tuple[str, ...]
    """Who has said yes, where more than one must."""
    has_consented: bool
    """Whether whoever looks at it has."""
    terms: tuple[str, ...]
    """What the yes is good for, as the first one said."""
    may_reapprove: bool
    alike: tuple[Alike, ...]
    elsewhere: tuple[str, ...]
    """Further ones of the same kind, which have to be looked at by themselves."""
    standing: str
    """What of others' answers the card shows."""


def row_of(request: Outline | ApprovalRequest) -> Row:
    """The row of a request."""
    return Row(
        id=request.id,
        risk=request.risk_level.value,
        tool=plain(request.tool_name or request.action_type),
        summary=_summary(request),
        session=plain(request.session_id or ""),
        principal=plain(request.principal or ""),
        created_at=request.created_at,
        expires_at=request.expires_at,
        is_pending=request.status is ApprovalStatus.PENDING,
        group=_group(request),
        needed=request.needed,
    )


def _group(request: Outline | ApprovalRequest) -> str:
    """What requests that are put together have in common, in a word that can say nothing else; nothing for those that
    are never on another's card."""
    together = request.turn or request.kin
    if not together or request.needed > 1:
        return ""  # what takes two people stands by itself
    return sha256(repr((request.principal, request.session_id, together)).encode()).hexdigest()[:16]


def card_of(
    request: ApprovalRequest,
    alike: Sequence[ApprovalRequest],
    *,
    reaches: tuple[Reach, ...],
    viewer: Viewer,
    settings: ApprovalSettings,
) -> Card:
    """The card of a request, with those that can be answered together with it, and how far a yes can go, for whoever
    looks at it."""
    values = _values(request)
    people = People(settings.people)
    others, elsewhere = _others(alike)
    _, _, losses = request.action_summary_redacted.partition("\n")
    return Card(
        id=request.id,
        action_hash=request.action_hash,
        status=request.status.value,
        is_pending=request.status is ApprovalStatus.PENDING,
        is_shown=values is not None,
        may_answer=not people.has_asked(viewer.actor, request),
        risk=request.risk_level.value,
        advice=recommendation(request),
        outcome=outcome(request),
        outcome_icon=_FINAL_ICONS.get(request.status, "clock"),
        tool=plain(request.tool_name or ""),
        action_type=plain(request.action_type),
        stakes=_lines(losses) if losses else (),
        session=plain(request.session_id or ""),
        principal=plain(request.principal or ""),
        run=plain(request.run_id or ""),
        created_at=request.created_at,
        expires_at=request.expires_at,
        answered_at=request.answered_at,
        values=values or (),
        sizes=() if values is not None else tuple(size_rows(request)),
        origins=tuple(map(_origin, sorted(request.supplied, key=lambda one: one.source not in _DOUBTFUL))),
        reasons=tuple(_why(reason, may_allow=viewer.may_allow) for reason in request.reasons),
        covers=tuple(_covers(request, settings)),
        offered=tuple(plain(one.field) for one in request.supplied if one.offered and "values" in reaches),
        reaches=reaches,
        places=tuple((plain(target.place), plain(target.code)) for target in request.targets),
        is_conditional=request.conditional,
        editable=editable_of(request) if request.status is ApprovalStatus.PENDING else (),
        edit_of=request.edit_of or "",
        superseded_by=request.superseded_by or "",
        needed=request.needed,
        consents=tuple(plain(one.actor) for one in request.consents),
        has_consented=people.is_among(viewer.actor, (one.actor for one in request.consents)),
        terms=tuple(terms_words(request.terms)),
        may_reapprove=request.status in {ApprovalStatus.DENIED, ApprovalStatus.EXPIRED}
        and request.needed == 1
        and values is not None,
        alike=others,
        elsewhere=elsewhere,
        standing=standing_of(request),
    )


def standing_of(request: ApprovalRequest) -> str:
    """Who has said yes so far, and on which terms, as a digest: a yes counts only if the card showed just that."""
    said = ([one.actor for one in request.consents], request.terms)
    return sha256(msgspec.json.encode(said)).hexdigest()


def _others(alike: Sequence[ApprovalRequest]) -> tuple[tuple[Alike, ...], tuple[str, ...]]:
    """Those that fit on one card with another, whole, and the ids of those that have to be looked at by themselves."""
    others: list[Alike] = []
    elsewhere: list[str] = []
    left = MOST
    for one in alike:
        values = _values(one) if one.needed == 1 and len(others) < _MOST_TOGETHER and left > 0 else None
        size = sum(sum(map(len, value.lines)) for value in values) if values is not None else 0
        if values is None or size > left:
            elsewhere.append(one.id)
            continue
        left -= size
        _, _, losses = one.action_summary_redacted.partition("\n")
        others.append(
            Alike(
                id=one.id,
                tool=plain(one.tool_name or one.action_type),
                risk=one.risk_level.value,
                summary=_summary(one),
                values=values,
                stakes=_lines(losses) if losses else (),
                reasons=tuple((reason.code, heading_of(reason)) for reason in one.reasons),
                origins=tuple(_origin(supply) for supply in one.supplied if supply.source in _DOUBTFUL),
            )
        )
    return tuple(others), tuple(elsewhere)


def _summary(request: Outline | ApprovalRequest) -> str:
    """The beginning of the action for a list, in one line."""
    first, _, _ = request.action_summary_redacted.partition("\n")
    return " ↵ ".join(_lines(briefly(first, request.tool_name or request.action_type)))


def briefly(summary: str, name: str) -> str:
    """The values in a summary of an action, without the tool's name, which stands beside it. Where they can't be told
    apart, because it was cut, all of it."""
    said = summary.removeprefix(name).lstrip(": ").strip()
    try:
        values = msgspec.json.decode(said)
    except msgspec.DecodeError:
        return said or summary
    if not isinstance(values, dict) or not values:
        return said
    if len(values) == 1:
        return _in_words(next(iter(values.values())))
    return "  ".join(f"{key}: {_in_words(value)}" for key, value in values.items())


def _in_words(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _lines(text: str) -> tuple[str, ...]:
    return tuple(plain(line) for line in text.split("\n"))


def _values(request: ApprovalRequest) -> tuple[Value, ...] | None:
    """Every value of the action; None if they are more than anybody would read."""
    left = MOST
    values: list[Value] = []
    name = ""
    for label, text in action_rows(request):
        left -= len(label) + len(text)
        if left < 0:
            return None
        if label == "field":  # a name that is a text of theirs; what it holds comes next
            name = text
            continue
        if label == "is":  # too long a name for a terminal may still be a plain one
            is_plain = name.isascii() and name.isprintable() and '"' not in name
            value = _value(name, "", text) if is_plain else _value("", plain(name), text)
        else:
            value = _value(label, "", text)
        left -= sum(map(len, value.lines)) - len(text)  # escapes are longer than what they stand for
        if left < 0:
            return None
        values.append(value)
    return tuple(sorted(values, key=lambda one: one.is_around))


def _value(label: str, name: str, text: str) -> Value:
    lines = _lines(text)
    characters = sum(map(len, lines))
    return Value(
        label=label,
        name=name,
        lines=lines,
        is_long=len(lines) > LONG_LINES or characters > LONG_TEXT,
        size=f"{len(lines):,} lines" if len(lines) > 1 else f"{characters:,} characters",
        is_around=label in _AROUND and len(lines) == 1 and characters <= _FEW,
    )


def editable_of(request: ApprovalRequest) -> tuple[Editable, ...]:
    """The arguments of a call that can be changed: those that can be written in a field as they are."""
    params = request.action_redacted.get("params")
    if not isinstance(params, dict):
        return ()
    return tuple(islice(_editable("/params", "", params), _MOST_EDITABLE))


def _editable(pointer: str, name: str, value: Any) -> Iterator[Editable]:
    if isinstance(value, dict):
        for key, inner in value.items():
            step = key.replace("~", "~0").replace("/", "~1")
            yield from _editable(f"{pointer}/{step}", f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _editable(f"{pointer}/{index}", f"{name}[{index}]", inner)
    elif value is not None:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines = text.split("\n")
        # What a field would draw otherwise than it is can't be edited there, nor what nobody reads.
        if len(text) <= LONG_TEXT and all(plain(line) == line for line in (*lines, pointer)):
            rows = min(max(len(lines), len(text) // _COLUMNS + 1), _MOST_ROWS)
            yield Editable(pointer=pointer, name=name, text=text, is_text=isinstance(value, str), rows=rows)


def _covers(request: ApprovalRequest, settings: ApprovalSettings) -> Iterator[Covered]:
    for name, text in covered_rows(request, settings.use_within, request.terms, offers=False):
        if name == "bound to":
            yield Covered(name=name, words="", theirs=_lines(text))
        elif name == "goes on" and request.terms.grant is not None:
            lead, *places = reach_words(
                request.terms.grant.reach, "this tool", [f"{one.place} ({one.code})" for one in request.targets]
            )
            yield Covered(name=name, words=lead, theirs=tuple(map(plain, places)))
        else:
            yield Covered(name=name, words=" ".join(_lines(text)))


def _origin(supply: Supply) -> Origin:
    return Origin(
        field=plain(supply.field),
        who=SOURCES.get(supply.source, plain(supply.source)),
        tool=plain(supply.tool or ""),
        call=plain(supply.call_id or ""),
        is_doubtful=supply.source in _DOUBTFUL,
    )


def _why(reason: Reason, *, may_allow: bool) -> Why:
    found = remedy_of(reason) if may_allow else None
    return Why(
        remedy=None if found is None else Remedy(kind=found.kind, entry=plain(found.entry)),
        code=reason.code,
        severity=reason.severity.value,
        head=heading_of(reason),
        why=plain(reason.why),
        instead=plain(reason.instead or ""),
        seen=_lines(reason.excerpt) if reason.excerpt else (),
        rule=plain(reason.decided_by.removeprefix("rule:")) if reason.decided_by.startswith("rule:") else "",
    )


def rows_of(requests: Iterable[Outline | ApprovalRequest]) -> tuple[Row, ...]:
    """The rows of a list."""
    return tuple(map(row_of, requests))
