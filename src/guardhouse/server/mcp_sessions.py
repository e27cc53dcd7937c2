"""Sessions of MCP clients that come over HTTP: each has a gateway and a server of its own, and streams to be read.

What messages mean is the gateway's; here it is said which stream a message to the client goes to. Messages of a client
are judged one after the other, in a thread of its session. Streams keep what they brought for a while, so that one that
broke can be read on.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from guardhouse.adapters.mcp import Gateway, offered, place_of
from guardhouse.adapters.mcp.heads import heads
from guardhouse.adapters.mcp.messages import UNANSWERED, error_answer
from guardhouse.adapters.mcp.piped import PipedServer
from guardhouse.adapters.mcp.pipes import Messages
from guardhouse.adapters.mcp.streamable import RemoteServer, event, one_line, read_headers, version_in
from guardhouse.model import PolicyError
from guardhouse.runs.tools.shell import plain_environment
from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.policy.schema import McpServedSection
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

MOST_OF_ONE: Final = 32
"""Sessions of one principal."""
MOST_OF_ALL: Final = 512
_IDLE: Final = 1800.0
"""Seconds without a request or a reader after which a session ends."""
_MOST_WAITING: Final = 8 * 1024 * 1024
"""Bytes of a client's messages that were not judged yet; one more message may be beyond that."""
_MOST_KEPT: Final = 32 * 1024 * 1024
"""Bytes of one session that were not read, or might be read again."""
_STREAMS_KEPT: Final = 16
_MOST_UNASKED: Final = 1024
_LARGEST_UNASKED: Final = 4 * 1024 * 1024
"""Of what a server says by itself, while nobody reads it."""
CHECKED_EVERY: Final = 5.0
"""Seconds after which it is looked whether the token of a reader is still good."""
_PRIMED: Final = "2025-11-25"
"""The version since which a stream begins with an event that says nothing, so that it can be read on from there."""
_SWEPT_EVERY: Final = 60.0
_ENDED: Final = "the server has ended"


class Stream:
    """What one reader gets: of a request, until it has its answer; or what the server says by itself."""

    def __init__(self, number: int, waiting: set[Id] | None) -> None:
        self.number = number
        self.waiting = waiting
        """Requests whose answers it is to bring; None if it goes on for as long as the session."""
        self.is_over = False
        self.readers = 0
        self.size = 0
        self.next = 0
        """The number of the next event."""
        self._latest = 0
        self._events: deque[bytes] = deque()
        self._news = asyncio.Event()

    def add(self, message: bytes) -> None:
        """One more message, and word of it to whoever reads. Of what nobody waits for, the oldest is let go."""
        self._events.append(event(one_line(message), f"{self.number}-{self.next}"))
        self.size += len(self._events[-1])
        self.next += 1
        while self.waiting is None and (len(self._events) > _MOST_UNASKED or self.size > _LARGEST_UNASKED):
            self.size -= len(self._events.popleft())
        self._news.set()

    def end(self) -> None:
        """There will be no more."""
        self.is_over = True
        self._news.set()

    async def read(self, after: int) -> AsyncGenerator[bytes]:
        """The events from number `after` on, as they come; nothing, now and then, while none does: whoever reads may
        not be allowed to any more. Whoever comes later takes over: the connection of the first may have broken."""
        self.readers += 1
        self._latest = own = self._latest + 1
        self._news.set()
        try:
            while own == self._latest:
                while after < self.next and own == self._latest:
                    after = max(after, self.next - len(self._events))
                    yield self._events[after - self.next]
                    after += 1
                if self.is_over:
                    return
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), CHECKED_EVERY)
                except TimeoutError:
                    yield b""
        finally:
            self.readers -= 1


class Session:
    """One client's conversation with one server."""

    def __init__(self, house: House, principal: Principal, server: str, section: McpServedSection) -> None:
        """GuardhouseError if the server can't be started, or its name belongs to another one."""
        self.id: Final = secrets.token_urlsafe(24)
        self.principal: Final = principal
        self.server: Final = server
        self.section: Final = section
        self.version = ""
        self.is_over = False
        self.used = time.monotonic()
        self.own: Final = Stream(0, None)
        self._house = house
        self._loop = asyncio.get_running_loop()
        self._streams: OrderedDict[int, Stream] = OrderedDict({0: self.own})
        self._numbers = 0
        self._gateway: Gateway
        self._end: RemoteServer | PipedServer | None = None
        self._to_judge: Messages[Stream | None] = Messages(_MOST_WAITING)

    def open(self) -> None:
        """Start the server, or get ready to reach it; waits for the disk. GuardhouseError as above."""
        guard, section = self._house.guard_of(self.principal), self.section
        store = guard.pins
        place = place_of(section.command, Path.cwd()) if section.command else ()
        store.claim(self.server, section.command or ("--url", section.url), guard.masked, place)
        self._gateway = Gateway(
            guard,
            self.server,
            store,
            session_id=f"mcp_{secrets.token_hex(8)}",
            mask=guard.masked,
            notice=self._notice,
            offers=lambda tool: offered(tool, section.allowed_tools, section.denied_tools),
            principal=self.principal.name,
        )
        if section.url:
            headers = read_headers(section.headers, os.environ)
            exchanges = guard.exchanges(f"mcp__{self.server}", section.url)
            self._end = RemoteServer(
                self._gateway,
                exchanges,
                headers,
                to_client=self._told,
                notice=self._notice,
                failed=self._failed,
            )
        else:
            self._house.starts_for_agents()
            self._end = PipedServer(
                self._gateway,
                section.command,
                plain_environment(section.environment),
                to_client=self._told,
                ended=self._ended,
                failed=self._failed,
            )
        threading.Thread(target=self._judge, args=(self._end,), name="guardhouse-mcp", daemon=True).start()
        if self.is_over:
            self.close()  # the daemon ends

    # In the event loop

    def take(self, line: bytes) -> Stream | None:
        """Take a message of the client. The stream that brings its answer; None if it has none. A Problem if too many
        wait."""
        if self.is_over:
            raise Problem(404, "The session is over.", fix="Begin a new one with `initialize`.")
        self.used = time.monotonic()
        waiting = {head.id for head in heads(line) if head.asks}
        stream = None
        if waiting:
            self._numbers += 1
            stream = Stream(self._numbers, waiting)
            if self.version >= _PRIMED:
                stream.add(b"")
        if not self._to_judge.add(line, stream):
            raise Problem(429, "Too many messages of this session wait.", headers={"retry-after": "1"})
        if stream is not None:
            self._streams[stream.number] = stream
            self._let_go()
        return stream

    def stream(self, number: int) -> Stream | None:
        """One of its streams, if it is still kept."""
        return self._streams.get(number)

    def over(self) -> None:
        """Nothing comes any more."""
        self.is_over = True
        for stream in self._streams.values():
            for number in sorted(stream.waiting or (), key=str):
                self._gateway.lost(number, _ENDED)
                stream.add(error_answer(number, f"There is no answer: {_ENDED}", UNANSWERED).rstrip())
            stream.end()

    @property
    def is_idle(self) -> bool:
        """Whether nobody has used it for long."""
        if any(stream.readers for stream in self._streams.values()):
            self.used = time.monotonic()
        return time.monotonic() - self.used > _IDLE

    def _deliver(self, data: bytes, asked: Stream | None) -> None:
        """Messages to the client: answers to who asked; everything else to who reads, best where something is still to
        come. `asked` is the stream of a message that is answered at once."""
        for line in data.split(b"\n"):
            if not line.strip() or self.is_over:
                continue
            answered = next((head.id for head in heads(line) if not head.asks), None)
            stream = asked or self._stream_for(answered)
            stream.add(line)
            if not self.version and answered is not None:
                self.version = version_in(line)
            if stream.waiting is not None:
                if answered is not None:
                    stream.waiting.discard(answered)
                elif asked is not None:
                    stream.waiting.clear()  # a refusal that names nobody: there will be no other answer
                if not stream.waiting:
                    stream.end()
        self._let_go()
        if sum(stream.size for stream in self._streams.values()) > _MOST_KEPT:
            self._notice("a client does not read what it is told: its session ends")
            self._house.mcp.end(self)

    def _stream_for(self, answered: Id | None) -> Stream:
        open_ones = [stream for stream in self._streams.values() if stream.waiting and not stream.is_over]
        if answered is not None:
            return next((stream for stream in open_ones if answered in (stream.waiting or ())), self.own)
        return next((stream for stream in reversed(open_ones) if stream.readers), self.own)

    def _let_go(self) -> None:
        """Of streams that are over, keep the last few."""
        over = [stream for stream in self._streams.values() if stream.is_over and not stream.readers]
        for stream in over[: max(0, len(over) - _STREAMS_KEPT)]:
            del self._streams[stream.number]

    # In threads

    def _judge(self, end: RemoteServer | PipedServer) -> None:
        """Messages of the client, one after the other, for as long as it may come in."""
        looked = time.monotonic()
        try:
            while (taken := self._to_judge.take()) is not None and not self.is_over:
                if time.monotonic() - looked >= CHECKED_EVERY:
                    self._house.door.check_still(self.principal)
                    looked = time.monotonic()
                line, stream = taken
                outgoing = self._gateway.from_client(line)
                if outgoing.to_client:
                    self._call(partial(self._deliver, outgoing.to_client, stream))
                if outgoing.to_server:
                    end.send(outgoing.to_server)
        except Problem:
            self._ended()  # the token was revoked, or is over
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may pass without the gate
            self._failed(error)

    def _told(self, data: bytes) -> None:
        if data:
            self._call(partial(self._deliver, data, None))

    def _ended(self) -> None:
        self._call(partial(self._house.mcp.end, self))

    def _failed(self, error: Exception) -> None:
        self._notice(f"the gateway failed with {type(error).__name__}")
        self._ended()

    def _notice(self, text: str) -> None:
        self._house.report(f"mcp/{self.server}: {text}")

    def _call(self, what: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what)

    def close(self) -> None:
        """End the server, and record what has no answer. Waits."""
        self._to_judge.end()
        if self._end is not None:
            self._end.close()
            self._gateway.close()


class Sessions:
    """The sessions of a daemon; used in its event loop."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._known: dict[str, Session] = {}
        self._closing: dict[asyncio.Future[None], Session] = {}
        self._enders = ThreadPoolExecutor(MOST_OF_ONE, thread_name_prefix="guardhouse-mcp-end")
        """Ending a server may take seconds, in which others are to be heard."""
        self._sweeping: asyncio.Task[None] | None = None

    def section(self, server: str) -> McpServedSection:
        """What the configuration says of a server. A Problem if it says nothing."""
        known = self._house.policy.current().config.mcp.servers.get(server)
        if known is None or bool(known.command) is bool(known.url):
            raise Problem(404, "There is no such MCP server here.", fix="Name it under `mcp.servers`.")
        return known

    async def begin(self, principal: Principal, server: str) -> Session:
        """A new session. A Problem if there are too many."""
        section = self.section(server)
        for session in [one for one in self._known.values() if one.is_idle]:
            self.end(session)
        every = [*self._known.values(), *self._closing.values()]  # a server that is being ended is still there
        own = sum(one.principal.id == principal.id for one in every)
        if own >= MOST_OF_ONE or len(every) >= MOST_OF_ALL:
            raise Problem(429, "There are too many MCP sessions.", fix="End one (DELETE), or wait.")
        session = Session(self._house, principal, server, section)
        self._known[session.id] = session  # before it is open: a server may end at once
        try:
            await self._house.in_thread(session.open)
        except BaseException:
            self.end(session)
            raise
        if session.is_over:
            raise Problem(503, "The server has ended at once.", fix="Look at its command.")
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep())
        return session

    def find(self, principal: Principal, server: str, number: str) -> Session:
        """A session of this principal. A Problem if it is over, or somebody else's."""
        session = self._known.get(number)
        if session is None or session.principal.id != principal.id or session.server != server:
            raise Problem(404, "There is no such session.", fix="Begin a new one with `initialize`.")
        if self._house.policy.current().config.mcp.servers.get(server) != session.section:
            self.end(session)
            raise Problem(404, "The session is over: the configuration has changed.", fix="Begin a new one.")
        return session

    def end(self, session: Session) -> None:
        """End a session; its server is ended in a thread."""
        if self._known.pop(session.id, None) is None:
            return
        session.over()
        closing = asyncio.get_running_loop().run_in_executor(self._enders, session.close)
        self._closing[closing] = session
        closing.add_done_callback(self._closed)

    def _closed(self, closing: asyncio.Future[None]) -> None:
        self._closing.pop(closing, None)
        error = None if closing.cancelled() else closing.exception()
        if error is not None:
            self._house.report(f"an MCP session could not be ended properly: {type(error).__name__}")

    async def stop(self) -> None:
        """End all of them, and wait for that."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for session in list(self._known.values()):
            self.end(session)
        if self._closing:
            await asyncio.wait(self._closing)
        self._enders.shutdown(wait=False)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEPT_EVERY)
            for session in list(self._known.values()):
                if session.is_idle or not await self._is_welcome(session):
                    self.end(session)

    async def _is_welcome(self, session: Session) -> bool:
        """Whether a session may go on although it asks for nothing: its reader may be there for days."""
        with suppress(PolicyError):  # then the gate itself denies
            if self._house.policy.current().config.mcp.servers.get(session.server) != session.section:
                return False
        try:
            await self._house.in_thread(partial(self._house.door.check_still, session.principal))
        except Problem:
            return False
        except Exception as error:  # noqa: BLE001 - the others are still to be looked at; calls are let in by the door
            self._house.report(f"whether an MCP session may go on could not be told: {type(error).__name__}")
        return True
