"""Code that changes a file whose name nobody can tell, in a command that names one which must not be changed.

`F=~/.claude/settings.json python -c "os.remove(os.environ['F'])"`: what such code is given, whichever way, it may mean.
So the settings of agents, the guard's places and start-up files count that stand anywhere in reach of it: among its
words, in variables, in what it reads, in the code itself, also in pieces. Whose place a path is, is not said here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.paths.hooks import is_telling, put_together, stems
from guardhouse.detect.paths.readings import folded_path
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_BREAKS: Final = str.maketrans(dict.fromkeys("\"'`()[]{}<>,;|&=\n\t\r\\", " "))
_PART_BREAKS: Final = str.maketrans(dict.fromkeys("\"'`()[]{}<>,;|&=\n\t\r\\/+:%$@#*?!", " "))
_QUOTED: Final = frozenset("\"'`/")
"""What stands beside a name that is a piece of a path, and not a name of the code's own."""
_MOST: Final = 24
"""Paths that are noted of one piece of code."""
_LONGEST_LIST: Final = 512
"""Letters of a file that holds the names of others."""
_LETTERS_A_UNIT: Final = 64


def tie(machine: Machine, state: State, call: Call, code: Value, ends: list[tuple[Effect, bool]]) -> None:
    """Note that what the code does to a file it does to any delicate one in its reach."""
    effect = Effect.DELETES if any(effect is Effect.DELETES for effect, _deep in ends) else Effect.WRITES
    deep = any(recursive for _effect, recursive in ends)
    texts = list(dict.fromkeys((*_reached(state, call), code.text)))
    machine.spend(sum(map(len, texts)) // _LETTERS_A_UNIT)
    words = dict.fromkeys(word for text in texts for word in text.translate(_BREAKS).split())
    paths = [_in_home(word, machine.home) for word in words if _is_delicate(word)]
    if len(paths) > _MOST:
        machine.give_up("which of many files is changed can't be told")
    parts = frozenset(folded_path(part) for text in texts for part in text.translate(_PART_BREAKS).split())
    whole = put_together(parts, _stems(texts, parts), machine.home)
    for path in dict.fromkeys((*paths[:_MOST], *([whole] if whole is not None else ()))):
        machine.on_path(
            call, state, effect, replace(code, text=path), recursive=deep, vague=True, certainty=Confidence.MEDIUM
        )


def _reached(state: State, call: Call) -> Iterator[str]:
    """The texts that the code can get at, apart from what lies in files that this command did not write."""
    held = state.variables
    for value in call.args:
        yield value.text
    for value in call.environment.values():
        yield value.text
    for values in (*held.values.values(), *held.arrays.values(), held.positional):
        for value in values:
            yield value.text
    for stream in (call.stdin, state.stdin, *state.descriptors.values()):
        yield stream.text or ""
    for stream in state.files.values():
        yield stream.text if stream.text is not None and len(stream.text) <= _LONGEST_LIST else ""


def _is_delicate(word: str) -> bool:
    """Whether a word may be the path of a setting, of a start-up file or of a place of the guard's."""
    if UNKNOWN in word:
        return False
    if is_telling(word.rstrip("/").rpartition("/")[2]):
        return True
    return "/." in word or word.startswith("/etc/") or (word[0] == "." and word[1:2].isalpha())


def _stems(texts: Sequence[str], parts: frozenset[str]) -> frozenset[str]:
    """Names without an ending that stand in quotes, or in a path."""
    candidates = parts & stems()
    lowered = [text.lower() for text in texts] if candidates else []
    return frozenset(part for part in candidates if any(_is_quoted(text, part) for text in lowered))


def _is_quoted(text: str, part: str) -> bool:
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        if not _QUOTED.isdisjoint((text[at - 1 : at], text[end : end + 1])):
            return True
        at = text.find(part, end)
    return False


def _in_home(word: str, home: str) -> str:
    return home + word[1:] if word == "~" or word.startswith("~/") else word
