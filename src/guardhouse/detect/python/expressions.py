"""Expressions: what each kind of them comes to, as far as it can be known without running anything."""

from __future__ import annotations

import ast
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python.arguments import NONE
from guardhouse.detect.python.binding import assign, over, picks
from guardhouse.detect.python.calls import call
from guardhouse.detect.python.deeds import ACTING
from guardhouse.detect.python.folding import attribute, entry, module
from guardhouse.detect.python.operators import operated
from guardhouse.detect.python.parsing import PLACEHOLDER
from guardhouse.detect.python.values import (
    LONGEST_LIST,
    NOTHING,
    NOWHERE,
    Choice,
    Items,
    Named,
    Number,
    Routine,
    Table,
    Text,
    Value,
    alternatives,
    choice,
    items,
    number,
    origin_of,
    sliced,
    text,
    text_of,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.detect.python.walking import Walker


_STEPS_OF_COMPREHENSION: Final = 4


def _constant(_: Walker, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, str):
        return Text(NOWHERE, value.replace(PLACEHOLDER, UNKNOWN))
    if isinstance(value, bytes):
        return Text(NOWHERE, value.decode("latin-1"), is_bytes=True)
    if isinstance(value, int):
        return number(int(value))
    return Named(NOWHERE, NONE) if value is None else NOTHING


def _name(walker: Walker, node: ast.Name) -> Value:
    return walker.look_up(node.id)


def _attribute(walker: Walker, node: ast.Attribute) -> Value:
    if isinstance(node.value, ast.Name):
        held = walker.names.get(f"{node.value.id}.{node.attr}")
        if held is not None:
            return held
    owner = walker.value(node.value)
    if type(owner) is Named:
        held = walker.names.get(f"{owner.name}.{node.attr}")
        if held is not None:
            return held
    if type(owner) is not Choice:
        return attribute(owner, node.attr)
    return choice(*(attribute(each, node.attr) for each in owner.choices))


def _subscript(walker: Walker, node: ast.Subscript) -> Value:
    owners = alternatives(walker.value(node.value))
    if isinstance(node.slice, ast.Slice):
        ends = [walker.value(end) if end else None for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        return choice(*(sliced(owner, *ends) for owner in owners))
    keys = alternatives(walker.value(node.slice))
    return choice(*(_entry(walker, owner, key) for owner, key in product(owners, keys)))


def _entry(walker: Walker, owner: Value, key: Value) -> Value:
    found = entry(owner, key)
    if found is not None:
        return found
    name = text_of(key)
    if name in walker.names:
        return walker.names[name]
    known_here = walker.look_up(name)
    if known_here is not NOTHING:
        return known_here
    return module(f"os.{name}") if f"os.{name}" in ACTING else NOTHING


def _binary(walker: Walker, node: ast.BinOp) -> Value:
    # A long sum is a deep tree that leans to the left.
    rest: list[tuple[ast.operator, ast.expr]] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        rest.append((left.op, left.right))
        left = left.left
    value = walker.value(left)
    for operator, right in reversed(rest):
        value = operate(walker, operator, value, walker.value(right))
    return value


def operate(walker: Walker, operator: ast.operator, left: Value, right: Value) -> Value:
    if not walker.affords(left, right):
        return unknown(left, right)
    results = [operated(operator, *pair) for pair in walker.rows((left, right))]
    return results[0] if len(results) == 1 else choice(*results)


def _boolean(walker: Walker, node: ast.BoolOp) -> Value:
    return choice(*(walker.value(each) for each in node.values))


def _if_else(walker: Walker, node: ast.IfExp) -> Value:
    walker.value(node.test)
    return choice(walker.value(node.body), walker.value(node.orelse))


def _unary(walker: Walker, node: ast.UnaryOp) -> Value:
    value = walker.value(node.operand)
    if isinstance(value, Number) and isinstance(node.op, ast.USub):
        return number(-value.number)
    return unknown(value)


def _formatted(walker: Walker, node: ast.JoinedStr) -> Value:
    parts = [walker.value(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values]
    whole = [text("".join(map(text_of, row)), origin_of(*row)) for row in walker.rows(parts)]
    return choice(*whole)


def _sequence(walker: Walker, node: ast.List | ast.Tuple | ast.Set) -> Value:
    return items(tuple(_spread(walker, node.elts)))


def _spread(walker: Walker, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values of expressions, with `*list` taken apart."""
    found: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = walker.value(node.value)
            found.extend(value.items if isinstance(value, Items) else (unknown(value),))
        else:
            found.append(walker.value(node))
    return found


def _dictionary(walker: Walker, node: ast.Dict) -> Value:
    entries: list[tuple[str, Value]] = []
    origin: frozenset[Source] = NOWHERE
    for key, each in zip(node.keys, node.values, strict=True):
        value = walker.value(each)
        origin |= value.origin
        name = walker.value(key) if key is not None else NOTHING
        origin |= name.origin
        if key is None and isinstance(value, Table):
            entries.extend(value.entries)
        elif isinstance(name, Text):
            entries.append((name.text, value))
    return Table(origin, tuple(entries[:LONGEST_LIST]))


def _comprehension(walker: Walker, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    walker.steps += _STEPS_OF_COMPREHENSION
    found: list[Value] = []
    results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    source = NOTHING

    def run(generators: Sequence[ast.comprehension]) -> None:
        nonlocal source
        if not generators:
            found.extend([walker.value(result) for result in results][-1:])
            return
        first, *others = generators
        values = walker.value(first.iter)
        source = unknown(source, values)

        def body() -> None:
            for condition in first.ifs:
                walker.value(condition)
                walker.deeds.picking += picks(condition)
            if len(found) < LONGEST_LIST:
                run(others)

        over(walker, first.target, values, body)

    run(node.generators)
    return Items(origin_of(source, *found), tuple(found[:LONGEST_LIST]))


def _walrus(walker: Walker, node: ast.NamedExpr) -> Value:
    value = walker.value(node.value)
    assign(walker, node.target, value)
    return value


def _lambda(walker: Walker, node: ast.Lambda) -> Value:
    routine = Routine(NOWHERE, node)
    walker.keep(routine)
    return routine


def _inner(walker: Walker, node: ast.Await | ast.Starred | ast.YieldFrom) -> Value:
    return walker.value(node.value)


def _yield(walker: Walker, node: ast.Yield) -> Value:
    return walker.value(node.value) if node.value is not None else NOTHING


def _compare(walker: Walker, node: ast.Compare) -> Value:
    for each in (node.left, *node.comparators):
        walker.value(each)
    return NOTHING


def _call_node(walker: Walker, node: ast.Call) -> Value:
    function = walker.value(node.func)
    given = _spread(walker, node.args)
    named: dict[str, Value] = {}
    for keyword in node.keywords:
        value = walker.value(keyword.value)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif isinstance(value, Table):
            named.update(value.entries)
    return call(walker, function, tuple(given), named, node)


EXPRESSIONS: Final[dict[type[ast.expr], Callable[[Any, Any], Value]]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.IfExp: _if_else,
    ast.UnaryOp: _unary,
    ast.JoinedStr: _formatted,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dictionary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.Await: _inner,
    ast.Starred: _inner,
    ast.YieldFrom: _inner,
    ast.Yield: _yield,
    ast.Compare: _compare,
    ast.Call: _call_node,
}
