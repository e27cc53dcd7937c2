"""The web as tools of a run, against a real server on loopback."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from running import scripted, worked
from tooling import told

from guardhouse.opening import open_guard
from guardhouse.runs import RunStatus
from guardhouse.runs.tools.builtin import tools_of
from guardhouse.runs.tools.web import UrlFetch, WebSearch

sys.path.append(str(Path(__file__).parents[1] / "egress"))
from loopback_server import HERE, Names, Server, answer


@pytest.fixture
def page(machine):
    server = Server(lambda _request: answer(b"Opening hours: 9 to 5.", "Content-Type: text/plain"))
    network = {
        "default": {"allowed_domains": [f"a.example:{server.port}"], "deny_private_ips": False},
        "web_search": {"endpoint": f"http://a.example:{server.port}/search?q={{query}}", "deny_private_ips": False},
    }
    machine.configure(json.dumps({"guard": {"network": network}}))
    machine.resolver = Names(a_example=[HERE])
    yield server
    server.close()


def test_a_page_is_fetched_by_the_guarded_client_and_comes_back_as_untrusted(machine, page):
    [text] = told(machine, (UrlFetch(),), ("url_fetch", {"url": f"http://a.example:{page.port}/"}))
    assert "9 to 5" in text
    assert "⚠️" in text
    assert len(page.requests) == 1


def test_a_place_that_the_policy_does_not_know_is_not_reached(machine, page):
    [text] = told(machine, (UrlFetch(),), ("url_fetch", {"url": "http://b.example/"}), answers=False)
    assert "9 to 5" not in text
    assert page.requests == []


def test_a_search_asks_the_service_of_the_policy(machine, page):
    found = {"results": [{"title": "Hours", "url": "http://a.example/", "content": "9 to 5"}]}
    page.reply = lambda _request: answer(json.dumps(found).encode(), "Content-Type: application/json")
    [text] = told(machine, (WebSearch(),), ("web_search", {"query": "opening hours"}))
    assert "9 to 5" in text
    assert b"GET /search?q=opening%20hours " in page.requests[0]


def test_only_what_reads_may_be_repeated():
    tool = UrlFetch()
    assert tool.may_repeat({"url": "http://a.example/"})
    assert tool.may_repeat({"url": "http://a.example/", "method": "head"})
    assert not tool.may_repeat({"url": "http://a.example/", "method": "POST"})
    assert WebSearch().may_repeat({"query": "x"})


class Interrupted(UrlFetch):
    """Stops the process that works on the run when it is first called."""

    calls = 0

    async def work(self, params, errand):
        self.calls += 1
        if self.calls == 1:
            asyncio.current_task().cancel()
            await asyncio.sleep(0)
        return await super().work(params, errand)


@pytest.mark.parametrize(("method", "status"), [("GET", RunStatus.DONE), ("POST", RunStatus.WAITING)])
def test_a_request_that_may_have_been_sent_is_sent_again_only_if_it_reads(machine, page, method, status):
    params = {"url": f"http://a.example:{page.port}/", "method": method}
    runs = machine.runs(scripted(("url_fetch", params), "Done."), tools=(Interrupted(),))
    run = runs.start("Fetch http://a.example.", workspace=str(machine.project))
    with pytest.raises(asyncio.CancelledError):
        worked(runs, run.id)
    assert worked(runs, run.id).status is status
    assert len(page.requests) == (status is RunStatus.DONE)


def test_without_a_service_there_is_no_search(machine):
    with open_guard(cwd=machine.project, state_dir=machine.state) as guard:
        names = [tool.name for tool in tools_of(guard.policy.config.runs, guard)]
    assert names == [
        "url_fetch",
        "read_file",
        "write_file",
        "list_files",
        "bash",
        "memory_search",
        "memory_write",
        "delegate",
    ]
