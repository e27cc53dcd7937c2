"""Reads the text of a makefile: the recipes, and what is run while it is read.

Which target would be made is not looked at: every recipe counts. Variables of make are not known.
"""

from __future__ import annotations

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.home import HOME
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.strings import bracket_end


def read_make(code: str, notes: Notes) -> None:
    """Note the recipes of a makefile's text, and what it runs while it is read."""
    for opening in ("$(shell ", "${shell "):
        i = 0
        while (i := code.find(opening, i)) >= 0 and notes.spend(2):
            end = bracket_end(code, i + 2, opening[1])
            notes.place = (i, end)
            notes.run(_make_filled(code[i + 8 : end].strip()))
            i = end
    position = 0
    for line in code.split("\n"):
        position += len(line) + 1
        if not line:
            continue
        if not notes.spend(2):
            break
        notes.place = (position - len(line) - 1, position - 1)
        name, assigned, command = line.partition("!=")
        head, colon, recipe = line.partition(":")
        if line.startswith("\t"):
            notes.run(_make_filled(line.strip().lstrip("@-+")))
        elif assigned and name.strip().isidentifier():
            notes.run(_make_filled(command.strip()))
        elif colon and ";" in recipe and "=" not in head and not recipe.startswith("="):
            notes.run(_make_filled(recipe.partition(";")[2].strip().lstrip("@-+")))


def _make_filled(text: str) -> str:
    """The command as the shell gets it: variables of make are not known."""
    pieces, i = [], 0
    while (at := text.find("$", i)) >= 0:
        pieces.append(text[i:at])
        following = text[at + 1 : at + 2]
        if following == "$":
            pieces.append("$")
            i = at + 2
        else:
            pieces.append(HOME if text.startswith(("(HOME)", "{HOME}"), at + 1) else UNKNOWN)
            i = bracket_end(text, at + 2, following) + 1 if following in ("(", "{") else at + 2
    pieces.append(text[i:])
    return "".join(pieces)
