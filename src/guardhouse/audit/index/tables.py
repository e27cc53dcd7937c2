"""The tables of the index over the log. They hold numbers where the log has names, so that looking through all of it
is fast; nothing in them is evidence, and a file of another version is thrown away rather than brought up to date.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = 2
"""Of the tables and of what is put into them. Whoever changes either counts it up."""

TABLES: Final = (
    # How far the log was read. `salt` keys the short digests of ids; `epoch` changes when numbers are given anew.
    """CREATE TABLE place (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        file INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL,
        unreadable INTEGER NOT NULL, salt BLOB NOT NULL, epoch INTEGER NOT NULL
    )""",
    "CREATE TABLE file (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    # Every name that occurs. 0 is no name at all.
    "CREATE TABLE word (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    # The codes of an event, together: few combinations occur. 0 is none.
    "CREATE TABLE codes (number INTEGER PRIMARY KEY, members TEXT NOT NULL UNIQUE)",
    """CREATE TABLE code (
        word INTEGER NOT NULL, codes INTEGER NOT NULL, is_reason INTEGER NOT NULL,
        PRIMARY KEY (codes, word)
    ) WITHOUT ROWID""",
    "CREATE INDEX code_by_word ON code (word, codes)",
    # All that is said of an event with few words. There are far fewer shapes than events, so filters and counts go by
    # these first.
    """CREATE TABLE shape (
        number INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL, decision INTEGER NOT NULL, would_be INTEGER NOT NULL, risk INTEGER NOT NULL,
        outcome INTEGER NOT NULL, status INTEGER NOT NULL, action INTEGER NOT NULL, tool INTEGER NOT NULL,
        principal INTEGER NOT NULL, actor INTEGER NOT NULL, codes INTEGER NOT NULL,
        UNIQUE (kind, decision, would_be, risk, outcome, status, action, tool, principal, actor, codes)
    )""",
    # Narrow on purpose: a filter that nothing fits looks through all of it.
    """CREATE TABLE event (
        seq INTEGER PRIMARY KEY,
        time INTEGER NOT NULL, shape INTEGER NOT NULL, session INTEGER NOT NULL,
        file INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL
    )""",
    "CREATE INDEX event_by_time ON event (time)",
    "CREATE INDEX event_by_session ON event (session)",
    # Which events have an id: of an event, a trace, a run, a call, an approval, or of what they are about. Keys are
    # random numbers, so they are kept apart by blocks of events: what is added changes the pages of one block only,
    # and what is gone goes a block at a time. Who looks for one looks into each block.
    """CREATE TABLE tie (
        block INTEGER NOT NULL, key INTEGER NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (block, key, seq)
    ) WITHOUT ROWID""",
    # How long people took to answer, by the event of the answer.
    "CREATE TABLE wait (seq INTEGER PRIMARY KEY, micros INTEGER NOT NULL)",
    # What people said of decisions, by the event in which they said it; `about` is the key of the event it is about.
    """CREATE TABLE opinion (
        seq INTEGER PRIMARY KEY, about INTEGER NOT NULL, actor INTEGER NOT NULL, said TEXT NOT NULL
    )""",
    "CREATE INDEX opinion_by_about ON opinion (about)",
    # How many events of a shape each hour and each day had; by its width, and its number since 1970.
    """CREATE TABLE stretch (
        width INTEGER NOT NULL, number INTEGER NOT NULL, shape INTEGER NOT NULL, events INTEGER NOT NULL,
        PRIMARY KEY (width, number, shape)
    ) WITHOUT ROWID""",
)
NAMES: Final = ("place", "file", "word", "codes", "code", "shape", "event", "tie", "wait", "opinion", "stretch")
SHAPE: Final = (
    "kind",
    "decision",
    "would_be",
    "risk",
    "outcome",
    "status",
    "action",
    "tool",
    "principal",
    "actor",
    "codes",
)
"""The columns that make a shape."""
BLOCK: Final = 65_536
"""Events whose ids are kept together."""
HOUR: Final = 3_600_000_000
DAY: Final = 24 * HOUR
"""In microseconds, as all times here."""
STRETCHES: Final = (DAY, HOUR)
"""Of which events are counted while the log is read."""
