"""One connection of a client: request after request, each read, judged, made and recorded by itself.

Whatever goes wrong ends as a refusal or as the end of the connection, never as a connection that was not judged.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from guardhouse.egress.proxy.asking import ask, dial
from guardhouse.egress.proxy.client_hello import BadHello
from guardhouse.egress.proxy.declining import Declined, malformed, unknown_caller
from guardhouse.egress.proxy.ends import End, Over, Watch
from guardhouse.egress.proxy.forwarding import Outgoing
from guardhouse.egress.proxy.heads import read_head
from guardhouse.egress.proxy.tunnel import open_tunnel
from guardhouse.model import InvalidAction

if TYPE_CHECKING:
    from typing import Literal

    from guardhouse.egress.proxy.asking import Passage
    from guardhouse.egress.proxy.door import Door
    from guardhouse.egress.proxy.heads import Asked
    from guardhouse.egress.proxy.serving import ForwardProxy
    from guardhouse.policy.schema import ProxySection

_LINGER: Final = 2.0
"""Seconds in which a client that was refused may read why, while what it still sends is thrown away."""
_MOST_THROWN_AWAY: Final = 1024 * 1024


class Conversation:
    """Serves one client until one of them has had enough."""

    def __init__(self, proxy: ForwardProxy, door: Door, client: End, limits: ProxySection) -> None:
        self._proxy = proxy
        self._door = door
        self._client = client
        self._limits = limits
        self._host: End | None = None
        self._up = 0
        self._down = 0
        self._caller = door.principal
        self._watch = Watch(asyncio.get_running_loop(), limits.longest_seconds, self._fail)

    async def run(self) -> None:
        """From the first request to the end of the connection."""
        try:
            self._watch.allow(self._limits.head_seconds, "too slow")
            while await self._request():
                self._watch.allow(self._limits.idle_seconds, "idle for too long")
            self._client.close()
        except Over:
            self._client.abort()
        except Declined as declined:
            await self._decline(declined)
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no connection by it
            self._proxy.report(f"The proxy failed with {type(error).__name__}.")
            await self._decline(Declined(502, "The proxy failed; no connection was made."))
        finally:
            self._watch.stop()
            self._leave_host()
            self._client.leave()

    async def _request(self) -> bool:
        """Serve one request. Whether there may be another."""
        asked = await self._read()
        if asked is None:
            return False
        if self._door.callers is not None:
            self._caller = await self._who(asked)
            self._proxy.count(self, self._caller, self._limits)
        if asked.is_tunnel:
            await self._tunnel(asked)
            return False
        return await self._forward(asked)

    async def _read(self) -> Asked | None:
        """What is asked for next; None if nothing is any more."""
        most = self._limits.head_bytes
        try:
            head = await self._client.head(most)
        except Over:
            if self._client.is_lost or not self._client.has_held:
                raise
            raise Declined(408, "The request did not come in time.") from None
        if head is None:
            raise malformed("it does not begin as a request does, or its head is too long.")
        if not head:
            return None
        self._watch.allow(self._limits.head_seconds, "too slow")
        return read_head(head, most)

    async def _who(self, asked: Asked) -> str:
        """The agent that asks. Declined if it is nobody's token."""
        callers = self._door.callers
        if callers is None or not asked.token:
            raise unknown_caller()
        known = callers.known(asked.token)
        if known is not None:
            return known
        try:
            found = await callers.look_up(asked.token)
        except Exception as error:  # noqa: BLE001 - who can't be told from a stranger is one
            self._proxy.report(f"Tokens can't be looked up: {type(error).__name__}.")
            raise Declined(503, "Blocked: it can't be told who asks.") from None
        if found is None:
            raise unknown_caller()
        return found

    # The two ways out

    async def _tunnel(self, asked: Asked) -> None:
        passage = await self._ask(asked)
        ended = "the proxy ended it"
        outcome: Literal["executed", "aborted"] = "aborted"
        try:
            self._watch.allow(self._limits.head_seconds, "too slow")

            async def reach() -> End:
                nonlocal outcome
                host = await self._reach(passage)
                outcome = "executed"
                return host

            host = await open_tunnel(self._client, asked.destination, reach)
            ended = await self._join(host)
        except BadHello as bad:
            ended = f"refused: {bad}"
            raise Over(ended) from None
        except Over as over:
            ended = str(over)
            raise
        except Declined as declined:
            ended = f"not reached: {', '.join(declined.codes) or declined.status}"
            raise Over(ended) from None  # the client was told that the tunnel stands: there is nothing more to say
        except Exception as error:
            ended = f"the proxy failed with {type(error).__name__}"
            self._proxy.report(f"The proxy failed with {type(error).__name__}.")
            raise Over(ended) from error
        finally:
            await self._tell(passage, outcome, ended, self._up, self._down)

    async def _join(self, host: End) -> str:
        """Pass everything on in both directions until both have ended. How it ended."""
        client = self._client
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def changed() -> None:
            is_over = (client.has_ended and host.has_ended) or client.is_lost or host.is_lost or client.has_failed
            if is_over and not over.done():
                over.set_result(None)

        client.changed = host.changed = changed
        self._watch.allow(self._limits.idle_seconds, "idle for too long")
        client.join(host)
        host.join(client)
        changed()
        await over
        how = client.failure or host.failure or ("the client closed" if client.ended_first(host) else "the host closed")
        if not client.has_failed:
            await self._flush(host)
        return how

    async def _flush(self, host: End) -> None:
        """Let what is on its way arrive, if it does in time."""
        self._client.close()
        host.close()
        self._client.changed = host.changed = None
        await self._client.gone()
        await host.gone()

    async def _forward(self, asked: Asked) -> bool:
        limits = self._limits
        if asked.length is not None and self._up + asked.length > limits.up_bytes:
            raise Declined(413, "Blocked: more than may be sent on one connection.")
        outgoing = Outgoing(asked, self._client)
        try:
            await outgoing.begin()
        except Over:
            if self._client.is_lost or self._client.has_ended:
                raise
            raise Declined(408, "The body of the request did not come in time.") from None
        passage = await self._ask(asked, outgoing.beginning)
        up, down = self._up, self._down
        ended = "the proxy ended it"
        outcome: Literal["executed", "aborted"] = "aborted"
        try:
            host = await self._reach(passage)
            outcome = "executed"
            self._watch.allow(limits.idle_seconds, "idle for too long")
            await outgoing.exchange(host, limits.head_bytes)
            ended = "answered"
        except Over as over:
            ended = str(over)
            if outgoing.is_answered:
                raise
            raise Declined(502, f"There was no answer: {ended}.") from None
        except Declined as declined:
            ended = f"not reached: {', '.join(declined.codes) or declined.status}"
            if outgoing.is_answered:
                raise Over(ended) from None
            raise
        finally:
            self._leave_host()
            await self._tell(passage, outcome, ended, self._up - up, self._down - down)
        unread = outgoing.unread()
        if unread is None:
            return False
        self._client.give_back(unread)
        return True

    async def _ask(self, asked: Asked, body: bytes = b"") -> Passage:
        self._watch.allow(self._limits.idle_seconds, "idle for too long")  # the client need not do anything now
        try:
            async with self._proxy.turn(self._caller or id(self._door)):
                return await ask(self._door, self._caller, asked, body)
        except Declined as declined:
            if declined.__cause__ is not None:
                self._proxy.report(f"The gate failed with {type(declined.__cause__).__name__}.")
            raise

    async def _reach(self, passage: Passage) -> End:
        """The other end of the connection that was let pass."""
        if self._client.is_lost:
            raise Over("the client went away")
        connection = await dial(passage, self._proxy.policy, self._proxy.resolver)
        try:
            _, host = await asyncio.get_running_loop().create_connection(End, sock=connection)
        except BaseException:
            connection.close()
            raise
        self._host = host
        host.came, host.went = self._came, self._went
        return host

    # What is counted

    def _went(self, size: int) -> None:
        self._up += size
        self._watch.moved(self._limits.idle_seconds)
        if self._up > self._limits.up_bytes:
            self._fail("too much was sent")

    def _came(self, size: int) -> None:
        self._down += size
        self._watch.moved(self._limits.idle_seconds)
        if self._down > self._limits.down_bytes:
            self._fail("too much came back")

    def _fail(self, why: str) -> None:
        self._client.fail(why)
        if self._host is not None:
            self._host.fail(why)

    async def _tell(
        self, passage: Passage, outcome: Literal["executed", "aborted"], ended: str, up: int, down: int
    ) -> None:
        """Record what became of a connection."""
        destination = passage.destination
        host = f"[{destination.host}]" if ":" in destination.host else destination.host
        note = f"{passage.action.params['method']} {host}:{destination.port}, {up} bytes up, {down} down, {ended}"
        unrecorded = await self._door.guard.report_async(passage.action, passage.verdict, outcome, note=note)
        if unrecorded is not None:
            self._proxy.report("What became of a connection could not be recorded.")

    # The end

    def _leave_host(self) -> None:
        host, self._host = self._host, None
        if host is not None and not host.is_lost:
            host.abort()

    async def _record_malformed(self, declined: Declined) -> None:
        """Let the record say that something came that was no request; not of strangers, who may send what they like."""
        if self._door.callers is not None and self._caller is None:
            return
        error = InvalidAction(f"The proxy was sent no request that can be judged: {declined.what}")
        try:
            await asyncio.to_thread(self._door.guard.refuse, error, self._caller)
        except Exception as failed:  # noqa: BLE001 - it is refused all the same
            self._proxy.report(f"What was refused could not be recorded: {type(failed).__name__}.")

    async def _decline(self, declined: Declined) -> None:
        """Say why not, and end the connection without cutting that off."""
        client = self._client
        if declined.malformed:
            await self._record_malformed(declined)
        if client.is_lost:
            return
        client.revive()
        try:
            self._watch.allow(_LINGER, "too slow")
            await client.send(declined.answer())
            client.finish()
            thrown_away = 0
            while thrown_away < _MOST_THROWN_AWAY and (data := await client.more()):
                thrown_away += len(data)
            client.close()
        except Over:
            client.abort()
