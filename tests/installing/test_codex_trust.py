"""Codex's own digest of a hook."""

import pytest

from guardhouse.installing.codex_trust import event_label, trust_of, trusted_hash
from guardhouse.installing.hook_settings import Handler


def hook(event="PreToolUse", matcher=None, group_index=0, **fields):
    handler = {"type": "command", "command": "x", "timeout": 30, **fields}
    group = {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}
    return Handler(event, group_index, 0, group, handler)


def test_the_digest_is_the_one_that_is_published_for_a_hook_with_every_part():
    found = hook(
        "SessionStart",
        command="'/Users/test/.gsdv/hooks/agent-status-hook'",
        timeout=5,
        statusMessage="updating gsdv agent status",
    )
    assert trusted_hash(found) == "sha256:a44aef407be1d22870fb19677d4381978bb4d50711a4700f111173b872e77a07"


def test_events_are_labelled_as_codex_does():
    assert [event_label(event) for event in ("PreToolUse", "Stop", "UserPromptSubmit", "SubagentStop")] == [
        "pre_tool_use",
        "stop",
        "user_prompt_submit",
        "subagent_stop",
    ]


def test_a_matcher_counts_only_for_events_that_have_one():
    assert trusted_hash(hook("Stop", matcher="x")) == trusted_hash(hook("Stop"))
    assert trusted_hash(hook("PreToolUse", matcher="x")) != trusted_hash(hook("PreToolUse"))


def test_what_codex_fills_in_is_filled_in():
    handler = {"type": "command", "command": "x"}
    bare = Handler("Stop", 0, 0, {"hooks": [handler]}, handler)
    assert trusted_hash(bare) == trusted_hash(hook("Stop", timeout=600))
    assert trusted_hash(hook("Stop", timeout=0)) == trusted_hash(hook("Stop", timeout=1))


@pytest.mark.parametrize("fields", [{"additionalContextLimit": 5}, {"timeout": "30"}, {"type": "mcp_tool"}])
def test_a_hook_with_unknown_parts_has_no_digest_that_could_be_told(fields):
    assert trusted_hash(hook(**fields)) is None


@pytest.mark.parametrize(
    ("state", "trust"),
    [
        (None, "untrusted"),
        ({}, "untrusted"),
        ({"trusted_hash": "sha256:00"}, "changed"),
        ({"trusted_hash": trusted_hash(hook())}, "trusted"),
        ({"trusted_hash": trusted_hash(hook()), "enabled": False}, "disabled"),
        ("odd", "unknown"),
    ],
)
def test_how_codex_stands_to_a_hook(tmp_path, state, trust):
    file = tmp_path / "hooks.json"
    config = {} if state is None else {"hooks": {"state": {f"{file}:pre_tool_use:0:0": state}}}
    assert trust_of(hook(), file, config) == trust


def test_trust_is_for_one_place_in_the_file(tmp_path):
    file = tmp_path / "hooks.json"
    config = {"hooks": {"state": {f"{file}:pre_tool_use:0:0": {"trusted_hash": trusted_hash(hook())}}}}
    assert trust_of(hook(group_index=1), file, config) == "untrusted"


def test_a_linked_directory_is_the_same_place(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    config = {"hooks": {"state": {f"{real}/hooks.json:pre_tool_use:0:0": {"trusted_hash": trusted_hash(hook())}}}}
    assert trust_of(hook(), tmp_path / "link" / "hooks.json", config) == "trusted"
