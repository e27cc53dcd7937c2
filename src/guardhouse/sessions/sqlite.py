"""Sessions in a SQLite file, for any number of processes at once, each of which may live for one call only.

No session is ever loaded: an append and a look-up touch the rows they are about. The file is in WAL mode with
`synchronous=NORMAL`: a process that is killed loses nothing that was committed; a power failure may lose the last
events, whole ones, and never damages the file. That is enough here, because a power failure also ends the agent whose
session it was.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import (
    GRADES,
    GuardhouseError,
    KeptObject,
    NewEvent,
    NewObject,
    Occurrence,
    SessionEvent,
    SessionEventKind,
)
from guardhouse.sessions.fingerprints import KEY_SIZE, SessionKey, checked_key
from guardhouse.sessions.intake import Row, answer, first_rows, kin_asked, session_is_full, slot_asked, take_in
from guardhouse.sessions.interface import (
    DEFAULT_SESSION_LIMITS,
    KeptTurn,
    Origins,
    SessionLimits,
    SessionOutline,
    Summary,
    Tally,
    Value,
)
from guardhouse.sessions.rows import EVENT_COLUMNS, GRADE_AT, event_of, objects_as_kept, objects_of, outline_of, row_of
from guardhouse.sessions.schema import MIGRATIONS, SETUP, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from guardhouse.sessions.intake import Intake

_PATIENCE: Final = 15.0
"""Seconds to wait for other processes that write."""
_SLICES: Final = 32
_SLICE: Final = 2**64 // _SLICES
_LOWEST: Final = -(2**63)
_REMOVED_AT_ONCE: Final = 5_000
"""Rows, or pages, that are removed before other processes get their turn."""

_TABLES: Final = {"recent": "fingerprint", "settled": "fingerprint", "object": "seq", "event": "seq", "turn": "seq"}
"""What a session has many rows of, and the column that they are removed by."""
_AT_ONCE: Final = 400
"""Values that one statement asks for."""
_ADD_TO_TALLY: Final = (
    "INSERT INTO tally (session, kind, grade, events, indexed, capped, last_seq, cut) VALUES (?, ?, ?, 1, ?, ?, ?, ?) "
    "ON CONFLICT (session, kind, grade) DO UPDATE SET events = events + 1, indexed = indexed + excluded.indexed, "
    "capped = capped + excluded.capped, last_seq = excluded.last_seq, cut = cut + excluded.cut"
)
_RECENT: Final = (
    "SELECT s.id, s.tag, s.name, (SELECT at FROM event WHERE session = s.id AND seq = 1), s.touched, "  # noqa: S608
    "s.last_seq, (SELECT coalesce(sum(events), 0) FROM tally WHERE session = s.id AND grade = "
    f"{GRADES.index('untrusted')}) FROM session AS s "
    "WHERE s.last_seq > 0 {where} ORDER BY s.id DESC LIMIT ?"
)
# A row moves only if its slot has room, and if its grade had room before: exactly the first of a slot, and of a grade a
# few more than count, because rows that move together are not counted. Who reads them picks the first, and finds the
# same as if none had been dropped (see `first_rows`).
_SETTLE: Final = (
    "INSERT INTO settled SELECT * FROM recent AS r WHERE session = ?1 AND fingerprint BETWEEN ?2 AND ?3 "
    "AND (SELECT count(*) FROM settled AS s "
    "WHERE s.session = ?1 AND s.fingerprint = r.fingerprint AND s.grade = r.grade) < ?4 "
    "AND (SELECT count(*) FROM settled AS s WHERE s.session = ?1 AND s.fingerprint = r.fingerprint "
    "AND s.grade = r.grade AND s.slot = r.slot) "
    "+ (SELECT count(*) FROM recent AS e WHERE e.session = ?1 AND e.fingerprint = r.fingerprint "
    "AND e.grade = r.grade AND e.slot = r.slot AND e.seq < r.seq) < ?5"
)

# The latest of all are kept, and some more of the user's own. Of fewer than that, the inner queries give nothing.
_TRIM_TURNS: Final = (
    "DELETE FROM turn WHERE session = ? "
    "AND seq <= (SELECT seq FROM turn WHERE session = ? ORDER BY seq DESC LIMIT 1 OFFSET ?) "
    "AND (own = 0 OR seq <= (SELECT seq FROM turn WHERE session = ? AND own = 1 ORDER BY seq DESC LIMIT 1 OFFSET ?))"
)

_INHERITED: Final[list[sqlite3.Connection]] = []
"""Connections that a fork copied into this process. They are the parent's: used or closed here, they would harm it."""


class SQLiteSessions:
    """A SessionIndex in the file `path`, which is made when it is first needed: mode 0600, in a directory of 0700."""

    def __init__(
        self,
        path: Path,
        key: bytes,
        *,
        limits: SessionLimits = DEFAULT_SESSION_LIMITS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = Path(os.path.abspath(path))  # noqa: PTH100 - links are not to be followed
        self._key = checked_key(key)
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def append(
        self,
        session_id: str,
        event: NewEvent,
        values: Iterable[Value] = (),
        objects: Sequence[NewObject] = (),
        *,
        cut: bool = False,
        turn: KeptTurn | None = None,
    ) -> int:
        """See SessionIndex. It is committed when this returns."""
        key = SessionKey(self._key, session_id)
        intake = take_in(key, event, values, self._limits, objects, cut=cut)
        with self._transaction("IMMEDIATE") as connection:
            return self._add(connection, key, intake, turn)

    def origins(self, session_id: str, values: Iterable[Value], *, most: int | None = None) -> dict[Value, Origins]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        asked = {(slot, value): (slot_asked(key, slot), key.fingerprint(value)) for slot, value in values}
        with self._transaction() as connection:
            session = _session(connection, key.tag)
            if session is None:
                return dict.fromkeys(asked, Origins())
            wanted = {fingerprint for _, fingerprint in asked.values()}
            stored = _rows(connection, session, wanted, firsts=most is not None)
            answers = {
                pair: answer(first_rows(stored[fingerprint], self._limits), slot, self._limits, most)
                for pair, (slot, fingerprint) in asked.items()
                if fingerprint in stored
            }
            events = _events_at(connection, session, {row.seq for rows, _ in answers.values() for row in rows})
            found = dict.fromkeys(asked, Origins())
            for pair, (rows, capped) in answers.items():
                if any(events[row.seq].grade != GRADE_AT[row.grade] for row in rows):
                    raise _unusable(self._path, "damaged, a value and its event differ")
                found[pair] = Origins(tuple(Occurrence(events[row.seq], row.slot) for row in rows), capped)
            return found

    def events(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[SessionEvent]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            rows = connection.execute(
                f"SELECT {EVENT_COLUMNS} FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",  # noqa: S608
                (_session(connection, key.tag), max(after, 0), max(limit, 0)),
            )
            return [event_of(row) for row in rows]

    def last(self, session_id: str, kind: SessionEventKind) -> SessionEvent | None:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            session = _session(connection, key.tag)
            (seq,) = connection.execute(
                "SELECT max(last_seq) FROM tally WHERE session = ? AND kind = ?", (session, kind)
            ).fetchone()
            return None if session is None or seq is None else _event_at(connection, session, seq)

    def latest(self, session_id: str, kind: SessionEventKind, *, limit: int) -> list[SessionEvent]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            rows = connection.execute(
                f"SELECT {EVENT_COLUMNS} FROM event WHERE session = ? AND kind = ? ORDER BY seq DESC LIMIT ?",  # noqa: S608
                (_session(connection, key.tag), kind, max(limit, 0)),
            )
            return [event_of(row) for row in rows][::-1]

    def objects(self, session_id: str, seqs: Iterable[int]) -> dict[int, tuple[KeptObject, ...]]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            session = _session(connection, key.tag)
            rows = _by_seq(connection, "SELECT seq, kept FROM object", session, seqs)
            return {seq: objects_of(kept) for seq, kept in rows}

    def turns(self, session_id: str) -> list[KeptTurn]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT sealed, own, seq FROM turn WHERE session = ? ORDER BY seq", (_session(connection, key.tag),)
            )
            return [KeptTurn(bytes(sealed), bool(own), int(seq)) for sealed, own, seq in rows]

    def summary(self, session_id: str) -> Summary:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT kind, grade, events, indexed, capped, last_seq, cut FROM tally WHERE session = ?",
                (_session(connection, key.tag),),
            )
            tallies = (Tally(kind, GRADE_AT[grade], *counts) for kind, grade, *counts in rows)
            return Summary(tuple(sorted(tallies, key=lambda tally: (tally.kind, tally.grade))))

    def recent(self, limit: int, *, before: int | None = None, beginning: str = "") -> list[SessionOutline]:
        """See SessionIndex."""
        where, values = "", list[Any]()
        if before is not None:
            where, values = f"{where} AND s.id < ?", [*values, before]
        if beginning:
            where, values = f"{where} AND s.kin = ?", [*values, kin_asked(self._key, beginning)]
        with self._transaction() as connection:
            rows = connection.execute(_RECENT.format(where=where), (*values, max(limit, 0)))
            return [outline_of(row, self._key) for row in rows]

    def forget(self, session_id: str) -> bool:
        """See SessionIndex. The session is gone at once and as a whole; its rows are then overwritten and given back
        bit by bit, so that others need not wait. If that is interrupted, the next `forget` or `expire` goes on."""
        key = SessionKey(self._key, session_id)
        return self._drop("tag = ?", key.tag) > 0

    def expire(self, older_than: float) -> int:
        """See SessionIndex, and `forget`."""
        return self._drop("touched < ?", older_than)

    def close(self) -> None:
        """See SessionIndex."""
        self._leave_parent()
        with self._lock:
            self._disconnect()

    def _add(self, connection: sqlite3.Connection, key: SessionKey, intake: Intake, turn: KeptTurn | None) -> int:
        session, seq = self._next_place(connection, key)
        grade = GRADES.index(intake.event.grade)
        (taken,) = connection.execute(
            "SELECT coalesce(sum(indexed), 0) FROM tally WHERE session = ? AND grade = ?", (session, grade)
        ).fetchone()
        event, marks, capped, objects, cut = intake.within(self._limits.values_per_grade - taken)
        at = self._clock()
        connection.execute(
            f"INSERT INTO event (session, {EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (session, *row_of(event, seq, at, capped=capped)),
        )
        connection.executemany(
            "INSERT INTO recent VALUES (?, ?, ?, ?, ?)",
            [(session, fingerprint, grade, slot, seq) for fingerprint, slot in sorted(marks)],
        )
        if objects:
            connection.execute("INSERT INTO object VALUES (?, ?, ?)", (session, seq, objects_as_kept(objects)))
        if turn is not None:
            connection.execute("INSERT INTO turn VALUES (?, ?, ?, ?)", (session, seq, turn.own, turn.sealed))
            kept = self._limits.turns, self._limits.own_turns
            connection.execute(_TRIM_TURNS, (session, session, kept[0], session, kept[1]))
        connection.execute(_ADD_TO_TALLY, (session, event.kind, grade, len(marks), capped, seq, cut))
        connection.execute("UPDATE session SET last_seq = ?, touched = ? WHERE id = ?", (seq, at, session))
        self._settle(connection, session, seq)
        return seq

    def _next_place(self, connection: sqlite3.Connection, key: SessionKey) -> tuple[int, int]:
        """The session's number, and the `seq` of its next event."""
        known = connection.execute("SELECT id, last_seq, kin FROM session WHERE tag = ?", (key.tag,)).fetchone()
        last_seq = known[1] if known else 0
        if last_seq >= self._limits.events:
            raise session_is_full(self._limits)
        if known:
            if known[2] is None:  # of before names were kept
                connection.execute(
                    "UPDATE session SET name = ?, kin = ? WHERE id = ?", (key.sealed_name, key.kin, known[0])
                )
            return known[0], last_seq + 1
        made = connection.execute(
            "INSERT INTO session (tag, last_seq, touched, name, kin) VALUES (?, 0, 0, ?, ?)",
            (key.tag, key.sealed_name, key.kin),
        )
        if made.lastrowid is None:
            raise GuardhouseError("A new session got no number.", fix=_FIX)
        return made.lastrowid, 1

    def _settle(self, connection: sqlite3.Connection, session: int, seq: int) -> None:
        """Move this event's slice of the recent rows to the settled ones."""
        low = _LOWEST + seq % _SLICES * _SLICE
        limits = (self._limits.occurrences_per_grade, self._limits.occurrences_per_slot)
        connection.execute(_SETTLE, (session, low, low + _SLICE - 1, *limits))
        connection.execute(
            "DELETE FROM recent WHERE session = ? AND fingerprint BETWEEN ? AND ?", (session, low, low + _SLICE - 1)
        )

    def _drop(self, condition: str, value: bytes | float) -> int:
        """Take sessions out of the index, then clear away what they leave."""
        with self._transaction("IMMEDIATE") as connection:
            found = connection.execute(f"SELECT id FROM session WHERE {condition}", (value,)).fetchall()  # noqa: S608
            connection.executemany("INSERT INTO dropped VALUES (?)", found)
            connection.executemany("DELETE FROM session WHERE id = ?", found)
            left = connection.execute("SELECT session FROM dropped").fetchall()
        for (session,) in left:
            for table, order in _TABLES.items():
                while self._remove_some(table, order, session):
                    pass
            with self._transaction("IMMEDIATE") as connection:
                connection.execute("DELETE FROM tally WHERE session = ?", (session,))
                connection.execute("DELETE FROM dropped WHERE session = ?", (session,))
        if left:
            self._give_back()
        return len(found)

    def _remove_some(self, table: str, order: str, session: int) -> bool:
        """Remove some rows of a session that was dropped. False if none are left."""
        with self._transaction("IMMEDIATE") as connection:
            limit = connection.execute(
                f"SELECT {order} FROM {table} WHERE session = ? ORDER BY {order} LIMIT 1 OFFSET ?",  # noqa: S608
                (session, _REMOVED_AT_ONCE),
            ).fetchone()
            if limit is None:
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608
                return False
            connection.execute(f"DELETE FROM {table} WHERE session = ? AND {order} <= ?", (session, *limit))  # noqa: S608
            return True

    def _give_back(self) -> None:
        """Shrink the file, and empty the log, which still holds what was removed."""
        free = -1
        while True:
            with self._connected() as connection:
                before, (free,) = free, connection.execute("PRAGMA freelist_count").fetchone()
                if free in (0, before):
                    break
                connection.execute(f"PRAGMA incremental_vacuum({_REMOVED_AT_ONCE})").fetchall()
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextmanager
    def _transaction(self, mode: str = "DEFERRED") -> Iterator[sqlite3.Connection]:
        with self._connected() as connection, _whole(connection, mode):
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time. What SQLite complains of becomes a GuardhouseError."""
        self._leave_parent()
        with self._lock:
            try:
                connection = self._connect()
                yield connection
            except sqlite3.Error as error:
                raise _unusable(self._path, _name(error)) from error
            except OSError as error:
                raise _unusable(self._path, error.strerror or type(error).__name__) from error
            except (msgspec.DecodeError, KeyError, TypeError) as error:
                raise _unusable(self._path, f"damaged, {type(error).__name__}") from error

    def _leave_parent(self) -> None:
        """After a fork: forget the parent's connection and its lock, which another thread may have held."""
        if self._process != os.getpid():
            self._lock = threading.Lock()
            self._process = os.getpid()
            if self._connection is not None:
                _INHERITED.append(self._connection)
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
        """The open connection, or a new one if the file is not the one that was opened."""
        if self._connection is not None and _identity(self._path) == self._file:
            return self._connection
        self._disconnect()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_directory(self._path.parent)
        _make_if_missing(self._path)
        self._file = _identity(self._path)
        self._connection = _open(self._path)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()


def _rows(
    connection: sqlite3.Connection, session: int, fingerprints: Iterable[int], *, firsts: bool = False
) -> dict[int, list[Row]]:
    """What is kept of values, by their fingerprints, in a few statements for any number of them. `firsts`: of each role
    and grade the first, where it only matters who had a value; what every event has costs no more then."""
    seq, group = ("min(seq)", " GROUP BY fingerprint, slot, grade") if firsts else ("seq", "")
    found: dict[int, list[Row]] = {}
    wanted = sorted(fingerprints)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        for table in ("settled", "recent"):
            rows = connection.execute(
                f"SELECT fingerprint, {seq}, slot, grade FROM {table} "  # noqa: S608
                f"WHERE session = ? AND fingerprint IN ({marks}){group}",
                (session, *some),
            )
            for fingerprint, *row in rows:
                found.setdefault(fingerprint, []).append(Row._make(row))
    return found


def check_index(path: Path) -> bool:
    """Whether there is an index at `path`; one that is not there is not made by looking. GuardhouseError if it can't be
    opened, read through or written."""
    if not os.path.lexists(path):
        return False
    index = SQLiteSessions(path, os.urandom(KEY_SIZE))  # of no matter: no value is looked for
    try:
        with index._connected() as connection:
            [(first,), *_] = connection.execute("PRAGMA quick_check(1)").fetchall()
            if first != "ok":
                raise _unusable(path, "damaged")
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute("INSERT INTO dropped VALUES (-1)")
            finally:
                connection.execute("ROLLBACK")
    finally:
        index.close()
    return True


_FIX: Final = "If it does not pass, move the file and its -wal and -shm away: sessions then start afresh."


def _unusable(path: Path, why: str) -> GuardhouseError:
    return GuardhouseError(f"The session index {path} can't be used: {why}.", fix=_FIX)


def _name(error: sqlite3.Error) -> str:
    """SQLite's name for an error. Its text is not used: it may quote."""
    return getattr(error, "sqlite_errorname", None) or type(error).__name__


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is there. Anything but a private file of this user's is refused.

    It is only looked at: opening and closing it here would undo SQLite's locks on it in this process.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise GuardhouseError(
            f"The session index {path} is not a file of yours that only you can read.", fix="Move it away."
        )
    return status.st_dev, status.st_ino


def _make_if_missing(path: Path) -> None:
    """Put a new, empty index in place, whole. The first of several processes that do so wins."""
    leftover = os.path.lexists(f"{path}-wal")
    if _identity(path) is not None:
        return
    if leftover:  # SQLite would take it for the new file's
        raise GuardhouseError(f"The session index {path} is gone, but its -wal is there.", fix="Remove the -wal.")
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        connection = sqlite3.connect(draft, isolation_level=None)
        try:
            for statement in SETUP:
                connection.execute(statement).fetchall()
            _migrate(connection)
        finally:
            connection.close()
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _check_directory(directory: Path) -> None:
    status = os.stat(directory)  # noqa: PTH116 - no more than a look
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise GuardhouseError(
            f"Others could change what is in {directory}.", fix="Make it yours, with `chmod 700`, or choose another."
        )


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        version = _version(connection)
        _check_version(version, path)
        if version < VERSION:
            _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(version: int, path: Path) -> None:
    if version > VERSION:
        raise GuardhouseError(f"The session index {path} is of a newer Guardhouse.", fix="Update this one.")
    if version < 1:  # an index is put in place with its tables, so this is none
        raise _unusable(path, "it is no session index")


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date; one process does it, others wait and find it done."""
    with _whole(connection, "IMMEDIATE"):
        for step in MIGRATIONS[_version(connection) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def _whole(connection: sqlite3.Connection, mode: str) -> Iterator[None]:
    """A transaction: everything in it happens, or nothing."""
    try:
        connection.execute(f"BEGIN {mode}")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _session(connection: sqlite3.Connection, tag: bytes) -> int | None:
    row = connection.execute("SELECT id FROM session WHERE tag = ?", (tag,)).fetchone()
    return None if row is None else int(row[0])


def _event_at(connection: sqlite3.Connection, session: int, seq: int) -> SessionEvent:
    row = connection.execute(
        f"SELECT {EVENT_COLUMNS} FROM event WHERE session = ? AND seq = ?",  # noqa: S608
        (session, seq),
    ).fetchone()
    if row is None:
        raise GuardhouseError("The session index names an event that is not there.", fix=_FIX)
    return event_of(row)


def _events_at(connection: sqlite3.Connection, session: int, seqs: Iterable[int]) -> dict[int, SessionEvent]:
    """The events at these places, in a few statements for any number of them."""
    wanted = tuple(seqs)
    found = [event_of(row) for row in _by_seq(connection, f"SELECT {EVENT_COLUMNS} FROM event", session, wanted)]  # noqa: S608
    if len(found) != len(wanted):
        raise GuardhouseError("The session index names an event that is not there.", fix=_FIX)
    return {event.seq: event for event in found}


def _by_seq(
    connection: sqlite3.Connection, select: str, session: int | None, seqs: Iterable[int]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a session at these places."""
    wanted = sorted(set(seqs))
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        yield from connection.execute(f"{select} WHERE session = ? AND seq IN ({marks})", (session, *some))
