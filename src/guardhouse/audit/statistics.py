"""Figures about what was decided: how much of it, how often it was blocked, why, and what people answered."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import OPINIONS, AuditEvent, Decision

if TYPE_CHECKING:
    from collections.abc import Iterable

TOP: Final = 10
_MOST_NAMES: Final = 10_000
"""Names that are counted. An attacker can invent tools; further names are counted together."""
_OTHERS: Final = "(others)"
DOCTOR_SESSION: Final = "guardhouse-doctor"
"""The session of the calls with which `doctor` tries whether the gate is shut."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """The figures."""

    events: int
    decisions: dict[str, int]
    """By what was decided."""
    block_rate: float
    """The share of decisions that were a deny."""
    risks: dict[str, int]
    tools: dict[str, int]
    """The most frequent, by number of decisions."""
    codes: dict[str, int]
    """The most frequent codes of reasons, by number of decisions."""
    approvals: dict[str, int]
    """By the status that they came to."""
    outcomes: dict[str, int]
    """What became of what was let through."""
    feedback: dict[str, int]
    """What people said of decisions; of each person, what they said last of each."""


def count(events: Iterable[AuditEvent]) -> Statistics:
    """The figures of `events`, oldest first, each looked at once."""
    total = 0
    decisions: Counter[str] = Counter()
    risks: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    approvals: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    opinions: dict[tuple[str, str | None], str] = {}
    for event in events:
        total += 1
        if event.kind == "decision" and event.decision is not None:
            decisions[event.decision.value] += 1
            if event.risk_level is not None:
                risks[event.risk_level.value] += 1
            if event.tool_name is not None:
                _add(tools, event.tool_name)
            for code in {reason.code for reason in event.reasons}:
                _add(codes, code)
        elif event.kind == "approval" and event.approval_status is not None:
            approvals[event.approval_status.value] += 1
        elif event.kind == "feedback" and event.about and event.detail in OPINIONS:
            opinions[event.about, event.actor] = event.detail
        if event.outcome is not None:
            outcomes[event.outcome] += 1
    judged = decisions.total()
    return Statistics(
        events=total,
        decisions=dict(decisions.most_common()),
        block_rate=decisions[Decision.DENY.value] / judged if judged else 0.0,
        risks=dict(risks.most_common()),
        tools=dict(tools.most_common(TOP)),
        codes=dict(codes.most_common(TOP)),
        approvals=dict(approvals.most_common()),
        outcomes=dict(outcomes.most_common()),
        feedback=dict(Counter(opinions.values()).most_common()),
    )


def _add(counter: Counter[str], name: str) -> None:
    counter[name if name in counter or len(counter) < _MOST_NAMES else _OTHERS] += 1


def is_canary(event: AuditEvent) -> bool:
    """Whether nobody's work was stopped here: `doctor` tried the gate, and it was shut. What went through is counted,
    whatever session it says it is of."""
    return event.session_id == DOCTOR_SESSION and event.decision is Decision.DENY


class Calls(msgspec.Struct, frozen=True, kw_only=True):
    """What became of tool calls. A call that asked and went ahead later is one call."""

    calls: int = 0
    asked: int = 0
    blocked: int = 0
    would_ask: int = 0
    """While the policy was only observed: calls that went through, and would have asked,"""
    would_block: int = 0
    """or would have been blocked."""


def count_calls(events: Iterable[AuditEvent]) -> Calls:
    """The figures of the decisions on tool calls among `events`, oldest first, each looked at once."""
    calls = asked = blocked = would_ask = would_block = 0
    seen: dict[Decision | None, set[str]] = {None: set(), Decision.REQUIRE_APPROVAL: set(), Decision.DENY: set()}

    def is_first(request: str | None, of: Decision | None) -> bool:
        """Whether it is not one more decision about a call that waits, or waited, for an approval."""
        if request is None or request not in seen[of]:
            seen[of].update([request] if request else ())
            return True
        return False

    for event in events:
        if event.kind != "decision" or event.action_type != "ToolCallPre" or is_canary(event):
            continue
        request = event.approval_request_id
        calls += is_first(request, None)
        if event.decision is Decision.REQUIRE_APPROVAL:
            asked += is_first(request, Decision.REQUIRE_APPROVAL)
        elif event.decision is Decision.DENY:
            blocked += is_first(request, Decision.DENY)
        elif event.mode == "observe":
            would_ask += event.would_be is Decision.REQUIRE_APPROVAL
            would_block += event.would_be is Decision.DENY
    return Calls(calls=calls, asked=asked, blocked=blocked, would_ask=would_ask, would_block=would_block)
