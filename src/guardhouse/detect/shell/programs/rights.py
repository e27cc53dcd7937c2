"""Programs that say who may do what with a file: modes, owners, lists of rights.

What is everyday, such as a script that may be run or a key that only its owner may read, is no act.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import SILENT, Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_SETUID: Final = frozenset("4567")


def run_chmod(machine: Machine, state: State, call: Call) -> Stream:
    """Rights: setuid is other rights for whoever runs the file; open to all, for everything below a wide place, too."""
    taken = next((value.text for value in call.args if value.text.startswith(("-x", "-w", "-r"))), "")
    sorted_ = parsed([value for value in call.args if not value.text.startswith(("-x", "-w", "-r"))], "--reference")
    if not sorted_.arguments:
        return SILENT
    mode, places = sorted_.arguments[0].text, sorted_.arguments[1:]
    if taken:
        mode, places = taken, sorted_.arguments
    if sorted_.has("--reference"):
        places = sorted_.arguments
    if (
        "s" in mode.partition("=")[2]
        or "+s" in mode
        or "+ts" in mode
        or ("+" in mode and "s" in mode.partition("+")[2])
    ) or (len(mode) == 4 and mode[0] in "2467" and mode.isdigit() and mode[0] in _SETUID):
        machine.act(
            call, state, Effect.ESCALATES, sorted_.arguments[0], what="a file would run with its owner's rights"
        )
    recursive = sorted_.has("-R --recursive")
    wide = mode.lstrip("0") in ("777", "666") or mode in _WIDE
    shut = _shuts(mode)
    for place in places:
        if recursive or wide or shut or (_opens(mode) and _is_key(place.text)):
            what = "who may use it" if wide or shut else ""
            machine.on_path(call, state, Effect.MUTATES, place, recursive=recursive, what=what)
    return SILENT


_WIDE: Final = frozenset("a+rwx ugo+rwx +rwx o+w a+w go+w ugo+w o+rw a+rw go+rw go+rwx o+rwx a=rwx a=rw o=rw".split())


def _shuts(mode: str) -> bool:
    """Whether not even the owner may read or run it then."""
    if mode.isdigit():
        return len(mode) > 4 or mode.rjust(3, "0")[-3] not in "4567"
    for one in mode.split(","):
        who, sign, what = one.partition("-")
        if sign and ("r" in what or "x" in what) and (not who or not set(who).isdisjoint("ua")):
            return True
        who, sign, what = one.partition("=")
        if sign and "r" not in what and what[:1] not in ("u", "g", "o") and not set(who or "a").isdisjoint("ua"):
            return True
    return False


def _opens(mode: str) -> bool:
    """Whether others than the owner may read or write it then."""
    if mode.isdigit():
        return bool(mode[-2:].strip("0"))
    who, sign, what = mode.partition("+" if "+" in mode else "=")
    return bool(sign) and ("r" in what or "w" in what) and (not who or not set(who).isdisjoint("goa"))


def _is_key(path: str) -> bool:
    """Whether a file is one that only its owner may read."""
    name = path.rstrip("/").rpartition("/")[2]
    return not name.endswith(".pub") and (
        name.startswith("id_") or name in (".ssh", ".gnupg", ".aws") or "/.ssh/" in path or "/.gnupg/" in path
    )


def run_chown(machine: Machine, state: State, call: Call) -> Stream:
    """Owners: for everything below a wide place it is a change to the system, for a key it gives the key away."""
    sorted_ = parsed(call.args, "--reference --from")
    recursive = sorted_.has("-R --recursive")
    for place in sorted_.arguments[1:]:
        if recursive or _is_key(place.text):
            machine.on_path(call, state, Effect.MUTATES, place, recursive=recursive)
    return SILENT


def run_rights(machine: Machine, state: State, call: Call) -> Stream:
    """`setfacl`, `chattr`: rights besides the usual ones."""
    sorted_ = parsed(call.args, "-m -x -M -X -p -v --modify --remove --set --set-file --restore")
    words = sorted_.arguments
    if call.name == "chattr":
        words = [word for word in words if word.text[:1] not in ("+", "=")]
    for place in words:
        machine.on_path(call, state, Effect.MUTATES, place, recursive=sorted_.has("-R --recursive"))
    return SILENT


RIGHTS: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("chmod", "gchmod"), run_chmod),
    **dict.fromkeys(("chown", "chgrp", "gchown"), run_chown),
    **dict.fromkeys(("setfacl", "chattr"), run_rights),
}
