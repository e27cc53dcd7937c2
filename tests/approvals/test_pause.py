"""A session that people deny again and again is left alone for a while, and can't talk its way out of it."""

from __future__ import annotations

import pytest
from approval_desk import Desk, question

from guardhouse.approvals import ApprovalSettings
from guardhouse.approvals.interface import NoSuchRequest
from guardhouse.model import ApprovalStatus

SETTINGS = ApprovalSettings(pause_after=3, pause=100)


@pytest.fixture
def desk(place):
    desk = Desk(place, settings=SETTINGS)
    yield desk
    desk.approver.close()


def denied(desk, times, start=0, **more):
    for number in range(start, start + times):
        request = desk.denied(question(f"no {number}", **more), actor="bob")
        desk.clock.pass_(1)
    return request


def test_after_so_many_denials_nobody_is_asked_for_a_while(desk):
    denied(desk, 2)
    desk.opened(question("still asked"))
    last = denied(desk, 1, 2)
    before = desk.statuses()
    assert desk.approver.settle(question("more")).refusal == "paused"
    assert desk.statuses() == before
    assert desk.approver.paused_until(last.id) == last.answered_at + 100
    desk.clock.pass_(98)
    assert desk.approver.settle(question("more")).refusal == "paused"
    desk.clock.pass_(1)
    desk.opened(question("more"))


def test_other_sessions_and_principals_are_still_asked_about(desk):
    denied(desk, 3)
    desk.opened(question("more", session="s2"))
    desk.opened(question("more", principal="eve"))


def test_a_yes_in_between_begins_the_count_anew(desk):
    denied(desk, 2)
    desk.approved(question("yes"), actor="bob")
    denied(desk, 2, 2)
    desk.opened(question("more"))


def test_what_an_agent_takes_back_does_not_begin_the_count_anew(desk):
    denied(desk, 2)
    desk.approver.cancel(desk.opened(question("mine")).id, actor="agent:ada")
    superseded = desk.opened(question("world", facts={"f": "1"}))
    desk.opened(question("world", facts={"f": "2"}))
    assert desk.status(superseded) is ApprovalStatus.SUPERSEDED
    late = desk.opened(question("late"))
    denied(desk, 1, 2)
    assert desk.approver.settle(question("more")).refusal == "paused"
    desk.approver.cancel(late.id, actor="agent:ada")
    assert desk.approver.settle(question("more")).refusal == "paused"


def test_what_waits_already_and_what_was_approved_is_not_held_up(desk):
    waits = desk.opened(question("waits"))
    desk.approved(question("yes"), actor="bob")
    desk.clock.pass_(1)
    denied(desk, 3)
    assert desk.approver.settle(question("yes")).granted
    assert desk.approver.settle(question("waits")).request == waits


def test_a_person_lifts_the_pause_and_denials_count_anew_from_then(desk):
    last = denied(desk, 3)
    assert desk.approver.lift_pause(last.id, actor="bob").id == last.id
    assert desk.approver.paused_until(last.id) is None
    desk.clock.pass_(1)
    denied(desk, 2, 3)
    desk.opened(question("more"))
    denied(desk, 1, 5)
    assert desk.approver.settle(question("and more")).refusal == "paused"


def test_taking_a_no_back_lifts_the_pause(desk):
    last = denied(desk, 3)
    desk.approver.reapprove(last.id, actor="bob")
    desk.opened(question("more"))


def test_a_pause_of_nothing_is_not_lifted(desk):
    with pytest.raises(NoSuchRequest):
        desk.approver.lift_pause("ap_none", actor="bob")


def test_zero_is_never(place):
    desk = Desk(place, settings=ApprovalSettings(pause_after=0))
    denied(desk, 8)
    desk.opened(question("more"))
