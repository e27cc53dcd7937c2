"""What the console's questions cost: an index over 100,000 events, and each question that a page is made of.

    python bench/console.py [--events N] [--json]

Events are recorded by the real log, in calls that are planned, decided, approved and executed, over thirty days. CPU
time is this process's own, wall time what a caller waits; both are the worst of several rounds, because a page has to
be fast each time.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from guardhouse.audit import AuditIndex, AuditLog, AuditSettings, Query, moment, story, verify
from guardhouse.model import (
    ApprovalStatus,
    AuditEvent,
    Decision,
    Finding,
    Reason,
    RedactedText,
    RiskLevel,
    Severity,
)
from guardhouse.sessions import NewEvent, SQLiteSessions

BAR = 300.0
"""Milliseconds that a page may take."""
ROUNDS = 5
DAYS = 30
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
UNTIL = (BEGUN + timedelta(days=DAYS)).timestamp()
SESSIONS = 2_000
TOOLS = [f"tool_{number}" for number in range(30)]
CODES = [f"code.number_{number}" for number in range(40)]
PRINCIPALS = ["ci-bot", "ada-agent", "research", None]


def calls(count: int) -> Iterator[AuditEvent]:
    """The events of many calls, in their order: about a third of the calls ask, and most of them are executed."""
    chance = random.Random(7)
    number = 0
    while number < count:
        call = f"{number:012d}"
        tool = chance.choice(TOOLS) if chance.random() > 0.001 else f"rare_{number}"
        decision = chance.choices(list(Decision), (70, 5, 15, 10))[0]
        # A tool is stopped for a few reasons of its own, and is as risky as it is.
        start = len(tool) * 7 + ord(tool[-1])
        codes = [CODES[(start + chance.choice((0, 1, 1, 2))) % len(CODES)]] if decision is not Decision.ALLOW else []
        codes += [CODES[start % 5]] if codes and codes != [CODES[start % 5]] and chance.random() < 0.2 else []
        about = {
            "trace_id": f"tr_{call}",
            "session_id": f"session-{int(chance.paretovariate(1.2)) % SESSIONS}-{number // 200}",
            "run_id": f"run_{number // 100}",
            "call_id": f"call_{call}",
            "principal": chance.choice(PRINCIPALS),
            "source": "hook",
            "action_type": "ToolCallPre",
            "tool_name": tool,
            "action_summary_redacted": RedactedText(
                f"{tool} with a description of about as many characters as one has"
            ),
            "action_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "risk_level": list(RiskLevel)[(start + (chance.random() < 0.2)) % 4],
            "policy_revision": "3b4c5d6e7f80",
        }
        request = f"ap_{call}" if decision is Decision.REQUIRE_APPROVAL else None
        asked = event(number, count, "decision", decision=decision, approval_request_id=request, **said(codes), **about)
        yield asked
        number += 1
        if request:
            status = chance.choice((ApprovalStatus.APPROVED, ApprovalStatus.DENIED, ApprovalStatus.EXPIRED))
            changes = {"approval_request_id": request, "approval_status": status, "actor": "approver:ada"}
            yield event(number, count, "approval", **{**about, **changes})
            number += 1
            if status is not ApprovalStatus.APPROVED:
                continue
        if decision is not Decision.DENY:
            yield event(number, count, "execution", outcome="executed", about=asked.event_id, **about)
            number += 1


def said(codes: list[str]) -> dict[str, object]:
    reasons = tuple(
        Reason(
            code=code,
            decided_by="bench",
            decision=Decision.DENY,
            severity=Severity.HIGH,
            title="A title of a usual length",
            why="A sentence that says why this is so.",
            instead="Another that says what to do.",
        )
        for code in codes
    )
    findings = tuple(Finding(code=code, detector="bench", severity=Severity.HIGH) for code in codes)
    return {"reasons": reasons, "findings": findings}


def event(number: int, count: int, kind: str, **fields: object) -> AuditEvent:
    at = BEGUN + timedelta(days=DAYS) * (number / count)
    return AuditEvent(event_id=f"ev_{number:024d}", kind=kind, timestamp=f"{at:%Y-%m-%dT%H:%M:%S.%f}Z", **fields)


def worst(step: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the slowest of several rounds, CPU and wall."""
    costs = []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        step()
        costs.append((1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)))
    return max(cpu for cpu, _ in costs), max(wall for _, wall in costs)


def resident() -> float:
    """Megabytes that this process has now."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1000


def questions(index: AuditIndex, count: int) -> dict[str, Callable[[], object]]:
    """What pages are made of."""
    week, day, hour = (moment(text, UNTIL) for text in ("7d", "1d", "1h"))
    some = f"ev_{count // 2:024d}"
    rare = next(tool for tool in index.top(Query(), "tool", 1000) if tool.startswith("rare"))
    return {
        "catch up, nothing new": lambda: index.catch_up(within=0.05),
        "page, newest": index.page,
        "page, in the middle": lambda: index.page(before=count // 2),
        "page, newer than": lambda: index.page(after=count // 2),
        "page, of 1,000": lambda: index.page(limit=1000),
        "page, a tool and a decision": lambda: index.page(Query(tool=TOOLS[0], decision=Decision.DENY)),
        "page, a rare tool": lambda: index.page(Query(tool=rare)),
        "page, a code": lambda: index.page(Query(code=CODES[0])),
        "page, a session": lambda: index.page(Query(session="session-1-10")),
        "page, a call": lambda: index.page(Query(call=f"call_{0:012d}")),
        "page, nothing fits, known names": lambda: index.page(
            Query(kind="approval", session="session-1-10", tool=TOOLS[3], risk=RiskLevel.LOW, until=hour)
        ),
        "page, nothing fits, by a scan": lambda: index.page(Query(tool=TOOLS[0], actor="approver:ada", since=hour)),
        "page, oldest of a common tool": lambda: index.page(Query(tool=TOOLS[0]), before=500),
        "page, an unknown name": lambda: index.page(Query(tool="nowhere")),
        "timeline, 30 days": lambda: index.timeline(Query(), UNTIL - 30 * 86_400, UNTIL),
        "timeline, 7 days, a tool": lambda: index.timeline(Query(tool=TOOLS[0]), UNTIL - 7 * 86_400, UNTIL),
        "timeline, a day": lambda: index.timeline(Query(), UNTIL - 86_400, UNTIL),
        "timeline, 30 days, a session": lambda: index.timeline(
            Query(session="session-1-10"), UNTIL - 30 * 86_400, UNTIL
        ),
        "statistics, all": index.statistics,
        "statistics, 7 days": lambda: index.statistics(Query(since=week)),
        "statistics, a day, a tool": lambda: index.statistics(Query(since=day, tool=TOOLS[0])),
        "top tools": lambda: index.top(Query(), "tool"),
        "top codes": lambda: index.top(Query(), "code"),
        "top sessions": lambda: index.top(Query(), "session"),
        "top sessions of a week": lambda: index.top(Query(since=week), "session"),
        "top principals, denied": lambda: index.top(Query(decision=Decision.DENY), "principal"),
        "waits": index.waits,
        "offers": index.offers,
        "story": lambda: index.story(some),
        "story, no such event": lambda: index.story("ev_nowhere"),
        "story of an approval": lambda: index.story_of_approval("ap_nowhere"),
    }


def sessions_listed(directory: Path) -> Callable[[], object]:
    """The newest of many sessions."""
    sessions = SQLiteSessions(directory / "sessions.db", bytes(32))
    for number in range(SESSIONS):
        sessions.append(f"agent-{number % 7}/{number}", NewEvent(kind="user_said", grade="user"))
        sessions.append(f"agent-{number % 7}/{number}", NewEvent(kind="tool_returned", grade="untrusted"))
    return lambda: (sessions.recent(50), sessions.recent(50, beginning="agent-1/"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        room = AuditSettings(max_total_bytes=8_000_000_000)
        with AuditLog(root / "audit", room) as log:
            for one in calls(given.events):
                log.record(one)
        index = AuditIndex(root / "audit", root / "cache" / "audit-index.db")
        index.catch_up(most=5_000)  # what is loaded for the first events is no cost of the rest
        before = resident()
        wall, cpu = time.perf_counter(), time.process_time()
        progress = index.catch_up()
        building = 1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)
        built = resident()
        asked = questions(index, given.events)
        figures = {name: worst(step) for name, step in asked.items()}
        figures["sessions, newest and of one principal"] = worst(sessions_listed(root))
        asking = resident()
        for _ in range(10):
            for step in asked.values():
                step()
        after = resident()
        size = sum(file.stat().st_size for file in (root / "cache").iterdir()) / 1e6
        old = worst_once(lambda: story(root / "audit", f"ev_{given.events // 2:024d}"))
        checking = worst_once(lambda: verify(root / "audit"))
        if not progress.complete or progress.unreadable:
            raise SystemExit(f"the index is not whole: {progress}")
        index.close()
    memory = {
        "RSS before building, MB": before,
        "RSS once built, MB": built,
        "RSS while asking, MB": asking,
        "RSS after asking ten times as much, MB": after,
        "highest RSS, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "index on disk, MB": size,
    }
    if given.json:
        told = {"events": progress.seq, "building": building, "questions": figures, "memory": memory}
        print(json.dumps(told, indent=2))
        return
    print(f"{progress.seq} events{'ms CPU':>43} {'ms wall':>9}")
    print(f"{'building the index':42} {building[0]:10.1f} {building[1]:9.1f}")
    for name, (cpu, wall) in figures.items():
        print(f"{name:42} {cpu:10.1f} {wall:9.1f}" + ("" if wall <= BAR else f"   OVER {BAR:g}"))
    print(f"{'beside it: story by reading the log':42} {old[0]:10.1f} {old[1]:9.1f}")
    print(f"{'beside it: verify':42} {checking[0]:10.1f} {checking[1]:9.1f}")
    for name, value in memory.items():
        print(f"{name:42} {value:10.1f}")


def worst_once(step: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    step()
    return 1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)


if __name__ == "__main__":
    main()
