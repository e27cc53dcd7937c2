"""A call that a person changed: judged afresh, given to whoever comes back, made as they changed it or not at all."""

from __future__ import annotations

import asyncio

import pytest
from answered import KEY, Answered, bash, codes, query

from guardhouse.adapters import Completed, Denied, Pending
from guardhouse.adapters.arguments import from_call
from guardhouse.approvals import NotOffered, RequestClosed
from guardhouse.editing import edit_and_approve
from guardhouse.model import (
    ApprovalStatus,
    Condition,
    Decision,
    GrantScope,
    SkillRunPre,
    Terms,
    ToolCallPost,
    ToolCallPre,
)


@pytest.fixture
def house(tmp_path):
    house = Answered(tmp_path)
    yield house
    house.guard.close()


AGENTS = bash("rm -rf /srv/a /srv/b")
CHANGE = {"/params/command": "rm -rf /srv/a"}


def test_the_agent_that_comes_back_gets_the_call_as_the_person_changed_it(house):
    done = house.edit(AGENTS, CHANGE, comment="Only a.")
    assert (done.request.status, done.request.edit_of is not None) == (ApprovalStatus.APPROVED, True)
    verdict = house.guard.evaluate(AGENTS)
    assert (verdict.decision, verdict.edited) == (Decision.ALLOW_WITH_REDACTION, True)
    assert verdict.params == {"command": "rm -rf /srv/a"}
    assert verdict.approval_request_id == done.request.id
    assert codes(verdict)[:2] == ["approval.edited", "approval.granted"]
    assert house.guard.evaluate(AGENTS).decision is Decision.REQUIRE_APPROVAL


@pytest.mark.parametrize("by", ["old", "new"])
def test_it_comes_back_by_either_id_and_once(house, by):
    old = house.ask(AGENTS)
    new = house.edit(AGENTS, CHANGE).request
    named = old.id if by == "old" else new.id
    assert house.guard.evaluate(AGENTS, approval_id=named).params == {"command": "rm -rf /srv/a"}
    verdict = house.guard.evaluate(AGENTS, approval_id=named)
    assert (verdict.decision, codes(verdict)[0]) == (Decision.DENY, "approval.used")


def test_it_comes_back_under_the_name_of_the_call_that_was_made(house):
    terms = Terms(condition=Condition("structure"))
    house.edit(query("all", call_id="c1"), {"/params/text": "some"}, terms)
    verdict = house.guard.evaluate(query("all", call_id="c9"))
    assert (verdict.params, verdict.condition) == ({"text": "some"}, terms.condition.words)
    result = ToolCallPost(tool="query", content="x", session_id="s1", call_id="c9")
    assert house.guard.evaluate(result).content == "[text: 1 characters, 1 lines]"


def test_a_changed_call_that_is_denied_changes_nothing(house):
    request = house.ask(AGENTS)
    done = house.edit(AGENTS, {"/params/command": "rm -rf /"})
    assert (done.request, done.verdict.decision) == (None, Decision.DENY)
    assert house.approvals.get(request.id) == request


@pytest.mark.parametrize("value", ["\ud800", ["\ud800"], {"a": "\udfff"}, float("nan"), "x" * 300_000])
def test_a_changed_call_that_is_none_changes_nothing(house, value):
    request = house.ask(AGENTS)
    done = house.edit(AGENTS, {"/params/command": value})
    assert (done.request, done.verdict.decision) == (None, Decision.DENY)
    assert house.approvals.get(request.id) == request


def test_a_policy_that_denies_the_changed_call_at_its_use_stands(house):
    house.edit(AGENTS, CHANGE)
    house.configure(
        "    - {id: never, action: ToolCallPre, tool: bash, field: params.command, regex: 'srv/a$', effect: deny,"
        " because: Not any more.}\n"
    )
    with house.open() as guard:
        verdict = guard.evaluate(AGENTS)
    assert verdict.decision is Decision.DENY
    assert verdict.params is None


def test_a_file_that_changes_between_the_edit_and_its_use_is_drift(house):
    script = house.project / "deploy.sh"
    script.write_text("echo one")
    asks = bash("git push --force")
    house.edit(asks, {"/params/command": "git push --force && sh deploy.sh"})
    script.write_text("echo two")
    verdict = house.guard.evaluate(asks)
    assert (verdict.decision, codes(verdict)[0], verdict.params) == (Decision.DENY, "approval.drift", None)


def test_a_call_that_asks_nothing_once_it_is_changed_is_given_all_the_same(house):
    done = house.edit(AGENTS, {"/params/command": "ls"})
    assert done.request.codes == ()
    verdict = house.guard.evaluate(AGENTS)
    assert (verdict.params, verdict.edited) == ({"command": "ls"}, True)
    with pytest.raises(NotOffered):
        house.edit(AGENTS, {"/params/command": "ls"}, Terms(grant=GrantScope("exact", 60)))


def test_masked_values_stay_what_they_were(house):
    def mail(body):
        return ToolCallPre(
            tool="query", params={"text": body, "token": KEY, "list": [KEY, 1]}, session_id="s1", call_id="c1"
        )

    house.configure("")
    request = house.ask(mail("long"))
    assert KEY not in str(request.action_redacted)
    with pytest.raises(NotOffered, match="mask"):
        house.edit(mail("long"), {"/params/list": request.action_redacted["params"]["list"]})
    house.edit(mail("long"), {"/params/text": "short"})
    verdict = house.guard.evaluate(mail("long"))
    assert verdict.params["text"] == "short"
    assert KEY not in str(house.record("decision"))


def test_another_answer_in_the_meantime_wins(house):
    request = house.ask(AGENTS)
    house.approvals.answer(request.id, approve=False, actor="bob")
    with pytest.raises(RequestClosed):
        edit_and_approve(house.guard, house.approvals, request.id, CHANGE, actor="ada")


def test_the_record_says_who_changed_what_into_what(house):
    old = house.ask(AGENTS)
    new = house.edit(AGENTS, CHANGE, comment=f"Not b. {KEY}").request
    house.guard.evaluate(AGENTS)
    steps = [(event.approval_request_id, event.approval_status, event.actor) for event in house.record("approval")]
    assert steps == [
        (old.id, ApprovalStatus.PENDING, None),
        (old.id, ApprovalStatus.SUPERSEDED, None),
        (new.id, ApprovalStatus.PENDING, None),
        (new.id, ApprovalStatus.APPROVED, "ada"),
        (new.id, ApprovalStatus.CONSUMED, "ada"),
    ]
    assert any(f"with other arguments than {old.id}" in event.detail for event in house.record("approval"))
    assert KEY not in str(house.record("approval"))
    assert "/srv/b" not in str(house.record("decision")[-1])


def test_an_async_caller_gets_it_as_well(house):
    house.edit(AGENTS, CHANGE)
    assert asyncio.run(house.guard.evaluate_async(AGENTS)).params == {"command": "rm -rf /srv/a"}


# Plain functions


def recorder(house):
    calls = []

    def query(text, count=1):
        calls.append((text, count))
        return "done"

    return calls, house.guard.wrap(query, session_id="s1")


@pytest.mark.parametrize("way", ["resume", "again", "with_approval", "by id"])
def test_a_function_is_called_as_the_person_changed_it(house, way):
    calls, tool = recorder(house)
    pending = tool("all", 2)
    assert isinstance(pending, Pending)
    old = pending.approval_request_id
    new = edit_and_approve(house.guard, house.approvals, old, {"/params/text": "some"}, actor="ada").request
    outcome = {
        "resume": pending.resume,
        "again": lambda: tool("all", 2),
        "with_approval": lambda: tool.with_approval(old)("all", 2),
        "by id": lambda: tool.resume(new.id),
    }[way]()
    assert isinstance(outcome, Completed)
    assert calls == [("some", 2)]
    assert not isinstance(pending.resume(), Completed)
    assert len(calls) == 1


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), (0, False), ([1], [True]), ("1", 1)])
def test_a_value_of_another_type_is_another_value(house, before, after):
    calls, tool = recorder(house)
    pending = tool("all", before)
    edit_and_approve(house.guard, house.approvals, pending.approval_request_id, {"/params/count": after}, actor="ada")
    assert isinstance(pending.resume(), Completed)
    [(_, count)] = calls
    assert repr(count) == repr(after)


def test_a_function_that_is_given_other_names_is_not_called():
    import inspect

    arguments = from_call(inspect.signature(lambda text: None), ("all",), {})
    with pytest.raises(Exception, match="other arguments"):
        arguments.masked({"text": "all", "more": 1})


def test_a_denied_change_leaves_the_call_waiting(house):
    calls, tool = recorder(house)
    pending = tool("all")
    house.approvals.answer(pending.approval_request_id, approve=False, actor="ada")
    assert isinstance(pending.resume(), Denied)
    assert calls == []


def test_a_skill_is_not_another_one_by_its_arguments(house):
    from guardhouse.editing import changed

    action = SkillRunPre(skill="tidy", params={"skill": "tidy"})
    assert changed(action, {"/params/skill": "other"}, shown={}).skill == "tidy"
