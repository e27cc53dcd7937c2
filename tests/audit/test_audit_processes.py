"""Many processes and threads, one chain: nothing lost, nothing torn, whoever is killed."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from audit_events import event, kill, start_appender

from guardhouse.audit import AuditLog, AuditSettings, events, verify


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "audit"


def ids(directory: Path) -> list[str]:
    return [entry.event.event_id for entry in events(directory) if entry.event.kind != "notice"]


def test_eight_processes_lose_nothing_and_each_keeps_its_order(directory):
    processes = [start_appender(directory, f"p{index}", 200, max_file_bytes=50_000) for index in range(8)]
    printed = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.events == 1600
    assert verification.files > 20
    found = ids(directory)
    for index, own in enumerate(printed):
        assert [one for one in found if one.startswith(f"p{index}-")] == own
        assert len(own) == 200


def test_appenders_that_are_killed_at_any_moment_leave_a_chain_that_verifies(directory):
    chance = random.Random(7)
    recorded: set[str] = set()
    running = [start_appender(directory, f"k{index}", 0, max_file_bytes=40_000) for index in range(8)]
    for index in range(8, 40):
        victim = running.pop(chance.randrange(len(running)))
        victim.stdout.readline()  # it has begun
        deadline = time.monotonic() + chance.random() * 0.01
        while time.monotonic() < deadline:
            pass
        recorded.update(kill(victim))
        running.append(start_appender(directory, f"k{index}", 0, max_file_bytes=40_000))
        if index % 8 == 0:
            verification = verify(directory)
            assert verification.ok, verification.problems
    for process in running:
        process.stdout.readline()
        recorded.update(kill(process))
    with AuditLog(directory) as log:
        log.record(event(0, event_id="last"))
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.unfinished == 0
    found = ids(directory)
    assert recorded <= set(found)
    assert len(set(found)) == len(found)
    assert found[-1] == "last"


def test_verify_raises_no_alarm_while_others_append_rotate_and_remove(directory):
    options = {"max_file_bytes": 20_000, "max_total_bytes": 200_000, "min_age_hours": 0}
    processes = [start_appender(directory, f"v{index}", 0, **options) for index in range(4)]
    try:
        for process in processes:
            process.stdout.readline()
        drains = [threading.Thread(target=process.stdout.read, daemon=True) for process in processes]
        for drain in drains:
            drain.start()
        removed = False
        deadline = time.monotonic() + 60
        rounds = 0
        while rounds < 40 or not removed:
            assert time.monotonic() < deadline
            verification = verify(directory)
            assert verification.ok, verification.problems
            assert verify(directory, str(verification.anchor)).ok or removed
            removed = removed or verification.first.seq > 1
            rounds += 1
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    assert verify(directory).ok


def test_threads_share_one_log(directory):
    with AuditLog(directory, AuditSettings(max_file_bytes=30_000)) as log:

        def append(name: str) -> None:
            for number in range(100):
                log.record(event(number, event_id=f"{name}-{number}"), durable=number % 40 == 0)

        threads = [threading.Thread(target=append, args=(f"t{index}",)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.events == 800


def test_two_logs_in_one_process_keep_out_of_each_others_way(directory):
    with AuditLog(directory) as one, AuditLog(directory) as other:
        for number in range(50):
            (one if number % 3 else other).record(event(number))
    assert verify(directory).events == 50
    assert verify(directory).ok


def fork_and(child) -> int:
    """The exit status of a forked child that runs `child`."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            child()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_both_sides_of_a_fork_go_on_appending(directory):
    log = AuditLog(directory)
    log.record(event(0))

    def child() -> None:
        for number in range(20):
            log.record(event(number, event_id=f"child-{number}"), durable=number == 0)

    assert fork_and(child) == 0
    log.record(event(1))
    log.close()
    assert verify(directory).ok
    assert verify(directory).events == 22


def test_a_fork_while_another_thread_holds_the_lock_neither_hangs_nor_lets_the_lock_go(directory):
    log = AuditLog(directory)
    log.record(event(0))
    other = AuditLog(directory)
    holding, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with log._exclusive():
            holding.set()
            let_go.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait()
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(go, b"x")
            log.record(event(1, event_id="child"))  # waits for the parent's thread
            status = 0
        finally:
            os._exit(status)
    assert os.read(ready, 1) == b"x"
    assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    let_go.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    other.record(event(2))
    assert verify(directory).ok
    assert ids(directory)[1:] == ["child", event(2).event_id]


def test_forks_in_the_middle_of_many_threads_appending(directory):
    log = AuditLog(directory, AuditSettings(max_file_bytes=30_000))
    done = threading.Event()

    def append() -> None:
        while not done.is_set():
            log.record(event(1))

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    statuses = [fork_and(lambda: log.record(event(1, event_id="child"), durable=True)) for _ in range(15)]
    done.set()
    for thread in threads:
        thread.join()
    log.close()
    assert statuses == [0] * 15
    assert verify(directory).ok
    assert ids(directory).count("child") == 15
