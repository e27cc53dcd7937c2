"""`apply_patch`, as coding agents have it in their shells: changes the files that a patch names, wherever they lie.

`patch` and `git apply` refuse to leave the directory that they work in, so what they are given says enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.paths.patches import patched
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


PATCHING: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("apply_patch", "applypatch"), run_patch),
}
