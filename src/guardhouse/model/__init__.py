"""The nouns of the house: actions, facts, findings, reasons, verdicts, and the hash an action is known by."""

from guardhouse.model.actions import (
    ACTION_TYPES,
    Action,
    MemoryReadPost,
    MemoryReadPre,
    OutputPublish,
    SkillInstall,
    SkillRunPost,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    UserInput,
    action_hash,
    admit,
    parse_action,
    wire,
)
from guardhouse.model.canonical import canonical_json, typed_digest
from guardhouse.model.codes import ReasonCode
from guardhouse.model.errors import GuardhouseError, InvalidAction, PolicyError
from guardhouse.model.facts import NO_FACTS, Addresses, AddressesOf, Facts, Need, RealPath, RealPathOf
from guardhouse.model.findings import Confidence, Effect, Finding, Origin, PathClass, Severity, Span
from guardhouse.model.strict_json import DEFAULT_LIMITS, MAX_DEPTH, Limits, checked_copy, decode
from guardhouse.model.verdicts import Decision, Reason, RiskLevel, Verdict, visible

__all__ = [
    "ACTION_TYPES",
    "DEFAULT_LIMITS",
    "MAX_DEPTH",
    "NO_FACTS",
    "Action",
    "Addresses",
    "AddressesOf",
    "Confidence",
    "Decision",
    "Effect",
    "Facts",
    "Finding",
    "GuardhouseError",
    "InvalidAction",
    "Limits",
    "MemoryReadPost",
    "MemoryReadPre",
    "Need",
    "Origin",
    "OutputPublish",
    "PathClass",
    "PolicyError",
    "RealPath",
    "RealPathOf",
    "Reason",
    "ReasonCode",
    "RiskLevel",
    "Severity",
    "SkillInstall",
    "SkillRunPost",
    "SkillRunPre",
    "Span",
    "ToolCallPost",
    "ToolCallPre",
    "UserInput",
    "Verdict",
    "action_hash",
    "admit",
    "canonical_json",
    "checked_copy",
    "decode",
    "parse_action",
    "typed_digest",
    "visible",
    "wire",
]
