"""Saying no to a coding agent when the gate could not be asked: in the words of the agent and of its event.

Agents go on when a hook breaks, so whatever goes wrong must end in one of these answers. Nothing of the house is
imported here: it has to work when the rest does not. Nor is `typing`, which would cost the watcher of every call.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

AGENTS: Final = ("claude-code", "codex")
"""Agents whose hooks we answer."""


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


NOTHING_TO_SAY: Final = answer({})
"""The agent goes on as it would without us: a hook that lets a call pass must not approve it in the user's place."""

_CAN_WAIT: Final = frozenset({"SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop"})
"""Events after which nothing happens that a no could keep from happening."""


def closed(agent: str, event: str | None, why: str) -> Answer:
    """The answer that keeps what an event is about from happening, whatever else is broken.

    Where the event is not known, exit status 2 with a reason on standard error is a no to any of them; the object is
    there for whoever reads it all the same.
    """
    reason = f"Blocked by Guardhouse: {why}"
    if event == "PreToolUse":
        return answer(_deny(reason))
    if event == "PermissionRequest":
        decision = {"behavior": "deny", "message": reason}
        return answer({"hookSpecificOutput": {"hookEventName": event, "decision": decision}})
    if event == "PostToolUse":
        return answer({"decision": "block", "reason": reason, **_instead_of_result(agent, reason)})
    if event == "UserPromptSubmit":
        return answer({"decision": "block", "reason": reason})
    if event == "PostToolUseFailure":
        context = {"hookEventName": event, "additionalContext": reason}
        return answer({"hookSpecificOutput": context})
    if event in _CAN_WAIT:
        return answer({"systemMessage": reason}) if agent == "claude-code" else NOTHING_TO_SAY
    return Answer(answer(_deny(reason)).out, f"{reason}\n".encode(), 2)


def _deny(reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


def _instead_of_result(agent: str, reason: str) -> dict[str, Any]:
    """Claude Code shows a blocked result all the same, unless it is replaced; Codex knows no such field."""
    if agent != "claude-code":
        return {}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": reason}}
