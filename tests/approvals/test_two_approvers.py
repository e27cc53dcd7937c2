"""Where one person's yes is not enough, and who is one person."""

from __future__ import annotations

import pytest
from approval_desk import Clock, Desk, question

from guardhouse.approvals import AlreadyAnswered, ApprovalSettings, NotOffered, NotYours, RequestClosed
from guardhouse.approvals.card import outcome
from guardhouse.approvals.people import People
from guardhouse.model import ApprovalStatus, GrantScope, RiskLevel, Supply, Terms

PEOPLE = {"bob": ("approver:bob", "telegram:7", "local:bob"), "ada": ("agent:ada", "local:ada")}
TWO = ApprovalSettings(second_from=RiskLevel.HIGH, people=PEOPLE)
AGAIN = Terms(grant=GrantScope("exact", 600))


@pytest.fixture
def desk(place):
    desk = Desk(place, settings=TWO)
    yield desk
    desk.approver.close()


def says(desk, request, actor, *, approve=True, **more):
    return desk.approver.answer(request.id, approve=approve, actor=actor, **more)


def test_two_people_must_say_yes(desk):
    request = desk.opened(question())
    first = says(desk, request, "approver:bob", comment="Looks right.")
    assert (first.status, first.actor, first.needed) == (ApprovalStatus.PENDING, None, 2)
    assert not desk.approver.settle(question()).granted
    assert "approver:bob" in outcome(first)
    desk.clock.pass_(5)
    second = says(desk, request, "approver:carol")
    assert (second.status, second.actor) == (ApprovalStatus.APPROVED, "approver:bob and approver:carol")
    assert [(one.actor, one.comment) for one in second.consents] == [
        ("approver:bob", "Looks right."),
        ("approver:carol", None),
    ]
    assert desk.approver.settle(question()).granted
    assert [len(one.consents) for one in desk.recorded] == [0, 1, 2, 2]


def test_below_the_risk_one_is_enough(desk):
    request = desk.opened(question(risk=RiskLevel.MEDIUM))
    assert says(desk, request, "approver:bob").status is ApprovalStatus.APPROVED


@pytest.mark.parametrize("again", ["approver:bob", "telegram:7", "local:bob"])
def test_one_person_is_not_two_on_whatever_channel(desk, again):
    request = desk.opened(question())
    says(desk, request, "approver:bob")
    assert says(desk, request, again).status is ApprovalStatus.PENDING
    assert len(desk.approver.get(request.id).consents) == 1


def test_one_no_is_enough_also_of_who_said_yes(desk):
    request = desk.opened(question())
    says(desk, request, "approver:bob")
    assert says(desk, request, "telegram:7", approve=False).status is ApprovalStatus.DENIED
    with pytest.raises(AlreadyAnswered):
        says(desk, request, "approver:carol")
    assert desk.approver.settle(question()).refusal == "denied"


def test_the_second_yes_comes_in_time_or_not_at_all(desk):
    request = desk.opened(question())
    says(desk, request, "approver:bob")
    desk.clock.pass_(300)
    with pytest.raises(RequestClosed):
        says(desk, request, "approver:carol")
    assert desk.approver.settle(question(), request.id).refusal == "timeout"


def test_both_say_yes_to_the_same(desk):
    request = desk.opened(question())
    says(desk, request, "approver:bob")
    with pytest.raises(NotOffered, match="other terms"):
        says(desk, request, "approver:carol", terms=AGAIN)
    assert desk.approver.grants(live=False) == []
    other = desk.opened(question("other"))
    says(desk, other, "approver:bob", terms=AGAIN)
    with pytest.raises(NotOffered, match="other terms"):
        says(desk, other, "approver:carol")
    assert desk.approver.grants(live=False) == []
    says(desk, other, "approver:carol", terms=AGAIN)
    [grant] = desk.approver.grants()
    assert grant.actor == "approver:bob and approver:carol"
    assert desk.approver.settle(question("other")).grant is None  # its own approval first
    assert desk.approver.settle(question("other")).grant is not None


def test_a_yes_for_the_run_of_one_is_none_when_nothing_asks_any_more(desk):
    asked = question(supplied=(Supply(field="params.to", source="untrusted", offered=True),))
    request = desk.opened(asked)
    says(desk, request, "approver:bob", terms=Terms(for_run=True))
    settlement = desk.approver.settle(question(codes=(), supplied=asked.supplied), request.id)
    assert settlement.granted
    assert not settlement.request.terms.for_run


def test_what_takes_two_is_not_taken_up_again_by_one(desk):
    request = desk.opened(question())
    says(desk, request, "approver:bob", approve=False)
    with pytest.raises(NotOffered, match="two people"):
        desk.approver.reapprove(request.id, actor="approver:carol")


# A policy that has become stricter, and people who may not answer any more


def test_a_question_that_waits_takes_as_many_people_as_the_policy_says_now(place):
    clock = Clock()
    request = Desk(place, clock).opened(question())
    now = Desk(place, clock, TWO)
    first = says(now, request, "approver:bob")
    assert (first.status, first.needed, now.approver.get(request.id).needed) == (ApprovalStatus.PENDING, 2, 2)
    assert says(now, request, "approver:carol").status is ApprovalStatus.APPROVED
    assert now.approver.settle(question()).granted


def test_it_takes_two_also_if_the_policy_has_become_looser(place):
    clock = Clock()
    request = Desk(place, clock, TWO).opened(question())
    assert says(Desk(place, clock), request, "approver:bob").status is ApprovalStatus.PENDING


@pytest.mark.parametrize("by_id", [True, False])
def test_an_approval_of_one_is_none_where_it_takes_two_now(place, by_id):
    clock = Clock()
    one = Desk(place, clock).approved(question(), actor="approver:bob")
    now = Desk(place, clock, TWO)
    again = now.opened(question(), one.id if by_id else None)
    assert (again.status, again.needed) == (ApprovalStatus.PENDING, 2)
    old = now.approver.get(one.id)
    assert (old.status, old.superseded_by) == (ApprovalStatus.SUPERSEDED, again.id)


def test_an_approval_of_one_is_used_up_if_nothing_asks_any_more(place):
    clock = Clock()
    one = Desk(place, clock).approved(question(), actor="approver:bob")
    assert Desk(place, clock, TWO).approver.settle(question(codes=()), one.id).granted


def test_who_said_yes_and_may_not_answer_any_more_does_not_count(place):
    gone = set()
    desk = Desk(place, settings=TWO, may_answer=lambda _rows, actor: actor not in gone)
    request = desk.opened(question())
    says(desk, request, "approver:bob", terms=AGAIN)
    gone.add("approver:bob")
    second = says(desk, request, "approver:carol")
    assert (second.status, [one.actor for one in second.consents]) == (ApprovalStatus.PENDING, ["approver:carol"])
    assert second.terms == Terms()
    assert says(desk, request, "approver:dan").actor == "approver:carol and approver:dan"


@pytest.mark.parametrize("actor", ["agent:ada", "approver:ada", "admin:ada", "local:ada"])
def test_nobody_answers_what_they_asked(desk, actor):
    request = desk.opened(question(principal="ada"))
    for approve in (True, False):
        with pytest.raises(NotYours):
            says(desk, request, actor, approve=approve)
    with pytest.raises(NotYours):
        desk.approver.lift_pause(request.id, actor=actor)
    with pytest.raises(NotYours):
        desk.approver.replace(request.id, question("other"), actor=actor)
    says(desk, request, "approver:bob", approve=False)
    with pytest.raises(NotYours):
        desk.approver.reapprove(request.id, actor=actor)
    assert [status for _, status in desk.statuses()] == [ApprovalStatus.PENDING, ApprovalStatus.DENIED]


def test_who_is_refused_does_not_bring_back_what_has_expired(place):
    clock = Clock()
    desk = Desk(place, clock, TWO)
    late, other = desk.opened(question("late")), None
    clock.pass_(200)
    other = desk.opened(question("other"))
    clock.pass_(150)
    with pytest.raises(NotYours):
        says(desk, other, "agent:ada")
    clock.pass_(-200)
    assert desk.status(late) is ApprovalStatus.EXPIRED
    assert desk.statuses().count((late.id, ApprovalStatus.EXPIRED)) == 1


def test_only_the_configuration_makes_two_actors_one_person():
    people = People(PEOPLE)
    assert people.are_one("telegram:7", "local:bob")
    assert people.are_one("telegram:8", "telegram:8")
    assert not people.are_one("telegram:8", "telegram:7")
    assert not people.are_one("approver:carol", "admin:carol")
    assert not people.are_one("bob", "approver:bob")
