"""Which of the oldest files have to go, because of their age or to make room, and which must stay.

It goes by what the files say in their first lines, which the chain vouches for, and not by their names. It only reads;
the log writes down what goes and removes it.
"""

from __future__ import annotations

import os
import time
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from guardhouse.audit.chain import Link, read_entry, read_link
from guardhouse.audit.notes import Begun, Note, Removed
from guardhouse.audit.place import Lines, LogFile, open_to_read
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.audit.settings import AuditSettings

DAY: Final = 86_400
_HOUR: Final = 3_600
_NOTHING: Final = None, ()


class Going(NamedTuple):
    """A file that has to go."""

    file: LogFile
    by: Literal["age", "size"]


class Retention:
    """What is to become of `files`, the oldest first, all of which are finished, if `room` more bytes are needed."""

    def __init__(self, directory: Path, files: list[LogFile], settings: AuditSettings, now: float, room: int) -> None:
        self._directory = directory
        self._files = files
        self._now = now
        self._beginnings: dict[LogFile, tuple[Link | None, tuple[Note, ...]]] = {}
        self._sizes = {file: os.lstat(directory / file.name).st_size for file in files}
        allowed = settings.max_total_bytes - room
        self.going: list[Going] = []
        self.kept = sum(self._sizes.values())
        """Bytes of what stays."""
        for index, file in enumerate(files):
            if not self._can_be_told(file):
                break
            ended = self._ended(index)
            if ended <= now - settings.max_age_days * DAY:
                self._let_go(file, "age")
            elif self.kept > allowed and ended <= now - settings.min_age_hours * _HOUR:
                self._let_go(file, "size")
            else:
                break
        # What follows has to be known as well: it says with which hash the removed part ended.
        while self.going and len(self.going) < len(files) and not self._can_be_told(files[len(self.going)]):
            self.kept += self._sizes[self.going.pop().file]
        self.is_full = bool(files) and self.kept > allowed
        """Whether the room is not there although everything went that may go."""

    def notes(self, end: Link) -> tuple[Removed, ...]:
        """What the log has to say before the files go; `end` is what would follow the last file."""
        before = self._last_removal()
        known, for_room = (before.last_seq, before.for_room) if before is not None else (0, 0)
        notes, at = [], 0
        for by, group in groupby(self.going, lambda going: going.by):
            files = [going.file for going in group]
            at += len(files)
            first = self._first_link(files)
            if first is not None:  # else they are empty
                following = self._first_link(self._files[at:]) or end
                names, last = tuple(file.name for file in files), following.seq - 1
                if by == "size":  # a removal that was interrupted is told of again, and counts once
                    for_room += max(0, last - max(known, first.seq - 1))
                notes.append(Removed(names, first.seq, last, following.prev.decode(), by, for_room))
        return tuple(notes)

    def _let_go(self, file: LogFile, by: Literal["age", "size"]) -> None:
        self.kept -= self._sizes[file]
        self.going.append(Going(file, by))

    def _can_be_told(self, file: LogFile) -> bool:
        """Whether it can be said what the file held. One that goes by another name is somebody's work, and stays."""
        link, _ = self._beginning(file)
        begun = self._begun(file)
        return not self._sizes[file] or (link is not None and (begun is None or begun.file == file.name))

    def _ended(self, index: int) -> float:
        """When the last event of the file was recorded at the latest, by the log's clock.

        That was before the next file was begun, and on the day of its name, after which nothing is written to a file.
        A moment that is yet to come is the word of a clock that was wrong, and counts for nothing.
        """
        own = self._begun_at(self._files[index])
        later = (self._begun_at(file) for file in self._files[index + 1 :])
        ended = next((at for at in later if at is not None), self._now)
        if own is None:
            return ended
        return min(max(own, ended), self._end_of_day(self._files[index]))

    def _last_removal(self) -> Removed | None:
        notes = (note for file in reversed(self._files) for note in reversed(self._beginning(file)[1]))
        return next((note for note in notes if isinstance(note, Removed)), None)

    def _begun(self, file: LogFile) -> Begun | None:
        return next((note for note in self._beginning(file)[1] if isinstance(note, Begun)), None)

    def _begun_at(self, file: LogFile) -> float | None:
        begun = self._begun(file)
        return begun.at if begun is not None and begun.at <= self._now else None

    def _end_of_day(self, file: LogFile) -> float:
        from calendar import timegm

        try:
            return timegm(time.strptime(file.day, "%Y%m%d")) + DAY
        except ValueError:
            return self._now

    def _first_link(self, files: list[LogFile]) -> Link | None:
        return next((link for file in files if (link := self._beginning(file)[0]) is not None), None)

    def _beginning(self, file: LogFile) -> tuple[Link | None, tuple[Note, ...]]:
        """The first sound line, and what it says about the log."""
        if file not in self._beginnings:
            self._beginnings[file] = self._read_beginning(file)
        return self._beginnings[file]

    def _read_beginning(self, file: LogFile) -> tuple[Link | None, tuple[Note, ...]]:
        try:
            handle = open_to_read(self._directory / file.name)
        except GuardhouseError:
            return _NOTHING  # a link, or no file: nothing of ours
        try:
            for line in Lines(handle, 0, self._sizes[file]):
                link = read_link(line)
                if link is not None and link.sound:
                    return link, _notes(line)
        finally:
            os.close(handle)
        return _NOTHING


def _notes(line: bytes) -> tuple[Note, ...]:
    try:
        return read_entry(line).notes
    except ValueError:
        return ()
