"""Agents of the OpenAI Agents SDK behind the gate: what an agent is told, the calls that it makes, and what it answers.

    guarded = Guarded(guard)
    result = await Runner.run(guarded.agent(agent), "…")

A question to a person is one of the SDK's interruptions, and `taken_up` goes on with its state. What the SDK is told to
approve is judged afresh, by what the person said to the gate.
"""

from __future__ import annotations

import copy
import inspect
import json
import weakref
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from guardhouse.adapters.framework_calls import (
    AsyncCall,
    Calls,
    Names,
    Origin,
    Withheld,
    announcement,
    missing,
    remember,
    settled,
    unfit,
)
from guardhouse.adapters.outcomes import Outcome, Pending
from guardhouse.model import GuardhouseError

try:
    from agents import Agent, FunctionTool, GuardrailFunctionOutput, Handoff, InputGuardrail, OutputGuardrail
    from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
    from agents.function_schema import function_schema
    from pydantic import BaseModel, ValidationError
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise missing("the OpenAI Agents SDK", "openai-agents") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from agents import RunContextWrapper, RunState
    from agents.items import ToolApprovalItem
    from agents.tool_context import ToolContext

    from guardhouse.adapters.holding import AgentGuard

_Known = dict[int, tuple[Agent[Any], Agent[Any]]]
"""Agents and what they are behind the gate, by who they are."""
_judged: ContextVar[dict[str, _Judged]] = ContextVar("guardhouse_judged")
"""Calls of this task that were judged when the SDK asked about them, and are still to be made."""

_invoked: ContextVar[ToolContext[Any]] = ContextVar("guardhouse_invoked")
"""What the SDK gave to the call that this task makes."""


class Guarded:
    """What puts agents behind a guard.

    `names` says in whose name calls are made: a session, or a function of the run's context; without it they are all in
    the guard's own session. `prompt` says where the words come from that agents are given.
    """

    def __init__(self, guard: AgentGuard, *, names: Names = None, prompt: Origin = "pasted") -> None:
        self.calls = Calls(guard, names, prompt, (_Stopped,))
        self.asked: OrderedDict[str, str] = OrderedDict()
        self.entered: OrderedDict[str, _Judged] = OrderedDict()

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """`agent` behind the gate, and everybody whom it hands over to. GuardhouseError if it has tools that run where
        the gate can't stand."""
        return self._agent(agent, {})

    def tool(self, tool: Any) -> FunctionTool:
        """A function tool behind the gate."""
        if not isinstance(tool, FunctionTool) or tool.output_json_schema is not None:
            raise GuardhouseError(
                f"No gate can stand before the tool {getattr(tool, 'name', type(tool).__name__)}: it is run elsewhere, "
                "or not as a function that gives a text.",
                fix="Use a function tool.",
            )
        if isinstance(tool.on_invoke_tool, _Gated):
            return tool
        inner = getattr(tool, "_agent_instance", None)
        if tool._is_agent_tool and not (inner is not None and _is_guarded(inner, set())):
            raise GuardhouseError(
                f"The agent in the tool {tool.name} is not behind the gate.", fix="`guarded.agent(agent).as_tool(…)`"
            )
        made = copy.copy(tool)
        made.on_invoke_tool = gated = _Gated(self, tool)
        made.needs_approval = gated.asks
        return made

    def requests_of(self, interruptions: list[ToolApprovalItem]) -> dict[str, str]:
        """The requests that people can answer, by the ids of the calls that wait for them. Keep them with the state if
        it is written down."""
        ids = [item.call_id or "" for item in interruptions]
        return {call_id: self.asked[call_id] for call_id in ids if call_id in self.asked}

    def taken_up(self, state: RunState[Any, Any], requests: Mapping[str, str] | None = None) -> RunState[Any, Any]:
        """The state, to go on with once people have answered: every call that the gate asked about will be judged again
        under its request. Other calls that wait are left alone."""
        known = self.requests_of(state.get_interruptions()) if requests is None else requests
        for item in state.get_interruptions():
            request = known.get(item.call_id or "")
            if request is not None:
                remember(self.asked, item.call_id, request)
                state.approve(item)
        return state

    def _agent(self, agent: Agent[Any], known: _Known) -> Agent[Any]:
        if id(agent) in known:
            return known[id(agent)][1]
        if agent.mcp_servers:
            raise GuardhouseError(
                f"The MCP servers of the agent {agent.name} are not behind the gate.",
                fix="Put the gateway before them, and give the agent their tools by `guarded.tool`.",
            )
        if _brings_tools(agent):
            raise GuardhouseError(
                f"The agent {agent.name} gets tools when it is run, and they are not behind the gate.",
                fix="Use an `Agent` with the tools that it needs.",
            )
        heard = InputGuardrail(self._hear, name="guardhouse", run_in_parallel=False)
        shown = OutputGuardrail(self._show, name="guardhouse")
        made = agent.clone(
            tools=[self.tool(tool) for tool in agent.tools],
            input_guardrails=[heard, *agent.input_guardrails],
            output_guardrails=[*agent.output_guardrails, shown],
        )
        known[id(agent)] = agent, made  # before they hand over to each other
        made.handoffs = [self._handed_over(one, known) for one in agent.handoffs]
        return made

    def _handed_over(self, one: Any, known: _Known) -> Any:
        if not isinstance(one, Handoff):
            return self._agent(one, known)

        async def invoke(ctx: RunContextWrapper[Any], given: str) -> Agent[Any]:
            return self._agent(await one.on_invoke_handoff(ctx, given), dict(known))

        made = replace(one, on_invoke_handoff=invoke)
        inner = one._agent_ref() if one._agent_ref is not None else None
        if isinstance(inner, Agent):
            made._agent_ref = weakref.ref(self._agent(inner, known))
        return made

    async def _hear(self, ctx: RunContextWrapper[Any], _agent: Agent[Any], given: Any) -> GuardrailFunctionOutput:
        """Have the prompt judged, and remembered in the session, before the model sees it. A guardrail can't mask: what
        is to be masked is not let through."""
        context = self.calls.context(ctx)
        for text in [given] if isinstance(given, str) else _said(given):
            try:
                heard = await self.calls.heard_async(text, context)
            except Withheld as error:
                return GuardrailFunctionOutput(str(error), tripwire_triggered=True)
            if heard != text:
                return GuardrailFunctionOutput({"masked": heard}, tripwire_triggered=True)
        return GuardrailFunctionOutput(None, tripwire_triggered=False)

    async def _show(self, ctx: RunContextWrapper[Any], _agent: Agent[Any], answer: Any) -> GuardrailFunctionOutput:
        """Have the answer judged before the program gets it; what may be shown instead is in the guardrail's output."""
        output = to_jsonable_python(answer, fallback=str)
        try:
            shown = await self.calls.shown_async(output, self.calls.context(ctx))
        except Withheld as error:
            return GuardrailFunctionOutput(str(error), tripwire_triggered=True)
        masked = shown != output
        return GuardrailFunctionOutput({"masked": shown} if masked else None, tripwire_triggered=masked)


class _Stopped(Exception):
    """An agent in a tool waits for a person. What the tool gave back is no result."""


@dataclass
class _Judged:
    """A call between the SDK's question whether it needs approval, and its being made."""

    params: dict[str, Any]
    call: AsyncCall = field(init=False)
    outcome: Outcome[Any] | None = None


class _Gated:
    """What the SDK asks and invokes in the place of a tool."""

    def __init__(self, guarded: Guarded, tool: FunctionTool) -> None:
        self._guarded = guarded
        self._calls = guarded.calls
        self._tool = tool
        self._read = _reader(tool)
        is_own = hasattr(tool, "__wrapped__") or tool._is_agent_tool
        self._about = announcement(tool.name, tool.description, tool.params_json_schema, is_own=is_own)

    async def asks(self, ctx: RunContextWrapper[Any], params: dict[str, Any], call_id: str) -> bool:
        """Whether the run has to wait for a person. If not, the verdict is kept until the call is made, right after."""
        needs: Any = self._tool.needs_approval
        if callable(needs):
            needs = needs(ctx, params, call_id)
        if await needs if inspect.isawaitable(needs) else needs:
            return True
        try:
            read = self._read(params)
        except ValidationError:
            return False  # it is not made, and the model is told why
        judged = _Judged(params)
        judged.call = self._calls.call(self._about, partial(self._run, judged), self._calls.context(ctx))
        judged.outcome = await judged.call.ask(read, None)
        if isinstance(judged.outcome, Pending):
            remember(self._guarded.asked, call_id, judged.outcome.approval_request_id)
            return True
        _judged.set({**_judged.get({}), call_id: judged})
        return False

    async def __call__(self, ctx: ToolContext[Any], given: str) -> str:
        """What the model is told of a call, which is made if it may be."""
        _invoked.set(ctx)
        params = _parsed(given)
        kept = dict(_judged.get({}))
        judged = kept.pop(ctx.tool_call_id, None)
        _judged.set(kept)
        known = self._guarded.entered.get(ctx.tool_call_id)
        if known is not None and _is_same(known.params, params) and self._has_stopped(ctx):
            return await self._told(known.call.go_on())
        if judged is None or not _is_same(judged.params, params):
            judged = _Judged(params or {})
            judged.call = self._calls.call(self._about, partial(self._run, judged), self._calls.context(ctx))
            try:
                read = None if params is None else self._read(params)
            except ValidationError as error:
                return unfit(error.errors(include_input=False))
            judged.outcome = await judged.call.ask(read, self._guarded.asked.get(ctx.tool_call_id))
        if judged.outcome is not None:
            return judged.outcome.text
        if self._tool._is_agent_tool:
            remember(self._guarded.entered, ctx.tool_call_id, judged)
        return await self._told(judged.call.finish())

    async def _told(self, outcome: Awaitable[Outcome[Any]]) -> str:
        try:
            return self._calls.kept(await outcome).text
        except _Stopped:
            return ""  # nobody is told: the call is not over

    def _has_stopped(self, ctx: ToolContext[Any]) -> bool:
        """Whether an agent in this tool waits for a person, in the middle of this call."""
        if not self._tool._is_agent_tool or ctx.tool_call is None:
            return False
        stopped = peek_agent_tool_run_result(ctx.tool_call, scope_id=get_agent_tool_state_scope(ctx))
        return bool(getattr(stopped, "interruptions", None))

    async def _run(self, judged: _Judged, arguments: dict[str, Any]) -> Any:
        text, ctx = json.dumps(arguments), _invoked.get()
        if not _is_same(judged.params, arguments):
            ctx = copy.copy(ctx)
            ctx.tool_arguments = text
        value = await self._tool.on_invoke_tool(ctx, text)
        if self._has_stopped(ctx):
            raise _Stopped
        return value


def _reader(tool: FunctionTool) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    """What makes the arguments that a model gives into those that the tool will get. ValidationError if there are
    none."""
    function = getattr(tool, "__wrapped__", None)
    if function is None:
        return lambda params: params  # the tool reads them by itself
    model = function_schema(
        function, use_docstring_info=False, strict_json_schema=tool.strict_json_schema
    ).params_pydantic_model

    def dump(read: BaseModel) -> Any:
        return read.model_dump(mode="json", by_alias=True)

    return lambda params: settled(model.model_validate(params), model.model_validate_json, dump)


def _parsed(given: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(given or "{}")
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _is_same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _said(items: list[Any]) -> list[str]:
    """The texts of what the user said last."""
    said: list[str] = []
    for item in takewhile(lambda item: isinstance(item, dict) and item.get("role") == "user", reversed(items)):
        content = item.get("content")
        parts = [content] if isinstance(content, str) else [part.get("text") for part in content or ()]
        said += [part for part in parts if isinstance(part, str)]
    return said[::-1]


def _brings_tools(agent: Agent[Any]) -> bool:
    """Whether an agent has other tools when it is run than those that it is known to have, as one in a sandbox does."""
    kind = type(agent)
    own = kind.get_all_tools is Agent.get_all_tools and kind.get_mcp_tools is Agent.get_mcp_tools
    return not own or bool(getattr(agent, "capabilities", ()))


def _is_guarded(agent: Agent[Any], seen: set[int]) -> bool:
    """Whether everything that an agent can do goes through a gate."""
    if id(agent) in seen:
        return True
    seen.add(id(agent))
    gated = all(isinstance(getattr(tool, "on_invoke_tool", None), _Gated) for tool in agent.tools)
    handed = all(isinstance(one, Agent) and _is_guarded(one, seen) for one in agent.handoffs)
    return gated and handed and not agent.mcp_servers and not _brings_tools(agent)
