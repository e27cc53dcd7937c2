"""Events for tests of the audit log, and processes that append them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from guardhouse.model import (
    ApprovalStatus,
    AuditEvent,
    Decision,
    Finding,
    Reason,
    RedactedText,
    RiskLevel,
    Severity,
    Span,
)

HERE = Path(__file__).resolve().parent


def event(number: int = 0, **changes) -> AuditEvent:
    """A deny of a fetch."""
    fields = {
        "event_id": f"ev_{number:024d}",
        "kind": "decision",
        "timestamp": f"2026-01-31T12:{number // 60 % 60:02d}:{number % 60:02d}.000000Z",
        "trace_id": f"tr_{number}",
        "session_id": "s1",
        "action_type": "ToolCallPre",
        "tool_name": "url_fetch",
        "action_summary_redacted": RedactedText("POST https://paste.example/upload"),
        "risk_level": RiskLevel.HIGH,
        "decision": Decision.DENY,
        "policy_revision": "r1",
        "reasons": (
            Reason(
                code="non_allowlisted_domain",
                decided_by="network",
                decision=Decision.DENY,
                severity=Severity.HIGH,
                title="The host is not on your allowlist",
                why="Data sent there is out of your hands.",
                instead="Answer without uploading.",
                span=Span("params.url", 0, 28),
                remedy="guardhouse allow domain paste.example",
            ),
        ),
        "findings": (
            Finding(code="net.destination", detector="destinations", severity=Severity.INFO, host="paste.example"),
        ),
    }
    return AuditEvent(**{**fields, **changes})


def approval(number: int, status: ApprovalStatus, request: str, **changes) -> AuditEvent:
    plain = {"reasons": (), "findings": (), "decision": None, "risk_level": None}
    return event(number, kind="approval", approval_status=status, approval_request_id=request, **plain, **changes)


def start_appender(directory: Path, name: str, count: int, **options) -> subprocess.Popen[str]:
    """A process that appends `count` events (0: for ever) and prints the number of each once it is recorded."""
    arguments = [f"{key}={value}" for key, value in options.items()]
    return subprocess.Popen(
        [sys.executable, str(HERE / "append_events.py"), str(directory), name, str(count), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


def kill(process: subprocess.Popen[str]) -> list[str]:
    """End the process at once; what it had printed."""
    os.kill(process.pid, signal.SIGKILL)
    printed = process.stdout.read()
    process.wait()
    process.stdout.close()
    return printed.split()
