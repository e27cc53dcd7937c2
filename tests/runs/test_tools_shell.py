"""Commands as a tool of a run: real processes, and the real sandbox where there is one."""

import asyncio
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from running import results, scripted, worked
from tooling import called, errand, told

from guardhouse.model import Decision, GuardhouseError
from guardhouse.runs import RunStatus
from guardhouse.runs.tools.shell import Bash

OPEN = "guard: {bash: effects}"
CONFINED = "guard: {sandbox: {mode: prefer}}"


def test_a_command_runs_in_the_workspace_and_tells_its_status(machine):
    machine.configure(OPEN)
    (machine.project / "here.txt").write_text("")
    listed, failed = told(
        machine, (Bash(),), ("bash", {"command": "ls"}), ("bash", {"command": "echo out; echo err >&2; false"})
    )
    assert "here.txt" in listed
    assert "out\nerr\n\n[exit status 1]" in failed


def test_a_command_does_not_see_the_keys_of_the_process_that_works_on_the_run(machine, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "the-models-key")
    monkeypatch.setenv("GUARDHOUSE_TOKEN", "the-daemons-token")
    monkeypatch.setenv("CITY", "Rome")
    machine.configure("guard: {sandbox: {environment: [CITY]}}")
    seen = called(Bash(), {"command": "env"}, errand(machine))
    assert "PATH=" in seen
    assert "CITY=Rome" in seen
    assert "the-models-key" not in seen
    assert "GUARDHOUSE_" not in seen


def test_output_is_bounded_with_its_beginning_and_its_end(machine):
    seen = called(Bash(), {"command": "echo first; seq 1 200000; echo last"}, errand(machine))
    assert seen.startswith("first\n1\n")
    assert seen.endswith("\nlast\n")
    assert "bytes left out]" in seen
    assert len(seen) < 101_000


def is_alive(file):
    try:
        os.kill(int(file.read_text()), 0)
    except (ProcessLookupError, FileNotFoundError, ValueError):
        return False
    return True


def waited_for(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(machine):
    pid = machine.project / "pid"
    command = f"echo begun; bash -c 'trap \"\" TERM; echo $$ > {pid}; sleep 60' & sleep 60"
    with pytest.raises(GuardhouseError, match="ended after 1 seconds") as raised:
        called(Bash(), {"command": command, "timeout": 1}, errand(machine))
    assert "begun" in str(raised.value)
    waited_for(lambda: not is_alive(pid))


def test_a_command_ends_when_its_run_is_cancelled(machine):
    pid = machine.project / "pid"

    async def cancelled():
        task = asyncio.ensure_future(Bash().work({"command": f"echo $$ > {pid}; sleep 60"}, errand(machine)))
        while not is_alive(pid):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    waited_for(lambda: not is_alive(pid))


def test_what_a_command_leaves_in_the_background_does_not_hold_up_the_run(machine):
    begun = time.monotonic()
    assert called(Bash(), {"command": "sleep 60 & echo done"}, errand(machine)) == "done\n"
    assert time.monotonic() - begun < 20


def test_a_command_is_never_repeated_by_itself():
    assert not Bash().may_repeat({"command": "ls"})


def test_what_the_gate_denies_is_not_run(machine):
    machine.configure("guard: {bash: deny}")
    [text] = told(machine, (Bash(),), ("bash", {"command": "touch made"}))
    assert not (machine.project / "made").exists()
    assert "denied" in text.lower() or "blocked" in text.lower()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_where_the_policy_wants_it_a_command_runs_in_the_sandbox(machine, monkeypatch):
    machine.configure(CONFINED)
    monkeypatch.setenv("OPENAI_API_KEY", "the-models-key")
    (machine.home / "diary.txt").write_text("private words")
    heard = []
    model = scripted(
        ("bash", {"command": f"echo kept > made; env; cat {machine.home}/diary.txt"}),
        lambda messages: heard.extend(results(messages)) or "Done.",
    )
    runs = machine.runs(model, tools=(Bash(),))
    run = worked(runs, runs.start("Make it.", workspace=str(machine.project)).id)
    try:
        assert run.status is RunStatus.DONE, runs.guard.approvals.get(runs.waits_for(run.id)[0])
        assert (machine.project / "made").read_text() == "kept\n"
        assert "GUARDHOUSE_SANDBOX=1" in heard[0]
        assert "the-models-key" not in heard[0]
        assert "private words" not in heard[0]
        [decided] = [event for event in machine.events() if event.action_type == "ToolCallPre" and event.decision]
        assert decided.decision is Decision.ALLOW
    finally:
        end_keeper(machine.state)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_command_in_the_sandbox_that_takes_too_long_is_ended(machine):
    command = "setsid bash -c 'while sleep 0.05; do date +%s%N > beat; done' & sleep 60"
    beat = machine.project / "beat"
    try:
        with pytest.raises(GuardhouseError, match="ended after 8 seconds"):
            called(Bash(), {"command": command, "timeout": 8}, errand(machine, is_confined=True))
        last = beat.read_text()
        time.sleep(0.5)
        assert beat.read_text() == last
    finally:
        end_keeper(machine.state)


def end_keeper(state):
    """End the process that keeps the sandboxes of this state directory."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--keep" in words and str(state).encode() in words:
            os.kill(int(process.name), signal.SIGKILL)
