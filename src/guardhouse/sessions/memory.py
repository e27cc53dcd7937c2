"""Sessions in memory, for one process: gone when it ends. It keeps fingerprints like the one on disk, not values."""

from __future__ import annotations

import os
import threading
import time
from itertools import islice
from typing import TYPE_CHECKING

from guardhouse.model import GRADES, KeptObject, NewEvent, NewObject, Occurrence, SessionEvent, SessionEventKind
from guardhouse.sessions.fingerprints import KEY_SIZE, SessionKey, checked_key, opened_name
from guardhouse.sessions.intake import (
    Intake,
    Row,
    answer,
    has_room,
    kept_turns,
    kin_asked,
    session_is_full,
    slot_asked,
    take_in,
)
from guardhouse.sessions.interface import (
    DEFAULT_SESSION_LIMITS,
    KeptTurn,
    Origins,
    SessionLimits,
    SessionOutline,
    Summary,
    Tally,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class _Session:
    """One session's events, tallies and rows. Changed under the index's lock only."""

    __slots__ = ("by_kind", "events", "kin", "name", "number", "objects", "rows", "tallies", "touched", "turns")

    def __init__(self, number: int = 0, name: bytes | None = None, kin: bytes = b"") -> None:
        self.number = number
        self.name = name
        self.kin = kin
        self.events: list[SessionEvent] = []
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.rows: dict[int, tuple[Row, ...]] = {}
        self.objects: dict[int, tuple[KeptObject, ...]] = {}
        self.by_kind: dict[str, list[int]] = {}
        self.turns: list[KeptTurn] = []
        self.touched = 0.0

    def add(self, intake: Intake, at: float, limits: SessionLimits, turn: KeptTurn | None) -> int:
        taken = sum(tally.values for tally in self.tallies.values() if tally.grade == intake.event.grade)
        intake = intake.within(limits.values_per_grade - taken)
        event = intake.event
        seq = len(self.events) + 1
        old = self.tallies.get((event.kind, event.grade)) or Tally(event.kind, event.grade, 0, 0, 0, 0)
        self.tallies[event.kind, event.grade] = Tally(
            event.kind,
            event.grade,
            old.events + 1,
            old.values + len(intake.marks),
            old.capped + intake.capped,
            seq,
            old.cut + intake.cut,
        )
        self._index(intake, seq, limits)
        fields = {name: getattr(event, name) for name in event.__struct_fields__}
        self.events.append(SessionEvent(**fields, seq=seq, at=at, capped=intake.capped))
        self.by_kind.setdefault(event.kind, []).append(seq)
        if intake.objects:
            self.objects[seq] = intake.objects
        if turn is not None:
            self.turns = kept_turns([*self.turns, KeptTurn(turn.sealed, turn.own, seq)], limits)
        self.touched = at
        return seq

    def _index(self, intake: Intake, seq: int, limits: SessionLimits) -> None:
        grade = GRADES.index(intake.event.grade)
        # Values that occur for the first time share one tuple a slot: most values are of that sort.
        firsts: dict[str, tuple[Row, ...]] = {}
        for fingerprint, slot in sorted(intake.marks):
            first = firsts.get(slot) or firsts.setdefault(slot, (Row(seq, slot, grade),))
            known = self.rows.get(fingerprint)
            if known is None:
                self.rows[fingerprint] = first
            elif has_room(known, first[0], limits):
                self.rows[fingerprint] = known + first


class MemorySessions:
    """A SessionIndex in memory. Without a key it makes one of its own."""

    def __init__(
        self,
        key: bytes | None = None,
        *,
        limits: SessionLimits = DEFAULT_SESSION_LIMITS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._key = checked_key(os.urandom(KEY_SIZE) if key is None else key)
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[bytes, _Session] = {}
        """In the order in which they were begun."""
        self._numbered = 0

    def append(
        self,
        session_id: str,
        event: NewEvent,
        values: Iterable[Value] = (),
        objects: Sequence[NewObject] = (),
        *,
        cut: bool = False,
        turn: KeptTurn | None = None,
    ) -> int:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        intake = take_in(key, event, values, self._limits, objects, cut=cut)
        with self._lock:
            session = self._sessions.get(key.tag) or _Session(self._numbered + 1, key.sealed_name, key.kin)
            if len(session.events) >= self._limits.events:
                raise session_is_full(self._limits)
            seq = session.add(intake, self._clock(), self._limits, turn)
            self._sessions[key.tag] = session
            self._numbered = max(self._numbered, session.number)
            return seq

    def origins(self, session_id: str, values: Iterable[Value], *, most: int | None = None) -> dict[Value, Origins]:
        """See SessionIndex."""
        key = SessionKey(self._key, session_id)
        asked = {(slot, value): (slot_asked(key, slot), key.fingerprint(value)) for slot, value in values}
        with self._lock:
            session = self._sessions.get(key.tag) or _Session()
            found = {}
            for pair, (slot, fingerprint) in asked.items():
                rows, capped = answer(list(session.rows.get(fingerprint, ())), slot, self._limits, most)
                found[pair] = Origins(tuple(Occurrence(session.events[row.seq - 1], row.slot) for row in rows), capped)
            return found

    def events(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[SessionEvent]:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            return session.events[max(after, 0) :][: max(limit, 0)] if session else []

    def last(self, session_id: str, kind: SessionEventKind) -> SessionEvent | None:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            seq = max((t.last_seq for t in session.tallies.values() if t.kind == kind), default=0) if session else 0
            return session.events[seq - 1] if session and seq else None

    def latest(self, session_id: str, kind: SessionEventKind, *, limit: int) -> list[SessionEvent]:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            seqs = session.by_kind.get(kind, [])[-limit:] if session and limit > 0 else []
            return [session.events[seq - 1] for seq in seqs] if session else []

    def objects(self, session_id: str, seqs: Iterable[int]) -> dict[int, tuple[KeptObject, ...]]:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            return {seq: session.objects[seq] for seq in seqs if seq in session.objects} if session else {}

    def turns(self, session_id: str) -> list[KeptTurn]:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            return list(session.turns) if session else []

    def summary(self, session_id: str) -> Summary:
        """See SessionIndex."""
        with self._lock:
            session = self._find(session_id)
            return Summary(tuple(session.tallies[key] for key in sorted(session.tallies)) if session else ())

    def recent(self, limit: int, *, before: int | None = None, beginning: str = "") -> list[SessionOutline]:
        """See SessionIndex."""
        kin = kin_asked(self._key, beginning) if beginning else None
        with self._lock:
            found = (
                _outline(self._key, tag, session)
                for tag, session in reversed(self._sessions.items())
                if (before is None or session.number < before) and kin in (None, session.kin)
            )
            return list(islice(found, max(limit, 0)))

    def forget(self, session_id: str) -> bool:
        """See SessionIndex."""
        with self._lock:
            return self._sessions.pop(SessionKey(self._key, session_id).tag, None) is not None

    def expire(self, older_than: float) -> int:
        """See SessionIndex."""
        with self._lock:
            old = [tag for tag, session in self._sessions.items() if session.touched < older_than]
            for tag in old:
                del self._sessions[tag]
            return len(old)

    def close(self) -> None:
        """See SessionIndex. There is nothing to let go of."""

    def _find(self, session_id: str) -> _Session | None:
        return self._sessions.get(SessionKey(self._key, session_id).tag)


def _outline(key: bytes, tag: bytes, session: _Session) -> SessionOutline:
    return SessionOutline(
        number=session.number,
        name=(opened_name(key, tag, session.name) or "") if session.name else "",
        begun=session.events[0].at,
        touched=session.touched,
        events=len(session.events),
        untrusted=sum(tally.events for tally in session.tallies.values() if tally.grade == "untrusted"),
    )
