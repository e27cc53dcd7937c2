"""The tools that a configuration gives to runs, put together as a program does it."""

import json
import sys
from pathlib import Path

import pytest
from running import results, scripted, worked

from guardhouse.opening import open_guard
from guardhouse.runs import RunStatus
from guardhouse.runs.opening import open_runs
from guardhouse.runs.tools.builtin import tools_of
from guardhouse.trust import ToolCatalogue

SERVER = Path(__file__).parents[1] / "adapters" / "mcp_server.py"


@pytest.fixture
def guard(machine, tmp_path):
    servers = {
        "demo": {"command": [sys.executable, str(SERVER), str(tmp_path / "log")]},
        "gone": {"command": ["/no/such/program"]},
    }
    runs = {"tools": ["read_file", "memory", "delegate", "skills"], "mcp": servers}
    declared = {"mcp__demo__echo": {"capabilities": ["reads"]}}
    machine.configure(json.dumps({"guard": {"runs": runs, "tools": declared}}))
    with open_guard(cwd=machine.project, state_dir=machine.state) as made:
        yield made


def test_a_run_has_the_tools_of_the_configuration_and_of_its_servers(machine, guard):
    (machine.project / "a.txt").write_text("from the file")
    heard, offered = [], []

    def last(messages):
        heard.extend(results(messages))
        return "Done."

    model = scripted(("read_file", {"path": "a.txt"}), ("mcp__demo__echo", {"said": "from the server"}), last)
    answer = model.function

    def seen(messages, info):
        offered.append({tool.name for tool in info.function_tools})
        return answer(messages, info)

    model.function = seen
    model.stream_function = None
    runs = open_runs(guard, model=model)
    run = worked(runs, runs.start("Read it.", workspace=str(machine.project)).id)
    assert run.status is RunStatus.DONE
    assert heard[0] == "from the file"
    assert "from the server" in heard[1]
    assert {"read_file", "memory_search", "memory_write", "delegate", "run_skill", "mcp__demo__echo"} <= offered[0]
    assert any("the MCP server gone gives no tools" in str(event.detail) for event in machine.events())


def test_the_gate_knows_every_tool_of_the_house(guard):
    every = ("url_fetch", "read_file", "write_file", "list_files", "bash", "memory", "delegate", "skills")
    section = type(guard.policy.config.runs)(tools=every)
    catalogue = ToolCatalogue().of_house()
    names = {tool.name for tool in tools_of(section, guard)} - {"memory_search"}  # which is a read of a memory
    assert [name for name in names if not catalogue.profile(name).classified] == []
