"""Runs that are taken up by themselves: when, how many at once, in which order, and what is left when that fails."""

import asyncio
import time

import pytest
from running import results, scripted

from guardhouse.runs import FunctionTool, RunStatus, dispatching
from guardhouse.runs.dispatching import Dispatcher


@pytest.fixture
def quick(monkeypatch):
    """All runs are looked at more often than in life."""
    monkeypatch.setattr(dispatching, "_ALL_EVERY", 0.05)


async def reached(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.01)


class Dispatched:
    """A dispatcher at work in a test's event loop."""

    def __init__(self, runs, *, at_once=8, keep=1e9):
        self.problems = []
        self.segments = []
        self.at_once = at_once
        self.dispatcher = Dispatcher(
            lambda: runs,
            at_once=lambda: self.at_once,
            keep=lambda: keep,
            report=self.problems.append,
            on_segment=lambda run, waited: self.segments.append((run.id, run.status, waited)),
        )

    async def __aenter__(self):
        self.dispatcher.start()
        self.dispatcher.look()
        return self

    async def __aexit__(self, *_):
        await self.dispatcher.stop()


def test_the_oldest_run_comes_first_and_each_is_worked_on_once(machine):
    runs = machine.runs(scripted(lambda messages: messages[0].parts[0].content))
    ids = [runs.start(f"Task {number}", place="daemon").id for number in range(4)]
    other = runs.start("Not mine.", place="program").id

    async def work():
        async with Dispatched(runs, at_once=1) as at:
            await reached(lambda: len(at.segments) == 4)
            return at

    at = asyncio.run(work())
    assert [run_id for run_id, _status, _waited in at.segments] == ids
    assert {status for _id, status, _waited in at.segments} == {RunStatus.DONE}
    assert runs.get(other).status is RunStatus.READY
    assert at.problems == []


def test_a_run_that_waits_is_nothing_here_and_goes_on_when_its_request_is_answered(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), lambda messages: results(messages)[0]))
    run_id = runs.start("Pay 5.", place="daemon").id

    async def work():
        async with Dispatched(runs) as at:
            await reached(lambda: runs.get(run_id).status is RunStatus.WAITING)
            await reached(lambda: at.dispatcher.working == 0)
            [request_id] = runs.waits_for(run_id)
            at.dispatcher.look()
            await asyncio.sleep(0.1)
            assert machine.made == []
            answered = runs.guard.approvals.answer(request_id, approve=True, actor="local:ada")
            at.dispatcher.answered({request_id: answered.answered_at})
            await reached(lambda: len(at.segments) == 2)
            assert runs.get(run_id).status is RunStatus.DONE
            return at

    at = asyncio.run(work())
    assert machine.made == [("pay", 5)]
    assert [waited is None for _id, _status, waited in at.segments] == [True, False]


def test_a_run_of_a_process_that_is_gone_is_taken_up(machine, quick):
    runs = machine.runs(scripted("Done."))
    run_id = runs.start("Go on.", place="daemon").id
    gone = f"{runs._holder._own_machine()}.{'0' * 24}"
    with runs.guard.database.writing() as rows:
        rows.change("UPDATE runs SET status = 'running', holder = ?, segment = 1 WHERE id = ?", (gone, run_id))

    async def work():
        async with Dispatched(runs):
            await reached(lambda: runs.get(run_id).status is RunStatus.DONE)

    asyncio.run(work())


def test_a_run_that_is_stopped_is_ready_for_whoever_comes_next(machine):
    begun = asyncio.Event()

    async def dawdle() -> str:
        """Take long."""
        begun.set()
        await asyncio.sleep(60)
        return "done"

    runs = machine.runs(scripted(("look", {}), "Done."), tools=(FunctionTool(dawdle, name="look"),))
    run_id = runs.start("Dawdle.", place="daemon").id

    async def work():
        async with Dispatched(runs):
            await asyncio.wait_for(begun.wait(), 20)

    asyncio.run(work())
    assert runs.get(run_id).status is RunStatus.READY


def test_what_nobody_foresaw_pauses_the_run_is_told_and_is_not_tried_again_and_again(machine, quick, monkeypatch):
    tried = []

    def breaks(_run):
        tried.append(1)
        raise RuntimeError("broken: the text of this must not be shown")

    runs = machine.runs(scripted("Done."))
    monkeypatch.setattr(runs, "_guard_for", breaks)
    run_id = runs.start("Break.", place="daemon").id

    async def work():
        async with Dispatched(runs) as at:
            await reached(lambda: at.problems)
            await asyncio.sleep(0.3)
            return at

    at = asyncio.run(work())
    assert runs.get(run_id).status is RunStatus.PAUSED
    assert at.problems == [f"The run {run_id} could not be worked on: RuntimeError"]
    assert len(tried) == 1


def test_a_run_that_can_not_even_be_taken_is_left_alone_for_a_while(machine, quick, monkeypatch):
    tried = []

    def breaks(run_id, **_more):
        tried.append(run_id)
        raise OSError("no")

    runs = machine.runs(scripted("Done."))
    monkeypatch.setattr(runs, "_take", breaks)
    broken = runs.start("Break.", place="daemon").id

    async def work():
        async with Dispatched(runs) as at:
            await reached(lambda: at.problems)
            for _ in range(20):
                at.dispatcher.look()
                await asyncio.sleep(0.01)

    asyncio.run(work())
    assert tried == [broken]


def test_a_run_that_somebody_else_works_on_is_no_problem(machine):
    runs = machine.runs(scripted("Done."))
    run_id = runs.start("Mine.", place="daemon").id

    async def work():
        at = Dispatched(runs)
        await asyncio.gather(at.dispatcher.run_one(run_id), at.dispatcher.run_one(run_id))
        return at

    at = asyncio.run(work())
    assert at.problems == []
    assert len(at.segments) == 1


def test_a_run_without_a_model_is_paused_with_the_reason(machine):
    from guardhouse.runs.opening import open_runs

    guard = machine.runs(scripted("x")).guard
    runs = open_runs(guard)
    run_id = runs.start("Anything.", place="daemon").id

    async def work():
        async with Dispatched(runs) as at:
            await reached(lambda: runs.get(run_id).status is RunStatus.PAUSED)
            return at

    at = asyncio.run(work())
    assert runs.get(run_id).why == "model"
    assert at.problems == []
    runs.close()


def test_what_waited_too_long_is_cancelled_and_what_was_over_is_removed(machine):
    runs = machine.runs(scripted(("pay", {"amount": 5}), "Paid."))
    waits = runs.start("Pay 5.", place="daemon").id
    asyncio.run(runs.take_up(waits))
    over = runs.start("Never mind.", place="program").id
    runs.cancel(over, actor="local:ada")
    fresh = runs.start("Fresh.", place="program").id
    with runs.guard.database.writing() as rows:
        rows.change("UPDATE runs SET changed_at = changed_at - 1000 WHERE id <> ?", (fresh,))
    [request_id] = runs.waits_for(waits)
    assert runs.sweep(900) == 1
    assert runs.get(waits).status is RunStatus.CANCELLED
    assert runs.guard.approvals.get(request_id).status.value == "cancelled"
    assert [run.id for run in runs.find()] == [fresh, waits]


def test_the_directory_of_a_run_is_its_own_and_goes_with_it(machine):
    from guardhouse.runs.scratch import tidy_scratch

    runs = machine.runs(scripted("Done."))
    scratch = machine.state.with_name("work")
    run = runs.start("Work.", place="daemon", scratch=scratch)
    assert run.workspace == str(scratch / run.id)
    assert (scratch / run.id).stat().st_mode & 0o777 == 0o700
    (scratch / "run_gone").mkdir()
    (scratch / "run_gone" / "link").symlink_to(scratch / run.id)
    tidy_scratch(runs, scratch)
    assert [entry.name for entry in scratch.iterdir()] == [run.id]


@pytest.mark.parametrize("status", [RunStatus.READY, RunStatus.DONE])
def test_only_a_paused_run_is_resumed(machine, status):
    from guardhouse.runs import NotTaken

    runs = machine.runs(scripted("Done."))
    run_id = runs.start("Do it.").id
    if status is RunStatus.DONE:
        asyncio.run(runs.take_up(run_id))
    with pytest.raises(NotTaken):
        runs.resume(run_id)
    assert runs.get(run_id).status is status


def test_what_a_process_that_is_gone_has_left_is_not_kept_for_ever(machine):
    runs = machine.runs(scripted("Done."))
    left, fresh, unbegun = (runs.start("Do it.", place="terminal").id for _ in range(3))
    for run_id in (left, fresh):
        other = machine.runs(scripted("Done."))
        asyncio.run(other._taken(run_id, from_anybody=False, resumes=True, when_stopped=RunStatus.PAUSED))
        machine.gone(other)
    at_work = runs.start("Do it.", place="terminal").id
    still = machine.runs(scripted("Done."))
    asyncio.run(still._taken(at_work, from_anybody=False, resumes=True, when_stopped=RunStatus.PAUSED))
    with runs.guard.database.writing() as rows:
        rows.change("UPDATE runs SET changed_at = changed_at - 1000 WHERE id <> ?", (fresh,))
    runs.sweep(900)
    assert {run.id: run.status.value for run in runs.find()} == {
        left: "cancelled", unbegun: "cancelled", fresh: "running", at_work: "running"
    }  # fmt: skip
