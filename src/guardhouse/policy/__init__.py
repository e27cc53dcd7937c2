"""What is allowed: the configuration, its layers, the rules, and the one place where decisions are combined."""

from guardhouse.policy.codes import (
    APPROVALS_UNUSABLE,
    APPROVED,
    AUDIT_UNWRITABLE,
    DISABLED,
    INTERNAL_ERROR,
    INVALID,
    POLICY_UNREADABLE,
    REDACTION_FAILED,
    REFUSED,
    TOO_LARGE,
    UNSHOWABLE,
    catalogue,
)
from guardhouse.policy.engine import Cause, Judgement, PolicyEngine, combine
from guardhouse.policy.environment import read_environment
from guardhouse.policy.examples import run_examples
from guardhouse.policy.layers import Layer, LayerName, merge
from guardhouse.policy.loading import Policy, load
from guardhouse.policy.pages import index_page, reason_page
from guardhouse.policy.presets import FLOORS, OUTCOMES
from guardhouse.policy.reading import FORMATS, Document, read_document
from guardhouse.policy.schema import Configuration, json_schema
from guardhouse.policy.tightness import TIGHTER

__all__ = [
    "APPROVALS_UNUSABLE",
    "APPROVED",
    "AUDIT_UNWRITABLE",
    "DISABLED",
    "FLOORS",
    "FORMATS",
    "INTERNAL_ERROR",
    "INVALID",
    "OUTCOMES",
    "POLICY_UNREADABLE",
    "REDACTION_FAILED",
    "REFUSED",
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
