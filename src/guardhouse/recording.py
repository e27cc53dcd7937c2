"""What the record says: events made of verdicts, of what became of calls, and of requests for approval.

Events are bounded: an action must not be able to fill the record with itself. Keeping them is the audit log's.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

from guardhouse.model import (
    ApprovalRequest,
    AuditEvent,
    EventKind,
    Facts,
    Finding,
    Grant,
    Opinion,
    Reason,
    RedactedText,
    Verdict,
)
from guardhouse.model.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.redact import Description

_MOST: Final = 64
_MOST_ALIKE: Final = 8
_LONGEST_FIELD: Final = 200
"""What of one decision is recorded: a few findings of each kind."""

_Told = TypeVar("_Told", Finding, Reason)


def utc(seconds: float) -> str:
    """A moment as it is written in the record."""
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='microseconds')[:-6]}Z"


def trace(session_id: str | None, run_id: str | None, call_id: str | None, action_hash: str) -> str:
    """A name for everything about one call: by the caller's id of it, or by what it is."""
    return f"tr_{sha256_hex(repr((session_id, run_id, call_id or action_hash)).encode())[:24]}"


class Made(msgspec.Struct, frozen=True):
    """That a call was made whose result is being judged, for the same event."""

    verdict: Verdict | None
    """The one that let it through; None if another process had it."""
    detail: Literal["", "raised"] = ""


def decision_event(verdict: Verdict, described: Description, now: float, made: Made | None = None) -> AuditEvent:
    """The event of a decision. On a result it also says that the call was made which it is the result of."""
    findings, reasons = _some(verdict.findings), _some(verdict.reasons)
    left_out = len(verdict.findings) - len(findings)
    details = (made.detail if made is not None else "", f"and {left_out} more findings" if left_out else "")
    return _event(
        "decision",
        described,
        now,
        event_id=verdict.event_id,
        trace_id=verdict.trace_id,
        action_summary_redacted=described.summary,
        action_hash=verdict.action_hash,
        risk_level=verdict.risk_level,
        decision=verdict.decision,
        would_be=verdict.would_be,
        mode=verdict.mode,
        reasons=reasons,
        findings=findings,
        facts=verdict.facts if len(verdict.facts.real_paths) <= _MOST else Facts(opinion=verdict.facts.opinion),
        policy_revision=verdict.policy_revision,
        approval_request_id=verdict.approval_request_id,
        approval_status=verdict.approval_status,
        actor=verdict.approval_actor,
        outcome="executed" if made is not None else None,
        about=(made.verdict.event_id or None) if made is not None and made.verdict is not None else None,
        detail=", ".join(filter(None, details)),
    )


def execution_event(
    event_id: str,
    verdict: Verdict,
    described: Description,
    now: float,
    outcome: Literal["executed", "aborted"],
    detail: str,
) -> AuditEvent:
    """The event of what became of a call that was let through. `detail` was masked."""
    return _event(
        "execution",
        described,
        now,
        event_id=event_id,
        trace_id=verdict.trace_id,
        action_hash=verdict.action_hash,
        outcome=outcome,
        about=verdict.event_id,
        approval_request_id=verdict.approval_request_id,
        detail=detail,
    )


def approval_event(event_id: str, request: ApprovalRequest, now: float, mask: Callable[[str], str]) -> AuditEvent:
    """The event of a request that took on a status."""
    shown = request.action_redacted
    call_id = shown.get("call_id")
    said = request.consents[-1] if request.actor is None and request.consents else request
    return AuditEvent(
        event_id=event_id,
        kind="approval",
        timestamp=utc(now),
        trace_id=trace(request.session_id, request.run_id, call_id, request.action_hash),
        run_id=request.run_id,
        session_id=request.session_id,
        task_id=shown.get("task_id"),
        call_id=call_id,
        principal=request.principal,
        source=shown.get("source"),
        action_type=request.action_type,
        tool_name=request.tool_name,
        action_summary_redacted=RedactedText(request.action_summary_redacted.partition("\n")[0]),
        action_hash=request.action_hash,
        risk_level=request.risk_level,
        policy_revision=request.policy_revision,
        approval_request_id=request.id,
        approval_status=request.status,
        actor=said.actor,
        comment=RedactedText(mask(said.comment) if said.comment else ""),
        detail=", ".join(_particulars(request)),
    )


def _particulars(request: ApprovalRequest) -> Iterator[str]:
    """What else there is to an answer, in words of our own."""
    if request.needed > 1 and request.consents:
        yield f"yes {len(request.consents)} of {request.needed}"
    if request.edit_of is not None:
        yield f"with other arguments than {request.edit_of}"
    if request.terms.for_run:
        yield "for the rest of the run"
    if request.terms.condition is not None:
        yield request.terms.condition.words


def grant_event(event_id: str, grant: Grant, now: float, mask: Callable[[str], str]) -> AuditEvent:
    """The event of a grant that was given or revoked."""
    is_over = grant.revoked_at is not None
    uses = "" if grant.most_uses is None else f", {grant.most_uses} times at most"
    return AuditEvent(
        event_id=event_id,
        kind="grant",
        timestamp=utc(now),
        session_id=grant.session_id,
        principal=grant.principal,
        action_type=grant.action_type,
        tool_name=grant.tool_name,
        action_summary_redacted=RedactedText(grant.action_summary_redacted),
        action_hash=grant.action_hash,
        risk_level=grant.risk_level,
        approval_request_id=grant.request_id,
        actor=grant.revoked_by if is_over else grant.actor,
        comment=RedactedText(mask(grant.comment) if grant.comment and not is_over else ""),
        detail=f"{grant.id} revoked"
        if is_over
        else f"{grant.id} given: {grant.reach}, until {utc(grant.expires_at)}{uses}",
    )


def feedback_event(
    event_id: str, about: AuditEvent, opinion: Opinion, now: float, *, actor: str, comment: str, source: str
) -> AuditEvent:
    """The event of what a person says of a decision. It has the decision's names and codes, so that it is found and
    counted by the same filters; `comment` was masked."""
    return AuditEvent(
        event_id=event_id,
        kind="feedback",
        timestamp=utc(now),
        trace_id=about.trace_id,
        run_id=about.run_id,
        session_id=about.session_id,
        call_id=about.call_id,
        principal=about.principal,
        source=source,
        action_type=about.action_type,
        tool_name=about.tool_name,
        risk_level=about.risk_level,
        decision=about.decision,
        would_be=about.would_be,
        reasons=tuple(msgspec.structs.replace(one, excerpt="", span=None, origin=None) for one in about.reasons),
        policy_revision=about.policy_revision,
        actor=actor,
        comment=RedactedText(comment),
        about=about.event_id,
        detail=opinion,
    )


def _event(kind: EventKind, described: Description, now: float, **more: Any) -> AuditEvent:
    return AuditEvent(
        kind=kind,
        timestamp=utc(now),
        run_id=described.run_id,
        parent_run_id=described.parent_run_id,
        session_id=described.session_id,
        task_id=described.task_id,
        call_id=described.call_id,
        principal=described.principal,
        source=described.source,
        action_type=described.action_type,
        tool_name=described.tool_name,
        **more,
    )


def _some(told: tuple[_Told, ...]) -> tuple[_Told, ...]:
    """The first few of each code, with long field paths cut."""
    if not told:
        return ()
    counts: Counter[str] = Counter()
    kept: list[_Told] = []
    for one in told:
        counts[one.code] += 1
        if counts[one.code] <= _MOST_ALIKE and len(kept) < _MOST:
            kept.append(_cut(one))
    return tuple(kept)


def _cut(one: _Told) -> _Told:
    if one.span is None or len(one.span.field) <= _LONGEST_FIELD:
        return one
    span = msgspec.structs.replace(one.span, field=f"{one.span.field[:_LONGEST_FIELD]}…")
    return msgspec.structs.replace(one, span=span)
