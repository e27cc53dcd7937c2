"""`guardhouse approvals` against a real daemon, run as a process, in a terminal where it answers."""

import itertools
import json
import os
import subprocess
import sys

import pytest
from daemon_process import DaemonProcess
from screens import PATIENCE, Screen

from guardhouse.model import ApprovalStatus, ToolCallPre

COMMAND = [sys.executable, "-m", "guardhouse", "approvals"]
NUMBERS = itertools.count()


class Desk:
    """A person's machine, with a token for the daemon."""

    def __init__(self, home, daemon):
        self.home, self.daemon = home, daemon
        self.home.mkdir()
        self.token = daemon.token("approver")
        self.file = home / "token"
        self.file.write_text(f"{self.token}\n")
        self.file.chmod(0o600)
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.env |= {name: value for name, value in os.environ.items() if name == "PYTHONPATH"}
        self.screens = []

    @property
    def options(self):
        return "--url", self.daemon.url, "--token-file", str(self.file)

    def run(self, *arguments, **variables):
        return subprocess.run(
            [*COMMAND, *arguments],
            env={**self.env, **variables},
            cwd=self.home,
            capture_output=True,
            text=True,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
        )

    def at_terminal(self, *arguments, command=COMMAND):
        self.screens.append(Screen([*command, *arguments, *self.options], self.env, self.home))
        return self.screens[-1]

    def close(self):
        for screen in self.screens:
            screen.close()


@pytest.fixture
def desk(tmp_path, daemon):
    desk = Desk(tmp_path / "person", daemon)
    yield desk
    desk.close()


def ask(guard, command=None):
    call = ToolCallPre(tool="bash", params={"command": command or f"rm -rf /etc/guardhouse-cli-{next(NUMBERS)}"})
    return guard.evaluate(call).approval_request_id


def test_list_and_show_have_the_same_json_as_the_api(desk, guard, person, daemon):
    request_id = ask(guard)
    listed = desk.run("list", *desk.options)
    assert request_id in listed.stdout, listed.stderr
    shown = desk.run("show", request_id[:12], "--json", GUARDHOUSE_URL=daemon.url, GUARDHOUSE_TOKEN=desk.token)
    with daemon.client(desk.token) as client:
        assert json.loads(shown.stdout) == client.get(f"/v1/approvals/{request_id}").json()
    entries = json.loads(desk.run("list", "--json", *desk.options).stdout)
    assert json.loads(shown.stdout) in entries
    assert "within the time that the" in desk.run("show", request_id, *desk.options).stdout


def test_approve_deny_resume_and_cancel(desk, guard, person):
    approved, denied, cancelled = ask(guard), ask(guard), ask(guard)
    screen = desk.at_terminal("approve", approved)
    screen.read_until("[y/N] ")
    screen.type("y\r")
    assert screen.status() == 0, screen.text
    assert person.get(approved).actor.startswith("approver:")
    assert desk.at_terminal("resume", approved).status() == 0
    assert person.get(approved).resume_asked_at is not None
    assert desk.at_terminal("deny", denied, "not now").status() == 0
    assert person.get(denied).comment == "not now"
    assert desk.run("cancel", cancelled, *desk.options).returncode == 0
    late = desk.at_terminal("deny", approved)
    assert late.status() == 1
    assert "approved by approver:" in late.text


@pytest.mark.parametrize("command", ["approve", "deny", "resume", "watch"])
def test_without_a_terminal_nothing_is_answered_at_a_daemon(desk, guard, person, command):
    request_id = ask(guard)
    done = desk.run(command, *([] if command == "watch" else [request_id]), *desk.options)
    assert (done.returncode, "There is no terminal here" in done.stderr) == (2, True)
    assert person.get(request_id).status is ApprovalStatus.PENDING


AGENT = """
import os, subprocess, sys
from guardhouse import connect
guard = connect("http://127.0.0.1:1", "gdh_agent_x_x")
environment = {**os.environ, "GUARDHOUSE_STATE_DIR": os.environ["HOME"] + "/elsewhere"}
sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)
"""


@pytest.mark.parametrize("command", ["approve", "deny", "watch"])
def test_what_an_agent_of_a_daemon_starts_can_not_answer_whatever_state_it_names(desk, guard, person, command):
    request_id = ask(guard)
    arguments = [command] if command == "watch" else [command, request_id]
    screen = desk.at_terminal(*arguments, command=[sys.executable, "-c", AGENT, *COMMAND])
    assert screen.status() == 2, screen.text
    assert "guarded agent" in screen.text
    assert person.get(request_id).status is ApprovalStatus.PENDING


def test_wrong_tokens_and_addresses_are_errors_that_do_not_name_the_token(desk, daemon):
    wrong = "gdh_approver_000000000000_" + "x" * 43
    for variables in (
        {"GUARDHOUSE_URL": daemon.url, "GUARDHOUSE_TOKEN": wrong},
        {"GUARDHOUSE_URL": "http://guard.example.com", "GUARDHOUSE_TOKEN": wrong},
        {"GUARDHOUSE_URL": "http://127.0.0.1:1", "GUARDHOUSE_TOKEN": wrong},
        {"GUARDHOUSE_URL": daemon.url},
    ):
        done = desk.run("list", **variables)
        assert done.returncode == 2
        assert done.stderr.startswith("guardhouse: ")
        assert wrong not in done.stdout + done.stderr
    desk.file.chmod(0o644)
    assert "read by others" in desk.run("list", *desk.options).stderr


def test_what_a_tool_can_do_is_not_said_to_this_machine_for_a_daemon(desk, guard, person):
    request_id = ask(guard)
    screen = desk.at_terminal("approve", request_id, "--can", "reads")
    assert screen.status() == 1
    assert person.get(request_id).status is ApprovalStatus.PENDING


@pytest.mark.parametrize("command", [["approve", "ap_00000001"], ["deny", "ap_00000001"], ["watch"]])
def test_a_policy_that_switches_the_terminal_off_is_obeyed_here(desk, command):
    config = desk.home / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("guard: {approvals: {terminal: false}}\n")
    screen = Screen([*COMMAND, *command], desk.env, desk.home)
    desk.screens.append(screen)
    assert screen.status() == 2
    assert "approvals.terminal: false" in screen.text


def test_watch_puts_questions_as_they_come_and_ends_a_card_that_another_answered(tmp_path, guard_at):
    daemon = DaemonProcess(tmp_path / "daemon").start()
    desk = Desk(tmp_path / "person", daemon)
    try:
        guard = guard_at(daemon)
        screen = desk.at_terminal("watch")
        screen.read_until("Waiting for questions.")
        first = ask(guard)
        screen.read_until(f"Approve {first}? [y/N] ")
        screen.type("y\r")
        screen.read_until("Approved by approver:")
        second = ask(guard)
        screen.read_until(f"Approve {second}? [y/N] ")
        with daemon.approver("grace") as other:
            other.post(f"/v1/approvals/{second}/deny", json={"comment": "not today"})
        screen.read_until("Waiting for questions.", after="Denied by approver:grace. They said: not today")
        third = ask(guard)
        screen.read_until(f"Approve {third}? [y/N] ")
        guard.approvals.cancel(third)
        screen.read_until("Waiting for questions.", after=f"Approve {third}")
        screen.type("\x03")
        assert screen.status() == 0
    finally:
        desk.close()
        daemon.stop()


def test_watch_ends_a_card_whose_time_is_over(tmp_path, guard_at):
    daemon = DaemonProcess(tmp_path / "daemon")
    daemon.configure("guard: {approvals: {answer_within: {low: 3, medium: 3, high: 3, critical: 3}}}\n")
    desk = Desk(tmp_path / "person", daemon.start())
    try:
        screen = desk.at_terminal("watch")
        screen.read_until("Waiting for questions.")
        request_id = ask(guard_at(daemon))
        screen.read_until(f"Approve {request_id}? [y/N] ")
        screen.read_until("Waiting for questions.", after=f"Approve {request_id}")
        assert "in time" in screen.text
    finally:
        desk.close()
        daemon.stop()


def test_watch_survives_a_daemon_that_is_killed_and_comes_back(tmp_path, guard_at):
    with_port = DaemonProcess(tmp_path / "first").start()
    port = with_port.url.rpartition(":")[2]
    with_port.stop()
    daemon = DaemonProcess(tmp_path / "daemon", "--port", port).start()
    desk = Desk(tmp_path / "person", daemon)
    try:
        token = daemon.token("agent")
        screen = desk.at_terminal("watch")
        screen.read_until("Waiting for questions.")
        daemon.kill()
        screen.read_until("Trying again.")
        daemon.start()
        screen.read_until("The daemon is back.")
        first = ask(guard_at(daemon, token))
        screen.read_until(f"Approve {first}? [y/N] ")
        daemon.kill()
        screen.type("y\r")
        screen.read_until(f"If you have just answered {first}, that may not count.")
        daemon.start()
        text = screen.read_until(f"Approve {first}? [y/N] ", after="may not count")
        assert text.count("The daemon is back.") == 2
        screen.type("y\r")
        screen.read_until("Approved by approver:", after="may not count")
        screen.read_until("Waiting for questions.", after="Approved by approver:")  # the terminal is as it was again
        screen.type("\x03")
        assert screen.status() == 0
    finally:
        desk.close()
        daemon.stop()
