"""Commands of the shell itself: they change what the commands after them find.

What they do to files is in `files.py`; programs that pass text on are in `filters.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.escapes import decoded as ansi_c
from guardhouse.detect.shell.programs.filters import sources_of
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import DYNAMIC, LONGEST, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine

_DECODED: Final = frozenset({Source.DECODED})


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
        return Stream(None, sources_of(call.args))
    return Stream((_unescaped(text) if escapes else text) + end, sources_of(call.args))


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
    text, sources = _formatted(args[0].text, args[1:]), sources_of(args)
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
    sources = sources_of(args)
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
    machine.act(call, state, Effect.CONNECTS, replace(call.program, text=host), kind="host")
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
    "pwd": pwd,
    **dict.fromkeys(
        ": true false exit return wait jobs bg fg umask ulimit break continue logout sleep".split(), silent
    ),
    **dict.fromkeys(("test", "[", "let"), calculates),
}
"""By name. What such a program does beyond its output is told by the other tables too."""
