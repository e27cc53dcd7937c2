"""What can be told of any program by what it is given: code in options, verbs, files, addresses, shells.

Here is no program of its own; the tables say which options run code and which verbs matter. Texts that are only said,
searched for or committed are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.shell.programs.files import BY_NAME as FILES
from guardhouse.detect.shell.programs.files import COMPILERS
from guardhouse.detect.shell.programs.interpreters import FROM_OUTSIDE, SHELLS, interpreter, read_foreign
from guardhouse.detect.shell.programs.launchers import ENVIRONMENT, STDIN, VARIABLES, find_code
from guardhouse.detect.shell.programs.network import NETWORK
from guardhouse.detect.shell.programs.onlookers import may_change
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.programs.verbs import find_verbs, has_verbs, scope_of
from guardhouse.detect.shell.programs.wrappers import run_inner
from guardhouse.detect.shell.values import SILENT, Stream, Value
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.programs.launchers import Code
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

TALKERS: Final = frozenset(
    "echo printf grep egrep fgrep rg ag ack git gh glab man info tldr which type whereis command alias test [ [[ ls"
    " stat file export declare local set cat head tail less more diff cmp wc sort uniq cut tr jq yq sed awk gawk column"
    " read true false : comm fold fmt logger notify-send say cowsay figlet expr seq basename dirname realpath readlink"
    " hg svn jj llm ollama claude codex gemini aider".split()
)
"""Programs whose arguments are names and texts: what they say is not done."""
_NAMERS: Final = frozenset(
    "ls stat file test [ chmod chown chgrp touch mkdir rmdir echo printf which type ssh ssh-add ssh-keygen scp sftp rm"
    " unlink shred basename dirname realpath readlink find du tree source . git export declare set".split()
)
"""Programs that are given the names of files without showing what is in them."""
_SHELL_PATHS: Final = tuple(
    f"{place}/{name}" for place in ("/bin", "/usr/bin", "/usr/local/bin") for name in sorted(SHELLS)
)
_ENDS: Final = frozenset(" \t\n;|&)'\"`,<>}]#:")


def look_at_code(machine: Machine, state: State, call: Call) -> bool:
    """Code in arguments or the environment that the program would run; whether there is any."""
    machine.spend(16 + 4 * len(call.args))
    held = state.variables.values
    environment = {name: held[name][0].text for name in held if name in VARIABLES}
    environment.update((name, value.text) for name, value in call.environment.items())
    for name in environment:
        if name.startswith("GUARDHOUSE_"):
            machine.act(call, state, Effect.EXECUTES, call.program, kind="guard", what="a setting of the guard's")
        elif name.startswith("BASH_FUNC_"):
            machine.act(call, state, Effect.EXECUTES, call.program, kind="program", what="a function in a variable")
    found = False
    for code in find_code(call.name, [call.name, *call.texts], environment):
        found = True
        value = call.args[code.index - 1] if 0 < code.index <= len(call.args) else call.program
        value = replace(value, text=code.text)
        if code.index == ENVIRONMENT:
            value = replace(value, sources=_set_by(state, call, code.text))
        if code.index != STDIN:
            _run_code(machine, state, call, code, value)
        elif call.stdin.text is not None and not call.waits:
            _run_code(machine, state, call, code, replace(value, text=call.stdin.text, sources=call.stdin.sources))
        elif call.stdin.sources & FROM_OUTSIDE:
            machine.act(call, state, Effect.EXECUTES, value, sources=call.stdin.sources & FROM_OUTSIDE)
    return found


def _set_by(state: State, call: Call, text: str) -> frozenset[Source]:
    """Where a variable's value comes from that is run."""
    held = [value for values in state.variables.values.values() for value in values]
    return frozenset().union(*(value.sources for value in (*held, *call.environment.values()) if value.text == text))


def _run_code(machine: Machine, state: State, call: Call, code: Code, value: Value) -> None:
    """Follow one piece of code, in its language."""
    by = call.wrapped or call.name
    inner = state.copy()
    if code.index == ENVIRONMENT:
        # What is run by way of a variable is not run by way of it again.
        for name in VARIABLES & inner.variables.values.keys():
            del inner.variables.values[name]
    if code.code == "shell":
        if value.sources & FROM_OUTSIDE:
            machine.act(call, state, Effect.EXECUTES, value, sources=value.sources)
        machine.enter_wrapped(value.text, inner, value, by)
        _look_at_hidden(machine, state, call, value)
    elif code.code not in ("argv", "program"):
        read_foreign(machine, state, call, "lisp" if call.name.startswith("emacs") else code.code, value)
    else:
        if " " in value.text:
            machine.enter_wrapped(value.text, inner, value, by)
        if code.index >= 0:
            words = [value, *(replace(value, text=text) for text in code.rest)]
            run_inner(machine, state, replace(call, environment={}), words)
        if code.index < 0 or (code.code == "program" and "/" in value.text):
            machine.act(call, state, Effect.EXECUTES, value, kind="program", what=f"by way of {call.name}")


def _look_at_hidden(machine: Machine, state: State, call: Call, value: Value) -> None:
    """A script that an option or a variable makes a program run."""
    program = value.text.split()[0] if value.text.split() else ""
    path = state.path(program)
    known = path.startswith((f"{state.cwd.rstrip('/')}/", "/bin/", "/usr/", "/opt/"))
    if "/" in program and not known:
        machine.act(call, state, Effect.EXECUTES, value, kind="program", what=f"by way of {call.name}")


def look_at_verbs(machine: Machine, state: State, call: Call) -> None:
    """Verbs of tools that take something away or reach far."""
    if not has_verbs(call.name):
        return
    machine.spend(50 + 6 * len(call.args))
    for verb in find_verbs(call.name, call.texts):
        scope = scope_of(call.name)
        machine.act(
            call,
            state,
            verb.effect,
            replace(call.program, text=f"{call.name} {verb.verb}".replace(" **", "")),
            kind="thing",
            what=verb.what,
            instead=verb.instead,
            scope=scope if scope.value != "local" else state.scope,
        )


def look_at_arguments(machine: Machine, state: State, call: Call, *, explained: bool) -> None:
    """What any program may do with what it is given."""
    talks = call.name in TALKERS
    names = call.name in _NAMERS or (call.name in ("sed", "gsed") and any(text[:2] == "-i" for text in call.texts))
    told = call.name in FILES and call.name not in COMPILERS
    pattern = _pattern(call)
    codes = interpreter(call.name) is not None
    if "/" in call.program.text:
        _name(machine, state, call, call.program)
    unknown = not (talks or told or names or codes or call.name in NETWORK)
    if unknown and call.program.text not in state.functions:
        _look_for_commands(machine, state, call)
        _look_into_code(machine, state, call)
    others = talks or told or call.name in NETWORK
    written = _outputs(machine, state, call, _PLAIN_OUTPUTS if others else _OUTPUT_OPTIONS)
    for value in call.args:
        text = value.text
        if not text or value is pattern or value in written or (codes and not _CODE_MARKS.isdisjoint(text)):
            continue
        path = _path_in(text, machine.home)
        if names or told:
            if path:
                _name(machine, state, call, replace(value, text=path))
            continue
        if not talks and not explained and "sh" in text and _names_shell(text) and call.name not in _SHELL_USERS:
            machine.act(
                call, state, Effect.SPAWNS_SHELL, value, what=f"by way of {call.name}", certainty=Confidence.MEDIUM
            )
        if "://" in text:
            if not talks and call.name not in NETWORK and " " not in text and "\n" not in text:
                look_at_url(machine, state, call, value)
        elif path and Source.DYNAMIC not in value.sources:
            vague = not talks and call.name not in NETWORK and may_change(machine, call, value, explained=explained)
            given = replace(value, text=path)
            machine.on_path(call, state, Effect.READS, given, recursive=call.name in _DEEP, vague=vague)
            held = state.held(path)
            if held is not None and held.text and not talks:
                _look_at_written(machine, state, call, value, held.text)


def _look_for_commands(machine: Machine, state: State, call: Call) -> None:
    """A command that takes something away, among the words of a program that nobody knows to run one: it may."""
    for place, value in enumerate(call.args):
        text = value.text
        name = text.rpartition("/")[2]
        after = call.args[place + 1].text if place + 1 < len(call.args) else ""
        if (name in _DESTROYERS and after) or (name in SHELLS and after[:1] == "-" and "c" in after):
            run_inner(machine, state, replace(call, stdin=SILENT, waits=True), call.args[place:])
            return
        first, blank, _rest = text.lstrip("|! ").partition(" ")
        if blank and first.rpartition("/")[2] in _DESTROYERS:
            machine.enter_wrapped(text.lstrip("|! "), state.copy(), value, call.name)


def _look_into_code(machine: Machine, state: State, call: Call) -> None:
    """Code of a language that nobody reads here: what it names it may change."""
    for place, value in enumerate(call.args):
        if value.text[:2] not in _DASHES:
            continue
        name, glued, text = value.text.partition(":" if value.text.startswith("--eval:") else "=")
        if name not in _EVALUATING:
            continue
        code = replace(value, text=text) if glued else call.args[place + 1] if place + 1 < len(call.args) else None
        if code is not None and not _CODE_MARKS.isdisjoint(code.text):
            from guardhouse.detect.shell.programs.loose_ends import tie  # hardly ever needed

            tie(machine, state, call, code, [(Effect.DELETES, False)])


_DASHES: Final = frozenset(["-e", "-E", "--"])
_EVALUATING: Final = frozenset("-e --eval --evaluate -E --expr --expression --execute".split())
_DESTROYERS: Final = frozenset("rm shred unlink dd mkfs wipefs srm blkdiscard".split())


def _outputs(machine: Machine, state: State, call: Call, options: frozenset[str]) -> list[Value]:
    """Files that an option names which is for output wherever it is known."""
    found = []
    for place, value in enumerate(call.args):
        if value.text[:1] != "-" or len(value.text) < 2:
            continue
        name, equals, text = value.text.partition("=")
        reports = name[:2] == "--" and name.endswith(_REPORTS)
        if name in options or reports or (equals and name[:2] == "--" and name.endswith(_OUTPUT_ENDINGS)):
            after = call.args[place + 1] if place + 1 < len(call.args) else None
            target = replace(value, text=text) if equals else after
        elif name[:2] == "-o" and "-o" in options and ("/" in name or "~" in name) and name[2:3] not in ("-", ""):
            target = replace(value, text=value.text[2:])
        else:
            continue
        if target is None or not _path_in(target.text, machine.home) or target.text.startswith("-"):
            continue
        found += [value, target]
        inner = replace(target, text=_path_in(target.text, machine.home))
        if reports:
            machine.on_path(call, state, Effect.WRITES, inner, recursive=True, vague=True)
        else:
            machine.write(call, state, inner, Stream(None))
            state.files.pop(state.path(target.text), None)
    return found


_OUTPUT_OPTIONS: Final = frozenset(
    "-o -out --out --output --output-file --outfile --outFile --output-dir --outDir --outdir --output-directory -MF"
    " --output-path --dest --destination --export --save --save-to --write-to --logfile --log-file --dump-file".split()
)
_PLAIN_OUTPUTS: Final = frozenset("-out --out --output --output-file --outfile --output-dir --output-directory".split())
"""Those that mean the same even to programs which have other meanings for the rest."""
_OUTPUT_ENDINGS: Final = ("output", "-out", "outfile", "output-file", "outdir", "output-dir")
_REPORTS: Final = (
    *("junitxml", "junit-xml", "-report", "report-file", "report-log", "target-dir", "artifact-dir"),
    *("-xml-file", "-json-file"),
)
"""How options end that say where a report or what was built goes: anywhere, as far as that is nobody's concern."""


def _path_in(text: str, home: str) -> str:
    """The path in an argument: as it is, after `name=`, `@`, or glued to an option; empty if there is none."""
    if text[:1] == "-":
        first = min((at for mark in ("/", "~") if (at := text.find(mark)) >= 0), default=-1)
        text = text.partition("=")[2] if "=" in text else text[first:] if first >= 2 else ""
    elif "=" in text and text.partition("=")[2][:1] in ("/", "~", "@"):
        text = text.partition("=")[2]
    text = text.lstrip("@")
    if not ("/" in text or "." in text or text[:1] == "~"):
        return ""
    return home + text[1:] if text == "~" or text.startswith("~/") else text


def _name(machine: Machine, state: State, call: Call, value: Value) -> None:
    """A file is named, whatever is done to it."""
    for path in state.paths(value.text):
        machine.act(call, state, Effect.READS, replace(value, text=path), kind="name")


def _pattern(call: Call) -> Value | None:
    """The argument that is a pattern or code and no file, of programs that look through files."""
    if call.name not in _SEARCHING or any(
        text in ("-e", "-f", "--regexp", "--file", "--expression") for text in call.texts
    ):
        return None
    return next(
        iter(parsed(call.args, "-A -B -C -m -g -t -T --type --glob --include --exclude -d -F -v -l").arguments), None
    )


_CODE_MARKS: Final = frozenset(" \n();{}'\"")
"""What is in code and hardly ever in the name of a file."""
_SEARCHING: Final = frozenset("grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk jq yq git".split())


def _look_at_written(machine: Machine, state: State, call: Call, value: Value, text: str) -> None:
    """A file that this command wrote is given to a program: code in it may be run."""
    language = _LANGUAGES.get(value.text.rpartition(".")[2])
    if language is not None and call.name not in _LOOKING:
        read_foreign(machine, state, call, language, replace(value, text=text))
    elif _names_shell(text) and call.name not in _SHELL_USERS:
        machine.act(call, state, Effect.SPAWNS_SHELL, value, what=f"by way of {call.name}", certainty=Confidence.MEDIUM)


_LANGUAGES: Final = {
    **dict.fromkeys(("c", "cc", "cpp", "rs"), "c"),
    **dict.fromkeys(("js", "mjs", "cjs", "ts"), "node"),
    **dict.fromkeys(("java", "kt"), "java"),
    **dict.fromkeys(("rb", "cr"), "ruby"),
    **dict.fromkeys(("r", "R"), "R"),
    **{ending: ending for ending in ("go", "groovy", "lua", "php", "sql", "tcl")},
    "hs": "haskell",
    "jl": "julia",
    "pl": "perl",
    "ps1": "powershell",
    "py": "python",
}
_LOOKING: Final = frozenset("ls stat file wc git prettier eslint tsc black ruff gofmt rustfmt mypy diff cmp".split())
_DEEP: Final = frozenset("zip 7z tar rsync rclone restic borg duplicity".split())
_SHELL_USERS: Final = frozenset(
    "docker podman kubectl oc nerdctl chsh useradd usermod adduser ssh ln cp mv rm install tee touch chmod dd strings"
    " readelf objdump ldd nm file cc gcc clang sha256sum md5sum sha1sum dpkg rpm apt brew python ruby perl node php lua"
    " sh bash zsh dash ksh vim vi nano emacs code shellcheck shfmt find fd locate nix nix-shell tar zip rsync"
    " scp".split()
)
"""Programs that are given the path of a shell for reasons of their own, or whose code is read by itself."""


def _names_shell(text: str) -> bool:
    """Whether a shell is named by its path in a text, as a word of its own."""
    for path in _SHELL_PATHS:
        at = text.find(path)
        if at >= 0 and (at + len(path) == len(text) or text[at + len(path)] in _ENDS) and text[at - 1 : at] != "!":
            return True
    return False


def look_at_url(machine: Machine, state: State, call: Call, value: Value) -> None:
    """An address among the arguments is reached."""
    at = value.text.find("://")
    begin = max(value.text.rfind(mark, 0, at) for mark in "=@(<>|;&,'\" +") + 1
    url = replace(value, text=value.text[begin:])
    if url.text.startswith("file://"):
        machine.on_path(call, state, Effect.READS, replace(url, text=url.text[7:]))
    elif url.text[: url.text.find("://")].lower() in _REACHING:
        machine.act(call, state, Effect.CONNECTS, url, kind="url")


_REACHING: Final = frozenset(
    "http https ftp ftps ssh git git+https git+ssh ws wss sftp s3 gs rsync telnet tcp udp ldap ldaps smb redis rediss"
    " postgres postgresql mysql mongodb mongodb+srv amqp mqtt gopher dict tftp rest".split()
)
