"""The front door: what SQL text would do beyond reading and adding rows.

It reads tokens, not syntax trees, as the given client would cut them. It does not check whether the text is valid SQL,
and knows no table that the text does not name. What it costs is bounded: text that would cost more is read in part.
"""

from __future__ import annotations

from typing import Final

import msgspec

from guardhouse.detect.acts import UNKNOWN, Act
from guardhouse.detect.sql.following import follow
from guardhouse.detect.sql.known import DROP_MODIFIERS, DROPPED, FUNCTIONS, TEMPORARY
from guardhouse.detect.sql.lexicons import GENERIC, lexicons_for
from guardhouse.detect.sql.lexing import Kind, lex
from guardhouse.detect.sql.session import LONGEST, Budget
from guardhouse.model import Confidence, Effect

MOST_TOKENS: Final = 4000
MOST_STEPS: Final = 800
"""What all readings of a text may cost together; see `Budget`."""

_TELLING: Final = (
    "drop delete truncate update alter grant revoke create exec prepare set copy load attach vacuum backup unload "
    "restore bulk purge shutdown overwrite outfile dumpfile system source tee pager delimiter host start spool do"
).split()


def read_sql(text: str, dialect: str = "") -> tuple[Act, ...]:
    """What the text would do. `dialect` is the name of the database or of its client; any other is read each way."""
    if _is_plain(text):
        return ()
    lexicons = lexicons_for(text, dialect)
    found: dict[tuple[object, ...], Act] = {}
    readings: list[tuple[list[Act], bool]] = []
    is_whole = len(text) <= LONGEST
    for lexicon in lexicons:
        budget = Budget(MOST_TOKENS // len(lexicons), MOST_STEPS // len(lexicons))
        readings.append(follow(text[:LONGEST], lexicon, budget))
        is_whole = is_whole and not budget.spent and not budget.cut
    # A quote that stays open says that the text was written for another client; but clients run what comes before it.
    any_clean = any(clean for _, clean in readings)
    for acts, clean in sorted(readings, key=lambda one: not one[1]):
        for act in acts:
            kept = msgspec.structs.replace(act, certainty=Confidence.LOW) if any_clean and not clean else act
            found.setdefault((act.effect, act.kind, act.target, act.what), kept)
    rest = () if is_whole else (Act(effect=Effect.UNANALYSABLE, what="the SQL is too long"),)
    return (*found.values(), *rest)


def _is_plain(text: str) -> bool:
    """Whether no word or sign stands in the text that anything here would be told by."""
    lowered = text.lower()
    if any(sign in lowered for sign in ("/*", "\\", "!", UNKNOWN)) or any(word in lowered for word in _TELLING):
        return False
    if any(line.lstrip().startswith((".", ":", "@")) for line in lowered.split("\n")):
        return False
    return not any(row.name in lowered for row in FUNCTIONS)


_KINDS: Final = frozenset(DROPPED) | DROP_MODIFIERS | TEMPORARY
_NEXT: Final[dict[str, frozenset[str]]] = {
    "INSERT": frozenset("INTO OVERWRITE IGNORE OR".split()),
    "REPLACE": frozenset(("INTO",)),
    "DELETE": frozenset(("FROM",)),
    "DROP": _KINDS,
    "CREATE": _KINDS | {"OR"},
    "ALTER": _KINDS | {"SYSTEM", "DEFAULT"},
    "TRUNCATE": frozenset(("TABLE",)),
    "MERGE": frozenset(("INTO",)),
    "ATTACH": frozenset(("DATABASE",)),
    "LOAD": frozenset(("DATA", "XML")),
    "START": frozenset(("TRANSACTION",)),
    "EXECUTE": frozenset(("IMMEDIATE",)),
    "EXPLAIN": frozenset("SELECT DELETE UPDATE INSERT ANALYZE QUERY WITH ( VERBOSE".split()),
}
"""Which word must come next for the first to begin SQL, and not a sentence."""
_LATER: Final[dict[str, frozenset[str]]] = {
    "SELECT": frozenset(("FROM", "*", "(", "INTO", "UNION")),
    "UPDATE": frozenset(("SET",)),
    "WITH": frozenset(("AS",)),
    "GRANT": frozenset(("ON",)),
    "REVOKE": frozenset(("ON",)),
    "COPY": frozenset(("STDIN", "STDOUT", "PROGRAM", "CSV")),
    "VACUUM": frozenset(("FULL", "INTO", "ANALYZE")),
    "PRAGMA": frozenset(("=", "(")),
}
"""The same, for words of which the other stands somewhere near."""


def looks_like_sql(text: str) -> bool:
    """Whether the text begins as SQL does. A sentence that begins with «select» or «drop» does not."""
    pieces = lex(text[:600], GENERIC, 60).pieces
    keys = [token.key for piece in pieces for token in piece if token.kind != Kind.CLIENT]
    while keys and keys[0] in ("(", "BEGIN"):
        del keys[0]
    if len(keys) < 2:
        return False
    if keys[0] in _NEXT:
        return keys[1] in _NEXT[keys[0]]
    if keys[0] == "SELECT" and keys[1] == "":
        return True
    return bool(_LATER.get(keys[0], frozenset()).intersection(keys[1:]))
