"""What it costs to know where a value came from: in a short and in a long session, in this process and in a new one.

    python bench/session.py [--json]

A coding agent starts a new process for each call, so the bar is about those: CPU time (user and system) of a fresh
process that opens the index and looks 20 values up, in a session of 1,000 messages with 2,000 values each, beside the
same in an empty session. Medians of many, taken in turn, so that the difference means something on a noisy machine.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from guardhouse.sessions import MemorySessions, NewEvent, SessionIndex, SQLiteSessions

MESSAGES = 1000
VALUES = 2000
COLD_ROUNDS = 61
PROCESSES = 50
APPENDS = 10
KEY = bytes(32)
BAR = "cold look-up, 1,000 messages, ms"
BUDGETS = {
    "look-up of 20, sqlite, µs": 300.0,
    "append of 2,000, sqlite, event 1, ms": 10.0,
}
LOOK_UP = """
import sys
from pathlib import Path
from guardhouse.sessions import SQLiteSessions
index = SQLiteSessions(Path(sys.argv[1]), bytes(32))
index.origins("s", [tuple(value.split("=")) for value in sys.argv[2:]])
index.close()
"""
APPEND = """
import sys
from pathlib import Path
from guardhouse.sessions import NewEvent, SQLiteSessions
index = SQLiteSessions(Path(sys.argv[1]), bytes(32))
event = NewEvent(kind="tool_returned", name="fetch", grade="untrusted")
sys.stdin.read()
for turn in range(int(sys.argv[3])):
    index.append("many", event, [("word", f"{sys.argv[2]}/{turn}/{part}") for part in range(200)])
"""
ASKED = [("word", f"{number}/7") for number in range(50, 1000, 95)] + [("word", f"nowhere{n}") for n in range(10)]


def message(number: int) -> tuple[NewEvent, list[tuple[str, str]]]:
    """A tool's result, or, each tenth, a user's message: half of its values are new, half are common words."""
    words = random.Random(number)
    event = (
        NewEvent(kind="user_said", grade="user", excerpt=f"message {number}")
        if number % 10 == 0
        else NewEvent(kind="tool_returned", name="fetch", call_id=f"c{number}", grade="untrusted", excerpt="a page")
    )
    common = [("word", f"common{word}") for word in words.sample(range(5000), VALUES // 2)]
    return event, [("word", f"{number}/{part}") for part in range(VALUES // 2)] + common


def fill(index: SessionIndex) -> list[float]:
    """Milliseconds CPU of each append."""
    costs = []
    for number in range(MESSAGES):
        event, values = message(number)
        before = time.process_time()
        index.append("s", event, values)
        costs.append((time.process_time() - before) * 1e3)
    return costs


def best(step: Callable[[], object], times: int = 200, rounds: int = 7) -> float:
    """Microseconds CPU a call of `step`, the best of several rounds."""
    step()
    results = []
    for _ in range(rounds):
        before = time.process_time()
        for _ in range(times):
            step()
        results.append((time.process_time() - before) / times)
    return min(results) * 1e6


def fresh_process(path: Path) -> float:
    """Milliseconds CPU of a new process that looks the values up."""
    asked = [f"{slot}={value}" for slot, value in ASKED]
    process = subprocess.Popen([sys.executable, "-c", LOOK_UP, str(path), *asked])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("the look-up failed")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def cold(empty: Path, long: Path) -> tuple[float, float]:
    """Medians for the empty and the long session, taken in turn, each as often first as second."""
    costs: dict[Path, list[float]] = {empty: [], long: []}
    for turn in range(COLD_ROUNDS):
        for path in (empty, long) if turn % 2 else (long, empty):
            costs[path].append(fresh_process(path))
    return statistics.median(costs[empty]), statistics.median(costs[long])


def many_processes(path: Path) -> tuple[float, int]:
    """Seconds until all have appended, from the moment they may; and how many events are missing then."""
    workers = [
        subprocess.Popen([sys.executable, "-c", APPEND, str(path), str(n), str(APPENDS)], stdin=subprocess.PIPE)
        for n in range(PROCESSES)
    ]
    before = time.perf_counter()
    for worker in workers:
        worker.stdin.close()
    for worker in workers:
        worker.wait()
    took = time.perf_counter() - before
    index = SQLiteSessions(path, KEY)
    seqs = [event.seq for event in index.events("many", limit=10_000)]
    index.close()
    assert seqs == list(range(1, len(seqs) + 1))
    return took, PROCESSES * APPENDS - len(seqs)


def measure(directory: Path) -> dict[str, float]:
    long, empty = directory / "long.db", directory / "empty.db"
    sqlite, memory, bare = SQLiteSessions(long, KEY), MemorySessions(KEY), SQLiteSessions(empty, KEY)
    on_disk, in_memory = fill(sqlite), fill(memory)
    bare.append("s", NewEvent(kind="user_said", grade="user"))
    warm = {
        "look-up of 20, memory, µs": best(lambda: memory.origins("s", ASKED)),
        "look-up of 20, sqlite, µs": best(lambda: sqlite.origins("s", ASKED)),
        "look-up of 20, sqlite, empty session, µs": best(lambda: bare.origins("s", ASKED)),
        "summary, sqlite, µs": best(lambda: sqlite.summary("s")),
    }
    sqlite.close()
    bare.close()
    cold_empty, cold_long = cold(empty, long)
    size = long.stat().st_size / 1e6
    took, lost = many_processes(long)
    return {
        "cold look-up, empty session, ms": cold_empty,
        BAR: cold_long,
        "cold, allowed (1.2 x empty + 2), ms": 1.2 * cold_empty + 2,
        "cold, long / empty": cold_long / cold_empty,
        **warm,
        "append of 2,000, sqlite, event 1, ms": statistics.median(on_disk[:5]),
        "append of 2,000, sqlite, event 1,000, ms": statistics.median(on_disk[-50:]),
        "append of 2,000, memory, event 1, ms": statistics.median(in_memory[:5]),
        "append of 2,000, memory, event 1,000, ms": statistics.median(in_memory[-50:]),
        "index of 1,000 messages, MB": size,
        "50 processes, 10 appends of 200 each, s": took,
        "50 processes, events lost": lost,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        figures = measure(Path(directory))
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    budgets = {**BUDGETS, BAR: round(figures["cold, allowed (1.2 x empty + 2), ms"], 1), "50 processes, events lost": 0}
    for name, value in figures.items():
        budget = budgets.get(name)
        print(f"{name:42} {value:8.2f}" + ("" if budget is None else f"   (at most {budget:g})"))


if __name__ == "__main__":
    main()
