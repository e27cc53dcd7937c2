"""Where agents' memories are kept: a store that takes texts in and finds them again, and the one of the house.

That one is a SQLite file of this machine, also where nodes share a database for the rest. Texts are sealed, and found
by keyed marks of their words: the file alone tells neither. Whether a text may be believed is noted when it is stored,
and sealed with it; what follows from it is not decided here.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import closing, contextmanager
from math import log
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Generator
    from pathlib import Path

    from guardhouse.opening import LocalGuard
    from guardhouse.sealing import Seal

_MOST_KEPT: Final = 20_000
"""Of one owner. A full memory takes no more: otherwise what is written later could push out what is there."""
_MOST_WORDS: Final = 2_000
"""Of one text that it can be found by."""
_MOST_ASKED: Final = 64
"""Words of a question."""
_WAIT: Final = 5.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS memories (
    id INTEGER PRIMARY KEY, owner BLOB NOT NULL, mark BLOB NOT NULL, at REAL NOT NULL,
    untrusted INTEGER NOT NULL, sealed BLOB NOT NULL, UNIQUE (owner, mark)
);
CREATE TABLE IF NOT EXISTS memory_words (
    owner BLOB NOT NULL, word BLOB NOT NULL, memory INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (owner, word, memory)
) WITHOUT ROWID;
"""


class Memory(msgspec.Struct, frozen=True):
    """A text that was stored."""

    text: str
    untrusted: bool
    """It was stored in a session that something untrusted had come into, or nobody knows."""
    at: float
    """When, in seconds since 1970."""


class Kept(msgspec.Struct, frozen=True):
    """A memory as a person looks at it."""

    number: int
    """What it is known by, to its owner."""
    text: str | None
    """None if it can't be opened: then it is found by nobody, and can only be forgotten."""
    untrusted: bool
    at: float


class MemoryStore(Protocol):
    """Memories, each of one owner, whom nobody else reads them of. What can't be done is a GuardhouseError."""

    def add(self, owner: str, text: str, *, untrusted: bool) -> None:
        """Keep a text. One that is there already is kept once, as untrusted if it was so either time."""
        ...

    def search(self, owner: str, query: str, count: int) -> list[Memory]:
        """At most so many that have something to do with the question, the best first."""
        ...


def open_memories(guard: LocalGuard) -> SqliteMemories:
    """The memory of a house."""
    return SqliteMemories(guard.state_dir / "memory.db", guard.seal("memory"))


class SqliteMemories:
    """Memories in a file that only its owner can read."""

    def __init__(self, file: Path, seal: Seal) -> None:
        self._file = file
        self._seal = seal

    def add(self, owner: str, text: str, *, untrusted: bool) -> None:
        """See MemoryStore."""
        whose, mark = self._seal.mark("owner", owner), self._seal.mark("text", f"{owner}\0{text}")
        with self._opened() as rows:
            before = rows.execute(
                "SELECT untrusted FROM memories WHERE owner = ? AND mark = ?", (whose, mark)
            ).fetchone()
            doubtful = untrusted or (before is not None and bool(before[0]))
            sealed = self._seal.seal("memory", _identity(mark, doubtful), text.encode("utf-8", "replace"))
            [(kept,)] = rows.execute("SELECT count(*) FROM memories WHERE owner = ?", (whose,))
            if kept >= _MOST_KEPT and before is None:
                raise GuardhouseError("The memory is full.", fix="A person can clear it: `guardhouse memory forget`.")
            done = rows.execute(
                "INSERT INTO memories (owner, mark, at, untrusted, sealed) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (owner, mark) DO UPDATE SET untrusted = excluded.untrusted, sealed = excluded.sealed "
                "RETURNING id",
                (whose, mark, time.time(), int(doubtful), sealed),
            ).fetchone()
            found = [(whose, self._word(owner, word), done[0]) for word in _words(text)[:_MOST_WORDS]]
            rows.executemany("INSERT OR IGNORE INTO memory_words VALUES (?, ?, ?)", found)

    def search(self, owner: str, query: str, count: int) -> list[Memory]:
        """See MemoryStore. Rare words count for more than frequent ones; of equals, the newest comes first."""
        whose = self._seal.mark("owner", owner)
        with self._opened() as rows:
            [(kept,)] = rows.execute("SELECT count(*) FROM memories WHERE owner = ?", (whose,))
            weights: dict[int, float] = {}
            for word in _words(query)[:_MOST_ASKED]:
                having = rows.execute(
                    "SELECT memory FROM memory_words WHERE owner = ? AND word = ?", (whose, self._word(owner, word))
                ).fetchall()
                for (memory,) in having:
                    weights[memory] = weights.get(memory, 0.0) + 1 + log(kept / len(having))
            best = sorted(weights, key=lambda memory: (weights[memory], memory), reverse=True)[: max(count, 0)]
            return [self._memory(rows, memory) for memory in best]

    # What people do with it

    def kept(self, owner: str, *, number: int | None = None, limit: int = 100) -> list[Kept]:
        """What is kept for an owner, the newest first; only that with the number, if one is given."""
        if not self._file.exists():
            return []
        whose, only = self._seal.mark("owner", owner), "" if number is None else " AND id = ?"
        with self._opened() as rows:
            found = rows.execute(
                f"SELECT id, mark, at, untrusted, sealed FROM memories WHERE owner = ?{only} "  # noqa: S608 - ours
                "ORDER BY id DESC LIMIT ?",
                (whose, *(() if number is None else (number,)), limit),
            ).fetchall()
        return [
            Kept(one, self._text(mark, sealed, untrusted=bool(untrusted)), bool(untrusted), at)
            for one, mark, at, untrusted, sealed in found
        ]

    def forget(self, owner: str, numbers: Collection[int] | None) -> int:
        """Remove what is kept for an owner by these numbers, or all of it; how many that were."""
        if not self._file.exists():
            return 0
        whose = self._seal.mark("owner", owner)
        with self._opened() as rows:
            mine = [number for (number,) in rows.execute("SELECT id FROM memories WHERE owner = ?", (whose,))]
            gone = [(number,) for number in mine if numbers is None or number in numbers]
            rows.executemany("DELETE FROM memory_words WHERE memory = ?", gone)
            rows.executemany("DELETE FROM memories WHERE id = ?", gone)
        return len(gone)

    def _text(self, mark: bytes, sealed: bytes, *, untrusted: bool) -> str | None:
        try:
            return self._seal.open("memory", _identity(mark, untrusted), sealed).decode()
        except GuardhouseError:
            return None

    def _memory(self, rows: sqlite3.Connection, number: int) -> Memory:
        [(mark, at, untrusted, sealed)] = rows.execute(
            "SELECT mark, at, untrusted, sealed FROM memories WHERE id = ?", (number,)
        )
        text = self._seal.open("memory", _identity(mark, bool(untrusted)), sealed).decode()
        return Memory(text, bool(untrusted), at)

    def _word(self, owner: str, word: str) -> bytes:
        return self._seal.mark("word", f"{owner}\0{word}")

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """A transaction on the file, which is made if there is none."""
        import sqlite3  # most runs remember nothing

        try:
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
            with closing(sqlite3.connect(self._file, timeout=_WAIT)) as rows:
                rows.execute("PRAGMA secure_delete = ON")
                rows.executescript(_TABLES)
                with rows:
                    rows.execute("BEGIN IMMEDIATE")
                    yield rows
        except (OSError, sqlite3.Error) as error:
            raise GuardhouseError(f"The memory can't be used ({type(error).__name__}).", fix="Try later.") from None


def _identity(mark: bytes, untrusted: bool) -> str:  # noqa: FBT001 - a part of the name
    return f"{mark.hex()}:{'untrusted' if untrusted else 'trusted'}"


_WORD: Final = re.compile(r"\w+")


def _words(text: str) -> list[str]:
    """The words of a text, each once; of scripts without blanks between them, pairs of characters."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text.casefold()):
        found[word[:64]] = None
        if not word.isascii() and len(word) > 2:
            found |= dict.fromkeys(word[start : start + 2] for start in range(min(len(word) - 1, 200)))
    return list(found)
