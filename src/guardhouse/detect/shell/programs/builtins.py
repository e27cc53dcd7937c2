"""Commands of the shell itself, and the plain filters through which text can be followed: `echo`, `cat`, `base64`.

They change the state, or turn what comes in into what goes out. What they do to files is in `files.py`.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.escapes import decoded as ansi_c
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import DYNAMIC, LONGEST, NOTHING, SILENT, Stream, Value, sounds_secret
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine

_DECODED: Final = frozenset({Source.DECODED})


def _sources(values: list[Value]) -> frozenset[Source]:
    return NOTHING.union(*(value.sources for value in values))


def echo(_machine: Machine, _state: State, call: Call) -> Stream:
    """Text goes out as it is; with `-e`, escapes are read."""
    texts = call.texts
    escapes, end = False, "\n"
    while texts and texts[0][:1] == "-" and texts[0][1:] and set(texts[0][1:]) <= set("neE"):
        flags = texts.pop(0)
        escapes = "e" in flags or escapes
        end = "" if "n" in flags else end
    text = " ".join(texts)
    if escapes and "\\c" in text:
        return Stream(None, _sources(call.args))
    return Stream((_unescaped(text) if escapes else text) + end, _sources(call.args))


def _unescaped(text: str) -> str:
    """Escapes as `echo -e` and `%b` read them: octal numbers begin with a 0 that is not one of their digits."""
    if "\\0" in text:
        pieces = text.split("\\0")
        text = pieces[0] + "".join(
            f"\\{piece}" if piece[:1] in _OCTAL and piece[:1] else f"\\0{piece}" for piece in pieces[1:]
        )
    return ansi_c(text)


_OCTAL: Final = frozenset("01234567")


def printf(_machine: Machine, state: State, call: Call) -> Stream:
    """A format with its arguments, as far as plain texts go; `-v` keeps the result in a variable."""
    args = call.args
    name = ""
    if len(args) > 2 and args[0].text == "-v":
        name, args = args[1].text, args[2:]
    if args and args[0].text == "--":
        args = args[1:]
    if not args:
        return SILENT
    text, sources = _formatted(args[0].text, args[1:]), _sources(args)
    if name:
        state.variables.set(name, [Value(text, sources) if text is not None else Value(UNKNOWN, sources | DYNAMIC)])
        return SILENT
    return Stream(text, sources)


_MOST_ROUNDS: Final = 256
"""How often a format is used again for more arguments."""


def _formatted(form: str, args: list[Value]) -> str | None:
    form = ansi_c(form)
    out: list[str] = []
    waiting = [value.text for value in reversed(args)]
    rounds = 0
    while True:
        rounds += 1
        used = False
        at = 0
        while at < len(form):
            percent = form.find("%", at)
            if percent < 0:
                out.append(form[at:])
                break
            out.append(form[at:percent])
            end = percent + 1
            while end < len(form) and form[end] in "-+ #0":
                end += 1
            kind = form[end : end + 1]
            at = end + 1
            if kind == "%":
                out.append("%")
            elif kind in ("s", "b", "q", "d", "i", "c"):
                used = True
                text = waiting.pop() if waiting else ""
                out.append(_unescaped(text) if kind == "b" else text[:1] if kind == "c" else text)
            else:
                return None
        if not waiting or not used:
            text = "".join(out)
            return text if len(text) <= LONGEST else None
        if rounds > _MOST_ROUNDS:
            return None


def cd(machine: Machine, state: State, call: Call) -> Stream:
    """Another directory from here on."""
    places = [value for value in call.args if value.text[:1] != "-" or value.text == "-"]
    if len(places) > 1 or "-n" in call.texts:
        # Too many arguments, or only the stack: it stays where it is.
        return SILENT
    if "CDPATH" in state.variables.values and places and places[0].text[:1] not in ("/", "."):
        state.move(UNKNOWN)
    elif not places:
        state.move(machine.home if call.name == "cd" else UNKNOWN)
    elif places[0].text == "-":
        state.move(state.left)
    elif not places[0].known or places[0].text[:1] == "+":
        state.move(UNKNOWN)
    else:
        targets = state.paths(places[0].text)
        state.move(targets[0])
        state.may_be_in(targets[1:])
    return SILENT


def popd(_machine: Machine, state: State, _call: Call) -> Stream:
    """Back to where only the run would know."""
    state.move(UNKNOWN)
    return SILENT


def evaluate(machine: Machine, state: State, call: Call) -> Stream:
    """`eval`: the words are code."""
    args = call.args[1:] if call.texts[:1] == ["--"] else call.args
    sources = _sources(args)
    text = " ".join(value.text for value in args)
    if sources & _SUSPECT or (sources and UNKNOWN in text):
        machine.act(call, state, Effect.EXECUTES, call.program, sources=sources)
    return machine.enter(text, state, call.args[0] if call.args else None)


_SUSPECT: Final = frozenset({Source.NETWORK, Source.DECODED})


def source(machine: Machine, state: State, call: Call) -> Stream:
    """`source` and `.`: a file is code for this shell."""
    places = [value for value in call.args if value.text != "--"]
    if not places:
        return SILENT
    place = places[0]
    path = state.path(place.text)
    content = call.stdin if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0") else state.held(place.text)
    if content is None and path.startswith("/dev/fd/"):
        content = state.descriptors.get(path[8:])
    if content is None and place.pattern:
        machine.act(call, state, Effect.EXECUTES, place, sources=DYNAMIC)
    if content is None:
        if place.sources & _SUSPECT:
            machine.act(call, state, Effect.EXECUTES, place, sources=place.sources)
        return SILENT
    if content.text is None:
        machine.act(call, state, Effect.EXECUTES, place, sources=content.sources | DYNAMIC)
        return Stream(None, content.sources)
    if content.sources:
        machine.act(call, state, Effect.EXECUTES, place, sources=content.sources)
    return machine.enter(content.text, state, place)


CODE_VARIABLES: Final = frozenset("PROMPT_COMMAND BASH_ENV ENV PS0 PS1 PS4".split())
"""Variables whose value a shell runs."""


def export(machine: Machine, state: State, call: Call) -> Stream:
    """`export`, `declare`, `local`…: names with values."""
    refers = call.args[:1] and call.args[0].text[:1] == "-" and "n" in call.args[0].text and call.name != "export"
    for value in call.args:
        name, equals, text = value.text.partition("=")
        if equals and text.startswith("("):
            state.variables.values[name] = (Value(UNKNOWN, DYNAMIC),)
            machine.enter(f"{name}={text}", state, value)
            continue
        if "[" in name or "[" in text:
            machine.look_into(value.text, state)
        if equals and refers:
            state.variables.set(name, [Value(UNKNOWN, DYNAMIC)])
        elif equals and name.rstrip("+").isidentifier():
            if call.name == "readonly":
                state.variables.fixed = state.variables.fixed | {name}
            if name.startswith("GUARDHOUSE_"):
                machine.act(call, state, Effect.EXECUTES, value, kind="guard", what="a setting of the guard's")
            if name in CODE_VARIABLES:
                machine.act(call, state, Effect.PERSISTS, value, what="a shell would run it before each prompt")
                machine.enter(text, state.copy(), value)
            held = state.variables.values.get(name[:-1]) if name.endswith("+") else None
            before = held[0].text if held else ""
            state.variables.set(name.rstrip("+"), [Value(before + text, value.sources)])
    return SILENT


def read(machine: Machine, state: State, call: Call) -> Stream:
    """`read`, `mapfile`: variables from what comes in."""
    sorted_ = parsed(call.args, "-a -d -i -n -N -p -t -u" if call.name == "read" else "-d -n -O -s -u -c -C")
    names = sorted_.arguments or [Value("REPLY" if call.name == "read" else "MAPFILE")]
    arrays = sorted_.values("-a")
    for code in sorted_.values("-C"):
        machine.enter(code.text, state.copy(), code)
    stream = call.stdin
    for name in names:
        machine.look_into(name.text, state)
    if stream.text is None or call.waits or "IFS" in call.environment:
        value = Value(UNKNOWN, stream.sources | DYNAMIC)
        for name in (*names, *arrays):
            state.variables.set(name.text, [value])
        return SILENT
    lines = [line for line in stream.text.split("\n") if line]
    if len(lines) > 64:
        lines = [*lines[:64], UNKNOWN]
    if call.name in ("mapfile", "readarray"):
        state.variables.values.pop(names[0].text, None)
        state.variables.arrays[names[0].text] = tuple(Value(line, stream.sources) for line in lines)
        return SILENT
    for array in arrays:
        state.variables.arrays[array.text] = tuple(
            Value(word, stream.sources) for word in (lines[0] if lines else "").split()[:64]
        )
    for place, name in enumerate(names if not arrays else []):
        last = place == len(names) - 1
        found = []
        for line in lines or [""]:
            words = line.split(None, len(names) - 1)
            found.append(Value(words[place] if place < len(words) else "", stream.sources))
            if last and len(names) == 1:
                found[-1] = Value(line.strip(), stream.sources)
        state.variables.set(name.text, found)
    return SILENT


def unset(machine: Machine, state: State, call: Call) -> Stream:
    """Variables and functions that are no longer there."""
    if any(text[:1] == "-" and "n" in text for text in call.texts):
        return SILENT
    only_functions = "-f" in call.texts
    for value in call.args:
        machine.look_into(value.text, state)
        if "[" in value.text:
            state.variables.loose.add(value.text.partition("[")[0])
        if only_functions:
            continue
        state.variables.values[value.text] = (Value(""),)
        state.variables.arrays.pop(value.text, None)
        state.functions.pop(value.text, None)
        state.aliases.pop(value.text, None)
    return SILENT


def set_(_machine: Machine, state: State, call: Call) -> Stream:
    """`set -- words`: the positional parameters."""
    texts = call.texts
    state.stops = state.stops or any(text[:1] == "-" and text[:2] != "--" and "e" in text for text in texts)
    state.stops = state.stops or texts[:2] == ["-o", "errexit"]
    if any(text[:1] == "+" and "e" in text for text in texts) or texts[:2] == ["+o", "errexit"]:
        state.stops = False
    if "--" in texts:
        state.variables.positional = tuple(call.args[texts.index("--") + 1 :])
    else:
        # Options first; `-o` takes a name.
        rest = [
            value
            for place, value in enumerate(call.args)
            if value.text[:1] not in ("-", "+") and (place == 0 or texts[place - 1] not in ("-o", "+o"))
        ]
        if rest:
            state.variables.positional = tuple(rest)
    return SILENT


def shift(_machine: Machine, state: State, call: Call) -> Stream:
    """The positional parameters move up."""
    count = int(call.texts[0]) if call.texts and call.texts[0].isdigit() and len(call.texts[0]) < 4 else 1
    state.variables.positional = state.variables.positional[count:]
    return SILENT


def ztcp(machine: Machine, state: State, call: Call) -> Stream:
    """A connection of zsh's own, on a descriptor that `$REPLY` names."""
    host = ":".join(text for text in call.texts if text[:1] != "-")
    machine.act(call, state, Effect.CONNECTS, call.program._replace(text=host), kind="host")
    state.variables.set("REPLY", [Value("12")])
    state.network = state.network | {"12"}
    return SILENT


def mktemp(machine: Machine, state: State, call: Call) -> Stream:
    """A name in the temporary directory that nobody knows before."""
    sorted_ = parsed(call.args, "-p --suffix")
    given = [value for value in sorted_.arguments if value.known]
    name = given[0].text.rstrip("X") if given else "tmp."
    where = sorted_.values("-p --tmpdir")
    temp = state.variables.values.get("TMPDIR", (Value(machine.temp),))[0].text
    if where:
        name = f"{where[0].text}/{name}"
    elif not given or sorted_.has("-t --tmpdir"):
        name = f"{temp}/{name}"
    return Stream(f"{name}{UNKNOWN}\n")


def trap(machine: Machine, state: State, call: Call) -> Stream:
    """Code for later: it is followed at the end."""
    args = [value for value in call.args if value.text not in ("--", "-l", "-p")]
    if len(args) > 1 and args[0].text not in ("-", ""):
        # With what the script has become by its end.
        machine.traps.append((args[0], state.places))
    return SILENT


def alias(machine: Machine, state: State, call: Call) -> Stream:
    """Names for words."""
    for value in call.args:
        name, equals, text = value.text.partition("=")
        if equals:
            state.aliases[name] = text
            if value.sources:
                machine.act(call, state, Effect.EXECUTES, value, sources=value.sources)
    return SILENT


def hash_(_machine: Machine, state: State, call: Call) -> Stream:
    """`hash -p path name`: the name is that program from now on."""
    for path in parsed(call.args, "-p -d -t").values("-p"):
        for name in parsed(call.args, "-p").arguments:
            state.aliases[name.text] = path.text
    return SILENT


def enable(machine: Machine, state: State, call: Call) -> Stream:
    """`enable -f file`: code out of a library."""
    for library in parsed(call.args, "-f").values("-f"):
        machine.act(call, state, Effect.EXECUTES, library, kind="program", what="inside the shell")
    return SILENT


def completes(machine: Machine, state: State, call: Call) -> Stream:
    """`complete -C`, `compgen -C`, `bind -x`: code for when a key is pressed, or at once."""
    sorted_ = parsed(call.args, "-C -x -W -A -F -P -S -X -f -m -q -u -r")
    for words in sorted_.values("-W"):
        machine.look_into(f"[{words.text}", state)
    for name in sorted_.values("-F"):
        machine.enter(name.text, state.copy(), name)
    for code in sorted_.values("-C -x"):
        text = code.text.rpartition('":')[2] if call.name == "bind" else code.text
        machine.enter(text, state.copy(), code)
    return SILENT


def fc(machine: Machine, _state: State, call: Call) -> Stream:
    """Commands out of the history, run again."""
    if not any(text[:2] == "-l" for text in call.texts):
        machine.give_up("it runs what is in the history")
    return Stream(None)


def which(_machine: Machine, _state: State, call: Call) -> Stream:
    """Where a program is: where programs are."""
    names = [text for text in call.texts if text[:1] != "-"]
    return Stream("".join(f"/usr/bin/{name}\n" for name in names) if names else "", _sources(call.args))


def given(_machine: Machine, _state: State, call: Call) -> Stream:
    """`realpath`, `readlink -f`, `ls` of names: those names, or what lies below."""
    places = [value for value in call.args if value.text[:1] != "-"] or [call.program._replace(text=".")]
    whole = call.name != "ls" or any("d" in text for text in call.texts if text[:1] == "-")
    return Stream("".join(f"{_listed(value.text, whole=whole)}\n" for value in places), _sources(call.args))


def _listed(path: str, *, whole: bool) -> str:
    """What is printed of a place: itself, or the names of what is in it."""
    return path if whole or "." in path.rpartition("/")[2].strip(".") else f"{path.rstrip('/')}/{UNKNOWN}"


def listing(_machine: Machine, _state: State, call: Call) -> Stream | None:
    """Programs that print the names of files below a place."""
    texts = call.texts
    if call.name == "git":
        shows = texts[:1] == ["ls-files"] or (texts[:1] in (["diff"], ["show"], ["log"]) and "--name-only" in texts)
    else:
        shows = any(
            (text[:2] == "--" and "files" in text) or (text[:1] == "-" and text[:2] != "--" and "l" in text)
            for text in texts
        )
    if not shows:
        return None
    words = parsed(call.args[1:] if call.name == "git" else call.args, "-e -f -g -t -A -B -C -m").arguments
    places = words[1:] if call.name != "git" and "--files" not in texts else words if call.name != "git" else []
    below = [value.text.rstrip("/") for value in places if value.text != "--"] or ["."]
    return Stream("".join(f"{place}/{UNKNOWN}\n{place}\n" if place != "." else f"./{UNKNOWN}\n" for place in below))


def plain(_machine: Machine, _state: State, call: Call) -> Stream:
    """Programs that print a number or a name of letters, digits and dashes, whatever they are given: it is no code."""
    if call.name == "date":
        forms = [text[1:] for text in call.texts if text[:1] == "+"]
        if any("%n" in form or "%t" in form for form in forms):
            return Stream(None)
        return Stream("".join(_dated(form) for form in forms) + "\n" if forms else "0\n")
    return Stream("0\n") if not _sources(call.args) else Stream(None, _sources(call.args))


def _dated(form: str) -> str:
    """A date in a form, with a digit for each part of it."""
    pieces = form.split("%")
    return pieces[0] + "".join(f"0{piece[1:]}" for piece in pieces[1:])


def pwd(_machine: Machine, state: State, _call: Call) -> Stream:
    """The directory."""
    return Stream(f"{state.cwd}\n") if UNKNOWN not in state.cwd else Stream(None)


def calculates(machine: Machine, state: State, call: Call) -> Stream:
    """`test`, `let`: arithmetic in their arguments runs what is substituted in an index."""
    for value in call.args:
        machine.look_into(value.text, state)
        if call.name == "let":
            state.variables.calculated(value.text)
    return SILENT


def silent(_machine: Machine, _state: State, _call: Call) -> Stream:
    """A command that changes nothing we follow and says nothing."""
    return SILENT


def printenv(_machine: Machine, _state: State, call: Call) -> Stream:
    """The environment, or one variable of it."""
    names = call.texts
    secret = not names or any(map(sounds_secret, names))
    return Stream(None, frozenset({Source.SECRET}) if secret else NOTHING)


def basename(_machine: Machine, _state: State, call: Call) -> Stream:
    """The last part of a path, or what is before it."""
    paths = [value for value in call.args if value.text[:1] != "-"]
    if not paths or len(paths) < len(call.args):
        return Stream(None, _sources(call.args)) if call.args else SILENT
    text = paths[0].text.rstrip("/")
    head, _, tail = text.rpartition("/")
    if call.name == "dirname":
        return Stream(f"{head or ('/' if text.startswith('/') else '.')}\n", paths[0].sources)
    suffix = paths[1].text if len(paths) > 1 else ""
    return Stream(f"{tail.removesuffix(suffix)}\n", paths[0].sources)


# Filters.


def cat(machine: Machine, state: State, call: Call) -> Stream:
    """What files hold, one after the other."""
    places = [value for value in call.args if value.text[:1] != "-" or value.text == "-"]
    if not places:
        return call.stdin
    streams = [call.stdin if place.text == "-" else machine.read(state, place) for place in places]
    sources = NOTHING.union(*(stream.sources for stream in streams))
    texts = [stream.text for stream in streams if stream.text is not None]
    text = "".join(texts) if len(texts) == len(streams) else None
    if text is not None and len(text) > LONGEST:
        text = None
    return Stream(text, sources, streams[0].name if len(streams) == 1 else "")


def tee(machine: Machine, state: State, call: Call) -> Stream:
    """What comes in goes on, and into files."""
    sorted_ = parsed(call.args)
    append = sorted_.has("-a --append")
    for place in sorted_.arguments:
        machine.write(call, state, place, call.stdin, append=append)
    return call.stdin


def _file_or_stdin(machine: Machine, state: State, call: Call, places: list[Value]) -> Stream:
    return machine.read(state, places[0]) if places and places[0].text != "-" else call.stdin


def base64_(machine: Machine, state: State, call: Call) -> Stream:
    """Decoding is worked out if the text is known; encoding hides nothing from us."""
    sorted_ = parsed(call.args, "-w --wrap -i -o")
    stream = _file_or_stdin(machine, state, call, sorted_.values("-i") or sorted_.arguments)
    if not sorted_.has("-d -D --decode"):
        if stream.text is None or UNKNOWN in stream.text or len(stream.text) > LONGEST // 2:
            return Stream(None, stream.sources)
        return Stream(base64.b64encode(stream.text.encode("utf-8", "replace")).decode() + "\n", stream.sources)
    return _decoded(stream, _from_base64)


def _decoded(stream: Stream, decode: Callable[[str], str | None]) -> Stream:
    text = decode(stream.text) if stream.text is not None and len(stream.text) <= LONGEST else None
    return Stream(text, stream.sources | _DECODED)


def _from_base64(text: str) -> str | None:
    compact = "".join(text.split())
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def _from_hex(text: str) -> str | None:
    try:
        return bytes.fromhex("".join(text.split())).decode("utf-8", "replace")
    except ValueError:
        return None


def xxd(machine: Machine, state: State, call: Call) -> Stream:
    """Hex to text with `-r`."""
    sorted_ = parsed(call.args, "-c -g -l -o -s -seek -len -cols")
    stream = _file_or_stdin(machine, state, call, sorted_.arguments)
    for place in sorted_.arguments[1:2]:
        machine.write(call, state, place, Stream(None, stream.sources))
    if not sorted_.has("-r"):
        return Stream(None, stream.sources)
    return _decoded(stream, _from_hex if sorted_.has("-p") else lambda _text: None)


def decoder(_machine: Machine, state: State, call: Call) -> Stream:
    """Programs that unpack or decrypt what comes in or what a file holds."""
    sorted_ = parsed(call.args, "-in -out -k -pass -S -o --output -d")
    sources = call.stdin.sources
    for value in call.args:
        held = state.files.get(state.path(value.text)) if value.text[:1] != "-" else None
        sources |= held.sources if held is not None else value.sources
    return Stream(None, sources | _DECODED) if sorted_.options or call.name in _ALWAYS_DECODE else Stream(None, sources)


_ALWAYS_DECODE: Final = frozenset("gunzip zcat bzcat xzcat zstdcat uudecode unxz bunzip2 unzstd".split())


def rev(machine: Machine, state: State, call: Call) -> Stream:
    """Lines backwards."""
    stream = _file_or_stdin(machine, state, call, call.args)
    if stream.text is None:
        return Stream(None, stream.sources | _DECODED)
    return Stream("\n".join(line[::-1] for line in stream.text.split("\n")), stream.sources | _DECODED)


def tr(_machine: Machine, _state: State, call: Call) -> Stream:
    """Letters for letters, if both sets are plain."""
    stream = call.stdin
    sorted_ = parsed(call.args)
    sets = [_letters(value.text) for value in sorted_.arguments]
    if stream.text is None or UNKNOWN in stream.text or None in sets or not sets:
        return Stream(None, stream.sources | _DECODED if stream.text is not None else stream.sources)
    first = sets[0] or ""
    if sorted_.has("-d --delete"):
        return Stream(stream.text.translate(dict.fromkeys(map(ord, first))), stream.sources | _DECODED)
    if sorted_.options or len(sets) < 2:
        return Stream(None, stream.sources | _DECODED)
    second = sets[1] or ""
    padded = second + second[-1:] * (len(first) - len(second))
    table = {ord(old): new for old, new in zip(first, padded, strict=False)}
    return Stream(stream.text.translate(table), stream.sources | _DECODED)


def _letters(text: str) -> str | None:
    """The letters that a set of `tr` names; None if it has classes or the like."""
    if "[:" in text or "[=" in text or len(text) > 256:
        return None
    text = ansi_c(text)
    out: list[str] = []
    at = 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-" and ord(text[at]) <= ord(text[at + 2]) < 256:
            out += [chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1)]
            at += 3
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def passing(_machine: Machine, state: State, call: Call) -> Stream:
    """Filters that let through some of what comes in, or of what files hold. What is left is not worked out, but for
    one line that goes through whole."""
    sources = call.stdin.sources
    named = False
    for value in call.args:
        held = state.held(value.text) if value.text[:1] not in ("-", "") else None
        if held is not None:
            sources, named = sources | held.sources, True
    text = call.stdin.text
    whole = (
        call.name in _KEEPING and text is not None and "\n" not in text.rstrip("\n") and not named and not call.waits
    )
    plain = all(value.text.lstrip("-n").isdigit() for value in call.args)
    return Stream(text if whole and plain and text else None, sources)


_KEEPING: Final = frozenset("head tail sort uniq tac less more strings fold fmt column pv sponge unbuffer".split())

BUILTINS: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    "echo": echo,
    "printf": printf,
    "cd": cd,
    "chdir": cd,
    "pushd": cd,
    "popd": popd,
    "eval": evaluate,
    "source": source,
    ".": source,
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), export),
    **dict.fromkeys(("read", "mapfile", "readarray"), read),
    "unset": unset,
    "set": set_,
    "shift": shift,
    "trap": trap,
    "hash": hash_,
    "enable": enable,
    "fc": fc,
    **dict.fromkeys(("complete", "compgen", "bind"), completes),
    "ztcp": ztcp,
    "mktemp": mktemp,
    "alias": alias,
    **dict.fromkeys(("which", "type", "whereis"), which),
    "pwd": pwd,
    **dict.fromkeys(("realpath", "readlink", "ls"), given),
    **dict.fromkeys(("date", "nproc", "uname", "id", "whoami", "uuidgen", "arch", "tty"), plain),
    "printenv": printenv,
    **dict.fromkeys(("basename", "dirname"), basename),
    **dict.fromkeys(
        ": true false exit return wait jobs bg fg umask ulimit break continue logout sleep".split(), silent
    ),
    **dict.fromkeys(("test", "[", "let"), calculates),
    "cat": cat,
    "tee": tee,
    **dict.fromkeys(("base64", "gbase64", "base32"), base64_),
    "xxd": xxd,
    "rev": rev,
    "tr": tr,
    **dict.fromkeys(
        "gunzip zcat bzcat xzcat zstdcat gzip bzip2 xz zstd uudecode unxz bunzip2 unzstd gpg openssl".split(), decoder
    ),
    **dict.fromkeys("head tail sort uniq tac less more strings fold fmt column pv sponge grep cut jq".split(), passing),
}
"""By name. What such a program does beyond its output is told by the other tables too."""
