"""Statements: what each kind of them does to the names, and which way the code goes.

Every branch is taken and conditions are never judged; loops over known lists are run through while the budget lasts.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python.binding import assign, over, picks
from guardhouse.detect.python.calls import call, enter, only_calls
from guardhouse.detect.python.expressions import operate
from guardhouse.detect.python.folding import module
from guardhouse.detect.python.parsing import PLACEHOLDER
from guardhouse.detect.python.values import (
    NOTHING,
    NOWHERE,
    Items,
    Named,
    Routine,
    Value,
    alternatives,
    choice,
)
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.detect.python.walking import Walker

_DYNAMIC: Final = frozenset({Source.DYNAMIC})


def children(walker: Walker, node: ast.AST) -> None:
    """The expressions of a statement of which nothing else is known."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            walker.value(child)


def _expression(walker: Walker, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Name) and node.value.id == PLACEHOLDER:
        walker.mark(node)
        walker.deeds.note(Effect.EXECUTES, UNKNOWN, "python", _DYNAMIC)
        return
    walker.value(node.value)


def _import(walker: Walker, node: ast.Import) -> None:
    for alias in node.names:
        walker.mark(node)
        walker.deeds.load(alias.name)
        if alias.asname:
            walker.assign_name(alias.asname, module(alias.name))
        else:
            root = alias.name.partition(".")[0]
            walker.assign_name(root, module(root))


def _import_from(walker: Walker, node: ast.ImportFrom) -> None:
    if node.level or not node.module:
        return
    walker.mark(node)
    walker.deeds.load(node.module)
    for alias in node.names:
        if alias.name == "*":
            walker.stars[_full_name(node.module)] = None
        else:
            full = f"{node.module}.{alias.name}"
            walker.assign_name(alias.asname or alias.name, walker.names.get(full) or module(full))


def _assignment(walker: Walker, node: ast.Assign) -> None:
    value = walker.value(node.value)
    for target in node.targets:
        assign(walker, target, value)


def _annotated(walker: Walker, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(walker, node.target, walker.value(node.value))


def _augmented(walker: Walker, node: ast.AugAssign) -> None:
    before = walker.value(node.target)
    assign(walker, node.target, operate(walker, node.op, before, walker.value(node.value)))


def _if(walker: Walker, node: ast.If) -> None:
    before = walker.deeds.picking
    rest: list[ast.stmt] = [node]
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        node = rest[0]
        walker.value(node.test)
        walker.deeds.picking += picks(node.test)
        walker.branch(node.body)
        rest = node.orelse
    walker.branch(rest)
    # After a test that leaves the round of a loop, the rest of the round is only for what was picked.
    if not (node.body and isinstance(node.body[-1], ast.Continue)):
        walker.deeds.picking = before


def _while(walker: Walker, node: ast.While) -> None:
    walker.value(node.test)
    endless, picking = walker.deeds.endless, walker.deeds.picking
    walker.deeds.endless = _is_always(node.test) and only_calls(node.body)
    walker.branch(node.body)
    walker.deeds.endless, walker.deeds.picking = endless, picking
    if _assigns(node.body) and walker.steps < walker.most_steps:
        # Once more: what the end of the body sets, its beginning uses.
        walker.branch(node.body)
    walker.branch(node.orelse)


def _is_always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _for(walker: Walker, node: ast.For | ast.AsyncFor) -> None:
    over(walker, node.target, walker.value(node.iter), lambda: walker.branch(node.body))
    walker.branch(node.orelse)


def _with(walker: Walker, node: ast.With | ast.AsyncWith) -> None:
    for each in node.items:
        value = walker.value(each.context_expr)
        if each.optional_vars is not None:
            assign(walker, each.optional_vars, value)
    walker.block(node.body)


def _try(walker: Walker, node: ast.Try) -> None:
    walker.branch(node.body)
    for handler in node.handlers:
        walker.branch(handler.body)
    walker.branch(node.orelse)
    walker.block(node.finalbody)


def _match(walker: Walker, node: ast.Match) -> None:
    walker.value(node.subject)
    for case in node.cases:
        if case.guard is not None:
            walker.value(case.guard)
        walker.branch(case.body)


def _define(walker: Walker, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    routine = Routine(NOWHERE, node)
    walker.keep(routine)
    _decorate(walker, node.name, node.decorator_list, routine)
    if node.name in {"__reduce__", "__reduce_ex__"}:
        walker.returned.append(NOTHING)
        enter(walker, routine, (), {})
        result = walker.returned.pop()
        for each in alternatives(result):
            if isinstance(each, Items) and len(each.items) > 1 and isinstance(each.items[1], Items):
                call(walker, each.items[0], each.items[1].items, {}, node)


def _decorate(walker: Walker, name: str, decorators: Sequence[ast.expr], value: Value) -> None:
    for decorator in reversed(decorators):
        given = call(walker, walker.value(decorator), (value,), {}, decorator)
        value = given if given.origin else value
    walker.assign_name(name, value)


def _class(walker: Walker, node: ast.ClassDef) -> None:
    for base in node.bases:
        walker.value(base)
    walker.block(node.body)
    _decorate(walker, node.name, node.decorator_list, NOTHING)


def _return(walker: Walker, node: ast.Return) -> None:
    value = walker.value(node.value) if node.value is not None else NOTHING
    if walker.returned:
        before = walker.returned[-1]
        walker.returned[-1] = value if before is NOTHING else choice(before, value)


def _full_name(name: str) -> str:
    found = module(name)
    return found.name if isinstance(found, Named) else name


def _assigns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(each, ast.Assign | ast.AugAssign) for each in body)


STATEMENTS: Final[dict[type[ast.stmt], Callable[[Any, Any], None]]] = {
    ast.Expr: _expression,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _class,
    ast.Return: _return,
}
