"""The reason codes of policy and of the gate itself, and the catalogue of all codes there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect import DETECTORS, FAILED
from guardhouse.model import ReasonCode, Severity

if TYPE_CHECKING:
    from guardhouse.detect import Detector

RULE: Final = ReasonCode(
    id="policy.rule",
    title="A rule of the policy applies",
    severity=Severity.MEDIUM,
    why="The policy says so.",
    instead="",
    example="Any action that a rule without `finding` matches.",
    about="text",
)
RULE_FAILED: Final = ReasonCode(
    id="policy.rule_failed",
    title="A rule's condition could not be evaluated",
    severity=Severity.HIGH,
    why="A restricting rule that can't be evaluated counts as matching.",
    instead="Ask the user to look at the rule.",
    example="A rule with `when: action.params.count > 3` and a call without `count`.",
    about="text",
)
INVALID: Final = ReasonCode(
    id="action.invalid",
    title="The input is not an action",
    severity=Severity.HIGH,
    why="What can't be understood can't be judged.",
    instead="Send one of the nine action types with its fields, as strict JSON.",
    example='{"type":"ToolCallPre","tool":"bash","params":{},"surprise":1}',
    about="text",
)
TOO_LARGE: Final = ReasonCode(
    id="action.too_large",
    title="The action is larger than the gate looks at",
    severity=Severity.HIGH,
    why="The part that is not looked at could hold anything.",
    instead="Ask for less at a time.",
    example="A tool result of more than `limits.max_bytes`, or nested deeper than 64 levels.",
    about="text",
)
DISABLED: Final = ReasonCode(
    id="guard.disabled",
    title="The guard is switched off",
    severity=Severity.INFO,
    why="The configuration says `enabled: false`; nothing is checked.",
    instead="",
    example="Any action while `enabled: false` is set.",
    about="text",
)
POLICY_UNREADABLE: Final = ReasonCode(
    id="guard.policy_unreadable",
    title="The policy can't be read",
    severity=Severity.HIGH,
    why="Without a policy there is nothing to allow by.",
    instead="Ask the user to run `guardhouse policy check`.",
    example="Any action after a configuration file was changed to something that can't be read.",
    about="text",
)
INTERNAL_ERROR: Final = ReasonCode(
    id="guard.internal_error",
    title="The guard failed",
    severity=Severity.HIGH,
    why="A decision that could not be made is not a permission.",
    instead="Try a simpler call; the user can report the failure.",
    example="An exception inside the gate, outside any detector.",
    about="text",
)
REDACTION_FAILED: Final = ReasonCode(
    id="guard.redaction_failed",
    title="What should have been masked could not be",
    severity=Severity.HIGH,
    why="Content that should be masked and is not must not be passed on.",
    instead="Ask for a part of the content without the secret.",
    example="The redactor raised an exception, or changed nothing although a secret was found.",
    about="text",
)

GATE_CODES: Final = (
    FAILED,
    RULE,
    RULE_FAILED,
    INVALID,
    TOO_LARGE,
    DISABLED,
    POLICY_UNREADABLE,
    INTERNAL_ERROR,
    REDACTION_FAILED,
)


def found_codes(extra: tuple[Detector, ...] = ()) -> dict[str, ReasonCode]:
    """The codes that findings carry, which configuration can speak of. The gate's own answers are not up to it."""
    found = (code for detector in (*DETECTORS, *extra) for code in detector.codes)
    return {code.id: code for code in (*found, FAILED)}


def catalogue(extra: tuple[Detector, ...] = ()) -> dict[str, ReasonCode]:
    """Every reason code by its id: those of detectors, and those of the gate."""
    from_detectors = [code for detector in (*DETECTORS, *extra) for code in detector.codes]
    return {code.id: code for code in (*from_detectors, *GATE_CODES)}
