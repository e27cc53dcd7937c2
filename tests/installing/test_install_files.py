"""`install` and `uninstall` on real files: what they change, what they keep, and what they refuse."""

import json
import os
import pty
import pwd
import select
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from settings_plans import plan, undo
from test_json_text import files

from examples import up_to
from guardhouse.approvals import register
from guardhouse.cli.app import app
from guardhouse.config import Locations, pinned_variables
from guardhouse.installing import agents
from guardhouse.installing.agents import AGENTS, CLAUDE_CODE, CODEX
from guardhouse.installing.commands import read_handler
from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.installer import carry_out
from guardhouse.installing.records import Records

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@settings(max_examples=up_to(60), deadline=None)
@given(text=files())
def test_uninstalling_gives_every_byte_back(text):
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        file = root / "settings.json"
        file.write_bytes(text.encode())
        file.chmod(0o640)
        records = Records(Locations(home=root, system=root, user=root, state=root / "s", keys=root / "k"))
        carry_out(plan(file, records), records)
        assert len(own_handlers(json.loads(file.read_bytes()), CLAUDE_CODE)) == len(CLAUDE_CODE.events)
        carry_out(plan(file, records, "/an/upgrade"), records)
        carry_out(undo(file, records), records)
        assert file.read_bytes() == text.encode()
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert records.all() == []


@pytest.mark.parametrize("agent", AGENTS)
def test_installing_where_there_was_nothing_and_uninstalling_leaves_nothing(place, agent):
    directory = place.home / AGENTS[agent].directory
    place.install(agent)
    assert directory.is_dir()
    place.uninstall(agent)
    assert not directory.exists()


def test_a_directory_that_others_use_meanwhile_stays(place):
    place.install("codex")
    (place.home / ".codex" / "auth.json").write_text("{}")
    place.uninstall("codex")
    assert [file.name for file in (place.home / ".codex").iterdir()] == ["auth.json"]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_event_gets_the_command_of_this_interpreter_and_the_flags_that_close(place, agent):
    place.install(agent)
    events = place.read(agent)["hooks"]
    assert tuple(events) == AGENTS[agent].events
    for event, [group] in events.items():
        [handler] = group.get("hooks", [group])
        command = read_handler(handler)
        for key in ("command", "exec", "args"):
            handler.pop(key, None)
        assert (command.python, command.agent, command.event) == (sys.executable, agent, event)
        assert handler == ENTRIES[agent] | CLOSES.get(agent, {}).get(event, {})
        assert group.get("matcher") == ("*" if (agent, event) in MATCHED else None)


ENTRIES = {
    "claude-code": {"type": "command", "timeout": 30},
    "codex": {"type": "command", "timeout": 30},
    "gemini": {"type": "command", "timeout": 30_000, "name": "guardhouse"},
    "cursor": {"timeout": 30},
    "copilot": {"type": "command", "timeoutSec": 30},
    "goose": {"type": "command", "timeout": 30},
    "hermes": {"timeout": 30},
}
CLOSES = {
    "claude-code": {
        event: {"onFailure": "block"}
        for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart")
    },
    "cursor": {
        event: {"failClosed": True}
        for event in "preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeSubmitPrompt".split()
    },
    "goose": {"PreToolUse": {"on_failure": "block"}},
    "hermes": {"pre_tool_call": {"fail_closed": True}},
}
MATCHED = {
    *(("claude-code", event) for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure")),
    *(("gemini", event) for event in ("BeforeTool", "AfterTool")),
}


SETTINGS = {
    "gemini": '{\n\t"theme" : "x",\n\t"hooks" : { "BeforeTool":[{"hooks":[{"type":"command","command":"z"}]}] }}',
    "cursor": '{"hooks": {"preToolUse": [{"command": "mine"}], "stop": []}, "version": 1}',
    "copilot": '{"version":1}',
    "goose": '{"hooks": {"PreToolUse": [{"matcher": "a|b", "hooks": [{"type": "command", "command": "mine"}]}]}}\r\n',
    "hermes": "# mine\nmodel:\n    default: x  # a comment\n\nhooks:   # these\n    pre_tool_call:\n"
    "    - matcher: terminal\n      command: mine\n    # the end\nlast: 1",
}


@pytest.mark.parametrize("agent", SETTINGS)
def test_what_was_there_stays_and_comes_back_byte_for_byte(place, agent):
    file = place.settings(agent)
    file.parent.mkdir(parents=True)
    file.write_bytes(SETTINGS[agent].encode())
    before = place.read(agent)
    place.put_under(agent)
    after = place.read(agent)
    for event, groups in before.get("hooks", {}).items():
        assert [group for group in after["hooks"][event] if group in groups] == groups
    assert len(own_handlers(after, AGENTS[agent])) == len(AGENTS[agent].events)
    for comment in ("# mine", "# a comment", "# these", "# the end"):
        assert (comment in file.read_text()) == (comment in SETTINGS[agent])
    place.uninstall(agent)
    assert file.read_bytes() == SETTINGS[agent].encode()


@pytest.mark.parametrize("agent", SETTINGS)
def test_after_somebody_elses_change_only_ours_go_in_every_notation(place, agent):
    file = place.settings(agent)
    file.parent.mkdir(parents=True)
    file.write_bytes(SETTINGS[agent].encode())
    before = place.read(agent)
    place.put_under(agent)
    place.put_under(agent)
    text = file.read_text()
    file.write_text(f"{text}\nnew: 1\n" if agent == "hermes" else text.replace("{", '{"new": 1,', 1))
    place.uninstall(agent)
    left = place.read(agent)
    assert left.pop("new") == 1
    assert {**left, "hooks": {**before.get("hooks", {}), **left.get("hooks", {})}} == {"hooks": {}, **before}


@pytest.mark.parametrize(
    "text", ["a: &x 1\nb: *x\n", "hooks: {pre_tool_call: [{command: x}]}\n", "a: 1\na: 2\n", "- 1\n", "%"]
)
def test_a_configuration_that_can_not_be_changed_safely_is_left_alone_with_instructions(place, text):
    file = place.settings("hermes")
    file.parent.mkdir()
    file.write_text(text)
    done = place.run("install", "hermes", "--yes")
    assert done.returncode == 2
    assert file.read_text() == text
    assert "by hand" in done.stderr
    assert "hook hermes --event pre_tool_call" in done.stderr, "what is to be added"


@pytest.mark.parametrize("agent", [name for name, agent in AGENTS.items() if agent.managed_file])
def test_hooks_for_everybody_name_nobodys_home_and_can_be_read_by_all(place, agent, monkeypatch):
    monkeypatch.setattr(agents, "MANAGED_ROOT", place.home / "machine")
    place.put_under(agent, "--scope", "managed")
    file = place.home / "machine" / AGENTS[agent].managed_file
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755
    found = own_handlers(json.loads(file.read_text()), AGENTS[agent])
    assert all(read_handler(one.handler).options.words() == ["--home", "~"] for one in found)
    app.main(["uninstall", agent, "--scope", "managed", "--yes"], standalone_mode=False)
    assert not (place.home / "machine").exists()


@pytest.mark.parametrize("agent", ["codex", "goose", "hermes"])
def test_an_agent_without_a_place_for_everybody_says_so(place, agent):
    done = place.run("install", agent, "--scope", "managed", "--yes")
    assert done.returncode == 2
    assert "no place for hooks for the whole machine" in done.stderr


def test_a_home_that_is_nobodys_is_that_of_who_runs(monkeypatch):
    monkeypatch.setenv("HOME", "/elsewhere")
    assert pinned_variables("~", None, None) == {"HOME": pwd.getpwuid(os.getuid()).pw_dir}


def test_a_second_install_changes_nothing_and_says_so(place):
    place.install("claude-code")
    before = (place.claude.read_bytes(), place.claude.stat().st_mtime_ns)
    assert "Nothing to change." in place.install("claude-code").stdout
    assert (place.claude.read_bytes(), place.claude.stat().st_mtime_ns) == before


def test_another_directory_of_the_agents_is_respected(place, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place.home / "elsewhere"))
    place.install("claude-code")
    assert (place.home / "elsewhere" / "settings.json").exists()
    assert not place.claude.exists()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "relative")
    done = place.run("install", "claude-code", "--yes")
    assert done.returncode == 2
    assert "not an absolute path" in done.stderr


def test_a_project_gets_a_file_that_is_not_shared(place):
    told = place.install("claude-code", "--scope", "project").stdout
    assert (place.project / ".claude" / "settings.local.json").exists()
    assert not (place.project / ".claude" / "settings.json").exists()
    assert "version control" in told


def test_other_places_that_were_named_are_in_the_command(place):
    config = place.home / "my config.yaml"
    config.write_text("guard: {}")
    place.install("codex", "--state-dir", str(place.home / "state here"), "--config", str(config))
    [found, *_] = own_handlers(json.loads(place.codex.read_text()), CODEX)
    options = read_handler(found.handler).options
    assert (options.state_dir, options.config) == (str(place.home / "state here"), str(config))


def test_a_link_is_followed_and_stays_a_link(place):
    target = place.home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{\n    "model": "x"\n}')
    place.claude.parent.mkdir()
    place.claude.symlink_to("../dotfiles/claude.json")
    place.install("claude-code")
    assert place.claude.is_symlink()
    assert own_handlers(json.loads(target.read_text()), CLAUDE_CODE)
    place.uninstall("claude-code")
    assert place.claude.is_symlink()
    assert target.read_text() == '{\n    "model": "x"\n}'


def test_after_somebody_elses_change_only_our_entries_are_removed_and_it_is_said(place):
    place.claude.parent.mkdir()
    place.claude.write_text('{"model": "x"}')
    place.install("claude-code")
    place.change(place.claude, lambda value: value.update(theme="dark"))
    told = place.uninstall("claude-code").stdout
    assert json.loads(place.claude.read_text()) == {"model": "x", "theme": "dark"}
    assert "only our entries are removed" in told


def test_an_upgrade_after_somebody_elses_change_keeps_that_change_when_uninstalled(place):
    records = place.records
    place.claude.parent.mkdir()
    place.claude.write_text('{"model": "x"}')
    carry_out(plan(place.claude, records, "/old/python"), records)
    place.change(place.claude, lambda value: value.update(theme="dark"))
    carry_out(plan(place.claude, records, "/new/python"), records)
    carry_out(undo(place.claude, records), records)
    assert json.loads(place.claude.read_text()) == {"model": "x", "theme": "dark"}


def test_a_dry_run_shows_the_change_and_makes_none(place):
    done = place.run("install", "claude-code", "--dry-run")
    assert done.returncode == 0
    assert '+    "PreToolUse": [' in done.stdout
    assert not place.claude.exists()
    assert not place.state.exists()


def test_a_machine_is_told_what_was_done(place):
    answer = json.loads(place.install("codex", "--json").stdout)
    assert (answer["file"], answer["changed"], answer["way"]) == (str(place.codex), True, "install")
    assert any("/hooks" in note for note in answer["notes"])
    assert json.loads(place.uninstall("codex", "--json").stdout)["way"] == "remove"


def test_secrets_in_settings_are_neither_shown_nor_kept_in_the_clear(place):
    place.claude.parent.mkdir()
    place.claude.write_text(json.dumps({"env": {"GITHUB_TOKEN": SECRET}}, indent=2))
    done = place.install("claude-code")
    assert SECRET not in done.stdout + done.stderr
    kept = [file.read_bytes() for file in place.home.rglob("*") if file.is_file() and file != place.claude]
    assert kept
    assert not any(SECRET.encode() in content for content in kept)
    place.uninstall("claude-code")
    assert json.loads(place.claude.read_text()) == {"env": {"GITHUB_TOKEN": SECRET}}


def test_records_are_for_their_owner_only(place):
    place.install("claude-code")
    for path in (place.state, *place.state.rglob("*")):
        assert not path.stat().st_mode & 0o077, path


def test_a_person_at_a_terminal_is_asked(place):
    for answer, changed in ((b"n\n", False), (b"y\n", True)):
        main, side = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "guardhouse", "install", "claude-code"], stdin=side, stdout=side, stderr=side
        )
        os.close(side)
        os.write(main, answer)
        shown = b""
        while select.select([main], [], [], 60)[0]:
            try:
                shown += os.read(main, 65536)
            except OSError:  # how a terminal ends whose other side is closed
                break
        os.close(main)
        assert process.wait(60) == (0 if changed else 1)
        assert b"like this?" in shown
        assert place.claude.exists() is changed


def test_what_a_guarded_agent_starts_may_neither_install_nor_uninstall(place):
    place.install("claude-code")
    register(place.state / "agents", "claude-code", pid=os.getpid())
    before = place.claude.read_bytes()
    for command in ("install", "uninstall"):
        done = place.run(command, "claude-code", "--yes")
        assert done.returncode == 2
        assert "guarded agent" in done.stderr
    assert place.claude.read_bytes() == before


def test_observe_sets_the_mode_and_uninstalling_does_not_matter_to_it(place):
    told = place.install("claude-code", "--observe").stdout
    assert "Observe mode" in told
    shown = place.run("policy", "show", "--json")
    assert '"observe"' in shown.stdout, shown.stderr


def test_observing_that_is_forbidden_is_found_out_before_anything_is_done(place):
    config = place.home / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("guard: {mode: nonsense}")
    done = place.run("install", "claude-code", "--observe", "--yes")
    assert done.returncode == 2
    assert not place.claude.exists()


def test_a_diff_of_tabs_and_other_line_ends_can_be_read(place):
    place.claude.parent.mkdir()
    place.claude.write_bytes(b'{\r\n\t"model": "x\xe2\x80\xa8y"\r\n}\r\n')
    shown = place.run("install", "claude-code", "--dry-run").stdout
    assert '+    "hooks": {' in shown
    assert "\\u{9}" not in shown
    assert "\\u{d}" not in shown
    assert '"x\\u{2028}y"' in shown
