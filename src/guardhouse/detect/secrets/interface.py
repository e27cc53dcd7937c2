"""What the secret scanner speaks of: a kind of secret, a kind a user adds, and a match.

A match says where a secret is and what to write in its place. It never holds the secret itself, so it can travel
into findings, logs and errors.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from guardhouse.model import Confidence

REDACTED: Final = "[redacted]"
REDACTED_JWT: Final = "[redacted_jwt]"
MASKS: Final = (REDACTED, REDACTED_JWT)
"""All that is ever written in place of a secret. Each begins with `[` and holds no other."""


class Category(Enum):
    """What family a secret belongs to, for rules that care about families rather than vendors."""

    PROVIDER_KEY = "provider_key"
    TOKEN = "token"
    PRIVATE_KEY = "private_key"
    PASSWORD = "password"
    SESSION = "session"
    PAIR = "pair"
    CUSTOM = "custom"


class SecretMatch(msgspec.Struct, frozen=True):
    """One secret in a text: `text[start:end]` is to be replaced by `mask`. Offsets count characters."""

    kind: str
    start: int
    end: int
    mask: str
    confidence: Confidence
    category: Category
    echo: bool = False
    """Not found for its own looks or name here, but because the same text is a secret elsewhere."""


class SecretKind(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table of kinds."""

    id: str
    what: str
    """What it opens, in a few words."""
    anchor: str
    """A short RE2 pattern that every match contains; kinds whose anchor is absent are not tried."""
    pattern: str = ""
    """RE2, over UTF-8 bytes. Its one group is the span to mask; what stands before it is kept as structure."""
    checks: tuple[str, ...] = ()
    """Names from `checks.CHECKS`; all must accept the masked span."""
    proof: str = ""
    """A check that makes a match certain; without it the match stands with less confidence."""
    fallback: bool = False
    """Counts only where nothing more specific was found."""
    mask: str = REDACTED
    category: Category = Category.PROVIDER_KEY
    confidence: Confidence = Confidence.HIGH
    matches: tuple[str, ...]
    """Texts in which this kind is found."""
    misses: tuple[str, ...]
    """Texts in which nothing is found."""


class CustomKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of secret that a user's configuration adds."""

    id: str
    pattern: str
    """RE2 syntax; it must not match the empty string. If it has a group, the first group is the secret."""
