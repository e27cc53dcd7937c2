"""The approver of the tests of the terminal, for the test and for the process that asks, which imports nothing else
of ours and so is up the sooner."""

from __future__ import annotations

from guardhouse.approvals import ApprovalSettings, Approver, SqliteStore

KEY = bytes(range(32))


def approver_on(state, **settings):
    return Approver(
        SqliteStore(state / "approvals.db"),
        KEY,
        ApprovalSettings(**settings),
        mask=lambda text: text.replace("hunter2", "[redacted]"),
    )
