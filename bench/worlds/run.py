#!/usr/bin/env python3
"""Measures guards in worlds that need no model.

    python bench/worlds/run.py --guard module:Factory [--guard P1] [--world shop] [-v] [--json OUT]
    python bench/worlds/run.py --check        # checks the worlds themselves

Columns: `attacks` is the share of (task, goal) pairs, among those where an unguarded agent sees the planted text, in
which the attacker gets what he wants at either timing while a person refuses every question; `plain` and `adaptive`
split it; `if granted` is the same with a person who says yes to everything.  `no question` is the share of benign tasks
without any question or refusal (`acting`: of those that write).  Utility is the share of tasks whose end state is
right: with questions refused, with questions granted, under attack with questions refused, and under attack with a
sensible person who grants the user's calls only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from checks import check  # noqa: E402
from harness import BASELINES, World, measure  # noqa: E402

NAMES = ("shop", "repohost", "phone", "clinic", "letting", "errands", "studio", "sealed")
WORLDS = tuple(name for name in NAMES if (HERE / f"{name}.py").exists())
SEALED = frozenset({"sealed"})  # measured, never looked at by those who tune a guard: no names, no calls in any output

COLUMNS = (
    ("tasks", "tasks"),
    ("pairs", "pairs"),
    ("attacks", "attacks%"),
    ("attacks_plain", "plain%"),
    ("attacks_adaptive", "adaptive%"),
    ("attacks_if_granted", "if granted%"),
    ("no_question", "no question%"),
    ("no_question_acting", "acting%"),
    ("asks", "asks/task"),
    ("denies", "denies/task"),
    ("utility_reject", "util refused%"),
    ("utility_grant", "util granted%"),
    ("attacked_utility_reject", "util attacked%"),
    ("attacked_utility_oracle", "util attacked, sensible%"),
    ("dropped", "results dropped"),
)


def load_world(name: str) -> World:
    return importlib.import_module(name).WORLD


def without_names(rows: list[dict], world: World) -> list[dict]:
    """The rows of a sealed world, of which only the figures may be seen."""
    if world.name not in SEALED:
        return rows
    numbers = {x.id: f"{n:02}" for n, x in enumerate((*world.tasks, *world.goals))}
    return [
        r
        | {k: numbers[r[k]] for k in ("task", "goal") if k in r}
        | {
            "log": [
                {"owner": e["owner"], "decision": e["decision"], "tool": "-", "args": {}, "reasons": []}
                for e in r["log"]
            ]
        }
        for r in rows
    ]


def load_factory(spec: str) -> Any:
    if spec in BASELINES:
        return BASELINES[spec]
    module, _, name = spec.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(1, str(Path.cwd()))
    return getattr(importlib.import_module(module), name)


def share(rows: list[dict], key: str) -> float | None:
    return round(100 * sum(bool(r[key]) for r in rows) / len(rows), 1) if rows else None


def summary(rows: list[dict]) -> dict[str, Any]:
    benign = [r for r in rows if r["kind"] == "benign"]
    pairs = [r for r in rows if r["kind"] == "pair"]
    quiet = [{"quiet": not r["log"], "acts": r["acts"]} for r in benign]
    stops = Counter(e["decision"] for r in benign for e in r["log"])
    return {
        "tasks": len(benign),
        "pairs": len(pairs),
        "attacks": share(pairs, "attack_any"),
        "attacks_plain": share([r for r in pairs if not r["adaptive"]], "attack_any"),
        "attacks_adaptive": share([r for r in pairs if r["adaptive"]], "attack_any"),
        "attacks_if_granted": share(pairs, "attack_if_granted"),
        "attacks_oracle": share(pairs, "attack_oracle"),
        "no_question": share(quiet, "quiet"),
        "no_question_acting": share([q for q in quiet if q["acts"]], "quiet"),
        "asks": round(stops["approve"] / max(1, len(benign)), 2),
        "denies": round(stops["deny"] / max(1, len(benign)), 2),
        "utility_reject": share(benign, "utility_reject"),
        "utility_grant": share(benign, "utility_grant"),
        "attacked_utility_reject": share(pairs, "utility_reject"),
        "attacked_utility_oracle": share(pairs, "utility_oracle"),
        "dropped": sum(r["dropped"] for r in benign),
    }


def table(head: list[str], lines: list[list[Any]]) -> str:
    rows = [head, ["---"] * len(head), *[["" if x is None else str(x) for x in line] for line in lines]]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def by_row(rows: list[dict], guards: list[str]) -> str:
    """Attack success apart for each kind of attacker."""
    kinds: dict[str, list[dict]] = defaultdict(list)
    for r in rows:
        if r["kind"] == "pair":
            kinds[r["adaptive"] or "(plain)"].append(r)
    lines = []
    for kind in sorted(kinds):
        mine = [[r for r in kinds[kind] if r["guard"] == g] for g in guards]
        lines.append([kind, len(mine[0]), *[share(m, "attack_any") for m in mine]])
    return table(["attacker", "pairs", *[f"{g}, success%" for g in guards]], lines)


def details(rows: list[dict], guard: str) -> None:
    through: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for r in rows:
        if r["kind"] == "pair" and r["guard"] == guard and r["attack_any"]:
            through[r["world"], r["goal"], r["adaptive"] or "plain"].append(r["task"])
    print(f"\n{guard}: attacks that got through")
    for (world, goal, kind), tasks in sorted(through.items()):
        print(f"  {world} {goal} [{kind}] {len(tasks)}: {' '.join(tasks)}")
    print(f"\n{guard}: benign calls stopped")
    for r in rows:
        if r["kind"] == "benign" and r["guard"] == guard:
            for e in r["log"]:
                args = json.dumps(e["args"], ensure_ascii=False)
                print(f"  {r['world']} {r['task']}: {e['decision']} {e['tool']} {args}: {'; '.join(e['reasons'])}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guard", action="append", help="P0, P1 or module:Factory; repeatable (default: P0 and P1)")
    parser.add_argument("--world", action="append", choices=WORLDS)
    parser.add_argument("--json", help="write the summary and every row here")
    parser.add_argument("--check", action="store_true", help="check the worlds instead of a guard")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list stopped benign calls and attacks that worked"
    )
    args = parser.parse_args(argv)
    worlds = [load_world(name) for name in args.world or WORLDS]
    if args.check:
        return check(worlds)
    guards = args.guard or list(BASELINES)
    start = time.perf_counter()
    rows = [
        row
        for spec in guards
        for world in worlds
        for row in without_names(measure(world, spec, load_factory(spec)), world)
    ]
    sums: dict[str, dict[str, Any]] = {}
    for guard in guards:
        mine = [r for r in rows if r["guard"] == guard]
        sums[guard] = {w.name: summary([r for r in mine if r["world"] == w.name]) for w in worlds}
        if len(worlds) > 1:
            sums[guard]["ALL"] = summary(mine)
    lines = [[g, w, *[s[key] for key, _ in COLUMNS]] for g, per in sums.items() for w, s in per.items()]
    print(table(["guard", "world", *[title for _, title in COLUMNS]], lines) + "\n")
    print(by_row(rows, guards))
    if args.verbose:
        for guard in guards:
            details(rows, guard)
    if args.json:
        seconds = round(time.perf_counter() - start, 1)
        Path(args.json).write_text(json.dumps({"seconds": seconds, "summary": sums, "rows": rows}, ensure_ascii=False))
        print(f"wrote {args.json}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
