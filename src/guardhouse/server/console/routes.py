"""The table of fragments: what the shell asks for once somebody is signed in, and the right that each needs."""

from __future__ import annotations

from typing import Final

from guardhouse.server.console import (
    approvals,
    decisions,
    denied,
    feedback,
    grants,
    reasons,
    record,
    runs,
    sessions,
    traces,
)
from guardhouse.server.openapi import Operation

FRAGMENTS: Final = (
    # method, path, handler, right
    Operation("GET", "/console/approvals", approvals.page, "answer"),
    Operation("GET", "/console/approvals/rows", approvals.rows, "answer"),
    Operation("GET", "/console/approvals/more", approvals.more, "answer"),
    Operation("GET", "/console/approvals/{id}", approvals.page, "answer"),
    Operation("GET", "/console/approvals/{id}/card", approvals.card, "answer"),
    Operation("POST", "/console/approvals/{id}/answer", approvals.answer, "answer"),
    Operation("POST", "/console/approvals/{id}/reapprove", approvals.reapprove, "answer"),
    Operation("POST", "/console/approvals/{id}/allow", approvals.allow, "administer"),
    Operation("GET", "/console/runs", runs.page, "answer"),
    Operation("GET", "/console/runs/news", runs.news, "answer"),
    Operation("GET", "/console/runs/{id}", runs.show, "answer"),
    Operation("GET", "/console/runs/{id}/news", runs.run_news, "answer"),
    Operation("POST", "/console/runs/{id}/cancel", runs.cancel, "answer"),
    Operation("POST", "/console/runs/{id}/resume", runs.resume, "answer"),
    Operation("GET", "/console/grants", grants.page, "answer"),
    Operation("POST", "/console/grants/allowed/remove", grants.remove, "administer"),
    Operation("POST", "/console/grants/{id}/revoke", grants.revoke, "answer"),
    Operation("GET", "/console/denied", denied.page, "answer"),
    Operation("POST", "/console/denied/{id}/lift", denied.lift, "answer"),
    Operation("POST", "/console/denied/{id}/allow", denied.allow, "administer"),
    Operation("GET", "/console/decisions", decisions.page, "observe"),
    Operation("GET", "/console/decisions/rows", decisions.rows, "observe"),
    Operation("GET", "/console/decisions/news", decisions.news, "observe"),
    Operation("GET", "/console/sessions", sessions.page, "observe"),
    Operation("GET", "/console/sessions/rows", sessions.rows, "observe"),
    Operation("GET", "/console/sessions/{id}", sessions.show, "observe"),
    Operation("GET", "/console/sessions/{id}/events", sessions.more, "observe"),
    Operation("GET", "/console/audit", record.page, "observe"),
    Operation("GET", "/console/audit/rows", record.rows, "observe"),
    Operation("GET", "/console/audit/news", record.news, "observe"),
    Operation("GET", "/console/audit/chain", record.chain, "observe"),
    Operation("POST", "/console/audit/chain", record.check, "observe"),
    Operation("GET", "/console/audit/{id}", traces.page, "observe"),
    Operation("GET", "/console/audit/{id}/raw", traces.raw, "observe"),
    Operation("POST", "/console/audit/{id}/feedback", feedback.say, "observe"),
    Operation("GET", "/console/reasons", reasons.index, "observe"),
    Operation("GET", "/console/reasons/{id}", reasons.show, "observe"),
)
