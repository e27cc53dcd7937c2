"""What a sensitivity label is: a kind of data that is no secret, and that not everybody should get to see.

A label says what something is and nothing about what to do; that is up to configuration, and only where data leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import msgspec

Where = tuple[int, int]
"""From which byte to which."""


class Group(Enum):
    """What kind of harm it is if others see it."""

    ENVIRONMENT = "environment"
    PERSONAL = "personal"
    PRIVATE = "private"
    BUSINESS = "business"


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table."""

    id: str
    group: Group
    what: str
    """In a few words, for people."""
    pattern: str
    """An RE2 expression over bytes for what may be one; if it has groups, the one that matched is it. It takes whole
    runs, so that no part of a longer one passes."""
    check: Callable[[bytes, int, int], Where | None]
    """Which part of it is the labelled data; None if it is something else. In time that does not depend on the text."""
    matches: tuple[str, ...]
    """Texts that hold one; what is to be masked stands between `‹` and `›`."""
    misses: tuple[str, ...]
    """Texts that look like it and hold none."""


class OwnLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label that configuration defines."""

    id: str
    group: Group
    pattern: str
    """An RE2 expression; if it has a group, only the group is the labelled data."""
