"""Everything that a first look at a text looks for, as one list: signs of kinds, of pairs, and of veils.

A trigger that is found says where to look closer, and for what; it decides nothing. Whatever looks for them, they are
the same: `matching` with RE2, `vectorscan` with a compiled database.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.secrets.interface import Pass
from guardhouse.detect.secrets.kinds import FIRST_FORM, FIRST_NAMED, KINDS, PREFIXED
from guardhouse.detect.secrets.kinds.rows import literals
from guardhouse.detect.secrets.pairs import FLAG_TRIGGERS, JOINED_TRIGGERS, SPACED_TRIGGERS
from guardhouse.detect.secrets.runs import plain_body
from guardhouse.detect.secrets.sight.veils import VEILS, Veil

if TYPE_CHECKING:
    from guardhouse.detect.secrets.kinds.rows import Prefixed

PAIR_TARGETS: Final = range(len(KINDS), len(KINDS) + 3)
"""Pairs of a name and a value: joined by a sign, by a blank, and as options on a command line."""
REST_TARGET: Final = PAIR_TARGETS.stop
"""Tokens that are whole, and may all the same go on on the next line."""
VEIL_TARGET: Final = REST_TARGET + 1
"""Targets from here on are veils. Below are the kinds, by their place in the table, pairs and rests."""


class Trigger(NamedTuple):
    """One thing to look for."""

    target: int
    anchor: str
    """A short pattern without which the other can't match."""
    pattern: str
    look: Pass = Pass.WORDS


@cache
def triggers() -> tuple[Trigger, ...]:
    """All of them. Made when they are first needed: a process that looks at little needs few of them."""
    found: list[Trigger] = []
    for index, row in enumerate(PREFIXED):
        found += of_prefixed_row(index, row)
        found += of_row_backwards(row)
    found += [of_kind(index) for index in range(FIRST_NAMED, len(KINDS))]
    return (*found, *without_words())


def without_words() -> tuple[Trigger, ...]:
    """Those that hang on no fixed word of a table: of forms, pairs and veils."""
    return (
        *map(of_kind, range(FIRST_FORM, FIRST_NAMED)),
        *(
            Trigger(target, anchor, pattern, Pass.NAMES)
            for target, found in zip(PAIR_TARGETS, (JOINED_TRIGGERS, SPACED_TRIGGERS, FLAG_TRIGGERS), strict=True)
            for anchor, pattern in found
        ),
        *(Trigger(VEIL_TARGET + sign.veil, sign.pattern, sign.pattern, sign.look) for sign in VEILS),
    )


def of_kind(index: int) -> Trigger:
    """That of one kind."""
    kind = KINDS[index]
    return Trigger(index, kind.anchor, kind.trigger or kind.anchor, kind.look)


def of_prefixed_row(index: int, row: Prefixed) -> list[Trigger]:
    """Those of a token with a beginning of its own: as it is, on two lines, and in pieces of text that are added up."""
    found = [of_kind(index)]
    heads = [head for head in literals(row.head) if len(head) >= _TELLING or head in _SHORT]
    if heads:
        head = "|".join(map(_quoted, heads))
        body = plain_body(row.body)
        least = min(_PIECE, body.least) if body else _WHOLE
        most = least - 1 if body else _PIECE
        piece = _piece(row)
        split = f"(?:{head}){piece}{{0,{most}}}{_NEXT_LINE}{piece}{{4}}"
        found.append(Trigger(VEIL_TARGET + Veil.SPLIT, row.head, split))
        if KINDS[index].goes_on:
            rest = f"(?:{head}){piece}{{{least},}}{_NEXT_LINE}{piece}{{8}}"
            found.append(Trigger(REST_TARGET, row.head, rest))
        found.append(Trigger(VEIL_TARGET + Veil.MARKS, row.head, f"(?:{head}){_GLUED}"))
    return found


def _piece(row: Prefixed) -> str:
    """What a piece of a token is made of: letters, digits, and the signs that its row speaks of. So a path is none."""
    return rf"[A-Za-z0-9_\-{''.join(sign for sign in '+/=.' if sign in row.body)}]"


def of_row_backwards(row: Prefixed) -> list[Trigger]:
    """That of such a token written backwards, if its beginning is long enough to be known so."""
    heads = [head[::-1] for head in literals(row.head) if len(head) >= TELLING_BACKWARDS]
    if not heads:
        return []
    anchor = "|".join(map(_quoted, heads))
    return [Trigger(VEIL_TARGET + Veil.REVERSED, anchor, rf"{_TOKEN}{{12}}(?:{anchor}){_EDGE}", Pass.NAMES)]


_TELLING: Final = 4
_SHORT: Final = frozenset({"sk-", "hf_", "SG."})
"""Shorter beginnings are in too many words to look for their pieces; but these are those of keys that many people have.
"""
TELLING_BACKWARDS: Final = 4
_TOKEN: Final = r"[A-Za-z0-9_\-]"
_EDGE: Final = "(?:[^A-Za-z0-9]|$)"
_PIECE: Final = 80
_WHOLE: Final = 16
_NEXT_LINE: Final = r"\\?\r?\n[ \t>#*|]{0,16}"
_GLUED: Final = r"""[A-Za-z0-9_\-+/=.]{0,80}\\{0,3}["'`]\s{0,16}(?:[+.&]|\.\.)?\s{0,32}\\{0,3}["'`][A-Za-z0-9_\-+/=.]"""


def _quoted(text: str) -> str:
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in text)


@cache
def digest() -> str:
    """Tells one list of triggers from another."""
    from hashlib import sha256

    return sha256(repr(triggers()).encode()).hexdigest()
