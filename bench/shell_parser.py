"""How the shell parser does on a file of commands: agreement with `bash -n`, and time.

    python bench/shell_parser.py FILE [--json]

FILE holds one JSON object a line with a `command`. Needs bash.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from guardhouse.detect.shell import parse


def refused_by_bash(command: str) -> bool:
    """Whether bash finds a syntax error; for some it says so only in words."""
    done = subprocess.run(
        ["bash", "-O", "extglob", "-n"],
        input=command.encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=False,
    )
    return done.returncode != 0 or b"syntax error" in done.stderr or b"unexpected EOF" in done.stderr


def main() -> None:
    file = next((name for name in sys.argv[1:] if not name.startswith("-")), None)
    if file is None:
        sys.exit("Name a file with one JSON object a line that has a `command`.")
    commands = [json.loads(line)["command"] for line in Path(file).read_text(encoding="utf-8").splitlines()]
    times = []
    problems = []
    for command in commands:
        start = time.process_time_ns()
        problems.append(parse(command).problem is not None)
        times.append((time.process_time_ns() - start) / 1e3)
    with ThreadPoolExecutor(4) as pool:
        refused = list(pool.map(refused_by_bash, commands))
    differ = [command for command, ours, theirs in zip(commands, problems, refused, strict=True) if ours != theirs]
    times.sort()
    figures = {
        "commands": len(commands),
        "agreement with bash -n": 1 - len(differ) / len(commands),
        "p50, µs": times[len(times) // 2],
        "p95, µs": times[len(times) * 95 // 100],
        "longest, µs": times[-1],
    }
    if "--json" in sys.argv:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<28}{value:>10.4g}")
    for command in differ[:20]:
        print(f"differs: {command!r}")


if __name__ == "__main__":
    main()
