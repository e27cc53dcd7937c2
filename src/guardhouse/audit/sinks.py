"""Where events go besides the log: a line each on standard output, or a message to the system's log.

The log stays the authority. An event is copied once it is recorded there, and only as it was recorded: masked. A copy
that can't be made is an error, like an event that can't be recorded, and never takes long.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from guardhouse.audit.chain import event_bytes
from guardhouse.model import NO_FACTS, Decision, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from guardhouse.model import AuditEvent

SYSTEM_LOG: Final = "/var/run/syslog" if sys.platform == "darwin" else "/dev/log"
"""Where the system's log takes messages."""
LONGEST_MESSAGE: Final = 8000
"""Bytes of a message that every system's log takes whole."""

_STDOUT: Final = 1
_PATIENCE: Final = 2.0
"""Seconds that a copy may wait for whoever reads it."""
_PIECE: Final = 512
"""Bytes that a pipe takes without blocking once it says that it takes any (POSIX)."""
_FACILITY: Final = 10
"""`authpriv`: of security, and not for everybody."""
_WARNING, _INFORMATIONAL = 4, 6
_FIX: Final = "Until it can be, what would have to be recorded is denied: mend it, or take it out of `audit.sinks`."


class Sink(Protocol):
    """Takes copies of events. Safe to share between threads."""

    def copy(self, event: AuditEvent) -> None:
        """Pass an event on that was recorded; GuardhouseError if that fails."""
        ...

    def after_fork(self) -> None:
        """In a child process: what other threads held is nobody's any more."""
        ...


def open_sinks(names: Iterable[Literal["stdout", "syslog"]], *, stdout: bool) -> tuple[Sink, ...]:
    """The sinks that are configured. Without `stdout` that one is left out: a hook and a gateway speak there."""
    wanted = dict.fromkeys(names)
    made: list[Sink] = [SystemLogSink()] if "syslog" in wanted else []
    return (*made, StreamSink(_STDOUT)) if stdout and "stdout" in wanted else tuple(made)


class StreamSink:
    """One line of JSON for each event, to an open file such as standard output."""

    def __init__(self, handle: int, patience: float = _PATIENCE) -> None:
        self._handle = handle
        self._patience = patience
        self._is_cut = False
        """Whether the last line was not finished."""
        self.after_fork()

    def copy(self, event: AuditEvent) -> None:
        """Write the line, whole. Whoever reads too slowly gets no more until they have caught up."""
        line = event_bytes(event) + b"\n"
        with self._lock:
            try:
                self._write(b"\n" + line if self._is_cut else line)
            except OSError as error:
                why = error.strerror or "it takes too long"
                raise GuardhouseError(f"An event can't be written to standard output: {why}.", fix=_FIX) from None

    def after_fork(self) -> None:
        self._lock = threading.Lock()

    def _write(self, line: bytes) -> None:
        end = time.monotonic() + self._patience
        waiting = select.poll()
        waiting.register(self._handle, select.POLLOUT)
        left = memoryview(line)
        while left:
            if not waiting.poll(max(0.0, end - time.monotonic()) * 1000):
                raise TimeoutError
            left = left[os.write(self._handle, left[:_PIECE]) :]
            self._is_cut = bool(left)


class SystemLogSink:
    """A message of RFC 5424 for each event, to the system's log of this machine.

    A connection is made for each, so that nothing is held over a fork or over a restart of the log's service.
    """

    def __init__(self, path: str | None = None, patience: float = _PATIENCE) -> None:
        self._path = path or SYSTEM_LOG
        self._patience = patience

    def copy(self, event: AuditEvent) -> None:
        """Send the message. An event that is too long for one goes without its findings, reasons and facts."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as system_log:
                system_log.settimeout(self._patience)
                system_log.sendto(message(event), self._path)
        except OSError as error:
            why = error.strerror or "it takes too long"
            raise GuardhouseError(f"An event can't be sent to {self._path}: {why}.", fix=_FIX) from None

    def after_fork(self) -> None:
        """Nothing is held."""


def message(event: AuditEvent) -> bytes:
    """An event as a message of RFC 5424."""
    severity = _WARNING if event.decision is Decision.DENY else _INFORMATIONAL
    # No name of the machine: whoever takes messages from it knows.
    head = f"<{_FACILITY * 8 + severity}>1 {event.timestamp} - guardhouse {os.getpid()} {event.kind} - ".encode()
    data = event_bytes(event)
    if len(head) + len(data) > LONGEST_MESSAGE:
        detail = f"{event.detail}, cut".removeprefix(", ")
        data = event_bytes(replace(event, findings=(), reasons=(), facts=NO_FACTS, detail=detail))
    return (head + data)[:LONGEST_MESSAGE]
