"""How the reader of shell commands does on the lists of the tests, or on a file: time, what is stopped, agreement.

    python bench/shell_commands.py [FILE] [--against-shfmt] [--json]

FILE holds one JSON object a line with a `command`; what is stopped is counted by its `expected`, if it has one. Times
are CPU time, the best of several runs of each command. Needs bash; shfmt comes with the development dependencies.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from guardhouse.detect.shell import follow, parse
from guardhouse.suites.shell import SUITE
from shell_parser import refused_by_bash

TESTS = Path(__file__).resolve().parent.parent / "tests" / "detect" / "shell"
RUNS = 3
STOPPED = ("require_approval", "deny")
FAILURES = frozenset(["guard.internal_error", "guard.detector_failed", "guard.redaction_failed"])
MOST_SHOWN = 20
Groups = dict[str, list[str]]


def listed() -> Groups:
    """The lists of the tests, by name."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {
        file.stem: [row["command"] for row in yaml.load(file.read_text(encoding="utf-8"), loader)]
        for file in sorted((TESTS / "commands").glob("*.yaml"))
    }


def in_file(file: Path) -> Groups:
    """The commands of a file, by what is expected of them."""
    groups: Groups = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        groups.setdefault(row.get("expected", "commands"), []).append(row["command"])
    return groups


def watched(commands: list[str], what: str) -> Iterator[str]:
    """The commands one after the other, with a line on a terminal that tells how far it is."""
    for done, command in enumerate(commands, 1):
        yield command
        if sys.stderr.isatty() and (done % 100 == 0 or done == len(commands)):
            print(f"\r\x1b[K{what}: {done} of {len(commands)}", end="", file=sys.stderr, flush=True)


def milliseconds(target: Callable[[str], object], commands: list[str], what: str) -> dict[str, float]:
    """How long it takes, for the usual command and the worst. The first round is for what is worked out once."""
    for command in commands:
        target(command)
    times = sorted(min(_took(target, command) for _ in range(RUNS)) for command in watched(commands, what))
    last = len(times) - 1
    places = {"p50": last * 50 // 100, "p95": last * 95 // 100, "p99": last * 99 // 100, "max": last}
    return {f"{what}, {name}, ms": times[place] for name, place in places.items()}


def _took(target: Callable[[str], object], command: str) -> float:
    start = time.process_time_ns()
    target(command)
    return (time.process_time_ns() - start) / 1e6


def stopped(groups: Groups, predict: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, float]:
    """How many commands of each group are asked about or denied, and how many of all only because the guard failed."""
    figures: dict[str, float] = {}
    failed = 0
    for name, commands in groups.items():
        predictions = [predict({"command": command}) for command in commands]
        figures[f"stopped of {len(commands)}, {name}"] = sum(one["decision"] in STOPPED for one in predictions)
        failed += sum(not FAILURES.isdisjoint(one["codes"]) for one in predictions)
    return figures | {"stopped by a failure of the guard": failed}


def beside_bash(commands: list[str]) -> dict[str, bool]:
    """For each command, whether bash and our parser agree that it can be read."""
    given = [command for command in commands if "\0" not in command]  # no process can be given that
    with ThreadPoolExecutor(4) as pool:
        refused = pool.map(refused_by_bash, watched(given, "bash -n"))
        return {one: theirs == (parse(one).problem is not None) for one, theirs in zip(given, refused, strict=True)}


def beside_shfmt(commands: list[str]) -> dict[str, bool]:
    """For each command that shfmt can read, whether our parser sees the same in it."""
    sys.path.insert(0, str(TESTS))
    from test_shell_against_shfmt import compared

    return {command: ours == theirs for command, ours, theirs in compared(commands)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the reader of shell commands.")
    parser.add_argument("file", type=Path, nargs="?", help="JSON lines with a `command`; else the lists")
    parser.add_argument("--against-shfmt", action="store_true", help="compare our parser with shfmt's, too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    groups = in_file(given.file) if given.file else listed()
    commands = [command for group in groups.values() for command in group]
    if not commands:
        sys.exit(f"There is no command in {given.file}.")
    predict = SUITE.start()
    figures: dict[str, float] = {"commands": len(commands)}
    figures |= milliseconds(lambda one: follow(one, home="/home/user", cwd="/home/user/project"), commands, "follow")
    figures |= milliseconds(lambda one: predict({"command": one}), commands, "evaluate")
    figures |= stopped(groups, predict)
    agreement = {"bash -n": beside_bash(commands)}
    if given.against_shfmt:
        agreement["shfmt"] = beside_shfmt(commands)
    for name, same in agreement.items():
        figures[f"agreement with {name}, of {len(same)}"] = sum(same.values()) / len(same) if same else 1.0
    differ = {name: [command for command, is_same in same.items() if not is_same] for name, same in agreement.items()}
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if given.json:
        print(json.dumps(figures | {f"differ from {name}": some for name, some in differ.items()}))
        return
    for name, value in figures.items():
        print(f"{name:<36}{value:>10.4g}")
    for name, some in differ.items():
        for command in some[:MOST_SHOWN]:
            print(f"differs from {name}: {command!r}")


if __name__ == "__main__":
    main()
