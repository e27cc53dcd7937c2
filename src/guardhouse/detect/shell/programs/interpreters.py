"""Programs that run code: shells, and interpreters of other languages, with where each takes its code from.

Code given as an argument, a here-document, a pipe or a file just written is read by the reader of its language.
A script that lies in a file already is a program like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Scope, Source
from guardhouse.detect.paths.wildcards import name_matches
from guardhouse.detect.shell.programs.agents_in_code import starts_agent
from guardhouse.detect.shell.programs.options import Parsed, parsed
from guardhouse.detect.shell.programs.typists import types_keys
from guardhouse.detect.shell.state import Call, State, either
from guardhouse.detect.shell.values import DYNAMIC, NOTHING, SILENT, Stream, Value
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from guardhouse.detect.acts import Act
    from guardhouse.detect.shell.running import Machine

SHELLS: Final = frozenset("sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash lksh pdksh yash oksh hush".split())
_PLAIN_SHELLS: Final = frozenset(["sh", "dash", "ash"])
_NETWORK: Final = frozenset({Source.NETWORK})
FROM_OUTSIDE: Final = frozenset({Source.NETWORK, Source.DECODED})
"""Where code comes from that nobody has seen."""


def run_shell(machine: Machine, state: State, call: Call) -> Stream:
    """A shell: `-c code`, a script, or what comes in."""
    sorted_ = parsed(call.args, "-o -O --rcfile --init-file +o +O", stop=True)
    if call.network:
        machine.act(call, state, Effect.SPAWNS_SHELL, call.program, sources=_NETWORK)
    if sorted_.has("-p") and not sorted_.has("--posix"):
        machine.act(call, state, Effect.ESCALATES, call.program, what="the shell would keep the rights of its owner")
    for name in ("ENV", "BASH_ENV"):
        if name in call.environment and "$(" in call.environment[name].text:
            machine.enter(f'"{call.environment[name].text}"', state.copy(), call.program)
    for place in sorted_.values("--rcfile --init-file"):
        _run_file(machine, state, call, place, "shell")
    words = sorted_.arguments
    if sorted_.has("-c"):
        if not words:
            return SILENT
        code = words[0]
        inner = state.copy()
        inner.variables.positional = tuple(words[2:])
        if len(words) > 1:
            inner.variables.set("0", words[1:2])
        inner.stdin, inner.waits = call.stdin, call.waits
        for name, value in call.environment.items():
            inner.variables.set(name, [value])
        suspect = code.sources & FROM_OUTSIDE
        if suspect or (code.text.startswith(UNKNOWN) and code.sources):
            machine.act(call, state, Effect.EXECUTES, code, sources=code.sources)
        if call.name in _PLAIN_SHELLS and any(mark in code.text for mark in ("[[", "((", "$'", "&>")):
            machine.give_up("a plain sh reads it otherwise than bash")
        return machine.enter(code.text, inner, code)
    if words and not sorted_.has("-s") and words[0].text != "-":
        return _run_file(machine, state, call, words[0], "shell", words[1:])
    machine.noted.add("shell")
    if not call.waits:
        return _run_stdin(machine, state, call, "shell", words)
    if call.wrapped and ("/" in call.program.text or call.wrapped == "sudo" or machine.is_hidden):
        # A shell that nobody gives anything to read is only worth a word where it is hidden, or has other rights.
        machine.act(
            call, state, Effect.SPAWNS_SHELL, call.program, what=f"by way of {call.wrapped}", certainty=Confidence.HIGH
        )
    return Stream(None)


def _run_file(
    machine: Machine, state: State, call: Call, place: Value, language: str, args: list[Value] | None = None
) -> Stream:
    """A script in a file: followed if this command wrote it, or if it is a pipe."""
    path = state.path(place.text)
    if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return _run_stdin(machine, state, call, language, args or [])
    held = state.held(place.text) or unpacked(state, path)
    if place.pattern and held is None:
        held = _matching(state, path)
        if held is None:
            machine.act(call, state, Effect.EXECUTES, place, sources=DYNAMIC)
    if held is None:
        if place.sources & FROM_OUTSIDE:
            machine.act(call, state, Effect.EXECUTES, place, sources=place.sources)
        return Stream(None)
    if held.text is None:
        if held.name:
            return Stream(None)
        machine.act(call, state, Effect.EXECUTES, place, sources=held.sources | {Source.WRITTEN})
        return Stream(None, held.sources)
    return _run_text(machine, state, call, held, place, language, args or [])


def _matching(state: State, pattern: str) -> Stream | None:
    """What files hold that this command wrote and that a pattern matches."""
    directory, _, name = pattern.rpartition("/")
    found = [
        held
        for path, held in state.files.items()
        if path.rpartition("/")[0] == directory and name_matches(path.rpartition("/")[2], name)
    ]
    return either(found) if found else None


def unpacked(state: State, path: str) -> Stream | None:
    """What is known of a file that may have come out of an archive this command fetched."""
    for name, held in state.files.items():
        if name.endswith("/**") and path.startswith(name[:-2]):
            return held
    return None


def _run_stdin(machine: Machine, state: State, call: Call, language: str, args: list[Value]) -> Stream:
    stream = call.stdin
    if stream.text is None and stream.name and language != "shell":
        # A script in a file, only given another way.
        return Stream(None)
    if stream.text is None:
        machine.act(call, state, Effect.EXECUTES, call.program, sources=stream.sources | DYNAMIC)
        return Stream(None, stream.sources)
    return _run_text(machine, state, call, stream, call.program, language, args)


def _run_text(
    machine: Machine, state: State, call: Call, code: Stream, place: Value, language: str, args: list[Value]
) -> Stream:
    text = code.text or ""
    hidden = code.sources & FROM_OUTSIDE or (code.sources if UNKNOWN in text else NOTHING)
    if hidden:
        machine.act(call, state, Effect.EXECUTES, place, sources=frozenset(hidden))
    if language != "shell":
        read_foreign(machine, state, call, language, replace(place, text=text), args)
        return Stream(None)
    first = text[: text.find("\n")] if text.startswith("#!") else ""
    other = language_of(first) if first else "shell"
    if other != "shell":
        read_foreign(machine, state, call, other, replace(place, text=text), args)
        return Stream(None)
    inner = state.copy()
    inner.variables.positional = tuple(args)
    inner.stdin, inner.waits = SILENT, True
    return machine.enter(text, inner, place)


def run_script(machine: Machine, state: State, call: Call) -> Stream | None:
    """A program named by its path: followed if this command wrote it; None if it did not."""
    held = state.held(call.program.text) or unpacked(state, state.path(call.program.text))
    if held is None:
        return None
    if held.text is None and held.name:
        # A copy of another program.
        return machine.run(
            replace(call, program=replace(call.program, text=held.name), name=held.name.rpartition("/")[2]), state
        )
    if held.text is None:
        machine.act(call, state, Effect.EXECUTES, call.program, sources=held.sources | {Source.WRITTEN})
        return Stream(None, held.sources)
    return _run_text(machine, state, call, held, call.program, "shell", call.args)


def language_of(line: str) -> str:
    """The language of a script by its first line."""
    words = line[2:].replace("/usr/bin/env", " ").split()
    names = [word.rpartition("/")[2] for word in words if not word.startswith("-")]
    if not names or names[0] in SHELLS:
        return "shell"
    found = interpreter(names[0])
    return found.language if found is not None else "other"


class Interpreter(msgspec.Struct, frozen=True):
    """Where an interpreter takes its code from."""

    names: str
    language: str
    inline: str
    """Options whose value is code."""
    valued: str = ""
    first: bool = False
    """The first argument is code unless one of `scripts` is given."""
    scripts: str = ""
    """Options whose value is a file of code."""
    stdin: bool = True
    """Without a script, what comes in is code."""


INTERPRETERS: Final = (
    Interpreter("python pypy ipython bpython", "python", "-c", "-W -X -Q --check-hash-based-pycs"),
    Interpreter("perl", "perl", "-e -E", "-I -m -M -x -C -D -F -i -l -0"),
    Interpreter("ruby jruby", "ruby", "-e", "-I -r -C -E -F -x -W -K -T"),
    Interpreter("php php-cgi", "php", "-r -B -R -E", "-c -d -z -S -t", scripts="-f -F"),
    Interpreter("lua luajit texlua", "lua", "-e", "-l"),
    Interpreter("node nodejs bun deno jjs js d8 qjs", "node", "-e -p --eval --print -pe", "-r --require --import -C"),
    Interpreter("jrunscript", "node", "-e", "-l -cp -f"),
    Interpreter("awk gawk mawk nawk original-awk", "awk", "-e --source", "-F -v --assign", first=True, scripts="-f -i"),
    Interpreter("sed gsed", "sed", "-e --expression", "-l --line-length", first=True, scripts="-f --file"),
    Interpreter("tclsh wish", "tcl", ""),
    Interpreter("expect", "tcl", "-c", "-f"),
    Interpreter("R Rscript r littler", "R", "-e", "-f --file -g"),
    Interpreter("crystal", "ruby", ""),
    Interpreter("julia", "julia", "-e -E --eval --print", "-J -p -t -L"),
    Interpreter("guile", "guile", "-c", "-l -e -L"),
    Interpreter("groovy groovysh", "groovy", "-e"),
    Interpreter("elixir iex", "elixir", "-e --eval", "-r -S"),
    Interpreter("erl", "erlang", "-eval"),
    Interpreter("ghc ghci runghc runhaskell stack", "haskell", "-e", stdin=False),
    Interpreter("scala scala-cli kotlin kotlinc jshell", "java", "-e --execute", "-R -cp --class-path"),
    Interpreter("octave octave-cli", "octave", "--eval"),
    Interpreter("gnuplot", "gnuplot", "-e"),
    Interpreter("osascript", "applescript", "-e", "-l"),
    Interpreter("pwsh powershell pwsh-preview", "powershell", "-c -Command -command --command -C", "-ExecutionPolicy"),
    Interpreter("m4", "m4", "", "-D -I -U -s -E"),
    Interpreter("gdb", "gdb", "-ex -eval-command --eval-command -iex", "-p -d", stdin=False),
    Interpreter("lldb", "gdb", "-o --one-line -O", "-p -n -w", stdin=False),
    Interpreter("dc", "other", "-e --expression"),
    Interpreter("elvish nu xonsh", "other", "-c"),
)


def interpreter(name: str) -> Interpreter | None:
    """The interpreter that goes by a name, with or without a version after it."""
    found = _BY_NAME.get(name)
    if found is None and name[-1:].isdigit():
        found = _BY_NAME.get(name.rstrip("0123456789.").rstrip("-"))
    return found


_BY_NAME: Final = {name: one for one in INTERPRETERS for name in one.names.split()}
_LONG_AFTER_ONE_DASH: Final = frozenset("erl gdb pwsh powershell pwsh-preview jrunscript expect".split())
_NEVER_STDIN: Final = frozenset(["awk", "sed", "gdb"])


def run_interpreter(machine: Machine, state: State, call: Call, one: Interpreter) -> Stream:
    """Code of another language, wherever it is given."""
    filters = one.language in ("awk", "sed")
    valued = f"{one.inline} {one.valued} {one.scripts}{' -m' if one.language == 'python' else ''}"
    sorted_ = parsed(call.args, valued, stop=not filters, single=call.name in _LONG_AFTER_ONE_DASH)
    if call.network and not filters:
        machine.act(call, state, Effect.SPAWNS_SHELL, call.program, sources=_NETWORK)
    if one.language == "python" and sorted_.has("-m"):
        return _module(machine, state, call, sorted_.values("-m"), _after_module(call))
    codes, words = _given_code(machine, state, call, one, sorted_)
    for code in codes:
        if code.sources & (_NETWORK if filters else FROM_OUTSIDE) or (not filters and not code.known and code.sources):
            machine.act(call, state, Effect.EXECUTES, code, sources=code.sources)
        read_foreign(machine, state, call, one.language, code, words)
    in_place = one.language in ("sed", "perl", "ruby") and sorted_.has("-i --in-place")
    if in_place or any(value.text.startswith("inplace") for value in sorted_.values("-i --include")):
        for place in words:
            machine.on_path(call, state, Effect.WRITES, place)
    sources = call.stdin.sources if not call.waits else NOTHING
    if codes or filters:
        for place in words:
            held = state.files.get(state.path(place.text))
            sources |= held.sources if held is not None else place.sources
        return Stream(None, sources)
    if words and words[0].text != "-":
        return _run_file(machine, state, call, words[0], one.language, words[1:])
    if one.stdin and not call.waits and not _only_tells(one, sorted_):
        return _run_stdin(machine, state, call, one.language, words[1:])
    return Stream(None, sources)


def _only_tells(one: Interpreter, sorted_: Parsed) -> bool:
    """Whether it only says which version it is, or serves files, and reads nothing."""
    return sorted_.has("-V --version -h --help") or (one.language != "python" and sorted_.has("-v -S"))


def _given_code(
    machine: Machine, state: State, call: Call, one: Interpreter, sorted_: Parsed
) -> tuple[list[Value], list[Value]]:
    """The code among the arguments, and the rest of them. Scripts in files are followed at once."""
    codes = list(sorted_.values(one.inline)) if one.inline else []
    words = sorted_.arguments
    scripts = sorted_.values(one.scripts) if one.scripts else []
    for place in scripts:
        _run_file(machine, state, call, place, one.language)
    if one.language == "powershell":
        _encoded(machine, state, call)
        if not codes and words and not words[0].text.endswith(".ps1"):
            return [replace(words[0], text=" ".join(word.text for word in words))], words
    if call.name in ("deno", "bun", "crystal") and words and words[0].text == "eval":
        return words[1:2], []
    if one.first and not codes and not scripts:
        return words[:1], words[1:]
    return codes, words


def _module(machine: Machine, state: State, call: Call, modules: list[Value], words: list[Value]) -> Stream:
    """`python -m name`: the program of that name, if it is one we know, or the code that it is given."""
    name = modules[0].text if modules else ""
    if name in ("pip", "pytest", "venv", "build", "twine", "uv", "poetry", "ansible"):
        inner = replace(call, name=name, program=modules[0], args=words)
        return machine.run(inner, state)
    if name in ("http.server", "SimpleHTTPServer"):
        machine.act(call, state, Effect.LISTENS, words[0] if words else "8000", kind="host")
    elif name == "timeit":
        sorted_ = parsed(words, "-n -r -s -u --number --repeat --setup --unit", stop=True)
        for code in [*sorted_.values("-s --setup"), *sorted_.arguments]:
            read_foreign(machine, state, call, "python", code)
    elif name == "pdb":
        sorted_ = parsed(words, "-c -m --command", stop=True)
        for code in sorted_.values("-c --command"):
            read_foreign(machine, state, call, "python", replace(code, text=_debugged(code.text)))
        return _run_beneath(machine, state, call, sorted_)
    elif name in ("cProfile", "profile", "trace", "coverage"):
        sorted_ = parsed(words, "-o -s -m --outfile --sort", stop=True)
        for place in sorted_.values("-o --outfile"):
            machine.write(call, state, place, Stream(None))
        return _run_beneath(machine, state, call, sorted_)
    elif name in ("zipfile", "tarfile"):
        sorted_ = parsed(words, "")
        if sorted_.has("-e --extract"):
            for place in sorted_.arguments[1:2]:
                machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    elif name == "json.tool":
        for place in parsed(words, "--indent").arguments[1:2]:
            machine.write(call, state, place, Stream(None))
    return Stream(None, call.stdin.sources)


def _after_module(call: Call) -> list[Value]:
    """What stands after `-m name`: all of it is the module's, options too."""
    for at, text in enumerate(call.texts):
        if text[:1] == "-" != text[1:2] and "m" in text and not text.startswith(("-W", "-X")):
            return call.args[at + 1 if text[-1] != "m" else at + 2 :]
    return []


def _run_beneath(machine: Machine, state: State, call: Call, sorted_: Parsed) -> Stream:
    """A script, or a module, that another module runs."""
    inner = sorted_.values("-m")
    if inner and inner[0].text not in _BENEATH:
        return _module(machine, state, call, inner, sorted_.arguments)
    if sorted_.arguments:
        return _run_file(machine, state, call, sorted_.arguments[0], "python", sorted_.arguments[1:])
    return Stream(None)


_BENEATH: Final = frozenset("pdb cProfile profile trace coverage".split())
"""Modules that run another one; they are not followed through each other."""


def _debugged(command: str) -> str:
    """A command of the debugger as the code it runs: what it prints or what stands after `!`."""
    verb, _, rest = command.strip().partition(" ")
    if verb.startswith("!"):
        return command.strip()[1:]
    return rest if verb in ("p", "pp", "interact", "display", "exec") else command


def _encoded(machine: Machine, state: State, call: Call) -> None:
    """PowerShell takes code in base64, with the option abbreviated in any way."""
    for value in call.args:
        text = value.text.lower()
        if (len(text) > 1 and text[0] in "-/" and "encodedcommand".startswith(text[1:])) or text == "-ec":
            machine.act(call, state, Effect.EXECUTES, value, sources=frozenset({Source.DECODED}))


def read_foreign(
    machine: Machine, state: State, call: Call, language: str, code: Value, words: list[Value] | None = None
) -> None:
    """Note what code of another language would do, with the words that it is given if they are known."""
    machine.spend(150 + len(code.text) // 2)
    before = len(machine.loose)
    if language == "python":
        from guardhouse.detect.python import read_python  # only where there is Python to read

        acts = read_python(code.text, None if words is None else [word.text for word in words])
    elif language == "sql":
        from guardhouse.detect.sql import read_sql  # only where there is SQL to read

        acts = read_sql(code.text, call.name)
    else:
        from guardhouse.detect.inline import read_code  # only where there is such code

        acts = read_code(language, code.text.replace(UNKNOWN, "_"))
    adopt(machine, state, call, code, acts)
    if starts_agent(code.text):
        machine.act(call, state, Effect.EXECUTES, call.program, kind="guard", what="an agent without its gate")
    if types_keys(code.text):
        machine.act(call, state, Effect.ESCALATES, call.program, what="it would type into a terminal")
    ends = machine.loose[before:]
    if language in _HALF_READ or call.name in _OWN_LIBRARIES:
        ends = [*ends, (Effect.DELETES, False)]
    if ends:
        from guardhouse.detect.shell.programs.loose_ends import tie  # hardly ever needed

        tie(machine, state, call, code, ends)


_HALF_READ: Final = frozenset("other haskell ocaml lisp guile scheme clojure c java groovy octave gnuplot m4".split())
"""Languages of which only a few names are known: what else they do to a file that they name can't be told."""
_OWN_LIBRARIES: Final = frozenset(["qjs", "d8", "jjs"])
"""Interpreters of a known language with other names for files."""


def adopt(machine: Machine, state: State, call: Call, code: Value, acts: tuple[Act, ...]) -> None:
    """Take over what the reader of another language saw; commands that it would run are followed."""
    for act in acts:
        if act.effect is Effect.EXECUTES and act.kind == "shell" and act.target != UNKNOWN:
            if act.sources:
                machine.act(call, state, Effect.EXECUTES, code, sources=act.sources)
            before = call.wrapped
            machine.enter_wrapped(act.target, state.copy(), code, before or call.name)
        elif act.kind == "path" and act.effect is not Effect.EXECUTES:
            place = replace(code, text=_expanded(act.target, machine.home))
            if act.effect in (Effect.WRITES, Effect.OVERWRITES) and not act.recursive:
                machine.write(call, state, place, Stream(None, act.sources), append=act.effect is Effect.WRITES)
                continue
            machine.on_path(call, state, act.effect, place, recursive=act.recursive, sources=act.sources)
        else:
            machine.act(
                call,
                state,
                act.effect,
                replace(code, text=act.target),
                kind=act.kind,
                sources=act.sources,
                what=act.what,
                instead=act.instead,
                certainty=act.certainty,
                recursive=act.recursive,
                scope=act.scope if act.scope is not Scope.LOCAL else state.scope,
            )


def _expanded(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path
