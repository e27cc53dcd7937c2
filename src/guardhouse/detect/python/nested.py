"""Code inside the code: what `exec`, `eval` and their like are given, and what is unpickled.

It is read with the same names, and shares the budgets of the code around it. What can't be known is noted with where it
comes from.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python import known
from guardhouse.detect.python.deeds import CONTENT
from guardhouse.detect.python.values import (
    NOTHING,
    Items,
    Made,
    Routine,
    Text,
    Value,
    text_of,
    unknown,
)
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.detect.python.walking import Walker

_DEEPEST_CODE: Final = 5
_STEPS_OF_CODE: Final = 8
_MOST_CODE: Final = 20 * 1024
"""Letters of code inside the code."""
_NETWORK: Final = frozenset({Source.NETWORK})
_FILE: Final = frozenset({Source.FILE})
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
_CODE_ORIGINS: Final = frozenset({Source.NETWORK, Source.DECODED, Source.DYNAMIC, Source.FILE})


def evaluate(walker: Walker, name: str, given: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    """A call of a function that runs what it is given: read that, or note that it can't be."""
    code = given[0] if given else named.get("stmt", named.get("source", NOTHING))
    if name in known.UNPICKLERS and isinstance(code, Made) and Source.FILE in code.origin:
        # A file that is there already is data; one that was loaded from the network just before is not.
        if code.text in walker.deeds.fetched:
            walker.deeds.note(Effect.EXECUTES, code.text, "path", _NETWORK, certainty=Confidence.MEDIUM)
        return unknown(code)
    if name in known.UNPICKLERS or name in known.CONSOLES:
        _run_unread(walker, code, Confidence.MEDIUM)
        return unknown(code)
    if name.startswith("timeit.") and not isinstance(code, Text):
        return NOTHING
    if (isinstance(code, Made) and code.by == CONTENT) or name == "builtins.execfile":
        walker.deeds.run_file(code.text if isinstance(code, Made) and code.by == CONTENT else text_of(code))
    elif isinstance(code, Text) and code.text != UNKNOWN:
        _read_inside(walker, code)
    elif not isinstance(code, Routine | Items):
        _run_unread(walker, code, Confidence.HIGH)
    return _value_inside(walker, code) if name == "builtins.eval" else NOTHING


def _run_unread(walker: Walker, code: Value, certainty: Confidence) -> None:
    if isinstance(code, Made) and Source.FILE in code.origin:
        walker.deeds.note(Effect.EXECUTES, code.text or UNKNOWN, "path", _FILE, certainty=certainty)
        return
    sources = (code.origin & _CODE_ORIGINS) or _DYNAMIC
    walker.deeds.note(Effect.EXECUTES, UNKNOWN, "python", sources, certainty=certainty)


def _read_inside(walker: Walker, code: Text) -> None:
    origin = code.origin & (_CODE_ORIGINS - _DYNAMIC)
    if code.is_bytes:
        code = Text(code.origin, code.text.encode("latin-1", "replace").decode("utf-8", "replace"))
    if origin or UNKNOWN in code.text:
        walker.deeds.note(Effect.EXECUTES, code.text, "python", origin or _DYNAMIC)
    walker.letters += len(code.text)
    walker.steps += _STEPS_OF_CODE
    if walker.code_depth >= _DEEPEST_CODE or walker.letters > _MOST_CODE:
        walker.parser.complete = False
        return
    spans, added_before, depth = walker.spans, walker.deeds.added, walker.depth
    walker.spans, walker.deeds.added = None, added_before | origin
    walker.code_depth += 1
    where = walker.deeds.where
    for body in _bodies(walker, code.text):
        walker.block(body)
    walker.code_depth -= 1
    walker.deeds.where = where
    walker.spans, walker.deeds.added, walker.depth = spans, added_before, depth


def _bodies(walker: Walker, code: str) -> list[list[ast.stmt]]:
    """The code in as few pieces as it can be parsed in."""
    layout = walker.parser.lay_out(code)
    tree = walker.parser.parse(code, layout)
    if tree is not None:
        return [tree.body]
    return [piece.body for piece in walker.parser.pieces(code, layout, strict=True)]


def _value_inside(walker: Walker, code: Value) -> Value:
    """What `eval` gives for a name or an attribute, which may be called next."""
    if isinstance(code, Text) and len(code.text) < 200:
        inside = code.text.strip()
        tree = walker.parser.parse(inside, walker.parser.lay_out(inside))
        if tree is not None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            inner = tree.body[0].value
            if isinstance(inner, ast.Name | ast.Attribute):
                return walker.value(inner)
    return unknown(code)
