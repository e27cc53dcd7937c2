"""The strings of a structured value, in one fixed order, and the value put together again from changed strings.

Bytes count as strings: UTF-8 where they are, else one character a byte, so that ASCII secrets are still seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST: Final = 200
# `{"name": "API_KEY", "value": "…"}` says the same as `{"API_KEY": "…"}`.
_NAMES: Final = ("name", "key", "variable", "header", "field", "parameter", "label")
_VALUES: Final = ("value", "val", "default")
_BYTES: Final = (bytes, bytearray, memoryview)
_MASKABLE: Final = (str, *_BYTES)


class Leaf(msgspec.Struct, frozen=True):
    """One string of a value."""

    text: str
    name: str = ""
    """The key it stands under; list items carry the key of their list. Empty for keys."""
    is_key: bool = False
    steps: tuple[int, ...] = ()
    """The way to it: a list index as it is, an object key as -1 minus the place of that key among the leaves."""


def leaves(value: Any) -> list[Leaf]:
    """Every string in `value`, each key before what stands under it. Raises GuardhouseError on what is not JSON."""
    found: list[Leaf] = []
    _collect(value, "", (), found)
    return found


def _collect(value: Any, name: str, steps: tuple[int, ...], found: list[Leaf]) -> None:
    if isinstance(value, str):
        found.append(Leaf(value, name, steps=steps))
    elif isinstance(value, _BYTES):
        found.append(Leaf(decoded(value), name, steps=steps))
    elif isinstance(value, dict):
        _check_depth(steps)
        named = _named_value(value)
        for key, item in value.items():
            place = (*steps, -1 - len(found))
            text = key if isinstance(key, str) else decoded(key) if isinstance(key, _BYTES) else str(key)
            found.append(Leaf(text, is_key=True, steps=place))
            _collect(item, (named or name or text) if text.lower() in _VALUES else text, place, found)
    elif isinstance(value, (list, tuple)):
        _check_depth(steps)
        flag = ""
        for index, item in enumerate(value):
            _collect(item, flag or name, (*steps, index), found)
            # `["mysql", "--password", "…"]`
            flag = item if isinstance(item, str) and item.startswith("-") and "=" not in item else ""
    elif value is not None and not isinstance(value, (bool, int, float)):
        raise GuardhouseError(
            f"A value of type {type(value).__name__} can't be searched for secrets.",
            fix="Pass text, bytes, or a JSON value.",
        )


def _named_value(value: Mapping[Any, Any]) -> str:
    """What a value is called that stands beside its name; of several names, all."""
    return "_".join(
        item
        for key, item in value.items()
        if isinstance(key, str) and isinstance(item, str) and key.lower() in _NAMES and len(item) <= _LONGEST_NAME
    )


_LONGEST_NAME: Final = 80


def _check_depth(steps: tuple[int, ...]) -> None:
    if len(steps) >= _DEEPEST:
        raise GuardhouseError(f"The value is nested deeper than {_DEEPEST} levels.", fix="Flatten it.")


def decoded(value: bytes | bytearray | memoryview) -> str:
    """Bytes as text, without loss: UTF-8 if they are, else Latin-1."""
    raw = bytes(value)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def rebuilt(value: Any, texts: Iterator[str | None]) -> Any:
    """A copy of `value` in which each string, in the order of `leaves`, is the next of `texts`; None leaves it.

    Keys that become equal get a number, so that nothing is lost.
    """
    if isinstance(value, _MASKABLE):
        text = next(texts)
        if text is None:
            return value
        return text if isinstance(value, str) else _encoded(value, text)
    if isinstance(value, dict):
        out: dict[Any, Any] = {}
        numbers: dict[Any, int] = {}
        for key, item in value.items():
            text = next(texts)
            new = key if text is None else text if not isinstance(key, (bytes, bytearray)) else _encoded(key, text)
            if new != key and (new in out or new in value):
                new = _numbered(new, numbers, value, out)
            out[new] = rebuilt(item, texts)
        return out
    if isinstance(value, (list, tuple)):
        items = [rebuilt(item, texts) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return value


def _numbered(new: Any, numbers: dict[Any, int], before: Mapping[Any, Any], out: Mapping[Any, Any]) -> Any:
    """`new (2)` and so on. `numbers` remembers the last one given out, so that many equal keys stay linear."""
    while True:
        number = numbers[new] = numbers.get(new, 1) + 1
        other = f"{new} ({number})" if isinstance(new, str) else new + b" (%d)" % number
        if other not in before and other not in out:
            return other


def _encoded(value: bytes | bytearray | memoryview, text: str) -> bytes:
    try:
        bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        return text.encode("latin-1")
    return text.encode("utf-8")
