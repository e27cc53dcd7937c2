"""An event and its objects as columns of a row, and back.

Shared by the indexes that outlive a process, so that they keep the same thing. Rows that were read before are not
read again: those of the latest messages are asked for at every call.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import GRADES, KeptObject, NewEvent, SessionEvent
from guardhouse.sessions.fingerprints import opened_name
from guardhouse.sessions.interface import SessionOutline

if TYPE_CHECKING:
    from guardhouse.model import Grade

GRADE_AT: Final[dict[int, Grade]] = dict(enumerate(GRADES))
EVENT_COLUMNS: Final = "kind, name, call_id, grade, excerpt, detail, seq, at, capped"
_FIELDS: Final = tuple(EVENT_COLUMNS.split(", "))
_OBJECTS: Final = msgspec.msgpack.Decoder(tuple[KeptObject, ...])
_SMALL: Final = 4096


def row_of(event: NewEvent, seq: int, at: float, *, capped: bool) -> tuple[Any, ...]:
    """The values of `EVENT_COLUMNS`."""
    detail = None if event.detail is None else msgspec.json.encode(event.detail).decode()
    grade = GRADES.index(event.grade)
    return event.kind, event.name, event.call_id, grade, event.excerpt, detail, seq, at, capped


@lru_cache(maxsize=1024)
def event_of(row: tuple[Any, ...]) -> SessionEvent:
    """The event that a row says: the same row, the same event. KeyError, TypeError or DecodeError if it says none."""
    kept = dict(zip(_FIELDS, row, strict=True))
    kept["grade"] = GRADE_AT[kept["grade"]]
    kept["capped"] = bool(kept["capped"])
    kept["detail"] = None if kept["detail"] is None else msgspec.json.decode(kept["detail"])
    return msgspec.convert(kept, SessionEvent)


def outline_of(row: tuple[Any, ...], key: bytes) -> SessionOutline:
    """The outline that a row says: number, tag, sealed name, begun, touched, events, untrusted."""
    number, tag, sealed, begun, touched, events, untrusted = row
    name = opened_name(key, bytes(tag), bytes(sealed)) if sealed else ""
    return SessionOutline(number, name or "", float(begun), float(touched), int(events), int(untrusted))


def objects_as_kept(objects: tuple[KeptObject, ...]) -> bytes:
    """The objects of one event, in one piece."""
    return msgspec.msgpack.encode(objects)


def objects_of(kept: bytes) -> tuple[KeptObject, ...]:
    """The objects again; TypeError or DecodeError if there are none in it."""
    return _few_objects(kept) if len(kept) <= _SMALL else _OBJECTS.decode(kept)


@lru_cache(maxsize=1024)
def _few_objects(kept: bytes) -> tuple[KeptObject, ...]:
    return _OBJECTS.decode(kept)
