"""Real processes on one store: racing for one answer or one use, and killed in the middle."""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from approval_desk import FINAL, Desk, question

from guardhouse.approvals import ApprovalSettings
from guardhouse.model import ApprovalStatus, GuardhouseError

WORKER = str(Path(__file__).with_name("approval_worker.py"))
DEADLINE = 30


class Worker:
    """A process at its own desk."""

    def __init__(self, path, *options):
        self.process = subprocess.Popen(
            [sys.executable, WORKER, str(path), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def tell(self, *command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self):
        assert select.select([self.process.stdout], [], [], DEADLINE)[0], "the worker says nothing"
        return json.loads(self.process.stdout.readline())

    def kill(self):
        """End it at once, and give what it had still said; a last line may be cut."""
        self.process.kill()
        said = self.process.stdout.read().split(b"\n")[:-1]
        self.end()
        return [json.loads(line) for line in said]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def workers(path, count, *options):
    with ExitStack() as stack:
        started = []
        for _ in range(count):
            worker = Worker(path, *options)
            stack.callback(worker.end)
            started.append(worker)
        for worker in started:
            assert worker.hear() == "ready"
        yield started


@pytest.fixture
def desk(place):
    return Desk(place, clock=time.time)


@pytest.fixture
def eight(place):
    """Eight processes on a store that none of them has opened yet."""
    with workers(place, 8) as started:
        yield place, started


def all_at_once(started, commands):
    for worker, command in zip(started, commands, strict=True):
        worker.tell(*command)
    return [worker.hear() for worker in started]


def test_eight_processes_that_make_the_store_and_ask_the_same_open_one_request(eight):
    path, started = eight
    for number in range(10):
        answers = all_at_once(started, [("settle", f"create {number}")] * 8)
        assert len({answer["id"] for answer in answers}) == 1
        assert not any(answer["granted"] or answer["refusal"] for answer in answers)
    found = Desk(path).approver.find(limit=1000)
    assert len([request for request in found if "create" in str(request.action_redacted)]) == 10


def test_of_eight_processes_that_use_one_approval_exactly_one_may(eight):
    path, started = eight
    desk = Desk(path, clock=time.time)
    for number in range(10):
        request = desk.approved(question(f"use {number}"))
        answers = all_at_once(started, [("settle", f"use {number}", request.id)] * 8)
        assert [answer["granted"] for answer in answers].count(True) == 1
        assert Counter(answer["refusal"] for answer in answers) == {"used": 7, None: 1}
        request = desk.approved(question(f"find {number}"))
        answers = all_at_once(started, [("settle", f"find {number}")] * 8)
        assert [answer["id"] for answer in answers if answer["granted"]] == [request.id]


def test_of_eight_answers_at_once_one_counts_and_all_agree_on_it(eight):
    path, started = eight
    # Which answer is first is chance; five denials in a row would make a pause, and no request.
    desk = Desk(path, clock=time.time, settings=ApprovalSettings(pause_after=0))
    for number in range(10):
        request = desk.opened(question(f"answer {number}"))
        commands = [("answer", request.id, (who + number) % 2 == 0, f"person {who}") for who in range(8)]
        answers = all_at_once(started, commands)
        assert len({(answer["status"], answer["actor"]) for answer in answers}) == 1
        kept = desk.approver.get(request.id)
        assert (kept.status.value, kept.actor) == (answers[0]["status"], answers[0]["actor"])


@pytest.mark.parametrize("doing", ["opening", "answering", "using"])
def test_a_process_killed_inside_a_transaction_has_done_nothing(desk, doing):
    if doing == "opening":
        before, command = None, ("settle", "make")
    elif doing == "answering":
        before = desk.opened(question("make"))
        command = ("answer", before.id, True, "somebody")
    else:
        before, command = desk.approved(question("make")), ("settle", "make")
    with workers(desk.path, 1, "--stop-inside") as [worker]:
        worker.tell(*command)
        assert worker.hear() == "inside"
        worker.kill()
    found = desk.approver.find()
    assert found == ([before] if before else [])
    if doing == "using":
        assert desk.approver.settle(question("make")).granted


def test_processes_killed_at_any_moment_leave_a_sound_store_and_no_second_grant(desk):
    dice = random.Random(6)
    said = []
    with ExitStack() as stack:
        running = []

        def start(seed):
            worker = Worker(desk.path)
            stack.callback(worker.end)
            assert worker.hear() == "ready"
            worker.tell("churn", seed)
            running.append(worker)

        for seed in range(4):
            start(seed)
        for seed in range(4, 11):
            victim = dice.randrange(4)
            said.extend(running[victim].hear() for _ in range(dice.randrange(1, 12)))
            said += running.pop(victim).kill()
            start(seed)
        for worker in running:
            said += worker.kill()
    if isinstance(desk.path, Path):
        assert desk.rows("PRAGMA integrity_check") == [("ok",)]
        assert desk.rows("PRAGMA foreign_key_check") == []
    requests = {request.id: request for request in desk.approver.find(limit=100_000)}
    grants = Counter(request_id for what, request_id in said if what == "granted")
    assert len(grants) > 10
    assert set(grants.values()) == {1}
    for request_id in grants:
        assert requests[request_id].status is ApprovalStatus.CONSUMED
    for request_id in (request_id for what, request_id in said if what == "answered"):
        assert requests[request_id].answered_at is not None
    for request in requests.values():
        assert any(desk.blobs(request)) == (request.status not in FINAL)
    live = [request.action_hash for request in requests.values() if request.status not in FINAL]
    assert len(live) == len(set(live))
    assert desk.approver.settle(question("still works")).request is not None


def in_a_fork(act):
    """Whether `act` is true in a forked child, which must come to an end."""
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = act()
        finally:
            os._exit(0 if good else 1)
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_a_forked_child_opens_the_store_anew_and_leaves_its_parents_alone(desk):
    request = desk.approved(question("make"))

    def use_and_close():
        granted = desk.approver.settle(question("make")).granted
        desk.approver.close()
        return granted

    assert in_a_fork(use_and_close)
    assert desk.status(request) is ApprovalStatus.CONSUMED
    desk.opened(question("make"))


def test_a_child_forked_inside_a_transaction_is_no_part_of_it(place):
    desk = Desk(place, clock=time.time, wait=0.02)

    def held_by_the_parent():
        try:
            desk.approver.settle(question("make"))
        except GuardhouseError as error:
            return "held by another" in str(error)
        return False

    with desk.store.writing():
        assert in_a_fork(held_by_the_parent)
    desk.opened(question("make"))
