"""The compiled database is kept, is only loaded if it is whole and ours, and nobody waits for it."""

from __future__ import annotations

import os
import stat
import threading
import time

import pytest

from guardhouse.detect.secrets import SecretScanner, vectorscan
from guardhouse.secret_database import FirstLook, SecretDatabase

pytestmark = pytest.mark.skipif(not vectorscan.is_available(), reason="there is no Vectorscan for this machine")

TOKEN = "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def body():
    return vectorscan.compiled()


@pytest.fixture
def database(tmp_path, body, monkeypatch):
    monkeypatch.setattr(vectorscan, "compiled", lambda: body)
    return SecretDatabase(tmp_path / "cache", tmp_path / "keys")


def test_what_was_made_is_kept_for_its_owner_alone_and_loaded_again(database):
    assert database.load() is None
    made = database.make()
    assert stat.S_IMODE(database.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(database.path.parent.stat().st_mode) == 0o700
    kept = database.load()
    assert kept is not None
    assert kept.places(TOKEN.encode()) == made.places(TOKEN.encode())


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content[:1000] + bytes([content[1000] ^ 1]) + content[1001:],
        lambda content: content[:30] + bytes([content[30] ^ 1]) + content[31:],
        lambda content: b"",
        lambda content: content + b"x",
        lambda content: b"x" * len(content),
    ],
    ids=["cut by one", "cut in half", "a bit in the body", "a bit in the seal", "empty", "longer", "something else"],
)
def test_one_that_is_damaged_is_not_loaded_and_a_new_one_takes_its_place(database, damage):
    database.make()
    content = database.path.read_bytes()
    database.path.write_bytes(damage(content))
    assert database.load() is None
    database.make()
    assert database.path.read_bytes() == content
    assert database.load() is not None


def test_one_that_another_key_sealed_is_not_loaded(database, tmp_path):
    database.make()
    assert SecretDatabase(tmp_path / "cache", tmp_path / "other keys").load() is None


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_one_that_others_could_have_read_or_changed_is_not_loaded(database, mode):
    database.make()
    database.path.chmod(mode)
    assert database.load() is None


def test_a_link_or_a_pipe_in_its_place_is_not_followed(database, tmp_path):
    database.make()
    content = database.path.read_bytes()
    (tmp_path / "elsewhere").write_bytes(content)
    (tmp_path / "elsewhere").chmod(0o600)
    database.path.unlink()
    database.path.symlink_to(tmp_path / "elsewhere")
    assert database.load() is None
    database.path.unlink()
    os.mkfifo(database.path, 0o600)
    assert database.load() is None
    database.make()
    assert database.path.read_bytes() == content
    assert (tmp_path / "elsewhere").read_bytes() == content


def test_one_that_is_made_for_another_machine_is_not_loaded(database, monkeypatch, body):
    monkeypatch.setattr(vectorscan, "compiled", lambda: body[:20] + bytes(200) + body[220:])
    with pytest.raises(Exception, match="not for this machine"):
        database.make()
    assert database.load() is None


def test_databases_of_other_versions_are_removed(database):
    database.make()
    old = database.path.with_name("secrets-0123456789abcdef-0.1.db")
    old.write_bytes(b"old")
    database.make()
    assert not old.exists()


def look(database) -> FirstLook:
    return FirstLook(database)


def test_a_process_that_looks_at_little_never_touches_it(database):
    before = threading.active_count()
    first = look(database)
    assert first.places(TOKEN.encode())
    assert not database.path.parent.exists()
    assert threading.active_count() == before


def wait_for(condition) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_nobody_waits_while_it_is_made(database, monkeypatch, body):
    gate = threading.Event()
    monkeypatch.setattr(vectorscan, "compiled", lambda: gate.wait(30) and body)
    first = look(database)
    scanner = SecretScanner(matcher=first)
    prose = "the quick brown fox " * 60_000
    for _ in range(5):
        assert [match.kind for match in scanner.scan(f"{prose} {TOKEN}")] == ["github_token"]
    assert not database.path.exists()
    gate.set()
    wait_for(lambda: first._is_fast)
    assert database.path.exists()
    assert [match.kind for match in scanner.scan(f"{prose} {TOKEN}")] == ["github_token"]


def test_one_that_is_there_is_used_as_soon_as_it_is_worth_it(database):
    database.make()
    first = look(database)
    first.places(b"x" * 300_000)
    assert first._is_fast


def test_if_it_can_not_be_kept_looking_goes_on_and_the_reason_is_known(database, tmp_path):
    (tmp_path / "cache").write_text("a file where the directory should be")
    first = look(database)
    for _ in range(6):
        first.places(b"x" * (1 << 20))
    wait_for(lambda: first.problem)
    assert first.places(TOKEN.encode())
    assert not first._is_fast
