"""The proof that the gate is shut: the very command that is installed is given a call that must be denied.

The call reads a file of the guard's own, which no rule and no mode can allow. It reaches the hook only; no tool runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from guardhouse.audit.statistics import DOCTOR_SESSION
from guardhouse.installing.programs import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from guardhouse.installing.programs import Ran

EVENT: Final = "PreToolUse"
_GARBAGE: Final = b'{"hook_event_name": "PreToolUse", "tool_name": '
_PATIENCE: Final = 30.0
"""As long as an agent waits."""
_LONGEST_REASON: Final = 300

Answer = Literal["denied", "broken", "open"]
"""`broken`: closed, because the hook could not do its work; it then holds back everything."""


class Canary(NamedTuple):
    """What became of one call."""

    answer: Answer
    detail: str


def deny_a_read(agent: str, words: Sequence[str], state: Path, cwd: Path, *, closes: bool = False) -> Canary:
    """What the installed command, started by `words`, says to reading a file in the state directory. `closes`: the
    agent itself takes a hook that fails for a no."""
    call = json.dumps(_call(agent, state / "canary", cwd)).encode()
    return _read(agent, run(words, stdin=call, timeout=_PATIENCE, cwd=cwd), closes=closes)


def refuse_garbage(agent: str, words: Sequence[str], cwd: Path, *, closes: bool = False) -> Canary:
    """What it says to something that is cut off in the middle."""
    return _read(agent, run(words, stdin=_GARBAGE, timeout=_PATIENCE, cwd=cwd), closes=closes)


def _call(agent: str, file: Path, cwd: Path) -> dict[str, Any]:
    common = {
        "session_id": DOCTOR_SESSION,
        "transcript_path": None,
        "cwd": str(cwd),
        "hook_event_name": EVENT,
        "permission_mode": "default",
        "tool_use_id": "canary",
    }
    if agent == "codex":
        import shlex

        command = f"cat {shlex.quote(str(file))}"
        return {**common, "turn_id": "1", "model": "none", "tool_name": "Bash", "tool_input": {"command": command}}
    return {**common, "transcript_path": "", "tool_name": "Read", "tool_input": {"file_path": str(file)}}


def _read(agent: str, ran: Ran, *, closes: bool) -> Canary:
    """An agent's own reading of what a hook gives back. Whatever it does not take for a deny lets the call through."""
    error = " ".join(ran.stderr.decode("utf-8", "replace").split())[-_LONGEST_REASON:]
    failed: Answer = "broken" if closes else "open"
    if ran.status is None:
        return Canary(failed, f"the command gives no answer: {ran.why}.")
    if ran.status == 2:
        if error:
            return Canary("broken", error)
        return Canary("open", "it ends with status 2, but says nothing, which some agents ignore.")
    if ran.status:
        return Canary(failed, f"it ends with status {ran.status}: {error or 'without a word'}")
    reason = _reason(agent, ran.stdout)
    return Canary("open", "its answer is not a deny.") if reason is None else Canary("denied", reason)


def _reason(agent: str, stdout: bytes) -> str | None:
    """Why the call is denied; None if it is not, in the words of this agent."""
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    specific = answer.get("hookSpecificOutput")
    if not isinstance(specific, dict) or specific.get("hookEventName") != EVENT:
        return None
    reason = specific.get("permissionDecisionReason")
    if specific.get("permissionDecision") != "deny" or not isinstance(reason, str):
        return None
    if agent == "codex" and not (reason.strip() and set(answer) <= _CODEX_TOP and set(specific) <= _CODEX_SPECIFIC):
        return None
    return " ".join(reason.split())[:_LONGEST_REASON]


_CODEX_TOP: Final = frozenset(["hookSpecificOutput", "systemMessage"])
_CODEX_SPECIFIC: Final = frozenset(
    ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"]
)
"""Codex takes an answer with any other field for none at all, and lets the call through."""
