"""Watching the chain: what was found is remembered, found again after a change, and costs nothing to be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_events import event

from guardhouse.audit import AuditLog, ChainStatus, ChainWatch

NEVER = 3_600.0


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    with AuditLog(tmp_path / "audit") as log:
        for number in range(20):
            log.record(event(number))
    return tmp_path / "audit"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def watch(directory, told):
    watch = ChainWatch(directory, told.append, first=NEVER)
    watch.start()
    yield watch
    watch.stop()


def checked(watch) -> ChainStatus:
    watch.check_soon()
    return watch.wait(60)


def test_before_the_first_check_nothing_is_said_of_the_chain(watch):
    assert watch.status() == ChainStatus()
    assert watch.status().ok is None


def test_a_whole_chain_is_found_whole_and_that_is_remembered(watch, told):
    found = checked(watch)
    assert (found.ok, found.seq, found.events, found.problems, found.failure) == (True, 20, 20, (), "")
    assert found.at > 0
    assert watch.status() is found
    assert told == []


def test_a_byte_that_is_changed_before_the_place_that_was_checked_is_found_by_the_next_check(watch, directory, told):
    assert checked(watch).ok
    [file] = directory.glob("*.jsonl")
    content = bytearray(file.read_bytes())
    content[content.index(b"paste.example")] ^= 1
    file.write_bytes(content)
    found = checked(watch)
    assert found.ok is False
    assert "was changed" in found.problems[0]
    assert len(told) == 1
    assert "is broken" in told[0]
    assert checked(watch).ok is False
    assert len(told) == 1  # once for each problem


def test_it_is_checked_without_being_asked_when_it_is_time(directory, told):
    watch = ChainWatch(directory, told.append, first=0.0)
    watch.start()
    watch.check_soon()
    assert watch.wait(60).ok
    watch.stop()


def test_a_check_that_comes_to_no_end_is_told_and_what_was_found_before_stays(watch, directory, told, monkeypatch):
    assert checked(watch).ok
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    found = checked(watch)
    assert (found.ok, found.seq, found.failure) == (True, 20, "FileNotFoundError.")
    assert told == ["The chain of the record can't be checked: FileNotFoundError."]
    monkeypatch.undo()
    assert checked(watch).failure == ""


def test_a_log_that_can_not_be_read_is_told(tmp_path, told):
    (tmp_path / "audit").write_text("")
    watch = ChainWatch(tmp_path / "audit", told.append, first=NEVER)
    watch.start()
    assert "not a directory" in checked(watch).failure
    watch.stop()
    assert len(told) == 1


def test_it_can_be_stopped_in_the_middle(watch):
    watch.check_soon()
    watch.stop()
    assert not watch._thread.is_alive()
