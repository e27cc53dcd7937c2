"""One MCP server as a process of ours, spoken to over its standard input and output: requests, and their answers.

Lines are read as strictly as the gateway reads them. What the server asks for by itself (a model, a person, a
directory) it does not get. What an answer means, and whether anybody may see it, is not decided here.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from concurrent.futures import Future, InvalidStateError
from itertools import count
from typing import IO, TYPE_CHECKING, Any, Final

from guardhouse.adapters.mcp.heads import heads
from guardhouse.adapters.mcp.messages import Message, Unreadable, encoded, error_answer, read_message, without_halves
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from guardhouse.model import Limits

_NOT_OFFERED: Final = -32601
_LONGEST_LINE: Final = 64 * 1024 * 1024
_GRACE: Final = 2.0
"""Seconds that a server has to end by itself."""


class ServerTrouble(GuardhouseError):
    """A server can't be started, gave no answer, or one that can't be used."""


class ServerProcess:
    """A server that runs. Threads and tasks may ask it at the same time."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], limits: Limits, changed: Callable[[], None]
    ) -> None:
        """ServerTrouble if it can't be started. `changed` is called when the server says that its tools have."""
        try:
            self._child = subprocess.Popen(  # noqa: S603 - as the configuration says
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ServerTrouble(f"It can't be started ({type(error).__name__}).", fix="Check its command.") from None
        self._limits = limits
        self._changed = changed
        self._numbers = count(1)
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.is_over = False
        self._end = weakref.finalize(self, _ended, self._child)
        assert self._child.stdin is not None  # noqa: S101 - pipes, by how it was started
        assert self._child.stdout is not None  # noqa: S101
        _thread(_send, self._child.stdin, self._to_send, weakref.ref(self))
        _thread(_listen, self._child.stdout, weakref.ref(self))

    def ask(self, method: str, params: dict[str, Any]) -> tuple[int, Future[dict[str, Any]]]:
        """Send a request: its number, and its result to come. The future fails with ServerTrouble."""
        number, answer = next(self._numbers), Future[dict[str, Any]]()
        with self._lock:
            if self.is_over:
                raise ServerTrouble("It has ended.", fix="Try again: it is started anew.")
            self._waiting[number] = answer
        self._to_send.put(encoded({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number, answer

    def result(self, method: str, params: dict[str, Any], *, end: float) -> dict[str, Any]:
        """The result of a request; ServerTrouble if there is none until then, by the monotonic clock."""
        number, answer = self.ask(method, params)
        try:
            return answer.result(max(0.0, end - time.monotonic()))
        except TimeoutError:
            self.give_up(number)
            raise ServerTrouble("It does not answer.") from None

    def tell(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        self._to_send.put(encoded({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}))

    def give_up(self, number: int) -> None:
        """Wait no longer for an answer."""
        with self._lock:
            self._waiting.pop(number, None)
        self.tell("notifications/cancelled", {"requestId": number})

    def close_unless_alive(self, seconds: float) -> None:
        """End it if it does not even answer a ping."""
        try:
            number, answer = self.ask("ping", {})
            answer.exception(seconds)  # an error is an answer, too
        except TimeoutError:
            self.give_up(number)
            self.close()
        except ServerTrouble:
            return

    def close(self) -> None:
        """End it, with all that it has started in its process group."""
        self._fail_all("It was ended.")
        self._to_send.put(None)
        self._end()

    def _take(self, line: bytes) -> None:
        try:
            message = read_message(without_halves(line), self._limits)
        except Unreadable:
            for head in heads(line):
                if not head.asks:
                    self._settle(head.id, ServerTrouble("Its answer can't be read, or is too large."))
            return
        if message.kind == "request":
            self._refuse(message)
        elif message.kind == "notification":
            if message.method == "notifications/tools/list_changed":
                self._changed()
        elif message.kind == "result":
            self._settle(message.id, message.body["result"])
        else:
            self._settle(message.id, ServerTrouble(f"It answers with an error: {message.body['error']['message']}"))

    def _refuse(self, message: Message) -> None:
        if message.method == "ping":
            self._to_send.put(encoded({"jsonrpc": "2.0", "id": message.id, "result": {}}))
        else:
            self._to_send.put(error_answer(message.id, "This is not offered here.", _NOT_OFFERED))

    def _settle(self, number: int | str, came: dict[str, Any] | ServerTrouble) -> None:
        with self._lock:
            answer = self._waiting.pop(number, None) if isinstance(number, int) else None
        with contextlib.suppress(InvalidStateError):  # whoever waited may have gone
            if answer is not None and isinstance(came, ServerTrouble):
                answer.set_exception(came)
            elif answer is not None and isinstance(came, dict):
                answer.set_result(came)

    def _fail_all(self, why: str) -> None:
        with self._lock:
            self.is_over = True
            numbers = list(self._waiting)
        for number in numbers:
            self._settle(number, ServerTrouble(why))


def _thread(target: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _send(to_server: IO[bytes], lines: queue.SimpleQueue[bytes | None], known: weakref.ref[ServerProcess]) -> None:
    """Write lines until there are no more. A server that does not read holds up this thread and nobody else; one that
    can't be written to any more is of no use."""
    with contextlib.suppress(OSError, ValueError), to_server:
        while (line := lines.get()) is not None:
            to_server.write(line)
            to_server.flush()
        return
    process = known()
    if process is not None:
        process.close()


def _listen(from_server: IO[bytes], known: weakref.ref[ServerProcess]) -> None:
    """Read lines until the server ends, or is not wanted any more."""
    with contextlib.suppress(OSError, ValueError):
        while line := from_server.readline(_LONGEST_LINE):
            process = known()
            if process is None:
                return
            if not line.endswith(b"\n"):
                break  # it ended within a line, or the line does not end
            process._take(line.removesuffix(b"\n"))
            del process
    process = known()
    if process is not None:
        process._fail_all("It has ended.")
        process.close()


def _ended(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        _signal(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
    _signal(child.pid, signal.SIGKILL)
    child.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
