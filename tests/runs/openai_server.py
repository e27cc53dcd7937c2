"""A model's server on loopback that speaks OpenAI's protocol: `/v1/chat/completions`, streamed or not, with calls of
tools, and scripted answers.

An answer is a text, a list of `(tool, arguments)`, a `Say` with both, or an `int`: a status to fail with. Which one is
given depends on how often the model has answered in the conversation that it is shown, so a run that is resumed by
another process goes on in the script. An answer that fails is given as often as it is asked for.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Say:
    """What the model says, and the calls that it wants then."""

    text: str = ""
    calls: tuple = ()
    piece: int = 16
    """Characters that come at once in a stream."""
    pause: float = 0.0
    """Seconds between them."""
    held: threading.Event | None = None
    """Waited for before the last piece."""


class OpenAIServer:
    """Use it as a context manager; `base_url` is what a client is configured with."""

    def __init__(self, *answers, others=None):
        """`others` are scripts of other conversations, by a text in what the model is told first."""
        self.answers = [_said(one) for one in answers]
        self.others = {text: [_said(one) for one in script] for text, script in (others or {}).items()}
        self.requests: list[dict] = []
        """The bodies of the requests, as they came."""
        self.keys: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body):
        given = sum(message["role"] == "assistant" for message in body["messages"])
        task = next(json.dumps(message["content"]) for message in body["messages"] if message["role"] == "user")
        script = next((script for text, script in self.others.items() if text in task), self.answers)
        return script[min(given, len(script) - 1)]

    def told(self):
        """What the model was told of its calls, in the last request."""
        return [message["content"] for message in self.requests[-1]["messages"] if message["role"] == "tool"]


def _said(one):
    if isinstance(one, (Say, int)):
        return one
    return Say(text=one) if isinstance(one, str) else Say(calls=tuple(one))


def _handler(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path != "/v1/chat/completions":
                self._json(404, {"error": {"message": "no such thing"}})
                return
            server.requests.append(body)
            server.keys.append(self.headers.get("authorization", ""))
            said = server.answer(body)
            if isinstance(said, int):
                self._json(said, {"error": {"message": "scripted", "type": "scripted", "code": None}})
            elif body.get("stream"):
                self._stream(body, said)
            else:
                self._json(200, _whole(body, said))

        def _json(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, body, said):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for delta in _deltas(said):
                    self._event(_chunk(body, delta, None))
                self._event(_chunk(body, {}, "tool_calls" if said.calls else "stop"))
                self._event({**_chunk(body, {}, None), "choices": [], "usage": _USAGE})
                self.wfile.write(b"data: [DONE]\n\n")
            except OSError:
                pass  # whoever listened is gone

        def _event(self, value):
            self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
            self.wfile.flush()

    return Handler


_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def _deltas(said):
    yield {"role": "assistant", "content": ""}
    pieces = [said.text[at : at + said.piece] for at in range(0, len(said.text), said.piece)]
    for number, piece in enumerate(pieces, start=1):
        if number == len(pieces) and said.held is not None:
            said.held.wait(30)
        time.sleep(said.pause)
        yield {"content": piece}
    for index, call in enumerate(_calls(said)):
        yield {"tool_calls": [{"index": index, **call}]}


def _calls(said):
    return [
        {"id": f"call_{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        for number, (tool, arguments) in enumerate(said.calls)
    ]


def _chunk(body, delta, finish):
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _whole(body, said):
    message = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = _calls(said)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if said.calls else "stop"}],
        "usage": _USAGE,
    }
