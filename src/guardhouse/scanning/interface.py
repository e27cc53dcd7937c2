"""What a scan speaks of: a file, a secret that was found in it, what could not be scanned, and the report on all of it.

A finding never holds the secret. Its path and its excerpt are masked before it is made.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from guardhouse.detect.secrets import Category, Fingerprints, SecretMatch
from guardhouse.model import Confidence


class File(msgspec.Struct, frozen=True):
    """A file that is to be scanned."""

    path: str
    """As people named it, or came to it from what they named."""
    real: str
    """Where it lies, with every link followed. Empty for standard input."""
    size: int


class Wanted(msgspec.Struct, frozen=True):
    """Which secrets are asked for."""

    kinds: tuple[str, ...] = ()
    """Globs; every kind, if there are none."""
    min_confidence: Confidence = Confidence.LOW
    fingerprints: Fingerprints | None = None
    """What makes the fingerprints, if they are asked for, too."""

    def covers(self, match: SecretMatch) -> bool:
        """Whether `match` is one of them."""
        if match.confidence < self.min_confidence:
            return False
        return not self.kinds or any(fnmatchcase(match.kind, glob) for glob in self.kinds)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One secret in a file. Lines and columns count from 1, columns by characters; the end is the first behind it."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    category: Category
    confidence: Confidence
    opens: str
    """What a secret of this kind opens, in a few words. Empty if that is not known."""
    echo: bool
    """Found because the same text is a secret elsewhere in the file."""
    excerpt: str
    """What stands round it on its line, with every secret masked."""
    fingerprint: str = ""
    """What `secrets.allowed` takes, if it was asked for."""


class NotScanned(msgspec.Struct, frozen=True):
    """A file or a directory that could not be looked at."""

    path: str
    why: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of a scan."""

    findings: tuple[Finding, ...]
    not_scanned: tuple[NotScanned, ...]
    files: int
    """How many files were scanned."""
    files_with_secrets: int
    bytes: int
    """How much was in them."""
    links: int
    """How many symbolic links were met and not followed."""
    not_entered: int = 0
    """How many `.git` directories were met and not entered."""
