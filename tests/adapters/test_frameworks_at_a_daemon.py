"""Agents of each framework whose guard is at a daemon: the same answers, and every yes is used once."""

import sys
from pathlib import Path

import pytest
from framework_world import POLICY, STOLEN, FrameworkWorld, together

sys.path[:0] = [str(Path(__file__).parents[1] / "server")]

import test_langchain_adapter as langchain  # noqa: E402
import test_openai_agents_adapter as openai_agents  # noqa: E402
import test_pydantic_ai_adapter as pydantic_ai  # noqa: E402
from daemon_process import DaemonProcess  # noqa: E402

from guardhouse.client import Connection, RemoteApprover, connect  # noqa: E402

PAY = [("pay", {"amount": 5})]


class PydanticAI:
    """One agent; `ask` and `go_on` give what it says and the requests that it waits for."""

    def __init__(self, place, guard, *answers):
        self.script = pydantic_ai.Script(*answers)
        self.agent = pydantic_ai.agent_at(place, self.script, guard=guard)

    def ask(self):
        self.paused = self.agent.run_sync("Do it")
        return self._told(self.paused)

    def go_on(self):
        return self._told(pydantic_ai.go_on(self.agent, self.paused))

    def _told(self, result):
        asks = not isinstance(result.output, str)
        return (None, list(pydantic_ai.requests_of(result.output).values())) if asks else (result.output, [])

    @property
    def returned(self):
        return self.script.returned


class LangChain:
    def __init__(self, place, guard, *answers):
        self.script = langchain.Script.of(*answers)
        self.agent = langchain.agent_at(place, self.script, guard=guard)

    def ask(self):
        self.paused = langchain.ask(self.agent)
        return self._told(self.paused)

    def go_on(self):
        return self._told(langchain.go_on(self.agent, self.paused))

    def _told(self, result):
        return result["messages"][-1].content, langchain.requests_of(result.get("__interrupt__", ()))

    @property
    def returned(self):
        return self.script.returned


class OpenAIAgents:
    def __init__(self, place, guard, *answers):
        self.model = openai_agents.scripted(*answers, "done")
        self.agent, self.guarded = openai_agents.agent_at(place, self.model, openai_agents.Guarded(guard))

    def ask(self):
        self.paused = openai_agents.run(self.agent, "Do it")
        return self._told(self.paused)

    def go_on(self):
        return self._told(openai_agents.go_on(self.agent, self.guarded, self.paused))

    def _told(self, result):
        return result.final_output, list(self.guarded.requests_of(result.interruptions).values())

    @property
    def returned(self):
        return openai_agents.returned(self.model)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    process = DaemonProcess(tmp_path_factory.mktemp("daemon"))
    process.configure(POLICY)
    yield process.start()
    process.stop()


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = FrameworkWorld(tmp_path, monkeypatch)
    yield place
    place.close()


@pytest.fixture(params=[PydanticAI, LangChain, OpenAIAgents])
def agent(request, daemon, place):
    """Makes an agent of a framework at the daemon."""
    with connect(daemon.url, daemon.token("agent"), state_dir=place.state) as guard:
        yield lambda *answers: request.param(place, guard, *answers)


@pytest.fixture
def person(daemon):
    connection = Connection(daemon.url, daemon.token("approver"))
    yield RemoteApprover(connection)
    connection.close()


def test_an_agent_at_a_daemon_is_denied_what_a_page_wants(agent, place):
    hijacked = agent([("fetch_page", {"url": "https://docs.example/"})], [STOLEN], "I could not.")
    assert hijacked.ask() == ("I could not.", [])
    assert place.made == [("fetch_page", "https://docs.example/")]
    assert "non_allowlisted_domain" in hijacked.returned[1]


def test_an_agent_at_a_daemon_asks_and_two_resumes_at_once_make_the_call_once(agent, place, person):
    pays = agent(PAY, "done", "done")
    _, [request] = pays.ask()
    assert place.made == []
    person.answer(request, approve=True)
    assert together(pays.go_on) == [("done", []), ("done", [])]
    assert place.made == [("pay", 5, "the shop")]


def test_a_no_at_a_daemon_reaches_the_model_in_the_persons_words(agent, place, person):
    pays = agent(PAY, "done")
    _, [request] = pays.ask()
    person.answer(request, approve=False, comment="Ask the treasurer.")
    assert pays.go_on() == ("done", [])
    assert "Ask the treasurer." in pays.returned[0]
    assert place.made == []


def test_a_daemon_that_is_gone_lets_no_tool_run(agent, place, tmp_path):
    own = DaemonProcess(tmp_path / "own")
    own.configure(POLICY)
    own.start()
    with connect(own.url, own.token("agent"), state_dir=place.state) as guard:
        looks = type(agent())(place, guard, [("look", {"at": "it"})], "done")
        own.kill()
        with pytest.raises(Exception, match=r"guard\.daemon_unreachable|tripwire"):
            looks.ask()
    assert place.made == []
