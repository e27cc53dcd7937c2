"""Rules carry their own examples, and the examples are run whenever a policy is loaded.

An example is an action. The world is assumed to be plain for it: names resolve to public addresses, paths lead where
they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from guardhouse.detect import Scene, inspect, needs
from guardhouse.model import (
    NO_FACTS,
    Addresses,
    AddressesOf,
    Answer,
    Extent,
    ExtentOf,
    FileDigest,
    FileDigestOf,
    InvalidAction,
    Need,
    OpinionOf,
    ProgramOf,
    RealPath,
    RealPathOf,
    SecondOpinion,
    SessionOf,
    SessionState,
    ToolPin,
    ToolPinOf,
    Traces,
    TracesOf,
    parse_action,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.policy.layers import Merged
    from guardhouse.policy.loading import Policy
    from guardhouse.policy.rules import Rule


class ExampleResult(NamedTuple):
    """One example of one rule, and how it came out."""

    rule: str
    file: str
    key: tuple[str | int, ...]
    wanted: bool
    """Whether the rule should match it."""
    problem: str
    """Why it did not come out as wanted; empty if it did."""


def run_examples(policy: Policy, merged: Merged) -> Iterator[ExampleResult]:
    """Every example of every rule."""
    for rule, section, (layer, index) in zip(
        policy.engine.rules.rules, policy.config.rules, merged.rule_layers, strict=True
    ):
        for name, wanted, examples in (("match", True, section.match), ("not_match", False, section.not_match)):
            for place, example in enumerate(examples):
                key = ("guard", "rules", index, name, place)
                yield ExampleResult(rule.id, layer.document.file, key, wanted, _problem(policy, rule, example, wanted))


def example_problems(policy: Policy, merged: Merged) -> list[str]:
    """The examples that do not come out as their rules say."""
    documents = {layer.document.file: layer.document for layer, _index in merged.rule_layers}
    return [
        documents[result.file].problem(result.key, result.problem)
        for result in run_examples(policy, merged)
        if result.problem
    ]


def _still(need: Need) -> Answer:
    """What a world in which nothing is looked up answers."""
    match need:
        case AddressesOf():
            return Addresses(skipped=True)
        case RealPathOf():
            return RealPath(path=need.path)
        case FileDigestOf() | ProgramOf():
            return FileDigest(digest="absent")
        case ExtentOf():
            return Extent()
        case ToolPinOf():
            return ToolPin()
        case SessionOf():
            return SessionState(kept=False)
        case TracesOf():
            return Traces()
        case OpinionOf():
            return SecondOpinion(outcome="error")


def _problem(policy: Policy, rule: Rule, example: dict[str, Any], wanted: bool) -> str:  # noqa: FBT001
    try:
        action = parse_action(example)
    except InvalidAction as error:
        return f"is not an action: {error}"
    scene = Scene(action, policy.settings)
    answers = {need: _still(need) for need in needs(scene, policy.extra_detectors)}
    scene = Scene(action, policy.settings, NO_FACTS.with_answers(answers))
    matched = policy.engine.matches(rule, scene, inspect(scene, policy.extra_detectors))
    if matched == wanted:
        return ""
    return f"rule `{rule.id}` does not match it." if wanted else f"rule `{rule.id}` matches it, and should not."
