"""Tokens on both databases: told once, kept as digests, of use until they expire or are revoked."""

import hashlib
import multiprocessing
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.model import GuardhouseError
from guardhouse.tokens import Principal, Tokens

ROLES = ("agent", "approver", "admin")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    return tmp_path / "tokens.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def database(place):
    database = opened(place)
    yield database
    database.close()


@pytest.fixture
def tokens(database):
    return Tokens(database)


def opened(place):
    return SqliteDatabase(place) if isinstance(place, Path) else PostgresDatabase(place)


def backdate(database, seconds):
    """As if everything had been made that long ago."""
    with database.writing() as rows:
        rows.change(
            "UPDATE tokens SET created_at = created_at - ?, expires_at = expires_at - ?, revoked_at = revoked_at - ?",
            (seconds, seconds, seconds),
        )


@pytest.mark.parametrize("role", ROLES)
def test_a_token_has_its_form_and_stands_for_whom_it_was_made(tokens, role):
    token, principal = tokens.create(role, "ada")
    assert re.fullmatch(rf"gdh_{role}_{principal.id}_[A-Za-z0-9_-]{{43}}", token)
    assert re.fullmatch("[0-9a-f]{12}", principal.id)
    assert principal == Principal(principal.id, "ada", role)
    assert tokens.check(token) == principal


def test_a_token_without_a_name_gets_one_from_its_role_and_id(tokens):
    _, principal = tokens.create("agent")
    assert principal.name == f"agent-{principal.id}"


def test_only_a_digest_of_a_token_is_kept(tokens, database):
    token, _ = tokens.create("approver", "ada")
    with database.reading() as rows:
        [row] = rows.run("SELECT * FROM tokens")
    assert hashlib.sha256(token.encode()).hexdigest() in row
    assert token.split("_", 3)[3] not in repr(row)
    assert token not in repr(tokens.listed())


def test_a_name_is_given_once_even_when_its_token_was_revoked(tokens):
    tokens.create("agent", "ci")
    with pytest.raises(GuardhouseError, match="name"):
        tokens.create("admin", "ci")
    assert tokens.revoke("ci")
    with pytest.raises(GuardhouseError, match="name"):
        tokens.create("agent", "ci")
    assert len(tokens.listed()) == 1


@pytest.mark.parametrize("name", ["", "Ada", "a b", "a\n", "é", "x" * 65, "a/b", "0123456789ab", "\udc00"])
def test_what_is_no_plain_short_word_is_no_name(tokens, name):
    with pytest.raises(GuardhouseError):
        tokens.create("agent", name)
    assert not tokens.listed()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e300])
def test_a_time_that_is_none_is_refused(tokens, seconds):
    with pytest.raises(GuardhouseError):
        tokens.create("agent", expires_in=seconds)


def test_a_role_that_is_none_is_refused(tokens):
    with pytest.raises(GuardhouseError):
        tokens.create("root")


def test_another_secret_role_or_id_is_nobody(tokens):
    token, principal = tokens.create("agent", "ci")
    last = "A" if token[-1] != "A" else "B"
    assert tokens.check(token[:-1] + last) is None
    assert tokens.check(token.replace("gdh_agent", "gdh_admin")) is None
    assert tokens.check(token.replace(principal.id, "0" * 12)) is None
    assert tokens.check(token.upper()) is None


def test_an_unknown_id_is_compared_as_well(tokens, monkeypatch):
    compared = []
    real = hashlib.sha256

    def compare(one, other):
        compared.append((one, other))
        return real(one.encode()).digest() == real(other.encode()).digest()

    monkeypatch.setattr("guardhouse.tokens.hmac.compare_digest", compare)
    assert tokens.check(f"gdh_agent_{'0' * 12}_{'a' * 43}") is None
    [(one, other)] = compared
    assert len(one) == len(other) == 64


@given(st.text() | st.text(alphabet=string.printable) | st.from_regex(r"gdh_admin_[0-9a-f]{12}_.{43}", fullmatch=True))
def test_no_text_is_too_odd_to_ask_about(text):
    assert Tokens(_NOTHING).check(text) is None


class _Empty:
    """A database without rows, which takes no time."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def reading(self):
        return self

    def run(self, statement, values=()):
        return []

    def now(self):
        return 0.0


_NOTHING = _Empty()


def test_a_token_can_be_used_until_it_expires_by_the_clock_of_the_database(tokens, database):
    token, principal = tokens.create("agent", "ci", expires_in=3600)
    forever, _ = tokens.create("agent", "old")
    backdate(database, 3000)
    assert tokens.check(token) == principal
    backdate(database, 700)
    assert tokens.check(token) is None
    assert tokens.check(forever) is not None
    assert {entry.name: entry.status for entry in tokens.listed()} == {"ci": "expired", "old": "valid"}


@pytest.mark.parametrize("by", ["name", "id"])
def test_a_revoked_token_can_not_be_used(tokens, by):
    token, principal = tokens.create("approver", "ada")
    other, bystander = tokens.create("approver", "bob")
    assert tokens.revoke(getattr(principal, by))
    assert tokens.check(token) is None
    assert tokens.check(other) == bystander
    assert [entry.status for entry in tokens.listed()] == ["revoked", "valid"]


def test_revoking_again_changes_nothing_and_what_never_was_is_told(tokens):
    tokens.create("approver", "ada")
    assert tokens.revoke("ada")
    [before] = tokens.listed()
    assert tokens.revoke("ada")
    assert tokens.listed() == [before]
    assert not tokens.revoke("bob")
    assert not tokens.revoke("\udc00 odd")


def test_who_watches_learns_of_new_and_revoked_tokens(tokens, database):
    with database.watching() as watch:
        assert not watch.changed(0)
        tokens.create("agent", "ci")
        assert watch.changed(5)
        assert not watch.changed(0)
        tokens.revoke("ci")
        assert watch.changed(5)


def test_the_first_admin_is_made_when_there_was_never_any(tokens):
    token = tokens.first_admin()
    assert tokens.check(token).role == "admin"
    assert tokens.check(token).name == "admin"
    assert tokens.first_admin() is None
    tokens.revoke("admin")
    assert tokens.first_admin() is None


def test_a_house_that_has_other_tokens_still_gets_its_first_admin(tokens):
    tokens.create("agent", "admin")
    assert tokens.check(tokens.first_admin()).role == "admin"
    assert tokens.first_admin() is None


def _ask_for_admin(place, start, answers):
    database = opened(place)
    start.wait()
    answers.put(Tokens(database).first_admin())
    database.close()


def test_of_four_processes_one_gets_the_first_admin(place):
    processes = multiprocessing.get_context("spawn")
    start, answers = processes.Barrier(4), processes.Queue()
    workers = [processes.Process(target=_ask_for_admin, args=(place, start, answers)) for _ in range(4)]
    for worker in workers:
        worker.start()
    given_out = [answers.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert len([token for token in given_out if token]) == 1
