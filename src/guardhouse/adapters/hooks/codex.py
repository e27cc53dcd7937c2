"""Codex: its events, its tools in our terms, and verdicts in its words.

It refuses an answer with any field that it does not know, and then goes on; it knows no question to its user, and no
result that is changed, only one that is replaced by a reason. So answers have the fewest fields that say it, and what
needs approval is held here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import msgspec

from guardhouse.adapters.hooks.interface import Agent, Kind, lets_pass, refusal
from guardhouse.adapters.hooks.transcripts import arguments_of, directory_of
from guardhouse.model import Action, Decision, ToolCallPre

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Shown
    from guardhouse.model import Verdict

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
    turn: ClassVar[str] = "turn_id"

    def origin(self, event: HookEvent) -> Literal["typed", "pasted", "scheduled"]:
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

    def renames(self, event: HookEvent) -> dict[str, str]:
        """The text of a patch comes as `command`, which it is not."""
        return {"command": "patch"} if event.tool == "apply_patch" else super().renames(event)

    def shell_command(self, event: HookEvent) -> str | None:
        """What its shell is given, if that is all there is to it: with an input of its own, another directory or a
        variable, a command is more than its text, and a shell that the model names could be any program. What the hook
        is not told of the call is in the transcript; a call that is not to be found there is not known."""
        given = event.tool_input
        command = given.get("command")
        if event.tool not in _SHELLS or not isinstance(command, str) or not event.is_object or given.keys() - _HARMLESS:
            return None
        if self.events[event.name] != "call":
            return command  # it was looked at when the call was made
        asked = arguments_of(event.text("transcript_path"), event.call_id)
        if asked is None or asked.keys() - _HARMLESS - _PLACES - {"shell"}:
            return None
        shell = asked.get("shell")
        return command if shell is None or shell in _SYSTEM_SHELLS else None

    def to_call(self, event: HookEvent, verdict: Verdict, confine: Callable[[str], str]) -> dict[str, Any]:
        """Nothing, a no, or other arguments."""
        if verdict.decision is Decision.ALLOW and not verdict.confined:
            return {}
        output: dict[str, Any] = {"hookEventName": event.name}
        changed = self.passed_on(event, verdict)
        if verdict.confined:
            passes = verdict.decision is Decision.ALLOW or changed is not None
            changed = self.confined_input(event, changed, confine) if passes else None
        if changed is not None:
            output |= {"permissionDecision": "allow", "updatedInput": changed}
        else:
            output |= {"permissionDecision": "deny", "permissionDecisionReason": refusal(verdict)}
        return {"hookSpecificOutput": output}

    def to_result(self, event: HookEvent, verdict: Verdict, shown: Shown) -> dict[str, Any]:
        """Nothing, or the reason that the model sees in its place: why it is withheld, or what may be seen of it."""
        if not lets_pass(verdict):
            return self.without_result(event, f"Withheld by Guardhouse. {refusal(verdict)}")
        fields: dict[str, Any] = {}
        if shown.note:
            fields["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": shown.note}
        if shown.masked or shown.mark is not None:
            text = shown.content if isinstance(shown.content, str) else msgspec.json.encode(shown.content).decode()
            seen = text if shown.mark is None else shown.mark(text)
            fields |= {"decision": "block", "reason": f"The result, as it may be seen:\n{seen}"}
        return fields

    def without_result(self, event: HookEvent, reason: str) -> dict[str, Any]:  # noqa: ARG002 - one shape for all
        """The reason stands in its place."""
        return {"decision": "block", "reason": reason}
