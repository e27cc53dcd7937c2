"""The API that others build on: statuses, roles and answers, over HTTP from a real daemon."""

import concurrent.futures
import itertools
import json
import threading

import httpx
import pytest
from daemon_process import ASKING, HARMLESS, pending, until

from guardhouse.server.app import OPERATIONS


@pytest.fixture(scope="module")
def agent(daemon):
    with daemon.agent() as client:
        yield client


@pytest.fixture(scope="module")
def approver(daemon):
    with daemon.approver() as client:
        yield client


@pytest.fixture(scope="module")
def admin(daemon):
    with daemon.admin() as client:
        yield client


NUMBERS = itertools.count()


def fresh():
    """A command that nobody has asked about."""
    return f"rm -rf /etc/guardhouse-test-{next(NUMBERS)}"


def test_the_first_admin_token_is_printed_once(new_daemon):
    daemon = new_daemon().start()
    daemon.said.append(daemon.hear())
    token = daemon.hear().strip()
    assert token.startswith("gdh_admin_")
    with daemon.client(token) as first:
        assert first.get("/v1/policy").status_code == 200
    daemon.stop()
    again = daemon.start()
    with again.client(token) as first:
        assert first.get("/v1/policy").status_code == 200
    again.stop()
    assert "gdh_" not in "".join(again.said)
    assert token.encode() not in (daemon.state / "approvals.db").read_bytes()


def test_a_harmless_action_is_allowed(agent):
    answer = agent.post("/v1/evaluate", json=HARMLESS)
    assert (answer.status_code, answer.json()["decision"]) == (200, "allow")
    assert answer.json()["event_id"].startswith("ev_")


def test_what_needs_approval_is_answered_at_once_with_the_id_of_the_request(agent):
    answer = agent.post("/v1/evaluate", json={**ASKING, "params": {"command": fresh()}}).json()
    assert answer["status"] == "pending"
    assert answer["approval_request_id"].startswith("ap_")
    assert answer["approval_request_id"] in answer["message"]
    assert answer["verdict"]["decision"] == "require_approval"


def test_asking_again_opens_no_second_request(agent):
    command = fresh()
    assert pending(agent, command) == pending(agent, command)


def test_an_agent_is_never_told_quoted_text_nor_how_to_allow_it(agent):
    answer = agent.post("/v1/evaluate", json={**ASKING, "params": {"command": fresh()}}).json()
    told = json.dumps(answer["verdict"]["reasons"])
    assert "guardhouse-test" not in told
    assert "guardhouse allow" not in json.dumps(answer)


def test_from_question_to_use(agent, approver):
    command = fresh()
    request_id = pending(agent, command)
    listed = approver.get("/v1/approvals", params={"status": "pending"}).json()["approvals"]
    assert request_id in {one["id"] for one in listed}
    shown = approver.get(f"/v1/approvals/{request_id}").json()
    assert shown["action_redacted"]["params"] == {"command": command}
    assert shown["reasons"][0]["code"] == "shell.deletes_outside_project"
    answered = approver.post(f"/v1/approvals/{request_id}/approve", json={"comment": "go on"})
    assert (answered.status_code, answered.json()["status"]) == (200, "approved")
    action = {**ASKING, "params": {"command": command}, "session_id": "s1"}
    used = agent.post("/v1/consume", json=action)
    assert (used.status_code, used.json()["decision"]) == (200, "allow")
    again = agent.post("/v1/consume", json=action).json()
    assert again["status"] == "pending"
    assert again["approval_request_id"] != request_id
    assert approver.get(f"/v1/approvals/{request_id}").json()["status"] == "consumed"


def test_an_approval_is_used_once_by_its_id(agent, approver):
    request_id = pending(agent, fresh())
    approver.post(f"/v1/approvals/{request_id}/approve")
    first = agent.post(f"/v1/approvals/{request_id}/consume")
    assert (first.status_code, first.json()["decision"]) == (200, "allow")
    second = agent.post(f"/v1/approvals/{request_id}/consume")
    assert second.status_code == 409
    assert "decision" not in second.json()


def test_of_many_who_use_one_approval_at_once_one_may(daemon, agent, approver):
    command = fresh()
    request_id = pending(agent, command)
    approver.post(f"/v1/approvals/{request_id}/approve")
    action = {**ASKING, "params": {"command": command}, "session_id": "s1"}
    start = threading.Barrier(8)

    def use(number):
        start.wait()
        body = {} if number % 2 else {"json": action}
        return agent.post(f"/v1/approvals/{request_id}/consume", **body)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(use, range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert [answer.json().get("decision") for answer in answers].count("allow") == 1


def test_another_action_under_an_approval_is_a_conflict_that_says_what_differs(agent, approver):
    request_id = pending(agent, fresh())
    approver.post(f"/v1/approvals/{request_id}/approve")
    other = {**ASKING, "params": {"command": fresh()}, "session_id": "s1"}
    answer = agent.post(f"/v1/approvals/{request_id}/consume", json=other)
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "approval.drift"
    assert agent.post(f"/v1/approvals/{request_id}/consume").json()["decision"] == "allow"


def test_resuming_gives_the_call_that_was_kept(agent, approver):
    command = fresh()
    request_id = pending(agent, command)
    assert agent.post(f"/v1/approvals/{request_id}/resume").json()["status"] == "pending"
    assert approver.post(f"/v1/approvals/{request_id}/resume").status_code == 409
    approver.post(f"/v1/approvals/{request_id}/approve")
    asked = approver.post(f"/v1/approvals/{request_id}/resume")
    assert (asked.status_code, asked.json()["status"]) == (200, "asked")
    resumed = agent.post(f"/v1/approvals/{request_id}/resume").json()
    assert resumed["status"] == "resumed"
    assert resumed["action"]["params"] == {"command": command}
    assert resumed["verdict"]["decision"] == "allow"
    assert agent.post(f"/v1/approvals/{request_id}/resume").status_code == 409


def test_a_denial_reaches_the_agent_with_its_message(agent, approver):
    command = fresh()
    request_id = pending(agent, command)
    denied = approver.post(f"/v1/approvals/{request_id}/deny", json={"comment": "use the trash"})
    assert (denied.status_code, denied.json()["status"]) == (200, "denied")
    verdict = agent.post(
        "/v1/evaluate", json={"action": {**ASKING, "params": {"command": command}}, "session_id": "s1"}
    )
    assert verdict.json()["decision"] == "deny"
    assert "use the trash" in verdict.json()["message"]


def test_the_same_answer_again_is_the_first_record_and_the_opposite_says_who_and_what(daemon, agent):
    request_id = pending(agent, fresh())
    with daemon.approver("grace") as grace, daemon.approver("bob") as bob:
        first = grace.post(f"/v1/approvals/{request_id}/approve", json={"comment": "first"})
        again = bob.post(f"/v1/approvals/{request_id}/approve", json={"comment": "second"})
        assert again.status_code == 200
        assert again.json() == first.json()
        opposite = bob.post(f"/v1/approvals/{request_id}/deny")
    assert opposite.status_code == 409
    assert opposite.json()["approval"]["actor"] == "approver:grace"
    assert "approved by approver:grace" in opposite.json()["error"]["message"]


def test_too_late_is_gone(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {approvals: {answer_within: {high: 1}}}")
    daemon.start()
    with daemon.agent() as agent, daemon.approver() as approver:
        request_id = pending(agent)
        expired = approver.get(f"/v1/approvals/{request_id}", params={"wait": 20}).json()
        assert expired["status"] == "expired"
        for answer in ("approve", "deny"):
            assert approver.post(f"/v1/approvals/{request_id}/{answer}").status_code == 410
        assert agent.post(f"/v1/approvals/{request_id}/consume").status_code == 410
        assert agent.post(f"/v1/approvals/{request_id}/consume", json={**ASKING, "session_id": "s1"}).status_code == 410


def test_an_agent_can_take_its_own_question_back_and_then_nobody_can_answer(agent, approver):
    request_id = pending(agent, fresh())
    assert agent.post(f"/v1/approvals/{request_id}/cancel").json()["status"] == "cancelled"
    assert approver.post(f"/v1/approvals/{request_id}/approve").status_code == 409


def test_unknown_ids_are_not_found(agent, approver):
    for path in ("", "/consume", "/resume", "/cancel"):
        method = "GET" if not path else "POST"
        assert agent.request(method, f"/v1/approvals/ap_nobody{path}").status_code == 404
    assert approver.post("/v1/approvals/ap_nobody/approve").status_code == 404
    assert approver.get("/v1/audit/events/ev_nobody").status_code == 404


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: f"{one.method} {one.path}")
def test_nothing_is_answered_without_a_good_token(daemon, operation):
    path = operation.path.replace("{id}", "x")
    for header in (None, "", "Bearer", "Bearer gdh_admin_000000000000_" + "A" * 43, "Basic YWRtaW46YWRtaW4="):
        headers = {"authorization": header} if header is not None else {}
        answer = httpx.request(operation.method, daemon.url + path, headers=headers, trust_env=False)
        assert answer.status_code == 401, header
        assert answer.headers["www-authenticate"] == "Bearer"


ROLES = {
    "agent": {"evaluate", "read"},
    "approver": {"read", "answer", "observe"},
    "admin": {"evaluate", "read", "answer", "observe", "administer"},
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: f"{one.method} {one.path}")
@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_what_it_is_for_and_nothing_else(request, role, operation):
    client = request.getfixturevalue(role)
    path = operation.path.replace("{id}", "x")
    if operation.gives == "text/event-stream":
        with client.stream(operation.method, path) as answer:
            status = answer.status_code
    else:
        status = client.request(operation.method, path).status_code
    assert (status == 403) == (operation.right not in ROLES[role])
    assert status != 401


def test_an_agent_sees_no_other_agents_requests(daemon, agent):
    request_id = pending(agent, fresh())
    with daemon.agent() as other:
        assert other.get(f"/v1/approvals/{request_id}").status_code == 404
        assert other.get("/v1/approvals").json()["approvals"] == []
        for path in ("consume", "resume", "cancel"):
            assert other.post(f"/v1/approvals/{request_id}/{path}").status_code == 404
        mine = {**ASKING, "session_id": "s1"}
        assert other.post(f"/v1/approvals/{request_id}/consume", json=mine).status_code == 404


def test_whoever_asked_can_not_answer(admin):
    request_id = pending(admin, fresh())
    answer = admin.post(f"/v1/approvals/{request_id}/approve")
    assert answer.status_code == 403
    assert admin.get(f"/v1/approvals/{request_id}").json()["status"] == "pending"


def test_the_principal_is_who_authenticated_whatever_the_action_says(agent, approver):
    action = {**ASKING, "params": {"command": fresh()}, "principal": "somebody-else"}
    request_id = agent.post("/v1/evaluate", json=action).json()["approval_request_id"]
    assert approver.get(f"/v1/approvals/{request_id}").json()["principal"].startswith("agent-")


def test_an_approval_of_one_agent_is_no_good_to_another(daemon, agent, approver):
    command = fresh()
    approver.post(f"/v1/approvals/{pending(agent, command)}/approve")
    with daemon.agent() as other:
        action = {**ASKING, "params": {"command": command}, "session_id": "s1"}
        assert other.post("/v1/consume", json=action).json()["status"] == "pending"


def test_one_agent_can_not_speak_in_the_session_of_another(daemon):
    with daemon.agent() as mine, daemon.agent() as theirs, daemon.approver() as approver:
        said = {
            "type": "UserInput",
            "content": "Delete everything in /srv/x",
            "origin": "typed",
            "session_id": "shared",
        }
        assert theirs.post("/v1/evaluate", json=said).json()["decision"] == "allow"
        assert mine.get("/v1/sessions/shared").status_code == 404
        assert theirs.get("/v1/sessions/shared").json()["events"][0]["kind"] == "user_said"
        name = approver.get("/v1/audit/events", params={"session": "shared"}).json()["events"][0]["principal"]
        shown = approver.get("/v1/sessions/shared", params={"principal": name})
        assert shown.json()["events"][0]["kind"] == "user_said"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"type":"Nothing"}', b'{"action":{}}', b'{"action":5}', b'{"a":NaN}', b"\xff",
     b'{"action":{"type":"ToolCallPre","tool":"x","params":{}},"surprise":1}',
     b'{"type":"ToolCallPre","tool":"bash","tool":"read_file","params":{}}',
     b'{"action":{"type":"UserInput","content":"x","session_id":"a"},"session_id":"b"}'],
)  # fmt: skip
def test_what_is_no_action_is_a_bad_request_and_never_an_allow(agent, body):
    answer = agent.post("/v1/evaluate", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert "decision" not in answer.json()
    assert answer.json()["verdict"]["decision"] == "deny"


def test_waiting_ends_with_the_answer(daemon, agent, approver):
    request_id = pending(agent, fresh())
    with concurrent.futures.ThreadPoolExecutor(1) as pool, daemon.client() as watcher:
        waiting = pool.submit(agent.get, f"/v1/approvals/{request_id}", params={"wait": 30})
        until(lambda: "guardhouse_waiting 1" in watcher.get("/metrics").text, "waiting")
        approver.post(f"/v1/approvals/{request_id}/approve")
        assert waiting.result(10).json()["status"] == "approved"


def test_changes_are_told_as_they_happen_and_again_to_who_missed_them(daemon, agent, approver):
    def told(lines):
        event = {}
        for line in lines:
            if not line:
                if event:
                    yield event
                event = {}
            elif not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value

    def now(stream):
        """Without what became of requests of other tests, which may still be told."""
        return (one for one in told(stream.iter_lines()) if json.loads(one["data"])["id"] in {foreign, request_id})

    with agent.stream("GET", "/v1/events") as own, approver.stream("GET", "/v1/events") as everything:
        with daemon.agent() as other:
            foreign = pending(other, fresh())
        request_id = pending(agent, fresh())
        mine, all_ = now(own), now(everything)
        first = next(mine)
        assert (first["event"], json.loads(first["data"])["id"]) == ("approval", request_id)
        assert [json.loads(next(all_)["data"])["id"] for _ in range(2)] == [foreign, request_id]
        approver.post(f"/v1/approvals/{request_id}/deny")
        assert json.loads(next(mine)["data"])["status"] == "denied"
    with agent.stream("GET", "/v1/events", headers={"last-event-id": str(int(first["id"]) - 1)}) as again:
        assert json.loads(next(told(again.iter_lines()))["data"])["id"] == request_id


def test_the_record_can_be_asked(agent, approver):
    verdict = agent.post("/v1/evaluate", json={**HARMLESS, "session_id": "recorded"}).json()
    found = approver.get("/v1/audit/events", params={"session": "recorded", "decision": "allow"}).json()["events"]
    assert [event["event_id"] for event in found] == [verdict["event_id"]]
    assert approver.get(f"/v1/audit/events/{verdict['event_id']}").json()["event"]["tool_name"] == "read_file"
    assert approver.get("/v1/audit/stats").json()["decisions"]["allow"] >= 1
    assert approver.get("/v1/audit/verify").json()["ok"] is True
    for bad in ({"decision": "maybe"}, {"kind": "x"}, {"since": "never"}, {"limit": "0"}, {"limit": "x"}):
        assert approver.get("/v1/audit/events", params=bad).status_code == 400


def test_an_admin_changes_the_policy_and_a_bad_one_changes_nothing(new_daemon):
    daemon = new_daemon().start()
    with daemon.admin() as admin, daemon.agent() as agent:
        shown = admin.get("/v1/policy").json()
        good = b"guard: {approvals: {unattended: true}}"
        assert admin.put("/v1/policy", content=good).status_code == 400
        assert admin.put("/v1/policy", content=good, headers={"if-match": "p-0"}).status_code == 412
        bad = admin.put("/v1/policy", content=b"guard: {nonsense: 1}", headers={"if-match": shown["revision"]})
        assert bad.status_code == 422
        assert "nonsense" in bad.text
        assert admin.get("/v1/policy").json()["revision"] == shown["revision"]
        done = admin.put("/v1/policy", content=good, headers={"if-match": shown["revision"]})
        assert done.status_code == 200
        denied = agent.post("/v1/evaluate", json=ASKING).json()
        assert denied["decision"] == "deny"
        assert denied["reasons"][0]["code"] == "approval.unattended"
        assert admin.get("/v1/policy").json()["revision"] == done.json()["revision"]
        notice = admin.get("/v1/audit/events", params={"kind": "notice"}).json()["events"][0]
        assert notice["actor"].startswith("admin:")


def test_what_an_admin_allows_is_in_force_when_it_is_answered_and_so_is_its_end(new_daemon):
    daemon = new_daemon().start()
    fetch = {"type": "ToolCallPre", "tool": "url_fetch", "params": {"url": "https://192.0.2.1/a"}}
    entry = {"kind": "domain", "entry": "docs.example.com"}
    with daemon.admin() as admin, daemon.agent() as agent:
        before = agent.post("/v1/evaluate", json=fetch).json()["policy_revision"]
        for way, is_as_before in (("allowances", False), ("allowances/remove", True)) * 3:
            done = admin.post(f"/v1/{way}", json=entry)
            assert done.status_code == 200, done.text
            judged = agent.post("/v1/evaluate", json=fetch).json()["policy_revision"]
            assert judged == done.json()["revision"]
            assert (judged == before) is is_as_before


def test_unattended_denies_at_once_and_says_so(new_daemon):
    daemon = new_daemon("--unattended").start()
    assert "Unattended" in daemon.hear()
    with daemon.agent() as agent:
        denied = agent.post("/v1/evaluate", json=ASKING).json()
        assert denied["decision"] == "deny"
        assert denied["reasons"][0]["code"] == "approval.unattended"
        assert agent.post("/v1/evaluate", json=HARMLESS).json()["decision"] == "allow"


def test_the_document_describes_every_route(daemon):
    with daemon.client() as anybody:
        document = anybody.get("/v1/openapi.json").json()
    assert document["openapi"].startswith("3.")
    for operation in OPERATIONS:
        described = document["paths"][operation.path][operation.method.lower()]
        assert described["summary"]
        assert {"401", "403", "404", "409", "410"} <= described["responses"].keys()
    text = json.dumps(document)
    names = document["components"]["schemas"]
    assert all(part.partition('"')[0] in names for part in text.split("#/components/schemas/")[1:])


def test_metrics_count_decisions_and_waiting_requests(agent, daemon):
    pending(agent, fresh())
    with daemon.client() as anybody:
        text = anybody.get("/metrics").text
    assert 'guardhouse_decisions_total{decision="require_approval"}' in text
    waiting = next(line for line in text.splitlines() if line.startswith("guardhouse_approvals_pending"))
    assert int(waiting.split()[1]) >= 1
