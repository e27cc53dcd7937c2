"""What an approval costs: opening the store in a cold process, a question, an answer, a use, and a look.

    python bench/approvals.py [--json]

Wall time, medians. Each question, answer and use is one transaction that is on disk when it ends, so those figures
are mostly the disk's; the cold ones are fresh processes, less what an empty one that has the model loaded takes.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from guardhouse.approvals import Approver, SqliteStore
from guardhouse.model import Asked, RiskLevel, ToolCallPre, bind, wire

KEY = bytes(32)
ROUNDS = 300
COLD = """
import sys, time
from pathlib import Path
import guardhouse.model
start = time.perf_counter()
from guardhouse.approvals import Approver, SqliteStore
imported = time.perf_counter()
approver = Approver(SqliteStore(Path(sys.argv[1])), bytes(32))
approver.get("ap_0")
opened = time.perf_counter()
approver.close()
print(imported - start, opened - imported, time.perf_counter() - opened)
"""


def question(number: int) -> Asked:
    action = ToolCallPre(tool="bash", params={"command": f"make {number}"}, session_id="bench")
    return Asked(
        bound=bind(action, {"path": "sha256:00"}),
        resume=b"x" * 500,
        action_type=action.type,
        tool_name="bash",
        session_id="bench",
        run_id=None,
        principal=None,
        action_summary_redacted="bash: make",
        action_redacted=wire(action),
        risk_level=RiskLevel.HIGH,
        reasons=(),
        codes=("shell.unknown",),
        policy_revision="1",
    )


def timed(times: list[float], call):
    start = time.perf_counter()
    result = call()
    times.append(time.perf_counter() - start)
    return result


def cold(path: Path) -> list[list[float]]:
    """For fresh processes: importing the room, opening and reading, closing."""
    runs = []
    for _ in range(15):
        done = subprocess.run([sys.executable, "-c", COLD, str(path)], capture_output=True, text=True, check=True)
        runs.append([float(part) for part in done.stdout.split()])
    return [list(column) for column in zip(*runs, strict=True)]


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "approvals.db")
        made: list[float] = []
        approver = Approver(SqliteStore(path), KEY)
        timed(made, approver.find)
        asked, waited, answered, used, looked = ([] for _ in range(5))
        for number in range(ROUNDS):
            request = timed(asked, lambda number=number: approver.settle(question(number))).request
            timed(waited, lambda number=number: approver.settle(question(number)))
            timed(looked, lambda request=request: approver.get(request.id))
            timed(answered, lambda request=request: approver.answer(request.id, approve=True, actor="bench"))
            assert timed(used, lambda number=number: approver.settle(question(number))).granted
        approver.close()
        importing, opening, closing = cold(path)
    figures = {
        "make a new store, ms": made,
        "cold: import the room, ms": importing,
        "cold: open and read, ms": opening,
        "cold: close, ms": closing,
        "open a request, ms": asked,
        "ask again, ms": waited,
        "answer, ms": answered,
        "use, ms": used,
        "look, ms": looked,
    }
    medians = {name: statistics.median(times) * 1e3 for name, times in figures.items()}
    if "--json" in sys.argv:
        print(json.dumps(medians, indent=2))
        return
    for name, value in medians.items():
        print(f"{name:28} {value:7.2f}")


if __name__ == "__main__":
    main()
