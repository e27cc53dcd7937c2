"""What the secret scanner speaks of: a kind of secret, a kind a user adds, and a match.

A match says where a secret is and what to write in its place. It never holds the secret itself, so it can travel
into findings, logs and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, IntEnum
from typing import Protocol

import msgspec

from guardhouse.detect.secrets.masks import REDACTED
from guardhouse.model import Confidence


class Category(Enum):
    """What family a secret belongs to, for rules that care about families rather than vendors."""

    PROVIDER_KEY = "provider_key"
    TOKEN = "token"
    PRIVATE_KEY = "private_key"
    PASSWORD = "password"
    SESSION = "session"
    PAIR = "pair"
    CUSTOM = "custom"


class Pass(IntEnum):
    """What is looked for together. All at once is slower."""

    WORDS = 0
    """How tokens begin, and what most forms have."""
    NAMES = 1
    """Names of services and of pairs, words backwards, and marks inside words."""
    SHAPES = 2
    """What has no fixed text in it: see `shapes`."""


class SecretMatch(msgspec.Struct, frozen=True, gc=False):
    """One secret in a text: `text[start:end]` is to be replaced by `mask`. Offsets count characters."""

    kind: str
    start: int
    end: int
    mask: str
    confidence: Confidence
    category: Category
    by_context: bool = False
    """Known by what stands round it."""
    self_evident: bool = False
    """A copy of it would be found for itself, wherever it stands."""
    also: tuple[str, ...] = ()
    """Other kinds that were found at the same place."""
    echo: bool = False
    """Not found for its own looks or name here, but because the same text is a secret elsewhere."""


class SecretKind(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table of kinds."""

    id: str
    what: str
    """What it opens, in a few words."""
    anchor: str
    """A short RE2 pattern that every match contains; kinds whose anchor is absent are not tried."""
    trigger: str = ""
    """A pattern of bounded width round the anchor, as telling as it can be: the places where it ends are looked at.
    The anchor, if it is empty."""
    look: Pass = Pass.WORDS
    pattern: str = ""
    """RE2, over UTF-8 bytes. Its one group is the span to mask; what stands before it is kept as structure."""
    before: int = 64
    """How far before the end of its trigger a match can begin."""
    after: int = 1024
    """How far behind the end of its trigger a match is looked for. One that reaches so far is followed to its end."""
    spans: Callable[[bytes, Sequence[int]], Iterable[tuple[int, int, int]]] | None = None
    """Finds the matches near the ends of triggers, each with where it begins and its span: where there is no pattern,
    or faster than the pattern would."""
    checks: tuple[str, ...] = ()
    """Names from `checks.CHECKS`; all must accept the masked span."""
    behind_letter: str = ""
    """A further check, for where a letter or a digit stands directly before it."""
    goes_on: bool = False
    """May be of any length: what looks like more of it on the next line is part of it."""
    proof: str = ""
    """A check that makes a match certain; without it the match stands with less confidence."""
    fallback: bool = False
    """Counts only where nothing more specific was found."""
    by_context: bool = False
    """Known by what stands round it: the same value elsewhere would not be found for itself."""
    self_evident: bool = False
    """Found wherever it stands, whatever is round it."""
    mask: str = REDACTED
    category: Category = Category.PROVIDER_KEY
    confidence: Confidence = Confidence.HIGH
    matches: tuple[str, ...] = ()
    """Texts in which this kind is found."""
    misses: tuple[str, ...] = ()
    """Texts in which nothing is found."""


class CustomKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of secret that a user's configuration adds."""

    id: str
    pattern: str
    """RE2 syntax; it must not match the empty string. If it has a group, the first group is the secret."""


Places = dict[int, list[int]]
"""For each target of a first look, the places where something was seen of it."""


class Matcher(Protocol):
    """Looks at a text first: finds the triggers that say where to look closer, and for what."""

    def places(self, data: bytes) -> Places:
        """Where triggers end that are found, by what they are triggers of."""
        ...
