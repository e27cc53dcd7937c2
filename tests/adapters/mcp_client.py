"""A real `guardhouse mcp` process with a real server behind it, and a client's end of its pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from select import select

SERVER = Path(__file__).with_name("mcp_server.py")
READS = 'guard: {tools: {"mcp__box__*": {capabilities: [reads]}}}\n'
UNTRUSTED = 'guard: {tools: {"mcp__box__*": {capabilities: [reads_untrusted]}}}\n'
PATIENCE = 30
AS_ANOTHER_CLIENT = [sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"]
"""A process of its own to be the client; else the test is it, and counts as a guarded agent that may allow nothing."""
MCP = [sys.executable, "-m", "guardhouse", "mcp"]
_HURRIED = """
from importlib import import_module
from guardhouse.cli import main
relay = import_module("guardhouse.adapters.mcp.relay")
relay._GRACE, relay._DRAIN = 0.4, 1.0
main()
"""
HURRIED_MCP = [sys.executable, "-c", _HURRIED, "mcp"]
"""The same with less time for a server to end."""
_NARROW = """
from importlib import import_module
from guardhouse.cli import main
remote = import_module("guardhouse.adapters.mcp.streamable.server")
remote.TO_FINISH, remote.TO_TELL, remote.LONGEST_LINE, remote._AROUND = 0.5, 1.0, 100_000, 10_000
main()
"""
NARROW_MCP = [sys.executable, "-c", _NARROW, "mcp"]
"""The same with less time and room for what comes from a URL."""


class Gateway:
    """One run of the command; `below` another one, which then is the client."""

    def __init__(
        self, place, *options, server=None, name="box", env=None, listed=True, command=(), url="", below=(), mcp=MCP
    ):
        self.place = place
        self.log = place.home / f"{name}.log"
        self.log.touch()
        started = ["--", *(command or [sys.executable, str(server or SERVER), str(self.log)])]
        self.process = subprocess.Popen(
            [
                *below,
                *mcp,
                "--state-dir",
                str(place.state),
                "--name",
                name,
                *options,
                *(["--url", url] if url else started),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=place.project,
            env={**_environment(), **(env or {})},
        )
        self.sent = []
        self.got = []
        self._buffer = b""
        self._number = 0
        if listed:
            self.ask(
                "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"}
            )
            self.tools = self.ask("tools/list")["result"]["tools"]

    def send(self, message) -> None:
        self.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        self.sent.append(data)
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self) -> bytes:
        """The next line that the client gets."""
        end = time.monotonic() + PATIENCE
        while b"\n" not in self._buffer:
            ready = select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]
            data = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            assert data, f"nothing came: {self.process.poll()}"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        self.got.append(line + b"\n")
        return line

    def message(self):
        return json.loads(self.line())

    def request(self, method, **params) -> int:
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number):
        """The answer to a request; what comes before it is left in `got`."""
        while True:
            message = self.message()
            if "method" not in message and message["id"] == number:
                return message

    def ask(self, method, **params):
        return self.answer(self.request(method, **params))

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def reached(self) -> list[bytes]:
        """Every line that reached the server."""
        self.ask("ping")
        return self.log.read_bytes().splitlines(keepends=True)

    def end(self) -> tuple[int, str]:
        """Close the client's end; the exit status, and what was said on standard error."""
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        said = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, said

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue


def _environment() -> dict[str, str]:
    """The test's own, without the session of an agent that may be running it."""
    return {name: value for name, value in os.environ.items() if name != "CLAUDE_CODE_SESSION_ID"}


def text_of(answer) -> str:
    """What a tool's answer says."""
    return answer["result"]["content"][0]["text"]
