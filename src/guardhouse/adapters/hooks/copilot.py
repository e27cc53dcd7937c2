"""Copilot CLI: its events, its tools in our terms, and verdicts in its words.

Each of its events has two names. By the one its fields and answers are its own, by the other they are those of Claude
Code, with names of tools that are Claude Code's. It does not say whether anybody is there to be asked, so what needs
approval is held here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin

_COMMON: Final = frozenset("sessionId timestamp cwd agentId agentType parentAgentId hookName".split())
_CALL: Final = _COMMON | {"toolName", "toolArgs"}
_SNAKE: Final = frozenset("hook_event_name session_id timestamp cwd agent_id agent_type parent_agent_id".split())
_SNAKE_CALL: Final = _SNAKE | {"tool_name", "tool_input"}
_STOP: Final = frozenset("transcriptPath agentName agentDisplayName response stopReason stop_hook_active".split())
_SNAKE_STOP: Final = frozenset(
    "transcript_path agent_name agent_display_name last_assistant_message stop_reason stop_hook_active".split()
)
_SHELL: Final = Tool("Bash", without=frozenset({"description", "shellId", "initial_wait", "mode", "delay"}))
_READ: Final = Tool("Read", {"path": "file_path"})
_EDIT: Final = Tool("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"})
_WRITE: Final = Tool("Write", {"path": "file_path", "file_text": "content"})


class Copilot(Agent):
    """Copilot CLI, by its reference, and as tried with its version 1.0.102."""

    name: ClassVar[str] = "copilot"
    title: ClassVar[str] = "Copilot CLI"
    events: ClassVar[Mapping[str, Kind]] = {
        "preToolUse": "call",
        "postToolUse": "result",
        "postToolUseFailure": "failure",
        "userPromptSubmitted": "prompt",
        "subagentStop": "answer",
        "PreToolUse": "call",
        "PostToolUse": "result",
        "PostToolUseFailure": "failure",
        "UserPromptSubmit": "prompt",
        "SubagentStop": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "preToolUse": _CALL,
        "postToolUse": _CALL | {"toolResult"},
        "postToolUseFailure": _CALL | {"error"},
        "userPromptSubmitted": _COMMON | {"prompt"},
        "subagentStop": _COMMON | _STOP,
        "PreToolUse": _SNAKE_CALL,
        "PostToolUse": _SNAKE_CALL | {"tool_result"},
        "PostToolUseFailure": _SNAKE_CALL | {"error"},
        "UserPromptSubmit": _SNAKE | {"prompt"},
        "SubagentStop": _SNAKE | _SNAKE_STOP,
    }
    programs: ClassVar[frozenset[str]] = frozenset({"copilot"})
    leaves_event: ClassVar[bool] = True
    where: ClassVar[Fields] = Fields(
        event=("hook_event_name", "hookName"),
        # A sub-agent has a session of its own; what its user said was said in the one that it belongs to.
        session=("parentAgentId", "parent_agent_id", "sessionId", "session_id"),
        run=("agentId", "agent_id"),
        call=(),
        tool=("toolName", "tool_name"),
        given=("toolArgs", "tool_input"),
        response=("toolResult.textResultForLlm", "tool_result.text_result_for_llm", "toolResult", "tool_result"),
        spoken=("response", "last_assistant_message"),
    )
    tools: ClassVar[Mapping[str, Tool]] = {
        "bash": _SHELL,
        "Bash": _SHELL,
        "powershell": Tool("PowerShell", without=_SHELL.without),
        "read_bash": Tool("BashOutput"),
        "stop_bash": Tool("KillBash"),
        "list_bash": Tool("ListAgents"),
        "view": _READ,
        "Read": _READ,
        "create": _WRITE,
        "Write": _WRITE,
        "edit": _EDIT,
        "Edit": _EDIT,
        "str_replace_editor": Tool("str_replace_based_edit_tool"),
        "grep": Tool("Grep"),
        "rg": Tool("Grep"),
        "glob": Tool("Glob"),
        "web_fetch": Tool("WebFetch"),
        "web_search": Tool("WebSearch"),
        "update_todo": Tool("TodoWrite"),
        "report_intent": Tool("TodoWrite"),
        "read_agent": Tool("TaskOutput"),
        "list_agents": Tool("ListAgents"),
        "write_agent": Tool("Agent"),
        "fetch_copilot_cli_documentation": Tool("ToolSearch"),
        "skill": Tool("Skill"),
    }
    skills: ClassVar[Mapping[str, str]] = {"skill": "skill"}
    shells: ClassVar[frozenset[str]] = frozenset({"bash", "Bash"})

    def origin(self, event: HookEvent) -> Origin:
        """What a sub-agent is told is the agent's own."""
        return "typed" if event.run_id is None else "pasted"

    def ours(self, event: HookEvent) -> Tool:
        """Under the other name of the event, a patch is called an edit; what it is given besides means nothing."""
        if event.tool == "Edit" and ("path" not in event.tool_input or "input" in event.tool_input):
            return Tool("apply_patch", {"input": "patch"})
        return super().ours(event)

    def params(self, event: HookEvent) -> dict[str, Any]:
        """A command in a shell that stays can be gone on with by another call."""
        given = super().params(event)
        stays = self.ours(event).name == "Bash" and event.tool_input.get("mode") not in {None, "sync"}
        return {**given, "background": True} if stays else given

    def changed_input(self, event: HookEvent, params: dict[str, Any]) -> dict[str, Any]:
        """Without what Copilot CLI says in other words, which are kept."""
        told = {key: value for key, value in params.items() if key != "background" or key in event.tool_input}
        kept = {key: value for key, value in event.tool_input.items() if key in {"mode", "shellId"}}
        return {**kept, **super().changed_input(event, told)}

    def rewritten(self, event: HookEvent, given: dict[str, Any]) -> dict[str, Any]:
        """Without a decision: its own rules stay in force."""
        if event.name[0].islower():
            return {"modifiedArgs": given}
        return {"hookSpecificOutput": {"hookEventName": event.name, "updatedInput": given}, "modifiedArgs": given}

    def noted(self, event: HookEvent, note: str) -> dict[str, Any]:  # noqa: ARG002 - one shape for all
        """After what the model sees."""
        return {"additionalContext": note}

    def replaced(self, event: HookEvent, seen: str) -> dict[str, Any]:
        """What the model sees in its place."""
        return self.no(event, seen)


AGENT: Final = Copilot()
