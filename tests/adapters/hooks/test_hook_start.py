"""What a hook loads: it is a new process for every call of an agent's, and loading is nearly all of what it costs."""

from __future__ import annotations

import json
import subprocess
import sys

from guardhouse.adapters.hooks.closing import AGENTS

NEVER = frozenset(
    "_hashlib ada_url asyncio calendar cel click dataclasses datetime inspect ipaddress locale logging msgspec.inspect"
    " msgspec.msgpack msgspec.toml msgspec.yaml nacl ntpath platform psutil random signal socket ssl subprocess"
    " tempfile textwrap urllib.parse yaml zlib".split()
)
"""Nothing of an ordinary call needs these, and each takes a process longer than a module of the house does."""
NOT_WITHOUT_CAUSE = frozenset(
    "guardhouse.adapters.hooks.marking guardhouse.adapters.resources guardhouse.config.mode"
    " guardhouse.config.trust_store guardhouse.detect.grading guardhouse.detect.inline guardhouse.detect.paths.hooks"
    " guardhouse.detect.paths.patches guardhouse.detect.python guardhouse.detect.sql guardhouse.net.addresses"
    " guardhouse.net.destination guardhouse.net.hosts guardhouse.net.local_names guardhouse.policy.conditions"
    " guardhouse.ports guardhouse.sessions guardhouse.trust.disguise guardhouse.trust.forgeries"
    " guardhouse.trust.lookalikes guardhouse.trust.quoting sqlite3".split()
)
"""Loaded for the calls that have an address, code, a patch, a result, and so on."""
FOR_COMMANDS = frozenset("guardhouse.detect.shell guardhouse.detect.commands.looking guardhouse.detect.acts".split())
MOST_MODULES = 123
"""Of the house, for a call that runs nothing. Each costs a third of a millisecond."""


def loaded(hooked, event):
    """The modules that a hook loads, both of its processes together."""
    name = hooked.name_of(event)
    command = hooked.command(name)
    command[2:2] = ["-X", "importtime"]
    reaction = hooked.feed(json.dumps(event).encode(), name, command=command)
    assert (reaction.status, reaction.does) == (0, "goes on")
    lines = [line.split("|") for line in reaction.err.decode().splitlines() if line.startswith("import time:")]
    return {line[2].strip() for line in lines}


def test_a_call_that_touches_a_file_loads_nothing_that_it_does_not_need(claude):
    (claude.project / "app.py").write_text("x = 1\n")
    call = claude.call("Read", file_path=str(claude.project / "app.py"))
    claude.run(call)  # the first one makes directories
    names = loaded(claude, call)
    assert "guardhouse.guard" in names
    assert names & (NEVER | NOT_WITHOUT_CAUSE | FOR_COMMANDS) == set()
    assert len([name for name in names if name.startswith("guardhouse")]) <= MOST_MODULES


def test_a_plain_command_loads_only_the_tables_of_its_programs(hooked):
    call = hooked.call("Bash", command="git status && ls -la")
    hooked.run(call)
    names = loaded(hooked, call)
    assert "guardhouse.detect.shell.programs.git" in names
    assert names & (NEVER | NOT_WITHOUT_CAUSE - {"guardhouse.detect.paths.hooks"}) == set()
    assert "guardhouse.detect.shell.programs.git" not in loaded(hooked, hooked.call("Bash", command="ls -la"))


def test_a_hook_loads_its_own_agent_and_no_other(anybody):
    call = anybody.call("Bash", command="ls")
    anybody.run(call)
    names = loaded(anybody, call)
    own = anybody.program.replace("-", "_")
    agents = {f"guardhouse.adapters.hooks.{name.replace('-', '_')}" for name in AGENTS}
    assert names & agents == {f"guardhouse.adapters.hooks.{own}"}
    assert names & (NEVER | NOT_WITHOUT_CAUSE - {"guardhouse.detect.paths.hooks"}) == set()


def test_the_watcher_loads_next_to_nothing():
    heavy = ("typing", "signal", "msgspec", "pathlib", "subprocess", "guardhouse.model")
    code = f"import guardhouse.cli.hooking, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_stood_in_for_while_libraries_load_is_there_for_whoever_asks():
    """Whatever a hook comes to need after all: the real modules, and what the libraries took of them."""
    code = """
from guardhouse.cli.sparing import _NOT_NEEDED, load_libraries
import sys
load_libraries()
assert not set(_NOT_NEEDED) & sys.modules.keys(), sys.modules.keys() & set(_NOT_NEEDED)

import datetime, ipaddress, pathlib, platform, textwrap, urllib.parse, uuid
import msgspec
assert pathlib.Path("/a b").as_uri() == "file:///a%20b"
assert pathlib.PureWindowsPath("c:/a/b").drive == "c:"
assert urllib.parse.urlsplit("https://a.example/b").netloc == "a.example"
assert platform.system() and platform.machine()
assert textwrap.dedent("  a") == "a"
assert uuid.uuid1() != uuid.uuid4()
assert msgspec.json.schema(list[int]) == {"type": "array", "items": {"type": "integer"}}
assert msgspec.inspect.type_info(int) == msgspec.inspect.IntType()
assert msgspec.msgpack.decode(msgspec.msgpack.encode([1])) == [1]
assert msgspec.yaml.decode("a: 1") == {"a": 1} and msgspec.toml.decode("a = 1") == {"a": 1}
moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
assert msgspec.json.decode(msgspec.json.encode(moment), type=datetime.datetime) == moment
assert datetime.datetime.strptime("2026", "%Y").year == 2026
assert type(sys.modules["urllib.parse"]).__name__ == "module"
"""
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
