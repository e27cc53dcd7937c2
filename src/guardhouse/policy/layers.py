"""From the layers of configuration to one: built-in < system < user < project < environment.

Later layers replace single keys, add to the lists that add up, and respect what earlier ones have locked. A project
file is content from a repository: until the user has trusted exactly its bytes, it may only tighten, and anything
else in it is an error that says how to trust it. Each layer is held against what was in force before it, so the
order of keys within a file means nothing.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from guardhouse.model import PolicyError
from guardhouse.policy.presets import OUTCOMES, preset_layer
from guardhouse.policy.reading import Document, Key
from guardhouse.policy.schema import Configuration, GuardSection
from guardhouse.policy.tightness import TIGHTER, Direction, adds, direction, is_tighter
from guardhouse.trust import tool_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LayerName = Literal["system", "user", "project", "environment", "allowed", "mode"]
_ORDER: Final[tuple[LayerName, ...]] = ("system", "mode", "user", "allowed", "project", "environment")
_OWNERS: Final = frozenset({"system", "user", "mode"})
_DEFAULTS: Final = msgspec.to_builtins(GuardSection())


class Layer(msgspec.Struct, frozen=True):
    """One source of configuration."""

    name: LayerName
    """`allowed` holds what the user added with `guardhouse allow`: entries for lists that are in force anyway. `mode`
    holds what the user set with `guardhouse observe`, and nothing else; what stands in their own file beats it."""
    document: Document
    trusted: bool = True
    """False for a project file whose exact bytes the user has not trusted."""


class Merged(msgspec.Struct):
    """All layers taken together."""

    guard: dict[str, Any]
    sources: dict[str, str] = msgspec.field(default_factory=dict)
    """Which file set each key, for `guardhouse policy show`."""
    rule_layers: list[tuple[Layer, int]] = msgspec.field(default_factory=list)
    """Where each rule of `guard["rules"]` stands: its layer and its place there."""
    layers: list[Layer] = msgspec.field(default_factory=list)
    """The layers in order, with tool names written as they are compared."""
    locks: dict[str, str] = msgspec.field(default_factory=dict)
    """Every lock, with the file that set it first."""


def merge(layers: Sequence[Layer]) -> Merged:
    """One configuration from `layers`, or PolicyError with every problem found."""
    ordered = sorted(layers, key=lambda layer: _ORDER.index(layer.name))
    problems = [problem for layer in ordered for problem in _shape_problems(layer.document)]
    if problems:
        raise _error(problems)
    merged = Merged(guard=preset_layer("dev"))
    for layer in ordered:
        named, name_problems = _with_tool_names(layer)
        merged.layers.append(named)
        problems += name_problems or _apply(merged, named)
    if problems:
        raise _error(problems)
    return merged


_BY_TOOL: Final = ("network", "tools")


def _with_tool_names(layer: Layer) -> tuple[Layer, list[str]]:
    """The layer with tool names as they are compared, so that no spelling of a name gets around what another layer
    says of that tool; and what is wrong with the names."""
    document = layer.document
    guard = dict(document.data.get("guard", {}))
    places: dict[Key, Key] = {}
    problems: list[str] = []
    for section in (name for name in _BY_TOOL if name in guard):
        named: dict[str, Any] = {}
        for written, content in guard[section].items():
            place: Key = ("guard", section, written)
            name = tool_name(written)
            if not name:
                problems.append(document.problem(place, "is no tool's name."))
            elif name in named:
                problems.append(document.problem(place, f"is there twice: as `{name}` too.", "Keep one."))
            elif section == "network" and any(char in name for char in "*?["):
                problems.append(
                    document.problem(place, "is a pattern, and this section names one tool.", "Write it out.")
                )
            named[name] = content
            places[place] = ("guard", section, name)
        guard[section] = named
    if problems or all(old == new for old, new in places.items()):
        return layer, problems
    lines = {(*places.get(key[:3], key[:3]), *key[3:]): line for key, line in document.lines.items()}
    return msgspec.structs.replace(layer, document=Document(document.file, {"guard": guard}, lines)), []


def _apply(merged: Merged, layer: Layer) -> list[str]:
    if layer.name == "allowed":
        return _apply_allowances(merged, layer)
    problems: list[str] = []
    guard = layer.document.data.get("guard", {})
    if "preset" in guard and layer.name != "mode":
        _apply_preset(merged, str(guard["preset"]), layer)
    # Rules are replaced as a whole, never changed in place, and there may be thousands of them.
    before = {name: value if name == "rules" else _copied(value) for name, value in merged.guard.items()}
    for key, value in _leaf_keys(guard):
        if layer.name == "mode" and key != ("mode",):
            problems.append(layer.document.problem(("guard", *key), "is not the mode.", _ONLY_MODE))
            continue
        if key == ("preset",):
            continue
        current = _current(before, key)
        problem = _refusal(layer, key, current, value, merged.locks)
        if problem is not None:
            problems.append(layer.document.problem(("guard", *key), *problem))
            continue
        if key == ("rules",):
            merged.rule_layers += [(layer, index) for index in range(len(value))]
        _set(merged.guard, key, [*current, *value] if adds(key) or key == ("lock",) else value)
        merged.sources[".".join(key)] = layer.document.file
    locks = guard.get("lock", ())
    problems += _lock_problems(layer, locks)
    merged.locks = {**{_lock_name(lock): layer.document.file for lock in locks}, **merged.locks}
    return problems


_ONLY_MODE: Final = "Only `guardhouse observe` writes this file; put the key into your own configuration."


def _apply_preset(merged: Merged, preset: str, layer: Layer) -> None:
    """A preset gives what no layer has set itself. Where a layer may only tighten, it gives only what is tighter, and
    leaves lists alone: emptying the user's allowlists is not what somebody means who asks for a stricter preset."""
    chooses = layer.trusted and _lock_on(merged.locks, ("preset",)) is None
    if chooses:
        _forget_labels(merged)
    for key, value in _leaf_keys(preset_layer(preset)):
        name = ".".join(key)
        if key == ("preset",):
            takes = chooses
        elif chooses and _lock_on(merged.locks, key) is None:
            takes = name not in merged.sources
        else:
            current = _current(merged.guard, key)
            takes = direction(key) is not Direction.FEWER and is_tighter(key, current, value, by_preset=True)
        if takes:
            _set(merged.guard, key, value)
            if key == ("preset",) or not chooses:
                merged.sources[name] = layer.document.file


def _forget_labels(merged: Merged) -> None:
    """Take back what the last preset said of labels, but for what is locked. Only some presets speak of any."""
    for side in ("output", "egress"):
        named = merged.guard["labels"][side]
        for label in list(named):
            key = ("labels", side, label)
            if ".".join(key) not in merged.sources and _lock_on(merged.locks, key) is None:
                del named[label]


def _refusal(
    layer: Layer, key: tuple[str, ...], current: Any, value: Any, locks: dict[str, str]
) -> tuple[str, str] | None:
    """Why `layer` may not set `key` so, as (what, fix); None if it may."""
    loosens = not is_tighter(key, current, value)
    if layer.name == "environment" and direction(key) is Direction.OWNER and loosens:
        return ("can't be set here.", "Only a configuration file of the system's or the user's own can say that.")
    if key in {("enabled",), ("mode",)} and layer.name not in _OWNERS and loosens:
        return (f"can't be {value!r} here.", "Only the system's or the user's own configuration can say that.")
    locked_by = _lock_on(locks, key)
    if locked_by is not None and loosens:
        takes_back = " `guardhouse enforce` takes it back." if layer.name == "mode" else ""
        fix = f"Allowed here: {direction(key).value}.{takes_back}"
        return (f"is locked by {locked_by} and can only be tightened.", fix)
    if key == ("rules",):
        for rule in value:
            locked_by = _lock_waived(locks, rule)
            if locked_by is not None:
                return (f"waives, in `{rule['id']}`, a finding locked by {locked_by}.", "Take that code out of it.")
    if not layer.trusted and key == ("rules",) and len(value) > _MOST_UNTRUSTED_RULES:
        return (f"are more than {_MOST_UNTRUSTED_RULES}, and this project file is not trusted.", "Keep fewer.")
    if not layer.trusted and loosens:
        return (
            "would loosen the policy, and this project file is not trusted.",
            f"Take it out, or read the file and run `guardhouse trust {layer.document.file}`.",
        )
    return None


_MOST_UNTRUSTED_RULES: Final = 100
"""Every rule costs time at every call, and nobody has looked at these."""

_ALLOWANCES: Final = frozenset(
    {
        ("network", "allowed_domains"),
        ("commands", "allowed"),
        ("paths", "allowed_directories"),
        ("tools", "capabilities"),
        ("tools", "pinned_to"),
    }
)
"""First and last part of the keys that `guardhouse allow` writes."""


def _apply_allowances(merged: Merged, layer: Layer) -> list[str]:
    """What `guardhouse allow` wrote is added to the lists in force, in every section that has such a list."""
    problems: list[str] = []
    for key, value in _leaf_keys(layer.document.data.get("guard", {})):
        if (key[0], key[-1]) not in _ALLOWANCES:
            fix = "Only `guardhouse allow` writes this file; put the key into your own configuration."
            problems.append(layer.document.problem(("guard", *key), "is no allowance.", fix))
            continue
        targets = [key]
        if key[0] == "network":
            targets = [
                ("network", section, key[-1])
                for section, content in merged.guard["network"].items()
                if section == "default" or _names_destinations(content)
            ]
        for target in targets:
            current = _current(merged.guard, target)
            # What a tool can do was last said of one description: that is no list.
            added = value if isinstance(value, str) else list(dict.fromkeys([*(current or ()), *value]))
            problem = _refusal(layer, target, current, added, merged.locks)
            if problem is not None:
                problems.append(layer.document.problem(("guard", *target), *problem))
                continue
            _set(merged.guard, target, added)
            merged.sources.setdefault(".".join(target), layer.document.file)
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
    if key[:2] in _BY_LABEL:
        from guardhouse.policy.labels import groups_of, outcome_of  # only where a label is named

        patterns = guard["labels"].get("patterns", [])
        return outcome_of(key[2], guard["labels"][key[1]], groups_of(patterns))
    if key[0] == "detectors":
        return True
    return _get(_DEFAULTS, key)  # of a tool that nobody has described: None, which no list equals


_BY_LABEL: Final = (("labels", "output"), ("labels", "egress"))
_LABELS_OF: Final = {"label.in_output": ("labels", "output", "*"), "label.outbound": ("labels", "egress", "*")}
"""What is lifted with these codes."""


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
    target[key[-1]] = _copied(value)


def _copied(value: Any) -> Any:
    """A deep copy of plain data."""
    if isinstance(value, dict):
        return {name: _copied(item) for name, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


_TOOL_KEY: Final = 3
"""How long the path to a key of a tool is: what it holds, such as a JSON Schema, is one value."""


def _leaf_keys(guard: dict[str, Any], key: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every key that holds a value rather than a section."""
    for name, value in guard.items():
        path = (*key, name)
        if isinstance(value, dict) and not (path[0] == "tools" and len(path) == _TOOL_KEY):
            yield from _leaf_keys(value, path)
        else:
            yield path, value


def _lock_on(locks: dict[str, str], key: tuple[str, ...]) -> str | None:
    """The file that locked `key`, if one did. A tool's own network section stands under what the default is locked to:
    otherwise a lock there could be passed by, tool by tool."""
    names = [".".join(key)]
    if key[0] == "network":
        names.append(".".join(("network", "default", *key[2:])))
    if locks and key[:2] in _BY_LABEL:
        from guardhouse.policy.labels import touched_by  # as above

        side = ".".join(key[:2])
        locked = [lock.removeprefix(f"{side}.") for lock in locks if lock.startswith(f"{side}.")]
        names += [f"{side}.{name}" for name in touched_by(key[2], locked)]
    return next((file for lock, file in locks.items() if any(_covers(lock, name) for name in names)), None)


def _covers(lock: str, name: str) -> bool:
    """Whether a lock on a key or a section covers the key `name`; `*` in a lock is any name."""
    return name == lock or name.startswith(f"{lock}.") or fnmatchcase(name, lock) or fnmatchcase(name, f"{lock}.*")


def _lock_waived(locks: dict[str, str], rule: dict[str, Any]) -> str | None:
    """The file that locked what an allow rule would lift."""
    for waived in rule.get("waives", ()):
        for code in (waived, *(row[0] for row in OUTCOMES if fnmatchcase(row[0], waived))):
            file = _lock_on(locks, ("findings", code))
            if file is None and code in _LABELS_OF:
                file = _lock_on(locks, _LABELS_OF[code])
            if file is not None:
                return file
    return None


def _lock_name(lock: str) -> str:
    section, dot, rest = lock.partition(".")
    return f"{section}{dot}{rest.lower()}" if section in _BY_TOOL else lock


def _lock_problems(layer: Layer, locks: Sequence[str]) -> list[str]:
    known = [key for key, _direction in TIGHTER]
    problems = []
    for index, lock in enumerate(locks):
        if not any(_names_key(_lock_name(lock), key) for key in known):
            from difflib import get_close_matches  # only on the way to an error

            close = get_close_matches(lock, known, n=1)
            fix = f"Did you mean `{close[0]}`?" if close else "Name a key as in config.example.yaml."
            problems.append(layer.document.problem(("guard", "lock", index), f"names no key: `{lock}`.", fix))
    return problems


def _names_key(lock: str, key: str) -> bool:
    """Whether a lock names `key` of the table, or a section above it. Names of tools and codes may hold dots."""
    parts = key.split(".")
    whole = r"\.".join(".+" if part == "*" else re.escape(part) for part in parts)
    above = [
        r"\.".join("[^.]+" if part == "*" else re.escape(part) for part in parts[:end]) for end in range(1, len(parts))
    ]
    return any(re.fullmatch(pattern, lock) for pattern in (whole, *above))


def _shape_problems(document: Document) -> list[str]:
    """What is wrong with the file by itself: unknown keys first, all of them; then the first wrong type."""
    if not document.data:
        return []
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
        key = _named(_key_of(where), document)
        return [document.problem(key, f"{what[:1].lower()}{what[1:]}.", _expected(key))]
    return []


def _expected(key: Key) -> str:
    """What a key takes, for a value of the wrong kind."""
    kind: Any = Configuration
    for part in key:
        kind = _inner(kind, part)
    words = [word for option in _options(kind) for word in option]
    return f"Use {' or '.join(words)}." if words else ""


def _inner(kind: Any, part: str | int) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return next((field.type for field in msgspec.structs.fields(kind) if field.name == part), None)
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return arguments[1]
    tuples = [option for option in (kind, *arguments) if get_origin(option) is tuple]
    return get_args(tuples[0])[0] if tuples else None


def _options(kind: Any) -> Iterator[list[str]]:
    """In words, each kind of value that `kind` admits."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType, Annotated}:
        for argument in arguments:
            yield from _options(argument)
    elif origin is Literal:
        yield [str(argument) for argument in arguments]
    elif kind in _WORDS:
        yield [_WORDS[kind]]
    elif origin is tuple:
        yield ["a list"]
    elif origin is dict or (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        yield ["a mapping"]


_WORDS: Final[dict[Any, str]] = {bool: "true or false", int: "a whole number", str: "a text"}


def _named(key: Key, document: Document) -> Key:
    """`key` with the name that msgspec leaves out: of a section with free names it says only `[...]`."""
    if "[...]" not in key:
        return key
    at = key.index("[...]")
    section: Any = document.data
    for part in key[:at]:
        section = section[part]
    for name, content in section.items():
        one: dict[Any, Any] = {name: content}
        for part in reversed(key[:at]):
            one = {part: one}
        try:
            msgspec.convert(one, Configuration)
        except msgspec.ValidationError:
            return (*key[:at], name, *key[at + 1 :])
    return key[:at]


def _unknown_keys(data: Any, kind: Any, key: Key) -> Iterator[tuple[Key, list[str]]]:
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
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known, n=1)
    if close:
        return f"Did you mean `{close[0]}`?"
    if known == ["guard"]:
        return "Everything goes under `guard:`."
    return f"Known here: {', '.join(sorted(known))}."


def _key_of(where: str) -> Key:
    """The key in msgspec's `$.guard.rules[0].id` notation."""
    parts: list[str | int] = []
    for piece in re.findall(r"\[\.\.\.\]|\[\d+\]|[^.\[\]`$]+", where):
        parts.append(int(piece[1:-1]) if piece[1:-1].isdigit() and piece[0] == "[" else piece)
    return tuple(parts)


def _error(problems: list[str]) -> PolicyError:
    return PolicyError("\n".join(problems), problems=tuple(problems))
