"""An answer of which only a part may be seen, in the form that the protocol gives it.

A person's condition cuts whatever may be content. The few fields by which client and server go on with each other are
as they came, as long as they are what the protocol says: a number, one of its own words, a time, a short plain name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.trust import is_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_NAME: Final = 128
_LARGEST_CODE: Final = 2**31
_STATUSES: Final = frozenset("working input_required completed failed cancelled".split())
_ROLES: Final = frozenset("user assistant".split())
_TIME: Final = frozenset("0123456789-:.TZ+")
_LISTS: Final = ("content", "contents", "messages", "tasks")


def limited_error(error: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, Any]:
    """What may be `seen` of an error, with its code."""
    return _with_own(error, seen, _OF_ERRORS)


def limited_result(
    result: Mapping[str, Any], seen: Mapping[str, Any], asked: str | None, mask: Callable[[str], str]
) -> dict[str, Any]:
    """What may be `seen` of a result, as one. `asked` is the address that the client named, if it named one; what
    `mask` finds a secret in is no name."""
    of_tasks = {**_OF_TASKS, "taskId": lambda value: _is_short_name(value) and mask(value) == value}
    shown = _with_own(result, seen, of_tasks)
    shown.pop("nextCursor", None)  # what was cut leads nowhere
    if isinstance(result.get("task"), dict) and isinstance(seen.get("task"), dict):
        shown["task"] = _with_own(result["task"], seen["task"], of_tasks)
    for name in _LISTS:
        if isinstance(seen.get(name), list) and isinstance(result.get(name), list):
            pairs = list(zip(result[name], seen[name], strict=False))
            owned = {"messages": _OF_MESSAGES, "contents": {"uri": lambda uri: uri == asked}}.get(name, of_tasks)
            parts = [_part(name, one, own, owned) for one, own in pairs]
            shown[name] = [part for part in parts if part is not None]
    return shown


def _part(name: str, part: Any, seen: Any, owned: Mapping[str, Callable[[Any], bool]]) -> Any:
    """One entry of a list: a block of content, or what has the protocol's own fields in it."""
    if name == "content":
        return _block(seen)
    if not isinstance(part, dict) or not isinstance(seen, dict):
        return None
    shown = _with_own(part, seen, owned)
    return {**shown, "content": _block(seen.get("content"))} if name == "messages" else shown


def _block(seen: Any) -> dict[str, Any]:
    """What is left of an image, a link or anything else is no such thing any more: it is told as text."""
    if isinstance(seen, dict) and seen.get("type") == "text" and isinstance(seen.get("text"), str):
        return seen
    return {"type": "text", "text": seen if isinstance(seen, str) else msgspec.json.encode(seen).decode()}


def _with_own(
    whole: Mapping[str, Any], seen: Mapping[str, Any], own: Mapping[str, Callable[[Any], bool]]
) -> dict[str, Any]:
    """`seen`, with those fields of the protocol that are what it says."""
    return {**seen, **{name: whole[name] for name, is_it in own.items() if name in whole and is_it(whole[name])}}


def _is_code(value: Any) -> bool:
    return type(value) is int and abs(value) < _LARGEST_CODE


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 35 and _TIME.issuperset(value)


def _is_short_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_NAME and is_name(value)


def _is_number(value: Any) -> bool:
    return value is None or type(value) in (int, float)


_OF_MESSAGES: Final[dict[str, Callable[[Any], bool]]] = {
    "role": lambda value: isinstance(value, str) and value in _ROLES
}
_OF_ERRORS: Final[dict[str, Callable[[Any], bool]]] = {"code": _is_code}
_OF_TASKS: Final[dict[str, Callable[[Any], bool]]] = {
    "status": lambda value: isinstance(value, str) and value in _STATUSES,
    "createdAt": _is_time,
    "lastUpdatedAt": _is_time,
    "ttl": _is_number,
    "pollInterval": _is_number,
}
