"""A coding agent as far as a hook can tell: it runs the command that the installer gives it, passes an event, and does
with the answer what that agent is published to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Literal

import msgspec
from agent_models import DIALECTS, Dialect
from published_types import ClaudeCodeAnswer, CodexAnswer

AGENTS = ("claude-code", "codex")
"""Those whose events and answers are alike."""
ALL = (*AGENTS, *DIALECTS)


@dataclass(frozen=True)
class Reaction:
    """What an agent makes of a hook."""

    status: int
    out: bytes
    err: bytes
    does: Literal["goes on", "stops", "asks", "breaks"]
    """`breaks` is an answer that the agent can't read: it would go on."""

    @property
    def answer(self) -> dict[str, Any]:
        return json.loads(self.out)

    @property
    def reason(self) -> str:
        answer = self.answer
        output = answer.get("hookSpecificOutput", {})
        told = (
            output.get("permissionDecisionReason"),
            output.get("decision", {}).get("message"),
            answer.get("reason"),
            answer.get("permissionDecisionReason"),
            answer.get("user_message"),
        )
        return next((text for text in told if text), "")


@dataclass
class Hooked:
    """An agent whose hooks are ours, in a world of its own."""

    agent: str
    home: Path
    project: Path
    mode: str = "default"
    session: str = "session-1"
    variables: dict[str, str] = field(default_factory=dict)
    unheard: bool = False
    """A hook did not listen to the end."""

    @property
    def dialect(self) -> Dialect | None:
        return DIALECTS.get(self.agent)

    @property
    def program(self) -> str:
        """What the hook is called with."""
        return self.agent.partition(" ")[0]

    @property
    def before(self) -> str:
        """The event of a call to come."""
        return self.dialect.call if self.dialect else "PreToolUse"

    def prompt(self, text: str) -> dict[str, Any]:
        if self.dialect is None:
            source = {"source": "user"} if self.agent == "claude-code" else {}
            return self.event("UserPromptSubmit", prompt=text, **source)
        return self.dialect.tell(self, self.dialect.prompt, {"prompt": text})

    def told(self, kind: str, tool: str, call_id: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        """An event about a tool, in the agent's own words."""
        name, renames = self.dialect.tools.get(tool, (tool, {}))
        own = {renames.get(key, key): value for key, value in given.items()}
        if self.agent == "goose" and tool == "Read":
            own["command"] = "view"
        return self.dialect.tell(self, kind, {"tool": name, "given": own, "call_id": call_id, **more})

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "guardhouse"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        project = {"CLAUDE_PROJECT_DIR": str(self.project)} if self.agent == "claude-code" else {}
        return {**kept, "HOME": str(self.home), **project, **self.variables}

    def configure(self, text: str) -> None:
        directory = self.home / ".config" / "guardhouse"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.yaml").write_text(text)

    def event(self, name: str, **fields: Any) -> dict[str, Any]:
        common: dict[str, Any] = {
            "session_id": self.session,
            "transcript_path": str(self.home / "transcript.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": name,
            "permission_mode": self.mode,
        }
        if self.agent == "codex":
            common |= {"turn_id": "turn-1", "model": "a-model"}
        return {**common, **fields}

    def call(self, tool: str, call_id: str = "call-1", **given: Any) -> dict[str, Any]:
        if self.dialect is not None:
            return self.told(self.dialect.call, tool, call_id, given)
        if self.agent == "codex" and "command" in given:
            self.note(call_id, cmd=given["command"])
        return self.event("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=call_id)

    def note(self, call_id: str, **arguments: Any) -> None:
        """Write a call of Codex's to its transcript, as the model made it."""
        call = {"type": "function_call", "name": "exec_command", "call_id": call_id, "arguments": json.dumps(arguments)}
        with (self.home / "transcript.jsonl").open("a") as transcript:
            transcript.write(json.dumps({"type": "response_item", "payload": call}) + "\n")

    def result(self, tool: str, response: Any, call_id: str = "call-1", **given: Any) -> dict[str, Any]:
        if self.dialect is not None:
            return self.told(self.dialect.result, tool, call_id, given, response=response)
        named = {"tool_name": tool, "tool_input": given, "tool_use_id": call_id}
        return self.event("PostToolUse", **named, tool_response=response)

    def command(self, event: str | None, *options: str) -> list[str]:
        named = ["--event", event] if event else []
        return [sys.executable, "-I", "-m", "guardhouse", "hook", self.program, *named, *options]

    def run(self, event: dict[str, Any], *options: str, named: bool = True) -> Reaction:
        name = self.name_of(event)
        return self.feed(json.dumps(event).encode(), name if named else None, *options)

    def name_of(self, event: dict[str, Any]) -> str:
        """Of an event; one agent leaves it to the command."""
        named = event.get("hook_event_name", event.get("event"))
        if named is not None:
            return named
        kinds = {"prompt": self.dialect.prompt, "toolResult": self.dialect.result}
        return next((name for key, name in kinds.items() if key in event), self.dialect.call)

    def feed(self, data: bytes, event: str | None, *options: str, **how: Any) -> Reaction:
        process = subprocess.Popen(
            how.pop("command", None) or self.command(event, *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.project,
            **how,
        )
        pipe, process.stdin = process.stdin, None
        said = Thread(target=self._say, args=(pipe, data), daemon=True)
        said.start()
        out, err = process.communicate(timeout=120)
        said.join(10)
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        return Reaction(done.returncode, out, err, "breaks" if self.unheard else self.makes_of(done, event))

    def _say(self, pipe: Any, data: bytes) -> None:
        """Write as agents do: to the end, and a hook that does not listen so long is a broken one."""
        try:
            with pipe:
                pipe.write(data)
        except BrokenPipeError:
            self.unheard = True

    def makes_of(self, done: subprocess.CompletedProcess[bytes], event: str | None) -> Any:
        """By the published protocols: exit 2 with words is a no, any other status but 0 goes on, and so does an
        answer that can't be read."""
        if self.dialect is not None:
            return self.dialect.makes_of(done.returncode, done.stdout, done.stderr, event)
        if done.returncode == 2 and done.stderr.strip():
            return "stops"
        if done.returncode != 0:
            return "breaks"
        kind = CodexAnswer if self.agent == "codex" else ClaudeCodeAnswer
        try:
            answer = msgspec.json.decode(done.stdout, type=kind)
        except msgspec.DecodeError:
            return "breaks"
        return answer.does(event)


def no_matter_which(agent: str, tmp_path: Path) -> Hooked:
    home, project = tmp_path / "home", tmp_path / "home" / "work" / "project"
    project.mkdir(parents=True)
    return Hooked(agent, home, project)
