"""The index over the log: the same answers as reading the log gives, however the log changes under it."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from audit_events import approval, event, start_appender
from hypothesis import given, settings
from hypothesis import strategies as st

import guardhouse
from examples import up_to
from guardhouse.audit import AuditIndex, AuditLog, AuditSettings, IndexFollower, Query, count, events, find, story
from guardhouse.audit.index import asking, feeding, tables
from guardhouse.model import ApprovalStatus, Decision, GuardhouseError, Reason, RiskLevel, Severity

SMALL = AuditSettings(max_file_bytes=4_000, max_total_bytes=1_000_000_000)
NOW = 1_769_860_800.0
WORDS = (None, "a", "b")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "audit"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "audit-index.db"


@pytest.fixture
def index(directory: Path, path: Path):
    index = AuditIndex(directory, path)
    yield index
    index.close()


def write(directory: Path, *written, settings=SMALL, at: float = NOW) -> None:
    with AuditLog(directory, settings, clock=lambda: at) as log:
        for one in written:
            log.record(one)


def numbers(page) -> list[int]:
    return [entry.seq for entry in page.entries]


def reason(code: str) -> Reason:
    return Reason(
        code=code,
        decided_by="x",
        decision=Decision.DENY,
        severity=Severity.HIGH,
        title="t",
        why="w",
        instead="i",
    )


def any_event(draw, number: int):
    """One of many sorts of event, with few different names, so that they have to do with each other."""
    ids = st.sampled_from(WORDS)
    about = draw(st.sampled_from((None, *(f"ev_{one:024d}" for one in range(6)))))
    return event(
        draw(st.integers(0, 12)) if draw(st.booleans()) else number,
        kind=draw(st.sampled_from(("decision", "execution", "approval", "feedback", "notice"))),
        timestamp=f"2026-01-{draw(st.integers(1, 28)):02d}T{draw(st.integers(0, 23)):02d}:30:00.000000Z",
        trace_id=draw(st.sampled_from(("", "tr_1", "tr_2", "tr_3"))),
        session_id=draw(ids),
        run_id=draw(ids),
        call_id=draw(ids),
        principal=draw(ids),
        actor=draw(ids),
        tool_name=draw(ids),
        decision=draw(st.sampled_from((None, *Decision))),
        would_be=draw(st.sampled_from((None, Decision.DENY))),
        risk_level=draw(st.sampled_from((None, *RiskLevel))),
        outcome=draw(st.sampled_from((None, "executed", "aborted"))),
        approval_request_id=draw(ids),
        approval_status=draw(st.sampled_from((None, *ApprovalStatus))),
        about=about,
        detail=draw(st.sampled_from(("", "false_alarm", "right", "missed"))),
        reasons=tuple(reason(code) for code in draw(st.lists(st.sampled_from("xyz"), max_size=2))),
    )


@st.composite
def logs(draw):
    return [any_event(draw, number + 20) for number in range(draw(st.integers(1, 25)))]


queries = st.builds(
    Query,
    kind=st.sampled_from((None, None, "decision", "approval")),
    decision=st.sampled_from((None, None, *Decision)),
    would_be=st.sampled_from((None, None, Decision.DENY, Decision.ALLOW)),
    risk=st.sampled_from((None, None, RiskLevel.LOW)),
    outcome=st.sampled_from((None, None, "executed")),
    action=st.sampled_from((None, None, "ToolCallPre", "Unheard")),
    tool=st.sampled_from((None, None, "a", "unheard")),
    code=st.sampled_from((None, None, "x", "net.destination", "unheard")),
    session=st.sampled_from((None, None, "a")),
    run=st.sampled_from((None, None, "a")),
    approval=st.sampled_from((None, None, "a")),
    principal=st.sampled_from((None, None, "a")),
    actor=st.sampled_from((None, None, "a")),
    trace=st.sampled_from((None, None, "tr_1")),
    call=st.sampled_from((None, None, "a")),
    since=st.sampled_from((None, None, "2026-01-10T12:30:00.000000Z", "2026-01-10T12:00:00.000000Z")),
    until=st.sampled_from((None, None, "2026-01-20T12:30:00.000000Z", "2026-01-10T12:45:00.000000Z")),
)


@settings(max_examples=up_to(150))
@given(written=logs(), query=queries, limit=st.integers(1, 30))
def test_a_page_and_the_figures_are_what_reading_the_log_gives(tmp_path_factory, written, query, limit):
    root = tmp_path_factory.mktemp("log")
    write(root / "audit", *written)
    index = AuditIndex(root / "audit", root / "index.db")
    assert index.catch_up().complete
    wanted = list(events(root / "audit", query, newest_first=True))
    page = index.page(query, limit=limit)
    assert list(page.entries) == wanted[:limit]
    assert page.more == (len(wanted) > limit)
    assert index.statistics(query) == count(entry.event for entry in reversed(wanted))
    index.close()


@settings(max_examples=up_to(150))
@given(written=logs())
def test_a_story_is_what_reading_the_log_gives(tmp_path_factory, written):
    root = tmp_path_factory.mktemp("log")
    write(root / "audit", *written)
    index = AuditIndex(root / "audit", root / "index.db")
    index.catch_up()
    for one in written:
        assert index.story(one.event_id) == story(root / "audit", one.event_id)
    assert index.story("ev_unheard") is None
    index.close()


def test_a_story_is_found_by_its_approval_and_by_its_trace(directory, index):
    ask = event(1, decision=Decision.REQUIRE_APPROVAL, approval_request_id="ap_1")
    answer = approval(2, ApprovalStatus.APPROVED, "ap_1", trace_id="tr_1", actor="anna")
    use = event(3, decision=Decision.ALLOW, approval_request_id="ap_1", trace_id="tr_1")
    done = event(4, kind="execution", outcome="executed", about=use.event_id, trace_id="tr_1")
    write(directory, event(0), ask, answer, event(9), use, done)
    index.catch_up()
    for told in (index.story_of_approval("ap_1"), index.story_of_trace("tr_1")):
        assert told.entry.event == ask
        assert [entry.event for entry in told.related] == [answer, use, done]
    assert index.story_of_approval("ap_2") is index.story_of_trace("tr_9999") is None


def test_pages_lead_through_the_whole_log_and_back(directory, index):
    write(directory, *(event(number) for number in range(25)))
    index.catch_up()
    first = index.page(limit=10)
    second = index.page(limit=10, before=first.last)
    third = index.page(limit=10, before=second.last)
    assert [numbers(page) for page in (first, second, third)] == [
        list(range(25, 15, -1)),
        list(range(15, 5, -1)),
        list(range(5, 0, -1)),
    ]
    assert [page.more for page in (first, second, third)] == [True, True, False]
    assert index.page(limit=10, after=third.first) == second
    assert numbers(index.page(limit=10, after=first.first)) == []
    assert numbers(index.page(limit=0)) == []


def test_a_chart_counts_decisions_in_round_stretches_of_time(directory, index):
    day = 86_400
    write(
        directory,
        event(1, timestamp="2026-01-30T23:59:59.999999Z"),
        event(2, timestamp="2026-01-31T00:00:00.000000Z", decision=Decision.ALLOW),
        event(3, timestamp="2026-01-31T13:00:00.000000Z"),
        approval(4, ApprovalStatus.APPROVED, "ap_1"),
        event(5, timestamp="2026-01-31T13:20:00.000000Z", tool_name="other"),
    )
    index.catch_up()
    midnight = NOW - day / 2
    days = index.timeline(Query(), midnight - day, midnight + day, buckets=3)
    assert days.width == day
    assert [(one.start - midnight, one.decisions) for one in days.buckets] == [
        (-day, {"deny": 1}),
        (0, {"allow": 1, "deny": 2}),
    ]
    minutes = index.timeline(Query(tool="other"), NOW + 3600, NOW + 3600 + 1800, buckets=31)
    assert (minutes.width, [(one.start - NOW, one.decisions) for one in minutes.buckets]) == (60, [(4800, {"deny": 1})])
    assert index.timeline(Query(tool="unheard"), midnight, midnight + day).buckets == ()


def test_the_most_frequent_names_come_first(directory, index):
    write(
        directory,
        *(event(number, tool_name="a", session_id="s1") for number in range(3)),
        *(event(number, tool_name="b", session_id="s2", principal="ada", reasons=()) for number in range(3, 5)),
        event(5, kind="execution", tool_name="c"),
    )
    index.catch_up()
    assert index.top(Query(), "tool") == {"a": 3, "b": 2}
    assert index.top(Query(), "tool", limit=1) == {"a": 3}
    assert index.top(Query(), "code") == {"non_allowlisted_domain": 3}
    assert index.top(Query(tool="b"), "session") == {"s2": 2}
    assert index.top(Query(), "principal") == {"ada": 2}
    offers = index.offers()
    assert (offers.tools, offers.actions, offers.principals) == (("a", "b", "c"), ("ToolCallPre",), ("ada",))
    assert offers.codes == ("net.destination", "non_allowlisted_domain")


def test_how_long_people_took_is_told_from_the_question_on(directory, index):
    written = []
    for number in range(10):
        request = f"ap_{number}"
        asked = {"timestamp": f"2026-01-31T12:00:{number:02d}.000000Z", "approval_request_id": request}
        written.append(event(number, decision=Decision.REQUIRE_APPROVAL, **asked))
    write(directory, *written)
    index.catch_up()  # questions and answers need not be read together
    answers = [
        approval(20 + n, ApprovalStatus.APPROVED, f"ap_{n}", timestamp=f"2026-01-31T12:01:{2 * n:02d}.000000Z")
        for n in range(9)
    ]
    late = approval(40, ApprovalStatus.EXPIRED, "ap_9", timestamp="2026-01-31T13:00:00.000000Z")
    write(directory, *answers, late)
    index.catch_up()
    waits = index.waits()
    assert (waits.answers, waits.median, waits.p90) == (9, 64.0, 68.0)
    assert index.waits(Query(approval="ap_3")).median == 63.0
    assert index.waits(Query(approval="ap_9")) is None


def test_it_goes_on_where_it_was_and_takes_no_more_than_it_is_asked_to(directory, path, index):
    write(directory, *(event(number) for number in range(30)))
    progress = index.catch_up(most=10)
    assert (progress.seq, progress.complete) == (10, False)
    assert 0 < progress.done < progress.of
    index.close()
    again = AuditIndex(directory, path)
    assert again.progress() == progress
    progress = again.catch_up()
    assert (progress.seq, progress.complete, progress.done) == (30, True, progress.of)
    write(directory, event(31))
    assert again.progress().complete is False
    assert again.catch_up().seq == 31
    again.close()


def test_it_follows_what_another_process_records_in_new_files(directory, index):
    write(directory, event(0), at=time.time())
    index.catch_up()
    appender = start_appender(directory, "other", 20, max_file_bytes=3000)
    assert len(appender.communicate(timeout=60)[0].split()) == 20
    assert len(list(directory.glob("*.jsonl"))) > 3
    assert index.catch_up().seq == 21
    assert numbers(index.page(limit=100)) == list(range(21, 0, -1))


def test_an_unfinished_line_is_read_once_it_is_whole(directory, index):
    write(directory, event(1), event(2))
    [file] = directory.glob("*.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    assert (index.catch_up().seq, index.progress().complete) == (1, True)
    file.write_bytes(whole)
    assert index.catch_up().seq == 2


def test_a_line_that_can_not_be_read_is_counted_and_passed_over(directory, index):
    write(directory, event(1), event(2), event(3))
    [file] = directory.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b"garbage\n" + lines[1] + b'{"seq": 2}\n' + lines[2])
    progress = index.catch_up()
    assert (progress.seq, progress.unreadable, progress.complete) == (3, 2, True)
    assert numbers(index.page()) == [3, 2, 1]


def test_what_retention_removes_is_gone_from_every_answer(directory, index, monkeypatch):
    monkeypatch.setattr(feeding, "BLOCK", 60)
    monkeypatch.setattr(asking, "BLOCK", 60)
    monkeypatch.setattr(feeding, "_FORGOTTEN_AT_ONCE", 3)
    day = 86_400
    write(directory, *(event(number, tool_name="old", session_id="old") for number in range(40)), at=NOW - 31 * day)
    write(directory, *(event(number, tool_name="kept") for number in range(40, 60)), at=NOW - 2 * day)
    index.catch_up()
    assert index.top(Query(), "tool") == {"old": 40, "kept": 20}
    write(directory, event(60, tool_name="new"))
    files = {file.name for file in directory.glob("*.jsonl")}
    assert index.catch_up().complete
    for _ in range(len(files) + 40):  # a piece at a time
        index.catch_up(most=1)
    wanted = [entry.seq for entry in events(directory, newest_first=True)]
    assert numbers(index.page(limit=100)) == wanted
    assert index.statistics() == count(entry.event for entry in events(directory))
    assert index.page(Query(tool="old")).entries == index.page(Query(session="old")).entries == ()
    assert index.story(f"ev_{1:024d}") is None
    assert find(directory, f"ev_{1:024d}") is None
    assert "old" not in index.offers().tools
    assert look(index, "SELECT count(*) FROM word WHERE text = 'old'") == [(0,)]
    assert look(index, "SELECT min(block) FROM tie") == [(min(wanted) // 60,)]
    assert {name for (name,) in look(index, "SELECT name FROM file")} <= files


def test_a_file_that_is_removed_between_the_question_and_the_look_is_left_out(directory, index):
    write(directory, *(event(number) for number in range(30)))
    index.catch_up()
    oldest = min(directory.glob("*.jsonl"))
    held = oldest.read_bytes().count(b"\n")
    oldest.unlink()
    page = index.page(limit=100)
    assert numbers(page) == list(range(30, held, -1))
    assert index.story(f"ev_{0:024d}") is None


def look(index, statement, *values):
    with index._file.reading() as connection:
        return connection.execute(statement, values).fetchall()


def test_the_file_is_private_and_holds_nothing_but_names_and_numbers(directory, path, index):
    write(directory, event(1, action_summary_redacted=event(1).action_summary_redacted, trace_id="tr_whispered"))
    index.catch_up()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    index.close()
    content = path.read_bytes()
    assert b"url_fetch" in content
    for absent in (b"paste.example", b"Data sent there", b"tr_whispered", b"ev_0000"):
        assert absent not in content


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no database at all" * 500),
        lambda path: path.write_bytes(path.read_bytes()[:9000]),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
        lambda path: run(path, f"PRAGMA user_version = {tables.VERSION + 1}"),
        lambda path: run(path, "DROP TABLE event"),
        lambda path: run(path, "DELETE FROM place"),
        lambda path: run(path, "UPDATE place SET seq = 3"),
    ],
    ids=["garbage", "cut", "empty", "gone", "newer", "a table gone", "no place", "set back"],
)
def test_an_index_that_is_damaged_is_made_anew_in_silence(directory, path, index, damage):
    write(directory, *(event(number) for number in range(20)))
    index.catch_up()
    index.close()
    damage(path)
    assert index.catch_up().seq == 20
    assert numbers(index.page(limit=100)) == list(range(20, 0, -1))


def run(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_index_that_is_damaged_while_it_is_open_is_made_anew(directory, path, index):
    write(directory, *(event(number) for number in range(20)))
    index.catch_up()
    run(path, "DROP TABLE stretch")
    with pytest.raises(GuardhouseError, match="made anew"):
        index.statistics()
    assert index.catch_up().seq == 20
    assert index.statistics().events == 20


def test_another_log_in_its_place_is_read_anew(directory, index, tmp_path):
    write(directory, *(event(number, tool_name="one") for number in range(10)))
    index.catch_up()
    directory.rename(tmp_path / "elsewhere")
    write(directory, *(event(number, tool_name="two") for number in range(12)))
    assert index.catch_up().seq == 12
    assert index.top(Query(), "tool") == {"two": 12}


def test_a_log_that_became_shorter_is_read_anew(directory, index):
    write(directory, *(event(number) for number in range(3)), settings=AuditSettings())
    index.catch_up()
    [file] = directory.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]))
    assert index.catch_up().seq == 2
    assert numbers(index.page()) == [2, 1]


def test_lines_that_were_moved_are_found_out_when_one_is_wanted_and_all_is_read_anew(directory, index):
    write(directory, *(event(number) for number in range(5)), settings=AuditSettings())
    index.catch_up()
    [file] = directory.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[1], b"x" * (len(lines[0]) - 1) + b"\n", *lines[2:]]))
    assert numbers(index.page()) == [5, 4, 3]
    index.catch_up()
    assert numbers(index.page()) == [5, 4, 3, 2]


def test_where_there_is_no_log_there_is_nothing_and_nothing_is_wrong(index):
    progress = index.catch_up()
    assert (progress.seq, progress.complete) == (0, True)
    assert index.page().entries == ()
    assert index.statistics().events == 0
    assert index.waits() is None
    assert index.timeline(Query(), NOW - 60, NOW).buckets == ()


def test_a_disk_that_is_full_while_it_is_indexed_is_told_and_then_it_goes_on(directory, path, index):
    write(directory, *(event(number) for number in range(300)), settings=AuditSettings())
    index.catch_up(most=100)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # no file can grow any more
    try:
        with pytest.raises(GuardhouseError, match="index over the record"):
            index.catch_up()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert index.catch_up().seq == 300
    assert index.statistics().events == 300


def test_a_place_where_no_index_can_be_made_is_told(directory, tmp_path):
    write(directory, event(1))
    (tmp_path / "file").write_text("")
    index = AuditIndex(directory, tmp_path / "file" / "index.db")
    with pytest.raises(GuardhouseError, match="can't be used"):
        index.catch_up()
    link = tmp_path / "index.db"
    link.symlink_to(tmp_path / "file")
    with pytest.raises(GuardhouseError, match="not a file of yours"):
        AuditIndex(directory, link).catch_up()


def test_threads_and_processes_that_catch_up_at_once_take_each_event_in_once(directory, path, index):
    write(directory, *(event(number) for number in range(400)))
    code = (
        "import sys; from pathlib import Path; from guardhouse.audit import AuditIndex\n"
        "index = AuditIndex(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "while not index.catch_up(most=7).complete: pass\n"
    )
    source = str(Path(guardhouse.__file__).parent.parent)
    command = [sys.executable, "-c", code, directory, path]
    workers = [subprocess.Popen(command, env={**os.environ, "PYTHONPATH": source}) for _ in range(3)]
    while not index.catch_up(most=7).complete:
        pass
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    assert index.statistics() == count(entry.event for entry in islice(events(directory), 400))


def test_a_follower_takes_in_what_is_recorded_while_it_runs_and_tells_what_fails_once(directory, path, tmp_path):
    told: list[str] = []
    write(directory, *(event(number) for number in range(10)))
    path.parent.write_text("not a directory")
    index = AuditIndex(directory, path)
    follower = IndexFollower(index, told.append)
    follower.start()
    wait_until(lambda: told)
    assert len(told) == 1
    assert "can't be followed" in told[0]
    follower.stop()
    path.parent.unlink()
    follower = IndexFollower(index, told.append)
    follower.start()
    wait_until(path.exists)
    write(directory, event(11))
    wait_until(lambda: index.progress().complete and index.progress().seq == 11)
    follower.stop()
    assert len(told) == 1


def wait_until(condition, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
