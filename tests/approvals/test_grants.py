"""Grants: what a yes that goes on covers, what it never covers, and that a row somebody else wrote covers nothing."""

from __future__ import annotations

import itertools
import threading
from contextlib import suppress

import msgspec
import pytest
from approval_desk import SECRET, START, Clock, Desk, question

from guardhouse.approvals import ApprovalSettings, NotOffered
from guardhouse.approvals.grants import covers, offered
from guardhouse.approvals.interface import NoSuchGrant
from guardhouse.model import Condition, Grant, GrantScope, GuardhouseError, RiskLevel, Supply, Target, Terms
from guardhouse.model.consent import ApprovalStatus

HERE = (Target("shell.unknown", "path /srv/data"),)
AGAIN = Terms(grant=GrantScope("exact", 600))
THERE = Terms(grant=GrantScope("destination", 600))


def at(place="/srv/data", command="make deploy", **more):
    more.setdefault("targets", (Target("shell.unknown", f"path {place}"),))
    return question(command, **more)


@pytest.fixture
def desk(place):
    desk = Desk(place, record_grant=(given := []).append)
    desk.given = given
    yield desk
    desk.approver.close()


def granted(desk, asked=None, terms=THERE, actor="bob", **more):
    """The grant that goes with a yes; the approval itself is used up."""
    asked = asked or at()
    request = desk.approver.answer(desk.opened(asked).id, approve=True, actor=actor, terms=terms, **more)
    assert desk.approver.settle(asked).granted
    [grant] = desk.approver.grants(request_id=request.id)
    return grant


def goes(desk, asked, approval_id=None):
    settlement = desk.approver.settle(asked, approval_id)
    assert settlement.granted is (settlement.grant is not None)
    return settlement.granted


def test_a_grant_covers_the_same_tool_at_the_same_places_and_is_counted(desk):
    grant = granted(desk)
    desk.clock.pass_(10)
    settlement = desk.approver.settle(at(command="make other"))
    assert settlement.granted
    assert (settlement.grant.id, settlement.grant.uses, settlement.grant.last_used_at) == (grant.id, 1, START + 10)
    assert desk.approver.grant(grant.id).uses == 1


def test_a_grant_of_the_exact_action_covers_nothing_but_that(desk):
    granted(desk, terms=AGAIN)
    assert goes(desk, at())
    assert goes(desk, at())
    assert not goes(desk, at(command="make other"))
    assert not goes(desk, at(facts={"path:deploy.sh": "sha256:22"}))


@pytest.mark.parametrize(
    "asked",
    [
        at(session="s2"),
        at(principal="eve"),
        at(session="s2", principal="eve"),
        at("/srv/other"),
        at(targets=(*HERE, Target("shell.unknown", "path /srv/other"))),
        at(targets=()),
        at(targets=(Target("shell.other", "path /srv/data"),), codes=("shell.other",)),
        at(codes=("shell.other", "shell.unknown")),
        at(risk=RiskLevel.CRITICAL),
        msgspec.structs.replace(at(), tool_name="python"),
        msgspec.structs.replace(at(), action_type="SkillRunPre"),
    ],
    ids=[
        "session", "principal", "both", "place", "one place more", "no place", "code", "one code more", "risk", "tool",
        "type",
    ],
)  # fmt: skip
def test_a_grant_covers_nothing_else(desk, asked):
    granted(desk)
    assert not goes(desk, asked)


def test_what_asks_nothing_uses_no_grant(desk):
    grant = granted(desk)
    moot = msgspec.structs.replace(at(), codes=(), targets=())
    assert not covers(grant, moot, moot.bound.hash)


def test_a_grant_ends_at_its_time_and_not_a_moment_later(desk):
    granted(desk)
    desk.clock.pass_(599)
    assert goes(desk, at(command="a"))
    desk.clock.pass_(1)
    assert not goes(desk, at(command="b"))
    assert desk.approver.grants() == []
    assert len(desk.approver.grants(live=False)) == 1


def test_a_grant_for_the_session_lasts_as_long_as_the_policy_lets_any(place):
    desk = Desk(place, settings=ApprovalSettings(longest_grant=100))
    grant = granted(desk, terms=Terms(grant=GrantScope("destination")))
    longer = granted(desk, at("/b"), Terms(grant=GrantScope("destination", 9_999)))
    assert grant.expires_at == longer.expires_at == START + 100


def test_a_revoked_grant_covers_nothing(desk):
    grant = granted(desk)
    revoked = desk.approver.revoke(grant.id, actor="carol")
    assert (revoked.revoked_at, revoked.revoked_by) == (START, "carol")
    assert desk.approver.revoke(grant.id, actor="dave") == revoked
    assert not goes(desk, at(command="x"))
    assert [(one.id, one.revoked_by) for one in desk.given] == [(grant.id, None), (grant.id, "carol")]


@pytest.mark.parametrize("grant_id", ["gr_none", "", "\0", "gr_" + "a" * 200, "gr_ü"])
def test_what_is_no_grant_is_not_revoked(desk, grant_id):
    with pytest.raises(NoSuchGrant):
        desk.approver.revoke(grant_id, actor="bob")


def test_a_no_to_exactly_this_counts_more_than_an_older_grant_for_its_like(desk):
    first, second = desk.opened(at(command="one")), desk.opened(at(command="two"))
    desk.approver.answer(first.id, approve=True, actor="bob", terms=THERE)
    desk.approver.answer(second.id, approve=False, actor="bob")
    assert desk.approver.settle(at(command="two")).refusal == "denied"
    assert desk.approver.settle(at(command="two"), second.id).refusal == "denied"
    assert goes(desk, at(command="three"))


def test_a_grant_that_is_given_after_a_no_covers_it(desk):
    denied = desk.denied(at(command="two"), actor="bob")
    desk.clock.pass_(1)
    granted(desk, at(command="one"))
    assert goes(desk, at(command="two"))
    assert goes(desk, at(command="two"), denied.id)


def test_a_card_that_a_grant_answers_is_taken_back(desk):
    waiting = desk.opened(at(command="two"))
    grant = granted(desk, at(command="one"))
    assert goes(desk, at(command="two"), waiting.id)
    request = desk.approver.get(waiting.id)
    assert (request.status, request.actor) == (ApprovalStatus.CANCELLED, f"grant:{grant.id}")


# What can be granted


@pytest.mark.parametrize(
    "asked",
    [
        at(session=None),
        at(risk=RiskLevel.CRITICAL),
        at(codes=("guard.detector_failed/detector:x",)),
        at(codes=("skill.flagged",)),
        at(codes=("tool.unclassified", "shell.unknown")),
        msgspec.structs.replace(at(), action_type="OutputPublish"),
        msgspec.structs.replace(at(), action_type="SkillInstall"),
    ],
    ids=["no session", "critical", "failed", "skill", "unclassified", "published", "installed"],
)
def test_what_may_be_something_else_the_next_time_is_not_granted(desk, asked):
    request = desk.opened(asked)
    for terms in (AGAIN, THERE):
        with pytest.raises(NotOffered):
            desk.approver.answer(request.id, approve=True, actor="bob", terms=terms)
    assert desk.status(request) is ApprovalStatus.PENDING
    assert desk.statuses() == [(request.id, ApprovalStatus.PENDING)]
    assert desk.approver.grants(live=False) == []


def test_what_is_about_no_place_is_granted_for_exactly_itself_only(desk):
    request = desk.opened(question())
    assert desk.approver.offers(request) == ("exact",)
    with pytest.raises(NotOffered):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=THERE)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_grant_lasts_for_a_number_of_seconds(desk, seconds):
    request = desk.opened(at())
    with pytest.raises(NotOffered):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=Terms(grant=GrantScope("exact", seconds)))


def test_codes_that_the_policy_names_are_never_granted(desk):
    request = desk.opened(at())
    assert offered(request, ("shell.*",)) == ()
    assert offered(request, ("net.*",)) == ("exact", "destination")


def test_a_session_has_only_so_many_grants_and_what_is_refused_leaves_no_record(desk, monkeypatch):
    monkeypatch.setattr("guardhouse.approvals.turn._MOST_GRANTS", 2)
    granted(desk, at("/a"))
    granted(desk, at("/b"))
    request, denied = desk.opened(at("/c", "c")), desk.denied(at("/d", "d"), actor="bob")
    before = desk.statuses()
    with pytest.raises(NotOffered, match="too many"):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=THERE)
    with pytest.raises(NotOffered, match="too many"):
        desk.approver.reapprove(denied.id, actor="bob")
    assert desk.statuses() == before
    assert len(desk.given) == 2


# A policy that has become stricter


def stricter(place, clock, **settings):
    return Desk(place, clock, ApprovalSettings(**settings))


@pytest.mark.parametrize(
    "settings",
    [
        {"longest_grant": 0.0},
        {"longest_grant": 60.0},
        {"never_grant": ("shell.*",)},
        {"second_from": RiskLevel.HIGH},
    ],
    ids=["no grants", "shorter ones", "not this code", "two people"],
)
def test_a_grant_covers_nothing_that_the_policy_would_not_grant_now(place, settings):
    clock = Clock()
    granted(Desk(place, clock))
    clock.pass_(60)
    assert not goes(stricter(place, clock, **settings), at(command="x"))
    assert goes(Desk(place, clock), at(command="y"))


@pytest.mark.parametrize(
    "settings",
    [
        {"longest_grant": 0.0},
        {"longest_grant": 60.0},
        {"never_grant": ("*",)},
        {"second_from": RiskLevel.LOW},
    ],
    ids=["no grants", "shorter ones", "nothing", "two people"],
)
def test_a_yes_for_the_run_covers_nothing_that_the_policy_would_not_grant_now(place, settings):
    clock = Clock()
    granted(Desk(place, clock), with_values("to"), RUN)
    clock.pass_(60)
    assert not goes(stricter(place, clock, **settings), with_values("to", command="x"))
    assert goes(Desk(place, clock), with_values("to", command="y"))


# Values from outside, for the rest of a run


def with_values(*values, only=True, **more):
    """A call about which nothing is found but where these values come from."""
    supplied = (Supply(field="params.to", source="untrusted", offered=True),)
    return question(values=tuple(f"digest-of-{one}" for one in values), only_values=only, supplied=supplied, **more)


RUN = Terms(for_run=True)


def test_a_yes_for_the_run_is_a_grant_for_the_values_that_were_listed(desk):
    grant = granted(desk, with_values("a", "b"), RUN)
    assert (grant.reach, grant.fields, grant.expires_at) == ("values", ("params.to",), START + 28_800)
    settlement = desk.approver.settle(with_values("b", command="other"))
    assert (settlement.grant.id, settlement.grant.uses) == (grant.id, 1)
    assert settlement.values == ("digest-of-a", "digest-of-b")
    assert desk.given == [grant]
    kept = desk.rows("SELECT * FROM grants")
    assert "digest-of" not in str(kept)


@pytest.mark.parametrize(
    "asked",
    [
        with_values("c", command="x"),
        with_values("a", "c", command="x"),
        with_values(command="x"),
        with_values("a", only=False, command="x"),
        with_values("a", command="x", session="s2"),
        with_values("a", command="x", codes=("a.b", "shell.unknown")),
        with_values("a", command="x", risk=RiskLevel.CRITICAL),
        msgspec.structs.replace(with_values("a", command="x"), tool_name="python"),
    ],
    ids=["another", "one more", "none", "something else asks", "session", "code", "risk", "tool"],
)
def test_a_yes_for_the_run_is_for_nothing_else(desk, asked):
    granted(desk, with_values("a"), RUN)
    assert not goes(desk, asked)


def test_a_yes_for_the_run_ends_when_it_is_revoked_and_at_its_time(desk):
    grant = granted(desk, with_values("a"), RUN)
    desk.approver.revoke(grant.id, actor="bob")
    assert not goes(desk, with_values("a", command="x"))
    granted(desk, with_values("a", command="y"), RUN)
    desk.clock.pass_(28_800)
    assert not goes(desk, with_values("a", command="z"))


def test_a_yes_for_the_run_goes_with_another_grant_and_with_a_condition(desk):
    condition = Condition("structure")
    terms = Terms(for_run=True, grant=GrantScope("exact", 60), condition=condition)
    request = desk.opened(with_values("a", conditional=True, executes=False))
    desk.approver.answer(request.id, approve=True, actor="bob", terms=terms)
    given = desk.approver.grants(request_id=request.id)
    assert sorted((one.reach, one.expires_at) for one in given) == [("exact", START + 60), ("values", START + 28_800)]
    assert {one.condition for one in given} == {condition}


@pytest.mark.parametrize("terms", [THERE, RUN], ids=["there", "run"])
def test_other_calls_of_a_tool_that_runs_things_are_not_granted_on_a_condition(desk, terms):
    on_condition = msgspec.structs.replace(terms, condition=Condition("structure"))
    asked = msgspec.structs.replace(with_values("a"), targets=HERE, conditional=True)
    request = desk.opened(asked)
    with pytest.raises(NotOffered, match="runs what it is given"):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=on_condition)
    other = desk.opened(msgspec.structs.replace(asked, bound=question("other").bound, executes=False))
    assert desk.approver.answer(other.id, approve=True, actor="bob", terms=on_condition).terms == on_condition


@pytest.mark.parametrize("settings", [{"longest_grant": 0.0}, {"never_grant": ("*",)}])
def test_a_policy_without_grants_has_no_yes_for_the_run(place, settings):
    desk = stricter(place, Clock(), **settings)
    request = desk.opened(with_values("a"))
    assert desk.approver.offers(request) == ()
    with pytest.raises(NotOffered, match="beyond this once"):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=RUN)


def test_values_that_somebody_else_wrote_into_a_row_are_none(desk):
    granted(desk, with_values("a"), RUN)
    other = granted(desk, question("other"), AGAIN)
    desk.rows("UPDATE grants SET reach = 'values' WHERE id = ?", other.id)
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.settle(with_values("b", command="x"))


# Taking a no back


@pytest.mark.parametrize("asked", [at(), question()], ids=["with a place", "without"])
def test_what_was_denied_may_be_made_once_after_all(desk, asked):
    denied = desk.denied(asked, actor="bob")
    grant = desk.approver.reapprove(denied.id, actor="carol", comment="After all.")
    assert (grant.reach, grant.most_uses, grant.actor, grant.condition) == ("exact", 1, "carol", None)
    assert desk.approver.settle(asked, denied.id).granted
    assert desk.approver.settle(asked, denied.id).refusal == "denied"
    assert desk.approver.settle(asked).refusal == "denied"


def test_what_nobody_answered_in_time_may_be_made_once_after_all(desk):
    asked = at()
    late = desk.opened(asked)
    desk.clock.pass_(300)
    desk.approver.reapprove(late.id, actor="carol")
    assert goes(desk, asked)
    assert not goes(desk, asked)


def test_a_call_that_is_not_exactly_it_is_not_made_after_all(desk):
    desk.approver.reapprove(desk.denied(at(), actor="bob").id, actor="carol")
    for other in (at(command="x"), at(facts={"f": "2"}), at(session="s2"), at(codes=("a.b", "shell.unknown"))):
        assert not goes(desk, other)


def test_what_is_taken_up_again_has_to_be_used_in_time(desk):
    desk.approver.reapprove(desk.denied(at(), actor="bob").id, actor="carol")
    desk.clock.pass_(600)
    assert not goes(desk, at())


def test_the_condition_on_the_card_holds_for_what_is_made_after_all(desk):
    asked, condition = at(conditional=True), Condition("structure")
    late = desk.approver.answer(desk.opened(asked).id, approve=True, actor="bob", terms=Terms(condition=condition))
    desk.clock.pass_(600)
    assert desk.approver.reapprove(late.id, actor="carol").condition == condition
    assert desk.approver.settle(asked, late.id).grant.condition == condition


@pytest.mark.parametrize("name", ["pending", "approved", "consumed", "cancelled"])
def test_only_what_was_denied_or_expired_is_taken_up_again(desk, name):
    request = desk.opened(at())
    if name in {"approved", "consumed"}:
        desk.approver.answer(request.id, approve=True, actor="bob")
    if name == "consumed":
        assert desk.approver.settle(at()).granted
    if name == "cancelled":
        desk.approver.cancel(request.id, actor="bob")
    with pytest.raises(NotOffered, match="denied or expired"):
        desk.approver.reapprove(request.id, actor="bob")


def test_what_takes_two_people_now_is_not_taken_up_again_by_one(place):
    clock = Clock()
    denied = Desk(place, clock).denied(at(), actor="bob")
    with pytest.raises(NotOffered, match="two people"):
        stricter(place, clock, second_from=RiskLevel.HIGH).approver.reapprove(denied.id, actor="carol")


# Rows that somebody else wrote


FORGED = {
    "id": "'gr_000000000000000000000000'",
    "scope": "(SELECT scope FROM requests WHERE session_id = 's2' LIMIT 1)",
    "expires_at": "9e9",
    "created_at": "created_at + 1",
    "reach": "'destination'",
    "action_hash": "'v1:00'",
    "targets": '\'[{"code":"shell.unknown","place":"path /srv/other"}]\'',
    "fields": "'[\"params.to\"]'",
    "codes": '\'["a.b","shell.unknown"]\'',
    "risk_level": "'critical'",
    "condition": "'null'",
    "tool_name": "'python'",
    "actor": "'root'",
    "most_uses": "99",
}


@pytest.mark.parametrize("column", sorted(FORGED))
def test_a_row_of_a_grant_that_was_altered_covers_nothing(desk, column):
    terms = Terms(grant=GrantScope("exact", 600), condition=Condition("structure"))
    granted(desk, at(conditional=True), terms)
    desk.opened(at(session="s2"))
    desk.rows(f"UPDATE grants SET {column} = {FORGED[column]}")
    tries = (
        at(), at("/srv/other"), at(session="s2"), at(codes=("a.b", "shell.unknown")), at(risk=RiskLevel.CRITICAL),
        msgspec.structs.replace(at(), tool_name="python"),
    )  # fmt: skip
    for asked in tries:
        with suppress(GuardhouseError):
            assert not desk.approver.settle(asked).granted


def test_a_one_use_grant_whose_count_is_set_back_is_not_used_twice(desk):
    desk.approver.reapprove(desk.denied(at(), actor="bob").id, actor="carol")
    assert goes(desk, at())
    desk.rows("UPDATE grants SET uses = 0, last_used_at = NULL")
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.settle(at())


def test_a_revocation_that_is_taken_out_of_the_row_stays_one(desk):
    desk.approver.revoke(granted(desk).id, actor="bob")
    desk.rows("UPDATE grants SET revoked_at = NULL, revoked_by = NULL")
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.settle(at(command="x"))


def test_a_grant_that_can_not_be_read_holds_everything_back(desk):
    granted(desk)
    desk.rows("UPDATE grants SET targets = '{'")
    with pytest.raises(GuardhouseError, match="damaged"):
        desk.approver.settle(at(command="x"))


def test_a_grant_sealed_with_another_key_covers_nothing(place):
    clock = Clock()
    granted(Desk(place, clock))
    with pytest.raises(GuardhouseError, match="damaged"):
        Desk(place, clock, key=bytes(32)).approver.settle(at(command="x"))


# What is kept and recorded


@pytest.mark.parametrize("comment", ["a\0b", "ünï", "x" * 4000])
def test_what_is_said_with_a_grant_is_kept_and_the_grant_can_be_used(desk, comment):
    grant = granted(desk, comment=comment)
    assert grant.comment == comment.replace("\0", "\\u{0}")
    assert goes(desk, at(command="x"))


def test_no_secret_is_in_a_grant(place):
    desk = Desk(place, mask=lambda text: text.replace(SECRET, "[redacted]"), record_grant=(given := []).append)
    granted(desk, comment=f"because {SECRET}")
    desk.approver.reapprove(desk.denied(at("/b"), actor="bob").id, actor="bob", comment=f"again {SECRET}")
    assert all(SECRET not in repr(grant) for grant in (*given, *desk.approver.grants()))
    assert all(SECRET.encode() not in repr(row).encode() for row in desk.rows("SELECT * FROM grants"))


def test_a_grant_that_can_not_be_recorded_is_not_given(place):
    def fail(_grant):
        raise GuardhouseError("The record is full.")

    desk = Desk(place, record_grant=fail)
    request = desk.opened(at())
    with pytest.raises(GuardhouseError, match="full"):
        desk.approver.answer(request.id, approve=True, actor="bob", terms=THERE)
    assert desk.status(request) is ApprovalStatus.PENDING
    assert desk.approver.grants(live=False) == []


def test_grants_are_removed_with_the_request_they_were_given_with(desk):
    granted(desk)
    desk.clock.pass_(10_000)
    desk.approver.compact(1)
    assert desk.approver.grants(live=False) == []


# Two at once


def test_a_one_use_grant_is_used_once_by_many_at_once(place):
    clock = Clock()
    desks = [Desk(place, clock) for _ in range(4)]
    desks[0].approver.reapprove(desks[0].denied(at(), actor="bob").id, actor="carol")
    start, got = threading.Barrier(4), []

    def use(desk):
        start.wait()
        got.append(desk.approver.settle(at()).granted)

    threads = [threading.Thread(target=use, args=(desk,)) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(got) == [False, False, False, True]


def test_whatever_is_said_and_changed_a_grant_covers_no_more_than_its_card():
    grant = Grant(
        id="gr_1", request_id="ap_1", created_at=0, expires_at=9, action_type="ToolCallPre", tool_name="bash",
        action_summary_redacted="", reach="destination", action_hash="v1:0", targets=HERE, codes=("shell.unknown",),
        risk_level=RiskLevel.HIGH, actor="bob",
    )  # fmt: skip
    places = [(), HERE, (*HERE, Target("a.b", "path /x")), (Target("a.b", "path /x"),)]
    codes = [(), ("shell.unknown",), ("a.b", "shell.unknown"), ("a.b",)]
    for targets, code, risk in itertools.product(places, codes, RiskLevel):
        asked = at(targets=targets, codes=code, risk=risk)
        may = targets == HERE and code == ("shell.unknown",) and risk <= RiskLevel.HIGH
        assert covers(grant, asked, asked.bound.hash) is may
