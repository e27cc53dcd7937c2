"""Gemini CLI: its events, its tools in our terms, and verdicts in its words.

It can be told to ask its user, but says nowhere whether there is one, and waits for ever where there is none; so what
needs approval is held here. A result can be replaced by a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool, project_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin

_COMMON: Final = frozenset("session_id transcript_path cwd hook_event_name timestamp".split())
_CALL: Final = _COMMON | {"tool_name", "tool_input", "mcp_context", "original_request_name"}
_PLACE: Final = {"dir_path": "path"}
_FETCH: Final = "web_fetch"


class Gemini(Agent):
    """Gemini CLI, by its reference and its code of version 0.61."""

    name: ClassVar[str] = "gemini"
    title: ClassVar[str] = "Gemini CLI"
    events: ClassVar[Mapping[str, Kind]] = {
        "BeforeTool": "call",
        "AfterTool": "result",
        "BeforeAgent": "prompt",
        "SessionStart": "start",
        "AfterAgent": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "BeforeTool": _CALL,
        "AfterTool": _CALL | {"tool_response"},
        "BeforeAgent": _COMMON | {"prompt"},
        "SessionStart": _COMMON | {"source"},
        "AfterAgent": _COMMON | {"prompt", "prompt_response", "stop_hook_active"},
    }
    programs: ClassVar[frozenset[str]] = frozenset({"gemini", "gemini-cli"})
    where: ClassVar[Fields] = Fields(
        run=(), call=(), response=("tool_response.llmContent", "tool_response"), spoken=("prompt_response",)
    )
    tools: ClassVar[Mapping[str, Tool]] = {
        "run_shell_command": Tool("Bash", without=frozenset({"description", "delay_ms"})),
        "read_file": Tool("Read"),
        "read_many_files": Tool("read_many_files"),
        "write_file": Tool("Write"),
        "replace": Tool("Edit", without=frozenset({"instruction"})),
        "list_directory": Tool("LS", _PLACE),
        "glob": Tool("Glob", _PLACE),
        "grep_search": Tool("Grep", _PLACE),
        "search_file_content": Tool("Grep", _PLACE),
        "web_fetch": Tool("WebFetch"),
        "google_web_search": Tool("WebSearch"),
        "write_todos": Tool("TodoWrite"),
        "invoke_agent": Tool("Agent"),
        "complete_task": Tool("StructuredOutput"),
        "update_topic": Tool("TodoWrite"),
        "list_background_processes": Tool("ListAgents"),
        "read_background_output": Tool("BashOutput"),
        "activate_skill": Tool("Skill"),
    }
    skills: ClassVar[Mapping[str, str]] = {"activate_skill": "name"}
    shells: ClassVar[frozenset[str]] = frozenset({"run_shell_command"})
    attached: ClassVar[tuple[str, ...]] = ("--- Content from referenced files ---",)
    tells_user: ClassVar[bool] = True

    def project(self, event: HookEvent) -> str:
        """The directory that Gemini CLI was started in; it tells its hooks."""
        return project_from("GEMINI_PROJECT_DIR", event)

    def origin(self, event: HookEvent) -> Origin:  # noqa: ARG002 - it has but one
        """Gemini CLI tells of its user's prompts only."""
        return "typed"

    def ours(self, event: HookEvent) -> Tool:
        """A tool of a server by both its names, which Gemini CLI joins so that they can't be told apart."""
        server = event.fields.get("mcp_context")
        if isinstance(server, dict) and isinstance(server.get("server_name"), str):
            return Tool(f"mcp__{server['server_name']}__{server.get('tool_name') or event.tool}")
        return super().ours(event)

    def params(self, event: HookEvent) -> dict[str, Any]:
        """A fetch with the addresses that it would find in its prompt, as it finds them."""
        given = super().params(event)
        prompt = event.tool_input.get("prompt")
        if event.tool != _FETCH or not isinstance(prompt, str):
            return given
        return {**given, "urls": [word for word in prompt.split() if "://" in word]}

    def changed_input(self, event: HookEvent, params: dict[str, Any]) -> dict[str, Any]:
        """Without what is only found."""
        told = {key: value for key, value in params.items() if key != "urls" or key in event.tool_input}
        return super().changed_input(event, told)

    def rewritten(self, event: HookEvent, given: dict[str, Any]) -> dict[str, Any]:
        """All of the arguments: one version builds the call of these alone."""
        return {"hookSpecificOutput": {"hookEventName": event.name, "tool_input": given}}

    def noted(self, event: HookEvent, note: str) -> dict[str, Any]:
        """After what the model sees."""
        return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": note}}

    def replaced(self, event: HookEvent, seen: str) -> dict[str, Any]:
        """The reason stands in its place, as an error."""
        return self.no(event, f"The result, as it may be seen:\n{seen}")


AGENT: Final = Gemini()
