"""`scan-machine`: what is found of agents, MCP servers and skills, and how each stands to the gate."""

import json

import pytest

from guardhouse.installing.inventory import overall, take
from guardhouse.installing.inventory.places import OTHER_AGENTS, SERVER_LISTS, SKILLS
from guardhouse.installing.machine import this_machine

SERVER = {"command": "npx", "args": ["-y", "@example/notes"]}


def items(kind=None, name=None):
    found = take(this_machine(None, None))
    return [item for item in found if kind in {None, item.kind} and name in {None, item.name}]


def write(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_nothing_is_found_on_a_machine_without_agents(place):
    assert items() == []
    done = place.run("scan-machine")
    assert (done.returncode, done.stdout) == (0, "No agents, MCP servers or skills were found.\n")


def test_an_agent_without_our_hooks_is_open_and_with_them_guarded(place):
    write(place.claude, {})
    [before] = items("agent")
    assert (before.name, before.standing, before.fix) == ("claude-code", "open", "`guardhouse install claude-code`")
    place.put_under("claude-code")
    [after] = items("agent")
    assert (after.standing, after.where) == ("guarded", str(place.claude))


def test_hooks_in_a_project_alone_are_only_part_of_it(place):
    write(place.claude, {})
    place.put_under("claude-code", "--scope", "project")
    [agent] = items("agent")
    assert agent.standing == "partly"


def test_settings_that_can_not_be_read_are_unknown_and_not_passed_over(place):
    write(place.claude, "{")
    [agent] = items("agent")
    assert agent.standing == "unknown"
    assert str(place.claude) in agent.why


def test_a_servers_of_an_agent_without_hooks_is_open_until_it_is_behind_the_gateway(place):
    listed = write(place.home / ".codeium/windsurf/mcp_config.json", {"mcpServers": {"notes": SERVER}})
    [before] = items("server")
    assert (before.name, before.of, before.standing) == ("notes", "windsurf", "open")
    assert before.fix == f"`guardhouse install mcp {listed}`"
    place.put_under("mcp", str(listed))
    [after] = items("server")
    assert (after.standing, after.why) == ("guarded", "behind the gateway")


def test_servers_of_an_agent_under_the_gate_pass_its_hooks(place):
    write(place.claude, {})
    write(place.home / ".claude.json", {"mcpServers": {"far": {"url": "https://mcp.example/"}, "near": SERVER}})
    assert {item.standing for item in items("server")} == {"open"}
    place.put_under("claude-code")
    assert {(item.standing, item.why) for item in items("server")} == {
        ("guarded", "its calls pass the hooks of Claude Code")
    }


def test_servers_of_projects_that_claude_code_has_noted_are_found_there(place):
    project = place.home / "elsewhere"
    write(project / ".mcp.json", {"mcpServers": {"shared": SERVER}})
    noted = {str(project): {"mcpServers": {"own": SERVER}}, str(place.home / "gone"): {}}
    write(place.home / ".claude.json", {"projects": noted})
    assert {(item.name, item.where) for item in items("server")} == {
        ("own", str(place.home / ".claude.json")),
        ("shared", str(project / ".mcp.json")),
    }


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".codex/config.toml", '[mcp_servers.notes]\ncommand = "npx"\n'),
        (".config/goose/config.yaml", "extensions:\n  notes: {type: stdio, cmd: npx, args: [x], enabled: true}\n"),
        (".config/opencode/opencode.json", {"mcp": {"notes": {"type": "local", "command": ["npx", "x"]}}}),
        (".config/zed/settings.json", {"context_servers": {"notes": {"command": {"path": "npx", "args": []}}}}),
        (".config/Code/User/mcp.json", {"servers": {"notes": {"type": "stdio", "command": "npx"}}}),
        (".cursor/mcp.json", {"mcpServers": {"notes": {"url": "https://mcp.example/sse"}}}),
    ],
)
def test_each_client_writes_its_servers_down_in_its_own_way(place, file, content):
    write(place.home / file, content)
    [server] = items("server")
    assert (server.name, server.standing, server.where) == ("notes", "open", str(place.home / file))


def test_servers_that_are_switched_off_are_none(place):
    write(place.home / ".config/goose/config.yaml", "extensions: {notes: {cmd: npx, enabled: false}}\n")
    write(place.home / ".cursor/mcp.json", {"mcpServers": {"notes": {**SERVER, "disabled": True}}})
    assert items("server") == []


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".cursor/mcp.json", "{"),
        (".codex/config.toml", "="),
        (".config/goose/config.yaml", "a: [1"),
        (".config/goose/config.yaml", "- 1"),
        (".config/goose/config.yaml", "[" * 100_000),
    ],
)
def test_a_list_that_can_not_be_read_is_unknown(place, file, content):
    write(place.home / file, content)
    [server] = items("server")
    assert (server.name, server.standing) == ("?", "unknown")


def test_odd_shapes_are_no_servers_and_break_nothing(place):
    write(place.home / ".cursor/mcp.json", {"mcpServers": {"a": 1, "b": [], "c": {"command": 5, "args": "x"}, "d": {}}})
    assert {(item.name, item.standing) for item in items("server")} == {("c", "open"), ("d", "open")}
    write(place.home / ".claude.json", {"mcpServers": [], "projects": {"x": 1, "/srv": {"mcpServers": "?"}}})
    assert {item.of for item in items("server")} == {"cursor"}


def test_skills_are_named_and_stand_as_the_agent_that_reads_them(place):
    for number in range(7):
        write(place.home / f".claude/skills/skill-{number}/SKILL.md", "---\nname: x\n---\n")
    (place.home / ".claude/skills/no-skill").mkdir()
    [before] = items("skills")
    assert (before.name, before.standing) == ("skill-0, skill-1, skill-2, skill-3, skill-4 and 2 more", "open")
    place.put_under("claude-code")
    [after] = items("skills")
    assert after.standing == "guarded"
    assert after.why.startswith("what they say is not looked at")


@pytest.mark.parametrize("other", OTHER_AGENTS, ids=lambda other: other.name)
def test_agents_without_hooks_are_found_by_what_they_leave_or_by_their_program(place, other):
    (place.home / other.places[0]).mkdir(parents=True)
    [agent] = items("agent")
    assert (agent.name, agent.standing) == (other.name, "open")
    (place.home / other.places[0]).rmdir()
    assert items("agent") == []
    if other.program:
        place.program(other.program, "exit 1")
        [agent] = items("agent")
        assert agent.where == str(place.programs / other.program)


def test_the_tables_say_nothing_twice_and_name_agents_that_there_are():
    from guardhouse.installing.agents import AGENTS

    known = {"", "vscode", *AGENTS, *(one.name for one in OTHER_AGENTS)}
    for table in (SERVER_LISTS, SKILLS):
        assert len(set(table)) == len(table)
        assert {one.client for one in table} <= known


def test_the_exit_status_says_what_is_worst(place):
    assert overall([]) == 0
    write(place.home / ".cursor/mcp.json", "{")
    assert overall(items("server")) == 2
    write(place.home / ".codeium/windsurf/mcp_config.json", {"mcpServers": {"notes": SERVER}})
    assert overall(items("server")) == 1


def test_for_machines_it_is_one_object_and_hostile_names_can_not_move_a_cursor(place):
    write(place.home / ".codeium/windsurf/mcp_config.json", {"mcpServers": {"a\x1b[2Jb\u202e": SERVER}})
    done = place.run("scan-machine")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    told = json.loads(place.run("scan-machine", "--json").stdout)
    assert (told["exit_status"], told["gate"]) == (1, "")
    assert {item["kind"] for item in told["items"]} == {"agent", "server"}


def test_a_gate_that_holds_nothing_back_is_said_and_is_not_everything_in_order(place):
    place.put_under("claude-code")
    assert place.run("scan-machine").returncode == 0
    write(place.home / ".config/guardhouse/config.yaml", "guard: {enabled: false}\n")
    done = place.run("scan-machine")
    assert done.returncode == 1
    assert "SWITCHED OFF" in done.stdout


def test_with_all_users_everybodys_homes_are_looked_into(place):
    from guardhouse.installing.inventory import homes

    told = json.loads(place.run("scan-machine", "--all-users", "--json").stdout)
    assert {item["user"] for item in told["items"]} <= {name for name, _ in homes()}
