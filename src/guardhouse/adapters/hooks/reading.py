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
_PAST: Final = frozenset({"result", "reading", "failure", "answer"})
"""What has happened already: only its text counts, not what would be done with it."""
_BLANK: Final = " \t\r\n\ufeff"
_ABOUT_TOOLS: Final = frozenset({"call", "again", "permission", "result", "reading", "failure"})


def read_input(handle: int) -> bytes:
    """Everything there is to read, up to one byte more than is looked at, which tells that it was too much."""
    pieces: list[bytes] = []
    left = DEFAULT_LIMITS.max_bytes + 1
    while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_fields(data: bytes) -> tuple[dict[str, Any], bool]:
    """The object in the input, and whether it had to be mended. InvalidAction, which quotes nothing, if it is none."""
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


def read_event(agent: Agent, fields: dict[str, Any], expected: str | None, *, mended: bool = False) -> HookEvent:
    """The event in what an agent sent. InvalidAction, which quotes nothing, if it is none, or another one than
    `expected`."""
    where = agent.where
    name = _found(fields, where.event)
    if name is None and agent.leaves_event:
        name = expected
    kind = agent.events.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or kind is None:
        raise InvalidAction("the event is not one that this hook answers.")
    if expected is not None and name != expected:
        raise InvalidAction("the event is another one than this hook is for.")
    if mended and kind not in _PAST:
        raise InvalidAction("a string holds half of a surrogate pair, which the agent may read as something else.")
    tool = agent.implied.get(name) or _found(fields, where.tool)
    if kind in _ABOUT_TOOLS and not (isinstance(tool, str) and tool.strip()):
        raise InvalidAction("the event does not say which tool it is about.")
    content = _found(fields, getattr(where, _CONTENT[kind])) if kind in _CONTENT else None
    if kind == "prompt" and not isinstance(content, str):
        raise InvalidAction("the event has no prompt.")
    given, is_object = _given(agent, name, fields)
    if kind not in _PAST and isinstance(given, str) and given.lstrip(_BLANK).startswith("{"):
        # An agent that reads it all the same, by its own rules, calls the tool with something that nobody has judged.
        raise InvalidAction("what the tool is given looks like JSON, and can't be read as such.")
    session, run = _identifier(fields, where.session), _identifier(fields, where.run)
    return HookEvent(
        name=name,
        kind=kind,
        fields=fields,
        session_id=session,
        cwd=_directory(fields, where.cwd),
        run_id=run,
        parent_run_id=session if run is not None else None,
        task_id=_identifier(fields, where.turn),
        call_id=_identifier(fields, where.call),
        tool=tool if isinstance(tool, str) else "",
        tool_input=given if isinstance(given, dict) else {} if given is None else {"input": given},
        is_object=is_object,
        content=content,
    )


_CONTENT: Final = {
    "result": "response",
    "reading": "response",
    "failure": "error",
    "prompt": "prompt",
    "answer": "spoken",
}
"""Of the kinds of events that bring something, which of `Fields` says where it is."""


def unknown_fields(agent: Agent, event: HookEvent) -> list[str]:
    """The fields that nobody has told us about."""
    return sorted(event.fields.keys() - agent.known[event.name])


def _found(fields: dict[str, Any], places: tuple[str, ...]) -> Any:
    """What stands in the first of these places that has anything."""
    for place in places:
        value: Any = fields
        for step in place.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def _given(agent: Agent, name: str, fields: dict[str, Any]) -> tuple[Any, bool]:
    """What the tool of a call is given, and whether the agent says it as an object. Some say it as JSON in a text, and
    of their own tools in fields of the event."""
    if name in agent.spread:
        return {key: fields[key] for key in agent.spread[name] if key in fields}, True
    given = _found(fields, agent.where.given)
    if not isinstance(given, str):
        return given, isinstance(given, dict)
    try:
        value = decode(given)
    except InvalidAction:
        return given, False
    return value if isinstance(value, dict) else given, False


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


def _identifier(fields: dict[str, Any], places: tuple[str, ...]) -> str | None:
    """An id, if there is one. One that can't be used as such must not lead to another session or call."""
    value = _found(fields, places)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > _LONGEST_ID:
        raise InvalidAction(f"the event's {places[0]} is no id.")
    return value


def _directory(fields: dict[str, Any], places: tuple[str, ...]) -> str:
    value = _found(fields, places)
    if isinstance(value, list) and value:
        value = value[0]  # of several roots the first
    return value if isinstance(value, str) and value.startswith("/") else os.getcwd()  # noqa: PTH109 - as a text
