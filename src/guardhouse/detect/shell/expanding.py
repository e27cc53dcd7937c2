"""Turns words into arguments: parameters, substitutions, tildes, patterns, splitting, as a shell does it.

What only the run would show is a mark in the text. Nothing is run here: the output of a substitution is asked for from
whoever runs the model.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.braces import braced
from guardhouse.detect.shell.patterns import replaced, trimmed
from guardhouse.detect.shell.syntax import Arithmetic, Parameter, Part, Process, Substitution, Text, Word
from guardhouse.detect.shell.values import (
    DYNAMIC,
    LONGEST,
    MOST_VALUES,
    NOTHING,
    Sources,
    Stream,
    Value,
    Variables,
    calculated,
    is_pattern,
    sounds_secret,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from guardhouse.detect.shell.syntax import Script

_MOST_WAYS: Final = 64
"""Combinations of values that one command is followed with."""


class Expander:
    """Turns words into arguments, for one point of a script."""

    __slots__ = ("_cwd", "_home", "_left", "_output", "_process", "_run", "_spend", "variables")

    def __init__(
        self,
        variables: Variables,
        home: str,
        cwd: str,
        left: str,
        output: Callable[[Script], Stream],
        process: Callable[[Process], Value],
        run: Callable[[str], None],
        spend: Callable[[int], None],
    ) -> None:
        self.variables = variables
        self._home = home
        self._cwd = cwd
        self._left = left
        self._output = output
        self._process = process
        self._run = run
        """For text that an expansion runs as code."""
        self._spend = spend

    def words(self, words: Iterable[Word]) -> list[Value]:
        """The arguments that a list of words comes to."""
        values: list[Value] = []
        for word in words:
            values += self.word(word)
        return values

    def every(self, words: Iterable[Word]) -> list[Value]:
        """The arguments that a list of words comes to, on every way."""
        values: list[Value] = []
        for word in words:
            choices = self.choices((word,))
            if choices is None:
                values.append(Value(UNKNOWN, DYNAMIC))
                continue
            chosen = self.variables.choice
            for choice in choices or [{}]:
                self.variables.choice = {**chosen, **choice}
                values += self.word(word)
            self.variables.choice = chosen
        return values

    def word(self, word: Word) -> list[Value]:
        """The arguments that one word comes to."""
        parts = word.parts
        if len(parts) == 1:
            only = parts[0]
            if type(only) is Text and (only.quoted or _SPECIAL.isdisjoint(only.text)):
                return [Value(only.text, start=word.start, end=word.end)]
        self._spend(len(parts))
        values: list[Value] = []
        for choice in braced(parts, self._spend):
            values += self._fields(choice, word)
        return values[:MOST_VALUES] if len(values) <= MOST_VALUES else [*values[:MOST_VALUES], Value(UNKNOWN, DYNAMIC)]

    def choices(self, words: Iterable[Word]) -> list[dict[str, int]] | None:
        """The combinations of values that the variables in these words may have; None if there are too many."""
        names: dict[str, int] = {}
        for word in words:
            for part in word.parts:
                if type(part) is Parameter:
                    self._several(part, names)
        if not names:
            return []
        total = 1
        for count in names.values():
            total *= count
        if total > _MOST_WAYS:
            return None
        return [dict(zip(names, way, strict=True)) for way in product(*(range(count) for count in names.values()))]

    def _several(self, part: Parameter, names: dict[str, int]) -> None:
        count = len(self.variables.values.get(part.name, ()))
        if count > 1 and part.name not in self.variables.choice:
            names[part.name] = count
        for word in part.arguments:
            for inner in word.parts:
                if type(inner) is Parameter:
                    self._several(inner, names)

    def text(self, word: Word) -> list[Value]:
        """What a word comes to where a shell splits nothing: after `=`, in a redirect, in a here-document."""
        parts = word.parts
        if not parts:
            return [Value("", start=word.start, end=word.end)]
        choices = self.choices((word,))
        if choices is None:
            return [Value(UNKNOWN, DYNAMIC, start=word.start, end=word.end)]
        if not choices:
            return [self._joined(parts, word)]
        chosen = self.variables.choice
        values = []
        for choice in choices:
            self._spend(4)
            self.variables.choice = {**chosen, **choice}
            values.append(self._joined(parts, word))
        self.variables.choice = chosen
        return values

    def one(self, word: Word) -> Value:
        """The first of what a word may come to, for where one is enough."""
        return self.text(word)[0]

    def _fields(self, parts: Sequence[Part], word: Word) -> list[Value]:
        """The arguments of a word without braces, split where an expansion without quotes has blanks in it."""
        self._spend(2 + len(parts))
        fields: list[Value] = []
        texts: list[str] = []
        sources: Sources = NOTHING
        pattern = started = False
        for index, part in enumerate(parts):
            if type(part) is Text:
                started = True
                text = part.text
                if not part.quoted:
                    if index == 0 and "~" in text:
                        text = self._tilde(text) if text[:1] == "~" else self._assigned_tilde(text)
                    pattern = pattern or is_pattern(part.text)
                texts.append(text)
                continue
            items = self._part(part)
            quoted = getattr(part, "quoted", False)
            if not quoted and type(part) is not Process:
                items = self._split(items)
                if not items:
                    continue
            elif not items:
                # "$@" of nothing is no argument at all.
                started = started or len(parts) > 1
                continue
            for place, item in enumerate(items):
                if place:
                    if started:
                        fields.append(Value("".join(texts), sources, pattern, word.start, word.end))
                    texts, sources, pattern, started = [], NOTHING, False, False
                texts.append(item.text)
                sources |= item.sources
                if not quoted and not pattern:
                    pattern = is_pattern(item.text)
                # A blank at an edge splits, but makes no argument of its own.
                started = started or quoted or bool(item.text)
        if started:
            fields.append(_short(Value("".join(texts), sources, pattern, word.start, word.end)))
        return fields

    def _split(self, items: list[Value]) -> list[Value]:
        """What an expansion without quotes is split into; an empty piece stands where a blank touches what is glued
        to it."""
        given = self.variables.values.get("IFS")
        blanks = given[0].text if given is not None and given[0].known else " \t\n"
        split: list[Value] = []
        for item in items:
            text = item.text
            if any(blank in text for blank in blanks):
                for blank in blanks:
                    text = text.replace(blank, " ")
                pieces = text.split()
                self._spend(len(text) // 64 + len(pieces) // 2)
                if len(pieces) > MOST_VALUES:
                    pieces = [*pieces[:MOST_VALUES], UNKNOWN]
                edges = [""] if item.text[0] in blanks else [], [""] if item.text[-1] in blanks else []
                split += [Value(piece, item.sources) for piece in (*edges[0], *pieces, *edges[1])]
            elif text:
                split.append(item)
        return split

    def _joined(self, parts: Sequence[Part], word: Word) -> Value:
        self._spend(2 + len(parts))
        texts: list[str] = []
        sources: Sources = NOTHING
        pattern = False
        for index, part in enumerate(parts):
            if type(part) is Text:
                at_start = index == 0 and not part.quoted and part.text[:1] == "~"
                texts.append(self._tilde(part.text) if at_start else part.text)
                pattern = pattern or (not part.quoted and is_pattern(part.text))
                continue
            items = self._part(part)
            texts.append((self._separator() if _is_one_word(part) else " ").join(item.text for item in items))
            for item in items:
                sources |= item.sources
        return _short(Value("".join(texts), sources, pattern, word.start, word.end))

    def _assigned_tilde(self, text: str) -> str:
        """A tilde after `name=`, and after a colon in what is assigned, is a home, too."""
        name, equals, rest = text.partition("=")
        return f"{name}={self._tilde(rest)}" if equals and rest[:1] == "~" else text

    def _tilde(self, text: str) -> str:
        head, slash, rest = text.partition("/")
        if head == "~":
            return f"{self._home}{slash}{rest}"
        if head == "~+":
            return f"{self._cwd}{slash}{rest}"
        if head == "~-":
            return f"{self._left}{slash}{rest}"
        name = head[1:]
        return f"{'/root' if name == 'root' else f'/home/{name}'}{slash}{rest}"

    def _part(self, part: Part) -> list[Value]:
        if type(part) is Parameter:
            return self._parameter(part)
        if type(part) is Substitution:
            out = self._output(part.script)
            if out.text is None:
                return [Value(UNKNOWN, out.sources | DYNAMIC)]
            return [Value(out.text.rstrip("\n"), out.sources)]
        if type(part) is Process:
            return [self._process(part)]
        if type(part) is Arithmetic:
            inner = self._joined(part.inner.parts, part.inner)
            self._spend(6)
            number = calculated(inner.text, self.variables)
            if number is None:
                self.look_into(inner.text)
                self.variables.calculated(inner.text)
            return [Value(number if number is not None else UNKNOWN, inner.sources)]
        return []

    def look_into(self, text: str) -> None:
        """Arithmetic runs what is substituted in an index, also in that of a variable it names."""
        named = [value.text for name in text.split()[:8] for value in self.variables.values.get(name, ())]
        for one in (text, *named):
            if "[" in one and ("$(" in one or "`" in one):
                self._run(one)

    def _parameter(self, part: Parameter) -> list[Value]:
        values = self._plain(part)
        self._spend(1 + sum(len(value.text) for value in values) // 256)
        if part.indirect and part.index is not None:
            return [Value(UNKNOWN, DYNAMIC)]
        if part.indirect and part.operator != "*":
            values = [found for value in values for found in self._named(value)]
        if part.length:
            return [Value(str(len(value.text)) if value.known else UNKNOWN, value.sources) for value in values[:1]]
        return values if not part.operator else self._operated(part, values)

    def _named(self, value: Value) -> list[Value]:
        if not value.known:
            return [Value(UNKNOWN, value.sources | DYNAMIC)]
        return self._plain(Parameter(value.text.partition("[")[0]))

    def _plain(self, part: Parameter) -> list[Value]:
        """What a parameter holds."""
        name = part.name
        variables = self.variables
        if name in ("@", "*"):
            items = list(variables.positional)
            return self._as_one(items) if name == "*" and part.quoted else items
        if name.isdigit():
            if name == "0":
                return [variables.values.get("0", (Value("bash"),))[0]]
            index = int(name) if len(name) < 6 else 0
            return [variables.positional[index - 1]] if 0 < index <= len(variables.positional) else [Value("")]
        if part.index is not None:
            if name in variables.arrays:
                items = self._elements(name, part.index)
                return self._as_one(items) if part.quoted and _is_one_word(part) else items
            self._joined(part.index.parts, part.index)
        held = variables.values.get(name)
        if held is None and name in variables.arrays:
            return list(variables.arrays[name][:1])
        if held is not None:
            at = variables.choice.get(name, 0)
            return [held[at if at < len(held) else 0]]
        return [self._inherited(name)]

    def _separator(self) -> str:
        """What stands between the words of `"$*"`: the first letter that words are split at."""
        given = self.variables.values.get("IFS")
        return " " if given is None else given[0].text[:1]

    def _as_one(self, items: list[Value]) -> list[Value]:
        text = self._separator().join(item.text for item in items)
        return [Value(text, NOTHING.union(*(item.sources for item in items)))]

    def _elements(self, name: str, index: Word) -> list[Value]:
        items = self.variables.arrays[name]
        self._spend(len(items) // 2)
        wanted = self._joined(index.parts, index).text
        if wanted in ("@", "*"):
            return list(items)
        number = calculated(wanted, self.variables)
        if name in self.variables.loose or number is None:
            self.look_into(wanted)
            return [Value(UNKNOWN, DYNAMIC)]
        if -len(items) <= int(number) < len(items):
            return [items[int(number)]]
        return [Value("")]

    def _inherited(self, name: str) -> Value:
        """What the environment says, as far as it is the same everywhere."""
        if name == "HOME":
            return Value(self._home)
        if name == "PWD":
            return Value(self._cwd)
        if name == "OLDPWD":
            return Value(self._left)
        if name in _SET_BY_SHELL:
            return Value(UNKNOWN, DYNAMIC)
        if name in _USUAL:
            return Value(_USUAL[name])
        return Value(UNKNOWN, frozenset({Source.SECRET}) if sounds_secret(name) else NOTHING)

    def _operated(self, part: Parameter, values: list[Value]) -> list[Value]:
        operator = part.operator
        if operator in _DEFAULTS:
            return self._defaulted(part, values)
        arguments = [self._joined(word.parts, word) for word in part.arguments]
        if operator == ":" and (part.name in ("@", "*") or part.index is not None):
            return self._slice(part, values, arguments)
        if operator == "@" and arguments and arguments[0].text == "P":
            for value in values:
                self._run(value.text)
            return [Value(UNKNOWN, value.sources | DYNAMIC) for value in values]
        return [self._changed(operator, value, arguments) for value in values]

    def _slice(self, part: Parameter, values: list[Value], arguments: list[Value]) -> list[Value]:
        """`${@:2}`, `${a[@]:1:3}`."""
        numbers = [calculated(argument.text, self.variables) for argument in arguments]
        if not numbers or None in numbers:
            return values
        first = int(numbers[0] or 0) - (part.name in ("@", "*"))
        last = first + int(numbers[1] or 0) if len(numbers) > 1 else len(values)
        return values[max(first, 0) : last] if first >= -1 else values

    def _defaulted(self, part: Parameter, values: list[Value]) -> list[Value]:
        """`${name:-word}` and its kin."""
        word = part.arguments[0] if part.arguments else None
        instead = self._joined(word.parts, word) if word is not None else Value("")
        name = part.name
        is_set = name in self.variables.values or name.isdigit() or name in self.variables.arrays
        is_set = is_set or (bool(values) and values[0].known)
        if not is_set and values and values[0].sources:
            instead = Value(instead.text, instead.sources | values[0].sources)
        empty = not values or (values[0].known and not values[0].text)
        if part.operator in ("+", ":+"):
            return [instead] if not empty else values if is_set else [instead]
        if part.operator in ("?", ":?"):
            return values
        if part.operator in ("=", ":=") and (empty or not is_set):
            self.variables.set(part.name, [instead])
        if is_set:
            return [instead] if empty else values
        return [instead] if instead.text else values

    def _changed(self, operator: str, value: Value, arguments: list[Value]) -> Value:
        """A value as an operator changes it."""
        self._spend(8 + len(value.text) // 8)
        sources = value.sources.union(*(argument.sources for argument in arguments))
        text = self._changed_text(operator, value, arguments)
        return Value(UNKNOWN, sources | DYNAMIC) if text is None else Value(text, sources)

    def _changed_text(self, operator: str, value: Value, arguments: list[Value]) -> str | None:
        text = value.text
        first = arguments[0].text if arguments else ""
        if operator == ":":
            return _part_of(text, first, arguments[1].text if len(arguments) > 1 else "", self.variables)
        if UNKNOWN in first:
            return None
        if operator in ("#", "##", "%", "%%"):
            return trimmed(text, first, operator)
        if operator.startswith("/"):
            return replaced(text, first, arguments[1].text if len(arguments) > 1 else "", operator)
        if operator in ("^^", "^"):
            return text.upper() if operator == "^^" else text[:1].upper() + text[1:]
        if operator in (",,", ","):
            return text.lower() if operator == ",," else text[:1].lower() + text[1:]
        if operator == "@":
            return {"U": text.upper(), "L": text.lower(), "u": text[:1].upper() + text[1:], "Q": text, "K": text}.get(
                first
            )
        return None


def _is_one_word(part: Part) -> bool:
    """`$*`, `${a[*]}`: all words as one, where words are not split."""
    if type(part) is not Parameter:
        return False
    return part.name == "*" or (part.index is not None and part.index.literal == "*")


_SPECIAL: Final = frozenset("~*?[{")
_DEFAULTS: Final = frozenset([":-", "-", ":=", "=", ":+", "+", ":?", "?"])
_USUAL: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "IFS": " \t\n",
    "TMPDIR": "/tmp",  # noqa: S108 - what it usually says; nothing is written here
    "SHELL": "/bin/bash",
    "BASH": "/bin/bash",
}
_SET_BY_SHELL: Final = frozenset("BASH_REMATCH OPTARG REPLY MAPFILE COPROC READLINE_LINE BASH_COMMAND _".split())
"""What the script itself may have put there, by other commands than assignments."""


def _part_of(text: str, offset: str, length: str, variables: Variables) -> str | None:
    """`${text:offset:length}`."""
    start = calculated(offset, variables)
    size = calculated(length, variables) if length.strip() else ""
    if start is None or size is None or UNKNOWN in text:
        return None
    begin = int(start)
    if begin < 0:
        begin += len(text)
        if begin < 0:
            return ""
    if size == "":
        return text[begin:]
    count = int(size)
    return text[begin : begin + count] if count >= 0 else text[begin : len(text) + count]


def _short(value: Value) -> Value:
    return value if len(value.text) <= LONGEST else Value(UNKNOWN, value.sources | DYNAMIC)
