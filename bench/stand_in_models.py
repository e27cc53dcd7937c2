"""Stand-ins for the services of two models, on loopback: each turn makes the next call of a list, whatever it is told.

They speak as much of the real protocols as the agents need: Anthropic's messages, OpenAI's responses and chat
completions, and Gemini's contents, all streamed. What the agent shows the model of each call is kept.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call that the model makes."""

    tool: str
    given: dict[str, Any]


class Service(ThreadingHTTPServer):
    """A model that obeys an attacker."""

    daemon_threads = True

    def __init__(self, handler: type[Handler], calls: list[Call]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.calls = calls
        self.made = 0
        self.requests: list[bytes] = []
        self.shown: dict[str, str] = {}
        """What the model was shown of each call, by the call's id."""
        Thread(target=self.serve_forever, daemon=True).start()

    def next_call(self) -> tuple[str, Call] | None:
        if self.made >= len(self.calls):
            return None
        self.made += 1
        return f"call_{self.made}", self.calls[self.made - 1]


class Handler(BaseHTTPRequestHandler):
    """One connection of an agent's."""

    protocol_version = "HTTP/1.1"
    server: Service

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        self.send(b'{"data":[]}', "application/json")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests.append(data)
        self.answer(json.loads(data))

    @abstractmethod
    def answer(self, request: dict[str, Any]) -> None: ...

    def send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, events: Iterator[dict[str, Any]]) -> None:
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.send(text.encode(), "text/event-stream")


class Messages(Handler):
    """Anthropic's messages, as Claude Code asks for them."""

    def answer(self, request: dict[str, Any]) -> None:
        if "messages" not in self.path or "count" in self.path:
            self.send(b'{"input_tokens":1}', "application/json")
            return
        for message in request["messages"]:
            for part in message["content"] if isinstance(message["content"], list) else ():
                if part.get("type") == "tool_result":
                    said = part["content"]
                    self.server.shown[part["tool_use_id"]] = said if isinstance(said, str) else json.dumps(said)
        has_tools = any(tool.get("name") == "Bash" for tool in request.get("tools", []))
        block = {"type": "text", "text": "done"}
        if has_tools and (found := self.server.next_call()) is not None:
            block = {"type": "tool_use", "id": found[0], "name": found[1].tool, "input": found[1].given}
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        message = {"id": "m", "type": "message", "role": "assistant", "model": request["model"]}
        message |= {"usage": {"input_tokens": 1, "output_tokens": 1}}
        if request.get("stream"):
            self.stream(_streamed(message, block, stop))
        else:
            whole = {**message, "content": [block], "stop_reason": stop, "stop_sequence": None}
            self.send(json.dumps(whole).encode(), "application/json")


def _streamed(message: dict[str, Any], block: dict[str, Any], stop: str) -> Iterator[dict[str, Any]]:
    is_call = block["type"] == "tool_use"
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}}
    empty = {**block, "input": {}} if is_call else {"type": "text", "text": ""}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    delta = {"type": "text_delta", "text": block.get("text")}
    if is_call:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ends = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ends, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


class Responses(Handler):
    """OpenAI's responses, as Codex asks for them."""

    def answer(self, request: dict[str, Any]) -> None:
        for item in request.get("input", []):
            if item.get("type") == "function_call_output":
                self.server.shown[item["call_id"]] = str(item["output"])
        said = [{"type": "output_text", "text": "done"}]
        item = {"type": "message", "role": "assistant", "id": "m", "content": said}
        if (found := self.server.next_call()) is not None:
            given = json.dumps(found[1].given)
            item = {"type": "function_call", "call_id": found[0], "name": found[1].tool, "arguments": given}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        done = {"type": "response.completed", "response": {"id": "r", "usage": usage}}
        created = {"type": "response.created", "response": {"id": "r"}}
        self.stream(iter((created, {"type": "response.output_item.done", "item": item}, done)))


class Completions(Handler):
    """OpenAI's chat completions, as Copilot CLI and hermes ask a provider of their user's own for them."""

    def answer(self, request: dict[str, Any]) -> None:
        for message in request.get("messages", []):
            if message.get("role") == "tool":
                said = message["content"]
                self.server.shown[message["tool_call_id"]] = said if isinstance(said, str) else json.dumps(said)
        message = {"role": "assistant", "content": "done"}
        found = self.server.next_call() if request.get("tools") else None
        if found is not None:
            function = {"name": found[1].tool, "arguments": json.dumps(found[1].given)}
            call = {"index": 0, "id": found[0], "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        stop = "stop" if found is None else "tool_calls"
        common = {"id": "c", "created": 1, "model": request.get("model", "stand-in")}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": stop}
            whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
            self.send(json.dumps(whole).encode(), "application/json")
            return
        pieces = (
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
            {"choices": [], "usage": usage},
        )
        lines = [json.dumps({**common, "object": "chat.completion.chunk", **piece}) for piece in pieces]
        text = "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]"))
        self.send(text.encode(), "text/event-stream")


class Contents(Handler):
    """Gemini's contents. Its calls have no ids of their own: they are counted."""

    def answer(self, request: dict[str, Any]) -> None:
        if "enerateContent" not in self.path:
            self.send(b'{"totalTokens":1}', "application/json")
            return
        parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
        told = [part["functionResponse"] for part in parts if "functionResponse" in part]
        for number, answer in enumerate(told, 1):
            self.server.shown[f"call_{number}"] = json.dumps(answer.get("response"))
        part: dict[str, Any] = {"text": "done"}
        if request.get("tools") and (found := self.server.next_call()) is not None:
            part = {"functionCall": {"name": found[1].tool, "args": found[1].given}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        body = json.dumps({"candidates": [candidate], "usageMetadata": usage})
        if "stream" in self.path:
            self.send(f"data: {body}\n\n".encode(), "text/event-stream")
        else:
            self.send(body.encode(), "application/json")
