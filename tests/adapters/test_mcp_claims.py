"""What the name of an MCP server belongs to, and what people say of its tools by command."""

import json
import os
import pty
import subprocess
import sys
import time
from select import select

import pytest
from mcp_client import MCP, PATIENCE, SERVER
from mcp_server import SECRET, tool

from guardhouse.adapters.mcp import place_of, server_name
from guardhouse.model import GuardhouseError
from guardhouse.pins import Described, PinStore


def guardhouse(place, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "guardhouse", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=place.project,
        env={**os.environ, "GUARDHOUSE_STATE_DIR": str(place.state)},
        timeout=60,
        check=False,
    )


@pytest.fixture
def pins(place):
    pins = PinStore(place.state / "mcp")
    pins.claim("box", ["server"], str)
    return pins


def announce(pins, digit, shown):
    pins.announce("box", {"t": Described(f"sha256:{digit * 64}", shown)})


# Places


def test_a_relative_script_of_another_directory_is_another_server(place, tmp_path):
    done = []
    for name in ("one", "two"):
        directory = tmp_path / name
        directory.mkdir()
        (directory / "server.py").write_text(SERVER.read_text())
        command = [*MCP, "--name", "box", "--state-dir", str(place.state), "--", sys.executable, "server.py", "log"]
        done.append(subprocess.run(command, cwd=directory, input=b"", capture_output=True, check=False, timeout=60))
    assert [one.returncode for one in done] == [0, 2]
    assert b"belongs to another command" in done[1].stderr


def test_the_place_of_a_command_is_its_program_and_the_directory_where_that_matters(tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("npx", "uvx", "npm", "real"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    (programs / "linked").symlink_to("real")
    monkeypatch.setenv("PATH", str(programs))
    here = tmp_path / "here"
    here.mkdir()

    def depends(*command):
        return str(here) in place_of(command, here)

    assert place_of(["linked"], here) == (str(programs / "linked"), str(programs / "real"))
    assert place_of(["no-such-program"], here) == ("", "")
    assert depends("npm", "run", "server")
    assert not depends("npx", "-y", "@scope/server@1.2")
    assert not depends("uvx", "mcp-server-git")
    assert not depends("real", "-m", "module", "--config=conf.json", "script.py", "/absolute")
    (here / "module.py").touch()
    assert depends("real", "-m", "module")
    (here / "conf.json").touch()
    assert depends("real", "--config=conf.json")
    (here / "node_modules" / "@scope" / "server").mkdir(parents=True)
    assert depends("npx", "-y", "@scope/server@1.2")
    assert not depends("npx", "-y", "another")
    assert depends("sh", "-c", "exec python s.py")
    assert depends("env", "-i", "A=b", "bash", "-c", "run")
    assert depends("docker", "compose", "run", "server")
    assert not depends("env", "A=b", "uvx", "mcp-server-git")
    assert not depends("docker", "run", "--rm", "-i", "image")
    (here / ".npmrc").touch()
    assert depends("npx", "-y", "another")


# Names


@pytest.mark.parametrize(
    "command",
    [
        ["node", "--token", "hunter2hunter2", "index.js"],
        ["node", "index.js", "postgres://ada:hunter2@db.example/notes"],
        ["node", "index.js", "ada:hunter2@db.example"],
        ["node", "index.js", "hunter2@db.example"],
        ["env", "TOKEN=hunter2", "node", "index.js"],
    ],
)
def test_no_name_is_made_of_what_may_be_a_password(command):
    with pytest.raises(GuardhouseError, match="--name"):
        server_name(None, command)


def test_a_name_that_looks_like_a_secret_is_no_name(place):
    done = guardhouse(place, "mcp", "--", "node", SECRET)
    assert done.returncode == 2
    assert "looks like a secret" in done.stderr
    assert SECRET not in done.stderr
    assert not [path for path in place.state.rglob("*") if SECRET in path.name]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["docker", "run", "-i", "--rm", "-e", "API_KEY", "mcp/fetch"], "fetch"),
        (["uvx", "--from", "git-thing", "mcp-server-git"], "mcp-server-git"),
        (["npx", "-y", "@scope/weather@latest"], "weather"),
    ],
)
def test_options_and_what_they_are_given_are_passed_over(command, name):
    assert server_name(None, command) == name


# Commands


def test_only_the_description_that_was_shown_is_accepted(place, pins):
    announce(pins, "1", "one")
    announce(pins, "2", "two")
    command = [sys.executable, "-m", "guardhouse", "pins", "accept", "mcp__box__t", "--state-dir", str(place.state)]
    pid, screen = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown, changed, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select([screen], [], [], 0.2)[0]:
            continue
        try:
            shown += os.read(screen, 65536)
        except OSError:  # the terminal has hung up
            break
        if b"[y/N]" in shown and not changed:
            announce(pins, "3", "three")  # while the person reads
            os.write(screen, b"y\n")
            changed = True
    os.close(screen)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2
    assert b"changed the description again" in shown
    known = PinStore(place.state / "mcp").server("box").tools["t"]
    assert known.pinned.shown == "one"
    assert known.announced.shown == "three"


def test_a_change_behind_much_padding_is_shown(start, place):
    pad = "x" * 17_000
    start(env={"MCP_MORE_TOOLS": json.dumps([tool("long", f"{pad} reads notes {pad}")])})
    start(env={"MCP_MORE_TOOLS": json.dumps([tool("long", f"{pad} mails notes {pad}")])})
    shown = guardhouse(place, "pins", "list", "--changed").stdout
    assert " reads notes " in shown
    assert " mails notes " in shown
    assert "characters are the same]" in shown
    assert "more]" in shown
    assert len(set(shown.split("sha256:")[1:])) == 2


def test_a_change_that_can_not_be_shown_is_told(place, pins):
    announce(pins, "1", "the same")
    announce(pins, "2", "the same")
    shown = guardhouse(place, "pins", "list", "--changed").stdout
    assert "What differs is masked, or lies beyond" in shown
    assert "1" * 64 in shown
    assert "2" * 64 in shown


def test_nothing_is_said_of_a_tool_while_its_description_has_changed(place, pins):
    announce(pins, "1", "one")
    announce(pins, "2", "two")
    done = guardhouse(place, "allow", "tool", "mcp__box__t", "--can", "reads")
    assert done.returncode == 2
    assert "accept the new one first" in done.stderr
    pins.accept("box", "t", f"sha256:{'2' * 64}")
    done = guardhouse(place, "allow", "tool", "mcp__box__t", "--can", "reads")
    assert "as it is described now" in done.stdout, done.stderr


def test_nothing_is_said_of_a_tool_that_its_server_has_not_announced(place, pins):
    done = guardhouse(place, "allow", "tool", "mcp__box__early", "--can", "reads")
    assert done.returncode == 2
    assert "has announced no tool" in done.stderr
    assert guardhouse(place, "allow", "tool", "mcp__of_another_client__x", "--can", "reads").returncode == 0
