"""What the index answers with. Data only."""

from __future__ import annotations

import msgspec

from guardhouse.audit.chain import Entry


class Page(msgspec.Struct, frozen=True):
    """Some of the events that were asked for, newest first, as the log has them."""

    entries: tuple[Entry, ...]
    more: bool
    """Whether there are more of them in the direction that was looked in."""
    first: int = 0
    """The numbers between which this page lies: `after=first` gives the page of newer events,"""
    last: int = 0
    """`before=last` that of older ones. Both are 0 if nothing was found."""


class Bucket(msgspec.Struct, frozen=True):
    """Some minutes, hours or days of a chart."""

    start: int
    """In seconds since 1970."""
    decisions: dict[str, int]
    """How many there were of each. None for what did not happen."""


class Timeline(msgspec.Struct, frozen=True):
    """What was decided, over time."""

    since: int
    """In seconds since 1970, as all times here. It is moved back to where a bucket begins,"""
    until: int
    """and this on to where one ends."""
    width: int
    buckets: tuple[Bucket, ...]
    """Without those in which nothing happened."""


class Waits(msgspec.Struct, frozen=True):
    """How long people took from a request to its answer, in seconds."""

    answers: int
    """The newest so many were looked at."""
    median: float
    p90: float


class Offers(msgspec.Struct, frozen=True):
    """What there is to filter by, the most frequent first."""

    tools: tuple[str, ...]
    codes: tuple[str, ...]
    actions: tuple[str, ...]
    principals: tuple[str, ...]
    actors: tuple[str, ...]
