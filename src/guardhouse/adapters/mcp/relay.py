"""Pipes and processes of the gateway: lines from the client to the server and back, each direction in a thread.

Writes block, so that a side that does not read slows down the other instead of filling memory. What the lines mean is
the gateway's; here they are only bytes with an end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import GuardhouseError, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from guardhouse.adapters.mcp.gateway import Gateway, Outgoing

_CHUNK: Final = 1 << 16
LONGEST_LINE: Final = 64 * 1024 * 1024
"""More than any limit on what is judged, so that whoever waits for a longer message can still be told."""
_GRACE: Final = 2.0
"""Seconds that a server has to end by itself once its client is gone, and then once it was told to."""
_DRAIN: Final = 5.0
"""Seconds to pass on what a server said before it ended; what it started may hold its pipe open for longer."""
_FAILED: Final = 2
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def notice(text: str) -> None:
    """A line for whoever reads the client's log."""
    sys.stderr.write(f"guardhouse mcp: {visible(text)}\n")
    sys.stderr.flush()


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
        self._to_client = _Writer(sys.stdout.fileno())
        self._to_server = _Writer(_fd(child.stdin))
        self._failed = False

    def run(self) -> int:
        kept = {number: signal.signal(number, self._forward) for number in _SIGNALS}
        try:
            server = self._start(self._pump, _fd(self._child.stdout), self._gateway.from_server, "server")
            self._start(self._pump, sys.stdin.fileno(), self._gateway.from_client, "client")
            status = self._child.wait()
            server.join(_DRAIN)
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
        self._gateway.close()
        if self._failed:
            return _FAILED
        return status if status >= 0 else 128 - status

    def _start(self, target: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _forward(self, number: int, _frame: object) -> None:
        self._child.send_signal(number)

    def _pump(self, source: int, judge: Callable[[bytes], Outgoing], name: str) -> None:
        """One direction, to its end. Whatever fails ends the server: a relay without its gate passes nothing."""
        try:
            for line in _lines(source):
                if line is None:
                    notice(f"a message of the {name} was longer than {LONGEST_LINE} bytes, and was left out")
                elif line.strip():
                    outgoing = judge(line)
                    self._to_server.write(outgoing.to_server)
                    if not self._to_client.write(outgoing.to_client):
                        break  # the client is gone
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may pass without the gate
            self._failed = True
            self._child.kill()
            notice(f"the gateway failed with {type(error).__name__}")
            return
        if name == "client" or self._to_client.is_closed:
            self._end_server()

    def _end_server(self) -> None:
        """Nobody is there any more: the server is to end, at first by itself."""
        self._to_server.close()
        for delay, end in ((_GRACE, self._child.terminate), (2 * _GRACE, self._child.kill)):
            timer = threading.Timer(delay, end)
            timer.daemon = True
            timer.start()


class _Writer:
    """One end of a pipe that both directions may write to, a message at a time."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._lock = threading.Lock()
        self.is_closed = False

    def write(self, data: bytes) -> bool:
        """Write all of it; False if nobody reads there any more."""
        if not data:
            return not self.is_closed
        with self._lock:
            left = memoryview(data)
            while left and not self.is_closed:
                try:
                    left = left[os.write(self._handle, left) :]
                except BrokenPipeError:
                    self.is_closed = True
            return not self.is_closed

    def close(self) -> None:
        """Let the other side see the end. What is being written is written first."""
        with self._lock:
            if not self.is_closed:
                self.is_closed = True
                os.close(self._handle)


def _lines(source: int) -> Iterator[bytes | None]:
    """Every line without its end; None for one that is too long. An unended last line is no message."""
    parts: list[bytes] = []
    size = 0
    while chunk := os.read(source, _CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            parts.append(chunk[start:end])
            size += end - start
            yield b"".join(parts) if size <= LONGEST_LINE else None
            parts, size, start = [], 0, end + 1
        size += len(chunk) - start
        if size > LONGEST_LINE:
            parts.clear()
        else:
            parts.append(chunk[start:])


def _fd(pipe: Any) -> int:
    if pipe is None:
        raise AssertionError("the server was started with pipes")
    return int(pipe.fileno())
