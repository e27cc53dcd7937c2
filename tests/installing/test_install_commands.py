"""The command lines that agents run, tried in a real shell."""

import subprocess
import sys

import pytest

from guardhouse.installing.agents import AGENTS
from guardhouse.installing.commands import (
    HookCommand,
    Options,
    gateway_arguments,
    is_hook_command,
    read_gateway_arguments,
    read_hook_command,
)

COMMAND = HookCommand(python="/opt/my python's/bin/python", agent="codex", event="PreToolUse")


def in_shell(command):
    return subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True, check=False, timeout=60)


def test_a_missing_interpreter_is_a_deny():
    done = in_shell(COMMAND.text)
    assert done.returncode == 2
    assert b"Guardhouse could not run: blocked." in done.stderr


def test_an_interpreter_without_the_guard_is_a_deny(tmp_path):
    python = tmp_path / "it's python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    done = in_shell(HookCommand(python=str(python), agent="codex", event="PreToolUse").text)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr


def test_an_interpreter_that_may_not_be_run_is_a_deny(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 0\n")
    assert in_shell(HookCommand(python=str(python), agent="codex", event="PreToolUse").text).returncode == 2


@pytest.mark.parametrize(
    "options", [Options(), Options(config="/a b/c.yaml"), Options(state_dir="/s;t", config="/c'd")]
)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_command_is_read_as_what_it_was_made_of(agent, options):
    command = HookCommand(python=sys.executable, agent=agent, event="PreToolUse", options=options)
    assert read_hook_command(command.text) == command
    assert is_hook_command(command.text, agent)


@pytest.mark.parametrize(
    "text",
    [
        COMMAND.text + " ",
        "x; " + COMMAND.text,
        COMMAND.text.replace("exit 2", "exit 0"),
        COMMAND.text.replace(" || {", "; true || {"),
        COMMAND.text.replace("--event PreToolUse", "--event PreToolUse $(id)"),
        COMMAND.text.replace("-I ", ""),
        COMMAND.text.partition(" ||")[0],
        "'",
        "",
        None,
        7,
    ],
)
def test_a_command_with_anything_else_in_it_is_not_one_of_ours(text):
    assert read_hook_command(text) is None


def test_an_older_form_of_our_command_is_recognised_for_its_agent_only():
    old = "/usr/bin/python3 -m guardhouse hook claude-code"
    assert is_hook_command(old, "claude-code")
    assert not is_hook_command(old, "claude")
    assert not is_hook_command(old, "codex")
    assert not is_hook_command("echo guardhouse hook claude-code", "claude-code")


def test_a_server_behind_the_gateway_is_read_as_what_it_was():
    words = gateway_arguments("files", Options(state_dir="/s"), "npx", ["-y", "--", "server"])
    guarded = read_gateway_arguments(words)
    assert guarded is not None
    assert (guarded.name, guarded.command, guarded.arguments) == ("files", "npx", ["-y", "--", "server"])
    assert read_gateway_arguments(["-I", "-m", "guardhouse", "mcp", "--name", "x"]) is None
    assert read_gateway_arguments(["-y", "server"]) is None


def test_a_guard_that_is_gone_does_not_keep_an_agent_from_ending_its_turn(tmp_path):
    """There exit status 2 would tell the agent to go on working."""
    for event in ("Stop", "SubagentStop", "SessionStart"):
        gone = HookCommand(python=str(tmp_path / "python"), agent="codex", event=event)
        assert in_shell(gone.text).returncode == 127
        assert read_hook_command(gone.text) == gone
