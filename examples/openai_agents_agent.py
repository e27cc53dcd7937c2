"""An agent of the OpenAI Agents SDK behind the gate. A scripted model believes a web page: no network, no key.

WAIT=300 python examples/openai_agents_agent.py waits that long for a person to answer, in another terminal.
"""

from __future__ import annotations

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.items import ToolCallOutputItem
from agents.testing import ScriptedModel, assistant_message, function_call
from world import SCRIPT, TASK, TOOLS, answered, open_example, say

from guardhouse.adapters.openai_agents import Guarded

set_tracing_disabled(True)


def main() -> None:
    model = ScriptedModel(
        [
            [assistant_message(said) if isinstance(said, str) else function_call(*said, call_id=f"call_{said[0]}")]
            for said in SCRIPT
        ]
    )
    with open_example() as guard:
        guarded = Guarded(guard, prompt="typed")
        agent = guarded.agent(Agent("hijacked", model=model, tools=[function_tool(tool) for tool in TOOLS]))
        result = Runner.run_sync(agent, TASK)
        while result.interruptions:
            if not answered(guard, guarded.requests_of(result.interruptions).values()):
                break
            result = Runner.run_sync(agent, guarded.taken_up(result.to_state()))
        for item in result.new_items:
            if isinstance(item, ToolCallOutputItem):
                say("a tool", str(item.output))
        print(result.final_output)


if __name__ == "__main__":
    main()
