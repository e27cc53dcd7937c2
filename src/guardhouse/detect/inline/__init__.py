"""Reads code that is given to an interpreter on a command line: what it would run, delete, write, send, reach.

For languages other than shell, SQL and Python, which have readers of their own. It understands no language; it knows
where strings end in each, and which names do something that matters. Whether that is good or bad is not said here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.inline.editors import read_debugger, read_sed, read_vim
from guardhouse.detect.inline.languages import BY_NAME, OTHER
from guardhouse.detect.inline.makefiles import read_make
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.reading import read_calls
from guardhouse.detect.inline.tcl import read_tcl
from guardhouse.detect.inline.tex import read_tex
from guardhouse.detect.inline.windows import read_cmd, read_powershell

if TYPE_CHECKING:
    from guardhouse.detect.acts import Act

LONGEST: Final = 65536
"""Letters of code that are read; what is longer can't be analysed."""

_TCL: Final = frozenset("tcl tclsh expect wish jimsh".split())
_VIM: Final = frozenset("vim vi nvim ex view gvim vimdiff rvim".split())
_TEX: Final = frozenset("tex latex pdftex pdflatex xetex xelatex luatex lualatex".split())
_POWERSHELL: Final = frozenset("powershell pwsh powershell.exe".split())


def read_code(language: str, code: str) -> tuple[Act, ...]:
    """What the code would do. A language that nobody knows is read by what most have in common. Never raises."""
    notes = Notes()
    if len(code) > LONGEST:
        notes.give_up("the code is too long")
        code = code[:LONGEST]
    _read(language.lower(), code, notes)
    return notes.finished()


def _read(language: str, code: str, notes: Notes) -> None:
    if language == "sed":
        read_sed(code, notes)
    elif language in _VIM or language in ("ed", "red"):
        read_vim(code, notes, is_ed=language in ("ed", "red", "ex"))
    elif language in ("gdb", "lldb"):
        read_debugger(code, notes)
    elif language in _TCL:
        read_tcl(code, notes)
    elif language == "make":
        read_make(code, notes)
    elif language in _TEX:
        read_tex(code, notes)
    elif language in _POWERSHELL:
        read_powershell(code, notes)
    elif language in ("cmd", "cmd.exe"):
        read_cmd(code, notes)
    else:
        read_calls(BY_NAME.get(language, OTHER), code, notes)


__all__ = ["LONGEST", "read_code"]
