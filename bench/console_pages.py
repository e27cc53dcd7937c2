"""What each page and fragment of the console costs a real daemon: CPU, what a browser waits, and memory.

    python bench/console_pages.py [--events 100000] [--pending 1000]

The daemon is started on a state directory whose log holds so many events; so many requests wait for an answer.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from guardhouse.audit import AuditLog, AuditSettings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "server"))
from daemon_process import DaemonProcess

from console_record import events

BAR = 300.0
"""Milliseconds that a page may take."""
ROUNDS = 20
AGAIN = 40
TIMES = 4


def cpu(pid: int) -> float:
    """Seconds that a process has run, with the threads that have ended."""
    return time.clock_gettime((~pid << 3) | 2)  # the kernel's clock of that process


def resident(pid: int) -> float:
    """Megabytes that a process has now."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1000


@contextmanager
def daemon_on(root: Path) -> Iterator[DaemonProcess]:
    daemon = DaemonProcess(root)
    daemon.configure("guard: {server: {requests_per_minute: 1000000}}\n")  # nobody reads so many pages by hand
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.stop()


def fill(daemon: DaemonProcess, pending: int) -> None:
    """Requests that wait, and sessions."""
    for start in range(0, pending, 200):  # one agent may not ask for more
        with daemon.agent(f"asker-{start}") as agent:
            for number in range(start, min(start + 200, pending)):
                action = {"type": "ToolCallPre", "tool": "bash", "params": {"command": f"rm -rf /srv/{number}"}}
                agent.post("/v1/evaluate", json={"action": action, "session_id": f"s{number % 40}"})
            for number in range(60):
                page = {
                    "type": "ToolCallPost",
                    "tool": "url_fetch",
                    "call_id": f"c{number}",
                    "content": f"page {number}",
                }
                agent.post("/v1/evaluate", json={"action": page, "session_id": "long" if start else f"p{number}"})


def paths(person: httpx.Client) -> dict[str, str]:
    """Every page and fragment, with something on it."""
    asked = person.get("/v1/approvals?status=pending&limit=1").json()["approvals"][0]["id"]
    approved = person.get("/v1/audit/events?kind=execution&limit=1").json()["events"][0]["trace_id"]
    event = person.get("/v1/audit/events?decision=deny&limit=1").json()["events"][0]["event_id"]
    middle = person.get("/v1/audit/events?limit=1").json()["last"] // 2
    listed = person.get("/console/sessions").text
    session = re.search(r'href="(/sessions/[\w-]+)">\s*<span class="session-name"><code>long', listed)[1]
    return {
        "approvals": "/console/approvals",
        "approvals, a card": f"/console/approvals/{asked}",
        "approvals, more": "/console/approvals/more",
        "decisions, an hour": "/console/decisions?since=1h",
        "decisions, a day": "/console/decisions",
        "decisions, 7 days": "/console/decisions?since=7d",
        "decisions, 30 days": "/console/decisions?since=30d",
        "decisions, 30 days, a tool": "/console/decisions?since=30d&tool=bash",
        "decisions, 30 days, a code and a session": "/console/decisions?since=30d&code=private_ip&session=infra-3",
        "decisions, older": f"/console/decisions/rows?since=30d&before={middle}",
        "decisions, news": f"/console/decisions/news?after={2 * middle - 5}",
        "record": "/console/audit",
        "record, a rare thing": "/console/audit?kind=feedback&actor=local:ada&decision=deny",
        "record, nothing fits": "/console/audit?tool=read_email&actor=approver:ada&since=1h",
        "record, older": f"/console/audit/rows?before={middle}",
        "record, chain": "/console/audit/chain",
        "a call": f"/console/audit/{approved}",
        "a call, every field": f"/console/audit/{event}/raw",
        "sessions": "/console/sessions",
        "a session": f"/console{session}",
        "reasons": "/console/reasons",
        "a reason": "/console/reasons/private_ip",
    }


def measure(root: Path, count: int, pending: int) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Milliseconds of CPU (mean) and of waiting (worst) for each, and megabytes."""
    with AuditLog(root / "state" / "audit", AuditSettings(max_total_bytes=8_000_000_000)) as log:
        for one in events(count):
            log.record(one)
    with daemon_on(root) as daemon, daemon.approver("ada") as person:
        fill(daemon, pending)
        while not person.get("/v1/audit/events?limit=1").json()["index"]["complete"]:
            time.sleep(0.2)
        while person.get("/v1/audit/chain").json()["at"] == 0:
            time.sleep(0.2)
        asked = paths(person)
        figures = {name: _cost(daemon, person, path) for name, path in asked.items()}
        memory = {"RSS once asked, MB": resident(daemon.process.pid)}
        for times in range(1, TIMES + 1):
            for path in [*asked.values()] * AGAIN:
                person.get(path).raise_for_status()
            memory[f"RSS after {times * AGAIN * len(asked):,} more, MB"] = resident(daemon.process.pid)
        return figures, memory


def _cost(daemon: DaemonProcess, person: httpx.Client, path: str) -> tuple[float, float]:
    answer = person.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path}: {answer.status_code} {answer.text[:200]}")
    worst = 0.0
    before = cpu(daemon.process.pid)
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        person.get(path)
        worst = max(worst, 1e3 * (time.perf_counter() - begun))
    return 1e3 * (cpu(daemon.process.pid) - before) / ROUNDS, worst


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--pending", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        figures, memory = measure(Path(temporary), given.events, given.pending)
    if given.json:
        print(json.dumps({"pages": figures, "memory": memory}, indent=2))
        return
    print(f"{given.events} events, {given.pending} pending{'ms CPU':>23} {'ms wall, worst':>15}")
    for name, (cpu, wall) in figures.items():
        print(f"{name:42} {cpu:10.1f} {wall:12.1f}" + ("" if wall <= BAR else f"   OVER {BAR:g}"))
    for name, value in memory.items():
        print(f"{name:42} {value:10.1f}")


if __name__ == "__main__":
    main()
