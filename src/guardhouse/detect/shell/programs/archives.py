"""Programs that pack files into an archive or unpack one: what they read, what they write and where it lands.

What an archive holds is not known here; what came out of one that was fetched counts as fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.paths.hooks import is_telling
from guardhouse.detect.shell.programs.landing import land
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.state import MOST_FILES
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value


def run_tar(machine: Machine, state: State, call: Call) -> Stream:
    """`tar`: packs what it is given, or unpacks into the directory."""
    args = list(call.args)
    if args and args[0].text[:1] not in ("-", "") and args[0].text.isalpha():
        args[0] = replace(args[0], text=f"-{args[0].text}")
    sorted_ = parsed(
        args,
        "-f -C -T -X -b -g -K -N -H -V -I -F --file --directory --files-from --exclude-from --exclude --transform"
        " --xform --strip-components --owner --group --mode --mtime --format --use-compress-program"
        " --checkpoint-action --warning",
    )
    archive = next(iter(sorted_.values("-f --file")), None)
    inside = state
    for place in sorted_.values("-C --directory"):
        inside = state.copy()
        inside.cwd = state.path(place.text)
    if sorted_.has("-c -r -u --create --append --update"):
        for place in sorted_.arguments:
            machine.on_path(call, inside, Effect.READS, place, recursive=True)
        for place in sorted_.values("-T --files-from"):
            machine.on_path(call, inside, Effect.READS, place)
        if sorted_.has("--remove-files"):
            for place in sorted_.arguments:
                machine.on_path(call, inside, Effect.DELETES, place, recursive=True)
        if archive is not None and archive.text != "-" and ":" not in archive.text:
            machine.write(call, state, archive, Stream(None, frozenset({Source.FILE})))
            return SILENT
        return Stream(None, frozenset({Source.FILE}))
    if sorted_.has("-x --extract --get"):
        content = call.stdin
        if archive is not None and archive.text != "-":
            content = state.files.get(state.path(archive.text), Stream(None, NOTHING, "archive"))
        keep_unpacked(state, inside.cwd, content)
        if sorted_.has("-P --absolute-names"):
            machine.give_up("an archive would say where its files go")
        machine.on_path(call, inside, Effect.WRITES, replace(call.program, text="."), recursive=True)
        renamings = sorted_.values("--transform --xform")
        if call.name == "bsdtar":
            renamings = [*renamings, *parsed(args, "-s -f -C").values("-s")]
        _rename(machine, inside, call, renamings)
    return Stream(None, call.stdin.sources)


def run_pax(machine: Machine, state: State, call: Call) -> Stream:
    """`pax -r` unpacks here, `pax -rw files… directory` copies into it; `-s` gives what is written another name."""
    sorted_ = parsed(call.args, "-f -s -x -o -b -E -p -T -U -G -B")
    if not sorted_.has("-r"):
        return Stream(None, call.stdin.sources)
    target = replace(call.program, text=".")
    if sorted_.has("-w") and sorted_.arguments:
        target = sorted_.arguments[-1]
        land(machine, state, call, sorted_.arguments[:-1], target, deep=True)
    machine.on_path(call, state, Effect.WRITES, target, recursive=True)
    inside = state.copy()
    inside.cwd = state.path(target.text)
    _rename(machine, inside, call, sorted_.values("-s"))
    return SILENT


def _rename(machine: Machine, state: State, call: Call, rules: list[Value]) -> None:
    """`s/^x/.claude/`: what is unpacked gets another name. A name in the rule that may be a setting's, or that of a
    directory of settings, is written."""
    for rule in rules:
        machine.spend(len(rule.text) // 16)
        text = _replacement(rule.text)
        for part in text.split("/")[:_MOST_PARTS]:
            if is_telling(part):
                machine.on_path(call, state, Effect.WRITES, replace(rule, text=part), recursive=True)
        machine.on_path(call, state, Effect.WRITES, replace(rule, text=text), vague=True)


_MOST_PARTS: Final = 32


def _replacement(rule: str) -> str:
    """What a rule such as `s,a,b,` puts in; without the `s`, as `bsdtar` and `pax` have it."""
    bare = rule.removeprefix("s")
    mark = bare[:1]
    pieces = bare.replace(f"\\{mark}", "\x02").split(mark) if mark else []
    return pieces[2].replace("\x02", mark).replace("\\", "") if len(pieces) > 2 else ""


def keep_unpacked(state: State, directory: str, content: Stream) -> None:
    """Remember that what lies below a directory may have come from the network."""
    if Source.NETWORK in content.sources and len(state.files) < MOST_FILES:
        state.files[f"{directory.rstrip('/')}/**"] = Stream(None, content.sources)


def run_unzip(machine: Machine, state: State, call: Call) -> Stream:
    """`unzip`: unpacks into the directory, or into the one given."""
    sorted_ = parsed(call.args, "-d -x -P -o" if call.name == "unzip" else "-d -o")
    directory = next((place.text for place in sorted_.values("-d")), ".")
    if not sorted_.has("-l -t -p -c -z -Z"):
        _unpack(machine, state, call, sorted_.arguments[:1], directory)
    return Stream(None)


def run_unar(machine: Machine, state: State, call: Call) -> Stream:
    """`unar`, `unsquashfs`: unpack into the directory an option names."""
    option = "-o --output-directory" if call.name == "unar" else "-d -dest"
    sorted_ = parsed(call.args, f"{option} -p -e -k -f" if call.name == "unar" else f"{option} -p -e -ef -da -fr")
    if not sorted_.has("-l -ll -lls -s -stat -cat"):
        directory = next((place.text for place in sorted_.values(option)), ".")
        _unpack(machine, state, call, sorted_.arguments[:1], directory)
    return Stream(None)


def run_unrar(machine: Machine, state: State, call: Call) -> Stream:
    """`unrar x archive files… directory/`, `rar`."""
    words = parsed(call.args).arguments
    if words and words[0].text.lower() in ("x", "e") and len(words) > 1:
        last = words[-1].text if len(words) > 2 else "."
        _unpack(machine, state, call, words[1:2], last)
    return Stream(None)


def run_7z(machine: Machine, state: State, call: Call) -> Stream:
    """`7z x archive -odirectory`; what it packs is in the table of files."""
    words = parsed(call.args, "-o -p").arguments
    if words and words[0].text.lower() in ("x", "e"):
        directory = next((text[2:] for text in call.texts if text.startswith("-o") and len(text) > 2), ".")
        _unpack(machine, state, call, words[1:2], directory)
    elif words and words[0].text.lower() in ("a", "u") and len(words) > 1:
        for place in words[2:]:
            machine.on_path(call, state, Effect.READS, place, recursive=True)
            if "-sdel" in call.texts:
                machine.on_path(call, state, Effect.DELETES, place, recursive=True)
        machine.write(call, state, words[1], Stream(None))
    return Stream(None)


def run_cpio(machine: Machine, state: State, call: Call) -> Stream:
    """`cpio`: `-i` unpacks here or into the directory given, `-p` copies into one, `-o` packs what names come in."""
    sorted_ = parsed(call.args, "-C -D -E -F -H -I -M -O -R --directory --file --format --owner")
    directory = next((place.text for place in sorted_.values("-D --directory")), ".")
    if sorted_.has("-o --create"):
        for name in (call.stdin.text or "").split("\n") if not call.waits else []:
            machine.on_path(call, state, Effect.READS, replace(call.program, text=name), recursive=True)
        for place in sorted_.values("-O -F --file"):
            machine.write(call, state, place, Stream(None, frozenset({Source.FILE})))
        return Stream(None, frozenset({Source.FILE}))
    if sorted_.has("-p --pass-through"):
        for place in sorted_.arguments[:1]:
            machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    elif sorted_.has("-i --extract") and not sorted_.has("-t --list"):
        content = call.stdin
        for place in sorted_.values("-I -F --file"):
            content = state.files.get(state.path(place.text), content)
        keep_unpacked(state, state.path(directory), content)
        machine.on_path(call, state, Effect.WRITES, replace(call.program, text=directory), recursive=True)
    return SILENT


def _unpack(machine: Machine, state: State, call: Call, archives: list[Value], directory: str) -> None:
    for place in archives:
        content = state.files.get(state.path(place.text))
        if content is not None:
            keep_unpacked(state, state.path(directory), content)
    machine.on_path(call, state, Effect.WRITES, replace(call.program, text=directory), recursive=True)


ARCHIVES: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar", "jar"), run_tar),
    **dict.fromkeys(("pax", "spax"), run_pax),
    "unzip": run_unzip,
    **dict.fromkeys(("unar", "unsquashfs"), run_unar),
    **dict.fromkeys(("unrar", "rar"), run_unrar),
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), run_7z),
    **dict.fromkeys(("cpio", "gcpio"), run_cpio),
}
