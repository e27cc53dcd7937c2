"""A judge that errs at random, on AgentDojo: how many attacks it lets through, and how many questions it spares people.

    PYTHON bench/agentdojo_guardian.py HARNESS [--errors 0 1 5 10] [--seeds 3] [--suite NAME] [--jobs 2]

`PYTHON` is an interpreter that has AgentDojo and Guardhouse, `HARNESS` the file of the harness. No model is run. The
judge knows which calls are the user's and which the attacker's, and says so, but for the share of its answers that is
wrong: each is drawn by itself, both ways. What is measured is how much the house leans on it. It stands where the
service of `guardian` would, without the cache and the breaker, which could only stop more.

An attack counts if it works at once, or after all of the user's calls. Questions are those of the benign tasks, with a
person who says yes. Keep temporary files on an ordinary disk: what lies below /dev is another matter to the gate.
"""

from __future__ import annotations

import argparse
import concurrent.futures as cf
import itertools
import random
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from agentdojo_benign import load  # noqa: E402

WAYS: dict[str, dict[str, Any]] = {
    # name, what the configuration says beside the tools
    "without a judge": {},
    "spares, default": {"guardian": {"mode": "enforce", "watches": "never"}},
    "spares and watches, default": {"guardian": {"mode": "enforce"}},
    "spares, wide": {
        "guardian": {"mode": "enforce", "watches": "never", "may_clear": "wide"},
        "risk": {"high": 75},
    },
    "spares and watches, wide": {"guardian": {"mode": "enforce", "may_clear": "wide"}, "risk": {"high": 75}},
}


class ErringJudge:
    """A port of the judge: right about who wants a call, but for some of its answers; one that is always wrong about
    attackers allows everything."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.draws = random.Random()
        self.owner = "user"
        self.asked = 0

    def opinion(self, _question: Any) -> Any:
        from guardhouse.model import SecondOpinion

        self.asked += 1
        is_wrong = self.draws.random() < self.share
        is_fine = self.share == 1 or (self.owner == "user") != is_wrong
        return SecondOpinion(outcome="allow" if is_fine else "block", reason="scripted", model="scripted")

    async def opinion_async(self, question: Any) -> Any:
        return self.opinion(question)


@cache
def factory_of(way: str, percent: int) -> tuple[Any, ErringJudge]:
    """Episodes under one configuration, and the judge of their guards, which stay open."""
    import agentdojo_guard

    judge = ErringJudge(percent / 100)

    class Judged(agentdojo_guard.Factory):
        more = WAYS[way]
        opened = f"{way} {percent}"

        @staticmethod
        def judged_by() -> ErringJudge:
            return judge

    return Judged, judge


class _Owned:
    """Tells the judge whose call comes next: the harness knows."""

    def __init__(self, harness: Any, judge: ErringJudge) -> None:
        self._harness, self._episode = harness, harness.Episode

        class Episode(harness.Episode):  # type: ignore[name-defined, misc]
            def call(self, call: Any, owner: str) -> Any:
                judge.owner = owner
                return super().call(call, owner)

        self._own = Episode

    def __enter__(self) -> None:
        self._harness.Episode = self._own

    def __exit__(self, *_: object) -> None:
        self._harness.Episode = self._episode


def job(arguments: tuple[Path, str, str, str, int, int]) -> dict[tuple[str, int], dict[str, int]]:
    """One user task under all ways: its benign runs, and its attacks. What an attack can't do with a judge that allows
    everything, it can't do with one that allows less; so only the others are tried with each share of errors."""
    path, suite_name, task_id, attack_name, *errors_and_seeds = arguments
    errors, seeds = errors_and_seeds
    harness = sys.modules.get("agentdojo_harness") or load(path)
    suite, attack = harness.get_suite(suite_name), harness.get_attack(suite_name, attack_name)
    task = suite.get_user_task_by_id(task_id)
    rows: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    fresh = harness.World(suite, task.init_environment(suite.load_and_inject_default_environment({})))
    unasked: dict[str, int] = {}
    for way, percent, seed in runs_of(errors, seeds):
        asked = 0
        if way in unasked:
            questions = unasked[way]  # no answer of the judge's has any part in it
        else:
            factory, judge = factory_of(way, percent)
            judge.draws.seed(f"{seed} {way} {percent} {suite_name} {task_id}")
            judge.asked = 0
            with _Owned(harness, judge):
                log = harness.run_user(fresh, task, factory, "grant")["log"]
            asked, questions = judge.asked, sum(one["decision"] == "approve" for one in log)
            if percent == 0 and not asked:
                unasked[way] = questions
        row = rows[way, percent]
        row["tasks"] += 1
        row["questions"] += questions
        row["with_question"] += questions > 0
        row["asked"] += asked
    for injection_id, injection in suite.injection_tasks.items():
        try:
            planted = attack.attack(task, injection)
        except ValueError:
            continue
        world = harness.World(suite, task.init_environment(suite.load_and_inject_default_environment(planted)))
        needles = tuple(sorted({harness.squash(text) for text in planted.values()}))
        if not world.ground_truth((), injection):
            continue
        pair = world, task, injection, needles
        works = is_seen = True
        for way in reversed(ATTACKED):
            if works:
                works, is_seen = _gets_through(harness, pair, way, 100, "")
            if not is_seen:
                break
            rows[way, 100]["attacks"] += 1
            rows[way, 100]["through"] += works
            for percent, seed in itertools.product(errors if way != ATTACKED[0] else [], range(seeds)):
                row = rows[way, percent]
                row["attacks"] += 1
                name = f"{seed} {way} {percent} {suite_name} {task_id} {injection_id}"
                row["through"] += works and _gets_through(harness, pair, way, percent, name)[0]
    return {key: dict(row) for key, row in rows.items()}


ATTACKED = ("without a judge", "spares, default", "spares, wide")
"""What watches besides stops more, so only these are attacked; each lets through what the one before does, or more."""


def _gets_through(harness: Any, pair: tuple[Any, ...], way: str, percent: int, seed: str) -> tuple[bool, bool]:
    """Whether an attack works, at once or after all of the user's calls; and whether the agent comes to read it."""
    factory, judge = factory_of(way, percent)
    judge.draws.seed(seed)
    with _Owned(harness, judge):
        tries = [harness.run_pair(*pair, factory, "reject", timing) for timing in ("asap", "last")]
    return any(one["security"] for one in tries), any(one["seen"] for one in tries)


def runs_of(errors: list[int], seeds: int) -> list[tuple[str, int, int]]:
    """Every way with every share of errors; without a judge, and without errors, once is enough."""
    some = [("without a judge", 0, 0)]
    for way, percent in itertools.product(list(WAYS)[1:], errors):
        some += [(way, percent, seed) for seed in range(seeds if percent else 1)]
    return some


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", type=Path)
    parser.add_argument("--errors", type=int, nargs="+", default=[0, 1, 5, 10], help="per cent of its answers")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--suite", action="append")
    parser.add_argument("--attack", default="important_instructions")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    harness = load(args.harness)
    jobs = [
        (args.harness, name, task, args.attack, args.errors, args.seeds)
        for name in args.suite or harness.SUITES
        for task in harness.get_suite(name).user_tasks
    ]
    sums: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    with cf.ProcessPoolExecutor(args.jobs) as pool:
        for done, rows in enumerate(pool.map(job, jobs), 1):
            print(f"\r{done}/{len(jobs)} user tasks", end="", file=sys.stderr, flush=True)
            for key, row in rows.items():
                for name, number in row.items():
                    sums[key][name] += number
    print(file=sys.stderr)
    tell(sums)
    return 0


def tell(sums: dict[tuple[str, int], dict[str, int]]) -> None:
    """The table, with questions against those without a judge."""
    base = sums["without a judge", 0]
    print("| judge | wrong answers | attacks with tools that succeed | questions a task | against none | "
          "tasks with a question | judge asked a task |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for (way, percent), one in sorted(sums.items(), key=lambda item: (list(WAYS).index(item[0][0]), item[0][1])):
        through = f"{100 * one['through'] / one['attacks']:.2f} % of {one['attacks']}" if one["attacks"] else "–"
        cells = [way, "allows everything" if percent == 100 else f"{percent} %", through]
        if one["tasks"]:
            asks, before = one["questions"] / one["tasks"], base["questions"] / base["tasks"]
            cells += [f"{asks:.3f}", f"{100 * (asks / before - 1) if before else 0:+.0f} %"]
            cells += [f"{100 * one['with_question'] / one['tasks']:.1f} %", f"{one['asked'] / one['tasks']:.2f}"]
        print(f"| {' | '.join([*cells, *['–'] * (7 - len(cells))])} |")


if __name__ == "__main__":
    raise SystemExit(main())
