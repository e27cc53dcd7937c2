"""Notes what a call does whose name is in the tables: a row says what, the arguments say to what.

Which names are called is found out by the reader of the code.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.hosts import fetch, fetch_somewhere, is_remote, is_request, socket_host
from guardhouse.detect.inline.names import Does, Row
from guardhouse.detect.inline.tokens import MARK
from guardhouse.detect.inline.values import Arguments, Value, command_line
from guardhouse.model import Confidence, Effect

RUNS: Final = frozenset({Does.RUNS_LINE, Does.RUNS_WORDS, Does.EVALUATES})
_OPEN_MODES: Final = frozenset({"<", ">", ">>", "+<", "+>", "+>>", "-|", "|-"})
_ALL_ARGUMENTS: Final = frozenset({"perl", "ruby"})
_RECURSIVE_ON_REQUEST: Final = frozenset({"node", "r", "julia"})
_ALWAYS_RECURSIVE: Final = frozenset("rimraf sync removeSync emptyDirSync emptyDir dir_delete del".split())
_NAMED_TWICE: Final = frozenset(
    "execl execlp execle execv execvp execve execvpe posix_spawn posix_spawnp Exec ForkExec StartProcess "
    "fexecve".split()
)
"""Names whose second argument is the program's name for itself, or the list that starts with it."""
_PATH_EFFECTS: Final = {
    Does.DELETES: Effect.DELETES,
    Does.DELETES_TREE: Effect.DELETES,
    Does.OVERWRITES: Effect.OVERWRITES,
    Does.WRITES: Effect.WRITES,
}
_NETWORK: Final = frozenset({Source.NETWORK})
_PIPE: Final = Row("", "", Does.RUNS_WORDS, "", "")


def do(context: Context, row: Row, given: Arguments, after: int, name: str) -> None:
    """Note what the row says, done to what the call is given from token `after` on."""
    notes, does, values = context.notes, row.does, given.values
    about = values[row.at :]
    text = about[0].text if about else UNKNOWN
    if does is Does.RUNS_LINE or does is Does.RUNS_WORDS:
        words = about[:1] + values[row.more :] if row.more and about else about
        _run(context, row, words, name, was_decoded=given.was_decoded)
    elif does is Does.EVALUATES:
        _evaluate(context, about, after, name, was_decoded=given.was_decoded)
    elif does in _PATH_EFFECTS:
        _change(context, row, about, name)
    elif does is Does.READS:
        fetch(context, text) if is_remote(text) else notes.path(Effect.READS, text)
    elif does is Does.MOVES:
        for value in values[:2]:
            notes.path(Effect.OVERWRITES, value.text)
    elif does is Does.COPIES:
        for value, effect in zip(values[:2], (Effect.READS, Effect.OVERWRITES), strict=False):
            notes.path(effect, value.text)
    elif does is Does.OPENS:
        _open(context, after)
    elif does is Does.FETCHES or does is Does.POSTS:
        notes.sends |= does is Does.POSTS and is_request(name, text)
        fetch_somewhere(context, text, after, name)
    elif does is Does.INCLUDES:
        _include(context, text, after)
    elif does is Does.CALLS:
        _call_named(context, given, after, name)
    else:
        _touch(context, does, text, values, after)


def _touch(context: Context, does: Does, text: str, values: tuple[Value, ...], after: int) -> None:
    """Sockets, and the few that need no more than being seen."""
    notes = context.notes
    if does is Does.CONNECTS:
        notes.sockets = True
        host = socket_host(context, after)
        if host:
            notes.connect(host, "host")
    elif does is Does.NAMES_HOST:
        host = socket_host(context, after)
        if host and not any(known == host or known.startswith(host + ":") for known in notes.hosts[:8]):
            notes.hosts.append(host)
    elif does is Does.LISTENS or does is Does.SERVES:
        notes.listens |= does is Does.LISTENS
        notes.serves |= does is Does.SERVES
        notes.act(Effect.LISTENS, text if text.isdigit() else "", "host" if text.isdigit() else "")
    elif does is Does.LOADS:
        path = next((value.text for value in values if "/" in value.text), UNKNOWN)
        notes.act(Effect.EXECUTES, path, "program", what="machine code out of a file would be loaded")
    elif does is Does.ESCALATES:
        notes.act(Effect.ESCALATES, what="it would run as another user")
    elif does is Does.DECODES:
        notes.decodes = True
    elif does is Does.ENTERS:
        notes.enter(text)
    elif does is Does.LISTS:
        for value in values:
            notes.glob(value.text)
    elif does is Does.LISTS_DIRECTORY:
        notes.glob(text.rstrip("/") + "/*")


def _run(context: Context, row: Row, about: tuple[Value, ...], name: str, *, was_decoded: bool = False) -> None:
    notes = context.notes
    if not about:
        # Somebody names the function and calls it later, or in a way that is not seen.
        notes.run(UNKNOWN, certainty=Confidence.MEDIUM)
    elif row.does is Does.RUNS_WORDS or about[0].listed:
        words = tuple(value for value in about if value.listed) if about[0].listed else about
        last = name.rpartition(".")[2]
        if last in _NAMED_TWICE and context.called in ("c", "other", "go") and len(words) > 1:
            # What is not in the list after the program is the environment.
            inner = [word for word in words[1:] if word.listed] or words[1:]
            words = words if words[1].text == UNKNOWN else (words[0], *inner[1:])
        if last == "Start":
            line = " ".join(word.text for word in words)
        else:
            line = words[0].text if len(words) == 1 and not words[0].listed else command_line(words)
        notes.run(line, was_decoded=was_decoded)
    else:
        notes.run(about[0].text, was_decoded=was_decoded)


def _evaluate(context: Context, about: tuple[Value, ...], after: int, name: str, *, was_decoded: bool) -> None:
    tokens = context.tokens
    at = after + tokens.is_mark(after, "(")
    if tokens.is_mark(at, "{") or tokens.is_mark(at, "'") or tokens.is_mark(at, ")"):
        return
    first = tokens.texts[at] if tokens.is_name(at) else ""
    if context.called == "r" and first not in ("parse", "str2lang", "str2expression"):
        return
    if name.lower() == "assert" and first and not (first.startswith("$_") or tokens.is_mark(at + 1, ")")):
        return
    if was_decoded:
        context.notes.evaluate_decoded()
    if not about or any(UNKNOWN in value.text for value in about):
        context.notes.evaluate()
    for value in about:
        if value.text.strip(UNKNOWN + " "):
            context.read_inner(value.text)


def _change(context: Context, row: Row, about: tuple[Value, ...], name: str) -> None:
    recursive = row.does is Does.DELETES_TREE
    if recursive and context.called in _RECURSIVE_ON_REQUEST:
        recursive = "recursive" in context.code or name.rpartition(".")[2] in _ALWAYS_RECURSIVE
    every = context.called in _ALL_ARGUMENTS and row.does in (Does.DELETES, Does.DELETES_TREE)
    for value in (about if every else about[:1]) or (Value(UNKNOWN),):
        context.notes.path(_PATH_EFFECTS[row.does], value.text, recursive=recursive)


# Files that are opened, and code in files.


def _open(context: Context, after: int) -> None:
    tokens, at = context.tokens, after
    if context.called == "perl":
        # The handle comes first, whatever it looks like.
        while at < min(len(tokens.kinds), after + 8) and not tokens.is_mark(at, ","):
            at += 1
        at += 1
    values = context.arguments(at).values
    if not values:
        return
    first, second = values[0].text, values[1].text if len(values) > 1 else ""
    if context.called == "perl":
        _perl_open(context, first, second, values)
    elif context.called in ("ruby", "r") and first[:1] == "|":
        context.notes.run(first.strip("| ") or UNKNOWN)
    elif is_remote(first):
        fetch(context, first)
    elif "://" not in first:
        _opened(context, first, {"w": ">", "a": ">>", "x": ">"}.get(second[:1], ">>" if "+" in second else "<"))


def _perl_open(context: Context, first: str, second: str, values: tuple[Value, ...]) -> None:
    mode = first.partition(":")[0].strip()
    if mode in _OPEN_MODES:
        if "|" in mode:
            _run(context, _PIPE, values[1:], "open")
        else:
            _opened(context, second or UNKNOWN, mode)
    elif first[:1] == "|" or first.endswith("|"):
        context.notes.run(first.strip("| ") or UNKNOWN)
    else:
        bare = first.lstrip("+<> ")
        if not bare.startswith("&"):
            _opened(context, bare, first[: len(first) - len(bare)].strip())


def _opened(context: Context, path: str, mode: str) -> None:
    if ">>" in mode or "+" in mode:
        context.notes.path(Effect.WRITES, path)
    elif ">" in mode:
        context.notes.path(Effect.OVERWRITES, path)
    else:
        context.notes.path(Effect.READS, path)


def _include(context: Context, text: str, after: int) -> None:
    notes, tokens = context.notes, context.tokens
    at = after + tokens.is_mark(after, "(")
    if is_remote(text):
        fetch(context, text)
        notes.act(Effect.EXECUTES, text, "url", sources=_NETWORK, what="code out of the network would be run")
    elif context.called == "gnuplot":
        return
    elif text.startswith(("/", "~", "data:", "php:")):
        notes.act(Effect.EXECUTES, text, "program", what="code out of a file would be run")
    elif UNKNOWN in text and tokens.is_name(at) and tokens.texts[at].startswith("$_"):
        notes.evaluate()


def _call_named(context: Context, given: Arguments, after: int, name: str) -> None:
    """`call_user_func("system", "id")`: what is called by its name, with the rest."""
    tokens, at, values = context.tokens, after, given.values
    while at < len(tokens.kinds) and tokens.kinds[at] == MARK and tokens.texts[at] in "('#&":
        at += 1
    quoted = context.language.spaced and tokens.is_name(at) and tokens.is_mark(at - 1, "'")
    text = tokens.texts[at] if quoted else values[0].text if values else ""
    rest = context.arguments(at + 1).values if quoted else values[1:]
    for row in context.names.find(text):
        if row.does is Does.CALLS:
            continue
        if row.does is Does.EVALUATES:
            context.notes.evaluate()
        elif row.does in RUNS:
            context.notes.runs = True
            _run(context, _PIPE, rest, text)
        elif row.does in _PATH_EFFECTS:
            _change(context, row, rest, text)
        return
    if UNKNOWN in text and name.startswith("Kernel."):
        context.notes.run(UNKNOWN)
