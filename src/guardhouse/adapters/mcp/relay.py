"""The gateway in front of a server that it starts: lines from the client to the server and back, each direction in a
thread.

What the lines mean is the gateway's; here they are only bytes with an end.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters.mcp.pipes import LONGEST_LINE, Writer, lines, notice, own_end
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.adapters.mcp.gateway import Gateway, Outgoing

_GRACE: Final = 2.0
"""Seconds that a server has to end by itself once its client is gone, and then once it was told to."""
_DRAIN: Final = 5.0
"""Seconds to pass on what a server said before it ended; what it started may hold its pipe open for longer."""
_FAILED: Final = 2
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def relay(gateway: Gateway, command: Sequence[str]) -> int:
    """Start the server, pass messages until it ends, and give its exit status. GuardhouseError if it can't start."""
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # noqa: S603
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "its command line can't be used"
        raise GuardhouseError(f"The server can't be started: {why}.", fix="Check the command after `--`.") from None
    return _Relay(gateway, child).run()


class _Relay:
    def __init__(self, gateway: Gateway, child: subprocess.Popen[bytes]) -> None:
        self._gateway = gateway
        self._child = child
        self._to_client = Writer(sys.stdout.fileno())
        self._to_server = Writer(own_end(child.stdin))
        self._failed = False
        self._lines = 0
        """Of the client, so far: whether the relay gets on with them."""
        self._client_ended = threading.Event()
        self._ending = threading.Lock()

    def run(self) -> int:
        gateway, client = self._gateway, sys.stdin.fileno()
        kept = {number: signal.signal(number, self._forward) for number in _SIGNALS}
        try:
            server = self._start(self._pump, _fd(self._child.stdout), gateway.from_server, gateway.cut_from_server)
            self._start(self._pump_client, client)
            self._start(self._watch_client, client)
            status = self._child.wait()
            server.join(_DRAIN)
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
        gateway.close()
        if self._failed:
            return _FAILED
        return status if status >= 0 else 128 - status

    def _start(self, target: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _forward(self, number: int, _frame: object) -> None:
        self._child.send_signal(number)
        if number == signal.SIGTERM:
            self._set_deadline()  # a server that does not heed it must not keep its gateway

    def _pump_client(self, source: int) -> None:
        def judge(line: bytes) -> Outgoing:
            self._lines += 1
            return self._gateway.from_client(line)

        self._pump(source, judge, self._gateway.cut_from_client)
        self._client_ended.set()
        self._end_server()

    def _pump(self, source: int, judge: Callable[[bytes], Outgoing], refuse: Callable[[bytes, str], Outgoing]) -> None:
        """One direction, to its end. Whatever fails ends the server: a relay without its gate passes nothing."""
        try:
            for line, is_whole in lines(source):
                if not line.strip():
                    continue
                outgoing = judge(line) if is_whole else refuse(line, f"It is longer than {LONGEST_LINE} bytes.")
                self._to_server.write(outgoing.to_server)
                if not self._to_client.write(outgoing.to_client):
                    break  # the client is gone
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may pass without the gate
            self._failed = True
            self._child.kill()
            notice(f"the gateway failed with {type(error).__name__}")
            return
        if self._to_client.is_closed:
            self._end_server()

    def _watch_client(self, source: int) -> None:
        """Notice that the client is gone even while what it sent last waits for a server that does not read."""
        ends = select.poll()
        ends.register(source, getattr(select, "POLLRDHUP", 0))
        try:
            ends.poll()
        except OSError as error:
            notice(f"whether the client is still there can't be seen: {error.strerror}")
            return
        while True:
            before = self._lines
            if self._client_ended.wait(_GRACE):
                return
            if self._lines == before:
                break
        self._end_server()

    def _end_server(self) -> None:
        """Nobody is there any more: the server is to end, at first by itself."""
        self._set_deadline()  # before the pipe is closed, which waits for what is being written
        self._to_server.close()

    def _set_deadline(self) -> None:
        """Give the server its time to end, once."""
        if self._ending.acquire(blocking=False):
            for delay, end in ((_GRACE, self._child.terminate), (2 * _GRACE, self._child.kill)):
                timer = threading.Timer(delay, end)
                timer.daemon = True
                timer.start()


def _fd(pipe: Any) -> int:
    if pipe is None:
        raise AssertionError("the server was started with pipes")
    return int(pipe.fileno())
