"""One SQLite file: the embedded database, for any number of processes on one machine.

A new file is made whole under another name and then linked into place, so nobody ever opens half a one, or one that
others could read.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from guardhouse.database import migrating
from guardhouse.database.turns import next_to_write
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    import sqlite3  # takes longer to load than to use: loaded when a database is first opened

_WAIT: Final = 5.0
"""Seconds to wait for another process to finish its transaction."""
_LOOK: Final = 0.02
"""Seconds between two looks whether anything has changed: SQLite has no way to be told."""


class SqliteDatabase:
    """The tables in one file, which is made if there is none. Threads take turns; a forked child opens it anew."""

    is_shared = False

    def __init__(self, path: Path, *, wait: float = _WAIT) -> None:
        self._path: Final = Path(path).absolute()
        self._wait: Final = wait
        self._connections: Final[dict[int, _Connection]] = {}

    @contextmanager
    def reading(self) -> Generator[_Rows]:
        """A transaction that sees one moment and changes nothing."""
        with self._connection().transaction(_begin_reading) as rows:
            yield rows

    @contextmanager
    def writing(self) -> Generator[_Rows]:
        """A transaction that no other writing one overlaps; on disk when it has ended."""
        with self._connection().transaction(_begin_writing) as rows:
            yield rows

    @contextmanager
    def watching(self) -> Generator[_Watch]:
        """A watch with a connection of its own, to which every commit is another's."""
        watch = _Watch(self._path, self._wait)
        try:
            yield watch
        finally:
            watch.close()

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
        self._file = (-1, -1)

    @contextmanager
    def transaction(self, begin: Callable[[_Rows, Path, float], None]) -> Generator[_Rows]:
        with self._lock:
            connection = self._opened()
            rows = _Rows(connection, self._path)
            begin(rows, self._path, self._wait)
            try:
                yield rows
                rows.run("COMMIT")
            except BaseException:
                self._undo(connection)
                raise

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
        """The open file; another one if it was moved away meanwhile and somebody has made a new one."""
        if self._open is not None and self._open.in_transaction:
            return self._open
        if self._open is not None and _identity(self._path) != self._file:
            self.close()
        if self._open is None:
            self._open = _open(self._path, self._wait)
            self._file = _identity(self._path)
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
    """The tables, inside a transaction. Errors are told by SQLite's name for them, never with values."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def run(self, statement: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a statement gives."""
        with _errors_of(self._path):
            return self._connection.execute(statement, tuple(values)).fetchall()

    def change(self, statement: str, values: Iterable[Any] = ()) -> int:
        """How many rows a statement changed."""
        with _errors_of(self._path):
            return self._connection.execute(statement, tuple(values)).rowcount

    def now(self) -> float:
        """This machine's clock: nobody elsewhere uses the file."""
        return time.time()

    def announce(self) -> None:
        """Nothing to do: whoever watches sees every commit."""


def _begin_reading(rows: _Rows, _path: Path, _wait: float) -> None:
    rows.run("BEGIN")


def _begin_writing(rows: _Rows, path: Path, wait: float) -> None:
    with _errors_of(path), next_to_write(path.parent, wait) as left:
        if left == wait:
            rows.run("BEGIN IMMEDIATE")
            return
        rows.run(f"PRAGMA busy_timeout = {_milliseconds(left)}")
        try:
            rows.run("BEGIN IMMEDIATE")
        finally:
            rows.run(f"PRAGMA busy_timeout = {_milliseconds(wait)}")


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


class _Watch:
    """Sees that there were commits by the number that SQLite keeps of them."""

    def __init__(self, path: Path, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._open: sqlite3.Connection | None = None
        self._file = (-1, -1)
        self._seen = self._version()

    def changed(self, timeout: float) -> bool:
        """Wait until there was a commit since this was last asked, at most `timeout` seconds."""
        end = time.monotonic() + timeout
        while True:
            version = self._version()
            if version != self._seen:
                self._seen = version
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_LOOK, left))

    def close(self) -> None:
        connection, self._open = self._open, None
        if connection is not None:
            with _errors_of(self._path):
                connection.close()

    def _version(self) -> tuple[int, int, int]:
        """Another one after every commit of another connection, and in every file that was opened here."""
        try:
            if self._open is not None and _identity(self._path) != self._file:
                self.close()
            if self._open is None:
                self._open = _open(self._path, self._wait)
                self._file = _identity(self._path)
            with _errors_of(self._path):
                [(version,)] = self._open.execute("PRAGMA data_version").fetchall()
        except GuardhouseError:
            self._open = None
            self._seen = (-1, -1, -1)  # whatever comes then may have been changed meanwhile
            raise
        return (*self._file, version)


# Opening


def _identity(path: Path) -> tuple[int, int]:
    """What a file is, whatever its name; nothing at all if there is none."""
    try:
        status = path.stat()
    except OSError:
        return (-1, -1)
    return status.st_dev, status.st_ino


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
    """A new, empty database in place at once, whole, or not at all; the first of two that make it wins.

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
    newest = len(migrating.steps("sqlite"))
    if version > newest:
        raise GuardhouseError(
            f"The database {path} was made by a newer Guardhouse.", fix="Update Guardhouse on this machine."
        )
    if version < 1:
        raise GuardhouseError(f"{path} is no database of ours.", fix="Move it away; a new one will be made.")
    if version < newest:
        _migrate(connection)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the database to the newest version, in one transaction; of two that try at once, the second finds it so."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        [(version,)] = connection.execute("PRAGMA user_version").fetchall()
        steps = migrating.steps("sqlite")
        for step in steps[version:]:
            for statement in migrating.statements(step):
                connection.execute(statement)
        if version < len(steps):
            connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise


def _check_directory(directory: Path) -> None:
    status = directory.stat()
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise GuardhouseError(
            f"The directory {directory} is not yours alone to write to.", fix="Give it a directory of yours."
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
            f"The database {path} can't be opened: {error.strerror}.", fix="Check its directory."
        ) from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        for names, what, fix in _KINDS:
            if name.startswith(names):
                raise GuardhouseError(f"The database {path} {what} ({name}).", fix=fix) from None
        raise GuardhouseError(
            f"The database {path} failed ({name}).", fix="Look after its disk, then report it."
        ) from None
    except (UnicodeEncodeError, OverflowError):
        raise GuardhouseError(f"The database {path} can't keep a value.", fix="Use well-formed text.") from None
