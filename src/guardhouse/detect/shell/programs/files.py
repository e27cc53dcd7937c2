"""Programs that change files, as a table of what each does to which of its arguments, and the few that need code.

Reading is not listed: any program may read what it is given, and what it is given is looked at in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.programs.options import Parsed, parsed
from guardhouse.detect.shell.state import MOST_FILES, Call, State
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine


class Files(NamedTuple):
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
    """Options with which it changes nothing."""
    packs: bool = False
    """It copies what it is given, with everything below it, into one place."""


FILES: Final = (
    Files("rm grm", deletes="all", recursive="-r -R --recursive"),
    Files("unlink", deletes="all"),
    Files("srm wipe", deletes="all", recursive="-r -R"),
    Files("shred gshred", "-n -s --iterations --size --random-source", deletes="all"),
    Files("truncate gtruncate", "-s -r --size --reference", writes="all"),
    Files("cp gcp", "-t -S --target-directory --suffix", writes="last", options="-t --target-directory", packs=True),
    Files(
        "mv gmv",
        "-t -S --target-directory --suffix",
        deletes="rest",
        writes="last",
        options="-t --target-directory",
        always_recursive=True,
        unless="-n --no-clobber",
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
    Files("patch", "-p -i -o -d -r -B", writes="1", options="-o -r"),
    Files("ed red", "-p", writes="1"),
    Files("mkfs mke2fs mkswap mkdosfs mkntfs wipefs blkdiscard", "-t -L -b -N -T -U -n -o", writes="last"),
    Files("badblocks", "-b -c -d -e -i -o -p -t", writes="1"),
    Files("fdisk sfdisk cfdisk gdisk sgdisk parted", "-t -n -d -o -s", writes="1", unless="-l --list -p --print"),
    Files("zip", "-b -i -n -P -t -x -tt", writes="1", packs=True),
    Files("7z 7za 7zr", "-o -p", writes="2", packs=True),
    Files("ar", "", writes="2"),
    Files("mktemp mkdir mkfifo mknod", "-m -p -Z --mode"),
    Files("xcopy robocopy", writes="last", packs=True),
    Files("ffmpeg", "-i -f -c -ss -t -to -vf -af -r -s -b -map -filter_complex -preset -crf -codec -acodec -vcodec"),
    Files("gcc cc clang g++ c++ clang++ go rustc ld", "-o -I -L -D -x", options="-o"),
    Files("csplit", "-f -b -n --prefix", writes=""),
    Files("dos2unix unix2dos", writes="all"),
    Files("del erase", deletes="all", recursive="/s /S"),
    Files("rd", deletes="all", recursive="/s /S"),
    Files("Remove-Item", "-Path -LiteralPath -Include -Exclude", deletes="all", recursive="-Recurse -r"),
)
BY_NAME: Final = {name: one for one in FILES for name in one.names.split()}


def run_files(machine: Machine, state: State, call: Call, one: Files) -> None:
    """Note what a program of the table does to its arguments."""
    sorted_ = parsed(call.args, one.valued)
    if one.unless and sorted_.has(one.unless):
        return
    arguments = sorted_.arguments
    into = bool(sorted_.values("-t --target-directory"))
    # What is copied is known before it is gone.
    copied = _content(state, arguments) if one.writes == "last" else Stream(None)
    _write_options(machine, state, call, one, sorted_)
    _read(machine, state, call, one, sorted_, into=into)
    recursive = one.always_recursive or bool(one.recursive and sorted_.has(one.recursive))
    for place in _chosen(arguments, "all" if into and one.deletes == "rest" else one.deletes):
        machine.on_path(call, state, Effect.DELETES, place, recursive=recursive)
        state.files.pop(state.path(place.text), None)
    if not into and (one.writes != "last" or len(arguments) > 1 or call.name[-2:] not in ("cp", "mv")):
        _write(machine, state, call, _chosen(arguments, one.writes), arguments, copied)


def _write_options(machine: Machine, state: State, call: Call, one: Files, sorted_: Parsed) -> None:
    places = sorted_.values(one.options) if one.options else []
    sources = _contents(state, sorted_.arguments) if places else NOTHING
    for place in places:
        machine.write(call, state, place, Stream(None, sources))
        if call.name in COMPILERS and Source.NETWORK not in sources:
            # The sources were looked at when they were written, if this command wrote them.
            state.files.pop(state.path(place.text), None)
    for mode in sorted_.values("-m --mode") if call.name.endswith("install") else []:
        if len(mode.text) == 4 and mode.text[0] in "24567":
            machine.act(call, state, Effect.ESCALATES, mode, what="a file would run with its owner's rights")


def _read(machine: Machine, state: State, call: Call, one: Files, sorted_: Parsed, *, into: bool) -> None:
    """What is copied or packed is read."""
    if not one.packs and call.name not in ("mv", "install", "sort", "uniq", "split"):
        return
    written = [] if into else _chosen(sorted_.arguments, one.writes)
    deep = one.packs and sorted_.has("-r -R -a --recursive --archive")
    for place in sorted_.arguments:
        if place not in written:
            machine.on_path(call, state, Effect.READS, place, recursive=deep)


def _write(
    machine: Machine, state: State, call: Call, places: list[Value], arguments: list[Value], copied: Stream
) -> None:
    for place in places:
        machine.write(call, state, place, copied)
        if place is arguments[-1] and len(arguments) == 2 and not copied.name and len(state.files) < MOST_FILES:
            # The target may be a directory: the file is then in it, under its own name.
            inside = f"{place.text.rstrip('/')}/{arguments[0].text.rstrip('/').rpartition('/')[2]}"
            state.files[state.path(inside)] = copied


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
    arguments = sorted_.arguments
    if len(arguments) == 1:
        arguments = [*arguments, arguments[0]._replace(text=arguments[0].text.rstrip("/").rpartition("/")[2] or ".")]
    if len(arguments) < 2:
        return SILENT
    link = arguments[-1]
    machine.on_path(call, state, Effect.WRITES, link)
    if len(state.links) < 64:
        for target in arguments[:-1]:
            text = target.text
            place = state.path(link.text)
            leads = text if text.startswith("/") else f"{place.rpartition('/')[0]}/{text}"
            state.links[place] = leads
            held = state.files.get(state.path(text))
            if held is not None:
                state.files[place] = held
    return SILENT


_SETUID: Final = frozenset("4567")


def run_chmod(machine: Machine, state: State, call: Call) -> Stream:
    """Rights: setuid is other rights for whoever runs the file; open to all, for everything below a wide place, too."""
    sorted_ = parsed([value for value in call.args if not value.text.startswith(("-x", "-w", "-r"))], "--reference")
    if not sorted_.arguments:
        return SILENT
    mode, places = sorted_.arguments[0].text, sorted_.arguments[1:]
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
    wide = mode.lstrip("0") in ("777", "666") or mode in ("a+rwx", "ugo+rwx", "+rwx", "o+w", "a+w", "a=rwx", "o+rw")
    if recursive or wide:
        for place in places:
            machine.on_path(
                call, state, Effect.MUTATES, place, recursive=recursive, what="who may use it" if wide else ""
            )
    return SILENT


def run_chown(machine: Machine, state: State, call: Call) -> Stream:
    """Owners: for everything below a wide place it is a change to the system."""
    sorted_ = parsed(call.args, "--reference --from")
    if sorted_.has("-R --recursive"):
        for place in sorted_.arguments[1:]:
            machine.on_path(call, state, Effect.MUTATES, place, recursive=True)
    return SILENT


def run_dd(machine: Machine, state: State, call: Call) -> Stream:
    """`dd`: words like `of=file`."""
    stream, place = call.stdin, None
    for value in call.args:
        name, _, text = value.text.partition("=")
        if name == "if":
            stream = machine.read(state, value._replace(text=text))
        elif name == "of":
            place = value._replace(text=text)
    if place is None:
        return stream
    machine.write(call, state, place, stream)
    return SILENT


def run_tar(machine: Machine, state: State, call: Call) -> Stream:
    """`tar`: packs what it is given, or unpacks into the directory."""
    args = list(call.args)
    if args and args[0].text[:1] not in ("-", "") and args[0].text.isalpha():
        args[0] = args[0]._replace(text=f"-{args[0].text}")
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
        machine.on_path(call, inside, Effect.WRITES, call.program._replace(text="."), recursive=True)
    return Stream(None, call.stdin.sources)


def keep_unpacked(state: State, directory: str, content: Stream) -> None:
    """Remember that what lies below a directory may have come from the network."""
    if Source.NETWORK in content.sources and len(state.files) < MOST_FILES:
        state.files[f"{directory.rstrip('/')}/**"] = Stream(None, content.sources)


def run_unzip(machine: Machine, state: State, call: Call) -> Stream:
    """`unzip` and its kin: unpacks into the directory, or into the one given."""
    sorted_ = parsed(call.args, "-d -x -P -o" if call.name == "unzip" else "-d -o")
    directory = next((place.text for place in sorted_.values("-d")), ".")
    for place in sorted_.arguments[:1]:
        content = state.files.get(state.path(place.text))
        if content is not None:
            keep_unpacked(state, state.path(directory), content)
    if not sorted_.has("-l -t -p -c -z -Z"):
        machine.on_path(call, state, Effect.WRITES, call.program._replace(text=directory), recursive=True)
    return Stream(None)


def run_find(machine: Machine, state: State, call: Call) -> Stream:
    """`find`: where it starts, what it picks, and what it does with each."""
    texts = call.texts
    first = next(
        (at for at, text in enumerate(texts) if text[:1] in ("-", "(", "!") and text not in ("-H", "-L", "-P")),
        len(texts),
    )
    places = [value for value in call.args[:first] if value.text[:1] != "-"] or [call.program._replace(text=".")]
    picks = any(text in _PICKS for text in texts[first:])
    at = first
    while at < len(texts):
        text = texts[at]
        if text in _VALUED:
            at += 2 if text != "-fprintf" else 3
            if text.startswith(("-fprint", "-fls")) and at - 1 < len(texts):
                machine.write(call, state, call.args[at - 1 if text != "-fprintf" else at - 2], Stream(None))
            continue
        if text == "-delete":
            for place in places:
                _found(machine, state, call, place, picks=picks)
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((to for to in range(at + 1, len(texts)) if texts[to] in (";", "+", "\\;")), len(texts))
            _run_on_found(machine, state, call, places, call.args[at + 1 : end], picks=picks)
            at = end
        at += 1
    _look_for_keys(machine, state, call, places)
    # What is found lies below; without a test that picks, the place itself is found, too.
    found = [f"{state.path(place.text).rstrip('/')}/{UNKNOWN}" if picks else state.path(place.text) for place in places]
    return Stream("\n".join(found) + "\n")


_KEY_NAMES: Final = (
    "id_rsa", "id_dsa", "id_ed25519", "id_ecdsa", ".pem", ".ppk", ".kdbx", ".p12", ".pfx", ".pgp", ".gpg", ".key",
    "shadow", "credential", ".aws", ".netrc", "_history", "authorized_keys", "wallet", ".env", "password", "secret",
    "token",
)  # fmt: skip


def _look_for_keys(machine: Machine, state: State, call: Call, places: list[Value]) -> None:
    """A search for keys and passwords all over a machine."""
    texts = call.texts
    wanted = [texts[at + 1] for at in range(len(texts) - 1) if texts[at] in ("-name", "-iname", "-path", "-regex")]
    if any(name in text.lower() for text in wanted for name in _KEY_NAMES):
        for place in places:
            path = state.path(place.text)
            if path.count("/") == 1 or (
                path.startswith(("/etc", "/root", "/var", machine.home))
                and path
                in (
                    machine.home,
                    "/etc",
                    "/root",
                    "/var",
                )
            ):
                machine.act(call, state, Effect.READS, place, kind="thing", what="it looks for keys and passwords")


_PICKS: Final = frozenset(
    "-name -iname -path -ipath -wholename -regex -iregex -empty -newer -mtime -mmin -atime -ctime -size -inum -samefile"
    " -lname -cmin -amin -xtype -links -anewer -cnewer".split()
)
"""Tests that pick some files out of all."""
_VALUED: Final = _PICKS | frozenset(
    "-type -maxdepth -mindepth -perm -user -group -uid -gid -fstype -printf -fprint -fprint0 -fls -fprintf -context"
    " -regextype -D -used".split()
) - {"-empty"}


def _found(machine: Machine, state: State, call: Call, place: Value, *, picks: bool) -> None:
    """Files below a place are deleted: all of them, or those that were picked."""
    target = place if not picks else place._replace(text=f"{place.text.rstrip('/')}/{UNKNOWN}")
    machine.on_path(call, state, Effect.DELETES, target, recursive=not picks)


def _run_on_found(
    machine: Machine, state: State, call: Call, places: list[Value], words: list[Value], *, picks: bool
) -> None:
    if not words:
        return
    from guardhouse.detect.shell.programs.wrappers import run_inner  # wrappers know programs, programs know wrappers

    for place in places[:8]:
        text = place.text if not picks else f"{place.text.rstrip('/')}/{UNKNOWN}"
        replaced = [word._replace(text=word.text.replace("{}", text)) for word in words]
        run_inner(machine, state, call._replace(stdin=SILENT, waits=True), replaced)


def run_fd(machine: Machine, state: State, call: Call) -> Stream:
    """`fd`: a pattern, places, and with `-x` or `-X` a command for what is found there."""
    texts = call.texts
    at = next((at for at, text in enumerate(texts) if text in ("-x", "-X", "--exec", "--exec-batch")), len(texts))
    words = parsed(call.args[:at], "-e -t -d -E -S -o -c -j --extension --type --max-depth --exclude --size").arguments
    places = words[1:] or [call.program._replace(text=".")]
    picks = bool(words) and words[0].text not in (".", "", ".*", "*")
    command = call.args[at + 1 :]
    if command and not any("{" in word.text for word in command):
        command = [*command, command[0]._replace(text="{}")]
    _run_on_found(machine, state, call, places, command, picks=picks)
    return Stream(None, frozenset({Source.DYNAMIC}))


SPECIAL: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("ln", "gln", "link"), run_ln),
    **dict.fromkeys(("chmod", "gchmod"), run_chmod),
    **dict.fromkeys(("chown", "chgrp", "gchown"), run_chown),
    **dict.fromkeys(("dd", "gdd"), run_dd),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), run_tar),
    **dict.fromkeys(("unzip", "unrar", "unar"), run_unzip),
    **dict.fromkeys(("find", "gfind"), run_find),
    **dict.fromkeys(("fd", "fdfind"), run_fd),
}
