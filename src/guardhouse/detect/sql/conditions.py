"""For which rows the condition after WHERE holds: for every row, for none, or for some.

It evaluates no SQL: it knows comparisons of constants, of a column with itself, and what people write to mean «all».
What looks at the row in any other way counts as a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.sql.lexing import Kind, Token

if TYPE_CHECKING:
    from guardhouse.detect.sql.session import Budget
    from guardhouse.detect.sql.statements import Statement

MOST_NESTED: Final = 40
"""How deep brackets are followed."""
MOST_COMPARED: Final = 40
"""Tokens of a comparison that are compared with others."""


class Holds:
    """For which rows a condition holds."""

    ALWAYS: Final = "always"
    LIKELY: Final = "likely"
    """For every row that anybody would have: `id > 0`."""
    NEVER: Final = "never"
    DEPENDS: Final = "depends"


_STRONGEST_FIRST: Final = (Holds.ALWAYS, Holds.LIKELY, Holds.DEPENDS, Holds.NEVER)
_NOT: Final = frozenset(("NOT", "!"))
_CONSTANT_WORDS: Final = frozenset(
    "AND OR NOT IS NULL TRUE FALSE LIKE ILIKE IN BETWEEN EXISTS SELECT CASE WHEN THEN ELSE END AS DUAL DISTINCT ALL "
    "ANY INT INTEGER TEXT CHAR VARCHAR BOOLEAN BOOL DATE NUMERIC INTERVAL CURRENT_DATE CURRENT_TIMESTAMP SYSDATE "
    "UNKNOWN XOR DIV MOD REGEXP RLIKE BIT SIGNED UNSIGNED BIGINT FLOAT DOUBLE REAL DECIMAL TIMESTAMP".split()
)
_REFLEXIVE: Final = frozenset(("=", "==", ">=", "<=", "<=>", "LIKE", "ILIKE", "IS"))
_COMPARING: Final = frozenset(("=", "==", ">=", "<=", "<=>", "<>", "!=", ">", "<", "LIKE", "ILIKE", "IS", "IN"))
_ROW_KEYS: Final = frozenset("ID _ID ROWID _ROWID_ OID CTID PK UUID".split())
_EVERY_KEY: Final = frozenset(
    tuple(one.split(" "))
    for one in (
        "IS NOT NULL",
        "> 0",
        ">= 0",
        ">= 1",
        "<> 0",
        "!= 0",
        "<> ",
        "!= ",
        "> - 1",
        ">= - 1",
        "<> - 1",
        "!= - 1",
    )
)


def holds(statement: Statement, start: int, end: int, table: str, budget: Budget, depth: int = 0) -> str:
    """For which rows of the table the condition from `start` to `end` holds."""
    while start < end and statement.key(start) == "(" and statement.close[start] == end - 1:
        start, end = start + 1, end - 1
    if start >= end:
        return Holds.DEPENDS
    if depth > MOST_NESTED or not budget.take():
        return Holds.LIKELY
    if end - start < 3 and statement.key(start) not in _NOT:
        return _comparison_holds(statement, start, end, table)
    either = ("OR", "||") if statement.lexicon.double else ("OR",)
    parts = _parts(statement, start, end, either)
    if len(parts) > 1:
        found = {holds(statement, *part, table, budget, depth + 1) for part in parts}
        return next((one for one in _STRONGEST_FIRST if one in found), Holds.NEVER)
    parts = _parts(statement, start, end, ("AND", "&&"))
    if len(parts) > 1:
        found = {holds(statement, *part, table, budget, depth + 1) for part in parts}
        return next((one for one in reversed(_STRONGEST_FIRST) if one in found), Holds.ALWAYS)
    if statement.key(start) in _NOT:
        after = statement.skip(start, _NOT)
        inner = holds(statement, after, end, table, budget, depth + 1)
        opposite = {Holds.ALWAYS: Holds.NEVER, Holds.NEVER: Holds.ALWAYS}
        return opposite.get(inner, Holds.DEPENDS) if (after - start) % 2 else inner
    return _comparison_holds(statement, start, end, table)


def _parts(statement: Statement, start: int, end: int, words: tuple[str, ...]) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    between = cases = 0
    begin = start
    for i in statement.level(start, end):
        key = statement.tokens[i].key
        if key == "CASE":
            cases += 1
        elif key == "END":
            cases -= 1
        elif key == "BETWEEN":
            between += 1
        elif key == "AND" and between:
            between -= 1
        elif key in words and cases <= 0:
            parts.append((begin, i))
            begin = i + 1
    parts.append((begin, end))
    return parts


def _comparison_holds(statement: Statement, start: int, end: int, table: str) -> str:
    tokens = statement.tokens
    if all(_is_constant(statement, i) for i in range(start, end)):
        return _constant_holds(tokens[start:end])
    at = next((i for i in statement.level(start, end) if tokens[i].key in _COMPARING), end)
    if at == end or end - start > MOST_COMPARED:
        return Holds.DEPENDS
    sign, negated = tokens[at].key, statement.key(at - 1) == "NOT"
    left, right = _spelled(tokens[start:at], table), _spelled(tokens[at + 1 : end], table)
    if left == right and sign in _REFLEXIVE:
        return Holds.ALWAYS
    if sign in ("LIKE", "ILIKE") and len(right) == 1 and not right[0].strip("%"):
        return Holds.NEVER if negated else Holds.ALWAYS
    if left and left[-1] in _ROW_KEYS and (sign, *right) in _EVERY_KEY:
        return Holds.LIKELY
    return Holds.DEPENDS


def _spelled(tokens: list[Token], table: str) -> list[str]:
    """The tokens as they are compared; `t.id` of the table `t` itself is `id`."""
    words = [token.key or token.text.upper() for token in tokens if token.key != "."]
    return words[1:] if len(words) > 1 and words[0] == table.upper() and tokens[1].key == "." else words


def _is_constant(statement: Statement, i: int) -> bool:
    token = statement.tokens[i]
    if token.kind == Kind.WORD:
        return token.key in _CONSTANT_WORDS or (statement.key(i + 1) == "(" and UNKNOWN not in token.text)
    if token.kind == Kind.STRING:
        return UNKNOWN not in token.text
    return token.kind in (Kind.NUMBER, Kind.SIGN)


def _constant_holds(tokens: list[Token]) -> str:
    """For a condition that looks at no column; what is too much to work out is taken to hold."""
    if len(tokens) == 1:
        value = _value(tokens[0])
        yes = value is not None and (value[1] != 0 or value[2].lower() in ("true", "t", "yes", "y", "on"))
        return Holds.ALWAYS if yes else Holds.NEVER
    keys = {token.key for token in tokens}
    if "NULL" in keys and "IS" not in keys:
        return Holds.NEVER if len(tokens) == 3 else Holds.LIKELY
    if len(tokens) != 3:
        return Holds.ALWAYS
    left, sign, right = _value(tokens[0]), tokens[1].key, _value(tokens[2])
    if left is None or right is None or left[0] != right[0] or sign not in _COMPARING:
        return Holds.LIKELY
    order = (left > right) - (left < right)
    outcome = {"<>": order != 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}
    return Holds.ALWAYS if outcome.get(sign, order == 0) else Holds.NEVER


def _value(token: Token) -> tuple[bool, float, str] | None:
    """Whether it is a number, the number, and the text."""
    if token.key in ("TRUE", "FALSE"):
        return True, float(token.key == "TRUE"), ""
    if token.kind == Kind.NUMBER or (token.kind == Kind.STRING and token.text[:15].isdigit()):
        try:
            return True, float(token.text), ""
        except ValueError:
            return None
    return (False, 0.0, token.text) if token.kind == Kind.STRING else None
