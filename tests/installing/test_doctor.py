"""`doctor`: what it finds wrong, one thing at a time, on real files with real programs."""

import json
import os
import select
import sys

import pytest

from guardhouse.adapters.hooks.closing import no, passed
from guardhouse.installing import claude_checks, codex_checks
from guardhouse.installing.agents import AGENTS, CODEX
from guardhouse.installing.canary import deny_a_read, refuse_garbage
from guardhouse.installing.checks import overall
from guardhouse.installing.codex_trust import event_label, trusted_hash
from guardhouse.installing.commands import HookCommand
from guardhouse.installing.hook_settings import own_handlers
from guardhouse.installing.programs import find_program, read_version, run
from guardhouse.model import NewEvent
from guardhouse.pins import PinStore
from guardhouse.sessions import SQLiteSessions

NEW = {
    "claude-code": "echo '2.1.300 (Claude Code)'",
    "codex": "echo 'codex-cli 0.151.0'",
    "gemini": "echo 0.61.0",
    "cursor": "echo 2026.11.1",
    "copilot": "echo 'GitHub Copilot CLI 1.0.102.'",
    "goose": "echo 1.40.0",
    "hermes": "echo 'Hermes Agent v0.19.0'",
}


def told(checks, name, about=None):
    """The statuses of the checks of that name."""
    return {check.status for check in checks if check.name == name and about in {None, check.about}}


def words(checks, status):
    return " ".join(f"{check.what} {check.fix}" for check in checks if check.status == status)


def trust_all(place, file=None):
    """What Codex writes when a person trusts every hook."""
    file = file or place.codex
    lines = [
        f'[hooks.state."{file}:{event_label(found.event)}:{found.group_index}:{found.handler_index}"]\n'
        f'trusted_hash = "{trusted_hash(found)}"\n'
        for found in own_handlers(json.loads(file.read_text()), CODEX)
    ]
    place.codex_config.parent.mkdir(exist_ok=True)
    place.codex_config.write_text("".join(lines))


def guarded(place, agent):
    """A place where an agent runs our hooks."""
    place.program(AGENTS[agent].program, NEW[agent])
    place.put_under(agent)
    if agent == "codex":
        trust_all(place)
    if agent == "hermes":
        consent(place)
    return place


def consent(place):
    """What a person does at hermes."""
    own = own_handlers(place.read("hermes"), AGENTS["hermes"])
    given = [{"event": one.event, "command": one.handler["command"]} for one in own]
    file = place.settings("hermes").with_name("shell-hooks-allowlist.json")
    file.write_text(json.dumps({"approvals": given}))


@pytest.fixture
def claude(place):
    return guarded(place, "claude-code")


@pytest.fixture
def codex(place):
    return guarded(place, "codex")


# The whole -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_after_an_install_the_canary_is_denied_and_nothing_is_to_be_fixed(place, agent):
    place = guarded(place, agent)
    done = place.run("doctor", agent)
    assert done.returncode == 0, done.stdout
    assert "a forbidden read is denied" in done.stdout
    assert "garbage is held back" in done.stdout
    assert "Nothing to fix." in done.stdout
    answer = json.loads(place.run("doctor", agent, "--json").stdout)
    assert answer["exit_status"] == 0
    assert {check["status"] for check in answer["checks"]} == {"ok", "warn"}


def test_observe_mode_still_denies_the_canary(place):
    place.program("claude", NEW["claude-code"])
    place.install("claude-code", "--observe")
    checks = place.doctor("claude-code")
    assert told(checks, "canary") == {"ok"}
    assert told(checks, "mode") == {"warn"}


def test_where_there_is_no_agent_nothing_is_guarded_and_that_is_said(place):
    done = place.run("doctor")
    assert done.returncode == 2
    assert "nothing is guarded" in done.stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_without_hooks_is_found_and_is_to_be_fixed(place, agent):
    place.program(AGENTS[agent].program, NEW[agent])
    checks = place.doctor()
    assert told(checks, "hooks", agent) == {"fail"}
    assert f"guardhouse install {agent}" in words(checks, "fail")
    assert overall(checks) == 1


def test_hooks_in_a_project_are_found_there(place):
    place.program("claude", NEW["claude-code"])
    place.install("claude-code", "--scope", "project")
    # In a process of its own: a hook takes who starts it for the agent, and agents may not install anything.
    assert "all 7 events, fail-closed" in place.run("doctor", "claude-code").stdout
    place.install("claude-code")
    assert told(place.doctor("claude-code"), "hooks") == {"ok", "warn"}


# The program ---------------------------------------------------------------------------------------------------------


def test_a_version_that_does_not_close_is_to_be_fixed(claude):
    claude.program("claude", "echo 2.1.294")
    checks = claude.look_over("claude-code")
    assert told(checks, "version") == {"fail"}
    assert "2.1.295" in words(checks, "fail")


@pytest.mark.parametrize("script", ["exit 3", "echo no number", "echo 1.2", "kill -9 $$"])
def test_a_version_that_can_not_be_told_is_said(claude, script):
    claude.program("claude", script)
    checks = claude.look_over("claude-code")
    assert told(checks, "version") == {"unknown"}
    assert overall(checks) == 2


@pytest.mark.parametrize("search", ["{project}", "{project}/node_modules/.bin", ".", "", "node_modules/.bin"])
def test_a_program_out_of_the_working_directory_is_not_run(place, monkeypatch, search):
    mark = place.home / "was run"
    for directory in (place.project, place.project / "node_modules" / ".bin"):
        place.program("claude", f"touch '{mark}'; echo 2.1.300", directory)
    monkeypatch.setenv("PATH", search.format(project=place.project) + ":/usr/bin:/bin")
    checks = place.doctor("claude-code")
    assert not mark.exists()
    assert told(checks, "program") == {"warn"}
    assert told(checks, "version") == set()


def test_a_program_that_leads_into_the_working_directory_is_not_run(place):
    real = place.program("claude.sh", "echo 2.1.300", place.project)
    (place.programs / "claude").symlink_to(real)
    assert told(place.doctor("claude-code"), "version") == set()


def test_the_home_directory_is_nobodys_project(place, monkeypatch):
    place.program("claude", "echo 2.1.300", place.home / ".local" / "bin")
    found = find_program("claude", str(place.home / ".local" / "bin"), place.home, place.home)
    assert found.path == place.home / ".local" / "bin" / "claude"


def test_a_program_that_takes_too_long_is_stopped_with_everything_it_started(place):
    mark = place.home / "mark"
    os.mkfifo(mark)
    program = place.program("slow", f"(echo started; exec sleep 600) > '{mark}' & wait")
    reader = os.open(mark, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ran = run([str(program)], timeout=2, cwd=place.home)
        assert ran.status is None
        assert "longer" in ran.why
        assert os.read(reader, 100) == b"started\n"
        # The pipe ends when the last that could write to it is gone; the kernel says when.
        assert select.select([reader], [], [], 30)[0]
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


def test_versions_are_read_from_what_agents_print():
    assert read_version("2.1.300 (Claude Code)") == (2, 1, 300)
    assert read_version("codex-cli 0.151.0-alpha.2\n") == (0, 151, 0)
    assert read_version("v1.2.3") == (1, 2, 3)
    assert read_version("1.2.x 4.5") is None


# The hooks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", AGENTS["claude-code"].events)
def test_a_missing_event_is_to_be_fixed(claude, event):
    claude.change(claude.claude, lambda value: value["hooks"].pop(event))
    checks = claude.look_over("claude-code")
    assert told(checks, "hooks") == {"fail"}
    assert event in words(checks, "fail")


@pytest.mark.parametrize(
    "change",
    [
        lambda group: group["hooks"][0].pop("onFailure"),
        lambda group: group["hooks"][0].update(onFailure="continue"),
        lambda group: group["hooks"][0].update(timeout=1),
        lambda group: group["hooks"][0].update({"async": True}),
        lambda group: group["hooks"][0].update({"if": "Bash(git *)"}),
        lambda group: group.update(matcher="Bash"),
    ],
)
def test_an_entry_that_no_longer_closes_is_to_be_fixed(claude, change):
    claude.change(claude.claude, lambda value: change(value["hooks"]["PreToolUse"][0]))
    assert told(claude.look_over("claude-code"), "fail-closed") == {"fail"}


def test_an_interpreter_that_is_gone_is_to_be_fixed(place):
    gone = HookCommand(python="/nowhere/python", agent="claude-code", event="PreToolUse")
    place.change(
        place.claude,
        lambda value: value.update(hooks={"PreToolUse": [AGENTS["claude-code"].group("PreToolUse", gone)]}),
    )
    checks = place.doctor("claude-code")
    assert told(checks, "command") == {"fail"}
    assert overall(checks) == 1


def test_a_command_with_something_else_in_it_is_to_be_fixed_and_is_not_run(claude):
    mark = claude.home / "was run"

    def change(value):
        handler = value["hooks"]["PreToolUse"][0]["hooks"][0]
        handler["args"].insert(0, "-c")
        handler["args"].insert(1, f"open({str(mark)!r}, 'w')")

    claude.change(claude.claude, change)
    checks = claude.doctor("claude-code")
    assert told(checks, "command") == {"ok", "fail"}
    assert told(checks, "canary") == set()
    assert not mark.exists()


@pytest.mark.parametrize("agent", [name for name, agent in AGENTS.items() if agent.project_file])
def test_a_program_that_a_repositorys_settings_name_is_not_run(place, agent):
    mark, it = place.home / "was run", AGENTS[agent]
    program = place.program("python", f"touch '{mark}'", place.project)
    command = HookCommand(python=str(program), agent=agent, event=it.call)
    file = it.settings_file("project", {}, place.home, place.project)
    place.change(file, lambda value: value.update({**it.head, "hooks": {it.call: [it.group(it.call, command)]}}))
    checks = place.doctor(agent)
    assert not mark.exists()
    assert told(checks, "canary") == {"unknown"}
    assert told(checks, "command") == {"unknown"}


def test_a_hook_with_another_state_directory_can_only_be_told_about_with_that(place):
    place.program("claude", NEW["claude-code"])
    other = place.home / "other"
    place.install("claude-code", "--state-dir", str(other))
    checks = place.doctor("claude-code")
    assert told(checks, "places") == {"unknown"}
    assert f"--state-dir {other}" in words(checks, "unknown")
    assert told(checks, "canary") == {"ok"}
    assert place.run("doctor", "claude-code", "--state-dir", str(other)).returncode == 0


def test_settings_that_can_not_be_read_can_not_be_told_about(claude):
    claude.claude.write_text("{ // mine\n}")
    checks = claude.look_over("claude-code")
    assert told(checks, "settings") == {"unknown"}
    assert told(checks, "hooks") == {"fail"}


@pytest.mark.parametrize(
    "where", ["home/.claude/settings.json", "p/.claude/settings.json", "p/.claude/settings.local.json"]
)
@pytest.mark.parametrize("setting", [True, "yes"])
def test_hooks_that_are_switched_off_anywhere_are_to_be_fixed(claude, where, setting):
    root, _, rest = where.partition("/")
    file = (claude.home if root == "home" else claude.project) / rest
    claude.change(file, lambda value: value.update(disableAllHooks=setting))
    checks = claude.look_over("claude-code")
    assert told(checks, "hooks run") == {"fail"}
    assert str(file) in words(checks, "fail")


@pytest.mark.parametrize("setting", ["disableAllHooks", "allowManagedHooksOnly"])
@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-team.json"])
def test_hooks_that_the_administrator_keeps_from_running_are_to_be_fixed(claude, monkeypatch, setting, name):
    managed = claude.home / "etc"
    monkeypatch.setattr(claude_checks, "_MANAGED", (managed / "managed-settings.json",))
    claude.change(managed / name, lambda value: value.update({setting: True}))
    assert told(claude.look_over("claude-code"), "hooks run") == {"fail"}


def test_only_the_administrator_can_keep_hooks_to_himself(claude):
    claude.change(claude.claude, lambda value: value.update(allowManagedHooksOnly=True))
    assert told(claude.look_over("claude-code"), "hooks run") == {"ok"}


def test_other_hooks_that_may_rewrite_are_named(claude):
    other = {"hooks": [{"type": "command", "command": "other-tool"}]}
    claude.change(claude.claude, lambda value: value["hooks"]["PostToolUse"].append(other))
    checks = claude.look_over("claude-code")
    assert told(checks, "other hooks") == {"warn"}
    assert "other-tool" in words(checks, "warn")
    assert overall(checks) == 0


def test_which_case_of_the_same_user_applies_is_said(claude):
    assert "without a sandbox" in words(claude.look_over("claude-code"), "warn")
    claude.change(claude.claude, lambda value: value.update(sandbox={"enabled": True}))
    checks = claude.look_over("claude-code")
    assert "without a sandbox" not in words(checks, "warn")
    assert "docs/threat-model.md" in words(checks, "warn")


def test_fields_that_the_hook_did_not_know_are_counted(claude):
    file = claude.state / "hooks" / "claude-code.unknown.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"fields": {"PreToolUse.new_field": 3}}')
    assert "PreToolUse.new_field (3)" in words(claude.look_over("claude-code"), "warn")
    file.write_text("{")
    assert told(claude.look_over("claude-code"), "unknown fields") == {"unknown"}


# Codex ---------------------------------------------------------------------------------------------------------------


def test_hooks_that_nobody_has_trusted_are_to_be_fixed(codex):
    codex.codex_config.unlink()
    checks = codex.look_over("codex")
    assert told(checks, "trust") == {"fail"}
    assert "/hooks" in words(checks, "fail")


def test_hooks_that_were_trusted_with_another_content_are_to_be_fixed(codex):
    codex.change(codex.codex, lambda value: value["hooks"]["Stop"][0]["hooks"][0].update(timeout=29))
    checks = codex.look_over("codex")
    assert told(checks, "trust") == {"fail"}
    assert "another content, so Codex does not run them: Stop" in words(checks, "fail")


def test_hooks_that_are_switched_off_in_codex_are_to_be_fixed(codex):
    text = codex.codex_config.read_text()
    codex.codex_config.write_text(text + "enabled = false\n")
    assert told(codex.look_over("codex"), "trust") == {"fail"}
    codex.codex_config.write_text(f"[features]\nhooks = false\n{text}")
    assert told(codex.look_over("codex"), "hooks run") == {"fail"}


def test_an_administrator_who_lets_only_his_hooks_run_is_told_of(codex, monkeypatch):
    file = codex.home / "requirements.toml"
    file.write_text("allow_managed_hooks_only = true\n")
    monkeypatch.setattr(codex_checks, "_REQUIREMENTS", file)
    assert told(codex.look_over("codex"), "hooks run") == {"fail"}


def test_trust_that_can_not_be_read_can_not_be_told(codex):
    codex.codex_config.write_text("[hooks.state\n")
    assert told(codex.look_over("codex"), "trust") == {"unknown"}


def test_a_project_that_codex_does_not_trust_is_to_be_fixed(place):
    place.program("codex", NEW["codex"])
    place.install("codex", "--scope", "project")
    trust_all(place, place.project / ".codex" / "hooks.json")
    assert told(place.doctor("codex"), "trust") == {"ok", "fail"}
    text = place.codex_config.read_text()
    place.codex_config.write_text(f'{text}[projects."{place.project}"]\ntrust_level = "trusted"\n')
    assert told(place.doctor("codex"), "trust") == {"ok"}


def test_codex_without_its_sandbox_is_told_of(codex):
    text = codex.codex_config.read_text()
    codex.codex_config.write_text(f'sandbox_mode = "danger-full-access"\n{text}')
    assert "without a sandbox" in words(codex.look_over("codex"), "warn")


# The guard itself ----------------------------------------------------------------------------------------------------


def test_a_policy_that_can_not_be_read_is_to_be_fixed(claude):
    config = claude.home / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("guard: {no_such_key: 1}")
    checks = claude.doctor("claude-code")
    assert told(checks, "policy") == {"fail"}
    assert "no_such_key" in words(checks, "fail")
    assert "for another reason" in words(checks, "warn")


def test_a_gate_that_is_switched_off_is_to_be_fixed_and_the_canary_shows_it(claude):
    config = claude.home / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("guard: {enabled: false}")
    checks = claude.doctor("claude-code")
    assert told(checks, "enabled") == {"fail"}
    assert "THE GATE IS OPEN" in words(checks, "fail")


def test_a_state_directory_that_can_not_be_written_is_to_be_fixed(place, monkeypatch):
    blocked = place.home / "blocked"
    blocked.write_text("a file where the directory should be")
    monkeypatch.setenv("GUARDHOUSE_STATE_DIR", str(blocked))
    assert told(place.doctor(), "state directory") == {"fail"}


def test_a_key_that_others_can_read_is_to_be_fixed(claude):
    [key, *_] = (claude.home / ".local" / "share" / "guardhouse" / "keys").glob("*.key")
    key.chmod(0o644)
    checks = claude.doctor("claude-code")
    assert told(checks, "keys") == {"fail"}


def test_a_record_whose_end_is_damaged_is_to_be_fixed(claude):
    assert told(claude.doctor("claude-code"), "record") == {"ok"}
    (claude.state / "audit" / "head.lock").write_bytes(b"x")
    assert told(claude.doctor("claude-code"), "record") == {"fail"}


def test_a_store_of_approvals_that_does_not_open_is_to_be_fixed(claude):
    store = claude.state / "approvals.db"
    store.write_bytes(b"no database" * 100)
    store.chmod(0o600)
    assert told(claude.doctor("claude-code"), "approvals") == {"fail"}


@pytest.mark.parametrize("damage", ["no database", "in the middle", "for others"])
def test_a_session_index_that_can_not_be_used_is_to_be_fixed(claude, damage):
    index = claude.state / "sessions.db"
    SQLiteSessions(index, b"k" * 32).append("s", NewEvent(kind="user_said", grade="user"))
    assert told(claude.doctor("claude-code"), "sessions") == {"ok"}
    assert claude.run("status").returncode == 0
    if damage == "for others":
        index.chmod(0o644)
    else:
        content = index.read_bytes()
        start = 0 if damage == "no database" else 4096
        index.write_bytes(content[:start] + b"x" * (len(content) - start))
    assert told(claude.doctor("claude-code"), "sessions") == {"fail"}
    done = claude.run("status")
    assert done.returncode == 1
    assert "PROBLEM: The session index" in done.stdout


@pytest.mark.parametrize("damage", ["file", "directory"])
def test_pins_that_can_not_be_read_are_to_be_fixed(claude, damage):
    pins = claude.state / "mcp"
    assert told(claude.doctor("claude-code"), "pins") == {"ok"}
    if damage == "file":
        PinStore(pins).claim("box", ["server"], str)
        assert told(claude.doctor("claude-code"), "pins") == {"ok"}
        (pins / "box.json").write_text("{")
    else:
        pins.write_text("a file where the directory should be")
    assert told(claude.doctor("claude-code"), "pins") == {"fail"}
    done = claude.run("status")
    assert done.returncode == 1
    assert "PROBLEM: What was pinned can't be read" in done.stdout


def test_install_records_that_can_not_be_read_can_not_be_told_about(claude):
    [record] = (claude.state / "installed").iterdir()
    record.write_text("{")
    assert told(claude.doctor("claude-code"), "install records") == {"unknown"}


def test_mcp_servers_that_were_added_later_are_to_be_fixed(place):
    file = place.project / ".mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "x"}, "far": {"url": "https://x"}}}')
    place.install("mcp", str(file))
    checks = place.doctor()
    assert told(checks, str(file)) == {"warn"}
    place.change(file, lambda value: value["mcpServers"].update(b={"command": "y"}))
    assert told(place.doctor(), str(file)) == {"fail", "warn"}
    file.unlink()
    assert told(place.doctor(), str(file)) == {"warn"}


# What a canary's answer means ----------------------------------------------------------------------------------------

CLAUDE, IN_CODEX = AGENTS["claude-code"], AGENTS["codex"]
DENY = no("claude-code", "PreToolUse", "no")
ALLOW = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}


def in_shell(command):
    return ["/bin/sh", "-c", command]


def saying(answer, status=0):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return f"cat >/dev/null; echo '{text}'; exit {status}"


@pytest.mark.parametrize("agent", AGENTS)
def test_only_what_the_agent_takes_for_a_deny_counts_as_one(place, agent):
    it = AGENTS[agent]
    denied = no(agent, it.call, "no")
    read = {
        saying(denied): "denied",
        saying(ALLOW): "open",
        saying(passed(agent, it.call)): "open",
        saying(""): "open",
        saying("deny"): "open",
        saying([denied]): "open",
        saying(f"{json.dumps(denied)}{json.dumps(denied)}"): "open",
        saying(denied, 1): "broken" if agent == "hermes" else "open",
        "echo no >&2; exit 2": "open" if agent == "hermes" else "broken",
        "exit 2": "open",
        "exit 0": "open",
        "kill -9 $$": "open",
    }
    for command, answer in read.items():
        assert (command, deny_a_read(it, in_shell(command), place.state, place.home).answer) == (command, answer)
    assert refuse_garbage(it, in_shell(saying(denied)), place.home).answer == "denied"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("exit 2", "open"),
        ("exit 0", "open"),
        ("exit 127", "open"),
        ("kill -9 $$", "open"),
        (saying({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}), "open"),
    ],
)
def test_claude_code_and_codex_take_nothing_else_for_one(place, command, answer):
    for agent in (CLAUDE, IN_CODEX):
        assert deny_a_read(agent, in_shell(command), place.state, place.home).answer == answer
        assert refuse_garbage(agent, in_shell(command), place.home).answer == answer


@pytest.mark.parametrize("words", [["/nowhere/python"], ["/bin/sh", "-c", "exit 127"], ["/bin/sh", "-c", "kill -9 $$"]])
def test_where_the_agent_closes_by_itself_a_hook_that_fails_is_broken_and_not_open(place, words):
    assert deny_a_read(CLAUDE, words, place.state, place.home, closes=True).answer == "broken"
    assert deny_a_read(CLAUDE, words, place.state, place.home).answer == "open"
    said = in_shell(saying({}))
    assert deny_a_read(CLAUDE, said, place.state, place.home, closes=True).answer == "open"


@pytest.mark.parametrize("change", [{"continue": False}, {"suppressOutput": True}, {"new": 1}])
def test_codex_takes_an_answer_with_other_fields_for_none(place, change):
    assert deny_a_read(IN_CODEX, in_shell(saying({**DENY, **change})), place.state, place.home).answer == "open"
    assert deny_a_read(CLAUDE, in_shell(saying({**DENY, **change})), place.state, place.home).answer == "denied"


def test_codex_takes_a_deny_without_a_reason_for_none(place):
    empty = {"hookSpecificOutput": {**DENY["hookSpecificOutput"], "permissionDecisionReason": " "}}
    assert deny_a_read(IN_CODEX, in_shell(saying(empty)), place.state, place.home).answer == "open"


def test_the_canary_reads_in_the_state_directory(place):
    for name, agent in AGENTS.items():
        given = place.home / f"{name}.json"
        deny_a_read(agent, in_shell(f"cat >'{given}'; exit 2"), place.state, place.home)
        call = json.loads(given.read_text())
        assert str(place.state) in json.dumps(call.get("tool_input", call.get("toolArgs")))
        assert agent.call in call.values() or name == "copilot", "which leaves the event to the command"


def test_a_hook_of_another_installation_on_this_machine_is_tried_if_it_was_noted(claude, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/another/python")
    assert told(claude.doctor("claude-code"), "canary") == {"ok"}


def test_a_database_of_secrets_that_is_not_used_is_told(claude):
    from guardhouse.detect.secrets import vectorscan

    assert told(claude.doctor("claude-code"), "secrets") == {"ok"}
    cache = claude.home / ".local" / "state" / "guardhouse" / "cache"
    cache.mkdir(parents=True)
    if vectorscan.is_available():
        (cache / f"secrets-{vectorscan.database_name()}.db").write_bytes(b"damaged")
        assert told(claude.doctor("claude-code"), "secrets") == {"warn"}
