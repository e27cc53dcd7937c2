"""The tables of the session index on disk, and the numbered steps that bring an older file up to date."""

from __future__ import annotations

from typing import Final

SETUP: Final = ("PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")
"""For a new file, before its first table. Both stay with the file."""

# Fingerprints are random numbers. Put straight into one large table, each would change another page, and an event of
# 2,000 values in a long session would write 2,000 pages. So they go into `recent`, which stays small, and every event
# moves one of 32 slices of it into `settled`: neighbours go together, and a page is written for many of them at once.
# Grades are numbers, by their place in GRADES.
_FIRST: Final = (
    """CREATE TABLE session (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tag BLOB NOT NULL UNIQUE,
        last_seq INTEGER NOT NULL,
        touched REAL NOT NULL
    )""",
    """CREATE TABLE event (
        session INTEGER NOT NULL, seq INTEGER NOT NULL,
        kind TEXT NOT NULL, name TEXT NOT NULL, call_id TEXT, grade INTEGER NOT NULL, excerpt TEXT NOT NULL,
        detail TEXT, at REAL NOT NULL, capped INTEGER NOT NULL,
        PRIMARY KEY (session, seq)
    ) WITHOUT ROWID""",
    """CREATE TABLE tally (
        session INTEGER NOT NULL, kind TEXT NOT NULL, grade INTEGER NOT NULL,
        events INTEGER NOT NULL, indexed INTEGER NOT NULL, capped INTEGER NOT NULL, last_seq INTEGER NOT NULL,
        PRIMARY KEY (session, kind, grade)
    ) WITHOUT ROWID""",
    """CREATE TABLE recent (
        session INTEGER NOT NULL, fingerprint INTEGER NOT NULL, grade INTEGER NOT NULL, slot TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (session, fingerprint, grade, slot, seq)
    ) WITHOUT ROWID""",
    """CREATE TABLE settled (
        session INTEGER NOT NULL, fingerprint INTEGER NOT NULL, grade INTEGER NOT NULL, slot TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (session, fingerprint, grade, slot, seq)
    ) WITHOUT ROWID""",
    # Sessions that are gone, but whose rows are still being removed. AUTOINCREMENT never gives their number again.
    "CREATE TABLE dropped (session INTEGER PRIMARY KEY)",
)

_OBJECTS: Final = (
    # What was in an event's content, in one piece: it is only ever read as a whole.
    """CREATE TABLE object (
        session INTEGER NOT NULL, seq INTEGER NOT NULL, kept BLOB NOT NULL,
        PRIMARY KEY (session, seq)
    ) WITHOUT ROWID""",
    "CREATE INDEX event_by_kind ON event (session, kind, seq)",
)

# Events of which some values are in no row at all, so that "it occurred nowhere" is not certain.
_CUT: Final = ("ALTER TABLE tally ADD COLUMN cut INTEGER NOT NULL DEFAULT 0",)

# The id of a session, sealed under the key of the index, and what sessions have in common whose ids begin alike. Both
# are written once, when a session is begun: an index on when it was last used would be written with every event.
_NAMED: Final = (
    "ALTER TABLE session ADD COLUMN name BLOB",
    "ALTER TABLE session ADD COLUMN kin BLOB",
    "CREATE INDEX session_by_kin ON session (kin, id)",
)

# The latest words of a session, sealed, where a judge may have to read them.
_TURNS: Final = (
    """CREATE TABLE turn (
        session INTEGER NOT NULL, seq INTEGER NOT NULL, own INTEGER NOT NULL, sealed BLOB NOT NULL,
        PRIMARY KEY (session, seq)
    ) WITHOUT ROWID""",
)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, _OBJECTS, _CUT, _NAMED, _TURNS)
"""Step n brings a file from version n to n + 1. A step that was released is never changed."""

VERSION: Final = len(MIGRATIONS)
