"""A house with a home, a workspace and things of the machine's that nobody inside a sandbox may reach."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from guardhouse.sandbox.launching import interpreter

COMMAND = [sys.executable, "-I", "-m", "guardhouse", "sandbox"]
BUBBLEWRAP = shutil.which("bwrap")
NO_BUBBLEWRAP = "bubblewrap is not installed, and could not be: the sandbox refuses to run anything here"


def events(sandbox):
    for file in sorted((sandbox.state / "audit").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)["event"]


def eventually(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


class Listener:
    """Something of the machine's that listens, and counts who came."""

    def __init__(self, family, kind, address):
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        self.came = 0
        if kind == socket.SOCK_STREAM:
            self.socket.listen(8)
        threading.Thread(target=self._count, daemon=True).start()

    @property
    def address(self):
        return self.socket.getsockname()

    @property
    def port(self):
        return self.address[1]

    def _count(self):
        with contextlib.suppress(OSError):
            while True:
                if self.socket.type == socket.SOCK_STREAM:
                    connection, _ = self.socket.accept()
                    connection.close()
                else:
                    self.socket.recvfrom(64)
                self.came += 1

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Sandbox:
    """A workspace, and running things in it."""

    def __init__(self, root):
        self.root = root
        self.home = root / "home"
        self.workspace = root / "home" / "project"
        self.state = root / "state"
        self.workspace.mkdir(parents=True)
        self.config = self.home / ".config" / "guardhouse" / "config.yaml"
        self.config.parent.mkdir(parents=True)
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "GUARDHOUSE_STATE_DIR": str(self.state),
            "GUARDHOUSE_KEY_DIR": str(root / "keys"),
            "LANG": "C.UTF-8",
            "PRECIOUS_TOKEN": "correct-horse-battery-staple",
        }

    def configure(self, text):
        self.config.write_text(text)
        return self

    def command(self, *command, options=()):
        return [*COMMAND, *map(str, options), "--", *map(str, command)]

    def run(self, *command, options=(), cwd=None, env=None, **more):
        return subprocess.run(
            self.command(*command, options=options),
            cwd=cwd or self.workspace,
            env=self.env if env is None else env,
            capture_output=more.pop("capture_output", True),
            text=True,
            timeout=more.pop("timeout", 60),
            check=False,
            **more,
        )

    def shell(self, text, **more):
        return self.run("bash", "-c", text, **more)

    def python(self, text, *arguments, **more):
        return self.run(interpreter(), "-I", "-c", text, *arguments, **more)

    def keeper(self):
        """The process that keeps the sandboxes of this house; None if there is none."""
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"--keep" in words and str(self.state).encode() in words:
                    return int(process.name)
        return None

    def keeper_killed(self):
        """End the keeper, if there is one, without a word."""
        while (keeper := self.keeper()) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(keeper, signal.SIGKILL)

    def close(self):
        self.keeper_killed()


PLAIN_USER = 12345


def as_plain_user(does):
    """What a function says that a user runs who is not root, and whom the rights of a directory shut out. What it needs
    must be loaded: that user may not even be able to read it."""
    if os.geteuid() != 0:
        return does()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(PLAIN_USER, PLAIN_USER, PLAIN_USER)
            os.setresuid(PLAIN_USER, PLAIN_USER, PLAIN_USER)
            os.write(writer, json.dumps(does()).encode())
        except BaseException as error:  # noqa: BLE001 - told to the other side
            os.write(writer, json.dumps(repr(error)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        told = said.read()
    os.waitpid(child, 0)
    return json.loads(told)
