"""What a server sends: answers are judged as results, and so is what it says by itself; lists of tools are pinned.

What may pass goes on as the very bytes that came, unless the gate masked it or it must be marked as untrusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.adapters.mcp.answers import (
    CALL,
    INTRODUCED,
    UNMARKED,
    codes,
    ended,
    is_quiet,
    masked_params,
    why_unseen,
    withheld,
)
from guardhouse.adapters.mcp.content import marked_error, marked_result
from guardhouse.adapters.mcp.conversation import Conversation, Outgoing
from guardhouse.adapters.mcp.heads import heads
from guardhouse.adapters.mcp.messages import (
    INVALID_REQUEST,
    UNANSWERED,
    Message,
    Unreadable,
    encoded,
    error_answer,
    read_message,
    without_halves,
)
from guardhouse.adapters.mcp.requests import Waiting
from guardhouse.model import Decision, GuardhouseError, ToolCallPost

if TYPE_CHECKING:
    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.model import ToolCallPre, Verdict


class ServerSide:
    """The direction from the server to the client."""

    def __init__(self, shared: Conversation) -> None:
        self._shared = shared
        self._guard = shared.guard

    def take(self, line: bytes) -> Outgoing:
        """What becomes of a line that the server sent."""
        try:
            message, line = self._read(line)
        except Unreadable as error:
            return self.refuse(line, str(error))
        if message.kind == "request":
            return self._request(message, line)
        if message.kind == "notification":
            return self._notification(message, line)
        return self._answer(message, line)

    def _read(self, line: bytes) -> tuple[Message, bytes]:
        """The message, and the line that says it. Text that a server has cut in the middle of a character is common,
        so halves of surrogate pairs are replaced; whatever else can't be read is not mended."""
        try:
            return read_message(line, self._shared.limits), line
        except Unreadable:
            whole = without_halves(line)
            if whole == line:
                raise
            return read_message(whole, self._shared.limits), whole

    def refuse(self, line: bytes, why: str) -> Outgoing:
        """Nothing of a line that can't be read is passed on; whoever waits for it is told that it is withheld."""
        self._shared.notice(f"a message of the server was refused: {why}")
        to_client, to_server = [], []
        for head in heads(line):
            asked = None if head.asks else self._shared.of_client.take(head.id)
            if head.asks:
                to_server.append(error_answer(head.id, f"Refused: {why}", INVALID_REQUEST))
            elif asked is not None:
                self._shared.report_made(asked)
                to_client.append(withheld(head.id, asked, f"The server's answer is withheld: {why}"))
        return Outgoing(b"".join(to_server), b"".join(to_client))

    def lose(self, number: Id, why: str) -> Outgoing:
        """The server will not answer this any more: whoever still waits for it is told."""
        asked = self._shared.of_client.take(number)
        if asked is None or asked.cancelled:
            return Outgoing()
        self._shared.abort(asked)
        return Outgoing(to_client=error_answer(number, f"There is no answer: {why}", UNANSWERED))

    def _request(self, message: Message, line: bytes) -> Outgoing:
        """A request of the server: what it says to a model, or to the user, may hold no secrets."""
        if not self._shared.of_server.is_free(message.id):
            return Outgoing(to_server=error_answer(None, "Another request with the same id still waits."))
        if message.params:
            verdict = self._shared.judged_words(message.method, message.params)
            if verdict.decision is not Decision.ALLOW:
                masked = masked_params(verdict, message)
                if masked is None:
                    self._shared.notice(f"a {message.method} of the server was refused: {codes(verdict)}")
                    return Outgoing(to_server=error_answer(message.id, "Refused."))
                line = encoded(masked)
        if not self._shared.of_server.add(message.id, Waiting(message.method)):
            return Outgoing(to_server=error_answer(message.id, "Too many requests wait for an answer."))
        return Outgoing(to_client=ended(line))

    def _notification(self, message: Message, line: bytes) -> Outgoing:
        if message.method == "notifications/cancelled":
            self._shared.of_server.cancel(message.params.get("requestId"))
        if is_quiet(message):
            return Outgoing(to_client=ended(line))
        verdict = self._shared.judged_words(message.method, message.params)
        if verdict.decision is Decision.ALLOW:
            return Outgoing(to_client=ended(line))
        masked = masked_params(verdict, message)
        if masked is not None:
            return Outgoing(to_client=encoded(masked))
        self._shared.notice(f"a notification of the server is withheld: {codes(verdict)}")
        return Outgoing()

    def _answer(self, message: Message, line: bytes) -> Outgoing:
        asked = self._shared.of_client.take(message.id)
        if asked is None:
            self._shared.notice("an answer of the server to something that was not asked was left out")
            return Outgoing()
        if asked.method == "tools/list" and message.kind == "result":
            return self._listed(message, line, asked)
        if asked.method == "ping" and message.body.get("result") == {}:
            return Outgoing(to_client=ended(line))
        if asked.method in INTRODUCED and message.kind == "result":
            message, line = self._introduced(message, line)
        call = asked.call or self._shared.request(asked.method)
        verdict = self._judged(message, asked, call)
        body = message.body[message.kind]
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(verdict.content, dict):
            body = self._seen(message, asked, verdict.content) if verdict.condition else verdict.content
        elif verdict.decision is not Decision.ALLOW:
            return Outgoing(to_client=withheld(message.id, asked, why_unseen(verdict)))
        if verdict.wrapped is not None and message.kind == "error":
            body = marked_error(body, verdict.wrapped.around)
        elif verdict.wrapped is not None and asked.method not in UNMARKED:
            body = marked_result(asked.method, body, verdict.wrapped.around)
        if body is message.body[message.kind]:
            return Outgoing(to_client=ended(line))
        return Outgoing(to_client=encoded({**message.body, message.kind: body}))

    def _introduced(self, message: Message, line: bytes) -> tuple[Message, bytes]:
        """What a server says of itself when it begins, without instructions that are more than that."""
        shown = self._shared.announced.take_instructions(message.body["result"])
        if shown is message.body["result"]:
            return message, line
        body = {**message.body, "result": shown}
        return msgspec.structs.replace(message, body=body), encoded(body)

    def _seen(self, message: Message, asked: Waiting, seen: dict[str, Any]) -> dict[str, Any]:
        """What a person lets be seen of an answer, in the form of one."""
        from guardhouse.adapters.mcp.limited import limited_error, limited_result  # few answers are limited

        whole = message.body[message.kind]
        if message.kind == "error":
            return limited_error(whole, seen)
        named = asked.call.params.values() if asked.method == "resources/read" and asked.call is not None else ()
        return limited_result(whole, seen, next(iter(named), None), self._shared.mask)

    def _judged(self, message: Message, asked: Waiting, call: ToolCallPre) -> Verdict:
        """The gate's word on an answer: it is the result of the call that was asked for."""
        body = message.body[message.kind]
        if asked.method == CALL:
            self._shared.note_task(body, call)
        post = ToolCallPost(
            tool=call.tool,
            content=body,
            params=call.params,
            call_id=call.call_id,
            tool_digest=call.tool_digest,
            **self._shared.named,
        )
        if asked.verdict is not None:
            raised = message.kind == "error" or body.get("isError") is True
            verdict = self._guard.evaluate_result(post, asked.verdict, raised=raised)
        else:
            verdict = self._guard.evaluate(post)
        self._shared.show_mode(verdict)
        return verdict

    def _listed(self, message: Message, line: bytes, asked: Waiting) -> Outgoing:
        """A list of tools: seen only once it is pinned."""
        if asked.cancelled or asked.listing is None:
            # Nobody waits for it; taking it in would only replace what was announced since.
            self._shared.notice("an answer to a request for tools that was given up on was left out")
            return Outgoing()
        result = message.body["result"]
        try:
            shown = self._shared.announced.take(result, asked.listing)
        except GuardhouseError as error:
            self._shared.notice(f"the list of tools is withheld: {error}")
            return Outgoing(to_client=error_answer(message.id, "The list of tools is withheld: it can't be pinned."))
        if shown is result:
            return Outgoing(to_client=ended(line))
        return Outgoing(to_client=encoded({**message.body, "result": shown}))
