"""Codex: its events, its tools in our terms, and verdicts in its words.

It refuses an answer with any field that it does not know, and then goes on; it knows no question to its user, and no
result that is changed, only one that is replaced by a reason. So answers have the fewest fields that say it, and what
needs approval is held here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool
from guardhouse.adapters.hooks.transcripts import arguments_of, directory_of
from guardhouse.model import Action, ToolCallPre

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin

_COMMON: Final = frozenset(
    "session_id turn_id transcript_path cwd hook_event_name model permission_mode agent_id agent_type".split()
)
_CALL: Final = _COMMON | {"tool_name", "tool_input", "tool_use_id"}
_SHELLS: Final = frozenset({"Bash", "shell", "shell_command", "exec_command", "local_shell"})
_UNTOLD: Final = frozenset({"stdin", "workdir"})
_HARMLESS: Final = frozenset(
    "command cmd description justification login max_output_tokens prefix_rule sandbox_permissions timeout timeout_ms"
    " tty type with_escalated_permissions yield_time_ms".split()
)
"""Arguments of a shell that have no say in what runs the command."""
_PLACES: Final = frozenset("workdir working_directory cwd".split())
_SYSTEM_SHELLS: Final = frozenset(
    f"{place}/{name}" for place in ("/bin", "/usr/bin") for name in ("sh", "bash", "dash", "ksh", "zsh")
)
_STOP: Final = _COMMON | {"stop_hook_active", "last_assistant_message"}


class Codex(Agent):
    """Codex, by its published schemas of August 2026."""

    name: ClassVar[str] = "codex"
    title: ClassVar[str] = "Codex"
    events: ClassVar[Mapping[str, Kind]] = {
        "PreToolUse": "call",
        "PermissionRequest": "permission",
        "PostToolUse": "result",
        "UserPromptSubmit": "prompt",
        "SessionStart": "start",
        "Stop": "answer",
        "SubagentStop": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "PreToolUse": _CALL,
        "PermissionRequest": _CALL,
        "PostToolUse": _CALL | {"tool_response"},
        "UserPromptSubmit": _COMMON | {"prompt"},
        "SessionStart": _COMMON | {"source"},
        "Stop": _STOP,
        "SubagentStop": _STOP | {"agent_transcript_path"},
    }
    programs: ClassVar[frozenset[str]] = frozenset({"codex"})
    where: ClassVar[Fields] = Fields(turn=("turn_id",))
    tools: ClassVar[Mapping[str, Tool]] = {"apply_patch": Tool("apply_patch", {"command": "patch"})}
    """The text of a patch comes as `command`, which it is not."""
    shells: ClassVar[frozenset[str]] = _SHELLS

    def origin(self, event: HookEvent) -> Origin:
        """Codex has no prompts but its user's; those of a sub-agent are the agent's own."""
        return "typed" if event.run_id is None else "pasted"

    def call(self, event: HookEvent) -> Action:
        """The call, with what Codex does not tell of a command: where it really runs, and that the model can type into
        it later, without a hook."""
        call = super().call(event)
        if event.tool not in _SHELLS or not isinstance(call, ToolCallPre):
            return call
        more = {"stdin": "open"}
        place = directory_of(event.text("transcript_path"), event.call_id)
        if place is not None:
            more["workdir"] = place
        return msgspec.structs.replace(call, params={**call.params, **more})

    def changed_input(self, event: HookEvent, params: dict[str, Any]) -> dict[str, Any]:
        """Without what Codex did not tell."""
        told = {key: value for key, value in params.items() if key in event.tool_input or key not in _UNTOLD}
        return super().changed_input(event, told)

    def shell_command(self, event: HookEvent) -> str | None:
        """What its shell is given, if that is all there is to it: with an input of its own, another directory or a
        variable, a command is more than its text, and a shell that the model names could be any program. What the hook
        is not told of the call is in the transcript; a call that is not to be found there is not known."""
        command = super().shell_command(event)
        if command is None or event.tool_input.keys() - _HARMLESS:
            return None
        if self.events[event.name] != "call":
            return command  # it was looked at when the call was made
        asked = arguments_of(event.text("transcript_path"), event.call_id)
        if asked is None or asked.keys() - _HARMLESS - _PLACES - {"shell"}:
            return None
        shell = asked.get("shell")
        return command if shell is None or shell in _SYSTEM_SHELLS else None

    def rewritten(self, event: HookEvent, given: dict[str, Any]) -> dict[str, Any]:
        """Together with a yes, which it needs."""
        output = {"hookEventName": event.name, "permissionDecision": "allow", "updatedInput": given}
        return {"hookSpecificOutput": output}

    def noted(self, event: HookEvent, note: str) -> dict[str, Any]:
        """Beside what the model sees."""
        return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": note}}

    def replaced(self, event: HookEvent, seen: str) -> dict[str, Any]:
        """The reason stands in its place."""
        return self.no(event, f"The result, as it may be seen:\n{seen}")


AGENT: Final = Codex()
