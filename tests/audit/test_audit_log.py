"""Appending: the form of a line, rotation, retention, durability, and what is put right at the next append."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from audit_events import HERE, event

import guardhouse.audit.ending
import guardhouse.audit.log
import guardhouse.audit.place
from guardhouse.audit import AuditLog, AuditSettings, Begun, Cut, Headless, Lost, Removed, events, verify
from guardhouse.model import AuditEvent, GuardhouseError, RedactedText

DAY = 86_400
NOON = 1_769_860_800.0  # 2026-01-31 12:00 UTC


class Clock:
    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state" / "audit"


def fill(directory: Path, count: int, **settings) -> None:
    with AuditLog(directory, AuditSettings(**settings), Clock()) as log:
        for number in range(count):
            log.record(event(number))


def only_file(directory: Path) -> Path:
    (file,) = directory.glob("audit-*.jsonl")
    return file


def numbers(directory: Path) -> list[str]:
    return [entry.event.event_id for entry in events(directory) if entry.event.kind != "notice"]


def notes(directory: Path) -> list:
    """What the log says about itself, but for the beginnings of files."""
    return [note for entry in events(directory) for note in entry.notes if not isinstance(note, Begun)]


def test_nothing_is_touched_before_the_first_event(directory):
    AuditLog(directory).close()
    assert not directory.exists()


def test_a_line_is_an_object_whose_hash_is_over_the_bytes_before_it(directory):
    fill(directory, 2)
    first, second = only_file(directory).read_bytes().splitlines()
    body, _, tail = second.rpartition(b',"hash":"')
    assert hashlib.sha256(body).hexdigest() == tail.removesuffix(b'"}').decode()
    assert list(json.loads(second)) == ["seq", "prev", "event", "hash"]
    assert json.loads(second)["prev"] == json.loads(first)["hash"]
    assert json.loads(first)["prev"] == "0" * 64
    assert [json.loads(line)["seq"] for line in (first, second)] == [1, 2]


def test_what_was_recorded_is_what_is_read_back(directory):
    recorded = event(1, comment=RedactedText("ünïcode \U0001f600 \x1b[31m \x9b \u202e \x7f \n"))
    with AuditLog(directory) as log:
        log.record(recorded)
    assert [entry.event for entry in events(directory)] == [recorded]


def test_a_log_is_printable_ascii_whatever_an_event_says(directory):
    with AuditLog(directory) as log:
        log.record(event(1, detail="\x1b[2J\x9b31m\u202e\U0001f600\x7f\x00"))
    assert set(only_file(directory).read_bytes()) <= {*range(0x20, 0x7F), 0x0A}


def test_files_are_for_their_owner_only(directory):
    mask = os.umask(0)
    try:
        fill(directory, 1)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in directory.iterdir()} == {0o600}


@pytest.mark.parametrize("thing", [{"params": "x"}, "text", None, b"bytes"])
def test_nothing_but_an_event_is_taken(directory, thing):
    with pytest.raises(TypeError):
        AuditLog(directory).record(thing)


def test_an_event_with_more_fields_is_no_event(directory):
    class Wider(AuditEvent, frozen=True, kw_only=True):
        params: str = ""

    with pytest.raises(TypeError):
        AuditLog(directory).record(Wider(event_id="e", kind="decision", timestamp="t", params="raw"))


def test_an_event_that_can_not_be_written_down_is_an_error_that_does_not_repeat_it(directory):
    with pytest.raises(GuardhouseError) as caught:
        AuditLog(directory).record(event(1, detail="top-secret \ud800"))
    assert "top-secret" not in str(caught.value)


def test_the_chain_runs_on_across_objects_and_files(directory):
    for _ in range(3):
        fill(directory, 5, max_file_bytes=3_000)
    assert len(list(directory.glob("audit-20260131-*.jsonl"))) > 3
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.events == 15
    assert all(file.stat().st_size <= 3_000 for file in directory.glob("*.jsonl"))


def test_a_new_day_begins_a_new_file_and_a_clock_set_back_does_not(directory):
    clock = Clock()
    with AuditLog(directory, clock=clock) as log:
        log.record(event(1))
        clock.now += DAY
        log.record(event(2))
        clock.now -= DAY
        log.record(event(3))
    assert sorted(file.name for file in directory.glob("*.jsonl")) == [
        "audit-20260131-0001.jsonl",
        "audit-20260201-0001.jsonl",
    ]
    assert numbers(directory) == [event(number).event_id for number in (1, 2, 3)]
    assert verify(directory).ok


def test_retention_by_age_says_what_it_removed_and_the_rest_verifies(directory):
    clock = Clock()
    with AuditLog(directory, AuditSettings(max_age_days=2), clock) as log:
        for number in range(6):
            log.record(event(number))
            log.record(event(number))
            clock.now += DAY
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.first.seq > 1
    removed = [note for note in notes(directory) if isinstance(note, Removed)]
    assert removed[-1].last_seq == verification.first.seq - 1
    assert removed[-1].files == ("audit-20260202-0001.jsonl",)
    assert len(list(directory.glob("*.jsonl"))) == 3
    assert isinstance(verification.notices[-1].note, Removed)


def test_retention_by_size_keeps_the_whole_below_the_limit(directory):
    with AuditLog(directory, AuditSettings(max_file_bytes=4_000, max_total_bytes=20_000, min_age_hours=0)) as log:
        for number in range(200):
            log.record(event(number))
            assert sum(file.stat().st_size for file in directory.glob("*.jsonl")) <= 20_000
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.last.event.event_id == event(199).event_id


def test_retention_can_remove_everything_but_the_present_file(directory):
    clock = Clock()
    with AuditLog(directory, clock=clock) as log:
        log.record(event(1))
        clock.now += 100 * DAY
        log.record(event(2))
    assert len(list(directory.glob("*.jsonl"))) == 1
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.first.seq == 2  # the note of the removal


def test_a_removal_that_was_interrupted_is_no_problem(directory, monkeypatch):
    clock = Clock()
    settings = AuditSettings(max_age_days=1)
    with AuditLog(directory, settings, clock) as log:
        for _ in range(2):
            log.record(event(1))
            clock.now += DAY / 2
    clock.now += 9 * DAY
    unlink = Path.unlink

    def stop_after_one(self, missing_ok=False):
        unlink(self, missing_ok=missing_ok)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "unlink", stop_after_one)
    with pytest.raises(KeyboardInterrupt):
        AuditLog(directory, settings, clock).record(event(2))
    monkeypatch.undo()
    assert len(list(directory.glob("*.jsonl"))) == 2
    verification = verify(directory)
    assert verification.ok, verification.problems
    fill(directory, 1)
    assert verify(directory).ok


def test_an_unfinished_line_is_cut_and_the_log_says_so(directory):
    fill(directory, 2)
    with only_file(directory).open("ab") as file:
        file.write(b'{"seq":3,"prev":"ab')
    assert verify(directory).ok
    assert verify(directory).unfinished == 19
    fill(directory, 1)
    (cut,) = notes(directory)
    assert cut == Cut(only_file(directory).name, 19, hashlib.sha256(b'{"seq":3,"prev":"ab').hexdigest())
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.unfinished == 0
    assert [notice.note for notice in verification.notices] == [cut]
    assert len(numbers(directory)) == 3


def test_an_unfinished_line_longer_than_the_note_about_it_is_cut_whole(directory):
    fill(directory, 1)
    with only_file(directory).open("ab") as file:
        file.write(b"x" * 100_000)
    fill(directory, 1)
    assert notes(directory)[0].bytes == 100_000
    assert verify(directory).ok
    assert verify(directory).events == 3


def test_a_head_that_is_behind_is_caught_up(directory):
    fill(directory, 2)
    behind = (directory / "head.lock").read_bytes()
    fill(directory, 3)
    (directory / "head.lock").write_bytes(behind)
    assert verify(directory).ok
    assert verify(directory).events == 5
    fill(directory, 1)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.last.seq == 6
    assert not verification.notices


@pytest.mark.parametrize("damage", ["missing", "empty", "garbage", "one byte"])
def test_without_its_head_the_log_goes_on_and_says_so(directory, damage):
    fill(directory, 5, max_file_bytes=3_000)
    head = directory / "head.lock"
    record = bytearray(head.read_bytes())
    if damage == "missing":
        head.unlink()
    elif damage == "one byte":
        record[60] ^= 1
        head.write_bytes(record)
    else:
        head.write_bytes(b"" if damage == "empty" else os.urandom(320))
    assert not verify(directory).ok
    fill(directory, 1)
    verification = verify(directory)
    assert verification.last.seq == 7
    assert isinstance(verification.notices[0].note, Headless)
    assert len(verification.problems) == 1


def test_a_cut_end_is_a_problem_before_and_after_the_next_append(directory):
    fill(directory, 5)
    file = only_file(directory)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]))
    assert not verify(directory).ok
    fill(directory, 1)
    (lost,) = notes(directory)
    assert (lost.expected_seq, lost.found_seq, lost.synced_seq) == (5, 3, 5)
    assert lost.expected_hash == json.loads(lines[4])["hash"]
    verification = verify(directory)
    assert [problem.line for problem in verification.problems] == [4]
    assert verification.last.seq == 5


def test_an_end_that_was_not_on_disk_yet_may_be_lost_to_a_power_failure(directory):
    log = AuditLog(directory, AuditSettings(sync_every=3600))
    log.record(event(1), durable=True)
    log.record(event(2))
    file = only_file(directory)
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    log.record(event(3))
    (lost,) = notes(directory)
    assert (lost.expected_seq, lost.found_seq, lost.synced_seq) == (2, 1, 1)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert isinstance(verification.notices[0].note, Lost)


def test_a_cut_in_the_middle_of_a_line_tells_of_both(directory):
    fill(directory, 3)
    file = only_file(directory)
    os.truncate(file, file.stat().st_size - 10)
    fill(directory, 1)
    assert {type(note) for note in notes(directory)} == {Lost, Cut}
    assert verify(directory).last.seq == 4


def test_a_log_whose_files_are_all_gone_begins_anew_and_says_what_was_lost(directory):
    fill(directory, 3)
    only_file(directory).unlink()
    assert not verify(directory).ok
    fill(directory, 1)
    assert [type(note) for note in notes(directory)] == [Lost]
    assert not verify(directory).ok


def test_a_log_that_is_removed_while_it_is_open_begins_anew(directory):
    import shutil

    with AuditLog(directory) as log:
        log.record(event(1))
        shutil.rmtree(directory)
        log.record(event(2))
    assert numbers(directory) == [event(2).event_id]


def test_a_lock_file_that_is_replaced_while_it_is_open_is_opened_again(directory):
    with AuditLog(directory) as log:
        log.record(event(1))
        head = directory / "head.lock"
        content = head.read_bytes()
        head.unlink()
        head.write_bytes(content)
        head.chmod(0o600)
        fill(directory, 1)
        log.record(event(2))
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.events == 3


def test_a_whole_line_that_is_none_of_ours_stays_and_is_a_problem(directory):
    fill(directory, 2)
    with only_file(directory).open("ab") as file:
        file.write(b"hello\n")
    fill(directory, 2)
    verification = verify(directory)
    assert [problem.line for problem in verification.problems] == [3]
    assert verification.events == 4


# What is not ours


def test_a_link_in_place_of_a_file_is_refused(directory, tmp_path):
    fill(directory, 1)
    file = only_file(directory)
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(GuardhouseError, match="not a plain file"):
        fill(directory, 1)
    assert elsewhere.read_bytes() == before
    assert not verify(directory).ok


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), os.mkfifo])
def test_a_lock_file_that_is_no_file_is_refused(directory, make):
    directory.mkdir(parents=True, mode=0o700)
    make(directory / "head.lock")
    with pytest.raises(GuardhouseError):
        fill(directory, 1)


def test_a_link_in_place_of_the_lock_file_is_refused(directory, tmp_path):
    directory.mkdir(parents=True, mode=0o700)
    (directory / "head.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GuardhouseError):
        fill(directory, 1)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_directory_that_others_can_write_to_is_refused(directory, mode):
    directory.mkdir(parents=True)
    directory.chmod(mode)
    with pytest.raises(GuardhouseError, match="only you can write"):
        fill(directory, 1)


def test_a_directory_of_somebody_else_is_refused(directory, monkeypatch):
    directory.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(GuardhouseError, match="only you can write"):
        fill(directory, 1)


def test_a_link_in_place_of_the_directory_is_refused(directory, tmp_path):
    directory.parent.mkdir(parents=True)
    (tmp_path / "real").mkdir(mode=0o700)
    directory.symlink_to(tmp_path / "real")
    with pytest.raises(GuardhouseError):
        fill(directory, 1)


def test_a_file_in_place_of_the_directory_is_an_error(directory):
    directory.parent.mkdir(parents=True)
    directory.write_text("")
    with pytest.raises(GuardhouseError):
        fill(directory, 1)
    with pytest.raises(GuardhouseError):
        verify(directory)


def test_a_file_in_place_of_the_state_directory_is_an_error(directory):
    directory.parent.write_text("")
    with pytest.raises(GuardhouseError, match="can't be written"):
        fill(directory, 1)


def test_foreign_files_are_left_alone_and_reported(directory):
    fill(directory, 1)
    for name in ("notes.txt", "audit-20260131-00001.jsonl", "audit-x-0001.jsonl"):
        (directory / name).write_text("mine")
    fill(directory, 1, max_file_bytes=1)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.foreign == ("audit-20260131-00001.jsonl", "audit-x-0001.jsonl", "notes.txt")


def test_a_name_that_is_taken_is_passed_over(directory):
    fill(directory, 1)
    (directory / "audit-20260131-0002.jsonl").symlink_to("/dev/null")
    fill(directory, 1, max_file_bytes=1)
    assert (directory / "audit-20260131-0003.jsonl").is_file()


# Failure


def test_a_full_disk_is_an_error_and_leaves_no_half_line(directory):
    code = f"""
import resource, sys
sys.path.insert(0, {str(HERE)!r})
from pathlib import Path
from audit_events import event
from guardhouse.audit import AuditLog, verify
from guardhouse.model import GuardhouseError
directory = Path({str(directory)!r})
log = AuditLog(directory)
log.record(event(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
written = 1
for number in range(20):
    try:
        log.record(event(number))
        written += 1
    except GuardhouseError as error:
        assert "can't be written" in str(error), error
        break
else:
    raise SystemExit("it never failed")
assert verify(directory).unfinished == 0
assert verify(directory).events == written
try:
    log.record(event(3))
    raise SystemExit("it did not fail again")
except GuardhouseError:
    pass
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.record(event(4))
verification = verify(directory)
assert verification.ok, verification.problems
assert verification.events == written + 1
assert not verification.notices
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


def test_a_head_that_can_not_be_moved_takes_the_line_back(directory, monkeypatch):
    log = AuditLog(directory)
    log.record(event(1))
    pwrite = os.pwrite

    def refuse_the_head(handle, data, offset):
        if data.startswith(b"head "):
            raise OSError(28, "No space left on device")
        return pwrite(handle, data, offset)

    monkeypatch.setattr(os, "pwrite", refuse_the_head)
    with pytest.raises(GuardhouseError, match="No space left"):
        log.record(event(2))
    monkeypatch.undo()
    log.record(event(3))
    assert numbers(directory) == [event(1).event_id, event(3).event_id]
    assert verify(directory).ok


def test_a_lock_that_somebody_keeps_is_an_error_and_not_a_hang(directory, monkeypatch):
    fill(directory, 1)
    monkeypatch.setattr(guardhouse.audit.place, "PATIENCE", 0.05)
    with (directory / "head.lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(GuardhouseError, match="locked"):
            fill(directory, 1)
    fill(directory, 1)
    assert verify(directory).events == 2


def test_a_closed_log_takes_no_events(directory):
    log = AuditLog(directory)
    log.record(event(1))
    log.close()
    log.close()
    with pytest.raises(GuardhouseError, match="closed"):
        log.record(event(2))


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(GuardhouseError):
        AuditSettings(max_file_bytes=0)


# To disk


@pytest.fixture
def synced(monkeypatch) -> list[int]:
    """The inode of every file of events that was brought to disk."""
    found: list[int] = []
    real = guardhouse.audit.place.sync

    def sync(handle):
        real(handle)
        if os.pread(handle, 5, 0) != b"head ":
            found.append(os.fstat(handle).st_ino)

    monkeypatch.setattr(guardhouse.audit.log, "sync", sync)
    return found


def wait_until(condition) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_durable_event_is_on_disk_before_record_returns(directory, synced):
    log = AuditLog(directory, AuditSettings(sync_every=3600))
    log.record(event(1))
    assert not synced
    log.record(event(2), durable=True)
    assert synced == [only_file(directory).stat().st_ino]


def test_other_events_are_on_disk_soon_and_then_the_thread_ends(directory, synced):
    log = AuditLog(directory, AuditSettings(sync_every=0.01))
    for number in range(100):
        log.record(event(number))
    wait_until(lambda: synced)
    wait_until(lambda: log._syncing is None)
    assert len(synced) < 100
    log.record(event(1))
    before = len(synced)
    wait_until(lambda: len(synced) > before)


def test_flush_and_close_bring_everything_to_disk(directory, synced):
    log = AuditLog(directory, AuditSettings(sync_every=3600))
    log.record(event(1))
    log.flush()
    assert len(synced) == 1
    log.flush()
    assert len(synced) == 1
    log.record(event(2))
    log.close()
    assert len(synced) == 2


def test_a_file_is_on_disk_before_the_next_one_is_begun(directory, synced):
    log = AuditLog(directory, AuditSettings(sync_every=3600, max_file_bytes=1))
    log.record(event(1))
    first = only_file(directory).stat().st_ino
    log.record(event(2))
    assert synced == [first]


def test_events_are_brought_to_disk_at_exit(directory):
    code = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from pathlib import Path
from audit_events import event
from guardhouse.audit import AuditLog, AuditSettings
log = AuditLog(Path({str(directory)!r}), AuditSettings(sync_every=3600))
log.record(event(1))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert b"synced 1 " in (directory / "head.lock").read_bytes()


def test_a_failure_to_reach_the_disk_is_told_at_the_next_event(directory, monkeypatch):
    log = AuditLog(directory, AuditSettings(sync_every=0.001))
    log.record(event(0), durable=True)

    def fail(handle):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(guardhouse.audit.log, "sync", fail)
    log.record(event(1))
    wait_until(lambda: log._failure is not None)
    with pytest.raises(GuardhouseError, match="Input/output error"):
        log.record(event(2))
    with pytest.raises(GuardhouseError, match="Input/output error"):
        log.record(event(2), durable=True)


def test_a_failure_that_another_thread_was_told_of_fails_a_durable_event_too(directory, monkeypatch):
    log = AuditLog(directory, AuditSettings(sync_every=3600))
    log.record(event(1))
    real = guardhouse.audit.place.sync
    calls = []

    def flush_in_vain() -> None:
        with pytest.raises(GuardhouseError, match="Input/output error"):
            log.flush()

    def fail_once(handle):
        calls.append(handle)
        if len(calls) == 1:
            other = threading.Thread(target=flush_in_vain)
            other.start()
            other.join()
            real(handle)
        else:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(guardhouse.audit.log, "sync", fail_once)
    with pytest.raises(GuardhouseError, match="failed meanwhile"):
        log.record(event(2), durable=True)


def test_a_log_that_is_dropped_without_being_closed_leaves_no_open_files(directory):
    def handles() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before = handles()
    for number in range(20):
        AuditLog(directory, AuditSettings(sync_every=0)).record(event(number), durable=True)
    wait_until(lambda: handles() <= before)
    assert verify(directory).ok


def test_an_append_costs_the_same_in_a_long_log(directory, monkeypatch):
    fill(directory, 500)
    monkeypatch.setattr(guardhouse.audit.ending, "Lines", None)
    monkeypatch.setattr(guardhouse.audit.ending, "read_link", None)
    monkeypatch.setattr(guardhouse.audit.ending, "first_line", None)
    monkeypatch.setattr(guardhouse.audit.log, "log_files", None)
    fill(directory, 1)
    monkeypatch.undo()
    assert verify(directory).events == 501


def test_the_example_in_the_documentation_is_a_line_of_ours():
    from guardhouse.audit.chain import read_entry, read_link

    page = (HERE.parents[1] / "docs" / "audit.md").read_text()
    (line,) = [line for line in page.splitlines() if line.startswith('{"seq":1,"prev":')]
    assert read_link(f"{line}\n".encode()).sound
    assert msgspec.to_builtins(read_entry(f"{line}\n".encode()).seq) == 1


def test_an_event_that_would_have_to_wait_is_left_to_who_can(tmp_path):
    """For an event loop: it is recorded at once, or nothing is done, and the next try finds the log as it was."""
    log, other = AuditLog(tmp_path / "audit"), AuditLog(tmp_path / "audit")
    assert log.try_record(event())
    with (tmp_path / "audit" / guardhouse.audit.place.LOCK_NAME).open("r+b") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert not log.try_record(event())
    assert other.try_record(event())
    assert log.try_record(event())
    log.close()
    other.close()
    assert verify(tmp_path / "audit").ok
    assert verify(tmp_path / "audit").events == 3
