"""A process of its own that uses a session index: `python session_worker.py FILE WHAT …`, told to start by a line."""

from __future__ import annotations

import sys
from pathlib import Path

from guardhouse.sessions import NewEvent, SQLiteSessions

KEY = bytes(range(32))


def returned(excerpt: str = "", **fields: dict[str, str]) -> NewEvent:
    return NewEvent(kind="tool_returned", name="fetch", grade="untrusted", excerpt=excerpt, **fields)


def append(index: SQLiteSessions, worker: str, count: str) -> None:
    """Append `count` events, each with a value of its own and one that all share."""
    for number in range(int(count)):
        seq = index.append("s", returned(f"{worker}/{number}"), [("own", f"{worker}/{number}"), ("word", "shared")])
        print(seq, flush=True)


def append_for_ever(index: SQLiteSessions, size: str) -> None:
    """Append large events until somebody kills this process, and say after each that it is committed."""
    number = 0
    while True:
        index.append("s", returned(str(number)), [("word", f"{number}/{part}") for part in range(int(size))])
        print(number, flush=True)
        number += 1


def append_and_stop(index: SQLiteSessions, size: str) -> None:
    """Append an event, and stop when all of it is written and nothing of it committed."""

    def stop(*_arguments: object) -> None:
        print("inside", flush=True)
        sys.stdin.readline()

    index._settle = stop
    index.append("s", returned("never there"), [("word", str(part)) for part in range(int(size))])


def main() -> None:
    path, what, *arguments = sys.argv[1:]
    index = SQLiteSessions(Path(path), KEY)
    print("ready", flush=True)
    sys.stdin.readline()
    globals()[what](index, *arguments)


if __name__ == "__main__":
    main()
