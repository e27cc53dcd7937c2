"""Goes through the statements of a text in their order, and through the SQL in their strings.

Which part of a statement belongs to which verb, and what a ROLLBACK takes back, is told here; what a verb does is told
by the modules beside this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from guardhouse.detect.acts import UNKNOWN, Act, Scope
from guardhouse.detect.sql import changing, reaching, running
from guardhouse.detect.sql.known import FILE_STATEMENTS, FUNCTION_OF
from guardhouse.detect.sql.lexicons import GENERIC, TSQL, Lexicon
from guardhouse.detect.sql.lexing import Kind, Lexed, Token, lex
from guardhouse.detect.sql.session import Budget, Inner, Session
from guardhouse.detect.sql.statements import Statement, routine_at, whole_routines
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST: Final = 4
"""How often SQL may stand in a string of SQL."""


def _nothing(session: Session, statement: Statement, i: int, end: int) -> None:
    """A verb that only ends the statement before it."""


_VERBS: Final[dict[str, Callable[[Session, Statement, int, int], None]]] = {
    "DROP": changing.drop,
    "TRUNCATE": changing.truncate,
    "DELETE": changing.delete,
    "UPDATE": changing.update,
    "ALTER": changing.alter,
    "CREATE": changing.create,
    "GRANT": changing.grant,
    "REVOKE": changing.grant,
    "RESET": changing.command,
    "PURGE": changing.command,
    "SHUTDOWN": changing.command,
    "INSERT": changing.command,
    "RESTORE": changing.command,
    "COPY": reaching.copy,
    "LOAD": reaching.load,
    **{row.verb: reaching.use_file for row in FILE_STATEMENTS},
    "SET": running.set_variable,
    "DECLARE": running.declare,
    "EXECUTE": running.execute,
    "EXEC": running.execute,
    "PREPARE": running.prepare,
    "DO": running.do,
    "BEGIN": _nothing,
}
_REACHING: Final = frozenset((*FUNCTION_OF, "OUTFILE", "DUMPFILE"))
_TELLING: Final = _REACHING.union(_VERBS)
"""Words of which one is in every statement that matters."""
_OTHER_FIRST: Final = frozenset(
    "SELECT WITH MERGE CALL IF WHILE FOR EXPLAIN DESCRIBE DESC REPLACE PRINT RETURN VALUES TABLE FROM ANALYZE END ELSE "
    "PERFORM LOOP XP_CMDSHELL MASTER SP_EXECUTESQL WAITFOR USE COMMIT ROLLBACK SAVE CHECKPOINT RAISERROR OPEN FETCH "
    "CLOSE DEALLOCATE RECONFIGURE DBCC KILL GOTO IMPORT (".split()
)
"""What else a statement may begin with that has one of the verbs inside. A sentence begins with other words."""
_BIG: Final = frozenset("TABLE DATABASE SCHEMA VIEW USER ROLE LOGIN OWNED".split())
_HEAD_BEFORE: Final = frozenset(
    "( ) BEGIN THEN ELSE DO LOOP ANALYZE ANALYSE VERBOSE TRY CATCH ATOMIC INSTEAD ALSO".split()
)
_IN_BRACKETS: Final = frozenset("DELETE UPDATE INSERT DROP TRUNCATE".split())
"""Verbs that may stand in brackets, as in `WITH x AS (DELETE …)`, or would do the most harm there."""
_NO_HEAD_BEFORE: Final = frozenset(
    "ON FOR KEY DO OR BEFORE AFTER , . AS SELECT DISTINCT WHERE AND NOT BY = GRANT REVOKE OF THEN INSERT UPDATE DELETE "
    "INSTEAD IN LIKE SET || + - * < > WITH NO".split()
)


def follow(text: str, lexicon: Lexicon, budget: Budget) -> tuple[list[Act], bool]:
    """What the text would do, read that way; and whether it was clearly written to be read that way."""
    lexed = _lexed(text, lexicon, budget)
    return _Reader(lexed, Session(budget), 0).run(), lexed.clean


class _Step(NamedTuple):
    """What one statement was found to do."""

    words: tuple[str, ...]
    acts: list[Act]


class _Reader:
    """Goes through the statements of one text."""

    def __init__(self, lexed: Lexed, session: Session, depth: int) -> None:
        self.text = lexed.text
        self.lexicon = lexed.lexicon
        self.pieces = lexed.pieces
        self.session = session
        self.depth = depth

    def run(self) -> list[Act]:
        steps: list[_Step] = []
        before: list[Token] = []
        session = self.session
        for tokens in whole_routines(self.pieces, self.lexicon):
            session.acts = []
            if tokens[0].kind == Kind.CLIENT:
                reaching.client_command(session, tokens[0], before, self.lexicon)
                before = []
            else:
                self._statement(tokens)
                before = tokens
            acts = session.acts
            while session.inner and not session.budget.spent:
                acts.extend(self._inside(session.inner.pop(0)))
            steps.append(_Step(tuple([one.key for one in tokens[:3]]), acts))
            if session.budget.spent:
                break
        return [act for step in _without_undone(steps, self.lexicon) for act in step.acts]

    def _inside(self, inner: Inner) -> list[Act]:
        """What SQL in a string would do."""
        session, token = self.session, inner.token
        if not inner.sql.replace(UNKNOWN, "").strip() or self.depth >= DEEPEST:
            return [_unknown("SQL would be run that is put together only then", token)]
        if not session.budget.take(10):
            return []
        outer, session.inner = session.inner, []
        acts = _Reader(_lexed(inner.sql, self.lexicon, session.budget), session, self.depth + 1).run()
        session.inner = outer
        place = {"start": token.start, "end": token.end}
        scope = {"scope": inner.scope} if inner.scope is not Scope.LOCAL else {}
        return [msgspec.structs.replace(act, **place, **scope) for act in acts]

    def _statement(self, tokens: list[Token]) -> None:
        session, first = self.session, tokens[0]
        if first.key == "ROLLBACK":
            session.temporary.clear()
        if first.kind == Kind.VARIABLE:
            if first.text.lower() in session.variables:
                session.inner.append(Inner(session.variables[first.text.lower()], first, Scope.LOCAL))
        elif first.text.startswith(UNKNOWN) and len(tokens) == 1:
            session.acts.append(_unknown("which SQL would be run is known only then", first))
        elif first.key in _VERBS or first.key in _OTHER_FIRST:
            words = {token.key if token.kind != Kind.NAME else token.text.upper() for token in tokens}
            if words.isdisjoint(_TELLING) and words.isdisjoint(session.routines):
                return
            statement = Statement(tokens, self.lexicon)
            if _is_only_explained(statement):
                return
            if routine := routine_at(tokens):
                running.make_routine(session, statement, routine, self.text)
            else:
                self._verbs(statement)
                if not (words.isdisjoint(_REACHING) and words.isdisjoint(session.routines)):
                    reaching.functions(session, statement)

    def _verbs(self, statement: Statement) -> None:
        """Each verb is given what follows it, up to the next verb in the same brackets."""
        tokens = statement.tokens
        heads = [i for i, token in enumerate(tokens) if token.key in _VERBS and self._is_head(statement, i, token)]
        ends: dict[int, int] = {}
        parts: list[tuple[int, int]] = []
        for head in reversed(heads):
            around = statement.inside[head]
            outer = statement.close[around] if around >= 0 else len(tokens)
            parts.append((head, min(ends.get(around, outer), outer)))
            ends[around] = head
        for head, end in reversed(parts):
            if not self.session.budget.take():
                return
            _VERBS[tokens[head].key](self.session, statement, head, end)

    def _is_head(self, statement: Statement, i: int, token: Token) -> bool:
        before, after = statement.key(i - 1), statement.key(i + 1)
        if token.kind != Kind.WORD or after in (".", "=", ","):
            return False
        if (token.key == "UPDATE" and after == "SET") or (statement.inside[i] >= 0 and token.key not in _IN_BRACKETS):
            return False
        first = statement.tokens[0].key
        if i and first in ("ALTER", "GRANT", "REVOKE") and not (token.key == "DROP" and after in _BIG):
            return False
        if i == 0 or before in _HEAD_BEFORE or (before == "AS" and first == "PREPARE"):
            return not (before == "THEN" and token.key == "DELETE" and after != "FROM")
        # T-SQL needs no semicolon between statements.
        if self.lexicon not in (TSQL, GENERIC) or before in _NO_HEAD_BEFORE:
            return False
        return (
            (token.key == "DROP" and after in _BIG)
            or (token.key == "TRUNCATE" and after == "TABLE")
            or (token.key == "DELETE" and after == "FROM")
            or (token.key == "UPDATE" and statement.key(statement.name(i + 1)[1]) == "SET")
            or (self.lexicon is TSQL and token.key in ("EXEC", "EXECUTE"))
            or (self.lexicon is TSQL and token.key in ("ALTER", "CREATE") and after in _BIG)
        )


def _lexed(text: str, lexicon: Lexicon, budget: Budget) -> Lexed:
    lexed = lex(text, lexicon, budget.tokens)
    budget.tokens -= lexed.steps
    budget.cut = budget.cut or not lexed.whole
    return lexed


def _unknown(what: str, token: Token) -> Act:
    return Act(
        effect=Effect.UNANALYSABLE,
        kind="sql",
        certainty=Confidence.MEDIUM,
        start=token.start,
        end=token.end,
        what=what,
    )


def _is_only_explained(statement: Statement) -> bool:
    if statement.key(0) not in ("EXPLAIN", "DESCRIBE", "DESC"):
        return False
    if statement.key(1) != "(":
        return not {"ANALYZE", "ANALYSE"} & set(statement.keys(1, 2))
    for i in range(2, min(statement.close[1], 40)):
        if statement.key(i) in ("ANALYZE", "ANALYSE"):
            return i + 1 < len(statement.tokens) and statement.tokens[i + 1].text.upper() in ("FALSE", "OFF", "0")
    return True


# Transactions.

_DDL: Final = frozenset("DROP TRUNCATE ALTER CREATE RENAME".split())
_DML: Final = frozenset("SELECT INSERT UPDATE DELETE WITH EXPLAIN SAVEPOINT MERGE VALUES".split())


def _without_undone(steps: list[_Step], lexicon: Lexicon) -> list[_Step]:
    """Without what a ROLLBACK takes back: nothing may stand before it that could end the transaction earlier."""
    kept = list(steps)
    begun = -1
    for i, step in enumerate(steps):
        first = step.words[0]
        if _begins_transaction(step.words, lexicon):
            begun = i
        elif first == "ROLLBACK" and "TO" not in step.words and "PREPARED" not in step.words:
            for undone in range(begun + 1, i) if begun >= 0 else ():
                acts = [act for act in steps[undone].acts if act.effect is not Effect.RUNS_SQL]
                kept[undone] = _Step(steps[undone].words, acts)
            begun = -1
        elif first not in _DML and not (lexicon.undoes_ddl and first in _DDL):
            begun = -1
    return kept


def _begins_transaction(words: tuple[str, ...], lexicon: Lexicon) -> bool:
    if words[0] == "BEGIN":
        return (len(words) == 1 and lexicon is not TSQL) or words[1:2] in (("TRANSACTION",), ("TRAN",), ("WORK",))
    return words[:2] == ("START", "TRANSACTION")
