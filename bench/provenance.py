"""The figures of `docs/provenance.md`, by one command: own worlds, long sessions and, where it is at hand, AgentDojo.

    python bench/provenance.py [--out DIR] [--world NAME ...]
        [--agentdojo-harness FILE --agentdojo-python PYTHON] [--jobs N]

AgentDojo needs packages of its own, so its harness runs under another interpreter, in whose environment Guardhouse is
installed too. Everything is written to DIR as JSON, and the tables are printed as Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GUARD = "agentdojo_guard"
ATTACKS = ("important_instructions", "direct")
WAYS = ("Factory", "Delegating", "FreeReads")
"""Delegation asks, delegation is allowed, and reads that change state are not gated."""


def run(command: list[str], out: Path) -> dict[str, Any]:
    """What a command wrote as JSON; its own output goes to stderr."""
    paths = os.pathsep.join([str(HERE), str(HERE.parent / "src")])
    subprocess.run(command, check=True, cwd=HERE, stdout=sys.stderr, env={**os.environ, "PYTHONPATH": paths})
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def agentdojo(args: argparse.Namespace, attack: str) -> dict[str, Any]:
    """AgentDojo under the guard in each of its ways, with one attack."""
    out = args.out / f"agentdojo-{attack}.json"
    guards = [part for way in WAYS for part in ("--guard", f"{GUARD}:{way}")]
    command = [args.agentdojo_python, args.agentdojo_harness, *guards, "--attack", attack, "--json", str(out)]
    return run([*command, "--jobs", str(args.jobs)], out)


def print_agentdojo(results: dict[str, dict[str, Any]]) -> None:
    """One line for each attack and way."""
    head = "attack|way|tool attacks that succeed %|tasks with no question %|questions a task|utility, granted %"
    head += "|utility under attack, sensible person %|results withheld %"
    print(f"\n| {head.replace('|', ' | ')} |\n|{'---|' * (head.count('|') + 1)}")
    for attack, result in results.items():
        for guard, per_suite in result["summary"].items():
            every = per_suite["ALL"]
            cells = [every[key] for key in ("asr_tool_attacks", "benign_autonomous", "asks_per_task")]
            cells += [every[key] for key in ("benign_utility_grant", "attack_utility_oracle", "benign_results_dropped")]
            print(f"| {attack} | {guard.partition(':')[2]} | {' | '.join(map(str, cells))} |")


def worlds(args: argparse.Namespace) -> None:
    """The own worlds: tables of `bench/worlds/run.py`."""
    chosen = [part for world in args.world or () for part in ("--world", world)]
    command = [sys.executable, str(HERE / "worlds" / "run.py"), "--guard", f"{GUARD}:Factory", *chosen]
    out = args.out / "worlds.json"
    paths = os.pathsep.join([str(HERE), str(HERE.parent / "src")])
    subprocess.run([*command, "--json", str(out)], check=True, cwd=HERE, env={**os.environ, "PYTHONPATH": paths})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=None, help="where to write the JSON (default: a new directory)")
    parser.add_argument("--world", action="append", help="only this world; may be given again")
    parser.add_argument("--agentdojo-harness", default=None, help="the harness to run; left out without it")
    parser.add_argument("--agentdojo-python", default=sys.executable, help="an interpreter that has AgentDojo")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    args.out = args.out or Path(tempfile.mkdtemp(prefix="guardhouse-provenance-"))
    args.out.mkdir(parents=True, exist_ok=True)
    worlds(args)
    if args.agentdojo_harness:
        print_agentdojo({attack: agentdojo(args, attack) for attack in ATTACKS})
    print()
    subprocess.run([sys.executable, str(HERE / "long_session.py")], check=False)
    print(f"\nwrote {args.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
