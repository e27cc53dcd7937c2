"""Our entries in an agent's hook settings: finding them, putting them in, taking them out.

Only entries that run `guardhouse hook` for the agent are ever touched. Pure: text in, text out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.installing.commands import is_hook_command
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.json_text import JsonText

_HOOKS: Final = "hooks"


class Handler(NamedTuple):
    """One handler in the settings, and where it stands."""

    event: str
    group_index: int
    handler_index: int
    group: dict[str, Any]
    handler: dict[str, Any]


def handlers(value: Any) -> Iterator[Handler]:
    """Every handler in settings that are of the usual shape; what is of another shape is passed over."""
    events = value.get(_HOOKS) if isinstance(value, dict) else None
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group_index, group in enumerate(groups) if isinstance(groups, list) else ():
            inner = group.get(_HOOKS) if isinstance(group, dict) else None
            for index, handler in enumerate(inner) if isinstance(inner, list) else ():
                if isinstance(handler, dict):
                    yield Handler(event, group_index, index, group, handler)


def own_handlers(value: Any, agent: Agent) -> list[Handler]:
    """Those of ours for an agent."""
    return [found for found in handlers(value) if is_hook_command(found.handler.get("command"), agent.name)]


def with_hooks(text: JsonText, agent: Agent, commands: Mapping[str, str]) -> JsonText:
    """With our entry for each event of `commands`, once, and no older one. GuardhouseError if the shape is odd."""
    _check_shape(text.value)
    for event in _events_of(text, agent):
        if event not in commands:
            text = _without(text, agent, event)
    for event, command in commands.items():
        text = _with_hook(text, agent, event, agent.group(event, command))
    return text


def without_hooks(text: JsonText, agent: Agent) -> JsonText:
    """Without any entry of ours, nor lists that are empty without them."""
    for event in _events_of(text, agent):
        text = _without(text, agent, event)
    return text


def _events_of(text: JsonText, agent: Agent) -> list[str]:
    return list(dict.fromkeys(found.event for found in own_handlers(text.value, agent)))


def _with_hook(text: JsonText, agent: Agent, event: str, group: dict[str, Any]) -> JsonText:
    found = [handler for handler in own_handlers(text.value, agent) if handler.event == event]
    if len(found) == 1 and found[0].group == group:
        return text
    alone = next((handler for handler in found if len(handler.group[_HOOKS]) == 1), None)
    if alone is not None:
        # In its place: some agents know the hooks that were trusted by where they stand.
        text = text.replaced((_HOOKS, event, alone.group_index), group)
        spare = next((one for one in found if one.group_index != alone.group_index), None)
        return text if spare is None else _with_hook(_without_one(text, spare), agent, event, group)
    if found:
        return _with_hook(_without_one(text, found[0]), agent, event, group)
    if _HOOKS not in text.value:
        return text.added((), _HOOKS, {event: [group]})
    if event not in text.value[_HOOKS]:
        return text.added((_HOOKS,), event, [group])
    return text.added((_HOOKS, event), None, group)


def _without(text: JsonText, agent: Agent, event: str) -> JsonText:
    while found := [handler for handler in own_handlers(text.value, agent) if handler.event == event]:
        text = _without_one(text, found[-1])
    if not text.value[_HOOKS][event]:
        text = text.removed((_HOOKS, event))
    return text if text.value[_HOOKS] else text.removed((_HOOKS,))


def _without_one(text: JsonText, found: Handler) -> JsonText:
    place = (_HOOKS, found.event, found.group_index)
    return text.removed(place if len(found.group[_HOOKS]) == 1 else (*place, _HOOKS, found.handler_index))


def _check_shape(value: Any) -> None:
    events = value.get(_HOOKS, {}) if isinstance(value, dict) else None
    if not isinstance(events, dict) or not all(isinstance(groups, list) for groups in events.values()):
        raise GuardhouseError("Its `hooks` are not what they should be: an object of lists.", fix="Mend it first.")
