"""A report as a SARIF 2.1.0 document, which code hosts and editors show beside the code.

It carries no fingerprints: one made from a secret would tell who guesses it that he was right.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from guardhouse.model import Confidence, visible

if TYPE_CHECKING:
    from guardhouse.scanning.interface import Finding, NotScanned, Report

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_document(report: Report, version: str) -> dict[str, Any]:
    """The document, for JSON; `version` is that of the program that scanned."""
    kinds = {finding.kind: finding for finding in report.findings}
    numbers = {kind: number for number, kind in enumerate(kinds)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {"name": "Guardhouse", "version": version, "rules": [_rule(kinds[kind]) for kind in numbers]}
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.not_scanned,
                "toolExecutionNotifications": [_notification(left) for left in report.not_scanned],
            }
        ],
        "results": [_result(finding, numbers[finding.kind]) for finding in report.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(example: Finding) -> dict[str, Any]:
    return {
        "id": example.kind,
        "shortDescription": {"text": _about(example)},
        "help": {"text": "Revoke the secret where it was issued, then take it out of the file and its history."},
        "properties": {"tags": ["security", "secret", example.category.value]},
    }


def _about(finding: Finding) -> str:
    return f"A secret ({finding.kind})" + (f" that opens: {finding.opens}" if finding.opens else "")


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    return {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": "error" if finding.confidence is Confidence.HIGH else "warning",
        "message": {"text": f"{_about(finding)}, {finding.confidence.value} confidence. Masked: {finding.excerpt}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(finding.path)}, "region": region}}],
        "properties": {"category": finding.category.value, "confidence": finding.confidence.value},
    }


def _notification(left: NotScanned) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": f"Not scanned: {visible(left.path)}. {left.why}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(left.path)}}}],
    }


def _uri(path: str) -> str:
    """Relative, if the path is: code hosts take it from the root of the repository."""
    quoted = quote(os.fsencode(path))
    return f"file://{quoted}" if path.startswith("/") else quoted
