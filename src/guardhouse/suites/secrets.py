"""Suite `secrets`: texts with a secret that must be masked, and texts that must stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets import SecretScanner
from guardhouse.redact import Redactor
from guardhouse.suites.interface import Outcome, Prediction, Row, Suite

if TYPE_CHECKING:
    from collections.abc import Callable


def _start() -> Callable[[Row], Prediction]:
    redactor = Redactor(SecretScanner())
    return lambda row: {"redacted": redactor.text(row["text"])}


def _score(row: Row, prediction: Prediction) -> Outcome:
    label = row.get("label", "strong")
    if row["positive"]:
        return Outcome(f"{label} positive", row["secret"] not in prediction["redacted"])
    return Outcome(f"{label} negative", prediction["redacted"] == row["text"])


SUITE: Final = Suite(
    id="secrets",
    about="secrets that must be masked, and look-alikes that must not",
    row="text, secret, positive, label? (strong or weak)",
    start=_start,
    score=_score,
)
