"""What holds for sessions that several nodes share: many processes, kills, locks, a database that goes away."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from session_worker import KEY, returned

import guardhouse
from guardhouse.database import PostgresDatabase, SqliteDatabase, migrating
from guardhouse.model import GuardhouseError
from guardhouse.sessions import ANY_SLOT, NewEvent, NewObject, PostgresSessions
from guardhouse.sessions import postgres as subject

WORKER = Path(__file__).with_name("session_worker.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(guardhouse.__file__).parent.parent)}
TABLES = (
    "agent_sessions",
    "session_events",
    "session_tallies",
    "session_occurrences",
    "session_objects",
    "dropped_sessions",
)


def node(url, **more):
    """An index as a node of its own has it."""
    return PostgresSessions(PostgresDatabase(url), more.pop("key", KEY), **more)


@pytest.fixture
def index(postgres_url):
    index = node(postgres_url)
    yield index
    index.close()


@pytest.fixture
def run(postgres_url):
    """What a look past the index sees or does."""
    with psycopg.connect(postgres_url, autocommit=True, options="-c search_path=guardhouse") as connection:

        def run(statement, *values):
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description is not None else []

        yield run


def start_worker(url, *arguments):
    """A process that says when it is ready, and then waits to be told to go."""
    return subprocess.Popen(
        [sys.executable, str(WORKER), url, *map(str, arguments)],
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


def places(index, value, session="s", slot="word"):
    return [one.event.seq for one in index.origins(session, [(slot, value)])[slot, value].occurrences]


def test_what_one_node_has_taken_in_another_knows_at_once(postgres_url, index):
    other = node(postgres_url)
    index.append("s", returned("a page"), [("word", "mallory")])
    assert places(other, "mallory") == [1]
    assert other.append("s", returned("another"), [("word", "mallory")]) == 2
    assert places(index, "mallory") == [1, 2]
    assert index.events("s") == other.events("s")
    other.close()


def test_many_processes_append_to_one_new_session_and_nothing_is_lost(postgres_url, index):
    """Nor is it when the first of them make the tables, all at once."""
    workers = [start_worker(postgres_url, "append", number, 20) for number in range(8)]
    let_go(*workers)
    answers = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 8, [error for _, error in answers if error][:1]
    given = [[int(line) for line in output.split()] for output, _ in answers]
    assert sorted(seq for seqs in given for seq in seqs) == list(range(1, 161))
    assert all(seqs == sorted(seqs) for seqs in given)
    events = index.events("s", limit=1000)
    assert [event.seq for event in events] == list(range(1, 161))
    for number, seqs in enumerate(given):
        assert [events[seq - 1].excerpt for seq in seqs] == [f"{number}/{turn}" for turn in range(20)]
    owned = index.origins("s", [("own", event.excerpt) for event in events])
    assert all([o.event.excerpt for o in found.occurrences] == [own] for (_, own), found in owned.items())
    assert index.summary("s").events() == 160
    assert places(index, "shared") == list(range(1, 9)), "the first ones, whoever wrote them"


def test_a_killed_process_leaves_whole_events_only(postgres_url, index, run):
    size = 3000
    for _ in range(3):
        worker = start_worker(postgres_url, "append_for_ever", size)
        let_go(worker)
        assert worker.stdout.readline() == "0\n"
        worker.kill()  # in the midst of the next one
        said, _ = worker.communicate(timeout=60)
        assert worker.returncode == -signal.SIGKILL
        index.append("s", returned("last"))  # waits until the server has noticed
        events = index.events("s", limit=1000)[:-1]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert len(events) >= 1 + len(said.split()), "what was reported as kept is there"
        counts = dict(run("SELECT seq, count(*) FROM session_occurrences GROUP BY seq"))
        assert counts == dict.fromkeys(range(1, len(events) + 1), size), "an event has all its values"
        assert index.summary("s").events() == len(events) + 1
        index.forget("s")


def test_an_event_that_was_written_and_not_committed_is_not_there_at_all(postgres_url, index):
    index.append("s", returned("first"), [("word", "1")])
    worker = start_worker(postgres_url, "append_and_stop", 20_000)
    let_go(worker)
    assert worker.stdout.readline() == "inside\n"
    assert [event.excerpt for event in index.events("s")] == ["first"], "nobody sees it, and reading need not wait"
    worker.kill()
    worker.communicate(timeout=60)
    assert index.append("s", returned("second"), [("word", "2")]) == 2
    assert [event.excerpt for event in index.events("s")] == ["first", "second"]
    assert (places(index, "1"), places(index, "2"), places(index, "19999")) == ([1], [2], [])


def test_who_appends_to_a_session_waits_for_others_of_that_session_only(postgres_url, index, monkeypatch):
    monkeypatch.setattr(subject, "_PATIENCE", 0.2)
    index.append("s", returned("one"))
    with psycopg.connect(postgres_url, options="-c search_path=guardhouse") as holder:
        holder.execute("SELECT 1 FROM agent_sessions FOR UPDATE")
        assert index.append("t", returned("of another session")) == 1
        began = time.monotonic()
        with pytest.raises(GuardhouseError, match="55P03"):
            index.append("s", returned("two"))
        assert time.monotonic() - began < 5
        assert [event.excerpt for event in index.events("s")] == ["one"], "reading needs no turn"
        holder.rollback()
    assert index.append("s", returned("two")) == 2


def test_nobody_waits_for_requests_for_approval(postgres_url, index):
    with PostgresDatabase(postgres_url).writing():
        assert index.append("s", returned(), [("word", "a")]) == 1
        assert places(index, "a") == [1]
        assert index.forget("s")


def test_a_forked_child_and_its_parent_both_go_on(index):
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
    assert [event.seq for event in index.events("s")] == list(range(1, 8))


def test_an_event_of_as_many_values_as_it_takes_is_kept_whole(index):
    values = [(f"field:{number % 500}", str(number)) for number in range(80_000)]
    index.append("s", returned(), values)
    assert not index.events("s")[0].capped
    found = index.origins("s", values[::7])
    assert all([one.slot for one in origins.occurrences] == [slot] for (slot, _), origins in found.items())


def test_no_value_and_no_session_id_is_in_the_database(index, run):
    values = ["correct-horse-battery", "https://bank.example/pay?iban=DE02", "x" * 500]
    session = "session-of-anna@example.com"
    index.append(session, returned("masked"), [("word", value) for value in values], [NewObject(0, tuple(values))])
    index.origins(session, [(ANY_SLOT, value) for value in [*values, "only-ever-asked-about"]])
    content = repr([run(f"SELECT * FROM {table}") for table in TABLES])
    assert "masked" in content
    for value in [*values, session, "only-ever-asked-about"]:
        assert value[:12] not in content
        assert value.encode()[:12].hex() not in content


def test_equal_values_in_two_sessions_have_unrelated_fingerprints(index, run):
    for session in ("s", "t"):
        index.append(session, returned(), [("word", "same")])
    assert len(set(run("SELECT fingerprint FROM session_occurrences"))) == 2


def test_another_key_finds_nothing(postgres_url, index):
    index.append("s", returned(), [("word", "a")])
    other = node(postgres_url, key=bytes(32))
    assert (other.events("s"), places(other, "a")) == ([], [])
    other.close()


def test_repeating_a_value_does_not_make_the_tables_grow_without_bound(index, run):
    for _ in range(60):
        index.append("s", returned(), [(f"field:{part}", "x") for part in range(40)])
        index.append("s", NewEvent(kind="user_said", grade="user"), [("word", "x")])
    [(count,)] = run("SELECT count(*) FROM session_occurrences")
    assert count <= 24 + 3 + 8


def test_a_session_that_is_forgotten_or_expired_leaves_no_row(index, run, monkeypatch):
    monkeypatch.setattr(subject, "_REMOVED_AT_ONCE", 100)
    for session in ("s", "t", "kept"):
        for number in range(5):
            values = [("word", f"{number}/{part}") for part in range(70)]
            index.append(session, returned(detail={"a": "b"}), values, [NewObject(0, ("mug",))])
    [_, (old,), (kept,)] = run("SELECT number FROM agent_sessions ORDER BY number")
    run("UPDATE agent_sessions SET touched = 5 WHERE number = %s", old)
    assert index.forget("s")
    assert index.expire(6.0) == 1
    assert run("SELECT count(*) FROM dropped_sessions") == [(0,)]
    for table, column in (("agent_sessions", "number"), *((table, "session") for table in TABLES[1:5])):
        assert run(f"SELECT DISTINCT {column} FROM {table}") == [(kept,)], table
    assert places(index, "4/69", "kept") == [5]


def test_a_removal_that_was_interrupted_is_finished_by_the_next_on_any_node(postgres_url, index, run, monkeypatch):
    monkeypatch.setattr(subject, "_REMOVED_AT_ONCE", 10)
    for number in range(20):
        index.append("s", returned(), [("word", f"{number}/{part}") for part in range(10)])

    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(index, "_remove_some", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index.forget("s")
    other = node(postgres_url)
    assert other.events("s") == []
    assert other.append("s", returned("anew")) == 1
    assert run("SELECT count(*) FROM session_occurrences") == [(200,)]
    assert other.expire(0.0) == 0
    assert run("SELECT count(*) FROM session_occurrences") == [(0,)]
    assert [event.excerpt for event in other.events("s")] == ["anew"]
    other.close()


def test_of_two_nodes_that_clear_the_same_session_away_the_second_leaves_nothing(postgres_url, run, monkeypatch):
    """It finds the rows gone that it was about to remove, and must not take that for all of them."""
    monkeypatch.setattr(subject, "_REMOVED_AT_ONCE", 10)
    index = node(postgres_url)
    index.append("s", returned(), [("word", str(number)) for number in range(100)])
    run("WITH old AS (DELETE FROM agent_sessions RETURNING number) INSERT INTO dropped_sessions SELECT number FROM old")
    for table in ("session_events", "session_tallies"):  # only the values are left
        run(f"DELETE FROM {table}")
    second = threading.Thread(target=index.expire, args=(0.0,))
    with psycopg.connect(postgres_url, options="-c search_path=guardhouse") as first:
        first.execute("SELECT 1 FROM dropped_sessions FOR UPDATE")
        first.execute(
            "DELETE FROM session_occurrences WHERE ctid = ANY (ARRAY (SELECT ctid FROM session_occurrences "
            "WHERE session = (SELECT session FROM dropped_sessions) LIMIT 10))"
        )
        second.start()
        waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        while not run(waiting):
            assert second.is_alive()
            time.sleep(0.01)
    second.join()
    assert [run(f"SELECT count(*) FROM {table}") for table in TABLES] == [[(0,)]] * len(TABLES)
    index.close()


def test_nodes_that_remove_and_append_at_once_do_not_disturb_each_other(postgres_url, run, monkeypatch):
    monkeypatch.setattr(subject, "_REMOVED_AT_ONCE", 50)
    nodes = [node(postgres_url) for _ in range(4)]
    failures = []

    def work(index, number):
        try:
            for turn in range(10):
                for session in ("s", "t", "u"):
                    index.append(session, returned(), [("word", f"{number}/{turn}/{part}") for part in range(60)])
                index.expire(float("inf")) if turn % 2 else index.forget("s")
        except GuardhouseError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(index, number)) for number, index in enumerate(nodes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    nodes[0].expire(float("inf"))
    assert [run(f"SELECT count(*) FROM {table}") for table in TABLES] == [[(0,)]] * len(TABLES)
    for index in nodes:
        index.close()


def test_old_sessions_are_removed_once_a_day_whichever_node_comes_first(postgres_url):
    now = 1_000_000.0
    one, other = node(postgres_url, clock=lambda: now), node(postgres_url, clock=lambda: now)
    one.append("old", returned())
    now += 1000.0
    one.append("young", returned())
    assert one.expire_daily(500.0) == 1
    now += 86_000.0
    assert (one.expire_daily(500.0), other.expire_daily(500.0)) == (0, 0), "a day has not passed"
    now += 401.0
    assert (other.expire_daily(500.0), one.expire_daily(500.0)) == (1, 0)
    one.close()
    other.close()


def test_without_a_clock_time_is_the_databases(index, run):
    index.append("s", returned())
    [(now,)] = run("SELECT extract(epoch FROM clock_timestamp())::float8")
    assert 0 <= now - index.events("s")[0].at < 60
    assert index.expire_daily(60.0) == 0
    assert index.expire(now - 60.0) == 0
    assert index.expire(now + 60.0) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE session_events SET kind = 'dreamt'",
        "UPDATE session_events SET grade = 7",
        "UPDATE session_events SET grade = 0",
        "UPDATE session_events SET detail = '{'",
        "UPDATE session_events SET detail = '[1]'",
        "UPDATE session_events SET seq = 2",
        "DELETE FROM session_events",
        "UPDATE session_occurrences SET grade = 7",
        "UPDATE session_objects SET kept = '\\xc1'",
        "UPDATE session_objects SET kept = '\\x93010203'",
        "UPDATE session_tallies SET grade = 7",
        "DROP TABLE session_objects",
        "DROP TABLE session_occurrences",
        "DROP TABLE session_tallies",
        "DROP TABLE agent_sessions",
    ],
)
def test_rows_that_make_no_sense_are_an_error(index, run, damage):
    index.append("s", returned("what was said", detail={"a": "b"}), [("word", "a")], [NewObject(0, ("a",))])
    run(damage)
    with pytest.raises(GuardhouseError) as caught:
        for call in (
            lambda: index.origins("s", [("word", "a")]),
            lambda: index.events("s"),
            lambda: index.objects("s", [1]),
            lambda: index.summary("s"),
        ):
            call()
    assert "what was said" not in str(caught.value)


CALLS = (
    lambda index: index.append("s", returned(), [("word", "a")]),
    lambda index: index.origins("s", [("word", "a")]),
    lambda index: index.events("s"),
    lambda index: index.latest("s", "tool_returned", limit=3),
    lambda index: index.objects("s", [1]),
    lambda index: index.summary("s"),
    lambda index: index.forget("s"),
    lambda index: index.expire(0.0),
    lambda index: index.expire_daily(0.0),
)


@contextlib.contextmanager
def gone(server, url):
    """The database has another name for a while, and whoever was connected is no longer."""
    name = conninfo_to_dict(url)["dbname"]
    with contextlib.closing(psycopg.connect(server, autocommit=True)) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        connection.execute(f"ALTER DATABASE {name} RENAME TO {name}_away")
        yield
        connection.execute(f"ALTER DATABASE {name}_away RENAME TO {name}")


def test_a_database_that_is_gone_is_an_error_whatever_is_asked_and_when_it_is_back_it_goes_on(
    postgres_server, postgres_url
):
    index = node(make_conninfo(postgres_url, password="hunter2-of-the-database"))
    index.append("s", returned("before"), [("word", "a")])
    with gone(postgres_server, postgres_url):
        for call in CALLS:
            with pytest.raises(GuardhouseError, match="PostgreSQL") as caught:
                call(index)
            told = f"{caught.value!r} {caught.value} {caught.value.__cause__}"
            assert "hunter2" not in told
            assert conninfo_to_dict(postgres_url)["dbname"] not in told
    assert places(index, "a") == [1]
    assert index.append("s", returned("after")) == 2
    index.close()


def test_a_server_that_nobody_reaches_is_an_error_at_once():
    index = node("postgresql://ada:hunter2@127.0.0.1:1/nowhere")
    began = time.monotonic()
    for call in CALLS:
        with pytest.raises(GuardhouseError, match="can't be reached") as caught:
            call(index)
        assert "hunter2" not in str(caught.value)
    assert time.monotonic() - began < 10


def test_connections_that_were_lost_are_opened_anew(index, run):
    index.append("s", returned(), [("word", "a")])
    run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert places(index, "a") == [1]


def plan(run, statement, values):
    [(lines,)] = run(f"EXPLAIN (FORMAT JSON) {statement.replace('?', '%s')}", *values)
    return str(lines)


@pytest.mark.parametrize("analysed", [False, True], ids=["before statistics", "with statistics"])
def test_a_look_up_uses_the_keys_of_the_tables_only(index, run, analysed):
    index.append("other", returned(), [("word", str(number)) for number in range(3000)])
    for turn in range(40):
        index.append("s", returned(str(turn)), [("word", f"{turn}/{part}") for part in range(500)])
    if analysed:
        run("ANALYZE")
    [(tag, session)] = run("SELECT tag, number FROM agent_sessions WHERE last_seq = 40")
    some = subject._array(range(0, 10**6, 10**4))
    plans = [
        plan(run, subject._ALL, (some, tag)),
        plan(run, subject._FIRSTS, (some, tag)),
        plan(run, subject._ADD_OCCURRENCES, (session, 41, 2, some, ["word"] * 100, session, 2, 24, 8)),
    ]
    for text in plans:
        assert text.count("'session_occurrences_pkey'") == 1
        [condition] = [part[:120] for part in text.split("'Index Cond': ") if "fingerprint = " in part[:120]]
        assert "session = " in condition, "both, so no more is read than is about a value"


def test_listing_sessions_reads_only_those_that_are_listed(index, run):
    for number in range(3):
        index.append(f"bob/{number}", returned())
    run(
        "INSERT INTO agent_sessions (tag, kin, last_seq, touched) "
        "SELECT decode(md5(n::text), 'hex'), decode(md5((n / 100)::text), 'hex'), 1, 0 FROM generate_series(1, 20000) n"
    )
    run("ANALYZE")
    newest = plan(run, subject._RECENT.format(where=""), (10,))
    assert "agent_sessions_pkey" in newest
    bobs = plan(run, subject._RECENT.format(where=" AND s.kin = ?"), (subject.kin_asked(KEY, "bob/"), 10))
    assert "agent_sessions_by_kin" in bobs
    assert [one.name for one in index.recent(2, beginning="bob/")] == ["bob/2", "bob/1"]


def test_both_databases_have_the_same_number_of_steps_and_one_without_statements_counts_too(tmp_path):
    assert [step.name for step in migrating.steps("sqlite")] == [step.name for step in migrating.steps("postgres")]
    [step] = [step for step in migrating.steps("sqlite") if step.name == "0004_sessions.sql"]
    assert migrating.statements(step) == []
    database = SqliteDatabase(tmp_path / "state" / "approvals.db")
    with database.reading() as rows:
        assert rows.run("PRAGMA user_version") == [(len(migrating.steps("sqlite")),)]
    database.close()


def test_a_database_from_before_there_were_sessions_is_brought_up_to_date(postgres_url, run, monkeypatch):
    steps = migrating.steps
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "steps", lambda kind: steps(kind)[:3])
        with PostgresDatabase(postgres_url).writing() as rows:
            rows.run("INSERT INTO key_marks VALUES ('approvals', 'kept')")
    assert run("SELECT number FROM version") == [(3,)]
    index = node(postgres_url)
    assert index.append("s", returned()) == 1
    assert run("SELECT number FROM version") == [(len(steps("postgres")),)]
    assert run("SELECT name FROM key_marks") == [("approvals",)]
    index.close()
