"""The proof that the gate is shut: the very command that is installed is given a call that must be denied.

The call reads a file of the guard's own, which no rule and no mode can allow. It reaches the hook only; no tool runs.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from guardhouse.audit.statistics import DOCTOR_SESSION
from guardhouse.installing.programs import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.programs import Ran

_PATIENCE: Final = 30.0
"""As long as an agent waits."""
_LONGEST_REASON: Final = 300

Answer = Literal["denied", "broken", "open"]
"""`broken`: closed, because the hook could not do its work; it then holds back everything."""


class Canary(NamedTuple):
    """What became of one call."""

    answer: Answer
    detail: str


def deny_a_read(agent: Agent, words: Sequence[str], state: Path, cwd: Path, *, closes: bool = False) -> Canary:
    """What the installed command, started by `words`, says to reading a file in the state directory. `closes`: the
    agent itself takes a hook that fails for a no."""
    call = json.dumps(_CALLS[agent.name](str(state / "canary"), str(cwd))).encode()
    return _read(agent, run(words, stdin=call, timeout=_PATIENCE, cwd=cwd), closes=closes)


def refuse_garbage(agent: Agent, words: Sequence[str], cwd: Path, *, closes: bool = False) -> Canary:
    """What it says to something that is cut off in the middle."""
    garbage = b'{"hook_event_name": "%s", "tool_name": ' % agent.call.encode()
    return _read(agent, run(words, stdin=garbage, timeout=_PATIENCE, cwd=cwd), closes=closes)


# The call, as each agent tells of it: a file and a working directory in, an event out


def _claude_code(file: str, cwd: str) -> dict[str, Any]:
    mode = {"permission_mode": "default", "tool_use_id": "canary", "transcript_path": ""}
    return {**_named(cwd, "PreToolUse"), **mode, "tool_name": "Read", "tool_input": {"file_path": file}}


def _codex(file: str, cwd: str) -> dict[str, Any]:
    common = {**_claude_code(file, cwd), "turn_id": "1", "model": "none", "transcript_path": None}
    return {**common, "tool_name": "Bash", "tool_input": {"command": f"cat {shlex.quote(file)}"}}


def _gemini(file: str, cwd: str) -> dict[str, Any]:
    common = {**_named(cwd, "BeforeTool"), "transcript_path": "", "timestamp": "2026-01-01T00:00:00Z"}
    return {**common, "tool_name": "read_file", "tool_input": {"file_path": file}}


def _cursor(file: str, cwd: str) -> dict[str, Any]:
    common = {"conversation_id": DOCTOR_SESSION, "hook_event_name": "preToolUse", "workspace_roots": [cwd], "cwd": cwd}
    return {**common, "tool_name": "Read", "tool_input": {"file_path": file}, "tool_use_id": "canary"}


def _copilot(file: str, cwd: str) -> dict[str, Any]:
    common = {"sessionId": DOCTOR_SESSION, "timestamp": 0, "cwd": cwd}
    return {**common, "toolName": "view", "toolArgs": {"path": file}}


def _goose(file: str, cwd: str) -> dict[str, Any]:
    common = {"event": "PreToolUse", "session_id": DOCTOR_SESSION, "working_dir": cwd}
    tool = "developer__shell"
    return {**common, "tool_name": tool, "matcher_context": tool, "tool_input": {"command": f"cat {shlex.quote(file)}"}}


def _hermes(file: str, cwd: str) -> dict[str, Any]:
    common = {**_named(cwd, "pre_tool_call"), "extra": {"tool_call_id": "canary"}}
    return {**common, "tool_name": "read_file", "tool_input": {"path": file}}


def _named(cwd: str, event: str) -> dict[str, Any]:
    return {"session_id": DOCTOR_SESSION, "cwd": cwd, "hook_event_name": event}


_CALLS: Final = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _copilot,
    "goose": _goose,
    "hermes": _hermes,
}


def _read(agent: Agent, ran: Ran, *, closes: bool) -> Canary:
    """An agent's own reading of what a hook gives back. Whatever it does not take for a deny lets the call through."""
    error = " ".join(ran.stderr.decode("utf-8", "replace").split())[-_LONGEST_REASON:]
    failed: Answer = "broken" if closes else "open"
    if ran.status is None:
        return Canary(failed, f"the command gives no answer: {ran.why}.")
    reason = _reason(agent, ran.stdout)
    if agent.name in _READS_WORDS_ONLY and ran.status and reason is not None:
        return Canary("broken", error or reason)
    if ran.status == 2 and agent.name not in _READS_WORDS_ONLY:
        if error:
            return Canary("broken", error)
        return Canary("open", "it ends with status 2, but says nothing, which some agents ignore.")
    if ran.status:
        return Canary(failed, f"it ends with status {ran.status}: {error or 'without a word'}")
    return Canary("open", "its answer is not a deny.") if reason is None else Canary("denied", reason)


_READS_WORDS_ONLY: Final = frozenset({"hermes"})
"""What its published versions make of a hook does not depend on its status."""


def _reason(agent: Agent, stdout: bytes) -> str | None:
    """Why the call is denied; None if it is not, in the words of this agent."""
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    place, decision, no, why = _WORDS[agent.name]
    said = answer.get(place) if place else answer
    if not isinstance(said, dict) or (place and said.get("hookEventName") != agent.call):
        return None
    reason = said.get(why)
    if said.get(decision) not in no or not isinstance(reason, str):
        return None
    if agent.name == "codex" and not (reason.strip() and set(answer) <= _CODEX_TOP and set(said) <= _CODEX_SPECIFIC):
        return None
    return " ".join(reason.split())[:_LONGEST_REASON]


_CLAUDE: Final = ("hookSpecificOutput", "permissionDecision", ("deny",), "permissionDecisionReason")
_WORDS: Final = {
    # where an agent looks for a decision, what it calls it, which ones are a no, and where it looks for the reason
    "claude-code": _CLAUDE,
    "codex": _CLAUDE,
    "gemini": ("", "decision", ("deny", "block"), "reason"),
    "cursor": ("", "permission", ("deny",), "user_message"),
    "copilot": ("", "permissionDecision", ("deny",), "permissionDecisionReason"),
    "goose": ("", "decision", ("block",), "reason"),
    "hermes": ("", "decision", ("block",), "reason"),
}
_CODEX_TOP: Final = frozenset(["hookSpecificOutput", "systemMessage"])
_CODEX_SPECIFIC: Final = frozenset(
    ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"]
)
"""Codex takes an answer with any other field for none at all, and lets the call through."""
