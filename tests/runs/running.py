"""A machine with runs on it: a scripted model, tools that count how often they were called, real stores."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from guardhouse.egress import SkippedLookup
from guardhouse.opening import open_guard
from guardhouse.runs import FunctionTool, Holder, Role, Runs

CONFIG = """
guard:
  tools:
    look: {capabilities: [reads]}
    pay: {capabilities: [writes, spends]}
    note: {capabilities: [writes]}
  rules:
    - {id: pay-asks, action: ToolCallPre, tool: pay, effect: require_approval, because: It is money.}
"""


def scripted(*answers):
    """A model that gives these answers in turn, by how many it has given in this conversation."""

    def answer(messages, _info):
        given = sum(isinstance(message, ModelResponse) for message in messages)
        said = answers[min(given, len(answers) - 1)]
        said = said(messages) if callable(said) else said
        return ModelResponse(parts=[_part(one) for one in (said if isinstance(said, list) else [said])])

    async def stream(messages, info):
        for part in answer(messages, info).parts:
            if isinstance(part, TextPart):
                yield part.content
            else:
                import json

                from pydantic_ai.models.function import DeltaToolCall

                yield {0: DeltaToolCall(name=part.tool_name, json_args=json.dumps(part.args))}

    return FunctionModel(answer, stream_function=stream)


def _part(one):
    return TextPart(one) if isinstance(one, str) else ToolCallPart(one[0], one[1])


def results(messages):
    """What the model was told of its calls, all of them."""
    return [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


class Machine:
    def __init__(self, root: Path, monkeypatch, database_url: str | None = None):
        self.home = root / "home"
        self.project = self.home / "app"
        self.project.mkdir(parents=True, exist_ok=True)
        self.state = root / "state"
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("GUARDHOUSE_KEY_DIR", str(root / "keys"))
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_STATE_DIR"):
            monkeypatch.delenv(name, raising=False)
        self.is_shared = bool(database_url)
        if database_url:
            monkeypatch.setenv("GUARDHOUSE_DATABASE_URL", database_url)
        self.resolver = SkippedLookup()
        self.configure(CONFIG)
        self.made: list[tuple] = []
        self._open: list = []

    def configure(self, text: str) -> None:
        file = self.home / ".config" / "guardhouse" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def tools(self):
        made = self.made

        def look(what: str) -> str:
            """Look something up."""
            made.append(("look", what))
            return f"{what} is fine"

        def pay(amount: int) -> str:
            """Pay an amount."""
            made.append(("pay", amount))
            return f"paid {amount}"

        def note(text: str) -> str:
            """Write a note."""
            made.append(("note", text))
            return "noted"

        return (FunctionTool(look, is_repeatable=True), FunctionTool(pay), FunctionTool(note))

    def runs(self, model, *, tools=None, hears=None, roles=None, **role):
        guard = open_guard(cwd=self.project, state_dir=self.state, resolver=self.resolver)
        holder = Holder(self.state / "runs")
        runs = Runs(
            guard,
            roles=roles or [Role(name="agent", tools=self.tools() if tools is None else tools, **role)],
            model=lambda _role: model,
            holder=holder,
            hears=hears,
        )
        self._open.append((guard, holder))
        runs.guard = guard
        return runs

    def gone(self, runs):
        """The process of these runs is killed."""
        runs._holder.close()

    def events(self):
        from guardhouse.audit import events

        return [entry.event for entry in events(self.state / "audit")]

    def close(self):
        for guard, holder in self._open:
            holder.close()
            guard.close()


def worked(runs, run_id, **more):
    return asyncio.run(runs.take_up(run_id, **more))
