"""Finds secrets in text and in JSON values; says where they are and what to write instead, and never repeats them."""

from guardhouse.detect.secrets.interface import REDACTED, Category, CustomKind, SecretKind, SecretMatch
from guardhouse.detect.secrets.kinds import KINDS
from guardhouse.detect.secrets.scanner import Scanned, SecretScanner, masked
from guardhouse.detect.secrets.walk import rebuilt

__all__ = [
    "KINDS",
    "REDACTED",
    "Category",
    "CustomKind",
    "Scanned",
    "SecretKind",
    "SecretMatch",
    "SecretScanner",
    "masked",
    "rebuilt",
]
