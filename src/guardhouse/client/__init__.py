"""The client of a daemon: a guard whose verdicts come over HTTP, and the requests for approval that are kept there.

What can't be asked is denied. Nothing of the daemon's own parts is needed here.
"""

from __future__ import annotations

from guardhouse.client.approver import RemoteApprover
from guardhouse.client.connection import Connection
from guardhouse.client.errors import BadAnswer, DaemonError, Refused, Unreachable
from guardhouse.client.following import Following
from guardhouse.client.guard import RemoteGuard, connect

__all__ = [
    "BadAnswer",
    "Connection",
    "DaemonError",
    "Following",
    "Refused",
    "RemoteApprover",
    "RemoteGuard",
    "Unreachable",
    "connect",
]
