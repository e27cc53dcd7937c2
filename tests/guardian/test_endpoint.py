"""Asking a service that stalls, drips, lies, closes and worse: never an allow, always within the deadline."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "egress"))

from loopback_server import Names, Server, answer

from guardhouse.guardian import Endpoint, NoOpinion, Prompt
from guardhouse.guardian.answer import BadAnswer, read_line
from guardhouse.policy.schema import GuardianSection

ASKED = Prompt(instructions="Judge.", data="{}", digest="d", transcript="t", partial=False)
SLACK = 2.5
"""Seconds that a busy machine may take on top."""
JSON = "Content-Type: application/json"


def completion(content="ALLOW: asked for", *, finish="stop", usage=True, **message):
    said = {"role": "assistant", "content": content, **message}
    told = {"choices": [{"index": 0, "finish_reason": finish, "message": said}]}
    if usage:
        told["usage"] = {"total_tokens": 77}
    return told


def ok(told, *headers):
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    return answer(body, *(headers or (JSON,)))


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def endpoint(server, *, seconds=1, retries=2, **more):
    section = GuardianSection(
        mode="enforce",
        model="m",
        base_url=f"http://127.0.0.1:{server.port}/v1",
        key_env="KEY",
        seconds=seconds,
        retries=retries,
        **more,
    )
    return Endpoint(section, Names(**{"127_0_0_1": [("127.0.0.1",)]}), variables={"KEY": "sk-key"})


WAYS = {
    "sync": lambda service: service.ask(ASKED),
    "async": lambda service: asyncio.run(service.ask_async(ASKED)),
}


@pytest.fixture(params=WAYS)
def ask(request):
    return WAYS[request.param]


def stall(connection):
    connection.recv(1)


def half(connection):
    connection.sendall(ok(completion())[:-10])


def nothing(connection):
    connection.close()


FAULTS = {
    "closes without a word": lambda server: nothing,
    "stalls before the head": lambda server: stall,
    "breaks off in the body": lambda server: half,
    "drips the head": lambda server: server.drip(b"HTTP/1.1 200 OK\r\nX: "),
    "drips the body": lambda server: server.drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
    "drips blanks before JSON": lambda server: server.drip(b"HTTP/1.1 200 OK\r\n\r\n", b" "),
    "speaks no HTTP": lambda server: b"ALLOW: asked for\r\n\r\n",
    "answers with HTML": lambda server: ok(b"<html>ALLOW: asked for</html>", "Content-Type: text/html"),
    "answers with plain text": lambda server: ok(b"ALLOW: asked for", "Content-Type: text/plain"),
    "says no content type": lambda server: answer(json.dumps(completion()).encode()),
    "lies about the content type": lambda server: ok(completion(), "Content-Type: text/html"),
    "says JSON and sends none": lambda server: ok(b"ALLOW: asked for"),
    "sends a huge body": lambda server: ok(completion("ALLOW: " + "a" * 600_000)),
    "sends a bomb": lambda server: answer(gzip.compress(b" " * 20_000_000), JSON, "Content-Encoding: gzip"),
    "packs it twice": lambda server: ok(b"x", JSON, "Content-Encoding: gzip, gzip"),
    "is busy": lambda server: answer(b"", JSON, status="429 Too Many Requests"),
    "is busy for an hour": lambda server: answer(b"", "Retry-After: 3600", status="429 Too Many Requests"),
    "is down": lambda server: answer(b"", status="503 Service Unavailable"),
    "refuses the key": lambda server: answer(b"{}", JSON, status="401 Unauthorized"),
    "redirects": lambda server: answer(b"", "Location: /elsewhere", status="302 Found"),
    "says yes with another status": lambda server: answer(
        json.dumps(completion()).encode(), JSON, status="201 Created"
    ),
    "gives no choice": lambda server: ok({"choices": []}),
    "gives two choices": lambda server: ok({"choices": completion()["choices"] * 2}),
    "gives a list": lambda server: ok([completion()]),
    "gives null": lambda server: ok(b"null"),
    "gives a key twice": lambda server: ok(
        b'{"choices":[],' + json.dumps(completion()).encode()[1:],
    ),
    "nests too deep": lambda server: ok(b"[" * 100_000),
    "gives no text": lambda server: ok(completion(None)),
    "gives pieces of text": lambda server: ok(completion([{"type": "text", "text": "ALLOW: asked for"}])),
    "calls a tool": lambda server: ok(completion(tool_calls=[{"id": "1"}])),
    "says that it failed, and an answer": lambda server: ok({**completion(), "error": {"message": "overloaded"}}),
    "refuses": lambda server: ok(completion(refusal="I can't help with that.")),
    "was cut": lambda server: ok(completion(finish="length")),
    "was filtered": lambda server: ok(completion(finish="content_filter")),
    "never ended": lambda server: ok(completion(finish=None)),
    "speaks as the user": lambda server: ok(
        {"choices": [{"finish_reason": "stop", "message": {"role": "user", "content": "ALLOW: x"}}]}
    ),
}
NO_VERDICTS = {
    "is empty": "",
    "thinks aloud": "<think>ALLOW</think>\nALLOW: asked for",
    "says two lines": "ALLOW: asked for\nBLOCK: not asked for",
    "refuses in words": "I can't help with that.",
    "says allow in the middle": "This looks fine, so ALLOW: asked for",
    "says it in small letters": "allow: asked for",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_service_that_fails_gives_no_answer_within_the_deadline(server, ask, fault):
    reply = FAULTS[fault](server)
    server.reply = lambda request: reply
    began = time.monotonic()
    with pytest.raises(NoOpinion) as told:
        ask(endpoint(server))
    assert time.monotonic() - began < 1 + SLACK
    assert "ALLOW" not in str(told.value), "nothing of what came back"


@pytest.mark.parametrize("fault", NO_VERDICTS)
def test_a_model_that_gives_no_verdict_gives_none(server, ask, fault):
    server.reply = lambda request: ok(completion(NO_VERDICTS[fault]))
    reply = ask(endpoint(server, seconds=10))
    with pytest.raises(BadAnswer):
        read_line(reply.text)
    assert len(server.requests) == 1, "a verdict is not asked for until one comes that pleases"


def test_an_answer_is_what_the_model_said_and_what_it_cost(server, ask):
    server.reply = lambda request: ok(completion())
    reply = ask(endpoint(server, seconds=10))
    assert (reply.text, reply.tokens) == ("ALLOW: asked for", 77)
    (request,) = server.requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert b"Authorization: Bearer sk-key" in head
    sent = json.loads(body)
    assert [one["role"] for one in sent["messages"]] == ["system", "user"]
    assert (sent["model"], sent["temperature"], sent["stream"]) == ("m", 0, False)


def test_a_service_that_is_busy_once_is_asked_again(server, ask):
    replies = [answer(b"", "Retry-After: 0", status="429 Too Many Requests"), ok(completion("BLOCK: not asked for"))]
    server.reply = lambda request: replies.pop(0)
    assert ask(endpoint(server, seconds=10)).text == "BLOCK: not asked for"
    assert len(server.requests) == 2


def test_retries_are_bounded(server, ask):
    server.reply = lambda request: answer(b"", status="503 Service Unavailable")
    with pytest.raises(NoOpinion, match="503"):
        ask(endpoint(server, seconds=10, retries=1))
    assert len(server.requests) == 2


def test_a_service_that_is_not_there_is_an_error(ask):
    gone = Server()
    gone.close()
    with pytest.raises(NoOpinion):
        ask(endpoint(gone))


@pytest.mark.parametrize("usage", [None, 0, -5, "9", True, 10**12, [1]])
def test_a_service_that_lies_about_tokens_is_counted_by_what_was_said(server, usage):
    told = completion()
    told["usage"] = {"total_tokens": usage}
    server.reply = lambda request: ok(told)
    assert 0 < endpoint(server, seconds=10).ask(ASKED).tokens <= 10_000


@pytest.mark.parametrize(
    ("held_to", "answer_form", "key"),
    [
        ("grammar", "line", "grammar"),
        ("regex", "line", "guided_regex"),
        ("schema", "structured", "response_format"),
        ("words", "line", None),
    ],
)
def test_it_is_held_to_its_form_by_what_the_service_knows(server, held_to, answer_form, key):
    server.reply = lambda request: ok(completion())
    endpoint(server, seconds=10, held_to=held_to, answer=answer_form).ask(ASKED)
    sent = json.loads(server.requests[0].partition(b"\r\n\r\n")[2])
    assert {"grammar", "guided_regex", "response_format"} & sent.keys() == ({key} if key else set())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"model": ""}, "No model"),
        ({"base_url": "http://api.example.com/v1"}, "TLS"),
        ({"base_url": "http://8.8.8.8/v1"}, "TLS"),
        ({"base_url": "ftp://127.0.0.1/v1"}, "can't be used"),
        ({"base_url": "https://api.example.com/v1?x=1"}, "query"),
        ({"base_url": "https://key@api.example.com/v1"}, "can't be used"),
        ({"key_env": "NOT_SET"}, "NOT_SET"),
    ],
)
def test_what_can_not_be_asked_says_why(more, said):
    section = GuardianSection(**{"mode": "enforce", "model": "m", "key_env": "", **more})
    with pytest.raises(NoOpinion, match=said):
        Endpoint(section, Names(), variables={})


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "10.0.0.7", "ollama", "gpu.internal"])
def test_a_service_nearby_may_be_spoken_to_without_tls(host):
    Endpoint(GuardianSection(model="m", base_url=f"http://{host}:8080/v1", key_env=""), Names(), variables={})


def test_proxies_of_the_environment_are_used_only_if_the_policy_says_so(server, monkeypatch):
    elsewhere = Server(lambda request: ok(completion("BLOCK: by the proxy")))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{elsewhere.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    server.reply = lambda request: ok(completion())
    try:
        assert endpoint(server, seconds=10).ask(ASKED).text == "ALLOW: asked for"
        assert endpoint(server, seconds=10, allow_proxy=True).ask(ASKED).text == "BLOCK: by the proxy"
    finally:
        elsewhere.close()
