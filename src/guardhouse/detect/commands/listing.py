"""Whether a command is nothing but listed programs with literal words: what may run silently under `bash: listed`.

No variables, substitutions, patterns, assignments, loops or functions, and no redirects but to nowhere and from
files. Whether what it does is harmless is looked at besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.shell import parse
from guardhouse.detect.shell.syntax import Simple, Text

if TYPE_CHECKING:
    from guardhouse.detect.shell.syntax import Command, Redirect, Word

_PATTERNS: Final = frozenset("*?[{~")


def only_listed(text: str, programs: tuple[str, ...]) -> bool:
    """Whether every command in the text is a listed one, plainly written."""
    parsed = parse(text)
    if parsed.problem is not None or not parsed.script.statements:
        return False
    entries = tuple(tuple(entry.split()) for entry in programs)
    return all(
        _is_listed(command, entries)
        for statement in parsed.script.statements
        for pipeline in statement.pipelines
        for command in pipeline.commands
    ) and not any(statement.background for statement in parsed.script.statements)


def _is_listed(command: Command, entries: tuple[tuple[str, ...], ...]) -> bool:
    if type(command) is not Simple or command.assignments or not all(map(_goes_nowhere, command.redirects)):
        return False
    words = [_literal(word) for word in command.words]
    return None not in words and any(entry and tuple(words[: len(entry)]) == entry for entry in entries)


def _literal(word: Word) -> str | None:
    texts = [part for part in word.parts if type(part) is Text]
    plain = all(part.quoted or _PATTERNS.isdisjoint(part.text) for part in texts)
    return "".join(part.text for part in texts) if plain and len(texts) == len(word.parts) else None


def _goes_nowhere(redirect: Redirect) -> bool:
    target = _literal(redirect.target)
    if target is None:
        return False
    if redirect.operator in (">&", "<&"):
        return target.isdigit()
    return target == "/dev/null" or redirect.operator == "<"
