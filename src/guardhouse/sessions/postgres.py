"""Sessions in a PostgreSQL database, for any number of nodes: what one of them let in, all of them know of.

It takes in, leaves out and answers what the index in a SQLite file does. An append holds the row of its session, so
those to one session follow each other and those to others do not wait; nobody waits for requests for approval. An
event is on disk when `append` has returned.
"""

from __future__ import annotations

from contextlib import contextmanager
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
from guardhouse.sessions.fingerprints import SessionKey, checked_key
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from guardhouse.database import PostgresDatabase, Rows
    from guardhouse.sessions.intake import Intake, Mark

_PATIENCE: Final = 15.0
"""Seconds to wait for others that append to the same session."""
_DAY: Final = 86_400.0
_EXPIRED: Final = "sessions.expired"
"""The lease of whoever removes old sessions. It is kept for a day, so nobody else does so meanwhile."""
_REMOVED_AT_ONCE: Final = 20_000
"""Rows that are removed in one transaction: a statement may not take long, and sessions may be large."""
_TABLES: Final = ("session_occurrences", "session_objects", "session_turns", "session_events", "session_tallies")
"""What is left of a session that was dropped."""

_SESSION: Final = "(SELECT number FROM agent_sessions WHERE tag = ?)"
_NOW: Final = "extract(epoch FROM clock_timestamp())::float8"
# The row is locked from here on until the transaction ends, whether it was there or not.
_NEXT_PLACE: Final = (
    "INSERT INTO agent_sessions (tag, name, kin, last_seq, touched) "  # noqa: S608
    f"VALUES (?, ?, ?, 1, coalesce(?::float8, {_NOW})) "
    "ON CONFLICT (tag) DO UPDATE SET last_seq = agent_sessions.last_seq + 1, touched = excluded.touched, "
    "name = coalesce(agent_sessions.name, excluded.name), kin = coalesce(agent_sessions.kin, excluded.kin) "
    "RETURNING number, last_seq, touched"
)
_RECENT: Final = (
    "SELECT s.number, s.tag, s.name, (SELECT at FROM session_events WHERE session = s.number AND seq = 1), "  # noqa: S608
    "s.touched, s.last_seq, (SELECT coalesce(sum(events), 0) FROM session_tallies WHERE session = s.number AND grade = "
    f"{GRADES.index('untrusted')}) FROM agent_sessions AS s "
    "WHERE true {where} ORDER BY s.number DESC LIMIT ?"
)
_ADD_EVENT: Final = f"INSERT INTO session_events (session, {EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
# A row is kept only if its slot has room, and if its grade had room before this event: exactly the first of a slot, and
# of a grade a few more than count. Who reads them picks the first, and finds the same as if none had been left out (see
# `first_rows`). Each value is looked for by itself, by the table's key, however many there are in the event.
_ADD_OCCURRENCES: Final = (
    "INSERT INTO session_occurrences (session, fingerprint, seq, grade, slot) "
    "SELECT ?, mark.fingerprint, ?, ?, mark.slot FROM unnest(?::bigint[], ?::text[]) AS mark (fingerprint, slot) "
    "CROSS JOIN LATERAL (SELECT count(*) AS in_grade, count(*) FILTER (WHERE kept.slot = mark.slot) AS in_slot "
    "FROM session_occurrences AS kept "
    "WHERE kept.session = ? AND kept.fingerprint = mark.fingerprint AND kept.grade = ?) AS known "
    "WHERE known.in_grade < ? AND known.in_slot < ?"
)
_ADD_TO_TALLY: Final = (
    "INSERT INTO session_tallies AS t (session, kind, grade, events, indexed, capped, last_seq, cut) "
    "VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT (session, kind, grade) DO UPDATE SET events = t.events + 1, "
    "indexed = t.indexed + excluded.indexed, capped = t.capped + excluded.capped, last_seq = excluded.last_seq, "
    "cut = t.cut + excluded.cut"
)
# OFFSET 0 keeps the inner query what it is, a look by the table's key for each value: joined in another way, it could
# become a walk through the whole session.
_LOOK_UP: Final = (
    "SELECT asked.fingerprint, seen.seq, seen.slot, seen.grade FROM unnest(?::bigint[]) AS asked (fingerprint) "  # noqa: S608
    "CROSS JOIN LATERAL (SELECT {seq} AS seq, slot, grade FROM session_occurrences "
    f"WHERE session = {_SESSION} AND fingerprint = asked.fingerprint {{group}} OFFSET 0) AS seen"
)
_ALL: Final = _LOOK_UP.format(seq="seq", group="")
_FIRSTS: Final = _LOOK_UP.format(seq="min(seq)", group="GROUP BY grade, slot")
"""Of each role and grade the first, where it only matters who had a value."""

# The latest of all are kept, and some more of the user's own. Of fewer than that, the inner queries give nothing.
_TRIM_TURNS: Final = (
    "DELETE FROM session_turns WHERE session = ? "
    "AND seq <= (SELECT seq FROM session_turns WHERE session = ? ORDER BY seq DESC LIMIT 1 OFFSET ?) "
    "AND (NOT own OR seq <= "
    "(SELECT seq FROM session_turns WHERE session = ? AND own ORDER BY seq DESC LIMIT 1 OFFSET ?))"
)


class PostgresSessions:
    """A SessionIndex in a database that several nodes share. Without a clock, time is the database's."""

    def __init__(
        self,
        database: PostgresDatabase,
        key: bytes,
        *,
        limits: SessionLimits = DEFAULT_SESSION_LIMITS,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._database = database
        self._key = checked_key(key)
        self._limits = limits
        self._clock = clock

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
        """See SessionIndex. It is on disk when this returns."""
        key = SessionKey(self._key, session_id)
        intake = take_in(key, event, values, self._limits, objects, cut=cut)
        with self._database.beside(wait=_PATIENCE) as rows:
            return self._add(rows, key, intake, turn)

    def origins(self, session_id: str, values: Iterable[Value], *, most: int | None = None) -> dict[Value, Origins]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        asked = {(slot, value): (slot_asked(key, slot), key.fingerprint(value)) for slot, value in values}
        found = dict.fromkeys(asked, Origins())
        if not asked:
            return found
        with self._database.reading() as rows, _sound():
            wanted = {fingerprint for _, fingerprint in asked.values()}
            stored = _rows(rows, key.tag, wanted, firsts=most is not None)
            answers = {
                pair: answer(first_rows(stored[fingerprint], self._limits), slot, self._limits, most)
                for pair, (slot, fingerprint) in asked.items()
                if fingerprint in stored
            }
            events = _events_at(rows, key.tag, {row.seq for listed, _ in answers.values() for row in listed})
            for pair, (listed, capped) in answers.items():
                if any(events[row.seq].grade != GRADE_AT[row.grade] for row in listed):
                    raise _unusable("a value and its event differ")
                found[pair] = Origins(tuple(Occurrence(events[row.seq], row.slot) for row in listed), capped)
        return found

    def events(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[SessionEvent]:
        """See SessionIndex."""
        return self._events(session_id, "AND seq > ? ORDER BY seq LIMIT ?", (max(after, 0), max(limit, 0)))

    def last(self, session_id: str, kind: SessionEventKind) -> SessionEvent | None:
        """See SessionIndex."""
        found = self.latest(session_id, kind, limit=1)
        return found[0] if found else None

    def latest(self, session_id: str, kind: SessionEventKind, *, limit: int) -> list[SessionEvent]:
        """See SessionIndex."""
        return self._events(session_id, "AND kind = ? ORDER BY seq DESC LIMIT ?", (kind, max(limit, 0)))[::-1]

    def objects(self, session_id: str, seqs: Iterable[int]) -> dict[int, tuple[KeptObject, ...]]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        wanted = _array(sorted(set(seqs)))
        with self._database.reading() as rows, _sound():
            found = rows.run(
                f"SELECT seq, kept FROM session_objects WHERE session = {_SESSION} AND seq = ANY (?::bigint[])",  # noqa: S608
                (key.tag, wanted),
            )
            return {seq: objects_of(kept) for seq, kept in found}

    def turns(self, session_id: str) -> list[KeptTurn]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._database.reading() as rows, _sound():
            found = rows.run(
                f"SELECT sealed, own, seq FROM session_turns WHERE session = {_SESSION} ORDER BY seq",  # noqa: S608
                (key.tag,),
            )
            return [KeptTurn(bytes(sealed), bool(own), int(seq)) for sealed, own, seq in found]

    def summary(self, session_id: str) -> Summary:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        with self._database.reading() as rows, _sound():
            found = rows.run(
                "SELECT kind, grade, events, indexed, capped, last_seq, cut FROM session_tallies "  # noqa: S608
                f"WHERE session = {_SESSION}",
                (key.tag,),
            )
            tallies = [Tally(kind, GRADE_AT[grade], *counts) for kind, grade, *counts in found]
        return Summary(tuple(sorted(tallies, key=lambda tally: (tally.kind, tally.grade))))

    def recent(self, limit: int, *, before: int | None = None, beginning: str = "") -> list[SessionOutline]:
        """See SessionIndex. Numbers are given as sessions are begun; of two that begin at once on different nodes
        either may be the newer."""
        where, values = "", list[Any]()
        if before is not None:
            where, values = f"{where} AND s.number < ?", [*values, before]
        if beginning:
            where, values = f"{where} AND s.kin = ?", [*values, kin_asked(self._key, beginning)]
        with self._database.reading() as rows, _sound():
            found = rows.run(_RECENT.format(where=where), (*values, max(limit, 0)))
            return [outline_of(row, self._key) for row in found]

    def forget(self, session_id: str) -> bool:
        """See SessionIndex. The session is gone at once and as a whole; its rows are then removed bit by bit. If that
        is interrupted, the next `forget` or `expire` on any node goes on."""
        return self._drop("tag = ?", SessionKey(self._key, session_id).tag) > 0

    def expire(self, older_than: float) -> int:
        """See SessionIndex, and `forget`."""
        return self._drop("touched < ?", older_than)

    def expire_daily(self, age: float) -> int:
        """Remove the sessions without an event in the last `age` seconds, unless a node has done so within a day."""
        with self._database.reading() as rows:  # most processes find it done, and need not write for that
            now = rows.now() if self._clock is None else self._clock()
            if rows.run("SELECT 1 FROM leases WHERE name = ? AND until > ?", (_EXPIRED, now)):
                return 0
        with self._database.beside(wait=_PATIENCE) as rows:
            is_ours = rows.change(
                "INSERT INTO leases (name, holder, until) VALUES (?, '', ?) "
                "ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE leases.until <= ?",
                (_EXPIRED, now + _DAY, now),
            )
        return self.expire(now - age) if is_ours else 0

    def close(self) -> None:
        """See SessionIndex."""
        self._database.close()

    def _add(self, rows: Rows, key: SessionKey, intake: Intake, turn: KeptTurn | None) -> int:
        now = None if self._clock is None else self._clock()
        [(session, seq, at)] = rows.run(_NEXT_PLACE, (key.tag, key.sealed_name, key.kin, now))
        if seq > self._limits.events:
            raise session_is_full(self._limits)
        grade = GRADES.index(intake.event.grade)
        [(taken,)] = rows.run(
            "SELECT coalesce(sum(indexed), 0)::bigint FROM session_tallies WHERE session = ? AND grade = ?",
            (session, grade),
        )
        event, marks, capped, objects, cut = intake.within(self._limits.values_per_grade - taken)
        rows.run(_ADD_EVENT, (session, *row_of(event, seq, at, capped=capped)))
        if marks:
            limits = (self._limits.occurrences_per_grade, self._limits.occurrences_per_slot)
            rows.run(_ADD_OCCURRENCES, (session, seq, grade, *_columns(marks), session, grade, *limits))
        if objects:
            rows.run("INSERT INTO session_objects VALUES (?, ?, ?)", (session, seq, objects_as_kept(objects)))
        if turn is not None:
            rows.run("INSERT INTO session_turns VALUES (?, ?, ?, ?)", (session, seq, turn.own, turn.sealed))
            kept = self._limits.turns, self._limits.own_turns
            rows.change(_TRIM_TURNS, (session, session, kept[0], session, kept[1]))
        rows.run(_ADD_TO_TALLY, (session, event.kind, grade, len(marks), int(capped), seq, int(cut)))
        return int(seq)

    def _events(self, session_id: str, which: str, values: tuple[Any, ...]) -> list[SessionEvent]:
        key = SessionKey(self._key, session_id)
        with self._database.reading() as rows, _sound():
            found = rows.run(
                f"SELECT {EVENT_COLUMNS} FROM session_events WHERE session = {_SESSION} {which}",  # noqa: S608
                (key.tag, *values),
            )
            return [event_of(row) for row in found]

    def _drop(self, condition: str, value: bytes | float) -> int:
        """Take sessions out of the index, then clear away what they leave, and what others have left."""
        with self._database.beside(wait=_PATIENCE) as rows:
            # Locked in order, so that two that do this at once do not wait for each other.
            dropped = rows.change(
                "WITH old AS (DELETE FROM agent_sessions WHERE number IN "  # noqa: S608
                f"(SELECT number FROM agent_sessions WHERE {condition} ORDER BY number FOR UPDATE) RETURNING number) "
                "INSERT INTO dropped_sessions SELECT number FROM old",
                (value,),
            )
        with self._database.reading() as rows:
            left = rows.run("SELECT session FROM dropped_sessions ORDER BY session")
        for (session,) in left:
            while self._remove_some(session):
                pass
        return dropped

    def _remove_some(self, session: int) -> bool:
        """Remove some rows of a session that was dropped. False if none are left."""
        with self._database.beside(wait=_PATIENCE) as rows:
            if not rows.run("SELECT 1 FROM dropped_sessions WHERE session = ? FOR UPDATE", (session,)):
                return False  # another has finished it
            for table in _TABLES:
                removed = rows.change(
                    f"DELETE FROM {table} WHERE ctid = ANY "  # noqa: S608
                    f"(ARRAY (SELECT ctid FROM {table} WHERE session = ? LIMIT ?))",
                    (session, _REMOVED_AT_ONCE),
                )
                if removed:
                    return True
            rows.run("DELETE FROM dropped_sessions WHERE session = ?", (session,))
            return False


def _columns(marks: Iterable[Mark]) -> tuple[str, list[str]]:
    """The fingerprints and the slots of marks, side by side, in the order of the table's key."""
    ordered = sorted(marks)
    return _array(fingerprint for fingerprint, _ in ordered), [slot for _, slot in ordered]


def _array(numbers: Iterable[int]) -> str:
    """Whole numbers as PostgreSQL writes an array of them: there may be many, and this is fast."""
    return f"{{{','.join(map(str, numbers))}}}"


def _rows(rows: Rows, tag: bytes, fingerprints: Iterable[int], *, firsts: bool) -> dict[int, list[Row]]:
    """What is kept of values, by their fingerprints."""
    found: dict[int, list[Row]] = {}
    for fingerprint, *row in rows.run(_FIRSTS if firsts else _ALL, (_array(sorted(fingerprints)), tag)):
        found.setdefault(fingerprint, []).append(Row._make(row))
    return found


def _events_at(rows: Rows, tag: bytes, seqs: set[int]) -> dict[int, SessionEvent]:
    if not seqs:
        return {}
    found = rows.run(
        f"SELECT {EVENT_COLUMNS} FROM session_events WHERE session = {_SESSION} AND seq = ANY (?::integer[])",  # noqa: S608
        (tag, _array(sorted(seqs))),
    )
    if len(found) != len(seqs):
        raise _unusable("they name an event that is not there")
    return {event.seq: event for event in map(event_of, found)}


@contextmanager
def _sound() -> Iterator[None]:
    """Rows that nobody here has written are an error, which does not quote them."""
    try:
        yield
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise _unusable(f"damaged, {type(error).__name__}") from None


def _unusable(why: str) -> GuardhouseError:
    return GuardhouseError(
        f"The sessions in the PostgreSQL database can't be used: {why}.",
        fix="Restore the database, or start a new session.",
    )
