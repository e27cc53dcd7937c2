"""Ways to run something that are no calls: awk's pipes, AppleScript's sentences, Groovy's and Scala's methods of texts.

Each function gets the reading and the token at which such a thing may start.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.tokens import MARK, MIXED, NAME, NUMBER, TEXT
from guardhouse.detect.inline.values import command_line
from guardhouse.model import Effect

_AWK_STREAMS: Final = frozenset({"/dev/stderr", "/dev/stdout", "-", "/dev/null"})
APPLESCRIPT: Final = frozenset("do run load administrator delete keystroke key".split())
"""Words that such a sentence starts with."""
_LOOKING: Final = 10
"""What looking for the other end of a pipe costs, in tokens."""
_LISTS: Final = frozenset("Seq List Vector Array listOf".split())


# awk


def awk_text(context: Context, i: int, text: str) -> None:
    """`/inet/tcp/0/example.com/42` is a connection."""
    if not text.startswith("/inet"):
        return
    context.place(i, i + 1)
    context.notes.sockets = True
    parts = text.split("/")
    if len(parts) > 5 and parts[4]:
        context.notes.hosts.append(f"{parts[4]}:{parts[5]}")


def awk_pipe(context: Context, i: int) -> None:
    """`"cmd" | getline`, `print | "cmd"`."""
    tokens = context.tokens
    if tokens.is_mark(i + 1, "|") or tokens.is_mark(i - 1, "|") or not context.notes.gather(_LOOKING):
        return
    after = i + 1 + tokens.is_mark(i + 1, "&")
    context.place(i, after + 1)
    reads = tokens.is_name(after) and tokens.texts[after] == "getline"
    command = _awk_value(context, range(i - 1, max(-1, i - 24), -1)) if reads else _awk_following(context, after)
    if command.startswith("/inet"):
        context.notes.sockets = True
    else:
        context.notes.run(command)


def awk_redirect(context: Context, i: int) -> None:
    """`print > "file"`."""
    tokens = context.tokens
    if not context.notes.gather(_LOOKING) or not _prints(context, i):
        return
    after = i + 1 + tokens.is_mark(i + 1, ">")
    context.place(i, after + 1)
    path = _awk_following(context, after)
    if path not in _AWK_STREAMS and not tokens.is_mark(i - 1, ">"):
        context.notes.path(Effect.WRITES if after > i + 1 else Effect.OVERWRITES, path)


def _prints(context: Context, i: int) -> bool:
    """Whether a `print` stands before on the same statement, so that `>` compares nothing."""
    tokens, depth = context.tokens, 0
    for back in range(i - 1, max(-1, i - 40), -1):
        text = tokens.texts[back]
        if tokens.kinds[back] == MARK:
            depth += (text in ")]") - (text in "([")
            if depth < 0 or text in ";{}\n":
                return False
        elif tokens.kinds[back] == NAME and text in ("print", "printf"):
            return True
    return False


def _awk_following(context: Context, i: int) -> str:
    values = context.arguments(i).values if i < len(context.tokens.kinds) and context.tokens.is_name(i) else ()
    if len(values) == 1 and UNKNOWN not in values[0].text:
        return values[0].text
    return _awk_value(context, range(i, min(len(context.tokens.kinds), i + 24)))


def _awk_value(context: Context, places: range) -> str:
    """The string that is put together there, read in either direction."""
    tokens, texts = context.tokens, list[str]()
    for at in places:
        kind, text = tokens.kinds[at], tokens.texts[at]
        if kind == TEXT:
            texts.append(text)
        elif kind == NAME and text not in ("while", "if"):
            texts.append(context.constants.get(text) or UNKNOWN)
        elif kind == NUMBER:
            texts.append(UNKNOWN)
        elif text not in ("$", "(" if places.step > 0 else ")"):
            break
    return "".join(texts if places.step > 0 else reversed(texts)) or UNKNOWN


# AppleScript


def applescript(context: Context, i: int, name: str) -> None:
    """`do shell script "…"`, `run script "…"`."""
    tokens, notes = context.tokens, context.notes
    first = name.lower()
    if first not in APPLESCRIPT or context.notes.spent():
        return
    words = [
        tokens.texts[at].lower() if tokens.is_name(at) else "" for at in range(i + 1, min(i + 3, len(tokens.kinds)))
    ]
    if first == "do" and words == ["shell", "script"]:
        values = context.arguments(i + 3).values
        context.place(i, i + 4)
        notes.run(values[0].text if values else UNKNOWN)
    elif first == "do" and words[:1] == ["script"] and i + 2 < len(tokens.kinds) and tokens.kinds[i + 2] == TEXT:
        context.place(i, i + 3)
        notes.run(tokens.texts[i + 2])
    elif first in ("run", "load") and words[:1] == ["script"]:
        context.place(i, i + 2)
        notes.evaluate()
    elif first == "administrator" and words[:1] == ["privileges"]:
        context.place(i, i + 2)
        notes.act(Effect.ESCALATES, what="it would ask for an administrator's rights")
    elif first == "keystroke" or (first == "key" and words[:1] == ["code"]):
        context.place(i, i + 1)
        notes.act(Effect.ESCALATES, what="it would type into another program")
    elif first == "delete" and "finder" in context.code.lower():
        context.place(i, i + 1)
        notes.path(Effect.DELETES, UNKNOWN)


# Groovy and Scala


def text_method(context: Context, i: int, text: str) -> None:
    """`"ls".execute()`, `"ls".!`."""
    tokens = context.tokens
    if (tokens.is_name(i + 1) and tokens.texts[i + 1] == ".execute") or _is_scala_run(context, i + 1):
        context.place(i, i + 2)
        context.notes.run(context.filled(text) if tokens.kinds[i] == MIXED else text)


def name_method(context: Context, i: int, name: str) -> None:
    """`["rm", "x"].execute()`, and `c.execute()` where `c` is known."""
    tokens, notes = context.tokens, context.notes
    owner = name.removesuffix(".execute")
    known = context.constants.get(owner) if owner else None
    if known is not None:
        context.place(i, i + 1)
        notes.run(known)
    elif not owner and tokens.is_mark(i - 1, "]"):
        opening = tokens.opening(i - 1)
        words = context.arguments(opening).values if opening >= 0 else ()
        context.place(max(opening, 0), i + 1)
        notes.run(command_line(tuple(word for word in words if word.listed)) or UNKNOWN)


def scala_list(context: Context, i: int) -> None:
    """`Seq("rm", "x").!`."""
    tokens = context.tokens
    back = i - 1 - tokens.is_mark(i - 1, ".")
    if not tokens.is_mark(back, ")"):
        return
    opening = tokens.opening(back)
    if opening > 0 and tokens.texts[opening - 1] in _LISTS:
        context.place(opening, i + 1)
        context.notes.run(command_line(context.arguments(opening).values) or UNKNOWN)


def _is_scala_run(context: Context, i: int) -> bool:
    """`"ls".!` and `"ls" !`, which is no comparison."""
    tokens = context.tokens
    at = i + tokens.is_mark(i, ".")
    return tokens.is_mark(at, "!") and not tokens.is_mark(at + 1, "=")
