"""A model of no vendor's: a server on loopback that speaks OpenAI's protocol and does what the task says, and a count
of the calls that tools made. Both are in the process of the test, so they outlive a daemon that is killed."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ids = itertools.count(1)


def script(*answers) -> str:
    """A task that makes the model give these answers in turn: a text, or `(tool, arguments)`, or a list of such."""
    return "Do this: " + json.dumps(answers)


class ScriptedModel:
    """Started; `url` is where it is. `made` counts calls of tools, by `tool:argument`."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.made_at: dict[str, float] = {}
        self.asked = 0
        self.fails_with = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.path == "/made":
                    name = body.decode()
                    outer.made_at[name] = time.time()
                    outer.made[name] += 1
                    return self.answer(200, {})
                outer.asked += 1
                if outer.fails_with:
                    return self.answer(outer.fails_with, {"error": {"message": "no"}})
                return self.answer(200, outer.answer(json.loads(body)))

            def answer(self, status: int, told: dict) -> None:
                data = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 512

        self._server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.origin}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, asked: dict) -> dict:
        messages = asked["messages"]
        task = next(message["content"] for message in messages if message["role"] == "user")
        answers = json.loads(task.removeprefix("Do this: "))
        given = sum(message["role"] == "assistant" for message in messages)
        said = answers[min(given, len(answers) - 1)]
        message: dict = {"role": "assistant", "content": said if isinstance(said, str) else None}
        if not isinstance(said, str):
            calls = said if isinstance(said[0], list) else [said]
            message["tool_calls"] = [
                {"id": f"c{next(_ids)}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
                for tool, given in calls
            ]
        return {
            "id": f"m{next(_ids)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "scripted",
            "choices": [
                {"index": 0, "message": message, "finish_reason": "stop" if isinstance(said, str) else "tool_calls"}
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
