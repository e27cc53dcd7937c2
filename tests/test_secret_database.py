"""The compiled database is kept, is only loaded if it is whole and ours, and nobody waits for it."""

from __future__ import annotations

import os
import stat
import threading
import time
from importlib.metadata import PackageNotFoundError

import pytest

from guardhouse.detect.secrets import SecretScanner, vectorscan
from guardhouse.secret_database import FirstLook, SecretDatabase

pytestmark = pytest.mark.skipif(not vectorscan.is_available(), reason="there is no Vectorscan for this machine")

TOKEN = "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def body(compiled_secrets):
    return compiled_secrets


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


def test_databases_that_nobody_has_used_for_long_and_drafts_of_the_dead_are_removed(database):
    database.make()
    names = ["secrets-0123456789abcdef-0.1.db", "secrets-0123456789abcdef-0.2.db", f"{database.path.name}.12.ab"]
    used, unused, draft = (database.path.with_name(name) for name in names)
    for file in (used, unused, draft):
        file.write_bytes(b"old")
    os.utime(unused, (0, 0))
    os.utime(draft, (0, 0))
    database.make()
    assert (used.exists(), unused.exists(), draft.exists()) == (True, False, False)


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
    wait_for(database.path.exists)
    assert isinstance(first._matcher, vectorscan.VectorscanMatcher)
    assert [match.kind for match in scanner.scan(f"{prose} {TOKEN}")] == ["github_token"]


def test_one_that_is_there_is_used_as_soon_as_it_is_worth_it(database):
    database.make()
    first = look(database)
    first.places(b"x" * 300_000)
    assert isinstance(first._matcher, vectorscan.VectorscanMatcher)


def test_if_it_can_not_be_kept_it_is_used_all_the_same_and_the_reason_is_known(database, tmp_path, monkeypatch, body):
    (tmp_path / "cache").write_text("a file where the directory should be")
    monkeypatch.setattr(vectorscan, "compiled", lambda: body)
    first = look(database)
    for _ in range(6):
        first.places(b"x" * (1 << 20))
    wait_for(lambda: first.problem)
    assert first.places(TOKEN.encode())
    assert isinstance(first._matcher, vectorscan.VectorscanMatcher)


BROKEN = {
    "no thread can be started": ("threading.Thread.start", RuntimeError("can't start new thread")),
    "it can't be compiled": ("guardhouse.detect.secrets.vectorscan.compiled", MemoryError("no memory")),
    "the library can't be loaded": ("guardhouse.detect.secrets.vectorscan.compiled", ImportError("libhs.so")),
    "nobody knows the library's version": (
        "guardhouse.detect.secrets.vectorscan.database_name",
        PackageNotFoundError("hyperscan"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_fails_looking_goes_on_and_nothing_is_tried_again(database, monkeypatch, name):
    tried = 0

    def fail(*_given):
        nonlocal tried
        tried += 1
        raise BROKEN[name][1]

    monkeypatch.setattr(BROKEN[name][0], fail)
    first = look(database)
    for _ in range(8):
        first.places(b"x" * (1 << 20))
    wait_for(lambda: first.problem)
    for _ in range(4):
        assert first.places(TOKEN.encode())
    assert tried == 1


def test_one_that_is_damaged_is_read_once(database, monkeypatch):
    database.make()
    database.path.write_bytes(b"damaged")
    loads = []
    load = database.load
    monkeypatch.setattr(database, "load", lambda: loads.append(1) or load())
    first = look(database)
    for _ in range(20):
        first.places(b"x" * 100_000)
    assert len(loads) == 1


def test_a_process_that_is_forked_off_while_it_is_made_makes_its_own(database, monkeypatch, body):
    gate = threading.Event()
    monkeypatch.setattr(vectorscan, "compiled", lambda: gate.wait(30) and body)
    first = look(database)
    for _ in range(6):
        first.places(b"x" * (1 << 20))
    child = os.fork()
    if not child:
        try:
            monkeypatch.setattr(vectorscan, "compiled", lambda: body)
            first.places(b"x")
            wait_for(lambda: isinstance(first._matcher, vectorscan.VectorscanMatcher))
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the child must not go on with the tests
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    gate.set()
    wait_for(lambda: isinstance(first._matcher, vectorscan.VectorscanMatcher))
