"""What holds for every session index: one suite, run over each of them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.database import PostgresDatabase
from guardhouse.model import GuardhouseError, Turn
from guardhouse.sealing import Seal
from guardhouse.sessions import (
    ANY_SLOT,
    KeptObject,
    KeptTurn,
    MemorySessions,
    NewEvent,
    NewObject,
    Origins,
    PostgresSessions,
    SessionLimits,
    SQLiteSessions,
    Summary,
    Tally,
)
from guardhouse.sessions.transcripts import ROOM, read_transcript, sealed_turn

KEY = bytes(range(32))


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def make(request, tmp_path, clock):
    """Makes an index of each sort, with the limits given."""
    made = []

    def make(**limits):
        limits = SessionLimits(**limits)
        if request.param == "memory":
            index = MemorySessions(KEY, limits=limits, clock=clock)
        elif request.param == "sqlite":
            index = SQLiteSessions(tmp_path / f"sessions{len(made)}.db", KEY, limits=limits, clock=clock)
        else:
            database = PostgresDatabase(request.getfixturevalue("postgres_url"))
            index = PostgresSessions(database, KEY, limits=limits, clock=clock)
        made.append(index)
        return index

    yield make
    for index in made:
        index.close()


@pytest.fixture
def index(make):
    return make()


def said(excerpt="", **fields):
    return NewEvent(kind="user_said", grade="user", excerpt=excerpt, **fields)


def returned(excerpt="", name="fetch", **fields):
    return NewEvent(kind="tool_returned", name=name, grade="untrusted", excerpt=excerpt, **fields)


def where(index, slot, value, session="s"):
    """The places of a value, as (seq, slot)."""
    found = index.origins(session, [(slot, value)])[slot, value]
    return [(occurrence.event.seq, occurrence.slot) for occurrence in found.occurrences]


def test_events_come_back_in_order_with_everything_they_were_given(index, clock):
    event = returned("a page", call_id="c1", detail={"source": "https://example.com/"})
    assert index.append("s", said("read it")) == 1
    clock.now = 1001.0
    assert index.append("s", event) == 2
    first, second = index.events("s")
    assert (first.seq, first.kind, first.grade, first.excerpt, first.at) == (1, "user_said", "user", "read it", 1000.0)
    assert (second.seq, second.name, second.call_id, second.detail) == (2, "fetch", "c1", event.detail)
    assert (second.at, second.capped) == (1001.0, False)


def test_events_are_given_in_pages(index):
    for number in range(5):
        index.append("s", said(str(number)))
    assert [event.seq for event in index.events("s", after=1, limit=2)] == [2, 3]
    assert [event.seq for event in index.events("s", after=4)] == [5]
    assert index.events("s", limit=0) == index.events("s", after=5) == index.events("s", limit=-1) == []


def test_a_value_is_found_in_the_events_it_occurred_in_and_in_its_role(index):
    index.append("s", said(), [("word", "anna"), ("url", "https://a.example/")])
    index.append("s", returned(), [("word", "anna"), ("field:to", "anna")])
    assert where(index, "word", "anna") == [(1, "word"), (2, "word")]
    assert where(index, "field:to", "anna") == [(2, "field:to")]
    assert where(index, ANY_SLOT, "anna") == [(1, "word"), (2, "field:to"), (2, "word")]
    assert where(index, "url", "anna") == []
    assert where(index, "url", "https://a.example/") == [(1, "url")]


def test_every_value_asked_about_gets_an_answer(index):
    index.append("s", said(), [("word", "a")])
    asked = [("word", "a"), ("word", "b"), ("word", "b"), (ANY_SLOT, "c")]
    assert index.origins("s", iter(asked)).keys() == set(asked)
    assert index.origins("another", asked) == dict.fromkeys(asked, Origins())
    assert index.origins("s", []) == {}


def test_a_value_that_occurs_twice_in_an_event_is_one_occurrence(index):
    index.append("s", said(), [("word", "a"), ("word", "a")])
    assert where(index, "word", "a") == [(1, "word")]


def test_sessions_do_not_see_each_other(index):
    index.append("s", said("one"), [("word", "a")])
    index.append("t", returned("two"), [("word", "b")])
    assert where(index, "word", "a", "t") == where(index, "word", "b", "s") == []
    assert [event.excerpt for event in index.events("t")] == ["two"]
    assert index.events("t")[0].seq == 1


def test_the_last_event_of_a_kind_is_known_whatever_its_grade(index):
    assert index.last("s", "assistant_showed") is None
    index.append("s", NewEvent(kind="assistant_showed", grade="trusted", excerpt="first"))
    index.append("s", NewEvent(kind="assistant_showed", grade="untrusted", excerpt="second"))
    index.append("s", said("yes"))
    assert index.last("s", "assistant_showed").excerpt == "second"
    assert index.last("s", "granted") is None


def test_the_latest_events_of_a_kind_come_in_order_and_no_more_than_asked_for(index):
    for number in range(5):
        index.append("s", said(str(number)))
        index.append("s", returned(f"page {number}"))
    assert [event.excerpt for event in index.latest("s", "user_said", limit=3)] == ["2", "3", "4"]
    assert [event.excerpt for event in index.latest("s", "tool_returned", limit=100)] == [f"page {n}" for n in range(5)]
    assert index.latest("s", "granted", limit=3) == index.latest("another", "user_said", limit=3) == []
    assert index.latest("s", "user_said", limit=0) == index.latest("s", "user_said", limit=-1) == []


def test_objects_come_back_with_the_event_they_are_of_and_their_words_as_numbers(index):
    things = (
        NewObject(1, ("coffee", "mug"), ("min price",), "the mug"),
        NewObject(1, ("tea", "mug")),
    )
    index.append("s", said(), objects=[NewObject(0, ("mug",))])
    index.append("s", returned(), objects=things)
    index.append("s", returned())
    found = index.objects("s", [1, 2, 3, 99])
    assert found.keys() == {1, 2}, "nothing for events that have none, or that there are none of"
    first, second = found[2]
    assert (first.group, first.flags, first.excerpt) == (1, ("min price",), "the mug")
    assert (second.flags, second.excerpt) == ((), "")
    (mug,) = found[1][0].words
    assert mug == first.words[1] == second.words[1], "the same word is the same number, whoever said it"
    assert first.words[0] != second.words[0]
    assert all(isinstance(word, int) and 0 <= word < 2**32 for word in first.words)
    assert index.objects("another", [1, 2]) == index.objects("s", []) == {}


def test_the_same_word_is_another_number_in_another_session(index):
    for session in ("s", "t"):
        index.append(session, said(), objects=[NewObject(0, ("mug",))])
    assert index.objects("s", [1])[1][0].words != index.objects("t", [1])[1][0].words


def test_an_event_with_too_many_objects_keeps_the_first_and_says_so(make):
    index = make(objects_per_event=3)
    index.append("s", returned(), objects=[NewObject(1, (), excerpt=str(number)) for number in range(4)])
    index.append("s", returned(), objects=[NewObject(1, (), excerpt=str(number)) for number in range(3)])
    assert [one.excerpt for one in index.objects("s", [1])[1]] == ["0", "1", "2"]
    assert [event.capped for event in index.events("s")] == [True, False]


def test_long_texts_of_objects_are_cut(index):
    index.append("s", returned(), objects=[NewObject(0, ("w",) * 5000, ("f" * 500,) * 50, "e" * 500)])
    (kept,) = index.objects("s", [1])[1]
    assert (len(kept.words), len(kept.flags), len(kept.flags[0]), len(kept.excerpt)) == (1500, 16, 64, 200)
    assert isinstance(kept, KeptObject)


def test_a_forgotten_session_has_no_objects_either(index):
    index.append("s", returned(), objects=[NewObject(0, ("mug",))])
    index.forget("s")
    assert index.objects("s", [1]) == {}
    assert index.append("s", returned()) == 1
    assert index.objects("s", [1]) == {}


def test_the_summary_counts_by_kind_and_grade(index):
    assert index.summary("s") == Summary()
    index.append("s", said(), [("word", "a"), ("word", "b")])
    index.append("s", returned())
    index.append("s", returned(), [("word", "a")])
    summary = index.summary("s")
    assert summary.tallies == (
        Tally("tool_returned", "untrusted", 2, 1, 0, 3),
        Tally("user_said", "user", 1, 2, 0, 1),
    )
    assert (summary.events(), summary.events(grade="untrusted"), summary.events(kind="granted")) == (3, 2, 0)


def test_a_flood_of_one_value_in_untrusted_content_does_not_hide_the_users_own(index):
    for _ in range(30):
        index.append("s", returned(), [("word", "x")])
    index.append("s", said(), [("word", "x")])
    for _ in range(100):
        index.append("s", returned(), [("word", "x")])
    found = index.origins("s", [("word", "x")])["word", "x"]
    assert found.capped
    assert [o.event.seq for o in found.occurrences] == [1, 2, 3, 4, 5, 6, 7, 8, 31]
    assert found.occurrences[-1].event.grade == "user"


def test_a_flood_of_roles_for_one_value_stays_bounded_and_is_told(index):
    index.append("s", said(), [("url", "x")])
    for number in range(200):
        index.append("s", returned(), [(f"field:{number}/{part}", "x") for part in range(50)])
    everywhere = index.origins("s", [(ANY_SLOT, "x")])[ANY_SLOT, "x"]
    assert len(everywhere.occurrences) == 25
    assert everywhere.occurrences[0].event.grade == "user"
    index.append("s", returned(), [("url", "x")])
    in_role = index.origins("s", [("url", "x")])["url", "x"]
    assert [o.event.seq for o in in_role.occurrences] == [1]
    assert in_role.capped, "the untrusted occurrence in this role was left out, and that is said"
    assert index.events("s", after=1, limit=1)[0].capped


def test_a_flood_in_one_role_does_not_hide_another_role_later_on(index):
    for _ in range(70):
        index.append("s", returned(), [("word", "x")])
    index.append("s", returned(), [("url", "x")])
    for _ in range(70):
        index.append("s", returned())
    assert where(index, "url", "x") == [(71, "url")]
    assert len(where(index, "word", "x")) == 8


def test_an_answer_that_is_complete_is_not_called_capped(index):
    for _ in range(7):
        index.append("s", returned(), [("word", "x")])
    assert not index.origins("s", [("word", "x")])["word", "x"].capped


def test_an_event_with_too_many_values_keeps_the_first_and_says_so(make):
    index = make(values_per_event=100)
    index.append("s", returned(), (("word", str(number)) for number in range(1000)))
    index.append("s", returned(), (("word", str(number % 100)) for number in range(1000)))
    assert [event.capped for event in index.events("s")] == [True, False]
    assert where(index, "word", "99") == [(1, "word"), (2, "word")]
    assert where(index, "word", "100") == []
    assert (index.summary("s").capped(), index.summary("s").capped(grade="user")) == (1, 0)


def test_an_event_of_which_some_values_are_nowhere_is_counted_as_cut(make):
    index = make(values_per_event=3, slots_per_value=1, values_per_grade=8)
    index.append("s", returned(), [("a", "x"), ("b", "x")])
    assert (index.summary("s").tallies[0].capped, index.summary("s").tallies[0].cut) == (1, 0), "it is found elsewhere"
    index.append("s", returned(), [("a", str(number)) for number in range(4)])
    index.append("s", returned(), [("a", "y")], cut=True)
    index.append("s", returned(), [("a", str(number)) for number in range(3)])
    index.append("s", returned(), [("a", "z")])
    assert [event.capped for event in index.events("s")] == [True, True, True, False, True]
    assert index.summary("s").tallies[0].cut == 3


def test_a_grade_that_used_up_its_allowance_leaves_the_others_theirs(make):
    index = make(values_per_grade=150)
    for number in range(3):
        index.append("s", returned(), [("word", f"{number}/{part}") for part in range(100)])
    index.append("s", said(), [("word", "mine")])
    assert [event.capped for event in index.events("s")] == [False, True, True, False]
    assert where(index, "word", "1/49") == [(2, "word")]
    assert where(index, "word", "1/50") == where(index, "word", "2/0") == []
    assert where(index, "word", "mine") == [(4, "word")]


def test_a_full_session_takes_no_more_events(make):
    index = make(events=2)
    index.append("s", said())
    index.append("s", said())
    with pytest.raises(GuardhouseError, match="2 events"):
        index.append("s", said(), [("word", "late")])
    assert (len(index.events("s")), where(index, "word", "late")) == (2, [])
    assert index.append("t", said()) == 1


def test_long_texts_are_cut_and_what_can_not_be_written_everywhere_is_replaced(index):
    index.append("s", returned("x" * 1000, call_id="c" * 1000, detail={"k" * 100: "v" * 1000, "half": "\ud800"}))
    zeroes = returned("a\0b", name="n\0", call_id="\0", detail={"\0": "\0"})
    index.append("s", zeroes, objects=[NewObject(0, (), ("\0",))])
    (kept,) = index.events("s", after=1)
    assert (kept.excerpt, kept.name, kept.call_id, kept.detail) == ("a?b", "n?", "?", {"?": "?"})
    (event,) = index.events("s", limit=1)
    assert (len(event.excerpt), event.excerpt[-1], len(event.call_id)) == (200, "…", 200)
    assert sorted(map(len, event.detail)) == [4, 64]
    assert event.detail["half"] == "?"


@pytest.mark.parametrize(
    "value", ["", "\x00", "\ud800", "a\udfffb", "é", "e\u0301", "x" * 1_000_000, "'; DROP TABLE event"]
)
def test_any_text_can_be_a_value(index, value):
    index.append("s", said(), [("word", value)])
    assert where(index, "word", value) == [(1, "word")]
    assert where(index, "word", value + "\x00") == []


@pytest.mark.parametrize("session", ["*", "\x00", "\ud800", "../../x", "s'--", "x" * 1_000_000, " ", "%", "🙂"])
def test_any_text_but_the_empty_one_can_be_a_sessions_id(index, session):
    index.append("s", said(), [("word", "a")])
    index.append(session, said(), [("word", "b")])
    assert where(index, "word", "b", session) == [(1, "word")]
    assert where(index, "word", "a", session) == where(index, "word", "b", "s") == []
    assert index.forget(session)
    assert where(index, "word", "a") == [(1, "word")]


@pytest.mark.parametrize("slot", ["x" * 65, "x" * 100_000, "a\nb", "\ud800", "\x00", "\x00" * 90, "é", '{"a\\b"}'])
def test_odd_slots_are_kept_apart_from_each_other(index, slot):
    index.append("s", said(), [(slot, "v")])
    assert [seq for seq, _ in where(index, slot, "v")] == [1]
    assert where(index, slot + "x", "v") == where(index, slot[:-1] or "y", "v") == []
    ((_, kept),) = where(index, ANY_SLOT, "v")
    assert len(kept) <= 64


@pytest.mark.parametrize(
    "call",
    [
        lambda index: index.append("", said()),
        lambda index: index.append(None, said()),
        lambda index: index.events(""),
        lambda index: index.append("s", said(), [("", "v")]),
        lambda index: index.append("s", said(), [(ANY_SLOT, "v")]),
        lambda index: index.append("s", NewEvent(kind="dreamt", grade="user")),
        lambda index: index.append("s", NewEvent(kind="user_said", grade="best")),
        lambda index: index.append("s", said(1)),
        lambda index: index.append("s", said(detail={"n": 1})),
        lambda index: index.append("s", said(detail={str(number): "" for number in range(17)})),
    ],
)
def test_what_can_not_be_kept_is_an_error_and_leaves_nothing(index, call):
    with pytest.raises(GuardhouseError):
        call(index)
    assert index.events("s") == []


def test_an_iterable_that_breaks_leaves_nothing(index):
    def breaking():
        yield "word", "a"
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError):
        index.append("s", said(), breaking())
    assert index.events("s") == []
    assert index.append("s", said()) == 1


def test_a_forgotten_session_is_gone_and_can_start_again(index):
    assert not index.forget("s")
    index.append("s", said(), [("word", "a")])
    index.append("t", said(), [("word", "a")])
    assert index.forget("s")
    assert not index.forget("s")
    assert (index.events("s"), index.summary("s"), where(index, "word", "a")) == ([], Summary(), [])
    assert index.last("s", "user_said") is None
    assert index.append("s", said("anew"), [("word", "b")]) == 1
    assert (where(index, "word", "a"), where(index, "word", "b")) == ([], [(1, "word")])
    assert where(index, "word", "a", "t") == [(1, "word")]


def test_only_sessions_untouched_since_then_expire(index, clock):
    for session, started, touched in (("old", 1, 2), ("kept", 1, 10), ("new", 10, 11)):
        for clock.now in (float(started), float(touched)):
            index.append(session, said(), [("word", "a")])
    assert index.expire(10.0) == 1
    assert index.expire(10.0) == 0
    assert [len(index.events(session)) for session in ("old", "kept", "new")] == [0, 2, 2]
    assert where(index, "word", "a", "kept") == [(1, "word"), (2, "word")]


def test_a_closed_index_opens_again_when_it_is_used(index):
    index.append("s", said(), [("word", "a")])
    index.close()
    index.close()
    assert where(index, "word", "a") == [(1, "word")]


def test_threads_lose_nothing_and_keep_the_order(index):
    start = threading.Barrier(8)
    seqs = []

    def work(worker):
        start.wait()
        for number in range(25):
            seqs.append(index.append("s", returned(), [("own", f"{worker}/{number}"), ("word", "shared")]))
            assert where(index, "own", f"{worker}/{number}")

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seqs) == list(range(1, 201))
    assert [event.seq for event in index.events("s", limit=1000)] == list(range(1, 201))


def test_a_key_is_32_bytes(tmp_path):
    for key in (b"", b"x" * 31, "x" * 32):
        with pytest.raises(GuardhouseError, match="32 bytes"):
            MemorySessions(key)
        with pytest.raises(GuardhouseError, match="32 bytes"):
            SQLiteSessions(tmp_path / "s.db", key)
        with pytest.raises(GuardhouseError, match="32 bytes"):
            PostgresSessions(PostgresDatabase("postgresql://nowhere.invalid/x"), key)


_VALUES = st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(["x", "y", "z", "\ud800"]))
_STEPS = st.one_of(
    st.tuples(
        st.just("append"),
        st.sampled_from(["s", "t"]),
        st.sampled_from(["user_said", "tool_returned"]),
        st.sampled_from(["user", "trusted", "untrusted"]),
        st.lists(_VALUES, max_size=12),
        st.booleans(),
    ),
    st.just(("append", "s", "tool_returned", "untrusted", [("a", "x")], False)),
    st.tuples(st.just("forget"), st.just("t")),
    st.tuples(st.just("expire"), st.floats(0, 40)),
)


def _outcome(call, *arguments):
    try:
        return call(*arguments)
    except GuardhouseError as error:
        return str(error)


def check_that_they_agree(indexes, clock, steps):
    """Do the same with each index, and ask each the same."""
    clock.now = 0.0
    for what, *arguments in steps:
        clock.now += 1.0
        if what == "append":
            session, kind, grade, values, cut = arguments
            event = NewEvent(kind=kind, grade=grade, excerpt=str(clock.now))
            things = [NewObject(number, (value,), (), slot) for number, (slot, value) in enumerate(values)]
            results = [_outcome(partial(i.append, cut=cut), session, event, values, things) for i in indexes]
        else:
            results = [getattr(i, what)(*arguments) for i in indexes]
        assert results[0] == results[1]
    asked = [(slot, value) for slot in ("a", "b", "c", ANY_SLOT) for value in ("x", "y", "z", "\ud800", "none")]
    for session in ("s", "t"):
        one, other = (
            (
                i.origins(session, asked),
                i.events(session, limit=1000),
                i.summary(session),
                i.last(session, "user_said"),
                i.latest(session, "user_said", limit=3),
                i.objects(session, range(1, 101)),
            )
            for i in indexes
        )
        assert one == other


_LIMITS = SessionLimits(
    values_per_event=5,
    slots_per_value=2,
    values_per_grade=120,
    events=100,
    occurrences_per_slot=3,
    occurrences_per_grade=5,
    objects_per_event=4,
)


@settings(max_examples=up_to(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(_STEPS, max_size=40), repeats=st.sampled_from([1, 1, 12]), slices=st.sampled_from([1, 2, 8, 32]))
def test_the_indexes_in_memory_and_on_disk_give_the_same_answers(steps, repeats, slices):
    clock = Clock()
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        # Few slices settle often, so that values are looked for in both places and between.
        patch.setattr("guardhouse.sessions.sqlite._SLICES", slices)
        patch.setattr("guardhouse.sessions.sqlite._SLICE", 2**64 // slices)
        on_disk = SQLiteSessions(Path(directory, "s.db"), KEY, limits=_LIMITS, clock=clock)
        check_that_they_agree((MemorySessions(KEY, limits=_LIMITS, clock=clock), on_disk), clock, steps * repeats)
        on_disk.close()


@settings(
    max_examples=up_to(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(_STEPS, max_size=40), repeats=st.sampled_from([1, 1, 12]))
def test_the_indexes_on_disk_and_in_a_shared_database_give_the_same_answers(postgres_url, steps, repeats):
    clock = Clock()
    shared = PostgresSessions(PostgresDatabase(postgres_url), KEY, limits=_LIMITS, clock=clock)
    shared.expire(float("inf"))
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        # All values in one place, as they are in the shared database: "the first of each role" is by place.
        patch.setattr("guardhouse.sessions.sqlite._SLICES", 1)
        patch.setattr("guardhouse.sessions.sqlite._SLICE", 2**64)
        on_disk = SQLiteSessions(Path(directory, "s.db"), KEY, limits=_LIMITS, clock=clock)
        check_that_they_agree((on_disk, shared), clock, steps * repeats)
        asked = [(slot, value) for slot in ("a", "b", ANY_SLOT) for value in ("x", "y", "z")]
        for session in ("s", "t"):
            for most in (1, 2, 4):
                assert on_disk.origins(session, asked, most=most) == shared.origins(session, asked, most=most)
        on_disk.close()
    shared.close()


def test_opening_the_room_loads_nothing_heavy():
    script = "import sys, guardhouse.sessions; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "re2", "yaml", "nacl", "cel", "guardhouse.policy"} & set(loaded)


def test_sessions_are_listed_newest_first_with_what_came_into_them(index, clock):
    assert index.recent(10) == []
    index.append("ada/one", said())
    clock.now = 1005.0
    index.append("bob/two", returned())
    clock.now = 1010.0
    index.append("ada/one", returned())
    clock.now = 1020.0
    index.append("ada/one", returned())
    two, one = index.recent(10)
    assert (one.name, one.begun, one.touched, one.events, one.untrusted) == ("ada/one", 1000.0, 1020.0, 3, 2)
    assert (two.name, two.begun, two.touched, two.events, two.untrusted) == ("bob/two", 1005.0, 1005.0, 1, 1)
    assert one.number < two.number


def test_sessions_are_listed_in_pages_and_by_how_their_ids_begin(index):
    for number in range(6):
        index.append(f"{'ada' if number % 2 else 'bob'}/{number}", said())
    index.append("bare", said())
    seen, before = [], None
    while page := index.recent(2, before=before):
        seen += [one.name for one in page]
        before = page[-1].number
    assert seen == ["bare", "ada/5", "bob/4", "ada/3", "bob/2", "ada/1", "bob/0"]
    assert [one.name for one in index.recent(9, beginning="ada/")] == ["ada/5", "ada/3", "ada/1"]
    assert [one.name for one in index.recent(1, beginning="ada/", before=index.recent(2)[1].number)] == ["ada/3"]
    assert index.recent(9, beginning="ad/") == index.recent(0) == index.recent(-1) == []
    for not_a_beginning in ("ada", "ada/1", "ada/b/"):
        with pytest.raises(GuardhouseError, match="first slash"):
            index.recent(9, beginning=not_a_beginning)


def test_a_session_that_was_forgotten_is_not_listed_and_one_begun_again_is_the_newest(index):
    for name in ("a", "b"):
        index.append(name, said())
    index.forget("a")
    assert [one.name for one in index.recent(9)] == ["b"]
    index.append("a", said())
    assert [one.name for one in index.recent(9)] == ["a", "b"]


@pytest.mark.parametrize("name", ["é/ü", "\ud800x", "n" * 512, "/", "a//b"])
def test_ids_come_back_as_they_were_given(index, name):
    index.append(name, said())
    assert [one.name for one in index.recent(9)] == [name]


def test_an_id_that_is_too_long_to_be_shown_is_listed_without_a_name(index):
    index.append("n" * 513, said())
    assert [(one.name, one.events) for one in index.recent(9)] == [("", 1)]


def _says(index, text, *, own, kind="tool_returned", session="s"):
    event = NewEvent(kind="user_said" if own else kind, grade="user" if own else "untrusted")
    index.append(session, event, turn=KeptTurn(text.encode(), own=own))


def test_the_latest_turns_are_kept_and_some_more_of_the_users_own(make):
    index = make(turns=3, own_turns=4)
    for number in range(6):
        _says(index, f"user {number}", own=True)
        _says(index, f"page {number}", own=False)
    index.append("s", NewEvent(kind="tool_returned", grade="trusted"))  # of which nobody wants the words
    assert [(one.sealed.decode(), one.own) for one in index.turns("s")] == [
        ("user 2", True),
        ("user 3", True),
        ("user 4", True),
        ("page 4", False),
        ("user 5", True),
        ("page 5", False),
    ]
    assert [one.seq for one in index.turns("s")] == [5, 7, 9, 10, 11, 12]
    assert index.turns("other") == []


def test_turns_of_others_do_not_push_out_the_users_own(make):
    index = make(turns=2, own_turns=3)
    _says(index, "only this", own=True)
    for number in range(40):
        _says(index, f"page {number}", own=False)
    assert [one.sealed for one in index.turns("s")] == [b"only this", b"page 38", b"page 39"]


def test_turns_go_with_their_session(make):
    index = make()
    for name in ("s", "t"):
        _says(index, "words", own=True, session=name)
    assert index.forget("s")
    assert index.turns("s") == []
    assert [one.sealed for one in index.turns("t")] == [b"words"]
    assert index.expire(10_000.0) == 1
    assert index.turns("t") == []


def test_words_are_sealed_for_their_own_session(make):
    seal, index = Seal(KEY, ROOM), make()
    for text, origin in (("only this", "user"), ("the page", "untrusted")):
        turn = Turn(origin=origin, text=text, name="web_fetch")
        kind, grade = ("user_said", "user") if origin == "user" else ("tool_returned", "untrusted")
        index.append("s", NewEvent(kind=kind, grade=grade), turn=sealed_turn(seal, "s", turn))
    read = read_transcript(index, seal, "s")
    assert [(one.origin, one.text) for one in read.turns] == [("user", "only this"), ("untrusted", "the page")]
    assert all(b"page" not in one.sealed and b"only" not in one.sealed for one in index.turns("s"))
    moved = index.turns("s")[0]
    index.append("t", NewEvent(kind="user_said", grade="user"), turn=moved)
    with pytest.raises(GuardhouseError):
        read_transcript(index, seal, "t")
    with pytest.raises(GuardhouseError):
        read_transcript(index, Seal(bytes(32), ROOM), "s")


def test_a_turn_that_was_made_the_users_own_is_not_read(make):
    seal, index = Seal(KEY, ROOM), make()
    sealed = sealed_turn(seal, "s", Turn(origin="untrusted", text="the page"))
    index.append("s", NewEvent(kind="user_said", grade="user"), turn=KeptTurn(sealed.sealed, own=True))
    with pytest.raises(GuardhouseError):
        read_transcript(index, seal, "s")


def test_a_transcript_says_how_much_is_not_shown(make):
    limits = SessionLimits(turns=2, own_turns=2)
    seal, index = Seal(KEY, ROOM), make(turns=2, own_turns=2)
    for number in range(5):
        for origin in ("user", "untrusted"):
            turn = Turn(origin=origin, text=f"{origin} {number}")
            kind, grade = ("user_said", "user") if origin == "user" else ("tool_returned", "untrusted")
            index.append("s", NewEvent(kind=kind, grade=grade), turn=sealed_turn(seal, "s", turn))
    read = read_transcript(index, seal, "s", limits)
    assert [one.text for one in read.turns] == ["user 4", "untrusted 4"]
    assert [one.text for one in read.earlier] == ["user 3"]
    assert read.forgotten == 7
