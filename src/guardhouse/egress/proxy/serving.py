"""The forward proxy: listeners, each with its door, and the connections that come in by them.

It runs in one event loop. Doors are opened and closed at any time; closing one ends all its connections at once.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from guardhouse.egress.proxy.conversing import Conversation
from guardhouse.egress.proxy.declining import Declined
from guardhouse.egress.proxy.ends import End

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable, Hashable

    from guardhouse.egress.proxy.door import Door
    from guardhouse.policy.schema import ProxySection
    from guardhouse.ports import PolicySource, Resolver

_AT_A_TIME: Final = 64
"""Connections that are accepted before those that are open get their turn."""
_PATIENCE: Final = 1.0
_JUDGED_AT_ONCE: Final = 48
"""Fewer than a resolver looks up at once."""
_MOST_TURNS: Final = 1000


class ForwardProxy:
    """Lets clients reach what the gate lets them. `policy` gives limits and destination rules, `resolver` looks up
    names that the gate did not, `report` is told of problems, in a line without anything that a client sent."""

    def __init__(
        self, policy: PolicySource, resolver: Resolver, *, report: Callable[[str], None] | None = None
    ) -> None:
        self.policy: Final = policy
        self.resolver: Final = resolver
        self.report: Final = report or _say
        self._open: dict[Conversation, set[Hashable]] = {}
        self._counts: Counter[Hashable] = Counter()
        self._judged: Final = asyncio.Semaphore(_JUDGED_AT_ONCE)
        self._turns: Final[dict[Hashable, asyncio.Semaphore]] = {}

    async def serve(self, listener: socket.socket, door: Door) -> None:
        """Serve who comes in by `listener`, a socket that listens already, until this is cancelled; then its
        connections are ended, and the socket is closed."""
        async with self.open(listener, door):
            await asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def open(self, listener: socket.socket, door: Door) -> AsyncIterator[None]:
        """The same for as long as a block runs."""
        inside: set[asyncio.Task[None]] = set()
        loop = asyncio.get_running_loop()

        def accept() -> None:
            for _ in range(_AT_A_TIME):
                try:
                    connection, _place = listener.accept()
                except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                    return
                except OSError as error:  # there are no more files to be had: others must end first
                    self.report(f"No more connections can be accepted: {error.strerror}.")
                    loop.remove_reader(listener)
                    waiting.append(loop.call_later(_PATIENCE, listen))
                    return
                task = loop.create_task(self._come_in(connection, door))
                inside.add(task)
                task.add_done_callback(inside.discard)

        def listen() -> None:
            waiting.clear()
            loop.add_reader(listener, accept)

        waiting: list[asyncio.TimerHandle] = []
        listener.setblocking(False)  # noqa: FBT003 - the standard library's own
        listen()
        try:
            yield
        finally:
            for timer in waiting:
                timer.cancel()
            loop.remove_reader(listener)
            listener.close()
            await asyncio.sleep(0)  # each task has begun then, and closes what it has
            for task in inside:
                task.cancel()
            await asyncio.gather(*inside, return_exceptions=True)

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        """A turn to have something judged: so many at once, of one agent and of all. Names are looked up meanwhile, and
        a resolver that is asked for too many refuses; who has to wait is served all the same."""
        if len(self._turns) > _MOST_TURNS:
            self._turns.clear()
        async with self._turns.setdefault(key, asyncio.Semaphore(_JUDGED_AT_ONCE // 2)), self._judged:
            yield

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._open)

    async def _come_in(self, connection: socket.socket, door: Door) -> None:
        """Serve one connection that was accepted, and let nothing of it be left."""
        try:
            connection.setblocking(False)  # noqa: FBT003 - the standard library's own
            _, client = await asyncio.get_running_loop().connect_accepted_socket(End, connection)
        except OSError:
            connection.close()  # the client was gone before it had come in
            return
        except BaseException:
            connection.close()
            raise
        try:
            await self._converse(client, door)
        finally:
            client.leave()

    async def _converse(self, client: End, door: Door) -> None:
        try:
            limits = self.policy.current().config.proxy
        except Exception as error:  # noqa: BLE001 - without a policy nobody gets anywhere
            self.report(f"The policy can't be read: {type(error).__name__}.")
            client.transport.write(Declined(503, "Blocked: the policy can't be read.").answer())
            client.close()
            return
        conversation = Conversation(self, door, client, limits)
        self._open[conversation] = set()
        try:
            if len(self._open) > limits.all_connections or (
                door.callers is None and not self._counted(conversation, id(door), limits)
            ):
                client.transport.write(_too_many().answer())
                client.close()
                return
            await conversation.run()
        finally:
            for key in self._open.pop(conversation):
                self._counts[key] -= 1
                if not self._counts[key]:
                    del self._counts[key]

    def count(self, conversation: Conversation, caller: str, limits: ProxySection) -> None:
        """Count a connection as an agent's. Declined if it has too many."""
        if not self._counted(conversation, caller, limits):
            raise _too_many()

    def _counted(self, conversation: Conversation, key: Hashable, limits: ProxySection) -> bool:
        if key in self._open[conversation]:
            return True
        if self._counts[key] >= limits.connections:
            return False
        self._counts[key] += 1
        self._open[conversation].add(key)
        return True


def _too_many() -> Declined:
    return Declined(503, "Too many connections are open.", headers=(("Retry-After", "1"),))


def _say(problem: str) -> None:
    print(f"guardhouse: {problem}", file=sys.stderr, flush=True)
