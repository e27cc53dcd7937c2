"""Claude Code: its events, its tools in our terms, and verdicts in its words.

Its own rules stay in force: a call that we let pass is not approved, so it still asks its user what it would ask. It
can ask its user about what we find doubtful, unless it runs in a mode in which nobody is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool, lets_pass, project_from, refusal
from guardhouse.model import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin, Shown
    from guardhouse.model import Verdict

_ASKING_MODES: Final = frozenset({"default", "acceptEdits"})
"""Modes in which the user is there and is asked. In any other one, also in one that is new to us, a question could be
answered by nobody, or by a classifier: `plan` works like `auto` by default."""
_CONFINING_MODES: Final = frozenset({"default", "acceptEdits", "auto", "bypassPermissions"})
"""Modes in which a command may run in the sandbox without a question. In `plan` nothing is to be run, and in `dontAsk`
only what the user has named."""
_COMMON: Final = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode agent_id agent_type effort".split()
)
_CALL: Final = _COMMON | {"tool_name", "tool_input", "tool_use_id", "mcp_server"}
_STOP: Final = _COMMON | {"stop_hook_active", "last_assistant_message", "background_tasks", "session_crons"}
_WORDS: Final = frozenset({"description"})


class ClaudeCode(Agent):
    """Claude Code, by the types of its SDK 0.3."""

    name: ClassVar[str] = "claude-code"
    title: ClassVar[str] = "Claude Code"
    events: ClassVar[Mapping[str, Kind]] = {
        "PreToolUse": "call",
        "PermissionRequest": "permission",
        "PostToolUse": "result",
        "PostToolUseFailure": "failure",
        "UserPromptSubmit": "prompt",
        "SessionStart": "start",
        "Stop": "answer",
        "SubagentStop": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = {
        "PreToolUse": _CALL,
        "PermissionRequest": _CALL | {"permission_suggestions"},
        "PostToolUse": _CALL | {"tool_response", "duration_ms"},
        "PostToolUseFailure": _CALL | {"error", "is_interrupt", "duration_ms"},
        "UserPromptSubmit": _COMMON | {"prompt", "source", "session_title"},
        "SessionStart": _COMMON
        | {"source", "model", "session_title", "seconds_since_last_response", "context_tokens"}
        | {"prompt_cache_likely_expired", "estimated_cache_write_usd"},
        "Stop": _STOP,
        "SubagentStop": _STOP | {"agent_transcript_path"},
    }
    programs: ClassVar[frozenset[str]] = frozenset({"claude", "claude-code"})
    where: ClassVar[Fields] = Fields(turn=("prompt_id",))
    tools: ClassVar[Mapping[str, Tool]] = {
        "Bash": Tool("Bash", without=_WORDS),
        "PowerShell": Tool("PowerShell", without=_WORDS),
    }
    skills: ClassVar[Mapping[str, str]] = {"Skill": "skill"}
    shells: ClassVar[frozenset[str]] = frozenset({"Bash"})
    tells_user: ClassVar[bool] = True

    def really_from(self, fields: Mapping[str, Any]) -> str | None:
        """Cursor and Copilot CLI read the settings of Claude Code, too."""
        if "cursor_version" in fields:
            return "cursor"
        return "copilot" if "timestamp" in fields and "transcript_path" not in fields else None

    def project(self, event: HookEvent) -> str:
        """The directory that Claude Code was started in; it tells its hooks."""
        return project_from("CLAUDE_PROJECT_DIR", event)

    def asks_itself(self, event: HookEvent) -> bool:
        """Whether the user is asked in the mode that it runs in."""
        return event.text("permission_mode") in _ASKING_MODES

    def origin(self, event: HookEvent) -> Origin:
        """Only `user` is a person. Versions that do not tell claim no authority."""
        source = event.text("source")
        if source == "user":
            return "typed"
        return "scheduled" if source in {"loop_wakeup", "schedule_wakeup", "poll_event", "system"} else "pasted"

    def ours(self, event: HookEvent) -> Tool:
        """An agent that works elsewhere, where no hook of ours is, is a tool of which nobody knows what it does."""
        if event.tool in {"Agent", "Task"} and event.tool_input.get("isolation") == "remote":
            return Tool("Agent (remote)")
        return super().ours(event)

    def to_call(self, event: HookEvent, verdict: Verdict, confine: Callable[[str], str]) -> dict[str, Any]:
        """Nothing, a no for the model, a question for the user, or other arguments."""
        if verdict.decision is Decision.ALLOW and not verdict.confined:
            return {}
        changed = self.passed_on(event, verdict)
        if verdict.confined and verdict.decision is not Decision.DENY:
            is_lost = verdict.decision is Decision.ALLOW_WITH_REDACTION and changed is None
            confined = None if is_lost else self.confined_input(event, changed, confine)
            return self._into_the_sandbox(event, verdict, confined)
        if changed is not None:
            # To change a call is to approve it, where nobody is asked anyway; elsewhere the user sees it changed.
            unasked = event.text("permission_mode") == "bypassPermissions"
            return _decided("allow" if unasked else "ask", verdict.for_person, updatedInput=changed)
        if verdict.decision is Decision.REQUIRE_APPROVAL and self.asks_itself(event) and _is_sound(verdict):
            return _decided("ask", verdict.for_person)
        return self.refused(event, verdict)

    def _into_the_sandbox(self, event: HookEvent, verdict: Verdict, confined: dict[str, Any] | None) -> dict[str, Any]:
        """The call with its command in the sandbox. What runs there need not be asked about once more, but in modes
        that are not about asking."""
        mode = event.text("permission_mode")
        if confined is None:
            return self.refused(event, verdict)
        if verdict.decision is Decision.REQUIRE_APPROVAL:
            if self.asks_itself(event) and _is_sound(verdict):
                return _decided("ask", verdict.for_person, updatedInput=confined)
            return self.refused(event, verdict)
        is_plain = verdict.decision is Decision.ALLOW and mode in _CONFINING_MODES
        allowed = is_plain or mode == "bypassPermissions"
        return _decided("allow" if allowed else "ask", "It runs in the sandbox.", updatedInput=confined)

    def to_result(self, event: HookEvent, verdict: Verdict, shown: Shown) -> dict[str, Any]:
        """Nothing, or what the model sees in its place. A rewrite that changes nothing would undo another hook's."""
        if not lets_pass(verdict):
            return self.without_result(event, f"Withheld by Guardhouse. {refusal(verdict)}")
        content = shown.content
        if shown.mark is not None:
            from guardhouse.adapters.hooks.marking import marked  # for results only

            content = marked(content, shown.mark)
        output = {"updatedToolOutput": content} if shown.masked or content != shown.content else {}
        if shown.note:
            output["additionalContext"] = shown.note
        return {"hookSpecificOutput": {"hookEventName": event.name, **output}} if output else {}

    def noted(self, event: HookEvent, note: str) -> dict[str, Any]:
        """Beside what the model sees."""
        return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": note}}

    def without_result(self, event: HookEvent, reason: str) -> dict[str, Any]:
        """In the shape that the tool gives it; what a server of somebody's returned has none that must be kept."""
        fields = super().without_result(event, reason)
        if not event.tool.startswith("mcp__"):
            from guardhouse.adapters.hooks.marking import withheld  # as above

            fields["hookSpecificOutput"]["updatedToolOutput"] = withheld(event.content, reason)
        return fields

    def to_prompt(self, event: HookEvent, verdict: Verdict) -> dict[str, Any]:
        """A prompt that is refused is not repeated: what is wrong with it may be a secret."""
        fields = super().to_prompt(event, verdict)
        if fields:
            fields["hookSpecificOutput"] = {"hookEventName": event.name, "suppressOriginalPrompt": True}
        return fields


def _decided(decision: Literal["allow", "ask"], reason: str, **more: Any) -> dict[str, Any]:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {**output, **more}}


def _is_sound(verdict: Verdict) -> bool:
    """Whether everything was looked at: a question that leaves out what could not be is none to say yes to."""
    return all(reason.code != "guard.detector_failed" for reason in verdict.reasons)


AGENT: Final = ClaudeCode()
