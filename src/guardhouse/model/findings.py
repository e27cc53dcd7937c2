"""What a detector saw. A finding has no opinion about what to do: that is policy's.

Findings travel into audit events and approval cards, so they are masked where they are made: `excerpt`, `url` and
`path` never carry a secret's text, and content is referred to by field and offsets.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal

import msgspec


class Ordered(Enum):
    """An enum whose members compare by their order of definition; `rank` is the place in it, from 0."""

    def __init__(self, _value: str) -> None:
        self.rank = len(type(self).__members__)

    __hash__ = object.__hash__  # members are single objects, and Enum's own hash is slow Python

    def __lt__(self, other: Ordered) -> bool:
        return self.rank < other.rank

    def __le__(self, other: Ordered) -> bool:
        return self.rank <= other.rank

    def __gt__(self, other: Ordered) -> bool:
        return self.rank > other.rank

    def __ge__(self, other: Ordered) -> bool:
        return self.rank >= other.rank


class Severity(Ordered):
    """How bad it would be if the finding is right. `INFO` is an observation: something rules can speak of."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Confidence(Ordered):
    """How sure the detector is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Effect(Enum):
    """What an action would do to the world."""

    __hash__ = object.__hash__

    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes"
    CONNECTS = "connects"
    SENDS = "sends"
    EXECUTES = "executes"
    OVERWRITES = "overwrites"
    LISTENS = "listens"
    SCANS = "scans"
    ESCALATES = "escalates"
    PERSISTS = "persists"
    DISCARDS = "discards"
    """Work that version control does not have yet, or history that others have."""
    MUTATES = "mutates"
    """A service, a cluster, a cloud account, a package registry: something behind an interface."""
    RUNS_SQL = "runs_sql"
    SPAWNS_SHELL = "spawns_shell"
    """A shell that takes its commands from whoever is connected, out of sight."""
    UNANALYSABLE = "unanalysable"


class PathClass(Enum):
    """Where a path lies, as far as policy cares."""

    __hash__ = object.__hash__

    PROJECT = "project"
    ALLOWED = "allowed"
    TEMP = "temp"
    HOME = "home"
    SYSTEM = "system"
    SECRET = "secret"
    PERSISTENCE = "persistence"
    GUARD = "guard"
    DEVICE = "device"
    ROOT = "root"
    """The root of the file system, a home directory, or another directory that everything lies in."""
    OTHER = "other"


class Span(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which part of the action: a field path such as `params.body[0]`, and character offsets in that string."""

    field: str
    start: int | None = None
    end: int | None = None


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which content something came from."""

    kind: Literal["user", "agent", "tool", "memory", "skill", "output"]
    name: str = ""
    """The tool, store or skill."""
    call_id: str | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing a detector saw, with the typed facts that rules can match."""

    code: str
    detector: str
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    span: Span | None = None
    excerpt: str = ""
    """The offending part for a person, secrets masked; never shown to an agent or a model."""
    origin: Origin | None = None
    effect: Effect | None = None
    host: str | None = None
    """Canonical host (A-label or address), lower case."""
    url: str | None = None
    """Scheme, host, port and path; no query, fragment or user info."""
    method: str | None = None
    path: str | None = None
    """Absolute and resolved."""
    path_class: PathClass | None = None
    secret_kind: str | None = None
    instead: str = ""
    """A safer form of just this, of the detector's own; masked."""
    detail: str = ""
    """One short phrase of the detector's own that completes the reason's text; masked."""
