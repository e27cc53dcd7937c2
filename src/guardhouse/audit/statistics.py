"""Figures about what was decided: how much of it, how often it was blocked, why, and what people answered."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import AuditEvent, Decision

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOP: Final = 10
_MOST_NAMES: Final = 10_000
"""Names that are counted. An attacker can invent tools; further names are counted together."""
_OTHERS: Final = "(others)"


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


def count(events: Iterable[AuditEvent]) -> Statistics:
    """The figures of `events`, each looked at once."""
    total = 0
    decisions: Counter[str] = Counter()
    risks: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    approvals: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
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
        elif event.kind == "execution" and event.outcome is not None:
            outcomes[event.outcome] += 1
    judged = decisions.total()
    return Statistics(
        events=total,
        decisions=dict(decisions.most_common()),
        block_rate=decisions[Decision.DENY.value] / judged if judged else 0.0,
        risks=dict(risks.most_common()),
        tools=dict(tools.most_common(_TOP)),
        codes=dict(codes.most_common(_TOP)),
        approvals=dict(approvals.most_common()),
        outcomes=dict(outcomes.most_common()),
    )


def _add(counter: Counter[str], name: str) -> None:
    counter[name if name in counter or len(counter) < _MOST_NAMES else _OTHERS] += 1
