"""How the gate stands: from real logs, real stores and real processes."""

import subprocess
import sys

import pytest
from observed_machine import NOON, bash, fetch, time_zone

from guardhouse.approvals import register
from guardhouse.approvals.terminal import local_actor
from guardhouse.audit import Calls
from guardhouse.model import ToolCallPost
from guardhouse.observing import GuardedAgent, standing
from guardhouse.observing.standing import day_began

HOUR = 3600


def test_a_machine_that_never_saw_the_guard_stands_without_anything_being_made(machine):
    stands = standing(machine.sources, NOON)
    assert stands.today == Calls()
    assert (stands.recorded, stands.pending, stands.agents, stands.problems) == (False, 0, (), ())
    assert (stands.mode, stands.preset) == ("enforce", "dev")
    assert not machine.state.exists()
    assert not machine.locations.user.exists()


def test_calls_of_today_are_counted_and_nothing_else(machine):
    with machine.guard() as guard:
        machine.now = NOON - 24 * HOUR
        guard.evaluate(fetch("https://yesterday.example/"))
        machine.now = NOON
        for _ in range(3):
            guard.evaluate(bash("ls"))
        guard.evaluate(ToolCallPost(tool="Bash", content="a\n"))
        guard.evaluate(fetch("https://paste.example/"))
        guard.evaluate(bash("git reset --hard"))
    stands = standing(machine.sources, NOON + 60)
    assert stands.today == Calls(calls=5, asked=1, blocked=1)
    assert stands.recorded
    assert stands.pending == 1


def test_a_call_that_waits_is_one_call_however_often_it_is_tried(machine):
    with machine.guard() as guard:
        asked = guard.evaluate(bash("git reset --hard"))
        guard.evaluate(bash("git reset --hard"))
        assert standing(machine.sources, NOON).today == Calls(calls=1, asked=1)
        guard.approvals.answer(asked.approval_request_id, approve=True, actor=local_actor())
        assert guard.evaluate(bash("git reset --hard")).decision.value == "allow"
    assert standing(machine.sources, NOON).today == Calls(calls=1, asked=1)


def test_a_call_that_a_person_refused_was_asked_and_is_blocked(machine):
    with machine.guard() as guard:
        asked = guard.evaluate(bash("git reset --hard"))
        guard.approvals.answer(asked.approval_request_id, approve=False, actor=local_actor())
        guard.evaluate(bash("git reset --hard"))
    assert standing(machine.sources, NOON).today == Calls(calls=1, asked=1, blocked=1)


def test_what_was_only_observed_is_told_apart(machine):
    machine.observe()
    with machine.guard() as guard:
        guard.evaluate(fetch("https://paste.example/"))
        guard.evaluate(bash("git reset --hard"))
        guard.evaluate(bash("guardhouse allow domain evil.example"))
    stands = standing(machine.sources, NOON)
    assert stands.today == Calls(calls=3, blocked=1, would_ask=1, would_block=1)
    assert stands.mode == "observe"
    assert stands.mode_set_in == f"{machine.locations.mode}:3"


def test_a_question_that_nobody_answered_in_time_does_not_wait_any_more(machine):
    with machine.guard() as guard:
        guard.evaluate(bash("git reset --hard"))
    assert standing(machine.sources, NOON + 299).pending == 1
    assert standing(machine.sources, NOON + 301).pending == 0


@pytest.mark.parametrize(
    ("zone", "began"),
    [
        ("UTC", NOON - 12 * HOUR),
        ("Asia/Tokyo", NOON - 21 * HOUR),
        ("America/New_York", NOON - 7 * HOUR),
        ("Pacific/Kiritimati", NOON - 2 * HOUR),
    ],
)
def test_today_begins_where_the_machine_is(machine, zone, began):
    with time_zone(zone):
        assert day_began(NOON) == began
        with machine.guard() as guard:
            machine.now = began - 1
            guard.evaluate(bash("ls"))
            machine.now = began
            guard.evaluate(bash("ls -l"))
            machine.now = NOON
            guard.evaluate(bash("ls -a"))
        assert standing(machine.sources, NOON).today.calls == 2


def test_a_day_on_which_the_clock_is_changed_begins_at_its_midnight():
    with time_zone("Europe/Berlin"):
        assert day_began(1_774_771_200.0) == 1_774_738_800.0  # 2026-03-29 10:00 there; midnight was still winter


def test_the_logs_of_days_before_yesterday_are_not_even_opened(machine):
    with machine.guard() as guard:
        for days in (3, 2, 1, 0):
            machine.now = NOON - days * 24 * HOUR
            guard.evaluate(bash("ls"))
    for file in sorted(machine.log.glob("*.jsonl"))[:-2]:
        file.unlink()
        file.mkdir()  # to open it as a log would be an error
    with time_zone("UTC"):
        stands = standing(machine.sources, NOON)
    assert (stands.today.calls, stands.problems) == (1, ())


def test_a_file_that_was_made_yesterday_and_filled_today_is_read(machine):
    machine.now = NOON - 13 * HOUR
    with machine.guard() as guard:
        machine.now = NOON
        guard.evaluate(bash("ls"))
    with time_zone("UTC"):
        assert standing(machine.sources, NOON).today.calls == 1


def test_agents_that_run_are_named_and_those_that_have_ended_are_not(machine):
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ended = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        for process in (running, ended):
            register(machine.state / "agents", "claude-code", pid=process.pid)
        ended.communicate(b"\n")
        assert standing(machine.sources, NOON).agents == (GuardedAgent("claude-code", running.pid),)
    finally:
        running.communicate(b"\n")


def test_a_policy_that_can_not_be_read_is_told_and_the_rest_too(machine):
    with machine.guard() as guard:
        guard.evaluate(bash("ls"))
    machine.config("guard: {bahs: deny}\n")
    stands = standing(machine.sources, NOON)
    assert stands.mode == "unknown"
    assert stands.today.calls == 1
    assert "bahs" in stands.problems[0]


def test_a_damaged_registry_a_damaged_store_and_damaged_lines_are_told(machine):
    with machine.guard() as guard:
        guard.evaluate(bash("ls"))
        guard.evaluate(bash("git reset --hard"))
    (machine.state / "agents" / "1.json").write_text("{")
    for file in machine.state.glob("approvals.db*"):
        file.write_bytes(b"not a database, whatever its name says" * 100)
    (log,) = machine.log.glob("*.jsonl")
    log.write_bytes(log.read_bytes().replace(b'"risk_level":"low"', b'"risk_level":"lower"'))
    stands = standing(machine.sources, NOON)
    assert len(stands.problems) == 2
    assert stands.unreadable_lines == 1
    assert stands.today.asked == 1


def test_observing_that_has_no_effect_is_told(machine):
    machine.observe()
    machine.config("guard: {mode: enforce}\n")
    stands = standing(machine.sources, NOON)
    assert (stands.mode, stands.observe_without_effect) == ("enforce", True)
    assert stands.mode_set_in.endswith("config.yaml:1")


def test_a_guard_that_is_switched_off_stands_as_such(machine):
    machine.config("guard: {enabled: false}\n")
    assert standing(machine.sources, NOON).mode == "disabled"
