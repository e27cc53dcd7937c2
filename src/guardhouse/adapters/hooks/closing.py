"""Saying no to a coding agent when the gate could not be asked: in the words of the agent and of its event.

Agents go on when a hook breaks, so whatever goes wrong must end in one of these answers, and the gate's own no is one
of them, too. Nothing of the house is imported here: it has to work when the rest does not. Nor is `typing`, which would
cost the watcher of every call.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    _Words = Callable[[str, str], dict[str, Any]]


class Answer:
    """What a hook leaves behind: its output, what it says on standard error, and its exit status."""

    __slots__ = ("err", "out", "status")

    def __init__(self, out: bytes, err: bytes = b"", status: int = 0) -> None:
        self.out = out
        self.err = err
        self.status = status


def answer(fields: dict[str, Any]) -> Answer:
    """One JSON object, which an agent reads when the exit status is 0."""
    return Answer(json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")


# The words for no, each given the event and the reason


def _specific(event: str, reason: str) -> dict[str, Any]:
    words = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": words}


def _behaviour(event: str, reason: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "decision": {"behavior": "deny", "message": reason}}}


def _block(_event: str, reason: str) -> dict[str, Any]:
    return {"decision": "block", "reason": reason}


def _deny(_event: str, reason: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": reason}


def _flat(_event: str, reason: str) -> dict[str, Any]:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def _permission(_event: str, reason: str) -> dict[str, Any]:
    # Which of the two reaches the model depends on the version.
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def _read_permission(_event: str, reason: str) -> dict[str, Any]:
    return {"permission": "deny", "user_message": reason}


def _stop(_event: str, reason: str) -> dict[str, Any]:
    return {"continue": False, "user_message": reason}


def _replaced(event: str, reason: str) -> dict[str, Any]:
    # Claude Code shows a blocked result all the same, unless it is replaced.
    words = {"hookEventName": event, "updatedToolOutput": reason}
    return {"decision": "block", "reason": reason, "hookSpecificOutput": words}


def _modified(_event: str, reason: str) -> dict[str, Any]:
    return {"modifiedResult": {"resultType": "success", "textResultForLlm": reason}}


def _server_output(_event: str, reason: str) -> dict[str, Any]:
    # Cursor takes the first for tools of servers only; what others brought can't be taken back.
    shown = {"content": [{"type": "text", "text": reason}]}
    return {"updated_mcp_tool_output": shown, "additional_context": reason}


def _context(event: str, reason: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": reason}}


def _flat_context(_event: str, reason: str) -> dict[str, Any]:
    return {"additionalContext": reason}


def _told(_event: str, reason: str) -> dict[str, Any]:
    return {"systemMessage": reason}


_NO: Final[Mapping[str, Mapping[str, _Words | None]]] = {
    # agent: the events that are answered, and how each is told no; the first one is a call. None is for one after which
    # nothing happens that a no could keep from happening.
    "claude-code": {
        "PreToolUse": _specific,
        "PermissionRequest": _behaviour,
        "PostToolUse": _replaced,
        "PostToolUseFailure": _context,
        "UserPromptSubmit": _block,
        "SessionStart": _told,
        "Stop": _told,
        "SubagentStop": _told,
    },
    "codex": {
        "PreToolUse": _specific,
        "PermissionRequest": _behaviour,
        "PostToolUse": _block,
        "UserPromptSubmit": _block,
        "SessionStart": None,
        "Stop": None,
        "SubagentStop": None,
    },
    "gemini": {
        "BeforeTool": _deny,
        "AfterTool": _deny,
        "BeforeAgent": _deny,
        "SessionStart": _told,
        "AfterAgent": _told,
    },
    "cursor": {
        "preToolUse": _permission,
        "beforeShellExecution": _permission,
        "beforeMCPExecution": _permission,
        "beforeReadFile": _read_permission,
        "postToolUse": _server_output,
        "postToolUseFailure": None,
        "beforeSubmitPrompt": _stop,
        "afterAgentResponse": None,
    },
    "copilot": {
        "preToolUse": _flat,
        "postToolUse": _modified,
        "postToolUseFailure": _flat_context,
        "userPromptSubmitted": _block,
        "subagentStop": None,
        "PreToolUse": _specific,
        "PostToolUse": _modified,
        "PostToolUseFailure": _flat_context,
        "UserPromptSubmit": _block,
        "SubagentStop": None,
    },
    "goose": {
        "PreToolUse": _block,
        "PostToolUse": None,
        "PostToolUseFailure": None,
        "UserPromptSubmit": None,
        "Stop": None,
    },
    "hermes": {
        "pre_tool_call": _block,
        "post_tool_call": None,
        "pre_llm_call": None,
        "post_llm_call": None,
    },
}
_PASSES: Final[Mapping[str, Mapping[str, dict[str, Any]]]] = {
    # Agents that take silence, or an object that decides nothing, for a hook that is broken
    "cursor": {
        "preToolUse": {"permission": "allow"},
        "beforeShellExecution": {"permission": "allow"},
        "beforeMCPExecution": {"permission": "allow"},
        "beforeReadFile": {"permission": "allow"},
        "beforeSubmitPrompt": {"continue": True},
    },
    "goose": {"PreToolUse": {"decision": "allow"}, "Stop": {"decision": "allow"}},
}
AGENTS: Final = tuple(_NO)
"""Agents whose hooks we answer."""


def passed(agent: str, event: str) -> dict[str, Any]:
    """What lets an agent go on as it would without us: a hook that lets a call pass must not approve it in the user's
    place."""
    return _PASSES.get(agent, {}).get(event, {})


def no(agent: str, event: str, reason: str) -> dict[str, Any]:
    """What keeps that which an event is about from happening, as far as the agent has words for it."""
    words = _NO[agent][event]
    return passed(agent, event) if words is None else words(event, reason)


def closed(agent: str, event: str | None, why: str) -> Answer:
    """The answer that keeps what an event is about from happening, whatever else is broken.

    Where the event is not known, exit status 2 with a reason on standard error is a no to any of them; the object says
    no to a call, for whoever reads it all the same.
    """
    reason = f"Blocked by Guardhouse: {why}"
    events = _NO.get(agent, _NO["claude-code"])
    if event is not None and agent in _NO and event in events:
        return answer(no(agent, event, reason))
    call, words = next(iter(events.items()))
    return Answer(answer(words(call, reason) if words is not None else {}).out, f"{reason}\n".encode(), 2)
