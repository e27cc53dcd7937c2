"""Follows what names are set to: plainly, several at once, by loops, by callers, by what changes them in place.

A name whose value can't be told from the code is lost: nothing that it was before may be taken for what it is.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.folding import folds
from guardhouse.detect.inline.home import home_end
from guardhouse.detect.inline.tokens import MARK, MIXED, NAME, NUMBER, PATTERN, TEXT
from guardhouse.detect.inline.values import WRAPPERS
from guardhouse.model import Effect

LOOPS: Final = frozenset("for foreach each".split())
DEFINITIONS: Final = frozenset("function def sub fn func fun defun defn define proc defp lambda".split())
CHANGERS: Final = frozenset(
    "read sysread recv scanf fscanf sscanf fgets gets strcpy strcat strncat strncpy sprintf snprintf getline fread "
    "memcpy gsub catch preg_match preg_match_all substr splice push unshift settype array_push".split()
)
"""Names that change what they are given."""
EVERYTHING: Final = frozenset("extract parse_str import_request_variables".split())
"""Names that set names which nobody sees."""
STARTS: Final = frozenset("=:+.-*/%|&^?<~x")
"""Marks that an assignment may start with, after a name."""
_IN_PLACE: Final = frozenset("concat replace insert prepend push append write clear setLength reverse".split())
_IDENTITIES: Final = frozenset({"$<", "$>", "$(", "$)", "$EUID", "$UID", "$EGID", "$GID"})
_LITERAL: Final = frozenset({TEXT, MIXED, NUMBER})
_MOST_NAMES: Final = 24
_NO_CHANGES: Final = frozenset("== => <= >= =~".split())
"""Marks after a name that compare it, or make it a key."""


def assigned(context: Context, i: int, name: str) -> None:
    """Follow the name at `i`, if it is set or changed there."""
    tokens = context.tokens
    at, texts = i + 1, tokens.texts
    marks = ""
    while at < len(tokens.kinds) and tokens.kinds[at] == MARK and len(marks) < 3 and texts[at] in "=:+.-*/%|&^?<~>":
        marks += texts[at]
        at += 1
    if marks == "=~":
        if at < len(tokens.kinds) and tokens.kinds[at] == PATTERN and texts[at]:
            context.constants.lose(name)
    elif marks[:2] in _NO_CHANGES:
        return
    elif marks in ("=", ":=", "<-", "<<-"):
        _set(context, i, at, name)
    elif marks in ("+=", ".="):
        _append(context, at, name)
    elif "=" in marks[:3] or marks[:2] in ("<<", "++", "--", "<-"):
        # More marks stand before the value, or it is computed: nobody sees what it is.
        context.constants.lose(name)
    if marks[:1] == "=" and name in _IDENTITIES and context.called == "perl":
        context.place(i, at + 1)
        context.notes.act(Effect.ESCALATES, what="it would run as another user")


def _set(context: Context, i: int, at: int, name: str) -> None:
    tokens, constants = context.tokens, context.constants
    if tokens.is_mark(i - 1, ",") and _several(context, i, at):
        return
    if tokens.is_name(at) and not tokens.is_mark(at + 1, "("):
        source = context.aliases.get(tokens.texts[at], tokens.texts[at])
        if context.names.find(source):
            context.aliases[name] = source
    constants.put(name, _worth(context, at))


def _worth(context: Context, at: int) -> str:
    tokens = context.tokens
    if at >= len(tokens.kinds):
        return UNKNOWN
    if tokens.kinds[at] == NAME:
        text = tokens.texts[at]
        known = context.constants.get(text) is not None or home_end(tokens, at) or text in WRAPPERS
        known = known or folds(context.called, text)
    else:
        known = tokens.kinds[at] in _LITERAL or (context.language.spaced and tokens.is_mark(at, "("))
    values = context.arguments(at).values if known else ()
    return values[0].text if len(values) == 1 else UNKNOWN


def _several(context: Context, i: int, at: int) -> bool:
    """`a, b = …`: whether several names are set at once; then all but a known home directory are lost."""
    tokens, back, names = context.tokens, i, [context.tokens.texts[i]]
    while tokens.is_mark(back - 1, ",") and tokens.is_name(back - 2) and len(names) < _MOST_NAMES:
        back -= 2
        names.append(tokens.texts[back])
    if len(names) == 1 or tokens.is_mark(back - 1, "=") or tokens.is_mark(back - 1, "("):
        return False
    values = context.arguments(at).values if at < len(tokens.kinds) else ()
    names.reverse()
    for number, name in enumerate(names):
        whole = len(values) == len(names) or (number == 0 and tokens.is_name(at) and bool(home_end(tokens, at)))
        context.constants.put(name, values[number].text if whole and values else UNKNOWN)
    return True


def _append(context: Context, at: int, name: str) -> None:
    """`a += …`, `a .= …`."""
    if name in context.constants:
        context.constants.append(name, _worth(context, at))
    else:
        context.constants.lose(name)


def bracketed(context: Context, i: int) -> None:
    """`(a, b) = …`, `[a, b] = …`, `(a, b) => …`: the `=` at `i` after a bracket sets all names in it."""
    tokens = context.tokens
    if tokens.is_mark(i + 1, "=") or tokens.is_mark(i + 1, "~"):
        return
    opening = tokens.opening(i - 1)
    if opening < 0 or (tokens.texts[opening] == "[" and opening and tokens.kinds[opening - 1] == NAME):
        _lose_owner(context, opening)
        return
    _lose_between(context, opening, i)


def _lose_owner(context: Context, opening: int) -> None:
    """`a[0] = …` changes `a`."""
    if opening > 0:
        context.constants.lose(context.tokens.texts[opening - 1])


def block_names(context: Context, i: int) -> None:
    """`{ |a, b| …`: what a block is given."""
    tokens = context.tokens
    for at in range(i + 1, min(i + _MOST_NAMES, len(tokens.kinds))):
        if tokens.kinds[at] == NAME:
            context.constants.lose(tokens.texts[at])
        elif tokens.texts[at] not in ("(", ")", ",", "*", "&"):
            break


def loop_names(context: Context, i: int) -> None:
    """`for a in …`, `foreach (… as $a)`, `for my $a (…)`: what a loop sets."""
    tokens = context.tokens
    first = i + 1 + tokens.is_mark(i + 1, "(")
    for at in range(first, min(i + _MOST_NAMES, len(tokens.kinds))):
        text = tokens.texts[at]
        if tokens.kinds[at] == NAME:
            if text in ("in", "of", "range"):
                break
            context.constants.lose(text)
        elif tokens.kinds[at] != MARK or text in "({;\n" or (text == "=" and not tokens.is_mark(at + 1, ">")):
            break


def parameter_names(context: Context, i: int) -> None:
    """`function f(a, b)`: what a caller sets."""
    tokens = context.tokens
    at = i + 1
    while at < len(tokens.kinds) and tokens.kinds[at] == NAME and at < i + 3:
        at += 1
    if tokens.is_mark(at, "(") and context.notes.gather(1):
        end = at + 1
        while end < len(tokens.kinds) and end - at < 2 * _MOST_NAMES and not tokens.is_mark(end, ")"):
            end += 1
        _lose_between(context, at, end)


def arrow_name(context: Context, i: int) -> None:
    """`a => …`: what a caller sets, in languages whose functions are written so."""
    if context.called in ("node", "java", "c") and context.tokens.is_name(i - 1):
        context.constants.lose(context.tokens.texts[i - 1])


def changed_by_call(context: Context, i: int) -> None:
    """`read(f, a)`: what a call changes among what it is given."""
    tokens = context.tokens
    for at in range(i + 1, min(i + _MOST_NAMES, len(tokens.kinds))):
        if tokens.kinds[at] == NAME and tokens.texts[at] in context.constants:
            context.constants.lose(tokens.texts[at])
        elif tokens.kinds[at] == MARK and tokens.texts[at] in ");\n{":
            break


def changed_by_method(context: Context, name: str) -> None:
    """`a.gsub!(…)`: what its own method changes."""
    first, _, last = name.partition(".")
    if last and first in context.constants and (last[-1] == "!" or last in _IN_PLACE):
        context.constants.lose(first)


def _lose_between(context: Context, start: int, end: int) -> None:
    tokens = context.tokens
    if not context.notes.gather(end - start):
        return
    for at in range(start + 1, min(end, start + 2 * _MOST_NAMES)):
        if tokens.kinds[at] == NAME:
            context.constants.lose(tokens.texts[at])
