"""Pydantic AI agents behind the gate: what an agent is told, the calls that it makes, and what it answers.

    agent = Agent(model, tools=[…], capabilities=[Guarded(guard)], output_type=[str, DeferredToolRequests])

A question to a person ends the run with the framework's own deferred request, and `taken_up` goes on with it. What the
framework is told to approve is judged afresh, by what the person said to the gate.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from guardhouse.adapters.framework_calls import Calls, Names, Origin, Withheld, announcement, missing, settled
from guardhouse.adapters.outcomes import Completed, Failed, Outcome, Pending
from guardhouse.model import GuardhouseError

try:
    from pydantic_ai import DeferredToolRequests, DeferredToolResults, UserPromptNode
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed, ToolRetryError
    from pydantic_ai.messages import TextContent, ToolReturn
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
    from pydantic_ai.toolsets.function import FunctionToolsetTool
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise missing("Pydantic AI", "pydantic-ai") from error

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_ai import RunContext
    from pydantic_ai.output import OutputContext
    from pydantic_ai.run import AgentRunResult

    from guardhouse.adapters.functions import CallContext
    from guardhouse.adapters.holding import AgentGuard

_REQUEST = "approval_request_id"
_UNNAMED = "output_function"
"""What a function that makes the answer is called if the framework does not say which of several it is."""


@dataclass(init=False)
class Guarded(AbstractCapability[Any]):
    """An agent's capability to be guarded: every tool that it has of its own is behind the gate, and so is a function
    that makes its answer.

    `names` says in whose name calls are made: a session, or a function of the run's context; without it a conversation
    is a session. `prompt` says where the words come from that the agent is given.
    """

    def __init__(self, guard: AgentGuard, *, names: Names = None, prompt: Origin = "pasted") -> None:
        super().__init__()
        self.calls = Calls(guard, names, prompt, (ApprovalRequired, CallDeferred))

    def get_ordering(self) -> CapabilityOrdering:
        """Next to the tools: what is judged is what they get."""
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The tools of `toolset`, behind the gate."""
        return GuardedToolset(toolset, self.calls)

    async def before_node_run(self, ctx: RunContext[Any], *, node: Any) -> Any:
        """Have the prompt judged, and remembered in the session, before the model sees it."""
        if not isinstance(node, UserPromptNode) or not node.user_prompt:
            return node
        heard = partial(self.calls.heard_async, context=context_of(self.calls, ctx))
        if isinstance(node.user_prompt, str):
            return replace(node, user_prompt=await heard(node.user_prompt))
        parts: list[Any] = []
        for part in node.user_prompt:
            if isinstance(part, TextContent):
                parts.append(replace(part, content=await heard(part.content)))
            else:
                parts.append(await heard(part) if isinstance(part, str) else part)
        return replace(node, user_prompt=parts)

    async def wrap_output_process(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, handler: Callable[[Any], Any]
    ) -> Any:
        """Have a function that makes the answer judged like any tool: a model decides that it runs, and with what. It
        can't be paused, and it never runs on a part of its arguments."""
        if not output_context.has_function:
            return await handler(output)
        if ctx.partial_output:
            raise ModelRetry("The function runs once its arguments are complete.")
        made: list[Any] = []

        async def run(arguments: dict[str, Any]) -> Any:
            if arguments != params and not isinstance(output, str):
                raise GuardhouseError("The arguments would have to be masked, and can't be.")
            try:
                made.append(await handler(output if arguments == params else next(iter(arguments.values()))))
            except ToolRetryError as error:
                raise ModelRetry(str(error.tool_retry.content)) from None
            return to_jsonable_python(made[0], fallback=str)

        schema = output_context.object_def.json_schema if output_context.object_def is not None else {}
        params = _given(output, list(schema.get("properties", ())))
        told = output_context.tool_def.description if output_context.tool_def is not None else ""
        about = announcement(output_context.function_name or _UNNAMED, told, schema, is_own=True)
        outcome = await self.calls.make_async(about, params, run, context_of(self.calls, ctx))
        if isinstance(outcome, Completed):
            return outcome.value if outcome.redacted else made[0]
        if isinstance(outcome, Failed) or not outcome.ran:
            raise ModelRetry(outcome.text)
        raise Withheld("What a function made of the answer", outcome.verdict)

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Have the answer judged before the program gets it."""
        if isinstance(result.output, DeferredToolRequests):
            return result
        output = to_jsonable_python(result.output, fallback=str)
        shown = await self.calls.shown_async(output, context_of(self.calls, ctx))
        return result if shown == output else replace(result, output=shown)


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """A toolset behind the gate."""

    calls: Calls

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """What the model is told of a call, which is made if it may be. ApprovalRequired if a person is asked first."""
        parse = partial(tool.args_validator.validate_json, context=ctx.validation_context)
        params = settled(tool_args, parse, to_jsonable_python)
        returned: list[Any] = []

        async def run(arguments: dict[str, Any]) -> Any:
            passed = parse(json.dumps(arguments))
            if tool.args_validator_func is not None and arguments != params:
                checked = tool.args_validator_func(ctx, **passed)
                if inspect.isawaitable(checked):
                    await checked
            value = await self.wrapped.call_tool(name, passed, ctx, tool)
            returned.append(value)
            return _seen(value)

        said, known = tool.tool_def, ctx.tool_call_metadata
        outcome = await self.calls.make_async(
            announcement(name, said.description, said.parameters_json_schema, is_own=_is_function(tool)),
            params,
            run,
            context_of(self.calls, ctx),
            known.get(_REQUEST) if isinstance(known, dict) else None,
        )
        return _told(outcome, returned[0] if returned else None)


def taken_up(requests: DeferredToolRequests) -> DeferredToolResults:
    """What to go on with once people have answered: every call that the gate asked about, to be judged again under its
    request. Calls that wait for something else are not in it."""
    asked = {one.tool_call_id: True for one in requests.approvals if one.tool_call_id in requests_of(requests)}
    return requests.build_results(approvals=asked, metadata=requests.metadata)


def requests_of(requests: DeferredToolRequests) -> dict[str, str]:
    """The requests that people can answer, by the ids of the calls that wait for them."""
    return {call: told[_REQUEST] for call, told in requests.metadata.items() if isinstance(told.get(_REQUEST), str)}


def context_of(calls: Calls, ctx: RunContext[Any]) -> CallContext:
    """In whose name a run makes its calls."""
    return calls.context(ctx, session_id=ctx.conversation_id, run_id=ctx.run_id)


def _is_function(tool: Any) -> bool:
    """Whether a tool is a function of the program's own, in whatever toolsets it was put."""
    while hasattr(tool, "source_tool"):
        tool = tool.source_tool
    return isinstance(tool, FunctionToolsetTool)


def _given(output: Any, names: list[str]) -> dict[str, Any] | None:
    """What a function that makes the answer is given, by its names, as far as these are known."""
    try:
        judged = to_jsonable_python(output)
    except ValueError:  # it has no JSON form
        return None
    if isinstance(judged, dict) and set(judged) <= set(names):
        return judged
    return {names[0] if len(names) == 1 else "output": judged}


def _seen(value: Any) -> Any:
    """What a model would see of a result."""
    if not isinstance(value, ToolReturn):
        return value
    return value.return_value if value.content is None else [value.return_value, value.content]


def _told(outcome: Outcome[Any], value: Any) -> Any:
    """An outcome in the framework's words."""
    if isinstance(outcome, Pending) and not outcome.ran:
        raise ApprovalRequired({_REQUEST: outcome.approval_request_id, "message": outcome.text})
    if isinstance(outcome, Failed) and outcome.error == ModelRetry.__name__:
        raise ModelRetry(outcome.text)
    if not isinstance(outcome, Completed):
        raise ToolFailed(outcome.text)
    return replace(value, return_value=outcome.text, content=None) if isinstance(value, ToolReturn) else outcome.text
