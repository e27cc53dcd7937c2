"""Suite `secrets_evasion`: secrets that are encoded, split, disguised or cut across the pieces of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets import SecretScanner
from guardhouse.redact import Redactor, redacted_stream
from guardhouse.suites.interface import Outcome, Prediction, Row, Suite

if TYPE_CHECKING:
    from collections.abc import Callable


def _start() -> Callable[[Row], Prediction]:
    redactor = Redactor(SecretScanner())

    def redacted(row: Row) -> Prediction:
        parts = row.get("parts") or [row["text"]]
        return {"redacted": "".join(redacted_stream(redactor, parts))}

    return redacted


def _score(row: Row, prediction: Prediction) -> Outcome:
    technique = row.get("technique", "plain")
    if row["positive"]:
        if row["secret"] not in row["text"]:
            # Nothing would have to be masked: `secret` is what stands there, in its hidden form.
            raise ValueError("secret")
        return Outcome(technique, row["secret"] not in prediction["redacted"])
    return Outcome(f"{technique} negative", prediction["redacted"] == row["text"])


SUITE: Final = Suite(
    id="secrets_evasion",
    about="secrets that are encoded, split or disguised, and must be masked all the same",
    row="text, secret, positive, technique, parts? (the pieces of a stream)",
    start=_start,
    score=_score,
)
