"""Reading events back: all of them, from either end, the ones that are wanted, and new ones as they come.

Nothing here checks the chain; `verify` does. A line that can't be read is counted and passed over, so that one bad
line does not hide the others.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from guardhouse.audit.chain import CHAIN_MEMBER, LONGEST_LINE, Entry, needle, read_entry, read_link
from guardhouse.audit.notes import Removed
from guardhouse.audit.place import Lines, LogFile, first_line, log_files, open_to_read
from guardhouse.audit.query import Query
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BLOCK: Final = 256 * 1024
_POLL: Final = 0.2
_START: Final = 128
"""Bytes of a line in which its notes begin."""
MOST_RELATED: Final = 200
"""Events that a story has besides its own."""


class Unreadable:
    """Counts the lines that could not be read."""

    def __init__(self) -> None:
        self.lines = 0


def events(
    directory: Path,
    query: Query = Query(),  # noqa: B008 - frozen
    *,
    newest_first: bool = False,
    unreadable: Unreadable | None = None,
) -> Iterator[Entry]:
    """The events that `query` wants, in constant memory. Files of days before `query.since` are not even opened.
    GuardhouseError if a file can't be opened."""
    needles = query.needles
    for line in _lines(directory, newest_first=newest_first, first_day=query.first_day):
        if needles and not all(one in line for one in needles):
            continue
        entry = _entry(line, unreadable)
        if entry is not None and query.matches(entry.event):
            yield entry


def raw_entries(directory: Path, *, unreadable: Unreadable | None = None) -> Iterator[tuple[bytes, Entry]]:
    """Every event, oldest first, each with its line as it stands in the log."""
    for line in _lines(directory):
        entry = _entry(line, unreadable)
        if entry is not None:
            yield line, entry


def removed_for_room(directory: Path) -> int:
    """Events that retention by size removed since the log began. In no time: the first line of a file tells of it."""
    for file in reversed(_files(directory)):
        try:
            line = first_line(directory, file)
        except FileNotFoundError:
            continue  # retention has just removed it
        entry = _entry(line, None) if CHAIN_MEMBER in line[:_START] else None
        removals = [note for note in entry.notes if isinstance(note, Removed)] if entry is not None else []
        if removals:
            return removals[-1].for_room
    return 0


def find(directory: Path, event_id: str) -> Entry | None:
    """The event of that id, the newest if there are several; None if there is none."""
    wanted = needle("event_id", event_id)
    for line in _lines(directory, newest_first=True):
        if wanted in line:
            entry = _entry(line, None)
            if entry is not None and entry.event.event_id == event_id:
                return entry
    return None


@dataclass(frozen=True, slots=True)
class Story:
    """One event, and the others about the same thing, oldest first."""

    entry: Entry
    related: tuple[Entry, ...]


def story(directory: Path, event_id: str) -> Story | None:
    """The event of that id and what belongs to it: the same call, the same approval, and what followed from these."""
    entry = find(directory, event_id)
    if entry is None:
        return None
    # An execution names its decision; a decision that used an approval is another one than the decision that asked.
    wanted = _ties(entry)
    related: list[Entry] = []
    for line in _lines(directory):
        if not any(one in line for one in wanted):
            continue
        other = _entry(line, None)
        if other is None or other.seq == entry.seq or wanted.isdisjoint(_ties(other) | _backward(other)):
            continue
        wanted |= _ties(other)
        related.append(other)
        if len(related) == MOST_RELATED:
            break
    return Story(entry, tuple(related))


def _ties(entry: Entry) -> set[bytes]:
    """The bytes by which other events refer to what this one is about."""
    event = entry.event
    ties = {needle("about", event.event_id)}
    if event.trace_id:
        ties.add(needle("trace_id", event.trace_id))
    if event.approval_request_id:
        ties.add(needle("approval_request_id", event.approval_request_id))
    if event.about:
        ties |= {needle("event_id", event.about), needle("about", event.about)}
    return ties


def _backward(entry: Entry) -> set[bytes]:
    about = entry.event.about
    return {needle("event_id", entry.event.event_id), *([needle("about", about)] if about else [])}


def follow(directory: Path, after: int = 0, stopped: Callable[[], bool] = lambda: False) -> Iterator[Entry]:
    """Events with a number above `after`, as they come, until `stopped` says so. Never ends by itself."""
    place: tuple[LogFile, int] | None = None
    while not stopped():
        files = _files(directory)
        if place is None:
            first = _file_of(directory, files, after)
            files = [file for file in files if first is None or file >= first]
        else:
            files = [file for file in files if file >= place[0]]
        for file in files:
            start = place[1] if place is not None and place[0] == file else 0
            handle = _open(directory, file)
            if handle is None:
                continue
            try:
                size = os.fstat(handle).st_size
                lines = Lines(handle, start, size)
                for line in lines:
                    entry = _entry(line, None)
                    if entry is not None and entry.seq > after:
                        after = entry.seq
                        yield entry
                place = (file, size - lines.unfinished)
            finally:
                os.close(handle)
        time.sleep(_POLL)


def _lines(directory: Path, *, newest_first: bool = False, first_day: str = "") -> Iterator[bytes]:
    """Every whole line as it stands in the log, from the files of `first_day` on."""
    files = _from_day(directory, _files(directory), first_day)
    for file in reversed(files) if newest_first else files:
        yield from _lines_of(directory, file, newest_first=newest_first)


def _from_day(directory: Path, files: list[LogFile], day: str) -> list[LogFile]:
    """The files that can hold events of `day` (UTC) or later."""
    at = next((index for index, file in enumerate(files) if file.day >= day), len(files))
    if at and day and _began_late(directory, files[at - 1], day):
        at -= 1
    return files[at:]


def _began_late(directory: Path, file: LogFile, day: str) -> bool:
    """Whether a file got its first event only on `day` or later: it was made before, and stayed empty. The next event
    of such a day went into a file of that day again."""
    try:
        line = first_line(directory, file)
    except FileNotFoundError:
        return False  # retention has just removed it
    entry = _entry(line, None)
    return entry is None or entry.event.timestamp[:10].replace("-", "") >= day


def _lines_of(directory: Path, file: LogFile, *, newest_first: bool = False) -> Iterator[bytes]:
    handle = _open(directory, file)
    if handle is None:
        return
    try:
        size = os.fstat(handle).st_size
        yield from _backwards(handle, size) if newest_first else Lines(handle, 0, size)
    finally:
        os.close(handle)


def _files(directory: Path) -> list[LogFile]:
    try:
        return log_files(directory)[0]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GuardhouseError(f"The audit log in {directory} can't be read: {error.strerror}.") from None


def _open(directory: Path, file: LogFile) -> int | None:
    """The file to be read; None if retention has just removed it."""
    try:
        return open_to_read(directory / file.name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GuardhouseError(f"{directory / file.name} can't be read: {error.strerror}.") from None


def _file_of(directory: Path, files: list[LogFile], after: int) -> LogFile | None:
    """The newest file that begins at or before the event that comes after number `after`."""
    for file in reversed(files):
        link = next(filter(None, map(read_link, _lines_of(directory, file))), None)
        if link is not None and link.seq <= after + 1:
            return file
    return None


def _backwards(handle: int, end: int) -> Iterator[bytes]:
    """The whole lines of a file, the last one first. One that is longer than any of ours comes as a line break."""
    rest: list[bytes] = []  # the pieces of the line that is being put together, the last one first
    length = 0
    complete = False  # whether that line ends with a line break
    while end > 0:
        start = max(0, end - _BLOCK)
        lines = os.pread(handle, end - start, start).split(b"\n")
        end = start
        for index in range(len(lines) - 1, -1, -1):
            rest.append(lines[index])
            length += len(lines[index])
            if length > LONGEST_LINE:
                rest.clear()
            if index:
                if complete:
                    yield b"".join(reversed(rest)) + b"\n" if length <= LONGEST_LINE else b"\n"
                rest, length, complete = [], 0, True
    if complete:
        yield b"".join(reversed(rest)) + b"\n" if length <= LONGEST_LINE else b"\n"


def _entry(line: bytes, unreadable: Unreadable | None) -> Entry | None:
    try:
        return read_entry(line)
    except ValueError:
        if unreadable is not None:
            unreadable.lines += 1
        return None
