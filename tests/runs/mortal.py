"""A process that works on one run and is killed at a step of our choice, forked from one that has loaded everything.

Its input is a line of JSON for each life; its output the status that the life ended with. A step is the moment before
or after any writing transaction, and before or after a tool does its work.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

from running import scripted

from guardhouse.database import PostgresDatabase, SqliteDatabase
from guardhouse.egress import SkippedLookup
from guardhouse.opening import open_guard
from guardhouse.runs import FunctionTool, Holder, Role, Runs

SECRET = "the password of the house is swordfish-4711"  # said by the user, so to be found nowhere at rest


class Mortality:
    """Counts steps, and ends the process at one of them."""

    def __init__(self, at):
        self.left = at

    def step(self):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def mortal_transactions(kind, mortality):
    immortal = kind.writing

    @contextlib.contextmanager
    def writing(self):
        mortality.step()
        with immortal(self) as rows:
            yield rows
        mortality.step()

    kind.writing = writing


def counted(port, mortality):
    def count(name):
        mortality.step()
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(f"{name}\n".encode())
            assert connection.recv(2) == b"ok"
        mortality.step()

    def look(what: str) -> str:
        """Look something up."""
        count("look")
        return f"{what} is fine"

    def pay(amount: int) -> str:
        """Pay an amount."""
        count("pay")
        return f"paid {amount}"

    def note(text: str) -> str:
        """Write a note."""
        count("note")
        return "noted"

    return FunctionTool(look, is_repeatable=True), FunctionTool(pay), FunctionTool(note)


def live(asked):
    mortality = Mortality(asked["kill_at"])
    for kind in (SqliteDatabase, PostgresDatabase):
        mortal_transactions(kind, mortality)
    model = scripted(("look", {"what": "account"}), ("pay", {"amount": 5}), ("note", {"text": "paid"}), "All is done.")
    guard = open_guard(cwd=Path(asked["project"]), state_dir=Path(asked["state"]), resolver=SkippedLookup())
    runs = Runs(
        guard,
        roles=[Role(name="agent", tools=counted(asked["port"], mortality))],
        model=lambda _role: model,
        holder=Holder(Path(asked["state"], "runs")),
    )
    run_id = asked["run_id"] or runs.start(f"Pay 5 and note it. By the way, {SECRET}.").id
    print(run_id, flush=True)
    run = asyncio.run(runs.take_up(run_id))
    print(run.status.value, flush=True)
    guard.close()


def main():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                live(json.loads(line))
                status = 0
            finally:
                sys.stdout.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


main()
