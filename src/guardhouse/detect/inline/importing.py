"""Follows names that are brought in under another one: `const {exec: run} = require("child_process")`.

As far as that is written plainly.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.tokens import TEXT

LOADERS: Final = frozenset("require import _load getBuiltinModule binding from".split())
_MOST_TOKENS: Final = 60


def loads(context: Context, i: int, name: str) -> None:
    """`x = require("y")` and `import {a} from "y"`: what is called by which name from here on."""
    tokens = context.tokens
    at = i + 1 + tokens.is_mark(i + 1, "(")
    if at >= len(tokens.kinds) or tokens.kinds[at] != TEXT:
        return
    module = _module(context, tokens.texts[at]).removesuffix("/promises")
    context.loaded.add(module)
    back = i - 1 if name == "from" else i - 2
    back -= tokens.is_name(back) and tokens.texts[back] == "await"
    if name != "from" and not tokens.is_mark(i - 1, "="):
        return
    if tokens.is_name(back):
        context.aliases[tokens.texts[back]] = module
    elif tokens.is_mark(back, "}"):
        _picked(context, back - 1, module)


def _module(context: Context, text: str) -> str:
    text = text.removeprefix("node:")
    return text.rpartition(".")[2] if context.called == "lua" else text


def _picked(context: Context, back: int, module: str) -> None:
    """`{exec, spawn: run}`: parts of a module under their own names or others."""
    tokens = context.tokens
    for at in range(back, max(-1, back - _MOST_TOKENS), -1):
        if tokens.is_mark(at, "{"):
            break
        if tokens.is_name(at):
            between = at > 1 and tokens.texts[at - 1] in (":", "as")
            renamed = between and tokens.is_name(at - 2)
            part = tokens.texts[at - 2] if renamed else tokens.texts[at]
            context.aliases.setdefault(tokens.texts[at], f"{module}.{part}")


def whole_name(context: Context, i: int, name: str, *, by_text: bool) -> str:
    """The name with what it stands for; by text, a name that is set to a text stands for what that names."""
    tokens = context.tokens
    first, dot, rest = name.partition(".")
    if first in context.aliases:
        return context.aliases[first] + dot + rest
    if by_text and first in context.constants and (known := context.constants.get(first)) is not None:
        return known + dot + rest
    if first or not tokens.is_mark(i - 1, ")"):
        return name
    if i > 3 and tokens.kinds[i - 2] == TEXT and tokens.is_name(i - 4):
        if tokens.texts[i - 4].rpartition(".")[2] in LOADERS:
            return _module(context, tokens.texts[i - 2]) + name
    elif tokens.is_mark(i - 2, "(") and tokens.is_name(i - 3):
        return tokens.texts[i - 3] + name
    return name
