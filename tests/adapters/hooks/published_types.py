"""What the agents have published about the answers that they read, as strict types: a field that is not here is one
that the agent does not know. Claude Code's are those of its SDK 0.3.325, Codex's its JSON Schemas of August 2026."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType


class _Strict(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    pass


class PermissionDecision(_Strict):
    behavior: Literal["allow", "deny"]
    message: str | UnsetType = UNSET


class ClaudeCodeOutput(_Strict):
    """The fields of every event's own output that we use."""

    hook_event_name: Literal[
        "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"
    ]
    permission_decision: Literal["allow", "deny", "ask", "defer"] | UnsetType = UNSET
    permission_decision_reason: str | UnsetType = UNSET
    updated_input: dict[str, Any] | UnsetType = UNSET
    additional_context: str | UnsetType = UNSET
    updated_tool_output: Any = UNSET
    decision: PermissionDecision | UnsetType = UNSET
    suppress_original_prompt: bool | UnsetType = UNSET

    def fits(self) -> bool:
        """Each event has only some of them."""
        own = {
            "PreToolUse": {"permission_decision", "permission_decision_reason", "updated_input", "additional_context"},
            "PermissionRequest": {"decision"},
            "PostToolUse": {"additional_context", "updated_tool_output"},
            "PostToolUseFailure": {"additional_context"},
            "UserPromptSubmit": {"additional_context", "suppress_original_prompt"},
            "SessionStart": {"additional_context"},
        }[self.hook_event_name]
        given = {name for name in self.__struct_fields__ if getattr(self, name) is not UNSET}
        return given - {"hook_event_name"} <= own


class ClaudeCodeAnswer(_Strict):
    decision: Literal["approve", "block"] | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    system_message: str | UnsetType = UNSET
    hook_specific_output: ClaudeCodeOutput | UnsetType = UNSET

    def does(self, event: str | None) -> str:
        output = self.hook_specific_output
        if output is not UNSET:
            if output.hook_event_name != event or not output.fits():
                return "breaks"
            if output.permission_decision == "deny":
                return "stops"
            if output.permission_decision == "ask":
                return "asks"
            if output.decision is not UNSET and output.decision.behavior == "deny":
                return "stops"
        return "stops" if self.decision == "block" else "goes on"


class CodexOutput(_Strict):
    hook_event_name: Literal["PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit"]
    permission_decision: Literal["allow", "deny"] | UnsetType = UNSET
    permission_decision_reason: str | UnsetType = UNSET
    updated_input: dict[str, Any] | UnsetType = UNSET
    additional_context: str | UnsetType = UNSET
    decision: PermissionDecision | UnsetType = UNSET


class CodexAnswer(_Strict):
    decision: Literal["block"] | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    hook_specific_output: CodexOutput | UnsetType = UNSET

    def does(self, event: str | None) -> str:
        output = self.hook_specific_output
        if self.reason is not UNSET and self.decision is UNSET:
            return "breaks"
        if output is not UNSET:
            if output.hook_event_name != event:
                return "breaks"
            if output.permission_decision == "deny":
                return "stops" if output.permission_decision_reason else "breaks"
            if (output.permission_decision == "allow") != (output.updated_input is not UNSET):
                return "breaks"
            if output.decision is not UNSET and output.decision.behavior == "deny":
                return "stops"
        if self.decision == "block":
            return "stops" if self.reason else "breaks"
        return "goes on"
