"""What goes into the audit log: one event for each decision, and for what became of it.

An event has no field that could hold parameters or content. What it says about the action is a description from
which the redactor has taken every secret, findings and reasons that were masked where they were made, and facts.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, get_args

import msgspec

from guardhouse.model.facts import NO_FACTS, Facts
from guardhouse.model.findings import Finding
from guardhouse.model.verdicts import ApprovalStatus, Decision, Reason, RiskLevel


class RedactedText:
    """A text that the redactor has been over. A type of its own, so that nothing else gets into the log by mistake."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"RedactedText({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RedactedText) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


NO_TEXT: Final = RedactedText("")

EventKind = Literal["decision", "execution", "approval", "grant", "feedback", "notice"]
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)
Opinion = Literal["false_alarm", "right", "missed"]
"""What a person says of a decision: it stopped what was fine; it was right; it should have stopped this."""
OPINIONS: Final[tuple[Opinion, ...]] = get_args(Opinion)


class AuditEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the record."""

    event_id: str
    kind: EventKind
    """`decision` of the gate; `execution` of what it let through; an `approval` that took a step; a `grant` that was
    given or revoked; a person's `feedback` on a decision; a `notice` of the house itself."""
    timestamp: str
    """UTC, as 2026-01-31T12:00:00.000000Z."""
    trace_id: str = ""
    """The same for everything that happens about one call."""
    run_id: str | None = None
    parent_run_id: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    call_id: str | None = None
    principal: str | None = None
    source: str | None = None
    """The surface that the action came through."""
    action_type: str = ""
    tool_name: str | None = None
    action_summary_redacted: RedactedText = NO_TEXT
    action_hash: str = ""
    risk_level: RiskLevel | None = None
    decision: Decision | None = None
    would_be: Decision | None = None
    mode: Literal["enforce", "observe", "disabled"] = "enforce"
    reasons: tuple[Reason, ...] = ()
    findings: tuple[Finding, ...] = ()
    facts: Facts = NO_FACTS
    policy_revision: str = ""
    approval_request_id: str | None = None
    approval_status: ApprovalStatus | None = None
    actor: str | None = None
    comment: RedactedText = NO_TEXT
    outcome: Literal["executed", "aborted"] | None = None
    about: str | None = None
    """The event this one follows: the decision that an execution goes back to."""
    detail: str = ""
    """One short phrase of our own: how long it took, the type of an error; of `feedback`, the opinion."""

    def __post_init__(self) -> None:
        if not (isinstance(self.action_summary_redacted, RedactedText) and isinstance(self.comment, RedactedText)):
            raise TypeError("an event takes texts that were redacted, and no others")


def encode_event(event: AuditEvent) -> bytes:
    """The event as one JSON object, without a line break."""
    return _ENCODER.encode(event)


def decode_event(data: bytes) -> AuditEvent:
    """The event in a JSON object; msgspec.ValidationError or DecodeError if it is none."""
    return _decoder().decode(data)


def _encode_other(value: Any) -> Any:
    if isinstance(value, RedactedText):
        return value.text
    raise TypeError(f"{type(value).__name__} does not belong into an event")


def _decode_other(kind: type[Any], value: Any) -> Any:
    if kind is RedactedText and isinstance(value, str):
        return RedactedText(value)
    raise TypeError(f"{kind.__name__} can't be read from {type(value).__name__}")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_encode_other)


@cache
def _decoder() -> msgspec.json.Decoder[AuditEvent]:
    """Made when the first event is read: who only appends must start fast."""
    return msgspec.json.Decoder(AuditEvent, dec_hook=_decode_other)
