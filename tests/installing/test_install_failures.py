"""One test for each row about `install` in docs/failure-modes.md: whatever fails, nothing is half done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from settings_plans import plan, undo

from guardhouse.installing.installer import carry_out
from guardhouse.model import GuardhouseError

TABLE = Path(__file__).parents[2] / "docs" / "failure-modes.md"


def test_settings_file_is_no_plain_json(place):
    place.claude.parent.mkdir()
    for content in (b'{\n  // mine\n  "a": 1\n}\n', b"[]", b"\xff", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}'):
        place.claude.write_bytes(content)
        done = place.run("install", "claude-code", "--yes")
        assert done.returncode == 2
        assert place.claude.read_bytes() == content
        if b"//" in content:
            assert '"PreToolUse"' in done.stderr
            assert "line 2" in done.stderr


def test_settings_file_is_one_that_the_agent_would_drop(place):
    broken = {
        "claude-code": [{"permissions": {"allow": "Bash"}}, {"hooks": {"PreToolUse": [5, {"hooks": 5}]}}],
        "codex": [{"hooks": {"PreToolUse": [{"matcher": 5, "hooks": []}]}}],
    }
    for agent, values in broken.items():
        file = place.claude if agent == "claude-code" else place.codex
        file.parent.mkdir()
        for value in values:
            file.write_text(json.dumps(value))
            done = place.run("install", agent, "--yes")
            assert done.returncode == 2
            assert "PreToolUse[0]" in done.stderr or "permissions.allow" in done.stderr
            assert json.loads(file.read_text()) == value
            assert place.uninstall(agent).returncode == 0
    assert place.records.all() == []


def test_variables_of_a_server_decide_what_the_gateway_loads(place):
    file = place.project / ".mcp.json"
    for name in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES"):
        content = json.dumps({"mcpServers": {"a": {"command": "x", "env": {name: "./evil.so", "TOKEN": "t"}}}})
        file.write_text(content)
        done = place.run("install", "mcp", str(file), "--yes")
        assert done.returncode == 2
        assert name in done.stderr
        assert "TOKEN" not in done.stderr
        assert file.read_text() == content


def test_settings_file_is_read_only(place):
    place.claude.parent.mkdir()
    place.claude.write_text("{}")
    place.claude.chmod(0o444)
    done = place.run("install", "claude-code", "--yes")
    assert done.returncode == 2
    assert "read-only" in done.stderr
    assert place.claude.read_text() == "{}"


def test_settings_file_is_something_else(place):
    place.claude.parent.mkdir()
    os.mkfifo(place.claude)
    assert place.run("install", "claude-code", "--yes").returncode == 2
    place.claude.unlink()
    place.claude.symlink_to("settings.json")
    assert place.run("install", "claude-code", "--yes").returncode == 2
    assert place.claude.is_symlink()


def test_settings_file_changes_between_the_diff_and_the_write(place):
    records = place.records
    for before in ('{"model": "x"}', None):
        place.claude.parent.mkdir(exist_ok=True)
        place.claude.unlink(missing_ok=True)
        if before is not None:
            place.claude.write_text(before)
        planned = plan(place.claude, records)
        place.claude.write_text('{"model": "y"}')
        with pytest.raises(GuardhouseError, match="changed by somebody else"):
            carry_out(planned, records)
        assert place.claude.read_text() == '{"model": "y"}'
        assert [file.name for file in place.claude.parent.iterdir()] == ["settings.json"]
        assert records.all() == []


def test_settings_file_changes_before_it_is_put_back(place):
    records = place.records
    carry_out(plan(place.claude, records), records)
    planned = undo(place.claude, records)
    place.claude.write_text("{}")
    with pytest.raises(GuardhouseError, match="changed by somebody else"):
        carry_out(planned, records)
    assert place.claude.read_text() == "{}"
    assert len(records.all()) == 1


def test_settings_file_can_not_be_written(place):
    (place.home / ".codex").write_text("a file where the directory should be")
    done = place.run("install", "codex", "--yes")
    assert done.returncode == 2
    assert place.records.all() == []


def test_record_can_not_be_written(place):
    place.state.parent.mkdir(parents=True)
    place.state.mkdir()
    (place.state / "installed").write_text("a file where the directory should be")
    done = place.run("install", "claude-code", "--yes")
    assert done.returncode == 2
    assert not place.claude.exists()


def test_copy_of_the_settings_can_not_be_opened(place):
    place.claude.parent.mkdir()
    place.claude.write_text('{"model": "x"}')
    place.install("claude-code")
    [key] = (place.home / ".local" / "share" / "guardhouse" / "keys").glob("*.key")
    key.write_bytes(b"k" * 32)
    told = place.uninstall("claude-code").stdout
    assert "can't be opened" in told
    assert json.loads(place.claude.read_text()) == {"model": "x"}


def test_copy_of_the_settings_can_not_be_opened_when_it_is_installed_again(place):
    keys = place.home / ".local" / "share" / "guardhouse" / "keys"
    config = place.home / "mine.yaml"
    config.write_text("guard: {}")
    for lose in (lambda key: key.unlink(), lambda key: key.write_bytes(b"k" * 32)):
        place.claude.parent.mkdir(exist_ok=True)
        place.claude.write_text('{"model": "x"}')
        place.install("claude-code")
        lose(keys / "installed.key")
        told = place.install("claude-code", "--config", str(config)).stdout
        assert "can't be opened" in told
        assert str(config) in place.claude.read_text()
        place.uninstall("claude-code")
        assert json.loads(place.claude.read_text()) == {"model": "x"}
        assert place.records.all() == []


def test_nobody_is_there_to_confirm(place):
    done = place.run("install", "claude-code")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not place.claude.exists()


def test_interpreter_can_not_run_the_guard(place):
    import venv

    empty = place.home / "empty"
    venv.create(empty, symlinks=True, with_pip=False)
    python = empty / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "guardhouse", "install", "claude-code", "--yes"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "can't run guardhouse" in done.stderr
    assert not place.claude.exists()


# The table -----------------------------------------------------------------------------------------------------------


def test_every_test_here_has_a_row():
    named = TABLE.read_text(encoding="utf-8").split("## At the surfaces")[1]
    here = [name for name in globals() if name.startswith("test_") and not name.startswith("test_every_")]
    assert here
    assert [name for name in here if f"| `{name}` |" not in named] == []
