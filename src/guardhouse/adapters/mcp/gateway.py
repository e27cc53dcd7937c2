"""The gateway between one MCP client and one server: what each message means, and what may pass.

Calls, reads and answers are put to the gate as actions; everything else passes as the very bytes that came. It decides
nothing: what the gate does not allow is not passed on, and what can't be read is not either. Pipes and processes are
the relay's.
"""

from __future__ import annotations

from itertools import count
from os import urandom
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.adapters.mcp.announcing import Announcements
from guardhouse.adapters.mcp.answers import (
    CALL,
    CALL_PARTS,
    answer,
    codes,
    ended,
    is_ambiguous,
    masked_answer,
    masked_params,
    why_not,
    why_unseen,
    withheld,
)
from guardhouse.adapters.mcp.content import marked_error, marked_result
from guardhouse.adapters.mcp.messages import (
    INVALID_REQUEST,
    Message,
    Unreadable,
    encoded,
    error_answer,
    heads,
    read_message,
)
from guardhouse.adapters.mcp.names import whole_name
from guardhouse.adapters.mcp.requests import Requests, Waiting
from guardhouse.adapters.resources import kind_of_resource
from guardhouse.model import (
    DEFAULT_LIMITS,
    Decision,
    GuardhouseError,
    Limits,
    OutputPublish,
    PolicyError,
    ToolCallPost,
    ToolCallPre,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.guard import Guard
    from guardhouse.pins import PinStore

_JUDGED: Final = frozenset([CALL, "resources/read", "prompts/get", "tasks/result"])
"""Requests of a client whose answers a model reads."""
_GATED: Final = _JUDGED | {"tools/list"}
_LEAVING: Final = frozenset(["sampling/createMessage", "elicitation/create", "tasks/result"])
"""Requests of a server whose answers leave this machine's user for it."""
_QUIET: Final = frozenset(
    f"notifications/{name}"
    for name in ("tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated")
)
"""Notifications of a server that say nothing in words; `progress` and `cancelled` may."""
_MODES: Final = {"disabled": "the gate is switched off", "observe": "the gate only observes"}
_MOST_TASKS: Final = 4096


class Outgoing(NamedTuple):
    """What is to be written, and to whom."""

    to_server: bytes = b""
    to_client: bytes = b""


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
    ) -> None:
        self._guard = guard
        self._server = server
        self._named = {"session_id": session_id, "source": f"mcp:{server}"}
        self._notice = notice
        self._announced = Announcements(server, store, mask, notice)
        self._of_client = Requests()
        self._of_server = Requests()
        self._tasks: dict[str, ToolCallPre] = {}
        self._calls = f"mcp_{urandom(6).hex()}"
        self._numbers = count(1)
        self._mode = "enforce"

    # From the client

    def from_client(self, line: bytes) -> Outgoing:
        """What becomes of a line that the client sent."""
        try:
            message = read_message(line, self._limits)
        except Unreadable as error:
            return self._refused_line(line, error)
        if message.kind == "request":
            return self._request(message, line)
        if message.kind == "notification":
            return self._client_notification(message, line)
        return self._client_answer(message, line)

    def _refused_line(self, line: bytes, error: Unreadable) -> Outgoing:
        """Nothing of a line that can't be read is passed on; whoever waits for an answer is told."""
        self._notice(f"a message of the client was refused: {error}")
        to_client, to_server = [], []
        known = heads(line)
        for head in known:
            if head.asks:
                to_client.append(error_answer(head.id, f"Refused: {error}", INVALID_REQUEST))
            elif self._of_server.take(head.id) is not None:
                to_server.append(error_answer(head.id, "The client's answer could not be read."))
        if not known:
            to_client.append(error_answer(None, f"Refused: {error}", INVALID_REQUEST))
        return Outgoing(b"".join(to_server), b"".join(to_client))

    def _request(self, message: Message, line: bytes) -> Outgoing:
        method = message.method
        if not self._of_client.is_free(message.id):
            # The answer to the first one is still to come, so this one has no name to be answered by.
            return self._refusal(None, "Another request with the same id still waits.")
        if method not in _GATED:
            if method.strip().casefold() in _GATED:
                return self._refusal(message.id, "The method is written in a way that could be read as another one.")
            return self._passed(message, line, Waiting(method))
        if method == CALL:
            return self._call(message, line)
        if method == "tools/list":
            cursor = message.params.get("cursor")
            return self._passed(message, line, Waiting(method, cursor=cursor if isinstance(cursor, str) else None))
        if method == "tasks/result":
            task = message.params.get("taskId")
            known = self._tasks.get(task) if isinstance(task, str) else None
            call = known or ToolCallPre(tool=whole_name(self._server, method), params={}, **self._named)
            return self._passed(message, line, Waiting(method, call))
        return self._read(message, line)

    def _call(self, message: Message, line: bytes) -> Outgoing:
        """A tool call: judged, and passed on as it came, or as it was masked."""
        params = message.params
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if is_ambiguous(params, CALL_PARTS) or not isinstance(name, str) or not isinstance(arguments, dict):
            return self._refusal(message.id, "The call has parts that could be read in another way.")
        as_task = "task" in params
        if not self._announced.is_usable(name):
            text = "Blocked: this tool has no name that is its own, so it can't be called."
            return Outgoing(to_client=answer(message.id, text, as_tool=not as_task))
        call = ToolCallPre(
            tool=whole_name(self._server, name),
            params=arguments,
            call_id=self._call_id(),
            tool_digest=self._announced.digest(name),
            **self._named,
        )
        return self._judged(message, line, call, "arguments", as_tool=not as_task)

    def _read(self, message: Message, line: bytes) -> Outgoing:
        """A read of a resource or a prompt: judged by what it names."""
        name = whole_name(self._server, message.method)
        key = "uri" if message.method == "resources/read" else "name"
        named = message.params.get(key)
        if is_ambiguous(message.params, frozenset([key, "arguments", "_meta"])) or not isinstance(named, str):
            return self._refusal(message.id, "The request has parts that could be read in another way.")
        if key == "uri":
            params = {kind_of_resource(named): named}
        else:
            params = {part: value for part, value in message.params.items() if part != "_meta"}
        call = ToolCallPre(tool=name, params=params, call_id=self._call_id(), **self._named)
        return self._judged(message, line, call, "", as_tool=False)

    def _judged(self, message: Message, line: bytes, call: ToolCallPre, masks: str, *, as_tool: bool) -> Outgoing:
        """A request once the gate has spoken. `masks` is the part of it that was judged and may be passed on masked."""
        verdict = self._guard.evaluate(call)
        self._show_mode(verdict)
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and verdict.params is not None and masks:
            body = {**message.body, "params": {**message.params, masks: verdict.params}}
            return self._passed(message, encoded(body), Waiting(message.method, call, verdict))
        if verdict.decision is Decision.ALLOW:
            return self._passed(message, line, Waiting(message.method, call, verdict))
        text = why_not(verdict)
        return Outgoing(to_client=answer(message.id, text, as_tool=as_tool))

    def _passed(self, message: Message, line: bytes, waiting: Waiting) -> Outgoing:
        if self._of_client.add(message.id, waiting):
            return Outgoing(to_server=ended(line))
        self._abort(waiting)
        return self._refusal(message.id, "Too many requests wait for an answer.")

    def _client_notification(self, message: Message, line: bytes) -> Outgoing:
        folded = message.method.strip().casefold()
        if folded in _GATED:
            self._notice(f"a {folded} without an id was refused: nobody could be told what became of it")
            return Outgoing()
        if message.method == "notifications/cancelled":
            self._abort(self._of_client.cancel(message.params.get("requestId")))
        return Outgoing(to_server=ended(line))

    def _client_answer(self, message: Message, line: bytes) -> Outgoing:
        """The client's answer to a request of the server: what leaves is judged as something that is published."""
        asked = self._of_server.take(message.id)
        if asked is None:
            self._notice("an answer of the client to something that was not asked was left out")
            return Outgoing()
        if asked.method not in _LEAVING:
            return Outgoing(to_server=ended(line))
        content = message.body[message.kind]
        action = OutputPublish(content=content, channel=f"mcp:{self._server}", **self._named)
        verdict = self._guard.evaluate(action)
        if verdict.decision is Decision.ALLOW:
            return Outgoing(to_server=ended(line))
        masked = masked_answer(verdict, message)
        if masked is not None:
            return Outgoing(to_server=encoded(masked))
        self._notice(f"an answer to {asked.method} is withheld from the server: {codes(verdict)}")
        return Outgoing(to_server=error_answer(message.id, "The answer is withheld."))

    # From the server

    def from_server(self, line: bytes) -> Outgoing:
        """What becomes of a line that the server sent."""
        try:
            message = read_message(line, self._limits)
        except Unreadable as error:
            return self._unread_line(line, error)
        if message.kind == "request":
            return self._server_request(message, line)
        if message.kind == "notification":
            return self._server_notification(message, line)
        return self._server_answer(message, line)

    def _unread_line(self, line: bytes, error: Unreadable) -> Outgoing:
        """Nothing of a line that can't be read is passed on; whoever waits for it is told that it is withheld."""
        self._notice(f"a message of the server was refused: {error}")
        to_client, to_server = [], []
        for head in heads(line):
            asked = None if head.asks else self._of_client.take(head.id)
            if head.asks:
                to_server.append(error_answer(head.id, f"Refused: {error}", INVALID_REQUEST))
            elif asked is not None:
                self._report(asked, raised=True)
                to_client.append(withheld(head.id, asked, f"The server's answer is withheld: {error}"))
        return Outgoing(b"".join(to_server), b"".join(to_client))

    def _server_request(self, message: Message, line: bytes) -> Outgoing:
        """A request of the server: what it says to a model, or to the user, may hold no secrets."""
        if not self._of_server.is_free(message.id):
            return Outgoing(to_server=error_answer(None, "Another request with the same id still waits."))
        if message.method in _LEAVING:
            verdict = self._judged_words(message)
            if verdict.decision is not Decision.ALLOW:
                masked = masked_params(verdict, message)
                if masked is None:
                    self._notice(f"a {message.method} of the server was refused: {codes(verdict)}")
                    return Outgoing(to_server=error_answer(message.id, "Refused."))
                line = encoded(masked)
        if not self._of_server.add(message.id, Waiting(message.method)):
            return Outgoing(to_server=error_answer(message.id, "Too many requests wait for an answer."))
        return Outgoing(to_client=ended(line))

    def _server_notification(self, message: Message, line: bytes) -> Outgoing:
        params = message.params
        wordless = message.method in _QUIET or not params
        wordless |= message.method == "notifications/progress" and "message" not in params
        wordless |= message.method == "notifications/cancelled" and "reason" not in params
        if message.method == "notifications/cancelled":
            self._of_server.cancel(params.get("requestId"))
        if wordless:
            return Outgoing(to_client=ended(line))
        verdict = self._judged_words(message)
        if verdict.decision is Decision.ALLOW:
            return Outgoing(to_client=ended(line))
        masked = masked_params(verdict, message)
        if masked is not None:
            return Outgoing(to_client=encoded(masked))
        self._notice(f"a notification of the server is withheld: {codes(verdict)}")
        return Outgoing()

    def _judged_words(self, message: Message) -> Verdict:
        tool = whole_name(self._server, message.method)[:256]
        return self._guard.evaluate(ToolCallPost(tool=tool, content=message.params, **self._named))

    def _server_answer(self, message: Message, line: bytes) -> Outgoing:
        asked = self._of_client.take(message.id)
        if asked is None:
            self._notice("an answer of the server to something that was not asked was left out")
            return Outgoing()
        if asked.method == "tools/list" and message.kind == "result":
            return self._listed(message, line, asked)
        if asked.method not in _JUDGED and message.kind == "result":
            return Outgoing(to_client=ended(line))
        body = message.body[message.kind]
        call = asked.call or ToolCallPre(tool=whole_name(self._server, asked.method)[:256], params={}, **self._named)
        self._note_task(body, call)
        post = ToolCallPost(
            tool=call.tool, content=body, call_id=call.call_id, tool_digest=call.tool_digest, **self._named
        )
        if asked.verdict is not None:
            raised = message.kind == "error" or body.get("isError") is True
            verdict = self._guard.evaluate_result(post, asked.verdict, raised=raised)
        else:
            verdict = self._guard.evaluate(post)
        self._show_mode(verdict)
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(verdict.content, dict):
            body = verdict.content
        elif verdict.decision is not Decision.ALLOW:
            return Outgoing(to_client=withheld(message.id, asked, why_unseen(verdict)))
        if verdict.untrusted and asked.method in _JUDGED:
            failed = message.kind == "error"
            body = marked_error(body, call.tool) if failed else marked_result(asked.method, body, call.tool)
        if body is message.body[message.kind]:
            return Outgoing(to_client=ended(line))
        return Outgoing(to_client=encoded({**message.body, message.kind: body}))

    def _listed(self, message: Message, line: bytes, asked: Waiting) -> Outgoing:
        """A list of tools: seen only once it is pinned."""
        result = message.body["result"]
        try:
            shown = self._announced.take(result, asked.cursor)
        except GuardhouseError as error:
            self._notice(f"the list of tools is withheld: {error}")
            return Outgoing(to_client=error_answer(message.id, "The list of tools is withheld: it can't be pinned."))
        if shown is result:
            return Outgoing(to_client=ended(line))
        return Outgoing(to_client=encoded({**message.body, "result": shown}))

    # Beside the way of a message

    def close(self) -> None:
        """Record of every call without an answer that nobody will get one."""
        for waiting in self._of_client.give_up():
            self._abort(waiting)

    def _abort(self, waiting: Waiting | None) -> None:
        if waiting is not None and waiting.call is not None and waiting.verdict is not None:
            unrecorded = self._guard.report(waiting.call, waiting.verdict, "aborted", "stopped")
            if unrecorded is not None:
                self._notice(f"that a call has no answer could not be recorded: {codes(unrecorded)}")

    def _report(self, asked: Waiting, *, raised: bool) -> Verdict | None:
        """Record that a call was made; the verdict on its result, if that can't be done."""
        if asked.call is None or asked.verdict is None:
            return None
        return self._guard.report(asked.call, asked.verdict, "executed", "raised" if raised else "")

    def _note_task(self, body: dict[str, Any], call: ToolCallPre) -> None:
        """A call whose result is to be fetched later: it is still that call's result."""
        task = body.get("task")
        number = task.get("taskId") if isinstance(task, dict) else None
        if isinstance(number, str):
            if len(self._tasks) >= _MOST_TASKS:
                self._tasks.pop(next(iter(self._tasks)))
            self._tasks[number] = call

    def _refusal(self, number: Id | None, text: str) -> Outgoing:
        self._notice(f"a request of the client was refused: {text}")
        return Outgoing(to_client=error_answer(number, f"Refused: {text}", INVALID_REQUEST))

    def _call_id(self) -> str:
        return f"{self._calls}.{next(self._numbers)}"

    def _show_mode(self, verdict: Verdict) -> None:
        """Say so when the gate does not enforce, and when it does so again."""
        if verdict.mode != self._mode:
            self._mode = verdict.mode
            self._notice(_MODES.get(verdict.mode, "the gate enforces"))

    @property
    def _limits(self) -> Limits:
        try:
            return self._guard.limits
        except PolicyError:
            return DEFAULT_LIMITS  # the gate itself then denies, and says what is wrong with the policy
