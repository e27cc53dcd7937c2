"""What a piece of code would do, as its reader saw it: one act each, before anyone says whether that is good or bad.

Readers of shell commands, SQL, Python and other code all speak of acts. A path in an act is as the code has it; what
place that is, and what it means, is said where acts are made into findings.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal

import msgspec

from guardhouse.model import Confidence, Effect

UNKNOWN = "\0"
"""Stands in a target for a piece that only the run would show. No shell word can hold this character itself."""


class Scope(Enum):
    """Whose world it happens in."""

    LOCAL = "local"
    CONTAINER = "container"
    REMOTE = "remote"
    CLOUD = "cloud"


class Source(Enum):
    """Where code, or data, comes from."""

    LITERAL = "literal"
    NETWORK = "network"
    DECODED = "decoded"
    DYNAMIC = "dynamic"
    WRITTEN = "written"
    """A file that the same command wrote, out of something that is not known."""
    FILE = "file"
    SECRET = "secret"


Target = Literal["", "path", "url", "host", "shell", "python", "sql", "program", "thing", "guard", "name"]
"""`name` is a path that is only named: whose it is may matter, what is done to it is not known."""


class Act(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that the code would do."""

    effect: Effect
    target: str = ""
    """What it is done to, with `UNKNOWN` for what can't be known; for a nested command, its text."""
    kind: Target = ""
    """How to read the target."""
    sources: frozenset[Source] = frozenset()
    """Where the code that is executed, or the data that is sent or written, comes from; empty means from here."""
    scope: Scope = Scope.LOCAL
    certainty: Confidence = Confidence.HIGH
    start: int = 0
    end: int = 0
    """The part of the text it was seen in."""
    program: str = ""
    recursive: bool = False
    """With everything below it."""
    unplaced: bool = False
    """The target is named by another program's output: it can be anywhere."""
    vague: bool = False
    """The file is given to a program of which nobody knows whether it only looks, or, if something is done to it, it is
    in reach of code of which nobody knows which file it changes."""
    what: str = ""
    """A short clause for a person: what would be lost or changed. Never text out of the code."""
    instead: str = ""
    """A safer form, if there is one."""
