"""Goes through the syntax tree of Python code in the order it would run, with what is known of each name.

Every branch is taken, loops over known lists are run through, functions are followed with the arguments of their
calls, all within a budget; when that is used up, each part is still looked at once, with less known. Conditions are
never judged: code that could run counts as code that does. What each kind of statement and expression does is in
modules of their own.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python import known
from guardhouse.detect.python.calls import enter
from guardhouse.detect.python.deeds import ACTING, RUNNING, Deeds
from guardhouse.detect.python.expressions import EXPRESSIONS
from guardhouse.detect.python.folding import module
from guardhouse.detect.python.layout import lay_out
from guardhouse.detect.python.parsing import Parser
from guardhouse.detect.python.spans import Spans
from guardhouse.detect.python.statements import STATEMENTS, children
from guardhouse.detect.python.values import (
    NOTHING,
    NOWHERE,
    PATH,
    Choice,
    Items,
    Named,
    Routine,
    Text,
    Value,
    choice,
    combinations,
    items,
    unknown,
)
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_MOST_STEPS: Final = 1000
_LETTERS_A_STEP: Final = 16
"""Beyond so many steps, and one more for so many letters of code, nothing is gone through a second time."""
_FEWEST_STEPS: Final = 300
_WEIGHT_A_STEP: Final = 4
_LAST_STEP: Final = 2600
"""Where it ends, whatever is left; with one more for so many letters."""
_MOST_FOLDED: Final = 64 * 1024
"""Letters that text is put together from."""
_DEEPEST: Final = 60
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
_ARGUMENTS: Final = "sys.argv"
_BUILTINS: Final = frozenset(
    """
    open eval exec compile __import__ getattr setattr chr unichr ord bytes bytearray str list tuple set reversed map
    globals locals vars input raw_input int range sorted filter execfile file enumerate zip iter next object type
    """.split()
)


class Walker:
    """Reads code, also code inside code, and leaves what it does in `deeds`."""

    def __init__(self, letters: int, words: Sequence[str] | None = None) -> None:
        self.deeds = Deeds()
        self.parser = Parser(letters)
        self.spent = False
        """Whether the walk ended before the code did."""
        self.names: dict[str, Value] = {}
        """What the code's names stand for, and those of modules (`sys.argv`) that stand for something of their own."""
        self.saved: list[dict[str, Value]] = []
        self.stars: dict[str, None] = {}
        self.routines: list[Routine] = []
        self.entered: set[int] = set()
        self.places: dict[int, Callable[[], tuple[int, int]]] = {}
        """For functions of code inside the code: where that code is run."""
        self.returned: list[Value] = []
        self.later: list[ast.AST] = []
        self.spans: Spans | None = None
        self.steps = self.depth = self.code_depth = self.call_depth = self.letters = 0
        self.cut_lists = self.folded = self.looked_at = 0
        self.most_steps = _MOST_STEPS + letters // _LETTERS_A_STEP
        self.last_step = _LAST_STEP + letters // _LETTERS_A_STEP
        if words is not None:
            self.names[_ARGUMENTS] = items(tuple(Text(NOWHERE, word) for word in ("", *words)))

    def read(self, code: str) -> None:
        """Everything in `code`, valid or not."""
        layout = lay_out(code)
        # Going through something a second time must leave enough for everything to be gone through once.
        once = layout.weight // _WEIGHT_A_STEP
        self.most_steps = min(self.most_steps, max(_FEWEST_STEPS, self.last_step - once))
        tree = self.parser.parse(code, layout)
        if tree is not None:
            self.spans = Spans(code)
            self.module(tree.body)
            return
        for start, end, body in self.parser.pieces(code, layout):
            self.deeds.where = partial(_fixed, start, end)
            self.module(body)

    def module(self, body: Sequence[ast.stmt]) -> None:
        self.block(body)
        # The list is never emptied: it keeps the nodes alive whose identities are noted.
        while self.looked_at < len(self.routines):
            routine = self.routines[self.looked_at]
            self.looked_at += 1
            if id(routine.node) not in self.entered:
                enter(self, routine, (), {})
        while self.later:
            # What was nested too deeply is read as if it stood alone; each round gets further down.
            node = self.later.pop()
            self.depth = 0
            if isinstance(node, ast.stmt):
                self.block([node])
            elif isinstance(node, ast.expr):
                self.value(node)

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.steps += 1
            if self.steps > self.last_step:
                self.spent = True
                return
            if self.depth >= _DEEPEST:
                self.later.append(statement)
                continue
            self.depth += 1
            handler = STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)
            else:
                children(self, statement)
            self.depth -= 1

    def branch(self, body: Sequence[ast.stmt]) -> None:
        """Code that may be left out: names keep what they were before as another possibility."""
        if not body:
            return
        self.saved.append({})
        self.block(body)
        for name, before in self.saved.pop().items():
            self.assign_name(name, choice(before, self.names.get(name, NOTHING)))

    def assign_name(self, name: str, value: Value) -> None:
        self.watch(name, value)
        if self.saved and name not in self.saved[-1] and name in self.names:
            self.saved[-1][name] = self.names[name]
        self.names[name] = value

    def watch(self, name: str, value: Value) -> None:
        """A special method that is set to a function that runs things is called without being named."""
        if name.startswith("__") and name.endswith("__") and isinstance(value, Named) and value.name in RUNNING:
            self.deeds.note(Effect.EXECUTES, UNKNOWN, "shell", _DYNAMIC, certainty=Confidence.MEDIUM)

    def keep(self, routine: Routine) -> None:
        self.routines.append(routine)
        if self.spans is None:
            self.places[id(routine.node)] = self.deeds.where

    def value(self, node: ast.expr) -> Value:
        self.steps += 1
        if self.steps > self.last_step:
            self.spent = True
            return NOTHING
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            return NOTHING
        if self.depth >= _DEEPEST:
            self.later.append(node)
            return NOTHING
        self.depth += 1
        value: Value = handler(self, node)
        self.depth -= 1
        return value

    def look_up(self, name: str) -> Value:
        value = self.names.get(name)
        if value is not None:
            return value
        for star in self.stars:
            if f"{star}.{name}" in ACTING:
                return module(f"{star}.{name}")
        if name in known.ROOTS:
            return module(name)
        if name in _BUILTINS:
            return Named(NOWHERE, f"builtins.{name}")
        return Named(NOWHERE, PATH) if name == "Path" else NOTHING

    def rows(self, values: Sequence[Value]) -> list[tuple[Value, ...]]:
        """What a row of values may be; when the budget is used up, with what is not sure taken as unknown."""
        if self.steps > self.most_steps:
            return [tuple(unknown(value) if isinstance(value, Choice) else value for value in values)]
        if Choice not in map(type, values):
            return [tuple(values)]
        rows = list(combinations(values))
        self.steps += len(rows) - 1
        return rows

    def affords(self, *values: Value) -> bool:
        """Whether the budget for putting text together allows for more of it."""
        for value in values:
            if isinstance(value, Text):
                self.folded += len(value.text)
            elif isinstance(value, Items):
                self.folded += len(value.items)
        return self.folded < _MOST_FOLDED

    def mark(self, node: ast.AST) -> None:
        if self.spans is not None:
            self.deeds.where = partial(self.spans.of, node)


def _fixed(start: int, end: int) -> tuple[int, int]:
    return start, end
