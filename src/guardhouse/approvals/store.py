"""Requests for approval as rows of a database, on SQLite and on PostgreSQL alike.

The only place with the SQL about them, written once: what the two databases do differently is in `database/`. Rules
about requests are not here: see `approver.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from guardhouse.approvals.interface import Entry, GrantEntry, Outline, Purpose
from guardhouse.approvals.rows import (
    CHANGING,
    COLUMNS,
    GRANT_CHANGING,
    GRANT_COLUMNS,
    OUTLINE,
    changed_grant_values,
    changed_values,
    entry_of,
    grant_of,
    grant_row_of,
    keepable,
    outline_of,
    row_of,
)
from guardhouse.database import SqliteDatabase
from guardhouse.model import ApprovalRequest, ApprovalStatus, Grant, GuardhouseError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from guardhouse.database import Database, Rows, Watch

_BLOBS: Final[dict[Purpose, str]] = {"bound": "sealed_bound", "resume": "sealed_resume"}
_LIST: Final = ", ".join(COLUMNS)
_SELECT: Final = f"SELECT {_LIST} FROM requests"  # noqa: S608 - made of our own names
_OUTLINES: Final = f"SELECT {', '.join(OUTLINE)} FROM requests"  # noqa: S608 - see above
_ADD: Final = (
    f"INSERT INTO requests ({_LIST}, changed_at, change, {', '.join(_BLOBS.values())}) "  # noqa: S608 - see above
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 2 + len(_BLOBS)))})"
)
_SET: Final = f"UPDATE requests SET {', '.join(f'{name} = ?' for name in CHANGING)}, changed_at = ?, change = ?"  # noqa: S608
_ERASE: Final = ", sealed_bound = NULL, sealed_resume = NULL"
_IF_UNCHANGED: Final = " WHERE id = ? AND status = ?"
_REMOVE: Final = (
    "DELETE FROM requests WHERE status NOT IN ('pending', 'approved') AND changed_at <= ? AND expires_at <= ?"
)
_DUE: Final = (
    f"{_SELECT} WHERE status = 'pending' AND expires_at <= ? "
    f"UNION ALL {_SELECT} WHERE status = 'approved' AND use_by <= ? LIMIT ?"
)
_GRANTS: Final = f"SELECT {', '.join(GRANT_COLUMNS)} FROM grants"  # noqa: S608 - see above
_GRANT_ENTRIES: Final = f"SELECT {', '.join(GRANT_COLUMNS)}, scope, sealed FROM grants"  # noqa: S608 - see above
_ADD_GRANT: Final = (
    f"INSERT INTO grants ({', '.join(GRANT_COLUMNS)}, scope, sealed) "  # noqa: S608 - see above
    f"VALUES ({', '.join('?' * (len(GRANT_COLUMNS) + 2))})"
)
_SET_GRANT: Final = f"UPDATE grants SET {', '.join(f'{name} = ?' for name in GRANT_CHANGING)}"  # noqa: S608 - see above
_ERASE_GRANT: Final = ", sealed = NULL"
_IF_GRANT_UNCHANGED: Final = " WHERE id = ? AND uses = ? AND revoked_at IS NULL"
_LIVE_GRANT: Final = "revoked_at IS NULL AND expires_at > ? AND (most_uses IS NULL OR uses < most_uses)"
_NEXT_CHANGE: Final = "UPDATE latest SET change = change + 1 WHERE number = 1 RETURNING change"
_ALL: Final = 2**62


class SqlStore:
    """The requests in a database."""

    def __init__(self, database: Database) -> None:
        self.database: Final = database

    @contextmanager
    def reading(self) -> Generator[RequestRows]:
        """A transaction that sees one moment and changes nothing."""
        with self.database.reading() as rows:
            yield RequestRows(rows)

    @contextmanager
    def writing(self) -> Generator[RequestRows]:
        """A transaction that no other writing one overlaps; on disk when it has ended."""
        with self.database.writing() as rows:
            yield RequestRows(rows)

    def watching(self) -> AbstractContextManager[Watch]:
        """A watch that tells one thread when anything may have been changed, by anybody."""
        return self.database.watching()

    def shrink(self) -> None:
        """Give space that is no longer used back to the system."""
        self.database.shrink()

    def close(self) -> None:
        """Let go of the database; it opens again when it is used again."""
        self.database.close()


class SqliteStore(SqlStore):
    """The requests in one SQLite file."""

    def __init__(self, path: Path, *, wait: float = 5.0) -> None:
        super().__init__(SqliteDatabase(path, wait=wait))


class PostgresStore(SqlStore):
    """The requests in a PostgreSQL database, for any number of nodes."""

    def __init__(self, url: str, *, wait: float = 5.0) -> None:
        from guardhouse.database import PostgresDatabase  # few have one

        super().__init__(PostgresDatabase(url, wait=wait))


def count_waiting(path: Path, shared: str | None, now: float | None = None) -> int | None:
    """How many requests can still be answered, in a file or in the database that nodes share; None if there is no file
    yet, which is not made by looking."""
    if not shared and not path.exists():
        return None
    store = PostgresStore(shared) if shared else SqliteStore(path)
    try:
        with store.reading() as rows:
            return rows.count_waiting(rows.now() if now is None or shared else now)
    finally:
        store.close()


class RequestRows:
    """The requests, inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def rows(self) -> Rows:
        return self._rows

    def now(self) -> float:
        return self._rows.now()

    def get(self, request_id: str) -> Entry | None:
        found = self._entries(f"{_SELECT} WHERE id = ?", (request_id,))
        return found[0] if found else None

    def select(
        self,
        *,
        status: Collection[ApprovalStatus] | None = None,
        scope: str | None = None,
        action_hash: str | None = None,
        intent: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        limit: int | None = None,
    ) -> list[Entry]:
        where, values = _where(
            status,
            scope=scope,
            action_hash=action_hash,
            intent=intent,
            session_id=keepable(session_id),
            principal=keepable(principal),
        )
        return self._entries(f"{_SELECT} WHERE {where} ORDER BY number DESC LIMIT ?", (*values, _limit(limit)))

    def outlines(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        beginning: str = "",
        limit: int | None = None,
    ) -> list[Outline]:
        statuses = None if status is None else (status,)
        where, values = _where(statuses, session_id=keepable(session_id), principal=keepable(principal))
        found = self._rows.run(
            f"{_OUTLINES} WHERE {where} AND substr(id, 1, ?) = ? ORDER BY number DESC LIMIT ?",
            (*values, len(beginning), beginning, _limit(limit)),
        )
        return [outline_of(dict(zip(OUTLINE, row, strict=True))) for row in found]

    def changed(self, after: int, *, limit: int) -> list[tuple[int, Entry]]:
        found = self._rows.run(
            f"SELECT change, {_LIST} FROM requests WHERE change > ? ORDER BY change LIMIT ?",  # noqa: S608 - see above
            (after, limit),
        )
        return [(number, entry_of(dict(zip(COLUMNS, row, strict=True)))) for number, *row in found]

    def changed_outlines(self, after: int, *, principal: str | None, limit: int) -> list[tuple[int, Outline]]:
        where, values = _where(None, principal=keepable(principal))
        found = self._rows.run(
            f"SELECT change, {', '.join(OUTLINE)} FROM requests "  # noqa: S608 - see above
            f"WHERE change > ? AND {where} ORDER BY change LIMIT ?",
            (after, *values, limit),
        )
        return [(number, outline_of(dict(zip(OUTLINE, row, strict=True)))) for number, *row in found]

    def latest(self) -> int:
        found = self._rows.run("SELECT change FROM latest WHERE number = 1")
        if len(found) != 1:
            raise _lost_count()
        return int(found[0][0])

    def due(self, now: float, *, limit: int | None = None) -> list[Entry]:
        return self._entries(_DUE, (now, now, _limit(limit)))

    def count_pending(self, *, scope: str | None = None, principal: str | None = None) -> int:
        where, values = _where((ApprovalStatus.PENDING,), scope=scope, principal=keepable(principal))
        [(count,)] = self._rows.run(f"SELECT count(*) FROM requests WHERE {where}", values)  # noqa: S608
        return int(count)

    def count_waiting(self, now: float) -> int:
        [(count,)] = self._rows.run("SELECT count(*) FROM requests WHERE status = 'pending' AND expires_at > ?", (now,))
        return int(count)

    def sealed(self, request_id: str, purpose: Purpose) -> bytes | None:
        found = self._rows.run(f"SELECT {_BLOBS[purpose]} FROM requests WHERE id = ?", (request_id,))  # noqa: S608
        return found[0][0] if found else None

    def add(self, entry: Entry, *, bound: bytes, resume: bytes) -> None:
        self._rows.run(_ADD, (*row_of(entry).values(), entry.request.created_at, self._next(), bound, resume))

    def change(self, before: ApprovalRequest, after: ApprovalRequest, *, at: float, erase: bool) -> None:
        statement = _SET + (_ERASE if erase else "") + _IF_UNCHANGED
        values = (*changed_values(after).values(), at, self._next(), before.id, before.status.value)
        changed = self._rows.change(statement, values)
        if changed != 1:
            raise GuardhouseError(f"The approval request {before.id} was changed meanwhile.", fix="Try again.")

    def latest_answers(self, scope: str, *, limit: int) -> list[tuple[ApprovalStatus, float]]:
        found = self._rows.run(
            "SELECT status, answered_at FROM requests WHERE scope = ? AND answered_at IS NOT NULL "
            "ORDER BY answered_at DESC, number DESC LIMIT ?",
            (scope, limit),
        )
        return [(ApprovalStatus(status), at) for status, at in found]

    def lifted_at(self, scope: str) -> float:
        found = self._rows.run("SELECT at FROM lifted WHERE scope = ?", (scope,))
        return float(found[0][0]) if found else 0.0

    def lift(self, scope: str, at: float) -> None:
        self._rows.change("DELETE FROM lifted WHERE scope = ?", (scope,))
        self._rows.change("INSERT INTO lifted (scope, at) VALUES (?, ?)", (scope, at))

    def add_grant(self, entry: GrantEntry) -> None:
        self._rows.announce()
        self._rows.change(_ADD_GRANT, (*grant_row_of(entry.grant).values(), entry.scope, entry.sealed))

    def grant(self, grant_id: str) -> GrantEntry | None:
        found = self._grant_entries(f"{_GRANT_ENTRIES} WHERE id = ?", (grant_id,))
        return found[0] if found else None

    def live_grants(self, scope: str, now: float, *, limit: int) -> list[GrantEntry]:
        return self._grant_entries(
            f"{_GRANT_ENTRIES} WHERE scope = ? AND {_LIVE_GRANT} ORDER BY number DESC LIMIT ?", (scope, now, limit)
        )

    def grants(
        self,
        *,
        live_at: float | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        request_id: str | None = None,
        limit: int | None = None,
    ) -> list[Grant]:
        where, values = _where(
            None, session_id=keepable(session_id), principal=keepable(principal), request_id=request_id
        )
        live, times = (f" AND {_LIVE_GRANT}", (live_at,)) if live_at is not None else ("", ())
        found = self._rows.run(
            f"{_GRANTS} WHERE {where}{live} ORDER BY number DESC LIMIT ?", (*values, *times, _limit(limit))
        )
        return [grant_of(dict(zip(GRANT_COLUMNS, row, strict=True))) for row in found]

    def change_grant(self, before: Grant, after: Grant, *, erase: bool) -> None:
        self._rows.announce()
        changed = self._rows.change(
            _SET_GRANT + (_ERASE_GRANT if erase else "") + _IF_GRANT_UNCHANGED,
            (*changed_grant_values(after).values(), before.id, before.uses),
        )
        if changed != 1:
            raise GuardhouseError(f"The grant {before.id} was changed meanwhile.", fix="Try again.")

    def remove(self, *, changed_before: float, expired_before: float) -> int:
        return self._rows.change(_REMOVE, (changed_before, expired_before))

    def _next(self) -> int:
        """The number of the change that is being made. Writing transactions follow each other, so numbers do too."""
        self._rows.announce()
        found = self._rows.run(_NEXT_CHANGE)
        if len(found) != 1:
            raise _lost_count()
        return int(found[0][0])

    def _grant_entries(self, statement: str, values: Iterable[Any]) -> list[GrantEntry]:
        return [
            GrantEntry(grant_of(dict(zip(GRANT_COLUMNS, row, strict=True))), scope, sealed or b"")
            for *row, scope, sealed in self._rows.run(statement, values)
        ]

    def _entries(self, statement: str, values: Iterable[Any]) -> list[Entry]:
        return [entry_of(dict(zip(COLUMNS, row, strict=True))) for row in self._rows.run(statement, values)]


def _lost_count() -> GuardhouseError:
    return GuardhouseError("The database has lost count of its changes.", fix="Restore it from a backup.")


def _where(status: Collection[ApprovalStatus] | None, **equal: str | None) -> tuple[str, list[str]]:
    """The condition that columns have the values given, and those values."""
    given = {column: value for column, value in equal.items() if value is not None}
    conditions = ["TRUE", *(f"{column} = ?" for column in given)]
    if status is not None:
        # In the text, not as parameters: only so does SQLite see that a partial index fits.
        names = ", ".join(f"'{one.value}'" for one in status)
        conditions.append(f"status = {names}" if len(status) == 1 else f"status IN ({names})")
    return " AND ".join(conditions), list(given.values())


def _limit(limit: int | None) -> int:
    return _ALL if limit is None else limit
