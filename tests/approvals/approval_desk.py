"""An approver on a real store, a clock that goes as told, and questions to put to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from guardhouse.approvals import ApprovalSettings, Approver, PostgresStore, SqliteStore
from guardhouse.model import Asked, Decision, Reason, RiskLevel, Severity, ToolCallPre, bind, wire
from guardhouse.model.consent import ApprovalStatus

KEY = bytes(range(32))
SECRET = "hunter2-the-raw-secret-of-this-test"
START = 1_000_000.0


class Clock:
    """Seconds since 1970, as told."""

    def __init__(self, now=START):
        self.now = now

    def __call__(self):
        return self.now

    def pass_(self, seconds):
        self.now += seconds


class Desk:
    """An approver, its clock, and what it has recorded. `place` is a file, or the address of a database."""

    def __init__(self, place, clock=None, settings=None, key=KEY, **more):
        self.path = place
        self.clock = clock or Clock()
        self.recorded = []
        store = SqliteStore if isinstance(place, Path) else PostgresStore
        self.store = store(place, wait=more.pop("wait", 5.0))
        self.approver = Approver(
            self.store,
            key,
            settings or ApprovalSettings(),
            clock=self.clock,
            record=more.pop("record", self.recorded.append),
            **more,
        )

    def opened(self, question, approval_id=None):
        """The request that a question opens."""
        settlement = self.approver.settle(question, approval_id)
        assert settlement.request is not None
        assert not settlement.granted
        assert settlement.refusal is None
        return settlement.request

    def approved(self, question, actor="ada"):
        return self.approver.answer(self.opened(question).id, approve=True, actor=actor)

    def denied(self, question, actor="ada"):
        return self.approver.answer(self.opened(question).id, approve=False, actor=actor, comment="not today")

    def status(self, request):
        return self.approver.get(request.id).status

    def statuses(self):
        """Every recorded step, in order."""
        return [(request.id, request.status) for request in self.recorded]

    def rows(self, statement, *values):
        """What a look past the store sees or does."""
        if isinstance(self.path, Path):
            with closing(sqlite3.connect(self.path)) as connection, connection:
                return connection.execute(statement, values).fetchall()
        import psycopg

        with psycopg.connect(self.path, options="-c search_path=guardhouse") as connection:
            cursor = connection.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description is not None else []

    def blobs(self, request):
        [row] = self.rows("SELECT sealed_bound, sealed_resume FROM requests WHERE id = ?", request.id)
        return row


def question(
    command="make deploy",
    *,
    session="s1",
    principal="ada",
    facts=None,
    risk=RiskLevel.HIGH,
    codes=("shell.unknown",),
    **more,
):
    """A call that needs approval, as the gate would ask."""
    action = ToolCallPre(
        tool="bash",
        params={"command": command, "token": SECRET},
        session_id=session,
        principal=principal,
        call_id=more.pop("call_id", None),
    )
    masked = {**wire(action), "params": {"command": command, "token": "[redacted]"}}
    fields = {
        "bound": bind(action, facts or {"path:deploy.sh": "sha256:11"}),
        "resume": f'{{"token":"{SECRET}"}}'.encode(),
        "action_type": action.type,
        "tool_name": "bash",
        "session_id": session,
        "run_id": "run-1",
        "principal": principal,
        "action_summary_redacted": "bash: make deploy",
        "action_redacted": masked,
        "risk_level": risk,
        "reasons": tuple(
            Reason(
                code=code,
                decided_by="detector:shell",
                decision=Decision.REQUIRE_APPROVAL,
                severity=Severity.HIGH,
                title="Runs something",
                why="It can't be told what it does.",
                instead="Run the parts.",
            )
            for code in codes
        ),
        "codes": tuple(codes),
        "policy_revision": "rev-1",
    }
    return Asked(**{**fields, **more})


FINAL = frozenset(
    {
        ApprovalStatus.DENIED,
        ApprovalStatus.EXPIRED,
        ApprovalStatus.CANCELLED,
        ApprovalStatus.SUPERSEDED,
        ApprovalStatus.CONSUMED,
    }
)
STEPS = {
    None: {ApprovalStatus.PENDING},
    ApprovalStatus.PENDING: FINAL - {ApprovalStatus.CONSUMED} | {ApprovalStatus.APPROVED},
    ApprovalStatus.APPROVED: FINAL - {ApprovalStatus.DENIED},
}
"""Which status may follow which, written down a second time."""
