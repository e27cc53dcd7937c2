"""`apply_patch`, as coding agents have it in their shells: changes the files that a patch names, wherever they lie.

`patch` and `git apply` refuse to leave the directory that they work in; of theirs only the files count that may decide
whether an agent calls the guard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.paths.hooks import is_telling
from guardhouse.detect.paths.patches import patched
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import SILENT, Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_MOST_FILES: Final = 256


def run_patch(machine: Machine, state: State, call: Call) -> Stream:
    """The files of a patch that is an argument, or comes by a pipe or a here-document."""
    text = call.args[0].text if call.args else call.stdin.text
    if text is None:
        machine.give_up("which files a patch changes can't be told")
        return SILENT
    machine.spend(len(text) // 64)
    for number, name in enumerate(patched(text)):
        if name is None or number >= _MOST_FILES:
            machine.give_up("which files a patch changes can't be told")
            break
        machine.on_path(call, state, Effect.WRITES, replace(call.program, text=name))
    return SILENT


def run_unified(machine: Machine, state: State, call: Call) -> Stream:
    """`patch`: what it is told to change is in its table; here is what the patch itself says, if it can be seen."""
    sorted_ = parsed(call.args, "-p -i -o -d -r -B --input --directory --output --strip")
    inside = state.copy()
    for place in sorted_.values("-d --directory"):
        inside.move(state.path(place.text))
        machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    held = [state.held(place.text) for place in sorted_.values("-i --input")]
    for stream in (call.stdin, *held):
        if stream is not None and stream.text:
            note_patched(machine, inside, call, stream.text)
    return SILENT


def note_patched(machine: Machine, state: State, call: Call, text: str) -> None:
    """Note the files of a patch that may be an agent's settings. The names in it may have a letter in front (`b/`)."""
    machine.spend(len(text) // 64)
    noted = 0
    for name in patched(text):
        if name is None or not is_telling(name.rpartition("/")[2]):
            continue
        noted += 1
        if noted > _MOST_NOTED:
            machine.give_up("which files a patch changes can't be told")
            return
        for path in dict.fromkeys((name, name.partition("/")[2] or name)):
            machine.on_path(call, state, Effect.WRITES, replace(call.program, text=path))


_MOST_NOTED: Final = 16


PATCHING: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("apply_patch", "applypatch"), run_patch),
    **dict.fromkeys(("patch", "gpatch"), run_unified),
}
