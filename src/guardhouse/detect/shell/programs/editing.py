"""Programs that change files only if they are told to, by an option or a verb: `yq -i`, `rclone copy`.

Without that they look, or reach another machine, which is told elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.shell.programs.copies import remote_host
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State


def run_yq(machine: Machine, state: State, call: Call) -> Stream:
    """`yq -i expression files…`; with a verb, `yq eval -i expression files…`."""
    sorted_ = parsed(call.args, "-o -p -I --output-format --input-format --indent --arg --argjson --from-file")
    if sorted_.has("-i --inplace --in-place"):
        for place in sorted_.arguments:
            if "/" in place.text or "." in place.text[1:]:
                machine.on_path(call, state, Effect.WRITES, place)
    return Stream(None, call.stdin.sources)


def run_rclone(machine: Machine, state: State, call: Call) -> Stream:
    """`rclone copy from to`: a target on this machine is written."""
    sorted_ = parsed(
        call.args, "--config --include --exclude --filter --filter-from --transfers --checkers --bwlimit --log-file"
    )
    words = sorted_.arguments
    if len(words) > 2 and words[0].text in _FILLING and not sorted_.has("-n --dry-run"):
        target = words[2]
        if not remote_host(target.text):
            machine.on_path(call, state, Effect.WRITES, target, recursive=True)
    return Stream(None)


def run_unison(machine: Machine, state: State, call: Call) -> Stream:
    """`unison root1 root2`: each gets what the other has."""
    roots = parsed(call.args, "-path -ignore -prefer -force -logfile -sshargs -servercmd", single=True).arguments
    for place in roots[:2] if len(roots) > 1 else []:
        if "://" not in place.text:
            machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    return Stream(None)


def run_rename(machine: Machine, state: State, call: Call) -> Stream:
    """`rename 's/a/b/' files…`, `rename from to files…`: the files lose their names; which they get, a rule says."""
    from guardhouse.detect.shell.programs.loose_ends import tie  # hardly ever needed

    sorted_ = parsed(call.args, "-e -E")
    if sorted_.has("-n --no-act --dry-run -V --version"):
        return Stream(None)
    for place in sorted_.arguments[1:]:
        machine.on_path(call, state, Effect.WRITES, place, vague=True)
    if call.args:
        tie(machine, state, call, replace(call.args[0], text=""), [(Effect.WRITES, False)])
    return Stream(None)


_FILLING: Final = frozenset("copy sync move copyto moveto bisync".split())

EDITING: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    "yq": run_yq,
    "rclone": run_rclone,
    "unison": run_unison,
    **dict.fromkeys(("rename", "prename", "perl-rename", "file-rename", "mmv", "zmv"), run_rename),
}
