"""How many commands are asked about without the sandbox and with it.

    python bench/sandbox_questions.py [FILE] [--json]

FILE holds one JSON object a line with a `command`, counted by its `expected`, if it has one; without it, the commands
are those of the tests' ordinary sessions and lists. Counted are commands that a person is asked about, and those that
are denied, which the sandbox does not change. Nothing is run. As in the suite `shell`, every host is allowed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import yaml

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, ToolCallPre
from guardhouse.suites.interface import StillWorld, policy_for

TESTS = Path(__file__).resolve().parent.parent / "tests"
MOST_SHOWN = 12


def commands(file: Path | None) -> dict[str, list[str]]:
    """Commands, by the group that they belong to."""
    groups: dict[str, list[str]] = {}
    if file is not None:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            groups.setdefault(row.get("expected", "commands"), []).append(row["command"])
        return groups
    for place in sorted((TESTS / "detect" / "shell" / "commands").glob("*.yaml")):
        groups[place.stem] = [row["command"] for row in yaml.safe_load(place.read_text(encoding="utf-8"))]
    return groups


def guard(mode: str) -> Guard:
    world = StillWorld()
    policy = policy_for({"network": {"default": {"allowed_domains": ["*"]}}, "sandbox": {"mode": mode}})
    return Guard(FixedPolicy(policy), resolver=world, files=world)


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the questions with and without the sandbox.")
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    without, within = guard("off"), guard("prefer")
    found: dict[str, dict[str, object]] = {}
    for name, group in commands(options.file).items():
        counts: Counter[str] = Counter()
        still: Counter[str] = Counter()
        for command in group:
            action = ToolCallPre(tool="bash", params={"command": command}, cwd="/home/user/project")
            before = without.evaluate(action).decision
            after = within.evaluate(action, can_confine=lambda: True)
            counts[f"{before.value} without"] += 1
            counts[f"{after.decision.value} with"] += 1
            if after.decision is Decision.REQUIRE_APPROVAL:
                still.update({reason.code for reason in after.reasons})
            if before is Decision.DENY and after.decision is not Decision.DENY:
                counts["deny lifted"] += 1
        total = len(group)
        found[name] = {
            "commands": total,
            "asked_without": counts["require_approval without"],
            "asked_with": counts["require_approval with"],
            "denied_without": counts["deny without"],
            "denied_with": counts["deny with"],
            "deny_lifted": counts["deny lifted"],
            "still_asked_for": dict(still.most_common(MOST_SHOWN)),
        }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'':24}{'commands':>10}{'asked':>8}{'in the sandbox':>16}{'denied':>8}{'in the sandbox':>16}")
    for name, row in found.items():
        print(
            f"{name:24}{row['commands']:>10}{row['asked_without']:>8}{row['asked_with']:>16}"
            f"{row['denied_without']:>8}{row['denied_with']:>16}"
        )


if __name__ == "__main__":
    main()
