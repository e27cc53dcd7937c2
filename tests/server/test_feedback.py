"""What people say of decisions, over HTTP: recorded, masked, counted, and nothing that an agent may do."""

import pytest
from daemon_process import ASKING, HARMLESS


@pytest.fixture(scope="module")
def agent(daemon):
    with daemon.agent("marked") as client:
        yield client


@pytest.fixture(scope="module")
def ada(daemon):
    with daemon.approver("ada-of-feedback") as client:
        yield client


def decided(agent, session, action=HARMLESS):
    told = agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()
    return told.get("event_id") or told["verdict"]["event_id"]


def say(who, event_id, **given):
    return who.post(f"/v1/audit/events/{event_id}/feedback", json=given)


def test_an_opinion_belongs_to_the_decision_and_is_counted_by_its_filters(agent, ada):
    event = decided(agent, "f-1", ASKING)
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"[:36]
    told = say(ada, event, opinion="false_alarm", comment=f"Fine, with {token}")
    assert (told.status_code, told.json()["status"]) == (201, "recorded")
    related = ada.get(f"/v1/audit/events/{event}").json()["related"]
    [said] = [one for one in related if one["kind"] == "feedback"]
    assert (said["about"], said["actor"], said["detail"]) == (event, "approver:ada-of-feedback", "false_alarm")
    assert "Fine, with" in said["comment"]
    assert token not in said["comment"]
    for by in (
        "session=f-1",
        "session=f-1&decision=require_approval",
        "session=f-1&code=shell.deletes_outside_project",
    ):
        assert ada.get(f"/v1/audit/stats?{by}").json()["feedback"] == {"false_alarm": 1}, by
    assert ada.get("/v1/audit/stats?session=f-1").json()["decisions"] == {"require_approval": 1}


def test_what_somebody_says_last_counts_and_each_person_counts(daemon, agent, ada):
    event = decided(agent, "f-2")
    for opinion in ("missed", "false_alarm", "right"):
        assert say(ada, event, opinion=opinion).status_code == 201
    with daemon.admin("grace-of-feedback") as grace:
        assert say(grace, event, opinion="missed").status_code == 201
    assert ada.get("/v1/audit/stats?session=f-2").json()["feedback"] == {"right": 1, "missed": 1}


def test_no_agent_says_anything_and_only_decisions_are_spoken_of(agent, ada):
    event = decided(agent, "f-3")
    assert say(agent, event, opinion="right").status_code == 403
    said = say(ada, event, opinion="right").json()["event_id"]
    assert say(ada, said, opinion="right").status_code == 422
    assert say(ada, "ev_nowhere", opinion="right").status_code == 404
    assert say(ada, event, opinion="whatever").status_code == 400
    assert say(ada, event, opinion="right", comment="x" * 4001).status_code == 413
    assert ada.get("/v1/audit/stats?session=f-3").json()["feedback"] == {"right": 1}
