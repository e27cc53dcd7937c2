"""What a function says of itself: its docstring, and its signature as JSON Schema.

Types, defaults and choices that the program's own author wrote down. A type that can't be told says nothing, and then
the argument is judged by its name and its value alone.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from guardhouse.adapters.values import Budget, can_be_shown, judged_and_passed
from guardhouse.model.digests import sha256_hex
from guardhouse.trust import Announcement

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST: Final = 8
_PLAIN: Final = (
    # in this order: a bool is an int, and a datetime is a date
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (time, {"type": "string", "format": "time"}),
    (Mapping, {"type": "object"}),
)


def announcement(name: str, tool: Callable[..., Any], signature: inspect.Signature) -> Announcement:
    """The function `tool`, known by `name`, in its own words."""
    description = inspect.getdoc(tool) or ""
    hints = _hints(tool)
    parameters = {
        one.name: _parameter(one, hints.get(one.name, one.annotation))
        for one in signature.parameters.values()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    }
    schema = {"type": "object", "properties": parameters}
    # By its look, because a default may be a number or a text that has no form in JSON.
    digest = sha256_hex(repr((name, description, schema)).encode("utf-8", "surrogatepass"))
    return Announcement(name, digest, description, schema, "program")


def _hints(tool: Callable[..., Any]) -> dict[str, Any]:
    called = tool if inspect.isroutine(tool) else type(tool).__call__
    try:
        return get_type_hints(called, include_extras=True)
    except Exception:  # noqa: BLE001 - an annotation is any expression, and may name what is not there at run time
        return {}


def _parameter(parameter: inspect.Parameter, annotation: Any) -> dict[str, Any]:
    schema = _schema(annotation, 0)
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        schema = {"type": "array", "items": schema}
    if parameter.default is not inspect.Parameter.empty and can_be_shown(parameter.default):
        # In the form in which the gate sees it: a path is a text there.
        schema = {**schema, "default": judged_and_passed(parameter.default, Budget())[0]}
    return schema


def _schema(annotation: Any, depth: int) -> dict[str, Any]:
    """A type as JSON Schema; empty if nothing is known of it."""
    if depth > _DEEPEST:
        return {}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        said = next((one for one in inner[1:] if isinstance(one, str)), "")
        return {**_schema(inner[0], depth + 1), **({"description": said} if said else {})}
    if origin is Literal:
        return _choice(inner)
    if origin in {Union, types.UnionType}:
        return {"anyOf": [_schema(one, depth + 1) for one in inner]}
    if annotation is None or annotation is types.NoneType:
        return {"type": "null"}
    kind = origin or annotation
    if not isinstance(kind, type):
        return {}
    if issubclass(kind, Enum):
        return _choice([one.value for one in kind])
    plain = next((schema for known, schema in _PLAIN if issubclass(kind, known)), None)
    if plain is not None:
        return dict(plain)
    if issubclass(kind, (Sequence, AbstractSet)) and not issubclass(kind, (bytes, bytearray)):
        item = next((one for one in inner if one is not Ellipsis), None)
        return {"type": "array", **({"items": _schema(item, depth + 1)} if item is not None else {})}
    return {}


def _choice(values: Any) -> dict[str, Any]:
    """One of a few; if any of them can't be shown to the gate, nothing is known."""
    choices = list(values)
    if not choices or not all(map(can_be_shown, choices)):
        return {}
    return {"enum": [judged_and_passed(one, Budget())[0] for one in choices]}
