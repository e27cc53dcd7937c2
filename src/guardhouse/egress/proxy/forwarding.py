"""A request of plain HTTP, made anew: the server gets what was judged, in a framing of ours, and so does the client.

Each request has a connection of its own to the server. Bodies are passed on as they come, but for the beginning of a
request's, which the gate is shown first.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import h11

from guardhouse.egress.proxy.asking import LOOKED_AT
from guardhouse.egress.proxy.declining import Declined, malformed
from guardhouse.egress.proxy.ends import Over
from guardhouse.egress.proxy.heads import answer_headers

if TYPE_CHECKING:
    from guardhouse.egress.proxy.ends import End
    from guardhouse.egress.proxy.heads import Asked

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Outgoing:
    """One request on its way: what has come of its body, and what is still to come."""

    def __init__(self, asked: Asked, client: End) -> None:
        self._asked = asked
        self._client = client
        self._reader = asked.reader
        self.beginning = b""
        """Of the body; all of it if `is_whole`."""
        self.is_whole = False
        self.is_answered = False
        """Whether an answer to the client was begun."""
        self._unsent = b""

    async def begin(self) -> None:
        """Take the beginning of the body. Declined if it is none."""
        pieces: list[bytes] = []
        size = 0
        if self._asked.expects and self._asked.has_body:
            await self._client.send(CONTINUE)
        while size < LOOKED_AT:
            piece = await self._piece()
            if piece is None:
                self.is_whole = True
                break
            pieces.append(piece)
            size += len(piece)
        self.beginning = b"".join(pieces)

    async def _piece(self) -> bytes | None:
        """The next piece of the body; None at its end."""
        while True:
            try:
                event = self._reader.next_event()
            except h11.RemoteProtocolError:
                raise malformed("its body is framed wrongly.") from None
            if event is h11.NEED_DATA:
                data = await self._client.more()
                if not data:
                    raise Over("the client broke off")
                self._reader.receive_data(data)
            elif isinstance(event, h11.Data):
                return bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return None
            else:
                raise malformed("its body is framed wrongly.")

    async def exchange(self, host: End, most_head: int) -> None:
        """Send the request to `host`, and its answer to the client. Declined if there is no answer that can be passed
        on; Over if it broke off half-way."""
        writer = h11.Connection(h11.CLIENT, max_incomplete_event_size=most_head)
        head = writer.send(self._request())
        body = writer.send(h11.Data(data=self.beginning)) if self.beginning else b""
        end = writer.send(h11.EndOfMessage()) if self.is_whole else b""
        await host.send(b"".join(part for part in (head, body, end) if part))
        upload = None if self.is_whole else asyncio.create_task(self._upload(host, writer))
        try:
            await self._answer(host, writer)
        finally:
            if upload is not None:
                upload.cancel()

    def _request(self) -> h11.Request:
        asked = self._asked
        start = asked.destination.href.index("/", asked.destination.href.index("://") + 3)
        headers = [(b"Host", asked.destination.href[7:start].encode()), *asked.headers]
        if asked.length is None:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif asked.length or asked.method in {"POST", "PUT", "PATCH"}:
            headers.append((b"Content-Length", str(asked.length).encode()))
        headers.append((b"Connection", b"close"))
        return h11.Request(method=asked.method, target=asked.destination.href[start:], headers=headers)

    async def _upload(self, host: End, writer: h11.Connection) -> None:
        """Send the rest of the body, beside whatever the server says meanwhile."""
        try:
            while True:
                piece = await self._piece()
                if piece is None:
                    await host.send(writer.send(h11.EndOfMessage()) or b"")
                    self.is_whole = True
                    return
                await host.send(writer.send(h11.Data(data=piece)) or b"")
        except Over as over:
            if not host.is_lost:  # else the answer says more
                host.fail(str(over))
        except (Declined, h11.LocalProtocolError):
            host.fail("a body that was framed wrongly")
        except Exception as error:  # noqa: BLE001 - nobody awaits this task: whoever reads the answer is told
            host.fail(f"the proxy failed with {type(error).__name__}")

    async def _answer(self, host: End, writer: h11.Connection) -> None:
        """Pass the answer on, each piece that comes as one: a small answer goes out at once, head and all."""
        while True:
            try:
                event = writer.next_event()
            except h11.RemoteProtocolError:
                raise self._broken() from None
            if event is h11.NEED_DATA:
                await self._send()
                writer.receive_data(await host.more())
            elif isinstance(event, h11.InformationalResponse):
                if event.status_code == 101:
                    raise self._broken()
            elif isinstance(event, h11.Response):
                self._begin_answer(event)
            elif isinstance(event, h11.Data):
                self._pass_on(h11.Data(data=event.data))
            elif isinstance(event, h11.EndOfMessage):
                self._pass_on(h11.EndOfMessage())
                await self._send()
                return
            else:
                raise self._broken()

    def _begin_answer(self, response: h11.Response) -> None:
        headers = tuple(response.headers)
        names = {name for name, _ in headers}
        if response.status_code == 407 or {b"content-length", b"transfer-encoding"} <= names:
            # What asks for a proxy's password must be the proxy; and a length in two ways is two answers.
            raise self._broken()
        kept = list(answer_headers(headers))
        if not self.is_whole or not self._asked.is_keeping:
            kept.append((b"connection", b"close"))
        self._pass_on(h11.Response(status_code=response.status_code, headers=kept, reason=response.reason))

    def _pass_on(self, event: h11.Event) -> None:
        self._unsent += self._reader.send(event) or b""

    async def _send(self) -> None:
        if self._unsent:
            data, self._unsent = self._unsent, b""
            self.is_answered = True
            await self._client.send(data)

    def _broken(self) -> Exception:
        if self.is_answered:
            return Over("the server broke off")
        return Declined(502, "The server's answer broke off, or is no HTTP.")

    def unread(self) -> bytes | None:
        """What the client has sent after this request; None if there can't be another one on the connection."""
        reader = self._reader
        if not self._asked.is_keeping or reader.our_state is not h11.DONE or reader.their_state is not h11.DONE:
            return None
        return reader.trailing_data[0]
