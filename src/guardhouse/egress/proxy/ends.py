"""One end of a connection: what came and was not taken yet, what is on its way out, and how it ended.

Either somebody awaits what comes, or the end is joined to another one and passes every byte on as it comes. In both
ways a slow reader holds the sender up: nothing is gathered beyond a bound.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_READ: Final = 32 * 1024
_MOST_HELD: Final = 32 * 1024
"""Bytes that wait to be taken; what is joined holds as much on its way out."""


class Over(Exception):
    """A connection came to its end before it should have. Says how, in a few words of ours."""


class Watch:
    """Ends something when its time is over. One timer, however often the time is set anew."""

    def __init__(self, loop: asyncio.AbstractEventLoop, longest: float, over: Callable[[str], None]) -> None:
        self._loop = loop
        self._over = over
        self._last = loop.time() + longest
        self._deadline = self._last
        self._why = "too long"
        self._timer: asyncio.TimerHandle | None = None

    def allow(self, seconds: float, why: str) -> None:
        """From now on, so many seconds are left, and never more than for the whole connection."""
        before = self._deadline
        self._deadline = self._loop.time() + seconds
        self._why = why
        if self._deadline > self._last:
            self._deadline, self._why = self._last, "open for too long"
        if self._timer is None or self._deadline < before:
            self._arm()

    def moved(self, seconds: float) -> None:
        """Something has happened: the time begins again."""
        self._deadline = min(self._loop.time() + seconds, self._last)

    def stop(self) -> None:
        """It is done."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        if self._loop.time() < self._deadline:
            self._arm()
        else:
            self._timer = None
            self._over("open for too long" if self._deadline >= self._last else self._why)


class _Room(threading.local):
    """What is read into, by all ends of an event loop: each takes out at once what was read for it. A buffer for each
    read, as asyncio makes it otherwise, costs more than the read."""

    def __init__(self) -> None:
        self.view = memoryview(bytearray(_MOST_READ))


_ROOM: Final = _Room()


class End(asyncio.BufferedProtocol):
    """One end of a connection."""

    def __init__(self) -> None:
        self._room = _ROOM.view
        self._loop = asyncio.get_running_loop()
        self._held = bytearray()
        self._reading: asyncio.Future[None] | None = None
        self._draining: asyncio.Future[None] | None = None
        self._is_paused = False
        self._is_full = False
        self._failure: Over | None = None
        self._other: End | None = None
        self.transport: asyncio.Transport = cast("asyncio.Transport", None)
        self.came: Callable[[int], None] | None = None
        """Called with the size of everything that comes from there,"""
        self.went: Callable[[int], None] | None = None
        """and of everything that is sent there."""
        self.changed: Callable[[], None] | None = None
        """Called when it ends, is lost or fails."""
        self._ended_at = 0.0
        self.has_ended = False
        """Nothing more will come."""
        self.is_lost = False
        """Nothing more will come, and nothing can be sent."""

    # What the event loop says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        connection: socket.socket = transport.get_extra_info("socket")
        if connection.family in {socket.AF_INET, socket.AF_INET6}:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's signature
        return self._room

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._room[:nbytes])
        if self.came is not None:
            self.came(len(data))
        if self._other is not None:
            self._other._write(data)
            return
        self._held += data
        if len(self._held) > _MOST_HELD:
            self._pause()
        self._wake()

    def eof_received(self) -> bool:
        self._end()
        if self._other is not None:
            self._other.finish()
        self._wake()
        self._tell()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        self.is_lost = True
        if exc is not None and self._failure is None:
            self._failure = Over("broke off")
        self._wake()
        self.resume_writing()
        self._tell()

    def pause_writing(self) -> None:
        self._is_full = True
        if self._other is not None:
            self._other._pause()

    def resume_writing(self) -> None:
        self._is_full = False
        if self._draining is not None and not self._draining.done():
            self._draining.set_result(None)
        if self._other is not None:
            self._other._resume()

    # What somebody does with it

    async def more(self) -> bytes:
        """What has come, all of it; nothing if it has ended. Over if it broke off, or its time is over."""
        while not self._held:
            if self._failure is not None:
                raise self._failure
            if self.has_ended:
                return b""
            self._reading = self._loop.create_future()
            await self._reading
        data = bytes(self._held)
        self._held.clear()
        self._resume()
        return data

    async def head(self, most: int) -> bytes | None:
        """What has come up to and with the first empty line; nothing if it has ended before that. None if that is more
        than `most`, or if it does not begin as a request does."""
        looked = 0
        while True:
            held = self._held
            if held and not 65 <= held[0] <= 90:
                return None
            end = held.find(b"\r\n\r\n", looked)
            if end >= 0:
                if end + 4 > most:
                    return None
                head = bytes(held[: end + 4])
                del held[: end + 4]
                self._resume()
                return head
            if len(held) > most:
                return None
            if self._failure is not None:
                raise self._failure
            if self.has_ended:
                return b""
            looked = max(0, len(held) - 3)
            self._resume()  # a head may be longer than what is held otherwise
            self._reading = self._loop.create_future()
            await self._reading

    def give_back(self, data: bytes) -> None:
        """Let `data`, which was taken, be what comes next."""
        self._held[:0] = data

    async def send(self, data: bytes) -> None:
        """Send, and wait as long as the other side is slow. Over if it can't be sent any more."""
        if self.is_lost or self._failure is not None:
            raise self._failure or Over("broke off")
        self._write(data)
        while self._is_full and not self.is_lost:
            self._draining = self._loop.create_future()
            await self._draining
            if self._failure is not None:
                raise self._failure

    def join(self, other: End) -> None:
        """Pass on to `other`, from now on, what comes here: first what is held."""
        self._other = other
        if self._held:
            other._write(bytes(self._held))
            self._held.clear()
        if self.has_ended:
            other.finish()
        if other._is_full:
            self._pause()
        else:
            self._resume()

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        if not self.is_lost and not self.transport.is_closing():
            with suppress(OSError):  # the other side may be gone already, which is heard of in its own time
                self.transport.write_eof()

    def fail(self, why: str) -> None:
        """End it now, for whoever waits for it."""
        if self._failure is None:
            self._failure = Over(why)
        self._wake()
        if self._draining is not None and not self._draining.done():
            self._draining.set_result(None)
        self._tell()

    def revive(self) -> None:
        """Forget that it failed, for a last word."""
        self._failure = None

    @property
    def has_failed(self) -> bool:
        """Whether it was ended from outside, or broke off."""
        return self._failure is not None

    @property
    def failure(self) -> str:
        """How, in a few words."""
        return str(self._failure or "")

    @property
    def has_held(self) -> bool:
        """Whether something has come that was not taken yet."""
        return bool(self._held)

    def ended_first(self, other: End) -> bool:
        """Whether it ended before `other` did."""
        return self.has_ended and (not other.has_ended or self._ended_at <= other._ended_at)

    async def gone(self) -> None:
        """Wait until nothing is left of it. Over if its time is over before that."""
        while not self.is_lost:
            self._reading = self._loop.create_future()
            await self._reading
            if self._failure is not None and not self.is_lost:
                raise self._failure

    def abort(self) -> None:
        """Close it at once, whatever is still on its way."""
        if self.transport is not None:
            self.transport.abort()

    def leave(self) -> None:
        """Close it at once, unless it is closing already."""
        if not self.is_lost and not self.transport.is_closing():
            self.transport.abort()

    def close(self) -> None:
        """Close it once everything is sent."""
        if self.transport is not None:
            self.transport.close()

    def _write(self, data: bytes) -> None:
        if self.went is not None:
            self.went(len(data))
        self.transport.write(data)

    def _end(self) -> None:
        if not self.has_ended:
            self.has_ended = True
            self._ended_at = self._loop.time()

    def _tell(self) -> None:
        if self.changed is not None:
            self.changed()

    def _wake(self) -> None:
        if self._reading is not None and not self._reading.done():
            self._reading.set_result(None)

    def _pause(self) -> None:
        if not self._is_paused and not self.has_ended:
            self._is_paused = True
            self.transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            if not self.is_lost and not self.transport.is_closing():
                self.transport.resume_reading()
