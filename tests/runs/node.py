"""A node that works on runs of a shared database, until it is killed. Arguments: its name, a port to tell of calls, the
project, the state directory, seconds between heartbeats, seconds that a tool takes."""

import asyncio
import socket
import sys
import time
from pathlib import Path

from running import scripted

from guardhouse.egress import SkippedLookup
from guardhouse.opening import open_guard
from guardhouse.runs import FunctionTool, Role, Runs
from guardhouse.runs.jobs import JobDispatcher, Workers

NAME, PORT, PROJECT, STATE, BEAT, LASTS = sys.argv[1:]


def tell(what):
    with socket.create_connection(("127.0.0.1", int(PORT))) as connection:
        connection.sendall(f"{NAME} {what}\n".encode())
        assert connection.recv(2) == b"ok"


def look(what: str) -> str:
    """Look something up."""
    tell("look")
    time.sleep(float(LASTS))
    return f"{what} is fine"


def pay(amount: int) -> str:
    """Pay an amount."""
    tell("pay")
    time.sleep(float(LASTS))
    return f"paid {amount}"


async def main():
    model = scripted(("look", {"what": "account"}), ("pay", {"amount": 5}), "All is done.")
    guard = open_guard(cwd=Path(PROJECT), state_dir=Path(STATE), resolver=SkippedLookup())
    workers = Workers(guard.database, beat=float(BEAT))
    runs = Runs(
        guard,
        roles=[Role(name="agent", tools=(FunctionTool(look, is_repeatable=True), FunctionTool(pay)))],
        model=lambda _role: model,
        holder=workers,
    )
    dispatcher = JobDispatcher(
        guard.database,
        workers,
        lambda run_id: runs.take_up(run_id, resumes=False),
        to_take_up=lambda: runs.to_take_up(["daemon"]),
        at_once=4,
        report=lambda what: print(what, file=sys.stderr, flush=True),
    )
    await dispatcher.start()
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
