"""What the gate says: a decision, how risky it is, and why, in two voices.

A person may see what was planted, escaped and quoted. An agent, or any model, is told where it was, never the words:
repeating them would plant them again.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal, Protocol

import msgspec

from guardhouse.model.facts import NO_FACTS, Facts
from guardhouse.model.findings import Effect, Finding, Ordered, Origin, Severity, Span


class Decision(Ordered):
    """In order of strictness, so that the strictest of many is `max`."""

    ALLOW = "allow"
    ALLOW_WITH_REDACTION = "allow_with_redaction"
    REQUIRE_APPROVAL = "require_approval"
    DENY = "deny"


class RiskLevel(Ordered):
    """How risky an action is, all findings taken together."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class ApprovalStatus(Enum):
    """Where a request for approval stands. `pending` becomes one of the next five; `approved` is `consumed` once."""

    __hash__ = object.__hash__

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    """Nobody answered in time, or the approval was not used in time."""
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    """The world has changed, or a fresh decision found more than was approved."""
    CONSUMED = "consumed"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Reason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One cause of a decision, readable."""

    code: str
    decided_by: str
    """The rule or the detector."""
    decision: Decision
    """What this cause alone asks for."""
    severity: Severity
    title: str
    """In words of ours alone, so that it can be shown as such."""
    why: str
    instead: str
    detail: str = ""
    """What it is about: a path, a host, a tool's name. An agent may have written it, so it is never shown as ours."""
    because: str = ""
    """What a rule of the project says for itself: a repository's words, which are not ours either."""
    span: Span | None = None
    origin: Origin | None = None
    effect: Effect | None = None
    excerpt: str = ""
    remedy: str = ""
    """The one command with which a person can allow it."""

    @property
    def headline(self) -> str:
        """The title with what it is about, for a text in which nothing is told apart by its looks."""
        about = f" ({self.detail})" if self.detail else ""
        by = f", by a rule of the project that says “{self.because}”" if self.because else ""
        return f"{self.title}{about}{by}"

    @property
    def for_person(self) -> str:
        """Everything, with the offending text quoted and control characters made visible."""
        quoted = f": “{visible(self.excerpt)}”" if self.excerpt else ""
        rule = f", {visible(self.decided_by)}" if self.decided_by.startswith("rule:") else ""
        parts = [f"{visible(self.headline)}{quoted} (`{self.code}`{rule}).", self._where(), self.why]
        if self.instead:
            parts.append(f"Instead: {_sentence(self.instead)}")
        if self.remedy:
            parts.append(f"You (not the agent) can allow it: `{visible(self.remedy)}`.")
        return " ".join(part for part in parts if part)

    @property
    def for_agent(self) -> str:
        """The code, where it was, and what to do instead; no quotes and no way to allow it."""
        parts = [f"`{self.code}`.", self._where(for_agent=True), self.why]
        if self.instead:
            parts.append(f"Instead: {_sentence(self.instead)}")
        return " ".join(part for part in parts if part)

    def _where(self, *, for_agent: bool = False) -> str:
        where = ""
        if self.span is not None:
            where = f"In `{plain_field(self.span.field) if for_agent else visible(self.span.field)}`"
            if self.span.start is not None:
                where += f", characters {self.span.start}–{self.span.end}"
        if self.origin is not None and self.origin.kind not in {"agent", "output"}:
            source = {"user": "the user's message"}.get(self.origin.kind, f"{self.origin.kind} {self.origin.name}")
            call = f", call {self.origin.call_id}" if self.origin.call_id else ""
            where += f"{' of ' if where else 'In '}{visible(source)}{visible(call)}"
        return f"{where}." if where else ""


class Wrapped(Protocol):
    """Content from outside as a model may read it; `guardhouse.trust.Untrusted`."""

    @property
    def text(self) -> str:
        """All of it, as one text."""
        ...

    def around(self, text: str) -> str:
        """One text of it, for an answer that has to keep its shape."""
        ...


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The gate's answer to one action."""

    decision: Decision
    risk_level: RiskLevel
    reasons: tuple[Reason, ...]
    policy_revision: str
    action_hash: str = ""
    event_id: str = ""
    """Names this decision in the record; set by the gate, not by `decide`."""
    params: dict[str, Any] | None = None
    """With `allow_with_redaction` on a call: the parameters as they may be sent."""
    content: Any = None
    """With `allow_with_redaction` on content: the content as it may be passed on."""
    untrusted: bool = False
    """The content comes from outside: a model gets it as `wrapped`."""
    wrapped: Wrapped | None = None
    """With `untrusted`, if it may be passed on: the content in its wrapper; set by the gate, not by `decide`. Its text
    is only made once somebody asks for it."""
    findings: tuple[Finding, ...] = ()
    facts: Facts = NO_FACTS
    """What the world said, masked like everything else here; digests of files that hold secrets are left out."""
    trace_id: str = ""
    """The same for every decision about one call; set by the gate."""
    approval_request_id: str | None = None
    """With `require_approval`: the request a person can answer. Otherwise the one that this verdict goes back to."""
    approval_status: ApprovalStatus | None = None
    approval_actor: str | None = None
    """Who answered it."""
    grant_id: str | None = None
    """The grant that it was allowed by."""
    edited: bool = False
    """A person changed the arguments before they said yes: `params` are theirs."""
    confined: bool = False
    """Whatever is let through may run in the sandbox only. Said only to who has said that they can put it there."""
    condition: str = ""
    """What may be seen of the call's result, in words, if a person said yes to that much only."""
    mode: Literal["enforce", "observe", "disabled"] = "enforce"
    would_be: Decision | None = None
    """In observe mode: what would have been decided."""

    @property
    def for_person(self) -> str:
        """A few sentences for a terminal or a card."""
        return self._text([reason.for_person for reason in self.reasons])

    @property
    def for_agent(self) -> str:
        """A few sentences an agent can act on; safe to put into a model's context."""
        return self._text([reason.for_agent for reason in self.reasons])

    def _text(self, reasons: list[str]) -> str:
        lead = {
            Decision.ALLOW: "Allowed",
            Decision.ALLOW_WITH_REDACTION: "Allowed with redaction",
            Decision.REQUIRE_APPROVAL: "Needs approval",
            Decision.DENY: "Blocked",
        }[self.decision]
        return f"{lead}: {' '.join(reasons)}" if reasons else f"{lead}."


def visible(text: str) -> str:
    """`text` with everything that could fool a reader's eye or a terminal written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() and not _is_invisible(char) else f"\\u{{{ord(char):x}}}" for char in text)


_BLANK: Final = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0, 0x16FE4),
    )
)


def _is_invisible(char: str) -> bool:
    """Printable by Unicode's book, yet drawn as nothing: fillers, blank Braille, variation selectors."""
    return char in _BLANK or 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF


_LONGEST_KEY: Final = 32


def plain_field(field: str) -> str:
    """A field path in which only keys that are plain short words are spelt out: the keys of a tool's answer are
    content too, and a sentence planted there must not be repeated."""
    parts = field.split(".")
    return ".".join(part if len(part) <= _LONGEST_KEY and _is_word(part) else "…" for part in parts)


def _is_word(part: str) -> bool:
    return part.isascii() and part.replace("_", "").replace("-", "").replace("[", "").replace("]", "").isalnum()
