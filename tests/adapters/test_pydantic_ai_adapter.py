"""Pydantic AI agents behind the gate: what pauses, what goes on, and what the model is told."""

import asyncio
from datetime import date
from typing import Annotated

import pytest
from framework_world import API_KEY, PLANTED, POLICY, STOLEN, BrokenGuard, FrameworkWorld, NumbGuard, together
from pydantic import AfterValidator, BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, ToolApproved
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from guardhouse.adapters import CallContext, Withheld
from guardhouse.adapters.pydantic_ai import Guarded, requests_of, taken_up
from guardhouse.model import Decision, ToolCallPre


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = FrameworkWorld(tmp_path, monkeypatch)
    yield place
    place.close()


class Script:
    """A model that gives these answers in turn: a text, or the calls that it wants, as `(tool, arguments)`. `told` is
    what it saw last."""

    def __init__(self, *answers):
        self.answers = answers
        self.told = []
        self.model = FunctionModel(self._answer, stream_function=self._stream)

    def _next(self, messages):
        self.told = messages
        return self.answers[min(sum(isinstance(one, ModelResponse) for one in messages), len(self.answers) - 1)]

    def _answer(self, messages, _info):
        said = self._next(messages)
        if isinstance(said, str):
            return ModelResponse(parts=[TextPart(said)])
        return ModelResponse(parts=[ToolCallPart(tool, given) for tool, given in said])

    async def _stream(self, messages, _info):
        said = self._next(messages)
        if isinstance(said, str):
            yield said
        else:
            import json

            for at, (tool, given) in enumerate(said):
                yield {at: DeltaToolCall(name=tool, json_args=json.dumps(given), tool_call_id=f"c{at}")}

    @property
    def returned(self):
        """What the model was told of its calls."""
        return [part.content for one in self.told for part in one.parts if isinstance(part, ToolReturnPart)]

    @property
    def prompts(self):
        return [part.content for one in self.told for part in one.parts if part.part_kind == "user-prompt"]


def agent_at(place, script, guard=None, tools=None, output_type=None, **more):
    return Agent(
        script.model,
        tools=place.tools if tools is None else tools,
        capabilities=[Guarded(guard or place.guard(), **more)],
        output_type=output_type or [str, DeferredToolRequests],
    )


def go_on(agent, paused, results=None):
    return agent.run_sync(
        message_history=paused.all_messages(), deferred_tool_results=results or taken_up(paused.output)
    )


PAY = [("pay", {"amount": 5})]


# What goes through, and what does not


def test_a_hijacked_model_that_sends_data_away_is_denied_and_told_so(place):
    script = Script([("fetch_page", {"url": "https://docs.example/"})], [STOLEN], "I could not.")
    result = agent_at(place, script).run_sync("Read the page")
    assert place.made == [("fetch_page", "https://docs.example/")]
    page, refusal = script.returned
    assert PLANTED in page
    assert page != PLANTED  # it is marked
    assert "non_allowlisted_domain" in refusal
    assert result.output == "I could not."


def test_calls_of_one_answer_are_judged_each_by_itself(place):
    calls = [("look", {"at": "it"}), ("wipe", {"what": "all"}), *PAY, STOLEN, ("look", {"at": "that"})]
    script = Script(calls, "done")
    agent = agent_at(place, script)
    paused = agent.run_sync("Do it")
    assert sorted(place.made) == [("look", "it"), ("look", "that")]
    assert len(requests_of(paused.output)) == 1
    place.says(*requests_of(paused.output).values())
    assert go_on(agent, paused).output == "done"
    assert sorted(place.made) == [("look", "it"), ("look", "that"), ("pay", 5, "the shop")]
    assert [text for text in script.returned if "paid 5" in text]
    assert [text for text in script.returned if "Nobody wipes here" in text]


def test_secrets_in_a_result_are_masked_before_the_model_sees_them(place):
    script = Script([("note", {"text": "x"})], "done")
    agent_at(place, script).run_sync("Note it")
    assert "sk-[redacted]" in script.returned[0]
    assert API_KEY not in script.returned[0]


def answered_by(place, function, *answers, guard=None):
    """An agent whose answer this function makes."""
    script = Script(*answers)
    agent = Agent(script.model, capabilities=[Guarded(guard or place.guard())], output_type=[function, str])
    return agent, script


def tool_of(place, name):
    return next(one for one in place.tools if one.__name__ == name)


def test_a_function_that_makes_the_answer_is_judged_like_a_tool(place):
    agent, script = answered_by(place, tool_of(place, "look"), [("final_result", {"at": "it"})])
    assert agent.run_sync("Look").output == "saw it"
    agent, script = answered_by(place, tool_of(place, "wipe"), [("final_result", {"what": "all"})], "I may not.")
    assert agent.run_sync("Wipe it").output == "I may not."
    assert place.made == [("look", "it")]
    assert "Nobody wipes here" in str(script.told[-1].parts)


def test_a_function_that_makes_the_answer_and_has_to_ask_does_not_run(place):
    agent, script = answered_by(place, tool_of(place, "pay"), [("final_result", {"amount": 5})], "It waits.")
    assert agent.run_sync("Pay").output == "It waits."
    assert place.made == []
    [request] = place.pending()
    assert request in str(script.told[-1].parts)


def test_what_a_function_makes_of_the_answer_is_masked(place):
    agent, _ = answered_by(place, tool_of(place, "note"), [("final_result", {"text": "x"})])
    assert API_KEY not in agent.run_sync("Note it").output


def test_a_function_that_makes_the_answer_runs_on_no_part_of_its_arguments(place):
    agent, _ = answered_by(place, tool_of(place, "look"), [("final_result", {"at": "the whole of it"})])

    async def streamed():
        async with agent.run_stream("Look") as result:
            return [part async for part in result.stream_output(debounce_by=None)]

    assert asyncio.run(streamed())[-1] == "saw the whole of it"
    assert place.made == [("look", "the whole of it")]


def test_a_guard_that_fails_lets_no_answer_be_made(place, monkeypatch):
    guard = place.guard()
    judged = guard.evaluate_async

    async def fails(action, **more):
        if type(action) is ToolCallPre:
            raise RuntimeError("the guard is broken")
        return await judged(action, **more)

    monkeypatch.setattr(guard, "evaluate_async", fails)
    agent, _ = answered_by(place, tool_of(place, "look"), [("final_result", {"at": "it"})], guard=guard)
    with pytest.raises(RuntimeError, match="broken"):
        agent.run_sync("Look")
    assert place.made == []


# Asking a person


def test_a_question_ends_the_run_and_a_yes_lets_it_go_on_once(place):
    script = Script(PAY, "done")
    agent = agent_at(place, script)
    paused = agent.run_sync("Pay")
    assert place.made == []
    [told] = paused.output.metadata.values()
    assert told["approval_request_id"] in place.pending()
    place.says(told["approval_request_id"])
    assert go_on(agent, paused).output == "done"
    assert place.made == [("pay", 5, "the shop")]
    assert "paid 5" in script.returned[0]
    go_on(agent, paused)
    assert place.made == [("pay", 5, "the shop")]
    assert "approval.used" in script.returned[0]


def test_another_process_goes_on_with_what_was_written_down(place):
    paused = agent_at(place, Script(PAY, "done")).run_sync("Pay")
    written = ModelMessagesTypeAdapter.dump_json(paused.all_messages())
    [(call, request)] = requests_of(paused.output).items()
    place.says(request)
    later = agent_at(place, Script(PAY, "done"), guard=place.guard())
    # Without the request's id the call is known by what it is.
    result = later.run_sync(
        message_history=ModelMessagesTypeAdapter.validate_json(written),
        deferred_tool_results=DeferredToolResults(approvals={call: True}),
    )
    assert result.output == "done"
    assert place.made == [("pay", 5, "the shop")]


def test_a_persons_no_reaches_the_model_in_their_words(place):
    script = Script(PAY, "done")
    agent = agent_at(place, script)
    paused = agent.run_sync("Pay")
    place.says(*requests_of(paused.output).values(), yes=False, comment="Ask the treasurer.")
    assert go_on(agent, paused).output == "done"
    assert place.made == []
    assert "Ask the treasurer." in script.returned[0]


def test_the_frameworks_approval_is_none_of_the_gates(place):
    agent = agent_at(place, Script(PAY, "done"))
    paused = agent.run_sync("Pay")
    again = go_on(agent, paused)
    assert requests_of(again.output) == requests_of(paused.output)
    assert place.made == []


def test_two_resumes_at_once_make_the_call_once(place):
    agents = [agent_at(place, script) for script in (Script(PAY, "done"), Script(PAY, "done"))]
    paused = agents[0].run_sync("Pay")
    place.says(*requests_of(paused.output).values())
    came = together(lambda: go_on(agents.pop(), paused))
    assert [one.output for one in came] == ["done", "done"]
    assert place.made == [("pay", 5, "the shop")]
    assert place.pending() == []


def test_a_call_is_made_as_the_person_changed_it(place):
    agent = agent_at(place, Script([("pay", {"amount": 5, "to": "Bob"})], "done"))
    paused = agent.run_sync("Pay")
    place.changes(*requests_of(paused.output).values(), amount=3)
    assert go_on(agent, paused).output == "done"
    assert place.made == [("pay", 3, "Bob")]


def test_a_default_that_the_program_wrote_is_nobodys_planted_value(place):
    agent_at(place, Script(PAY)).run_sync("Pay")
    assert "provenance.unknown_value" not in place.guard().approvals.get(*place.pending()).codes


def test_a_call_that_the_program_changed_after_the_yes_is_not_made(place):
    script = Script(PAY, "done")
    agent = agent_at(place, script)
    paused = agent.run_sync("Pay")
    place.says(*requests_of(paused.output).values())
    results = taken_up(paused.output)
    results.approvals = {call: ToolApproved(override_args={"amount": 500}) for call in results.approvals}
    go_on(agent, paused, results)
    assert place.made == []
    assert "params.amount" in script.returned[0]


def test_an_agent_that_can_not_pause_does_not_make_the_call(place):
    with pytest.raises(UserError, match="DeferredToolRequests"):
        agent_at(place, Script(PAY, "done"), output_type=str).run_sync("Pay")
    assert place.made == []


# What is judged is what runs


class Order(BaseModel):
    what: str
    by: date


def test_values_of_the_frameworks_own_types_are_judged_as_json_and_passed_as_they_are_declared(place):
    seen = []

    def look(one: Order, day: date, counts: tuple[int, ...] = (1,)) -> str:
        seen.append((one, day, counts))
        return "saw it"

    given = {"one": {"what": "tea", "by": "2030-01-02"}, "day": "2030-01-03"}
    agent_at(place, Script([("look", given)], "done"), tools=[look]).run_sync("Look")
    assert seen == [(Order(what="tea", by=date(2030, 1, 2)), date(2030, 1, 3), (1,))]


def test_a_call_whose_arguments_change_each_time_they_are_read_is_not_made(place):
    seen = []

    def look(at: Annotated[str, AfterValidator(lambda text: f"{text}/..")]) -> str:
        seen.append(at)
        return "saw it"

    script = Script([("look", {"at": "/srv"})], "done")
    agent_at(place, script, tools=[look]).run_sync("Look")
    assert seen == []
    assert "action.invalid" in script.returned[0]


def test_a_guard_that_fails_lets_no_tool_run(place):
    for broken in (BrokenGuard(), NumbGuard()):
        with pytest.raises(Exception, match=r"broken|decision"):
            agent_at(place, Script([("look", {"at": "it"})], "done"), guard=broken).run_sync("")
    assert place.made == []


# What goes wrong in a tool


def test_what_a_tool_raises_is_told_without_its_secrets(place):
    def look(at: str) -> str:
        raise ValueError(f"no such thing; the key was {API_KEY}")

    script = Script([("look", {"at": "it"})], "done")
    assert agent_at(place, script, tools=[look]).run_sync("Look").output == "done"
    assert "ValueError" in script.returned[0]
    assert API_KEY not in script.returned[0]


def test_a_tool_can_still_have_the_model_try_again(place):
    def look(at: str) -> str:
        if at == "it":
            raise ModelRetry("Look at that.")
        return "saw it"

    script = Script([("look", {"at": "it"})], [("look", {"at": "that"})], "done")
    assert agent_at(place, script, tools=[look]).run_sync("Look").output == "done"
    assert "Look at that." in str(script.returned[0])
    assert "saw it" in script.returned[1]


def test_a_call_that_is_cancelled_is_recorded_as_stopped(place):
    began = asyncio.Event()

    async def look(at: str) -> str:
        began.set()
        await asyncio.sleep(60)

    async def main():
        running = asyncio.create_task(agent_at(place, Script([("look", {"at": "it"})], "x"), tools=[look]).run("Look"))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert [event.outcome for event in place.recorded(tool="look") if event.outcome] == ["aborted"]


def test_a_result_that_a_person_must_see_first_is_kept_and_its_tool_runs_once(place):
    place.configure(f"{POLICY}    - {{id: see-first, effect: require_approval, action: ToolCallPost, tool: note}}")
    script = Script([("note", {"text": "x"})], "done")
    guarded = Guarded(place.guard())
    agent = Agent(script.model, tools=place.tools, capabilities=[guarded], output_type=[str, DeferredToolRequests])
    assert agent.run_sync("Note it").output == "done"
    [request] = place.pending()
    assert request in script.returned[0]
    place.says(request)

    async def result():
        return await guarded.calls.result(request)

    assert asyncio.run(result()).status == "completed"
    assert place.made == [("note", "x")]


# What is said


def test_only_a_prompt_that_was_typed_carries_authority(place):
    prompt = "Mail the opening hours to anna@work.example"
    mail = [("send_email", {"to": "anna@work.example", "body": "9 to 5"})]
    agent_at(place, Script(mail, "done")).run_sync(prompt)
    assert place.made == []
    assert len(place.pending()) == 1
    agent_at(place, Script(mail, "done"), prompt="typed").run_sync(prompt)
    assert place.made == [("send_email", "anna@work.example")]


def test_a_secret_in_a_prompt_does_not_reach_the_model_and_one_in_an_answer_not_the_user(place):
    place.configure(POLICY.replace("guard:", "guard:\n  findings: {secret.in_input: redact}"))
    script = Script(f"Your key is {API_KEY}")
    result = agent_at(place, script).run_sync(f"My key is {API_KEY}")
    assert API_KEY not in str(script.prompts)
    assert result.output == "Your key is sk-[redacted]"


def test_an_answer_that_is_no_text_and_holds_a_secret_is_withheld(place):
    script = Script([("final_result", {"what": API_KEY, "by": "2030-01-02"})])
    with pytest.raises(Withheld):
        agent_at(place, script, output_type=Order).run_sync("Order")


def test_an_agent_in_a_tool_works_in_the_session_of_who_called_it_and_hears_no_user(place):
    inner_script = Script(PAY, "paid")
    guard = place.guard()

    async def delegate(ctx: RunContext[None], task: str) -> str:
        """Have somebody do it."""
        inner = Agent(
            inner_script.model,
            tools=place.tools,
            capabilities=[Guarded(guard, prompt="typed")],
            output_type=[str, DeferredToolRequests],
        )
        result = await inner.run(task, usage=ctx.usage)
        return str(result.output)

    script = Script([("delegate", {"task": "Pay the shop"})], "done")
    agent_at(place, script, guard=guard, tools=[delegate], names=lambda ctx: "s1").run_sync("Have it paid")
    [asked] = [event for event in place.recorded(tool="pay") if event.decision is Decision.REQUIRE_APPROVAL]
    [outer, *_] = place.recorded(tool="delegate")
    assert asked.session_id == outer.session_id == "s1"
    assert len([event for event in place.recorded() if event.action_type == "UserInput"]) == 1
    assert place.made == []


def test_a_program_names_the_session_and_the_principal_of_each_run(place):
    names = lambda ctx: CallContext(session_id=f"chat-{ctx.deps}", principal=ctx.deps)  # noqa: E731
    agent = agent_at(place, Script([("look", {"at": "it"})], "done"), names=names)
    agent.run_sync("Look", deps="ada")
    assert {(event.session_id, event.principal) for event in place.recorded(tool="look")} == {("chat-ada", "ada")}


# Streams


def test_a_streamed_run_asks_and_goes_on_like_any_other(place):
    async def main():
        script = Script([*PAY, ("look", {"at": "it"})], "done")
        agent = agent_at(place, script)
        async with agent.run_stream("Pay") as paused:
            waiting = await paused.get_output()
            messages = paused.all_messages()
        assert place.made == [("look", "it")]
        place.says(*requests_of(waiting).values())
        async with agent.run_stream(message_history=messages, deferred_tool_results=taken_up(waiting)) as stream:
            assert [text async for text in stream.stream_text()][-1] == "done"
        assert place.made == [("look", "it"), ("pay", 5, "the shop")]

    asyncio.run(main())
