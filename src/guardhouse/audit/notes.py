"""What the log says about itself. A note stands beside the event in a line, where no caller of `record` can write.

Data and words only: who writes a note, and what `verify` makes of it, is in other modules.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """A file of the log begins with this line. So the chain itself holds a file's name and age."""

    file: str
    at: int
    """By the log's clock, in seconds since 1970."""


class Cut(msgspec.Struct, frozen=True, tag="cut"):
    """An unfinished line that a crash or a full disk had left was cut off."""

    file: str
    bytes: int
    sha256: str
    """Of what was cut."""


class Removed(msgspec.Struct, frozen=True, tag="removed"):
    """Retention removed the oldest files. What follows `last_seq` follows `last_hash`."""

    files: tuple[str, ...]
    first_seq: int
    last_seq: int
    last_hash: str
    by: Literal["age", "size"] = "age"
    """Whether they were old, or had to make room."""
    for_room: int = 0
    """Events that had to make room since the log began. It is carried on from note to note, because notes go, too."""


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """The log ended earlier than it should have: power failed before it was on disk, or somebody cut it."""

    expected_seq: int
    expected_hash: str
    found_seq: int
    found_hash: str
    synced_seq: int
    """Up to here it had been on disk, so that a power failure can't be the cause."""


class Headless(msgspec.Struct, frozen=True, tag="headless"):
    """The note of where the log ends was gone or damaged, so nobody can say whether something is missing there."""

    found_seq: int
    found_hash: str


Note = Begun | Cut | Removed | Lost | Headless


def describe(note: Note) -> str:
    """What a note says, for a person."""
    match note:
        case Begun():
            return f"The file {note.file} was begun."
        case Cut():
            return f"An unfinished line of {note.bytes} bytes was cut off the end of {note.file}."
        case Removed():
            return (
                f"Events {note.first_seq}–{note.last_seq} were removed by retention ({len(note.files)} files), "
                f"{'because of their age' if note.by == 'age' else 'to make room'}."
            )
        case Lost():
            return (
                f"The log should have ended with event {note.expected_seq}, but ended with {note.found_seq}; "
                f"up to {min(note.synced_seq, note.expected_seq)} it had been on disk."
            )
        case Headless():
            return (
                f"The record of where the log ends was gone or damaged; it was taken up after event {note.found_seq}."
            )
