"""goose: its events, its tools in our terms, and verdicts in its words.

It knows yes and no to a call, and nothing else: no question, no other arguments, no other result. So what needs
approval is held here, what would have to be changed is refused, and of results the session only learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin

_COMMON: Final = frozenset("event session_id matcher_context working_dir".split())
_CALL: Final = _COMMON | {"tool_name", "tool_input", "tool_call_id"}
_SHELL: Final = Tool("Bash", without=frozenset({"timeout_secs"}))
_EDITOR: Final = Tool("str_replace_based_edit_tool")
_EDIT: Final = Tool("Edit", {"path": "file_path", "before": "old_string", "after": "new_string"})
_WRITE: Final = Tool("Write", {"path": "file_path"})


class Goose(Agent):
    """goose, by its code of 2026."""

    name: ClassVar[str] = "goose"
    title: ClassVar[str] = "goose"
    events: ClassVar[Mapping[str, Kind]] = {
        "PreToolUse": "call",
        "PostToolUse": "result",
        "PostToolUseFailure": "failure",
        "UserPromptSubmit": "prompt",
        "Stop": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "PreToolUse": _CALL,
        "PostToolUse": _CALL | {"tool_output"},
        "PostToolUseFailure": _CALL | {"tool_output", "message"},
        "UserPromptSubmit": _COMMON | {"message"},
        "Stop": _COMMON | {"last_assistant_message", "message"},
    }
    programs: ClassVar[frozenset[str]] = frozenset({"goose", "goosed"})
    where: ClassVar[Fields] = Fields(
        event=("event",),
        run=(),
        call=("tool_call_id",),
        response=("tool_output",),
        error=("tool_output", "message"),
        prompt=("message",),
        cwd=("working_dir",),
    )
    tools: ClassVar[Mapping[str, Tool]] = {
        "developer__shell": _SHELL,
        "shell": _SHELL,
        "developer__text_editor": _EDITOR,
        "text_editor": _EDITOR,
        "developer__write": _WRITE,
        "write": _WRITE,
        "developer__edit": _EDIT,
        "edit": _EDIT,
        "developer__tree": Tool("LS"),
        "tree": Tool("LS"),
        "developer__read_image": Tool("Read", {"source": "file_path"}),
        "read_image": Tool("Read", {"source": "file_path"}),
        "todo__todo_write": Tool("TodoWrite"),
        "todo_write": Tool("TodoWrite"),
    }

    def origin(self, event: HookEvent) -> Origin:  # noqa: ARG002 - it does not tell
        """A sub-agent's orders come as prompts do, and nothing tells them apart: none carries authority."""
        return "pasted"

    def ours(self, event: HookEvent) -> Tool:
        """What is not goose's own is a tool of an extension, which is a server."""
        extension, separator, tool = event.tool.partition("__")
        if separator and event.tool not in self.tools:
            return Tool(f"mcp__{extension}__{tool}")
        return super().ours(event)


AGENT: Final = Goose()
