"""LangChain agents and LangGraph's tool nodes behind the gate: what an agent is told, the calls that it makes, and what
it answers.

    agent = create_agent(model, tools, middleware=[Guarded(guard)], checkpointer=InMemorySaver())

A question to a person is an `interrupt`, and `taken_up` goes on with it. What the graph is resumed with is no answer:
the call is judged afresh, by what the person said to the gate, and their yes is used up by one resume.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from guardhouse.adapters.framework_calls import Calls, Names, Origin, announcement, missing, remember, settled, unfit
from guardhouse.adapters.outcomes import Completed, Outcome, Pending
from guardhouse.model import GuardhouseError

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langchain_core.utils.pydantic import get_fields
    from langgraph.errors import GraphBubbleUp
    from langgraph.types import Command, interrupt
    from pydantic import BaseModel, ValidationError, create_model
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise missing("LangChain", "langchain") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from langchain.agents.middleware import ToolCallRequest
    from langchain_core.messages import AnyMessage
    from langgraph.types import Interrupt

    from guardhouse.adapters.functions import CallContext
    from guardhouse.adapters.holding import AgentGuard
    from guardhouse.trust import Announcement

_REQUEST = "approval_request_id"


class Guarded(AgentMiddleware[Any, Any]):
    """The middleware that puts every tool of an agent behind the gate. Put it last in the list: what stands behind it
    could change a call that was judged.

    `names` says in whose name calls are made: a session, or a function of the runtime; without it a thread is a
    session. `prompt` says where the words come from that the agent is given.
    """

    def __init__(self, guard: AgentGuard, *, names: Names = None, prompt: Origin = "pasted") -> None:
        super().__init__()
        self.calls = Calls(guard, names, prompt, (GraphBubbleUp,))
        self._asked: OrderedDict[Any, dict[str, str]] = OrderedDict()

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """What the model is told of a call, which is made if it may be. Interrupts the graph if a person is asked."""
        context, returned = self._context(request.runtime), _Returned(request)
        try:
            tool, params = _read(request.tool, request.tool_call["name"], request.tool_call["args"])
        except ValidationError as error:
            return returned.says(unfit(error.errors(include_input=False)), "error")

        def run(arguments: dict[str, Any]) -> Any:
            return returned.seen(handler(_with(request, arguments)))

        while True:
            outcome = self.calls.make(tool, params, run, context, self._resumed(request, context))
            if not self._asks(request, context, outcome):
                return returned.told(outcome)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """The same, without blocking the event loop."""
        context, returned = self._context(request.runtime), _Returned(request)
        try:
            tool, params = _read(request.tool, request.tool_call["name"], request.tool_call["args"])
        except ValidationError as error:
            return returned.says(unfit(error.errors(include_input=False)), "error")

        async def run(arguments: dict[str, Any]) -> Any:
            return returned.seen(await handler(_with(request, arguments)))

        while True:
            outcome = await self.calls.make_async(tool, params, run, context, self._resumed(request, context))
            if not self._asks(request, context, outcome):
                return returned.told(outcome)

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Have the prompt judged, and remembered in the session, before the model sees it."""
        heard = partial(self.calls.heard, context=self._context(runtime))
        return {"messages": [_with_texts(message, heard) for message in _last(state, HumanMessage)]}

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Have the answer judged before the program gets it; that of a tool, too, if it is the agent's."""
        shown = partial(self.calls.shown, context=self._context(runtime))
        if state.get("structured_response") is not None:
            shown(to_jsonable_python(state["structured_response"], fallback=str))
        kind = ToolMessage if _last(state, ToolMessage) else AIMessage
        return {"messages": [_with_texts(message, shown) for message in _last(state, kind)]}

    def tool(self, tool: BaseTool) -> BaseTool:
        """`tool` behind the gate, to be called outside of a graph. Nothing is paused there: of a call that waits for a
        person the caller is told so, and made again once they have answered it is made."""
        if isinstance(tool.args_schema, type) and _injected(tool):
            raise GuardhouseError(f"{tool.name} takes values from a graph.", fix="Use the middleware there.")

        def made(**args: Any) -> str:
            about, params = _read(tool, tool.name, args)
            return self.calls.make(about, params, tool.invoke, self.calls.context(None)).text

        async def made_async(**args: Any) -> str:
            about, params = _read(tool, tool.name, args)
            return (await self.calls.make_async(about, params, tool.ainvoke, self.calls.context(None))).text

        schema = tool.args_schema or tool.get_input_schema()
        return StructuredTool(
            name=tool.name, description=tool.description, args_schema=schema, func=made, coroutine=made_async
        )

    def _context(self, runtime: Any) -> CallContext:
        known = runtime.execution_info
        thread, run = (known.thread_id, known.run_id) if known is not None else (None, None)
        return self.calls.context(runtime, session_id=thread, run_id=run)

    def _resumed(self, request: ToolCallRequest, context: CallContext) -> str | None:
        """The request that a call goes back to, if a person was asked about it. The graph stops here until it is
        resumed; with what says only which request it was stopped for, as another process may have asked."""
        told = self._asked.get(_place(request, context))
        if told is None:
            return None
        known = interrupt(told)
        known = known.get(_REQUEST) if isinstance(known, dict) else None
        return known if isinstance(known, str) else told[_REQUEST]

    def _asks(self, request: ToolCallRequest, context: CallContext, outcome: Outcome[Any]) -> bool:
        """Whether a person has to be asked."""
        if not isinstance(outcome, Pending) or outcome.ran:
            return False
        told = {_REQUEST: outcome.approval_request_id, "tool": request.tool_call["name"], "message": outcome.text}
        remember(self._asked, _place(request, context), told)
        return True


def _place(request: ToolCallRequest, context: CallContext) -> Any:
    """Where a call stands in the conversation: some models give the same ids again and again."""
    messages = _messages(request)
    return context.session_id, messages[-1].id if messages else None, request.tool_call["id"]


def _messages(request: ToolCallRequest) -> list[Any]:
    """The conversation, as far as the graph's state holds one."""
    state = request.state
    found = state.get("messages") if isinstance(state, dict) else getattr(state, "messages", None)
    return found if isinstance(found, list) else []


def taken_up(interrupts: Iterable[Interrupt]) -> Command[Any]:
    """What to go on with once people have answered: every call that the gate asked about is judged again. Interrupts of
    other kinds are not in it."""
    return Command(resume={one.id: one.value for one in interrupts if _REQUEST in _told_by(one)})


def requests_of(interrupts: Iterable[Interrupt]) -> list[str]:
    """The requests that people can answer."""
    return [_told_by(one)[_REQUEST] for one in interrupts if _REQUEST in _told_by(one)]


def _told_by(one: Interrupt) -> dict[str, Any]:
    return one.value if isinstance(one.value, dict) else {}


def _read(tool: BaseTool | None, name: str, args: dict[str, Any]) -> tuple[Announcement, dict[str, Any] | None]:
    """A tool as it is announced, and the arguments as it will read them. ValidationError if it won't."""
    if tool is None:
        return announcement(name, "", {}, is_own=False), args
    schema = tool.args_schema
    told = {"type": "object", "properties": tool.args}
    about = announcement(name, tool.description, told, is_own=not isinstance(schema, dict))
    if not isinstance(schema, type):
        return about, args
    if not issubclass(schema, BaseModel):
        return about, None  # of an older kind, which can't be read twice in the same way
    model, left_out = _model(schema, _injected(tool)), _injected(tool)

    def dump(read: BaseModel) -> Any:
        rest = {"args", "kwargs"} - read.model_fields_set
        return read.model_dump(mode="json", by_alias=True, exclude={*left_out, *rest})

    return about, settled(model.model_validate(args), model.model_validate_json, dump)


def _injected(tool: BaseTool) -> frozenset[str]:
    """Arguments that a tool gets from its graph, and no model can give."""
    whole: Any = tool.args_schema
    inner: Any = tool.tool_call_schema
    return frozenset(get_fields(whole)) - frozenset(get_fields(inner))


@lru_cache(maxsize=256)
def _model(schema: type[BaseModel], injected: frozenset[str]) -> type[BaseModel]:
    """What reads the arguments that a model gives, with all validators of the tool's own."""
    absent: dict[str, Any] = dict.fromkeys(injected, (Any, None))
    return create_model(schema.__name__, __base__=schema, **absent) if injected else schema


def _with(request: ToolCallRequest, arguments: dict[str, Any]) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": arguments})


class _Returned:
    """What a call came back with, and how the graph is told of it."""

    def __init__(self, request: ToolCallRequest) -> None:
        self._request = request
        self._value: Any = None
        self._beside: Any = None
        """What a command writes into the state beside the answer to the call."""

    def seen(self, value: Any) -> Any:
        """What the model would see."""
        self._value = value
        if isinstance(value, ToolMessage):
            return value.content
        if not isinstance(value, Command):
            return value
        update: dict[str, Any] = value.update if isinstance(value.update, dict) else {"": value.update}
        known = {message.id for message in _messages(self._request)}
        messages = [one for one in update.get("messages", ()) if getattr(one, "id", None) not in known or not one.id]
        rest = {key: one for key, one in update.items() if key != "messages" and one is not None}
        others = [one for one in messages if not self._is_answer(one)]
        self._beside = {**rest, **({"messages": others} if others else {})}
        said = [one.content for one in messages if self._is_answer(one)]
        return {"answer": said, "state": self._beside} if self._beside else said[0] if len(said) == 1 else said

    def told(self, outcome: Outcome[Any]) -> Any:
        """The outcome in the graph's words."""
        if not isinstance(outcome, Completed):
            return self.says(outcome.text, "error")
        if isinstance(self._value, ToolMessage):
            return self._value.model_copy(update={"content": outcome.text})
        if not isinstance(self._value, Command):
            return self.says(outcome.text, "success")
        if self._beside and (outcome.redacted or outcome.untrusted):
            return self.says(
                "The tool has run, but what it writes into the state is withheld: it can't be marked.", "error"
            )
        update = self._value.update
        if self._beside or not isinstance(update, dict):
            return self._value
        told = [self._with_text(one, outcome.text) for one in update.get("messages", ())]
        return replace(self._value, update={**update, "messages": told})

    def says(self, text: str, status: Literal["success", "error"]) -> ToolMessage:
        """A text for the model."""
        call = self._request.tool_call
        return ToolMessage(text, name=call["name"], tool_call_id=call["id"], status=status)

    def _is_answer(self, message: Any) -> bool:
        return isinstance(message, ToolMessage) and message.tool_call_id == self._request.tool_call["id"]

    def _with_text(self, message: Any, text: str) -> Any:
        return message.model_copy(update={"content": text}) if self._is_answer(message) else message


def _last(state: Any, kind: type[AnyMessage]) -> list[AnyMessage]:
    """The messages of a kind that stand at the end."""
    return list(takewhile(lambda message: isinstance(message, kind), reversed(state["messages"])))[::-1]


def _with_texts(message: AnyMessage, let: Callable[[str], Any]) -> AnyMessage:
    """The message with its texts as they were let through."""
    if isinstance(message.content, str):
        return message.model_copy(update={"content": let(message.content)}) if message.content else message
    blocks: list[Any] = []
    for block in message.content:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            blocks.append({**block, "text": let(block["text"])})
        else:
            blocks.append(let(block) if isinstance(block, str) else block)
    return message.model_copy(update={"content": blocks})
