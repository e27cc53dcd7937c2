"""Reads TeX as far as finding what runs a program or names a file: `\\write18{…}`, input out of a pipe, code of Lua.

Macros are not expanded; a command that has one in it is not known.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.languages import BY_NAME
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.reading import read_calls
from guardhouse.detect.inline.strings import bracket_end
from guardhouse.model import Effect

_TEX_RUNS: Final = ("\\write18", "\\ShellEscape", "\\input|", "\\input{|", "\\@@input|")


def read_tex(code: str, notes: Notes) -> None:
    """Note `\\write18{…}`, input out of a pipe, and code of Lua."""
    i = 0
    while (i := code.find("\\", i)) >= 0 and notes.spend(1):
        for macro in _TEX_RUNS:
            if code.startswith(macro, i):
                i = max(i, _tex_run(code, i, i + len(macro), notes) - 1)
                break
        if code.startswith("\\directlua", i) and (brace := code.find("{", i)) >= 0:
            end = bracket_end(code, brace + 1, "{")
            read_calls(BY_NAME["lua"], code[brace + 1 : end], notes)
            i = end
        for macro, effect in (("\\openout", Effect.OVERWRITES), ("\\openin", Effect.READS)):
            if code.startswith(macro, i) and "=" in code[i : i + 40]:
                path = code[code.find("=", i) + 1 :][:256].split()
                notes.place = (i, i + len(macro))
                notes.path(effect, path[0].rstrip("\\}") if path else "")
        i += 1


def _tex_run(code: str, start: int, i: int, notes: Notes) -> int:
    """Note the command that starts at `i`; gives where it ends."""
    if code[i - 1] != "|":
        i = code.find("{", i) + 1 or len(code)
    end = bracket_end(code, i, "{") if i < len(code) and code[i - 1] == "{" else code.find('"', i + 1)
    end = end if end >= 0 else len(code)
    command = code[i:end].strip('"{} \n')
    notes.place = (start, end)
    notes.run(UNKNOWN if "\\" in command or not command else command)
    return end
