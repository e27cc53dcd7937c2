"""Both ends of the pipes that messages come and go by: lines as bytes, and what is said to whoever reads the log.

Writes block, so that a side that does not read slows down the other instead of filling memory. What a line means is
not said here.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from guardhouse.adapters.mcp.heads import LONGEST_HEAD
from guardhouse.model import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

_CHUNK: Final = 1 << 16
_MOST_WAITING: Final = 256
LONGEST_LINE: Final = 64 * 1024 * 1024
"""More than any limit on what is judged, so that whoever waits for a longer message can still be told."""


def notice(text: str) -> None:
    """A line for whoever reads the client's log."""
    sys.stderr.write(f"guardhouse mcp: {visible(text)}\n")
    sys.stderr.flush()


def own_end(pipe: Any) -> int:
    """The end of a child's pipe, for a `Writer` to close. Nobody else will: a number that is closed twice may be
    somebody else's by then."""
    if pipe is None:
        raise AssertionError("the server was started with pipes")
    handle = os.dup(pipe.fileno())
    pipe.close()
    return handle


class Writer:
    """One end of a pipe that both directions may write to, a message at a time. Whoever closes it, closes `handle`."""

    def __init__(self, handle: int) -> None:
        self._handle: int | None = handle
        self._lock = threading.Lock()
        self.is_closed = False

    def write(self, data: bytes) -> bool:
        """Write all of it; False if nobody reads there any more."""
        if not data:
            return not self.is_closed
        with self._lock:
            left = memoryview(data)
            while left and self._handle is not None and not self.is_closed:
                try:
                    left = left[os.write(self._handle, left) :]
                except BrokenPipeError:
                    self.is_closed = True
            return not self.is_closed

    def close(self) -> None:
        """Let the other side see the end. What is being written is written first."""
        with self._lock:
            handle, self._handle, self.is_closed = self._handle, None, True
            if handle is not None:
                os.close(handle)


class Messages(Generic[T]):
    """Messages that wait for a thread, each with what belongs to it: neither too many nor, in bytes, too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._waiting: deque[tuple[bytes, T]] = deque()
        self._is_over = False
        self._news = threading.Condition()

    def add(self, data: bytes, beside: T) -> bool:
        """One more; False if it can't wait here."""
        with self._news:
            if self._is_over or len(self._waiting) >= _MOST_WAITING or self._size >= self._most:
                return False
            self._waiting.append((data, beside))
            self._size += len(data)
            self._news.notify()
            return True

    def take(self) -> tuple[bytes, T] | None:
        """The next one, once there is one; None if there will be none."""
        with self._news:
            while not self._waiting and not self._is_over:
                self._news.wait()
            if not self._waiting:
                return None
            data, beside = self._waiting.popleft()
            self._size -= len(data)
            return data, beside

    def end(self) -> None:
        """Take no more."""
        with self._news:
            self._is_over = True
            self._news.notify_all()


class Pending:
    """Whether another whole line was read already, beside the one that is being dealt with."""

    __slots__ = ("has_more",)

    def __init__(self) -> None:
        self.has_more = False


def lines(source: int, pending: Pending | None = None) -> Iterator[tuple[bytes, bool]]:
    """Every line without its end, and whether it is all of it: of one that is too long, only the beginning. An unended
    last line is no message."""
    parts: list[bytes] = []
    size = 0
    while chunk := os.read(source, _CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            size += end - start
            if size <= LONGEST_LINE:
                parts.append(chunk[start:end])
            if pending is not None:
                pending.has_more = chunk.find(b"\n", end + 1) >= 0
            yield b"".join(parts), size <= LONGEST_LINE
            parts, size, start = [], 0, end + 1
        size += len(chunk) - start
        if size <= LONGEST_LINE:
            parts.append(chunk[start:])
        elif len(parts) > 1:
            parts = [b"".join(parts)[:LONGEST_HEAD]]
