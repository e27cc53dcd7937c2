"""A failure of power around the beginning of a new file: whatever had reached the disk, the chain goes on and verifies.

What a disk may hold afterwards is made from what the kernel held: an older page of the head, a file that is not there
yet or is empty, an end that is missing. What was recorded as durable must be there, and no alarm may be raised.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from audit_events import event

import guardhouse.audit.log
from guardhouse.audit import AuditLog, AuditSettings, events, head_anchor, verify

DAY = 86_400
NOON = 1_769_860_800.0  # 2026-01-31 12:00 UTC
OLD, NEW = "audit-20260131-0001.jsonl", "audit-20260201-0001.jsonl"


def ids(directory: Path) -> list[str]:
    return [entry.event.event_id for entry in events(directory) if entry.event.kind != "notice"]


def name(number: int) -> str:
    return event(number).event_id


class Disk:
    """A log, and everything its files went through: each write, each sync, each new name."""

    def __init__(self, directory: Path, monkeypatch) -> None:
        self.directory = directory
        self.states: list[dict[str, bytes]] = []
        """What the kernel held after each step,"""
        self.durable: list[dict[str, int]] = []
        """from which of these on each file was on disk,"""
        self.promised: list[int] = []
        """and how many events had been recorded as durable by then."""
        self.count = 0
        self._synced: dict[str, int] = {}
        for one in ("pwrite", "ftruncate", "fsync", "fdatasync"):
            monkeypatch.setattr(os, one, self._watched(one, getattr(os, one)))

    def _watched(self, call: str, real):
        def watched(handle, *arguments):
            result = real(handle, *arguments)
            path = Path(f"/proc/self/fd/{handle}").readlink()
            self.step()
            if call in {"fsync", "fdatasync"} and path.parent == self.directory:
                self._synced[path.name] = len(self.states) - 1
                self.durable[-1] = dict(self._synced)
            return result

        return watched

    def step(self) -> None:
        files = {file.name: file.read_bytes() for file in self.directory.iterdir()} if self.directory.exists() else {}
        self.states.append(files)
        self.durable.append({file: self._synced.get(file, -1) for file in files if file in self._synced})
        self.promised.append(self.count)

    def after_failures(self):
        """Every step, with each head that the disk may hold, and of the events all, or only what had been synced."""
        for at in range(len(self.states)):
            since = self.durable[at].get("head.lock")
            if since is None:
                continue  # the log has not begun
            heads = {state["head.lock"] for state in self.states[since : at + 1]}
            for head in heads:
                for keep in ("all", "synced", "half a line"):
                    files = {"head.lock": head}
                    for file, content in self.states[at].items():
                        if file == "head.lock":
                            continue
                        synced = self.durable[at].get(file)
                        on_disk = self.states[synced][file] if synced is not None else b""
                        kept = {"all": content, "synced": on_disk, "half a line": content[: len(on_disk) + 300]}[keep]
                        if kept or keep == "all":
                            files[file] = kept
                    yield files, self.promised[at]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks up what a handle is in /proc")
@pytest.mark.parametrize("durable", [True, False])
def test_a_power_failure_at_any_step_of_a_rotation_is_survived(tmp_path, monkeypatch, durable):
    now = [NOON]
    settings = AuditSettings(sync_every=3600)
    with monkeypatch.context() as patch:
        disk = Disk(tmp_path / "audit", patch)
        log = AuditLog(disk.directory, settings, lambda: now[0])
        for number in range(6):
            if number % 2 == 0:
                now[0] += DAY
            log.record(event(number), durable=durable)
            disk.count = number + 1 if durable else 0
            disk.step()
        log.close()
    tried = set()
    for files, promised in disk.after_failures():
        key = (tuple(sorted(files.items())), promised)
        if key in tried:
            continue
        tried.add(key)
        directory = tmp_path / f"after{len(tried)}"
        directory.mkdir(mode=0o700)
        for file, content in files.items():
            (directory / file).write_bytes(content)
            (directory / file).chmod(0o600)
        is_survived(directory, settings, now[0], promised)
        shutil.rmtree(directory)
    assert len(tried) > 30


def is_survived(directory: Path, settings: AuditSettings, now: float, promised: int) -> None:
    with AuditLog(directory, settings, lambda: now) as log:
        log.record(event(98))
    with AuditLog(directory, settings, lambda: now + DAY) as log:
        log.record(event(99))
    verification = verify(directory)
    assert verification.ok, verification.problems
    found = ids(directory)
    assert found[:promised] == [name(number) for number in range(promised)]
    assert found[-2:] == [name(98), name(99)]
    assert found[:-2] == [name(number) for number in range(len(found) - 2)]


@pytest.fixture
def rotated(tmp_path) -> tuple[Path, bytes]:
    """A log of two files, three events each, and the head from before the second one."""
    directory, now = tmp_path / "audit", [NOON]
    with AuditLog(directory, clock=lambda: now[0]) as log:
        for number in range(3):
            log.record(event(number), durable=True)
        head = (directory / "head.lock").read_bytes()
        now[0] += DAY
        for number in range(3, 6):
            log.record(event(number), durable=True)
    assert sorted(file.name for file in directory.glob("*.jsonl")) == [OLD, NEW]
    return directory, head


def go_on(directory: Path, number: int, days: int = 1) -> None:
    with AuditLog(directory, clock=lambda: NOON + days * DAY) as log:
        log.record(event(number), durable=True)


def test_a_head_from_before_the_last_file_is_caught_up_there(rotated):
    directory, head = rotated
    anchor = head_anchor(directory)
    (directory / "head.lock").write_bytes(head)
    assert verify(directory, str(anchor)).ok
    assert verify(directory).events == 6
    assert head_anchor(directory) == anchor
    go_on(directory, 6)
    go_on(directory, 7, days=2)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert not verification.notices
    assert ids(directory) == [name(number) for number in range(8)]


def test_a_head_from_several_files_ago_is_caught_up_too(rotated):
    directory, head = rotated
    go_on(directory, 6, days=2)
    go_on(directory, 7, days=3)
    (directory / "head.lock").write_bytes(head)
    assert verify(directory).ok
    go_on(directory, 8, days=3)
    assert verify(directory).ok
    assert ids(directory) == [name(number) for number in range(9)]


def test_an_unfinished_line_in_a_file_that_an_old_head_does_not_know_is_cut(rotated):
    directory, head = rotated
    (directory / "head.lock").write_bytes(head)
    os.truncate(directory / NEW, (directory / NEW).stat().st_size - 10)
    verification = verify(directory)
    assert verification.ok, verification.problems
    assert verification.unfinished
    go_on(directory, 6)
    assert verify(directory).ok
    assert ids(directory) == [name(number) for number in (0, 1, 2, 3, 4, 6)]


def test_an_empty_file_that_an_old_head_does_not_know_is_no_matter(rotated):
    directory, head = rotated
    (directory / "head.lock").write_bytes(head)
    (directory / NEW).write_bytes(b"")
    assert verify(directory).ok
    go_on(directory, 6)
    go_on(directory, 7, days=2)
    assert verify(directory).ok
    assert ids(directory) == [name(number) for number in (0, 1, 2, 6, 7)]


def test_a_new_file_that_never_got_its_name_is_begun_again(rotated):
    directory, head = rotated
    (directory / "head.lock").write_bytes(head)
    (directory / NEW).unlink()
    assert verify(directory).ok
    go_on(directory, 6)
    assert verify(directory).ok
    assert ids(directory) == [name(number) for number in (0, 1, 2, 6)]


def test_a_later_file_that_does_not_follow_is_a_problem_and_stays_untouched(rotated):
    directory, head = rotated
    (directory / "head.lock").write_bytes(head)
    lines = (directory / NEW).read_bytes().splitlines(keepends=True)
    (directory / NEW).write_bytes(b"".join(lines[1:]))
    assert not verify(directory).ok
    go_on(directory, 6)
    assert not verify(directory).ok
    assert (directory / NEW).read_bytes() == b"".join(lines[1:])


def test_a_last_file_that_is_gone_is_found_while_the_next_is_yet_to_be_begun(rotated, monkeypatch):
    directory, _ = rotated
    now = [NOON + DAY]

    def power_fails(*_, **__):
        raise KeyboardInterrupt

    log = AuditLog(directory, clock=lambda: now[0])
    log.record(event(6), durable=True)
    now[0] += DAY
    monkeypatch.setattr(log, "_open_file", power_fails)
    with pytest.raises(KeyboardInterrupt):
        log.record(event(7))
    assert b"audit-20260202-0001.jsonl 0 7 " in (directory / "head.lock").read_bytes()
    assert verify(directory).ok
    assert verify(directory).events == 7
    (directory / NEW).unlink()
    assert not verify(directory).ok


def test_the_head_is_on_disk_before_the_new_file_is_begun(tmp_path, monkeypatch):
    directory, now, steps = tmp_path / "audit", [NOON], []
    real_sync, real_open = guardhouse.audit.log.sync, AuditLog._open_file

    def sync(handle):
        real_sync(handle)
        steps.append("head" if os.pread(handle, 5, 0) == b"head " else "events")

    def open_file(self, name, *, create):
        steps.append(f"open {name}")
        real_open(self, name, create=create)

    log = AuditLog(directory, AuditSettings(sync_every=3600), lambda: now[0])
    log.record(event(1))
    now[0] += DAY
    monkeypatch.setattr(guardhouse.audit.log, "sync", sync)
    monkeypatch.setattr(AuditLog, "_open_file", open_file)
    log.record(event(2))
    assert steps == ["events", "head", f"open {NEW}"]
