"""Asks the system's resolver for all addresses of a host name, with a deadline it does not have itself.

An answer that does not come is an answer with an error, which policy takes for the worst one. Nothing is judged and
nothing is cached here: the caller judges every address and dials one of those it judged.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from guardhouse.model import Addresses

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LOOKUPS: Final = 64
"""Look-ups under way at once, for one resolver. One that hangs can't be stopped, so their number is bounded."""


class SystemResolver:
    """Resolves names as every program on this machine does: hosts file, search domains and name servers included."""

    def __init__(self, timeout: float = 5.0) -> None:
        self._timeout = timeout
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._slots = threading.BoundedSemaphore(MAX_LOOKUPS)
        self._idle: deque[_Helper] = deque()

    def resolve(self, host: str) -> Addresses:
        """Every distinct address of `host`, or why there is none. Does not raise for what the network does."""
        from queue import Empty, SimpleQueue  # most calls name no host

        answer: SimpleQueue[Addresses] = SimpleQueue()
        if not self._ask(host, answer.put):
            return _TOO_MANY
        try:
            return answer.get(timeout=self._timeout)
        except Empty:
            return self._late()

    async def resolve_async(self, host: str) -> Addresses:
        """`resolve` for an event loop, which goes on meanwhile."""
        import asyncio  # a program without an event loop should not pay for its import

        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Addresses] = loop.create_future()

        def deliver(addresses: Addresses) -> None:
            if not answer.done():
                answer.set_result(addresses)

        def hand_over(addresses: Addresses) -> None:
            try:
                loop.call_soon_threadsafe(deliver, addresses)
            except RuntimeError:
                return  # the loop was closed while the look-up hung: nobody waits for the answer any more

        if not self._ask(host, hand_over):
            return _TOO_MANY
        try:
            return await asyncio.wait_for(answer, self._timeout)
        except TimeoutError:
            return self._late()

    def _ask(self, host: str, hand_over: Callable[[Addresses], None]) -> bool:
        """Start a look-up that will hand over its answer from another thread; False if too many hang."""
        if self._process != os.getpid():
            self._begin()  # the threads, and whoever held a slot, are the parent's
        if not self._slots.acquire(blocking=False):
            return False
        try:
            helper = self._idle.pop()
        except IndexError:
            helper = _Helper(self._idle)
            try:
                helper.start()
            except RuntimeError:  # the system gives us no more threads
                self._slots.release()
                return False
        helper.asked.put((host, self._slots.release, hand_over))
        return True

    def _late(self) -> Addresses:
        return Addresses(error=f"no answer from the resolver within {self._timeout:g} s")


class _Helper(threading.Thread):
    """Looks names up, one after the other, until nobody has asked for a while: beginning a thread takes longer than
    most look-ups. A daemon: a look-up that hangs must not keep the program from ending."""

    def __init__(self, idle: deque[_Helper]) -> None:
        from queue import SimpleQueue

        super().__init__(name="guardhouse-dns", daemon=True)
        self._idle = idle
        self.asked: SimpleQueue[tuple[str, Callable[[], None], Callable[[Addresses], None]]] = SimpleQueue()

    def run(self) -> None:
        from queue import Empty

        while True:
            try:
                host, release, hand_over = self.asked.get(timeout=_IDLE_FOR)
            except Empty:
                try:
                    self._idle.remove(self)
                except ValueError:
                    continue  # somebody is just asking
                return
            try:
                answer = _look_up(host)
            finally:
                release()
            self._idle.append(self)
            hand_over(answer)


_IDLE_FOR: Final = 5.0


class SkippedLookup:
    """Stands in for a resolver where a decision is wanted without network access."""

    def resolve(self, host: str) -> Addresses:  # noqa: ARG002 - a resolver's signature
        """The answer that says that nobody asked."""
        return _SKIPPED

    async def resolve_async(self, host: str) -> Addresses:
        """The same."""
        return self.resolve(host)


_SKIPPED: Final = Addresses(skipped=True)
_TOO_MANY: Final = Addresses(error="too many name look-ups are waiting for an answer")


def _look_up(host: str) -> Addresses:
    import socket  # most calls name no host

    try:
        answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        return Addresses(error=error.strerror or "the resolver failed")
    except ValueError:  # also UnicodeError: what the standard library will not even ask for
        return Addresses(error="not a host name")
    except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to, and no answer would be a hang
        return Addresses(error=f"the resolver failed with {type(error).__name__}")
    addresses = dict.fromkeys(
        str(place[0]) for family, _, _, _, place in answers if family in {socket.AF_INET, socket.AF_INET6}
    )
    if any("%" in address for address in addresses):
        return Addresses(error="an address of this host is valid on one network interface only")
    return Addresses(addresses=tuple(addresses))
