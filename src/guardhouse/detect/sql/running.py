"""Code that SQL runs out of strings and variables: EXECUTE, PREPARE, DO, and the bodies of routines.

Such code is only found here and put aside; the reader goes through it like any other SQL. Code in other languages is
passed on as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import Scope
from guardhouse.detect.sql.changing import BEFORE_NAME
from guardhouse.detect.sql.known import GRANTING_PROCEDURES, LANGUAGES
from guardhouse.detect.sql.lexing import Kind, Token
from guardhouse.detect.sql.session import BUILDERS, Inner, Session
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.sql.statements import Statement

_SET_MODIFIERS: Final = frozenset("GLOBAL PERSIST SESSION LOCAL".split())


def execute(session: Session, statement: Statement, i: int, end: int) -> None:
    """`EXECUTE IMMEDIATE '…'`, `EXECUTE '…' || x`, `EXEC(@s)`; and procedures that give rights."""
    at = i + 1
    if statement.key(at) == "IMMEDIATE":
        at += 1
    elif at >= end or statement.key(at) in ("FUNCTION", "PROCEDURE"):
        return
    elif _is_procedure(session, statement.tokens[at]):
        name, after = statement.name(at)
        if name.rpartition(".")[2].upper() in GRANTING_PROCEDURES and after < end:
            what = "what an account may do would be changed"
            session.escalates(statement.tokens[at], statement.tokens[end - 1], name, what)
        return
    stop = statement.find(at, end, "USING", "INTO", "AT")
    if at < stop:
        session.inner.append(Inner(session.folded(statement, at, stop), statement.tokens[at], Scope.LOCAL))


def _is_procedure(session: Session, token: Token) -> bool:
    return token.kind == Kind.WORD and token.key not in BUILDERS and token.text.lower() not in session.variables


def prepare(session: Session, statement: Statement, i: int, end: int) -> None:
    """`PREPARE p FROM '…'`; what follows AS is found as a statement of its own."""
    if statement.key(i + 2) == "FROM" and i + 3 < end:
        session.inner.append(Inner(session.folded(statement, i + 3, end), statement.tokens[i + 3], Scope.LOCAL))


def set_variable(session: Session, statement: Statement, i: int, end: int) -> None:
    """`SET @s = '…'` is remembered; passwords and log files are more than variables."""
    first, last = statement.tokens[i], statement.tokens[end - 1]
    if statement.key(i + 1) == "PASSWORD":
        session.escalates(first, last, "", "the password of an account would be changed")
        return
    name, after = statement.name(statement.skip(i + 1, _SET_MODIFIERS))
    if after + 1 < end and statement.key(after) in ("=", ":=", "TO"):
        value = session.folded(statement, after + 1, end)
        if name.lower().endswith("log_file"):
            session.touches(Effect.WRITES, value, first, last)
        session.variables[name.lower()] = value


def declare(session: Session, statement: Statement, i: int, end: int) -> None:
    """`DECLARE @q varchar(99) = '…'`"""
    name, after = statement.name(i + 1)
    equals = statement.find(after, end, "=", ":=", "DEFAULT")
    if name and equals < end:
        session.variables[name.lower()] = session.folded(statement, equals + 1, end)


def do(session: Session, statement: Statement, i: int, end: int) -> None:
    """A block of code; in another language than the database's own it may reach the machine."""
    code = statement.string(i, end)
    if code is None or i:
        return
    language = _language(statement, i, end)
    if language in LANGUAGES:
        _runs_foreign(session, language, code, statement.tokens[i])
    else:
        session.inner.append(Inner(code.text, code, Scope.LOCAL))


def _language(statement: Statement, start: int, end: int) -> str:
    at = statement.find(start, end, "LANGUAGE")
    return statement.tokens[at + 1].text.upper() if at + 1 < end else ""


def _runs_foreign(session: Session, language: str, code: Token, first: Token) -> None:
    what = "code would be run outside of what the database guards"
    instead = "use the database's language"
    session.add(Effect.EXECUTES, first, code, kind=LANGUAGES[language], target=code.text, what=what, instead=instead)


def make_routine(session: Session, statement: Statement, at: int, text: str) -> None:
    """A body is run when the routine is called, not when it is made; foreign code counts at once."""
    tokens, end = statement.tokens, len(statement.tokens)
    name, _ = statement.name(statement.skip(at + 1, BEFORE_NAME))
    language = _language(statement, at, end)
    library = statement.find(at, end, "SONAME")
    body = statement.find(at, end, "AS", "BEGIN", "IS")
    if library + 1 < end:
        session.loads(tokens[library + 1].text, tokens[0], tokens[end - 1])
    elif body < end and language in LANGUAGES and (code := statement.string(body, end)):
        _runs_foreign(session, language, code, tokens[0])
    elif body < end:
        literal = statement.string(body, min(end, body + 2))
        begin = tokens[body].start if tokens[body].key == "BEGIN" else tokens[body].end
        key = name.rpartition(".")[2].upper()
        session.routines[key] = literal.text if literal else text[begin : tokens[-1].end]
