"""Two nodes that share a PostgreSQL database: what one can't finish, the other does; nothing is made twice."""

import asyncio
import os
import signal
import socketserver
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from running import Machine, scripted

from guardhouse.runs import RunStatus
from guardhouse.runs.jobs import JobDispatcher, Workers, install

HERE = Path(__file__).parent


class Nodes:
    def __init__(self, root, monkeypatch, url):
        self.machine = Machine(root, monkeypatch, url)
        self.made = []
        nodes = self

        class Counting(socketserver.StreamRequestHandler):
            def handle(self):
                nodes.made.append(tuple(self.rfile.readline().decode().split()))
                self.wfile.write(b"ok")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Counting)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._processes = {}
        self.runs = self.machine.runs(scripted("unused"))
        install(self.runs.guard.database)

    def start(self, *names, beat=2.0, lasts=0.0):
        for name in names:
            state = self.machine.state.parent / f"state-{name}"
            self._processes[name] = subprocess.Popen(
                [sys.executable, str(HERE / "node.py"), name, str(self._server.server_address[1]),
                 str(self.machine.project), str(state), str(beat), str(lasts)],
                stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(HERE)},
            )  # fmt: skip
        for name in names:
            assert self._processes[name].stdout.readline() == "ready\n"

    def signal(self, name, number):
        self._processes[name].send_signal(number)
        if number == signal.SIGKILL:
            self._processes[name].wait(10)

    def until(self, is_so, seconds=30.0):
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end, (self.made, self.runs.find())
            time.sleep(0.02)

    def stands(self, run, *status):
        return lambda: self.runs.get(run.id).status in status

    def answer(self, run, *, yes=True):
        for request_id in self.runs.waits_for(run.id):
            self.runs.guard.approvals.answer(request_id, approve=yes, actor="local:ada")

    def close(self):
        for process in self._processes.values():
            process.kill()
            process.wait(10)
            process.stdout.close()
        self._server.shutdown()
        self._server.server_close()
        self.machine.close()


@pytest.fixture
def nodes(tmp_path, monkeypatch, postgres_url):
    nodes = Nodes(tmp_path, monkeypatch, postgres_url)
    yield nodes
    nodes.close()


def test_a_run_is_begun_and_resumed_by_an_answer_without_anybody_calling_anything(nodes):
    nodes.start("one")
    run = nodes.runs.start("Pay 5.", place="daemon")
    nodes.until(nodes.stands(run, RunStatus.WAITING))
    nodes.answer(run)
    nodes.until(nodes.stands(run, RunStatus.DONE))
    assert nodes.made == [("one", "look"), ("one", "pay")]
    assert nodes.runs.output(run.id) == "All is done."


def test_when_a_node_is_killed_the_other_finishes_within_fifteen_seconds(nodes):
    nodes.start("one", "two", lasts=1.0)
    run = nodes.runs.start("Pay 5.", place="daemon")
    nodes.until(lambda: nodes.made)
    owner = nodes.made[0][0]
    nodes.signal(owner, signal.SIGKILL)
    killed = time.monotonic()
    nodes.until(nodes.stands(run, RunStatus.WAITING), 15.0)
    nodes.answer(run)
    nodes.until(nodes.stands(run, RunStatus.DONE), 15.0 - (time.monotonic() - killed))
    other = {"one": "two", "two": "one"}[owner]
    # What only reads was made again; what pays was made once.
    assert nodes.made == [(owner, "look"), (other, "look"), (other, "pay")]


def test_a_tool_slower_than_any_heartbeat_is_not_called_twice(nodes):
    nodes.start("one", "two", beat=0.2, lasts=2.5)
    run = nodes.runs.start("Pay 5.", place="daemon")
    nodes.until(nodes.stands(run, RunStatus.WAITING))
    nodes.answer(run)
    nodes.until(nodes.stands(run, RunStatus.DONE))
    assert sorted(what for _name, what in nodes.made) == ["look", "pay"]


def test_a_node_that_was_only_stopped_for_a_while_makes_nothing_of_a_run_that_another_has(nodes):
    nodes.start("one", beat=0.2)
    run = nodes.runs.start("Pay 5.", place="daemon")
    nodes.until(nodes.stands(run, RunStatus.WAITING))
    nodes.signal("one", signal.SIGSTOP)
    nodes.start("two", beat=0.2)
    nodes.answer(run)
    # It may have been stopped inside a transaction, which the server ends after a quarter of a minute.
    nodes.until(nodes.stands(run, RunStatus.DONE), 100.0)
    nodes.signal("one", signal.SIGCONT)
    again = nodes.runs.start("Pay 5.", place="daemon")
    nodes.until(nodes.stands(again, RunStatus.WAITING))
    assert [what for _name, what in nodes.made] == ["look", "pay", "look"]


def test_an_answer_in_the_moment_in_which_a_run_begins_to_wait_is_not_missed(nodes):
    """Asked and answered before the segment has ended: the job that it leaves finds the answer."""
    nodes.start("one")
    ids = [nodes.runs.start("Pay 5.", place="daemon").id for _ in range(8)]
    end = time.monotonic() + 60

    def all_done():
        for run_id in ids:
            for request_id in nodes.runs.waits_for(run_id):
                request = nodes.runs.guard.approvals.get(request_id)
                if request.status.value == "pending":
                    nodes.runs.guard.approvals.answer(request_id, approve=True, actor="local:ada")
        return all(nodes.runs.get(run_id).status is RunStatus.DONE for run_id in ids)

    while not all_done():
        assert time.monotonic() < end, nodes.runs.find()
    assert sorted(what for _name, what in nodes.made) == ["look"] * 8 + ["pay"] * 8


def test_old_runs_are_removed_by_whichever_node_is_there(nodes):
    runs = nodes.runs
    old, waits, fresh = (runs.start("Never mind.", place="daemon").id for _ in range(3))
    for run_id in (old, fresh):
        runs.cancel(run_id, actor="local:ada")
    with runs.guard.database.writing() as rows:
        rows.change("UPDATE runs SET status = 'paused' WHERE id = ?", (waits,))
        rows.change("UPDATE runs SET changed_at = changed_at - 1000 WHERE id <> ?", (fresh,))
    told = []

    async def work():
        workers = Workers(runs.guard.database, beat=0.2)
        dispatcher = JobDispatcher(
            runs.guard.database,
            workers,
            lambda run_id: runs.take_up(run_id, resumes=False),
            to_take_up=list,
            at_once=1,
            report=told.append,
            sweep=lambda: runs.sweep(900),
            swept_every=0.2,
        )
        await dispatcher.start()
        await asyncio.to_thread(nodes.until, lambda: len(runs.find()) == 2)
        await dispatcher.stop()

    asyncio.run(work())
    assert told == []
    assert {run.id for run in runs.find()} == {waits, fresh}
    assert runs.get(waits).status is RunStatus.CANCELLED


def test_what_a_job_fails_of_is_logged_without_its_words(nodes, caplog):
    """The library logs what a job raises, with all that led to it."""
    runs = nodes.runs
    run = runs.start("Never mind.", place="daemon")
    told = []

    async def broken(_run_id):
        raise RuntimeError("swordfish-4711 again") from ValueError("the password is swordfish-4711")

    async def work():
        dispatcher = JobDispatcher(
            runs.guard.database,
            Workers(runs.guard.database, beat=0.2),
            broken,
            to_take_up=lambda: [run.id],
            at_once=1,
            report=told.append,
        )
        await dispatcher.start()
        await asyncio.to_thread(nodes.until, lambda: "JobFailed" in caplog.text)
        await dispatcher.stop()

    with caplog.at_level("INFO", logger="procrastinate"):
        asyncio.run(work())
    assert "RuntimeError in a run" in told
    assert "swordfish" not in caplog.text
