"""What the approver says to the gate's question, in every state a request can be in."""

import pytest
from approval_desk import SECRET, START, Desk, question

from guardhouse.approvals import ApprovalSettings, RequestClosed
from guardhouse.model import ApprovalStatus, GuardhouseError, RiskLevel, Settlement

OTHER_FACTS = {"path:deploy.sh": "sha256:22"}


@pytest.fixture
def desk(place):
    return Desk(place)


def test_a_first_question_opens_a_request_that_says_what_is_asked(desk):
    asked = question()
    request = desk.opened(asked)
    assert request.id.startswith("ap_")
    assert len(request.id) >= len("ap_") + 24
    assert (request.created_at, request.expires_at, request.use_by) == (START, START + 300, None)
    assert request.status is ApprovalStatus.PENDING
    assert request.action_hash == asked.bound.hash
    assert (request.codes, request.reasons, request.risk_level) == (asked.codes, asked.reasons, asked.risk_level)
    assert (request.session_id, request.principal, request.run_id) == ("s1", "ada", "run-1")
    assert request.action_redacted == asked.action_redacted
    assert SECRET not in str(request)
    assert desk.approver.get(request.id) == request


def test_the_time_to_answer_depends_on_the_risk(place):
    desk = Desk(place, settings=ApprovalSettings(answer_within={"critical": 60}))
    assert desk.opened(question("one", risk=RiskLevel.CRITICAL)).expires_at == START + 60
    assert desk.opened(question("two", risk=RiskLevel.LOW)).expires_at == START + 300


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer_within": {"huge": 5}},
        {"answer_within": {"low": 0}},
        {"answer_within": {"low": float("inf")}},
        {"use_within": -1},
        {"use_within": float("nan")},
    ],
)
def test_times_that_are_none_are_refused(wrong):
    with pytest.raises(GuardhouseError):
        ApprovalSettings(**wrong)


def test_asking_again_makes_no_second_card(desk):
    first = desk.opened(question())
    assert desk.opened(question(call_id="another-call")) == first
    assert desk.opened(question(), first.id) == first
    assert len(desk.recorded) == 1


def test_another_action_session_or_principal_is_another_request(desk):
    questions = [question(), question("rm -r x"), question(session="s2"), question(principal="eve")]
    assert len({desk.opened(asked).id for asked in questions}) == 4


def test_an_approval_is_good_once(desk):
    request = desk.approved(question())
    settlement = desk.approver.settle(question())
    assert settlement.granted
    assert settlement.request.id == request.id
    assert settlement.request.status is ApprovalStatus.CONSUMED
    assert settlement.refusal is None
    again = desk.opened(question())
    assert again.id != request.id
    assert desk.approver.settle(question(), request.id).refusal == "used"


def test_an_approval_can_be_used_by_its_id(desk):
    request = desk.approved(question())
    assert desk.approver.settle(question(), request.id).granted
    assert desk.approver.settle(question(), request.id).refusal == "used"


@pytest.mark.parametrize("wrong", ["ap_nobody", "", "x" * 5000, "ap_\ud800", "ap_\0", 7])
def test_an_id_that_nobody_gave_out_is_unknown(desk, wrong):
    desk.opened(question())
    assert desk.approver.settle(question(), wrong) == Settlement(refusal="unknown")


@pytest.mark.parametrize("other", [{"session": "s2"}, {"principal": "eve"}, {"session": None}])
def test_an_approval_never_leaves_its_scope_and_is_not_revealed(desk, other):
    request = desk.approved(question())
    assert desk.approver.settle(question(**other), request.id) == Settlement(refusal="unknown")
    assert desk.status(request) is ApprovalStatus.APPROVED
    assert desk.opened(question(**other)).id != request.id


def test_a_pending_request_is_not_for_another_action(desk):
    request = desk.opened(question())
    settlement = desk.approver.settle(question("make destroy"), request.id)
    assert settlement.refusal == "drift"
    assert settlement.drifted == ("params.command",)
    assert desk.status(request) is ApprovalStatus.PENDING


def test_a_pending_request_survives_other_facts(desk):
    request = desk.opened(question())
    settlement = desk.approver.settle(question(facts=OTHER_FACTS), request.id)
    assert (settlement.refusal, settlement.drifted) == ("drift", ("path:deploy.sh",))
    assert desk.status(request) is ApprovalStatus.PENDING


def test_an_approval_used_for_another_action_is_refused_and_stays(desk):
    request = desk.approved(question())
    settlement = desk.approver.settle(question("make destroy"), request.id)
    assert (settlement.granted, settlement.refusal, settlement.drifted) == (False, "drift", ("params.command",))
    assert desk.approver.settle(question(), request.id).granted


@pytest.mark.parametrize("by_id", [True, False])
def test_an_approval_is_void_when_the_world_has_changed(desk, by_id):
    request = desk.approved(question())
    settlement = desk.approver.settle(question(facts=OTHER_FACTS), request.id if by_id else None)
    assert (settlement.granted, settlement.refusal, settlement.drifted) == (False, "drift", ("path:deploy.sh",))
    assert settlement.request.status is ApprovalStatus.SUPERSEDED
    assert desk.approver.settle(question(), request.id).refusal == "superseded"
    assert desk.opened(question(facts=OTHER_FACTS)).id != request.id


@pytest.mark.parametrize("more", [{"codes": ("network.upload", "shell.unknown")}, {"risk": RiskLevel.CRITICAL}])
@pytest.mark.parametrize("by_id", [True, False])
def test_an_approval_that_covers_less_than_is_asked_now_is_replaced(desk, more, by_id):
    old = desk.approved(question())
    new = desk.opened(question(**more), old.id if by_id else None)
    assert new.id != old.id
    assert new.status is ApprovalStatus.PENDING
    replaced = desk.approver.get(old.id)
    assert (replaced.status, replaced.superseded_by) == (ApprovalStatus.SUPERSEDED, new.id)
    settlement = desk.approver.settle(question(**more), old.id)
    assert (settlement.refusal, settlement.request.superseded_by) == ("superseded", new.id)


def test_an_approval_covers_fewer_causes_and_less_risk(desk):
    desk.approved(question(codes=("a.b", "c.d"), risk=RiskLevel.HIGH))
    assert desk.approver.settle(question(codes=("c.d",), risk=RiskLevel.LOW)).granted


@pytest.mark.parametrize("more", [{"codes": ("network.upload", "shell.unknown")}, {"risk": RiskLevel.CRITICAL}])
def test_a_card_that_shows_less_than_is_asked_now_is_replaced(desk, more):
    old = desk.opened(question())
    new = desk.opened(question(**more))
    assert desk.approver.get(old.id).superseded_by == new.id
    assert desk.opened(question()) == new


def test_a_no_stands_for_the_time_there_was_to_answer(desk):
    request = desk.denied(question())
    for approval_id in (None, request.id):
        settlement = desk.approver.settle(question(), approval_id)
        assert (settlement.refusal, settlement.request.comment) == ("denied", "not today")
    desk.clock.now = request.expires_at
    assert desk.approver.settle(question(), request.id).refusal == "denied"
    assert desk.opened(question()).id != request.id


def test_a_request_that_nobody_answered_has_timed_out(desk):
    request = desk.opened(question())
    desk.clock.now = request.expires_at
    settlement = desk.approver.settle(question(), request.id)
    assert (settlement.refusal, settlement.request.status) == ("timeout", ApprovalStatus.EXPIRED)
    assert desk.opened(question()).id != request.id


def test_an_approval_that_was_not_used_is_too_late(desk):
    request = desk.approved(question())
    assert request.use_by == START + 600
    desk.clock.now = request.use_by
    settlement = desk.approver.settle(question(), request.id)
    assert (settlement.granted, settlement.refusal) == (False, "too_late")
    assert desk.opened(question()).id != request.id


def test_an_approval_is_good_until_the_last_moment(desk):
    request = desk.approved(question())
    desk.clock.now = request.use_by - 0.001
    assert desk.approver.settle(question()).granted


def test_a_cancelled_request_is_refused_as_such(desk):
    request = desk.opened(question())
    desk.approver.cancel(request.id, actor="ada")
    assert desk.approver.settle(question(), request.id).refusal == "cancelled"


def test_what_was_too_late_once_stays_so_when_the_clock_goes_back(desk):
    unanswered, unused = desk.opened(question("one")), desk.approved(question("two"))
    desk.clock.now = START + 601
    desk.opened(question("three"))
    desk.clock.now = START + 1
    assert desk.approver.settle(question("one"), unanswered.id).refusal == "timeout"
    assert desk.approver.settle(question("two"), unused.id).refusal == "too_late"


@pytest.mark.parametrize("now", [float("nan"), float("inf")])
def test_without_a_time_nothing_is_granted(desk, now):
    desk.approved(question())
    desk.clock.now = now
    with pytest.raises(GuardhouseError, match="clock"):
        desk.approver.settle(question())


def test_too_many_pending_in_a_scope_are_refused(place):
    desk = Desk(place, settings=ApprovalSettings(most_pending=2))
    first = desk.opened(question("1"))
    desk.opened(question("2"))
    assert desk.approver.settle(question("3")) == Settlement(refusal="too_many")
    assert desk.opened(question("1")) == first
    assert desk.opened(question("1", risk=RiskLevel.CRITICAL)).id != first.id
    desk.opened(question("3", session="s2"))
    desk.clock.now = START + 300
    desk.opened(question("3"))


def test_too_many_pending_in_all_are_refused(place):
    desk = Desk(place, settings=ApprovalSettings(most_pending_in_all=2))
    desk.opened(question("1"))
    desk.opened(question("1", session="s2"))
    assert desk.approver.settle(question("1", session="s3")).refusal == "too_many"


def test_an_approval_that_can_not_be_replaced_because_too_many_wait_is_left_alone(place):
    desk = Desk(place, settings=ApprovalSettings(most_pending=1))
    request = desk.approved(question())
    desk.opened(question("other"))
    assert desk.approver.settle(question(risk=RiskLevel.CRITICAL)).refusal == "too_many"
    assert desk.approver.settle(question()).granted
    assert desk.approver.settle(question(), request.id).refusal == "used"


def test_one_noisy_session_does_not_keep_the_others_from_asking():
    limits = ApprovalSettings()
    assert limits.most_pending_in_all >= 100 * limits.most_pending


def test_an_action_too_large_to_be_kept_is_refused_before_anything_is_stored(desk):
    for asked in (
        question(action_redacted={"x": "\x01" * 200_000}),
        question(resume=b"x" * 1_000_001),
        question(action_redacted={"x": "x" * 500_000}, resume=b"x" * 500_000),
    ):
        with pytest.raises(GuardhouseError, match="too large"):
            desk.approver.settle(asked)
    assert desk.approver.find() == []
    desk.opened(question(action_redacted={"x": "x" * 499_000}, resume=b"x" * 499_000))


NOTHING_ASKS = {"codes": (), "risk": RiskLevel.CRITICAL}


def test_a_question_that_nothing_asks_is_never_put(desk):
    desk.approved(question())
    with pytest.raises(GuardhouseError, match="nothing asks"):
        desk.approver.settle(question(**NOTHING_ASKS))
    assert desk.approver.settle(question()).granted


def test_a_pending_request_that_nothing_asks_for_any_more_is_taken_back_and_good_once(desk):
    request = desk.opened(question())
    settlement = desk.approver.settle(question(**NOTHING_ASKS), request.id)
    assert (settlement.granted, settlement.refusal) == (True, None)
    assert (settlement.request.status, settlement.request.actor) == (ApprovalStatus.CANCELLED, "policy")
    assert desk.blobs(request) == (None, None)
    assert desk.recorded[-1] == settlement.request
    for more in ({}, NOTHING_ASKS):
        assert desk.approver.settle(question(**more), request.id).refusal == "cancelled"
    with pytest.raises(RequestClosed):
        desk.approver.answer(request.id, approve=True, actor="ada")


def test_an_approval_is_used_up_even_if_nothing_asks_any_more(desk):
    request = desk.approved(question())
    settlement = desk.approver.settle(question(**NOTHING_ASKS), request.id)
    assert (settlement.granted, settlement.request.status) == (True, ApprovalStatus.CONSUMED)
    assert desk.approver.settle(question(**NOTHING_ASKS), request.id).refusal == "used"


@pytest.mark.parametrize("refusal", ["denied", "timeout", "too_late", "cancelled", "superseded", "unknown", "drift"])
def test_a_no_to_the_request_stands_even_if_nothing_asks_any_more(desk, refusal):
    asked, request = question(**NOTHING_ASKS), desk.opened(question())
    if refusal == "denied":
        desk.approver.answer(request.id, approve=False, actor="ada")
    elif refusal == "timeout":
        desk.clock.now = request.expires_at
    elif refusal == "too_late":
        desk.clock.now = desk.approver.answer(request.id, approve=True, actor="ada").use_by
    elif refusal == "cancelled":
        desk.approver.cancel(request.id, actor="ada")
    elif refusal == "superseded":
        desk.opened(question(risk=RiskLevel.CRITICAL))
    elif refusal == "unknown":
        asked = question(session="s2", **NOTHING_ASKS)
    else:
        asked = question("make destroy", **NOTHING_ASKS)
    settlement = desk.approver.settle(asked, request.id)
    assert (settlement.granted, settlement.refusal) == (False, refusal)


def test_a_request_is_never_opened_without_a_hash(desk, monkeypatch):
    asked = question()
    monkeypatch.setattr("guardhouse.model.consent.typed_digest", lambda _envelope: "")
    with pytest.raises(GuardhouseError, match="hash"):
        desk.approver.settle(asked)
    assert desk.approver.find() == []


def test_an_id_that_is_none_is_not_given_out(place):
    desk = Desk(place, new_id=lambda: "")
    with pytest.raises(GuardhouseError, match="new_id"):
        desk.approver.settle(question())
    assert desk.approver.find() == []


@pytest.mark.parametrize("number", [1, 1.0, -0.0, 2**53 + 1, 2**80, 10**400, 1e300, 0.1])
def test_what_an_approval_is_bound_to_survives_its_sealing(desk, number):
    action = {"type": "ToolCallPre", "tool": "pay", "params": {"amount": number, "naïve \U0001f512": ["ü", None, True]}}
    asked = question()
    asked = question(bound=type(asked.bound)(action, {}))
    desk.approved(asked)
    assert desk.approver.settle(asked).granted


def test_one_and_one_point_zero_are_two_actions(desk):
    kind = type(question().bound)
    request = desk.approved(question(bound=kind({"params": {"n": 1}}, {})))
    settlement = desk.approver.settle(question(bound=kind({"params": {"n": 1.0}}, {})), request.id)
    assert (settlement.refusal, settlement.drifted) == ("drift", ("params.n",))


def test_of_two_cards_for_one_call_only_the_one_for_the_world_as_it_is_can_be_used(desk):
    before = desk.opened(question())
    after = desk.opened(question(facts=OTHER_FACTS))
    assert after.id != before.id
    assert desk.status(before) is ApprovalStatus.SUPERSEDED
    assert desk.approver.get(before.id).superseded_by == after.id
    assert desk.approver.settle(question(), before.id).refusal == "superseded"
