"""Which events are wanted: filters over what an event says, and the words people use for moments. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.audit.chain import needle
from guardhouse.model import AuditEvent, Decision, EventKind, GuardhouseError, RiskLevel

if TYPE_CHECKING:
    from datetime import datetime

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LONGEST_SPAN: Final = 7
"""Digits of a number of seconds, minutes, …"""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What an event must be. What is not given does not matter."""

    kind: EventKind | None = None
    decision: Decision | None = None
    risk: RiskLevel | None = None
    outcome: str | None = None
    """`executed` or `aborted`."""
    action: str | None = None
    """The type of action that it is about."""
    tool: str | None = None
    code: str | None = None
    """Of a reason or a finding."""
    session: str | None = None
    run: str | None = None
    approval: str | None = None
    """The id of the request."""
    principal: str | None = None
    actor: str | None = None
    """Who answered, or changed something in the house."""
    would_be: Decision | None = None
    """What would have been decided, where a policy was only observed."""
    trace: str | None = None
    """What is the same for everything about one call."""
    call: str | None = None
    since: str | None = None
    """As `moment` gives it. An event of that very moment counts,"""
    until: str | None = None
    """here it does not."""

    def matches(self, event: AuditEvent) -> bool:
        """Whether `event` is wanted."""
        return (
            (self.kind is None or event.kind == self.kind)
            and (self.decision is None or event.decision is self.decision)
            and (self.risk is None or event.risk_level is self.risk)
            and (self.outcome is None or event.outcome == self.outcome)
            and (self.action is None or event.action_type == self.action)
            and (self.tool is None or event.tool_name == self.tool)
            and (self.session is None or event.session_id == self.session)
            and (self.run is None or event.run_id == self.run)
            and (self.approval is None or event.approval_request_id == self.approval)
            and (self.principal is None or event.principal == self.principal)
            and (self.actor is None or event.actor == self.actor)
            and (self.would_be is None or event.would_be is self.would_be)
            and (self.trace is None or event.trace_id == self.trace)
            and (self.call is None or event.call_id == self.call)
            and (self.since is None or event.timestamp >= self.since)
            and (self.until is None or event.timestamp < self.until)
            and (self.code is None or self._has_code(event, self.code))
        )

    def _has_code(self, event: AuditEvent, code: str) -> bool:
        return any(reason.code == code for reason in event.reasons) or any(
            finding.code == code for finding in event.findings
        )

    @property
    def first_day(self) -> str:
        """The day (UTC) of `since`, as files of the log are named; empty if there is none."""
        return self.since[:10].replace("-", "") if self.since is not None else ""

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Bytes that a line must hold to be worth reading: most lines are dismissed by these alone."""
        wanted = {
            "kind": self.kind,
            "decision": self.decision and self.decision.value,
            "risk_level": self.risk and self.risk.value,
            "outcome": self.outcome,
            "action_type": self.action,
            "tool_name": self.tool,
            "code": self.code,
            "session_id": self.session,
            "run_id": self.run,
            "approval_request_id": self.approval,
            "principal": self.principal,
            "actor": self.actor,
            "would_be": self.would_be and self.would_be.value,
            "trace_id": self.trace,
            "call_id": self.call,
        }
        return tuple(needle(key, value) for key, value in wanted.items() if value is not None)


def moment(text: str, now: float) -> str:
    """A moment as events have it: from an ISO date or time (UTC unless it says otherwise), or from `10m`, `2h`, `3d`
    before `now`. GuardhouseError if it is neither."""
    from datetime import UTC, datetime

    text = text.strip()
    number, unit = text[:-1], text[-1:]
    try:
        if number.isascii() and number.isdigit() and unit in _UNITS and len(number) <= _LONGEST_SPAN:
            then = datetime.fromtimestamp(now - int(number) * _UNITS[unit], UTC)
        else:
            then = datetime.fromisoformat(text)
            then = then.replace(tzinfo=UTC) if then.tzinfo is None else then.astimezone(UTC)
        return _written(then)
    except (ValueError, OverflowError, OSError):
        raise GuardhouseError(
            "That is no moment.", fix="Write 2026-01-31, 2026-01-31T12:00, 10m, 2h or 3d (ago)."
        ) from None


def at_second(seconds: int) -> str:
    """A moment as events have it, from seconds since 1970."""
    from datetime import UTC, datetime, timedelta

    return _written(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))


def _written(then: datetime) -> str:
    return f"{then.year:04d}-{then.month:02d}-{then.day:02d}T{then:%H:%M:%S.%f}Z"
