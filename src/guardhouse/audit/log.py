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
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakSet

from msgspec.structs import replace

from guardhouse.audit.chain import GENESIS, Link, event_bytes, make_line
from guardhouse.audit.ending import End, find_end, follow_on, scan
from guardhouse.audit.head import (
    HEAD_SIZE,
    SYNCED_SIZE,
    Head,
    decode_head,
    decode_synced,
    encode_head,
    encode_synced,
)
from guardhouse.audit.notes import Begun, Cut, Headless, Lost, Note, describe
from guardhouse.audit.place import (
    LOCK_NAME,
    PATIENCE,
    Held,
    LogFile,
    digest_of,
    lock,
    log_files,
    open_own,
    prepare,
    sync,
    sync_directory,
    unlock,
)
from guardhouse.audit.settings import AuditSettings
from guardhouse.model import AuditEvent, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from guardhouse.audit.retention import Retention
    from guardhouse.audit.sinks import Sink

_DAY: Final = 86_400
_ROOM_FOR_THE_CHAIN: Final = 256
"""At least what a line has besides the event."""
_TRIES: Final = 10
_FIX: Final = "Until it can be, what would have to be recorded is denied: make room, or mend the directory."


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
        sinks: tuple[Sink, ...] = (),
    ) -> None:
        self._directory = directory.absolute()
        self._lock_path = str(self._directory / LOCK_NAME)
        self._settings = settings
        self._file_bytes = settings.file_bytes
        self._clock = clock
        self._sinks = sinks
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
        self._looked = False
        """Whether files were looked for that the head does not know of."""
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
        """Append `event`; with `durable` it is on disk when this returns. Then every sink gets its copy.

        GuardhouseError if it could not be written or copied, or if an earlier one could not be brought to disk.
        """
        if type(event) is not AuditEvent:  # a subclass could carry more than an event may say
            raise TypeError(f"the audit log takes events, not {type(event).__name__}")
        data = event_bytes(event)
        with self._exclusive():
            self._raise_failure()
            self._settle()
            self._make_room(len(data))
            self._append(data)
            failures = self._failures
            if not durable:
                self._sync_later()
        if durable:
            self.flush()
            if self._failures != failures:  # another thread was told, but this event may be among what is lost
                raise GuardhouseError("The audit log can't be brought to disk: the disk failed meanwhile.", fix=_FIX)
        for sink in self._sinks:
            sink.copy(event)

    def try_record(self, event: AuditEvent) -> bool:
        """The same without waiting for anybody, for a caller that must not be held up: False if that can't be, and then
        nothing was done. GuardhouseError if it could not be written."""
        if type(event) is not AuditEvent:
            raise TypeError(f"the audit log takes events, not {type(event).__name__}")
        if self._sinks:
            return False  # whoever reads there may be slow
        data = event_bytes(event)
        try:
            with self._exclusive(waits=False):
                self._raise_failure()
                self._settle()
                self._make_room(len(data))
                self._append(data)
                self._sync_later()
        except Held:
            return False
        return True

    def flush(self) -> None:
        """Everything recorded through this object is on disk when this returns; GuardhouseError if that failed."""
        with self._own():
            self._raise_failure()
            if self._flushed == self._written:
                return
            handle, seq, written = os.dup(self._handle), self._head.seq, self._written
        try:
            self._sync(handle)  # without the lock: others go on appending, and one sync serves them all
        except OSError as error:
            raise self._told(error, "brought to disk") from None
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
        self._acquire()
        try:
            yield
        finally:
            self._mutex.release()

    @contextlib.contextmanager
    def _exclusive(self, *, waits: bool = True) -> Iterator[None]:
        """Alone among threads and processes. What goes wrong inside makes this object forget what it knew."""
        self._acquire(waits=waits)
        try:
            self._take_lock(waits=waits)
            yield
        except Held:
            raise  # nothing was begun, so nothing has to be forgotten
        except BaseException as error:
            self._let_go()
            if isinstance(error, OSError):
                raise self._told(error, "written") from None
            raise
        finally:
            if self._lock_handle >= 0:
                unlock(self._lock_handle)
            self._mutex.release()

    def _acquire(self, *, waits: bool = True) -> None:
        if not self._mutex.acquire(timeout=PATIENCE if waits else 0):
            if not waits:
                raise Held("The audit log is being written.")
            raise GuardhouseError(f"Another thread has been writing to the audit log for {PATIENCE:g} seconds.")

    def _told(self, error: OSError, failed: str) -> GuardhouseError:
        """What the system said, for whoever must mend it."""
        return GuardhouseError(
            f"The audit log in {self._directory} can't be {failed}: {error.strerror or type(error).__name__}.",
            fix=_FIX,
        )

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _take_lock(self, *, waits: bool = True) -> None:
        if self._closed:
            raise GuardhouseError("The audit log was closed.")
        for _ in range(_TRIES):
            if self._lock_handle < 0:
                prepare(self._directory)
                self._lock_handle = open_own(self._directory / LOCK_NAME, os.O_RDWR | os.O_CREAT)
                self._lock_identity = _identity(os.fstat(self._lock_handle))
            lock(self._lock_handle, waits=waits)
            if _is_at(self._lock_path, self._lock_identity):
                return
            self._let_go()  # another file has taken its place: this lock keeps nobody out
        raise GuardhouseError(f"{self._lock_path} keeps being replaced.", fix="Look who does that.")

    def _let_go(self) -> None:
        """Close everything and forget what was known."""
        self._close_file()
        self._record = b""
        self._looked = False
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
        if record == self._record and self._handle >= 0 and _is_at(self._path, self._identity, self._head.offset):
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
        if size >= head.offset:
            end = scan(self._handle, head, size)
            if not self._looked:  # once: while the machine runs, the head is right about the file
                end = follow_on(self._directory, end)
                self._looked = True
            self._put_right(end)
        else:
            found = find_end(self._directory) or End(Head(head.file, 0, 0, GENESIS), 0)
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
        end = find_end(self._directory)
        if end is not None:
            self._put_right(end, Headless(end.head.seq, end.head.hash.decode()), synced=0)
            return
        self._move_head(Head(LogFile(self._today(), 1).name, 0, 0, GENESIS), synced=0)
        self._sync(self._lock_handle)
        self._open_file(self._head.file, create=True)

    def _put_right(self, end: End, *notes: Note, synced: int | None = None) -> None:
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
        if head.offset == 0:
            notes = (Begun(head.file, int(self._clock())), *notes)
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

    def _make_room(self, length: int) -> None:
        """Begin a new file if one is due for an event of that length, and remove what has had its time."""
        head, today = self._head, self._today()
        full = head.offset + length + _ROOM_FOR_THE_CHAIN > self._file_bytes
        if head.offset and (full or today > head.file[6:14]):
            self._rotate(today, length)
        if self._head.offset == 0 and self._head.seq:  # a log that only begins has nothing to remove
            self._retain(length)

    def _rotate(self, today: str, length: int) -> None:
        """Begin a new file. Each step is on disk before the next, so that no failure of power can part them."""
        head = self._head
        if self._retention(length, finished=True).is_full:
            raise _full(self._settings)
        self._sync(self._handle)
        self._flushed = self._written
        self._mark_synced(head.seq)
        self._move_head(Head(self._next_name(today), 0, head.seq, head.hash))
        self._sync(self._lock_handle)
        self._open_file(self._head.file, create=True)

    def _next_name(self, today: str) -> str:
        """A name after the present one, also when the clock was set back."""
        present = _named(self._head)
        number = present.number + 1 if today <= present.day else 1
        file = LogFile(max(today, present.day), number)
        while os.path.lexists(self._directory / file.name):
            file = replace(file, number=file.number + 1)
        return file.name

    def _retention(self, length: int, *, finished: bool) -> Retention:
        """What is to become of the files before the present one, and of that as well if it is finished."""
        from guardhouse.audit.retention import Retention

        files, _ = log_files(self._directory)
        present = _named(self._head)
        older = [file for file in files if file < present or (finished and file == present)]
        room = max(self._file_bytes, length + _ROOM_FOR_THE_CHAIN)
        return Retention(self._directory, older, self._settings, self._clock(), room)

    def _retain(self, length: int) -> None:
        """Remove the oldest files, if they are too old or all too large, after writing down that they go.

        The note is the first line of a file, where those find it who want to know.
        """
        retention = self._retention(length, finished=False)
        notes = retention.notes(Link(self._head.seq + 1, self._head.hash, b"", sound=True))
        if not notes:
            return
        self._append_notes(*notes)
        for going in retention.going:
            (self._directory / going.file.name).unlink(missing_ok=True)
        sync_directory(self._directory)

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
        for sink in self._sinks:
            sink.after_fork()

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


def _full(settings: AuditSettings) -> GuardhouseError:
    return GuardhouseError(
        f"The audit log is full: {settings.max_total_bytes} bytes are allowed, and what is left of it is younger than "
        f"{settings.min_age_hours} hours or can't be removed.",
        fix="Look what fills it (`guardhouse audit stats`), and raise `audit.max_total_bytes`. Until then, what would "
        "have to be recorded is denied.",
    )


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _is_at(path: str, identity: tuple[int, int], size: int | None = None) -> bool:
    """Whether the file is still at its place, and of that size if one is given."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    return (status.st_dev, status.st_ino) == identity and size in (None, status.st_size)


def _notice(now: float, notes: tuple[Note, ...]) -> AuditEvent:
    from datetime import UTC, datetime

    return AuditEvent(
        event_id=f"ev_{os.urandom(12).hex()}",
        kind="notice",
        timestamp=datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        source="audit",
        detail=" ".join(map(describe, notes)),
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
