"""What a decision asks of a session: how it stands, and where the values of a call were seen. Both in flat time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import (
    STRICTEST,
    TOLD_GONE,
    TOLD_PEOPLE,
    TOLD_SPARED,
    TOLD_THINGS,
    WRITTEN,
    Condition,
    Conditioned,
    SessionState,
    Traces,
)
from guardhouse.sessions.interface import ANY_SLOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.model import KeptObject
    from guardhouse.sessions.interface import SessionIndex

_MOST_CONDITIONS: Final = 2_000
"""Calls that a person let through on a condition. What comes back in a session with more is held to the strictest."""
_MESSAGES: Final = 16
"""Of the user: as far back as a request reaches."""
_SHOWN: Final = 4
_EVENTS: Final = 24
"""Of which the objects are looked at, for one call."""
_BRIEFLY: Final = ("word:", "act:", "does:", "name:", "part:", "gram:", "call:", "grant:")
_BARE: Final = ("word:", "act:", "does:", "name:", "part:", "by:")
"""Of which the objects tell nothing."""
_PIECE: Final = "part:"
_RUN: Final = 5
_BRIEF: Final = 2
"""Of words and runs of words it only matters who had them."""


def session_state(index: SessionIndex, session_id: str) -> SessionState:
    """How a session stands."""
    summary = index.summary(session_id)
    said = [event for event in index.latest(session_id, "user_said", limit=_MESSAGES) if event.grade == "user"]
    confirmed: int | None = None
    requests = [event.detail or {} for event in said]
    if said and "confirms" in requests[-1]:
        since = said[-2].seq if len(said) > 1 else 0
        latest = index.latest(session_id, "assistant_showed", limit=_SHOWN)
        shown = [one for one in latest if since < one.seq < said[-1].seq]
        if shown:
            confirmed = shown[-1].seq
            requests.append(shown[-1].detail or {})
    sources = [event.seq for event in said] + ([confirmed] if confirmed is not None else [])
    words = index.objects(session_id, sources)
    conditioned = summary.events(kind="conditioned")
    untrusted = summary.events(grade="untrusted") - summary.events(kind="assistant_showed", grade="untrusted")
    return SessionState(
        user=summary.events(kind="user_said", grade="user"),
        untrusted=untrusted,
        cut=sum(one.cut for one in summary.tallies if one.grade == "untrusted" and one.kind != "assistant_showed"),
        requests=tuple(requests),
        heard=tuple(sources),
        said=_told(words, TOLD_THINGS),
        named=_told(words, TOLD_PEOPLE),
        spared=_told(words, TOLD_SPARED),
        gone=_told(words, TOLD_GONE),
        confirmed=confirmed,
        conditions=_conditions(index, session_id) if conditioned else (),
        forgot_conditions=conditioned > _MOST_CONDITIONS,
    )


def _conditions(index: SessionIndex, session_id: str) -> tuple[Conditioned, ...]:
    """The latest calls on a condition. One that can't be read is the strictest."""
    found = []
    for event in index.latest(session_id, "conditioned", limit=_MOST_CONDITIONS):
        detail = event.detail or {}
        try:
            condition = msgspec.convert(detail, Condition, strict=False)
        except msgspec.ValidationError:
            condition = STRICTEST
        found.append(Conditioned(event.name, detail.get("call", ""), condition))
    return tuple(found)


def _told(words: Mapping[int, tuple[KeptObject, ...]], group: int) -> frozenset[int]:
    return frozenset(word for kept in words.values() for one in kept if one.group == group for word in one.words)


def traces(index: SessionIndex, session_id: str, values: Sequence[str]) -> Traces:
    """Where `values` were seen, and the objects that they were seen in."""
    asked = [
        index.origins(session_id, [(ANY_SLOT, value) for value in values if _is_brief(value)], most=_BRIEF),
        index.origins(session_id, [(ANY_SLOT, value) for value in values if not _is_brief(value)]),
    ]
    found = {value: seen.occurrences for part in asked for (_, value), seen in part.items() if seen.occurrences}
    # That a model wrote a piece of something counts, however many others had it before.
    pieces = index.origins(session_id, [(WRITTEN, value) for value in values if value.startswith(_PIECE)], most=1)
    for (_, value), seen in pieces.items():
        found[value] = (*(one for one in found.get(value, ()) if one not in seen.occurrences), *seen.occurrences)
    found = {value: seen for value, seen in found.items() if seen}
    seqs = {
        one.event.seq: one.event.grade == "trusted"
        for value, seen in found.items()
        if not value.startswith(_BARE)
        for one in seen
        if one.event.grade != "user" and (one.event.grade == "trusted" or not value.startswith("gram:"))
    }
    # What the user's own data says comes first: nobody can push it out.
    kept = sorted(seqs, key=lambda seq: seqs[seq])[-_EVENTS:]
    return Traces(found=found, objects=index.objects(session_id, sorted(kept)))


def _is_brief(value: str) -> bool:
    """Whether it only matters who had a value, and not where: so it is with words, and with runs of them."""
    return value.startswith(_BRIEFLY) or (value.startswith("text:") and value.count(" ") >= _RUN - 1)
