"""Suite `egress`: URLs that a fetch tool may or may not reach, each with its own allowlist and name server."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import ToolCallPre
from guardhouse.suites.interface import Outcome, Prediction, Row, StillWorld, Suite, policy_for

if TYPE_CHECKING:
    from collections.abc import Callable


def _start() -> Callable[[Row], Prediction]:
    world = StillWorld()

    @lru_cache(maxsize=256)
    def guard(domains: tuple[str, ...], prefixes: tuple[str, ...]) -> Guard:
        section = {"allowed_domains": list(domains), "allowed_url_prefixes": list(prefixes)}
        policy = policy_for({"network": {"url_fetch": section}})
        return Guard(FixedPolicy(policy), resolver=world, files=world)

    def predict(row: Row) -> Prediction:
        world.dns = row.get("dns") or {}
        gate = guard(tuple(row.get("allow_domains") or ()), tuple(row.get("allow_prefixes") or ()))
        verdict = gate.evaluate(ToolCallPre(tool="url_fetch", params={"url": row["url"]}))
        return {"decision": verdict.decision.value, "codes": [reason.code for reason in verdict.reasons]}

    return predict


def _score(row: Row, prediction: Prediction) -> Outcome:
    if row["expected"] not in {"allow", "deny"}:
        raise ValueError("expected")
    return Outcome(row["expected"], prediction["decision"] == row["expected"])


SUITE: Final = Suite(
    id="egress",
    about="URLs that may or may not be reached",
    row="url, allow_domains?, allow_prefixes?, dns?, expected (allow or deny)",
    start=_start,
    score=_score,
)
