"""What the daemon counts, in the text form that Prometheus reads. Names and numbers only, never what was judged."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Final

from guardhouse.detect import FAILED
from guardhouse.model import ApprovalStatus, Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from guardhouse.model import ApprovalRequest, Verdict
    from guardhouse.runs import Run

_EVALUATION: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_RESUMED: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)
_ANSWER: Final = (1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)


class Metrics:
    """Counts; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._decisions: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._responses: Counter[int] = Counter()
        self._failed_detectors = 0
        self._evaluations = _Histogram(_EVALUATION)
        self._answers = _Histogram(_ANSWER)
        self._segments: Counter[str] = Counter()
        self._resumed = _Histogram(_RESUMED)

    def decided(self, verdict: Verdict, seconds: float) -> None:
        """A verdict was given, in so much time."""
        failed = any(reason.code == FAILED.id for reason in verdict.reasons)
        with self._lock:
            self._decisions[verdict.decision.value] += 1
            self._failed_detectors += failed
            self._evaluations.add(seconds)

    def changed(self, requests: Iterable[ApprovalRequest]) -> None:
        """Requests have come to these statuses."""
        with self._lock:
            for request in requests:
                self._statuses[request.status.value] += 1
                if request.status in {ApprovalStatus.APPROVED, ApprovalStatus.DENIED} and request.answered_at:
                    self._answers.add(request.answered_at - request.created_at)

    def responded(self, status: int) -> None:
        """An answer was given over HTTP."""
        with self._lock:
            self._responses[status] += 1

    def worked(self, run: Run, waited: float | None) -> None:
        """A run was worked on, and stands so now; it was taken up so many seconds after the answer it waited for."""
        with self._lock:
            self._segments[run.status.value] += 1
            if waited is not None:
                self._resumed.add(waited)

    def text(self, *, pending: int, streams: int, waiting: int, runs: Mapping[str, int]) -> str:
        """Everything, with what is so at this moment."""
        with self._lock:
            blocked = self._decisions[Decision.DENY.value]
            redacted = self._decisions[Decision.ALLOW_WITH_REDACTION.value]
            lines = [
                *_counter("decisions", "Decisions of the gate.", "decision", self._decisions),
                *_single("blocked_total", "counter", "Decisions that were a deny.", blocked),
                *_single("redactions_total", "counter", "Decisions that masked something.", redacted),
                *_single(
                    "detector_failures_total", "counter", "Decisions with a failed detector.", self._failed_detectors
                ),
                *_counter("approvals", "Requests by the status that they came to.", "status", self._statuses),
                *_counter("responses", "Answers over HTTP.", "status", self._responses),
                *self._evaluations.lines("evaluation_seconds", "Time to a verdict."),
                *self._answers.lines("answer_seconds", "Time from a question to its answer."),
                *_counter(
                    "run_segments", "Times that a run was worked on, by how it stood then.", "status", self._segments
                ),
                *self._resumed.lines("run_resumed_seconds", "Time from an answer to the run that waited for it."),
                *_gauge("runs", "Runs by their status.", "status", runs),
                *_single("approvals_pending", "gauge", "Requests that wait for an answer.", pending),
                *_single("streams", "gauge", "Who listens to events.", streams),
                *_single("waiting", "gauge", "Callers that wait for an answer.", waiting),
            ]
        return "\n".join(lines) + "\n"


class _Histogram:
    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, text: str) -> Iterable[str]:
        yield from _head(name, "histogram", text)
        total = 0
        for bound, count in zip((*self._bounds, "+Inf"), self._counts, strict=True):
            total += count
            yield f'guardhouse_{name}_bucket{{le="{bound}"}} {total}'
        yield f"guardhouse_{name}_sum {self._sum}"
        yield f"guardhouse_{name}_count {total}"


def _counter(name: str, text: str, label: str, counts: Counter[str] | Counter[int]) -> Iterable[str]:
    yield from _head(f"{name}_total", "counter", text)
    for value, count in sorted(counts.items(), key=str):
        yield f'guardhouse_{name}_total{{{label}="{value}"}} {count}'


def _gauge(name: str, text: str, label: str, values: Mapping[str, int]) -> Iterable[str]:
    yield from _head(name, "gauge", text)
    for value, count in sorted(values.items()):
        yield f'guardhouse_{name}{{{label}="{value}"}} {count}'


def _single(name: str, kind: str, text: str, value: float) -> Iterable[str]:
    yield from _head(name, kind, text)
    yield f"guardhouse_{name} {value}"


def _head(name: str, kind: str, text: str) -> Iterable[str]:
    yield f"# HELP guardhouse_{name} {text}"
    yield f"# TYPE guardhouse_{name} {kind}"
