"""Programs that change files, as a table of what each does to which of its arguments, and the few that need code.

Reading is not listed: any program may read what it is given, and what it is given is looked at in any case. Searching,
unpacking and rights are in modules of their own; `SPECIAL` has them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.shell.programs.landing import land, last_part
from guardhouse.detect.shell.programs.options import Parsed, parsed
from guardhouse.detect.shell.programs.tables import read_later
from guardhouse.detect.shell.state import MOST_FILES, Call, State
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine


class Files(msgspec.Struct, frozen=True):
    """What a program does to files."""

    names: str
    valued: str = ""
    """Options that take a value."""
    deletes: str = ""
    """Arguments it takes away: `all`, `last`, `rest` (all but the last), `first`, or a number."""
    writes: str = ""
    """Arguments it writes over, in the same words."""
    options: str = ""
    """Options whose value is a file it writes."""
    recursive: str = ""
    """Options with which it works on everything below."""
    always_recursive: bool = False
    unless: str = ""
    """Options with which it changes nothing at all."""
    keeps: str = ""
    """Options with which it overwrites nothing that is there, and yet does the rest."""
    only: str = ""
    """Options without which it changes nothing."""
    moves: str = ""
    """Options with which what it packs is taken away."""
    replaces: bool = False
    """It puts another file, with or without an ending, in the place of each."""
    packs: bool = False
    """It copies what it is given, with everything below it, into one place."""


FILES: Final = (
    Files("rm grm", deletes="all", recursive="-r -R --recursive"),
    Files("unlink", deletes="all"),
    Files("srm wipe", deletes="all", recursive="-r -R"),
    Files("shred gshred", "-n -s --iterations --size --random-source", deletes="all"),
    Files("truncate gtruncate", "-s -r --size --reference", writes="all"),
    Files(
        "cp gcp",
        "-t -S --target-directory --suffix",
        writes="last",
        options="-t --target-directory",
        packs=True,
        keeps="-n --no-clobber",
    ),
    Files(
        "mv gmv",
        "-t -S --target-directory --suffix",
        deletes="rest",
        writes="last",
        options="-t --target-directory",
        always_recursive=True,
        keeps="-n --no-clobber",
    ),
    Files("rename prename", "", writes=""),
    Files(
        "install ginstall",
        "-m -o -g -t -S --mode --owner --group --target-directory",
        writes="last",
        options="-t --target-directory",
    ),
    Files("touch", "-d -r -t --date --reference", writes="all"),
    Files("split gsplit", "-a -b -C -l -n --filter --additional-suffix", writes="2"),
    Files("sort gsort", "-k -t -S -T -o --key --field-separator --parallel", options="-o --output"),
    Files("uniq", "-f -s -w", writes="2"),
    Files("sponge", writes="all"),
    Files("patch", "-p -i -o -d -r -B --directory --output", writes="1", options="-o -r -d --directory --output"),
    Files("ed red", "-p", writes="1"),
    Files("mkfs mke2fs mkswap mkdosfs mkntfs wipefs blkdiscard", "-t -L -b -N -T -U -n -o", writes="last"),
    Files("badblocks", "-b -c -d -e -i -o -p -t", writes="1"),
    Files("fdisk sfdisk cfdisk gdisk sgdisk parted", "-t -n -d -o -s", writes="1", unless="-l --list -p --print"),
    Files("zip", "-b -i -n -P -t -x -tt", writes="1", packs=True, moves="-m --move"),
    Files(
        "gzip gunzip pigz unpigz bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd compress uncompress",
        "-S -T -o -p -b --suffix --threads",
        options="-o",
        recursive="-r --recursive",
        unless="-c --stdout --to-stdout -l --list -t --test",
        replaces=True,
    ),
    Files("fallocate", "-l -o --length --offset", writes="all", only="-z -p -c -d --zero-range --punch-hole"),
    Files("shuf gshuf", "-i -n -o --input-range --head-count --output --random-source", options="-o --output"),
    Files("objcopy", "-O -I -B -j -R -K -N -G -W --output-target --input-target --only-section", writes="2"),
    Files("strip", "-o -R -K -N -O -I -F --output-target", options="-o"),
    Files("pdftotext pdftohtml", "-f -l -r -enc -opw -upw", writes="2"),
    Files("rimraf del-cli", "--tries --backoff", deletes="all", always_recursive=True),
    Files("ar", "", writes="2"),
    Files("mktemp mkdir mkfifo mknod", "-m -Z --mode"),
    Files(
        "script",
        "-c -E -o -B -I -O -T -m --command --log-out --log-io --log-timing --log-in --echo --logging-format",
        writes="1",
        options="-B -I -O -T --log-io --log-in --log-out --log-timing",
    ),
    Files("javac", "-d -s -h -cp -classpath --class-path -sourcepath --release -source -target", options="-d -s -h"),
    Files("xcopy robocopy ditto", writes="last", packs=True),
    Files("degit tiged", "-m --mode", writes="2"),
    Files(
        "ffmpeg",
        "-i -f -c -ss -t -to -vf -af -r -s -b -map -filter_complex -preset -crf -codec -acodec -vcodec -pix_fmt -b:v"
        " -b:a -c:v -c:a -q:v -q:a -ar -ac -loglevel -v -metadata -frames:v -vframes -tune -threads -loop -framerate",
        writes="last",
    ),
    Files("gcc cc clang g++ c++ clang++ go rustc ld", "-o -I -L -D -x", options="-o"),
    Files("csplit gcsplit", "-f -b -n --prefix", options="-f --prefix"),
    Files("dos2unix unix2dos", writes="all"),
    Files("del erase", deletes="all", recursive="/s /S"),
    Files("rd", deletes="all", recursive="/s /S"),
    Files("Remove-Item", "-Path -LiteralPath -Include -Exclude", deletes="all", recursive="-Recurse -r"),
)
BY_NAME: Final = {name: one for one in FILES for name in one.names.split()}


def run_files(machine: Machine, state: State, call: Call, one: Files) -> None:
    """Note what a program of the table does to its arguments."""
    sorted_ = parsed(call.args, one.valued)
    into = bool(sorted_.values("-t --target-directory"))
    _read(machine, state, call, one, sorted_, into=into)
    if (one.unless and sorted_.has(one.unless)) or (one.only and not sorted_.has(one.only)):
        return
    arguments = sorted_.arguments
    keeps = bool(one.keeps) and sorted_.has(one.keeps)
    # What is copied is known before it is gone.
    copied = _content(state, arguments) if one.writes == "last" else Stream(None)
    if one.writes == "last":
        machine.spend(len(arguments) * len(state.files) // 8)
        for source in arguments[:-1]:
            _carry(state, state.path(source.text), state.path(arguments[-1].text))
        _land(machine, state, call, one, sorted_)
    _write_options(machine, state, call, one, sorted_, keeps=keeps)
    recursive = one.always_recursive or bool(one.recursive and sorted_.has(one.recursive))
    for place in _chosen(arguments, "all" if into and one.deletes == "rest" else one.deletes):
        machine.on_path(call, state, Effect.DELETES, place, recursive=recursive)
        machine.forget(state, state.path(place.text))
    if not into and (one.writes != "last" or len(arguments) > 1 or call.name[-2:] not in ("cp", "mv")):
        _write(machine, state, call, _chosen(arguments, one.writes), arguments, copied, keeps=keeps)
    if one.replaces:
        _replace(machine, state, call, arguments, recursive=recursive)
    if one.moves and sorted_.has(one.moves):
        for place in arguments[1:]:
            machine.on_path(call, state, Effect.DELETES, place, recursive=True)


def _land(machine: Machine, state: State, call: Call, one: Files, sorted_: Parsed) -> None:
    """What is put into a directory has its own name there."""
    into = sorted_.values("-t --target-directory")
    targets = into or sorted_.arguments[-1:]
    sources = sorted_.arguments if into else sorted_.arguments[:-1]
    deep = one.always_recursive or call.name in _DEEP or sorted_.has("-r -R -a -d --recursive --archive")
    exact = sorted_.has("-T --no-target-directory")
    for target in targets:
        land(machine, state, call, sources, target, deep=deep, exact=exact, with_parents=sorted_.has("--parents"))


_DEEP: Final = frozenset("xcopy robocopy ditto".split())
"""Programs that copy whole directories without being told to."""


def _write_options(machine: Machine, state: State, call: Call, one: Files, sorted_: Parsed, *, keeps: bool) -> None:
    places = sorted_.values(one.options) if one.options else []
    sources = _contents(state, sorted_.arguments) if places else NOTHING
    for place in places:
        machine.write(call, state, place, Stream(None, sources), append=keeps)
        if call.name in COMPILERS and Source.NETWORK not in sources:
            # The sources were looked at when they were written, if this command wrote them.
            machine.forget(state, state.path(place.text))
    for mode in sorted_.values("-m --mode") if call.name.endswith("install") else []:
        if len(mode.text) == 4 and mode.text[0] in "24567":
            machine.act(call, state, Effect.ESCALATES, mode, what="a file would run with its owner's rights")


def _read(machine: Machine, state: State, call: Call, one: Files, sorted_: Parsed, *, into: bool) -> None:
    """What is copied or packed is read."""
    if not one.packs and call.name not in _READING:
        return
    written = [] if into else _chosen(sorted_.arguments, one.writes)
    deep = one.packs and sorted_.has("-r -R -a --recursive --archive")
    for place in sorted_.arguments:
        if place not in written:
            machine.on_path(call, state, Effect.READS, place, recursive=deep)


_ENDINGS: Final = (".gz", ".bz2", ".xz", ".zst", ".lzma", ".Z")


def _replace(machine: Machine, state: State, call: Call, places: list[Value], *, recursive: bool) -> None:
    """A file becomes a packed one, or a packed one what was in it; where that came from stays."""
    for place in places:
        machine.on_path(call, state, Effect.OVERWRITES, place, recursive=recursive)
        path = state.path(place.text)
        held = state.files.get(path)
        if held is not None and len(state.files) < MOST_FILES:
            ending = next((one for one in _ENDINGS if path.endswith(one)), "")
            state.files[path.removesuffix(ending) if ending else f"{path}.gz"] = Stream(None, held.sources)


_READING: Final = frozenset(
    "mv install gzip bzip2 xz zstd sort uniq split csplit shuf ar objcopy ffmpeg pdftotext".split()
)
"""Programs without `packs` whose copies show what a file holds."""


def _write(
    machine: Machine,
    state: State,
    call: Call,
    places: list[Value],
    arguments: list[Value],
    copied: Stream,
    *,
    keeps: bool,
) -> None:
    for place in places:
        machine.write(call, state, place, copied, append=keeps)
        if place is arguments[-1] and len(arguments) == 2 and not copied.name and len(state.files) < MOST_FILES:
            # The target may be a directory: the file is then in it, under its own name.
            inside = f"{place.text.rstrip('/')}/{arguments[0].text.rstrip('/').rpartition('/')[2]}"
            state.files[state.path(inside)] = copied


def _carry(state: State, source: str, target: str) -> None:
    """What this command wrote below a place that is copied or moved is below the new place, too."""
    name = source.rpartition("/")[2]
    for path, held in list(state.files.items()):
        if (path == source or path.startswith(f"{source}/")) and len(state.files) < MOST_FILES:
            rest = path[len(source) :]
            state.files.setdefault(f"{target}/{name}{rest}", held)
            if rest:
                state.files.setdefault(f"{target}{rest}", held)


COMPILERS: Final = frozenset("gcc cc clang g++ c++ clang++ go rustc ld".split())


def _chosen(arguments: list[Value], which: str) -> list[Value]:
    if which == "all":
        return arguments
    if which == "last":
        return arguments[-1:]
    if which == "rest":
        return arguments[:-1]
    return arguments[int(which) - 1 : int(which)] if which else []


def _content(state: State, arguments: list[Value]) -> Stream:
    """What a copy of the first argument holds."""
    if len(arguments) != 2:
        return Stream(None, _contents(state, arguments))
    path = state.path(arguments[0].text)
    held = state.files.get(path)
    return held if held is not None else Stream(None, arguments[0].sources, path)


def _contents(state: State, arguments: list[Value]) -> frozenset[Source]:
    held = (state.files.get(state.path(value.text)) for value in arguments)
    return NOTHING.union(*(one.sources for one in held if one is not None))


def run_ln(machine: Machine, state: State, call: Call) -> Stream:
    """A link: what is later done below it is done where it leads."""
    sorted_ = parsed(call.args, "-t -S --target-directory --suffix")
    targets, into = sorted_.arguments, sorted_.values("-t --target-directory")
    if not targets:
        return SILENT
    if into:
        links = [replace(one, text=f"{into[0].text.rstrip('/')}/{last_part(one.text)}") for one in targets]
    elif len(targets) == 1:
        links = [replace(targets[0], text=last_part(targets[0].text) or ".")]
    else:
        links, targets = [targets[-1]] * (len(targets) - 1), targets[:-1]
    for link, target in zip(links, targets, strict=True):
        machine.on_path(call, state, Effect.WRITES, link)
        if not into:
            exact = sorted_.has("-n -T --no-dereference --no-target-directory")
            land(machine, state, call, [target], link, deep=True, exact=exact)
        _link(state, link.text, target.text)
    return SILENT


def _link(state: State, link: str, target: str) -> None:
    if len(state.links) >= 64:
        return
    place = state.path(link)
    state.links[place] = target if target.startswith("/") else f"{place.rpartition('/')[0]}/{target}"
    held = state.files.get(state.path(target))
    if held is not None:
        state.files[place] = held


def run_dd(machine: Machine, state: State, call: Call) -> Stream:
    """`dd`: words like `of=file`."""
    stream, place = call.stdin, None
    for value in call.args:
        name, _, text = value.text.partition("=")
        if name == "if":
            stream = machine.read(state, replace(value, text=text))
        elif name == "of":
            place = replace(value, text=text)
    if place is None:
        return stream
    machine.write(call, state, place, stream)
    return SILENT


_OWN_VERBS: Final = {
    "cmake": {
        "rm": "rm",
        "remove": "rm -f",
        "remove_directory": "rm -r",
        "copy": "cp",
        "copy_if_different": "cp",
        "copy_directory": "cp -r",
        "copy_directory_if_different": "cp -r",
        "rename": "mv",
        "touch": "touch",
        "create_symlink": "ln -s",
        "create_hardlink": "ln",
        "tar": "tar",
    },
    "gio": {"remove": "rm", "trash": "trash", "copy": "cp -r", "move": "mv"},
    "kioclient": {"remove": "rm -r", "move": "mv", "copy": "cp -r"},
}
"""Programs that have verbs of their own for what other programs do, and the program that does the same."""


def run_own_verb(machine: Machine, state: State, call: Call) -> Stream:
    """`cmake -E rm`, `gio remove`: the same as the program of that kind."""
    words = call.args[1:] if call.name == "cmake" and call.texts[:1] == ["-E"] else call.args
    if (call.name == "cmake" and words is call.args) or not words:
        return Stream(None)
    same = _OWN_VERBS[call.name.rstrip("0123456789")].get(words[0].text, "").split()
    if same:
        args = [*(replace(words[0], text=text) for text in same[1:]), *words[1:]]
        machine.run(replace(call, name=same[0], program=replace(words[0], text=same[0]), args=args), state)
    return Stream(None)


def run_make(machine: Machine, state: State, call: Call) -> Stream:
    """`mkdir`, `mkfifo`, `mknod`: nothing is lost, but what lies there is no file that an agent could read. A directory
    counts if its name is a file's."""
    for place in parsed(call.args, "-m -Z --mode --context").arguments:
        if call.name != "mkdir" or "." in last_part(place.text)[1:]:
            machine.on_path(call, state, Effect.WRITES, place, vague=True)
    return SILENT


def run_trash(machine: Machine, state: State, call: Call) -> Stream:
    """What is put into a bin can be had back; a whole home, or all of its settings, is a loss all the same."""
    for place in parsed(call.args, "--trash-dir").arguments:
        path = state.path(place.text).rstrip("/*") or "/"
        holds = machine.home == path or machine.home.startswith(f"{path.rstrip('/')}/")
        if holds or path.startswith(f"{machine.home}/.") or path == state.cwd:
            machine.on_path(call, state, Effect.DELETES, place, recursive=True)
    return SILENT


SPECIAL: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("ln", "gln", "link"), run_ln),
    **dict.fromkeys(("dd", "gdd"), run_dd),
    **dict.fromkeys(("cmake", "gio", "kioclient", "kioclient5"), run_own_verb),
    **dict.fromkeys(("trash", "trash-put", "gomi"), run_trash),
    **dict.fromkeys(("mkdir", "mkfifo", "mknod"), run_make),
    **read_later("archives"),
    **read_later("editing"),
    **read_later("patching"),
    **read_later("rights"),
    **read_later("searching"),
}

__all__ = ["BY_NAME", "COMPILERS", "FILES", "SPECIAL", "Files", "run_files"]
