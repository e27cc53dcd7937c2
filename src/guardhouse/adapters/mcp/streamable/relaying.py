"""The gateway between a client on standard input and output, and a server that is reached by URL."""

from __future__ import annotations

import select
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters.mcp.pipes import LONGEST_LINE, Pending, Writer, lines, notice
from guardhouse.adapters.mcp.streamable.server import RemoteServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.adapters.mcp.gateway import Gateway
    from guardhouse.egress.exchanges import Exchanges

_GRACE: Final = 2.0
"""Seconds for requests under way once the client is gone."""
_LONGEST_TURN: Final = 1000
"""Milliseconds that a turn is kept while nobody says anything."""
_FAILED: Final = 2
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def relay_to(gateway: Gateway, exchanges: Exchanges, headers: tuple[tuple[str, str], ...]) -> int:
    """Pass messages until the client is gone; the exit status."""
    return _Relay(gateway, exchanges, headers).run()


class _Relay:
    def __init__(self, gateway: Gateway, exchanges: Exchanges, headers: tuple[tuple[str, str], ...]) -> None:
        self._gateway = gateway
        self._to_client = Writer(sys.stdout.fileno())
        self._server = RemoteServer(gateway, exchanges, headers, to_client=self._tell, notice=notice, failed=self._fail)
        self._lines: Iterator[tuple[bytes, bool]] = iter(())
        self._pending = Pending()
        self._status = 0
        self._is_over = threading.Event()

    def run(self) -> int:
        kept = {number: signal.signal(number, self._end) for number in _SIGNALS}
        try:
            source = sys.stdin.fileno()
            self._lines = lines(source, self._pending)
            self._start_pump(source)
            threading.Thread(target=self._watch, args=(source,), daemon=True).start()
            self._is_over.wait()
            self._server.close()
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
        self._gateway.close()
        return self._status

    def _end(self, number: int, _frame: object) -> None:
        self._status = 128 + number
        self._is_over.set()

    def _fail(self, error: Exception) -> None:
        """Whatever failed, nothing passes without the gate."""
        self._status = _FAILED
        notice(f"the gateway failed with {type(error).__name__}")
        self._is_over.set()

    def _tell(self, data: bytes) -> None:
        if self._status != _FAILED and not self._to_client.write(data):
            self._is_over.set()

    def _pump(self, source: int) -> None:
        """What the client says, to its end; or until another thread has the turn."""
        try:
            for line, is_whole in self._lines:
                if self._is_over.is_set():
                    return
                if not line.strip():
                    continue
                if is_whole:
                    outgoing = self._gateway.from_client(line)
                else:
                    outgoing = self._gateway.cut_from_client(line, f"It is longer than {LONGEST_LINE} bytes.")
                self._tell(outgoing.to_client)
                turn = None if self._pending.has_more else _Turn(source, self._start_pump)
                self._server.send(outgoing.to_server, turn)
                if turn is not None and turn.is_left:
                    return
        except Exception as error:  # noqa: BLE001 - whatever it is
            self._fail(error)
            return
        self._server.wait(_GRACE)
        self._is_over.set()

    def _start_pump(self, source: int) -> None:
        threading.Thread(target=self._pump, args=(source,), daemon=True).start()

    def _watch(self, source: int) -> None:
        """Notice that the client is gone even while what it sent last waits for a server that does not answer."""
        ends = select.poll()
        ends.register(source, getattr(select, "POLLRDHUP", 0))
        try:
            ends.poll()
        except OSError as error:
            notice(f"whether the client is still there can't be seen: {error.strerror}")
            return
        if not self._is_over.wait(2 * _GRACE):
            self._is_over.set()


class _Turn:
    """The turn to hear the client, while its thread hears the server: whoever speaks first is heard."""

    def __init__(self, source: int, pass_on: Callable[[int], None]) -> None:
        self._source = source
        self._pass_on = pass_on
        self.is_left = False

    def wait(self, connection: Any) -> None:
        """Wait until `connection` can be read. If the client says something first, or ends, another thread hears it."""
        if self.is_left or (hasattr(connection, "pending") and connection.pending()):
            return
        ends = select.poll()
        ends.register(self._source, select.POLLIN)
        ends.register(connection.fileno(), select.POLLIN)
        ready = {handle for handle, _ in ends.poll(_LONGEST_TURN)}
        if connection.fileno() not in ready:
            self.leave()

    def leave(self) -> None:
        """Let another thread hear the client."""
        if not self.is_left:
            self.is_left = True
            self._pass_on(self._source)
