"""The form of a shell command: what the parser makes, and what the reading of effects walks over.

Words keep how they were quoted, because quoting decides what a shell does with them. Spans are offsets into the text
that was parsed; of code inside back-ticks they are those of the back-ticks.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Text(msgspec.Struct, frozen=True, gc=False):
    """Characters that stand for themselves, quotes and escapes taken away."""

    text: str
    quoted: bool = False
    """Quoted or escaped: no pattern, no brace, no tilde in it means anything, and nothing splits it."""


class Parameter(msgspec.Struct, frozen=True):
    """`$name`, `${name…}`."""

    name: str
    """A name, a number, or one of `@*#?-$!_`."""
    quoted: bool = False
    operator: str = ""
    """What stands after the name: `:-`, `-`, `:=`, `=`, `:+`, `+`, `:?`, `?`, `#`, `##`, `%`, `%%`, `/`, `//`, `/#`,
    `/%`, `^`, `^^`, `,`, `,,`, `:` (a part), `@` (with a letter in `arguments`); empty for none."""
    arguments: tuple[Word, ...] = ()
    """What the operator is given: one word, or two for `/` (pattern, replacement) and `:` (offset, length)."""
    index: Word | None = None
    """`${name[index]}`."""
    length: bool = False
    """`${#name}`."""
    indirect: bool = False
    """`${!name}`: the parameter that this one names."""


class Substitution(msgspec.Struct, frozen=True):
    """`$(…)` and back-ticks: the output of a script."""

    script: Script
    quoted: bool = False


class Process(msgspec.Struct, frozen=True):
    """`<(…)` and `>(…)`: a file name that leads to or from a script."""

    script: Script
    reads: bool
    """True for `<(…)`: whoever opens the file reads what the script writes."""


class Arithmetic(msgspec.Struct, frozen=True):
    """`$((…))`, `$[…]`: a number. What is substituted inside is in `inner`."""

    inner: Word
    quoted: bool = False


Part = Text | Parameter | Substitution | Process | Arithmetic


class Word(msgspec.Struct, frozen=True):
    """One word, as written. It can become no argument, one or many."""

    parts: tuple[Part, ...]
    start: int
    end: int

    @property
    def literal(self) -> str | None:
        """The text, if the word is nothing but text, else None. Patterns and braces are not looked at."""
        texts = [part.text for part in self.parts if type(part) is Text]
        return "".join(texts) if len(texts) == len(self.parts) else None


class Assignment(msgspec.Struct, frozen=True):
    """`name=value` before a command, or alone."""

    name: str
    value: Word | None
    """None for an array."""
    array: tuple[Word, ...] = ()
    index: Word | None = None
    append: bool = False


class Redirect(msgspec.Struct, frozen=True):
    """Where input or output goes."""

    operator: Literal["<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"]
    target: Word
    """A file, a descriptor, a here-string; of a here-document, its body."""
    descriptor: str = ""
    """A number, or `{name}`; empty for the usual one."""
    literal: bool = False
    """Of a here-document whose end was quoted: nothing in it is substituted."""


class Simple(msgspec.Struct, frozen=True):
    """A command with its words; there may be none, but assignments or redirects."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int


class Group(msgspec.Struct, frozen=True):
    """`{ …; }`, or `( … )` in a shell of its own."""

    body: Script
    subshell: bool
    redirects: tuple[Redirect, ...] = ()


class If(msgspec.Struct, frozen=True):
    """`if … then … [elif …] [else …] fi`: conditions with what they lead to."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None = None
    redirects: tuple[Redirect, ...] = ()


class Loop(msgspec.Struct, frozen=True):
    """`while` and `until`."""

    condition: Script
    body: Script
    redirects: tuple[Redirect, ...] = ()


class For(msgspec.Struct, frozen=True):
    """`for name in words` and `select`; `words` is None for the positional parameters. `for ((…))` has no name."""

    name: str
    words: tuple[Word, ...] | None
    body: Script
    header: Word | None = None
    """The arithmetic of `for ((…))`."""
    redirects: tuple[Redirect, ...] = ()


class Case(msgspec.Struct, frozen=True):
    """`case subject in pattern) … ;; esac`."""

    subject: Word
    branches: tuple[tuple[tuple[Word, ...], Script], ...]
    redirects: tuple[Redirect, ...] = ()


class Function(msgspec.Struct, frozen=True):
    """A function is defined; nothing runs yet."""

    name: str
    body: Command
    redirects: tuple[Redirect, ...] = ()


class Test(msgspec.Struct, frozen=True):
    """`[[ … ]]`: its words, with operators as words."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


class Calculation(msgspec.Struct, frozen=True):
    """`(( … ))`."""

    inner: Word
    redirects: tuple[Redirect, ...] = ()


class Coprocess(msgspec.Struct, frozen=True):
    """`coproc [name] command`."""

    body: Command


Command = Simple | Group | If | Loop | For | Case | Function | Test | Calculation | Coprocess


class Pipeline(msgspec.Struct, frozen=True):
    """Commands whose output is the next one's input."""

    commands: tuple[Command, ...]
    negated: bool = False
    merges: tuple[bool, ...] = ()
    """For each pipe: whether it is `|&`, which passes errors on too."""


class Statement(msgspec.Struct, frozen=True):
    """Pipelines joined by `&&` and `||`."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[Literal["&&", "||"], ...] = ()
    background: bool = False


class Script(msgspec.Struct, frozen=True):
    """Statements in order."""

    statements: tuple[Statement, ...]
