"""Every command that lets more through refuses what a guarded agent has started, whatever places it is told."""

import subprocess
import sys

import pytest

AGENT = """
import subprocess, sys
from guardhouse import open_guard

with open_guard():
    done = subprocess.run([sys.executable, "-m", "guardhouse", *sys.argv[1:]], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
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
    ["serve", "--port", "0"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("elsewhere", ["not", "option", "variable"])
def test_what_an_agent_starts_loosens_nothing_wherever_it_says_that_state_is(tmp_path, command, elsewhere):
    home, other = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    (home / "guardhouse.yaml").write_text("guard: {mode: observe}\n")
    option = ["--state-dir", str(other)] if elsewhere == "option" and command[0] != "trust" else []
    words = [*command, *option]
    if elsewhere == "variable":
        words = ["env", f"GUARDHOUSE_STATE_DIR={other}"]
        script = AGENT.replace('[sys.executable, "-m", "guardhouse", *sys.argv[1:]]', "sys.argv[1:]")
        words += [sys.executable, "-m", "guardhouse", *command]
    else:
        script = AGENT
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        check=False,
        env={"HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
    )
    status, _, told = done.stdout.partition(" ")
    assert status == "2", done
    assert "belongs to the guarded agent" in told
    written = [path.name for path in (home / ".config" / "guardhouse").iterdir()]
    assert written == ["agents"]
    assert not (home / ".claude").exists()


def test_an_agent_whose_user_can_not_write_the_configuration_is_guarded_all_the_same(tmp_path, monkeypatch):
    from guardhouse import desk, open_guard

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(desk, "_may_be_written", lambda _directory: False)
    with open_guard():
        assert [path.suffix for path in (tmp_path / ".local/state/guardhouse/agents").iterdir()] == [".json"]
    assert not (tmp_path / ".config").exists()
