"""A coding agent's calls before the guardian: each hook is a process of its own, and they share one session."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "egress"))

from loopback_server import Server, answer


@pytest.fixture
def service():
    def reply(_request):
        told = {"choices": [{"finish_reason": "stop", "message": {"content": server.verdict}}]}
        return answer(json.dumps(told).encode(), "Content-Type: application/json")

    server = Server(reply)
    server.verdict = "ALLOW: the user asked for it"
    yield server
    server.close()


def test_calls_of_a_tainted_session_are_looked_at(claude, service):
    url = f"http://127.0.0.1:{service.port}/v1"
    claude.configure(
        f"guard: {{guardian: {{mode: enforce, model: m, base_url: '{url}', key_env: ''}}, "
        "network: {default: {allowed_domains: [a.example], resolve_dns: false}}}"
    )
    write = {"file_path": str(claude.project / "notes.md"), "content": "cats"}
    claude.run(claude.event("UserPromptSubmit", prompt="Write notes.md about a.example", source="user"))
    assert claude.run(claude.call("Write", **write)).does == "goes on"
    assert service.requests == [], "nothing untrusted has come in"
    claude.run(claude.result("WebFetch", "A page about cats.", url="https://a.example/", prompt="what is it about"))
    assert claude.run(claude.call("Write", "call-2", **write)).does == "goes on"
    (request,) = service.requests
    body = json.loads(request.partition(b"\r\n\r\n")[2])
    shown = [json.loads(line) for line in body["messages"][1]["content"].split("\n")[1:-1]]
    assert ("user", "Write notes.md about a.example") in [(one["origin"], one.get("text")) for one in shown]
    assert "A page about cats." in json.dumps([one for one in shown if one["origin"] == "untrusted"])
    service.verdict = "BLOCK: nobody asked for a start-up file"
    other = {"file_path": str(claude.project / "other.md"), "content": "dogs"}
    assert claude.run(claude.call("Write", "call-3", **other)).does == "asks"
