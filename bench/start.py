"""What it costs to have Guardhouse around: importing it, one `guardhouse check`, and the size of the core install.

    python bench/start.py [--json]

CPU time of fresh processes (user and system), the median of several, beside an empty Python in the same run. The
size is that of a plain install of the core into an empty directory, without bytecode; it needs a package index.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 15
ACTION = b'{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://api.jsonbill.com/tasks/123"}}'
BUDGETS = {"import guardhouse, ms": 100.0, "guardhouse check, ms": 200.0, "core install, MB": 60.0}


def cpu(command: list[str], stdin: bytes = b"") -> float:
    """Milliseconds CPU of a fresh process."""
    results = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        results.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(results) * 1e3


def install_size() -> float:
    """Megabytes of the core and everything it needs."""
    with tempfile.TemporaryDirectory() as target:
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", target, str(ROOT)],
            check=True,
        )
        return sum(file.stat().st_size for file in Path(target).rglob("*") if file.is_file()) / 1e6


def main() -> None:
    python = sys.executable
    command = str(Path(python).with_name("guardhouse"))
    everything = "import guardhouse; guardhouse.open_guard; guardhouse.ToolCallPre"
    figures = {
        "python -c pass, ms": cpu([python, "-c", "pass"]),
        "import guardhouse, ms": cpu([python, "-c", "import guardhouse"]),
        "import all its names, ms": cpu([python, "-c", everything]),
        "guardhouse check, ms": cpu([command, "check", "--config", str(ROOT / "examples" / "config.yaml")], ACTION),
        "core install, MB": install_size(),
    }
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        budget = BUDGETS.get(name)
        print(f"{name:26} {value:7.1f}" + (f"   (at most {budget:g})" if budget else ""))


if __name__ == "__main__":
    main()
