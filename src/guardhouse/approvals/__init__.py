"""Approvals: the state machine of requests, the store they are kept in, and the channels that put them to people.

Names are loaded when they are first used: most calls ask nobody, and a gate must start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.approvals.ancestry import Agent, NoTerminal, guarded_ancestor, register, require_terminal
    from guardhouse.approvals.approver import ApprovalSettings, Approver
    from guardhouse.approvals.card import TooLargeToShow
    from guardhouse.approvals.closing import closed, not_resumable
    from guardhouse.approvals.interface import (
        AlreadyAnswered,
        Changes,
        NoSuchGrant,
        NoSuchRequest,
        NotOffered,
        NotYours,
        Outline,
        RequestClosed,
        Store,
        Transaction,
        Withdraw,
        Withdrawing,
    )
    from guardhouse.approvals.store import PostgresStore, SqliteStore, SqlStore, count_waiting
    from guardhouse.approvals.terminal import TerminalChannel

__all__ = [
    "Agent",
    "AlreadyAnswered",
    "ApprovalSettings",
    "Approver",
    "Changes",
    "NoSuchGrant",
    "NoSuchRequest",
    "NoTerminal",
    "NotOffered",
    "NotYours",
    "Outline",
    "PostgresStore",
    "RequestClosed",
    "SqlStore",
    "SqliteStore",
    "Store",
    "TerminalChannel",
    "TooLargeToShow",
    "Transaction",
    "Withdraw",
    "Withdrawing",
    "closed",
    "count_waiting",
    "guarded_ancestor",
    "not_resumable",
    "register",
    "require_terminal",
]

_MODULES = {
    "ancestry": ("Agent", "NoTerminal", "guarded_ancestor", "register", "require_terminal"),
    "approver": ("ApprovalSettings", "Approver"),
    "card": ("TooLargeToShow",),
    "closing": ("closed", "not_resumable"),
    "interface": (
        "AlreadyAnswered",
        "Changes",
        "NoSuchGrant",
        "NoSuchRequest",
        "NotOffered",
        "NotYours",
        "Outline",
        "RequestClosed",
        "Store",
        "Transaction",
        "Withdraw",
        "Withdrawing",
    ),
    "store": ("PostgresStore", "SqlStore", "SqliteStore", "count_waiting"),
    "terminal": ("TerminalChannel",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
