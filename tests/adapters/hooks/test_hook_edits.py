"""A call that a person changed, as each agent is told to make it: that call and nothing else."""

from __future__ import annotations

import pytest

from guardhouse.adapters.hooks.claude_code import ClaudeCode
from guardhouse.adapters.hooks.codex import Codex
from guardhouse.adapters.hooks.interface import HookEvent
from guardhouse.editing import edit_and_approve
from guardhouse.model import Condition, Decision, RiskLevel, Terms, Verdict
from guardhouse.opening import open_approvals, open_considering

ASKS = "terraform destroy -auto-approve"
CHANGED = "terraform destroy -auto-approve -target=a"


def edit(hooked, monkeypatch, changes, terms=None):
    """What a person at a terminal of their own does."""
    for name, value in hooked.environment.items():
        monkeypatch.setenv(name, value)
    with open_approvals() as approver, open_considering(hooked.project) as guard:
        [request] = [one for one in approver.find() if one.status.value == "pending"]
        done = edit_and_approve(guard, approver, request.id, changes, actor="local:ada", terms=terms or Terms())
    assert done.request is not None, done.verdict.for_person


def test_each_agent_makes_the_call_as_it_was_changed_and_once(hooked, monkeypatch):
    hooked.mode = "bypassPermissions"
    assert hooked.run(hooked.call("Bash", command=ASKS)).does == "stops"
    condition = Terms(condition=Condition("structure")) if hooked.agent == "claude-code" else None
    edit(hooked, monkeypatch, {"/params/command": CHANGED}, condition)
    output = hooked.run(hooked.call("Bash", "call-2", command=ASKS)).answer["hookSpecificOutput"]
    assert (output["permissionDecision"], output["updatedInput"]) == ("allow", {"command": CHANGED})
    assert hooked.run(hooked.call("Bash", "call-3", command=ASKS)).does == "stops"
    if condition is not None:
        response = {"stdout": "one\ntwo", "stderr": "", "interrupted": False}
        shown = hooked.run(hooked.result("Bash", response, "call-2", command=CHANGED)).answer["hookSpecificOutput"]
        assert "[text: 7 characters, 2 lines]" in shown["updatedToolOutput"]["stdout"]
        assert "one" not in str(shown["updatedToolOutput"])


def event(tool, **given):
    fields = {"tool_input": given, "permission_mode": "bypassPermissions"}
    return HookEvent(
        name="PreToolUse", kind="call", fields=fields, session_id="s1", cwd="/srv", run_id=None, parent_run_id=None,
        task_id=None, call_id="c1", tool=tool, tool_input=given,
    )  # fmt: skip


def edited(**params):
    return Verdict(
        decision=Decision.ALLOW_WITH_REDACTION, risk_level=RiskLevel.LOW, reasons=(), policy_revision="1",
        params=params, edited=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "made", "params"),
    [
        (ClaudeCode(), event("Skill", skill="tidy", args="a"), {"skill": "other", "args": "a"}),
        (ClaudeCode(), event("Task", prompt="x", isolation="local"), {"prompt": "x", "isolation": "remote"}),
        (ClaudeCode(), event("ReadMcpResourceTool", uri="https://a.example/x"), {"url": "file:///etc/passwd"}),
        (Codex(), event("Bash", command="ls"), {"command": "ls", "stdin": "shut"}),
        (Codex(), event("Bash", command="ls"), {"command": "ls", "stdin": "open", "workdir": "/elsewhere"}),
    ],
    ids=["another skill", "elsewhere", "another kind", "stdin", "directory"],
)
def test_a_change_by_which_another_call_would_be_made_is_a_no(agent, made, params):
    output = agent.to_call(made, edited(**params), str)["hookSpecificOutput"]
    assert output["permissionDecision"] == "deny"
    assert "updatedInput" not in output
    assert "changed the arguments" in output["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("agent", "made", "params", "given"),
    [
        (ClaudeCode(), event("Skill", skill="tidy", a="a"), {"skill": "tidy", "a": "b"}, {"skill": "tidy", "a": "b"}),
        (ClaudeCode(), event("Bash", command="ls", description="x"), {"command": "id"}, {"command": "id"}),
        (Codex(), event("Bash", command="ls"), {"command": "id", "stdin": "open"}, {"command": "id"}),
        (Codex(), event("apply_patch", command="*** x"), {"patch": "*** y"}, {"command": "*** y"}),
    ],
)  # fmt: skip
def test_any_other_change_is_made(agent, made, params, given):
    output = agent.to_call(made, edited(**params), str)["hookSpecificOutput"]
    assert (output["permissionDecision"], output["updatedInput"]) == ("allow", given)
