"""Finds secrets in text and in JSON values; says where they are and what to write instead, and never repeats them."""

from typing import TYPE_CHECKING, Any

from guardhouse.detect.secrets.interface import Category, CustomKind, Matcher, SecretKind, SecretMatch
from guardhouse.detect.secrets.kinds import KINDS
from guardhouse.detect.secrets.masks import REDACTED, Fingerprints
from guardhouse.detect.secrets.pairs import PAIR, PAIR_ID
from guardhouse.detect.secrets.scanner import UNREADABLE, Scanned, SecretScanner, masked, with_copies
from guardhouse.detect.secrets.walk import rebuilt

if TYPE_CHECKING:
    from guardhouse.detect.secrets.private_keys import is_key_line

UNREADABLE_ID = UNREADABLE.id

__all__ = [
    "KINDS",
    "PAIR",
    "PAIR_ID",
    "REDACTED",
    "UNREADABLE",
    "UNREADABLE_ID",
    "Category",
    "CustomKind",
    "Fingerprints",
    "Matcher",
    "Scanned",
    "SecretKind",
    "SecretMatch",
    "SecretScanner",
    "is_key_line",
    "masked",
    "rebuilt",
    "with_copies",
]


def __getattr__(name: str) -> Any:
    """Private keys are loaded where there are any."""
    if name == "is_key_line":
        from guardhouse.detect.secrets.private_keys import is_key_line

        return is_key_line
    raise AttributeError(name)
