"""A LangChain agent behind the gate. A scripted model believes a web page: no network, no key.

WAIT=300 python examples/langchain_agent.py waits that long for a person to answer, in another terminal.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from world import SCRIPT, TASK, TOOLS, answered, open_example, say

from guardhouse.adapters.langchain import Guarded, requests_of, taken_up


class Hijacked(BaseChatModel):
    """The model."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **_more: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **_more: Any) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            say(messages[-1].name or "", str(messages[-1].content))
        said = SCRIPT[sum(isinstance(message, AIMessage) for message in messages)]
        if isinstance(said, str):
            answer = AIMessage(said)
        else:
            answer = AIMessage("", tool_calls=[{"name": said[0], "args": said[1], "id": f"call_{said[0]}"}])
        return ChatResult(generations=[ChatGeneration(message=answer)])


def main() -> None:
    with open_example() as guard:
        agent = create_agent(
            Hijacked(), TOOLS, middleware=[Guarded(guard, prompt="typed")], checkpointer=InMemorySaver()
        )
        thread = {"configurable": {"thread_id": "example"}}
        result = agent.invoke({"messages": [HumanMessage(TASK)]}, thread)
        while asked := result.get("__interrupt__"):
            if not answered(guard, requests_of(asked)):
                return
            result = agent.invoke(taken_up(asked), thread)
        print(result["messages"][-1].content)


if __name__ == "__main__":
    main()
