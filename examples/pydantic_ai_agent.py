"""A Pydantic AI agent behind the gate. A scripted model believes a web page: no network, no key.

WAIT=300 python examples/pydantic_ai_agent.py waits that long for a person to answer, in another terminal.
"""

from __future__ import annotations

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from world import SCRIPT, TASK, TOOLS, answered, open_example, say

from guardhouse.adapters.pydantic_ai import Guarded, requests_of, taken_up


def hijacked(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """The model: its next answer."""
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            say(part.tool_name, str(part.content))
    said = SCRIPT[sum(isinstance(message, ModelResponse) for message in messages)]
    return ModelResponse(parts=[TextPart(said) if isinstance(said, str) else ToolCallPart(*said)])


def main() -> None:
    with open_example() as guard:
        agent = Agent(
            FunctionModel(hijacked),
            tools=TOOLS,
            capabilities=[Guarded(guard, prompt="typed")],
            output_type=[str, DeferredToolRequests],
        )
        result = agent.run_sync(TASK)
        while isinstance(result.output, DeferredToolRequests):
            if not answered(guard, requests_of(result.output).values()):
                return
            result = agent.run_sync(
                message_history=result.all_messages(), deferred_tool_results=taken_up(result.output)
            )
        print(result.output)


if __name__ == "__main__":
    main()
