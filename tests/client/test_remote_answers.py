"""Answers beyond yes and no at a daemon's guard: an edited call is made as it was changed, or not at all."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.adapters import Completed, Denied
from guardhouse.approvals import NotOffered, Outline
from guardhouse.client import BadAnswer
from guardhouse.client.checking import Sent, check_verdict
from guardhouse.client.masking import is_cut
from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Condition,
    Consent,
    Decision,
    Grant,
    GrantScope,
    Reason,
    RiskLevel,
    Severity,
    Target,
    Terms,
    ToolCallPost,
    ToolCallPre,
    Verdict,
)
from guardhouse.recording import trace
from guardhouse.redact.limiting import limited
from guardhouse.wire import grant_of, grant_wire, outline_of, request_of, request_wire

B, A = "rm -rf /srv/a /srv/b", "rm -rf /srv/a"
CALL = ToolCallPre(tool="bash", params={"command": B}, session_id="s1", call_id="c1")
HASH = "v1:" + "0" * 64


def tool_of(guard, calls):
    def bash(command):
        calls.append(command)
        return "one\ntwo\nthree"

    return guard.wrap(bash, session_id="s1")


@pytest.mark.parametrize("way", ["resume", "again", "old id", "new id"])
def test_an_edited_call_is_made_as_it_was_changed(guard, person, way):
    calls = []
    tool = tool_of(guard, calls)
    waits = tool(B)
    new = person.edit(waits.approval_request_id, {"/params/command": A}, comment="Only a.")
    outcome = {
        "resume": waits.resume,
        "again": lambda: tool(B),
        "old id": lambda: tool.resume(waits.approval_request_id),
        "new id": lambda: tool.resume(new.id),
    }[way]()
    assert isinstance(outcome, Completed)
    assert calls == [A]
    assert outcome.call.approval_request_id == new.id


@pytest.mark.parametrize("way", ["resume", "again", "old id", "new id"])
def test_a_guard_that_takes_no_edits_says_no_and_why(daemon, guard_at, person, way):
    calls = []
    tool = tool_of(guard_at(daemon, accepts_edits=False), calls)
    waits = tool(B)
    new = person.edit(waits.approval_request_id, {"/params/command": A})
    outcome = {
        "resume": waits.resume,
        "again": lambda: tool(B),
        "old id": lambda: tool.resume(waits.approval_request_id),
        "new id": lambda: tool.resume(new.id),
    }[way]()
    assert isinstance(outcome, Denied)
    assert [reason.code for reason in outcome.verdict.reasons] == ["approval.edit_refused"]
    assert calls == []


def test_an_edit_that_would_be_denied_is_not_offered(guard, person):
    waits = guard.evaluate(CALL)
    with pytest.raises(NotOffered, match="denied"):
        person.edit(waits.approval_request_id, {"/params/command": "rm -rf /"})
    assert person.get(waits.approval_request_id).status is ApprovalStatus.PENDING


@pytest.mark.parametrize("condition", [Condition("first_lines", 1), Condition("structure"), Condition("redacted")])
def test_a_result_on_a_condition_is_seen_as_far_as_that(guard, person, condition):
    tool = tool_of(guard, [])
    waits = tool(B)
    person.answer(waits.approval_request_id, approve=True, terms=Terms(condition=condition))
    outcome = waits.resume()
    assert isinstance(outcome, Completed)
    assert ("three" in outcome.text) is (condition.show == "redacted")


def test_grants_are_listed_and_revoked_and_a_no_is_taken_back(guard, person):
    waits = guard.evaluate(CALL)
    person.answer(waits.approval_request_id, approve=True, terms=Terms(grant=GrantScope("destination", 60)))
    assert guard.evaluate(CALL).decision is Decision.ALLOW
    used = guard.evaluate(msgspec.structs.replace(CALL, params={"command": A}))
    assert used.grant_id in {one.id for one in person.grants()}
    assert person.revoke(used.grant_id).revoked_by.startswith("approver:")
    denied = guard.evaluate(CALL).approval_request_id
    person.answer(denied, approve=False)
    grant = person.reapprove(denied, comment="After all.")
    assert guard.evaluate(CALL).grant_id == grant.id
    person.lift_pause(denied)


# What is no edit


def edited(**changes):
    reason = Reason(
        code="approval.edited", decided_by="guard", decision=Decision.ALLOW, severity=Severity.INFO, title="", why="",
        instead="",
    )  # fmt: skip
    fields = {
        "decision": Decision.ALLOW_WITH_REDACTION,
        "risk_level": RiskLevel.HIGH,
        "reasons": (reason,),
        "policy_revision": "1",
        "event_id": "ev_1",
        "trace_id": trace("s1", None, "c1", HASH),
        "action_hash": HASH,
        "params": {"command": A},
        "edited": True,
        "approval_request_id": "ap_newer",
    }
    return Verdict(**{**fields, **changes})


def test_an_edited_verdict_names_the_newer_request():
    sent = Sent.of(CALL, "/", approval_id="ap_older")
    assert check_verdict(sent, edited()).params == {"command": A}


@pytest.mark.parametrize(
    "changes",
    [
        {"edited": False},
        {"edited": False, "approval_request_id": "ap_older"},
        {"reasons": ()},
        {"params": None},
        {"approval_request_id": None},
        {"decision": Decision.ALLOW},
        {"content": "x"},
        {"untrusted": True},
        {"trace_id": "tr_other"},
        {"action_hash": ""},
    ],
    ids=" ".join,
)
def test_what_only_looks_like_an_edit_is_no_answer(changes):
    with pytest.raises(BadAnswer):
        check_verdict(Sent.of(CALL, "/", approval_id="ap_older"), edited(**changes))


def test_a_result_is_never_edited():
    post = ToolCallPost(tool="bash", content="x", session_id="s1", call_id="c1")
    with pytest.raises(BadAnswer):
        check_verdict(Sent.of(post, "/"), edited())


# What a condition leaves


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=900),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=50), inner, max_size=4),
    max_leaves=12,
)
CONDITIONS = st.sampled_from([Condition("structure"), Condition("first_lines", 1), Condition("first_lines", 3)])


@given(JSON, CONDITIONS)
@settings(max_examples=up_to(80), deadline=None)
def test_what_a_condition_leaves_is_known_as_such(value, condition):
    assert is_cut(value, limited(value, condition))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\ntwo", "three"),
        ("one\ntwo", "two"),
        ("one", "one, and do this"),
        ("one", "[do this]"),
        ({"a": "x"}, {"a": "x", "b": "do this"}),
        ({"a": "x"}, {"do this": "x"}),
        (["x"], ["x", "do this"]),
        (1, 2),
        (True, 1),
        (None, "do this"),
        ({"a": 1}, ["do this"]),
    ],
)
def test_what_was_put_in_is_no_part_of_it(before, after):
    assert not is_cut(before, after)


# On the wire


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MOMENTS = st.integers(0, 10**12).map(lambda number: number / 1000)
MAYBE = st.none() | TEXTS
TERMS = st.builds(
    Terms,
    for_run=st.booleans(),
    condition=st.none() | CONDITIONS | st.just(Condition("redacted")),
    grant=st.none() | st.builds(GrantScope, st.sampled_from(["exact", "destination"]), st.none() | st.integers(1, 9)),
)
TARGETS = st.lists(st.builds(Target, TEXTS, TEXTS), max_size=3).map(tuple)
IDS = st.from_regex(r"ap_[0-9a-f]{24}", fullmatch=True)
REQUESTS = st.builds(
    ApprovalRequest,
    id=IDS, created_at=MOMENTS, expires_at=MOMENTS, use_by=st.none() | MOMENTS, session_id=MAYBE, principal=MAYBE,
    action_type=TEXTS, tool_name=MAYBE, action_hash=TEXTS, action_summary_redacted=TEXTS,
    action_redacted=st.dictionaries(TEXTS, TEXTS, max_size=2),
    risk_level=st.sampled_from(RiskLevel), reasons=st.just(()),
    codes=st.lists(TEXTS, max_size=2).map(tuple), policy_revision=TEXTS, targets=TARGETS, conditional=st.booleans(),
    edit_of=st.none() | IDS, needed=st.integers(1, 2), terms=TERMS, status=st.sampled_from(ApprovalStatus),
    consents=st.lists(st.builds(Consent, actor=TEXTS, at=MOMENTS, comment=MAYBE), max_size=2).map(tuple),
    answered_at=st.none() | MOMENTS, actor=MAYBE, comment=MAYBE, superseded_by=st.none() | IDS,
    resume_asked_at=st.none() | MOMENTS, turn=TEXTS, kin=TEXTS, run_id=MAYBE,
)  # fmt: skip
GRANTS = st.builds(
    Grant,
    id=IDS, request_id=IDS, created_at=MOMENTS, expires_at=MOMENTS, session_id=MAYBE, principal=MAYBE,
    action_type=TEXTS, tool_name=MAYBE, action_summary_redacted=TEXTS, action_hash=TEXTS,
    reach=st.sampled_from(["exact", "destination"]),
    targets=TARGETS, codes=st.lists(TEXTS, max_size=2).map(tuple), risk_level=st.sampled_from(RiskLevel),
    condition=st.none() | CONDITIONS, most_uses=st.none() | st.just(1), uses=st.integers(0, 9),
    last_used_at=st.none() | MOMENTS, actor=TEXTS, comment=MAYBE, revoked_at=st.none() | MOMENTS, revoked_by=MAYBE,
)  # fmt: skip


def on_the_way(told):
    return msgspec.json.decode(msgspec.json.encode(told))


@given(REQUESTS)
@settings(max_examples=up_to(60), deadline=None)
def test_a_request_comes_over_the_wire_as_it_was(request):
    assert request_of(on_the_way(request_wire(request))) == request
    told = request_wire(request, "agent")
    assert not {"supplied", "targets", "consents"} & told.keys()
    assert ("comment" in told) <= (request.status is ApprovalStatus.DENIED)


@given(GRANTS)
@settings(max_examples=up_to(60), deadline=None)
def test_a_grant_comes_over_the_wire_as_it_was(grant):
    assert grant_of(on_the_way(grant_wire(grant))) == grant
    assert not {"targets", "comment"} & grant_wire(grant, "agent").keys()


@given(REQUESTS)
@settings(max_examples=up_to(20), deadline=None)
def test_an_outline_comes_over_the_wire_as_it_was(request):
    fields = {name: getattr(request, name) for name in Outline.__struct_fields__}
    assert outline_of(on_the_way(request_wire(Outline(**fields)))) == Outline(**fields)
