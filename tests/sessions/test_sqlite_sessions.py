"""What holds for sessions on disk: many processes, kills, damage, what is in the file and what is not."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from session_worker import KEY, returned

import guardhouse
from guardhouse.model import GuardhouseError
from guardhouse.sessions import ANY_SLOT, NewEvent, NewObject, SQLiteSessions
from guardhouse.sessions import sqlite as subject
from guardhouse.sessions.fingerprints import SessionKey
from guardhouse.sessions.schema import MIGRATIONS, SETUP, VERSION

WORKER = Path(__file__).with_name("session_worker.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(guardhouse.__file__).parent.parent)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "sessions.db"


@pytest.fixture
def index(path):
    index = SQLiteSessions(path, KEY)
    yield index
    index.close()


def start_worker(path, *arguments):
    """A process that says when it is ready, and then waits to be told to go."""
    return subprocess.Popen(
        [sys.executable, str(WORKER), str(path), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def let_go(*workers):
    """Wait until all are ready, then let them go at once."""
    for worker in workers:
        assert worker.stdout.readline() == "ready\n", worker.stderr.read()
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()


def files(path):
    """Every byte that is on disk."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


def check(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall()
    finally:
        connection.close()


def rows(path, query):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_fifty_processes_append_to_one_new_session_and_nothing_is_lost(path, index):
    workers = [start_worker(path, "append", number, 6) for number in range(50)]
    let_go(*workers)
    answers = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 50, [error for _, error in answers if error][:1]
    given = [[int(line) for line in output.split()] for output, _ in answers]
    assert sorted(seq for seqs in given for seq in seqs) == list(range(1, 301))
    assert all(seqs == sorted(seqs) for seqs in given)
    events = index.events("s", limit=1000)
    assert [event.seq for event in events] == list(range(1, 301))
    for number, seqs in enumerate(given):
        assert [events[seq - 1].excerpt for seq in seqs] == [f"{number}/{turn}" for turn in range(6)]
    owned = index.origins("s", [("own", event.excerpt) for event in events])
    assert all([o.event.excerpt for o in found.occurrences] == [own] for (_, own), found in owned.items())
    assert index.summary("s").events() == 300
    assert check(path) == [("ok",)]


def test_a_killed_process_leaves_whole_events_only(path, index):
    size = 3000
    for _ in range(5):
        worker = start_worker(path, "append_for_ever", size)
        let_go(worker)
        assert worker.stdout.readline() == "0\n"
        worker.kill()  # in the midst of the next one
        said, _ = worker.communicate(timeout=60)
        assert worker.returncode == -signal.SIGKILL
        events = index.events("s", limit=1000)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        committed = 1 + len(said.split())
        assert len(events) >= committed, "what was reported as kept is there"
        counts = dict(
            rows(
                path,
                "SELECT seq, count(*) FROM (SELECT seq, fingerprint FROM recent UNION ALL "
                "SELECT seq, fingerprint FROM settled) GROUP BY seq",
            )
        )
        assert counts == dict.fromkeys(range(1, len(events) + 1), size), "an event has all its values"
        assert index.summary("s").events() == len(events)
        assert check(path) == [("ok",)]
        index.forget("s")


def test_an_event_that_was_written_and_not_committed_is_not_there_at_all(path, index):
    index.append("s", returned("first"), [("word", "1")])
    worker = start_worker(path, "append_and_stop", 20_000)
    let_go(worker)
    assert worker.stdout.readline() == "inside\n"
    worker.kill()
    worker.communicate(timeout=60)
    assert index.append("s", returned("second"), [("word", "2")]) == 2
    assert [event.excerpt for event in index.events("s")] == ["first", "second"]
    found = index.origins("s", [("word", "1"), ("word", "2"), ("word", "19999")])
    assert [[o.event.seq for o in origins.occurrences] for origins in found.values()] == [[1], [2], []]
    assert check(path) == [("ok",)]


def test_a_process_that_is_stopped_while_it_writes_holds_others_up_for_a_bounded_time(path, index, monkeypatch):
    monkeypatch.setattr("guardhouse.sessions.sqlite._PATIENCE", 0.2)
    index.append("s", returned("one"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    other = SQLiteSessions(path, KEY)
    with pytest.raises(GuardhouseError, match="SQLITE_BUSY"):
        other.append("s", returned("two"))
    assert [event.excerpt for event in other.events("s")] == ["one"], "reading needs no turn"
    holder.execute("ROLLBACK")
    assert other.append("s", returned("two")) == 2
    holder.close()
    other.close()


def test_a_forked_child_and_its_parent_both_go_on(path, index):
    index.append("s", returned("before"))
    for turn in range(3):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                index.append("s", returned(f"child {turn}"), [("word", "child")])
                index.close()
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        index.append("s", returned(f"parent {turn}"), [("word", "parent")])
    assert len(index.events("s")) == 7
    assert check(path) == [("ok",)]


def test_a_forked_child_that_ends_normally_does_not_harm_its_parent(path):
    script = (
        "import os, sys; from pathlib import Path; from session_worker import *\n"
        "index = SQLiteSessions(Path(sys.argv[1]), KEY); index.append('s', returned('1'))\n"
        "child = os.fork()\n"
        "if child == 0:\n    index.append('s', returned('2')); sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print(index.append('s', returned('3')), index.append('s', returned('4')))\n"
    )
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}:{WORKER.parent}"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.stdout, done.stderr) == ("3 4\n", "")
    assert check(path) == [("ok",)]
    assert rows(path, "SELECT excerpt FROM event ORDER BY seq") == [("1",), ("2",), ("3",), ("4",)]


def test_no_value_and_no_session_id_is_on_disk(path, index):
    values = ["correct-horse-battery", "https://bank.example/pay?iban=DE02", "x" * 500]
    session = "session-of-anna@example.com"
    for _ in range(70):
        index.append(session, returned("masked"), [("word", value) for value in values])
    index.origins(session, [(ANY_SLOT, value) for value in [*values, "only-ever-asked-about"]])
    content = files(path)
    assert b"masked" in content
    for value in [*values, session, "only-ever-asked-about"]:
        assert value.encode() not in content
        assert value.encode()[:12] not in content
    assert KEY not in content


def test_equal_values_in_two_sessions_have_unrelated_fingerprints(path, index):
    for session in ("s", "t"):
        index.append(session, returned(), [("word", "same")])
    prints = rows(path, "SELECT fingerprint FROM recent UNION ALL SELECT fingerprint FROM settled")
    assert len(set(prints)) == 2


def test_another_key_finds_nothing(path, index):
    index.append("s", returned(), [("word", "a")])
    other = SQLiteSessions(path, bytes(32))
    assert other.events("s") == []
    assert other.origins("s", [("word", "a")])["word", "a"].occurrences == ()
    other.close()


def test_repeating_a_value_does_not_make_the_file_grow_without_bound(path, index):
    for _ in range(600):
        index.append("s", returned(), [(f"field:{part}", "x") for part in range(40)])
    ((count,),) = rows(path, "SELECT (SELECT count(*) FROM recent) + (SELECT count(*) FROM settled)")
    assert count <= 24 + 2 * 32 * 4


def test_what_is_forgotten_is_overwritten_and_the_file_shrinks(path, index):
    index.append("kept", NewEvent(kind="user_said", grade="user", excerpt="stays-here"), [("word", "a")])
    for number in range(130):
        index.append("s", returned(f"vanishing-{number}"), [("word", f"{number}/{part}") for part in range(200)])
        index.append("t", returned(f"lingering-{number}"))
    large = path.stat().st_size
    prints = [
        value.to_bytes(8, "big", signed=True)
        for (value,) in rows(path, "SELECT fingerprint FROM settled WHERE session = 2 LIMIT 500")
    ]
    assert any(value in files(path) for value in prints)
    assert index.forget("s")
    content = files(path)
    assert b"vanishing-" not in content
    assert not any(value in content for value in prints)
    assert b"stays-here" in content
    assert b"lingering-129" in content
    assert path.stat().st_size < large / 5
    assert Path(f"{path}-wal").stat().st_size == 0
    assert index.expire(float("inf")) == 2
    assert b"lingering-" not in files(path)
    assert rows(path, "SELECT count(*) FROM event") == rows(path, "SELECT count(*) FROM dropped") == [(0,)]
    assert check(path) == [("ok",)]


def test_a_removal_that_was_interrupted_is_finished_by_the_next(path, index, monkeypatch):
    monkeypatch.setattr("guardhouse.sessions.sqlite._REMOVED_AT_ONCE", 10)
    for number in range(20):
        index.append("s", returned(f"vanishing-{number}"), [("word", f"{number}/{part}") for part in range(10)])

    def interrupted(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(index, "_remove_some", interrupted)
        with pytest.raises(KeyboardInterrupt):
            index.forget("s")
    assert index.events("s") == []
    assert index.append("s", returned("anew")) == 1
    assert b"vanishing-" in files(path)
    assert index.expire(0.0) == 0
    assert b"vanishing-" not in files(path)
    assert [event.excerpt for event in index.events("s")] == ["anew"]


def test_the_file_and_its_directory_are_private(path, index):
    umask = os.umask(0)
    try:
        index.append("s", returned())
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"sessions.db": 0o600, "sessions.db-wal": 0o600, "sessions.db-shm": 0o600}


def test_a_link_or_a_file_that_others_can_read_is_refused(path, index, tmp_path):
    index.append("s", returned())
    index.close()
    path.chmod(0o640)
    with pytest.raises(GuardhouseError, match="only you can read"):
        index.events("s")
    path.chmod(0o600)
    path.rename(tmp_path / "elsewhere.db")
    path.symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(GuardhouseError, match="only you can read"):
        index.append("s", returned())
    path.unlink()
    path.symlink_to(tmp_path / "nowhere.db")
    with pytest.raises(GuardhouseError, match="only you can read"):
        index.append("s", returned())
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_file_is_refused(path, index):
    index.append("s", returned())
    index.close()
    os.chown(path, 12345, 12345)
    with pytest.raises(GuardhouseError, match="only you can read"):
        index.events("s")


def test_a_directory_that_others_can_write_to_is_refused(path, index):
    path.parent.mkdir(mode=0o700)
    path.parent.chmod(0o777)
    with pytest.raises(GuardhouseError, match="Others could change"):
        index.append("s", returned())
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_session_index_is_an_error_and_stays_as_it_is(path, index, content):
    path.parent.mkdir(mode=0o700)
    path.write_bytes(content)
    path.chmod(0o600)
    for call in (lambda: index.append("s", returned()), lambda: index.origins("s", [("word", "a")])):
        with pytest.raises(GuardhouseError, match="move the file") as caught:
            call()
        assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_damaged_index_is_an_error_whatever_is_asked(path, index):
    for number in range(100):
        index.append("s", returned(), [("word", f"{number}/{part}") for part in range(100)])
    index.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    for call in (
        lambda: index.append("s", returned(), [("word", "a")]),
        lambda: index.origins("s", [("word", "1/1")]),
        lambda: index.events("s"),
        lambda: index.summary("s"),
        lambda: index.forget("s"),
    ):
        with pytest.raises(GuardhouseError, match="can't be used"):
            call()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET kind = 'dreamt'",
        "UPDATE event SET grade = 7",
        "UPDATE event SET detail = '{'",
        "UPDATE event SET detail = '[1]'",
        "UPDATE event SET excerpt = x'ff'",
        "UPDATE event SET seq = 2",
        "UPDATE recent SET grade = 7",
        "DROP TABLE settled",
        "UPDATE object SET kept = x'c1'",
        "UPDATE object SET kept = x'93010203'",
        "UPDATE object SET kept = 'text'",
        "DROP TABLE object",
    ],
)
def test_rows_that_make_no_sense_are_an_error(path, index, damage):
    index.append("s", returned(detail={"a": "b"}), [("word", "a")], [NewObject(0, ("a",))])
    connection = sqlite3.connect(path)
    connection.execute(damage)
    connection.commit()
    connection.close()
    with pytest.raises(GuardhouseError):
        index.origins("s", [("word", "a")])
        index.events("s")
        index.objects("s", [1])


def version_1(path):
    """An index as the first version of its tables left it: one session, one event, one value."""
    path.parent.mkdir(mode=0o700)
    key = SessionKey(KEY, "s")
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (*SETUP, *MIGRATIONS[0], "PRAGMA user_version = 1"):
        connection.execute(statement)
    connection.execute("INSERT INTO session VALUES (1, ?, 1, 0.0)", (key.tag,))
    connection.execute("INSERT INTO event VALUES (1, 1, 'tool_returned', 'fetch', NULL, 2, 'old', NULL, 0.0, 0)")
    connection.execute("INSERT INTO tally VALUES (1, 'tool_returned', 2, 1, 1, 0, 1)")
    connection.execute("INSERT INTO recent VALUES (1, ?, 2, 'word', 1)", (key.fingerprint("a"),))
    connection.close()
    path.chmod(0o600)


def test_an_index_of_version_1_is_brought_up_to_date_and_keeps_what_it_has(path, index):
    version_1(path)
    assert index.append("s", returned("new"), [("word", "a")], [NewObject(0, ("mug",), (), "mug")], cut=True) == 2
    assert rows(path, "PRAGMA user_version") == [(VERSION,)]
    assert [event.excerpt for event in index.latest("s", "tool_returned", limit=9)] == ["old", "new"]
    assert [one.event.seq for one in index.origins("s", [("word", "a")])["word", "a"].occurrences] == [1, 2]
    assert {seq: kept[0].excerpt for seq, kept in index.objects("s", [1, 2]).items()} == {2: "mug"}
    (tally,) = index.summary("s").tallies
    assert (tally.events, tally.values, tally.cut) == (2, 2, 1)
    assert [(one.name, one.events) for one in index.recent(9)] == [("s", 2)]
    assert check(path) == [("ok",)]


def test_a_session_of_before_ids_were_kept_is_listed_without_one(path, index):
    version_1(path)
    assert [(one.name, one.events, one.untrusted) for one in index.recent(9)] == [("", 1, 1)]
    assert index.recent(9, beginning="s/") == []


def test_another_key_lists_sessions_but_not_their_ids(path, index):
    index.append("ada/one", returned())
    other = SQLiteSessions(path, bytes(32))
    assert [(one.name, one.events) for one in other.recent(9)] == [("", 1)]
    assert other.recent(9, beginning="ada/") == []
    other.close()


def test_listing_looks_only_at_the_sessions_that_it_lists(path, index):
    index.append("ada/one", returned())
    for where in ("", " AND s.kin = ? AND s.id < ?"):
        plan = rows(path, "EXPLAIN QUERY PLAN " + subject._RECENT.format(where=where).replace("?", "1"))
        assert "USING INDEX session_by_kin" in str(plan) or not where
        assert "TEMP B-TREE" not in str(plan)


def test_processes_that_bring_an_index_up_to_date_at_once_do_it_once(path, index):
    version_1(path)
    workers = [start_worker(path, "append", number, 3) for number in range(6)]
    let_go(*workers)
    for worker in workers:
        worker.communicate(timeout=120)
    assert [worker.returncode for worker in workers] == [0] * 6
    assert index.summary("s").events() == 19
    assert rows(path, "PRAGMA user_version") == [(VERSION,)]


def test_an_index_of_a_newer_guardhouse_is_refused(path, index):
    index.append("s", returned())
    index.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(GuardhouseError, match="newer"):
        index.events("s")


def test_an_index_that_was_moved_away_is_left_alone_and_a_new_one_is_made(path, index):
    index.append("s", returned("old"))
    for file in sorted(path.parent.iterdir()):
        file.rename(file.with_name(f"away-{file.name}"))
    assert index.append("s", returned("new")) == 1
    assert [event.excerpt for event in index.events("s")] == ["new"]


def test_a_log_without_its_index_is_not_taken_for_the_new_ones(path, index):
    path.parent.mkdir(mode=0o700)
    Path(f"{path}-wal").write_bytes(b"left over")
    with pytest.raises(GuardhouseError, match="-wal"):
        index.append("s", returned())
    assert not path.exists()


def test_a_directory_that_can_not_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(GuardhouseError, match="can't be used"):
        SQLiteSessions(tmp_path / "file" / "s.db", KEY).events("s")


def test_nothing_is_left_behind_by_making_an_index(path, index):
    index.append("s", returned())
    index.close()
    assert [file.name for file in path.parent.iterdir()] == ["sessions.db"]


def test_a_look_up_uses_the_keys_of_the_tables_only(path, index):
    index.append("s", returned(), [("word", "a")])
    connection = sqlite3.connect(path)
    queries = [
        ("SELECT seq FROM settled WHERE session = ? AND fingerprint IN (?, ?)", (1, 1, 2)),
        ("SELECT seq FROM recent WHERE session = ? AND fingerprint IN (?, ?)", (1, 1, 2)),
        ("SELECT * FROM event WHERE session = ? AND seq = ?", (1, 1)),
        ("SELECT * FROM event WHERE session = ? AND kind = ? ORDER BY seq DESC LIMIT ?", (1, "user_said", 16)),
        ("SELECT kept FROM object WHERE session = ? AND seq = ?", (1, 1)),
    ]
    steps = [step[3] for query, args in queries for step in connection.execute(f"EXPLAIN QUERY PLAN {query}", args)]
    connection.close()
    assert not [step for step in steps if step.startswith("SCAN")]
    assert not [step for step in steps if "TEMP B-TREE" in step]
    assert len([step for step in steps if step.startswith("SEARCH")]) == 5
