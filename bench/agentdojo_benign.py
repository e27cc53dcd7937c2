"""The benign tasks of AgentDojo alone, under one way of the guard: how many have no question, and which calls have.

    PYTHON bench/agentdojo_benign.py HARNESS [Factory | Delegating | FreeReads] [-v]

`PYTHON` is an interpreter that has AgentDojo and Guardhouse, `HARNESS` the file of the harness. It takes half a minute,
where the whole run with attacks takes several.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]


def load(harness: Path) -> Any:
    """The harness, as a module that the guard finds its words in."""
    spec = importlib.util.spec_from_file_location("agentdojo_harness", harness)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{harness} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["agentdojo_harness"] = module
    spec.loader.exec_module(module)
    for name in ("Verdict", "Decision"):
        setattr(sys.modules["__main__"], name, getattr(module, name))
    return module


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", type=Path)
    parser.add_argument("way", nargs="?", default="Factory")
    parser.add_argument("-v", "--verbose", action="store_true", help="list the calls that were asked about")
    args = parser.parse_args()
    harness = load(args.harness)
    import agentdojo_guard  # its verdicts are the harness's, so that must be there first

    factory = getattr(agentdojo_guard, args.way)
    logs, useful = [], 0
    for name in harness.SUITES:
        suite = harness.get_suite(name)
        fresh = suite.load_and_inject_default_environment({})
        for task in suite.user_tasks.values():
            result = harness.run_user(harness.World(suite, task.init_environment(fresh)), task, factory, "grant")
            logs.append(result["log"])
            useful += bool(result["utility"])
            for entry in result["log"] if args.verbose else ():
                print(f"{name} {task.ID}: {entry['decision']} {entry['tool']} {'; '.join(entry['reasons'])}")
    quiet = sum(not log for log in logs)
    print(f"{args.way}: {len(logs)} tasks, {100 * quiet / len(logs):.1f} % with no question, ", end="")
    print(f"{sum(map(len, logs)) / len(logs):.3f} questions a task, utility {100 * useful / len(logs):.1f} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
