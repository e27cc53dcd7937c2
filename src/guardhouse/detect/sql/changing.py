"""Statements that take something away for good, and those that say who may do what.

One function a verb; each is given the statement and the part of it that is the verb's. Files, programs and code in
strings are not seen here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.sql.conditions import Holds, holds
from guardhouse.detect.sql.known import (
    ACCOUNTS,
    COMMANDS,
    DROP_MODIFIERS,
    DROPPED,
    KEPT_BY_ALTER,
    RISKY_EXTENSIONS,
    TEMPORARY,
)
from guardhouse.detect.sql.lexing import Kind
from guardhouse.detect.sql.session import KEEP_IT, LIMIT_IT
from guardhouse.model import Confidence

if TYPE_CHECKING:
    from guardhouse.detect.sql.session import Session
    from guardhouse.detect.sql.statements import Statement

BEFORE_NAME: Final = frozenset("IF EXISTS NOT CONCURRENTLY ONLY BY".split())
_TRUNCATE_MODIFIERS: Final = frozenset("TABLE IF EXISTS ONLY ALL TABLES FROM".split())
_DELETE_MODIFIERS: Final = frozenset("LOW_PRIORITY QUICK IGNORE ONLY FROM".split())
_UPDATE_MODIFIERS: Final = frozenset("LOW_PRIORITY IGNORE ONLY OR ROLLBACK ABORT REPLACE FAIL".split())
_CLAUSES: Final = ("RETURNING", "ORDER", "LIMIT", "OPTION", "OUTPUT", "FETCH", "LOG", "SETTINGS", "WINDOW", "GROUP")
_EVERY_ROW: Final = "every row of the table would be "


def drop(session: Session, statement: Statement, i: int, end: int) -> None:
    """`DROP TABLE a, b`: each is named. Temporary tables are no loss."""
    if statement.key(i + 1) in TEMPORARY:
        return
    at = statement.skip(i + 1, DROP_MODIFIERS)
    kind = statement.key(at)
    if kind not in DROPPED:
        return
    for name, last in statement.names(statement.skip(at + 1, BEFORE_NAME), end):
        if kind == "TABLE" and session.is_temporary(name):
            session.temporary.discard(name.lower())
        else:
            session.loses(statement.tokens[i], last, name, DROPPED[kind], KEEP_IT)


def truncate(session: Session, statement: Statement, i: int, end: int) -> None:
    """The statement; TRUNCATE with a bracket is a function."""
    if statement.key(i + 1) == "(":
        return
    for name, last in statement.names(statement.skip(i + 1, _TRUNCATE_MODIFIERS), end):
        if not session.is_temporary(name):
            session.loses(statement.tokens[i], last, name, _EVERY_ROW + "deleted", LIMIT_IT)


def delete(session: Session, statement: Statement, i: int, end: int) -> None:
    """Deleting is a loss if nothing limits which rows are meant."""
    at = i + 1
    if statement.key(at) == "TOP":
        at = statement.close[at + 1] + 1 if statement.key(at + 1) == "(" else at + 2
    at = statement.skip(at, _DELETE_MODIFIERS)
    name, after = statement.name(at)
    if not name or name.upper() == "WHERE":
        return
    follows = statement.key(after)
    if "FROM" in statement.keys(i, at - i) or after >= end or follows in ("WHERE", "FROM", ",", "OUTPUT", "RETURNING"):
        # `DELETE x y z` would be no SQL.
        _unless_limited(session, statement, (i, end), name, _EVERY_ROW + "deleted")


def update(session: Session, statement: Statement, i: int, end: int) -> None:
    """The same for what is changed."""
    name, after = statement.name(statement.skip(i + 1, _UPDATE_MODIFIERS))
    if name and statement.find(after, end, "SET") < end:
        _unless_limited(session, statement, (i, end), name, _EVERY_ROW + "changed")


def _unless_limited(session: Session, statement: Statement, part: tuple[int, int], name: str, what: str) -> None:
    start, end = part
    if session.is_temporary(name) or _has_small_limit(statement, start, end):
        return
    where = statement.find(start, end, "WHERE")
    found: str = Holds.ALWAYS
    if where < end:
        stop = statement.find(where + 1, end, *_CLAUSES)
        found = holds(statement, where + 1, stop, name, session.budget)
    elif (on := statement.find(start, end, "ON")) < end and statement.find(start, on, "JOIN") < on:
        stop = statement.find(on + 1, end, "SET", "JOIN", *_CLAUSES)
        found = holds(statement, on + 1, stop, name, session.budget)
    if found in (Holds.ALWAYS, Holds.LIKELY):
        certainty = Confidence.HIGH if found == Holds.ALWAYS else Confidence.MEDIUM
        session.loses(statement.tokens[start], statement.tokens[end - 1], name, what, LIMIT_IT, certainty)


def _has_small_limit(statement: Statement, start: int, end: int) -> bool:
    i = statement.find(start, end, "LIMIT", "TOP")
    at = i + 2 if statement.key(i + 1) == "(" else i + 1
    number = statement.tokens[at].text if at < end else ""
    return number.isdigit() and len(number) <= 3


def command(session: Session, statement: Statement, i: int, end: int) -> None:
    """Statements that are told by their first words alone."""
    for row in COMMANDS:
        words = tuple(row.words.split())
        if statement.keys(i, len(words)) == words:
            at = statement.skip(i + len(words), frozenset(("TABLE", "INTO")))
            name = statement.name(at)[0] if words[0] in ("INSERT", "RESTORE") else ""
            session.loses(statement.tokens[i], statement.tokens[min(at, end - 1)], name, row.what, KEEP_IT)


def alter(session: Session, statement: Statement, i: int, end: int) -> None:
    """Columns and partitions that go, accounts and settings of the server that change."""
    kind, first, last = statement.key(i + 1), statement.tokens[i], statement.tokens[end - 1]
    if kind in ACCOUNTS:
        session.escalates(first, last, statement.name(i + 2)[0], "an account, or what it may do, would be changed")
    elif kind == "SYSTEM" or statement.keys(i + 1, 2) in (("SERVER", "ROLE"), ("DEFAULT", "PRIVILEGES")):
        session.escalates(first, last, "", "settings or rights of the whole server would be changed")
    elif "TABLE" in statement.keys(i + 1, 3):
        at = statement.skip(statement.find(i, end, "TABLE") + 1, BEFORE_NAME)
        name, after = statement.name(at)
        if not session.is_temporary(name):
            _alter_table(session, statement, (i, after, end), name)


def _alter_table(session: Session, statement: Statement, part: tuple[int, int, int], name: str) -> None:
    start, after, end = part
    first, last = statement.tokens[start], statement.tokens[end - 1]
    for at in statement.level(after, end):
        key, follows = statement.key(at), statement.keys(at + 1, 3)
        if key == "DROP" and _drops_values(statement, at):
            session.loses(first, last, name, "a column or partition and every value in it would be gone", KEEP_IT)
            return
        if key == "TRUNCATE" and follows[:1] == ("PARTITION",):
            session.loses(first, last, name, "every row of the partition would be deleted", LIMIT_IT)
            return
        if key in ("DELETE", "UPDATE") and at == after:
            _unless_limited(session, statement, (at, end), name, _EVERY_ROW + "changed or deleted")
            return
        if key == "DISABLE" and follows == ("ROW", "LEVEL", "SECURITY"):
            session.escalates(first, last, name, "everybody would see every row of the table")
            return


def _drops_values(statement: Statement, at: int) -> bool:
    """Whether a DROP in ALTER TABLE takes a column or a partition, and not a constraint, a default or an index."""
    follows = statement.skip(at + 1, frozenset(("IF", "EXISTS")))
    key = statement.key(follows)
    named = follows < len(statement.tokens) and statement.tokens[follows].kind in (Kind.WORD, Kind.NAME)
    return key == "(" or (named and key not in KEPT_BY_ALTER)


def create(session: Session, statement: Statement, i: int, end: int) -> None:
    """Accounts and risky extensions that are made; temporary tables are remembered."""
    first, last = statement.tokens[i], statement.tokens[end - 1]
    replaces = statement.keys(i + 1, 2) == ("OR", "REPLACE")
    at = statement.skip(i + 3 if replaces else i + 1, frozenset(("GLOBAL", "LOCAL")))
    kind = statement.key(at)
    if kind in TEMPORARY:
        name, _ = statement.name(statement.skip(at + 1, frozenset("TABLE VIEW SEQUENCE IF NOT EXISTS".split())))
        session.temporary.add(name.lower())
        return
    name, _ = statement.name(statement.skip(at + 1, BEFORE_NAME))
    if kind in ACCOUNTS and name.upper() != "MAPPING":
        session.escalates(first, last, name, "an account would be made")
    elif kind == "EXTENSION" and name.upper() in RISKY_EXTENSIONS:
        session.escalates(first, last, name, "the database could reach its machine, or others")
    elif replaces and kind in ("TABLE", "DATABASE", "SCHEMA") and not session.is_temporary(name):
        certainty = Confidence.LOW if kind == "TABLE" else Confidence.HIGH
        what = "what there is of that name would be gone, with every row in it"
        session.loses(first, statement.tokens[at], name, what, "CREATE … IF NOT EXISTS", certainty)


def grant(session: Session, statement: Statement, i: int, end: int) -> None:
    """GRANT and REVOKE; the target is who gets or loses it."""
    to = statement.find(i, end, "TO", "FROM")
    if to + 1 < end:
        what = "what an account may do would be changed"
        session.escalates(statement.tokens[i], statement.tokens[end - 1], statement.name(to + 1)[0], what)
