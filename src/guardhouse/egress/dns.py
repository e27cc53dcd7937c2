"""Asks the system's resolver for all addresses of a host name, with a deadline it does not have itself.

An answer that does not come is an answer with an error, which policy takes for the worst one. Nothing is judged and
nothing is cached here: the caller judges every address and dials one of those it judged.
"""

from __future__ import annotations

import threading
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
        self._slots = threading.BoundedSemaphore(MAX_LOOKUPS)

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
        """Start a look-up that will hand over its answer from a thread of its own; False if too many hang."""
        if not self._slots.acquire(blocking=False):
            return False

        def look_up() -> None:
            try:
                answer = _look_up(host)
            finally:
                self._slots.release()
            hand_over(answer)

        try:
            # A daemon: a look-up that hangs must not keep the program from ending.
            threading.Thread(target=look_up, name="guardhouse-dns", daemon=True).start()
        except RuntimeError:  # the system gives us no more threads
            self._slots.release()
            return False
        return True

    def _late(self) -> Addresses:
        return Addresses(error=f"no answer from the resolver within {self._timeout:g} s")


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
