"""One step of a conversation with a model, by Pydantic AI: what it answers, and which calls of tools it wants.

To the library every tool is an external one: it only says that the model wants it called, and we make the call. So one
step is one request to the model, and nothing happens in the world meanwhile.
"""

from __future__ import annotations

import os
from dataclasses import replace
from os import urandom
from typing import TYPE_CHECKING, Any, Final

import msgspec
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, ToolsetTool

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Mapping

    from pydantic_ai.models import Model, ModelRequestContext

    from guardhouse.runs.roles import Role

Conversation = list[ModelMessage]


class ModelTrouble(GuardhouseError):
    """The model could not be asked, or gave no answer that can be used."""


class Step(msgspec.Struct, frozen=True):
    """What the model has answered."""

    conversation: bytes
    """All that was said, with this, as it is kept."""
    wanted: tuple[tuple[str, str], ...]
    """The calls that it wants: their ids and tools."""
    text: str
    """What it says, if it wants no call."""
    tokens: tuple[int, int]


def read(kept: bytes) -> Conversation:
    """A conversation as it was kept. GuardhouseError if it can't be read."""
    try:
        return ModelMessagesTypeAdapter.validate_json(kept)
    except ValueError:
        raise GuardhouseError("What was kept of a run can't be read.", fix="Start it anew.") from None


def wanted(conversation: Conversation) -> dict[str, dict[str, Any] | None]:
    """The arguments of the calls that the model wants, by their ids; None where they are no JSON object."""
    parts = conversation[_answer_in(conversation)].parts
    return {part.tool_call_id: _arguments(part) for part in parts if isinstance(part, ToolCallPart)}


def said(conversation: Conversation) -> str:
    """What the model said last."""
    parts = conversation[_answer_in(conversation)].parts
    return "".join(part.content for part in parts if isinstance(part, TextPart))


async def step(
    model: Model,
    role: Role,
    instructions: str,
    *,
    task: str | None,
    conversation: Conversation | None,
    results: Mapping[str, str] | None,
    hears: Callable[[str], None] | None = None,
) -> Step:
    """Ask the model what to do next. ModelTrouble if that fails. `hears` is given what it says, as it comes."""
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # the library would draw its own on the terminal, once
    definitions = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))
        for tool in role.tools
    ]
    agent = Agent(
        model,
        output_type=[str, DeferredToolRequests],
        toolsets=[_Tools(definitions, id="tools")],
        instructions=instructions or None,
        name=role.name,
        retries=_RETRIES,
        capabilities=[_NamedAnew()],
    )

    async def listen(_context: object, events: AsyncIterable[Any]) -> None:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart) and event.part.content:
                _heard(hears, event.part.content)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                _heard(hears, event.delta.content_delta)

    try:
        result = await agent.run(
            task,
            message_history=conversation,
            deferred_tool_results=None if results is None else DeferredToolResults(calls=dict(results)),
            event_stream_handler=listen if hears is not None else None,
        )
    except (AgentRunError, UserError) as error:
        raise ModelTrouble(f"The model gave no usable answer ({type(error).__name__}).", fix=_FIX) from error
    except GuardhouseError:
        raise
    except Exception as error:
        raise ModelTrouble(f"The model could not be asked ({type(error).__name__}).", fix=_FIX) from error
    messages: Conversation = result.all_messages()
    calls: list[tuple[str, str]] = []
    if isinstance(result.output, DeferredToolRequests):
        calls = [(call.tool_call_id, call.tool_name) for call in result.output.calls]
    usage = result.usage
    return Step(
        _kept(messages),
        tuple(calls),
        "" if isinstance(result.output, DeferredToolRequests) else result.output,
        (usage.input_tokens, usage.output_tokens),
    )


_RETRIES: Final = 3
"""How often the model is told at once, within one step, that it wanted a tool that there is not, or said nothing."""
_FIX: Final = "Check that the model's server answers, then resume the run."


class _NamedAnew(AbstractCapability[Any]):
    """Gives every call that the model wants an id of its own: some models give the same ones again and again, also
    within one answer."""

    async def after_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - of the library
        *,
        request_context: ModelRequestContext,  # noqa: ARG002 - the same
        response: ModelResponse,
    ) -> ModelResponse:
        """The model's answer, with new ids."""
        parts = [
            replace(part, tool_call_id=f"call_{urandom(8).hex()}") if isinstance(part, ToolCallPart) else part
            for part in response.parts
        ]
        return replace(response, parts=parts)


class _Tools(ExternalToolset[Any]):
    """Tools of which any call is one, whatever its arguments look like: who makes the calls tells the model what does
    not fit. Read here, one that can't be read would be the end of the step."""

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools, by their names."""
        tools = await super().get_tools(ctx)
        return {name: replace(tool, args_validator=_Unread()) for name, tool in tools.items()}


class _Unread:
    """Takes any arguments, and gives none."""

    def validate_json(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}

    validate_python = validate_json


def _kept(conversation: Conversation) -> bytes:
    """A conversation as it is kept. ModelTrouble for one with half characters in it: nothing could keep those."""
    try:
        return ModelMessagesTypeAdapter.dump_json(conversation)
    except ValueError:
        raise ModelTrouble("The model gave an answer that is no text.", fix=_FIX) from None


def _answer_in(conversation: Conversation) -> int:
    """Where the model's last answer is. What was said to it about tools that do not exist may stand behind it."""
    for place in range(len(conversation) - 1, -1, -1):
        if isinstance(conversation[place], ModelResponse):
            return place
    raise GuardhouseError("What was kept of a run has no answer of the model's.", fix="Start it anew.")


def _arguments(part: ToolCallPart) -> dict[str, Any] | None:
    try:
        given = part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None
    return given if isinstance(given, dict) else None


def _heard(hears: Callable[[str], None] | None, text: str) -> None:
    if hears is not None:
        hears(text)
