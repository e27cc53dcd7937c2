"""`guardhouse sandbox` as a command: what it runs, how it ends, and that it runs nothing where it can't."""

import contextlib
import json
import os
import pty
import select
import shlex
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from sandboxed import COMMAND, events, eventually

from guardhouse import __version__
from guardhouse.sandbox.keeper import _handed_out, _pair
from guardhouse.sandbox.launching import interpreter
from guardhouse.sandbox.meeting import meeting_place, receive, send
from guardhouse.sandbox.view import TOLD_TO_TOOLS


def test_a_command_runs_in_the_workspace_and_its_output_and_status_are_its_own(sandbox):
    done = sandbox.shell("pwd; echo made > file; echo odd >&2; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, f"{sandbox.workspace}\n", "odd\n")
    assert (sandbox.workspace / "file").read_text() == "made\n"


def test_standard_input_is_the_commands_own(sandbox):
    assert sandbox.run("cat", input="said").stdout == "said"


def test_arguments_arrive_as_they_are(sandbox):
    odd = ["", " ", "a b", "$HOME", "--", "-c", "'\"\\", "ä\n"]
    done = sandbox.python("import json, sys; print(json.dumps(sys.argv[1:]))", *odd)
    assert json.loads(done.stdout) == odd


def test_a_program_that_is_not_there_is_said_to_be_missing(sandbox):
    done = sandbox.run("no-such-program")
    assert done.returncode == 127
    assert "no-such-program: not found in the sandbox" in done.stderr


def test_a_file_that_is_no_program_is_not_run(sandbox):
    (sandbox.workspace / "notes").write_text("x")
    done = sandbox.run("./notes")
    assert done.returncode == 126
    assert "Permission denied" in done.stderr


def test_a_command_in_a_directory_of_the_workspace_stays_there(sandbox):
    (sandbox.workspace / "sub").mkdir()
    done = sandbox.run("pwd", options=["--workspace", sandbox.workspace], cwd=sandbox.workspace / "sub")
    assert done.stdout == f"{sandbox.workspace / 'sub'}\n"


def test_a_workspace_that_is_reached_by_a_link_is_there_under_both_names(sandbox):
    link = sandbox.root / "link"
    link.symlink_to(sandbox.workspace)
    env = {**sandbox.env, "PWD": str(link)}
    done = sandbox.shell(f"pwd; touch {sandbox.workspace}/a; ls {link}", cwd=link, env=env)
    assert done.stdout == f"{link}\na\n"


def test_the_workspace_can_be_for_reading_only(sandbox):
    (sandbox.workspace / "file").write_text("as it was")
    done = sandbox.shell("cat file; echo new > file", options=["--read-only"])
    assert done.stdout == "as it was"
    assert "Read-only file system" in done.stderr
    assert (sandbox.workspace / "file").read_text() == "as it was"


def test_a_policy_can_say_that_it_is_for_reading_only(sandbox):
    sandbox.configure("guard: {sandbox: {workspace: read}}\n")
    assert sandbox.shell("echo new > file").returncode != 0


def test_further_places_can_be_read_or_written_to_by_policy(sandbox):
    books, shelf = sandbox.root / "books", sandbox.home / "shelf"
    books.mkdir()
    shelf.mkdir()
    (books / "one").write_text("read me")
    sandbox.configure(f"guard: {{sandbox: {{readable: [{books}], writable: ['~/shelf']}}}}\n")
    done = sandbox.shell(f"cat {books}/one; echo kept > ~/shelf/note; echo x > {books}/two")
    assert done.stdout == "read me"
    assert (shelf / "note").read_text() == "kept\n"
    assert not (books / "two").exists()


def test_only_harmless_variables_come_in_and_those_that_a_policy_names(sandbox):
    env = {**sandbox.env, "MY_FLAG": "1", "LC_ALL": "C.UTF-8", "LD_PRELOAD": "", "BASH_ENV": "/x"}
    shown = sandbox.run("env", env=env).stdout
    assert "LC_ALL=C.UTF-8" in shown
    assert "https_proxy=http://127.0.0.1:" in shown
    assert "MY_FLAG" not in shown
    assert "PRECIOUS" not in shown
    assert "BASH_ENV" not in shown
    sandbox.configure("guard: {sandbox: {environment: [MY_FLAG]}}\n")
    eventually(lambda: "MY_FLAG=1" in sandbox.run("env", env=env).stdout)


def test_a_file_that_only_looks_like_a_secret_can_be_shown(sandbox):
    (sandbox.workspace / "test.pem").write_text("no secret")
    assert sandbox.run("cat", "test.pem").returncode != 0
    sandbox.configure(f"guard: {{sandbox: {{shown: ['{sandbox.workspace}/test.pem']}}}}\n")
    eventually(lambda: sandbox.run("cat", "test.pem").stdout == "no secret")


def test_what_tools_of_the_home_are_told_of_passwords_is_not_seen_unless_a_policy_shows_it(sandbox):
    places = [sandbox.home / name.replace("*", "x") for name in TOLD_TO_TOOLS]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("password")
        (place.parent / "other").write_text("seen")
    assert set(sandbox.run("cat", *(place.parent / "other" for place in places)).stdout.split("seen")) == {""}
    done = sandbox.run("cat", *places)
    assert done.stdout == ""
    assert done.stderr.count("Permission denied") == len(places)
    sandbox.configure(f"guard: {{sandbox: {{shown: [{places[0]}]}}}}\n")
    eventually(lambda: sandbox.run("cat", *places).stdout == "password")


def test_sockets_in_the_file_system_can_be_allowed(sandbox):
    code = "import socket; socket.socket(socket.AF_UNIX); print('made')"
    assert sandbox.python(code).returncode != 0
    sandbox.configure("guard: {sandbox: {unix_sockets: true}}\n")
    eventually(lambda: sandbox.python(code).stdout == "made\n")


def test_pairs_of_sockets_and_a_loopback_of_its_own_work_inside(sandbox):
    code = """
import asyncio, socket
async def main():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    reader, _ = await asyncio.open_connection(*server.sockets[0].getsockname())
    print(await reader.read(), socket.socketpair()[0].family.name)
asyncio.run(main())
"""
    assert sandbox.python(code).stdout == "b'' AF_UNIX\n"


def test_what_is_put_aside_in_tmp_is_there_for_the_next_command_of_the_session(sandbox, tmp_path_factory):
    """Unless the workspace itself is below the machine's `/tmp`, where everything is made anew."""
    if str(sandbox.root).startswith("/tmp/"):
        sandbox.shell("echo x > /tmp/note", options=["--session", "s1"])
        assert sandbox.run("cat", "/tmp/note", options=["--session", "s1"]).returncode != 0
        return
    sandbox.shell("echo x > /tmp/note", options=["--session", "s1"])
    assert sandbox.run("cat", "/tmp/note", options=["--session", "s1"]).stdout == "x\n"
    assert sandbox.run("cat", "/tmp/note", options=["--session", "s2"]).returncode != 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_who_ends_it_ends_all_that_is_inside(sandbox, number):
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "sleep 3601 & echo begun; wait"),
        cwd=sandbox.workspace,
        env=sandbox.env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    assert process.stdout.read() == ""  # its end: nobody inside holds it any more
    assert process.wait(20) != 0


def test_ctrl_c_reaches_the_command(sandbox):
    code = """
import time
try:
    print("begun", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        command = sandbox.command(interpreter(), "-I", "-c", code)
        os.execve(command[0], command, sandbox.env)
    shown = b""
    while b"stopped" not in shown:
        assert select.select([terminal], [], [], 20)[0], shown
        shown += os.read(terminal, 4096)
        if b"begun" in shown and b"^C" not in shown:
            os.write(terminal, b"\x03")
    os.waitpid(pid, 0)
    os.close(terminal)


def test_ctrl_c_and_ctrl_z_reach_a_command_whose_input_is_not_the_terminal(sandbox):
    """It has a session of its own, and still stops and goes on with the job that it belongs to."""
    begun = "trap 'echo stopped; exit' INT; trap 'echo again' CONT; echo begun; while :; do sleep 0.05; done"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        command = sandbox.command("bash", "-c", begun)
        job = ["bash", "-c", 'set -m; "$@" < /dev/null; echo suspended; fg; echo over', "bash", *command]
        os.execve("/bin/bash", job, sandbox.env)

    shown = b""

    def wait_for(word):
        nonlocal shown
        while word not in shown:
            assert select.select([terminal], [], [], 20)[0], shown
            shown += os.read(terminal, 4096)
        shown = shown.partition(word)[2]

    try:
        wait_for(b"begun")
        os.write(terminal, b"\x1a")
        wait_for(b"suspended")
        wait_for(b"again")  # the shell says what goes on before the terminal is the job's
        os.write(terminal, b"\x03")
        wait_for(b"stopped")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


GROUP = """
import os, signal, subprocess, sys
os.setpgid(0, 0) if sys.argv[1] == "group" else None
heard = []
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
    signal.signal(number, lambda number, _frame: heard.append(number))
other = subprocess.Popen(["sleep", "600"])
given = None if sys.argv[1] == "terminal" else subprocess.DEVNULL
done = subprocess.run(sys.argv[2:], capture_output=True, stdin=given)
sys.stdout.write(f"{done.returncode} {other.poll()} {heard} {done.stdout.decode().split()} {os.listdir()}\\n")
other.kill()
"""
SIGNALS = (
    "echo '{}' > .mcp.json; trap '' USR1 TERM INT ALRM; kill -USR1 0; kill -TERM 0; kill -INT 0; echo still; kill -9 0"
)


def test_a_signal_to_its_own_group_stays_inside(sandbox):
    """Neither who started it nor their other processes hear of it, and it is tidied up before they go on."""
    command = [interpreter(), "-I", "-c", GROUP, "group", *sandbox.command("bash", "-c", SIGNALS)]
    done = subprocess.run(
        command, cwd=sandbox.workspace, env=sandbox.env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.startswith("137 None [] ['still'] "), done
    assert "'.mcp.json'" not in done.stdout


def test_a_signal_to_its_own_group_is_refused_at_a_terminal(sandbox):
    """There the group is that of the job, so that Ctrl-C works."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        command = [interpreter(), "-I", "-c", GROUP, "terminal", *sandbox.command("bash", "-c", f"{SIGNALS}; exit 3")]
        os.execve(command[0], command, sandbox.env)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while piece := os.read(terminal, 4096):
            shown += piece
    os.waitpid(pid, 0)
    os.close(terminal)
    assert b"3 None [] ['still'] " in shown
    assert b"'.mcp.json'" not in shown


def test_a_command_that_is_not_at_a_terminal_has_none(sandbox):
    """It could read what is typed to the agent."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        command = sandbox.command("bash", "-c", "read typed < /dev/tty; echo none")
        os.execve(command[0], command, sandbox.env)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 4096):
            shown += piece
    os.waitpid(pid, 0)
    os.close(terminal)
    assert b"No such device or address" in shown
    assert b"none" in shown


READS = """
import os, sys
opened = os.open("/proc/self/fd/" + sys.argv[1], os.O_RDWR)
open("begun", "w")
open("read", "wb").write(os.read(opened, 100))
"""


@pytest.mark.parametrize(
    ("handle", "rest"), [(0, ""), (1, "< /dev/null"), (2, "< /dev/null > /dev/null"), (1, "< /dev/null > {other}")]
)
def test_a_command_in_the_background_can_not_read_what_is_typed_for_others(sandbox, handle, rest):
    """At a terminal that is not its own now; nor at one that its output goes to."""
    other_end, other = pty.openpty()
    rest = rest.format(other=os.ttyname(other))
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        command = shlex.join(sandbox.command(interpreter(), "-I", "-c", READS, handle))
        shell = f"set -m; {command} {rest} & read typed; echo heard $typed; kill %1"
        os.execve("/bin/bash", ["bash", "-c", shell], sandbox.env)
    try:
        eventually((sandbox.workspace / "begun").exists)
        for end in (terminal, other_end):
            os.write(end, b"password\n")
        shown = b""
        while b"heard password" not in shown:
            assert select.select([terminal], [], [], 20)[0], shown
            shown += os.read(terminal, 4096)
        assert select.select([other], [], [], 0)[0]
        assert not (sandbox.workspace / "read").exists() or (sandbox.workspace / "read").read_bytes() == b""
    finally:
        for one in (terminal, other, other_end):
            os.close(one)
        os.kill(pid, signal.SIGKILL)  # its job ends with the keeper
        os.waitpid(pid, 0)


def test_what_a_command_writes_to_a_terminal_that_it_is_not_at_arrives_in_its_order(sandbox):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(sandbox.workspace)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        command = sandbox.command("bash", "-c", "for n in {1..300}; do echo $n; echo e$n >&2; done; kill -TERM $$")
        os.execve(command[0], command, sandbox.env)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 4096):
            shown += piece
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 128 + signal.SIGTERM
    os.close(terminal)
    assert shown.decode().split() == [word for number in range(1, 301) for word in (str(number), f"e{number}")]


# What can't be, and is not run


def refuses(done, *words):
    assert done.returncode == 125, done
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr
    return True


@pytest.mark.parametrize("place", ["home", "root", "state", "above", "keys"])
def test_a_workspace_that_everything_lies_in_is_refused(sandbox, place):
    sandbox.state.mkdir(mode=0o700)
    (sandbox.home / ".ssh").mkdir()
    places = {
        "keys": sandbox.home / ".ssh",
        "home": sandbox.home,
        "root": "/",
        "state": sandbox.state,
        "above": sandbox.root,
    }
    assert refuses(sandbox.run("echo", "run", cwd=places[place]), "can't be the workspace")


def test_a_working_directory_outside_the_workspace_is_refused(sandbox):
    options = ["--workspace", sandbox.workspace]
    assert refuses(sandbox.run("echo", "run", options=options, cwd="/usr"), "not in the workspace")


@pytest.mark.parametrize("name", [".claude", ".git/hooks", ".git"])
def test_a_link_where_something_must_be_protected_is_refused(sandbox, name):
    place = sandbox.workspace / name
    place.parent.mkdir(parents=True, exist_ok=True)
    (sandbox.workspace / "elsewhere" / "hooks").mkdir(parents=True)
    place.symlink_to(sandbox.workspace / "elsewhere")
    assert refuses(sandbox.run("echo", "run"), "is a link")
    assert sandbox.run("echo", "run", options=["--read-only"]).stdout == "run\n"


def test_a_policy_that_can_not_be_read_lets_nobody_in(sandbox):
    sandbox.configure("guard: {sandbox: {mode: perhaps}}\n")
    assert refuses(sandbox.run("echo", "run"), "sandbox.mode")


def test_a_policy_that_becomes_unreadable_lets_nobody_in_any_more(sandbox):
    assert sandbox.run("true").returncode == 0
    sandbox.configure("guard: [\n")
    eventually(lambda: sandbox.run("echo", "run").returncode == 125)


def test_what_can_not_be_recorded_is_not_run(sandbox):
    assert sandbox.run("true").returncode == 0
    sandbox.keeper_killed()
    audit = sandbox.state / "audit"
    for file in audit.iterdir():
        file.unlink()
    audit.rmdir()
    audit.write_text("in the way")
    assert refuses(sandbox.run("echo", "run"))


def test_a_state_directory_that_can_not_be_written_to_lets_nobody_in(sandbox):
    sandbox.state.write_text("in the way")
    assert refuses(sandbox.run("echo", "run"), "keeper")


def test_without_bubblewrap_nothing_is_run_and_it_says_what_is_missing(sandbox):
    """In a mount namespace of the test's own, where the program is not."""
    hide = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$0" && exec "$@"', "/usr/bin/bwrap"]
    if subprocess.run([*hide, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody hide a program")
    done = subprocess.run(
        [*hide, *sandbox.command("echo", "run")],
        cwd=sandbox.workspace, env=sandbox.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refuses(done, "bubblewrap is not installed", "apt install bubblewrap", "Nothing was run")
    done = subprocess.run([*hide, *COMMAND, "--check"], env=sandbox.env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "bubblewrap is not installed" in done.stdout


def test_where_user_namespaces_are_switched_off_nothing_is_run_and_it_says_so(sandbox):
    without_rights = "setpriv --bounding-set=-all --inh-caps=-all"
    switch_off = f'echo 0 > /proc/sys/user/max_user_namespaces && exec {without_rights} "$@"'
    limited = ["unshare", "-Ur", "sh", "-c", switch_off, "sh"]
    if subprocess.run([*limited, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody switch them off for one process")
    done = subprocess.run([*limited, *COMMAND, "--check"], env=sandbox.env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "There is no sandbox here" in done.stdout
    assert "user.max_user_namespaces" in done.stdout
    done = subprocess.run(
        [*limited, *sandbox.command("echo", "run")],
        cwd=sandbox.workspace, env=sandbox.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refuses(done, "does not work here")


# The keeper


def test_a_door_that_was_handed_out_before_anybody_listened_is_taken(sandbox):
    """A busy machine runs the command before the keeper gets to it; who spoke is known all the same."""
    ours, theirs = _pair()
    with ours, theirs, socket.create_server(("127.0.0.1", 0)) as door:
        socket.send_fds(theirs, [b"door"], [door.fileno()])
        theirs.sendall(b"ok")
        listener, first = _handed_out(ours, b"what is to be there")
    listener.close()
    assert first == os.getpid()


def test_two_commands_at_once_have_one_keeper(sandbox):
    started = [
        subprocess.Popen(sandbox.command("sleep", "1"), cwd=sandbox.workspace, env=sandbox.env) for _ in range(8)
    ]
    assert [one.wait(60) for one in started] == [0] * 8
    found = subprocess.run(
        ["pgrep", "-fc", "--", f"--keep {sandbox.state}"], capture_output=True, text=True, check=False
    )
    assert found.stdout == "1\n"


def test_when_the_keeper_is_killed_who_is_inside_ends_and_the_next_command_starts_another(sandbox):
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; sleep 600; echo still"),
        cwd=sandbox.workspace,
        env=sandbox.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    first = sandbox.keeper()
    os.kill(first, signal.SIGKILL)
    eventually(lambda: sandbox.keeper() is None)
    shown, told = process.communicate(timeout=60)
    assert (shown, process.returncode) == ("", 125)
    assert "keeper of the sandbox is gone" in told
    assert sandbox.run("echo", "run").stdout == "run\n"
    assert sandbox.keeper() not in {None, first}


def test_a_keeper_of_another_version_makes_way_and_keeps_the_doors_it_has(sandbox):
    process = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; read; curl -sS -m 10 http://not-listed.test/"),
        cwd=sandbox.workspace,
        env=sandbox.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    first = sandbox.keeper()
    with socket.socket(socket.AF_UNIX) as connection:
        with contextlib.chdir(meeting_place(str(sandbox.state))):  # a socket's name may have a hundred characters
            connection.connect("keeper")
        send(connection, {"version": 1, "build": f"{__version__}-older"})
        assert receive(connection)[0] == {"outdated": True}
    assert sandbox.run("echo", "run").stdout == "run\n"
    shown, _ = process.communicate("\n", timeout=60)
    assert "Blocked" in shown
    eventually(lambda: not Path(f"/proc/{first}").exists())


@pytest.mark.parametrize(
    "sent", [b"", b"\0" * 8, b"\xff" * 8, (4).to_bytes(8, "big") + b"null", (2).to_bytes(8, "big") + b"{}"]
)
def test_nonsense_that_is_said_to_the_keeper_gets_nothing(sandbox, sent):
    assert sandbox.run("true").returncode == 0
    with socket.socket(socket.AF_UNIX) as connection:
        with contextlib.chdir(meeting_place(str(sandbox.state))):  # a socket's name may have a hundred characters
            connection.connect("keeper")
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(30)
        _said, handed_over, _, _ = socket.recv_fds(connection, 4096, 4)
        assert handed_over == []
    assert sandbox.run("echo", "still there").stdout == "still there\n"


def test_directories_that_were_held_open_are_taken_away_again(sandbox):
    done = sandbox.shell("ls -A")
    assert done.stdout.split() == [".claude", ".codex"]
    eventually(lambda: not list(sandbox.workspace.iterdir()))


def test_a_directory_is_held_open_as_long_as_anybody_is_inside(sandbox):
    longer = subprocess.Popen(
        sandbox.command("bash", "-c", "echo begun; read; mkdir -p .claude; echo x > .claude/settings.json"),
        cwd=sandbox.workspace,
        env=sandbox.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert longer.stdout.readline() == "begun\n"
    assert sandbox.run("true").returncode == 0
    _, told = longer.communicate("\n", timeout=60)
    assert "Read-only file system" in told
    assert not (sandbox.workspace / ".claude" / "settings.json").exists()


def test_settings_that_a_command_makes_are_put_aside(sandbox):
    assert sandbox.shell("echo '{}' > .mcp.json; mkdir .vscode; echo x > .vscode/tasks.json").returncode == 0
    eventually(lambda: not (sandbox.workspace / ".mcp.json").exists())
    eventually(lambda: not (sandbox.workspace / ".vscode").exists())
    kept = [one.name for one in sandbox.workspace.iterdir() if ".from-sandbox-" in one.name]
    assert len(kept) == 2
    assert any("put aside" in event["detail"] for event in events(sandbox))


def test_what_was_there_before_is_not_put_aside(sandbox):
    (sandbox.workspace / ".mcp.json").write_text("{}")
    assert sandbox.shell("echo evil > .mcp.json").returncode != 0
    assert (sandbox.workspace / ".mcp.json").read_text() == "{}"


def test_a_repository_can_be_made_and_used_inside(sandbox):
    make = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --format=%s"
    assert sandbox.shell(make).stdout == "one\n"
    again = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git log --format=%s"
    assert sandbox.shell(again).stdout == "two\none\n"


def test_the_record_says_that_a_command_ran_inside(sandbox):
    sandbox.run("true", options=["--session", "s-1"])
    told = [event for event in events(sandbox) if event.get("source") == "sandbox"]
    assert told
    assert "runs in the sandbox" in told[-1]["detail"]
    assert told[-1]["session_id"] == "s-1"


def test_many_can_be_inside_at_once(sandbox):
    done = []
    threads = [threading.Thread(target=lambda: done.append(sandbox.run("true").returncode)) for _ in range(30)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert done == [0] * 30


# The other flags


def test_it_says_whether_it_works_here(sandbox):
    done = sandbox.run(options=["--check"])
    assert done.returncode == 0
    assert "works here" in done.stdout
    told = json.loads(sandbox.run(options=["--check", "--json"]).stdout)
    assert told["works"] is True


def test_it_shows_what_would_be_seen(sandbox):
    (sandbox.workspace / ".env").write_text("x")
    shown = sandbox.run(options=["--show"]).stdout
    assert f"to write          {sandbox.workspace}\n" in shown
    assert f"hidden            {sandbox.workspace}/.env\n" in shown
    assert {"kind": "empty", "target": "/run", "source": "", "identity": ""} in json.loads(
        sandbox.run(options=["--show", "--json"]).stdout
    )["mounts"]
    assert sandbox.keeper() is None


def test_a_person_can_go_without_and_the_record_says_so(sandbox):
    done = sandbox.run("bash", "-c", "echo $PRECIOUS_TOKEN", options=["--no-sandbox"])
    assert done.stdout == "correct-horse-battery-staple\n"
    assert any("without the sandbox" in event["detail"] for event in events(sandbox))


def test_an_agent_can_not_go_without(sandbox):
    """A process that a guarded agent started is no person."""
    code = """
import subprocess, sys
from guardhouse import open_guard
with open_guard():
    sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
    command = [COMMAND[0], "-c", code, *sandbox.command("echo", "run", options=["--no-sandbox"])]
    done = subprocess.run(command, cwd=sandbox.workspace, env=sandbox.env, capture_output=True, text=True, check=False)
    assert refuses(done, "guarded agent")


def test_what_can_not_be_recorded_does_not_go_without(sandbox):
    sandbox.state.write_text("in the way")
    done = sandbox.run("echo", "run", options=["--no-sandbox"])
    assert refuses(done)


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--workspace"], ["--read-only=1", "true"], ["--read-only"]])
def test_a_command_line_that_is_wrong_runs_nothing(sandbox, arguments):
    done = subprocess.run(
        [*COMMAND, *arguments], env=sandbox.env, cwd=sandbox.workspace, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""


def test_help_is_there(sandbox):
    done = subprocess.run([*COMMAND, "--help"], env=sandbox.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--no-sandbox" in done.stdout
