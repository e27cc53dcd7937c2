"""Every command that lets more through refuses what a guarded agent has started, whatever places it is told."""

import json
import subprocess
import sys

import pytest

AGENT = """
import json, subprocess, sys
from guardhouse import open_guard

with open_guard():
    for command in json.load(sys.stdin):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        print(json.dumps([done.returncode, done.stdout + done.stderr]), flush=True)
"""
COMMANDS = [
    ["allow", "domain", "evil.example"],
    ["allow", "tool", "mcp__a__b", "--can", "reads"],
    ["observe"],
    ["install", "claude-code", "--yes"],
    ["uninstall", "claude-code", "--yes"],
    ["trust", "guardhouse.yaml"],
    ["token", "create", "--role", "approver"],
    ["token", "revoke", "admin"],
    ["console", "--print"],
    ["feedback", "ev_1", "--right"],
    ["serve", "--port", "0"],
    ["run", "--task", "Send it."],
    ["runs", "resume", "run_0123456789"],
    ["runs", "cancel", "run_0123456789"],
    ["memory", "list"],
    ["memory", "show", "1"],
    ["memory", "forget", "--all", "--yes"],
]


@pytest.mark.parametrize("elsewhere", ["not", "option", "variable"])
def test_what_an_agent_starts_loosens_nothing_wherever_it_says_that_state_is(tmp_path, elsewhere):
    home, other = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    (home / "guardhouse.yaml").write_text("guard: {mode: observe}\n")

    def words(command):
        option = ["--state-dir", str(other)] if elsewhere == "option" and command[0] != "trust" else []
        variable = ["env", f"GUARDHOUSE_STATE_DIR={other}"] if elsewhere == "variable" else []
        return [*variable, sys.executable, "-m", "guardhouse", *command, *option]

    with subprocess.Popen(
        [sys.executable, "-c", AGENT],
        env={"HOME": str(home)},
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        json.dump([words(command) for command in COMMANDS], agent.stdin)
        agent.stdin.close()
        for command in COMMANDS:
            status, told = json.loads(agent.stdout.readline())
            assert status == 2, (command, told)
            assert "belongs to the guarded agent" in told, command
            written = [path.name for path in (home / ".config" / "guardhouse").iterdir()]
            assert written == ["agents"], command
            assert not (home / ".claude").exists(), command


def test_an_agent_whose_user_can_not_write_the_configuration_is_guarded_all_the_same(tmp_path, monkeypatch):
    from guardhouse import desk, open_guard

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(desk, "_may_be_written", lambda _directory: False)
    with open_guard():
        assert [path.suffix for path in (tmp_path / ".local/state/guardhouse/agents").iterdir()] == [".json"]
    assert not (tmp_path / ".config").exists()
