"""Configuration from `GUARDHOUSE_…` variables.

A variable is named after its key: `GUARDHOUSE_NETWORK_URL_FETCH_DENY_PRIVATE_IPS=false`. Since tool names hold
underscores too, `__` between the parts says exactly where they end: `GUARDHOUSE_NETWORK__URL_FETCH__DENY_PRIVATE_IPS`.
A variable that names no key is an error, because a misspelt setting is a setting that is not in force.
"""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin

import msgspec

from guardhouse.model import InvalidAction, PolicyError, decode
from guardhouse.policy.reading import Document, Key
from guardhouse.policy.schema import GuardSection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX: Final = "GUARDHOUSE_"
NOT_KEYS: Final = frozenset(
    "STATE_DIR KEY_DIR DATABASE_URL TEST_DATABASE_URL URL TOKEN TELEGRAM_TOKEN WEBHOOK_SECRET".split()
)
"""Variables of ours that are not part of the policy."""
_OF_SERVICES: Final = ("SERVICE_", "PORT_")
"""What a container platform sets for a service of our name."""


def read_environment(variables: Mapping[str, str]) -> Document:
    """The layer that the environment makes."""
    guard: dict[str, Any] = {}
    named: dict[Key, str] = {}
    for variable in sorted(variables):
        name = variable.removeprefix(PREFIX)
        if name == variable:
            if variable.upper().startswith(PREFIX):
                raise PolicyError(f"environment: {variable} is not read.", fix=f"Write {PREFIX} in capitals.")
            continue
        if name in NOT_KEYS or name.startswith(_OF_SERVICES):
            continue
        key, kind = _resolve(variable, name)
        if key in named:
            raise PolicyError(f"environment: {named[key]} and {variable} are the same key.", fix="Keep one of them.")
        named[key] = variable
        target = guard
        for part in key[:-1]:
            target = target.setdefault(str(part), {})
        target[str(key[-1])] = _value(variables[variable], kind)
    variables_of = {("guard", *key): variable for key, variable in named.items()}
    return Document("environment", {"guard": guard} if guard else {}, variables=variables_of)


def _resolve(variable: str, name: str) -> tuple[Key, Any]:
    exact = "__" in name
    text = name.upper()
    for lead in ("GUARD__", "GUARD_"):
        text = text.removeprefix(lead)
    found = list(_exact(tuple(text.split("__")), GuardSection) if exact else _spelt(text, GuardSection))
    if len(found) == 1:
        return found[0]
    if not found:
        known = [f"{PREFIX}{field.name.upper()}" for field in msgspec.structs.fields(GuardSection)]
        from difflib import get_close_matches  # only on the way to an error

        close = get_close_matches(variable, known, n=1, cutoff=0.5)
        hint = f"Did you mean {close[0]}…?" if close else "See config.example.yaml for the keys."
        raise PolicyError(f"environment: {variable} names no key.", fix=hint)
    raise PolicyError(
        f"environment: {variable} could mean several keys.", fix="Put `__` between the parts to say which."
    )


def _exact(parts: tuple[str, ...], kind: Any) -> Iterator[tuple[Key, Any]]:
    head, rest = parts[0].lower(), parts[1:]
    for name, inner in _children(kind, head):
        if not rest and _is_leaf(inner):
            yield (name,), inner
        elif rest:
            for key, leaf in _exact(rest, inner):
                yield (name, *key), leaf


def _spelt(text: str, kind: Any) -> Iterator[tuple[Key, Any]]:
    """Every reading of `A_B_C` as a key below `kind`."""
    for name, inner in _children(kind, text.lower()):
        if name == text.lower() and _is_leaf(inner):
            yield (name,), inner
    words = text.split("_")
    for end in range(1, len(words)):
        head, rest = "_".join(words[:end]).lower(), "_".join(words[end:])
        for name, inner in _children(kind, head):
            if not _is_leaf(inner):
                for key, leaf in _spelt(rest, inner):
                    yield (name, *key), leaf


def _children(kind: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The key `name` below `kind`: a declared field, or any name in a mapping."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from ((field.name, field.type) for field in msgspec.structs.fields(kind) if field.name == name)
    elif get_origin(kind) is dict and name:
        yield name, get_args(kind)[1]


def _is_leaf(kind: Any) -> bool:
    return get_origin(kind) is not dict and not (isinstance(kind, type) and issubclass(kind, msgspec.Struct))


def _value(text: str, kind: Any) -> Any:
    """The text as JSON where it is JSON; a list may also be written with commas; anything else is a string."""
    kinds = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    if any(get_origin(one) is tuple for one in kinds) and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    if str in kinds:
        return text
    if bool in kinds and text in {"0", "1"}:
        return text == "1"
    try:
        return decode(text)
    except InvalidAction as error:
        if text.lstrip().startswith(("[", "{")):
            raise PolicyError(f"environment: a list can't be read. {error.what}", fix="Mend its JSON.") from None
        return text
