"""Answers beyond yes and no over HTTP: who may give them, what agents see of them, and what comes of each."""

from __future__ import annotations

import httpx
import pytest
from daemon_process import ASKING, pending

from guardhouse.database import SqliteDatabase
from guardhouse.tokens import Tokens

A, B = "rm -rf /srv/a", "rm -rf /srv/a /srv/b"
THERE = {"grant": {"reach": "destination", "seconds": 600}}


@pytest.fixture
def agent(daemon):
    with daemon.agent() as client:
        yield client


@pytest.fixture
def person(daemon):
    with daemon.approver() as client:
        yield client


def call(agent, command, session="s1", **more) -> dict:
    action = {**ASKING, "params": {"command": command}, "call_id": "c1"}
    return agent.post("/v1/evaluate", json={"action": action, "session_id": session, **more}).json()


def said(client: httpx.Client, way: str, status: int = 200, **body) -> dict:
    answer = client.post(f"/v1/{way}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_grant_is_given_used_listed_and_revoked(agent, person):
    request_id = pending(agent, A)
    assert said(person, f"approvals/{request_id}/approve", terms=THERE)["terms"] == THERE
    assert call(agent, A)["decision"] == "allow"
    used = call(agent, "cd /srv; rm -rf ./a")
    assert (used["decision"], used["grant_id"][:3]) == ("allow", "gr_")
    [grant] = person.get("/v1/grants", params={"request_id": request_id}).json()["grants"]
    assert (grant["id"], grant["uses"], grant["targets"][0]["place"]) == (used["grant_id"], 1, "path /srv/a")
    assert said(person, f"grants/{grant['id']}/revoke")["revoked_by"].startswith("approver:")
    assert call(agent, "cd /srv; rm -rf a")["status"] == "pending"
    assert person.get("/v1/grants", params={"request_id": request_id}).json()["grants"] == []
    assert len(person.get("/v1/grants", params={"request_id": request_id, "all": "1"}).json()["grants"]) == 1


def test_agents_see_their_own_grants_without_places_and_words_and_change_none(daemon, agent, person):
    request_id = pending(agent, A)
    said(person, f"approvals/{request_id}/approve", terms=THERE, comment="For the migration.")
    [grant] = agent.get("/v1/grants").json()["grants"]
    assert not {"targets", "comment"} & grant.keys()
    request = agent.get(f"/v1/approvals/{request_id}").json()
    assert not {"targets", "comment", "consents", "supplied"} & request.keys()
    with daemon.agent() as other:
        assert other.get("/v1/grants", params={"principal": grant["principal"]}).json() == {"grants": []}
        assert other.get("/v1/grants", params={"request_id": request_id}).json() == {"grants": []}
    for way in (
        f"grants/{grant['id']}/revoke", f"approvals/{request_id}/edit", f"approvals/{request_id}/reapprove",
        f"approvals/{request_id}/lift", "answers",
    ):  # fmt: skip
        said(agent, way, 403)


def test_an_edit_gives_the_agent_the_call_as_the_person_changed_it(agent, person):
    old = pending(agent, B)
    new = said(person, f"approvals/{old}/edit", changes={"/params/command": A}, comment="Only a.")
    assert (new["status"], new["edit_of"]) == ("approved", old)
    verdict = call(agent, B, approval_id=old)
    assert (verdict["decision"], verdict["edited"], verdict["params"]) == ("allow_with_redaction", True, {"command": A})
    assert verdict["approval_request_id"] == new["id"]
    assert call(agent, B, approval_id=old)["decision"] == "deny"


def test_a_kept_call_is_taken_up_as_it_was_changed_by_the_old_id(agent, person):
    old = pending(agent, B)
    said(person, f"approvals/{old}/edit", changes={"/params/command": A})
    resumed = said(agent, f"approvals/{old}/resume")
    assert resumed["action"]["params"] == {"command": A}
    assert said(agent, f"approvals/{old}/resume", 409)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"/params/command": "rm -rf /"}, 422),
        ({"/params/command": B}, 422),
        ({"/params/other": "x"}, 422),
        ({"/tool": "python"}, 422),
        ({}, 422),
    ],
    ids=["denied", "the same", "not there", "not an argument", "nothing"],
)
def test_an_edit_that_can_not_be_leaves_the_request_as_it_was(agent, person, changes, status):
    request_id = pending(agent, B, session="edits")
    before = person.get(f"/v1/approvals/{request_id}").json()
    told = said(person, f"approvals/{request_id}/edit", status, changes=changes)
    assert told["error"]["message"]
    assert person.get(f"/v1/approvals/{request_id}").json() == before


def test_several_are_answered_together_and_each_counts_by_itself(agent, person):
    first, second, third = (pending(agent, f"rm -rf /srv/{name}", session="many") for name in "xyz")
    answers = [
        {"id": first, "approve": True},
        {"id": "ap_000000000000000000000000", "approve": True},
        {"id": second, "approve": False, "comment": "Not that."},
        {"id": third, "approve": True, "terms": {"for_run": True}},
        {"id": first, "approve": False},
    ]
    results = said(person, "answers", answers=answers)["results"]
    assert [one["error"]["code"] if "error" in one else one["approval"]["status"] for one in results] == [
        "approved", "unknown", "denied", "not_offered", "already_answered",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        {"answers": []},
        {"answers": [{"id": "x", "approve": True}] * 201},
        {"answers": [{"id": "x"}]},
        {"answers": [{"id": "x", "approve": True, "actor": "root"}]},
    ],
)
def test_answers_that_are_none_are_refused(person, body):
    assert person.post("/v1/answers", json=body).status_code == 400


@pytest.mark.parametrize(
    "terms",
    [
        {"grant": {"reach": "everything"}}, {"condition": {"show": "first_lines"}}, {"condition": {"show": "all"}},
        {"for_run": 1}, {"condition": {"show": "structure", "lines": 5}},
    ],
)  # fmt: skip
def test_terms_that_are_none_are_refused(agent, person, terms):
    request_id = pending(agent, A, session="terms")
    assert person.post(f"/v1/approvals/{request_id}/approve", json={"terms": terms}).status_code == 400
    assert person.get(f"/v1/approvals/{request_id}").json()["status"] == "pending"


def test_what_was_denied_is_made_once_after_all_and_the_pause_is_lifted(agent, person):
    for number in range(5):
        last = pending(agent, f"rm -rf /srv/{number}", session="worn")
        said(person, f"approvals/{last}/deny")
    told = call(agent, "rm -rf /srv/more", session="worn")
    assert (told["decision"], told["reasons"][0]["code"]) == ("deny", "approval.paused")
    assert said(person, f"approvals/{last}/lift") == {"status": "lifted"}
    assert call(agent, "rm -rf /srv/more", session="worn")["status"] == "pending"
    grant = said(person, f"approvals/{last}/reapprove", comment="After all.")
    assert grant["most_uses"] == 1
    assert call(agent, "rm -rf /srv/4", session="worn")["grant_id"] == grant["id"]
    assert call(agent, "rm -rf /srv/4", session="worn")["decision"] == "deny"


def test_a_result_comes_back_limited_whichever_way_it_is_reported(agent, person):
    text = "one\ntwo\nthree"
    for number, more in enumerate(({}, {"made": {"raised": True}}, {"made": {}})):
        action = {**ASKING, "params": {"command": f"rm -rf /srv/r{number}"}, "call_id": f"r{number}"}
        asked = agent.post("/v1/evaluate", json={"action": action, "session_id": "r"}).json()
        terms = {"condition": {"show": "first_lines", "lines": 1}}
        said(person, f"approvals/{asked['approval_request_id']}/approve", terms=terms)
        assert agent.post("/v1/evaluate", json={"action": action, "session_id": "r"}).json()["decision"] == "allow"
        result = {"type": "ToolCallPost", "tool": "bash", "content": text, "call_id": f"r{number}"}
        told = agent.post("/v1/evaluate", json={"action": result, "session_id": "r", **more}).json()
        assert told["content"] == "one\n[2 more lines withheld]"
        assert "three" not in str(told)
    assert said(agent, "evaluate", action=result, session_id="other")["decision"] == "allow"


def test_two_people_must_agree_and_the_first_is_told_so(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {approvals: {second_approver: high}}")
    daemon.start()
    with daemon.agent() as agent, daemon.approver("ann") as ann, daemon.approver("bea") as bea:
        request_id = pending(agent, A)
        first = said(ann, f"approvals/{request_id}/approve")
        assert (first["status"], first["needed"], first["consents"][0]["actor"]) == ("pending", 2, "approver:ann")
        assert said(ann, f"approvals/{request_id}/approve")["status"] == "pending"
        assert call(agent, A)["status"] == "pending"
        assert said(bea, f"approvals/{request_id}/approve", 422, terms=THERE)["error"]["code"] == "not_offered"
        assert said(bea, f"approvals/{request_id}/approve")["actor"] == "approver:ann and approver:bea"
        assert call(agent, A)["decision"] == "allow"


def test_the_yes_of_a_token_that_was_revoked_since_does_not_count(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {approvals: {second_approver: high}}")
    daemon.start()
    with daemon.agent() as agent, daemon.approver("ann") as ann, daemon.approver("bea") as bea, daemon.admin() as head:
        request_id = pending(agent, A)
        said(ann, f"approvals/{request_id}/approve")
        database = SqliteDatabase(daemon.state / "approvals.db")
        assert Tokens(database).revoke("ann")
        database.close()
        second = said(bea, f"approvals/{request_id}/approve")
        assert (second["status"], [one["actor"] for one in second["consents"]]) == ("pending", ["approver:bea"])
        assert said(head, f"approvals/{request_id}/approve")["status"] == "approved"
