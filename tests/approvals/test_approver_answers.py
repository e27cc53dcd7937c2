"""Answers, taking back, expiry, the record that is kept of it all, and waiting."""

import threading
import time

import pytest
from approval_desk import FINAL, SECRET, START, Desk, question

from guardhouse.approvals import AlreadyAnswered, ApprovalSettings, NoSuchRequest, RequestClosed
from guardhouse.model import ApprovalStatus, GuardhouseError, RiskLevel


@pytest.fixture
def desk(place):
    return Desk(place)


def test_a_yes_says_who_gave_it_when_and_until_when_it_is_good(desk):
    request = desk.opened(question())
    desk.clock.pass_(10)
    answered = desk.approver.answer(request.id, approve=True, actor="ada", comment="fine")
    assert answered.status is ApprovalStatus.APPROVED
    assert (answered.answered_at, answered.use_by) == (START + 10, START + 610)
    assert (answered.actor, answered.comment) == ("ada", "fine")
    assert desk.approver.get(request.id) == answered


def test_a_no_is_final(desk):
    answered = desk.denied(question())
    assert (answered.status, answered.comment, answered.use_by) == (ApprovalStatus.DENIED, "not today", None)


@pytest.mark.parametrize("approve", [True, False])
def test_the_same_answer_again_gives_the_first_one_back(desk, approve):
    request = desk.opened(question())
    first = desk.approver.answer(request.id, approve=approve, actor="ada", comment="first")
    desk.clock.pass_(5)
    assert desk.approver.answer(request.id, approve=approve, actor="bob", comment="second") == first


@pytest.mark.parametrize(("first", "word"), [(True, "approved"), (False, "denied")])
def test_the_opposite_answer_is_told_who_answered_and_when(desk, first, word):
    request = desk.opened(question())
    desk.approver.answer(request.id, approve=first, actor="ada")
    with pytest.raises(AlreadyAnswered, match=rf"already {word} by ada at 1970-01-12 13:46:40 UTC") as caught:
        desk.approver.answer(request.id, approve=not first, actor="bob")
    assert caught.value.request.actor == "ada"


def test_a_yes_that_was_used_is_still_the_answer(desk):
    request = desk.approved(question())
    assert desk.approver.settle(question()).granted
    assert desk.approver.answer(request.id, approve=True, actor="bob").actor == "ada"
    with pytest.raises(AlreadyAnswered, match="approved by ada"):
        desk.approver.answer(request.id, approve=False, actor="bob")


@pytest.mark.parametrize("approve", [True, False])
@pytest.mark.parametrize("late", [0, 0.001, 10_000])
def test_an_answer_that_comes_too_late_is_refused_and_says_so(desk, approve, late):
    request = desk.opened(question())
    desk.clock.now = request.expires_at + late
    with pytest.raises(RequestClosed, match="nobody answered in time") as caught:
        desk.approver.answer(request.id, approve=approve, actor="ada")
    assert not isinstance(caught.value, AlreadyAnswered)
    assert caught.value.request.status is ApprovalStatus.EXPIRED
    assert desk.rows("SELECT status FROM requests") == [("expired",)]
    desk.clock.now = START
    with pytest.raises(RequestClosed):
        desk.approver.answer(request.id, approve=approve, actor="ada")


def test_an_answer_counts_until_the_last_moment(desk):
    request = desk.opened(question())
    desk.clock.now = request.expires_at - 0.001
    assert desk.approver.answer(request.id, approve=True, actor="ada").status is ApprovalStatus.APPROVED


def test_a_yes_does_not_revive_what_is_void(desk):
    unused, replaced, revoked = (desk.approved(question(name)) for name in ("unused", "replaced", "revoked"))
    newer = desk.opened(question("replaced", risk=RiskLevel.CRITICAL))
    desk.approver.cancel(revoked.id, actor="bob")
    desk.clock.now = START + 600
    for request, why in ((unused, "not used until"), (replaced, newer.id), (revoked, "cancelled by bob")):
        with pytest.raises(RequestClosed, match=why):
            desk.approver.answer(request.id, approve=True, actor="ada")


def test_an_answer_to_an_unknown_request_is_an_error(desk):
    for wrong in ("ap_nobody", "", "ap_\ud800"):
        with pytest.raises(NoSuchRequest):
            desk.approver.answer(wrong, approve=True, actor="ada")
        with pytest.raises(NoSuchRequest):
            desk.approver.cancel(wrong, actor="ada")
        assert desk.approver.get(wrong) is None
        assert desk.approver.resume_data(wrong) is None


@pytest.mark.parametrize("actor", ["", "  ", None, 7])
def test_nobody_can_not_answer(desk, actor):
    request = desk.opened(question())
    with pytest.raises(GuardhouseError, match="who"):
        desk.approver.answer(request.id, approve=True, actor=actor)
    with pytest.raises(GuardhouseError, match="who"):
        desk.approver.cancel(request.id, actor=actor)
    assert desk.status(request) is ApprovalStatus.PENDING


def test_secrets_in_a_comment_are_masked_before_it_is_recorded_or_stored_whoever_answers(place):
    desk = Desk(place, mask=lambda text: text.replace(SECRET, "[redacted]"))
    request = desk.opened(question())
    answered = desk.approver.answer(request.id, approve=False, actor="mail:bob", comment=f"not with {SECRET}")
    assert answered.comment == "not with [redacted]"
    assert desk.approver.get(request.id) == desk.recorded[-1] == answered
    assert SECRET not in str(desk.rows("SELECT * FROM requests"))


def test_a_comment_that_can_not_be_masked_is_no_answer(tmp_path):
    def fails(_text):
        raise GuardhouseError("The detectors of secrets can't be loaded.")

    desk = Desk(tmp_path / "a.db", mask=fails)
    request = desk.opened(question())
    with pytest.raises(GuardhouseError, match="can't be loaded"):
        desk.approver.answer(request.id, approve=True, actor="ada", comment="fine")
    assert desk.status(request) is ApprovalStatus.PENDING
    assert desk.approver.answer(request.id, approve=True, actor="ada").status is ApprovalStatus.APPROVED


@pytest.mark.parametrize("comment", [7, b"x", "half a pair \ud800"])
def test_a_comment_that_is_no_text_changes_nothing(desk, comment):
    request = desk.opened(question())
    with pytest.raises(GuardhouseError):
        desk.approver.answer(request.id, approve=True, actor="ada", comment=comment)
    assert desk.status(request) is ApprovalStatus.PENDING


@pytest.mark.parametrize("answered", [True, False])
def test_a_question_or_an_unused_approval_can_be_taken_back(desk, answered):
    request = desk.approved(question()) if answered else desk.opened(question())
    cancelled = desk.approver.cancel(request.id, actor="bob")
    assert (cancelled.status, cancelled.actor) == (ApprovalStatus.CANCELLED, "bob")
    assert desk.approver.cancel(request.id, actor="eve") == cancelled
    assert desk.opened(question()).id != request.id


def test_what_is_used_or_denied_can_not_be_taken_back(desk):
    used, denied = desk.approved(question("one")), desk.denied(question("two"))
    assert desk.approver.settle(question("one")).granted
    for request in (used, denied):
        with pytest.raises(AlreadyAnswered, match="by ada"):
            desk.approver.cancel(request.id, actor="bob")


def test_what_is_due_expires_when_somebody_sweeps(desk):
    desk.opened(question("one"))
    desk.approved(question("two"))
    desk.denied(question("three"))
    assert desk.approver.sweep() == 0
    desk.clock.now = START + 300
    assert desk.approver.sweep() == 1
    desk.clock.now = START + 600
    assert desk.approver.sweep() == 1
    assert desk.approver.sweep() == 0


def test_what_is_due_expires_when_it_is_read(desk):
    one, two = desk.opened(question("one")), desk.opened(question("two"))
    desk.clock.now = START + 300
    assert desk.approver.get(one.id).status is ApprovalStatus.EXPIRED
    desk.clock.now = START
    assert desk.approver.get(two.id).status is ApprovalStatus.EXPIRED
    three = desk.opened(question("three"))
    desk.clock.now = START + 300
    assert desk.approver.find(status=ApprovalStatus.PENDING) == []
    assert desk.approver.resume_data(three.id) is None


def test_requests_are_found_newest_first(desk):
    one = desk.opened(question("one"))
    desk.clock.now = START - 50  # a clock that went back does not change what came first
    two = desk.opened(question("two"))
    three = desk.approved(question("three", session="s2"))
    assert desk.approver.find() == [three, two, one]
    assert desk.approver.find(status=ApprovalStatus.PENDING) == [two, one]
    assert desk.approver.find(session_id="s2") == [three]
    assert desk.approver.find(status=ApprovalStatus.PENDING, session_id="s2") == []
    assert desk.approver.find(limit=1) == [three]
    assert desk.approver.find(limit=0) == desk.approver.find(limit=-1) == []


def test_every_status_that_a_request_takes_on_is_recorded(desk):
    used = desk.approved(question("used"))
    desk.approver.settle(question("used"))
    replaced = desk.opened(question("replaced"))
    new = desk.opened(question("replaced", risk=RiskLevel.CRITICAL))
    desk.approver.cancel(new.id, actor="bob")
    late = desk.opened(question("late"))
    desk.clock.pass_(300)
    desk.approver.sweep()
    status = ApprovalStatus
    assert desk.statuses() == [
        (used.id, status.PENDING),
        (used.id, status.APPROVED),
        (used.id, status.CONSUMED),
        (replaced.id, status.PENDING),
        (replaced.id, status.SUPERSEDED),
        (new.id, status.PENDING),
        (new.id, status.CANCELLED),
        (late.id, status.PENDING),
        (late.id, status.EXPIRED),
    ]
    assert [request.actor for request in desk.recorded][1:3] == ["ada", "ada"]


class RecordIsFull(Exception):
    pass


def refuse(_request):
    raise RecordIsFull


def test_nothing_happens_that_can_not_be_recorded(desk):
    pending, approved = desk.opened(question("pending")), desk.approved(question("approved"))
    before = desk.approver.find()
    broken = Desk(desk.path, desk.clock, record=refuse)
    attempts = [
        lambda: broken.approver.settle(question("new")),
        lambda: broken.approver.settle(question("approved")),
        lambda: broken.approver.settle(question("approved"), approved.id),
        lambda: broken.approver.settle(question("approved", risk=RiskLevel.CRITICAL)),
        lambda: broken.approver.settle(question("pending", risk=RiskLevel.CRITICAL)),
        lambda: broken.approver.settle(question("approved", facts={"a": "b"})),
        lambda: broken.approver.answer(pending.id, approve=True, actor="ada"),
        lambda: broken.approver.answer(pending.id, approve=False, actor="ada"),
        lambda: broken.approver.cancel(approved.id, actor="ada"),
    ]
    for attempt in attempts:
        with pytest.raises(RecordIsFull):
            attempt()
        assert desk.approver.find() == before
    desk.clock.now = START + 300
    for attempt in (broken.approver.sweep, broken.approver.find, lambda: broken.approver.get(pending.id)):
        with pytest.raises(RecordIsFull):
            attempt()
    assert desk.rows("SELECT count(*) FROM requests WHERE status = 'expired'") == [(0,)]
    assert desk.approver.settle(question("approved")).granted


def test_the_second_of_two_records_failing_undoes_the_first(desk):
    request = desk.approved(question())
    kept = []

    def once(recorded):
        if kept:
            raise RecordIsFull
        kept.append(recorded)

    broken = Desk(desk.path, desk.clock, record=once)
    with pytest.raises(RecordIsFull):
        broken.approver.settle(question(risk=RiskLevel.CRITICAL))
    assert kept[0].status is ApprovalStatus.SUPERSEDED
    assert desk.approver.settle(question(), request.id).granted


def test_a_record_that_calls_back_is_an_error_and_changes_nothing(desk):
    caller = Desk(desk.path, desk.clock, record=lambda request: caller.approver.get(request.id))
    with pytest.raises(GuardhouseError):
        caller.approver.settle(question())
    assert desk.approver.find() == []
    assert caller.approver.find() == []


def test_what_is_needed_to_resume_is_there_until_the_end(desk):
    asked = question()
    request = desk.opened(asked)
    assert desk.approver.resume_data(request.id) == asked.resume
    desk.approver.answer(request.id, approve=True, actor="ada")
    assert desk.approver.resume_data(request.id) == asked.resume
    assert all(desk.blobs(request))
    desk.approver.settle(asked)
    assert desk.approver.resume_data(request.id) is None


def test_nothing_sealed_is_kept_in_a_final_state(desk):
    consumed, denied = desk.approved(question("consumed")), desk.denied(question("denied"))
    desk.approver.settle(question("consumed"))
    expired, unused = desk.opened(question("expired")), desk.approved(question("unused"))
    cancelled, superseded = desk.opened(question("cancelled")), desk.approved(question("superseded"))
    desk.approver.cancel(cancelled.id, actor="ada")
    desk.approver.settle(question("superseded", facts={"a": "b"}))
    desk.clock.pass_(600)
    desk.approver.sweep()
    assert {request.status for request in desk.approver.find()} == FINAL
    for request in (consumed, denied, expired, unused, cancelled, superseded):
        assert desk.blobs(request) == (None, None)


def test_compaction_removes_what_is_finished_and_old(desk):
    used, pending = desk.approved(question("used")), desk.opened(question("pending"))
    desk.approver.settle(question("used"))
    denied = desk.denied(question("denied"))
    assert desk.approver.compact(0) == 0, "their time to answer is not over"
    desk.clock.now = START + 299
    kept = desk.opened(question("kept"))
    desk.clock.now = START + 300
    assert desk.approver.compact(1000) == 0
    assert desk.approver.compact(300) == 2
    assert [request.id for request in desk.approver.find()] == [kept.id, pending.id]
    assert desk.approver.get(used.id) is desk.approver.get(denied.id) is None
    assert desk.approver.settle(question("used"), used.id).refusal == "unknown"


def test_compaction_removes_a_replaced_request_and_its_successor_in_any_order(desk):
    old = desk.opened(question())
    new = desk.opened(question(risk=RiskLevel.CRITICAL))
    desk.rows("UPDATE requests SET changed_at = changed_at + 1000 WHERE id = ?", old.id)
    desk.approver.cancel(new.id, actor="ada")
    desk.clock.pass_(500)
    assert desk.approver.compact(100) == 1
    assert desk.approver.get(old.id).superseded_by is None


@pytest.mark.parametrize("own", [True, False])
def test_waiting_ends_with_an_answer_through_this_or_another_connection(desk, monkeypatch, own):
    request = desk.opened(question())
    looked = threading.Semaphore(0)
    get = desk.approver.get

    def watched(request_id):
        found = get(request_id)
        looked.release()
        return found

    monkeypatch.setattr(desk.approver, "get", watched)
    seen = []
    waiting = threading.Thread(target=lambda: seen.append(desk.approver.wait(request.id, 20)))
    waiting.start()
    assert looked.acquire(timeout=20)  # it has found the request pending, and waits for changes
    answering = desk if own else Desk(desk.path, desk.clock)
    answering.approver.answer(request.id, approve=True, actor="ada")
    waiting.join(20)
    assert seen[0].status is ApprovalStatus.APPROVED


def test_an_answer_between_two_looks_is_not_missed(desk, monkeypatch):
    request = desk.opened(question())
    get = desk.approver.get

    def get_just_before_the_answer(request_id):
        found = get(request_id)
        Desk(desk.path, desk.clock).approver.answer(request_id, approve=True, actor="ada")
        return found

    monkeypatch.setattr(desk.approver, "get", get_just_before_the_answer)
    assert desk.approver.wait(request.id, 5).status is ApprovalStatus.APPROVED


def test_waiting_ends_when_the_time_to_answer_is_over(place):
    desk = Desk(place, settings=ApprovalSettings(answer_within={"high": 0.05}))
    desk.clock.now = time.time()
    desk.approver._clock = time.time
    request = desk.opened(question())
    assert desk.approver.wait(request.id, 20).status is ApprovalStatus.EXPIRED


def test_waiting_ends_after_the_timeout(desk):
    request = desk.opened(question())
    assert desk.approver.wait(request.id, 0.02) == request
    assert desk.approver.wait(request.id, 0) == request
    with pytest.raises(NoSuchRequest):
        desk.approver.wait("ap_nobody", 1)


def test_a_closed_approver_opens_again_when_it_is_needed(desk):
    request = desk.opened(question())
    desk.approver.close()
    desk.approver.close()
    assert desk.approver.get(request.id) == request
