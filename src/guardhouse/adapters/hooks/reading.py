"""Reads one event of an agent's. What is needed has to be right, what is unknown is ignored and told, and the rest of
the input may be anything."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters.hooks.interface import HookEvent
from guardhouse.model import DEFAULT_LIMITS, MAX_DEPTH, InvalidAction, decode

if TYPE_CHECKING:
    from guardhouse.adapters.hooks.interface import Agent

_LONGEST_ID: Final = 512
_PAST: Final = frozenset({"result", "failure", "answer"})
"""What has happened already: only its text counts, not what would be done with it."""
_ABOUT_TOOLS: Final = frozenset({"call", "permission", "result", "failure"})


def read_input(handle: int) -> bytes:
    """Everything there is to read, up to one byte more than is looked at, which tells that it was too much."""
    pieces: list[bytes] = []
    left = DEFAULT_LIMITS.max_bytes + 1
    while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_event(agent: Agent, data: bytes, expected: str | None) -> HookEvent:
    """The event in `data`. InvalidAction, which quotes nothing, if it is none, or another one than `expected`."""
    fields, mended = _object(data)
    name = fields.get("hook_event_name")
    kind = agent.events.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or kind is None:
        raise InvalidAction("the event is not one that this hook answers.")
    if expected is not None and name != expected:
        raise InvalidAction("the event is another one than this hook is for.")
    if mended and kind not in _PAST:
        raise InvalidAction("a string holds half of a surrogate pair, which the agent may read as something else.")
    tool = fields.get("tool_name")
    if kind in _ABOUT_TOOLS and not (isinstance(tool, str) and tool.strip()):
        raise InvalidAction("the event does not say which tool it is about.")
    if kind == "prompt" and not isinstance(fields.get("prompt"), str):
        raise InvalidAction("the event has no prompt.")
    given = fields.get("tool_input")
    session, run = _identifier(fields, "session_id"), _identifier(fields, "agent_id")
    return HookEvent(
        name=name,
        kind=kind,
        fields=fields,
        session_id=session,
        cwd=_directory(fields),
        run_id=run,
        parent_run_id=session if run is not None else None,
        task_id=_identifier(fields, agent.turn),
        call_id=_identifier(fields, "tool_use_id"),
        tool=tool if isinstance(tool, str) else "",
        tool_input=given if isinstance(given, dict) else {} if given is None else {"input": given},
    )


def unknown_fields(agent: Agent, event: HookEvent) -> list[str]:
    """The fields that nobody has told us about."""
    return sorted(event.fields.keys() - agent.known[event.name])


def _object(data: bytes) -> tuple[dict[str, Any], bool]:
    """The object in the input, and whether it had to be mended."""
    if not data.strip():
        raise InvalidAction("the input is empty.")
    mended = False
    try:
        value = decode(data)
    except InvalidAction as error:
        value, mended = _mended(data, error), True
    if not isinstance(value, dict):
        raise InvalidAction("the input is no JSON object.")
    return value, mended


def _mended(data: bytes, error: InvalidAction) -> Any:
    """The same with every half of a surrogate pair replaced, if that is all that is wrong: a tool may have cut its
    output in the middle of a character, which is no reason to lose it."""
    if b"\\u" not in data or len(data) > DEFAULT_LIMITS.max_bytes:
        raise error
    try:
        value = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise error from None
    try:
        return decode(json.dumps(_whole(value, MAX_DEPTH), ensure_ascii=False))
    except (ValueError, RecursionError):
        raise error from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(fields := dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return fields


def _whole(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if depth <= 0:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [_whole(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {_whole(key, depth - 1): _whole(item, depth - 1) for key, item in value.items()}
    return value


def _identifier(fields: dict[str, Any], name: str) -> str | None:
    """An id, if there is one. One that can't be used as such must not lead to another session or call."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > _LONGEST_ID:
        raise InvalidAction(f"the event's {name} is no id.")
    return value


def _directory(fields: dict[str, Any]) -> str:
    value = fields.get("cwd")
    return value if isinstance(value, str) and value.startswith("/") else os.getcwd()  # noqa: PTH109 - as a text
