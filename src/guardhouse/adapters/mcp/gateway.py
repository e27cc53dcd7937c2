"""The gateway between one MCP client and one server: what each message means, and what may pass.

Calls, reads, answers and whatever else says something are put to the gate as actions; what it allows passes as the very
bytes that came. Nothing is decided here: what the gate does not allow is not passed on, nor is what can't be read.
Each direction has a module of its own. Which way messages come and go (`relay`, `streamable`) makes no difference here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.adapters.mcp.client_side import ClientSide
from guardhouse.adapters.mcp.conversation import Conversation, Outgoing
from guardhouse.adapters.mcp.server_side import ServerSide

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.guard import Guard
    from guardhouse.pins import PinStore

__all__ = ["Gateway", "Outgoing"]


class Gateway:
    """One client, one server. `from_client` and `from_server` may be called from two threads."""

    def __init__(
        self,
        guard: Guard,
        server: str,
        store: PinStore,
        *,
        session_id: str,
        mask: Callable[[str], str],
        notice: Callable[[str], None],
        offers: Callable[[str], bool] = lambda _tool: True,
        principal: str | None = None,
    ) -> None:
        """`offers` says which of the server's tools clients may see and call, by their own names. `principal` is who
        the client acts for, where it had to say so."""
        self._shared = Conversation(
            guard,
            server,
            store,
            session_id=session_id,
            mask=mask,
            notice=notice,
            offers=offers,
            principal=principal,
        )
        self._client = ClientSide(self._shared)
        self._server = ServerSide(self._shared)

    def from_client(self, line: bytes) -> Outgoing:
        """What becomes of a line that the client sent."""
        return self._client.take(line)

    def from_server(self, line: bytes) -> Outgoing:
        """What becomes of a line that the server sent."""
        return self._server.take(line)

    def cut_from_client(self, head: bytes, why: str) -> Outgoing:
        """What becomes of a line that was not read to its end."""
        return self._client.refuse(head, why)

    def cut_from_server(self, head: bytes, why: str) -> Outgoing:
        """What becomes of a line that was not read to its end."""
        return self._server.refuse(head, why)

    def lost(self, number: Id, why: str) -> Outgoing:
        """What becomes of a request of the client whose answer will not come any more."""
        return self._server.lose(number, why)

    def close(self) -> None:
        """Record of every call without an answer that nobody will get one."""
        for waiting in self._shared.of_client.give_up():
            self._shared.abort(waiting)
