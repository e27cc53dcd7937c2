"""Runs of the daemon, over HTTP: started, followed, answered, resumed, cancelled; also when it is killed meanwhile."""

import json
import re

import pytest
from daemon_process import DaemonProcess, until
from running_daemon import RunningDaemon, stands, started
from scripted_model import ScriptedModel, script


@pytest.fixture(scope="module")
def model():
    serves = ScriptedModel()
    yield serves
    serves.close()


@pytest.fixture
def counted():
    """A model, and counts, of one test alone."""
    serves = ScriptedModel()
    yield serves
    serves.close()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory, model):
    root = tmp_path_factory.mktemp("daemon")
    (root / "project").mkdir()
    process = RunningDaemon(root, model, more=f"workspaces: [{root}/project]").start()
    yield process
    process.stop()


@pytest.fixture
def new_running(tmp_path, counted):
    made = []

    def make(**more):
        directory = tmp_path / f"running{len(made)}"
        directory.mkdir()
        made.append(RunningDaemon(directory, counted, **more))
        return made[-1]

    yield make
    for process in made:
        process.stop()


@pytest.fixture(scope="module")
def agent(daemon):
    with daemon.agent("worker") as client:
        yield client


@pytest.fixture(scope="module")
def approver(daemon):
    with daemon.approver("ada") as client:
        yield client


def approve(approver, request_id):
    answer = approver.post(f"/v1/approvals/{request_id}/approve")
    assert answer.status_code == 200, answer.text


def test_a_run_is_started_at_once_and_ends_with_its_answer(agent, model):
    answer = agent.post("/v1/runs", json={"task": script(("look", {"what": "roof"}), "The roof is fine.")})
    assert answer.status_code == 201
    run = answer.json()
    assert (run["status"], run["principal"], run["place"]) == ("ready", "worker", "daemon")
    shown = agent.get(f"/v1/runs/{run['id']}", params={"wait": 30}).json()
    assert (shown["status"], shown["output"]) == ("done", "The roof is fine.")
    assert [(call["tool"], call["outcome"]) for call in shown["calls"]] == [("look", "completed")]
    assert (shown["steps"], shown["waits_for"]) == (2, [])
    assert model.made["look:roof"] == 1
    assert run["id"] in {one["id"] for one in agent.get("/v1/runs", params={"status": "done"}).json()["runs"]}


def test_a_run_waits_for_a_person_and_goes_on_by_itself_once_they_answered(agent, approver, model):
    run_id = started(agent, script(("pay", {"amount": 11}), "Paid."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    assert model.made["pay:11"] == 0
    approve(approver, request_id)
    shown = agent.get(f"/v1/runs/{run_id}", params={"wait": 30}).json()
    assert (shown["status"], shown["output"]) == ("done", "Paid.")
    assert model.made["pay:11"] == 1


def test_a_no_is_told_to_the_model_and_the_run_goes_on(agent, approver, model):
    run_id = started(agent, script(("pay", {"amount": 12}), "Then not."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    approver.post(f"/v1/approvals/{request_id}/deny", json={"comment": "no"})
    shown = stands(agent, run_id, "done")
    assert (shown["output"], shown["calls"][0]["outcome"]) == ("Then not.", "denied")
    assert model.made["pay:12"] == 0


def test_nobody_sees_or_touches_a_run_of_another_agent_and_people_see_all(daemon, agent, approver):
    run_id = started(agent, script("Done."))
    stands(agent, run_id, "done")
    with daemon.agent() as other:
        for answer in (
            other.get(f"/v1/runs/{run_id}"),
            other.get(f"/v1/runs/{run_id}/events"),
            other.post(f"/v1/runs/{run_id}/cancel"),
            other.post(f"/v1/runs/{run_id}/resume"),
        ):
            assert answer.status_code == 404
            assert answer.json() == other.get("/v1/runs/run_0").json()
        assert other.get("/v1/runs", params={"principal": "worker"}).json()["runs"] == []
    assert approver.get(f"/v1/runs/{run_id}").json()["output"] == "Done."
    assert approver.post("/v1/runs", json={"task": "x"}).status_code == 403


def test_a_session_of_a_run_is_its_principals_own(daemon, agent, approver):
    run_id = started(agent, script(("look", {"what": "roof"}), "Done."), session_id="shared-name")
    stands(agent, run_id, "done")
    assert agent.get("/v1/sessions/shared-name").status_code == 200
    with daemon.agent() as other:
        assert other.get("/v1/sessions/shared-name").status_code == 404


def test_events_come_as_they_happen_and_from_where_somebody_left_off(agent, approver):
    run_id = started(agent, script(("pay", {"amount": 13}), "Paid."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    heard = []
    with agent.stream("GET", f"/v1/runs/{run_id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("id: "):
                heard.append([int(line[4:])])
            elif line.startswith("data: "):
                heard[-1].append(json.loads(line[6:]))
                if heard[-1][1]["kind"] == "asked":
                    approve(approver, request_id)
    kinds = [told["kind"] for _number, told in heard]
    assert kinds[:2] == ["started", "running"]
    assert kinds[-1] == "done"
    assert kinds.index("asked") < kinds.index("waiting") < kinds.index("begun")
    assert next(told["approval"] for _number, told in heard if told["kind"] == "asked") == request_id
    assert '"Paid."' not in json.dumps(heard)
    last = heard[-1][0]
    behind = agent.get(f"/v1/runs/{run_id}/events", headers={"last-event-id": str(heard[-3][0])})
    assert [int(number) for number in re.findall(r"id: (\d+)", behind.text)] == [one[0] for one in heard[-2:]]
    assert agent.get(f"/v1/runs/{run_id}/events", headers={"last-event-id": str(last)}).status_code == 204
    assert agent.get(f"/v1/runs/{run_id}/events", headers={"last-event-id": "x"}).status_code == 400


def test_a_cancelled_run_ends_with_its_question(agent, approver, model):
    run_id = started(agent, script(("pay", {"amount": 14}), "Paid."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    assert agent.post(f"/v1/runs/{run_id}/cancel").json()["status"] == "cancelled"
    assert approver.get(f"/v1/approvals/{request_id}").json()["status"] == "cancelled"
    assert agent.post(f"/v1/runs/{run_id}/cancel").status_code == 409
    assert agent.post(f"/v1/runs/{run_id}/resume").status_code == 409
    assert model.made["pay:14"] == 0


def test_the_call_of_a_run_is_handed_to_nobody_else(agent, approver, model):
    run_id = started(agent, script(("pay", {"amount": 15}), "Paid."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    early = agent.post(f"/v1/approvals/{request_id}/resume")
    assert (early.status_code, early.json()["run"]["id"]) == (409, run_id)
    assert agent.post(f"/v1/approvals/{request_id}/consume").status_code == 409
    with approver.__class__(base_url=approver.base_url, headers=approver.headers, trust_env=False) as other:
        approve(other, request_id)
    resumed = agent.post(f"/v1/approvals/{request_id}/resume")
    assert "action" not in resumed.json()
    stands(agent, run_id, "done")
    assert model.made["pay:15"] == 1


def test_a_run_works_only_where_it_may(daemon, agent):
    task = script("Done.")
    for wanted in ("/", "/etc", str(daemon.home), "relative", f"{daemon.root}/project/..", "/nowhere\0"):
        answer = agent.post("/v1/runs", json={"task": task, "workspace": wanted})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "workspace"), wanted
    run_id = started(agent, task, workspace=f"{daemon.root}/project/")
    assert stands(agent, run_id, "done")["workspace"] == f"{daemon.root}/project"
    own = agent.get(f"/v1/runs/{started(agent, task)}").json()
    assert own["workspace"] == f"{daemon.state}-work/{own['id']}"


def test_what_is_no_run_is_refused(agent):
    for body, status in (
        ({}, 400),
        ({"task": ""}, 400),
        ({"task": "   "}, 422),
        ({"task": "x", "principal": "admin"}, 400),
        ({"task": "x", "place": "terminal"}, 400),
        ({"task": "x", "role": "root"}, 422),
        ({"task": "x" * 200_001}, 400),
    ):
        assert agent.post("/v1/runs", json=body).status_code == status, body
    assert agent.post("/v1/runs", content=b"x" * 3_000_000).status_code == 413
    assert agent.get("/v1/runs", params={"status": "asleep"}).status_code == 400


def test_without_a_model_it_is_said_how_to_name_one(new_daemon):
    daemon = new_daemon().start()
    with daemon.agent() as agent:
        answer = agent.post("/v1/runs", json={"task": "x"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "no_model")
        assert "runs: {model:" in answer.json()["error"]["fix"]
        assert agent.get("/v1/runs").json() == {"runs": []}


def test_runs_are_counted(daemon, agent, approver):
    run_id = started(agent, script(("pay", {"amount": 16}), "Paid."))
    [request_id] = stands(agent, run_id, "waiting")["waits_for"]
    with daemon.client() as anybody:
        assert 'guardhouse_runs{status="waiting"} 1' in anybody.get("/metrics").text
        approve(approver, request_id)
        stands(agent, run_id, "done")
        told = anybody.get("/metrics").text
    assert re.search(r'guardhouse_run_segments_total\{status="waiting"\} [1-9]', told)
    assert re.search(r"guardhouse_run_resumed_seconds_count [1-9]", told)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_run_waits_through_a_killed_daemon_and_goes_on_by_itself_in_the_next(new_running, counted, kind, request):
    database = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    daemon = new_running(database=database).start()
    with daemon.agent("worker") as agent:
        run_id = started(agent, script(("look", {"what": "roof"}), ("pay", {"amount": 5}), "Paid."))
        [request_id] = stands(agent, run_id, "waiting")["waits_for"]
        token = agent.headers["authorization"]
    daemon.kill()
    daemon.start()
    with daemon.client() as agent, daemon.approver() as approver:
        agent.headers["authorization"] = token
        assert agent.get(f"/v1/runs/{run_id}").json()["status"] == "waiting"
        approve(approver, request_id)
        assert stands(agent, run_id, "done")["output"] == "Paid."
    assert counted.made == {"look:roof": 1, "pay:5": 1}


def test_an_answer_that_came_while_no_daemon_ran_is_acted_on_at_the_start(new_running, counted):
    from guardhouse.opening import open_approvals

    daemon = new_running().start()
    with daemon.agent("worker") as agent:
        run_id = started(agent, script(("pay", {"amount": 5}), "Paid."))
        [request_id] = stands(agent, run_id, "waiting")["waits_for"]
        token = agent.headers["authorization"]
    daemon.kill()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in daemon.environment.items():
            patched.setenv(name, value)
        with open_approvals(state_dir=daemon.state) as approvals:
            approvals.answer(request_id, approve=True, actor="local:ada")
    daemon.start()
    with daemon.client() as agent:
        agent.headers["authorization"] = token
        assert stands(agent, run_id, "done")["output"] == "Paid."
    assert counted.made == {"pay:5": 1}


def test_a_call_under_way_when_the_daemon_is_killed_is_made_again_only_if_it_does_no_harm(new_running, counted):
    daemon = new_running().start()
    with daemon.agent("worker") as agent:
        harmless = started(agent, script(("dawdle", {"seconds": 1.5}), "Done."))
        other = started(agent, script(("haul", {"seconds": 1.5}), "Not again."))
        until(lambda: counted.made["dawdle:1.5"] == 1 and counted.made["haul:1.5"] == 1)
        token = agent.headers["authorization"]
    daemon.kill()
    daemon.start()
    with daemon.client() as agent, daemon.approver() as approver:
        agent.headers["authorization"] = token
        assert stands(agent, harmless, "done")["output"] == "Done."
        [request_id] = stands(agent, other, "waiting")["waits_for"]
        approver.post(f"/v1/approvals/{request_id}/deny")
        assert stands(agent, other, "done")["calls"][0]["outcome"] == "unknown"
    assert counted.made == {"dawdle:1.5": 2, "haul:1.5": 1}


def test_a_daemon_that_is_ended_lets_go_of_its_runs_and_the_next_goes_on(new_running, counted):
    daemon = new_running().start()
    with daemon.agent("worker") as agent:
        run_id = started(agent, script(("dawdle", {"seconds": 0.5}), "Done."))
        until(lambda: counted.made["dawdle:0.5"] == 1)
        token = agent.headers["authorization"]
    daemon.stop()
    assert "Traceback" not in "".join(daemon.said)
    daemon.start()
    with daemon.client() as agent:
        agent.headers["authorization"] = token
        shown = stands(agent, run_id, "done")
        kinds = agent.get(f"/v1/runs/{run_id}/events").text
    assert shown["output"] == "Done."
    assert '"kind":"ready"' in kinds
    assert '"kind":"paused"' not in kinds


def test_a_run_whose_model_fails_is_paused_and_goes_on_when_it_is_resumed(new_running, counted):
    daemon = new_running().start()
    counted.fails_with = 500
    with daemon.agent() as agent, daemon.approver() as approver:
        run_id = started(agent, script("Done."))
        shown = agent.get(f"/v1/runs/{run_id}", params={"wait": 30}).json()
        assert (shown["status"], shown["why"]) == ("paused", "model")
        asked = counted.asked
        counted.fails_with = 0
        assert approver.post(f"/v1/runs/{run_id}/resume").json()["status"] == "ready"
        assert stands(agent, run_id, "done")["output"] == "Done."
        assert counted.asked == asked + 1


def test_no_more_runs_than_may_are_worked_on_at_once(new_running, counted):
    daemon = new_running(more="at_once: 2").start()
    with daemon.agent() as agent:
        for number in range(5):
            started(agent, script(("dawdle", {"seconds": 0.3 + number / 100}), "Done."))
        most = 0
        while True:
            listed = agent.get("/v1/runs").json()["runs"]
            most = max(most, sum(run["status"] == "running" for run in listed))
            if all(run["status"] == "done" for run in listed):
                break
        assert most == 2
    assert set(counted.made.values()) == {1}


def test_what_a_tool_of_a_run_starts_counts_as_an_agents(daemon, agent):
    stands(agent, started(agent, script("Done.")), "done")
    noted = [json.loads(file.read_text()) for file in (daemon.state / "agents").iterdir()]
    assert daemon.process.pid in {one["pid"] for one in noted}


def test_a_daemon_without_runs_is_no_agent(new_daemon):
    daemon: DaemonProcess = new_daemon().start()
    with daemon.agent() as agent:
        assert agent.get("/v1/runs").status_code == 200
    assert not [file for file in (daemon.state / "agents").glob("*") if file.is_file()]
