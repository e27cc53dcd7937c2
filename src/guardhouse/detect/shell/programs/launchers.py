"""Finds what a program would run because its arguments, its environment or its standard input say so.

`find_code` is for code in places where nobody looks for it (`tar --checkpoint-action`, `git -c core.pager`), `prefixed`
for programs that run the rest of their words. What such code does is not said here, nor are the everyday wrappers
(`sudo`, `env`, `xargs`, `find -exec`, `sh -c`) read here. The rows are in the `launcher_table_*` files.

How a row says where the code stands: the last word of `where` is the place, its spellings separated by `|`:
`-e|--eval` an option with a value, glued or as the next word; `-O?` one whose value must be glued; `-c!` one after
which no other option comes (`?` and `!` also in `valued`); `-agentpath:` or `+` anything that begins so; `1`, `*`,
`--`, `stdin` and `NAME=` as `Launcher.where` has them. What stands before it are conditions: a word is a verb of the
program (`rebase|pull -x`, `diff.*`), `^` asks that the option stands before any verb, `-x|-y` that one of these options
is there, `!-x|-y` that none of them is, `!1` that no argument is there.

How a row says what to strip: case does not count; `*` is any text without a `=`, `**` any text at all (only at the
beginning), `~` blanks and `=` signs. If what is stripped opens a bracket or ends with a quote, the code ends where that
is closed; `>,` at the end says that it ends at a comma. `<` at the end: it must be there, but is part of the code. `.`
alone: if none of the others is there, all of it is code. `@scratch` is for programs that are given files of a project
every day (`make -f`, `awk -f`): only files in folders where anybody may write are told.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.shell.programs.interface import Launcher
from guardhouse.detect.shell.programs.launcher_table_environment import LAUNCHERS as _VARIABLE_ROWS
from guardhouse.detect.shell.programs.tables import LAUNCHER_TABLES, LAUNCHER_TABLES_OF, launcher_table
from guardhouse.detect.shell.programs.tables import PREFIXES as _PREFIX_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from guardhouse.detect.shell.programs.launcher_table_prefixes import PREFIXES, Prefix

    LAUNCHERS: tuple[Launcher, ...]

__all__ = ["ENVIRONMENT", "LAUNCHERS", "PREFIXES", "STDIN", "VARIABLES", "Code", "Prefix", "find_code", "prefixed"]


def __getattr__(name: str) -> Any:
    """All `LAUNCHERS` and `PREFIXES`: for who walks the whole tables, which takes loading them."""
    if name == "LAUNCHERS":
        tables = (launcher_table(table).LAUNCHERS for table in LAUNCHER_TABLES)
        return (*(row for table in tables for row in table), *_VARIABLE_ROWS)
    if name in {"PREFIXES", "Prefix"}:
        return getattr(launcher_table("prefixes"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


ENVIRONMENT: Final = -1
"""The index of code that stands in an environment variable."""
STDIN: Final = -2
"""The index of code that is read from standard input; its text is not known here and left empty."""

_ASSIGNERS: Final = frozenset("export declare typeset readonly local".split())
_BUNDLERS: Final = frozenset("tar gtar bsdtar ar".split())
"""Programs whose first word may be options without a dash, their values in the words after it: `tar xfI a.tar prog`."""
_INNER_FROM: Final = {
    **dict.fromkeys("python python2 python3 pypy pypy3 jython micropython ipython ipython3".split(), 1),
    **dict.fromkeys("perl ruby jruby truffleruby irb pry php php-cgi tclsh wish expect Rscript julia guile".split(), 1),
    **dict.fromkeys("node nodejs bun tsx ts-node babel-node osascript groovy scala elixir racket bash".split(), 1),
    **dict.fromkeys("lua luajit texlua lua5.1 lua5.2 lua5.3 lua5.4 java javaw valgrind".split(), 1),
    **dict.fromkeys("awk gawk mawk nawk original-awk goawk".split(), 1),
    **dict.fromkeys("ssh slogin autossh".split(), 2),
}
"""Programs with an argument after which options are no longer theirs: a script, a program, or a remote command."""
_ASKING: Final = frozenset(("--version", "--help"))
"""With these a program reads nothing."""
_COMPILERS: Final = frozenset("gcc g++ clang clang++ cc c++ cpp ld ar".split())
"""Programs that are also called with a target before their name."""
_SCRATCH: Final = ("/tmp/<", "/private/tmp/<", "/var/tmp/<", "/dev/shm/<", "/dev/fd/<", "/proc/<")  # noqa: S108
_MOST_MATCHES: Final = 32
_SHORTEST_ABBREVIATION: Final = len("--abc")
_LOWER: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_CLOSERS: Final = {"(": ")", "{": "}", "[": "]", '"': '"', "'": "'", "`": "`"}


class Code(msgspec.Struct, frozen=True):
    """Something that a program would run."""

    text: str
    """The code, with `acts.UNKNOWN` for what only the run would show; for `argv` and `program` the name of a file."""
    code: str
    """How to read it, as in `Launcher.code`."""
    index: int
    """The word it stands in, or `ENVIRONMENT`, or `STDIN`."""
    rest: tuple[str, ...]
    """For `argv`, and for a `program` that is not an option's value: the words that follow."""
    launcher: Launcher
    """The row it was found by."""


class _Strip(msgspec.Struct, frozen=True):
    """What to take away before the code, ready for matching."""

    anywhere: bool
    tokens: tuple[str, ...]
    closer: str
    """The character the code ends at; empty for none."""
    keeps: bool
    """It must be there, but is a part of the code."""


class _Verb(msgspec.Struct, frozen=True):
    """The words that one verb may be."""

    words: frozenset[str]
    globs: tuple[tuple[str, str], ...]
    """What a word begins and ends with."""


class _Row(msgspec.Struct, frozen=True):
    """A launcher, its `where` taken apart."""

    launcher: Launcher
    verbs: tuple[_Verb, ...]
    needs: tuple[frozenset[str], ...]
    forbids: frozenset[str]
    before_verbs: bool
    no_arguments: bool
    places: tuple[str, ...]
    strips: tuple[_Strip, ...]


class _Program(msgspec.Struct, frozen=True):
    """All rows of a program, arranged for reading its words once."""

    options: Mapping[str, tuple[_Row, ...]]
    arguments: tuple[_Row, ...]
    valued: frozenset[str]
    valued_by_verb: Mapping[str, frozenset[str]]
    glued: frozenset[str]
    ending: frozenset[str]
    openers: tuple[str, ...]
    names: frozenset[str]
    """All options that are known in full."""
    longs: tuple[str, ...]
    """Those that may be meant when one is cut short. Only places of code: a flag must never be taken for another
    option that would swallow the word after it."""
    clusters: bool
    tails: tuple[tuple[tuple[_Verb, ...], int], ...]
    """After which verbs, and with which argument, a command begins that the rest of the words belong to."""


class _Option(msgspec.Struct, frozen=True):
    name: str
    value: str
    at: int
    """The index of the word that the value stands in."""
    before_verbs: bool


class _Words(msgspec.Struct, frozen=True):
    """The words of a command, read as options and arguments."""

    options: list[_Option]
    flags: set[str]
    arguments: list[tuple[str, int]]


def find_code(program: str, words: Sequence[str], environment: Mapping[str, str]) -> Iterator[Code]:
    """Everything that this command would run on behalf of its words, its variables or its input.

    `program` is the name without a folder, `words` the whole command with the program as its first word.
    """
    if environment:
        yield from _in_environment(_named(program), environment.items(), ENVIRONMENT)
    if program in _ASSIGNERS:
        for index, word in enumerate(words):
            name, equals, value = word.partition("=")
            if equals and name in VARIABLES:
                yield from _in_environment("", ((name, value),), index)
    name = program if program in LAUNCHER_TABLES_OF else _named(program)
    if name not in LAUNCHER_TABLES_OF:
        return
    known = _program(name)
    inner = prefixed(program, words)
    read = _read(known, words if inner is None else words[:inner], bundled=name in _BUNDLERS)
    yield from _in_options(known, read, words)
    yield from _in_arguments(known, read, words)


def prefixed(program: str, words: Sequence[str]) -> int | None:
    """The index of the word where the command begins that this program runs, or None if it runs none.

    The words are those of the whole command, as for `find_code`.
    """
    name = program if program in _PREFIX_NAMES else _named(program)
    for prefix in _prefixes()[name] if name in _PREFIX_NAMES else ():
        index = _begin(prefix, words)
        if index is not None:
            return index
    return None


def _named(program: str) -> str:
    """The name as the tables have it: `python3.11` is `python`, `CMD.EXE` is `cmd`."""
    if program in LAUNCHER_TABLES_OF or program in _PREFIX_NAMES or (program.isalpha() and program.islower()):
        return program
    plain = program.translate(_LOWER).removesuffix(".exe")
    if plain in LAUNCHER_TABLES_OF or plain in _PREFIX_NAMES:
        return plain
    name = plain.rstrip("0123456789.").removesuffix("-")
    if name in _VERSIONED:
        return name
    target, _, name = plain.rpartition("-")
    return name if target and name in _COMPILERS else program


def _in_environment(program: str, variables: Iterable[tuple[str, str]], index: int) -> Iterator[Code]:
    for name, value in variables:
        for launcher in VARIABLES.get(name, ()):
            names = launcher.program.split()
            if not program or names == ["*"] or program in names:
                for text in _stripped(value, _row(launcher)):
                    yield Code(text, launcher.code, index, (), launcher)


def _in_options(known: _Program, read: _Words, words: Sequence[str]) -> Iterator[Code]:
    for option in read.options:
        for row in known.options.get(option.name, ()):
            if (row.before_verbs and not option.before_verbs) or not _fits(row, read):
                continue
            for text in _stripped(option.value, row):
                rest = tuple(words[option.at + 1 :]) if row.launcher.code == "argv" else ()
                yield Code(text, row.launcher.code, option.at, rest, row.launcher)


def _in_arguments(known: _Program, read: _Words, words: Sequence[str]) -> Iterator[Code]:
    for row in known.arguments:
        if not _fits(row, read):
            continue
        code = row.launcher.code
        arguments = read.arguments[len(row.verbs) :]
        for place in row.places:
            if place == "stdin":
                if not read.flags & _ASKING:
                    yield Code("", code, STDIN, (), row.launcher)
            elif place == "*":
                for word, index in arguments:
                    for text in _stripped(word, row):
                        yield Code(text, code, index, (), row.launcher)
            elif len(arguments) >= (number := 1 if place == "--" else int(place)):
                word, index = arguments[number - 1]
                rest = tuple(words[index + 1 :]) if place == "--" or code in ("argv", "program") else ()
                if place == "--" and code != "argv":
                    word, rest = " ".join((word, *rest)), ()
                for text in _stripped(word, row):
                    yield Code(text, code, index, rest, row.launcher)


def _fits(row: _Row, read: _Words) -> bool:
    if row.no_arguments and any(word != "-" for word, _ in read.arguments[len(row.verbs) :]):
        return False
    if len(read.arguments) < len(row.verbs):
        return False
    if not _are_verbs(row.verbs, read.arguments):
        return False
    return not (row.forbids & read.flags) and all(need & read.flags for need in row.needs)


def _read(known: _Program, words: Sequence[str], *, bundled: bool) -> _Words:
    read = _Words([], set(), [])
    index = 1
    if bundled and len(words) > 1 and not words[1].startswith("-"):
        index = _read_bundle(known, words, read)
    only_arguments = False
    valued = known.valued
    while index < len(words):
        word = words[index]
        if word == "--" and not only_arguments:
            only_arguments = True
            read.flags.add("--")
            index += 1
        elif not only_arguments and word.startswith(known.openers):
            opener = next(opener for opener in known.openers if word.startswith(opener))
            _note(read, opener, word[len(opener) :], index)
            index += 1
        elif not only_arguments and len(word) > 1 and (word[0] == "-" or (word[0] == "/" and word in valued)):
            index = _read_option(known, valued, words, index, read)
        else:
            read.arguments.append((word, index))
            if len(read.arguments) == 1:
                valued |= known.valued_by_verb.get(word, frozenset())
            if _is_tail(known, read):
                break
            index += 1
    return read


def _read_bundle(known: _Program, words: Sequence[str], read: _Words) -> int:
    index = 2
    for letter in words[1]:
        name = "-" + letter
        read.flags.add(name)
        if name in known.valued and index < len(words):
            _note(read, name, words[index], index)
            index += 1
    return index


def _is_tail(known: _Program, read: _Words) -> bool:
    arguments = read.arguments
    return any(len(arguments) == len(verbs) + number and _are_verbs(verbs, arguments) for verbs, number in known.tails)


def _are_verbs(verbs: tuple[_Verb, ...], arguments: Sequence[tuple[str, int]]) -> bool:
    return all(_is_verb(word, verb) for verb, (word, _) in zip(verbs, arguments, strict=False))


def _is_verb(word: str, verb: _Verb) -> bool:
    lower = word.translate(_LOWER)
    return lower in verb.words or any(lower.startswith(head) and lower.endswith(tail) for head, tail in verb.globs)


def _verb(choices: str) -> _Verb:
    words = choices.translate(_LOWER).split("|")
    globs = (word.partition("*") for word in words if "*" in word)
    return _Verb(frozenset(words), tuple((head, tail) for head, _, tail in globs))


def _note(read: _Words, name: str, value: str, index: int) -> None:
    read.flags.add(name)
    read.options.append(_Option(name, value, index, not read.arguments))


def _read_option(known: _Program, valued: frozenset[str], words: Sequence[str], index: int, read: _Words) -> int:
    """Notes the option, and its value if it takes one; returns the index of the word after it."""
    word = words[index]
    name, equals, value = word.partition("=")
    name = _full_name(known, valued, name)
    if name in valued or name in known.glued:
        if equals:
            _note(read, name, value, index)
            return len(words) if name in known.ending else index + 1
        return _note_next(known, name, words, index, read)
    if word[1] == "-" or name in known.options:
        read.flags.add(name)
        return index + 1
    return _read_cluster(known, valued, words, index, read)


def _read_cluster(known: _Program, valued: frozenset[str], words: Sequence[str], index: int, read: _Words) -> int:
    word = words[index]
    for at in range(1, len(word) if known.clusters else 2):
        name = "-" + word[at]
        if name in valued or name in known.glued:
            value = word[at + 1 :]
            if value:
                _note(read, name, value.removeprefix("="), index)
                return len(words) if name in known.ending else index + 1
            return _note_next(known, name, words, index, read)
        read.flags.add(name)
    read.flags.add(word)
    return index + 1


def _note_next(known: _Program, name: str, words: Sequence[str], index: int, read: _Words) -> int:
    read.flags.add(name)
    if name in known.glued or index + 1 >= len(words):
        return index + 1
    _note(read, name, words[index + 1], index + 1)
    return len(words) if name in known.ending else index + 2


def _full_name(known: _Program, valued: frozenset[str], name: str) -> str:
    """The option that is meant: long ones may be cut short, and some programs take one dash as well as two."""
    if name in known.names or not name.startswith("--"):
        return name
    if name[1:] in valued and len(name) > 3:
        return name[1:]
    if len(name) >= _SHORTEST_ABBREVIATION:
        return next((long for long in known.longs if long.startswith(name)), name)
    return name


def _stripped(text: str, row: _Row) -> Iterator[str]:
    """The code in this text: all of it, or what follows on what is to be stripped. Nothing is no code."""
    if not row.strips:
        if text:
            yield text
        return
    lower = text.translate(_LOWER)
    found = False
    for strip in row.strips:
        if not strip.tokens and found:
            break
        start = 0
        for count in range(_MOST_MATCHES):
            begin = lower.find(strip.tokens[0], start) if strip.anywhere else 0
            if begin < 0:
                break
            after = _after(lower, begin, strip.tokens)
            if after >= 0:
                found = True
                end = _close(text, after, strip.closer) if strip.closer and count < _MOST_MATCHES - 1 else len(text)
                code = text if strip.keeps else text[after:end]
                if strip.closer == "," and code[:1] in ("'", '"'):
                    code = code.strip(code[0])
                if row.launcher.code == "program":
                    code = _file_name(code, in_a_list=strip.anywhere)
                if code.strip():
                    yield code
                start = end
            else:
                start = begin + 1
            if not strip.anywhere or start >= len(text):
                break


def _file_name(text: str, *, in_a_list: bool) -> str:
    """The name alone: without quotes around it, and without what follows if it stands among other things."""
    name = text.lstrip().partition(" ")[0] if in_a_list else text
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'" else name


def _after(text: str, at: int, tokens: tuple[str, ...]) -> int:
    """Where what is to be stripped ends, if it begins at this place; else -1."""
    floating = False
    for token in tokens:
        if token == "*":
            floating = True
        elif token == "~":
            end = at
            while end < len(text) and text[end] in " \t\n=":
                end += 1
            if end == at:
                return -1
            at = end
        elif floating:
            found = text.find(token, at)
            equals = text.find("=", at)
            if found < 0 or 0 <= equals < found:
                return -1
            at, floating = found + len(token), False
        elif text.startswith(token, at):
            at += len(token)
        else:
            return -1
    return at


def _close(text: str, start: int, closer: str) -> int:
    """Where the bracket or quote is closed that was opened before this place, or the end of the text."""
    if closer == "," and text[start : start + 1] in ("'", '"'):
        return min(_close(text, start + 1, text[start]) + 1, len(text))
    if closer in "\"'`,":
        end = text.find(closer, start)
        while end > 0 and text[end - 1] == "\\":
            end = text.find(closer, end + 1)
        return len(text) if end < 0 else end
    opener = next(opening for opening, closing in _CLOSERS.items() if closing == closer)
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == opener) - (text[at] == closer)
        if depth == 0:
            return at
    return len(text)


def _begin(prefix: Prefix, words: Sequence[str]) -> int | None:
    valued, pairs, unless = _prefix_options(prefix)
    verbs = [verb.split("|") for verb in prefix.verb.split()]
    skip = prefix.skip
    index = 1
    options = True
    while index < len(words):
        word = words[index]
        if options and word == "--":
            if not verbs or prefix.dashes:
                options = False
        elif options and len(word) > 1 and word[0] == "-":
            name, equals, _ = word.partition("=")
            if name in unless or (word[1] != "-" and any("-" + letter in unless for letter in name[1:])):
                return None
            index += 2 if word in pairs else not equals and _takes_next(word, valued)
        elif verbs:
            if word not in verbs.pop(0):
                return None
        elif prefix.dashes and options:
            pass
        elif skip:
            skip -= 1
        elif not (prefix.assigns and "=" in word and not word.startswith("=")):
            return index
        index += 1
    return None


@cache  # as many entries as there are rows in the table; most are never asked for
def _prefix_options(prefix: Prefix) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return frozenset(prefix.valued.split()), frozenset(prefix.pairs.split()), frozenset(prefix.unless.split())


def _takes_next(word: str, valued: frozenset[str]) -> bool:
    if word in valued:
        return True
    if word[1] == "-":
        return len(word) >= _SHORTEST_ABBREVIATION and any(name.startswith(word) for name in valued)
    # In a cluster only the last letter can have its value in the next word, if no letter before it took the rest.
    first = next((at for at in range(1, len(word)) if "-" + word[at] in valued), 0)
    return first == len(word) - 1


def _strip(pattern: str) -> _Strip:
    if pattern == ".":
        return _Strip(anywhere=False, tokens=(), closer="", keeps=False)
    if pattern.endswith("<"):
        return replace(_strip(pattern[:-1]), keeps=True)
    if pattern.endswith(">,"):
        return replace(_strip(pattern[:-2]), closer=",")
    lower = pattern.translate(_LOWER)
    anywhere = lower.startswith("**")
    tokens: list[str] = []
    literal = ""
    for letter in lower[2 if anywhere else 0 :]:
        if letter in "*~":
            tokens += [literal, letter] if literal else [letter]
            literal = ""
        else:
            literal += letter
    if literal:
        tokens.append(literal)
    return _Strip(anywhere, tuple(tokens), _closer(lower), keeps=False)


def _closer(pattern: str) -> str:
    if pattern[-1] in "\"'`":
        return pattern[-1]
    for opener in "({[":
        if pattern.count(opener) > pattern.count(_CLOSERS[opener]):
            return _CLOSERS[opener]
    return ""


@cache  # as many entries as there are rows in the table; most are never asked for
def _row(launcher: Launcher) -> _Row:
    *conditions, place = launcher.where.split()
    verbs: list[_Verb] = []
    needs: list[frozenset[str]] = []
    forbids: set[str] = set()
    for condition in conditions:
        if condition.startswith("-"):
            needs.append(frozenset(condition.split("|")))
        elif condition.startswith("!-"):
            forbids.update(condition[1:].split("|"))
        elif condition not in ("^", "!1"):
            verbs.append(_verb(condition))
    patterns = _SCRATCH if launcher.strip == "@scratch" else launcher.strip.split()
    strips = tuple(_strip(pattern) for pattern in patterns)
    before, no_arguments = "^" in conditions, "!1" in conditions
    places = tuple(place.split("|"))
    return _Row(launcher, tuple(verbs), tuple(needs), frozenset(forbids), before, no_arguments, places, strips)


def _is_option(place: str) -> bool:
    return place[0] in "-+/" and place != "--"


@cache  # as many entries as there are names in the table; most are never asked for
def _program(program: str) -> _Program:
    launchers = (launcher for table in LAUNCHER_TABLES_OF[program] for launcher in launcher_table(table).LAUNCHERS)
    rows = [_row(launcher) for launcher in launchers if program in launcher.program.split()]
    inner_from = _INNER_FROM.get(program, 0)
    options: dict[str, tuple[_Row, ...]] = {}
    valued: set[str] = set()
    by_verb: dict[str, frozenset[str]] = {}
    glued: set[str] = set()
    ending: set[str] = set()
    openers: set[str] = set()
    for row in rows:
        for name in row.launcher.valued.split():
            (glued if name.endswith("?") else valued).add(name.rstrip("?!"))
            if name.endswith("!"):
                ending.add(name[:-1])
        for place in filter(_is_option, row.places):
            name = place.rstrip("?!")
            options[name] = (*options.get(name, ()), row)
            if place.endswith("!") or row.launcher.code == "argv":
                ending.add(name)
            if place.endswith("?"):
                glued.add(name)
            elif place[-1] in ":+":
                openers.add(place)
            elif row.verbs:
                for verb in row.verbs[0].words:
                    by_verb[verb] = by_verb.get(verb, frozenset()) | {name}
            else:
                valued.add(name)
    arguments = tuple(row for row in rows if not _is_option(row.places[0]))
    names = valued | glued | set().union(*by_verb.values()) | {name for row in rows for name in row.forbids}
    names |= {name for row in rows for need in row.needs for name in need}
    return _Program(
        options=options,
        arguments=arguments,
        valued=frozenset(valued),
        valued_by_verb=by_verb,
        glued=frozenset(glued - valued),
        ending=frozenset(ending),
        openers=tuple(sorted(openers)),
        names=frozenset(names),
        longs=tuple(sorted(name for name in options if name.startswith("--"))),
        clusters=not any(len(name) > 2 and name[0] == "-" != name[1] for name in names),
        tails=(*_tails(arguments), *((((), inner_from),) if inner_from else ())),
    )


def _tails(rows: Iterable[_Row]) -> Iterator[tuple[tuple[_Verb, ...], int]]:
    for row in rows:
        for place in row.places:
            if place == "--":
                yield row.verbs, 1
            elif row.launcher.code == "argv" and place.isdigit():
                yield row.verbs, int(place)


def _by_variable() -> dict[str, tuple[Launcher, ...]]:
    rows: dict[str, tuple[Launcher, ...]] = {}
    for launcher in _VARIABLE_ROWS:
        for name in launcher.where.split()[-1].split("|"):
            variable = name.removesuffix("=")
            rows[variable] = (*rows.get(variable, ()), launcher)
    return rows


@cache
def _prefixes() -> dict[str, tuple[Prefix, ...]]:
    rows: dict[str, tuple[Prefix, ...]] = {}
    for prefix in launcher_table("prefixes").PREFIXES:
        for name in prefix.names.split():
            rows[name] = (*rows.get(name, ()), prefix)
    return rows


VARIABLES: Final = _by_variable()
_VERSIONED: Final = frozenset(
    "python pypy perl ruby node php lua gcc g++ clang clang++ cc c++ ld gdb R julia guile tclsh wish expect ghc octave "
    "vim emacs lldb awk gawk pip java irb erl".split()
)
"""Programs that are also called with a version in their name."""
