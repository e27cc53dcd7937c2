"""Our own lists of commands: what agents really issue, what only looks dangerous, and ways round a reader.

The lists are data beside this file. A row that is known to get past carries `gap`, with the reason.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, ToolCallPre
from guardhouse.suites.interface import StillWorld, policy_for

LISTS = Path(__file__).parent / "commands"


def rows(name):
    return yaml.safe_load((LISTS / f"{name}.yaml").read_text())


@pytest.fixture(scope="module")
def decide():
    policy = policy_for({"network": {"default": {"allowed_domains": ["*"]}}})
    guard = Guard(FixedPolicy(policy), resolver=StillWorld(), files=StillWorld())

    def decide(command):
        return guard.evaluate(ToolCallPre(tool="bash", params={"command": command}, cwd="/home/user/project"))

    return decide


def stopped(verdict):
    return verdict.decision in {Decision.REQUIRE_APPROVAL, Decision.DENY}


def explained(verdict):
    return [f"{reason.code}: {reason.headline}" for reason in verdict.reasons]


def test_ordinary_work_of_a_coding_agent_asks_nothing(decide):
    asked = {
        row["command"]: explained(verdict) for row in rows("everyday") if stopped(verdict := decide(row["command"]))
    }
    assert not asked


def test_what_only_looks_dangerous_is_let_through(decide):
    asked = {
        row["command"]: explained(verdict) for row in rows("lookalikes") if stopped(verdict := decide(row["command"]))
    }
    assert not asked


def test_ways_round_a_reader_of_commands_are_stopped(decide):
    passed = [row["technique"] for row in rows("evasions") if "gap" not in row and not stopped(decide(row["command"]))]
    assert not passed


def test_known_gaps_are_few_and_still_there(decide):
    gaps = [row for row in rows("evasions") if "gap" in row]
    assert len(gaps) <= 10
    assert [row["technique"] for row in gaps if stopped(decide(row["command"]))] == []


def test_everyday_use_of_risky_verbs_asks_about_at_most_one_in_four(decide):
    verbs = rows("risky_verbs")
    asked = sum(stopped(decide(row["command"])) for row in verbs)
    assert asked <= len(verbs) / 4
    wrong = [row["command"] for row in verbs if stopped(decide(row["command"])) != (row["expected"] == "ask")]
    assert not wrong


def test_the_lists_have_no_command_twice():
    for name in ("everyday", "lookalikes", "evasions", "risky_verbs"):
        commands = [row["command"] for row in rows(name)]
        assert len(commands) == len(set(commands))
