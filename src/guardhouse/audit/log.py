"""Appending to the log: many processes and threads, one chain, and no crash that breaks it.

Every append holds the lock, looks whether the log still ends where the head says, writes one line and moves the head.
What a crash, a full disk or somebody else has left behind is put right first, and the log itself says what was done.
Reading and checking the log are in other modules.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from weakref import WeakSet

from guardhouse.audit.chain import GENESIS, Cut, Headless, Link, Lost, Note, Removed, event_bytes, make_line, read_link
from guardhouse.audit.head import (
    HEAD_SIZE,
    SYNCED_SIZE,
    Head,
    decode_head,
    decode_synced,
    encode_head,
    encode_synced,
)
from guardhouse.audit.place import (
    LOCK_NAME,
    PATIENCE,
    Lines,
    LogFile,
    digest_of,
    lock,
    log_files,
    open_own,
    open_to_read,
    prepare,
    sync,
    sync_directory,
    unlock,
)
from guardhouse.model import AuditEvent, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_DAY: Final = 86_400
_ROOM_FOR_THE_CHAIN: Final = 256
"""At least what a line has besides the event."""
_TRIES: Final = 10
_FIX: Final = "Until it can be, what would have to be recorded is denied: make room, or mend the directory."


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How the log is kept."""

    max_file_bytes: int = 100_000_000
    """A new file is begun before one grows larger, and on every new day (UTC)."""
    max_age_days: int = 30
    """Files of an earlier day are removed."""
    max_total_bytes: int = 1_000_000_000
    """The oldest files are removed when all together would grow larger."""
    sync_every: float = 0.05
    """Seconds after which an event that was not asked to be on disk at once is there at the latest."""

    def __post_init__(self) -> None:
        if min(self.max_file_bytes, self.max_age_days, self.max_total_bytes) < 1 or self.sync_every < 0:
            raise GuardhouseError("The audit log's limits must be positive.", fix="Mend them in the configuration.")


class _End(NamedTuple):
    """Where the log really ends."""

    head: Head
    unfinished: int
    """Bytes of an unfinished line after that."""


class AuditLog:
    """The log in one directory. Safe to share between threads, and to use on both sides of a fork.

    Nothing is touched before the first event. `record` returns once the kernel has the line: a crash of this or any
    other process then loses nothing. A failure of power loses at most what is younger than `sync_every`, and nothing
    that was recorded as `durable`.
    """

    def __init__(
        self,
        directory: Path,
        settings: AuditSettings = AuditSettings(),  # noqa: B008 - frozen
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._directory = directory.absolute()
        self._lock_path = str(self._directory / LOCK_NAME)
        self._settings = settings
        self._clock = clock
        self._closed = False
        self._day = (-1, "")
        self._begin()
        _LOGS.add(self)

    def _begin(self) -> None:
        """Know nothing, hold nothing."""
        self._mutex = threading.Lock()
        self._lock_handle = -1
        self._lock_identity = (-1, -1)
        self._handle = -1
        self._path = ""
        self._identity = (-1, -1)
        self._head = Head("", 0, 0, GENESIS)
        self._record = b""
        """The head's record as it was last read or written."""
        self._written = 0
        """Events appended through this object,"""
        self._flushed = 0
        """and how many of them are on disk."""
        self._syncing: threading.Thread | None = None
        self._stop = threading.Event()
        self._failure: GuardhouseError | None = None
        self._failures = 0
        """How often the disk failed. The kernel tells of a failure once, to whoever asks first."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, event: AuditEvent, *, durable: bool = False) -> None:
        """Append `event`; with `durable` it is on disk when this returns.

        GuardhouseError if it could not be written, or if an earlier one could not be brought to disk.
        """
        if type(event) is not AuditEvent:  # a subclass could carry more than an event may say
            raise TypeError(f"the audit log takes events, not {type(event).__name__}")
        data = event_bytes(event)
        with self._exclusive():
            self._raise_failure()
            self._settle()
            self._rotate_if_due(len(data))
            self._append(data)
            failures = self._failures
            if not durable:
                self._sync_later()
        if durable:
            self.flush()
            if self._failures != failures:  # another thread was told, but this event may be among what is lost
                raise GuardhouseError("The audit log can't be brought to disk: the disk failed meanwhile.", fix=_FIX)

    def flush(self) -> None:
        """Everything recorded through this object is on disk when this returns; GuardhouseError if that failed."""
        with self._own():
            self._raise_failure()
            if self._flushed == self._written:
                return
            handle, seq, written = os.dup(self._handle), self._head.seq, self._written
        try:
            with self._telling("brought to disk"):
                self._sync(handle)  # without the lock: others go on appending, and one sync serves them all
        finally:
            os.close(handle)
        with self._own():
            self._flushed = max(self._flushed, written)
        if os.path.lexists(self._lock_path):  # else the log was removed, and is not to come back by this
            with self._exclusive():
                self._mark_synced(seq)

    def close(self) -> None:
        """Flush, and take no more events."""
        if self._closed:
            return
        try:
            self.flush()
        finally:
            with self._own():
                self._closed = True
                self._stop.set()
                self._let_go()
            _LOGS.discard(self)

    # The lock, and what is known while it is held

    @contextlib.contextmanager
    def _own(self) -> Iterator[None]:
        """Alone among the threads."""
        if not self._mutex.acquire(timeout=PATIENCE):
            raise GuardhouseError(f"Another thread has been writing to the audit log for {PATIENCE:g} seconds.")
        try:
            yield
        finally:
            self._mutex.release()

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Alone among threads and processes. What goes wrong inside makes this object forget what it knew."""
        with self._own(), self._telling("written"):
            if self._closed:
                raise GuardhouseError("The audit log was closed.")
            try:
                self._take_lock()
                yield
            except BaseException:
                self._let_go()
                raise
            finally:
                if self._lock_handle >= 0:
                    unlock(self._lock_handle)

    @contextlib.contextmanager
    def _telling(self, failed: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise GuardhouseError(
                f"The audit log in {self._directory} can't be {failed}: {error.strerror or type(error).__name__}.",
                fix=_FIX,
            ) from None

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _take_lock(self) -> None:
        for _ in range(_TRIES):
            if self._lock_handle < 0:
                prepare(self._directory)
                self._lock_handle = open_own(self._directory / LOCK_NAME, os.O_RDWR | os.O_CREAT)
                self._lock_identity = _identity(os.fstat(self._lock_handle))
            lock(self._lock_handle)
            with contextlib.suppress(FileNotFoundError):
                if _identity(os.lstat(self._lock_path)) == self._lock_identity:
                    return
            self._let_go()  # another file has taken its place: this lock keeps nobody out
        raise GuardhouseError(f"{self._lock_path} keeps being replaced.", fix="Look who does that.")

    def _let_go(self) -> None:
        """Close everything and forget what was known."""
        self._close_file()
        self._record = b""
        if self._lock_handle >= 0:
            handle, self._lock_handle = self._lock_handle, -1
            unlock(handle)
            os.close(handle)

    def _close_file(self) -> None:
        handle, self._handle = self._handle, -1
        if handle < 0:
            return
        try:
            if self._flushed != self._written:
                self._flushed = self._written
                self._sync(handle)
        except OSError as error:
            self._failure = GuardhouseError(f"The audit log can't be brought to disk: {error.strerror}.", fix=_FIX)
        finally:
            os.close(handle)

    def _settle(self) -> None:
        """Know where the log ends. Costs the same however long the log is, unless something is wrong with it."""
        record = os.pread(self._lock_handle, HEAD_SIZE, 0)
        if record == self._record and self._handle >= 0:
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(self._path)
                if status.st_size == self._head.offset and _identity(status) == self._identity:
                    return
        self._close_file()
        self._record = record
        head = decode_head(record)
        if head is None or LogFile.parse(head.file) is None:
            self._go_on_without_head()
        else:
            self._go_on_from(head)

    def _go_on_from(self, head: Head) -> None:
        try:
            # The head names a new file before there is one.
            self._open_file(head.file, create=head.offset == 0)
            size = os.fstat(self._handle).st_size
        except FileNotFoundError:
            size = -1
        if size == head.offset:
            self._head = head
        elif size > head.offset:
            self._put_right(_scan(self._handle, head, size))
        else:
            found = self._find_end() or _End(Head(head.file, 0, 0, GENESIS), 0)
            if (found.head.seq, found.head.hash) == (head.seq, head.hash):
                self._put_right(found)
                return
            synced = self._synced()
            lost = Lost(
                expected_seq=head.seq,
                expected_hash=head.hash.decode(),
                found_seq=found.head.seq,
                found_hash=found.head.hash.decode(),
                synced_seq=synced,
            )
            self._put_right(found, lost, synced=min(synced, found.head.seq))

    def _go_on_without_head(self) -> None:
        end = self._find_end()
        if end is not None:
            self._put_right(end, Headless(end.head.seq, end.head.hash.decode()), synced=0)
            return
        self._move_head(Head(LogFile(self._today(), 1).name, 0, 0, GENESIS), synced=0)
        os.fsync(self._lock_handle)
        self._open_file(self._head.file, create=True)

    def _find_end(self) -> _End | None:
        """Where the log ends, by looking; None if there is no log. The newest file that holds a line has the end."""
        files, _ = log_files(self._directory)
        if not files:
            return None
        newest: _End | None = None
        for file in reversed(files):
            handle = open_own(self._directory / file.name, os.O_RDWR)
            try:
                end = _scan(handle, Head(file.name, 0, 0, GENESIS), os.fstat(handle).st_size)
            finally:
                os.close(handle)
            newest = newest or end
            if end.head.seq:
                return _End(newest.head._replace(seq=end.head.seq, hash=end.head.hash), newest.unfinished)
        return newest

    def _put_right(self, end: _End, *notes: Note, synced: int | None = None) -> None:
        """Go on from `end`. What stands after it is written over by the line that tells of it."""
        if self._handle < 0 or self._path != str(self._directory / end.head.file):
            self._open_file(end.head.file, create=True)
        self._head = end.head
        if end.unfinished:
            start, stop = end.head.offset, end.head.offset + end.unfinished
            notes = (*notes, Cut(end.head.file, end.unfinished, digest_of(self._handle, start, stop)))
        if notes:
            self._append_notes(*notes, synced=synced)

    def _open_file(self, name: str, *, create: bool) -> None:
        self._close_file()
        path = self._directory / name
        self._handle = open_own(path, os.O_RDWR | (os.O_CREAT if create else 0))
        self._path = str(path)
        self._identity = _identity(os.fstat(self._handle))
        if create:
            sync_directory(self._directory)

    # Writing

    def _append(self, data: bytes, notes: tuple[Note, ...] = (), synced: int | None = None) -> None:
        head = self._head
        line, digest = make_line(head.seq + 1, head.hash, data, notes)
        try:
            _write(self._handle, line, head.offset)
            self._move_head(Head(head.file, head.offset + len(line), head.seq + 1, digest), synced)
            self._written += 1
        except OSError:
            if not any(isinstance(note, Cut) for note in notes):  # what a note tells of stays until it is told
                with contextlib.suppress(OSError):  # the next append finds the rest, cuts it and says so
                    os.ftruncate(self._handle, head.offset)
            raise

    def _append_notes(self, *notes: Note, synced: int | None = None) -> None:
        """A line of the log about itself, on disk before anything is done that it speaks of."""
        self._append(event_bytes(_notice(self._clock(), notes)), notes, synced)
        os.ftruncate(self._handle, self._head.offset)
        self._sync(self._handle)

    def _move_head(self, head: Head, synced: int | None = None) -> None:
        """Write the head, and in the same go how much is on disk, if that is to be set anew."""
        record = encode_head(head)
        _write(self._lock_handle, record if synced is None else record + encode_synced(synced), 0)
        self._head, self._record = head, record

    # Rotation and retention

    def _today(self) -> str:
        number = int(self._clock() // _DAY)
        if number != self._day[0]:
            self._day = (number, time.strftime("%Y%m%d", time.gmtime(number * _DAY)))
        return self._day[1]

    def _rotate_if_due(self, length: int) -> None:
        head, today = self._head, self._today()
        full = head.offset + length + _ROOM_FOR_THE_CHAIN > self._settings.max_file_bytes
        if head.offset == 0 or not (full or today > head.file[6:14]):
            return
        self._sync(self._handle)
        self._flushed = self._written
        self._mark_synced(head.seq)
        self._move_head(Head(self._next_name(today), 0, head.seq, head.hash))
        self._open_file(self._head.file, create=True)
        self._retain()

    def _next_name(self, today: str) -> str:
        """A name after the present one, also when the clock was set back."""
        present = _named(self._head)
        number = present.number + 1 if today <= present.day else 1
        file = LogFile(max(today, present.day), number)
        while os.path.lexists(self._directory / file.name):
            file = file._replace(number=file.number + 1)
        return file.name

    def _retain(self) -> None:
        """Remove the oldest files, if they are too old or all too large, after writing down that they go."""
        files, _ = log_files(self._directory)
        older = [file for file in files if file < _named(self._head)]
        going = self._outlived(older)
        links = [self._first_link(file) for file in older[: len(going) + 1]]
        if len(going) == len(older):
            links.append(Link(self._head.seq + 1, self._head.hash, b"", sound=True))
        # Files are removed only as far as it can be said what they held.
        while going and (links[len(going)] is None or links[0] is None):
            going.pop()
        if not going:
            return
        first, following = links[0], links[len(going)]
        if first is None or following is None:
            raise AssertionError("only files with a beginning are removed")
        names = tuple(file.name for file in going)
        self._append_notes(Removed(names, first.seq, following.seq - 1, following.prev.decode()))
        for name in names:
            (self._directory / name).unlink(missing_ok=True)
        sync_directory(self._directory)

    def _outlived(self, older: list[LogFile]) -> list[LogFile]:
        oldest = time.strftime("%Y%m%d", time.gmtime(self._clock() - self._settings.max_age_days * _DAY))
        sizes = {file: os.lstat(self._directory / file.name).st_size for file in older}
        total = sum(sizes.values())
        allowed = (
            self._settings.max_total_bytes - self._settings.max_file_bytes
        )  # the present file may grow to its size
        going = []
        for file in older:
            if file.day >= oldest and total <= allowed:
                break
            total -= sizes[file]
            going.append(file)
        return going

    def _first_link(self, file: LogFile) -> Link | None:
        handle = open_to_read(self._directory / file.name)
        try:
            for line in Lines(handle, 0, os.fstat(handle).st_size):
                link = read_link(line)
                if link is not None and link.sound:
                    return link
        finally:
            os.close(handle)
        return None

    # To disk

    def _sync(self, handle: int) -> None:
        try:
            sync(handle)
        except OSError:
            self._failures += 1
            raise

    def _synced(self) -> int:
        return decode_synced(os.pread(self._lock_handle, SYNCED_SIZE, HEAD_SIZE)) or 0

    def _mark_synced(self, seq: int) -> None:
        if seq > self._synced():
            _write(self._lock_handle, encode_synced(seq), HEAD_SIZE)

    def _sync_later(self) -> None:
        if self._syncing is not None:
            return
        thread = threading.Thread(target=self._sync_until_idle, name="guardhouse-audit-sync", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down, or can't have more threads
            self._sync(self._handle)
            self._flushed = self._written
        else:
            self._syncing = thread

    def _sync_until_idle(self) -> None:
        """Bring to disk what was appended, again and again, until nothing is any more."""
        stop = self._stop
        while not stop.wait(self._settings.sync_every):
            try:
                with self._own():
                    if self._flushed == self._written:
                        self._syncing = None
                        return
                self.flush()
            except GuardhouseError as error:
                self._failure = error  # the next `record` or `flush` raises it
                self._syncing = None
                return

    def _after_fork(self) -> None:
        """In the child: the lock, its holder and the thread belong to the parent. Closing lets go of nothing there."""
        self._close_handles()
        self._begin()

    def __del__(self) -> None:
        # The thread that brings events to disk holds on to this object, so nothing is left to be brought there.
        self._close_handles()

    def _close_handles(self) -> None:
        for handle in (self._handle, self._lock_handle):
            if handle >= 0:
                os.close(handle)
        self._handle = self._lock_handle = -1


def _write(handle: int, data: bytes, offset: int) -> None:
    """All of `data` in one call; OSError if only a part of it found room."""
    if os.pwrite(handle, data, offset) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _named(head: Head) -> LogFile:
    file = LogFile.parse(head.file)
    if file is None:
        raise AssertionError("the head names a file of the log")
    return file


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _scan(handle: int, start: Head, size: int) -> _End:
    """Follow the lines from `start` to the end of the file. Lines that are none of ours stay, and count for nothing."""
    lines = Lines(handle, start.offset, size)
    seq, digest = start.seq, start.hash
    for line in lines:
        link = read_link(line)
        if link is not None and link.sound and link.seq > seq:
            seq, digest = link.seq, link.hash
    return _End(Head(start.file, size - lines.unfinished, seq, digest), lines.unfinished)


def _notice(now: float, notes: tuple[Note, ...]) -> AuditEvent:
    from datetime import UTC, datetime

    return AuditEvent(
        event_id=f"ev_{os.urandom(12).hex()}",
        kind="notice",
        timestamp=datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        source="audit",
        detail=" ".join(map(describe, notes)),
    )


def describe(note: Note) -> str:
    """What a note says, for a person."""
    match note:
        case Cut():
            return f"An unfinished line of {note.bytes} bytes was cut off the end of {note.file}."
        case Removed():
            return f"Events {note.first_seq}–{note.last_seq} were removed by retention ({len(note.files)} files)."
        case Lost():
            return (
                f"The log should have ended with event {note.expected_seq}, but ended with {note.found_seq}; "
                f"up to {min(note.synced_seq, note.expected_seq)} it had been on disk."
            )
        case Headless():
            return (
                f"The record of where the log ends was gone or damaged; it was taken up after event {note.found_seq}."
            )


_LOGS: Final[WeakSet[AuditLog]] = WeakSet()
"""Every log that is open in this process."""


def _forget_in_child() -> None:
    for log in list(_LOGS):
        log._after_fork()


def _flush_at_exit() -> None:
    with contextlib.ExitStack() as stack:  # all of them, whatever happens to one
        for log in list(_LOGS):
            stack.callback(log.flush)


os.register_at_fork(after_in_child=_forget_in_child)
atexit.register(_flush_at_exit)
