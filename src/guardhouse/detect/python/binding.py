"""How names get their values: by assignment, and by loops that go through what is known of a list."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python.deeds import CONTENT
from guardhouse.detect.python.folding import elements
from guardhouse.detect.python.values import (
    LONGEST_LIST,
    Items,
    Made,
    Named,
    Table,
    Text,
    Value,
    alternatives,
    text_of,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.python.walking import Walker

_MOST_CUT_LISTS: Final = 4
_ELEMENTS_A_STEP: Final = 4
_SEES_WHAT_IT_IS: Final = frozenset("is_file isfile is_dir isdir is_symlink islink exists lexists".split())


def assign(walker: Walker, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        walker.assign_name(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        held = value.items if isinstance(value, Items) else None
        starred = any(isinstance(each, ast.Starred) for each in target.elts)
        for index, each in enumerate(target.elts):
            known_here = held is not None and not starred and index < len(held)
            assign(walker, each, held[index] if held is not None and known_here else unknown(value))
    elif isinstance(target, ast.Starred):
        assign(walker, target.value, unknown(value))
    elif isinstance(target, ast.Attribute):
        walker.watch(target.attr, value)
        owner = walker.value(target.value)
        if isinstance(target.value, ast.Name) and not isinstance(owner, Named):
            walker.assign_name(f"{target.value.id}.{target.attr}", value)
    elif isinstance(target, ast.Subscript):
        _assign_entry(walker, target, value)


def _assign_entry(walker: Walker, target: ast.Subscript, value: Value) -> None:
    owner, key = walker.value(target.value), walker.value(target.slice)
    if not isinstance(target.value, ast.Name):
        return
    if isinstance(owner, Table) and isinstance(key, Text):
        kept = (*owner.entries[-LONGEST_LIST:], (key.text, value))
        walker.assign_name(target.value.id, Table(owner.origin | value.origin, kept))
    elif value.origin and not isinstance(owner, Named):
        walker.assign_name(target.value.id, unknown(owner, value))


def over(walker: Walker, target: ast.expr, values: Value, body: Callable[[], None]) -> None:
    """Run `body` for each of the values that are known, or once."""
    found = [each for value in alternatives(values) for each in elements(value) or (_part(value),)]
    walker.steps += len(found) // _ELEMENTS_A_STEP
    for index, each in enumerate(found[:LONGEST_LIST]):
        if index and walker.steps > walker.most_steps:
            # What is left of the list is looked at as one unknown value, if the list is the first that is cut.
            assign(walker, target, unknown(values))
            if walker.cut_lists < _MOST_CUT_LISTS:
                walker.cut_lists += 1
                body()
            return
        assign(walker, target, each)
        before = walker.deeds.picking
        if _is_of_tree(each):
            walker.deeds.picking = 0
        body()
        walker.deeds.picking = before


def _is_of_tree(value: Value) -> bool:
    """Whether it is a file, or a directory with its files, that was found below some place."""
    first = value.items[0] if isinstance(value, Items) and value.items else value
    return text_of(first).endswith("/" + UNKNOWN)


def picks(test: ast.expr) -> bool:
    """Whether a test picks some files out of others, rather than to see that there is one."""
    if isinstance(test, ast.BoolOp):
        return any(map(picks, test.values))
    if isinstance(test, ast.UnaryOp):
        return picks(test.operand)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute):
        return test.func.attr not in _SEES_WHAT_IT_IS
    return not isinstance(test, ast.Constant)


def _part(value: Value) -> Value:
    """One element of something whose elements are not known."""
    return value if isinstance(value, Made) and value.by in {CONTENT, "file"} else unknown(value)
