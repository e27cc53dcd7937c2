"""What was found by attacking it: ways in which one command prepared the ground for the next, or fooled the keeper."""

import os
import subprocess
import threading
from pathlib import Path

import pytest
from sandboxed import events, eventually

from guardhouse.sandbox.launching import interpreter

SECRET = "not-for-anybody-inside"
FLIPS = """
import ctypes, os, sys
name, target = sys.argv[1:]
libc = ctypes.CDLL(None)
os.makedirs(name, exist_ok=True)
os.symlink(target, "other")
print("begun", flush=True)
while os.getppid() != 1:
    libc.renameat2(-100, name.encode(), -100, b"other", 2)
"""


@pytest.mark.parametrize(("name", "target"), [(".cursor", "/"), (".cursor", "../.ssh"), ("deploy", "../.ssh")])
def test_a_place_that_is_swapped_while_another_starts_shows_nothing_of_the_machine(sandbox, name, target):
    """One command swaps a directory for a link as fast as it can, while others start in the same workspace."""
    (sandbox.home / ".ssh").mkdir()
    (sandbox.home / ".ssh" / "server.key").write_text(SECRET)
    (sandbox.workspace / "deploy").mkdir()
    (sandbox.workspace / "deploy" / "server.key").write_text("the project's own")
    swapping = subprocess.Popen(
        sandbox.command(interpreter(), "-I", "-c", FLIPS, name, target),
        cwd=sandbox.workspace, env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert swapping.stdout.readline() == "begun\n"
        look = f"cat {sandbox.home}/.ssh/* other/* {name}/* */*.key other{sandbox.home}/.ssh/*; ls / | head -50"
        for _ in range(12):
            done = sandbox.shell(look)
            assert SECRET not in done.stdout + done.stderr
            assert "project's own" not in done.stdout
    finally:
        swapping.kill()
        swapping.wait()


@pytest.mark.parametrize(
    "code",
    [
        "open('/proc/1/mem', 'r+b')",
        "print(__import__('os').readlink('/proc/1/fd/0'))",
        "print(open('/proc/1/environ').read())",
        "print(__import__('os').readlink('/proc/1/cwd'))",
    ],
)
def test_the_first_process_can_not_be_looked_into(sandbox, code):
    done = sandbox.python(code)
    assert done.returncode != 0
    assert "PermissionError" in done.stderr


def test_the_first_process_can_not_be_killed_from_inside(sandbox):
    assert sandbox.shell("kill -9 1; kill -TERM 1; kill -HUP 1; echo still; exit 3").stdout == "still\n"


@pytest.mark.parametrize(
    ("makes", "stays"),
    [
        ("ln -s ../.claude .github", "home"),
        ("mkdir x && ln -s ../.git .github", "git"),
    ],
)
def test_what_a_link_leads_to_is_not_put_aside(sandbox, makes, stays):
    (sandbox.home / ".claude" / "hooks").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    assert sandbox.shell(f"{makes}; echo '{{}}' > .mcp.json").returncode == 0
    eventually(lambda: not (sandbox.workspace / ".mcp.json").exists())
    eventually(lambda: not (sandbox.workspace / ".github").is_symlink())
    assert (sandbox.home / ".claude" / "hooks").is_dir()
    assert (sandbox.workspace / ".git" / "hooks").is_dir()
    assert sandbox.run("echo", "run").stdout == "run\n"


@pytest.mark.parametrize("name", [".git/config", ".claude/settings.json"])
def test_who_replaces_a_protected_file_outside_ends_what_is_inside(sandbox, name):
    subprocess.run(["git", "init", "-q", sandbox.workspace], check=True)
    (sandbox.workspace / ".mcp.json").write_text("{}")
    place = sandbox.workspace / (".mcp.json" if name.startswith(".claude") else name)
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; sleep 600"),
        cwd=sandbox.workspace, env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    other = place.with_name("new")
    other.write_text(place.read_text())
    other.replace(place)
    assert process.wait(30) != 0
    eventually(lambda: any("was replaced outside" in event["detail"] for event in events(sandbox)))


@pytest.mark.parametrize(
    ("makes", "place"),
    [
        ("mkdir -p a/b && git init -q a/b && git -C a/b config core.fsmonitor ./evil", "a/b/.git"),
        ("mkdir -p a/.claude && echo '{}' > a/.claude/settings.json", "a/.claude"),
        ("mkdir -p a && echo '{}' > a/.mcp.json", "a/.mcp.json"),
    ],
)
def test_settings_that_are_made_further_in_are_put_aside(sandbox, makes, place):
    assert sandbox.shell(makes).returncode == 0
    eventually(lambda: not (sandbox.workspace / place).exists())
    aside = (sandbox.workspace / place).parent
    assert [one for one in aside.iterdir() if ".from-sandbox-" in one.name]


@pytest.mark.parametrize(
    "change",
    [
        "git -C sub config core.fsmonitor ./evil",
        "echo x > sub/.git/hooks/pre-commit",
        "mv sub/.git sub/other",
        "mv sub other",
        "echo x > sub/.claude/settings.json",
        "echo x > .git/modules/a/b/config",
        "mv .git/modules/a .git/modules/c",
        "echo x > .git/worktrees/tree/commondir",
        "echo x > .husky/pre-commit",
        "mv .husky .other",
        "echo x > more.conf",
    ],
)
def test_what_runs_by_itself_further_in_can_not_be_changed(sandbox, change):
    work = sandbox.workspace
    for repository in (work, work / "sub"):
        subprocess.run(["git", "init", "-q", repository], check=True)
    (work / "sub" / ".claude").mkdir()
    for place in (".git/modules/a/b/config", ".git/modules/a/b/HEAD", ".git/worktrees/tree/commondir", ".husky/x"):
        (work / place).parent.mkdir(parents=True, exist_ok=True)
        (work / place).write_text("")
    (work / "more.conf").write_text("")
    for setting in (("core.hooksPath", ".husky"), ("include.path", "../more.conf")):
        subprocess.run(["git", "-C", work, "config", *setting], check=True)
    done = sandbox.shell(change)
    assert done.returncode != 0, done


def test_a_command_that_ends_at_once_leaves_the_keeper_well(sandbox):
    """Also one that is killed while it is let in."""
    started = [
        subprocess.Popen(sandbox.command("true"), cwd=sandbox.workspace, env=sandbox.env, stderr=subprocess.DEVNULL)
        for _ in range(6)
    ]
    for number, one in enumerate(started):
        threading.Timer(0.02 * number, one.kill).start()
    for one in started:
        one.wait(60)
    assert sandbox.run("echo", "run").stdout == "run\n"
    eventually(lambda: not list(sandbox.workspace.iterdir()))


def test_a_network_socket_as_a_standard_stream_is_refused(sandbox):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        done = sandbox.run("echo", "run", stdin=client)
    assert done.returncode == 125
    assert "network socket" in done.stderr
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"said")
        ours.shutdown(socket.SHUT_WR)
        assert sandbox.run("cat", stdin=theirs).stdout == "said"


def test_a_socket_that_is_not_connected_is_refused_as_a_standard_stream(sandbox):
    """It could be connected inside to something that listens outside."""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as unconnected:
        done = sandbox.run("echo", "run", stdin=unconnected)
    assert (done.returncode, done.stdout) == (125, "")
    assert "not connected" in done.stderr


@pytest.mark.parametrize(
    "hides", ["mv deploy vendor", "mkdir -p 1/2/3/4/5/6 && mv deploy 1/2/3/4/5/6", "mv deploy/prod vendor"]
)
def test_what_is_hidden_can_not_be_moved_to_where_nobody_looks(sandbox, hides):
    (sandbox.workspace / "deploy" / "prod").mkdir(parents=True)
    (sandbox.workspace / "deploy" / "prod" / "server.key").write_text(SECRET)
    assert sandbox.shell(hides).returncode != 0
    assert SECRET not in sandbox.shell("find . -type f | xargs cat").stdout


def test_what_is_hidden_stays_hidden_in_a_crowd(sandbox):
    (sandbox.workspace / "deploy" / "prod").mkdir(parents=True)
    (sandbox.workspace / "deploy" / "prod" / "server.key").write_text(SECRET)
    assert sandbox.shell("mkdir aaa && cd aaa && seq 21000 | xargs touch").returncode == 0
    assert SECRET not in sandbox.shell("cat deploy/prod/server.key").stdout


def test_very_many_secrets_are_hidden_too(sandbox):
    keys = sandbox.workspace / "keys"
    keys.mkdir()
    for number in range(3000):
        (keys / f"{number}.pem").write_text(SECRET)
    done = sandbox.shell("cat keys/*; echo run")
    assert done.stdout == "run\n"


def test_what_a_killed_keeper_held_open_is_taken_away_by_the_next(sandbox):
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; sleep 600"),
        cwd=sandbox.workspace, env=sandbox.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    sandbox.keeper_killed()
    process.kill()
    process.wait()
    assert (sandbox.workspace / ".codex").is_dir()
    assert sandbox.run("true").returncode == 0
    eventually(lambda: not list(sandbox.workspace.iterdir()))


def test_a_workspace_may_have_any_name(sandbox):
    odd = os.fsencode(sandbox.home) + b"/odd \xff \n name"
    Path(os.fsdecode(odd)).mkdir()
    done = subprocess.run(
        sandbox.command("sh", "-c", "echo x > file; ls"), cwd=odd, env=sandbox.env, capture_output=True, check=False
    )
    assert done.stdout == b"file\n", done
