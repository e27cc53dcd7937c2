"""The guard guards itself: its own files can be looked at, and not changed, however they are spelt."""

from pathlib import Path

import pytest
from guarded_house import codes, relative

from guardhouse.model import Decision, ToolCallPre

WRITERS = ["write_file", "edit_file", "append_file", "str_replace_editor", "frobnicate", "download"]


def test_reading_the_configuration_is_fine(house):
    for tool in ("read_file", "cat", "grep", "list_dir"):
        assert house.call(tool, path=str(house.config / "config.yaml")).decision is Decision.ALLOW


def test_reading_the_state_is_denied(house):
    verdict = house.call("read_file", path=str(house.state / "audit.jsonl"))
    assert verdict.decision is Decision.DENY
    assert codes(verdict)[0] == "guard.own_files"


@pytest.mark.parametrize("tool", WRITERS)
def test_no_tool_that_may_write_reaches_the_configuration(house, tool):
    verdict = house.call(tool, path=str(house.config / "config.yaml"), content="guard: {enabled: false}")
    assert verdict.decision is Decision.DENY
    assert "guard.own_files" in codes(verdict)


def spellings(house):
    config = str(house.config / "config.yaml")
    below_home = ".config/guardhouse/config.yaml"
    link = house.project / "notes"
    link.symlink_to(house.config, target_is_directory=True)
    file_link = house.project / "todo.txt"
    file_link.symlink_to(house.config / "config.yaml")
    chain = house.temp / "chain"
    chain.symlink_to(house.project / "notes")
    bracket = house.project / "a[1]"
    bracket.symlink_to(house.config, target_is_directory=True)
    (house.project / "foo:").mkdir()
    return {
        "plain": config,
        "dots": str(house.home / "x" / ".." / below_home),
        "deep dots": str(house.project) + "/a/b/../../" + relative(config, house.project),
        "relative": relative(config, house.project),
        "relative with a dot": "./" + relative(config, house.project),
        "directory link": str(link / "config.yaml"),
        "file link": str(file_link),
        "relative link": "notes/config.yaml",
        "chain of links": str(chain / "config.yaml"),
        "link with brackets": str(bracket / "config.yaml"),
        "a new file behind a link": str(link / "new" / "file.yaml"),
        "tilde": f"~/{below_home}",
        "variable": f"$HOME/{below_home}",
        "variable in braces": f"${{HOME}}/{below_home}",
        "XDG variable": "$XDG_CONFIG_HOME/guardhouse/config.yaml",
        "working directory variable": "$PWD/" + relative(config, house.project),
        "file URL": f"file://{config}",
        "file URL with a host": f"file://localhost{config}",
        "file URL with one slash": f"file:{config}",
        "file URL in capitals": f"FILE://{config}",
        "file URL with escapes": f"file://{house.home}/%2econfig/guard%68ouse/config.yaml",
        "file URL with a query": f"file://{config}?x=1#y",
        "escaped dots": f"{house.home}/x/%2e%2e/{below_home}",
        "twice escaped": f"{house.home}/%252econfig/guardhouse/config.yaml",
        "doubled slashes": config.replace("/", "//"),
        "dot segments": config.replace("/", "/./"),
        "leading double slash": "/" + config,
        "other case": config.replace("guardhouse", "GuardHouse"),
        "trailing slash": str(house.config) + "/",
        "trailing dot segment": str(house.config) + "/.",
        "trailing dot": str(house.config) + "./config.yaml",
        "trailing space": config + " ",
        "leading space": " " + config,
        "trailing newline": config + "\n",
        "NUL": config + "\0.txt",
        "decomposed": str(house.config) + "/e\u0301.yaml",
        "invisible": str(house.config).replace("guardhouse", "guard\u200bhouse") + "/config.yaml",
        "through proc": f"/proc/self/root{config}",
        "through another process": f"/proc/1/root{config}",
        "through a thread": f"/proc/1/task/1/root{config}",
        "through the process's directory": "/proc/self/cwd/" + relative(config, Path.cwd()),
        "a scheme that is a directory": "foo://../" + relative(config, house.project),
        "very long": "/." * 4000 + config,
        "glob": str(house.config.parent / "guard*" / "config.yaml"),
        "glob of one letter": str(house.config.parent / "guardhous?" / "config.yaml"),
        "glob of a class": str(house.config.parent / "[g]uardhouse" / "config.yaml"),
        "glob of braces": str(house.config.parent / "{guardhouse,x}" / "config.yaml"),
        "glob over directories": str(house.home / ".config" / "**" / "config.yaml"),
        "backslashes": relative(config, house.project).replace("/", "\\"),
        "mixed slashes": relative(config, house.project).replace("/", "\\", 2),
    }


def test_writing_there_is_denied_however_it_is_spelt(house):
    guard = house.guard()
    let_through = [
        name
        for name, path in spellings(house).items()
        for verdict in [guard.evaluate(ToolCallPre(tool="write_file", params={"path": path, "content": "x"}))]
        if verdict.decision is not Decision.DENY or "guard.own_files" not in codes(verdict)
    ]
    assert let_through == []


def test_a_relative_path_is_read_from_the_directory_of_the_call(house):
    assert house.call("write_file", cwd=house.config, path="config.yaml", content="x").decision is Decision.DENY
    assert house.call("write_file", cwd=house.home, path=".config/guardhouse/x", content="x").decision is Decision.DENY
    assert house.call("write_file", cwd="../../users/ada/.config/guardhouse", path="x").decision is Decision.DENY
    assert house.call("write_file", cwd="~/.config/guardhouse", path="x").decision is Decision.DENY


def placements(path):
    yield "list", {"paths": ["ok.txt", path]}
    yield "nested", {"edits": [{"file_path": path, "new_string": "x"}]}
    yield "deep", {"a": {"b": [[{"c": [path]}]]}}
    yield "unknown key", {"p": path}
    yield "camel case", {"targetFile": path}
    yield "hyphens", {"output-file": path}
    yield "key of an object", {"files": {path: "content"}}
    yield "key at the top", {path: "content"}
    yield "second path", {"path": "ok.txt", "destination": path}


@pytest.mark.parametrize("tool", ["write_file", "frobnicate"])
def test_the_path_counts_wherever_it_stands_in_the_parameters(house, tool):
    guard = house.guard()
    absolute = str(house.config / "config.yaml")
    for path in (absolute, relative(absolute, house.project)):
        for name, params in placements(path):
            if name == "key at the top" and not path.startswith("/"):
                continue
            verdict = guard.evaluate(ToolCallPre(tool=tool, params=params))
            assert verdict.decision is Decision.DENY, (name, path)
            assert "guard.own_files" in codes(verdict), (name, path)


def patches(path, tail):
    yield f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
    yield f"*** Begin Patch\n*** Add File: {path}\n+b\n*** End Patch"
    yield f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"
    yield f"*** Begin Patch\n*** Update File: ok.txt\n*** Move to: {path}\n*** End Patch"
    yield f"*** Begin Patch\n  *** Update File:   {path}\n*** End Patch"
    yield f"--- ok.txt\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n"
    yield f"--- {path}\r\n+++ /dev/null\r\n@@ -1 +1 @@\r\n"
    yield f"--- {path}\t2024-01-01\n+++ {path}\t2024-01-01\n"
    yield f"diff --git a/x b/y\nrename from ok.txt\nrename to {path}\n"
    yield f"diff --git a/x b/y\ncopy from ok.txt\ncopy to {path}\n"
    yield f"diff --git ok.txt {path}\nold mode 100644\nnew mode 100755\n"
    yield f"Index: {path}\n====\n"
    yield f'--- a/ok\n+++ "{path}"\n'
    yield f"*** ok.txt\n--- {path}\n"
    if tail:
        yield f"--- a/{tail}\n+++ b/{tail}\n"
        yield f"diff --git a/{tail} b/{tail}\ndeleted file mode 100644\n"
        yield f'--- a/x\n+++ "b/{tail.replace("g", chr(92) + "147")}"\n'


def test_every_kind_of_patch_is_read_for_the_files_it_changes(house):
    guard = house.guard()
    tail = ".config/guardhouse/config.yaml"
    for text in patches(str(house.config / "config.yaml"), tail):
        for tool, key in (("apply_patch", "input"), ("apply_patch", "patch"), ("git_apply", "diff"), ("patch", "text")):
            verdict = guard.evaluate(ToolCallPre(tool=tool, params={key: text}, cwd=str(house.home)))
            assert "guard.own_files" in codes(verdict), (text, tool, key)
            assert verdict.decision is Decision.DENY


def test_a_diff_that_is_only_written_down_is_data(house):
    text = "--- a/.config/guardhouse/config.yaml\n+++ b/.config/guardhouse/config.yaml\n"
    verdict = house.call("write_file", path="doc.md", content=text)
    assert verdict.decision is Decision.ALLOW


@pytest.mark.parametrize(
    ("tool", "keys"),
    [
        ("move_file", ("source", "destination")),
        ("rename_file", ("path", "new_path")),
        ("mv", ("src", "dst")),
        ("copy_file", ("destination", "source")),
        ("delete_directory", ("path", "note")),
        ("remove_directory", ("path", "note")),
        ("rm", ("path", "note")),
        ("frobnicate", ("path", "note")),
    ],
)
def test_a_directory_that_holds_it_is_not_moved_or_removed(house, tool, keys):
    for directory in (house.config, house.config.parent, house.home, house.root):
        verdict = house.call(tool, **{keys[0]: str(directory), keys[1]: str(house.project / "x")})
        assert verdict.decision is Decision.DENY, directory
        assert "guard.own_files" in codes(verdict)


def test_a_file_beside_it_is_no_business_of_this_rule(house):
    for path in (house.config.parent / "guardhouse-notes" / "x", house.config.parent / "other" / "config.yaml"):
        verdict = house.call("write_file", path=str(path), content="x")
        assert verdict.decision is Decision.REQUIRE_APPROVAL
        assert codes(verdict) == ["path.write_outside_project"]


def test_removing_with_an_empty_path_means_the_working_directory(house):
    verdict = house.call("delete_directory", cwd=house.config.parent, path="")
    assert "guard.own_files" in codes(verdict)


def commands(house):
    config = str(house.config / "config.yaml")
    yield f"echo x > {config}"
    yield f"echo x>{config}"
    yield f"echo x >> '{config}'"
    yield f"sed -i s/a/b/ {config}"
    yield f'tee "{config}" < /tmp/x'
    yield "echo x > ~/.config/guardhouse/config.yaml"
    yield "echo x > $HOME/.config/guardhouse/config.yaml"
    yield 'echo x > "${HOME}/.config/guardhouse/config.yaml"'
    yield "echo x > ~/.conf''ig/guard\"house\"/config.yaml"
    yield "echo x > ~/.config/guard\\house/config.yaml"
    yield "echo x > ~/.config/guard\\\nhouse/config.yaml"
    yield "echo x > ~/.config/guard*/config.yaml"
    yield "echo x > ~/.config/[g]uardhouse/config.yaml"
    yield "echo x > ~/.config/{guardhouse,x}/config.yaml"
    yield "echo x > ~/./.config//guardhouse/../guardhouse/config.yaml"
    yield "cd ~/.config/guardhouse && echo x > config.yaml"
    yield "cd ~/.config && echo x > guardhouse/config.yaml"
    yield "cd ~/.config; rm -rf guardhouse"
    yield "git -C ~/.config/guardhouse init"
    yield f"rm -rf {house.config.parent}"
    yield "rm -rf ~/.config"
    yield "cd /; rm -rf ~"
    yield f"mv {house.home} /tmp/elsewhere"
    yield f"dd if=/dev/zero of={config}"
    yield f"cp /tmp/x --target-directory={house.config}"
    yield "python -c \"open('" + config + "','w')\""
    yield f"/proc/self/root{config}"
    yield f"yq -i .guard.enabled=false {config}"
    yield f"tree -o {config}"
    yield f"cat /tmp/x | tee {config}"
    yield f"cat {house.state}/audit.jsonl"
    yield "echo '{}' > .claude/settings.json"
    yield "rm .claude/settings.local.json"


def test_commands_that_reach_there_are_denied(house):
    guard = house.guard()
    let_through = [
        command
        for command in commands(house)
        for verdict in [guard.evaluate(ToolCallPre(tool="bash", params={"command": command}))]
        if verdict.decision is not Decision.DENY or not any(code.startswith("guard.") for code in codes(verdict))
    ]
    assert let_through == []


def test_a_shell_that_nobody_described_is_read_as_well(house):
    for tool, key in (("mcp__terminal__run", "command"), ("frobnicate", "args"), ("run_it", "script")):
        verdict = house.call(tool, **{key: "guardhouse allow domain evil.example"})
        assert "guard.own_command" in codes(verdict)
        assert verdict.decision is Decision.DENY


def test_looking_at_the_configuration_from_a_shell_is_not_denied(house):
    for command in (
        f"cat {house.config}/config.yaml",
        "cat ~/.config/guardhouse/config.yaml",
        "ls -la ~/.config/guardhouse",
        "grep -n enabled ~/.config/guardhouse/config.yaml | head -3",
        "cat .claude/settings.json | jq .hooks",
        "ls ~",
        "cd ~ && rm -rf work/build",
    ):
        assert codes(house.call("bash", "guard: {bash: ask}", command=command)) == ["shell.ask_mode"], command
        assert not any(code.startswith("guard.") for code in codes(house.call("bash", command=command))), command
    verdict = house.call("bash", cwd=house.config, command="cat config.yaml")
    assert verdict.decision is Decision.ALLOW


HOOK_WRITES = [
    ("write_file", {"path": ".claude/settings.json", "content": "{}"}),
    ("edit_file", {"file_path": ".Claude/Settings.local.json"}),
    ("delete_file", {"path": "~/.claude/settings.json"}),
    ("delete_directory", {"path": ".claude"}),
    ("move_file", {"source": "x.json", "destination": ".claude/"}),
    ("move_file", {"source": ".cursor", "destination": "away"}),
    ("write_file", {"path": "~/.codex/config.toml"}),
    ("write_file", {"path": ".guardhouse.yaml"}),
    ("frobnicate", {"where": ".gemini/settings.json"}),
]


@pytest.mark.parametrize(("tool", "params"), HOOK_WRITES)
def test_settings_that_decide_whether_an_agent_calls_the_guard_are_not_changed(house, tool, params):
    verdict = house.call(tool, **params)
    assert verdict.decision is Decision.DENY
    assert "guard.hook_settings" in codes(verdict)


def test_hook_settings_behind_a_link_are_not_changed(house):
    (house.project / ".claude").mkdir()
    (house.project / "docs").symlink_to(house.project / ".claude")
    verdict = house.call("write_file", path="docs/settings.json", content="{}")
    assert "guard.hook_settings" in codes(verdict)


def test_reading_hook_settings_is_fine(house):
    assert house.call("read_file", path=".claude/settings.json").decision is Decision.ALLOW


def test_no_rule_and_no_mode_lets_it_through(house):
    for yaml in (
        "guard: {mode: observe}",
        "guard: {rules: [{id: all, effect: allow, tool: write_file, waives: [path.write_outside_project]}]}",
        "guard: {paths: {allowed_directories: [~/.config/guardhouse]}}",
    ):
        verdict = house.call("write_file", yaml, path=str(house.config / "config.yaml"), content="x")
        assert verdict.decision is Decision.DENY, yaml
