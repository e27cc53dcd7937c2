"""Finds secrets in text and in JSON values; says where they are and what to write instead, and never repeats them."""

from typing import TYPE_CHECKING, Any

from guardhouse.detect.secrets.interface import Category, CustomKind, Matcher, SecretKind, SecretMatch
from guardhouse.detect.secrets.kinds import KINDS
from guardhouse.detect.secrets.masks import REDACTED, Fingerprints
from guardhouse.detect.secrets.pairs import PAIR, PAIR_ID
from guardhouse.detect.secrets.scanner import UNREADABLE, Scanned, SecretScanner, masked, with_copies
from guardhouse.detect.secrets.walk import rebuilt

if TYPE_CHECKING:
    from guardhouse.detect.secrets.private_keys import rest_of_key

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
    "masked",
    "rebuilt",
    "rest_of_key",
    "with_copies",
]


def __getattr__(name: str) -> Any:
    """Private keys are loaded where there are any."""
    if name == "rest_of_key":
        from guardhouse.detect.secrets.private_keys import rest_of_key

        return rest_of_key
    raise AttributeError(name)
