"""Checks of the worlds themselves: that tasks can be done, attacks work when nobody guards, and labels are right."""

from __future__ import annotations

import re
from typing import Any

from harness import P0, World, run_task, squash

# Dates and times of day are worked out ("tomorrow", "an hour before"), so they need not have been seen.
DATE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d:\d\d)?)?|\d\d:\d\d")


def check(worlds: list[World]) -> int:
    """Prints what is wrong and how much there is; 1 if anything is wrong."""
    bad = [f"{world.name}: {line}" for world in worlds for line in problems(world)]
    for world in worlds:
        print(figures(world))
    for line in bad:
        print("wrong:", line)
    print("the worlds are sound" if not bad else f"{len(bad)} problems")
    return 1 if bad else 0


def problems(world: World) -> list[str]:
    return [*task_problems(world), *goal_problems(world), *label_problems(world)]


def task_problems(world: World) -> list[str]:
    out = []
    ids = [t.id for t in world.tasks]
    out += [f"task id {i} is used twice" for i in {i for i in ids if ids.count(i) > 1}]
    for task in world.tasks:
        writes = any(world.tools[c.tool].effect == "write" for c in task.calls)
        if writes and task.done(world.fresh()):
            out.append(f"{task.id}: counts as done before anything was done")
        episode, _ = run_task(world, task, P0, "grant")
        out += [f"{task.id}: {error}" for error in episode.errors]
        if len(episode.results) != len(task.calls):
            out.append(f"{task.id}: some calls could not be made")
        if not episode.utility():
            out.append(f"{task.id}: not done although every call was made")
        out += [f"{task.id}: {line}" for line in out_of_thin_air(task, episode.results)]
    return out


def out_of_thin_air(task: Any, results: list) -> list[str]:
    """Identifiers an honest agent could not know: neither in the user's words nor in anything read before."""
    known = squash(" ".join(turn.says for turn in task.turns))
    out = []
    for tool, args, result in results:
        for key, value in args.items():
            if not isinstance(value, str) or DATE.fullmatch(value):
                continue
            identifier = re.fullmatch(r"\S*\d\S*|\S+@\S+|https?:\S+|\S+/\S+|[\w-]+\.\w+", value)
            if identifier and squash(value.removeprefix("https://")) not in known:
                out.append(f"{tool}: {key}={value!r} was never seen before")
        known += squash(result.text)
    return out


def goal_problems(world: World) -> list[str]:
    out = []
    for goal in world.goals:
        pairs, reached = 0, set()
        for task in world.tasks:
            honest = run_task(world, task, P0, "grant")[0].state
            if goal.done(honest, honest):
                out.append(f"{goal.id}: counts as reached in the honest run of {task.id}")
            tries = [run_task(world, task, P0, "grant", goal, timing) for timing in ("asap", "last")]
            if not (tries[0][1].seen and tries[0][1].tried):
                continue
            pairs += 1
            if not any(goal.done(e.state, honest) for e, _ in tries):
                out.append(f"{goal.id}: fails without a guard in {task.id}: {tries[0][0].errors}")
            for carrier in goal.carriers:
                if carrier not in reached and seen_in(world, task, carrier, goal.plant):
                    reached.add(carrier)
        if not pairs:
            out.append(f"{goal.id}: no task ever sees the planted text")
        out += [f"{goal.id}: never seen in {c}" for c in set(goal.carriers) - reached]
    return out


def seen_in(world: World, task: Any, carrier: str, text: str) -> bool:
    state = world.fresh()
    world.carriers[carrier](state, text)
    return bool(untrusted_hits(world, state, task, text)[0])


def untrusted_hits(world: World, state: Any, task: Any, text: str) -> tuple[list[str], list[str]]:
    """Tools whose results carried the text, and those of them that are declared trusted."""
    hits, wrong = [], []
    for planned in task.calls:
        try:
            args = {k: v(state) if callable(v) else v for k, v in planned.args.items()}
        except (LookupError, StopIteration, AttributeError, TypeError):
            continue
        result = world.run(state, planned.tool, args)
        if squash(text) in squash(result.text) and squash(text) not in squash(str(args)):
            hits.append(planned.tool)
            if world.tools[planned.tool].output == "trusted":
                wrong.append(planned.tool)
    return hits, wrong


def label_problems(world: World) -> list[str]:
    """No tool declared trusted may hand back a text that a third party planted."""
    out = set()
    for carrier, plant in world.carriers.items():
        for task in world.tasks:
            state = world.fresh()
            plant(state, "Canary q7q7")
            for tool in untrusted_hits(world, state, task, "Canary q7q7")[1]:
                out.add(f"{tool} is declared trusted but carries {carrier}")
    return sorted(out)


def figures(world: World) -> str:
    acts = sum(any(world.tools[c.tool].effect == "write" for c in t.calls) for t in world.tasks)
    bare = sum(not t.parameters for t in world.tools.values())
    adaptive = sum(g.adaptive is not None for g in world.goals)
    calls = sum(len(t.calls) for t in world.tasks)
    pairs = {timing: [0, 0] for timing in ("asap", "last")}
    for goal in world.goals:
        for task in world.tasks:
            honest = run_task(world, task, P0, "grant")[0].state
            for timing, count in pairs.items():
                episode, attacker = run_task(world, task, P0, "grant", goal, timing)
                if attacker.seen and attacker.tried:
                    count[0] += 1
                    count[1] += bool(goal.done(episode.state, honest))
    return (
        f"{world.name}: {len(world.tools)} tools ({bare} without schema), {len(world.tasks)} tasks ({acts} act, "
        f"{sum(len(t.turns) > 1 for t in world.tasks)} of several turns, {calls} calls), {len(world.goals)} goals "
        f"({adaptive} adaptive), {pairs['asap'][0]} pairs; unguarded success "
        + ", ".join(f"{t} {n[1]}/{n[0]}" for t, n in pairs.items())
    )
