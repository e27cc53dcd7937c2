"""Approvals: the state machine of requests, the store they are kept in, and the channels that put them to people."""

from guardhouse.approvals.approver import ApprovalSettings, Approver
from guardhouse.approvals.interface import AlreadyAnswered, NoSuchRequest, RequestClosed, Store, Transaction
from guardhouse.approvals.sqlite_store import SqliteStore

__all__ = [
    "AlreadyAnswered",
    "ApprovalSettings",
    "Approver",
    "NoSuchRequest",
    "RequestClosed",
    "SqliteStore",
    "Store",
    "Transaction",
]
