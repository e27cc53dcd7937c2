"""`guardhouse token`, run as a process: a token is printed once, and the record knows of it without knowing it."""

import json
import re
from pathlib import Path

import pytest

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.tokens import Tokens


def tokens_of(state):
    return Tokens(SqliteDatabase(state / "approvals.db"))


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.mark.parametrize("role", ["agent", "approver", "admin"])
def test_a_token_is_printed_alone_and_the_note_goes_elsewhere(machine, state, role):
    done = machine.run("token", "create", "--role", role, "--state-dir", str(state))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(rf"gdh_{role}_[0-9a-f]{{12}}_[A-Za-z0-9_-]{{43}}\n", done.stdout)
    assert "shown only now" in done.stderr
    assert done.stdout.strip() not in done.stderr
    assert tokens_of(state).check(done.stdout.strip()).role == role


def test_the_record_says_that_a_token_was_made_and_revoked_and_never_the_token(machine, state):
    made = machine.run("token", "create", "--role", "admin", "--name", "ada", "--state-dir", str(state)).stdout.strip()
    assert machine.run("token", "revoke", "ada", "--state-dir", str(state)).returncode == 0
    assert tokens_of(state).check(made) is None
    log = "".join(path.read_text() for path in sorted((state / "audit").glob("audit-*")))
    assert "creating the token ada (admin, id " in log
    assert "revoking the token ada" in log
    for file in (path for path in Path(state).rglob("*") if path.is_file()):
        assert made.split("_", 3)[3].encode() not in file.read_bytes(), file


def test_json_tells_all_that_was_made(machine, state):
    done = machine.run("token", "create", "--role", "agent", "--name", "ci", "--json", "--state-dir", str(state))
    told = json.loads(done.stdout)
    assert (told["name"], told["role"]) == ("ci", "agent")
    assert told["token"].startswith(f"gdh_agent_{told['id']}_")


def test_a_list_tells_tokens_apart_and_holds_none(machine, state):
    made = [
        machine.run("token", "create", "--role", role, "--name", name, *more, "--state-dir", str(state)).stdout.strip()
        for role, name, more in (("agent", "ci", ()), ("approver", "ada", ("--expires-in", "1.5")))
    ]
    machine.run("token", "revoke", "ci", "--state-dir", str(state))
    plain = machine.run("token", "list", "--state-dir", str(state)).stdout
    assert [line.split()[:2] for line in plain.splitlines()] == [["ci", "agent"], ["ada", "approver"]]
    entries = json.loads(machine.run("token", "list", "--json", "--state-dir", str(state)).stdout)
    assert [entry["status"] for entry in entries] == ["revoked", "valid"]
    assert entries[1]["expires_at"] > entries[1]["created_at"]
    assert not any(token.split("_", 3)[3] in plain + json.dumps(entries) for token in made)


def test_a_house_without_tokens_says_so(machine, state):
    assert machine.run("token", "list", "--state-dir", str(state)).stdout == "No tokens.\n"
    assert machine.run("token", "list", "--json", "--state-dir", str(state)).stdout == "[]\n"


def test_what_can_not_be_made_or_revoked_is_said(machine, state):
    there = ("--state-dir", str(state))
    assert machine.run("token", "create", "--role", "agent", "--name", "Not A Name", *there).returncode == 2
    assert machine.run("token", "create", "--role", "root", *there).returncode == 2
    assert machine.run("token", "create", "--role", "agent", "--expires-in", "0", *there).returncode == 2
    done = machine.run("token", "revoke", "nobody", *there)
    assert done.returncode == 1
    assert "There is no token nobody" in done.stderr


def test_a_token_that_can_not_be_recorded_is_not_told(machine, state):
    there = ("--state-dir", str(state))
    machine.run("token", "list", *there)
    (state / "audit").write_text("in the way of the record")
    done = machine.run("token", "create", "--role", "agent", "--name", "ci", *there)
    assert done.returncode == 2
    assert done.stdout == ""
    assert [(entry.name, entry.status) for entry in tokens_of(state).listed()] == [("ci", "revoked")]


def test_tokens_are_in_the_database_that_nodes_share(machine, state, postgres_url):
    shared = {"GUARDHOUSE_DATABASE_URL": postgres_url}
    done = machine.run("token", "create", "--role", "agent", "--state-dir", str(state), env=shared)
    assert done.returncode == 0, done.stderr
    database = PostgresDatabase(postgres_url)
    assert Tokens(database).check(done.stdout.strip()).role == "agent"
    database.close()
    assert machine.run("token", "list", "--state-dir", str(state)).stdout == "No tokens.\n"
