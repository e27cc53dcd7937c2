"""What a decision costs: the policy alone beside Cedar on the same rules, with many rules, and the whole gate.

    python bench/decision.py [--json]

CPU time, best of several rounds, all in one run, so that the ratios mean something on a noisy machine.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cedarpy

from guardhouse.audit import AuditLog
from guardhouse.detect import Scene, inspect, needs
from guardhouse.guard import AuditSink, FixedPolicy, Guard
from guardhouse.model import (
    NO_FACTS,
    Action,
    Addresses,
    AddressesOf,
    OutputPublish,
    RealPath,
    ToolCallPost,
    ToolCallPre,
)
from guardhouse.policy import Document, Layer, Policy, load

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7
BUDGETS = {"policy, 20 rules": 20.0, "policy, 2,000 rules / 20 rules": 2.0, "evaluate, 200-byte call": 150.0}

# The rules, once for both engines: (kind, value) where kind is a tool, a host, a path class or an effect.
KINDS = ("tool", "host", "tool", "host", "path_class", "tool", "host", "does", "tool", "host")
PATH_CLASSES = ("home", "system", "secret", "other")
EFFECTS = ("deletes", "sends", "executes", "writes")


def rules(count: int) -> list[tuple[str, str]]:
    """`count` rules of mixed kinds. The first twenty are the same whatever the count."""
    found = []
    for index in range(count):
        kind = KINDS[index % len(KINDS)]
        value = {
            "tool": f"tool_{index}",
            "host": f"host{index}.example",
            "path_class": PATH_CLASSES[index // 10 % 4],
            "does": EFFECTS[index // 10 % 4],
        }[kind]
        # Many rules are about many tools and hosts; what every call has in common is spoken of by a few.
        if kind in {"path_class", "does"} and index >= 20:
            kind, value = "host", f"extra{index}.example"
        found.append((kind, value))
    return found


def guardhouse_policy(count: int) -> Policy:
    keys = {"tool": "tool", "host": "domain", "path_class": "path_class", "does": "does"}
    section = [
        {"id": f"r{index}", "effect": "deny", keys[kind]: value} for index, (kind, value) in enumerate(rules(count))
    ]
    guard = {"network": {"default": {"allowed_domains": ["*"]}}, "rules": section}
    return load([Layer("user", Document("bench", {"guard": guard}))])


def cedar_policy(count: int) -> str:
    forms = {
        "tool": 'resource == Tool::"{}"',
        "host": 'context has host && context.host == "{}"',
        "path_class": 'context has path_class && context.path_class == "{}"',
        "does": 'context has does && context.does == "{}"',
    }
    lines = ["permit(principal, action, resource);"]
    for index, (kind, value) in enumerate(rules(count)):
        form = forms[kind].format(value)
        if kind == "tool":
            lines.append(f'@id("r{index}") forbid(principal, action, {form});')
        else:
            lines.append(f'@id("r{index}") forbid(principal, action, resource) when {{ {form} }};')
    return "\n".join(lines)


CALLS: list[tuple[Action, dict[str, Any]]] = [
    (ToolCallPre(tool="url_fetch", params={"url": "https://host1.example/x"}), {"host": "host1.example"}),
    (ToolCallPre(tool="url_fetch", params={"url": "https://docs.example/x"}), {"host": "docs.example"}),
    (ToolCallPre(tool="read_file", params={"path": "src/main.py"}, cwd="/home/u/p"), {"path_class": "project"}),
    (ToolCallPre(tool="write_file", params={"path": "a", "content": "x"}, cwd="/home/u/p"), {"does": "writes"}),
    (ToolCallPre(tool="write_file", params={"path": "/etc/hosts", "content": "x"}), {"path_class": "system"}),
    (ToolCallPre(tool="tool_0", params={"x": 1}), {}),
    (ToolCallPre(tool="bash", params={"command": "make"}), {"does": "executes"}),
    (ToolCallPost(tool="read_file", content="hello"), {}),
    (OutputPublish(content="done"), {}),
    (
        ToolCallPre(tool="url_fetch", params={"url": "https://host3.example/y", "method": "POST"}),
        {"host": "host3.example"},
    ),
]


def scenes(policy: Policy) -> list[tuple[Scene, tuple[Any, ...]]]:
    """Each call with its findings, as `judge` gets them."""
    found = []
    for action, _context in CALLS:
        first = Scene(action, policy.settings)
        answers: dict[Any, Any] = {
            need: Addresses(skipped=True) if isinstance(need, AddressesOf) else RealPath(path=need.path)
            for need in needs(first)
        }
        scene = Scene(action, policy.settings, NO_FACTS.with_answers(answers))
        found.append((scene, inspect(scene)))
    return found


def best(step: Callable[[], None], times: int) -> float:
    """Microseconds CPU a call of `step`, the best of several rounds."""
    step()
    results = []
    for _ in range(ROUNDS):
        before = time.process_time()
        for _ in range(times):
            step()
        results.append((time.process_time() - before) / times)
    return min(results) * 1e6


def judge_all(count: int) -> Callable[[], None]:
    policy = guardhouse_policy(count)
    prepared = scenes(policy)
    judge = policy.engine.judge

    def step() -> None:
        for scene, findings in prepared:
            judge(scene, findings)

    return step


def cedar_all(count: int) -> Callable[[], None]:
    policies = cedarpy.PolicySet.from_str(cedar_policy(count))
    entities = cedarpy.Entities.from_json_str("[]")
    requests = [
        {
            "principal": {"type": "Agent", "id": "a"},
            "action": {"type": "Action", "id": action.type},
            "resource": {"type": "Tool", "id": getattr(action, "tool", "none")},
            "context": context,
        }
        for action, context in CALLS
    ]

    def step() -> None:
        for request in requests:
            result = cedarpy.is_authorized(request, policies, entities)
            _ = result.diagnostics.reasons

    return step


def evaluate_all(audit: AuditSink | None = None) -> dict[str, float]:
    """Microseconds of the whole gate for calls of about 200 bytes of JSON, real ports but for DNS."""
    from guardhouse.egress import SkippedLookup
    from guardhouse.files import LocalFiles

    guard = Guard(FixedPolicy(guardhouse_policy(20)), resolver=SkippedLookup(), files=LocalFiles(), audit=audit)
    calls = {
        "fetch": ToolCallPre(
            tool="url_fetch",
            params={
                "url": "https://docs.example/v1/tasks/123?page=2&sort=name",
                "method": "GET",
                "headers": {"accept": "application/json", "user-agent": "agent/1.0"},
            },
            cwd=str(ROOT),
            session_id="s1",
        ),
        "read": ToolCallPre(
            tool="read_file",
            params={"path": "src/guardhouse/model/actions.py", "offset": 100, "limit": 200, "encoding": "utf-8"},
            cwd=str(ROOT),
            session_id="s-0123456789abcdef",
            call_id="call-0123456789abcdef",
        ),
        "write": ToolCallPre(
            tool="write_file",
            params={"path": "src/notes.txt", "content": "Remember to look at the second table again. " * 2},
            cwd=str(ROOT),
            session_id="s1",
        ),
        "command": ToolCallPre(
            tool="bash",
            params={"command": "git status && make test 2>&1 | tail -n 40", "description": "Run the tests and look"},
            cwd=str(ROOT),
            session_id="s-0123456789abcdef",
        ),
        "result": ToolCallPost(
            tool="read_file", content="def main() -> None:\n    print('hello')\n" * 4, session_id="s1"
        ),
    }
    return {name: best(lambda call=call: guard.evaluate(call), 300) for name, call in calls.items()}  # type: ignore[misc]


def main() -> None:
    ours, many = best(judge_all(20), 300) / len(CALLS), best(judge_all(2000), 300) / len(CALLS)
    cedar, cedar_many = best(cedar_all(20), 100) / len(CALLS), best(cedar_all(2000), 5) / len(CALLS)
    whole = evaluate_all()
    with TemporaryDirectory() as directory, AuditLog(Path(directory) / "audit") as log:
        recorded = evaluate_all(log)
    figures = {
        "policy, 20 rules": ours,
        "policy, 2,000 rules": many,
        "policy, 2,000 rules / 20 rules": many / ours,
        "cedar, 20 rules": cedar,
        "cedar, 2,000 rules": cedar_many,
        "cedar / policy, 20 rules": cedar / ours,
        "evaluate, 200-byte call": sum(whole.values()) / len(whole),
        **{f"evaluate, {name}": value for name, value in whole.items()},
        "evaluate and record": sum(recorded.values()) / len(recorded),
    }
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    print("CPU time, µs a call unless it is a ratio")
    for name, value in figures.items():
        budget = BUDGETS.get(name)
        print(f"{name:34} {value:8.1f}" + (f"   (at most {budget:g})" if budget else ""))


if __name__ == "__main__":
    main()
