"""A run of three tools, of which the second needs an approval, killed with SIGKILL at every step there is."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from running import Machine, scripted

from examples import IS_LONG
from guardhouse.audit import verify
from guardhouse.runs import CallState, RunStatus

SECRET = b"swordfish"
HERE = Path(__file__).parent


@pytest.fixture
def counter():
    """How often each tool was called, told over a socket: the processes that call them die."""
    made = []

    class Counting(socketserver.StreamRequestHandler):
        def handle(self):
            made.append(self.rfile.readline().decode().strip())
            self.wfile.write(b"ok")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.made = made
    yield server
    server.shutdown()
    server.server_close()


class Lives:
    """Lives of processes that work on runs."""

    def __init__(self, machine, counter):
        self._machine = machine
        self._counter = counter
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "mortal.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(HERE)},
        )  # fmt: skip

    def live(self, run_id, kill_at):
        """What a process said that works on a run until it is killed, and how it ended."""
        asked = {
            "run_id": run_id, "kill_at": kill_at, "port": self._counter.server_address[1],
            "project": str(self._machine.project), "state": str(self._machine.state),
        }  # fmt: skip
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        said = []
        while not (line := self._process.stdout.readline().strip()).startswith("ended "):
            assert line, "the parent of all processes has died"
            said.append(line)
        return said, int(line.split()[1])

    def close(self):
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


@pytest.fixture(params=["sqlite", "postgres"])
def machine(request, tmp_path, monkeypatch):
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    machine = Machine(tmp_path, monkeypatch, url)
    yield machine
    machine.close()


def answered(runs, run_id, made):
    """Answer what a run asks as a person would who can see what has happened: money is paid once."""
    for request_id in runs.waits_for(run_id):
        request = runs.guard.approvals.get(request_id)
        again = any(code.startswith("run.may_have_run") for code in request.codes)
        approve = request.tool_name not in made if again else True
        runs.guard.approvals.answer(request_id, approve=approve, actor="local:ada")


def test_every_tool_runs_once_whenever_the_process_is_killed(machine, counter):
    lives = Lives(machine, counter)
    runs = machine.runs(scripted("unused"))
    known = {run.id for run in runs.find()}
    stride = 1 if IS_LONG else 7 if machine.is_shared else 5
    step, ended = 1 - stride, 1
    while ended:
        step += stride
        counter.made.clear()
        said, ended = lives.live("", step)
        new = [run.id for run in runs.find() if run.id not in known]
        if not new:
            continue  # it was killed before there was a run
        [run_id] = new
        known.add(run_id)
        for _ in range(12):
            if runs.get(run_id).status in {RunStatus.DONE, RunStatus.FAILED}:
                break
            answered(runs, run_id, counter.made)
            said, _ = lives.live(run_id, 0)
        run = runs.get(run_id)
        assert run.status is RunStatus.DONE, (step, run, said)
        assert runs.output(run_id) == "All is done."
        assert [counter.made.count(tool) for tool in ("pay", "note")] == [1, 1], (step, counter.made)
        assert 1 <= counter.made.count("look") <= 2, (step, counter.made)
        assert all(call.state is CallState.ENDED for call in runs.calls(run_id)[:-1])
    lives.close()
    assert step > 20
    assert verify(machine.state / "audit").problems == ()
    assert_nothing_readable_at_rest(machine, runs)


def assert_nothing_readable_at_rest(machine, runs):
    for file in machine.state.rglob("*"):
        if file.is_file():
            assert SECRET not in file.read_bytes(), file
    with runs.guard.database.reading() as rows:
        for run_id, *sealed in rows.run("SELECT id, sealed_task, sealed_state FROM runs"):
            assert sealed == [None, None], run_id
        assert rows.run("SELECT count(*) FROM run_calls WHERE sealed IS NOT NULL") == [(0,)]
