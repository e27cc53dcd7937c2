"""What is remembered while the statements of a text are gone through, and how acts are noted.

No statement is understood here; the modules that do so write into a session. SQL that stands in strings is only put
aside, for the reader to go through next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN, Act, Scope, Source, Target
from guardhouse.detect.sql.lexing import Kind, Token, from_hex
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from guardhouse.detect.sql.statements import Statement

LONGEST: Final = 64 * 1024
"""Text beyond this is not read."""
MOST_FOLDED: Final = 60
"""Tokens of an expression that are looked at to tell what text it makes."""
LIMIT_IT: Final = "add a WHERE that names the rows; try it as a SELECT first, or between BEGIN and ROLLBACK"
KEEP_IT: Final = "take a dump first, or rename it and drop it once nothing misses it"
_GRANT_LESS: Final = "leave accounts and rights to a person, or to a reviewed migration"
_NO_SHELL: Final = "run the command outside of the database client, where it can be seen for what it is"
_FILES: Final = {
    Effect.READS: "a file would be read",
    Effect.WRITES: "a file would be written",
    Effect.DELETES: "a file would be gone",
}
_NO_FILE: Final = frozenset(("", "off", "stdout", "stderr", "stdin", "on", "pstdin", "pstdout", "-", ":memory:"))
BUILDERS: Final = frozenset("CONCAT CONCAT_WS FORMAT CHAR CHR NCHAR LOWER UPPER TRIM CAST UNHEX QUOTE_IDENT".split())


class Budget:
    """What may still be spent on one reading, with the SQL in its strings. Spent once, it stays spent."""

    __slots__ = ("cut", "spent", "steps", "tokens")

    def __init__(self, tokens: int, steps: int) -> None:
        self.tokens = tokens
        """Words, signs and comments that are cut."""
        self.steps = steps
        """Verbs, conditions, functions, commands that are looked into."""
        self.spent = False
        self.cut = False
        """Some text was not even cut to its end."""

    def take(self, steps: int = 1) -> bool:
        """Whether there is enough for one more thing."""
        self.steps -= steps
        self.spent = self.spent or self.steps < 0
        return not self.spent


class Inner(NamedTuple):
    """SQL that stands in a string, or that only a run would put together."""

    sql: str
    token: Token
    scope: Scope


class Session:
    """The acts of the statement at hand, and what later statements may refer to."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.acts: list[Act] = []
        self.inner: list[Inner] = []
        self.temporary: set[str] = set()
        self.variables: dict[str, str] = {}
        self.routines: dict[str, str] = {}

    def add(self, effect: Effect, first: Token, last: Token, **more: object) -> None:
        """Note an act that stands from one token to another."""
        if self.budget.take():
            self.acts.append(Act(effect=effect, start=first.start, end=last.end, **more))  # type: ignore[arg-type]

    def loses(
        self, first: Token, last: Token, name: str, what: str, instead: str, certainty: Confidence = Confidence.HIGH
    ) -> None:
        """Data, or what keeps it, would be gone."""
        kind: Target = "thing" if name else ""
        self.add(Effect.RUNS_SQL, first, last, kind=kind, target=name, certainty=certainty, what=what, instead=instead)

    def escalates(self, first: Token, last: Token, name: str, what: str) -> None:
        """Somebody could do more than before, or less."""
        kind: Target = "thing" if name else ""
        self.add(Effect.ESCALATES, first, last, kind=kind, target=name, what=what, instead=_GRANT_LESS)

    def runs_shell(self, command: str, first: Token, last: Token) -> None:
        """A command would be run, by the database or by its client."""
        what = "a command would be run on the machine"
        self.add(Effect.EXECUTES, first, last, kind="shell", target=command, what=what, instead=_NO_SHELL)

    def loads(self, path: str, first: Token, last: Token) -> None:
        """A library would be loaded."""
        what = "code from a library would be run inside the database"
        self.add(
            Effect.EXECUTES, first, last, kind="program", target=path, sources=frozenset((Source.FILE,)), what=what
        )

    def touches(self, effect: Effect, path: str, first: Token, last: Token) -> None:
        """A file is read or written; or an address, where the database takes one instead."""
        if path.lower() in _NO_FILE:
            return
        if "://" in path[:12] and not path.lower().startswith("file:"):
            effect = Effect.SENDS if effect is Effect.WRITES else Effect.CONNECTS
            self.add(effect, first, last, kind="url", target=path, what="the database would call another machine")
        else:
            self.add(effect, first, last, kind="path", target=path, what=_FILES[effect])

    def is_temporary(self, name: str) -> bool:
        """Whether a table is gone with the connection anyway."""
        lowered = name.lower()
        return lowered in self.temporary or lowered.startswith(("#", "pg_temp.", "temp.", "tempdb..#"))

    def folded(self, statement: Statement, start: int, end: int) -> str:
        """The text that an expression of strings makes, with `UNKNOWN` for what is not known."""
        pieces: list[str] = []
        characters = False
        stop = min(end, start + MOST_FOLDED)
        is_format = statement.key(start) == "FORMAT"
        i = start
        while i < stop:
            token = statement.tokens[i]
            if token.kind == Kind.STRING:
                pieces.append(token.text)
                if is_format:
                    break
            elif token.kind == Kind.NUMBER:
                pieces.append(_from_number(token.text, character=characters))
            elif token.key in BUILDERS:
                characters = token.key in ("CHAR", "CHR", "NCHAR")
            elif token.key == ")":
                characters = False
            elif token.kind != Kind.SIGN:
                pieces.append(self.variables.get(token.text.lower(), UNKNOWN))
                i = statement.close[i + 1] if statement.key(i + 1) == "(" else i
            i += 1
        if end > stop:
            pieces.append(UNKNOWN)
        text = "".join(pieces)[:LONGEST]
        if is_format:
            text = text.replace("%I", UNKNOWN).replace("%s", UNKNOWN).replace("%L", UNKNOWN)
        return text


def _from_number(text: str, *, character: bool) -> str:
    if text[:2].lower() == "0x":
        return from_hex(text[2:])
    if character and text.isdecimal() and len(text) < 7 and int(text) < 0x110000:
        return chr(int(text))
    return "" if character else text
