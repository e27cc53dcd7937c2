"""The words and forms of the gateway's answers, and how parts of a request are named to the gate.

Small pure functions, apart from the gateway's own course. A model is told what a verdict says to agents, never more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters.mcp.messages import error_answer, tool_answer
from guardhouse.adapters.outcomes import Denied, Pending
from guardhouse.model import Decision

if TYPE_CHECKING:
    from guardhouse.adapters.mcp.messages import Id, Message
    from guardhouse.adapters.mcp.requests import Waiting
    from guardhouse.model import Verdict

CALL: Final = "tools/call"
CALL_PARTS: Final = frozenset(["name", "arguments", "_meta", "task"])
READ_PARTS: Final = {"uri": frozenset(["uri", "_meta"]), "name": frozenset(["name", "arguments", "_meta"])}
"""Everything that a request may have; a part that only the server knows of would pass unjudged."""
TASKS: Final = frozenset(["tasks/result", "tasks/get", "tasks/list", "tasks/cancel"])
MARKED: Final = TASKS | {CALL, "resources/read", "prompts/get"}
"""Requests of a client whose answers a model reads as content."""
LISTS: Final = frozenset(["resources/list", "resources/templates/list", "prompts/list", "completion/complete"])
UNMARKED: Final = LISTS | {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
"""Requests of a client whose answers programs read. The answer to one that nobody knows may be read by anybody."""
INTRODUCED: Final = frozenset(["initialize", "server/discover"])
"""Requests whose answers have the server's instructions in them."""
GATED: Final = MARKED | {"tools/list"}
WORDLESS: Final = {
    "ping": frozenset[str](),
    "logging/setLevel": frozenset(["level"]),
    **dict.fromkeys(["resources/list", "resources/templates/list", "prompts/list"], frozenset(["cursor"])),
}
"""Requests of a client that carry nothing which a model or a person has written, with the parts that they may have."""
STAYING: Final = frozenset(["ping", "roots/list", "tasks/get", "tasks/list", "tasks/cancel"])
"""Requests of a server whose answers say nothing that a model or a person has written; those to all others do."""
QUIET: Final = {
    "notifications/tools/list_changed": frozenset[str](),
    "notifications/prompts/list_changed": frozenset[str](),
    "notifications/resources/list_changed": frozenset[str](),
    "notifications/progress": frozenset(["progressToken", "progress", "total"]),
    "notifications/cancelled": frozenset(["requestId"]),
}
"""Notifications that say nothing in words, as long as they have no other parts than these, and these are numbers."""
_TASK_PARTS: Final = frozenset(["ttl", "pollInterval"])


def is_quiet(message: Message) -> bool:
    """Whether a notification says nothing in words."""
    parts = QUIET.get(message.method, frozenset())
    return parts.issuperset(message.params) and all(type(one) in (int, float) for one in message.params.values())


def is_plain_task(task: object) -> bool:
    """Whether what a call says of its task are numbers, as the protocol has it: nothing that had to be judged."""
    return isinstance(task, dict) and all(
        key in _TASK_PARTS and (value is None or type(value) in (int, float)) for key, value in task.items()
    )


def why_not(verdict: Verdict) -> str:
    if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
        return Pending(verdict, lambda: None).text
    return Denied(verdict).text


def why_unseen(verdict: Verdict) -> str:
    if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
        return (
            f"The tool has run, but its result is withheld until a person has approved it "
            f"({verdict.approval_request_id}); then make exactly this call again. {verdict.for_agent}"
        )
    return Denied(verdict, ran=True).text


def answer(number: Id, text: str, *, as_tool: bool) -> bytes:
    return tool_answer(number, text) if as_tool else error_answer(number, text)


def withheld(number: Id, asked: Waiting, text: str) -> bytes:
    return answer(number, text, as_tool=asked.method == CALL)


def masked_answer(verdict: Verdict, message: Message) -> dict[str, Any] | None:
    """An answer with what the gate masked, if it did and the form is kept."""
    if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(verdict.content, dict):
        return {**message.body, message.kind: verdict.content}
    return None


def masked_params(verdict: Verdict, message: Message) -> dict[str, Any] | None:
    if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(verdict.content, dict):
        return {**message.body, "params": verdict.content}
    return None


def codes(verdict: Verdict) -> str:
    return ", ".join(dict.fromkeys(reason.code for reason in verdict.reasons))


def ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"
