"""Bringing the index up to where the log is, a bounded piece at a time: new lines in, and out what retention removed.

It reads the log as anybody does who reads it, without its lock, and believes only whole lines. Nothing here checks the
chain; `verify` does.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.audit.index.file import Damaged, make_tables
from guardhouse.audit.index.tables import BLOCK, SHAPE, STRETCHES
from guardhouse.audit.place import Lines, LogFile, first_line, log_files, open_to_read
from guardhouse.model import OPINIONS, GuardhouseError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

_MOST_BYTES: Final = 4_000_000
"""Of the log, in one transaction."""
_FORGOTTEN_AT_ONCE: Final = 20_000
_KEY_BITS: Final = 47
_MOST_KNOWN: Final = 20_000
"""Names whose numbers are kept in memory."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_ANSWERS: Final = frozenset({"approved", "denied"})


class _Code(msgspec.Struct, frozen=True, gc=False):
    code: str


class _Event(msgspec.Struct, frozen=True, gc=False):
    """Of an event what the index goes by. Reading no more than that is most of the speed."""

    event_id: str
    kind: str
    timestamp: str
    trace_id: str = ""
    run_id: str | None = None
    session_id: str | None = None
    call_id: str | None = None
    principal: str | None = None
    action_type: str = ""
    tool_name: str | None = None
    risk_level: str | None = None
    decision: str | None = None
    would_be: str | None = None
    reasons: tuple[_Code, ...] = ()
    findings: tuple[_Code, ...] = ()
    approval_request_id: str | None = None
    approval_status: str | None = None
    actor: str | None = None
    outcome: str | None = None
    about: str | None = None
    detail: str = ""


class _Line(msgspec.Struct, frozen=True, gc=False):
    seq: int
    event: _Event
    hash: str


_LINES: Final = msgspec.json.Decoder(_Line)


class Progress(msgspec.Struct, frozen=True):
    """How far the index is."""

    seq: int
    """The newest event that is in it."""
    done: int
    """Bytes of the log that were read,"""
    of: int
    """of so many."""
    unreadable: int
    """Lines that could not be read, and were passed over."""
    complete: bool
    """Whether everything is in it that the log held when this was looked at."""


class Place(msgspec.Struct, frozen=True):
    """How far the log was read, as the index keeps it."""

    file: str
    file_number: int
    at: int
    """Behind the last line that was read."""
    length: int
    seq: int
    hash: str
    unreadable: int
    salt: bytes
    epoch: int


def seq_in(line: bytes) -> int | None:
    """The number of the event in a line, as the index reads it; None if it would pass the line over."""
    try:
        return _LINES.decode(line).seq
    except ValueError:
        return None


def micros(timestamp: str) -> int:
    """A moment as a number; 0 for what is none."""
    try:
        then = datetime.fromisoformat(timestamp)
        return (then - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError, OverflowError):
        return 0


def key_of(salt: bytes, field: str, value: str) -> int:
    """What stands for an id in the index: too short to be certain, so whoever finds an event by it looks again."""
    digest = blake2b(f"{field}\0{value}".encode("utf-8", "surrogatepass"), key=salt, digest_size=6).digest()
    return int.from_bytes(digest, "big") >> (48 - _KEY_BITS)


def read_place(connection: sqlite3.Connection) -> Place:
    """How far the log was read."""
    rows = connection.execute(
        "SELECT coalesce(file.name, ''), place.file, at, length, seq, hash, unreadable, salt, epoch "
        "FROM place LEFT JOIN file ON file.number = place.file"
    ).fetchall()
    if len(rows) != 1:
        raise Damaged
    return Place(*rows[0])


def blocks(connection: sqlite3.Connection) -> range:
    """The blocks that there are events of, the oldest first."""
    [(first, last)] = connection.execute("SELECT (SELECT min(seq) FROM event), (SELECT max(seq) FROM event)").fetchall()
    return range(first // BLOCK, last // BLOCK + 1) if first is not None else range(0)


class Feeder:
    """Reads the log in `directory` into the tables. What it knows of them holds until their epoch changes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._epoch = -1
        self._words: dict[str, int] = {}
        self._codes: dict[tuple[frozenset[str], frozenset[str]], int] = {}
        self._shapes: dict[tuple[Any, ...], int] = {}

    def forget(self) -> None:
        """Know nothing of the tables: a transaction was taken back, or others may have changed them."""
        self._epoch = -1

    def step(self, connection: sqlite3.Connection, most: int) -> Progress:
        """Take in up to `most` events, inside a transaction. OSError and GuardhouseError if the log can't be read."""
        files = self.files()
        place = read_place(connection)
        if place.file and not self._fits(place, files):
            make_tables(connection)
            place = read_place(connection)
        kept = place
        if place.epoch != self._epoch:
            self._words, self._codes, self._shapes = {}, {}, {}
            self._epoch = place.epoch
        place = self._clear(connection, place, files)
        for file in files:
            if most <= 0 or (place.file and file < _named(place)):
                continue
            place, taken, more = self._read(connection, place, file, most)
            most -= taken
            if more:
                most = 0
        if place != kept:  # most looks find nothing, and need not write
            _keep(connection, place)
        return self._progress(place, files)

    def progress(self, place: Place) -> Progress:
        """How far `place` is, by looking at the log only."""
        return self._progress(place, self.files())

    def files(self) -> list[LogFile]:
        """The files of the log."""
        try:
            return log_files(self._directory)[0]
        except FileNotFoundError:
            return []

    def _progress(self, place: Place, files: list[LogFile]) -> Progress:
        done = of = 0
        left = False
        for file in files:
            try:
                size = os.lstat(self._directory / file.name).st_size
            except FileNotFoundError:
                continue  # retention has just removed it
            of += size
            if file.name == place.file:
                done += min(place.at, size)
                left = left or self._has_line(file, place.at, size)
            elif place.file and file < _named(place):
                done += size
            else:
                left = left or size > 0
        return Progress(place.seq, done, of, place.unreadable, not left)

    def _has_line(self, file: LogFile, start: int, size: int) -> bool:
        """Whether a whole line is there that was not read: an unfinished one is none yet."""
        if size <= start:
            return False
        handle = open_to_read(self._directory / file.name)
        try:
            return next(iter(Lines(handle, start, size)), None) is not None
        finally:
            os.close(handle)

    def _fits(self, place: Place, files: list[LogFile]) -> bool:
        """Whether the log still holds what was read of it last, or goes on after what retention removed."""
        if _named(place) not in files:
            later = next((file for file in files if file > _named(place)), None)
            return later is not None and (seq_in(first_line(self._directory, later)) or 0) > place.seq
        handle = open_to_read(self._directory / place.file)
        try:
            if not place.length:  # what was read last was no line of ours
                return os.fstat(handle).st_size >= place.at
            line = os.pread(handle, place.length, place.at - place.length)
        finally:
            os.close(handle)
        return seq_in(line) == place.seq and line.endswith(b',"hash":"%b"}\n' % place.hash.encode())

    # What is new

    def _read(self, connection: sqlite3.Connection, place: Place, file: LogFile, most: int) -> tuple[Place, int, bool]:
        """Take in lines of one file: where that leads, how many there were, and whether there may be more."""
        try:
            handle = open_to_read(self._directory / file.name)
        except FileNotFoundError:
            return place, 0, False  # retention has just removed it
        try:
            number = _file_number(connection, file.name)
            at = place.at if number == place.file_number else 0
            size = os.fstat(handle).st_size
            batch = _Batch(self, connection, place, number)
            count, stop = 0, at + _MOST_BYTES
            for line in Lines(handle, at, size):
                batch.add(line, at)
                at += len(line)
                count += 1
                if count >= most or at >= stop:
                    break
            return batch.put(file.name, at) if count else place, count, count >= most or at >= stop
        finally:
            os.close(handle)

    def word(self, connection: sqlite3.Connection, text: str | None) -> int:
        """The number of a name."""
        if text is None:
            return 0
        number = self._words.get(text)
        if number is None:
            if len(self._words) >= _MOST_KNOWN:
                self._words.clear()
            number = self._words[text] = _number(connection, "word", "text", text)
        return number

    def codes(self, connection: sqlite3.Connection, event: _Event) -> int:
        """The number of an event's codes."""
        if not event.reasons and not event.findings:
            return 0
        reasons = frozenset([one.code for one in event.reasons])
        known = (reasons, frozenset([one.code for one in event.findings]) - reasons)
        number = self._codes.get(known)
        if number is None:
            if len(self._codes) >= _MOST_KNOWN:
                self._codes.clear()
            words = [sorted(self.word(connection, code) for code in part) for part in known]
            members = ";".join(",".join(map(str, part)) for part in words)
            number = self._codes[known] = _number(connection, "codes", "members", members)
            connection.executemany(
                "INSERT OR IGNORE INTO code VALUES (?, ?, ?)",
                [(word, number, is_reason) for part, is_reason in zip(words, (1, 0), strict=True) for word in part],
            )
        return number

    def shape(self, connection: sqlite3.Connection, event: _Event) -> int:
        """The number of what is said of an event with few words."""
        said = (
            event.kind,
            event.decision,
            event.would_be,
            event.risk_level,
            event.outcome,
            event.approval_status,
            event.action_type,
            event.tool_name,
            event.principal,
            event.actor,
            self.codes(connection, event),
        )
        number = self._shapes.get(said)
        if number is None:
            if len(self._shapes) >= _MOST_KNOWN:
                self._shapes.clear()
            row = (*(self.word(connection, text) for text in said[:-1]), said[-1])
            fits = " AND ".join(f"{column} = ?" for column in SHAPE)
            found = connection.execute(f"SELECT number FROM shape WHERE {fits}", row).fetchone()  # noqa: S608
            if found is None:
                marks = ", ".join("?" * (len(row) + 1))
                found = (connection.execute(f"INSERT INTO shape VALUES ({marks})", (None, *row)).lastrowid,)  # noqa: S608
            number = self._shapes[said] = int(found[0] or 0)
        return number

    # What is gone

    def _clear(self, connection: sqlite3.Connection, place: Place, files: list[LogFile]) -> Place:
        """Take out some of what retention removed from the log, and at last the names that nothing has any more."""
        known = connection.execute("SELECT number, name FROM file ORDER BY number").fetchall()
        names = {file.name for file in files}
        gone = [number for number, name in known if name not in names and number != place.file_number]
        if not gone or self._forget_events(connection, gone[0]):
            return place
        connection.execute("DELETE FROM file WHERE number = ?", (gone[0],))
        [(first,)] = connection.execute("SELECT coalesce(min(seq), ?) FROM event", (place.seq + 1,)).fetchall()
        connection.execute("DELETE FROM tie WHERE block < ?", (first // BLOCK,))
        self._forget_names(connection)
        self._epoch = int.from_bytes(os.urandom(6), "big")
        return msgspec.structs.replace(place, epoch=self._epoch)

    def _forget_events(self, connection: sqlite3.Connection, file: int) -> bool:
        """Take out some events of a file; False if there are none."""
        rows = connection.execute(
            "SELECT seq, time, shape FROM event WHERE file = ? ORDER BY seq LIMIT ?", (file, _FORGOTTEN_AT_ONCE)
        ).fetchall()
        if not rows:
            return False
        first, last = rows[0][0], rows[-1][0]
        gone = Counter((width, time // width, shape) for _, time, shape in rows for width in STRETCHES)
        connection.executemany(
            "UPDATE stretch SET events = events - ? WHERE width = ? AND number = ? AND shape = ?",
            [(count, *cell) for cell, count in gone.items()],
        )
        connection.execute("DELETE FROM stretch WHERE events <= 0")
        connection.execute("DELETE FROM wait WHERE seq BETWEEN ? AND ?", (first, last))
        connection.execute("DELETE FROM opinion WHERE seq BETWEEN ? AND ?", (first, last))
        connection.execute("DELETE FROM event WHERE seq BETWEEN ? AND ?", (first, last))
        return True

    def _forget_names(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM shape WHERE number NOT IN (SELECT shape FROM stretch)")
        connection.execute("DELETE FROM codes WHERE number NOT IN (SELECT codes FROM shape)")
        connection.execute("DELETE FROM code WHERE codes NOT IN (SELECT number FROM codes)")
        used = " UNION ".join(f"SELECT {column} FROM shape" for column in SHAPE if column != "codes")  # noqa: S608
        connection.execute(
            f"DELETE FROM word WHERE number NOT IN ({used} UNION SELECT word FROM code UNION SELECT session FROM event)"  # noqa: S608
        )
        self._words, self._codes, self._shapes = {}, {}, {}


class _Batch:
    """Lines of one file on their way into the tables."""

    def __init__(self, feeder: Feeder, connection: sqlite3.Connection, place: Place, file: int) -> None:
        self._feeder = feeder
        self._connection = connection
        self._place = place
        self._file = file
        self._seq = place.seq
        self._hash = place.hash
        self._length = place.length if file == place.file_number else 0
        self._unreadable = place.unreadable
        self._events: list[tuple[int, ...]] = []
        self._ties: list[tuple[int, int, int]] = []
        self._waits: list[tuple[int, int]] = []
        self._opinions: list[tuple[int, int, int, str]] = []
        self._stretches: Counter[tuple[int, int, int]] = Counter()
        self._asked: dict[int, int] = {}
        """When the requests in these lines were made, by the key of their ids."""

    def add(self, data: bytes, at: int) -> None:
        """Take one line in, or count it if it can't be read or stands where it does not belong."""
        try:
            line = _LINES.decode(data)
        except ValueError:
            self._unreadable += 1
            self._length = 0
            return
        if line.seq <= self._seq or not line.hash.isascii():
            self._unreadable += 1
            self._length = 0
            return
        event, seq = line.event, line.seq
        self._seq, self._hash, self._length = seq, line.hash, len(data)
        time = micros(event.timestamp)
        shape = self._feeder.shape(self._connection, event)
        session = self._feeder.word(self._connection, event.session_id)
        self._events.append((seq, time, shape, session, self._file, at, len(data)))
        for width in STRETCHES:
            self._stretches[width, time // width, shape] += 1
        salt = self._place.salt
        for field, value in _ids(event):
            key = key_of(salt, field, value)
            self._ties.append((seq // BLOCK, key, seq))
            if field == "approval":
                self._note_wait(key, seq, time, event.approval_status)
            elif field == "about" and event.kind == "feedback" and event.detail in OPINIONS:
                actor = self._feeder.word(self._connection, event.actor)
                self._opinions.append((seq, key, actor, event.detail))

    def _note_wait(self, key: int, seq: int, time: int, status: str | None) -> None:
        if status in _ANSWERS:
            asked = self._asked.get(key)
            if asked is None:
                asked = self._time_of_first(key)
            if asked is not None:
                self._waits.append((seq, max(0, time - asked)))
        else:
            self._asked.setdefault(key, time)

    def _time_of_first(self, key: int) -> int | None:
        """When the first event was that has an id."""
        for block in blocks(self._connection):
            found = self._connection.execute(
                "SELECT event.time FROM tie CROSS JOIN event USING (seq) WHERE block = ? AND key = ? "
                "ORDER BY tie.seq LIMIT 1",
                (block, key),
            ).fetchone()
            if found is not None:
                return int(found[0])
        return None

    def put(self, name: str, at: int) -> Place:
        """Write it all; the place behind the last line."""
        run = self._connection.executemany
        run("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", self._events)
        self._ties.sort()  # neighbours go together, so that a page is written once for many
        run("INSERT OR IGNORE INTO tie VALUES (?, ?, ?)", self._ties)
        run("INSERT INTO wait VALUES (?, ?)", self._waits)
        run("INSERT INTO opinion VALUES (?, ?, ?, ?)", self._opinions)
        run(
            "INSERT INTO stretch VALUES (?, ?, ?, ?) "
            "ON CONFLICT (width, number, shape) DO UPDATE SET events = events + excluded.events",
            [(*cell, count) for cell, count in sorted(self._stretches.items())],
        )
        return msgspec.structs.replace(
            self._place,
            file=name,
            file_number=self._file,
            at=at,
            length=self._length,
            seq=self._seq,
            hash=self._hash,
            unreadable=self._unreadable,
        )


def _ids(event: _Event) -> Iterator[tuple[str, str]]:
    yield "event", event.event_id
    for field, value in (
        ("trace", event.trace_id),
        ("run", event.run_id),
        ("call", event.call_id),
        ("approval", event.approval_request_id),
        ("about", event.about),
    ):
        if value:
            yield field, value


def _named(place: Place) -> LogFile:
    return LogFile.parse(place.file) or LogFile("", 0)


def _file_number(connection: sqlite3.Connection, name: str) -> int:
    return _number(connection, "file", "name", name)


def _number(connection: sqlite3.Connection, table: str, column: str, value: str) -> int:
    """The number of a row that is made if it is not there."""
    found = connection.execute(f"SELECT number FROM {table} WHERE {column} = ?", (value,)).fetchone()  # noqa: S608
    if found is None:
        found = (connection.execute(f"INSERT INTO {table} VALUES (NULL, ?)", (value,)).lastrowid,)  # noqa: S608
    if found[0] is None:
        raise GuardhouseError("A row of the index got no number.")
    return int(found[0])


def _keep(connection: sqlite3.Connection, place: Place) -> None:
    connection.execute(
        "UPDATE place SET file = ?, at = ?, length = ?, seq = ?, hash = ?, unreadable = ?, epoch = ?",
        (
            place.file_number,
            place.at,
            place.length,
            place.seq,
            place.hash,
            place.unreadable,
            place.epoch,
        ),
    )
