"""What the operators of Python make of two values that are known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from guardhouse.detect.python.strings import percent
from guardhouse.detect.python.values import (
    NOTHING,
    Number,
    Text,
    Value,
    added,
    choice,
    number,
    times,
    under,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def operated(operator: ast.operator, left: Value, right: Value) -> Value:
    """`left operator right`."""
    if isinstance(operator, ast.Add):
        return added(left, right)
    if isinstance(operator, ast.Mult):
        return times(left, right)
    if isinstance(operator, ast.Div):
        return under(left, right)
    if isinstance(operator, ast.Mod) and isinstance(left, Text):
        return percent(left, right)
    if isinstance(left, Number) and isinstance(right, Number):
        return _calculated(operator, left.number, right.number)
    if isinstance(operator, ast.BitOr):
        return choice(left, right)
    return unknown(left, right)


def _calculated(operator: ast.operator, left: int, right: int) -> Value:
    function = _ARITHMETIC.get(type(operator))
    return number(function(left, right)) if function is not None else NOTHING


_ARITHMETIC: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Sub: lambda left, right: left - right,
    ast.BitXor: lambda left, right: left ^ right,
    ast.BitAnd: lambda left, right: left & right,
    ast.BitOr: lambda left, right: left | right,
    ast.FloorDiv: lambda left, right: left // right if right else 0,
    ast.Mod: lambda left, right: left % right if right else 0,
    ast.LShift: lambda left, right: left << right if 0 <= right < 64 else 0,
    ast.RShift: lambda left, right: left >> right if 0 <= right < 64 else 0,
}
