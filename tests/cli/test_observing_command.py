"""`status`, `observe`, `suggest` and `enforce`, run as processes; in a terminal where a person must say yes."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import time

import pytest

PATIENCE = 30.0
FEED = """
import json, sys
from guardhouse.model import parse_action
from guardhouse.opening import open_guard
with open_guard() as guard:
    for line in sys.stdin:
        guard.evaluate(parse_action(line))
"""


def feed(machine, *actions):
    """Judge actions as an agent's process does, which has ended when this returns."""
    subprocess.run(
        [sys.executable, "-c", FEED],
        input="".join(json.dumps(action) + "\n" for action in actions),
        text=True,
        cwd=machine.project,
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
        check=True,
    )


def bash(command):
    return {"type": "ToolCallPre", "tool": "Bash", "params": {"command": command}, "session_id": "s1"}


def in_terminal(machine, *arguments, answers=()):
    """What the command prints in a terminal of its own, where `answers` are typed at each question; and its status."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the child
        os.chdir(machine.project)
        env = {"HOME": str(machine.home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        os.execve(sys.executable, [sys.executable, "-m", "guardhouse", *arguments], env)
    screen, left, deadline = b"", list(answers), time.monotonic() + PATIENCE
    answered = 0
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        piece = b""
        with contextlib.suppress(OSError):  # the other end is closed
            piece = os.read(terminal, 65536)
        if not piece:
            break
        screen += piece
        while left and screen.count(b"[y/N]: ") > answered:
            os.write(terminal, left.pop(0).encode() + b"\n")
            answered += 1
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return status, screen.decode()


def test_status_says_in_its_first_line_what_happened_today(machine):
    assert machine.run("status").stdout.splitlines()[0] == "today: nothing yet"
    feed(machine, bash("ls"), bash("ls -l"), bash("git reset --hard"), machine.fetch("https://paste.example/"))
    done = machine.run("status")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "today: 4 calls, 1 asked, 1 blocked"
    assert "mode: enforce" in lines
    assert any(line.startswith("policy: preset dev, revision p-") for line in lines)
    assert any(line.startswith("waiting: 1 question") for line in lines)
    assert "guarded now: nobody" in lines
    assert f"log: {machine.home / '.local' / 'state' / 'guardhouse' / 'audit'}" in lines


def test_status_makes_nothing_where_there_is_nothing(machine):
    assert machine.run("status").returncode == 0
    assert [path.name for path in machine.home.iterdir()] == ["project"]


def test_status_for_machines_is_one_line_of_json(machine):
    feed(machine, bash("ls"))
    wire = json.loads(machine.run("status", "--json").stdout)
    assert wire["today"] == {"calls": 1, "asked": 0, "blocked": 0, "would_ask": 0, "would_block": 0}
    assert (wire["mode"], wire["preset"], wire["pending"], wire["agents"]) == ("enforce", "dev", 0, [])


def test_status_names_the_agents_that_are_guarded_now(machine):
    code = "from guardhouse.opening import open_guard\nwith open_guard():\n    print(flush=True)\n    input()"
    agent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=machine.project,
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"]},
    )
    agent.stdout.readline()
    shown = machine.run("status").stdout
    agent.communicate(b"\n")
    assert f"(process {agent.pid})" in shown
    assert "guarded now: nobody" in machine.run("status").stdout


def test_status_tells_what_is_broken_and_what_it_still_knows(machine):
    feed(machine, bash("ls"))
    file = machine.user_config("guard: {bahs: deny}\n")
    done = machine.run("status")
    assert done.returncode == 1
    assert "today: 1 call, 0 asked, 0 blocked" in done.stdout
    assert "mode: unknown" in done.stdout
    assert f"PROBLEM: {file}:1: `bahs` is not a key." in done.stdout


def test_observe_suggest_enforce_is_the_way_from_looking_to_holding_back(machine):
    done = machine.run("observe")
    assert done.returncode == 0, done.stderr
    assert "OBSERVE" in machine.run("status").stdout
    feed(machine, machine.fetch("https://docs.example.com/x"), bash("git reset --hard"))
    assert "observed: 1 more would have been asked about, 1 blocked" in machine.run("status").stdout
    shown = machine.run("suggest").stdout
    assert "1. guardhouse allow domain docs.example.com" in shown
    assert "1 time, in 1 session" in shown
    assert "waives non_allowlisted_domain" in shown
    assert "These will keep being asked about, or blocked:" in shown
    assert "shell.discards_work" in shown
    assert machine.run("enforce").returncode == 0
    assert "mode: enforce" in machine.run("status").stdout
    assert machine.check(machine.fetch("https://docs.example.com/x"))[0] == 30
    assert [name.name for name in (machine.home / ".config" / "guardhouse").iterdir()] == ["agents"]


def test_observing_shows_in_what_check_says(machine):
    machine.run("observe")
    status, verdict = machine.check(machine.fetch("https://docs.example.com/x"))
    assert (status, verdict["mode"], verdict["would_be"]) == (0, "observe", "deny")


def test_a_command_without_an_effect_is_an_error_that_names_the_line(machine):
    file = machine.user_config("guard:\n  mode: enforce\n")
    done = machine.run("observe")
    assert done.returncode == 2
    assert f"{file}:2: `mode` is `enforce`" in done.stderr
    machine.user_config("guard:\n  mode: observe\n")
    done = machine.run("enforce")
    assert done.returncode == 2
    assert f"{file}:2: `mode` is `observe`" in done.stderr


def test_a_project_that_enforces_is_named_when_observing_begins(machine):
    machine.project_config("guard: {mode: enforce}\n")
    done = machine.run("observe")
    assert done.returncode == 0
    assert "In this directory" in done.stdout
    assert machine.check(machine.fetch("https://docs.example.com/x"))[0] == 30


DRIVING = [
    "guardhouse observe",
    "guardhouse enforce",
    "guardhouse suggest --write 1",
    "guardhouse status",
    "echo observe | xargs guardhouse",
    "python -m guardhouse observe",
    "cd / && guardhouse observe",
    "rm ~/.config/guardhouse/mode.json",
    'echo \'{"guard":{"mode":"observe"}}\' > ~/.config/guardhouse/mode.json',
]


@pytest.mark.parametrize("observing", [False, True])
def test_an_agent_can_drive_none_of_it_even_while_it_is_observed(machine, observing):
    if observing:
        machine.run("observe")
    lines = "".join(json.dumps(bash(command)) + "\n" for command in DRIVING)
    done = machine.run("check", "--jsonl", stdin=lines)
    assert done.returncode == 30
    for command, verdict in zip(DRIVING, map(json.loads, done.stdout.splitlines()), strict=True):
        assert verdict["decision"] == "deny", command
        assert verdict["reasons"][0]["code"] in {"guard.own_command", "guard.own_files"}, command


def test_nothing_to_suggest_is_said(machine):
    assert "Nothing to suggest." in machine.run("suggest").stdout
    feed(machine, bash("ls"))
    assert "1 call, 0 of them stopped" in machine.run("suggest").stdout


def test_suggest_looks_only_as_far_back_as_it_is_told(machine):
    feed(machine, machine.fetch("https://docs.example.com/x"))
    assert "docs.example.com" in machine.run("suggest", "--since", "1h").stdout
    assert "docs.example.com" not in machine.run("suggest", "--since", "2099-01-01").stdout
    assert machine.run("suggest", "--since", "soon").returncode == 2


def test_suggest_for_machines_has_everything(machine):
    feed(machine, machine.fetch("https://docs.example.com/x"), bash("git reset --hard"))
    wire = json.loads(machine.run("suggest", "--json").stdout)
    assert (wire["calls"], wire["stopped"]) == (2, 2)
    assert wire["suggestions"][0]["command"] == "guardhouse allow domain docs.example.com"
    assert wire["kept"][0]["codes"] == ["shell.discards_work"]


def test_what_an_attacker_wrote_is_printed_with_nothing_a_terminal_would_obey(machine):
    feed(machine, bash("git reset --hard \x1b]0;owned\x07 \u202e"))
    shown = machine.run("suggest").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("arguments", [("1",), ("--write", "--json")])
def test_suggest_refuses_what_makes_no_sense(machine, arguments):
    assert machine.run("suggest", *arguments).returncode == 2


def test_nothing_is_written_without_a_terminal(machine):
    feed(machine, machine.fetch("https://docs.example.com/x"))
    done = machine.run("suggest", "--write", stdin="y\n" * 5)
    assert done.returncode == 2
    assert "terminal" in done.stderr
    assert machine.run("allow", "--list", "--json").stdout.strip() == "[]"


def test_what_a_person_says_yes_to_is_allowed_and_nothing_else(machine):
    feed(machine, *[machine.fetch("https://docs.example.com/x")] * 2, machine.fetch("https://other.example.org/"))
    status, screen = in_terminal(machine, "suggest", "--write", answers=["y", "n"])
    assert status == 0, screen
    assert "Allowed: domain docs.example.com" in screen
    assert json.loads(machine.run("allow", "--list", "--json").stdout) == [
        {"kind": "domain", "entry": "docs.example.com"}
    ]
    assert "docs.example.com" not in machine.run("suggest").stdout


def test_a_broader_choice_is_put_only_to_who_picks_its_number(machine):
    feed(machine, *(machine.fetch(f"https://{name}.example.com/") for name in "abc"))
    status, screen = in_terminal(machine, "suggest", "--write", answers=["n", "n", "n", "y"])
    assert (status, "*.example.com" in screen) == (0, False)
    status, screen = in_terminal(machine, "suggest", "--write", "4", answers=["y"])
    assert status == 0
    assert "BROADER" in screen
    assert "domain *.example.com" in machine.run("allow", "--list").stdout


def test_a_number_that_there_is_not_and_a_tool_that_must_be_described_are_not_written(machine):
    feed(machine, {"type": "ToolCallPre", "tool": "mcp__tickets__search", "params": {}})
    status, screen = in_terminal(machine, "suggest", "--write", "9")
    assert (status, "no suggestion 9" in screen) == (2, True)
    status, screen = in_terminal(machine, "suggest", "--write", "1")
    assert status == 0
    assert "can't be written as it is" in screen
    assert machine.run("allow", "--list", "--json").stdout.strip() == "[]"


def test_what_a_lock_does_not_let_in_is_not_left_behind_by_suggest(machine):
    machine.user_config("guard: {lock: [network]}\n")
    feed(machine, machine.fetch("https://docs.example.com/x"))
    status, screen = in_terminal(machine, "suggest", "--write", answers=["y"])
    assert (status, "locked" in screen) == (2, True)
    assert machine.run("allow", "--list", "--json").stdout.strip() == "[]"
