"""What a mistake in a command means: whether a shell would refuse it all, or there may be more behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.shell.programs import matters

if TYPE_CHECKING:
    from guardhouse.detect.shell.reading import Problem

PROBLEMS: Final = {
    "syntax": "it can't be read as a shell would read it",
    "bytes": "it is too long",
    "nodes": "it is too long",
    "nesting": "it is nested too deep",
}
"""How each kind of problem is told to a person."""
_OBSCURE: Final = frozenset("$`\\'\"*?[{=~")
_BREAKS: Final = str.maketrans(dict.fromkeys("<>;|&()", " "))


def hides_more(text: str, problem: Problem) -> bool:
    """Whether there may be more behind a place that no shell can read past.

    A quote that nobody closes takes everything up to the end into the word that was read, and a shell refuses the
    command. After another mistake, plain words in which no program is named that matters are no risk: a shell refuses
    those, too. Anything else might be meant for a shell of another kind.
    """
    if problem.kind != "syntax":
        return True
    if problem.what.endswith("quote is not closed"):
        return False
    rest = text[problem.position :]
    writes = ">" in rest and ("/" in rest or "~" in rest)
    return writes or not _OBSCURE.isdisjoint(rest) or any(map(matters, rest.translate(_BREAKS).split()))
