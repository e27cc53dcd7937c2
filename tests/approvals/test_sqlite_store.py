"""The SQLite file: who can read it, how it is made and brought up to date, and what happens when it can't be used."""

import importlib
import inspect
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from approval_desk import SECRET, Desk, question

from guardhouse import approvals
from guardhouse.approvals import Outline, SqliteStore
from guardhouse.database import migrating, sqlite
from guardhouse.model import ApprovalStatus, GrantScope, GuardhouseError, Terms


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "approvals.db")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def pragma(desk, name):
    with desk.store.database.reading() as rows:
        [(value,)] = rows.run(f"PRAGMA {name}")
    return value


def with_steps(monkeypatch, text, *, instead=False):
    """Let there be one more step that makes the tables, or only that one; how many there are then."""

    class Step:
        @staticmethod
        def read_text():
            return text

    steps = [*([] if instead else migrating.steps("sqlite")), Step]
    monkeypatch.setattr(migrating, "steps", lambda _kind: steps)
    return len(steps)


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_files_are_for_their_owner_only_whatever_the_umask(tmp_path):
    desk = Desk(tmp_path / "state" / "approvals.db")
    desk.opened(question())
    assert mode(tmp_path / "state") == 0o700
    assert {file.name: mode(file) for file in (tmp_path / "state").iterdir()} == {
        "approvals.db": 0o600,
        "approvals.db-wal": 0o600,
        "approvals.db-shm": 0o600,
    }


def test_files_that_others_could_read_are_closed_to_them(desk):
    desk.opened(question())
    for file in desk.path.parent.iterdir():
        file.chmod(0o644)
    Desk(desk.path).approver.find()
    assert {mode(file) for file in desk.path.parent.iterdir()} == {0o600}


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_symlink_is_refused(tmp_path, suffix):
    desk = Desk(tmp_path / "approvals.db")
    if suffix:
        desk.approver.find()
        desk.approver.close()
    target = tmp_path / "elsewhere"
    target.write_bytes(b"")
    (tmp_path / f"approvals.db{suffix}").symlink_to(target)
    with pytest.raises(GuardhouseError, match="not a file of yours"):
        desk.approver.find()
    assert target.read_bytes() == b""


def test_a_symlink_to_nowhere_is_refused(tmp_path):
    (tmp_path / "approvals.db").symlink_to(tmp_path / "nowhere")
    with pytest.raises(GuardhouseError, match="not a file of yours"):
        Desk(tmp_path / "approvals.db").approver.find()
    assert not (tmp_path / "nowhere").exists()


def test_what_belongs_to_somebody_else_is_refused(desk, monkeypatch):
    desk.approver.find()
    monkeypatch.setattr(sqlite, "_check_directory", lambda _directory: None)
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.raises(GuardhouseError, match="not a file of yours"):
        Desk(desk.path).approver.find()


def test_a_directory_that_others_can_write_to_is_refused(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(GuardhouseError, match="not yours alone"):
        Desk(shared / "approvals.db").approver.find()
    assert list(shared.iterdir()) == []


@pytest.mark.parametrize("name", ["a?mode=memory", "a#b", "100%25", ":memory:", "with space", "naïve"])
def test_a_file_may_have_any_name(tmp_path, name):
    desk = Desk(tmp_path / name)
    request = desk.opened(question())
    assert (tmp_path / name).is_file()
    assert Desk(tmp_path / name, desk.clock).approver.get(request.id) == request


def test_every_connection_is_set_up_for_safety(desk):
    names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "auto_vacuum", "busy_timeout")
    assert [pragma(desk, name) for name in names] == ["wal", 2, 1, 1, 2, 5000]
    again = Desk(desk.path)
    assert [pragma(again, name) for name in names] == ["wal", 2, 1, 1, 2, 5000]


def test_nothing_is_left_behind_by_making_a_store(desk):
    desk.approver.find()
    desk.approver.close()
    assert [file.name for file in desk.path.parent.iterdir()] == ["approvals.db"]


def test_a_store_that_can_not_be_made_leaves_nothing_behind(desk, monkeypatch):
    with_steps(monkeypatch, "CREATE NONSENSE;\n", instead=True)
    with pytest.raises(GuardhouseError):
        desk.approver.find()
    assert list(desk.path.parent.iterdir()) == []


def test_a_store_of_a_newer_guardhouse_is_refused(desk):
    desk.approver.find()
    desk.approver.close()
    desk.rows("PRAGMA user_version = 999")
    with pytest.raises(GuardhouseError, match="newer"):
        desk.approver.find()


@pytest.mark.parametrize("content", [b"", b"some text that is long enough to be no header of a database" * 20])
def test_a_file_that_is_no_store_is_refused_and_left_alone(desk, content):
    desk.path.write_bytes(content)
    with pytest.raises(GuardhouseError, match="Move it away"):
        desk.approver.find()
    assert desk.path.read_bytes() == content


def test_grants_of_a_store_from_before_values_could_be_granted_are_in_force(desk):
    terms = Terms(grant=GrantScope("exact", 600))
    desk.approver.answer(desk.opened(question()).id, approve=True, actor="bob", terms=terms)
    assert desk.approver.settle(question()).grant is None
    desk.approver.close()
    [table] = [one for one in migrating.statements(migrating.steps("sqlite")[4]) if one.startswith("CREATE TABLE gr")]
    with closing(sqlite3.connect(desk.path)) as rows:
        rows.execute("ALTER TABLE grants DROP COLUMN fields")
        rows.execute("ALTER TABLE grants RENAME TO newer")
        rows.execute(table)
        columns = ", ".join(name for _, name, *_ in rows.execute("PRAGMA table_info(newer)"))
        rows.execute(f"INSERT INTO grants ({columns}) SELECT {columns} FROM newer")
        rows.execute("DROP TABLE newer")
        rows.execute("ALTER TABLE requests DROP COLUMN executes")
        for later in ("guardian_opinions", "guardian_answers"):
            rows.execute(f"DROP TABLE {later}")
        rows.execute("PRAGMA user_version = 8")
        rows.commit()
    assert desk.approver.settle(question()).grant.uses == 1
    assert desk.rows("PRAGMA user_version") == [(len(migrating.steps("sqlite")),)]
    assert desk.rows("PRAGMA foreign_key_check") == []


def test_an_older_store_is_brought_up_to_date_with_what_is_in_it(desk, monkeypatch):
    request = desk.opened(question())
    newer = with_steps(monkeypatch, "CREATE TABLE more (x);\nINSERT INTO more VALUES (1);\n")
    for _ in range(2):
        assert Desk(desk.path, desk.clock).approver.get(request.id) == request
    assert desk.rows("SELECT count(*) FROM more") == [(1,)]
    assert desk.rows("PRAGMA user_version") == [(newer,)]


def test_a_step_that_fails_changes_nothing(desk, monkeypatch):
    desk.opened(question())
    newer = with_steps(monkeypatch, "CREATE TABLE more (x);\nCREATE NONSENSE;\n")
    with pytest.raises(GuardhouseError):
        Desk(desk.path).approver.find()
    assert desk.rows("PRAGMA user_version") == [(newer - 1,)]
    assert desk.rows("SELECT count(*) FROM sqlite_master WHERE name = 'more'") == [(0,)]


def test_a_store_that_is_held_by_another_is_an_error(desk):
    request = desk.approved(question())
    hasty = Desk(desk.path, desk.clock, wait=0.02)
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(GuardhouseError, match="held by another process"):
            hasty.approver.settle(question())
        assert hasty.approver.get(request.id) == request, "reading goes on"
    assert hasty.approver.settle(question()).granted


def test_a_full_store_is_an_error_and_changes_nothing(desk, monkeypatch):
    request = desk.approved(question())
    connect = sqlite3.connect

    def connect_to_a_small_disk(*arguments, **more):
        connection = connect(*arguments, **more)
        [(pages,)] = connection.execute("PRAGMA page_count").fetchall()
        connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_a_small_disk)
    full = Desk(desk.path, desk.clock)
    with pytest.raises(GuardhouseError, match="can't grow") as caught:
        full.approver.settle(question("x" * 100_000))
    assert "disk space" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert [found.id for found in desk.approver.find()] == [request.id]
    assert full.approver.settle(question()).granted, "what needs no room still works"


def test_a_parent_that_is_a_file_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GuardhouseError, match="can't be opened"):
        Desk(tmp_path / "file" / "approvals.db").approver.find()


def test_a_damaged_file_is_an_error_and_grants_nothing(desk):
    desk.approved(question())
    desk.approver.close()
    content = desk.path.read_bytes()
    desk.path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.settle(question())


@pytest.mark.parametrize(
    ("column", "value"),
    [("reasons", "not json"), ("codes", "{}"), ("risk_level", SECRET), ("action_redacted", "[1]"), ("created_at", "x")],
)
def test_a_damaged_row_is_an_error_that_tells_nothing_of_it(desk, column, value):
    request = desk.approved(question())
    desk.rows(f"UPDATE requests SET {column} = ?", value)
    for attempt in (lambda: desk.approver.settle(question()), lambda: desk.approver.get(request.id)):
        with pytest.raises(GuardhouseError, match="damaged") as caught:
            attempt()
        assert SECRET not in str(caught.value)


def test_a_change_that_was_overtaken_is_an_error(desk):
    request = desk.opened(question())
    with pytest.raises(GuardhouseError, match="changed meanwhile"), desk.store.writing() as rows:
        entry = rows.get(request.id)
        rows._rows.run("UPDATE requests SET status = 'denied', sealed_bound = NULL, sealed_resume = NULL")
        rows.change(entry.request, entry.request, at=0.0, erase=False)
    assert desk.status(request) is ApprovalStatus.PENDING


def test_the_same_id_twice_is_an_error(tmp_path):
    desk = Desk(tmp_path / "approvals.db", new_id=lambda: "ap_same")
    desk.opened(question("one"))
    with pytest.raises(GuardhouseError, match="CONSTRAINT"):
        desk.approver.settle(question("two"))


def test_compaction_makes_the_file_smaller(desk):
    for number in range(60):
        desk.approver.cancel(desk.opened(question(f"{number} {'x' * 20_000}")).id, actor="ada")
    kept = desk.opened(question("kept"))
    desk.approver.close()
    before = desk.path.stat().st_size
    desk.clock.pass_(299)
    assert desk.approver.compact(0) == 0
    desk.clock.pass_(1)
    assert desk.approver.compact(100) == 60
    assert desk.path.stat().st_size < before / 4
    assert desk.path.with_name("approvals.db-wal").stat().st_size == 0
    assert desk.approver.get(kept.id).status is ApprovalStatus.EXPIRED


def test_a_list_says_the_same_as_the_requests_without_reading_their_actions(desk):
    requests = [desk.opened(question(command, session=session)) for command in "ab" for session in ("s1", "s2")]
    desk.approver.answer(requests[0].id, approve=False, actor="ada")
    whole = desk.approver.find()
    listed = desk.approver.outlines()
    assert [msgspec.structs.asdict(outline) for outline in listed] == [
        {name: getattr(request, name) for name in Outline.__struct_fields__} for request in whole
    ]
    ids = [request.id for request in reversed(requests)]
    assert [one.id for one in desk.approver.outlines(status=ApprovalStatus.PENDING)] == ids[:3]
    assert [one.id for one in desk.approver.outlines(session_id="s2")] == ids[0::2]
    assert [one.id for one in desk.approver.outlines(beginning=ids[2][:20])] == [ids[2]]
    assert [one.id for one in desk.approver.outlines(limit=1)] == ids[:1]
    assert desk.approver.outlines(beginning="ap_%") == []
    desk.rows("UPDATE requests SET action_redacted = 'no JSON'")
    assert desk.approver.outlines() == desk.approver.outlines()
    desk.rows("UPDATE requests SET risk_level = 'purple' WHERE id = ?", ids[0])
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.outlines()


def test_many_requests_that_are_due_at_once_expire_without_being_in_memory_together(tmp_path):
    desk = Desk(tmp_path / "approvals.db", record=lambda _request: None)
    for number in range(30):
        desk.opened(question(f"{number}", action_redacted={"x": ["y"] * 20_000}))
    desk.clock.pass_(301)
    tracemalloc.start()
    try:
        assert desk.approver.sweep() == 30
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


def test_threads_share_one_approver(desk):
    request = desk.approved(question())
    outcomes = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(desk.approver.settle(question(), request.id)))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert Counter(outcome.refusal for outcome in outcomes) == {"used": 15, None: 1}
    assert [outcome.granted for outcome in outcomes].count(True) == 1


def test_two_stores_of_one_process_do_not_break_each_others_locks(desk):
    """Closing a file by hand drops every lock this process has on it; a second store must never do that."""
    desk.approver.find()
    with desk.store.writing():
        Desk(desk.path).approver.find()
        code = (
            "import sys; from pathlib import Path; from guardhouse.approvals import SqliteStore\n"
            "with SqliteStore(Path(sys.argv[1]), wait=0.02).writing(): pass"
        )
        other = subprocess.run([sys.executable, "-c", code, str(desk.path)], capture_output=True, check=False)
        assert b"held by another process" in other.stderr


@pytest.mark.parametrize(
    ("index", "query"),
    [
        ("one_is_live", lambda rows: rows.select(status=sqlite_live(), scope="s", action_hash="h", limit=1)),
        ("by_hash", lambda rows: rows.select(status=[ApprovalStatus.DENIED], scope="s", action_hash="h", limit=1)),
        ("by_intent", lambda rows: rows.select(status=[ApprovalStatus.APPROVED], scope="s", intent="i")),
        ("due_for_answer", lambda rows: rows.due(0.0)),
        ("due_for_use", lambda rows: rows.due(0.0)),
        ("pending_in_scope", lambda rows: rows.count_pending(scope="s")),
        ("newest_pending", lambda rows: rows.count_pending()),
        ("due_for_answer", lambda rows: rows.count_waiting(0.0)),
    ],
)
def test_questions_do_not_get_slower_with_the_number_of_finished_requests(desk, index, query):
    with desk.store.reading() as rows:
        statements = []
        rows._rows._connection.set_trace_callback(statements.append)
        query(rows)
        rows._rows._connection.set_trace_callback(None)
        plan = str(rows._rows.run(f"EXPLAIN QUERY PLAN {statements[-1]}"))
    assert index in plan


def sqlite_live():
    return (ApprovalStatus.PENDING, ApprovalStatus.APPROVED)


def test_importing_the_room_loads_neither_sqlite_nor_the_cipher():
    code = "import sys, guardhouse.approvals; print([name for name in ('sqlite3', 'nacl') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_name_of_the_room_is_hidden_by_a_module_of_the_same_name():
    for module in approvals._MODULES:
        importlib.import_module(f"guardhouse.approvals.{module}")
    assert not [name for name in approvals.__all__ if inspect.ismodule(getattr(approvals, name))]


def test_a_store_is_opened_when_it_is_first_used(tmp_path):
    SqliteStore(Path(tmp_path / "state" / "approvals.db")).close()
    assert list(tmp_path.iterdir()) == []
