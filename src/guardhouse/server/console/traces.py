"""The page of one call: what the agent wanted, what was decided and why, who answered, and what came of it.

Small frozen views, made from the events alone; every text in them has passed through `plain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from guardhouse.model import NO_FACTS, ApprovalStatus, Decision, encode_event
from guardhouse.model import OPINIONS as KNOWN
from guardhouse.server.auditing import story_in
from guardhouse.server.console.events import (
    OPINIONS,
    Code,
    Word,
    at_of,
    code_of,
    event_link,
    lines_of,
    shown,
    word_of,
    written,
)
from guardhouse.server.console.headings import heading_of
from guardhouse.server.console.links import session_link
from guardhouse.server.console.rendering import fragment
from guardhouse.server.console.spans import waited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.audit import Entry
    from guardhouse.model import AuditEvent, Finding, Reason
    from guardhouse.server.console.headings import Heading
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

_NAME: Final = 200
_TEXT: Final = 8_000
_EXCERPT: Final = 2_000
_WHOLE: Final = 400_000
_MOST_REASONS: Final = 20
_RESULTS: Final = frozenset({"ToolCallPost", "MemoryReadPost", "SkillRunPost"})
_ANSWERS: Final = frozenset({ApprovalStatus.APPROVED, ApprovalStatus.DENIED, ApprovalStatus.PENDING})
_PLANS: Final = frozenset({"ToolCallPre", "MemoryReadPre", "SkillRunPre", "SkillInstall"})


class Fact(msgspec.Struct, frozen=True):
    """Something that an event says, with where that leads."""

    name: str
    text: str
    link: str = ""
    is_theirs: bool = True


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """A reason."""

    code: Code
    severity: str
    head: Heading
    why: str
    instead: str
    seen: tuple[str, ...]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A finding."""

    code: Code
    severity: str
    confidence: str
    where: str
    seen: str


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of the decision."""

    word: Word
    actor: str
    at: float
    written: str
    comment: tuple[str, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened about the call."""

    title: str
    word: Word
    at: float
    written: str
    gap: str
    """How long after the step before."""
    is_named: bool
    risk: str = ""
    note: str = ""
    lines: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    causes: tuple[Cause, ...] = ()
    more_causes: int = 0
    findings: tuple[Seen, ...] = ()
    world: tuple[str, ...] = ()
    """What the world said when it was decided."""
    raw: str = ""
    feedback: str = ""
    opinions: tuple[Said, ...] = ()


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A call from beginning to end."""

    tool: str
    title: str
    outcome: Word
    risk: str
    facts: tuple[Fact, ...]
    steps: tuple[Step, ...]
    took: str


async def page(house: House, _principal: Principal, request: Request) -> Response:
    """The call that an event, an approval or a trace belongs to."""
    told, found = await story_in(house, request.path_params["id"])
    trace = await house.in_thread(lambda: trace_of(found.entry, found.related))
    return fragment("trace.html", trace=trace, index=told)


async def raw(house: House, _principal: Principal, request: Request) -> Response:
    """Every field of one event, as the record has it."""
    _, found = await story_in(house, request.path_params["id"])
    text = msgspec.json.format(encode_event(found.entry.event), indent=2).decode()
    return fragment("raw.html", lines=await house.in_thread(lambda: lines_of(text, _WHOLE)), seq=found.entry.seq)


async def opinions_in(house: House, event_id: str) -> tuple[Said, ...]:
    """What people say of a decision."""
    _, found = await story_in(house, event_id)
    return _opinions([one.event for one in found.related], event_id)


def trace_of(named: Entry, related: Sequence[Entry]) -> Trace:
    """The call that `named` belongs to."""
    entries = _in_order((named, *related))
    events = [one.event for one in entries]
    first = next((one for one in events if one.kind == "decision"), events[0])
    steps = tuple(_steps(entries, named))
    took = steps[-1].at - steps[0].at
    decisive = [one for one in events if one.kind in {"decision", "approval", "execution"}] or events
    return Trace(
        tool=shown(first.tool_name or first.action_type or first.kind, _NAME),
        title="The agent wanted to use" if first.action_type in _PLANS else "About",
        outcome=word_of(decisive[-1]),
        risk=first.risk_level.value if first.risk_level else "",
        facts=tuple(_where(first)),
        steps=steps,
        took=waited(took) if took > 0 else "",
    )


def _in_order(entries: Sequence[Entry]) -> list[Entry]:
    """As it happened. A question is recorded before the decision that asks it, so that nothing is asked unrecorded;
    it was decided first all the same."""
    left = sorted(entries, key=lambda one: one.seq)
    ordered: list[Entry] = []
    while left:
        entry = left.pop(0)
        event = entry.event
        if event.kind == "approval" and event.approval_status is ApprovalStatus.PENDING and not event.actor:
            asking = next((one for one in left if _asks(one.event, event.approval_request_id)), None)
            if asking is not None:
                left.remove(asking)
                ordered.append(asking)
        ordered.append(entry)
    return ordered


def _asks(event: AuditEvent, request_id: str | None) -> bool:
    is_asking = Decision.REQUIRE_APPROVAL in {event.decision, event.would_be}
    return event.kind == "decision" and is_asking and event.approval_request_id == request_id


def _steps(entries: Sequence[Entry], named: Entry) -> Iterator[Step]:
    events = [one.event for one in entries]
    opener = events[0]
    if opener.action_summary_redacted.text:
        yield Step(
            title="The agent planned" if opener.action_type in _PLANS else "What it was about",
            word=Word("Plan", "plan", "plain") if opener.action_type in _PLANS else Word("Content", "note", "plain"),
            at=at_of(opener),
            written=written(opener),
            gap="",
            is_named=False,
            lines=lines_of(opener.action_summary_redacted.text, _TEXT),
        )
    before = at_of(opener)
    asked: dict[str, float] = {}
    for entry in entries:
        event = entry.event
        if event.kind == "feedback" and event.detail in KNOWN and any(one.event_id == event.about for one in events):
            continue  # it stands beside the decision that it is about
        at = at_of(event)
        if event.approval_request_id:
            asked.setdefault(event.approval_request_id, at)
        yield _step(event, events, is_named=entry is named, before=before, asked=asked)
        before = at


def _step(
    event: AuditEvent, events: Sequence[AuditEvent], *, is_named: bool, before: float, asked: dict[str, float]
) -> Step:
    gap = at_of(event) - before
    is_decision = event.kind == "decision"
    facts = event.facts if is_decision and event.facts != NO_FACTS else None
    return Step(
        title=_title(event),
        word=word_of(event),
        at=at_of(event),
        written=written(event),
        gap=waited(gap) if gap > 0 else "",
        is_named=is_named,
        risk=event.risk_level.value if is_decision and event.risk_level else "",
        note=_note(event),
        lines=lines_of(event.comment.text, _TEXT) if event.comment.text else (),
        facts=tuple(_facts(event, asked)),
        causes=tuple(map(_cause, event.reasons[:_MOST_REASONS])) if is_decision else (),
        more_causes=max(0, len(event.reasons) - _MOST_REASONS) if is_decision else 0,
        findings=tuple(map(_seen, event.findings[: 3 * _MOST_REASONS])),
        world=lines_of(msgspec.json.format(msgspec.json.encode(facts), indent=2).decode(), _TEXT) if facts else (),
        raw=f"/console{event_link(event.event_id)}/raw",
        feedback=f"/console{event_link(event.event_id)}/feedback" if is_decision else "",
        opinions=_opinions(events, event.event_id) if is_decision else (),
    )


def _title(event: AuditEvent) -> str:
    who = shown(event.actor or "", _NAME)
    match event.kind:
        case "decision" if event.action_type in _RESULTS:
            return "Its result was looked at"
        case "decision":
            return "The gate decided"
        case "approval":
            return _approval_title(event, who)
        case "execution":
            return "The call was made" if event.outcome == "executed" else "The call was not made"
        case "grant":
            return f"{who or 'Somebody'} {'revoked' if event.detail.endswith(' revoked') else 'gave'} a grant"
        case "feedback":
            return f"{who or 'Somebody'} said of a decision"
        case _:
            return "The house noted"


def _approval_title(event: AuditEvent, who: str) -> str:
    match event.approval_status:
        case ApprovalStatus.CONSUMED:
            return "The approval was used"
        case ApprovalStatus.EXPIRED:
            return "The approval was not used in time" if event.actor else "Nobody answered in time"
        case ApprovalStatus.CANCELLED:
            return f"{who} withdrew the question" if event.actor else "The question was withdrawn"
        case ApprovalStatus.SUPERSEDED:
            return "Another question took its place"
        case ApprovalStatus.PENDING if event.actor:
            return f"{who} said yes; another person has to"
        case ApprovalStatus.PENDING:
            return "A person was asked"
        case _:
            return f"{who or 'Somebody'} answered"


def _note(event: AuditEvent) -> str:
    """What is worth knowing beside the word, in words of our own."""
    notes = []
    if event.would_be is not None and event.would_be is not event.decision:
        notes.append(f"Only observed: it would have been {event.would_be.value.replace('_', ' ')}.")
    if event.mode == "disabled":
        notes.append("The gate was switched off.")
    if event.kind == "decision" and event.outcome == "executed":
        notes.append("The call that it comes from was made.")
    return " ".join(notes)


def _where(event: AuditEvent) -> Iterator[Fact]:
    """Whose call it was."""
    for name, text, link in (
        ("agent", event.principal, ""),
        ("session", event.session_id, session_link(event.principal, event.session_id)),
        ("run", event.run_id, ""),
        ("call", event.call_id, ""),
        ("through", event.source, ""),
        ("request", event.approval_request_id, _approval(event)),
        ("trace", event.trace_id, ""),
    ):
        if text:
            yield Fact(name, shown(text, _NAME), link)


def _facts(event: AuditEvent, asked: dict[str, float]) -> Iterator[Fact]:
    if event.kind in {"approval", "decision"} and event.approval_request_id:
        yield Fact("request", shown(event.approval_request_id, _NAME), _approval(event))
    if event.approval_status in _ANSWERS and event.actor and event.approval_request_id in asked:
        yield Fact("after", waited(max(0.0, at_of(event) - asked[event.approval_request_id])), is_theirs=False)
    if event.kind == "decision" and event.actor:
        yield Fact("approved by", shown(event.actor, _NAME))
    if event.detail and event.kind != "feedback":
        yield Fact("terms" if event.kind == "approval" else "detail", shown(event.detail, _TEXT))
    if event.kind == "decision" and event.policy_revision:
        yield Fact("policy", shown(event.policy_revision, _NAME), is_theirs=False)
    yield Fact("event", shown(event.event_id, _NAME), is_theirs=False)


def _approval(event: AuditEvent) -> str:
    found = event.approval_request_id
    return f"/approvals/{quote(found, safe='')}" if found and found.startswith("ap_") else ""


def _cause(reason: Reason) -> Cause:
    return Cause(
        code=code_of(reason.code),
        severity=reason.severity.value,
        head=heading_of(reason, _EXCERPT),
        why=shown(reason.why, _EXCERPT),
        instead=shown(reason.instead or "", _EXCERPT),
        seen=lines_of(reason.excerpt, _EXCERPT) if reason.excerpt else (),
    )


def _seen(finding: Finding) -> Seen:
    told = (finding.detail, finding.host, finding.path, finding.secret_kind, finding.excerpt)
    return Seen(
        code=code_of(finding.code),
        severity=finding.severity.value,
        confidence=finding.confidence.value,
        where=shown(finding.span.field, _NAME) if finding.span else "",
        seen=shown("; ".join(part for part in told if part), _EXCERPT),
    )


def _opinions(events: Sequence[AuditEvent], event_id: str) -> tuple[Said, ...]:
    """What each person said last of it."""
    latest = {
        one.actor: one for one in events if one.kind == "feedback" and one.about == event_id and one.detail in KNOWN
    }
    return tuple(
        Said(
            word=OPINIONS[one.detail],
            actor=shown(one.actor or "somebody", _NAME),
            at=at_of(one),
            written=written(one),
            comment=lines_of(one.comment.text, _EXCERPT) if one.comment.text else (),
        )
        for one in latest.values()
    )
