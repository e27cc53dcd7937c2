"""What the console shows of the record's events: a line of a list, in small frozen views.

Everything that an event holds may come from an agent, or from a log that somebody wrote by hand: all of it has passed
through `plain` here, and is cut where a list has no room. It reads no clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from guardhouse.approvals.card import plain
from guardhouse.policy import catalogue
from guardhouse.server.auditing import seconds_of
from guardhouse.server.console.cards import briefly
from guardhouse.server.console.headings import one_line
from guardhouse.server.console.links import session_link

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping

    from guardhouse.audit import Entry
    from guardhouse.model import AuditEvent

_NAME: Final = 80
_SUMMARY: Final = 240
_FEW_CODES: Final = 2


class Word(msgspec.Struct, frozen=True):
    """What happened, in a word with an icon; `tone` names its colour."""

    text: str
    icon: str
    tone: str


DECIDED: Final = {
    "allow": Word("Allowed", "check", "allow"),
    "allow_with_redaction": Word("Redacted", "mask", "redacted"),
    "require_approval": Word("Asked", "ask", "asked"),
    "deny": Word("Denied", "cross", "deny"),
}
"""In the order in which they are stacked."""
ANSWERED: Final = {
    "pending": Word("Waits", "clock", "asked"),
    "approved": Word("Approved", "check", "allow"),
    "denied": Word("Denied", "cross", "deny"),
    "expired": Word("Expired", "clock", "plain"),
    "cancelled": Word("Cancelled", "cross", "plain"),
    "superseded": Word("Replaced", "again", "plain"),
    "consumed": Word("Used", "check", "allow"),
}
DONE: Final = {"executed": Word("Executed", "run", "plain"), "aborted": Word("Aborted", "stop", "plain")}
OPINIONS: Final = {
    "false_alarm": Word("False alarm", "flag", "asked"),
    "right": Word("Right", "check", "allow"),
    "missed": Word("Missed", "alert", "deny"),
}
KINDS: Final = {
    "decision": "Decision",
    "execution": "Execution",
    "approval": "Approval",
    "grant": "Grant",
    "feedback": "Feedback",
    "notice": "Notice",
}


class Code(msgspec.Struct, frozen=True):
    """A reason's code."""

    text: str
    is_known: bool
    """Whether there is a page about it."""


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a list of events."""

    seq: int
    link: str
    kind: str
    word: Word
    at: float
    written: str
    """When it was, in words that a browser replaces by local time."""
    risk: str
    tool: str
    summary: str
    codes: tuple[Code, ...]
    more_codes: int
    session: str
    session_link: str
    principal: str
    actor: str
    would_be: str
    marks: tuple[tuple[Word, int], ...]
    feedback: str
    """Where an opinion on it is sent; empty if there can be none."""


def row_of(entry: Entry, marks: Mapping[str, int] | None = None) -> EventRow:
    """The line of an event, with what people said of it."""
    event = entry.event
    codes = list(dict.fromkeys(reason.code for reason in event.reasons))
    would_be = event.would_be if event.would_be is not event.decision else None
    return EventRow(
        seq=entry.seq,
        link=event_link(event.event_id),
        kind=event.kind,
        word=word_of(event),
        at=at_of(event),
        written=written(event),
        risk=event.risk_level.value if event.risk_level else "",
        tool=shown(event.tool_name or event.action_type, _NAME),
        summary=summary_of(event, _SUMMARY),
        codes=tuple(code_of(one) for one in codes[:_FEW_CODES]),
        more_codes=max(0, len(codes) - _FEW_CODES),
        session=shown(event.session_id or "", _NAME),
        session_link=session_link(event.principal, event.session_id),
        principal=shown(event.principal or "", _NAME),
        actor=shown(event.actor or "", _NAME),
        would_be=DECIDED[would_be.value].text.lower() if would_be else "",
        marks=marks_of(marks or {}),
        feedback=f"/console{event_link(event.event_id)}/feedback" if event.kind == "decision" else "",
    )


def rows_of(entries: Iterable[Entry], marks: Mapping[str, Counter[str]]) -> tuple[EventRow, ...]:
    """The lines of a list."""
    return tuple(row_of(one, marks.get(one.event.event_id)) for one in entries)


def marks_of(counted: Mapping[str, int]) -> tuple[tuple[Word, int], ...]:
    """What people said, in words."""
    return tuple((word, counted[name]) for name, word in OPINIONS.items() if counted.get(name))


def word_of(event: AuditEvent) -> Word:
    """What happened, in a word."""
    if event.kind == "decision" and event.decision is not None:
        return DECIDED[event.decision.value]
    if event.kind == "approval" and event.approval_status is not None:
        return ANSWERED[event.approval_status.value]
    if event.kind == "execution" and event.outcome is not None:
        return DONE[event.outcome]
    if event.kind == "feedback" and event.detail in OPINIONS:
        return OPINIONS[event.detail]
    if event.kind == "grant":
        return Word("Grant", "key", "plain")
    return Word(KINDS[event.kind], "note", "plain")


def summary_of(event: AuditEvent, most: int) -> str:
    """What it was about, in one line: the action's values without the tool's name, which stands beside it."""
    if event.kind in {"notice", "grant"} and event.detail:
        return shown(event.detail, most)
    if event.kind == "feedback":
        return shown(event.comment.text, most)
    first, _, _ = event.action_summary_redacted.text[: 8 * most].partition("\n")
    return shown(briefly(first, event.tool_name or event.action_type) or event.detail, most)


def code_of(code: str) -> Code:
    """A code, and whether it is one of ours."""
    return Code(shown(code, _NAME), code in catalogue())


def event_link(event_id: str) -> str:
    """The page of the call that an event, an approval or a trace belongs to."""
    return f"/audit/{quote(event_id, safe='')}"


def at_of(event: AuditEvent) -> float:
    """When it was, in seconds since 1970; 0 if that can't be read."""
    try:
        return seconds_of(event.timestamp)
    except (ValueError, OverflowError):
        return 0.0


def written(event: AuditEvent) -> str:
    """When it was, as the record says."""
    return shown(event.timestamp[:19].replace("T", " "), 19)


def shown(text: str, most: int) -> str:
    """A text in one line, cut, and safe for the eye."""
    return one_line(text, most)


def lines_of(text: str, most: int) -> tuple[str, ...]:
    """A text line by line, cut, and safe for the eye."""
    lines = [plain(line) for line in text[:most].split("\n")]
    return (*lines, f"… {len(text) - most:,} more characters") if len(text) > most else tuple(lines)
