"""LangChain agents behind the gate: what interrupts the graph, what goes on, and what the model is told."""

import asyncio
import itertools
import os
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
from framework_world import API_KEY, PLANTED, POLICY, STOLEN, BrokenGuard, FrameworkWorld, NumbGuard, together
from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import AfterValidator

from guardhouse.adapters.framework_calls import Withheld
from guardhouse.adapters.langchain import Guarded, requests_of, taken_up
from guardhouse.model import Decision, GuardhouseError

PAY = [("pay", {"amount": 5})]
THREAD = {"configurable": {"thread_id": "t1"}}
_ids = itertools.count(1)


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = FrameworkWorld(tmp_path, monkeypatch)
    yield place
    place.close()


class Script(BaseChatModel):
    """A model that gives these answers in turn: a text, or the calls that it wants, as `(tool, arguments)`. `told` is
    what it saw last."""

    answers: list[Any]
    told: list[Any] = []

    @classmethod
    def of(cls, *answers):
        return cls(answers=list(answers))

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_more):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_more):
        self.told[:] = messages
        said = self.answers[min(sum(isinstance(one, AIMessage) for one in messages), len(self.answers) - 1)]
        if isinstance(said, str):
            message = AIMessage(said)
        else:
            calls = [{"name": name, "args": given, "id": f"c{next(_ids)}"} for name, given in said]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    @property
    def returned(self):
        """What the model was told of its calls."""
        return [one.content for one in self.told if isinstance(one, ToolMessage)]


def agent_at(place, script, guard=None, tools=None, saver=None, **more):
    return create_agent(
        script,
        place.tools if tools is None else tools,
        middleware=[Guarded(guard or place.guard(), **more)],
        checkpointer=saver or InMemorySaver(),
    )


def ask(agent, text="Do it", thread=THREAD):
    return agent.invoke({"messages": [HumanMessage(text)]}, thread)


def go_on(agent, paused, thread=THREAD):
    return agent.invoke(taken_up(paused["__interrupt__"]), thread)


def test_a_hijacked_model_that_sends_data_away_is_denied_and_told_so(place):
    script = Script.of([("fetch_page", {"url": "https://docs.example/"})], [STOLEN], "I could not.")
    result = ask(agent_at(place, script), "Read the page")
    assert place.made == [("fetch_page", "https://docs.example/")]
    page, refusal = script.returned
    assert PLANTED in page
    assert page != PLANTED  # it is marked
    assert "non_allowlisted_domain" in refusal
    assert result["messages"][-1].content == "I could not."


def test_calls_of_one_answer_are_judged_each_by_itself(place):
    calls = [("look", {"at": "it"}), ("wipe", {"what": "all"}), *PAY, STOLEN, ("pay", {"amount": 7})]
    script = Script.of(calls, "done")
    agent = agent_at(place, script)
    paused = ask(agent)
    assert place.made == [("look", "it")]
    five, seven = requests_of(paused["__interrupt__"])
    place.says(five)
    place.says(seven, yes=False, comment="Too much.")
    result = go_on(agent, paused)
    assert result["messages"][-1].content == "done"
    assert place.made == [("look", "it"), ("pay", 5, "the shop")]
    looked, wiped, paid, sent, refused = script.returned
    assert looked == "saw it"
    assert "Nobody wipes here" in wiped
    assert "paid 5" in paid
    assert "non_allowlisted_domain" in sent
    assert "Too much." in refused


def test_a_question_interrupts_the_graph_and_a_yes_lets_it_go_on_once(place):
    script = Script.of(PAY, "done")
    agent = agent_at(place, script)
    paused = ask(agent)
    assert place.made == []
    [request] = requests_of(paused["__interrupt__"])
    assert place.pending() == [request]
    place.says(request)
    assert go_on(agent, paused)["messages"][-1].content == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_two_resumes_at_once_make_the_call_once(place):
    script = Script.of(PAY, "done")
    agent = agent_at(place, script)
    paused = ask(agent)
    place.says(*requests_of(paused["__interrupt__"]))
    came = together(lambda: go_on(agent, paused), times=4)
    assert place.made == [("pay", 5, "the shop")]
    assert place.pending() == []
    print(came)
