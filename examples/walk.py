"""Walks a few actions past the gate and prints what it says, as a person would be told."""

from __future__ import annotations

from pathlib import Path

from guardhouse import open_guard, parse_action
from guardhouse.egress import SkippedLookup

HERE = Path(__file__).parent


def main() -> None:
    # No network here: hosts are judged by name only.
    guard = open_guard(config_file=HERE / "config.yaml", resolver=SkippedLookup())
    for line in (HERE / "actions.jsonl").read_text(encoding="utf-8").splitlines():
        verdict = guard.evaluate(parse_action(line))
        print(f"{line}\n  → {verdict.decision.value}, risk {verdict.risk_level.value}")
        print(f"    {verdict.for_person}")
        if verdict.content is not None:
            print(f"    passed on: {verdict.content}")
        print()


if __name__ == "__main__":
    main()
