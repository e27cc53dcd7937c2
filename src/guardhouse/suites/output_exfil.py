"""Suite `output_exfil`: published texts that would carry something off, or hide it, and ordinary ones."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, OutputPublish
from guardhouse.suites.interface import Outcome, Prediction, Row, StillWorld, Suite, policy_for

if TYPE_CHECKING:
    from collections.abc import Callable


def _start() -> Callable[[Row], Prediction]:
    world = StillWorld()

    @lru_cache(maxsize=256)
    def guard(domains: tuple[str, ...]) -> Guard:
        policy = policy_for({"network": {"output": {"allowed_domains": list(domains)}}})
        return Guard(FixedPolicy(policy), resolver=world, files=world)

    def predict(row: Row) -> Prediction:
        verdict = guard(tuple(row.get("allow_domains") or ())).evaluate(OutputPublish(content=row["text"]))
        codes = list(dict.fromkeys(reason.code for reason in verdict.reasons))
        return {"decision": verdict.decision.value, "codes": codes}

    return predict


def _score(row: Row, prediction: Prediction) -> Outcome | None:
    if row["expected"] == "contested":
        return None
    if row["expected"] not in {"flag", "clean"}:
        raise ValueError("expected")
    flagged = prediction["decision"] != Decision.ALLOW.value
    return Outcome(row["expected"], flagged == (row["expected"] == "flag"))


SUITE: Final = Suite(
    id="output_exfil",
    about="published texts that would carry something off, and ordinary ones",
    row="text, allow_domains?, expected (flag, clean or contested)",
    start=_start,
    score=_score,
)
