"""What `evaluate` costs when the session is long: a consequential call after 1,000 messages, beside one after a few.

    python bench/long_session.py [--json]

The same call, by the same user's words, in a session that has read one page and in one of 1,000 messages (pages, lists,
mails and what the user said). In one process, and with a new process for each call, as coding agents' hooks do it. CPU
time (user and system), medians of pairs taken in turn; what counts is the ratio. The bar is 1.2.
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
from pathlib import Path

import guardhouse
from guardhouse.model import ToolCallPost, ToolCallPre, UserInput

MESSAGES = 1000
ROUNDS = 200
PROCESSES = 25
BAR = 1.2
CONFIG = {
    "guard": {
        "tools": {
            "send_email": {"capabilities": ["sends", "writes"]},
            "read_mail": {"capabilities": ["reads", "reads_untrusted"]},
        }
    }
}
WORDS = "report budget meeting invoice garden river answer letter window market summer engine planet copper".split()
COLD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import long_session
guard = long_session.opened(Path(sys.argv[1]))
guard.evaluate(long_session.call(sys.argv[3]))
guard.close()
"""


def opened(directory: Path) -> guardhouse.LocalGuard:
    """The guard of one directory, with two tools described."""
    (directory / "project").mkdir(exist_ok=True)
    file = directory / "config.json"
    if not file.exists():
        file.write_text(json.dumps(CONFIG))
    return guardhouse.open_guard(config_file=file, state_dir=directory / "state", cwd=directory / "project")


def call(session: str) -> ToolCallPre:
    """A mail whose text is partly copied from what was read, to somebody whom the user named."""
    return ToolCallPre(
        tool="send_email",
        params={
            "to": "anna@example.com",
            "subject": "Budget",
            "body": " ".join(["The budget for the garden is ready and the letter about the river is on its way."] * 4),
        },
        session_id=session,
    )


def fill(guard: guardhouse.LocalGuard, session: str, messages: int) -> None:
    """A session of so many messages: one in ten is the user's, the others are what a tool brought in."""
    numbers = random.Random(messages)
    guard.evaluate(
        UserInput(content="Send anna@example.com a mail about the budget", origin="typed", session_id=session)
    )
    for number in range(1, messages):
        said = " ".join(numbers.choices(WORDS, k=40))
        if number % 10 == 0:
            guard.evaluate(UserInput(content=f"And look at the {said[:60]}", origin="typed", session_id=session))
        else:
            mails = [
                {"id": f"m{number}-{n}", "from": f"p{number}.{n}@example.org", "subject": said[:30], "body": said}
                for n in range(5)
            ]
            guard.evaluate(
                ToolCallPost(
                    tool="read_mail",
                    content=mails,
                    params={"query": "budget"},
                    session_id=session,
                    call_id=f"c{number}",
                )
            )


def cpu(children: bool = False) -> float:
    """CPU seconds so far, of this process or of those it waited for."""
    now = os.times()
    return now.children_user + now.children_system if children else now.user + now.system


def warm(guard: guardhouse.LocalGuard) -> dict[str, float]:
    """Milliseconds of CPU for one call in each session, taken in turn."""
    spent: dict[str, list[float]] = {"short": [], "long": []}
    for turn in range(ROUNDS):
        for session in ("short", "long") if turn % 2 else ("long", "short"):
            before = time.process_time()
            guard.evaluate(call(session))
            spent[session].append(1000 * (time.process_time() - before))
    return {session: statistics.median(times) for session, times in spent.items()}


def cold(directory: Path) -> dict[str, float]:
    """The same with a new process for each call."""
    spent: dict[str, list[float]] = {"short": [], "long": []}
    here = str(Path(__file__).parent)
    for turn in range(PROCESSES):
        for session in ("short", "long") if turn % 2 else ("long", "short"):
            before = cpu(children=True)
            subprocess.run([sys.executable, "-c", COLD, str(directory), here, session], check=True)
            spent[session].append(1000 * (cpu(children=True) - before))
    return {session: statistics.median(times) for session, times in spent.items()}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        guard = opened(directory)
        fill(guard, "short", 3)
        began = cpu()
        fill(guard, "long", MESSAGES)
        per_message = 1000 * (cpu() - began) / MESSAGES
        figures = {"one process": warm(guard)}
        guard.close()
        figures["a process a call"] = cold(directory)
    ratios = {way: times["long"] / times["short"] for way, times in figures.items()}
    if "--json" in sys.argv:
        print(json.dumps({"ms": figures, "ratios": ratios, "ms a message remembered": per_message}))
    else:
        for way, times in figures.items():
            print(
                f"{way}: {times['short']:.2f} ms CPU after 3 messages, {times['long']:.2f} after {MESSAGES:,}: "
                f"{ratios[way]:.2f} times (bar {BAR})"
            )
        print(f"remembering one message of five mails: {per_message:.2f} ms CPU")
    return 0 if all(ratio <= BAR for ratio in ratios.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
