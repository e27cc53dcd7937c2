"""A call that a person put in the place of another: whose it is, who gets it, and that it is made once."""

from __future__ import annotations

import threading

import msgspec
import pytest
from approval_desk import Clock, Desk, question

from guardhouse.approvals import ApprovalSettings, NoSuchRequest, NotOffered, RequestClosed
from guardhouse.editing import changed
from guardhouse.model import (
    Condition,
    GrantScope,
    OutputPublish,
    RiskLevel,
    SkillRunPre,
    Target,
    Terms,
    ToolCallPre,
)
from guardhouse.model.consent import ApprovalStatus

THERE = Terms(grant=GrantScope("destination", 600))
HERE = {"targets": (Target("shell.unknown", "path /srv"),)}


def own(command="rm -r *", **more):
    """The call that the agent made."""
    return question(command, **more)


def theirs(command="rm -r build", **more):
    """The call that a person put in its place."""
    return question(command, resume=f"edited:{command}".encode(), **more)


@pytest.fixture
def desk(place):
    desk = Desk(place)
    yield desk
    desk.approver.close()


def edited(desk, request, asked=None, actor="bob", **more):
    return desk.approver.replace(request.id, asked or theirs(), actor=actor, **more)


def test_an_edit_is_a_request_of_its_own_and_the_old_one_is_superseded(desk):
    old = desk.opened(own())
    new = edited(desk, old, comment="Only the build.")
    assert (new.status, new.actor, new.edit_of, new.comment) == (
        ApprovalStatus.APPROVED, "bob", old.id, "Only the build.",
    )  # fmt: skip
    assert new.action_hash != old.action_hash
    assert desk.approver.get(old.id).superseded_by == new.id
    assert [status for _, status in desk.statuses()] == [
        ApprovalStatus.PENDING, ApprovalStatus.SUPERSEDED, ApprovalStatus.PENDING, ApprovalStatus.APPROVED,
    ]  # fmt: skip


@pytest.mark.parametrize("by", ["old id", "new id", "no id"])
def test_who_comes_back_with_their_own_call_gets_the_other_one_and_it_is_used_once(desk, by):
    old = desk.opened(own())
    new = edited(desk, old)
    named = {"old id": old.id, "new id": new.id, "no id": None}[by]
    settlement = desk.approver.settle(own(), named)
    assert not settlement.granted
    assert (settlement.edited.request_id, settlement.edited.action) == (new.id, b"edited:rm -r build")
    assert desk.approver.settle(theirs(), settlement.edited.request_id).granted
    again = desk.approver.settle(own(), named)
    assert not again.granted
    assert again.edited is None
    assert again.refusal == (None if named is None else "used")


@pytest.mark.parametrize("by", ["old id", "new id", "no id"])
def test_the_changed_call_itself_is_covered_once(desk, by):
    old = desk.opened(own())
    new = edited(desk, old)
    named = {"old id": old.id, "new id": new.id, "no id": None}[by]
    assert desk.approver.settle(theirs(), named).granted
    assert not desk.approver.settle(theirs(), named).granted


def test_nobody_else_gets_it(desk):
    old = desk.opened(own())
    new = edited(desk, old)
    for other in (own(session="s2"), own(principal="eve"), own("rm -r /")):
        for named in (old.id, new.id):
            settlement = desk.approver.settle(other, named)
            assert settlement.refusal in {"unknown", "drift", "superseded"}
            assert settlement.edited is None


def test_a_file_that_changes_between_the_edit_and_its_use_voids_it(desk):
    old = desk.opened(own())
    new = edited(desk, old)
    settlement = desk.approver.settle(theirs(facts={"path:deploy.sh": "sha256:22"}), new.id)
    assert (settlement.refusal, settlement.drifted) == ("drift", ("path:deploy.sh",))
    assert desk.status(new) is ApprovalStatus.SUPERSEDED
    assert desk.approver.settle(own(), old.id).edited is None


def test_what_is_found_beyond_the_edit_is_asked_about_and_stays_an_edit(desk):
    old = desk.opened(own())
    new = edited(desk, old)
    more = theirs(codes=("a.b", "shell.unknown"))
    settlement = desk.approver.settle(more, new.id)
    assert not settlement.granted
    assert (settlement.request.status, settlement.request.edit_of) == (ApprovalStatus.PENDING, old.id)
    assert desk.approver.settle(own(), old.id).request.id == settlement.request.id


def test_an_edit_of_an_edit_counts(place):
    desk = Desk(place, settings=ApprovalSettings(second_from=RiskLevel.HIGH))
    old = desk.opened(own())
    first = edited(desk, old)
    assert first.status is ApprovalStatus.PENDING
    second = edited(desk, first, theirs("ls"), actor="carol")
    assert (second.edit_of, len(second.consents)) == (old.id, 1)
    third = desk.approver.answer(second.id, approve=True, actor="bob")
    assert third.status is ApprovalStatus.APPROVED
    assert desk.approver.settle(own(), old.id).edited.action == b"edited:ls"
    assert desk.approver.resume_data(old.id) == b"edited:ls"


def test_a_no_to_the_edit_is_one_to_the_call(place):
    desk = Desk(place, settings=ApprovalSettings(second_from=RiskLevel.HIGH))
    old = desk.opened(own())
    new = edited(desk, old)
    assert desk.approver.settle(own()).request.id == new.id
    desk.approver.answer(new.id, approve=False, actor="carol")
    assert desk.approver.settle(own()).refusal == "denied"
    assert desk.approver.settle(own(), old.id).refusal == "denied"


def test_an_edit_counts_more_than_an_older_grant_that_covers_the_call_as_it_was(desk):
    waits = desk.opened(own(**HERE))
    desk.approver.answer(desk.opened(own("other", **HERE)).id, approve=True, actor="bob", terms=THERE)
    new = edited(desk, waits, theirs(**HERE))
    settlement = desk.approver.settle(own(**HERE))
    assert not settlement.granted
    assert settlement.edited.request_id == new.id


def test_only_arguments_of_what_waits_can_be_changed(desk):
    old = desk.opened(own())
    with pytest.raises(NotOffered, match="Nothing"):
        edited(desk, old, own())
    for other in ({"tool_name": "python"}, {"action_type": "SkillRunPre"}):
        with pytest.raises(NotOffered, match="Only the arguments"):
            edited(desk, old, msgspec.structs.replace(theirs(), **other))
    for other in (theirs(session="s2"), theirs(principal="eve")):
        with pytest.raises(NoSuchRequest):
            edited(desk, old, other)
    desk.approver.answer(old.id, approve=False, actor="carol")
    with pytest.raises(RequestClosed):
        edited(desk, old)
    assert [status for _, status in desk.statuses()] == [ApprovalStatus.PENDING, ApprovalStatus.DENIED]


@pytest.mark.parametrize(
    "terms",
    [Terms(for_run=True), Terms(condition=Condition("structure")), THERE],
    ids=["run", "condition", "places"],
)
def test_terms_that_the_changed_call_can_not_have_leave_everything_as_it_was(desk, terms):
    old = desk.opened(own(**HERE))
    with pytest.raises(NotOffered):
        edited(desk, old, terms=terms)
    assert desk.statuses() == [(old.id, ApprovalStatus.PENDING)]
    assert desk.approver.get(old.id) == old


def test_one_call_has_one_card_also_when_another_is_changed_into_it(desk):
    twin = desk.opened(theirs())
    new = edited(desk, desk.opened(own()))
    assert desk.approver.get(twin.id).superseded_by == new.id
    assert desk.approver.settle(theirs(), twin.id).granted
    assert not desk.approver.settle(theirs()).granted


def test_of_an_edit_and_an_approval_at_once_one_counts(place):
    clock = Clock()
    desks = [Desk(place, clock) for _ in range(2)]
    old = desks[0].opened(own())
    start, done = threading.Barrier(2), []

    def take(act):
        start.wait()
        try:
            act()
            done.append("yes")
        except RequestClosed:
            done.append("no")

    acts = (
        lambda: desks[0].approver.answer(old.id, approve=True, actor="bob"),
        lambda: edited(desks[1], old, actor="carol"),
    )
    threads = [threading.Thread(target=take, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(done) == ["no", "yes"]
    used = desks[0].approver.settle(own())
    assert used.granted is not (used.edited is not None)


# Places of arguments


CALL = ToolCallPre(
    tool="bash",
    params={"command": "ls", "list": [1, {"a": "b"}], "": "empty", "a/b": 1, "~": 2, "token": "s3cret", "big": 2**80},
    session_id="s",
    cwd="/srv",
)
SHOWN = {"params": {**CALL.params, "token": "[redacted]"}}


@pytest.mark.parametrize(
    ("pointer", "way"),
    [
        ("/params/command", ("command",)),
        ("/params/list/0", ("list", 0)),
        ("/params/list/1/a", ("list", 1, "a")),
        ("/params/", ("",)),
        ("/params/a~1b", ("a/b",)),
        ("/params/~0", ("~",)),
        ("/params/token", ("token",)),
        ("/params/list", ("list",)),
    ],
)
def test_a_value_is_changed_where_it_stands_and_nowhere_else(pointer, way):
    done = changed(CALL, {pointer: "new"}, shown=SHOWN)
    place = done.params
    for step in way:
        place = place[step]
    assert place == "new"
    assert (done.tool, done.session_id, done.cwd, done.params.keys()) == ("bash", "s", "/srv", CALL.params.keys())
    assert CALL.params["command"] == "ls"
    assert CALL.params["list"] == [1, {"a": "b"}]
    assert done.params["big"] == 2**80


@pytest.mark.parametrize(
    "pointer",
    [
        "", "/", "/params", "params/command", "/tool", "/cwd", "/session_id", "/params/new", "/params/list/-",
        "/params/list/-1", "/params/list/2", "/params/list/٠", "/params/list/00", "/params/list/+0",
        "/params/list/" + "9" * 5000, "/params/list/1/c", "/params/command/0", "/params/__class__",
        "/params/list/__len__", "/params/~01", "//params/command", "/params//command", "/Params/command",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_changed(pointer):
    with pytest.raises(NotOffered):
        changed(CALL, {pointer: "new"}, shown=SHOWN)


def test_a_mask_is_not_written_in_the_place_of_what_it_stands_for():
    for changes in ({"/params/token": "[redacted] "}, {"/params/token": ["[redacted]"]}):
        with pytest.raises(NotOffered, match="mask"):
            changed(CALL, changes, shown=SHOWN)
    assert changed(CALL, {"/params/command": "echo [redacted]"}, shown=SHOWN).params["token"] == "s3cret"


@pytest.mark.parametrize("changes", [{}, {f"/params/{number}": 1 for number in range(201)}])
def test_nothing_and_too_much_is_no_edit(changes):
    with pytest.raises(NotOffered):
        changed(CALL, changes, shown=SHOWN)


def test_only_calls_have_arguments():
    assert changed(SkillRunPre(skill="x", params={"a": 1}), {"/params/a": 2}, shown={}).params == {"a": 2}
    with pytest.raises(NotOffered):
        changed(OutputPublish(content={"a": 1}), {"/params/a": 2}, shown={})


@pytest.mark.parametrize(
    "asked",
    [
        theirs(facts={"file:deploy.sh": "sha256:two"}),
        theirs(facts={"file:deploy.sh": "sha256:one"}, codes=("shell.unknown", "exfil.upload")),
        theirs(facts={"file:deploy.sh": "sha256:one"}, risk=RiskLevel.CRITICAL),
    ],
    ids=["a file was changed", "another reason", "a higher risk"],
)
def test_an_edit_agrees_to_nothing_that_the_card_did_not_show(desk, asked):
    old = desk.opened(own(facts={"file:deploy.sh": "sha256:one"}))
    with pytest.raises(NotOffered):
        edited(desk, old, asked)
    assert desk.approver.get(old.id).status is ApprovalStatus.PENDING
    assert edited(desk, old, theirs(facts={"file:deploy.sh": "sha256:one"})).status is ApprovalStatus.APPROVED


def test_a_no_is_taken_back_once(desk):
    old = desk.denied(own())
    desk.approver.reapprove(old.id, actor="bob")
    with pytest.raises(NotOffered, match="already"):
        desk.approver.reapprove(old.id, actor="carol")
