"""Agents of the OpenAI Agents SDK behind the gate: what interrupts a run, what goes on, and what the model is told."""

import asyncio
import itertools
import json
from datetime import date
from typing import Annotated

import pytest
from agents import (
    Agent,
    CodeInterpreterTool,
    FunctionTool,
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    Runner,
    RunState,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from agents.sandbox import SandboxAgent
from agents.testing import ScriptedModel, assistant_message, function_call
from framework_world import API_KEY, PLANTED, POLICY, STOLEN, BrokenGuard, FrameworkWorld, NumbGuard, together
from pydantic import AfterValidator, BaseModel

from guardhouse.adapters import CallContext
from guardhouse.adapters.openai_agents import Guarded
from guardhouse.model import GuardhouseError

set_tracing_disabled(True)
PAY = [("pay", {"amount": 5})]
_ids = itertools.count(1)


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = FrameworkWorld(tmp_path, monkeypatch)
    yield place
    place.close()


def scripted(*answers):
    """A model that gives these answers in turn: a text, or the calls that it wants, as `(tool, arguments)`."""
    return ScriptedModel(
        [
            [assistant_message(said)]
            if isinstance(said, str)
            else [function_call(name, given, call_id=f"c{next(_ids)}") for name, given in said]
            for said in answers
        ]
    )


def returned(model):
    """What the model was told of its calls."""
    return [item["output"] for item in model.last_call.input if item.get("type") == "function_call_output"]


def agent_at(place, model, guarded=None, tools=None, name="agent", **more):
    tools = [function_tool(tool) for tool in place.tools] if tools is None else tools
    guarded = guarded or Guarded(place.guard())
    return guarded.agent(Agent(name, model=model, tools=tools, **more)), guarded


def run(agent, given, **more):
    return asyncio.run(Runner.run(agent, given, **more))


def go_on(agent, guarded, paused):
    return run(agent, guarded.taken_up(paused.to_state()))


# What goes through, and what does not


def test_a_hijacked_model_that_sends_data_away_is_denied_and_told_so(place):
    model = scripted([("fetch_page", {"url": "https://docs.example/"})], [STOLEN], "I could not.")
    agent, _ = agent_at(place, model)
    result = run(agent, "Read the page")
    assert place.made == [("fetch_page", "https://docs.example/")]
    page, refusal = returned(model)
    assert PLANTED in page
    assert page != PLANTED  # it is marked
    assert "non_allowlisted_domain" in refusal
    assert result.final_output == "I could not."


def test_calls_of_one_answer_are_judged_each_by_itself(place):
    calls = [("look", {"at": "it"}), ("wipe", {"what": "all"}), *PAY, STOLEN, ("pay", {"amount": 7})]
    model = scripted(calls, "done")
    agent, guarded = agent_at(place, model)
    paused = run(agent, "Do it")
    assert place.made == [("look", "it")]
    assert len(guarded.requests_of(paused.interruptions)) == 2
    place.says(place.request_for(amount=5))
    place.says(place.request_for(amount=7), yes=False, comment="Too much.")
    assert go_on(agent, guarded, paused).final_output == "done"
    assert place.made == [("look", "it"), ("pay", 5, "the shop")]
    told = "\n".join(returned(model))
    for said in ("saw it", "Nobody wipes here", "paid 5", "non_allowlisted_domain", "Too much."):
        assert said in told


def test_each_call_is_judged_once(place):
    agent, _ = agent_at(place, scripted([("look", {"at": "it"})], "done"))
    run(agent, "Look")
    kinds = [event.action_type for event in place.recorded(tool="look") if event.kind == "decision"]
    assert kinds == ["ToolCallPre", "ToolCallPost"]


# Asking a person


def test_a_question_interrupts_the_run_and_a_yes_lets_it_go_on_once(place):
    model = scripted(PAY, "done")
    agent, guarded = agent_at(place, model)
    paused = run(agent, "Pay")
    assert place.made == []
    [request] = guarded.requests_of(paused.interruptions).values()
    assert place.pending() == [request]
    place.says(request)
    assert go_on(agent, guarded, paused).final_output == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_two_resumes_at_once_make_the_call_once(place):
    model = scripted(PAY, "done", "done")
    agent, guarded = agent_at(place, model)
    paused = run(agent, "Pay")
    place.says(*guarded.requests_of(paused.interruptions).values())
    written = [paused.to_state().to_string() for _ in range(2)]

    def resume():
        async def main():
            state = await RunState.from_string(agent, written.pop())
            return await Runner.run(agent, guarded.taken_up(state))

        return asyncio.run(main()).final_output

    assert together(resume) == ["done", "done"]
    assert place.made == [("pay", 5, "the shop")]
    assert place.pending() == []


def test_another_process_goes_on_with_a_state_that_was_written_down(place):
    agent, guarded = agent_at(place, scripted(PAY), Guarded(place.guard(), names="s1"))
    paused = run(agent, "Pay")
    written = json.dumps([paused.to_state().to_string(), guarded.requests_of(paused.interruptions)])
    place.says(*place.pending())
    later, guarded = agent_at(place, scripted("done"), Guarded(place.guard(), names="s1"))

    async def main():
        state, requests = json.loads(written)
        return await Runner.run(later, guarded.taken_up(await RunState.from_string(later, state), requests))

    assert asyncio.run(main()).final_output == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_a_persons_no_reaches_the_model_in_their_words(place):
    model = scripted(PAY, "done")
    agent, guarded = agent_at(place, model)
    paused = run(agent, "Pay")
    place.says(*place.pending(), yes=False, comment="Ask the treasurer.")
    go_on(agent, guarded, paused)
    assert place.made == []
    assert "Ask the treasurer." in returned(model)[0]


@pytest.mark.parametrize("always", [False, True])
def test_the_frameworks_approval_is_none_of_the_gates(place, always):
    model = scripted(PAY, [("pay", {"amount": 7})], "done")
    agent, _ = agent_at(place, model)
    state = run(agent, "Pay").to_state()
    [item] = state.get_interruptions()
    state.approve(item, always_approve=always)
    result = run(agent, state)
    assert "waits for a person" in returned(model)[0]
    assert len(result.interruptions) == (0 if always else 1)
    assert place.made == []


def test_a_call_is_made_as_the_person_changed_it(place):
    seen = []

    async def pay(ctx, given):
        seen.append((given, ctx.tool_arguments))
        return "paid"

    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
    tool = FunctionTool("pay", "Pay somebody.", {**schema, "additionalProperties": False}, pay)
    agent, guarded = agent_at(place, scripted(PAY, "done"), tools=[tool])
    paused = run(agent, "Pay 5, or 3")
    place.changes(*place.pending(), amount=3)
    go_on(agent, guarded, paused)
    assert seen == [('{"amount": 3}', '{"amount": 3}')]


def test_a_tools_own_approval_comes_first(place):
    tool = function_tool(place.tools[1], needs_approval=True)
    agent, guarded = agent_at(place, scripted([("look", {"at": "it"})], "done"), tools=[tool])
    state = run(agent, "Look").to_state()
    assert guarded.requests_of(state.get_interruptions()) == {}
    assert place.recorded(tool="look") == []
    state.approve(*state.get_interruptions())
    assert run(agent, state).final_output == "done"
    assert place.made == [("look", "it")]


# Agents beside and below


@pytest.mark.parametrize("tool", ["delegate", "research"])
def test_an_agent_in_a_tool_asks_through_whoever_called_it_and_hears_no_user(place, tool):
    guarded = Guarded(place.guard(), names="s1", prompt="typed")
    inner, _ = agent_at(place, scripted(PAY, "paid it"), guarded, name="inner")
    model = scripted([(tool, {"input": "Pay the shop"})], "done")
    outer, _ = agent_at(place, model, guarded, tools=[inner.as_tool(tool, "Have somebody do it.")])
    asked = []
    result = run(outer, "Have it paid")
    while result.interruptions:
        asked += [item.name for item in result.interruptions]
        place.says(*guarded.requests_of(result.interruptions).values())
        result = go_on(outer, guarded, result)
    assert asked == (["pay"] if tool == "delegate" else ["research", "pay"])  # nobody has described that one
    assert result.final_output == "done"
    assert place.made == [("pay", 5, "the shop")]
    assert "paid it" in returned(model)[0]
    assert {event.session_id for event in place.recorded(tool="pay")} == {"s1"}
    assert [event.action_type for event in place.recorded()].count("UserInput") == 1
    assert [event.outcome for event in place.recorded(tool=tool) if event.outcome] == ["aborted", "executed"]


@pytest.mark.parametrize("wrapped", [False, True])
def test_whoever_an_agent_hands_over_to_is_behind_the_gate_too(place, wrapped):
    wipes = Agent(
        "wipes", model=scripted([("wipe", {"what": "all"})], "done"), tools=list(map(function_tool, place.tools))
    )
    first = Agent("first", model=scripted([("transfer_to_wipes", {})]), handoffs=[handoff(wipes) if wrapped else wipes])
    wipes.handoffs.append(first)
    result = run(Guarded(place.guard()).agent(first), "Wipe it")
    assert result.final_output == "done"
    assert place.made == []
    assert "Nobody wipes here" in returned(wipes.model)[-1]


class LateAgent(Agent):
    """It says only when it is run which tools it has."""

    async def get_all_tools(self, run_context):
        return [*await super().get_all_tools(run_context), function_tool(print)]


def test_what_can_not_be_put_behind_the_gate_is_refused(place):
    guarded = Guarded(place.guard())
    bare = Agent("bare", tools=[function_tool(place.tools[0])])
    served = Agent("served")
    served.mcp_servers = [object()]
    for agent in (
        Agent("hosted", tools=[CodeInterpreterTool({"type": "code_interpreter", "container": "auto"})]),
        Agent("outer", tools=[bare.as_tool("bare", "Not behind the gate.")]),
        Agent("before", handoffs=[served]),
        SandboxAgent("boxed"),
        Agent("around", tools=[SandboxAgent("boxed").as_tool("boxed", "Gets tools when it is run.")]),
        LateAgent("late"),
    ):
        with pytest.raises(GuardhouseError, match="gate"):
            guarded.agent(agent)


# What is judged is what runs


class Order(BaseModel):
    what: str
    by: date


def test_a_tool_gets_the_values_that_it_declares(place):
    seen = []

    @function_tool(strict_mode=False)
    def look(ctx: RunContextWrapper, one: Order, times: int = 1) -> str:
        """Look at something."""
        seen.append((one, times))
        return "saw it"

    agent, _ = agent_at(place, scripted([("look", {"one": {"what": "tea", "by": "2030-01-02"}})], "done"), tools=[look])
    run(agent, "Look")
    assert seen == [(Order(what="tea", by=date(2030, 1, 2)), 1)]


def test_a_call_whose_arguments_change_each_time_they_are_read_is_not_made(place):
    seen = []

    @function_tool
    def look(at: Annotated[str, AfterValidator(lambda text: f"{text}/..")]) -> str:
        """Look at something."""
        seen.append(at)
        return "saw it"

    model = scripted([("look", {"at": "/srv"})], "done")
    agent, _ = agent_at(place, model, tools=[look])
    run(agent, "Look")
    assert seen == []
    assert "action.invalid" in returned(model)[0]


def test_arguments_that_do_not_fit_are_told_to_the_model_without_their_values(place):
    model = ScriptedModel(
        [
            [function_call("pay", {"amount": API_KEY}, call_id="c1")],
            [function_call("pay", '{"amount": ', call_id="c2")],
            [assistant_message("done")],
        ]
    )
    agent, _ = agent_at(place, model)
    paused = run(agent, "Pay")
    [item] = paused.interruptions  # what it can't read, the SDK asks about
    state = paused.to_state()
    state.approve(item)
    run(agent, state)
    unfit, unread = returned(model)
    assert unfit.startswith("The arguments do not fit. amount: Input should be a valid integer")
    assert API_KEY not in unfit
    assert "action.invalid" in unread
    assert place.made == []


def test_a_guard_that_fails_lets_no_tool_run(place):
    for broken in (BrokenGuard(), NumbGuard()):
        agent, _ = agent_at(place, scripted([("look", {"at": "it"})], "done"), Guarded(broken))
        with pytest.raises(Exception, match=r"broken|decision"):
            run(agent, "Look")
    assert place.made == []


# What comes back


def test_what_a_tool_raises_is_told_without_its_secrets(place):
    @function_tool(failure_error_function=None)
    def look(at: str) -> str:
        """Look at something."""
        raise ValueError(f"no such thing; the key was {API_KEY}")

    model = scripted([("look", {"at": "it"}), ("note", {"text": "x"})], "done")
    agent, _ = agent_at(place, model, tools=[look, function_tool(place.tools[2])])
    run(agent, "Look")
    looked, noted = returned(model)
    assert "ValueError" in looked
    assert API_KEY not in looked + noted


def test_a_call_that_is_cancelled_is_recorded_as_stopped(place):
    began = asyncio.Event()

    @function_tool(failure_error_function=None)
    async def look(at: str) -> str:
        """Look at something."""
        began.set()
        await asyncio.sleep(60)

    async def main():
        agent, _ = agent_at(place, scripted([("look", {"at": "it"})], "done"), tools=[look])
        running = asyncio.create_task(Runner.run(agent, "Look"))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    asyncio.run(main())
    assert [event.outcome for event in place.recorded(tool="look") if event.outcome] == ["aborted"]


# What is said


def test_only_a_prompt_that_was_typed_carries_authority(place):
    prompt = "Mail the opening hours to anna@work.example"
    for session, origin in (("s1", "pasted"), ("s2", "typed")):
        guarded = Guarded(place.guard(), names=lambda ctx: ctx.context, prompt=origin)
        mail = scripted([("send_email", {"to": "anna@work.example", "body": "9 to 5"})], "done")
        agent, _ = agent_at(place, mail, guarded)
        paused = run(agent, [{"role": "user", "content": prompt}], context=session)
        assert len(paused.interruptions) == (1 if origin == "pasted" else 0)
    assert place.made == [("send_email", "anna@work.example")]


def test_secrets_do_not_reach_the_model_in_a_prompt_nor_the_user_in_an_answer(place):
    place.configure(POLICY.replace("guard:", "guard:\n  findings: {secret.in_input: redact}"))
    model = scripted(f"Your key is {API_KEY}")
    agent, _ = agent_at(place, model)
    with pytest.raises(InputGuardrailTripwireTriggered) as heard:
        run(agent, f"My key is {API_KEY}")
    assert model.calls == ()
    assert heard.value.guardrail_result.output.output_info == {"masked": "My key is sk-[redacted]"}
    with pytest.raises(OutputGuardrailTripwireTriggered) as shown:
        run(agent, "hello")
    assert shown.value.guardrail_result.output.output_info == {"masked": "Your key is sk-[redacted]"}


def test_a_program_names_the_session_and_the_principal_of_each_run(place):
    guarded = Guarded(place.guard(), names=lambda ctx: CallContext(session_id=f"chat-{ctx.context}", principal="ada"))
    agent, _ = agent_at(place, scripted([("look", {"at": "it"})], "done"), guarded)
    run(agent, "Look", context="7")
    assert {(event.session_id, event.principal) for event in place.recorded(tool="look")} == {("chat-7", "ada")}


# Streams


def test_a_streamed_run_asks_and_goes_on_like_any_other(place):
    async def main():
        agent, guarded = agent_at(place, scripted([*PAY, ("look", {"at": "it"})], "done"))
        paused = Runner.run_streamed(agent, "Pay")
        [event async for event in paused.stream_events()]
        assert place.made == [("look", "it")]
        place.says(*guarded.requests_of(paused.interruptions).values())
        result = Runner.run_streamed(agent, guarded.taken_up(paused.to_state()))
        [event async for event in result.stream_events()]
        return result.final_output

    assert asyncio.run(main()) == "done"
    assert place.made == [("look", "it"), ("pay", 5, "the shop")]
