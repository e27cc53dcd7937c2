"""What the judge remembers of its own work: answers, blocks and tokens, for all processes and nodes of a house."""

from __future__ import annotations

import threading

import pytest

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.guardian import Answer, Standing
from guardhouse.guardian.standing import DAY_SPENT, SESSION_SPENT, TRIPPED, Begun
from guardhouse.model import GuardhouseError
from guardhouse.policy.schema import GuardianSection
from guardhouse.sealing import Seal

KEY = bytes(range(32))
FREE = GuardianSection(session_tokens=0, day_tokens=0)
SAID = Answer(outcome="allow", reason="the user asked for a holiday in Lisbon")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "sqlite":
        database = SqliteDatabase(tmp_path / "approvals.db")
    else:
        database = PostgresDatabase(request.getfixturevalue("postgres_url"))
    yield database
    database.close()


@pytest.fixture
def standing(database):
    return Standing(database, Seal(KEY, "guardian"))


def told(standing, *outcomes, session="s", heard=1, section=FREE, tokens=10):
    """The judge is asked so often; the first refusal, if there is one."""
    for outcome in outcomes:
        begun = standing.begin(session, heard, section, tokens)
        if not isinstance(begun, Begun):
            return begun
        standing.end(begun, outcome, tokens)
    return None


def refusal(standing, *, session="s", heard=1, section=FREE, tokens=10):
    return told(standing, "allow", session=session, heard=heard, section=section, tokens=tokens)


def test_an_answer_is_known_for_a_while_and_to_nobody_without_the_key(standing, database):
    begun = standing.begin("s", 1, FREE, 10)
    standing.end(begun, "allow", 10, "question", SAID)
    assert standing.known("question", 900) == SAID
    assert standing.known("question", 0) is None
    assert standing.known("another", 900) is None
    assert Standing(database, Seal(bytes(32), "guardian")).known("question", 900) is None
    with database.reading() as rows:
        [(sealed,)] = rows.run("SELECT sealed FROM guardian_answers")
    assert b"Lisbon" not in bytes(sealed)


def test_an_answer_that_was_changed_is_an_error(standing, database):
    standing.end(standing.begin("s", 1, FREE, 10), "allow", 10, "question", SAID)
    with database.writing() as rows:
        rows.run("UPDATE guardian_answers SET sealed = ?", (b"\x01" + bytes(60),))
    with pytest.raises(GuardhouseError):
        standing.known("question", 900)


def test_after_three_blocks_in_a_row_it_is_not_asked_until_the_user_speaks(standing):
    assert told(standing, "block", "block", "allow", "block", "block") is None
    assert told(standing, "block") is None
    assert refusal(standing) == TRIPPED
    assert refusal(standing, session="other") is None
    assert refusal(standing, heard=2) is None


def test_after_ten_blocks_among_fifty_it_is_not_asked_either(standing):
    outcomes = ["block", "allow"] * 9
    assert told(standing, *outcomes) is None
    assert told(standing, *["allow"] * 32) is None
    assert told(standing, "block") is None, "the first ones are fifty answers ago"
    outcomes = ["block", "allow"] * 10
    assert told(standing, *outcomes, session="t") == TRIPPED


def test_errors_are_no_blocks(standing):
    assert told(standing, *["error"] * 20, "block", "error", "block") is None


def test_a_known_answer_that_is_given_again_counts(standing):
    assert [standing.again("s", 1, "block") for _ in range(4)] == ["", "", "", TRIPPED]


def test_a_session_and_a_day_have_so_many_tokens(standing):
    section = GuardianSection(session_tokens=100, day_tokens=250)
    assert told(standing, "allow", "allow", section=section, tokens=50) is None
    assert refusal(standing, section=section, tokens=50) == SESSION_SPENT
    for session in ("t", "u"):
        assert told(standing, "allow", session=session, section=section, tokens=75) is None
    assert refusal(standing, session="v", section=section, tokens=50) == DAY_SPENT


def test_what_was_begun_and_never_ended_counts_as_it_was_estimated(standing):
    section = GuardianSection(session_tokens=100, day_tokens=0)
    assert isinstance(standing.begin("s", 1, section, 80), Begun)
    assert standing.begin("s", 1, section, 80) == SESSION_SPENT


def test_many_who_ask_at_once_do_not_get_more_than_there_is(database):
    section = GuardianSection(session_tokens=100, day_tokens=0)
    begun = []

    def ask():
        begun.append(Standing(database, Seal(KEY, "guardian")).begin("s", 1, section, 30))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, Begun) for one in begun) == 3
