"""Approvals over real processes: one asks and is killed, another goes on; and what an agent starts can't approve."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guardhouse.model import ApprovalStatus

ASKS = """
import sys, time
from pathlib import Path
from guardhouse import open_guard

def read_file(path: str) -> str:
    return Path(path).read_text()

guard = open_guard(cwd=Path(sys.argv[1]), state_dir=Path(sys.argv[2]))
outcome = guard.wrap(read_file, session_id="s1")(sys.argv[3])
print(outcome.status, outcome.approval_request_id, flush=True)
time.sleep(60)
"""
RESUMES = """
import sys
from pathlib import Path
from guardhouse import open_guard

def read_file(path: str) -> str:
    Path(sys.argv[4]).open("a").write("ran\\n")
    return Path(path).read_text()

with open_guard(cwd=Path(sys.argv[1]), state_dir=Path(sys.argv[2])) as guard:
    print(guard.wrap(read_file, session_id="another").resume(sys.argv[3]).status)
"""
HOLDS_A_GUARD = """
import os, subprocess, sys
from pathlib import Path
from guardhouse import open_guard

guard = open_guard(cwd=Path(sys.argv[1]), state_dir=Path(sys.argv[2]))
if sys.argv[4] == "forked":
    if os.fork():
        os._exit(0)
    from guardhouse import ToolCallPre
    guard.evaluate(ToolCallPre(tool="think", params={}))
approve = [sys.executable, "-m", "guardhouse", "approvals", "approve", sys.argv[3], "--state-dir", sys.argv[2]]
done = subprocess.run(approve)
print("status", done.returncode, flush=True)
"""


@pytest.fixture
def asked(place):
    """A request of a process that was killed after it asked."""
    arguments = [sys.executable, "-c", ASKS, str(place.project), str(place.state), str(place.key)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        status, request_id = process.stdout.readline().split()
        assert status == "pending"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    return request_id


def test_a_call_outlives_the_process_that_asked(place, asked, tmp_path):
    place.clock.now = time.time()
    place.guard().approvals.answer(asked, approve=True, actor="local:ada")
    ran = tmp_path / "ran.txt"
    arguments = [sys.executable, "-c", RESUMES, str(place.project), str(place.state), asked, str(ran)]
    first = subprocess.run(arguments, capture_output=True, text=True, check=False)
    second = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert first.stdout.strip() == "completed", first.stderr
    assert second.returncode != 0
    assert ran.read_text() == "ran\n"


@pytest.mark.parametrize("how", ["plain", "forked"])
def test_what_a_guarded_agent_starts_can_not_approve_even_on_a_terminal_of_its_own(place, asked, how):
    pid, screen = pty.fork()
    if pid == 0:
        arguments = [sys.executable, "-c", HOLDS_A_GUARD, str(place.project), str(place.state), asked, how]
        os.execve(sys.executable, arguments, {**os.environ, "LC_ALL": "C.UTF-8"})
    shown = b""
    end = time.monotonic() + 30
    while not re.search(rb"status \d", shown) and time.monotonic() < end:
        if select.select([screen], [], [], 0.2)[0]:
            try:
                shown += os.read(screen, 65536)
            except OSError:  # the terminal has hung up
                break
            if b"[y/N]" in shown:
                os.write(screen, b"y\n")
    os.close(screen)
    os.waitpid(pid, 0)
    assert b"Approved" not in shown
    place.clock.now = time.time()
    assert place.guard().approvals.get(asked).status is ApprovalStatus.PENDING
    if how == "plain":
        assert b"status 2" in shown
        assert b"guarded agent" in shown


def test_the_example_runs(place):
    example = Path(__file__).parents[2] / "examples" / "guarded_tools.py"
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=example.parents[1],
        env={**os.environ, "GUARDHOUSE_STATE_DIR": str(place.state)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "README.md: completed" in done.stdout
    assert "id_ed25519: pending" in done.stdout
