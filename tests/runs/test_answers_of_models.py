"""What a model's service may answer, and what comes of it: a real server on loopback that answers as it likes."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from guardhouse.opening import open_guard
from guardhouse.runs import RunStatus
from guardhouse.runs.opening import open_runs

CONFIG = """
guard:
  tools: {{look: {{capabilities: [reads]}}}}
  runs:
    model: {{name: x, base_url: "http://127.0.0.1:{port}/v1", key_env: "", retries: 0, seconds: {seconds}}}
"""


def answer(content=None, calls=()):
    wanted = [
        {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}} for name, arguments in calls
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": wanted} if wanted else {})}
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "x",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
    ).encode()


class Service:
    """`answers` are bytes, given in turn; or None: a byte now and then, for ever."""

    def __init__(self, *answers):
        self.bodies = []
        self.is_over = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                service.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                said = answers[min(len(service.bodies), len(answers)) - 1]
                self.send_response(200)
                self.send_header("content-type", "application/json")
                if said is not None:
                    self.send_header("content-length", str(len(said)))
                self.end_headers()
                try:
                    if said is not None:
                        self.wfile.write(said)
                    while said is None and not service.is_over.wait(0.05):
                        self.wfile.write(b" ")
                        self.wfile.flush()
                except OSError:
                    pass  # whoever asked is gone

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()


def told(service):
    """What the model was told of its calls."""
    return [message["content"] for message in service.bodies[-1]["messages"] if message["role"] == "tool"]


def worked(machine, service, *, seconds=20):
    machine.configure(CONFIG.format(port=service.port, seconds=seconds))
    with service, open_guard(cwd=machine.project, state_dir=machine.state) as guard:
        runs = open_runs(guard, tools=machine.tools())
        run = asyncio.run(runs.take_up(runs.start("Go on.").id))
        runs.close()
        return run


def test_an_answer_that_never_ends_is_given_up_after_its_time(machine):
    run = worked(machine, Service(None), seconds=1)
    assert (run.status, run.why) == (RunStatus.PAUSED, "model")


def test_an_answer_that_is_too_large_is_given_up(machine, monkeypatch):
    monkeypatch.setattr("guardhouse.runs.answering.MOST_BYTES", 1000)
    assert worked(machine, Service(answer("x" * 900))).why == "model"


@pytest.mark.parametrize("said", [b"", b"[]", b"{{{", b"null", answer("half a \ud83d")])
def test_what_is_no_answer_pauses_the_run(machine, said):
    run = worked(machine, Service(said))
    assert (run.status, run.why) == (RunStatus.PAUSED, "model")


@pytest.mark.parametrize(
    "arguments", ["nope", "[1]", '{"what": "a"', "{'what': 'a'}", '{"what": ' + "[" * 3000 + "]" * 3000 + "}"]
)
def test_arguments_that_can_not_be_read_are_told_to_the_model(machine, arguments):
    service = Service(answer(calls=[("look", arguments), ("look", '{"what": "roof"}')]), answer("Done."))
    assert worked(machine, service).status is RunStatus.DONE
    first, second = told(service)
    assert "arguments" in first
    assert second == "roof is fine"
    assert machine.made == [("look", "roof")]


def test_calls_with_one_id_are_told_apart(machine):
    service = Service(answer(calls=[("look", '{"what": "roof"}'), ("look", '{"what": "door"}')]), answer("Done."))
    assert worked(machine, service).status is RunStatus.DONE
    assert told(service) == ["roof is fine", "door is fine"]


def test_a_model_that_wants_what_there_is_not_is_told_so_more_than_once(machine):
    wrong = answer(calls=[("nothing", "{}")])
    service = Service(wrong, answer(""), wrong, answer(calls=[("look", '{"what": "roof"}')]), answer("Done."))
    assert worked(machine, service).status is RunStatus.DONE
    assert machine.made == [("look", "roof")]
