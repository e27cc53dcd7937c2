"""Programs that run the rest of their words as a command, as a table, and the ways into other worlds.

What is run inside is followed like any other command; only where it happens, and with whose rights, is noted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Scope, Source
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.running import Machine


class Wrapper(msgspec.Struct, frozen=True):
    """One kind of wrapper."""

    names: str
    valued: str = ""
    """Options that take a value."""
    skip: int = 0
    """Arguments of its own before the command."""
    assigns: bool = False
    """Words like `NAME=value` may stand before the command."""
    starts: str = ""
    """Options with which it starts a shell if there is no command."""
    becomes: str = ""
    """`root` if it gives the command other rights."""
    place: str = ""
    """Options that name a directory to work in."""


WRAPPERS: Final = (
    Wrapper(
        "sudo",
        "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --close-from --chdir --chroot --role --type"
        " --command-timeout --other-user",
        assigns=True,
        starts="-i -s --login --shell",
        becomes="root",
        place="-D --chdir",
    ),
    Wrapper("doas", "-u -C -a", starts="-s", becomes="root"),
    Wrapper("pkexec", "--user -u", becomes="root"),
    Wrapper("run0", "-u -g -D --user --group --chdir --setenv --unit --property", becomes="root", place="-D --chdir"),
    Wrapper("gosu su-exec", skip=1, becomes="root"),
    Wrapper("setpriv", "--reuid --regid --groups --ambient-caps --inh-caps --bounding-set --selinux-label"),
    Wrapper("command", ""),
    Wrapper("builtin", ""),
    Wrapper("exec", "-a"),
    Wrapper("nohup setsid eatmydata fakeroot chronic unbuffer caffeinate catchsegv dbus-run-session"),
    Wrapper("nice", "-n --adjustment"),
    Wrapper("ionice", "-c -n -p -P -u --class --classdata --pid"),
    Wrapper("timeout gtimeout", "-k -s --kill-after --signal", skip=1),
    Wrapper("time gtime", "-f -o --format --output"),
    Wrapper("stdbuf gstdbuf", "-i -o -e --input --output --error"),
    Wrapper("chrt", "-T -P -D --sched-runtime --sched-period --sched-deadline", skip=1),
    Wrapper("taskset", "-p", skip=1),
    Wrapper("numactl", "-m -N -C -i -p --membind --cpunodebind --physcpubind --interleave --preferred"),
    Wrapper("setarch"),
    Wrapper("linux32 linux64 i386 x86_64"),
    Wrapper("arch", "-arch -e -d"),
    Wrapper(
        "strace ltrace",
        "-a -b -e -E -I -o -O -p -P -s -S -u -U -X --trace --output --attach --string-limit --user --env",
    ),
    Wrapper("xvfb-run", "-n -e -f -p -s -w --server-num --server-args --error-file --auth-file"),
    Wrapper("chroot", "--userspec --groups", skip=1),
    Wrapper("unshare", "-S -G -R -w --setuid --setgid --root --wd --map-user --map-group", place="-w --wd"),
    Wrapper("repeat", skip=1),
    Wrapper("nsenter", "-t -S -G --target --setuid --setgid -r -w"),
    Wrapper("proxychains proxychains4 torsocks torify tsocks", "-f"),
    Wrapper("firejail", ""),
)
_BY_NAME: Final = {name: wrapper for wrapper in WRAPPERS for name in wrapper.names.split()}
_MACHINES: Final = frozenset("x86_64 i386 i686 linux32 linux64 arm aarch64 ppc ppc64 uname26".split())
_SHELLS: Final = frozenset("sh bash zsh dash ksh mksh ash fish csh tcsh rbash pdksh yash oksh".split())


def is_wrapper(name: str) -> bool:
    """Whether a program is in the table."""
    return name in _BY_NAME


def run_wrapper(machine: Machine, state: State, call: Call) -> Stream:
    """Follow the command inside a wrapper."""
    wrapper = _BY_NAME[call.name]
    sorted_ = parsed(call.args, wrapper.valued, stop=True)
    words = sorted_.arguments[wrapper.skip :]
    if call.name == "setarch" and words and words[0].text in _MACHINES:
        words = parsed(words[1:], stop=True).arguments
    environment = dict(call.environment)
    if wrapper.assigns:
        words = _assignments(words, environment)
    if call.name == "command" and sorted_.has("-v -V"):
        return Stream(f"/usr/bin/{words[0].text}\n" if words and words[0].known else None)
    if call.name == "sudo" and sorted_.has("-e --edit"):
        for word in words:
            machine.on_path(call, state, Effect.OVERWRITES, word)
        return SILENT
    if call.name == "sudo" and any("SECRET" in value.text for value in sorted_.values("--preserve-env")):
        machine.act(call, state, Effect.ESCALATES, call.program, what="a secret would be handed to another user")
    if not words:
        if wrapper.starts and sorted_.has(wrapper.starts):
            machine.act(call, state, Effect.ESCALATES, call.program, what="a shell with other rights would be started")
        return SILENT
    if wrapper.starts and sorted_.has(wrapper.starts) and words[0].text not in _SHELLS:
        # `sudo -s 'a; b'` gives the words to a shell.
        return machine.enter(" ".join(word.text for word in words), state, words[0])
    inside = state
    for place in sorted_.values(wrapper.place) if wrapper.place else []:
        inside = state.copy()
        inside.move(state.path(place.text))
    out = run_inner(machine, inside, call, words, environment, becomes=wrapper.becomes)
    _run_later(machine, inside, call, words, environment)
    return out


def _run_later(machine: Machine, state: State, call: Call, words: list[Value], environment: dict[str, Value]) -> None:
    """What stands first may be an option's value that is not in the table: then the command begins later."""
    first = words[0].text
    if first[:1] not in ("-", "+") and "=" not in first and not first[:1].isdigit() and machine.is_known(first):
        return
    for place, word in enumerate(words[1:6], 1):
        if machine.is_known(word.text):
            run_inner(machine, state, call, words[place:], environment)
            return


def run_inner(
    machine: Machine,
    state: State,
    call: Call,
    words: list[Value],
    environment: dict[str, Value] | None = None,
    *,
    becomes: str = "",
    openly: bool = False,
) -> Stream:
    """Follow a program that another one runs with these words."""
    program = words[0]
    wrapped = "sudo" if becomes else "" if openly else call.wrapped or call.name
    inner = replace(
        call,
        name=program.text.rpartition("/")[2],
        program=program,
        args=words[1:],
        environment=environment if environment is not None else call.environment,
        wrapped=wrapped,
    )
    return machine.run(inner, state)


def _assignments(words: list[Value], environment: dict[str, Value]) -> list[Value]:
    """The words after leading `NAME=value`s, which go into the environment."""
    for index, word in enumerate(words):
        name, equals, text = word.text.partition("=")
        if not equals or not name or name[0] in "-/.":
            return words[index:]
        environment[name] = replace(word, text=text)
    return []


def run_env(machine: Machine, state: State, call: Call) -> Stream:
    """`env`: options, assignments, then a command; `-S` is split into words as a shell would."""
    sorted_ = parsed(call.args, "-u -C -S -P -a --unset --chdir --split-string --argv0", stop=True)
    environment = dict(call.environment)
    inside = state
    for place in sorted_.values("-C --chdir"):
        inside = state.copy()
        inside.cwd = state.path(place.text)
    words = sorted_.arguments
    if words and words[0].text == "-":
        words = parsed(words[1:], "-u -C -S -P", stop=True).arguments
    for text in sorted_.values("-S --split-string"):
        # It has a language of its own: escapes, quotes, variables, and options again.
        line = text.text.replace("\\_", " ").replace("${HOME}", machine.home)
        if "${" in line:
            machine.give_up("a command that is put together from pieces")
        import shlex  # hardly ever needed, and not cheap to load

        try:
            split = shlex.split(line)
        except ValueError:  # a quote that nobody closes
            split = line.split()
        pieces = [replace(text, text=piece) for piece in split]
        return run_env(machine, inside, replace(call, args=[*pieces, *words]))
    words = _assignments(words, environment)
    if not words:
        return Stream(None, frozenset({Source.SECRET})) if not call.args else SILENT
    out = run_inner(machine, inside, call, words, environment)
    _run_later(machine, inside, call, words, environment)
    return out


def run_su(machine: Machine, state: State, call: Call) -> Stream:
    """`su`: a shell as somebody else, or one command line with `-c`."""
    sorted_ = parsed(call.args, "-c -s -g -G -w -u --command --shell --group --supp-group --whitelist-environment")
    commands = sorted_.values("-c --command")
    for command in commands:
        machine.enter(command.text, state.copy(), command)
    if call.name == "runuser" and sorted_.has("-u --user") and sorted_.arguments:
        return run_inner(machine, state, call, sorted_.arguments, becomes="root")
    if sorted_.has("--version --help -h -V"):
        return Stream(None)
    if not commands or any(_names_shell(command.text) for command in commands):
        machine.act(call, state, Effect.ESCALATES, call.program, what="a shell with other rights would be started")
    return Stream(None)


def _names_shell(text: str) -> bool:
    return text.rpartition("/")[2] in _SHELLS


def run_xargs(machine: Machine, state: State, call: Call) -> Stream:
    """`xargs`: the words, followed by what comes in; with `-I` in the places of a mark."""
    sorted_ = parsed(
        call.args,
        "-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --eof --max-lines --max-args --max-procs"
        " --max-chars --process-slot-var",
        stop=True,
    )
    words = sorted_.arguments or [Value("echo")]
    marks = [mark.text or "{}" for mark in sorted_.values("-I -J --replace")]
    if sorted_.has("-i --replace") and not marks:
        marks = ["{}"]
    # `-i` and `-e` take glued values only.
    for one in call.args:
        if one.text[:2] == "-i" and len(one.text) > 2:
            marks = [one.text[2:]]
    stream = call.stdin
    for place in sorted_.values("-a --arg-file"):
        stream = machine.read(state, place)
    inner = replace(call, stdin=SILENT, waits=True)
    if marks:
        return _each(machine, state, inner, words, marks[0], _items(stream, lines=True))
    items = _items(stream)
    return run_inner(machine, state, inner, [*words, *items])


_MOST_ITEMS: Final = 64


def _items(stream: Stream, *, lines: bool = False) -> list[Value]:
    """What a stream comes to as arguments; one unknown one if it can't be told."""
    if stream.text is None:
        return [Value(UNKNOWN, stream.sources | {Source.DYNAMIC})]
    text = stream.text.replace("\\", "").replace('"', "").replace("'", "")
    pieces = [piece.strip() for piece in (text.split("\n") if lines else text.split()) if piece.strip()]
    items = [Value(piece, stream.sources) for piece in pieces[:_MOST_ITEMS]]
    return items if len(pieces) <= _MOST_ITEMS else [*items, Value(UNKNOWN, frozenset({Source.DYNAMIC}))]


def _each(machine: Machine, state: State, call: Call, words: list[Value], mark: str, items: list[Value]) -> Stream:
    out = Stream(None)
    # What is put into a mark is several runs; each run has one item in every place.
    for item in items or [Value("")]:
        replaced = [
            replace(word, text=word.text.replace(mark, item.text), sources=word.sources | item.sources)
            if mark in word.text
            else word
            for word in words
        ]
        out = run_inner(machine, state, call, replaced)
    return out


def run_parallel(machine: Machine, state: State, call: Call) -> Stream:
    """GNU parallel: a command with marks, run through a shell, once for each of what follows `:::`."""
    texts = call.texts
    cut = next((at for at, text in enumerate(texts) if text in (":::", ":::+", "::::", "::::+")), len(texts))
    sorted_ = parsed(
        call.args[:cut],
        "-j -P -S -a -I -N -n -L -s -d -C --jobs --sshlogin --arg-file --max-args --delay --timeout --joblog --colsep"
        " --results --tmpdir --workdir --delimiter --retries --load --nice --halt --progress-interval --tagstring",
        stop=True,
    )
    words = sorted_.arguments
    given = [value for value in call.args[cut + 1 :] if not value.text.startswith(":::")]
    items = (given[:64] or [Value("")]) if cut < len(texts) else _items(call.stdin)
    inner = replace(call, stdin=SILENT, waits=True)
    if not words:
        # Each item is a command line of its own.
        lines = items if cut < len(texts) else _items(call.stdin, lines=True)
        for item in lines:
            if item.known:
                machine.enter(item.text, state.copy(), item)
            else:
                machine.act(call, state, Effect.EXECUTES, call.program, sources=item.sources | {Source.DYNAMIC})
        return Stream(None)
    if cut < len(texts) and not given:
        return SILENT
    line = " ".join(word.text if " " not in word.text else f"'{word.text}'" for word in words)
    if not any(mark in line for mark in _MARKS):
        line += " {}"
    for item in items:
        text = line
        for mark in _MARKS:
            text = text.replace(mark, item.text)
        for place, one in enumerate(items[:9], 1):
            text = text.replace(f"{{{place}}}", one.text)
        if item.sources and not item.known:
            replaced = [replace(word, text=_marked(word.text, item.text)) for word in words]
            run_inner(machine, state, inner, replaced)
        else:
            machine.enter(text, state.copy(), call.program)
            if not any(mark in word.text for word in words for mark in _MARKS):
                run_inner(machine, state, inner, [*words, item])
    return Stream(None)


_MARKS: Final = ("{}", "{.}", "{/}", "{//}", "{/.}")


def _marked(text: str, item: str) -> str:
    for mark in _MARKS:
        text = text.replace(mark, item)
    return text


def elsewhere(state: State, scope: Scope, cwd: str = "/") -> State:
    """A state for what happens in another world: no files of ours, no directory of ours."""
    inner = State(cwd)
    inner.scope = scope
    inner.variables = state.variables.copy()
    inner.stdin, inner.waits = state.stdin, state.waits
    return inner
