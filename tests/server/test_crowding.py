"""However much agents ask at once, people can still see and answer requests."""

import concurrent.futures

import pytest
from daemon_process import pending, until

from guardhouse.server import door
from guardhouse.server.door import Door, Pace
from guardhouse.server.problems import Problem
from guardhouse.tokens import Principal


def test_many_who_wait_keep_nobody_from_answering(daemon):
    with daemon.agent() as agent, daemon.approver() as approver, daemon.client() as anybody:
        request_id = pending(agent, "rm -rf /etc/crowded")
        token = agent.headers["authorization"].removeprefix("Bearer ")

        def wait(_number):
            with daemon.client(token) as client:
                return client.get(f"/v1/approvals/{request_id}", params={"wait": 30}).json()["status"]

        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            waiting = [pool.submit(wait, number) for number in range(60)]
            until(lambda: "guardhouse_waiting 60" in anybody.get("/metrics").text, "waiting")
            assert approver.post(f"/v1/approvals/{request_id}/deny").status_code == 200
            assert {one.result(20) for one in waiting} == {"denied"}


def test_one_token_has_only_so_many_requests_under_way(monkeypatch):
    monkeypatch.setattr(door, "_MOST_UNDER_WAY", 2)
    entrance = Door(None, None, lambda: 60)
    agent, other = Principal("1", "a", "agent"), Principal("2", "b", "approver")
    with entrance.under_way(agent), entrance.under_way(agent):
        with pytest.raises(Problem) as caught, entrance.under_way(agent):
            pass
        assert caught.value.status == 429
        with entrance.under_way(other):
            pass
    with entrance.under_way(agent):
        pass
    assert not entrance._under_way


def test_agents_take_at_most_half_of_the_streams(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {server: {max_streams: 2}}")
    daemon.start()
    with daemon.agent() as agent, daemon.approver() as approver, agent.stream("GET", "/v1/events") as first:
        assert first.status_code == 200
        assert agent.get("/v1/events").status_code == 503
        with approver.stream("GET", "/v1/events") as second:
            assert second.status_code == 200


def test_a_pace_lets_through_what_it_says_and_more_with_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(door.time, "monotonic", lambda: now[0])
    pace = Pace(lambda: 60)
    for _ in range(10):
        pace.check("a")
    with pytest.raises(Problem) as caught:
        pace.check("a")
    assert caught.value.status == 429
    pace.check("b")
    now[0] = 1.0
    pace.check("a")
    with pytest.raises(Problem):
        pace.check("a")


def test_an_agent_is_told_nothing_of_what_is_wrong_inside(new_daemon):
    daemon = new_daemon().start()
    with daemon.agent() as agent, daemon.approver() as approver:
        request_id = pending(agent)
        database = daemon.state / "approvals.db"
        import sqlite3

        connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        connection.execute("BEGIN IMMEDIATE")
        try:
            answer = agent.post(f"/v1/approvals/{request_id}/cancel")
            assert answer.status_code == 503
            assert "approvals.db" not in answer.text
            assert "held by another process" in approver.post(f"/v1/approvals/{request_id}/deny").text
        finally:
            connection.rollback()
            connection.close()
        assert approver.post(f"/v1/approvals/{request_id}/deny").status_code == 200
