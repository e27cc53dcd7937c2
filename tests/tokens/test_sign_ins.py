"""Who is signed in to the console, on both databases: by a session that ends, or by a code that is good once."""

import threading
from pathlib import Path

import pytest

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.model import GuardhouseError
from guardhouse.sign_ins import Lasting, SignIns
from guardhouse.tokens import Tokens


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    place = tmp_path / "tokens.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    opened = SqliteDatabase(place) if isinstance(place, Path) else PostgresDatabase(place)
    yield opened
    opened.close()


@pytest.fixture
def tokens(database):
    return Tokens(database)


@pytest.fixture
def sign_ins(database):
    return SignIns(database)


def test_a_session_stands_for_its_tokens_principal(tokens, sign_ins):
    _, ada = tokens.create("approver", "ada")
    begun = sign_ins.begin(ada)
    found = sign_ins.check(begun.secret)
    assert (found.id, found.name, found.role) == (ada.id, "ada", "approver")
    assert found.session
    assert sign_ins.is_good(found)


def test_what_is_no_session_is_nobody(tokens, sign_ins):
    token, ada = tokens.create("approver", "ada")
    secret = sign_ins.begin(ada).secret
    wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    for other in ("", token, secret[:-1], secret + "x", wrong, "gdh_console_"):
        assert sign_ins.check(other) is None


def test_an_agent_has_no_session_and_no_code(tokens, sign_ins):
    _, agent = tokens.create("agent", "bot")
    with pytest.raises(GuardhouseError):
        sign_ins.begin(agent)
    with pytest.raises(GuardhouseError):
        sign_ins.make_code("bot")


def test_a_session_ends_with_its_token(tokens, sign_ins):
    _, ada = tokens.create("approver", "ada")
    begun = sign_ins.begin(ada)
    tokens.revoke("ada")
    assert sign_ins.check(begun.secret) is None
    assert not sign_ins.is_good(begun.principal)


def test_a_session_ends_when_it_is_signed_out_of(tokens, sign_ins):
    _, ada = tokens.create("approver", "ada")
    first, second = sign_ins.begin(ada), sign_ins.begin(ada)
    sign_ins.end(first.principal)
    assert sign_ins.check(first.secret) is None
    assert sign_ins.check(second.secret) is not None


@pytest.mark.parametrize("lasting", [Lasting(idle=0.0), Lasting(most=0.0)])
def test_a_session_ends_by_itself(database, tokens, lasting):
    _, ada = tokens.create("approver", "ada")
    over = SignIns(database, lambda: lasting)
    assert over.check(over.begin(ada).secret) is None


def test_one_token_has_twenty_sessions_at_most_and_the_oldest_make_room(tokens, sign_ins):
    _, ada = tokens.create("approver", "ada")
    _, grace = tokens.create("approver", "grace")
    kept = sign_ins.begin(grace)
    begun = [sign_ins.begin(ada) for _ in range(21)]
    assert [one for one in begun if sign_ins.check(one.secret) is None] == begun[:1]
    assert sign_ins.check(kept.secret) is not None


def test_a_code_is_good_once_however_many_try(tokens, sign_ins):
    tokens.create("approver", "ada")
    code, principal = sign_ins.make_code("ada")
    assert principal.name == "ada"
    got = []
    threads = [threading.Thread(target=lambda: got.append(sign_ins.trade(code))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [begun] = [one for one in got if one is not None]
    assert sign_ins.check(begun.secret).name == "ada"


def test_a_code_is_good_for_two_minutes(database, tokens, sign_ins):
    tokens.create("approver", "ada")
    code, _ = sign_ins.make_code("ada")
    with database.writing() as rows:
        [(left,)] = rows.run("SELECT expires_at - ? FROM sign_in_codes", (rows.now(),))
        rows.change("UPDATE sign_in_codes SET expires_at = ?", (rows.now() - 1,))
    assert 110 < left <= 120
    assert sign_ins.trade(code) is None


def test_a_code_of_a_revoked_token_is_none(tokens, sign_ins):
    tokens.create("approver", "ada")
    code, _ = sign_ins.make_code("ada")
    tokens.revoke("ada")
    assert sign_ins.trade(code) is None


def test_without_a_name_an_admins_token_is_taken(tokens, sign_ins):
    with pytest.raises(GuardhouseError, match="no admin's token"):
        sign_ins.make_code(None)
    tokens.create("approver", "ada")
    tokens.create("admin", "root")
    assert sign_ins.make_code(None)[1].name == "root"
    with pytest.raises(GuardhouseError, match="of that name"):
        sign_ins.make_code("nobody")
