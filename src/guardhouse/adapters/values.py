"""Python values as JSON, for the gate: arguments on their way in, results on their way out.

What is judged is what is passed on: both forms of an argument are private copies, and whatever can't be shown to the
gate faithfully is refused. Nothing is judged as something else than it is.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from math import isfinite
from os import PathLike
from pathlib import PurePath
from typing import Any, Final

from guardhouse.model import DEFAULT_LIMITS, MAX_DEPTH, InvalidAction

_BYTES: Final = "$bytes"
_BASE64: Final = "$base64"
_TAGS: Final = frozenset({_BYTES, _BASE64})
"""Bytes have no JSON form; under one of these keys they are not taken for text."""


class Budget:
    """How much of a value is looked at: a small one can unfold into a huge one if it refers to itself many times."""

    def __init__(self, nodes: int = DEFAULT_LIMITS.max_nodes) -> None:
        self._left = nodes

    def spend(self, depth: int) -> None:
        """Count one more value at this depth; InvalidAction if there were too many, or they are too deep."""
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise InvalidAction("A value is too large or nested too deeply.", code="action.too_large")


def judged_and_passed(value: Any, budget: Budget, depth: int = 0) -> tuple[Any, Any]:
    """An argument as the gate judges it, and as the tool gets it. InvalidAction if it can't be shown."""
    budget.spend(depth)
    plain = _plain(value)
    if plain is not _NOT_PLAIN:
        return plain, plain
    if isinstance(value, (list, tuple)):
        pairs = [judged_and_passed(item, budget, depth + 1) for item in value]
        passed = [one for _, one in pairs]
        return [judged for judged, _ in pairs], tuple(passed) if isinstance(value, tuple) else passed
    if isinstance(value, dict) and not _TAGS & value.keys() and all(isinstance(key, str) for key in value):
        entries = {str.__str__(key): judged_and_passed(item, budget, depth + 1) for key, item in value.items()}
        return {key: pair[0] for key, pair in entries.items()}, {key: pair[1] for key, pair in entries.items()}
    if isinstance(value, PurePath):
        return str(value), value
    if isinstance(value, PathLike):
        return judged_and_passed(value.__fspath__(), budget, depth)
    if isinstance(value, (bytes, bytearray)):
        data = bytes(value)
        return _tagged(data), bytearray(data) if isinstance(value, bytearray) else data
    raise InvalidAction(
        f"An argument of type {type(value).__name__} can't be shown to the gate.", fix="Pass JSON, paths or bytes."
    )


def can_be_shown(value: Any) -> bool:
    """Whether the gate can judge such an argument."""
    try:
        judged_and_passed(value, Budget())
    except InvalidAction:
        return False
    return True


def restored(value: Any) -> Any:
    """An argument from the form in which it was judged."""
    if isinstance(value, list):
        return [restored(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {_BYTES} and isinstance(value[_BYTES], str):
            return value[_BYTES].encode("utf-8")
        if value.keys() == {_BASE64} and isinstance(value[_BASE64], str):
            try:
                return b64decode(value[_BASE64], validate=True)
            except ValueError:
                raise InvalidAction("A value that stands for bytes is none.") from None
        return {key: restored(item) for key, item in value.items()}
    return value


def content_of(value: Any, budget: Budget, depth: int = 0) -> Any:
    """A result as JSON. What has no JSON form of its own is told in its own words; they are judged like any other.

    InvalidAction if it is too much; and whatever the value's own methods raise.
    """
    budget.spend(depth)
    plain = _plain(value)
    if plain is not _NOT_PLAIN:
        return str(plain) if isinstance(plain, float) and not isfinite(plain) else plain
    if isinstance(value, (bytes, bytearray)):
        return _text_of(bytes(value))
    if isinstance(value, Mapping):
        return {str(key): content_of(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [content_of(item, budget, depth + 1) for item in value]
    known = _fields_of(value)
    return str(value) if known is None else content_of(known, budget, depth + 1)


_NOT_PLAIN: Final = object()


def _plain(value: Any) -> Any:
    """A string, number, truth value or None, without what a subclass adds to it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__index__(value)
    return float.__float__(value) if isinstance(value, float) else _NOT_PLAIN


def _tagged(data: bytes) -> dict[str, str]:
    try:
        return {_BYTES: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {_BASE64: b64encode(data).decode("ascii")}


def _text_of(data: bytes) -> str:
    """Bytes as text that can be searched; if they are no text, in base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return b64encode(data).decode("ascii")


def _fields_of(value: Any) -> Any:
    """The fields of a record: a dataclass, a msgspec struct, a Pydantic model; None for anything else."""
    if isinstance(value, type):
        return None
    if hasattr(value, "model_dump"):
        return value.model_dump()
    names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
    return None if names is None else {name: getattr(value, name) for name in names}
