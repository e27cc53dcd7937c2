"""From the layers of configuration to one: built-in < system < user < project < environment.

Later layers replace single keys, add to the lists that add up, and respect what earlier ones have locked. A project
file is content from a repository: until the user has trusted exactly its bytes, it may only tighten, and anything
else in it is an error that says how to trust it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.model import PolicyError
from guardhouse.policy.presets import preset_layer
from guardhouse.policy.reading import Document, Key
from guardhouse.policy.schema import Configuration, GuardSection
from guardhouse.policy.tightness import TIGHTER, Direction, adds, direction, is_tighter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LayerName = Literal["system", "user", "project", "environment", "allowed"]
_ORDER: Final[tuple[LayerName, ...]] = ("system", "user", "allowed", "project", "environment")
_OWNERS: Final = frozenset({"system", "user"})
_DEFAULTS: Final = msgspec.to_builtins(GuardSection())


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of configuration."""

    name: LayerName
    """`allowed` holds what the user added with `guardhouse allow`: entries for lists that are in force anyway."""
    document: Document
    trusted: bool = True
    """False for a project file whose exact bytes the user has not trusted."""


@dataclass(slots=True)
class Merged:
    """All layers taken together."""

    guard: dict[str, Any]
    sources: dict[str, str] = field(default_factory=dict)
    """Which file set each key, for `guardhouse policy show`."""
    rule_layers: list[tuple[Layer, int]] = field(default_factory=list)
    """Where each rule of `guard["rules"]` stands: its layer and its place there."""


def merge(layers: Sequence[Layer]) -> Merged:
    """One configuration from `layers`, or PolicyError with every problem found."""
    ordered = sorted(layers, key=lambda layer: _ORDER.index(layer.name))
    problems = [problem for layer in ordered for problem in _shape_problems(layer.document)]
    if problems:
        raise _error(problems)
    merged = Merged(guard=preset_layer(_preset(ordered)))
    locks: dict[str, str] = {}
    for layer in ordered:
        problems += _apply(merged, layer, locks)
    if problems:
        raise _error(problems)
    return merged


def _preset(layers: Sequence[Layer]) -> str:
    """The preset to start from: the last one set by a layer that may choose."""
    chosen = [
        layer.document.data["guard"]["preset"]
        for layer in layers
        if layer.trusted and "preset" in layer.document.data.get("guard", {})
    ]
    return str(chosen[-1]) if chosen else "dev"


def _apply(merged: Merged, layer: Layer, locks: dict[str, str]) -> list[str]:
    problems: list[str] = []
    guard = layer.document.data.get("guard", {})
    if layer.name == "allowed":
        return _apply_allowances(merged, layer, locks)
    for key, value in list(_leaf_keys(guard)):
        path = ("guard", *key)
        name = ".".join(key)
        if key == ("preset",):
            if not layer.trusted:
                _tighten_to_preset(merged, str(value), layer)
            continue
        current = _current(merged.guard, key)
        problem = _refusal(layer, key, current, value, locks)
        if problem is not None:
            problems.append(layer.document.problem(path, *problem))
            continue
        if key == ("lock",):
            problems += _lock_problems(layer, value)
            locks.update(dict.fromkeys(value, layer.document.file))
        if key == ("rules",):
            merged.rule_layers += [(layer, index) for index in range(len(value))]
        _set(merged.guard, key, [*current, *value] if adds(key) else value)
        merged.sources[name] = layer.document.file
    return problems


def _refusal(
    layer: Layer, key: tuple[str, ...], current: Any, value: Any, locks: dict[str, str]
) -> tuple[str, str] | None:
    """Why `layer` may not set `key` so, as (what, fix); None if it may."""
    loosens = not is_tighter(key, current, value)
    if key in {("enabled",), ("mode",)} and layer.name not in _OWNERS and loosens:
        return (f"can't be {value!r} here.", "Only the system's or the user's own configuration can say that.")
    locked_by = next((file for lock, file in locks.items() if _covers(lock, key)), None)
    if locked_by is not None and loosens:
        return (f"is locked by {locked_by} and can only be tightened.", f"Allowed here: {direction(key).value}.")
    if not layer.trusted and loosens:
        return (
            "would loosen the policy, and this project file is not trusted.",
            f"Take it out, or read the file and run `guardhouse trust {layer.document.file}`.",
        )
    return None


def _tighten_to_preset(merged: Merged, preset: str, layer: Layer) -> None:
    for key, value in _leaf_keys(preset_layer(preset)):
        if direction(key) not in {Direction.OWNER, Direction.PRESET} and is_tighter(
            key, _current(merged.guard, key), value
        ):
            _set(merged.guard, key, value)
            merged.sources[".".join(key)] = layer.document.file


def _apply_allowances(merged: Merged, layer: Layer, locks: dict[str, str]) -> list[str]:
    """What `guardhouse allow` wrote is added to the lists in force, in every section that has such a list."""
    problems: list[str] = []
    for key, value in _leaf_keys(layer.document.data.get("guard", {})):
        targets = [key]
        if key[0] == "network":
            targets = [
                ("network", section, key[-1])
                for section, content in merged.guard["network"].items()
                if section == "default" or _names_destinations(content)
            ]
        for target in targets:
            current = _current(merged.guard, target)
            added = [*current, *(entry for entry in value if entry not in current)]
            problem = _refusal(layer, target, current, added, locks)
            if problem is not None:
                problems.append(layer.document.problem(("guard", *target), *problem))
                continue
            _set(merged.guard, target, added)
    return problems


def _names_destinations(section: dict[str, Any]) -> bool:
    return "allowed_domains" in section or "allowed_url_prefixes" in section


def _current(guard: dict[str, Any], key: tuple[str, ...]) -> Any:
    """What is in force for `key` so far, defaults included."""
    value = _get(guard, key)
    if value is not None:
        return value
    if key[0] == "network":
        lists = ("allowed_domains", "allowed_url_prefixes")
        section = guard["network"].get(key[1], {})
        if key[-1] in lists and _names_destinations(section):
            return []
        return _get(guard, ("network", "default", key[-1]))
    if key[0] == "findings":
        return "deny"
    if key[0] == "detectors":
        return True
    if key[0] == "tools":
        return []
    return _get(_DEFAULTS, key)


def _get(data: dict[str, Any], key: tuple[str, ...]) -> Any:
    value: Any = data
    for part in key:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def _set(guard: dict[str, Any], key: tuple[str, ...], value: Any) -> None:
    target = guard
    for part in key[:-1]:
        target = target.setdefault(part, {})
    target[key[-1]] = deepcopy(value)


def _leaf_keys(guard: dict[str, Any], key: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every key that holds a value rather than a section."""
    for name, value in guard.items():
        path = (*key, name)
        if isinstance(value, dict):
            yield from _leaf_keys(value, path)
        else:
            yield path, value


def _covers(lock: str, key: tuple[str, ...]) -> bool:
    """Whether a lock on a key or a section covers `key`."""
    parts = tuple(lock.split("."))
    return key[: len(parts)] == parts


def _lock_problems(layer: Layer, locks: list[str]) -> list[str]:
    known = [key for key, _direction in TIGHTER]
    problems = []
    for index, lock in enumerate(locks):
        parts = lock.split(".")
        if not any(_matches(key.split(".")[: len(parts)], parts) for key in known):
            close = get_close_matches(lock, known, n=1)
            fix = f"Did you mean `{close[0]}`?" if close else "Name a key as in config.example.yaml."
            problems.append(layer.document.problem(("guard", "lock", index), f"names no key: `{lock}`.", fix))
    return problems


def _matches(pattern: list[str], parts: list[str]) -> bool:
    return len(pattern) == len(parts) and all(one in ("*", other) for one, other in zip(pattern, parts, strict=True))


def _shape_problems(document: Document) -> list[str]:
    """What is wrong with the file by itself: unknown keys first, all of them; then the first wrong type."""
    unknown = [
        document.problem(key, "is not a key.", _did_you_mean(str(key[-1]), known))
        for key, known in _unknown_keys(document.data, Configuration, ())
    ]
    if unknown:
        return unknown
    try:
        msgspec.convert(document.data, Configuration)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        return [document.problem(_key_of(where), f"{what[:1].lower()}{what[1:]}.")]
    return []


def _unknown_keys(data: Any, kind: Any, key: Key) -> Iterator[tuple[Key, list[str]]]:
    from typing import get_args, get_origin  # beside its only use

    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if isinstance(data, dict):
            fields = {item.name: item.type for item in msgspec.structs.fields(kind)}
            for name, value in data.items():
                if name not in fields:
                    yield (*key, name), list(fields)
                else:
                    yield from _unknown_keys(value, fields[name], (*key, name))
    elif get_origin(kind) is dict and isinstance(data, dict):
        for name, value in data.items():
            yield from _unknown_keys(value, get_args(kind)[1], (*key, name))
    elif get_origin(kind) is tuple and isinstance(data, list):
        for index, value in enumerate(data):
            yield from _unknown_keys(value, get_args(kind)[0], (*key, index))


def _did_you_mean(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    if close:
        return f"Did you mean `{close[0]}`?"
    if known == ["guard"]:
        return "Everything goes under `guard:`."
    return f"Known here: {', '.join(sorted(known))}."


def _key_of(where: str) -> Key:
    """The key in msgspec's `$.guard.rules[0].id` notation."""
    parts: list[str | int] = []
    for piece in where.strip("`").removeprefix("$").replace("[", ".[").split("."):
        if piece.startswith("[") and piece[1:-1].isdigit():
            parts.append(int(piece[1:-1]))
        elif piece:
            parts.append(piece)
    return tuple(parts)


def _error(problems: list[str]) -> PolicyError:
    return PolicyError("\n".join(problems), problems=tuple(problems))
