"""Agents that code starts by their libraries, so that they ask nobody.

Those that a command starts are in `projects`.
"""

from __future__ import annotations

from typing import Final

_LIBRARIES: Final = (
    "claude_agent_sdk",
    "claude-agent-sdk",
    "claude_code_sdk",
    "@anthropic-ai/claude-code",
    "codex-sdk",
)
_BYPASSES: Final = (
    *("bypassPermissions", "angerouslySkipPermissions", "dangerously-skip", "danger-full-access", "setting_sources"),
    *("settingSources", "canUseTool", "can_use_tool", "approvalPolicy", "--bare", "--settings"),
)


def starts_agent(code: str) -> bool:
    """Whether code starts an agent by its library, so that it asks nobody."""
    return any(name in code for name in _LIBRARIES) and any(word in code for word in _BYPASSES)
