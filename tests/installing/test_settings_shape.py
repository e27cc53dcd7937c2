"""Settings that an agent can't read: it drops the whole file, so `doctor` says so and `install` does not add to it."""

import json

import pytest
from test_doctor import NEW, guarded, told, words

from guardhouse.installing.agents import AGENTS
from guardhouse.installing.checks import overall
from guardhouse.installing.machine import read_settings
from guardhouse.installing.settings_shape import misfits

GROUP = {"hooks": [{"type": "command", "command": "x"}]}


def hook(**fields):
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", **fields}]}]}}


DROPPED = {
    "claude-code": [
        ({"permissions": {"allow": "Bash"}}, "permissions.allow"),
        ({"permissions": {"deny": [5]}}, "permissions.deny"),
        ({"permissions": []}, "permissions"),
        ({"env": ["A"]}, "env"),
        ({"disableAllHooks": "yes"}, "disableAllHooks"),
        ({"hooks": {"PreToolUse": [{"matcher": 5, "hooks": "x"}]}}, "hooks.PreToolUse[0].hooks"),
        ({"hooks": {"PreToolUse": [GROUP, {**GROUP, "matcher": None}]}}, "hooks.PreToolUse[1].matcher"),
        ({"hooks": {"PreToolUse": [5, {"hooks": 5}]}}, "hooks.PreToolUse[0]"),
        ({"hooks": {"PreToolUse": [{"matcher": "*"}]}}, "hooks.PreToolUse[0].hooks"),
        ({"hooks": {"Stop": [{"hooks": ["x"]}]}}, "hooks.Stop[0].hooks[0]"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "nonsense"}]}]}}, "hooks.Stop[0].hooks[0].type"),
        ({"hooks": {"Stop": [{"hooks": [{"type": ["command"]}]}]}}, "hooks.Stop[0].hooks[0].type"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}, "hooks.Stop[0].hooks[0].command"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": 1}]}]}}, "hooks.Stop[0].hooks[0].prompt"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "u", "headers": {"a": 1}}]}]}}, "hooks[0].headers"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool", "server": "s"}]}]}}, "hooks.Stop[0].hooks[0].tool"),
        (hook(args="x"), "hooks[0].args"),
        (hook(timeout=0), "hooks[0].timeout"),
        (hook(timeout=True), "hooks[0].timeout"),
        (hook(onFailure="stop"), "hooks[0].onFailure"),
    ],
    "codex": [
        ({"hooks": {"PreToolUse": [5]}}, "hooks.PreToolUse[0]"),
        ({"hooks": {"PreToolUse": [{"hooks": 5}]}}, "hooks.PreToolUse[0].hooks"),
        ({"hooks": {"PreToolUse": [{**GROUP, "matcher": 5}]}}, "hooks.PreToolUse[0].matcher"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "u"}]}]}}, "hooks.Stop[0].hooks[0].type"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}, "hooks.Stop[0].hooks[0].command"),
        (hook(timeout=1.5), "hooks[0].timeout"),
        (hook(**{"async": None}), "hooks[0].async"),
    ],
    "gemini": [
        ({"hooks": {"BeforeTool": [{"matcher": "*"}]}}, "hooks.BeforeTool[0].hooks"),
        ({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": 5}]}]}}, "hooks[0].command"),
    ],
    "cursor": [
        ({"version": 1, "hooks": {"stop": ["x"]}}, "hooks.stop[0]"),
        ({"version": 1, "hooks": {"stop": [{"command": "x", "failClosed": "yes"}]}}, "stop[0].failClosed"),
    ],
    "copilot": [
        ({"version": 2, "hooks": {}}, "version"),
        ({"version": 1, "hooks": {"agentStop": {}}}, "hooks.agentStop"),
        ({"version": 1, "hooks": {"agentStop": [{"type": "nonsense"}]}}, "agentStop[0].type"),
    ],
    "goose": [
        ({"hooks": {"Stop": [{"hooks": [{"command": 5}]}]}}, "hooks[0].command"),
        ({"hooks": {"Stop": [{"hooks": [{"command": "x", "on_failure": "stop"}]}]}}, "hooks[0].on_failure"),
    ],
    "hermes": [({"hooks": {"pre_llm_call": ["x"]}}, "hooks.pre_llm_call[0]")],
}
READ = {
    "claude-code": [
        {},
        {"model": "x", "env": {"A": "1"}, "permissions": {"allow": ["Bash(ls)"], "defaultMode": "plan"}},
        hook(args=["a"], timeout=0.5, shell="bash", onFailure="block", once=True, new_field=1),
        {"hooks": {"Setup": [{"hooks": []}], "MessageDisplay": [], "Stop": [{"matcher": "", "new": 1, "hooks": []}]}},
    ],
    "codex": [{}, hook(timeout=None), {"hooks": {"Stop": [{}, {"matcher": None, "hooks": []}]}, "env": 5}],
}
CASES = [(agent, value, place) for agent, cases in DROPPED.items() for value, place in cases]


def change(file, how):
    """Let somebody edit settings, in whichever notation; JSON is YAML, too."""
    value = read_settings(file).value
    how(value)
    file.write_text(json.dumps(value))


def merge(value, more):
    """Put `more` into settings, at the end of what is there."""
    for key, added in more.items():
        if isinstance(added, dict) and isinstance(value.get(key), dict):
            merge(value[key], added)
        elif isinstance(added, list) and isinstance(value.get(key), list):
            value[key] += added
        else:
            value[key] = added


@pytest.fixture(params=DROPPED)
def under(place, request):
    return guarded(place, request.param), request.param


@pytest.mark.parametrize(("agent", "value", "where"), CASES)
def test_what_makes_an_agent_drop_the_file_is_found_where_it_stands(agent, value, where):
    found = [one for one in misfits(value, AGENTS[agent]) if one.drops_file]
    assert any(one.place.endswith(where) for one in found)


@pytest.mark.parametrize(("agent", "value"), [(agent, value) for agent, values in READ.items() for value in values])
def test_what_an_agent_reads_is_left_alone(agent, value):
    assert list(misfits(value, AGENTS[agent])) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_every_event_that_we_install_is_one_that_the_agent_knows(agent):
    settings = {**AGENTS[agent].head, "hooks": {event: [] for event in AGENTS[agent].events}}
    assert list(misfits(settings, AGENTS[agent])) == []


def test_settings_that_the_agent_drops_are_to_be_fixed(under):
    place, agent = under
    file = place.settings(agent)
    good = file.read_text()
    assert "fail" not in told(place.look_over(agent), "settings")
    for value, _where in (DROPPED[agent][0], DROPPED[agent][-1]):
        change(file, lambda settings, value=value: merge(settings, value))
        checks = place.look_over(agent)
        assert told(checks, "settings") == {"fail"}
        assert "read nothing of this file" in words(checks, "fail")
        assert overall(checks) == 1
        file.write_text(good)


def test_an_event_that_nobody_knows_and_a_variable_that_is_no_text_are_told_of(place):
    place.program("claude", NEW["claude-code"])
    place.install("claude-code")
    place.change(place.claude, lambda value: merge(value, {"env": {"A": 5}, "hooks": {"Nonsense": [GROUP]}}))
    checks = place.look_over("claude-code")
    assert told(checks, "settings") == {"warn"}
    assert "hooks.Nonsense" in words(checks, "warn")
    assert "env.A" in words(checks, "warn")


def test_what_is_ours_and_misshapen_is_mended_by_install(place):
    place.install("claude-code")
    good = place.claude.read_text()
    place.change(place.claude, lambda value: value["hooks"]["PreToolUse"][0].update(matcher=5))
    place.install("claude-code")
    assert json.loads(place.claude.read_text()) == json.loads(good)


@pytest.mark.parametrize("more", [{"if": "Bash(git *)"}, {"disabled": True}, {"enabled": False}])
def test_a_group_of_ours_with_a_condition_beside_it_is_to_be_fixed(under, more):
    place, agent = under
    file = place.settings(agent)
    change(file, lambda value: value["hooks"][AGENTS[agent].call][0].update(more))
    assert told(place.look_over(agent), "fail-closed") == {"fail"}
