"""What both directions of a gateway share: the gate, the requests that wait, and what is recorded of calls.

It reads and writes no message; what each side's messages mean is said in `client_side` and `server_side`.
"""

from __future__ import annotations

from itertools import count
from os import urandom
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.adapters.mcp.announcing import Announcements
from guardhouse.adapters.mcp.answers import codes
from guardhouse.adapters.mcp.names import request_name
from guardhouse.adapters.mcp.requests import Requests
from guardhouse.model import DEFAULT_LIMITS, Limits, PolicyError, ToolCallPost, ToolCallPre, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.adapters.mcp.requests import Waiting
    from guardhouse.guard import Guard
    from guardhouse.pins import PinStore

_MODES: Final = {"disabled": "the gate is switched off", "observe": "the gate only observes"}
_MOST_TASKS: Final = 4096


class Outgoing(NamedTuple):
    """What is to be written, and to whom."""

    to_server: bytes = b""
    to_client: bytes = b""


class Conversation:
    """One client, one server, one session. Both directions use it at the same time."""

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
        self.guard = guard
        self.server = server
        self.named: dict[str, Any] = {"session_id": session_id, "source": f"mcp:{server}", "principal": principal}
        self.notice = notice
        self.mask = mask
        self.announced = Announcements(server, store, mask, notice, offers)
        self.of_client = Requests()
        self.of_server = Requests()
        self._tasks: dict[str, ToolCallPre] = {}
        self._calls = f"mcp_{urandom(6).hex()}"
        self._numbers = count(1)
        self._mode = "enforce"

    def call_id(self) -> str:
        """A name for a call that no other call of any gateway has."""
        return f"{self._calls}.{next(self._numbers)}"

    def request(self, method: str) -> ToolCallPre:
        """A request of the protocol, as the gate knows it."""
        return ToolCallPre(tool=request_name(self.server, method), params={}, **self.named)

    def judged_words(self, method: str, content: dict[str, Any]) -> Verdict:
        """The gate's word on what the server says by itself."""
        return self.guard.evaluate(ToolCallPost(tool=request_name(self.server, method), content=content, **self.named))

    def show_mode(self, verdict: Verdict) -> None:
        """Say so when the gate does not enforce, and when it does so again."""
        if verdict.mode != self._mode:
            self._mode = verdict.mode
            self.notice(_MODES.get(verdict.mode, "the gate enforces"))

    def abort(self, waiting: Waiting | None) -> None:
        """Record that nobody will get an answer to a call."""
        if waiting is not None and waiting.call is not None and waiting.verdict is not None:
            unrecorded = self.guard.report(waiting.call, waiting.verdict, "aborted", "stopped")
            if unrecorded is not None:
                self.notice(f"that a call has no answer could not be recorded: {codes(unrecorded)}")

    def report_made(self, asked: Waiting) -> None:
        """Record that a call was made, and that nobody gets to see its result."""
        if asked.call is not None and asked.verdict is not None:
            unrecorded = self.guard.report(asked.call, asked.verdict, "executed", "raised")
            if unrecorded is not None:
                self.notice(f"that a call was made could not be recorded: {codes(unrecorded)}")

    def note_task(self, body: dict[str, Any], call: ToolCallPre) -> None:
        """A call whose result is to be fetched later: it is still that call's result."""
        task = body.get("task")
        number = task.get("taskId") if isinstance(task, dict) else None
        if isinstance(number, str):
            if len(self._tasks) >= _MOST_TASKS:
                self._tasks.pop(next(iter(self._tasks)))
            self._tasks[number] = call

    def call_of_task(self, number: object) -> ToolCallPre | None:
        """The call that a task does, if it is known."""
        return self._tasks.get(number) if isinstance(number, str) else None

    @property
    def limits(self) -> Limits:
        """What a message may be at most."""
        try:
            return self.guard.limits
        except PolicyError:
            return DEFAULT_LIMITS  # the gate itself then denies, and says what is wrong with the policy
