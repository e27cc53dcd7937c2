"""Invariant 7: the chain verifies after any crash; any edit, cut or swap is found, and any cut before an anchor."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from audit_events import event
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.audit import AuditLog, AuditSettings, events, head_anchor, verify
from guardhouse.model import GuardhouseError

EVENTS = 12


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """A log of twelve events in several files."""
    directory = tmp_path_factory.mktemp("original") / "audit"
    with AuditLog(directory, AuditSettings(max_file_bytes=3_500)) as log:
        for number in range(EVENTS):
            log.record(event(number))
    assert verify(directory).ok
    assert len(list(directory.glob("*.jsonl"))) == 4
    return directory


class Copy:
    """A copy of a log that can be tampered with."""

    def __init__(self, original: Path) -> None:
        self._temporary = tempfile.TemporaryDirectory()
        self.directory = Path(self._temporary.name) / "audit"
        shutil.copytree(original, self.directory)
        self.files = sorted(self.directory.glob("*.jsonl"))

    def __enter__(self) -> Copy:
        return self

    def __exit__(self, *_: object) -> None:
        self._temporary.cleanup()

    def lines(self) -> list[list[bytes]]:
        return [file.read_bytes().splitlines(keepends=True) for file in self.files]

    def write(self, lines: list[list[bytes]]) -> None:
        for file, content in zip(self.files, lines, strict=True):
            file.write_bytes(b"".join(content))


def is_found(copy: Copy) -> None:
    """Verify finds it, and still does once the log has gone on."""
    assert not verify(copy.directory).ok
    try:
        with AuditLog(copy.directory) as log:
            log.record(event(99))
    except GuardhouseError:
        return
    assert not verify(copy.directory).ok


@settings(max_examples=up_to(150), deadline=None)
@given(data=st.data())
def test_a_changed_byte_is_found(original, data):
    with Copy(original) as copy:
        file = data.draw(st.sampled_from([*copy.files, copy.directory / "head.lock"]))
        content = bytearray(file.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= data.draw(st.integers(1, 255))
        file.write_bytes(content)
        assert not verify(copy.directory).ok


@settings(max_examples=up_to(100), deadline=None)
@given(data=st.data())
def test_bytes_cut_out_or_put_in_anywhere_are_found(original, data):
    with Copy(original) as copy:
        file = data.draw(st.sampled_from(copy.files))
        content = file.read_bytes()
        start = data.draw(st.integers(0, len(content) - 1))
        stop = data.draw(st.integers(start, len(content)))
        put_in = data.draw(st.one_of(st.binary(max_size=20), st.just(content[start:stop] * 2)))
        changed = content[:start] + put_in + content[stop:]
        if changed == content:
            return
        file.write_bytes(changed)
        verification = verify(copy.directory)
        if file == copy.files[-1] and changed.startswith(content) and b"\n" not in changed[len(content) :]:
            assert verification.unfinished == len(changed) - len(content)  # as a crash leaves it
            assert verification.events == EVENTS
        else:
            assert not verification.ok


@settings(max_examples=up_to(60), deadline=None)
@given(st.data())
def test_lines_removed_doubled_or_swapped_are_found(original, data):
    with Copy(original) as copy:
        lines = copy.lines()
        places = [(at, index) for at, content in enumerate(lines) for index in range(len(content))]
        one, other = data.draw(st.lists(st.sampled_from(places), min_size=2, max_size=2, unique=True))
        match data.draw(st.sampled_from(["remove", "double", "swap", "move"])):
            case "remove":
                del lines[one[0]][one[1]]
            case "double":
                lines[other[0]].insert(other[1], lines[one[0]][one[1]])
            case "swap":
                a, b = lines[one[0]][one[1]], lines[other[0]][other[1]]
                lines[one[0]][one[1]], lines[other[0]][other[1]] = b, a
            case "move":
                line = lines[one[0]].pop(one[1])
                lines[other[0]].insert(other[1], line)
        copy_of = [line for content in copy.lines() for line in content]
        if [line for content in lines for line in content] == copy_of:
            return  # moved to where it was, across the border of two files
        copy.write(lines)
        is_found(copy)


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_a_removed_file_is_found(original, index):
    with Copy(original) as copy:
        copy.files[index].unlink()
        is_found(copy)


@pytest.mark.parametrize("index", [1, 2, 3])
def test_swapped_files_are_found(original, index):
    with Copy(original) as copy:
        first, second = copy.files[0].read_bytes(), copy.files[index].read_bytes()
        copy.files[0].write_bytes(second)
        copy.files[index].write_bytes(first)
        is_found(copy)


def test_an_added_file_is_found(original):
    with Copy(original) as copy:
        shutil.copy(copy.files[0], copy.directory / "audit-99991231-0001.jsonl")
        is_found(copy)


def rewritten(copy: Copy, count: int) -> Path:
    """A log that was made anew from the first `count` events, with everything in it right."""
    shutil.rmtree(copy.directory)
    with AuditLog(copy.directory) as log:
        for number in range(count):
            log.record(event(number, detail="another story"))
    assert verify(copy.directory).ok
    return copy.directory


@pytest.mark.parametrize("count", [0, 1, 6, EVENTS, 20])
def test_a_log_made_anew_is_found_by_its_anchor(original, count):
    anchor = str(head_anchor(original))
    assert verify(original, anchor).ok
    with Copy(original) as copy:
        assert not verify(rewritten(copy, count), anchor).ok


@settings(max_examples=up_to(40), deadline=None)
@given(cut=st.integers(0, EVENTS - 1))
def test_a_truncation_before_an_anchored_head_is_found_even_if_the_head_was_made_to_fit(original, cut):
    anchor = str(head_anchor(original))
    with Copy(original) as copy:
        kept = [entry.event for entry in events(copy.directory)][:cut]
        shutil.rmtree(copy.directory)
        with AuditLog(copy.directory) as log:
            for one in kept:
                log.record(one)
        assert verify(copy.directory).ok
        assert not verify(copy.directory, anchor).ok


def test_an_anchor_in_the_middle_still_holds_after_more_events(original):
    with Copy(original) as copy:
        anchors = [str(entry.anchor) for entry in events(copy.directory)]
        with AuditLog(copy.directory) as log:
            log.record(event(50))
        for anchor in anchors:
            assert verify(copy.directory, anchor).ok


def test_an_anchor_older_than_what_is_kept_proves_nothing(tmp_path):
    directory = tmp_path / "audit"
    with AuditLog(directory, AuditSettings(max_file_bytes=3_000, max_total_bytes=9_000, min_age_hours=0)) as log:
        log.record(event(0))
        anchor = str(head_anchor(directory))
        for number in range(40):
            log.record(event(number))
    assert verify(directory).ok
    (problem,) = verify(directory, anchor).problems
    assert "take a newer one" in problem.what


@pytest.mark.parametrize("text", ["", "1", "1:", "x:" + "0" * 64, "1:" + "g" * 64, "01:" + "0" * 64, "-1:" + "0" * 64])
def test_what_is_no_anchor_is_refused(original, text):
    with pytest.raises(GuardhouseError, match="no anchor"):
        verify(original, text)


# Crashes: every write of an append, stopped anywhere


class Crash(BaseException):
    """The process ends here."""


@settings(
    max_examples=up_to(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    before=st.integers(0, 5),
    crash_at=st.integers(0, 12),
    part=st.floats(0, 1),
    again=st.integers(0, 4),
)
def test_a_crash_at_any_write_leaves_a_chain_that_verifies(monkeypatch, before, crash_at, part, again):
    """Rotation and retention happen all the time here, so that the crash hits them as well."""
    real = {name: getattr(os, name) for name in ("pwrite", "ftruncate", "unlink", "fsync", "open")}
    with tempfile.TemporaryDirectory() as temporary, monkeypatch.context() as patch:
        directory = Path(temporary) / "audit"
        limits = AuditSettings(max_file_bytes=2_500, max_total_bytes=7_500, min_age_hours=0, sync_every=3600)
        recorded: list[str] = []

        def append(count: int, name: str) -> None:
            log = AuditLog(directory, limits)
            try:
                for number in range(count):
                    log.record(event(number, event_id=f"{name}-{number}"))
                    recorded.append(f"{name}-{number}")
            finally:
                log._stop.set()  # a process that has crashed has no threads

        left = [10**9]

        def step(name):
            def call(*arguments, **options):
                if name == "open" and not str(arguments[0]).startswith(str(directory)):
                    return real[name](*arguments, **options)
                left[0] -= 1
                if left[0] < 0:
                    if name == "pwrite" and left[0] == -1 and not arguments[1].startswith((b"head ", b"synced ")):
                        data = arguments[1][: int(part * len(arguments[1]))]
                        real["pwrite"](arguments[0], data, arguments[2])
                    raise Crash
                return real[name](*arguments, **options)

            return call

        append(before, "before")
        for name in real:
            patch.setattr(os, name, step(name))
        for round_ in range(again + 1):
            left[0] = crash_at
            with contextlib.suppress(Crash):
                append(6, f"crashed{round_}")
            left[0] = 10**9
            verification = verify(directory)
            assert verification.ok, verification.problems
        append(2, "after")
        verification = verify(directory)
        assert verification.ok, verification.problems
        assert verification.unfinished == 0
        kept = [entry.event.event_id for entry in events(directory) if entry.event.kind != "notice"]
        # What was recorded is there, in order, but for the oldest, which retention took; and at most one more for
        # each crash: the one that was written but not acknowledged.
        acknowledged = [one for one in kept if one in set(recorded)]
        assert acknowledged == recorded[len(recorded) - len(acknowledged) :]
        assert len(kept) - len(acknowledged) <= again + 1
