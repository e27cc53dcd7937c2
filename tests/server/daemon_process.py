"""A real daemon in a process of its own, on a port of loopback, and people and agents who talk to it."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.tokens import Tokens

DEADLINE = 30
ASKING = {"type": "ToolCallPre", "tool": "bash", "params": {"command": "rm -rf /etc/guardhouse-test"}}
"""A call that a person has to approve."""
HARMLESS = {"type": "ToolCallPre", "tool": "read_file", "params": {"path": "README.md"}}
AUTHORITIES = httpx.create_ssl_context(trust_env=False)
"""Read once: to read them takes longer than most of what a client asks."""


class DaemonProcess:
    """`guardhouse serve`, with a home and a state directory of its own."""

    def __init__(self, root: Path, *options: str, database: str | None = None, home: Path | None = None) -> None:
        self.root = root
        self.program = ["-m", "guardhouse"]
        self.variables: dict[str, str] = {}
        self.home = home or root / "home"
        self.state = root / "state"
        self.database = database
        self.options = options
        (self.home / ".config" / "guardhouse").mkdir(parents=True, exist_ok=True)
        self.work = root / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.said: list[str] = []
        self.process: subprocess.Popen[str] | None = None

    @property
    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GUARDHOUSE_", "XDG_"))}
        kept |= {"HOME": str(self.home), "PYTHONUNBUFFERED": "1"}
        return kept | self.variables | ({"GUARDHOUSE_DATABASE_URL": self.database} if self.database else {})

    def configure(self, text: str) -> None:
        (self.home / ".config" / "guardhouse" / "config.yaml").write_text(text)

    def start(self) -> DaemonProcess:
        """Started, and taking requests."""
        self.process = subprocess.Popen(
            [sys.executable, *self.program, "serve", "--port", "0", "--state-dir", self.state, *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.work,
        )
        self.said = []
        self._heard: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, args=(self.process, self._heard), daemon=True).start()
        while not any("listens at" in line for line in self.said):
            self.said.append(self.hear())
        self.url = re.search(r"(https?://\S+?)\. ", self.said[-1])[1]
        return self

    @staticmethod
    def _listen(process, heard) -> None:
        for line in process.stdout:
            heard.put(line)
        heard.put("")

    def hear(self) -> str:
        """The next line that it says."""
        line = self._heard.get(timeout=DEADLINE)
        assert line, f"the daemon ended: {self.process.stderr.read()}"
        return line

    def token(self, role: str, name: str | None = None) -> str:
        """A new token, made as `guardhouse token create` makes one."""
        database = PostgresDatabase(self.database) if self.database else SqliteDatabase(self.state / "approvals.db")
        try:
            return Tokens(database).create(role, name)[0]
        finally:
            database.close()

    def client(self, token: str | None = None, **more) -> httpx.Client:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        how = {"timeout": DEADLINE, "trust_env": False, "verify": AUTHORITIES, **more}
        return httpx.Client(base_url=self.url, headers=headers, **how)

    def agent(self, name: str | None = None) -> httpx.Client:
        return self.client(self.token("agent", name))

    def approver(self, name: str | None = None) -> httpx.Client:
        return self.client(self.token("approver", name))

    def admin(self, name: str | None = None) -> httpx.Client:
        return self.client(self.token("admin", name))

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        """End it as an operator would; its exit status."""
        if self.process is None or self.process.poll() is not None:
            return self._ended()
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self) -> int:
        if self.process is None:
            return 0
        status = self.process.wait(DEADLINE)
        while not self._heard.empty():
            self.said.append(self._heard.get())
        if not self.process.stderr.closed:
            self.said.append(self.process.stderr.read())
            self.process.stderr.close()
        return status


def pending(agent: httpx.Client, command: str = "rm -rf /etc/guardhouse-test", session: str = "s1") -> str:
    """The id of a request that a call of the agent has opened."""
    asked = {**ASKING, "params": {"command": command}}
    answer = agent.post("/v1/evaluate", json={"action": asked, "session_id": session})
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "pending"
    return answer.json()["approval_request_id"]


def until(condition, what="it"):
    """Wait for a condition to hold; its value then."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"{what} did not come about")
