"""What the record costs: appending alone, with a sync each, eight processes at once, in a cold process; and checking.

    python bench/audit.py [--json]

Events are about 1 KB. Wall time is what a caller waits, on whatever disk the temporary directory is; CPU time is the
process's own, with what the kernel did for it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from guardhouse.audit import AuditLog, AuditSettings, verify
from guardhouse.model import (
    AuditEvent,
    Decision,
    Effect,
    Finding,
    Reason,
    RedactedText,
    RiskLevel,
    Severity,
    Span,
)

BUDGETS = {"appends a second, wall": 20_000.0, "appends a second, CPU": 20_000.0, "verify, MB/s": 100.0}
ROUNDS = 5
EVENTS = 20_000
PROCESSES = 8
COLD_ROUNDS = 9
LONG_LOG = 200_000_000

EVENT = AuditEvent(
    event_id="ev_0123456789abcdef01234567",
    kind="decision",
    timestamp="2026-01-31T12:00:00.000000Z",
    trace_id="tr_0123456789abcdef",
    run_id="run_0123456789abcdef",
    session_id="s-0123456789abcdef",
    call_id="call-0123456789abcdef",
    source="hook",
    action_type="ToolCallPre",
    tool_name="url_fetch",
    action_summary_redacted=RedactedText("POST https://paste.example/upload with a body of 2,312 bytes"),
    action_hash="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    risk_level=RiskLevel.HIGH,
    decision=Decision.DENY,
    reasons=(
        Reason(
            code="non_allowlisted_domain",
            decided_by="network",
            decision=Decision.DENY,
            severity=Severity.HIGH,
            title="The host is not on your allowlist",
            why="Data sent there is out of your hands.",
            instead="Answer without uploading, or ask the user.",
            span=Span("params.url", 0, 28),
            effect=Effect.SENDS,
            remedy="guardhouse allow domain paste.example",
        ),
    ),
    findings=(
        Finding(
            code="net.destination",
            detector="destinations",
            severity=Severity.INFO,
            span=Span("params.url", 0, 28),
            host="paste.example",
            url="https://paste.example/upload",
            method="POST",
        ),
        Finding(
            code="non_allowlisted_domain",
            detector="destinations",
            severity=Severity.HIGH,
            span=Span("params.url", 0, 28),
            host="paste.example",
        ),
    ),
    policy_revision="3b4c5d6e7f80",
)

APPENDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from audit import EVENT
from guardhouse.audit import AuditLog
log = AuditLog(Path(sys.argv[2]))
sys.stdin.readline()
for _ in range(int(sys.argv[3])):
    log.record(EVENT)
"""

COLD = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from audit import EVENT
from guardhouse.audit import AuditLog
wall, cpu = time.perf_counter(), time.process_time()
log = AuditLog(Path(sys.argv[2]))
log.record(EVENT)
print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)
"""


def append(directory: Path, count: int, *, durable: bool = False) -> tuple[float, float]:
    """Events a second, by the wall clock until all are on disk, and by CPU time."""
    with AuditLog(directory) as log:
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(count):
            log.record(EVENT, durable=durable)
        log.flush()
        return count / (time.perf_counter() - wall), count / (time.process_time() - cpu)


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    here = str(Path(__file__).resolve().parent)
    command = [sys.executable, "-c", code, here, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def together(directory: Path) -> float:
    """Events a second of all processes together; every event must be there."""
    each = EVENTS // PROCESSES
    processes = [start(APPENDER, directory, each) for _ in range(PROCESSES)]
    time.sleep(1)  # they have loaded what they need
    before = time.perf_counter()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    took = time.perf_counter() - before
    verification = verify(directory)
    if not verification.ok or verification.events != each * PROCESSES or any(p.returncode for p in processes):
        raise SystemExit(f"events were lost: {verification.events} of {each * PROCESSES}, {verification.problems}")
    return each * PROCESSES / took


def cold(*directories: Path) -> tuple[float, float]:
    """Milliseconds of the first append in a new process, wall and CPU; loading Python and the package not counted."""
    taken = []
    for directory in directories:
        out, _ = start(COLD, directory).communicate()
        taken.append([1e3 * float(value) for value in out.split()])
    return statistics.median(wall for wall, _ in taken), statistics.median(cpu for _, cpu in taken)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        alone = [append(root / f"alone{index}", EVENTS) for index in range(ROUNDS)]
        durable = append(root / "durable", 500, durable=True)
        shared = together(root / "together")
        cold_empty = cold(*(root / f"empty{index}" for index in range(COLD_ROUNDS)))
        with AuditLog(root / "long", AuditSettings(max_file_bytes=LONG_LOG * 2, max_total_bytes=LONG_LOG * 4)) as log:
            log.record(EVENT)
            size = next((root / "long").glob("*.jsonl")).stat().st_size
            for _ in range(LONG_LOG // size):
                log.record(EVENT)
        before = time.process_time()
        verification = verify(root / "long")
        checking = verification.bytes / (time.process_time() - before) / 1e6
        if not verification.ok:
            raise SystemExit(f"the log does not verify: {verification.problems}")
        cold_long = cold(*[root / "long"] * COLD_ROUNDS)
    figures = {
        "bytes a line": float(size),
        "appends a second, wall": max(wall for wall, _ in alone),
        "appends a second, CPU": max(cpu for _, cpu in alone),
        "durable appends a second, wall": durable[0],
        "durable appends a second, CPU": durable[1],
        f"{PROCESSES} processes, appends a second": shared,
        "verify, MB/s": checking,
        "cold append, empty log, ms wall": cold_empty[0],
        "cold append, empty log, ms CPU": cold_empty[1],
        "cold append, 200 MB log, ms wall": cold_long[0],
        "cold append, 200 MB log, ms CPU": cold_long[1],
    }
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        budget = BUDGETS.get(name)
        print(f"{name:34} {value:10.2f}" + (f"   (at least {budget:g})" if budget else ""))


if __name__ == "__main__":
    main()
