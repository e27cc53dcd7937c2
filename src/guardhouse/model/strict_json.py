"""Reading JSON without guessing.

Everything a lenient reader would smooth over is an error here: a key given twice, NaN and infinities, numbers too
large for a double, lone surrogates, bytes that are not UTF-8, nesting and size over the limits. Two readers that
smooth differently would see two different actions; a guard must see the one that runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any, Final, NoReturn

import msgspec

from guardhouse.model.errors import InvalidAction

MAX_DEPTH: Final = 64
"""Containers inside containers; deeper input is refused, whatever the configuration."""

_LONGEST_INTEGER: Final = 10**4300
"""What Python itself reads from text, unless told otherwise; a longer one could never travel as JSON."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much input is looked at. Counts, not clocks, so that a decision can be repeated."""

    max_bytes: int = 8 * 1024 * 1024
    """UTF-8 bytes of all text in one action."""
    max_nodes: int = 200_000
    """Values (scalars, lists, objects) in one action."""


DEFAULT_LIMITS: Final = Limits()


def decode(data: bytes | str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """The JSON value in `data`, or InvalidAction. The value holds only None, bool, int, float, str, list, dict."""
    if len(data) > limits.max_bytes:
        raise too_large(limits)
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InvalidAction(f"The input is not UTF-8 (byte {error.start}).", fix="Send UTF-8.") from None
    except json.JSONDecodeError as error:
        raise InvalidAction(
            f"The input is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            fix="Send one JSON object.",
        ) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise _too_many_digits() from None
    return checked_copy(value, limits)


def checked_copy(value: Any, limits: Limits = DEFAULT_LIMITS) -> Any:
    """A deep copy of `value` that is certainly a JSON value within the limits; InvalidAction otherwise.

    The copy is what gets judged, so nobody can change an action between the look and the leap.
    """
    copier = _Copier(limits)
    return copier.copy(value, 0)


class _Copier:
    __slots__ = ("bytes_left", "limits", "nodes_left")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.nodes_left = limits.max_nodes
        self.bytes_left = limits.max_bytes

    def copy(self, value: Any, depth: int) -> Any:
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise too_large(self.limits)
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is dict:
            if depth >= MAX_DEPTH:
                raise _too_deep()
            return self._object(value, depth)
        if kind is list or kind is tuple:
            if depth >= MAX_DEPTH:
                raise _too_deep()
            return [self.copy(item, depth + 1) for item in value]
        if kind is int:
            if not -_LONGEST_INTEGER < value < _LONGEST_INTEGER:
                raise _too_many_digits()
            return value
        if kind is bool or value is None:
            return value
        if kind is float:
            if not isfinite(value):
                raise InvalidAction("The input holds NaN or an infinite number.", fix="Send null or a string.")
            return value
        return self._subclass(value, depth)

    def _object(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        """What most of an action is made of: plain ASCII keys and strings are counted here and now."""
        copied: dict[str, Any] = {}
        nodes = size = 0
        for key, item in value.items():
            if type(key) is str and key.isascii():
                size += len(key)
            else:
                key = self._key(key)  # noqa: PLW2901
            if type(item) is str and item.isascii():
                nodes += 1
                size += len(item)
                copied[key] = item
            else:
                copied[key] = self.copy(item, depth + 1)
        self.nodes_left -= nodes
        self.bytes_left -= size
        if self.nodes_left < 0 or self.bytes_left < 0:
            raise too_large(self.limits)
        return copied

    def _subclass(self, value: Any, depth: int) -> Any:
        """str, int, float, dict and list subclasses (enums, ordered dicts) are taken as what they are in JSON.

        That is the value they hold, not what their own `__str__` or `__int__` make of it.
        """
        for kind, plain in _PLAIN:
            if isinstance(value, kind):
                self.nodes_left += 1
                return self.copy(plain(value), depth)
        raise InvalidAction(
            f"A value of type {type(value).__name__} is not JSON.",
            fix="Pass strings, numbers, booleans, null, lists and string-keyed objects.",
        )

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise InvalidAction(f"An object key is a {type(key).__name__}, not a string.", fix="Use string keys.")
        return self._text(key)

    def _text(self, text: Any) -> str:
        plain = str.__str__(text)
        if plain.isascii():
            size = len(plain)
        else:
            try:
                size = len(plain.encode("utf-8"))
            except UnicodeEncodeError:
                raise InvalidAction(
                    "A string holds half of a surrogate pair, which is not text.",
                    fix="Send well-formed Unicode.",
                ) from None
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise too_large(self.limits)
        return plain


_PLAIN: Final[tuple[tuple[type[Any], Callable[[Any], Any]], ...]] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (dict, dict),
    (list, list),
)


def too_large(limits: Limits) -> InvalidAction:
    """The error for input over `limits`."""
    return InvalidAction(
        f"The action is larger than {limits.max_bytes} bytes or {limits.max_nodes} values.",
        fix="Send less, or raise `limits` in the configuration.",
        code="action.too_large",
    )


def _too_deep() -> InvalidAction:
    return InvalidAction(
        f"The input is nested deeper than {MAX_DEPTH} levels.", fix="Flatten it.", code="action.too_large"
    )


def _too_many_digits() -> InvalidAction:
    return InvalidAction("The input holds a number with too many digits.", fix="Send it as a string.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise InvalidAction("An object has the same key twice.", fix="Send each key once.")
    return result


def _refuse_constant(_name: str) -> NoReturn:
    raise InvalidAction("The input holds NaN or an infinite number.", fix="Send null or a string.")
