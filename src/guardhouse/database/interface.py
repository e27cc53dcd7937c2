"""What the stores of a house need from a database: transactions, and word of what others have changed.

Statements are written once, with `?` for each value, in the SQL that both databases understand. What a row means is
not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Rows(Protocol):
    """The tables, inside a transaction."""

    def run(self, statement: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a statement gives."""
        ...

    def change(self, statement: str, values: Iterable[Any] = ()) -> int:
        """How many rows a statement changed."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by the clock that everybody who uses this database shares."""
        ...

    def announce(self) -> None:
        """Let whoever watches know, once this transaction is committed."""
        ...


class Watch(Protocol):
    """Waits for changes that anybody makes, in any process or node."""

    def changed(self, timeout: float) -> bool:
        """Wait until something may have changed since this was last asked, at most `timeout` seconds; whether it may.

        GuardhouseError if that can't be told now. The next time it is asked it tries anew, and then says yes.
        """
        ...


class Database(Protocol):
    """Safe to share between threads, and on both sides of a fork.

    Whatever fails is a GuardhouseError that tells nothing of what is in a row.
    """

    is_shared: bool
    """Whether several nodes may use it, each with keys of its own."""

    def reading(self) -> AbstractContextManager[Rows]:
        """A transaction that sees one moment and changes nothing."""
        ...

    def writing(self) -> AbstractContextManager[Rows]:
        """A transaction that no other writing one overlaps, in any process or node; committed when it ends.

        An exception inside undoes all of it. When it has ended without one, its changes are on disk.
        """
        ...

    def watching(self) -> AbstractContextManager[Watch]:
        """A watch of its own, for one thread. What is committed after this is noticed."""
        ...

    def shrink(self) -> None:
        """Give space that is no longer used back to the system."""
        ...

    def close(self) -> None:
        """Let go of it; it opens again when it is used again."""
        ...
