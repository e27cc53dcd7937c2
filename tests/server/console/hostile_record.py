"""A log of events and sessions whose every field is hostile, for the pages that show them."""

from __future__ import annotations

from msgspec.structs import replace

from guardhouse.audit import AuditLog
from guardhouse.model import (
    ApprovalStatus,
    AuditEvent,
    Confidence,
    Decision,
    Finding,
    NewEvent,
    Reason,
    RedactedText,
    RiskLevel,
    Severity,
)
from guardhouse.model.findings import Span

BAD = (
    '<img src=x onerror="alert(1)"><script>alert(2)</script>\'"><svg/onload=alert(3)>{{7*7}}'
    "safe\u202egnp.exe\u200b\U000e0041\x1b[31mApproved\x1b[0m р\u0430ypal שלום\nsecond </code></li><form>"
    '" hx-get="/console/reasons" hx-trigger="load" data-raw="/x'
)
FORBIDDEN = (
    "<img",
    "<script",
    "<svg/on",
    "<form>",
    "\u202e",
    "\u200b",
    "\U000e0041",
    "\x1b",
    '" hx-get="/console/reasons"',
)
NOW = "2026-01-31T12:00:00.000000Z"


def hostile_events():
    """An event of every kind, about one call, with something bad in each field that takes text."""
    huge = BAD + "A" * 1_000_000
    reason = Reason(
        code=BAD, decided_by=BAD, decision=Decision.DENY, severity=Severity.HIGH, title=BAD, why=BAD, instead=BAD,
        span=Span(BAD, 0, 3), excerpt=huge, remedy=BAD,
    )  # fmt: skip
    finding = Finding(
        code=BAD, detector=BAD, severity=Severity.HIGH, confidence=Confidence.LOW, span=Span(BAD), excerpt=BAD,
        host=BAD, path=BAD, secret_kind=BAD, detail=BAD,
    )  # fmt: skip
    about = {
        "timestamp": NOW, "trace_id": "tr_hostile", "run_id": BAD, "session_id": BAD, "call_id": BAD, "task_id": BAD,
        "principal": BAD, "source": BAD, "action_type": BAD, "tool_name": BAD, "policy_revision": BAD,
        "action_hash": BAD, "risk_level": RiskLevel.HIGH, "action_summary_redacted": RedactedText(huge),
    }  # fmt: skip
    said = {"actor": BAD, "comment": RedactedText(huge), "detail": BAD}
    yield AuditEvent(
        event_id="ev_hostile", kind="decision", decision=Decision.DENY, would_be=Decision.ALLOW,
        reasons=(reason, *[replace(reason, excerpt=BAD)] * 29),
        findings=(finding,) * 100, approval_request_id=BAD, **about,
    )  # fmt: skip
    answered = {"approval_request_id": "ap_hostile", "approval_status": ApprovalStatus.DENIED}
    yield AuditEvent(event_id="ev_hostile_2", kind="approval", **answered, **about, **said)
    yield AuditEvent(event_id="ev_hostile_3", kind="execution", outcome="aborted", about="ev_hostile", **about, **said)
    yield AuditEvent(event_id="ev_hostile_4", kind="grant", **about, **said)
    yield AuditEvent(event_id="ev_hostile_5", kind="notice", **about, **said)
    yield AuditEvent(
        event_id="ev_hostile_6", kind="feedback", about="ev_hostile", **about, **{**said, "detail": "missed"}
    )
    yield AuditEvent(event_id=BAD, kind="notice", **{**about, "trace_id": BAD, "timestamp": BAD})


def write(directory):
    with AuditLog(directory) as log:
        for event in hostile_events():
            log.record(event)


def hostile_session(sessions, key):
    for kind in ("user_said", "tool_returned", "memory_returned", "skill_returned", "granted", "conditioned"):
        event = NewEvent(
            kind=kind, name=BAD, call_id=BAD, grade="untrusted", excerpt=BAD, detail={"a": BAD, BAD[:60]: BAD}
        )
        sessions.append(key, event)
