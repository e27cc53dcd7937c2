"""Finds the verbs of command-line tools that cannot be taken back or reach far: `git reset --hard`, `zfs destroy`.

Which verbs these are is data, in the `verb_table_*` modules beside this one; here is only how a row is compared with
a command's words. Files that are named as arguments, and code that a tool runs, are read elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.detect.shell.programs.tables import VERB_TABLES, VERB_TABLES_OF, verb_table

if TYPE_CHECKING:
    TOOLS: tuple[Tool, ...]
    VERBS: tuple[Verb, ...]


def __getattr__(name: str) -> Any:
    """All `TOOLS` and all `VERBS`: for who walks the whole tables, which takes loading them."""
    if name not in {"TOOLS", "VERBS"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple(row for table in VERB_TABLES for row in getattr(verb_table(table), name))


_OFF = frozenset({"false", "no", "none", "0"})
"""Values with which an option is given and yet not meant: `--force=false`, `--dry-run=none`."""
_ABBREVIATED = len("--") + 3
"""The shortest abbreviation of a long option that is understood."""
_SHORTER = {"git": len("--") + 1}
"""The same, of tools that take as little of a name as tells it from others; none of their options is as short."""
_SUFFIXES = frozenset(
    "c cc cfg conf cpp cs css csv go h hpp html ini ipynb java js json jsx kt lock lua md php pl py rb rs rst scala"
    " scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml".split()
)
"""What file names end with, and names of branches and tags don't."""


class _Option(msgspec.Struct, frozen=True):
    name: str
    value: str | None
    before: int
    """How many operands stand before it."""


class _Line(msgspec.Struct, frozen=True):
    """The words of a command, told apart."""

    options: tuple[_Option, ...]
    operands: tuple[str, ...]
    lowered: tuple[str, ...]
    """The operands in lower case, as verbs are compared."""
    ended: int
    """How many operands stand before the `--` that ends the options; -1 if there is none."""
    words: tuple[str, ...]


class _Wanted(msgspec.Struct, frozen=True):
    name: str
    value: str | None


class _Row(msgspec.Struct, frozen=True):
    """A verb, made ready for comparing."""

    verb: Verb
    segments: tuple[tuple[tuple[str, ...], ...], ...]
    """The words of the verb, cut at each `**`; of each word, its choices."""
    when: tuple[tuple[_Wanted, ...], ...]
    unless: tuple[_Wanted, ...]
    valued: frozenset[str]


class _Entry(msgspec.Struct, frozen=True):
    """A tool, with its rows by the first word of their verb."""

    tool: Tool
    valued: frozenset[str]
    known: frozenset[str]
    """Every option that is named for this tool, which therefore abbreviates no other."""
    rows: dict[str, tuple[_Row, ...]]
    loose: tuple[_Row, ...]
    """The rows whose verb begins with a glob; those in `rows` have them too, in the order of the table."""


def has_verbs(program: str) -> bool:
    """Whether the table has anything to say of a program."""
    return program.startswith("git-") or _table_name(program) is not None


def find_verbs(program: str, words: Sequence[str]) -> Iterator[Verb]:
    """The rows of the table that a call of `program` (a base name) with these arguments fits."""
    if program.startswith("git-"):
        # Each verb of git is a program too: `git-reset --hard`.
        program, words = "git", (program.removeprefix("git-"), *words)
    entry = _entry(program)
    if entry is None:
        return
    lines = {entry.valued: _told_apart(words, entry.valued)}
    line = lines[entry.valued]
    first = line.lowered[0] if line.lowered else ""
    for row in entry.rows.get(first, entry.loose):
        if row.valued not in lines:
            lines[row.valued] = _told_apart(words, row.valued)
        if _fits(row, lines[row.valued], entry):
            yield row.verb


def scope_of(program: str) -> Scope:
    """Where the verbs of `program` act."""
    entry = _entry(program)
    return entry.tool.scope if entry else Scope.LOCAL


def _entry(program: str) -> _Entry | None:
    name = _table_name(program)
    return _make_entry(_tools(VERB_TABLES_OF[name][0])[name]) if name is not None else None


def _table_name(program: str) -> str | None:
    """The name by which the tables know a program, if one does."""
    name = program.lower().removesuffix(".exe").removesuffix(".cmd")
    if name in VERB_TABLES_OF:
        return name
    plain = name.rstrip("0123456789.")
    return plain if plain in VERB_TABLES_OF else None


@cache
def _tools(table: str) -> dict[str, Tool]:
    tools: tuple[Tool, ...] = verb_table(table).TOOLS
    return {name.lower(): tool for tool in tools for name in tool.names.split()}


def _told_apart(words: Sequence[str], valued: frozenset[str]) -> _Line:
    options: list[_Option] = []
    operands: list[str] = []
    ended = -1
    rest = iter(words)
    for word in rest:
        if ended >= 0 or word == "-" or not word.startswith("-"):
            # An unknown word before the verb may be nothing at all, or an option.
            if operands or word != UNKNOWN:
                operands.append(word)
        elif word == "--":
            # Before the verb it ends nothing: the options that matter are still to come.
            ended = len(operands) if operands else -1
        else:
            options.extend(_read_option(word, rest, valued, len(operands)))
    return _Line(tuple(options), tuple(operands), tuple(word.lower() for word in operands), ended, tuple(words))


def _read_option(word: str, rest: Iterator[str], valued: frozenset[str], before: int) -> Iterator[_Option]:
    name, equals, value = word.partition("=")
    if equals:
        yield _Option(name, value, before)
    elif name in valued:
        yield _Option(name, next(rest, None), before)
        return
    elif len(name) > 2:
        yield _Option(name, None, before)
    if not word.startswith("--") and name not in valued:
        yield from _read_cluster(word, rest, valued, before)


def _read_cluster(word: str, rest: Iterator[str], valued: frozenset[str], before: int) -> Iterator[_Option]:
    seen: set[str] = set()
    if len(word) > 2 and word[1].isdigit():
        return  # a number: a signal, a count
    for at, letter in enumerate(word[1:], start=2):
        if not (letter.isascii() and letter.isalnum()):
            return
        name = f"-{letter}"
        if name in valued:
            attached = word[at:]
            yield _Option(name, attached.removeprefix("=") if attached else next(rest, None), before)
            return
        if letter not in seen:
            seen.add(letter)
            yield _Option(name, None, before)


def _fits(row: _Row, line: _Line, entry: _Entry) -> bool:
    length = _length_of_verb(row.segments, line.lowered)
    if length < 0:
        return False
    options = line.options
    if row.verb.where == "before operands":
        options = tuple(option for option in options if option.before <= length)
    if row.segments[0] and any(option.name == "--help" for option in options):
        return False
    if not _options_fit(row, options, entry):
        return False
    condition = _CONDITIONS.get(row.verb.where)
    return condition is None or condition(line)


def _options_fit(row: _Row, options: tuple[_Option, ...], entry: _Entry) -> bool:
    excused = any(_excuses(wanted, options) for wanted in row.unless if not (row.when and wanted.value))
    if excused and not _taken_back(row.unless, options):
        return False
    if not row.when:
        return True
    counted = [option for option in options if not any(_is(option, wanted) for wanted in row.unless if wanted.value)]
    names = {option.name for option in counted}
    stubs = [option for option in counted if _may_abbreviate(option.name, entry)]
    return any(all(_is_given(wanted, counted, names, stubs) for wanted in together) for together in row.when)


def _is_given(wanted: _Wanted, options: list[_Option], names: set[str], stubs: list[_Option]) -> bool:
    if wanted.name in names and any(_is(option, wanted) for option in options):
        return True
    return any(wanted.name.startswith(stub.name) and _has_value(stub, wanted) for stub in stubs)


def _may_abbreviate(name: str, entry: _Entry) -> bool:
    shortest = _SHORTER.get(entry.tool.names, _ABBREVIATED)
    return len(name) >= shortest and name.startswith("--") and name not in entry.known


def _excuses(wanted: _Wanted, options: tuple[_Option, ...]) -> bool:
    """Whether the option is there, each time with a value that means it: not `--dry-run=none`."""
    given = [option for option in options if option.name == wanted.name]
    return bool(given) and all(_has_value(option, wanted) for option in given)


def _taken_back(unless: tuple[_Wanted, ...], options: tuple[_Option, ...]) -> bool:
    """Whether one of these options is undone by its opposite, `--no-dry-run` or an abbreviation of that."""
    opposites = [f"--no-{wanted.name[2:]}" for wanted in unless if wanted.name.startswith("--")]
    return any(
        len(option.name) >= len("--no-") + 3 and opposite.startswith(option.name)
        for option in options
        for opposite in opposites
    )


def _is(option: _Option, wanted: _Wanted) -> bool:
    return option.name == wanted.name and _has_value(option, wanted)


def _has_value(option: _Option, wanted: _Wanted) -> bool:
    if wanted.value is None:
        return option.value is None or option.value.lower() not in _OFF
    return option.value is not None and _fits_glob(option.value.lower(), wanted.value)


def _length_of_verb(segments: tuple[tuple[tuple[str, ...], ...], ...], operands: tuple[str, ...]) -> int:
    """How many operands the verb takes up, at the first place where it fits; -1 if it doesn't."""
    at = 0
    for number, segment in enumerate(segments):
        last = len(operands) - len(segment)
        starts = range(at, last + 1) if number else range(min(1, last + 1))
        start = next((start for start in starts if _fits_segment(segment, operands, start)), -1)
        if start < 0:
            return -1
        at = start + len(segment)
    return at


def _fits_segment(segment: tuple[tuple[str, ...], ...], operands: tuple[str, ...], start: int) -> bool:
    return all(
        any(_fits_glob(operands[start + offset], choice) for choice in choices)
        for offset, choices in enumerate(segment)
    )


def _fits_glob(text: str, glob: str) -> bool:
    first, *others = glob.split("*")
    if not others:
        return text == glob
    *middle, last = others
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _names_paths(line: _Line) -> bool:
    """Whether `git checkout` is given paths, which it overwrites, and not only a branch to go to."""
    if line.ended >= 0:
        return len(line.operands) > line.ended
    operands = line.operands[1:]
    if any(option.name == "--pathspec-from-file" for option in line.options):
        return True
    return len(operands) > 1 or any(_looks_like_path(operand) for operand in operands)


def _looks_like_path(word: str) -> bool:
    if word in {".", ".."} or word.startswith(("./", "../", "/", ":")) or word.endswith("/") or "*" in word:
        return True
    _, dot, suffix = word.rpartition(".")
    return bool(dot) and suffix.lower() in _SUFFIXES


def _forces_a_ref(line: _Line) -> bool:
    """Whether `git push` is given `+ref`, which overwrites, or `:ref`, which deletes; `:` alone does neither."""
    return any(len(word) > 1 and word.startswith(("+", ":")) for word in line.operands[1:])


def _signals_everyone(line: _Line) -> bool:
    """Whether `kill` is sent to the first process, or with `-1` to every process there is."""
    words = list(line.words)
    if words and words[0] in {"-s", "-n", "--signal"}:
        words = words[2:]
    elif words and words[0].startswith("-") and words[0] != "--":
        words = words[1:]
    return "1" in words or "-1" in words


_CONDITIONS: dict[str, Callable[[_Line], bool]] = {
    "paths": _names_paths,
    "forced refs": _forces_a_ref,
    "everyone": _signals_everyone,
}
"""What `Verb.where` can ask for. There is one more, `before operands`: that the options stand before the first operand
after the verb, because what follows belongs to another program."""


def _wanted(option: str) -> _Wanted:
    name, equals, value = option.partition("=")
    return _Wanted(name, value.lower() if equals else None)


def _row(verb: Verb, tool: Tool) -> _Row:
    segments: list[list[tuple[str, ...]]] = [[]]
    for word in verb.verb.lower().split():
        if word == "**":
            segments.append([])
        else:
            segments[-1].append(tuple(word.split("|")))
    return _Row(
        verb=verb,
        segments=tuple(tuple(segment) for segment in segments),
        when=tuple(tuple(_wanted(option) for option in together.split("&")) for together in verb.when.split()),
        unless=tuple(_wanted(option) for option in verb.unless.split()),
        valued=frozenset(tool.valued.split()) | frozenset(verb.valued.split()),
    )


def _first_words(row: _Row) -> tuple[str, ...]:
    """The words of which one must come first; none if that is not certain."""
    words = row.segments[0][0] if row.segments[0] else ()
    return () if any("*" in word for word in words) else words


@cache
def _make_entry(tool: Tool) -> _Entry:
    names = frozenset(tool.names.split())
    verbs: tuple[Verb, ...] = verb_table(VERB_TABLES_OF[tool.names.split()[0].lower()][0]).VERBS
    rows = [_row(verb, tool) for verb in verbs if verb.tool in names]
    firsts = [_first_words(row) for row in rows]
    by_word: dict[str, list[_Row]] = {word: [] for words in firsts for word in words}
    for row, words in zip(rows, firsts, strict=True):
        for word in dict.fromkeys(words or by_word):
            by_word[word].append(row)
    named = (" ".join((row.verb.when, row.verb.unless, row.verb.valued)).replace("&", " ") for row in rows)
    return _Entry(
        tool=tool,
        valued=frozenset(tool.valued.split()),
        known=frozenset(option.partition("=")[0] for option in " ".join((tool.valued, *named)).split()),
        rows={word: tuple(of_word) for word, of_word in by_word.items()},
        loose=tuple(row for row, words in zip(rows, firsts, strict=True) if not words),
    )
