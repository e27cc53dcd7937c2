"""`doctor` on a machine that somebody has worked on: what takes the gate away without taking our entries away."""

import json

import msgspec
import pytest
from test_doctor import NEW, told, trust_all, words

from guardhouse.installing import claude_checks, codex_checks
from guardhouse.installing.programs import find_program


@pytest.fixture
def claude(place):
    place.program("claude", NEW["claude-code"])
    place.put_under("claude-code")
    return place


@pytest.fixture
def codex(place):
    place.program("codex", NEW["codex"])
    place.put_under("codex")
    trust_all(place)
    return place


# Claude Code's environment -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDE_CODE_SHELL_PREFIX",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "GUARDHOUSE_STATE_DIR",
        "HOME",
        "XDG_CONFIG_HOME",
        "CLAUDE_CODE_SAFE_MODE",
        "CLAUDE_CODE_SIMPLE",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_PROJECT_DIR",
        "PYTHONPATH",
        "ld_preload",
    ],
)
def test_a_variable_in_a_projects_settings_that_decides_over_hooks_is_to_be_fixed(claude, name):
    file = claude.project / ".claude" / "settings.json"
    claude.change(file, lambda value: value.update(env={name: "x", "NODE_ENV": "test"}))
    checks = claude.look_over("claude-code")
    assert told(checks, "environment") == {"fail"}
    assert name in words(checks, "fail")
    assert "NODE_ENV" not in words(checks, "fail")


@pytest.mark.parametrize("layer", ["user", "local", "managed"])
def test_such_a_variable_is_found_in_every_layer(claude, monkeypatch, layer):
    managed = claude.home / "etc" / "managed-settings.json"
    monkeypatch.setattr(claude_checks, "_MANAGED", (managed,))
    local = claude.project / ".claude" / "settings.local.json"
    file = {"user": claude.claude, "local": local, "managed": managed}[layer]
    claude.change(file, lambda value: value.update(env={"HOME": "/x"}))
    assert told(claude.look_over("claude-code"), "environment") == {"fail"}


def test_ordinary_variables_are_nobodys_concern(claude):
    claude.change(
        claude.claude, lambda value: value.update(env={"NODE_ENV": "x", "ANTHROPIC_MODEL": "y", "HOMEPAGE": ""})
    )
    assert told(claude.look_over("claude-code"), "environment") == {"ok"}


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"])
def test_a_switch_in_our_own_environment_is_to_be_fixed(claude, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    checks = claude.look_over("claude-code")
    assert told(checks, "environment") == {"fail"}
    assert name in words(checks, "fail")


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (True, "fail"),
        (["hooks"], "fail"),
        (["skills", "hooks"], "fail"),
        ("yes", "fail"),
        (["skills"], "ok"),
        (False, "ok"),
    ],
)
def test_an_administrator_who_lets_only_plugins_hooks_run_is_told_of(claude, monkeypatch, value, status):
    managed = claude.home / "etc" / "managed-settings.json"
    monkeypatch.setattr(claude_checks, "_MANAGED", (managed,))
    claude.change(managed, lambda settings: settings.update(strictPluginOnlyCustomization=value))
    assert told(claude.look_over("claude-code"), "hooks run") == {status}


# Hooks beside ours ----------------------------------------------------------------------------------------------------

OTHER = {"hooks": [{"type": "command", "command": "say-yes"}]}


@pytest.mark.parametrize(
    ("layer", "status"),
    [("user", "warn"), ("remote", "warn"), ("managed", "warn"), ("project", "fail"), ("local", "fail")],
)
def test_a_hook_that_may_answer_our_question_is_told_of_in_every_layer(claude, monkeypatch, layer, status):
    managed = claude.home / "etc" / "managed-settings.json"
    monkeypatch.setattr(claude_checks, "_MANAGED", (managed,))
    file = {
        "user": claude.claude,
        "remote": claude.claude.with_name("remote-settings.json"),
        "managed": managed,
        "project": claude.project / ".claude" / "settings.json",
        "local": claude.project / ".claude" / "settings.local.json",
    }[layer]
    assert told(claude.look_over("claude-code"), "answering hooks") == set()
    claude.change(file, lambda value: value.setdefault("hooks", {}).update(PermissionRequest=[OTHER]))
    checks = claude.look_over("claude-code")
    assert told(checks, "answering hooks") == {status}
    assert "say-yes" in words(checks, status)


def test_settings_that_an_administrator_has_sent_count_as_his(claude):
    file = claude.claude.with_name("remote-settings.json")
    claude.change(file, lambda value: value.update(allowManagedHooksOnly=True, env={"HOME": "/x"}))
    checks = claude.look_over("claude-code")
    assert told(checks, "hooks run") == {"fail"}
    assert told(checks, "environment") == {"fail"}


@pytest.mark.parametrize("older", [False, True])
def test_hooks_of_a_plugin_that_is_switched_on_are_looked_at(claude, older):
    where = claude.home / ".claude" / "plugins" / "cache" / "x"
    entry = {"scope": "user", "installPath": str(where)}
    claude.change(
        claude.home / ".claude" / "plugins" / "installed_plugins.json",
        lambda value: value.update(plugins={"x@market": entry if older else [entry]}),
    )
    hooks = {"PreToolUse": [OTHER], "PermissionRequest": [OTHER]}
    claude.change(where / "hooks" / "hooks.json", lambda value: value.update(hooks=hooks))
    assert told(claude.look_over("claude-code"), "other hooks") == set()
    claude.change(claude.claude, lambda value: value.update(enabledPlugins={"x@market": True, "off@market": False}))
    checks = claude.look_over("claude-code")
    assert told(checks, "other hooks") == {"warn"}
    assert told(checks, "answering hooks") == {"warn"}
    assert "can't be read" not in words(checks, "warn")


@pytest.mark.parametrize("manifest", [None, {"hooks": "./more.json"}])
def test_a_plugin_whose_hooks_can_not_be_told_is_named(claude, manifest):
    where = claude.home / "x"
    if manifest is not None:
        entry = {"installPath": str(where)}
        claude.change(
            claude.home / ".claude" / "plugins" / "installed_plugins.json",
            lambda value: value.update(plugins={"x@market": [entry]}),
        )
        claude.change(where / ".claude-plugin" / "plugin.json", lambda value: value.update(manifest))
    claude.change(claude.claude, lambda value: value.update(enabledPlugins={"x@market": True}))
    checks = claude.look_over("claude-code")
    assert told(checks, "other hooks") == {"warn"}
    assert "x@market" in words(checks, "warn")


@pytest.mark.parametrize("layer", ["user", "project"])
def test_hooks_in_the_configuration_of_codex_are_looked_at(codex, layer):
    file = codex.codex_config if layer == "user" else codex.project / ".codex" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    more = '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\n'
    assert told(codex.look_over("codex"), "other hooks") == set()
    file.write_text((file.read_text() if file.exists() else "") + more)
    checks = codex.look_over("codex")
    assert told(checks, "other hooks") == {"warn"}
    assert str(file) in words(checks, "warn")


# Commands that are not those that were installed -------------------------------------------------------------------


def options_put_in(*given):
    def change(value):
        for groups in value["hooks"].values():
            groups[0]["hooks"][0]["args"] += given

    return change


def test_a_command_that_is_not_the_one_that_was_installed_is_to_be_fixed(claude):
    config = claude.project / "lax.yaml"
    config.write_text("guard: {mode: observe}")
    claude.change(claude.claude, options_put_in("--config", str(config)))
    checks = claude.doctor("claude-code")
    assert "is not the one that was installed here" in words(checks, "fail")
    assert told(checks, "places") == {"unknown"}
    assert told(checks, "mode") == {"warn"}


def test_the_policy_that_a_hook_names_is_the_one_that_is_judged(claude):
    config = claude.project / "off.yaml"
    config.write_text("guard: {enabled: false}")
    claude.change(claude.claude, options_put_in("--config", str(config)))
    checks = claude.doctor("claude-code")
    assert told(checks, "enabled", "claude-code") == {"fail"}
    assert str(config) in words(checks, "fail")


def test_hooks_that_came_with_a_repository_and_name_its_own_places_can_not_be_told_about(place):
    place.program("claude", NEW["claude-code"])
    place.install("claude-code")
    shared = place.project / ".claude" / "settings.json"
    shared.parent.mkdir()
    text = place.claude.read_text().replace(f'"{place.home}"', f'"{place.project}/evil"')
    place.uninstall("claude-code")
    shared.write_text(text)
    checks = place.doctor("claude-code")
    assert told(checks, "places") == {"unknown"}


def test_a_second_handler_of_ours_that_is_changed_is_seen_beside_the_good_one(claude):
    def change(value):
        group = value["hooks"]["PreToolUse"][0]
        bad = json.loads(json.dumps(group))
        bad["hooks"][0]["args"].append("--deadline")
        bad["hooks"][0]["args"].append("1")
        value["hooks"]["PreToolUse"].insert(0, bad)

    claude.change(claude.claude, change)
    assert "is not one that `install` writes" in words(claude.doctor("claude-code"), "fail")


# Codex ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SessionStart"])
def test_a_matcher_on_a_group_of_ours_is_to_be_fixed(codex, event):
    codex.change(codex.codex, lambda value: value["hooks"][event][0].update(matcher="^nothing$"))
    trust_all(codex)
    checks = codex.look_over("codex")
    assert told(checks, "fail-closed") == {"fail"}
    assert event in words(checks, "fail")


@pytest.mark.parametrize(
    "text",
    ["[features]\nhooks = false\n", "[features]\ncodex_hooks = false\n", "[profiles.fast.features]\nhooks = false\n"],
)
@pytest.mark.parametrize("layer", ["user", "project", "above", "system", "profile"])
def test_hooks_that_any_layer_of_codex_switches_off_are_to_be_fixed(codex, monkeypatch, layer, text):
    system = codex.home / "etc" / "config.toml"
    monkeypatch.setattr(codex_checks, "_SYSTEM", (system,))
    inner = codex.project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    files = {
        "user": codex.codex_config,
        "project": inner / ".codex" / "config.toml",
        "above": codex.project / ".codex" / "config.toml",
        "system": system,
        "profile": codex.home / ".codex" / "fast.config.toml",
    }
    assert told(codex.look_over("codex"), "hooks run") == {"ok"}
    file = files[layer]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + (file.read_text() if file.exists() else ""))
    checks = codex.look_over("codex")
    assert told(checks, "hooks run") == {"fail"}
    assert str(file) in words(checks, "fail")


# Programs that came with a repository -------------------------------------------------------------------------------


def test_a_program_out_of_the_repository_around_the_working_directory_is_not_run(place):
    (place.project / ".git").mkdir()
    inner = place.project / "packages" / "app"
    inner.mkdir(parents=True)
    tools = place.program("claude", "echo 2.1.300", place.project / "tools").parent
    found = find_program("claude", str(tools), inner, place.home)
    assert (found.path, found.passed_over) == (None, tools / "claude")


@pytest.mark.parametrize(
    ("where", "is_run"),
    [
        ("other/node_modules/.bin", False),
        ("other/node_modules/@anthropic-ai/claude-code", False),
        ("prefix/lib/node_modules/@anthropic-ai/claude-code", True),
        (".local/share/pnpm/global/5/node_modules/.bin", True),
        (".bun/install/global/node_modules/.bin", True),
        (".claude/local/node_modules/.bin", True),
    ],
)
def test_only_packages_that_are_installed_for_all_are_run_from(place, where, is_run):
    real = place.program("claude", "echo 2.1.300", place.home / where)
    assert (find_program("claude", str(real.parent), place.project, place.home).path is not None) is is_run
    (place.programs / "claude").symlink_to(real)
    assert (find_program("claude", str(place.programs), place.project, place.home).path is not None) is is_run


def test_a_home_that_git_keeps_is_nobodys_project_but_a_repository_in_it_is(place):
    (place.home / ".git").mkdir()
    (place.project / ".git").mkdir()
    good = place.program("claude", "echo 2.1.300", place.home / ".local" / "bin")
    bad = place.program("claude", "echo 2.1.300", place.project / "bin")
    inner = place.project / "src"
    inner.mkdir()
    assert find_program("claude", f"{bad.parent}:{good.parent}", inner, place.home).path == good


# Lists of MCP servers ------------------------------------------------------------------------------------------------


@pytest.fixture
def listed(place):
    file = place.project / ".mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    place.put_under("mcp", str(file))
    return place, file


def test_a_server_that_another_program_runs_now_is_to_be_fixed(listed):
    place, file = listed
    assert told(place.doctor(), str(file)) == {"ok"}
    place.change(file, lambda value: value["mcpServers"]["a"].update(command="/bin/sh"))
    checks = place.doctor()
    assert told(checks, str(file)) == {"fail"}
    assert "another program" in words(checks, "fail")


@pytest.mark.parametrize(
    "server",
    [
        {"command": "x", "args": [1]},
        {"command": "x", "args": "y"},
        {"command": ["x"], "type": "local"},
        {"command": "x", "url": "https://x"},
        {"command": "x", "type": "sse"},
    ],
)
def test_an_entry_with_a_command_that_is_not_understood_is_not_guarded(listed, server):
    place, file = listed
    place.change(file, lambda value: value["mcpServers"].update(odd=server))
    checks = place.doctor()
    assert told(checks, str(file)) == {"fail"}
    assert "not understood: odd" in words(checks, "fail")


OLD = ["-I", "-m", "guardhouse", "mcp", "--name", "a", "--", "x"]
"""As an older version wrote it."""


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "GUARDHOUSE_STATE_DIR", "LD_PRELOAD"])
@pytest.mark.parametrize("old", [False, True])
def test_a_variable_of_a_servers_that_moves_the_gateway_is_to_be_fixed(listed, name, old):
    place, file = listed
    more = {"env": {name: "/x", "TOKEN": "y"}, **({"args": OLD} if old else {})}
    place.change(file, lambda value: value["mcpServers"]["a"].update(more))
    checks = place.doctor()
    if old or name == "LD_PRELOAD":
        assert "fail" in told(checks, str(file))
        assert name in words(checks, "fail")
    else:  # it is told its places
        assert told(checks, str(file)) == {"ok"}


def test_a_gateway_that_an_older_version_wrote_is_to_be_installed_again(listed):
    place, file = listed
    record = place.records.all()[0]
    place.records.write(msgspec.structs.replace(record, commands=record.commands[:1]))
    place.change(file, lambda value: value["mcpServers"]["a"].update(args=OLD))
    assert told(place.doctor(), str(file)) == {"warn"}


def test_a_gateway_that_is_told_other_places_is_to_be_fixed(listed):
    place, file = listed
    config = place.project / "evil" / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("guard: {enabled: false}")

    def change(value):
        arguments = value["mcpServers"]["a"]["args"]
        arguments[arguments.index("--home") + 1] = str(place.project / "evil")

    place.change(file, change)
    checks = place.doctor()
    assert told(checks, str(file)) == {"fail"}
    assert told(checks, "enabled", "mcp") == {"fail"}


def test_a_gateway_that_somebody_wrote_by_hand_can_not_be_told_about_unless_it_is_ours(listed):
    place, file = listed
    entry = {"command": "/elsewhere/guardhouse", "args": ["mcp", "--", "y"]}
    place.change(file, lambda value: value["mcpServers"].update(b=entry))
    assert told(place.doctor(), str(file)) == {"unknown"}
    python = read_python(file)
    entry["command"] = python
    entry["args"] = ["-m", "guardhouse", "mcp", "--", "y"]
    place.change(file, lambda value: value["mcpServers"].update(b=entry))
    assert told(place.doctor(), str(file)) == {"ok"}


def read_python(file):
    return json.loads(file.read_text())["mcpServers"]["a"]["command"]
