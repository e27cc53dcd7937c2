"""`guardhouse approvals edit|reapprove|grants|revoke|lift` and the terms of a yes, run as processes in a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from screens import PATIENCE, Screen

COMMAND = [sys.executable, "-m", "guardhouse", "approvals"]
AGENT = """
import json, sys, guardhouse
from guardhouse.model import ToolCallPre
with guardhouse.open_guard() as guard:
    for command in sys.argv[1:]:
        call = ToolCallPre(tool="bash", params={"command": command}, session_id="s1", call_id="c1")
        verdict = guard.evaluate(call)
        told = [verdict.decision.value, verdict.approval_request_id, verdict.params, verdict.reasons[0].code]
        print(json.dumps(told))
"""


class House:
    """A person's machine: an agent that asks in a process of its own, and the command in a terminal."""

    def __init__(self, home):
        self.home = home
        self.env = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            **{name: value for name, value in os.environ.items() if name == "PYTHONPATH"},
        }
        self.screens = []

    def agent(self, *commands):
        done = self._run([sys.executable, "-c", AGENT, *commands])
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run(self, *arguments):
        """Without any terminal."""
        return self._run([*COMMAND, *arguments], input="y\n" * 9, start_new_session=True)

    def at_terminal(self, *arguments):
        screen = Screen([*COMMAND, *arguments], self.env, self.home)
        self.screens.append(screen)
        return screen

    def told(self, *arguments, status=0):
        """What a command says that asks nothing."""
        screen = self.at_terminal(*arguments)
        assert screen.status() == status, screen.text
        return screen.text

    def _run(self, command, **how):
        return subprocess.run(
            command, capture_output=True, text=True, env=self.env, cwd=self.home, timeout=PATIENCE, check=False, **how
        )


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    yield house
    for screen in house.screens:
        screen.close()


A, B = "rm -rf /srv/a", "rm -rf /srv/a /srv/b"


def test_a_grant_is_given_on_the_card_listed_and_revoked(house):
    [[_, request, _, _]] = house.agent(A)
    screen = house.at_terminal("approve", request, "--there", "30m")
    card = screen.read_until("[y/N] ")
    assert "at the same places, for 30 min" in card
    assert "path /srv/a" in card
    screen.type("y\r")
    assert screen.status() == 0
    assert [one[0] for one in house.agent(A, "cd /srv; rm -rf a")] == ["allow", "allow"]
    [grant] = json.loads(house.run("grants", "--json").stdout)
    listed = house.run("grants").stdout
    assert all(word in listed for word in (grant["id"], "used 1 times", "path /srv/a", "s1"))
    assert "covers nothing any more" in house.told("revoke", grant["id"])
    assert house.run("grants").stdout == "No grants.\n"
    assert "revoked" in house.run("grants", "--all").stdout
    assert house.agent("cd /srv; rm -rf a")[0][0] == "require_approval"
    assert house.told("revoke", "gr_none", status=1)


def test_a_condition_holds_for_all_that_is_approved_together_and_nothing_else_does(house):
    [[_, first, *_], [_, second, *_]] = house.agent("rm -rf /etc/guardhouse-one", "rm -rf /etc/guardhouse-two")
    screen = house.at_terminal("approve", first, "--alike", "--first-lines", "2", "--again", "10m")
    question = screen.read_until("/N] ").rpartition("[")[2].partition("/")[0]
    screen.type(f"{question}\r")
    assert screen.status() == 0, screen.text
    told = json.loads(house.told("show", second, "--json"))
    assert (told["status"], told["terms"]) == ("approved", {"condition": {"show": "first_lines", "lines": 2}})


def test_terms_that_can_not_be_had_are_refused_and_leave_it_unanswered(house):
    [[_, request, _, _]] = house.agent(A)
    screen = house.at_terminal("approve", request, "--there", "30m", "--first-lines", "20")
    assert "only the first 20 lines" in screen.read_until("[y/N] ")
    screen.type("y\r")
    assert screen.status() == 1
    assert "Choose one of the two" in screen.text
    assert house.agent(A)[0][:2] == ["require_approval", request]


def test_a_call_is_changed_and_approved_once_the_person_says_so(house):
    [[_, request, _, _]] = house.agent(B)
    no = house.at_terminal("edit", request, "--set", f"/params/command={A}")
    no.read_until("arguments?")
    no.type("\r")
    assert no.status() == 1
    assert house.agent(B)[0][1] == request
    screen = house.at_terminal("edit", request, "--set", f"/params/command={A}", "--comment", "Only a.")
    assert f'/params/command = "{A}"' in screen.read_until("arguments?")
    screen.type("y\r")
    assert screen.status() == 0
    assert "Approved by local:" in screen.text
    assert house.agent(B)[0][2:] == [{"command": A}, "approval.edited"]


def test_a_change_that_would_be_denied_is_told_and_changes_nothing(house):
    [[_, request, _, _]] = house.agent(B)
    screen = house.at_terminal("edit", request, "--set", "/params/command=rm -rf /")
    screen.read_until("arguments?")
    screen.type("y\r")
    assert screen.status() == 1
    assert "would be denied; nothing was changed" in screen.text
    assert house.agent(B)[0][1] == request


def test_a_no_is_taken_back_and_a_pause_lifted(house):
    [[_, request, _, _]] = house.agent(A)
    house.told("deny", request)
    assert house.agent(A)[0][0] == "deny"
    assert "once until" in house.told("reapprove", request)
    assert [one[0] for one in house.agent(A, A)] == ["allow", "deny"]
    assert "may ask again" in house.told("lift", request)


@pytest.mark.parametrize(
    "arguments",
    [
        ("edit", "ap_000000000000", "--set", "/params/a=1"),
        ("reapprove", "ap_000000000000"),
        ("lift", "ap_000000000000"),
        ("revoke", "gr_000000000000"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_nothing_is_answered_without_a_terminal(house, arguments):
    assert house.run(*arguments).returncode == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--again", "1m", "--there", "1m"),
        ("--structure", "--redacted"),
        ("--first-lines", "0"),
        ("--again", "tomorrow"),
    ],
)
def test_terms_that_say_two_things_or_none_are_wrong_usage(house, options):
    assert house.run("approve", "ap_000000000000", *options).returncode == 2
