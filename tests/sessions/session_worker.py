"""A process of its own that uses a session index: `python session_worker.py PLACE WHAT …`, told to start by a line.

The place is a file, or the address of a database.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path

from guardhouse.database import PostgresDatabase
from guardhouse.sessions import NewEvent, PostgresSessions, SessionIndex, SQLiteSessions

KEY = bytes(range(32))


def returned(excerpt: str = "", **fields: dict[str, str]) -> NewEvent:
    return NewEvent(kind="tool_returned", name="fetch", grade="untrusted", excerpt=excerpt, **fields)


def append(index: SessionIndex, worker: str, count: str) -> None:
    """Append `count` events, each with a value of its own and one that all share."""
    for number in range(int(count)):
        seq = index.append("s", returned(f"{worker}/{number}"), [("own", f"{worker}/{number}"), ("word", "shared")])
        print(seq, flush=True)


def append_for_ever(index: SessionIndex, size: str) -> None:
    """Append large events until somebody kills this process, and say after each that it is committed."""
    number = 0
    while True:
        index.append("s", returned(str(number)), [("word", f"{number}/{part}") for part in range(int(size))])
        print(number, flush=True)
        number += 1


def append_and_stop(index: SessionIndex, size: str) -> None:
    """Append an event, and stop when all of it is written and nothing of it committed."""

    def stop(*_arguments: object) -> None:
        print("inside", flush=True)
        sys.stdin.readline()

    if isinstance(index, SQLiteSessions):
        index._settle = stop
    else:
        beside = index._database.beside

        @contextmanager
        def stopping(**options):
            with beside(**options) as rows:
                yield rows
                stop()

        index._database.beside = stopping
    index.append("s", returned("never there"), [("word", str(part)) for part in range(int(size))])


def main() -> None:
    place, what, *arguments = sys.argv[1:]
    is_file = place.endswith(".db")
    index = SQLiteSessions(Path(place), KEY) if is_file else PostgresSessions(PostgresDatabase(place), KEY)
    print("ready", flush=True)
    sys.stdin.readline()
    globals()[what](index, *arguments)


if __name__ == "__main__":
    main()
