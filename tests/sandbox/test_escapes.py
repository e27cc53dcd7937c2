"""Ways out of the sandbox, each tried for real: things of the machine's are there to be reached, and are not."""

import contextlib
import fcntl
import json
import os
import pty
import socket
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest
from escapes import BEHIND, EPILOGUE, ESCAPES, OPENS, PRELUDE, THROUGH_A_TUNNEL
from sandboxed import Listener

import guardhouse
from guardhouse.sandbox.launching import interpreter

NEEDS_ROOT = ("tables in the kernel", "counters of the processor", "a file by its handle", "typing into the terminal")
"""Ways that need rights outside, too, or a kernel that has them."""
SECRET = "hunter2-but-rather-longer"
HOOKS = '{"hooks": {}}'


def own_address():
    """An address of this machine other than its loopback one; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        try:
            made.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.2"
        return made.getsockname()[0]


def program(code, told):
    lines = code.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    body = "\n".join("    " + line[indent:] for line in lines)
    return [interpreter(), "-I", "-c", PRELUDE + body + EPILOGUE, json.dumps(told)]


class Prison:
    """A sandbox with a machine around it."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        sandbox.env["PRECIOUS_TOKEN"] = SECRET
        sandbox.configure("guard: {network: {default: {allowed_domains: [allowed.test]}}}\n")
        home, work = sandbox.home, sandbox.workspace
        for place in (".ssh/id_ed25519", ".aws/credentials", ".bash_history", ".bashrc"):
            (home / place).parent.mkdir(parents=True, exist_ok=True)
            (home / place).write_text(SECRET)
        subprocess.run(["git", "init", "-q", work], check=True, env=sandbox.env)
        (work / ".claude").mkdir()
        (work / ".claude" / "settings.json").write_text(HOOKS)
        (work / ".env").write_text(f"KEY={SECRET}\n")
        (work / "deploy" / "prod").mkdir(parents=True)
        (work / "deploy" / "prod" / "server.key").write_text(SECRET)
        (work / "shortcut").symlink_to(home / ".ssh" / "id_ed25519")
        self.git_config = (work / ".git" / "config").read_text()
        with contextlib.chdir(work):  # the name of a socket may have only a hundred characters
            in_work = Listener(socket.AF_UNIX, socket.SOCK_STREAM, "lifeline")
        with contextlib.chdir(sandbox.root):
            outside = Listener(socket.AF_UNIX, socket.SOCK_STREAM, "s")
        self.bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=sandbox.env)
        self.listeners = {
            "tcp": Listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "any_tcp": Listener(socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", 0)),
            "udp": Listener(socket.AF_INET, socket.SOCK_DGRAM, ("0.0.0.0", 0)),
            "in_work": in_work,
            "outside": outside,
            "abstract": Listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0guardhouse-{os.getpid()}"),
        }
        if socket.has_ipv6:
            self.listeners["tcp6"] = Listener(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        self.told = {
            **{name: one.port for name, one in self.listeners.items() if name in {"tcp", "any_tcp", "udp", "tcp6"}},
            "address": own_address(),
            "name_server": own_address(),
            "unix": str(sandbox.root / "s"),
            "abstract": f"guardhouse-{os.getpid()}",
            "pid": self.bystander.pid,
            "secret": SECRET,
            "home": str(home),
            "state": str(sandbox.state),
            "keys": str(sandbox.root / "keys"),
            "program": str(Path(guardhouse.__file__).parent),
        }

    def tries(self, code, *, outside=False):
        """What becomes of it, at a terminal. Or what would become of it outside."""
        command = program(code, self.told)
        leader, terminal = pty.openpty()

        def takes_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        at_terminal = {"stdin": terminal, "start_new_session": True, "preexec_fn": takes_terminal}
        try:
            if not outside:
                return self.sandbox.run(*command, **at_terminal)
            return subprocess.run(
                command, cwd=self.sandbox.workspace, env=self.sandbox.env,
                capture_output=True, text=True, timeout=60, check=False, **at_terminal,
            )  # fmt: skip
        finally:
            os.close(leader)
            os.close(terminal)

    def close(self):
        self.bystander.kill()
        self.bystander.wait()
        for one in self.listeners.values():
            one.close()


@pytest.fixture(scope="module")
def prison(shared):
    made = Prison(shared)
    yield made
    made.close()


@pytest.mark.parametrize("name", ESCAPES)
def test_there_is_no_way_out_by(name, prison):
    before = {of: one.came for of, one in prison.listeners.items()}
    done = prison.tries(ESCAPES[name])
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert "ESCAPED" not in told
    assert "tried" in told
    assert SECRET not in told
    assert {of: one.came for of, one in prison.listeners.items()} == before


@pytest.mark.parametrize(
    "name",
    [
        "a connection to a port of the machine's",
        "a connection to another address of the machine's",
        "a socket in the file system",
        "a socket in the workspace",
        "an abstract socket",
        "curl with a cleared environment",
        "a process of the machine's",
        "the environment of a process of the machine's",
        "secrets in any process that can be seen",
        "files of the home",
        "credentials of clouds",
        "the history of the shell",
        "secrets of the project",
        "secrets further in",
        "secrets by a link",
        "files above the root",
        "the guard's configuration",
        "a variable with a secret",
        "a signal to the group that it was started in",
        "another name for the settings of git",
        "another name for a hook",
        "another name for a secret",
        *NEEDS_ROOT,
    ],
)
def test_without_the_sandbox_there_is_a_way_by(name, prison):
    """So that what is tried above is a way at all: those that need no rights, and do no harm."""
    done = prison.tries(ESCAPES[name], outside=True)
    if name in NEEDS_ROOT and "ESCAPED" not in done.stdout:
        pytest.skip(f"nobody can here: {done.stdout}")
    assert "ESCAPED" in done.stdout, done


class StandIn:
    """A server of the machine's: keeps what it is told, and answers a request."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = b""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection):
        with connection, contextlib.suppress(OSError):
            while piece := connection.recv(65536):
                self.heard += piece
                if piece.startswith(b"GET"):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                else:
                    return


@pytest.fixture
def allowed_and_other(sandbox):
    """Two servers on this machine, of which one may be reached."""
    made = StandIn(), StandIn()
    listed = f"allowed_domains: ['localhost:{made[0].port}'], deny_private_ips: false"
    sandbox.configure(f"guard: {{network: {{proxy: {{{listed}}}}}}}\n")
    yield made
    for one in made:
        one.socket.close()


@pytest.mark.parametrize("name", THROUGH_A_TUNNEL)
def test_through_a_tunnel_goes_only_what_it_was_granted_for(name, sandbox, allowed_and_other):
    allowed, _other = allowed_and_other
    sent, comes_out = THROUGH_A_TUNNEL[name]
    opens = OPENS.format(port=allowed.port)
    code = f"""
    first, rest = through_door(b"{opens}", {sent})
    print("granted" if b" 200" in first else first)
    """
    done = sandbox.run(*program(code, {}))
    assert "granted" in done.stdout, done
    assert bool(allowed.heard) is comes_out


def test_a_second_request_behind_the_first_is_judged_by_itself(sandbox, allowed_and_other):
    allowed, other = allowed_and_other
    done = sandbox.run(*program(BEHIND, {"allowed": allowed.port, "other": other.port}))
    assert "200 OK" in done.stdout, done
    assert allowed.heard.count(b"GET") == 1
    assert other.heard == b""


def test_nothing_of_all_that_has_left_a_trace(prison):
    """In the workspace or in the home, after the ways that write something."""
    work, home = prison.sandbox.workspace, prison.sandbox.home
    assert (work / ".claude" / "settings.json").read_text() == HOOKS
    assert (work / ".git" / "config").read_text() == prison.git_config
    assert not (work / ".git" / "hooks" / "pre-commit").exists()
    assert not (work / ".codex" / "hooks.json").exists()
    assert (home / ".bashrc").read_text() == SECRET
    assert not (home / ".local" / "bin" / "git").exists()


def test_a_directory_that_the_agent_had_open_is_not_open_inside(prison):
    handle = os.open("/", os.O_DIRECTORY)
    os.set_inheritable(handle, True)
    try:
        code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
        done = prison.sandbox.python(code, close_fds=False)
    finally:
        os.close(handle)
    assert done.stdout.strip() == "['0', '1', '2', '3']"  # the last is the list's own


def test_a_directory_as_standard_input_is_refused(prison):
    handle = os.open("/", os.O_DIRECTORY)
    try:
        done = prison.sandbox.run("echo", "run", stdin=handle)
    finally:
        os.close(handle)
    assert done.returncode != 0
    assert done.stdout == ""


def test_what_a_command_leaves_running_ends_with_it(prison):
    mark = prison.sandbox.workspace / "still-here"
    code = """
import os, sys, time
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("left", flush=True)
        os.close(1)
        os.write(writer, b".")
        time.sleep(3600)
    os._exit(0)
os.read(reader, 1)
"""
    done = prison.sandbox.python(code)
    assert done.stdout == "left\n"
    assert not mark.exists()
    sleepers = subprocess.run(["pgrep", "-f", "time.sleep\\(3600\\)"], capture_output=True, check=False)
    assert sleepers.returncode == 1
