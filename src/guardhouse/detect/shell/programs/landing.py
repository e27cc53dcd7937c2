"""Where copies, moves and links land: in a directory, what is put there has a name of its own.

Which names matter is not known to a shell; only those are noted here that may be settings of an agent's or a place of
the guard's, because a command may copy very many files and each act costs something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.paths.hooks import is_hook_directory_name, is_telling
from guardhouse.detect.shell.values import is_pattern
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_MOST: Final = 16
"""Names that are noted of one command."""


def land(
    machine: Machine,
    state: State,
    call: Call,
    sources: Iterable[Value],
    target: Value,
    *,
    deep: bool,
    exact: bool = False,
    with_parents: bool = False,
) -> None:
    """Note what would be written at a target that is a directory, or may be one.

    With `deep`, whole directories are put there. With `exact`, the source takes the target's own place.
    """
    whole, noted = exact and deep, 0
    for source in sources:
        machine.spend(1)
        text = source.text.rstrip("/") if source.text.strip("/") else source.text
        name = text.lstrip("/") if with_parents else last_part(text)
        if name in ("", ".", "..") or (call.name == "rsync" and source.text.endswith("/")):
            whole |= deep
            continue
        if exact:
            continue
        if is_telling(last_part(name)) or not source.known:
            if noted == _MOST:
                machine.give_up("it copies too many files that may be an agent's settings")
                break
            noted += 1
            inner = replace(source, text=f"{target.text.rstrip('/')}/{name}", pattern=is_pattern(name))
            machine.on_path(call, state, Effect.WRITES, inner, recursive=deep)
        if deep and "." not in name[1:] and not target.text.endswith("/"):
            # If there is no such directory yet, what is put there becomes it.
            whole |= is_hook_directory_name(last_part(state.path(target.text)))
    if whole:
        machine.on_path(call, state, Effect.WRITES, target, recursive=True)


def last_part(path: str) -> str:
    """The name at the end of a path."""
    return path.rstrip("/").rpartition("/")[2]
