"""Reading back: from either end, filtered, followed, counted, and the story of one event."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from audit_events import approval, event

import guardhouse.audit.reading
from guardhouse.audit import (
    AuditLog,
    AuditSettings,
    Query,
    Unreadable,
    count,
    count_calls,
    events,
    find,
    follow,
    head_anchor,
    moment,
    story,
    verify,
)
from guardhouse.model import ApprovalStatus, Decision, GuardhouseError, RiskLevel

NOW = 1_769_860_800.0  # 2026-01-31 12:00 UTC


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "audit"


def write(directory: Path, *wanted, **settings) -> None:
    with AuditLog(directory, AuditSettings(**settings)) as log:
        for one in wanted:
            log.record(one)


def seqs(found) -> list[int]:
    return [entry.seq for entry in found]


def test_there_is_nothing_to_read_where_there_is_no_log(directory):
    assert list(events(directory)) == []
    assert list(events(directory, newest_first=True)) == []
    assert find(directory, "ev_1") is None
    assert story(directory, "ev_1") is None
    assert verify(directory).ok
    with pytest.raises(GuardhouseError, match="no audit log"):
        head_anchor(directory)


@pytest.mark.parametrize("block", [1, 7, 100, 1 << 18])
def test_the_newest_come_first_whatever_the_size_of_a_block(directory, block, monkeypatch):
    monkeypatch.setattr(guardhouse.audit.reading, "_BLOCK", block)
    write(directory, *(event(number, reasons=()) for number in range(6)), max_file_bytes=1_500)
    forwards = list(events(directory))
    assert seqs(forwards) == [1, 2, 3, 4, 5, 6]
    assert list(events(directory, newest_first=True)) == forwards[::-1]


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_bad_line_is_counted_and_hides_no_other(directory, newest_first, monkeypatch):
    write(directory, event(1))
    (file,) = directory.glob("*.jsonl")
    with file.open("ab") as handle:
        handle.write(b"\n{}\n" + b"x" * 3_000 + b"\n")
    write(directory, event(2))
    with file.open("ab") as handle:
        handle.write(b"unfinished")
    for module in (guardhouse.audit.reading, guardhouse.audit.place):
        monkeypatch.setattr(module, "LONGEST_LINE", 2_000)
    unreadable = Unreadable()
    assert sorted(seqs(events(directory, newest_first=newest_first, unreadable=unreadable))) == [1, 2]
    assert unreadable.lines == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), [1, 2, 3, 4]),
        (Query(kind="approval"), [3]),
        (Query(decision=Decision.DENY), [1]),
        (Query(decision=Decision.ALLOW), [2]),
        (Query(risk=RiskLevel.LOW), [2]),
        (Query(outcome="executed"), [4]),
        (Query(tool="bäsh"), [2]),
        (Query(tool="bas"), []),
        (Query(code="non_allowlisted_domain"), [1]),
        (Query(code="net.destination"), [1]),
        (Query(session="s2"), [2]),
        (Query(run="r1"), [2]),
        (Query(approval="ap_1"), [3]),
        (Query(since="2026-01-31T12:00:02.000000Z"), [2, 3, 4]),
        (Query(until="2026-01-31T12:00:02.000000Z"), [1]),
        (Query(kind="decision", tool="url_fetch"), [1]),
        (Query(action="ToolCallPre"), [1, 2, 3, 4]),
        (Query(action="ToolCallPost"), []),
    ],
)
def test_a_query_finds_what_it_names(directory, query, expected):
    plain = {"reasons": (), "findings": ()}
    write(
        directory,
        event(1),
        event(
            2,
            decision=Decision.ALLOW,
            risk_level=RiskLevel.LOW,
            tool_name="bäsh",
            session_id="s2",
            run_id="r1",
            **plain,
        ),
        approval(3, ApprovalStatus.APPROVED, "ap_1"),
        event(4, kind="execution", outcome="executed", decision=None, risk_level=None, **plain),
    )
    assert seqs(events(directory, query)) == expected
    assert seqs(events(directory, query, newest_first=True)) == expected[::-1]


DAY = 86_400


def write_days(directory: Path, *days: float) -> None:
    """An event at noon of each of these days before now, each recorded then."""
    now = NOW
    with AuditLog(directory, AuditSettings(), clock=lambda: now) as log:
        for number, ago in enumerate(days):
            now = NOW - ago * DAY
            log.record(event(number, timestamp=moment("0s", now)))


def test_files_of_days_before_the_moment_that_is_asked_for_are_not_opened(directory):
    write_days(directory, 4, 3, 2, 1, 0)
    for file in sorted(directory.glob("*.jsonl"))[:3]:
        file.unlink()
        file.mkdir()  # to open it as a log would be an error
    assert seqs(events(directory, Query(since=moment("1h", NOW)))) == [5]
    assert seqs(events(directory, Query(since=moment("1h", NOW)), newest_first=True)) == [5]
    with pytest.raises(GuardhouseError, match="plain file"):
        seqs(events(directory))


@pytest.mark.parametrize("since", ["1d", "2d", "3d", "25h", "36h", "80h"])
def test_leaving_files_out_leaves_no_event_out(directory, since):
    write_days(directory, 3.4, 3, 2.6, 2, 1.5, 1.01, 1, 0.5, 0)
    wanted = Query(since=moment(since, NOW))
    every = [entry.seq for entry in events(directory) if wanted.matches(entry.event)]
    assert seqs(events(directory, wanted)) == every
    assert every


def test_a_file_that_was_made_on_an_earlier_day_than_its_first_event_is_read(directory):
    now = NOW - DAY
    with AuditLog(directory, AuditSettings(), clock=lambda: now) as log:
        now = NOW
        log.record(event(1, timestamp=moment("0s", now)))
        log.record(event(2, timestamp=moment("0s", now)))
    assert seqs(events(directory, Query(since=moment("1h", NOW)))) == [1, 2]


def test_an_event_is_found_by_its_id_and_not_by_what_others_say_about_it(directory):
    write(directory, event(1), event(2, about=event(1).event_id, detail='"event_id":"ev_x"'))
    assert find(directory, event(1).event_id).seq == 1
    assert find(directory, "ev_x") is None


def test_a_story_goes_from_the_question_over_the_answer_to_what_was_done(directory):
    ask = event(1, decision=Decision.REQUIRE_APPROVAL, approval_request_id="ap_1")
    answer = approval(2, ApprovalStatus.APPROVED, "ap_1", trace_id="", actor="anna")
    use = event(3, decision=Decision.ALLOW, approval_request_id="ap_1")
    done = event(4, kind="execution", outcome="executed", about=use.event_id, trace_id="tr_3")
    write(directory, event(0), ask, answer, event(9), use, done, event(8))
    told = story(directory, ask.event_id)
    assert told.entry.event == ask
    assert [entry.event for entry in told.related] == [answer, use, done]
    told = story(directory, done.event_id)
    assert use in [entry.event for entry in told.related]


def test_follow_gives_new_events_across_files(directory):
    write(directory, event(1), event(2))
    seen: list[int] = []
    enough = threading.Event()

    def read() -> None:
        for entry in follow(directory, after=1, stopped=enough.is_set):
            seen.append(entry.seq)
            if len(seen) == 9:
                enough.set()

    thread = threading.Thread(target=read)
    thread.start()
    write(directory, *(event(number) for number in range(8)), max_file_bytes=2_000)
    assert enough.wait(20)
    thread.join()
    assert seen == list(range(2, 11))


def test_follow_begins_before_there_is_a_log(directory):
    found = follow(directory)
    thread = threading.Thread(target=write, args=(directory, event(1)))
    thread.start()
    assert next(found).seq == 1
    thread.join()


def test_follow_waits_for_the_rest_of_a_line(directory, monkeypatch):
    write(directory, event(1), event(2))
    (file,) = directory.glob("*.jsonl")
    whole = file.read_bytes()
    os.truncate(file, len(whole) - 5)
    polls = iter([None, lambda: file.write_bytes(whole)])
    monkeypatch.setattr(guardhouse.audit.reading.time, "sleep", lambda _: (next(polls) or (lambda: None))())
    found = follow(directory)
    assert [next(found).seq, next(found).seq] == [1, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10m", "2026-01-31T11:50:00.000000Z"),
        ("2h", "2026-01-31T10:00:00.000000Z"),
        ("3d", "2026-01-28T12:00:00.000000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000000Z"),
        ("2026-01-31T10:30", "2026-01-31T10:30:00.000000Z"),
        ("2026-01-31T10:30:00+02:00", "2026-01-31T08:30:00.000000Z"),
        ("2026-01-31T10:30:00Z", "2026-01-31T10:30:00.000000Z"),
    ],
)
def test_moments_in_the_words_people_use(text, expected):
    assert moment(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "m", "-1h", "10x", "yesterday", "9999999999d", "٣d", "2026-13-01"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(GuardhouseError, match="no moment"):
        moment(text, NOW)


def test_statistics_count_decisions_reasons_and_answers(directory):
    write(
        directory,
        event(1),
        event(2),
        event(3, decision=Decision.ALLOW, risk_level=RiskLevel.LOW, tool_name="bash", reasons=()),
        event(4, decision=Decision.REQUIRE_APPROVAL),
        approval(5, ApprovalStatus.APPROVED, "ap_1"),
        event(6, kind="execution", outcome="executed", decision=None),
    )
    figures = count(entry.event for entry in events(directory))
    assert figures.events == 6
    assert figures.decisions == {"deny": 2, "allow": 1, "require_approval": 1}
    assert figures.block_rate == 0.5
    assert figures.tools == {"url_fetch": 3, "bash": 1}
    assert figures.codes == {"non_allowlisted_domain": 3}
    assert figures.approvals == {"approved": 1}
    assert figures.outcomes == {"executed": 1}


def test_many_problems_and_bad_lines_do_not_fill_the_memory(directory):
    write(directory, event(1))
    (file,) = directory.glob("*.jsonl")
    with file.open("ab") as handle:
        handle.write(b"x\n" * 1_000)
    verification = verify(directory)
    assert len(verification.problems) == 100
    assert verification.more_problems == 900


def test_a_log_can_be_verified_in_a_copy_that_is_read_only(directory, tmp_path):
    import shutil

    write(directory, event(1))
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    copy.chmod(0o755)
    (copy / "head.lock").chmod(0o444)
    assert verify(copy).ok


def test_calls_are_counted_once_and_other_actions_not_at_all():
    asked = {"decision": Decision.REQUIRE_APPROVAL, "approval_request_id": "ap_1"}
    seen = count_calls(
        [
            event(1),
            event(2, decision=Decision.ALLOW),
            event(3, action_type="ToolCallPost"),
            event(4, **asked),
            event(5, **asked),
            event(6, decision=Decision.ALLOW, approval_request_id="ap_1"),
            event(7, decision=Decision.ALLOW, would_be=Decision.DENY, mode="observe"),
            event(8, decision=Decision.ALLOW, would_be=Decision.REQUIRE_APPROVAL, mode="observe"),
            event(9, decision=Decision.ALLOW, would_be=Decision.ALLOW, mode="observe"),
            event(10, kind="execution", decision=None, outcome="executed"),
        ]
    )
    assert (seen.calls, seen.asked, seen.blocked, seen.would_ask, seen.would_block) == (6, 1, 1, 1, 1)
