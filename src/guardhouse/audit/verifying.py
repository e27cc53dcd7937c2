"""Checking the chain: is every event there, unchanged and in its place, and what does the log say about itself.

It reads bytes and never changes anything. It takes the lock for a moment, to learn where the log ends, and then checks
up to there, so that it raises no alarm about what others append meanwhile. A copy of a log can be checked as well.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from guardhouse.audit.chain import (
    CHAIN_MEMBER,
    GENESIS,
    TAIL,
    Anchor,
    Entry,
    Link,
    follows,
    read_entry,
    read_link,
)
from guardhouse.audit.head import HEAD_SIZE, SYNCED_SIZE, Head, decode_head, decode_synced
from guardhouse.audit.notes import Begun, Headless, Lost, Note, Removed
from guardhouse.audit.place import LOCK_NAME, Lines, LogFile, first_line, lock, log_files, open_to_read, unlock
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_PROBLEMS: Final = 100
_MOST_NOTICES: Final = 1_000
_MOST_FOREIGN: Final = 20
_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that no crash explains."""

    file: str
    line: int
    """Counted from 1; 0 is the file as a whole."""
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


@dataclass(frozen=True, slots=True)
class Noticed:
    """What the log says about itself, and in which of its events."""

    seq: int
    timestamp: str
    note: Note


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found."""

    problems: tuple[Problem, ...]
    """The first of them."""
    more_problems: int
    """How many there are besides."""
    events: int
    """Lines that are where they belong."""
    first: Entry | None
    last: Entry | None
    anchor: Anchor
    """Of the last line that was found. To be noted elsewhere, if there is no problem."""
    notices: tuple[Noticed, ...]
    """What was cut, lost or removed, in the words of the log."""
    more_notices: int
    removed_for_room: int
    """Events that retention by size removed since the log began."""
    unfinished: int
    """Bytes of an unfinished last line, as a crash or a full disk leaves them. The next append cuts them off."""
    foreign: tuple[str, ...]
    """Names in the directory that are none of the log's."""
    files: int
    bytes: int

    @property
    def ok(self) -> bool:
        """Whether the chain is whole."""
        return not self.problems


def verify(directory: Path, anchor: str | None = None) -> Verification:
    """Check the log in `directory`, and that it holds the event that `anchor` names.

    GuardhouseError if it can't be read, or if `anchor` is none. Where there is no log, there is nothing wrong with it.
    """
    wanted = Anchor.parse(anchor) if anchor is not None else None
    for _ in range(_TRIES):
        try:
            return _verify(directory, wanted)
        except FileNotFoundError:
            continue  # retention removed a file meanwhile
        except OSError as error:
            raise GuardhouseError(f"The audit log in {directory} can't be read: {error.strerror}.") from None
    raise GuardhouseError(f"Files keep vanishing from {directory}.", fix="Look who removes them.")


def head_anchor(directory: Path) -> Anchor:
    """The anchor of the newest event, as the head says, in no time. GuardhouseError if there is none to be had."""
    try:
        snapshot = _snapshot(directory)
    except OSError as error:
        raise GuardhouseError(f"The audit log in {directory} can't be read: {error.strerror}.") from None
    if snapshot.head is None or snapshot.problems:
        raise GuardhouseError(
            f"There is no audit log in {directory}, or it is damaged.", fix="`guardhouse audit verify` says more."
        )
    after = snapshot.after
    return Anchor(after.seq, after.hash.decode()) if after is not None else Anchor(0, GENESIS.decode())


@dataclass(slots=True)
class _Snapshot:
    """The log at one moment, taken under the lock."""

    head: Head | None = None
    synced: int = 0
    files: list[tuple[LogFile, int]] = field(default_factory=list)
    """With their sizes."""
    foreign: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    after: _Walk | None = None
    """What comes after the head: nothing, unless somebody was killed in the middle of an append. It is read under
    the lock, because the next append may change it."""
    followed: set[str] = field(default_factory=set)
    """The files after the head's that belong to that."""


@dataclass(slots=True)
class _Walk:
    """A walk along the chain. Problems are noted, and the walk goes on from what can be believed."""

    anchor_seq: int = -1
    seq: int = -1
    """The last line's; -1 before the first."""
    hash: bytes = GENESIS
    begins: Link | None = None
    events: int = 0
    anchored: bytes | None = None
    first_line: bytes = b""
    last_line: bytes = b""
    problems: list[Problem] = field(default_factory=list)
    more_problems: int = 0
    notices: list[Noticed] = field(default_factory=list)
    more_notices: int = 0
    removed: Removed | None = None
    """The last removal that the log tells of."""
    unfinished: int = 0
    nameless: bool = False
    """Whether the file has yet to say which one it is."""

    def read(self, file: str, lines: Lines, *, whole: bool = True) -> int:
        """Walk along `lines` of a file, which are the first ones if it is to be the whole file; how many there are."""
        number, seq, prev, events, line = 0, self.seq, self.hash, 0, b""
        self.nameless = whole
        anchor_seq = self.anchor_seq
        for line in lines:
            number += 1
            opening = b'{"seq":%d,"prev":"%b",' % (seq + 1, prev)
            digest = sha256(line[:-TAIL]).hexdigest().encode()
            if not (line.startswith(opening) and line[-TAIL:] == b',"hash":"%b"}\n' % digest and seq >= 0):
                self.seq, self.hash = seq, prev
                if not self._stumble(file, number, line):
                    seq, prev = self.seq, self.hash
                    self.nameless = self.nameless and number > 1  # what is wrong with the first line was said
                    continue
                seq, digest = self.seq - 1, self.hash
                opening = b'{"seq":%d,"prev":"%b",' % (self.seq, GENESIS)  # as long as the one that it has
            seq, prev = seq + 1, digest
            events += 1
            self.last_line = line
            if not self.first_line:
                self.first_line = line
            if line.startswith(CHAIN_MEMBER, len(opening)):
                self._notice(file, number, line)
            if seq == anchor_seq:
                self.anchored = digest
        self.seq, self.hash = seq, prev
        self.events += events
        self.unfinished = lines.unfinished
        if self.nameless and number:
            self._problem(file, 1, "the file does not begin with a line that says which file of the log it is.")
        return number

    def _stumble(self, file: str, number: int, line: bytes) -> bool:
        """A line that is not the one that belongs here; whether it is the log's first, and good."""
        link = read_link(line)
        if link is None:
            self._problem(file, number, "this is not a line of the log.")
            return False
        if self.seq < 0:
            self.begins = link
            if link.sound:
                self.seq, self.hash = link.seq, link.hash
                return True
            self.seq, self.hash = link.seq - 1, link.prev
        if not link.sound:
            self._problem(file, number, f"event {link.seq} was changed: its hash does not fit.")
            if link.seq == self.seq + 1:
                self.seq, self.hash = link.seq, link.hash
        elif link.seq <= self.seq:
            self._problem(file, number, f"event {link.seq} stands here, after event {self.seq}.")
        else:
            if link.seq == self.seq + 1:
                what = f"event {link.seq} does not follow the event before it, which was changed or replaced."
            else:
                what = f"events {self.seq + 1}–{link.seq - 1} are missing before event {link.seq}."
            self._problem(file, number, what)
            self.seq, self.hash = link.seq, link.hash
        return False

    def _notice(self, file: str, number: int, line: bytes) -> None:
        try:
            entry = read_entry(line)
        except ValueError:
            self._problem(file, number, "this note of the log about itself can't be read.")
            return
        for note in entry.notes:
            if isinstance(note, Begun):
                self._check_name(file, number, note)
                continue
            if isinstance(note, Lost) and note.found_seq < min(note.synced_seq, note.expected_seq):
                what = f"events {note.found_seq + 1}–{note.expected_seq} had been cut off before this event."
                self._problem(file, number, what)
            elif isinstance(note, Headless):
                what = f"the head was gone before this event: what came after event {note.found_seq} may be, too."
                self._problem(file, number, what)
            elif isinstance(note, Removed):
                self.removed = note
            if len(self.notices) < _MOST_NOTICES:
                self.notices.append(Noticed(entry.seq, entry.event.timestamp, note))
            else:
                self.more_notices += 1

    def _check_name(self, file: str, number: int, note: Begun) -> None:
        """A file's name goes into the chain with its first line, so that no file can pass for an older one."""
        if number != 1 or not self.nameless:
            self._problem(file, number, f"the first line of {note.file} stands here.")
        elif note.file != file:
            self._problem(file, number, f"this file was begun as {note.file}: it was renamed.")
        self.nameless = False

    def _problem(self, file: str, number: int, what: str) -> None:
        self.add(Problem(file, number, what))

    def add(self, problem: Problem) -> None:
        """Note a problem, or only count it if there are many."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more_problems += 1


def _verify(directory: Path, wanted: Anchor | None) -> Verification:
    anchor_seq = -1 if wanted is None else wanted.seq
    snapshot, walk = _snapshot(directory, anchor_seq), _Walk(anchor_seq)
    for problem in snapshot.problems:
        walk.add(problem)
    head = snapshot.head
    for file, size in snapshot.files:
        if file.name in snapshot.followed:
            continue
        is_last = (file, size) == snapshot.files[-1]
        number = _walk_file(directory, file, size, snapshot, walk)
        if walk.unfinished and not (is_last and head is None):
            walk.add(Problem(file.name, number + 1, f"{walk.unfinished} bytes that are no whole line."))
            walk.unfinished = 0
        if head is not None and file.name == head.file:
            _check_head(walk, head, number)
            _join(walk, snapshot.after, head.file, number)
        elif size and head is not None and file > _named(head):
            walk.add(Problem(file.name, 0, "the head knows nothing of this file."))
    if head is not None and head.file not in {file.name for file, _ in snapshot.files}:
        if head.offset:
            walk.add(Problem(head.file, 0, f"the file with event {head.seq}, the last, is missing."))
        else:  # it was just to be begun
            _check_head(walk, head, 0)
            _join(walk, snapshot.after, head.file, 0)
    _check_beginning(walk)
    _check_anchor(walk, wanted)
    return Verification(
        problems=tuple(walk.problems),
        more_problems=walk.more_problems,
        events=walk.events,
        first=_entry(walk.first_line),
        last=_entry(walk.last_line),
        anchor=Anchor(max(walk.seq, 0), walk.hash.decode()),
        notices=tuple(walk.notices),
        more_notices=walk.more_notices,
        removed_for_room=walk.removed.for_room if walk.removed is not None else 0,
        unfinished=walk.unfinished,
        foreign=tuple(snapshot.foreign[:_MOST_FOREIGN]),
        files=len(snapshot.files),
        bytes=sum(size for _, size in snapshot.files),
    )


def _walk_file(directory: Path, file: LogFile, size: int, snapshot: _Snapshot, walk: _Walk) -> int:
    """Walk along one file, up to the head if it is there; how many lines that were."""
    stop = min(size, snapshot.head.offset) if snapshot.head and snapshot.head.file == file.name else size
    try:
        handle = open_to_read(directory / file.name)
    except GuardhouseError as error:
        walk.add(Problem(file.name, 0, error.what))
        return 0
    try:
        if os.fstat(handle).st_size < stop:
            walk.add(Problem(file.name, 0, "it became shorter while it was read."))
        return walk.read(file.name, Lines(handle, 0, stop))
    finally:
        os.close(handle)


def _check_head(walk: _Walk, head: Head, number: int) -> None:
    if (max(walk.seq, 0), walk.hash) == (head.seq, head.hash):
        return
    if walk.seq < head.seq:
        what = f"the log should end with event {head.seq}, but ends with {max(walk.seq, 0)}: its end was cut or lost."
    else:
        what = f"event {walk.seq} is not the one that the log ended with: it was changed or replaced."
    walk.add(Problem(head.file, number, what))


def _join(walk: _Walk, after: _Walk | None, file: str, number: int) -> None:
    """Add what was read under the lock to the walk that has come to the head, which is after that line of `file`."""
    if after is None:
        return
    for problem in after.problems:
        walk.add(problem if problem.file != file else Problem(file, problem.line + number, problem.what))
    walk.more_problems += after.more_problems
    walk.notices += after.notices
    walk.removed = after.removed or walk.removed
    walk.events += after.events
    walk.unfinished = after.unfinished
    walk.anchored = after.anchored or walk.anchored
    if after.events:
        walk.first_line = walk.first_line or after.first_line
        walk.seq, walk.hash, walk.last_line = after.seq, after.hash, after.last_line


def _check_beginning(walk: _Walk) -> None:
    """The log begins with event 1, or where retention said that it would."""
    if walk.begins is None:
        return
    seq, prev = walk.begins.seq, walk.begins.prev
    removed = walk.removed
    if seq == 1:
        good = prev == GENESIS
    elif removed is None or removed.last_seq < seq - 1:
        good = False
    else:
        # A removal that was interrupted leaves some of the files that it speaks of.
        good = removed.last_seq > seq - 1 or removed.last_hash == prev.decode()
    if not good:
        what = f"the beginning is missing: the log starts with event {seq}, and does not say why."
        walk.add(Problem("the log", 0, what))


def _check_anchor(walk: _Walk, wanted: Anchor | None) -> None:
    if wanted is None:
        return
    removed = walk.removed
    found = walk.anchored.decode() if walk.anchored is not None else None
    if wanted.seq == 0:
        found = GENESIS.decode()
    elif found is None and removed is not None and removed.last_seq == wanted.seq:
        found = removed.last_hash
    if found == wanted.hash:
        return
    if found is not None:
        what = f"event {wanted.seq} is not the one that was anchored: the log was changed or replaced."
    elif wanted.seq > walk.seq:
        what = f"event {wanted.seq} was anchored, but the log ends with {max(walk.seq, 0)}: its end was cut."
    else:
        what = (
            f"event {wanted.seq} was anchored, but is not there any more: this anchor proves nothing, take a newer one."
        )
    walk.add(Problem("the anchor", 0, what))


def _entry(line: bytes) -> Entry | None:
    with contextlib.suppress(ValueError):
        return read_entry(line) if line else None
    return None


def _named(head: Head) -> LogFile:
    return LogFile.parse(head.file) or LogFile("", 0)


def _snapshot(directory: Path, anchor_seq: int = -1) -> _Snapshot:
    with _locked(directory) as handle:
        snapshot = _Snapshot()
        try:
            files, snapshot.foreign = log_files(directory)
        except FileNotFoundError:
            return snapshot
        except NotADirectoryError:
            raise GuardhouseError(f"{directory} is not a directory.") from None
        if handle is None and files and os.path.lexists(directory / LOCK_NAME):
            raise FileNotFoundError  # the log has only just begun: look again
        snapshot.files = [(file, os.lstat(directory / file.name).st_size) for file in files]
        if handle is not None:
            record = os.pread(handle, HEAD_SIZE + SYNCED_SIZE + 1, 0)
            snapshot.head = decode_head(record[:HEAD_SIZE])
            if decode_synced(record[HEAD_SIZE:]) is None and (record or files):
                snapshot.problems.append(Problem(LOCK_NAME, 0, "it is damaged."))
        if snapshot.head is not None:
            snapshot.after = _Walk(anchor_seq, snapshot.head.seq, snapshot.head.hash)
            _read_after_head(directory, snapshot, snapshot.head, snapshot.after)
        elif files and not snapshot.problems:
            what = "it is missing: whether the end of the log was cut can't be told."
            snapshot.problems.append(Problem(LOCK_NAME, 0, what))
        return snapshot


def _read_after_head(directory: Path, snapshot: _Snapshot, head: Head, walk: _Walk) -> None:
    """Walk along what comes after the head: in its file, and in later ones that follow on the chain."""
    size = dict(snapshot.files).get(_named(head), 0)
    if size > head.offset:
        _walk_part(directory, head.file, walk, head.offset, size)
    for file, size in snapshot.files:
        if file > _named(head) and not walk.unfinished and follows(first_line(directory, file), walk.seq, walk.hash):
            _walk_part(directory, file.name, walk, 0, size)
            snapshot.followed.add(file.name)


def _walk_part(directory: Path, name: str, walk: _Walk, start: int, stop: int) -> None:
    try:
        handle = open_to_read(directory / name)
    except GuardhouseError:
        return  # the walk along the whole says so
    try:
        walk.read(name, Lines(handle, start, stop), whole=start == 0)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[int | None]:
    """The lock file while nobody else may append; None if there is none."""
    try:
        handle = open_to_read(directory / LOCK_NAME)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    try:
        lock(handle, fcntl.LOCK_SH)
        try:
            yield handle
        finally:
            unlock(handle)
    finally:
        os.close(handle)
