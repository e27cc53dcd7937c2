"""Calls: of functions in the tables, of those that the code defines, and of those that call what they are given.

What a known function does is said in `deeds`, what it computes in `folding`; here is only which one is called, with
what.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python import known
from guardhouse.detect.python.decoding import decoded_by_codec
from guardhouse.detect.python.deeds import ACTING
from guardhouse.detect.python.folding import attribute, compute, elements
from guardhouse.detect.python.nested import evaluate
from guardhouse.detect.python.strings import text_method
from guardhouse.detect.python.values import (
    NOTHING,
    NOWHERE,
    Bound,
    Items,
    Named,
    Partly,
    Routine,
    Table,
    Text,
    Value,
    alternatives,
    choice,
    items,
    picked,
    text_of,
    unknown,
)
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.detect.python.walking import Walker

_DEEPEST_CALLS: Final = 6
_STEPS_OF_CALL: Final = 2
_STEPS_OF_ACT: Final = 4
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
_FOLLOWED_BY_ARGUMENTS: Final = frozenset(
    """
    submit register run_in_executor to_thread apply apply_async call_soon call_later enter start_new_thread spawn
    add_done_callback call_soon_threadsafe runcall
    """.split()
)
"""Methods that call a function which stands before its arguments."""
_RUN_CODE: Final = known.EVALUATORS | known.UNPICKLERS | known.CONSOLES
_CALLS_NOTHING: Final = frozenset("append extend add update write put".split())
_HANDING_ON: Final = frozenset(
    "__getattribute__ __getattr__ __getitem__ partial wrap_socket attrgetter methodcaller attribute method".split()
)


def call(walker: Walker, function: Value, given: tuple[Value, ...], named: Mapping[str, Value], node: ast.AST) -> Value:
    results: list[Value] = []
    for each in alternatives(function):
        for row in walker.rows(given):
            walker.steps += _STEPS_OF_CALL
            walker.mark(node)
            results.append(_call_known(walker, each, row, named, node))
    return results[0] if len(results) == 1 else choice(*results)


def _call_known(
    walker: Walker, function: Value, given: tuple[Value, ...], named: Mapping[str, Value], node: ast.AST
) -> Value:
    kind = type(function)
    if kind is Routine:
        return enter(walker, function, given, named)  # type: ignore[arg-type]
    if isinstance(function, Partly):
        return call(walker, function.function, (*function.given, *given), named, node)
    owner, name = NOTHING, ""
    if isinstance(function, Bound):
        owner, name = function.owner, function.name
    elif isinstance(function, Named):
        name = function.name
    if name in _RUN_CODE:
        return evaluate(walker, name, given, named)
    acts = name in ACTING
    if acts:
        walker.steps += _STEPS_OF_ACT
    if not walker.affords(owner, *given):
        if not acts:
            return unknown(owner, *given)
        given = tuple(unknown(each) for each in given)
    if isinstance(owner, Text):
        return text_method(owner, name.removeprefix("str."), given, dict(named))
    if name in known.IMPORTERS:
        for each in (*given, *named.values()):
            walker.deeds.load(text_of(each))
    computed = compute(name, owner, given)
    if computed is None:
        computed = walker.deeds.do(name, owner, given, named)
    if computed is None:
        computed = _call_other(walker, name, owner, given, named, node)
    return computed


def _call_other(
    walker: Walker, name: str, owner: Value, given: tuple[Value, ...], named: Mapping[str, Value], node: ast.AST
) -> Value:
    """A function that is not in the tables, but may call one that is."""
    last = name.rpartition(".")[2]
    if given and last in known.GUESSED_METHODS and name[:1] in {"?", UNKNOWN}:
        return call(walker, Named(NOWHERE, _guess(last)), given, named, node)
    if name.startswith("codec.") and given:
        return items((decoded_by_codec(given[0], last), NOTHING))
    if UNKNOWN in name and name.partition(".")[0] in known.RICH_MODULES:
        walker.deeds.note(Effect.EXECUTES, UNKNOWN, "shell", _DYNAMIC, certainty=Confidence.MEDIUM)
    if last in _CALLS_NOTHING:
        return NOTHING
    if last in _HANDING_ON and given:
        handed = _handed_on(walker, name, last, owner, given, node)
        if handed is not None:
            return handed
    if isinstance(owner, Table):
        return _of_table(owner, last, given)
    if name == "builtins.map" and len(given) == 2 and (each := elements(given[1])) is not None:
        return items(call(walker, given[0], (one,), {}, node) for one in each)
    _call_back(walker, name, last, given, named, node)
    return unknown(owner, *given, *named.values())


def _guess(method: str) -> str:
    if method == "rmtree":
        return "shutil.rmtree"
    return f"subprocess.{method}" if f"subprocess.{method}" in ACTING else f"os.{method}"


def _handed_on(
    walker: Walker, name: str, last: str, owner: Value, given: tuple[Value, ...], node: ast.AST
) -> Value | None:
    """What functions give that take a name, a function or a connection and give it back in another form."""
    if last in {"__getattribute__", "__getattr__", "__getitem__"}:
        return attribute(owner if owner is not NOTHING else given[0], text_of(given[-1]))
    if last == "partial":
        return Partly(NOWHERE, given[0], given[1:])
    if last == "wrap_socket":
        return given[0]
    if name == "operator.attrgetter":
        return Partly(NOWHERE, Named(NOWHERE, "operator.attribute"), given[:1])
    if name == "operator.methodcaller":
        return Partly(NOWHERE, Named(NOWHERE, "operator.method"), (items(given),))
    if name == "operator.attribute" and len(given) > 1:
        return attribute(given[1], text_of(given[0]))
    if name == "operator.method" and len(given) > 1 and isinstance(given[0], Items):
        method, *rest = given[0].items
        return call(walker, attribute(given[1], text_of(method)), tuple(rest), {}, node)
    return None


def _of_table(owner: Table, method: str, given: tuple[Value, ...]) -> Value:
    if method in {"get", "pop", "setdefault"} and given:
        return picked(owner, given[0])
    if method == "items":
        return items(items((Text(NOWHERE, name), each)) for name, each in owner.entries)
    if method == "values":
        return items(each for _, each in owner.entries)
    return unknown(owner)


def _call_back(
    walker: Walker, name: str, last: str, given: tuple[Value, ...], named: Mapping[str, Value], node: ast.AST
) -> None:
    target = named.get("target")
    if target is not None:
        listed = named.get("args", NOTHING)
        call(walker, target, listed.items if isinstance(listed, Items) else (), {}, node)
    at = next((index for index, each in enumerate(given) if _is_callable(each)), None)
    if at is None:
        return
    if name in {"builtins.map", "builtins.filter"} or last in {"map", "imap", "starmap", "reduce"}:
        rows = elements(given[at + 1]) if len(given) > at + 1 else None
        for each in rows if rows is not None else (unknown(*given[at + 1 :]),):
            call(walker, given[at], (each,), {}, node)
    elif last in _FOLLOWED_BY_ARGUMENTS:
        call(walker, given[at], given[at + 1 :], {}, node)


def enter(walker: Walker, routine: Routine, given: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    """The body of a function, with its arguments where they are known."""
    node = routine.node
    again = id(node) in walker.entered
    if node is None or walker.call_depth >= _DEEPEST_CALLS or (again and walker.steps > walker.most_steps):
        return unknown(*given, *named.values())
    walker.entered.add(id(node))
    walker.call_depth += 1
    spans = walker.spans
    if id(node) in walker.places:
        walker.spans, walker.deeds.where = None, walker.places[id(node)]
    parameters = _parameters(walker, node.args, given, named)
    before = {name: walker.names.get(name) for name in parameters}
    walker.names.update(parameters)
    walker.returned.append(NOTHING)
    if isinstance(node, ast.Lambda):
        walker.returned[-1] = walker.value(node.body)
    else:
        endless = walker.deeds.endless
        walker.deeds.endless = endless and only_calls(node.body)
        walker.block(node.body)
        walker.deeds.endless = endless
    for name, value in before.items():
        if value is None:
            walker.names.pop(name, None)
        else:
            walker.names[name] = value
    walker.call_depth -= 1
    walker.spans = spans
    return walker.returned.pop()


def _parameters(
    walker: Walker, arguments: ast.arguments, given: tuple[Value, ...], named: Mapping[str, Value]
) -> dict[str, Value]:
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found: dict[str, Value] = dict.fromkeys(names, NOTHING)
    found.update(zip(reversed(names), map(walker.value, reversed(arguments.defaults)), strict=False))
    for only, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[only.arg] = walker.value(default) if default is not None else NOTHING
    found.update(zip(names, given, strict=False))
    found.update((name, value) for name, value in named.items() if name in found)
    if arguments.vararg is not None:
        found[arguments.vararg.arg] = items(given[len(names) :])
    return found


def only_calls(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing is waited for, looked at or kept between the calls."""
    return all(isinstance(each, ast.Expr | ast.Pass) for each in body)


def _is_callable(value: Value) -> bool:
    kind = type(value)
    return kind is Routine or kind is Partly or (isinstance(value, Named) and value.name in ACTING)
