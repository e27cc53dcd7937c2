"""The record and the sessions over HTTP: pages, charts, stories, and what is said while the index is being made."""

import resource
import sqlite3
import sys
from pathlib import Path

import pytest
from daemon_process import HARMLESS, pending, until

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "audit"))
from audit_events import event

from guardhouse.audit import AuditLog


@pytest.fixture(scope="module")
def agent(daemon):
    with daemon.agent("recorder") as client:
        yield client


@pytest.fixture(scope="module")
def approver(daemon):
    with daemon.approver() as client:
        yield client


def asked(approver, **params):
    answer = approver.get("/v1/audit/events", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_was_just_recorded_is_there_and_pages_lead_on(agent, approver):
    made = []
    for _ in range(7):
        made.append(agent.post("/v1/evaluate", json={**HARMLESS, "session_id": "paged"}).json()["event_id"])
        assert asked(approver, session="paged", limit=1)["events"][0]["event_id"] == made[-1]
    first = asked(approver, session="paged", limit=3)
    assert [one["event_id"] for one in first["events"]] == made[:3:-1]
    assert first["more"] is True
    assert first["index"]["complete"] is True
    second = asked(approver, session="paged", limit=3, before=first["last"])
    assert [one["event_id"] for one in second["events"]] == made[3:0:-1]
    assert asked(approver, session="paged", limit=3, after=second["first"])["events"] == first["events"]
    assert asked(approver, session="paged", limit=3, before=second["last"])["more"] is False


def test_a_call_is_told_from_plan_to_execution_by_any_of_its_ids(agent, approver):
    request_id = pending(agent, "rm -rf /etc/guardhouse-story")
    approver.post(f"/v1/approvals/{request_id}/approve")
    used = agent.post(f"/v1/approvals/{request_id}/consume").json()
    assert used["decision"] == "allow"
    told = approver.get(f"/v1/audit/events/{request_id}").json()
    events = [told["event"], *told["related"]]
    assert [one.get("decision") for one in events if one["kind"] == "decision"] == ["require_approval", "allow"]
    assert [one["approval_status"] for one in events if one["kind"] == "approval"][:2] == ["pending", "approved"]
    trace = told["event"]["trace_id"]
    assert approver.get(f"/v1/audit/events/{trace}").json()["event"] == told["event"]
    by_event = approver.get(f"/v1/audit/events/{told['event']['event_id']}").json()
    assert by_event["related"] == told["related"]


def test_a_chart_and_figures_count_what_was_decided(agent, approver):
    agent.post("/v1/evaluate", json={**HARMLESS, "session_id": "charted"})
    chart = approver.get("/v1/audit/timeline", params={"session": "charted"}).json()
    assert [one["decisions"] for one in chart["buckets"]] == [{"allow": 1}]
    stats = approver.get("/v1/audit/stats", params={"principal": "recorder"}).json()
    assert stats["decisions"]["allow"] >= 1
    for bad in ({"buckets": "0"}, {"since": "never"}, {"would_be": "perhaps"}):
        assert approver.get("/v1/audit/timeline", params=bad).status_code == 400


def test_the_status_of_the_chain_costs_nothing_and_says_when_it_was_checked(approver):
    status = approver.get("/v1/audit/chain").json()
    assert set(status) >= {"ok", "seq", "at", "problems", "is_checking"}


def test_an_agent_sees_its_own_sessions_and_a_person_everybodys(daemon):
    said = {"type": "UserInput", "content": "hello", "origin": "typed"}
    with daemon.agent("ann") as ann, daemon.agent("ben") as ben, daemon.approver() as person:
        for client, name in ((ann, "first"), (ben, "second"), (ann, "third")):
            assert client.post("/v1/evaluate", json={**said, "session_id": name}).status_code == 200
        own = ann.get("/v1/sessions").json()["sessions"]
        assert [(one["session_id"], one["principal"], one["events"]) for one in own] == [
            ("third", "ann", 1),
            ("first", "ann", 1),
        ]
        assert ann.get("/v1/sessions", params={"principal": "ben"}).json()["sessions"] == own
        everybodys = person.get("/v1/sessions", params={"limit": 3}).json()["sessions"]
        assert [one["session_id"] for one in everybodys] == ["third", "second", "first"]
        after = person.get("/v1/sessions", params={"before": everybodys[1]["number"], "limit": 1}).json()["sessions"]
        assert after == everybodys[2:]
        bens = person.get("/v1/sessions", params={"principal": "ben"}).json()["sessions"]
        assert [one["session_id"] for one in bens] == ["second"]
        assert person.get("/v1/sessions", params={"principal": "a/b"}).status_code == 400
        assert "hello" not in str(everybodys)


def test_while_the_index_is_being_made_answers_say_how_far_it_is(new_daemon):
    daemon = new_daemon()
    with AuditLog(daemon.state / "audit") as log:
        for number in range(20_000):
            log.record(event(number, reasons=(), findings=()))
    daemon.start()
    with daemon.approver() as person:
        first = asked(person, limit=1)["index"]
        assert 0 <= first["share"] <= 1
        until(lambda: asked(person, limit=1)["index"]["complete"])
        assert asked(person, limit=1)["index"]["share"] == 1
        assert person.get("/v1/audit/stats").json()["events"] >= 20_000


def test_a_damaged_index_is_made_anew_while_the_daemon_runs(new_daemon):
    daemon = new_daemon().start()
    with daemon.agent() as agent, daemon.approver() as person:
        verdict = agent.post("/v1/evaluate", json=HARMLESS).json()
        assert asked(person)["events"]
        connection = sqlite3.connect(daemon.state / "cache" / "audit-index.db", timeout=30)
        connection.execute("DROP TABLE stretch")
        connection.commit()
        connection.close()
        until(lambda: person.get("/v1/audit/stats").status_code == 200)
        assert asked(person)["events"][0]["event_id"] == verdict["event_id"]


def test_on_a_full_disk_the_record_is_answered_from_what_the_index_has_and_that_is_said(new_daemon):
    daemon = new_daemon().start()
    with daemon.agent() as agent, daemon.approver() as person:
        verdict = agent.post("/v1/evaluate", json=HARMLESS).json()
        assert asked(person)["index"]["complete"] is True
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (0, before[1]))  # no file of the daemon can grow
        try:
            with AuditLog(daemon.state / "audit") as log:
                for number in range(3_000):
                    log.record(event(number))
            told = asked(person)
            assert told["index"]["complete"] is False
            assert "can't be used" in told["index"]["problem"]
            assert told["events"][-1]["event_id"] == verdict["event_id"]
        finally:
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, before)
        until(lambda: asked(person)["index"]["complete"])
        assert asked(person, kind="decision", tool="url_fetch")["events"]
