"""What can be asked of the tables: which events fit, and how many there are of what. SQL over one connection.

Filters first become the shapes that fit, which are few. Counts of whole hours were made while the log was read; only
what is left at the edges is counted from the events. Nothing here reads the log.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from guardhouse.audit.index.feeding import blocks, key_of, micros
from guardhouse.audit.index.tables import BLOCK, DAY, STRETCHES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from guardhouse.audit.query import Query

By = Literal["tool", "code", "session", "principal", "action", "actor"]

Counts = Counter[tuple[int, ...]]

_MOST_NAMES: Final = 10_000
_NAMES: Final = 400
"""Numbers whose names one statement asks for."""
_MOST_GROUPED: Final = 250_000
_MOST_WAITS: Final = 10_000
_END_OF_TIME: Final = 10_000_000 * DAY


class Located(NamedTuple):
    """Where the line of an event stands."""

    seq: int
    file: str
    at: int
    length: int


class _Narrowed(NamedTuple):
    """A query as conditions on the tables."""

    shape: str
    """On `shape`; empty if any will do."""
    shape_values: tuple[Any, ...]
    event: str
    """On `event`, besides shape and time; empty if any will do."""
    event_values: tuple[Any, ...]
    since: int
    until: int
    is_empty: bool
    """Whether it can be told at once that nothing fits."""


class Asking:
    """Questions about the tables as they stand, by one who knows the salt of their keys."""

    def __init__(self, connection: sqlite3.Connection, salt: bytes) -> None:
        self._connection = connection
        self._salt = salt
        self._blocks = blocks(connection)

    def locate(self, query: Query, *, before: int | None, after: int | None, limit: int) -> list[Located]:
        """Where the newest events that fit stand, newest first. With `after`, the oldest of those behind it."""
        narrowed = self._narrow(query)
        if narrowed.is_empty or limit <= 0:
            return []
        where, values = _on_events(narrowed)
        if before is not None:
            where, values = [*where, "seq < ?"], (*values, before)
        if after is not None:
            where, values = [*where, "seq > ?"], (*values, after)
        order = "ASC" if after is not None else "DESC"
        found = self._located(where, values, order, limit)
        return found if after is None else found[::-1]

    def locate_tied(self, field: str, value: str, *, after: int = 0, newest: bool = False, limit: int) -> list[Located]:
        """Where the events stand that have an id, oldest first or `newest` first."""
        key = key_of(self._salt, field, value)
        order = "DESC" if newest else "ASC"
        found: list[Located] = []
        for block in reversed(self._blocks) if newest else self._blocks:
            if block < after // BLOCK:
                continue
            rows = self._connection.execute(
                "SELECT event.seq, file.name, event.at, event.length "  # noqa: S608
                "FROM tie CROSS JOIN event USING (seq) CROSS JOIN file ON file.number = event.file "
                f"WHERE tie.block = ? AND tie.key = ? AND tie.seq > ? ORDER BY tie.seq {order} LIMIT ?",
                (block, key, after, limit - len(found)),
            )
            found += [Located._make(row) for row in rows]
            if len(found) >= limit:
                break
        return found

    def count(self, query: Query, *groups: tuple[str, ...]) -> list[Counts]:
        """How many of the events that fit there are of each combination of what the columns of each group say, in one
        pass. Numbers stand for names."""
        counts: list[Counts] = [Counter() for _ in groups]
        narrowed = self._narrow(query)
        if narrowed.is_empty:
            return counts
        columns = list(dict.fromkeys(column for group in groups for column in group))
        pieces, values = _counting(narrowed)
        rows = self._connection.execute(
            f"SELECT {', '.join(columns)}, sum(events) FROM ({' UNION ALL '.join(pieces)}) AS counted "  # noqa: S608
            "CROSS JOIN shape ON shape.number = counted.shape GROUP BY counted.shape",
            values,
        )
        picked = [
            (counter, [columns.index(column) for column in group])
            for counter, group in zip(counts, groups, strict=True)
        ]
        for row in rows:
            for counter, places in picked:
                said = tuple([row[place] for place in places])
                if len(counter) >= _MOST_NAMES and said not in counter:
                    continue  # an attacker can invent names; so many are more than anybody looks at
                counter[said] += row[-1]
        return counts

    def decided(self, counts: Counts) -> Counts:
        """Of counts by kind, decision and something else: those of decisions, by that."""
        kind = self.word("decision")
        found: Counts = Counter()
        for (of, decision, what), count in counts.items():
            if of == kind and decision:
                found[what,] += count
        return found

    def named(self, counts: Counts) -> dict[tuple[str | None, ...], int]:
        """The same with names."""
        words: dict[int, str | None] = {0: None, **self.texts({word for said in counts for word in said})}
        return {tuple(words[word] for word in said): count for said, count in counts.items()}

    def names(self, counts: Counts) -> dict[str, int]:
        """The same, of one column, without what has no name."""
        return {name: count for (name,), count in self.named(counts).items() if name is not None}

    def codes(self, counts: Counts, *, reasons_only: bool) -> dict[str, int]:
        """How many events have each code, from how many have each set of them."""
        wanted = sorted(number for (number,) in counts)
        found: Counter[int] = Counter()
        for start in range(0, len(wanted), _NAMES):
            some = wanted[start : start + _NAMES]
            rows = self._connection.execute(
                f"SELECT codes, word FROM code WHERE codes IN ({_marks(some)}) AND is_reason >= ?",  # noqa: S608
                (*some, int(reasons_only)),
            )
            for number, word in rows:
                found[word] += counts[number,]
        return {name: found[word] for word, name in self.texts(found).items()}

    def decisions_over_time(self, query: Query, width: int) -> Counter[tuple[int, str]]:
        """How many decisions of each sort there were in each stretch of `width` microseconds, by its number."""
        narrowed = self._narrow(query)
        if narrowed.is_empty:
            return Counter()
        kind = self.word("decision")
        counted = next((one for one in STRETCHES if width % one == 0), 0)
        if counted and not narrowed.event:
            where, values = _on_stretches(narrowed, counted)
            rows = self._connection.execute(
                "SELECT stretch.number / ?, shape.decision, sum(stretch.events) FROM stretch CROSS JOIN shape "  # noqa: S608
                f"ON shape.number = stretch.shape WHERE {_all(where)} AND shape.kind = ? GROUP BY 1, 2",
                (width // counted, *values, kind),
            ).fetchall()
        else:
            where, values = _on_events(narrowed)
            rows = self._connection.execute(
                "SELECT event.time / ?, shape.decision, count(*) FROM event CROSS JOIN shape "  # noqa: S608
                f"ON shape.number = event.shape WHERE {_all(where)} AND shape.kind = ? GROUP BY 1, 2",
                (width, *values, kind),
            ).fetchall()
        words = self.texts({decision for _, decision, _ in rows})
        return Counter({(bucket, words[decision]): count for bucket, decision, count in rows if decision})

    def sessions(self, query: Query, limit: int) -> list[tuple[str, int]]:
        """The sessions with the most events that fit, among the newest 250,000 events: there may be as many
        sessions as there are events, so they are not counted beforehand."""
        narrowed = self._narrow(query)
        if narrowed.is_empty:
            return []
        where, values = _on_events(narrowed)
        # In the order of the table: by the index on sessions, each row would be looked up elsewhere.
        table = "event" if narrowed.event else "event NOT INDEXED"
        rows = self._connection.execute(
            f"SELECT session, count(*) FROM {table} WHERE {_all(where)} AND session <> 0 "  # noqa: S608
            "AND seq > (SELECT max(seq) FROM event) - ? GROUP BY session ORDER BY 2 DESC, 1 LIMIT ?",
            (*values, _MOST_GROUPED, limit),
        ).fetchall()
        words = self.texts({session for session, _ in rows})
        return [(words[session], count) for session, count in rows]

    def waits(self, query: Query) -> list[int]:
        """How long the newest answers that fit took, in microseconds, the shortest first."""
        narrowed = self._narrow(query)
        if narrowed.is_empty:
            return []
        where, values = _on_events(narrowed)
        rows = self._connection.execute(
            f"SELECT wait.micros FROM wait CROSS JOIN event USING (seq) WHERE {_all(where)} "  # noqa: S608
            "ORDER BY wait.seq DESC LIMIT ?",
            (*values, _MOST_WAITS),
        )
        return sorted(micros for (micros,) in rows)

    def opinions(self, query: Query) -> dict[str, int]:
        """What people said in the events that fit; of each person, what they said last of each decision."""
        narrowed = self._narrow(query)
        if narrowed.is_empty:
            return {}
        where, values = _on_events(narrowed)
        rows = self._connection.execute(
            # The row that has the highest number is the one whose `said` is taken.
            "SELECT said, count(*) FROM (SELECT opinion.said, max(opinion.seq) FROM opinion CROSS JOIN event "  # noqa: S608
            f"USING (seq) WHERE {_all(where)} GROUP BY opinion.about, opinion.actor) GROUP BY said ORDER BY 2 DESC",
            values,
        )
        return dict(rows.fetchall())

    def opinions_on(self, event_ids: Iterable[str]) -> dict[str, Counter[str]]:
        """How many people say what of these decisions, by what each said last."""
        keys = {key_of(self._salt, "about", event_id): event_id for event_id in event_ids}
        found: dict[str, Counter[str]] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), _NAMES):
            some = wanted[start : start + _NAMES]
            rows = self._connection.execute(
                f"SELECT about, said, max(seq) FROM opinion WHERE about IN ({_marks(some)}) GROUP BY about, actor",  # noqa: S608
                some,
            )
            for about, said, _ in rows:
                found.setdefault(keys[about], Counter())[said] += 1
        return found

    def _located(self, where: list[str], values: tuple[Any, ...], order: str, limit: int) -> list[Located]:
        rows = self._connection.execute(
            f"SELECT seq, file.name, at, length FROM (SELECT seq, file, at, length FROM event "  # noqa: S608
            f"WHERE {_all(where)} ORDER BY seq {order} LIMIT ?) CROSS JOIN file ON file.number = file",
            (*values, limit),
        )
        return sorted((Located._make(row) for row in rows), reverse=order == "DESC")

    def _narrow(self, query: Query) -> _Narrowed:
        """The query as conditions. A name that never occurred fits nothing."""
        named = {
            "kind": query.kind,
            "decision": query.decision and query.decision.value,
            "would_be": query.would_be and query.would_be.value,
            "risk": query.risk and query.risk.value,
            "outcome": query.outcome,
            "action": query.action,
            "tool": query.tool,
            "principal": query.principal,
            "actor": query.actor,
        }
        shape = {column: self.word(text) for column, text in named.items() if text is not None}
        conditions, values = [f"{column} = ?" for column in shape], [*shape.values()]
        code = self.word(query.code) if query.code is not None else 0
        if query.code is not None:
            conditions.append("codes IN (SELECT codes FROM code WHERE word = ?)")
            values.append(code)
        event, event_values = [], []
        session = self.word(query.session) if query.session is not None else 0
        if query.session is not None:
            event.append("session = ?")
            event_values.append(session)
        for field in ("run", "approval", "trace", "call"):
            text = getattr(query, field)
            if text is not None:
                listed = ",".join(map(str, self._blocks))
                event.append(f"seq IN (SELECT tie.seq FROM tie WHERE tie.block IN ({listed}) AND tie.key = ?)")  # noqa: S608
                event_values.append(key_of(self._salt, field, text))
        unknown = None in shape.values() or code is None or session is None
        since = micros(query.since) if query.since is not None else 0
        until = micros(query.until) if query.until is not None else _END_OF_TIME
        narrowed = _Narrowed(
            " AND ".join(conditions), tuple(values), " AND ".join(event), tuple(event_values), since, until, unknown
        )
        return narrowed if unknown or not conditions else narrowed._replace(is_empty=not self._has_shape(narrowed))

    def _has_shape(self, narrowed: _Narrowed) -> bool:
        statement = f"SELECT 1 FROM shape WHERE {narrowed.shape} LIMIT 1"  # noqa: S608
        return self._connection.execute(statement, narrowed.shape_values).fetchone() is not None

    def word(self, text: str) -> int | None:
        """The number of a name; None if it never occurred."""
        found = self._connection.execute("SELECT number FROM word WHERE text = ?", (text,)).fetchone()
        return None if found is None else int(found[0])

    def texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """The names that stand behind numbers."""
        wanted = sorted(set(numbers) - {0})
        found: dict[int, str] = {}
        for start in range(0, len(wanted), _NAMES):
            some = wanted[start : start + _NAMES]
            statement = f"SELECT number, text FROM word WHERE number IN ({_marks(some)})"  # noqa: S608
            found.update(self._connection.execute(statement, some).fetchall())
        return found


def _counting(narrowed: _Narrowed) -> tuple[list[str], tuple[Any, ...]]:
    """Statements that give shapes and how many events have each: by whole hours, and what is left at the edges."""
    statements: list[str] = []
    values: tuple[Any, ...] = ()
    for width, since, until in _cover(narrowed.since, narrowed.until, () if narrowed.event else STRETCHES):
        piece = narrowed._replace(since=since, until=until)
        if width:
            where, more = _on_stretches(piece, width)
            statements.append(f"SELECT shape, sum(events) AS events FROM stretch WHERE {_all(where)} GROUP BY shape")  # noqa: S608
        else:
            where, more = _on_events(piece)
            statements.append(f"SELECT shape, count(*) AS events FROM event WHERE {_all(where)} GROUP BY shape")  # noqa: S608
        values += more
    return statements, values


def _cover(since: int, until: int, widths: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """A span of time in pieces: of the widest stretches as much as there is, then of narrower ones, and the rest."""
    if since >= until:
        return
    if not widths:
        yield 0, since, until
        return
    width, *narrower = widths
    first, last = -(-since // width) * width, until // width * width
    if first >= last:
        yield from _cover(since, until, tuple(narrower))
        return
    yield from _cover(since, first, tuple(narrower))
    yield width, first, last
    yield from _cover(last, until, tuple(narrower))


def _on_events(narrowed: _Narrowed) -> tuple[list[str], tuple[Any, ...]]:
    where, values = _on_shapes(narrowed, "event.shape")
    if narrowed.event:
        where, values = [*where, narrowed.event], (*values, *narrowed.event_values)
    if narrowed.since:
        where, values = [*where, "event.time >= ?"], (*values, narrowed.since)
    if narrowed.until < _END_OF_TIME:
        where, values = [*where, "event.time < ?"], (*values, narrowed.until)
    return where, values


def _on_stretches(narrowed: _Narrowed, width: int) -> tuple[list[str], tuple[Any, ...]]:
    where, values = _on_shapes(narrowed, "stretch.shape")
    bounds = (width, narrowed.since // width, narrowed.until // width)
    return [*where, "stretch.width = ?", "stretch.number >= ?", "stretch.number < ?"], (*values, *bounds)


def _on_shapes(narrowed: _Narrowed, column: str) -> tuple[list[str], tuple[Any, ...]]:
    if not narrowed.shape:
        return [], ()
    return [f"{column} IN (SELECT number FROM shape WHERE {narrowed.shape})"], narrowed.shape_values  # noqa: S608


def _all(where: list[str]) -> str:
    return " AND ".join(where) or "1"


def _marks(values: list[int]) -> str:
    return ",".join("?" * len(values))
