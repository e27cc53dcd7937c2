"""Python values as JSON, for the gate: arguments on their way in, results on their way out.

What can't be shown to the gate faithfully is left as it is, and the gate then refuses the call: nothing is judged as
something else than it is.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from math import isfinite
from os import PathLike
from pathlib import PurePath
from typing import Any, Final

from guardhouse.model import MAX_DEPTH

_PLAIN: Final = (str, int, float, bool, type(None))


def judged_and_passed(value: Any, depth: int = 0) -> tuple[Any, Any]:
    """An argument as the gate judges it, and as the tool gets it. Both are private copies: whoever handed it in can't
    change it in between."""
    if depth > MAX_DEPTH or type(value) in _PLAIN:
        return value, value
    if isinstance(value, (list, tuple)) and type(value) in {list, tuple}:
        pairs = [judged_and_passed(item, depth + 1) for item in value]
        return [judged for judged, _ in pairs], type(value)(passed for _, passed in pairs)
    if type(value) is dict:
        entries = {key: judged_and_passed(item, depth + 1) for key, item in value.items()}
        return {key: pair[0] for key, pair in entries.items()}, {key: pair[1] for key, pair in entries.items()}
    if isinstance(value, PurePath):
        return str(value), value
    if isinstance(value, PathLike):
        path = value.__fspath__()
        return text_of(path) if isinstance(path, bytes) else str(path), path
    if isinstance(value, (bytes, bytearray)):
        return text_of(bytes(value)), type(value)(value)
    return value, value


def text_of(data: bytes) -> str:
    """Bytes as text that can be searched; if they are no text, in base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return b64encode(data).decode("ascii")


def content_of(value: Any, depth: int = 0) -> Any:
    """A result as JSON. What has no JSON form of its own is told in its own words; they are judged like any other."""
    if type(value) in {str, int, bool, type(None)}:
        return value
    if type(value) is float:
        return value if isfinite(value) else str(value)
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, (bytes, bytearray)):
        return text_of(bytes(value))
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): content_of(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [content_of(item, depth + 1) for item in value]
    known = _fields_of(value)
    return str(value) if known is None else content_of(known, depth + 1)


def _fields_of(value: Any) -> Any:
    """The fields of a record: a dataclass, a msgspec struct, a Pydantic model; None for anything else."""
    if isinstance(value, type):
        return None
    if hasattr(value, "model_dump"):
        return value.model_dump()
    names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
    return None if names is None else {name: getattr(value, name) for name in names}
