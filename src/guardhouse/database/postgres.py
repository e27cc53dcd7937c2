"""PostgreSQL: the database for several nodes, named by one setting.

Whoever writes first locks the one row of `latest`, so writing transactions follow each other on all nodes as they do
in a SQLite file; only `beside` goes without, for what is locked row by row. Time is the server's, so that nodes with
different clocks agree on what is too late. A connection is opened when one is needed and kept for the next; there are
no threads behind it, nothing is shared with a forked child, and a server that is gone is an error at once, not after a
wait.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Final

from guardhouse.database import migrating
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    import psycopg

_SCHEMA: Final = "guardhouse"
_CHANNEL: Final = "guardhouse_changes"
_WAIT: Final = 5.0
"""Seconds to wait for another transaction, and for a connection."""
_MOST_IDLE: Final = 8
_MIGRATING: Final = 0x6775617264686F75
"""The advisory lock of whoever makes or changes the tables: `guardhou` in letters."""
_AMNESIA: Final = 15_000
"""Milliseconds after which the server ends a transaction in which nothing happens: its process hangs, others wait."""


class PostgresDatabase:
    """The tables in the schema `guardhouse` of one database, made if there are none."""

    is_shared = True

    def __init__(self, url: str, *, wait: float = _WAIT) -> None:
        self._url: Final = url
        self._wait: Final = wait
        self._pools: Final[dict[int, _Pool]] = {}

    @property
    def url(self) -> str:
        """Where it is, for who needs connections of another kind. It holds a password: never told."""
        return self._url

    @contextmanager
    def installing(self) -> Generator[psycopg.Connection[Any]]:
        """A connection in a transaction in which only one at a time makes tables, on all nodes."""
        connection = self._pool().open()
        try:
            with _errors(), connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
                yield connection
        finally:
            connection.close()

    @contextmanager
    def reading(self) -> Generator[_Rows]:
        """A transaction that sees one moment and changes nothing."""
        with self._pool().transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as rows:
            yield rows

    @contextmanager
    def writing(self) -> Generator[_Rows]:
        """A transaction that no other writing one overlaps, on any node; on disk when it has ended."""
        begin = "BEGIN; SELECT change FROM latest WHERE number = 1 FOR UPDATE"
        with self._pool().transaction(begin) as rows:
            yield rows

    @contextmanager
    def beside(self, *, wait: float) -> Generator[_Rows]:
        """A writing transaction that may overlap any other: it takes turns only with those that lock the same rows, and
        waits at most `wait` seconds for each. On disk when it has ended."""
        begin = f"BEGIN; SET LOCAL lock_timeout = {int(wait * 1000)}"
        with self._pool().transaction(begin) as rows:
            yield rows

    @contextmanager
    def watching(self) -> Generator[_Watch]:
        """A watch with a connection of its own, which the server sends word to."""
        watch = _Watch(self._pool())
        try:
            yield watch
        finally:
            watch.close()

    def shrink(self) -> None:
        """Let the server use the space of removed rows again."""
        self._pool().shrink()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._pool().close()

    def _pool(self) -> _Pool:
        """This process's own. What came through a fork is kept, untouched: to close it would disturb its owner."""
        pid = os.getpid()
        return self._pools.get(pid) or self._pools.setdefault(pid, _Pool(self._url, self._wait))


class _Pool:
    """Connections of one process."""

    def __init__(self, url: str, wait: float) -> None:
        self._url = url
        self._wait = wait
        self._lock = Lock()
        self._idle: list[psycopg.Connection[Any]] = []
        self._is_current = False
        self._thread = local()

    @contextmanager
    def transaction(self, begin: str) -> Generator[_Rows]:
        if getattr(self._thread, "is_inside", False):  # a second one would not see what the first has done
            raise GuardhouseError("A transaction was begun inside another.", fix="Report it.")
        connection = self._begun(begin)
        rows = _Rows(connection)
        self._thread.is_inside = True
        try:
            yield rows
            rows.finish()
        except BaseException:
            self._undo(connection)
            raise
        else:
            self._give_back(connection)
        finally:
            self._thread.is_inside = False

    def open(self) -> psycopg.Connection[Any]:
        """A new connection to tables that are up to date."""
        connection = _connect(self._url, self._wait)
        try:
            with self._lock:
                if not self._is_current:
                    with _errors():
                        _migrate(connection)
                    self._is_current = True
            with _errors():
                connection.execute(f"SET search_path TO {_SCHEMA}")
        except BaseException:
            connection.close()
            raise
        return connection

    def shrink(self) -> None:
        connection = self._taken() or self.open()
        try:
            with _errors():
                connection.execute("VACUUM requests")
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _begun(self, begin: str) -> psycopg.Connection[Any]:
        """A connection in a new transaction. One that was kept may have died meanwhile: nothing was done on it yet, so
        another takes its place."""
        import psycopg

        while (connection := self._taken()) is not None:
            try:
                connection.execute(begin)
            except psycopg.Error as error:
                alive = not connection.broken and not connection.closed
                connection.close()
                if alive:
                    raise _told(error) from None
            else:
                return connection
        connection = self.open()
        try:
            with _errors():
                connection.execute(begin)
        except BaseException:
            connection.close()
            raise
        return connection

    def _taken(self) -> psycopg.Connection[Any] | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE and not connection.closed:
                self._idle.append(connection)
                return
        connection.close()

    def _undo(self, connection: psycopg.Connection[Any]) -> None:
        """Roll back. A connection that can't do even that is given up: the server rolls back for it."""
        import psycopg

        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        else:
            self._give_back(connection)


class _Rows:
    """The tables, inside a transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._announces = False

    def run(self, statement: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a statement gives."""
        with _errors():
            cursor = self._connection.execute(_with_marks(statement), tuple(values))
            return cursor.fetchall() if cursor.description is not None else []

    def change(self, statement: str, values: Iterable[Any] = ()) -> int:
        """How many rows a statement changed."""
        with _errors():
            return self._connection.execute(_with_marks(statement), tuple(values)).rowcount

    def now(self) -> float:
        """The server's clock."""
        [(seconds,)] = self.run("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(seconds)

    def announce(self) -> None:
        """Let whoever listens know, once this transaction is committed."""
        self._announces = True

    def finish(self) -> None:
        """Commit. If the connection breaks now, nobody knows whether it took place; that is an error like any other."""
        with _errors():
            self._connection.execute(f"NOTIFY {_CHANNEL}; COMMIT" if self._announces else "COMMIT")


class _Watch:
    """Listens. A connection that was lost is opened anew when somebody asks again, and may have missed something."""

    def __init__(self, pool: _Pool) -> None:
        self._pool = pool
        self._connection: psycopg.Connection[Any] | None = None
        self._listen()

    def changed(self, timeout: float) -> bool:
        """Wait for word from the server, at most `timeout` seconds."""
        if self._connection is None:
            self._listen()
            return True
        try:
            with _errors():
                return any(True for _ in self._connection.notifies(timeout=timeout, stop_after=1))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _listen(self) -> None:
        connection = self._pool.open()
        try:
            with _errors():
                connection.execute(f"LISTEN {_CHANNEL}")
        except BaseException:
            connection.close()
            raise
        self._connection = connection


@lru_cache(maxsize=256)
def _with_marks(statement: str) -> str:
    """The statement as psycopg wants it. None of ours has a `?` or a `%` that means anything else."""
    return statement.replace("?", "%s")


# Opening


def _connect(url: str, wait: float) -> psycopg.Connection[Any]:
    try:
        import psycopg
    except ImportError:
        raise GuardhouseError(
            "PostgreSQL needs a part that is not installed.", fix="pip install 'guardhouse[postgres]'"
        ) from None
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # its text would quote the URL, and that holds a password
        raise GuardhouseError(
            "GUARDHOUSE_DATABASE_URL is no address of a database.", fix="Write postgresql://USER@HOST/NAME."
        ) from None
    with _errors():
        return psycopg.connect(
            url,
            autocommit=True,  # transactions begin and end where we say so
            connect_timeout=max(1, int(wait)),
            tcp_user_timeout=int(wait * 2000),
            # A plan that was made while a table was small must not be kept when it has grown.
            options=(
                "-c plan_cache_mode=force_custom_plan "
                f"-c lock_timeout={int(wait * 1000)} -c statement_timeout={int(wait * 4000)} "
                f"-c idle_in_transaction_session_timeout={_AMNESIA} -c synchronous_commit=on"
            ),
        )


def _migrate(connection: psycopg.Connection[Any]) -> None:
    """Bring the tables to the newest version, in one transaction; of two that try at once, the second finds it so."""
    steps = migrating.steps("postgres")
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
        connection.execute(f"SET LOCAL search_path TO {_SCHEMA}")
        connection.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
        found = connection.execute("SELECT number FROM version").fetchone()
        version = found[0] if found else 0
        if version > len(steps):
            raise GuardhouseError(
                "The PostgreSQL database was made by a newer Guardhouse.", fix="Update Guardhouse on this node."
            )
        for step in steps[version:]:
            for statement in migrating.statements(step):
                connection.execute(statement)
        if found is None:
            connection.execute("INSERT INTO version VALUES (%s)", (len(steps),))
        elif version < len(steps):
            connection.execute("UPDATE version SET number = %s", (len(steps),))


# Errors

_KINDS: Final = (
    (("55P03", "57014"), "is held by another transaction", "Try again; look for one that hangs."),
    (("53",), "has no room or no connections left", "Free some, or allow more."),
    (("28",), "lets nobody in by that name", "Check the user and password in GUARDHOUSE_DATABASE_URL."),
    (("3D",), "does not exist", "Create it, or mend GUARDHOUSE_DATABASE_URL."),
    (("42501", "25006"), "may not be written", "Give its user the right to create and to write."),
    (("08", "57P", "25P03"), "can't be reached", "Check that the server runs, and GUARDHOUSE_DATABASE_URL."),
    (("22",), "can't keep a value", "Use well-formed text."),
)


@contextmanager
def _errors() -> Generator[None]:
    """Whatever the server or the driver says, as a GuardhouseError. Neither the URL nor a value is told."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise _told(error) from None
    except (UnicodeEncodeError, OverflowError):
        raise GuardhouseError("The PostgreSQL database can't keep a value.", fix="Use well-formed text.") from None


def _told(error: psycopg.Error) -> GuardhouseError:
    import psycopg

    state = error.sqlstate or ("08000" if isinstance(error, psycopg.OperationalError) else "")
    for states, what, fix in _KINDS:
        if state.startswith(states):
            return GuardhouseError(f"The PostgreSQL database {what} ({state}).", fix=fix)
    name = state or type(error).__name__
    return GuardhouseError(f"The PostgreSQL database failed ({name}).", fix="Look at its log, then report it.")
