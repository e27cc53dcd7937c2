"""Our entries in an agent's hook settings: finding them, putting them in, taking them out.

Only entries that run `guardhouse hook` for the agent are ever touched. Pure: text in, text out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.installing.commands import is_own_handler
from guardhouse.installing.settings_shape import misfits
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.installing.agents import Agent
    from guardhouse.installing.commands import HookCommand
    from guardhouse.installing.json_text import Path
    from guardhouse.installing.settings_text import SettingsText

_HOOKS: Final = "hooks"


class Handler(NamedTuple):
    """One handler in the settings, and where it stands. Where handlers stand by themselves, each is its own group."""

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
            for index, handler in enumerate(_handlers_of(group)):
                if isinstance(handler, dict):
                    yield Handler(event, group_index, index, group, handler)


def _handlers_of(group: Any) -> list[Any]:
    """The handlers of a group; what has none beneath it is one itself."""
    if not isinstance(group, dict):
        return []
    inner = group.get(_HOOKS, [group])
    return inner if isinstance(inner, list) else []


def own_handlers(value: Any, agent: Agent) -> list[Handler]:
    """Those of ours for an agent."""
    return [found for found in handlers(value) if is_own_handler(found.handler, agent.name)]


def with_hooks(text: SettingsText, agent: Agent, commands: Mapping[str, HookCommand]) -> SettingsText:
    """With our entry for each event of `commands`, once, and no older one. GuardhouseError if the agent could not read
    what comes of it."""
    _check_events(text.value)
    for key, value in agent.head.items():
        text = text if key in text.value else text.added((), key, value)
    new = _with_hooks(text, agent, commands)
    # What is ours is in order by now: whatever is left is somebody else's, and would keep our hooks from running.
    wrong = next((one for one in misfits(new.value, agent) if one.drops_file), None)
    if wrong is not None:
        raise GuardhouseError(
            f"`{wrong.place}` {wrong.what}. {agent.title} may then read nothing of the file, and run no hooks of it.",
            fix="Mend it first.",
        )
    return new


def _with_hooks(text: SettingsText, agent: Agent, commands: Mapping[str, HookCommand]) -> SettingsText:
    own = _by_event(text.value, agent)
    gone = _emptied(text.value, {event: found for event, found in own.items() if event not in commands})
    replaced: dict[Path, Any] = {}
    added: list[tuple[Path, str | None, Any]] = []
    events = text.value.get(_HOOKS, {})
    for event, command in commands.items():
        group, found = agent.group(event, command), own.get(event, {})
        kept = _place_kept(events.get(event, []), found)
        gone += [(_HOOKS, event, *place) for place in _places(events.get(event, []), found, but=kept)]
        if kept is not None:
            # In its place: some agents know the hooks that were trusted by where they stand.
            if events[event][kept] != group:
                replaced[_HOOKS, event, kept] = group
        elif event in events:
            added.append(((_HOOKS, event), None, group))
        else:
            added.append(((_HOOKS,), event, [group]))
    if _HOOKS not in text.value:
        return text.added((), _HOOKS, {event: groups for _path, event, groups in added})
    if not (gone or replaced or added):
        return text
    return text.changed(replace=replaced, add=added, remove=gone)


def without_hooks(text: SettingsText, agent: Agent) -> SettingsText:
    """Without any entry of ours, nor lists that are empty without them."""
    own = _by_event(text.value, agent)
    if not own:
        return text
    gone = _emptied(text.value, own)
    if len([place for place in gone if len(place) == 2]) == len(text.value[_HOOKS]):
        return text.removed((_HOOKS,))
    return text.changed(remove=gone)


_Groups = dict[int, set[int]]
"""Which handlers of which groups of an event are ours."""


def _by_event(value: Any, agent: Agent) -> dict[str, _Groups]:
    found: dict[str, _Groups] = {}
    for one in own_handlers(value, agent):
        found.setdefault(one.event, {}).setdefault(one.group_index, set()).add(one.handler_index)
    return found


def _place_kept(groups: list[Any], own: _Groups) -> int | None:
    """The first group that holds nothing but ours."""
    return next((index for index, ours in sorted(own.items()) if len(ours) == len(_handlers_of(groups[index]))), None)


def _places(groups: list[Any], own: _Groups, but: int | None = None) -> list[Path]:
    """What of an event's groups is to go: whole groups where nothing else is in them, otherwise our handlers."""
    gone: list[Path] = []
    for index, ours in own.items():
        if index == but:
            continue
        whole = len(ours) == len(_handlers_of(groups[index]))
        gone += [(index,)] if whole else [(index, _HOOKS, place) for place in sorted(ours)]
    return gone


def _emptied(value: Any, own: Mapping[str, _Groups]) -> list[Path]:
    """What is to go of events that get nothing new: the whole event if nothing else is in it."""
    gone: list[Path] = []
    for event, ours in own.items():
        groups = value[_HOOKS][event]
        places = _places(groups, ours)
        empty = len([place for place in places if len(place) == 1]) == len(groups)
        gone += [(_HOOKS, event)] if empty else [(_HOOKS, event, *place) for place in places]
    return gone


def _check_events(value: Any) -> None:
    events = value.get(_HOOKS, {}) if isinstance(value, dict) else None
    if not isinstance(events, dict) or not all(isinstance(groups, list) for groups in events.values()):
        raise GuardhouseError("Its `hooks` are not what they should be: an object of lists.", fix="Mend it first.")
