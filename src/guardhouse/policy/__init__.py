"""What is allowed: the configuration, its layers, the rules, and the one place where decisions are combined."""

from typing import TYPE_CHECKING, Any

from guardhouse.policy.codes import (
    APPROVALS_UNUSABLE,
    APPROVED,
    AUDIT_UNWRITABLE,
    BY_GRANT,
    CONDITION,
    CONDITION_UNKNOWN,
    DAEMON_UNREACHABLE,
    DISABLED,
    EDIT_REFUSED,
    EDITED,
    INTERNAL_ERROR,
    INVALID,
    MARKERS_UNUSABLE,
    POLICY_UNREADABLE,
    REDACTION_FAILED,
    REFUSED,
    SESSION_UNWRITABLE,
    TOO_LARGE,
    UNSHOWABLE,
    catalogue,
)
from guardhouse.policy.engine import Cause, Judgement, PolicyEngine, asking_name, combine
from guardhouse.policy.environment import read_environment
from guardhouse.policy.layers import Layer, LayerName, merge
from guardhouse.policy.loading import Policy, load
from guardhouse.policy.presets import FLOORS, OUTCOMES
from guardhouse.policy.reading import FORMATS, Document, read_document
from guardhouse.policy.schema import Configuration, json_schema
from guardhouse.policy.tightness import TIGHTER

if TYPE_CHECKING:
    from guardhouse.policy.examples import run_examples
    from guardhouse.policy.pages import index_page, reason_page

__all__ = [
    "APPROVALS_UNUSABLE",
    "APPROVED",
    "AUDIT_UNWRITABLE",
    "BY_GRANT",
    "CONDITION",
    "CONDITION_UNKNOWN",
    "DAEMON_UNREACHABLE",
    "DISABLED",
    "EDITED",
    "EDIT_REFUSED",
    "FLOORS",
    "FORMATS",
    "INTERNAL_ERROR",
    "INVALID",
    "MARKERS_UNUSABLE",
    "OUTCOMES",
    "POLICY_UNREADABLE",
    "REDACTION_FAILED",
    "REFUSED",
    "SESSION_UNWRITABLE",
    "TIGHTER",
    "TOO_LARGE",
    "UNSHOWABLE",
    "Cause",
    "Configuration",
    "Document",
    "Judgement",
    "Layer",
    "LayerName",
    "Policy",
    "PolicyEngine",
    "asking_name",
    "catalogue",
    "combine",
    "index_page",
    "json_schema",
    "load",
    "merge",
    "read_document",
    "read_environment",
    "reason_page",
    "run_examples",
]

_LATER = {"run_examples": "examples", "index_page": "pages", "reason_page": "pages"}
"""What few calls need is loaded when it is asked for, because a gate must start fast."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
