"""The file of the index: opened privately, made when it is missing, made anew when it is damaged or of another version.

It is a cache. So whatever is wrong with it is put right by throwing it away, and only a failure to make another is
anybody's business.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from guardhouse.audit.index.tables import NAMES, TABLES, VERSION
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PATIENCE: Final = 5.0
"""Seconds that one question may take, and that is waited for another process that writes."""
_READERS: Final = 4
_WRITER_PAGES: Final = -16_000
_READER_PAGES: Final = -4_000
"""Kibibytes of the file that a connection keeps in memory."""
_STEPS: Final = 50_000
_DAMAGE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_MISMATCH")
"""What a damaged file leads to. `SQLITE_ERROR` is a table or a column that is not there."""
FIX: Final = (
    "The record itself is not affected. Make room, or mend the directory; the index can be removed at any time."
)


class Damaged(Exception):
    """The file is not an index, or not a whole one."""


class IndexFile:
    """The file at `path`: one connection that writes, and a few that read."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._writing = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._writer_file: tuple[int, int] | None = None
        self._places = threading.BoundedSemaphore(_READERS)
        self._readers: list[tuple[sqlite3.Connection, tuple[int, int]]] = []

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that writes: all of it or nothing. Damaged if the file is; GuardhouseError if it can't be
        made or written."""
        with self._writing, self._told():
            connection = self._open_writer()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # what is wrong was said by the error that led here
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The file as it stands at one moment. A question that takes too long is a GuardhouseError."""
        with self._places, self._told():
            connection, identity = self._open_reader()
            deadline = time.monotonic() + _PATIENCE
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            try:
                connection.execute("BEGIN")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()
                raise
            self._readers.append((connection, identity))

    def remove(self) -> None:
        """Throw the file away. GuardhouseError if that can't be done."""
        with self._writing:
            self._close_writer()
            try:
                for end in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            except OSError as error:
                raise _unusable(self.path, error.strerror or type(error).__name__) from error

    def close(self) -> None:
        """Let go of the file. It opens again if it is used again."""
        with self._writing:
            self._close_writer()
        while self._readers:
            self._readers.pop()[0].close()

    def _open_writer(self) -> sqlite3.Connection:
        try:
            identity = _identity(self.path)
            if self._writer is not None and identity is not None and identity == self._writer_file:
                return self._writer
            self._close_writer()
            if identity is None:
                _make(self.path)
            self._writer_file = _identity(self.path)
            self._writer = _connect(self.path, _WRITER_PAGES)
        except OSError as error:
            raise _unusable(self.path, error.strerror or type(error).__name__) from error
        return self._writer

    def _close_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(sqlite3.Error):  # a damaged file can't always be closed in good order
                writer.close()

    def _open_reader(self) -> tuple[sqlite3.Connection, tuple[int, int]]:
        identity = _identity(self.path)
        if identity is None:
            raise Damaged
        while self._readers:
            connection, of = self._readers.pop()
            if of == identity:
                return connection, of
            connection.close()
        return _connect(self.path, _READER_PAGES), identity

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", None) or type(error).__name__
            if name.startswith(_DAMAGE) or isinstance(error, sqlite3.IntegrityError):
                raise Damaged from error
            why = "the question takes too long" if name == "SQLITE_INTERRUPT" else name
            raise _unusable(self.path, why) from error


def _connect(path: Path, pages: int) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = {pages}")
        connection.execute("PRAGMA temp_store = MEMORY")
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    """Whether the tables are there, and of this version. What is wrong inside them shows when they are used."""
    [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if version != VERSION or not tables.issuperset(NAMES):
        raise Damaged


def _make(path: Path) -> None:
    """Put a new, empty index in place, whole. The first of several processes that do so wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for end in ("-wal", "-shm"):  # SQLite would take them for the new file's
        path.with_name(path.name + end).unlink(missing_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        connection = sqlite3.connect(draft, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            make_tables(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        finally:
            connection.close()
        with suppress(FileExistsError):  # another process was faster
            os.link(draft, path)
    finally:
        draft.unlink()


def make_tables(connection: sqlite3.Connection) -> None:
    """Empty tables, whatever was in them; inside a transaction."""
    for name in NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in TABLES:
        connection.execute(statement)
    epoch = int.from_bytes(os.urandom(6), "big")
    connection.execute("INSERT INTO place VALUES (1, 0, 0, 0, 0, '', 0, ?, ?)", (os.urandom(16), epoch))


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is there; None if there is none. It is only looked at: to open and close it would undo SQLite's locks
    on it in this process."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise GuardhouseError(
            f"The index {path} is not a file of yours that only you can read.", fix="Remove it: another is made."
        )
    return status.st_dev, status.st_ino


def _unusable(path: Path, why: str) -> GuardhouseError:
    return GuardhouseError(f"The index over the record, {path}, can't be used: {why}.", fix=FIX)
