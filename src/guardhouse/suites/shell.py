"""Suite `shell`: commands that may run, and commands that must be asked about.

It measures the command, not the allowlist: every host is allowed, and loopback is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, ToolCallPre
from guardhouse.suites.interface import Outcome, Prediction, Row, StillWorld, Suite, policy_for

if TYPE_CHECKING:
    from collections.abc import Callable

_PROJECT: Final = "/home/user/project"
_STOPPED: Final = {Decision.REQUIRE_APPROVAL.value, Decision.DENY.value}


def _start() -> Callable[[Row], Prediction]:
    world = StillWorld()
    policy = policy_for({"network": {"default": {"allowed_domains": ["*"]}}})
    guard = Guard(FixedPolicy(policy), resolver=world, files=world)

    def predict(row: Row) -> Prediction:
        action = ToolCallPre(tool="bash", params={"command": row["command"]}, cwd=_PROJECT)
        verdict = guard.evaluate(action)
        return {"decision": verdict.decision.value, "codes": [reason.code for reason in verdict.reasons]}

    return predict


def _score(row: Row, prediction: Prediction) -> Outcome:
    if row["expected"] not in {"allow", "ask_or_deny"}:
        raise ValueError("expected")
    stopped = prediction["decision"] in _STOPPED
    return Outcome(row["expected"], stopped if row["expected"] == "ask_or_deny" else not stopped)


SUITE: Final = Suite(
    id="shell",
    about="commands that may run or must be asked about",
    row="command, expected (allow or ask_or_deny)",
    start=_start,
    score=_score,
)
