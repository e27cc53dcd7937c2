"""The parts of a hook by themselves: marking what comes from outside, and finding the agent's own process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from guardhouse.adapters.hooks.claude_code import ClaudeCode
from guardhouse.adapters.hooks.closing import AGENTS, closed
from guardhouse.adapters.hooks.codex import Codex
from guardhouse.adapters.hooks.marking import marked, withheld
from guardhouse.adapters.hooks.responding import agent_named

RESPONSES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["stdout", "type", "content", "url", "n", "text"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def shape(value):
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value).__name__


@given(RESPONSES)
def test_an_answer_keeps_its_shape_when_it_is_marked_or_withheld(response):
    wrapped = marked(response, "«{}»".format)
    assert wrapped is None or shape(wrapped) == shape(response)
    if isinstance(response, (dict, list)):
        assert shape(withheld(response, "no")) == shape(response)
    else:
        assert withheld(response, "no") == "no"


def strings(value):
    if isinstance(value, dict):
        return [
            text for key, item in value.items() if key not in ("type", "mimeType", "mode") for text in strings(item)
        ]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@given(RESPONSES)
def test_nothing_of_a_withheld_answer_is_left(response):
    assert {text for text in strings(withheld(response, "no")) if text.strip()} <= {"no", "[withheld]"}


def test_blocks_of_text_are_marked_each():
    blocks = [{"type": "text", "text": "one"}, {"type": "image", "data": "AAAA"}, {"type": "text", "text": "two"}]
    first, picture, second = marked(blocks, "«{}»".format)
    assert (first["text"], second["text"]) == ("«one»", "«two»")
    assert picture == blocks[1]
    assert first["type"] == "text"


def test_every_event_of_every_agent_has_an_answer_when_nothing_else_works():
    for name in AGENTS:
        agent = agent_named(name)
        assert agent.name == name
        assert agent.events.keys() == agent.known.keys()
        for event in agent.events:
            answer = closed(name, event, "it is broken.")
            assert (answer.status, answer.err) == (0, b"")
            assert answer.out.endswith(b"}\n")


HOST = """
import subprocess, sys
code = "import os, sys; from guardhouse.adapters.hooks.host import host_process;" \\
       "print(host_process(os.getppid(), frozenset(sys.argv[1].split())))"
through = {"command": ["sh", "-c", '"$@"; true', "sh"], "script": ["sh", sys.argv[3]], "direct": []}[sys.argv[2]]
print(subprocess.run([*through, sys.executable, "-c", code, sys.argv[1]], capture_output=True, text=True).stdout)
"""


def found_from(tmp_path: Path, name: str, programs: str, way: str) -> tuple[int, str]:
    """An agent by that name runs something that looks for it: its process number, and what was found."""
    program = tmp_path / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.symlink_to(sys.executable)
    script = tmp_path / "typed.sh"
    script.write_text('"$@"\n')
    with subprocess.Popen(
        [program, "-c", HOST, programs, way, script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        return process.pid, process.communicate()[0].strip()


def test_the_agent_is_found_directly_and_through_a_shell(tmp_path):
    for way in ("direct", "command", "script"):
        pid, found = found_from(tmp_path / way, "claude", "claude claude-code", way)
        assert found == str(pid)


def test_a_version_of_the_agent_in_a_directory_of_its_own_is_the_agent(tmp_path):
    pid, found = found_from(tmp_path, "claude/versions/2.1.325", "claude", "command")
    assert found == str(pid)


def test_a_shell_that_is_nobodys_agent_is_not_taken_for_one(tmp_path):
    _, found = found_from(tmp_path, "terminal-of-somebody", "claude", "script")
    assert found == "None"


def test_a_caller_that_is_no_shell_counts_as_the_agent(tmp_path):
    for way in ("direct", "command"):
        pid, found = found_from(tmp_path / way, "my-own-agent", "claude", way)
        assert found == str(pid)


def test_a_runtime_that_runs_the_agent_is_the_agent():
    from guardhouse.adapters.hooks.host import _is_one_of

    cli = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"
    assert _is_one_of(ClaudeCode.programs, ["/usr/bin/node", "--no-warnings", cli])
    assert _is_one_of(Codex.programs, ["/opt/codex/bin/codex", "exec"])
    assert not _is_one_of(ClaudeCode.programs, ["/usr/bin/node", "server.js", "x", "claude"])
    assert not _is_one_of(ClaudeCode.programs, ["/usr/bin/node", "/home/claude/.vscode-server/out/server-main.js"])
    assert not _is_one_of(ClaudeCode.programs, ["vim", "claude"])
    gemini, hermes = agent_named("gemini").programs, agent_named("hermes").programs
    assert _is_one_of(gemini, ["node", "--no-warnings=DEP0040", "/usr/local/bin/gemini", "-p", "go"])
    assert _is_one_of(gemini, ["/usr/bin/node", "/usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js"])
    assert _is_one_of(hermes, ["/home/ada/.venv/bin/python3", "/home/ada/.venv/bin/hermes", "chat"])
    assert not _is_one_of(hermes, ["/usr/bin/python3", "app.py", "hermes"])
    assert not _is_one_of(hermes, ["/usr/bin/python3", "/home/ada/hermes/app.py"])
