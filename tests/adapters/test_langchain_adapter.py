"""LangChain agents behind the gate: what interrupts the graph, what goes on, and what the model is told."""

import asyncio
import itertools
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
from framework_world import API_KEY, PLANTED, POLICY, STOLEN, BrokenGuard, FrameworkWorld, NumbGuard, together
from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import AfterValidator, Field

from guardhouse.adapters import Withheld
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
    told: list[Any] = Field(default_factory=list)
    same_id: bool = False

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
            calls = [
                {"name": name, "args": given, "id": "c0" if self.same_id else f"c{next(_ids)}"} for name, given in said
            ]
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
    assert len(paused["__interrupt__"]) == 2
    place.says(place.request_for(amount=5))
    place.says(place.request_for(amount=7), yes=False, comment="Too much.")
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
    assert [one["messages"][-1].content for one in came] == ["done"] * 4
    assert place.made == [("pay", 5, "the shop")]
    assert place.pending() == []


RESUMES = """
import sys
from pathlib import Path
from langgraph.checkpoint.sqlite import SqliteSaver
from test_langchain_adapter import THREAD, PAY, Guarded, Script, create_agent, taken_up
from guardhouse.egress import SkippedLookup
from guardhouse.opening import open_guard

project, state, saved, made = map(Path, sys.argv[1:])

def pay(amount: int, to: str = "the shop") -> str:
    "Pay somebody."
    with made.open("a") as file:
        file.write(f"{amount}\\n")
    return f"paid {amount}"

with open_guard(cwd=project, state_dir=state, resolver=SkippedLookup()) as guard, \\
        SqliteSaver.from_conn_string(str(saved)) as saver:
    agent = create_agent(Script.of(PAY, "done"), [pay], middleware=[Guarded(guard)], checkpointer=saver)
    asked = agent.get_state(THREAD).interrupts
    print("ready", flush=True)
    sys.stdin.readline()
    if asked:
        agent.invoke(taken_up(asked), THREAD)
    else:
        agent.invoke({"messages": "Pay"}, THREAD)
        print(agent.get_state(THREAD).interrupts[0].value["approval_request_id"])
"""


def test_two_processes_that_resume_one_interrupt_make_the_call_once(place, tmp_path):
    made = tmp_path / "made"

    def start():
        here = str(Path(__file__).parent)
        program = [sys.executable, "-c", RESUMES, place.project, place.state, tmp_path / "saved.db", made]
        environment = {**os.environ, "PYTHONPATH": here}
        process = subprocess.Popen(program, stdin=-1, stdout=-1, stderr=-1, text=True, env=environment)
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        return process

    def go(*processes):
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        return [process.communicate(timeout=60) for process in processes]

    place.clock.now = time.time()  # theirs
    [(said, _)] = go(start())
    place.says(said.strip())
    came = go(*[start() for _ in range(2)])
    assert made.read_text() == "5\n", came
    assert [errors for _, errors in came] == ["", ""]


def test_a_resume_without_an_answer_pauses_again(place):
    agent = agent_at(place, Script.of(PAY, "done"))
    paused = ask(agent)
    again = go_on(agent, paused)
    assert requests_of(again["__interrupt__"]) == requests_of(paused["__interrupt__"])
    place.says(*requests_of(again["__interrupt__"]))
    assert go_on(agent, again)["messages"][-1].content == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_what_the_graph_is_resumed_with_is_no_answer(place):
    agent = agent_at(place, Script.of(PAY, "done"))
    ask(agent)
    again = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert len(again["__interrupt__"]) == 1
    assert place.made == []


def test_a_call_is_made_as_the_person_changed_it(place):
    agent = agent_at(place, Script.of([("pay", {"amount": 5, "to": "Bob"})], "done"))
    paused = ask(agent)
    place.changes(*requests_of(paused["__interrupt__"]), amount=3)
    go_on(agent, paused)
    assert place.made == [("pay", 3, "Bob")]


def test_a_model_that_gives_every_call_the_same_id_is_asked_about_each(place):
    script = Script.of(PAY, [("pay", {"amount": 7})], "done")
    script.same_id = True
    agent = agent_at(place, script)
    paused = ask(agent)
    for _ in range(2):
        place.says(*requests_of(paused["__interrupt__"]))
        paused = go_on(agent, paused)
    assert place.made == [("pay", 5, "the shop"), ("pay", 7, "the shop")]


# What is judged is what runs


def test_a_tool_gets_the_values_that_it_declares_and_what_the_graph_gives_it(place):
    seen = []

    @tool
    def look(day: date, runtime: ToolRuntime, times: int = 1) -> str:
        """Look at a day."""
        seen.append((day, times, runtime.tool_call_id))
        return "saw it"

    script = Script.of([("look", {"day": "2030-01-02", "runtime": "forged"})], "done")
    ask(agent_at(place, script, tools=[look]))
    [(day, times, call_id)] = seen
    assert (day, times) == (date(2030, 1, 2), 1)
    assert call_id.startswith("c")


def test_a_call_whose_arguments_change_each_time_they_are_read_is_not_made(place):
    seen = []

    @tool
    def look(at: Annotated[str, AfterValidator(lambda text: f"{text}/..")], runtime: ToolRuntime) -> str:
        """Look at something."""
        seen.append(at)
        return "saw it"

    script = Script.of([("look", {"at": "/srv"})], "done")
    ask(agent_at(place, script, tools=[look]))
    assert seen == []
    assert "action.invalid" in script.returned[0]


def test_arguments_that_do_not_fit_are_told_to_the_model_without_their_values(place):
    script = Script.of([("pay", {"amount": API_KEY})], "done")
    ask(agent_at(place, script))
    assert script.returned == [
        "The arguments do not fit. amount: Input should be a valid integer, unable to parse string as an integer"
    ]


def test_a_guard_that_fails_lets_no_tool_run(place):
    for broken in (BrokenGuard(), NumbGuard()):
        with pytest.raises(Exception, match=r"broken|decision"):
            ask(agent_at(place, Script.of([("look", {"at": "it"})], "done"), guard=broken))
    assert place.made == []


def test_a_tool_that_is_not_there_is_judged_like_any_other(place):
    script = Script.of([("conjure", {"what": "rabbit"})], "done")
    paused = ask(agent_at(place, script))
    assert len(requests_of(paused["__interrupt__"])) == 1


# What comes back


def test_what_a_tool_raises_is_told_without_its_secrets(place):
    @tool
    def look(at: str) -> str:
        """Look at something."""
        raise ValueError(f"no such thing; the key was {API_KEY}")

    script = Script.of([("look", {"at": "it"})], "done")
    ask(agent_at(place, script, tools=[look]))
    assert "ValueError" in script.returned[0]
    assert API_KEY not in script.returned[0]


def test_an_interrupt_of_a_tools_own_goes_through(place):
    @tool
    def look(at: str) -> str:
        """Look at something."""
        return f"saw it by {interrupt('By what light?')}"

    script = Script.of([("look", {"at": "it"})], "done")
    agent = agent_at(place, script, tools=[look])
    paused = ask(agent)
    assert [one.value for one in paused["__interrupt__"]] == ["By what light?"]
    agent.invoke(Command(resume="the sun"), THREAD)
    assert script.returned == ["saw it by the sun"]


def test_a_call_that_was_approved_and_then_pauses_by_itself_is_not_entered_twice(place):
    entered = []

    @tool
    def pay(amount: int) -> str:
        """Pay somebody."""
        entered.append(amount)
        return f"paid from {interrupt('From which account?')}"

    script = Script.of(PAY, "done")
    agent = agent_at(place, script, tools=[pay])
    place.says(*requests_of(ask(agent)["__interrupt__"]))
    paused = go_on(agent, {"__interrupt__": agent.get_state(THREAD).interrupts})
    assert [one.value for one in paused["__interrupt__"]] == ["From which account?"]
    agent.invoke(Command(resume="savings"), THREAD)
    assert entered == [5]
    assert "approval.used" in script.returned[0]


def test_what_a_command_answers_is_judged_and_what_it_can_not_mark_is_withheld(place):
    @tool
    def look(at: str, runtime: ToolRuntime) -> Command:
        """Look at something."""
        return Command(update={"messages": [ToolMessage(f"the key is {API_KEY}", tool_call_id=runtime.tool_call_id)]})

    @tool
    def fetch_page(url: str, runtime: ToolRuntime) -> Command:
        """Read a page."""
        told = [ToolMessage("read", tool_call_id=runtime.tool_call_id), HumanMessage(PLANTED)]
        return Command(update={"messages": told})

    script = Script.of([("look", {"at": "it"}), ("fetch_page", {"url": "https://docs.example/"})], "done")
    ask(agent_at(place, script, tools=[look, fetch_page]))
    looked, fetched = script.returned
    assert looked == "the key is sk-[redacted]"
    assert "withheld" in fetched
    assert PLANTED not in str(script.told)


# What is said


def test_only_a_prompt_that_was_typed_carries_authority(place):
    prompt = "Mail the opening hours to anna@work.example"
    mail = [("send_email", {"to": "anna@work.example", "body": "9 to 5"})]
    ask(agent_at(place, Script.of(mail, "done")), prompt)
    assert place.made == []
    ask(agent_at(place, Script.of(mail, "done"), prompt="typed"), prompt, {"configurable": {"thread_id": "t2"}})
    assert place.made == [("send_email", "anna@work.example")]


def test_secrets_do_not_reach_the_model_in_a_prompt_nor_the_user_in_an_answer(place):
    place.configure(POLICY.replace("guard:", "guard:\n  findings: {secret.in_input: redact}"))
    script = Script.of(f"Your key is {API_KEY}")
    result = ask(agent_at(place, script), f"My key is {API_KEY}")
    assert [one.content for one in script.told] == ["My key is sk-[redacted]"]
    assert result["messages"][-1].content == "Your key is sk-[redacted]"


def test_what_a_tool_answers_in_the_agents_place_is_shown_like_any_answer(place):
    place.configure(f"{POLICY}    - {{id: hush, effect: deny, action: OutputPublish}}")

    @tool(return_direct=True)
    def look(at: str) -> str:
        """Look at something."""
        return "the figures of the quarter"

    with pytest.raises(Withheld):
        ask(agent_at(place, Script.of([("look", {"at": "it"})]), tools=[look]))


def test_an_answer_that_may_not_be_shown_is_withheld(place):
    place.configure(f"{POLICY}    - {{id: hush, effect: deny, action: OutputPublish}}")
    with pytest.raises(Withheld):
        ask(agent_at(place, Script.of("hello")))


def test_an_agent_in_a_tool_works_in_the_session_of_who_called_it_and_hears_no_user(place):
    guard = place.guard()
    inner = create_agent(Script.of(PAY, "paid"), place.tools, middleware=[Guarded(guard, prompt="typed")])

    @tool
    def delegate(task: str) -> str:
        """Have somebody do it."""
        return inner.invoke({"messages": [HumanMessage(task)]})["messages"][-1].content

    script = Script.of([("delegate", {"task": "Pay the shop"})], "done")
    agent = agent_at(place, script, guard=guard, tools=[delegate])
    paused = ask(agent, "Have it paid")
    [asked] = [event for event in place.recorded(tool="pay") if event.decision is Decision.REQUIRE_APPROVAL]
    assert asked.session_id == "t1"
    assert len([event for event in place.recorded() if event.action_type == "UserInput"]) == 1
    place.says(*requests_of(paused["__interrupt__"]))
    assert go_on(agent, paused)["messages"][-1].content == "done"
    assert place.made == [("pay", 5, "the shop")]


# Other ways to run


def test_an_agent_in_an_event_loop_asks_and_goes_on_like_any_other(place):
    async def main():
        agent = agent_at(place, Script.of([*PAY, ("look", {"at": "it"})], "done"))
        paused = await agent.ainvoke({"messages": [HumanMessage("Pay")]}, THREAD)
        place.says(*requests_of(paused["__interrupt__"]))
        again = taken_up(paused["__interrupt__"])
        return await asyncio.gather(*(agent.ainvoke(again, THREAD) for _ in range(2)))

    came = asyncio.run(main())
    assert [one["messages"][-1].content for one in came] == ["done", "done"]
    assert place.made == [("look", "it"), ("pay", 5, "the shop")]


def test_a_streamed_run_asks_and_goes_on_like_any_other(place):
    agent = agent_at(place, Script.of(PAY, "done"))
    last = list(agent.stream({"messages": [HumanMessage("Pay")]}, THREAD))[-1]
    place.says(*requests_of(last["__interrupt__"]))
    again = list(agent.stream(taken_up(last["__interrupt__"]), THREAD))
    assert again[-1]["Guarded.after_agent"]["messages"][-1].content == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_a_call_that_is_cancelled_is_recorded_as_stopped(place):
    began = asyncio.Event()

    @tool
    async def look(at: str) -> str:
        """Look at something."""
        began.set()
        await asyncio.sleep(60)

    async def main():
        agent = agent_at(place, Script.of([("look", {"at": "it"})], "done"), tools=[look])
        running = asyncio.create_task(agent.ainvoke({"messages": [HumanMessage("Look")]}, THREAD))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert [event.outcome for event in place.recorded(tool="look") if event.outcome] == ["aborted"]


def test_a_tool_node_of_a_graph_of_ones_own_is_guarded_too(place):
    guarded = Guarded(place.guard())
    node = ToolNode([tool(one) for one in place.tools], wrap_tool_call=guarded.wrap_tool_call)
    graph = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()
    calls = [{"name": "wipe", "args": {"what": "all"}, "id": "c1"}, {"name": "look", "args": {"at": "it"}, "id": "c2"}]
    wiped, looked = graph.invoke({"messages": [AIMessage("", tool_calls=calls)]})["messages"][1:]
    assert "Nobody wipes here" in wiped.content
    assert (looked.content, place.made) == ("saw it", [("look", "it")])


def test_a_tool_by_itself_is_guarded_and_waits_without_a_graph(place):
    guarded = Guarded(place.guard())
    pay, look = (guarded.tool(tool(one)) for one in place.tools[:2])
    assert look.invoke({"at": "it"}) == "saw it"
    assert "waits for a person" in pay.invoke({"amount": "5"})
    place.says(*place.pending())
    assert asyncio.run(pay.ainvoke({"amount": 5})) == "paid 5"
    assert place.made == [("look", "it"), ("pay", 5, "the shop")]


def test_a_tool_that_needs_its_graph_is_not_guarded_by_itself(place):
    @tool
    def look(at: str, runtime: ToolRuntime) -> str:
        """Look at something."""

    with pytest.raises(GuardhouseError, match="from a graph"):
        Guarded(place.guard()).tool(look)
