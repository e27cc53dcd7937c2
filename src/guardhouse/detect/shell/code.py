"""Follows code that a tool is given as a whole: pieces of shell, Python and other languages, one after the other.

Which text is which piece is said by the caller; here is only how one piece leaves the world to the next: the directory
a shell went to, the files that were written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.paths.readings import absolute
from guardhouse.detect.shell.following import read_in_language
from guardhouse.detect.shell.running import Machine
from guardhouse.detect.shell.state import State
from guardhouse.detect.shell.values import DYNAMIC, NOTHING, Stream, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NOT_KNOWN: Final = "_NOTEBOOK_VALUE"
"""The shell variable that stands in a piece of shell for a value that only the code around it knows."""
_MOST_PLACES: Final = 3


class Piece(msgspec.Struct, frozen=True):
    """A part of a text that is to be followed in one way."""

    kind: str
    """A language; or `here`, shell code that changes the state for what comes after; `write` and `append`, a file;
    `unread`, something that can't be followed."""
    text: str
    """The code, what is in the file, or why it can't be followed."""
    path: str = ""
    """Which file, with `UNKNOWN` for what is not known of its name."""


def follow_code(
    language: str,
    code: str,
    *,
    home: str,
    cwd: str,
    temp: str = "/tmp",  # noqa: S108 - what it usually is
) -> Machine:
    """Read code of one language; commands that it would run are followed."""
    return follow_pieces([Piece(language, code)], home=home, cwd=cwd, temp=temp)


def follow_pieces(
    pieces: Sequence[Piece],
    names: Iterable[str] = (),
    *,
    home: str,
    cwd: str,
    temp: str = "/tmp",  # noqa: S108 - as above
) -> Machine:
    """Read pieces in their order. Of the variables with the given names only the run would show the values."""
    machine = Machine(home, temp)
    state = State(cwd)
    for name in (NOT_KNOWN, *names):
        state.variables.set(name, [Value(UNKNOWN, DYNAMIC)])
    reader = _Reader(machine, state)
    machine.guarded(lambda: reader.read(pieces))
    return machine


class _Reader:
    def __init__(self, machine: Machine, state: State) -> None:
        self._machine = machine
        self._state = state
        self._places = {state.cwd: None}
        """Every directory that the code was in so far."""

    def read(self, pieces: Sequence[Piece]) -> None:
        # Code of other languages is one program, of which some runs before the directory is changed and some after.
        for piece in pieces:
            if piece.kind in _AT_ONCE:
                self._follow(piece)
        if len(self._places) > _MOST_PLACES:
            self._machine.give_up("it works in many directories")
        for piece in pieces:
            if piece.kind not in _AT_ONCE:
                for place in list(self._places)[:_MOST_PLACES]:
                    inner = self._state.copy()
                    inner.cwd = place
                    read_in_language(self._machine, inner, piece.kind, piece.text)

    def _follow(self, piece: Piece) -> None:
        machine, state = self._machine, self._state
        whole = Value(piece.text, NOTHING, False, 0, len(piece.text))  # noqa: FBT003
        if piece.kind == "unread":
            machine.give_up(piece.text)
        elif piece.kind == "shell":
            machine.enter(piece.text, state.copy(), whole)
        elif piece.kind == "here":
            machine.enter(piece.text, state, whole)
            self._places[state.cwd] = None
        else:
            path = piece.path if piece.path.startswith(UNKNOWN) else absolute(piece.path, state.cwd, machine.home)
            machine.write(None, state, Value(path), Stream(piece.text), append=piece.kind == "append")


_AT_ONCE: Final = frozenset(["unread", "shell", "here", "write", "append"])
