"""What the MCP gateway costs, and whether it changes what it lets through.

    python bench/gateway.py --node-modules DIR [--calls N] [--json]

DIR holds npm's @modelcontextprotocol/server-everything and server-filesystem. Each server is spoken to directly and
through the gateway in one run. CPU time is the gateway process's own (user and system), every call judged before and
after and recorded three times. server-everything is also reached by URL, through the gateway over streamable HTTP: that
may cost half as much again as over pipes, in the same run. Then every kind of message of server-everything is sent
through, with a tap between gateway and server: what one side wrote must be the very bytes that the other side read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

import psutil

BUDGET_MS = 0.4
BUDGET_HTTP = 1.5
"""Times the CPU of the gateway over pipes."""
ROUNDS = 3
CONFIG = """
guard:
  network:
    mcp__everything: {{allowed_domains: ["127.0.0.1:{port}"], deny_private_ips: false}}
  tools:
    "mcp__everything__*": {{capabilities: [reads]}}
    "mcp__filesystem__*": {{capabilities: [reads]}}
  findings: {{tool.consequential: allow}}
"""


class Client:
    """An MCP client over pipes, which keeps every byte."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=cwd
        )
        self.sent: list[bytes] = []
        self.received: list[bytes] = []
        self.answers: Queue[dict[str, Any]] = Queue()
        self.seen: set[str] = set()
        self._lock = threading.Lock()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.received.append(line)
            message = json.loads(line)
            if "method" not in message:
                self.answers.put(message)
                continue
            self.seen.add(message["method"])
            if "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": ANSWERS[message["method"]]})

    def send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            self.sent.append(line)
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            answer = self.answers.get(timeout=60)
            if answer["id"] == self._number:
                return answer

    def start(self) -> None:
        client = {"name": "bench", "version": "1"}
        offers = {"sampling": {}, "elicitation": {"form": {}}, "roots": {"listChanged": True}}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities=offers, clientInfo=client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


ANSWERS = {
    "sampling/createMessage": {
        "role": "assistant",
        "model": "bench",
        "content": {"type": "text", "text": "a short answer"},
    },
    "elicitation/create": {"action": "decline"},
    "roots/list": {"roots": [{"uri": "file:///tmp", "name": "tmp"}]},
    "ping": {},
}


def cpu_of(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def calls(client: Client, tool: str, arguments: dict[str, Any], number: int) -> tuple[float, float]:
    """CPU and wall-clock milliseconds a call of the process that the client speaks to."""
    for _ in range(50):
        answer = client.ask("tools/call", name=tool, arguments=arguments)
    assert not answer.get("result", {}).get("isError"), answer
    cpu, wall = cpu_of(client.process.pid), time.perf_counter()
    for _ in range(number):
        client.ask("tools/call", name=tool, arguments=arguments)
    wall = time.perf_counter() - wall
    return (cpu_of(client.process.pid) - cpu) * 1000 / number, wall * 1000 / number


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def by_url(packages: Path, port: int) -> Iterator[str]:
    """server-everything where it is reached by URL."""
    command = ["node", str(packages / "server-everything" / "dist" / "index.js"), "streamableHttp"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, env={**os.environ, "PORT": str(port)}, **quiet)
    try:
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < end, "the server does not listen"
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        server.wait()


def over_http(
    gateway: list[str], server: list[str], url: str, env: dict[str, str], cwd: Path, number: int
) -> dict[str, float]:
    """The gateway over pipes and by URL, by turns."""
    piped = Client([*gateway, "--name", "everything", "--", *server], env, cwd)
    remote = Client(
        [*gateway, "--name", "everything", "--url", url], {**env, "GUARDHOUSE_STATE_DIR": f"{cwd}/../s"}, cwd
    )
    piped.start()
    remote.start()
    found = [
        (calls(piped, "echo", {"message": "hello"}, number), calls(remote, "echo", {"message": "hello"}, number))
        for _ in range(ROUNDS)
    ]
    piped.close()
    remote.close()
    over_pipes, by_http = min(one[0][0] for one in found), min(one[1][0] for one in found)
    return {
        "gateway CPU ms a call, over pipes": over_pipes,
        "gateway CPU ms a call, over HTTP": by_http,
        "ratio": by_http / over_pipes,
        "through the gateway ms a call, over HTTP": min(one[1][1] for one in found),
    }


def unchanged(gateway: list[str], server: list[str], env: dict[str, str], cwd: Path) -> dict[str, Any]:
    """Every kind of message of server-everything through the gateway, compared with what a tap at the server saw."""
    log = cwd / "tap"
    tapped = [sys.executable, str(Path(__file__).resolve()), "--tap", str(log), "--", *server]
    client = Client([*gateway, "--name", "everything", "--", *tapped], env, cwd)
    client.start()
    for method in ("ping", "resources/list", "resources/templates/list", "prompts/list"):
        client.ask(method)
    client.ask("logging/setLevel", level="debug")
    resource = client.ask("resources/list")["result"]["resources"][0]["uri"]
    client.ask("resources/read", uri=resource)
    client.ask("resources/subscribe", uri=resource)
    client.ask("resources/unsubscribe", uri=resource)
    client.ask("resources/read", uri="demo://no/such/thing")
    client.ask("prompts/get", name="simple-prompt")
    client.ask("prompts/get", name="args-prompt", arguments={"city": "Berlin"})
    client.ask(
        "completion/complete",
        ref={"type": "ref/prompt", "name": "completable-prompt"},
        argument={"name": "department", "value": "E"},
    )
    client.ask("no/such/method")
    client.ask("tools/call", name="echo", arguments={})
    for name, arguments in (
        ("echo", {"message": "héllo \u2603"}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 3}),
        ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
        ("get-resource-reference", {"resourceType": "Blob", "resourceId": 2}),
        ("get-structured-content", {"location": "New York"}),
        ("get-sum", {"a": 1, "b": 2.5}),
        ("get-tiny-image", {}),
        ("get-roots-list", {}),
        ("toggle-simulated-logging", {}),
        ("trigger-sampling-request", {"prompt": "say something", "maxTokens": 10}),
        ("trigger-elicitation-request", {}),
    ):
        client.ask("tools/call", name=name, arguments=arguments)
    client.ask(
        "tools/call",
        name="trigger-long-running-operation",
        arguments={"duration": 1, "steps": 3},
        _meta={"progressToken": "p1"},
    )
    client.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "done"}})
    client.ask("ping")
    client.close()
    to_server = (log.with_suffix(".in")).read_bytes().splitlines(keepends=True)
    to_client = (log.with_suffix(".out")).read_bytes().splitlines(keepends=True)
    got = client.received
    changed = [line for line, seen in zip(to_server, client.sent, strict=False) if line != seen]
    marked = [line for line, seen in zip(to_client, got, strict=False) if line != seen and line == unmarked(seen)]
    changed += [line for line, seen in zip(to_client, got, strict=False) if line not in {seen, unmarked(seen)}]
    return {
        "sent": len(client.sent),
        "reached the server": len(to_server),
        "written by the server": len(to_client),
        "received": len(got),
        "marked, of tools that say they reach outside": len(marked),
        "changed": len(changed),
        "first changed": changed[0][:200].decode() if changed else "",
        "kinds from the server": sorted(client.seen),
    }


def unmarked(line: bytes) -> bytes:
    """A line without the marks of untrusted content."""
    text = re.sub(r"⚠️[^<]*<<untrusted [0-9a-f]+>>\\n┊ ", "", line.decode())
    return re.sub(r"\\n<<end of untrusted [0-9a-f]+>>", "", text).replace("\\n┊ ", "\\n").encode()


def tap(log: Path, command: list[str]) -> None:
    """Stand between the gateway and the server, and keep every byte that passes."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def copy(source: int, target: int, file: Path) -> None:
        with file.open("wb", buffering=0) as kept:
            while data := os.read(source, 1 << 16):
                kept.write(data)
                os.write(target, data)
        os.close(target)

    into = threading.Thread(target=copy, args=(0, server.stdin.fileno(), log.with_suffix(".in")), daemon=True)
    into.start()
    copy(server.stdout.fileno(), 1, log.with_suffix(".out"))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--node-modules", type=Path, default=Path("node_modules"))
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tap", type=Path)
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if options.tap is not None:
        tap(options.tap, options.command)
        return 0
    packages = options.node_modules / "@modelcontextprotocol"
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as place:
        home, project = Path(place) / "home", Path(place) / "home" / "project"
        project.mkdir(parents=True)
        (project / "note.txt").write_text("a short note\n")
        config = home / "config.yaml"
        port = free_port()
        config.write_text(CONFIG.format(port=port))
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "GUARDHOUSE_STATE_DIR": str(Path(place) / "state")}
        gateway = [sys.executable, "-m", "guardhouse", "mcp", "--config", str(config)]
        everything = ["node", str(packages / "server-everything" / "dist" / "index.js"), "stdio"]
        filesystem = ["node", str(packages / "server-filesystem" / "dist" / "index.js"), str(project)]
        runs = {
            "everything": (everything, "echo", {"message": "hello"}),
            "filesystem": (filesystem, "read_text_file", {"path": str(project / "note.txt")}),
        }
        for name, (server, tool, arguments) in runs.items():
            direct, guarded = (
                Client(server, env, project),
                Client([*gateway, "--name", name, "--", *server], env, project),
            )
            direct.start()
            guarded.start()
            plain = [calls(direct, tool, arguments, options.calls) for _ in range(ROUNDS)]
            gated = [calls(guarded, tool, arguments, options.calls) for _ in range(ROUNDS)]
            direct.close()
            guarded.close()
            figures[name] = {
                "gateway CPU ms a call": min(cpu for cpu, _wall in gated),
                "server CPU ms a call": min(cpu for cpu, _wall in plain),
                "direct ms a call": min(wall for _cpu, wall in plain),
                "through the gateway ms a call": min(wall for _cpu, wall in gated),
            }
        with by_url(packages, port) as url:
            figures["http"] = over_http(gateway, everything, url, env, project, options.calls)
        env["GUARDHOUSE_STATE_DIR"] = str(Path(place) / "state2")
        figures["messages"] = unchanged(gateway, everything, env, project)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, rows in figures.items():
            for what, figure in rows.items():
                print(
                    f"{name:12} {what:32} {figure:.3f}"
                    if isinstance(figure, float)
                    else f"{name:12} {what:32} {figure}"
                )
    slow = any(figures[name]["gateway CPU ms a call"] > BUDGET_MS for name in runs)
    slow |= figures["http"]["ratio"] > BUDGET_HTTP
    messages = figures["messages"]
    whole = messages["sent"] == messages["reached the server"] and not messages["changed"]
    return 1 if slow or not whole else 0


if __name__ == "__main__":
    sys.exit(main())
