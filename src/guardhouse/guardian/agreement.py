"""How the judge and people agree, counted from the record: on each question that both were asked, and on what the judge
did by itself. Pure; reading the record is the audit log's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from guardhouse.model import ApprovalStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.model import AuditEvent, SecondOpinion

_YES = frozenset({ApprovalStatus.APPROVED, ApprovalStatus.CONSUMED})


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """Figures about second opinions."""

    opinions: dict[str, int]
    """By outcome: `allow`, `block`, `error`."""
    spared: int
    """Questions that nobody was asked, because the judge cleared them."""
    held: int
    """Calls that would have gone through, and asked or were denied because of it."""
    both_yes: int
    """Questions on which the judge and a person said yes,"""
    both_no: int
    """and no;"""
    only_judge_yes: int
    """those that a person denied and the judge would have let through: what sparing questions would cost,"""
    only_person_yes: int
    """and those that a person approved although the judge was against them."""
    cached: int
    tokens: int

    @property
    def compared(self) -> int:
        """Questions that both answered."""
        return self.both_yes + self.both_no + self.only_judge_yes + self.only_person_yes

    @property
    def rate(self) -> float | None:
        """The share of these on which they agree."""
        return (self.both_yes + self.both_no) / self.compared if self.compared else None


def agreement(events: Iterable[AuditEvent]) -> Agreement:
    """The figures of some of the record. A question that was put to people counts once, with the first opinion on it
    and the first answer to it."""
    outcomes: Counter[str] = Counter()
    acts: Counter[str] = Counter()
    asked: dict[str, SecondOpinion] = {}
    answered: dict[str, bool] = {}
    tokens = cached = 0
    for event in events:
        if event.kind == "approval" and event.approval_request_id and event.approval_status is not None:
            if event.approval_status in _YES or event.approval_status is ApprovalStatus.DENIED:
                answered.setdefault(event.approval_request_id, event.approval_status in _YES)
            continue
        opinion = event.facts.opinion
        if event.kind != "decision" or opinion is None:
            continue
        outcomes[opinion.outcome] += 1
        tokens += opinion.tokens
        cached += opinion.cached
        codes = {one.code for one in event.reasons if one.decided_by == "guardian"}
        acts["spared"] += "guardian.cleared" in codes
        acts["held"] += opinion.purpose == "watch" and bool(codes)
        if event.approval_request_id and opinion.outcome != "error":
            asked.setdefault(event.approval_request_id, opinion)
    both = Counter((asked[one].outcome == "allow", answered[one]) for one in asked.keys() & answered.keys())
    return Agreement(
        opinions=dict(outcomes),
        spared=acts["spared"],
        held=acts["held"],
        both_yes=both[True, True],
        both_no=both[False, False],
        only_judge_yes=both[True, False],
        only_person_yes=both[False, True],
        cached=cached,
        tokens=tokens,
    )
