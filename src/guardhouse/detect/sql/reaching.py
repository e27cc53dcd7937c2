"""Statements, functions and commands of clients that reach out of the database: files, programs, libraries.

Whether a path or a command is dangerous is not said here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.sql.clients import COMMANDS_OF
from guardhouse.detect.sql.known import FILE_STATEMENTS, FUNCTION_OF, Function
from guardhouse.detect.sql.lexing import Kind, Token, first_word, lex
from guardhouse.detect.sql.session import MOST_FOLDED, Inner, Session
from guardhouse.detect.sql.statements import Statement
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.sql.lexicons import Lexicon

_FILE_STATEMENT_OF: Final = {row.verb: row for row in FILE_STATEMENTS}
_CALLING: Final = frozenset("CALL EXEC EXECUTE PERFORM".split())
_ENDS_ARGUMENT: Final = frozenset("; , DROP TRUNCATE DELETE UPDATE ALTER CREATE EXEC EXECUTE SELECT INSERT".split())
MOST_COPY_TOKENS: Final = 200


def copy(session: Session, statement: Statement, i: int, end: int) -> None:
    """`COPY t FROM PROGRAM 'command'`, `COPY t TO 'file'`, `COPY INTO 'address' FROM t`."""
    at = statement.find(i + 1, end, "TO", "FROM", "INTO")
    if statement.key(at) == "INTO" and at + 1 < end and statement.tokens[at + 1].kind != Kind.STRING:
        at = statement.find(at + 1, end, "FROM")
    if at + 1 >= end:
        return
    first, last = statement.tokens[i], statement.tokens[end - 1]
    if statement.key(at + 1) == "PROGRAM":
        session.runs_shell(session.folded(statement, at + 2, min(end, at + 3)), first, last)
    elif statement.tokens[at + 1].kind == Kind.STRING:
        effect = Effect.READS if statement.key(at) == "FROM" else Effect.WRITES
        session.touches(effect, statement.tokens[at + 1].text, first, last)


def load(session: Session, statement: Statement, i: int, end: int) -> None:
    """`LOAD DATA INFILE 'path'`, and `LOAD 'library'`."""
    path = statement.string(i, end)
    if path is None:
        return
    if statement.key(i + 1) in ("DATA", "XML"):
        session.touches(Effect.READS, path.text, statement.tokens[i], path)
    elif path is statement.tokens[i + 1]:
        session.loads(path.text, statement.tokens[i], path)


def use_file(session: Session, statement: Statement, i: int, end: int) -> None:
    """The statements in which one string is a file."""
    row = _FILE_STATEMENT_OF[statement.key(i)]
    at = statement.find(i, end, row.word) if row.word else i
    if path := statement.string(at, end):
        session.touches(row.effect, path.text, statement.tokens[i], path)


def functions(session: Session, statement: Statement) -> None:
    """Functions and INTO OUTFILE, wherever they stand; and routines that the text itself has made."""
    tokens = statement.tokens
    for i, token in enumerate(tokens):
        if token.kind not in (Kind.WORD, Kind.NAME):
            continue
        key = token.key or token.text.upper()
        if key in FUNCTION_OF:
            _function(session, statement, i, FUNCTION_OF[key])
        elif key in ("OUTFILE", "DUMPFILE") and statement.key(i - 1) == "INTO" and i + 1 < len(tokens):
            session.touches(Effect.WRITES, tokens[i + 1].text, token, tokens[i + 1])
        elif key in session.routines and (statement.key(i + 1) == "(" or statement.key(i - 1) in _CALLING):
            session.inner.append(Inner(session.routines.pop(key), token, Scope.LOCAL))


def _function(session: Session, statement: Statement, i: int, row: Function) -> None:
    tokens = statement.tokens
    if not session.budget.take(10):
        return
    if statement.key(i + 1) == "(":
        arguments = statement.arguments(i + 1)
    elif row.procedure and i + 1 < len(tokens):
        stop = min(len(tokens), i + MOST_FOLDED)
        stop = statement.find(i + 1, stop, *_ENDS_ARGUMENT)
        equals = statement.find(i + 1, stop, "=")
        arguments = [(equals + 1 if equals < stop else i + 1, stop)]
    else:
        return
    start, end = arguments[min(row.argument, len(arguments) - 1)]
    value = session.folded(statement, start, end) if start < end else ""
    last = tokens[min(end, len(tokens)) - 1]
    if not value:
        return
    if row.kind == "sql":
        remote = row.name.startswith("dblink")
        session.inner.append(Inner(value, tokens[i], Scope.REMOTE if remote else Scope.LOCAL))
    elif row.kind == "shell":
        session.runs_shell(value, tokens[i], last)
    elif row.kind == "program":
        session.loads(value, tokens[i], last)
    else:
        session.touches(row.effect, value, tokens[i], last)


# The client's own commands.


def client_command(session: Session, token: Token, before: list[Token], lexicon: Lexicon) -> None:
    """What a command of the client does, after the given statement."""
    if not session.budget.take(2):
        return
    if "`" in token.text and token.key.startswith("\\") and "psql" in lexicon.client and token.key != "\\!":
        for command in token.text.split("`", 40)[1::2]:
            session.runs_shell(command, token, token)
    row = COMMANDS_OF[lexicon.client].get(token.key)
    does = row.does if row is not None else ""
    arguments = _split(token.text) if does not in ("", "shell", "delimiter", "copy") else []
    if does == "shell" and token.text:
        session.runs_shell(token.text, token, token)
    elif does.startswith(("in", "out")):
        _client_file(session, token, arguments, does)
    elif does == "library" and arguments:
        session.loads(arguments[0], token, token)
    elif does == "password":
        session.escalates(token, token, "", "the password of an account would be changed")
    elif does == "set" and arguments:
        session.variables[":" + arguments[0].lower()] = "".join(arguments[1:])
    elif does == "copy":
        _client_copy(session, token, lexicon)
    elif does == "runs":
        strings = [one for one in before if one.kind == Kind.STRING]
        session.inner.extend(Inner(one.text + UNKNOWN, one, Scope.LOCAL) for one in strings[:MOST_FOLDED])


def _client_file(session: Session, token: Token, arguments: list[str], does: str) -> None:
    files = [one for one in arguments if not one.startswith("-")]
    if token.text.startswith(("|", '"|', "'|")):
        command = token.text if token.text.startswith("|") else arguments[0]
        session.runs_shell(command[1:].strip(), token, token)
    elif files and not (token.key == "\\lo_export" and len(files) < 2):
        effect = Effect.READS if does.startswith("in") else Effect.WRITES
        session.touches(effect, files[-1 if does.endswith("last") else 0], token, token)


def _client_copy(session: Session, token: Token, lexicon: Lexicon) -> None:
    lexed = lex("COPY " + token.text, lexicon, MOST_COPY_TOKENS)
    statement = Statement(lexed.pieces[0], lexicon)
    end = len(statement.tokens)
    at = statement.find(1, end, "TO", "FROM")
    if at + 1 >= end:
        return
    target = statement.tokens[at + 1]
    if target.key == "PROGRAM":
        session.runs_shell(session.folded(statement, at + 2, min(end, at + 3)), token, token)
        return
    path = target.text if target.kind == Kind.STRING else first_word(lexed.text[target.start :])
    session.touches(Effect.READS if statement.key(at) == "FROM" else Effect.WRITES, path, token, token)


def _split(text: str) -> list[str]:
    """The arguments of a client's command; quotes keep blanks together."""
    words: list[str] = []
    at = 0
    while at < len(text) and len(words) < 8:
        if text[at].isspace():
            at += 1
            continue
        quoted = text[at] in "'\""
        end = text.find(text[at], at + 1) if quoted else len(text[at:].split(None, 1)[0]) + at
        end = len(text) if end < 0 else end
        words.append(text[at + quoted : end])
        at = end + quoted
    return words
