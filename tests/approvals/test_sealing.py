"""Sealed blobs: what opens them, what does not, and that nothing raw lies beside them."""

import os

import pytest
from approval_desk import KEY, SECRET, Desk, question

from guardhouse.model import ApprovalStatus, GuardhouseError
from guardhouse.sealing import Seal


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "approvals.db")


def test_what_was_sealed_comes_back():
    for content in (b"", b"x", os.urandom(100_000)):
        assert Seal(KEY).open("resume", "ap_1", Seal(KEY).seal("resume", "ap_1", content)) == content


def test_the_same_content_is_never_sealed_the_same_way():
    assert Seal(KEY).seal("bound", "ap_1", b"x") != Seal(KEY).seal("bound", "ap_1", b"x")


@pytest.mark.parametrize(
    ("key", "purpose", "request_id"),
    [(bytes(32), "resume", "ap_1"), (KEY, "bound", "ap_1"), (KEY, "resume", "ap_2")],
)
def test_a_blob_opens_only_as_what_it_was_sealed_for(key, purpose, request_id):
    blob = Seal(KEY).seal("resume", "ap_1", SECRET.encode())
    with pytest.raises(GuardhouseError, match="can't be opened") as caught:
        Seal(key).open(purpose, request_id, blob)
    assert SECRET not in str(caught.value)


def test_a_blob_of_which_any_byte_was_changed_does_not_open():
    blob = Seal(KEY).seal("resume", "ap_1", b"content")
    for place in range(len(blob)):
        with pytest.raises(GuardhouseError, match="can't be opened"):
            Seal(KEY).open("resume", "ap_1", blob[:place] + bytes([blob[place] ^ 1]) + blob[place + 1 :])
    for wrong in (b"", blob[:40], blob[:-1], blob + b"x", None, "text"):
        with pytest.raises(GuardhouseError, match="can't be opened"):
            Seal(KEY).open("resume", "ap_1", wrong)


@pytest.mark.parametrize("key", [b"", b"short", bytes(33), "x" * 32, None])
def test_a_key_of_another_size_is_refused(key):
    with pytest.raises(GuardhouseError, match="32 bytes"):
        Seal(key)


def all_bytes(desk):
    return b"".join(file.read_bytes() for file in sorted(desk.path.parent.iterdir()))


def test_no_raw_secret_lies_in_any_file(desk):
    request = desk.approved(question())
    files = {file.name for file in desk.path.parent.iterdir()}
    assert files == {"approvals.db", "approvals.db-wal", "approvals.db-shm"}
    assert SECRET.encode() not in all_bytes(desk)
    assert desk.approver.settle(question()).granted
    assert SECRET.encode() not in all_bytes(desk)
    desk.approver.compact(0)
    desk.approver.close()
    assert SECRET.encode() not in all_bytes(desk)
    assert request.id.encode() in all_bytes(desk), "the bytes searched are those of the store"


def test_what_was_erased_is_overwritten(desk):
    large = question(resume=SECRET.encode() * 500)
    request = desk.approved(large)
    sealed = desk.blobs(request)
    assert desk.approver.settle(large).granted
    desk.approver.compact(0)
    files = all_bytes(desk)
    for blob in sealed:
        pieces = [blob[start : start + 16] for start in range(0, len(blob) - 16, 16)]
        assert not [piece for piece in pieces if piece in files]


def refused(desk, ask):
    """That a question ends in an error, grants nothing and tells nothing."""
    with pytest.raises(GuardhouseError) as caught:
        ask()
    assert SECRET not in str(caught.value)
    assert desk.rows("SELECT count(*) FROM requests WHERE status = 'consumed'") == [(0,)]


@pytest.mark.parametrize("by_id", [True, False])
@pytest.mark.parametrize("facts", [None, {"path:deploy.sh": "other"}])
def test_with_another_key_nothing_is_granted_and_nothing_is_called_drift(desk, by_id, facts):
    request = desk.approved(question())
    other = Desk(desk.path, desk.clock, key=bytes(32))
    refused(desk, lambda: other.approver.settle(question(facts=facts), request.id if by_id else None))
    refused(desk, lambda: other.approver.resume_data(request.id))
    assert desk.approver.settle(question(), request.id).granted


def test_a_blob_moved_to_another_request_is_refused(desk):
    small, large = desk.approved(question("ls")), desk.approved(question("rm -rf /"))
    desk.rows(
        "UPDATE requests SET (sealed_bound, sealed_resume, action_hash, intent) = "
        "(SELECT sealed_bound, sealed_resume, 'moved', intent FROM requests WHERE id = ?) WHERE id = ?",
        large.id,
        small.id,
    )
    refused(desk, lambda: desk.approver.settle(question("rm -rf /"), small.id))
    refused(desk, lambda: desk.approver.resume_data(small.id))


@pytest.mark.parametrize("column", ["action_hash", "intent", "scope"])
def test_a_row_that_says_otherwise_than_its_seal_is_damaged(desk, column):
    approved, target = desk.approved(question("ls")), question("rm -rf /", session="s2")
    value = getattr(target.bound, {"action_hash": "hash"}.get(column, column))
    desk.rows(f"UPDATE requests SET {column} = ? WHERE id = ?", value, approved.id)
    scope = {"session": "s2"} if column == "scope" else {}
    refused(desk, lambda: desk.approver.settle(question("rm -rf /", **scope), approved.id))
    refused(desk, lambda: desk.approver.settle(question("ls", **scope), approved.id))


def test_a_row_without_a_hash_is_damaged(desk):
    request = desk.approved(question())
    store_past_the_checks(desk, "UPDATE requests SET action_hash = ''")
    refused(desk, lambda: desk.approver.settle(question(), request.id))
    assert desk.approver.cancel(request.id, actor="ada").status is ApprovalStatus.CANCELLED


def test_a_live_row_that_lost_its_seal_is_damaged(desk):
    request = desk.approved(question())
    desk.rows("UPDATE requests SET sealed_bound = NULL")
    refused(desk, lambda: desk.approver.settle(question()))
    refused(desk, lambda: desk.approver.settle(question(), request.id))


def test_a_damaged_request_is_in_nobodys_way_once_it_has_expired(desk):
    desk.opened(question())
    desk.rows("UPDATE requests SET sealed_bound = x'00'")
    refused(desk, lambda: desk.approver.settle(question()))
    desk.clock.pass_(300)
    desk.approved(question())
    assert desk.approver.settle(question()).granted


def store_past_the_checks(desk, statement):
    import sqlite3

    connection = sqlite3.connect(desk.path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(statement)
    connection.commit()
    connection.close()
