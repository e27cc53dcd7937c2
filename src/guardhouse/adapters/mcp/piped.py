"""A server that the gateway starts for a client that comes over HTTP, and speaks with over pipes.

What it says is put to the gateway, as everywhere. Writing happens in a thread of its own: a server that does not read
holds up nobody else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters.mcp.pipes import LONGEST_LINE, Messages, Writer, lines, own_end
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from guardhouse.adapters.mcp.gateway import Gateway

_GRACE: Final = 2.0
"""Seconds that a server has to end by itself, and then once it was told to."""
_MOST_WAITING: Final = LONGEST_LINE
"""Bytes that a server has not read."""


class PipedServer:
    """The server's end of one conversation. GuardhouseError if it can't be started.

    `to_client` writes to the client; `ended` is called once there will be no more, `failed` if the gateway itself
    fails.
    """

    def __init__(
        self,
        gateway: Gateway,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        to_client: Callable[[bytes], object],
        ended: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        try:
            self._child = subprocess.Popen(  # noqa: S603 - as the configuration says
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            what = f"The server can't be started ({type(error).__name__})."
            raise GuardhouseError(what, fix="Check its command.") from None
        self._gateway = gateway
        self._to_client = to_client
        self._ended = ended
        self._failed = failed
        self._writer = Writer(own_end(self._child.stdin))
        self._to_write: Messages[None] = Messages(_MOST_WAITING)
        for target in (self._write, self._read):
            threading.Thread(target=target, name="guardhouse-mcp", daemon=True).start()

    def send(self, data: bytes) -> None:
        """Send messages, one a line. GuardhouseError if the server has not read those before them."""
        if data and not self._to_write.add(data, None):
            raise GuardhouseError("The server does not read what it is sent.")

    def close(self) -> None:
        """End it, with all that it has started in its process group."""
        self._to_write.end()
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                self._child.wait(_GRACE)
                break
            except subprocess.TimeoutExpired:
                self._signal(number)
        self._signal(signal.SIGKILL)
        self._child.wait()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)

    def _write(self) -> None:
        while (taken := self._to_write.take()) is not None and self._writer.write(taken[0]):
            pass
        self._writer.close()

    def _read(self) -> None:
        gateway = self._gateway
        try:
            for line, is_whole in lines(_fd(self._child.stdout)):
                if not line.strip():
                    continue
                if is_whole:
                    outgoing = gateway.from_server(line)
                else:
                    outgoing = gateway.cut_from_server(line, f"It is longer than {LONGEST_LINE} bytes.")
                self._to_client(outgoing.to_client)
                self.send(outgoing.to_server)
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may pass without the gate
            self._failed(error)
        finally:
            self._ended()


def _fd(pipe: Any) -> int:
    if pipe is None:
        raise AssertionError("the server was started with pipes")
    return int(pipe.fileno())
