"""Cursor: its events, its tools in our terms, and verdicts in its words.

It is never told to ask: whether it does depends on the event, so what needs approval is held here. It takes silence for
a broken hook, so it is always answered. A command and a call of a server are told of twice; the second event is for
versions that know no other.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Shown, Tool, lets_pass, project_from, refusal
from guardhouse.model import InvalidAction, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin
    from guardhouse.model import ToolCallPost, Verdict

_COMMON: Final = frozenset(
    "conversation_id generation_id session_id model model_id model_params hook_event_name cursor_version"
    " workspace_roots user_email transcript_path".split()
)
_CALL: Final = _COMMON | {"tool_name", "tool_input", "tool_use_id", "cwd", "agent_message"}
_WORDS: Final = frozenset({"description", "explanation", "block_until_ms"})
_SERVER: Final = "MCP:"
_READ: Final = "Read"


class Cursor(Agent):
    """Cursor, as seen in its versions 2 and 3."""

    name: ClassVar[str] = "cursor"
    title: ClassVar[str] = "Cursor"
    events: ClassVar[Mapping[str, Kind]] = {
        "preToolUse": "call",
        "beforeShellExecution": "again",
        "beforeMCPExecution": "again",
        "beforeReadFile": "reading",
        "postToolUse": "result",
        "postToolUseFailure": "failure",
        "beforeSubmitPrompt": "prompt",
        "afterAgentResponse": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "preToolUse": _CALL,
        "beforeShellExecution": _COMMON | {"command", "cwd", "sandbox"},
        "beforeMCPExecution": _COMMON | {"tool_name", "tool_input", "url", "command", "cwd"},
        "beforeReadFile": _COMMON | {"file_path", "content", "attachments", "cwd"},
        "postToolUse": _CALL | {"tool_output", "duration"},
        "postToolUseFailure": _CALL | {"error_message", "failure_type", "duration", "is_interrupt"},
        "beforeSubmitPrompt": _COMMON | {"prompt", "attachments", "cwd"},
        "afterAgentResponse": _COMMON | {"text", "cwd"},
    }
    programs: ClassVar[frozenset[str]] = frozenset({"cursor", "Cursor", "cursor-agent"})
    where: ClassVar[Fields] = Fields(
        session=("conversation_id", "session_id"),
        run=(),
        turn=("generation_id",),
        response=("tool_output", "content"),
        error=("error_message",),
        spoken=("text",),
        cwd=("cwd", "workspace_roots"),
    )
    implied: ClassVar[Mapping[str, str]] = {"beforeShellExecution": "Shell", "beforeReadFile": _READ}
    spread: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "beforeShellExecution": ("command",),
        "beforeReadFile": ("file_path",),
    }
    tools: ClassVar[Mapping[str, Tool]] = {
        "Shell": Tool("Bash", without=_WORDS),
        _READ: Tool("Read", {"path": "file_path"}),
        "Write": Tool("Write", {"path": "file_path", "contents": "content"}),
        "StrReplace": Tool("Edit", {"path": "file_path"}),
        "Delete": Tool("delete_file"),
        "Glob": Tool("Glob", {"glob_pattern": "pattern", "target_directory": "path"}),
        "LS": Tool("LS", {"target_directory": "path"}),
        "SemanticSearch": Tool("Grep", {"target_directories": "paths"}),
        "ReadLints": Tool("LSP"),
        "EditNotebook": Tool("NotebookEdit", {"target_notebook": "notebook_path"}),
        "AskQuestion": Tool("AskUserQuestion"),
        "ListMcpResources": Tool("ListMcpResourcesTool"),
        "FetchMcpResource": Tool("ReadMcpResourceTool"),
    }
    shells: ClassVar[frozenset[str]] = frozenset({"Shell"})

    def project(self, event: HookEvent) -> str:
        """The first root of the workspace; Cursor tells its hooks."""
        roots = event.fields.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        named = first if isinstance(first, str) and first.startswith("/") else event.cwd
        return project_from("CURSOR_PROJECT_DIR", msgspec.structs.replace(event, cwd=named))

    def origin(self, event: HookEvent) -> Origin:  # noqa: ARG002 - it has but one
        """Cursor tells of what its user sends."""
        return "typed"

    def ours(self, event: HookEvent) -> Tool:
        """A tool of a server, which Cursor does not always name."""
        if event.name == "beforeMCPExecution" or event.tool.startswith(_SERVER):
            server, _, tool = event.tool.removeprefix(_SERVER).rpartition(":")
            return Tool(f"mcp__{server or 'cursor'}__{tool}")
        return super().ours(event)

    def tells_again(self, event: HookEvent, *, asked: bool) -> bool:
        """Commands and files that a person let through, and every call of a server: it may go by another name there."""
        return (asked and event.tool in {*self.shells, _READ}) or event.tool.startswith(_SERVER)

    def told_again(self, event: HookEvent) -> str:
        """A file by its place, which is all that both events say of it."""
        named = event.tool_input.get("path", event.tool_input.get("file_path"))
        if event.tool != _READ or not isinstance(named, str):
            return super().told_again(event)
        place = os.path.normpath(os.path.join(event.cwd, named))  # noqa: PTH118 - as a text
        return super().told_again(event.given({"path": place}))

    def rewritten(self, event: HookEvent, given: dict[str, Any]) -> dict[str, Any] | None:
        """Known to one event only."""
        return {"permission": "allow", "updated_input": given} if event.name == "preToolUse" else None

    def noted(self, event: HookEvent, note: str) -> dict[str, Any]:  # noqa: ARG002 - one shape for all
        """Beside what the model sees."""
        return {"additional_context": note}

    def result(self, event: HookEvent) -> ToolCallPost:
        """What a tool came back with is JSON in a text."""
        return super().result(msgspec.structs.replace(event, content=_read(event.content)))

    def to_result(self, event: HookEvent, verdict: Verdict, shown: Shown) -> dict[str, Any]:
        """A result of a server in its own shape; what other tools brought can't be changed, only told to be data."""
        if not event.tool.startswith(_SERVER):
            withheld = not lets_pass(verdict)
            note = f"Do not use this result. {refusal(verdict)}" if withheld else shown.note
            return self.noted(event, note) if note else {}
        if not lets_pass(verdict):
            return self.without_result(event, f"Withheld by Guardhouse. {refusal(verdict)}")
        content = _read(shown.content)
        changed = content
        if shown.mark is not None:
            from guardhouse.adapters.hooks.marking import marked  # for results of servers only

            changed = marked(content, shown.mark)
        fields = self.noted(event, shown.note) if shown.note else {}
        return {**fields, "updated_mcp_tool_output": changed} if shown.masked or changed != content else fields


def _read(content: Any) -> Any:
    if not isinstance(content, str):
        return content
    try:
        return decode(content)
    except InvalidAction:
        return content


AGENT: Final = Cursor()
