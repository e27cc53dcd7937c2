"""What a client sends: calls and reads are put to the gate, answers to the server are judged as something published.

What may pass goes on as the very bytes that came, or as the gate masked it. Whoever is refused is told why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.adapters.mcp.answers import (
    CALL,
    CALL_PARTS,
    GATED,
    READ_PARTS,
    STAYING,
    TASKS,
    WORDLESS,
    answer,
    codes,
    ended,
    is_plain_task,
    is_quiet,
    masked_answer,
    masked_params,
    why_not,
)
from guardhouse.adapters.mcp.conversation import Conversation, Outgoing
from guardhouse.adapters.mcp.heads import heads
from guardhouse.adapters.mcp.messages import (
    INVALID_REQUEST,
    Message,
    Unreadable,
    encoded,
    error_answer,
    read_message,
)
from guardhouse.adapters.mcp.names import whole_name
from guardhouse.adapters.mcp.requests import Waiting
from guardhouse.adapters.resources import is_plain_address, kind_of_resource
from guardhouse.model import Decision, OutputPublish, ToolCallPre

if TYPE_CHECKING:
    from guardhouse.adapters.mcp.messages import Id
    from guardhouse.model import Verdict

_ODD_PARTS: Final = "The request has parts that it should not have, or that could be read in another way."


class ClientSide:
    """The direction from the client to the server."""

    def __init__(self, shared: Conversation) -> None:
        self._shared = shared
        self._server = shared.server
        self._guard = shared.guard

    def take(self, line: bytes) -> Outgoing:
        """What becomes of a line that the client sent."""
        try:
            message = read_message(line, self._shared.limits)
        except Unreadable as error:
            return self.refuse(line, str(error))
        if message.kind == "request":
            return self._request(message, line)
        if message.kind == "notification":
            return self._notification(message, line)
        return self._answer(message, line)

    def refuse(self, line: bytes, why: str) -> Outgoing:
        """Nothing of a line that can't be read is passed on; whoever waits for an answer is told."""
        self._shared.notice(f"a message of the client was refused: {why}")
        to_client, to_server = [], []
        known = heads(line)
        for head in known:
            if head.asks:
                to_client.append(error_answer(head.id, f"Refused: {why}", INVALID_REQUEST))
            elif self._shared.of_server.take(head.id) is not None:
                to_server.append(error_answer(head.id, "The client's answer could not be read."))
        if not known:
            to_client.append(error_answer(None, f"Refused: {why}", INVALID_REQUEST))
        return Outgoing(b"".join(to_server), b"".join(to_client))

    def _request(self, message: Message, line: bytes) -> Outgoing:
        method = message.method
        if not self._shared.of_client.is_free(message.id):
            # The answer to the first one is still to come, so this one has no name to be answered by.
            return self._refusal(None, "Another request with the same id still waits.")
        if method not in GATED:
            if method.strip().casefold() in GATED:
                return self._refusal(message.id, "The method is written in a way that could be read as another one.")
            return self._other(message, line)
        if method == CALL:
            return self._call(message, line)
        if method == "tools/list":
            cursor = message.params.get("cursor")
            listing = self._shared.announced.asked(cursor if isinstance(cursor, str) else None)
            return self._passed(message, line, Waiting(method, listing=listing))
        if method in TASKS:
            call = self._shared.call_of_task(message.params.get("taskId")) or self._shared.request(method)
            return self._passed(message, line, Waiting(method, call))
        return self._read(message, line)

    def _other(self, message: Message, line: bytes) -> Outgoing:
        """Any other request: what it says leaves for the server."""
        said = self._said(message, WORDLESS.get(message.method, frozenset()))
        if said is None:
            return self._refusal(message.id, "What it says may not be sent.")
        return self._passed(message, encoded(said) if said is not message.body else line, Waiting(message.method))

    def _said(self, message: Message, wordless: frozenset[str]) -> dict[str, Any] | None:
        """A message as it may leave: itself, or masked; None if it may not."""
        if wordless.issuperset(message.params):
            return message.body
        verdict = self._published(message.params)
        if verdict.decision is Decision.ALLOW:
            return message.body
        masked = masked_params(verdict, message)
        if masked is None:
            self._shared.notice(f"a {message.method} of the client was refused: {codes(verdict)}")
        return masked

    def _call(self, message: Message, line: bytes) -> Outgoing:
        """A tool call: judged, and passed on as it came, or as it was masked."""
        params = message.params
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not CALL_PARTS.issuperset(params) or not isinstance(name, str) or not isinstance(arguments, dict):
            return self._refusal(message.id, _ODD_PARTS)
        if not is_plain_task(params.get("task", {})):
            return self._refusal(message.id, "What the call says of its task is not what the protocol knows.")
        as_tool = "task" not in params
        if not self._shared.announced.is_usable(name):
            text = "Blocked: this tool has no name that is its own, so it can't be called."
            return Outgoing(to_client=answer(message.id, text, as_tool=as_tool))
        if not self._shared.announced.offers(name):
            return Outgoing(to_client=answer(message.id, "Blocked: this tool is not offered here.", as_tool=as_tool))
        call = ToolCallPre(
            tool=whole_name(self._server, name),
            params=arguments,
            call_id=self._shared.call_id(),
            tool_digest=self._shared.announced.digest(name),
            **self._shared.named,
        )
        return self._judged(message, line, call, "arguments", as_tool=as_tool)

    def _read(self, message: Message, line: bytes) -> Outgoing:
        """A read of a resource or a prompt: judged by what it names."""
        key = "uri" if message.method == "resources/read" else "name"
        named = message.params.get(key)
        if not READ_PARTS[key].issuperset(message.params) or not isinstance(named, str):
            return self._refusal(message.id, _ODD_PARTS)
        if key == "uri":
            if not is_plain_address(named):
                return self._refusal(message.id, "The address is too long, or has blanks or control characters in it.")
            params: dict[str, Any] = {kind_of_resource(named): named}
        else:
            params = {part: value for part, value in message.params.items() if part != "_meta"}
        name = whole_name(self._server, message.method)
        call = ToolCallPre(tool=name, params=params, call_id=self._shared.call_id(), **self._shared.named)
        return self._judged(message, line, call, "", as_tool=False)

    def _judged(self, message: Message, line: bytes, call: ToolCallPre, masks: str, *, as_tool: bool) -> Outgoing:
        """A request once the gate has spoken. `masks` is the part of it that was judged and may be passed on masked."""
        beside = self._judged_beside(message)
        if beside is None:
            text = "Blocked: what stands beside the arguments (`_meta`) may not be sent."
            return Outgoing(to_client=answer(message.id, text, as_tool=as_tool))
        verdict = self._guard.evaluate(call)
        self._shared.show_mode(verdict)
        changed = beside
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and verdict.params is not None and masks:
            changed = {**beside, masks: verdict.params}
            call = msgspec.structs.replace(call, params=verdict.params)  # what the server will have been given
        elif verdict.decision is not Decision.ALLOW:
            return Outgoing(to_client=answer(message.id, why_not(verdict), as_tool=as_tool))
        if changed:
            line = encoded({**message.body, "params": {**message.params, **changed}})
        return self._passed(message, line, Waiting(message.method, call, verdict))

    def _judged_beside(self, message: Message) -> dict[str, Any] | None:
        """What is to be sent otherwise of the parts that are no arguments; None if they may not be sent.

        They leave for the server without being part of the call that a person approves: clients put numbers there that
        differ from call to call, and the identical call must go through once it is approved.
        """
        meta = message.params.get("_meta", {})
        if not isinstance(meta, dict):
            return None
        if all(key == "progressToken" and type(value) is int for key, value in meta.items()):
            return {}
        verdict = self._published(meta)
        if verdict.decision is Decision.ALLOW:
            return {}
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(verdict.content, dict):
            return {"_meta": verdict.content}
        self._shared.notice(f"a request is refused for its `_meta`: {codes(verdict)}")
        return None

    def _published(self, content: dict[str, Any]) -> Verdict:
        action = OutputPublish(content=content, channel=f"mcp:{self._server}", **self._shared.named)
        return self._guard.evaluate(action)

    def _passed(self, message: Message, line: bytes, waiting: Waiting) -> Outgoing:
        if self._shared.of_client.add(message.id, waiting):
            return Outgoing(to_server=ended(line))
        self._shared.abort(waiting)
        return self._refusal(message.id, "Too many requests wait for an answer.")

    def _notification(self, message: Message, line: bytes) -> Outgoing:
        folded = message.method.strip().casefold()
        if folded in GATED:
            self._shared.notice(f"a {folded} without an id was refused: nobody could be told what became of it")
            return Outgoing()
        if message.method == "notifications/cancelled":
            self._shared.abort(self._shared.of_client.cancel(message.params.get("requestId")))
        if is_quiet(message):
            return Outgoing(to_server=ended(line))
        said = self._said(message, frozenset())
        if said is None:
            return Outgoing()
        return Outgoing(to_server=encoded(said) if said is not message.body else ended(line))

    def _answer(self, message: Message, line: bytes) -> Outgoing:
        """The client's answer to a request of the server: what leaves is judged as something that is published."""
        asked = self._shared.of_server.take(message.id)
        if asked is None:
            self._shared.notice("an answer of the client to something that was not asked was left out")
            return Outgoing()
        if asked.method in STAYING and not self._shared.of_server.has_forgotten:
            return Outgoing(to_server=ended(line))
        verdict = self._published(message.body[message.kind])
        if verdict.decision is Decision.ALLOW:
            return Outgoing(to_server=ended(line))
        masked = masked_answer(verdict, message)
        if masked is not None:
            return Outgoing(to_server=encoded(masked))
        self._shared.notice(f"an answer to {asked.method} is withheld from the server: {codes(verdict)}")
        return Outgoing(to_server=error_answer(message.id, "The answer is withheld."))

    def _refusal(self, number: Id | None, text: str) -> Outgoing:
        self._shared.notice(f"a request of the client was refused: {text}")
        return Outgoing(to_client=error_answer(number, f"Refused: {text}", INVALID_REQUEST))
