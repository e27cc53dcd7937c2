"""Where a house keeps what must outlive a process: transactions on SQLite, or on PostgreSQL for several nodes.

Names are loaded when they are first used: most calls of a gate open no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.database.interface import Database, Rows, Watch
    from guardhouse.database.key_marks import check_key
    from guardhouse.database.postgres import PostgresDatabase
    from guardhouse.database.sqlite import SqliteDatabase

__all__ = ["Database", "PostgresDatabase", "Rows", "SqliteDatabase", "Watch", "check_key"]

_HOMES = {
    "Database": "interface",
    "PostgresDatabase": "postgres",
    "Rows": "interface",
    "SqliteDatabase": "sqlite",
    "Watch": "interface",
    "check_key": "key_marks",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
