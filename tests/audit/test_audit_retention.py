"""What retention removes, what it must leave, and that a file's name decides nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from audit_events import event

from guardhouse.audit import AuditLog, AuditSettings, Begun, Removed, events, removed_for_room, verify
from guardhouse.model import GuardhouseError

HOUR, DAY = 3_600, 86_400
NOON = 1_769_860_800.0  # 2026-01-31 12:00 UTC
SMALL = AuditSettings(max_file_bytes=4_000, max_total_bytes=20_000)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "audit"


def ids(directory: Path) -> list[str]:
    return [entry.event.event_id for entry in events(directory) if entry.event.kind != "notice"]


def fill_up(log: AuditLog) -> int:
    """Record until the log takes no more; how many it took."""
    for number in range(1_000):
        try:
            log.record(event(number))
        except GuardhouseError as error:
            assert "full" in str(error)  # noqa: PT017
            return number
    raise AssertionError("it never was full")


def removals(directory: Path) -> list[Removed]:
    return [note for entry in events(directory) for note in entry.notes if isinstance(note, Removed)]


def test_events_younger_than_a_day_are_not_pushed_out_and_the_log_is_full(directory, clock):
    with AuditLog(directory, SMALL, clock) as log:
        log.record(event(0, event_id="what it did"))
        taken = fill_up(log)
        assert 5 < taken < 20
        for _ in range(3):
            with pytest.raises(GuardhouseError, match="max_total_bytes"):
                log.record(event(1), durable=True)
    assert ids(directory)[0] == "what it did"
    assert len(ids(directory)) == taken + 1
    assert sum(file.stat().st_size for file in directory.glob("*.jsonl")) <= 20_000
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.removed_for_room == 0


def test_a_full_log_takes_events_again_once_the_oldest_are_a_day_old(directory, clock):
    with AuditLog(directory, SMALL, clock) as log:
        taken = fill_up(log)
        clock.now += 23 * HOUR
        with pytest.raises(GuardhouseError, match="full"):
            log.record(event(1))
        clock.now += 2 * HOUR
        log.record(event(2, event_id="again"))
    assert ids(directory)[-1] == "again"
    assert {note.by for note in removals(directory)} == {"size"}
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert 0 < verification.removed_for_room < taken
    assert removed_for_room(directory) == verification.removed_for_room


def test_a_full_log_takes_events_again_if_it_is_allowed_to_be_larger(directory, clock):
    with AuditLog(directory, SMALL, clock) as log:
        taken = fill_up(log)
    with AuditLog(directory, AuditSettings(max_file_bytes=4_000, max_total_bytes=40_000), clock) as log:
        log.record(event(1))
    assert len(ids(directory)) == taken + 1
    assert verify(directory).ok


def test_a_new_day_does_not_make_a_log_full_however_small_it_may_be(directory, clock):
    with AuditLog(directory, AuditSettings(max_file_bytes=20_000, max_total_bytes=20_000), clock) as log:
        log.record(event(1))
        clock.now += 13 * HOUR
        log.record(event(2))
    assert len(list(directory.glob("*.jsonl"))) == 2
    assert len(ids(directory)) == 2


def test_what_went_for_its_age_and_what_went_for_room_are_told_apart(directory, clock):
    settings = AuditSettings(max_file_bytes=4_000, max_total_bytes=20_000, max_age_days=3)
    with AuditLog(directory, settings, clock) as log:
        log.record(event(1))
        clock.now += 20 * HOUR
        fill_up(log)
        clock.now += 3 * DAY - 4 * HOUR
        log.record(event(2, detail="x" * 8_000))
    by_age, by_size = removals(directory)
    assert (by_age.by, by_age.first_seq, by_age.last_seq) == ("age", 1, 1)
    assert (by_size.by, by_size.first_seq) == ("size", 2)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.removed_for_room == by_size.for_room == by_size.last_seq - 1
    assert verification.first.seq == by_size.last_seq + 1


def test_what_went_for_room_is_still_told_when_the_notes_about_it_are_gone(directory, clock):
    with AuditLog(directory, AuditSettings(max_file_bytes=4_000, max_total_bytes=20_000, max_age_days=3), clock) as log:
        for number in range(100):
            clock.now += 4 * HOUR
            log.record(event(number))
        for _ in range(2):
            clock.now += 50 * DAY
            log.record(event(0))
    assert len(list(directory.glob("*.jsonl"))) == 1
    (last,) = removals(directory)
    assert last.by == "age"
    assert 0 < last.for_room < last.last_seq
    assert removed_for_room(directory) == verify(directory).removed_for_room == last.for_room


def test_a_file_says_in_its_first_line_which_one_it_is_and_when_it_was_begun(directory, clock):
    with AuditLog(directory, clock=clock) as log:
        for number in range(2):
            log.record(event(number))
            log.record(event(number))
            clock.now += DAY
    for file, at in zip(sorted(directory.glob("*.jsonl")), (NOON, NOON + DAY), strict=True):
        first, second = map(json.loads, file.read_text().splitlines())
        assert first["chain"] == [{"type": "begun", "file": file.name, "at": int(at)}]
        assert "chain" not in second
    assert all(isinstance(note, Begun) for entry in events(directory) for note in entry.notes)
    assert not verify(directory).notices


@pytest.mark.parametrize(
    "other", ["audit-20200101-0001.jsonl", "audit-20260130-0001.jsonl", "audit-20260131-0000.jsonl"]
)
def test_a_renamed_file_is_found_and_not_removed(directory, clock, other):
    settings = AuditSettings(max_file_bytes=3_000)
    with AuditLog(directory, settings, clock) as log:
        for number in range(6):
            log.record(event(number))
    (directory / "audit-20260131-0001.jsonl").rename(directory / other)
    (problem,) = verify(directory).problems
    assert "renamed" in problem.what
    clock.now += DAY
    with AuditLog(directory, settings, clock) as log:
        log.record(event(6))
        clock.now += 100 * DAY
        log.record(event(7))
    assert (directory / other).exists()
    assert ids(directory) == [event(number).event_id for number in range(8)]
    assert not verify(directory).ok


def test_a_renamed_last_file_is_found(directory, clock):
    with AuditLog(directory, clock=clock) as log:
        log.record(event(1))
    (directory / "audit-20260131-0001.jsonl").rename(directory / "audit-20260201-0001.jsonl")
    assert not verify(directory).ok
    with AuditLog(directory, clock=clock) as log:
        log.record(event(2))
    assert not verify(directory).ok


def test_lines_moved_over_the_border_of_two_files_are_found(directory, clock):
    with AuditLog(directory, AuditSettings(max_file_bytes=3_000), clock) as log:
        for number in range(4):
            log.record(event(number))
    first, second = sorted(directory.glob("*.jsonl"))[:2]
    lines = first.read_bytes().splitlines(keepends=True)
    first.write_bytes(b"".join(lines[:-1]))
    second.write_bytes(lines[-1] + second.read_bytes())
    assert not verify(directory).ok


@pytest.mark.parametrize("jump", [-20 * 365 * DAY, -DAY, -60, 60, DAY, 20 * 365 * DAY])
def test_a_clock_that_jumps_and_comes_back_raises_no_alarm_and_pushes_nothing_young_out(directory, clock, jump):
    settings = AuditSettings(max_file_bytes=3_000, max_total_bytes=60_000, max_age_days=30 * 365)
    with AuditLog(directory, settings, clock) as log:
        for number in range(24):
            clock.now = NOON + number * 60 + (jump if 8 <= number < 16 else 0)
            log.record(event(number))
        verification = verify(directory)
        assert verification.ok, verification.problems
        assert len(ids(directory)) == 24
        clock.now = NOON + 2 * DAY
        for number in range(24, 200):
            clock.now += 2 * HOUR
            log.record(event(number))
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.removed_for_room > 24


def test_a_file_with_a_damaged_first_line_goes_with_the_others(directory, clock):
    with AuditLog(directory, AuditSettings(max_age_days=2), clock) as log:
        for number in range(2):
            log.record(event(number))
            log.record(event(number))
            clock.now += DAY
        first = min(directory.glob("*.jsonl"))
        first.write_bytes(first.read_bytes().replace(b"url_fetch", b"url_watch", 1))
        clock.now += 9 * DAY
        log.record(event(9))
    assert len(list(directory.glob("*.jsonl"))) == 1


def test_a_file_of_which_nothing_can_be_said_stays(directory, clock):
    with AuditLog(directory, AuditSettings(max_age_days=2), clock) as log:
        for number in range(2):
            log.record(event(number))
            clock.now += DAY
        first = min(directory.glob("*.jsonl"))
        first.write_bytes(b"nothing of ours\n")
        clock.now += 9 * DAY
        log.record(event(9))
    assert len(list(directory.glob("*.jsonl"))) == 3
