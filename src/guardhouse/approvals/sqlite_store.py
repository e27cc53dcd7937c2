"""Approvals in one SQLite file: the embedded store, for any number of processes on one machine.

The only place with its SQL. A new database is made whole under another name and then linked into place, so nobody
ever opens half a one, or one that others could read. Rules about requests are not here: see `approver.py`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from guardhouse.approvals.interface import Entry, Outline, Purpose
from guardhouse.approvals.rows import CHANGING, COLUMNS, OUTLINE, changed_values, entry_of, outline_of, row_of
from guardhouse.model import ApprovalRequest, ApprovalStatus, GuardhouseError

if TYPE_CHECKING:
    import sqlite3  # takes longer to load than to use: loaded when a store is first opened

_MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """
        CREATE TABLE requests (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            intent TEXT NOT NULL,
            action_hash TEXT NOT NULL CHECK (action_hash <> ''),
            status TEXT NOT NULL
                CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded', 'consumed')),
            created_at REAL NOT NULL,
            changed_at REAL NOT NULL,
            expires_at REAL NOT NULL,
            answered_at REAL,
            use_by REAL,
            actor TEXT,
            comment TEXT,
            superseded_by TEXT REFERENCES requests (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
            run_id TEXT,
            session_id TEXT,
            principal TEXT,
            action_type TEXT NOT NULL,
            tool_name TEXT,
            action_summary_redacted TEXT NOT NULL,
            action_redacted TEXT NOT NULL,
            risk_level TEXT NOT NULL,
            reasons TEXT NOT NULL,
            codes TEXT NOT NULL,
            bound_to TEXT NOT NULL,
            policy_revision TEXT NOT NULL,
            sealed_bound BLOB,
            sealed_resume BLOB,
            CHECK (status <> 'approved' OR use_by IS NOT NULL),
            CHECK (status IN ('pending', 'approved') OR sealed_bound IS NULL AND sealed_resume IS NULL)
        )
        """,
        # Of two that ask the same at once, one opens the request and the other finds it.
        """
        CREATE UNIQUE INDEX one_is_live ON requests (scope, action_hash) WHERE status IN ('pending', 'approved')
        """,
        "CREATE INDEX by_hash ON requests (scope, action_hash)",
        "CREATE INDEX by_intent ON requests (scope, intent) WHERE status = 'approved'",
        "CREATE INDEX pending_in_scope ON requests (scope) WHERE status = 'pending'",
        "CREATE INDEX due_for_answer ON requests (expires_at) WHERE status = 'pending'",
        "CREATE INDEX due_for_use ON requests (use_by) WHERE status = 'approved'",
        "CREATE INDEX by_superseding ON requests (superseded_by) WHERE superseded_by IS NOT NULL",
    ),
    (
        "ALTER TABLE requests ADD COLUMN supplied TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE requests ADD COLUMN kin TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE requests ADD COLUMN for_run TEXT NOT NULL DEFAULT 'false'",
        "CREATE INDEX pending_alike ON requests (kin) WHERE status = 'pending' AND kin <> ''",
    ),
)
"""What makes each version out of the one before; `PRAGMA user_version` counts them. Never changed, only added to."""

_BLOBS: Final[dict[Purpose, str]] = {"bound": "sealed_bound", "resume": "sealed_resume"}
_LIST: Final = ", ".join(COLUMNS)
_SELECT: Final = f"SELECT {_LIST} FROM requests"  # noqa: S608 - made of our own names
_OUTLINES: Final = f"SELECT {', '.join(OUTLINE)} FROM requests"  # noqa: S608 - see above
_ADD: Final = (
    f"INSERT INTO requests ({_LIST}, changed_at, {', '.join(_BLOBS.values())}) "  # noqa: S608 - see above
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 1 + len(_BLOBS)))})"
)
_SET: Final = f"UPDATE requests SET {', '.join(f'{name} = ?' for name in CHANGING)}, changed_at = ?"  # noqa: S608
_ERASE: Final = ", sealed_bound = NULL, sealed_resume = NULL"
_IF_UNCHANGED: Final = " WHERE id = ? AND status = ?"
_REMOVE: Final = (
    "DELETE FROM requests WHERE status NOT IN ('pending', 'approved') AND changed_at <= ? AND expires_at <= ?"
)
_DUE: Final = (
    f"{_SELECT} WHERE status = 'pending' AND expires_at <= ? "
    f"UNION ALL {_SELECT} WHERE status = 'approved' AND use_by <= ? LIMIT ?"
)
_WAIT: Final = 5.0
"""Seconds to wait for another process to finish its transaction."""


class SqliteStore:
    """The requests in one file, which is made if there is none. Threads take turns; a forked child opens it anew."""

    def __init__(self, path: Path, *, wait: float = _WAIT) -> None:
        self._path: Final = Path(path).absolute()
        self._wait: Final = wait
        self._connections: Final[dict[int, _Connection]] = {}

    @contextmanager
    def reading(self) -> Generator[_Rows]:
        """A transaction that sees one moment and changes nothing."""
        with self._connection().transaction("BEGIN") as rows:
            yield rows

    @contextmanager
    def writing(self) -> Generator[_Rows]:
        """A transaction that no other writing one overlaps; on disk when it has ended."""
        with self._connection().transaction("BEGIN IMMEDIATE") as rows:
            yield rows

    def changes(self) -> object:
        """A mark that differs after any commit: SQLite's own for other connections, and what this one has done."""
        return self._connection().changes()

    def shrink(self) -> None:
        """Cut the free pages and the write-ahead log off the files."""
        self._connection().shrink()

    def close(self) -> None:
        """Close the file."""
        self._connection().close()

    def _connection(self) -> _Connection:
        """This process's own. One that came through a fork is kept, untouched: to close it would disturb its owner."""
        pid = os.getpid()
        return self._connections.get(pid) or self._connections.setdefault(pid, _Connection(self._path, self._wait))


class _Connection:
    """One open file and the lock that threads take turns with."""

    def __init__(self, path: Path, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._lock = RLock()
        self._open: sqlite3.Connection | None = None

    @contextmanager
    def transaction(self, begin: str) -> Generator[_Rows]:
        with self._lock:
            connection = self._opened()
            rows = _Rows(connection, self._path)
            rows.run(begin)
            try:
                yield rows
                rows.run("COMMIT")
            except BaseException:
                self._undo(connection)
                raise

    def changes(self) -> tuple[int, int, int]:
        with self._lock:
            connection = self._opened()
            [(version,)] = _Rows(connection, self._path).run("PRAGMA data_version")
            return (id(connection), version, connection.total_changes)

    def shrink(self) -> None:
        with self._lock:
            connection = self._opened()
            with _errors_of(self._path):
                connection.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page and stop
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        with self._lock:
            connection, self._open = self._open, None
            if connection is not None:
                with _errors_of(self._path):
                    connection.close()

    def _opened(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = _open(self._path, self._wait)
        return self._open

    def _undo(self, connection: sqlite3.Connection) -> None:
        """Roll back what SQLite has not rolled back itself. A connection that can't do even that is given up."""
        import sqlite3

        try:
            if connection.in_transaction:
                connection.rollback()
        except sqlite3.Error:
            self._open = None
            connection.close()


class _Rows:
    """The rows, inside a transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def run(self, statement: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement. Errors are told by SQLite's name for them, never with values."""
        with _errors_of(self._path):
            return self._connection.execute(statement, tuple(values)).fetchall()

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
        limit: int | None = None,
    ) -> list[Entry]:
        where, values = _where(status, scope=scope, action_hash=action_hash, intent=intent, session_id=session_id)
        return self._entries(f"{_SELECT} WHERE {where} ORDER BY number DESC LIMIT ?", (*values, _limit(limit)))

    def outlines(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        beginning: str = "",
        limit: int | None = None,
    ) -> list[Outline]:
        where, values = _where(None if status is None else (status,), session_id=session_id)
        found = self.run(
            f"{_OUTLINES} WHERE {where} AND substr(id, 1, ?) = ? ORDER BY number DESC LIMIT ?",
            (*values, len(beginning), beginning, _limit(limit)),
        )
        return [outline_of(dict(zip(OUTLINE, row, strict=True))) for row in found]

    def due(self, now: float, *, limit: int | None = None) -> list[Entry]:
        return self._entries(_DUE, (now, now, _limit(limit)))

    def count_pending(self, *, scope: str | None = None) -> int:
        where, values = ("", ()) if scope is None else (" AND scope = ?", (scope,))
        [(count,)] = self.run(f"SELECT count(*) FROM requests WHERE status = 'pending'{where}", values)  # noqa: S608
        return int(count)

    def count_waiting(self, now: float) -> int:
        [(count,)] = self.run("SELECT count(*) FROM requests WHERE status = 'pending' AND expires_at > ?", (now,))
        return int(count)

    def sealed(self, request_id: str, purpose: Purpose) -> bytes | None:
        found = self.run(f"SELECT {_BLOBS[purpose]} FROM requests WHERE id = ?", (request_id,))  # noqa: S608
        return found[0][0] if found else None

    def add(self, entry: Entry, *, bound: bytes, resume: bytes) -> None:
        self.run(_ADD, (*row_of(entry).values(), entry.request.created_at, bound, resume))

    def change(self, before: ApprovalRequest, after: ApprovalRequest, *, at: float, erase: bool) -> None:
        statement = _SET + (_ERASE if erase else "") + _IF_UNCHANGED
        values = (*changed_values(after).values(), at, before.id, before.status.value)
        with _errors_of(self._path):
            changed = self._connection.execute(statement, values).rowcount
        if changed != 1:
            raise GuardhouseError(f"The approval request {before.id} was changed meanwhile.", fix="Try again.")

    def remove(self, *, changed_before: float, expired_before: float) -> int:
        with _errors_of(self._path):
            return self._connection.execute(_REMOVE, (changed_before, expired_before)).rowcount

    def _entries(self, statement: str, values: Iterable[Any]) -> list[Entry]:
        return [entry_of(dict(zip(COLUMNS, row, strict=True))) for row in self.run(statement, values)]


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
    return -1 if limit is None else limit


# Opening


def _open(path: Path, wait: float) -> sqlite3.Connection:
    with _errors_of(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_directory(path.parent)
        if not os.path.lexists(path):
            _make(path)
        _check_files(path)
        connection = _connect(path, wait)
        try:
            _check_version(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _make(path: Path) -> None:
    """A new, empty store in place at once, whole, or not at all; the first of two that make it wins.

    The file is never opened but by SQLite once it has its name: closing it would drop the locks of other connections.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    try:
        connection = _connect(draft, _WAIT)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            _migrate(connection)
        finally:
            connection.close()
        try:
            os.link(draft, path)
        except FileExistsError:
            return
        _sync_directory(path.parent)
    finally:
        for name in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm", f"{draft.name}-journal"):
            draft.with_name(name).unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _connect(path: Path, wait: float) -> sqlite3.Connection:
    import sqlite3

    # `mode=rw`: never make a file here, with whatever permissions SQLite thinks fit.
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(
        f"file:{name}?mode=rw", uri=True, timeout=wait, isolation_level=None, check_same_thread=False
    )
    try:
        for setting in ("synchronous = FULL", "secure_delete = ON", "foreign_keys = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    if version > len(_MIGRATIONS):
        raise GuardhouseError(
            f"The store of approvals {path} was made by a newer Guardhouse.", fix="Update Guardhouse on this machine."
        )
    if version < 1:
        raise GuardhouseError(f"{path} is no store of approvals.", fix="Move it away; a new one will be made.")
    if version < len(_MIGRATIONS):
        _migrate(connection)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the database to the newest version, in one transaction; of two that try at once, the second finds it so."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        [(version,)] = connection.execute("PRAGMA user_version").fetchall()
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        if version < len(_MIGRATIONS):
            connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise


def _check_directory(directory: Path) -> None:
    status = directory.stat()
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise GuardhouseError(
            f"The directory {directory} is not yours alone to write to.", fix="Give approvals a directory of yours."
        )


def _check_files(path: Path) -> None:
    """Refuse what others could have put there; take away what they could read."""
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        try:
            status = file.lstat()
        except FileNotFoundError:
            continue  # the log and its index come and go
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise GuardhouseError(f"{file} is not a file of yours.", fix="Move it away; a new one will be made.")
        if status.st_mode & 0o077:
            file.chmod(0o600)


# Errors

_KINDS: Final = (
    (("SQLITE_BUSY", "SQLITE_LOCKED"), "is held by another process", "Try again; end the process that holds it."),
    (("SQLITE_FULL",), "can't grow", "Free some disk space."),
    (("SQLITE_CORRUPT", "SQLITE_NOTADB"), "is damaged", "Move it away; pending requests are asked again."),
    (
        ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR"),
        "can't be read or written",
        "Check its permissions and the disk.",
    ),
)


@contextmanager
def _errors_of(path: Path) -> Generator[None]:
    """Whatever SQLite or the file system says about `path`, as a GuardhouseError."""
    import sqlite3

    try:
        yield
    except OSError as error:
        raise GuardhouseError(
            f"The store of approvals {path} can't be opened: {error.strerror}.", fix="Check its directory."
        ) from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        for names, what, fix in _KINDS:
            if name.startswith(names):
                raise GuardhouseError(f"The store of approvals {path} {what} ({name}).", fix=fix) from None
        raise GuardhouseError(
            f"The store of approvals {path} failed ({name}).", fix="Look after its disk, then report it."
        ) from None
    except (UnicodeEncodeError, OverflowError):
        raise GuardhouseError(
            f"The store of approvals {path} can't keep a value.", fix="Use well-formed text."
        ) from None
