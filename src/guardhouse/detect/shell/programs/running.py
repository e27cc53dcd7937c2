"""One program with its words: the one way that every program takes through the tables.

A program in no table is no risk by that; what it is given is looked at in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.shell.programs.builtins import BUILTINS
from guardhouse.detect.shell.programs.files import BY_NAME as FILES
from guardhouse.detect.shell.programs.files import COMPILERS, SPECIAL, run_files
from guardhouse.detect.shell.programs.filters import FILTERS, listing
from guardhouse.detect.shell.programs.interpreters import (
    SHELLS,
    interpreter,
    read_foreign,
    run_interpreter,
    run_script,
    run_shell,
)
from guardhouse.detect.shell.programs.launchers import prefixed
from guardhouse.detect.shell.programs.looking import look_at_arguments, look_at_code, look_at_verbs
from guardhouse.detect.shell.programs.network import NETWORK
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.programs.projects import run_project
from guardhouse.detect.shell.programs.typists import BY_NAME as TYPISTS
from guardhouse.detect.shell.programs.typists import look_at_keys
from guardhouse.detect.shell.programs.verbs import has_verbs
from guardhouse.detect.shell.programs.wrappers import (
    is_wrapper,
    run_env,
    run_inner,
    run_parallel,
    run_su,
    run_wrapper,
    run_xargs,
)
from guardhouse.detect.shell.values import DYNAMIC, NOTHING, Stream
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.acts import Source
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_EXACT: Final = frozenset(["R", "Rscript", "GET", "POST", "VBoxManage", "X", "Xvfb", "Remove-Item"])
"""Programs with capitals in their names."""
_PREFIXING: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    "env": run_env,
    "genv": run_env,
    "su": run_su,
    "runuser": run_su,
    "xargs": run_xargs,
    "gxargs": run_xargs,
    "parallel": run_parallel,
}
_EVALUATED: Final = {
    "ssh-agent": ("-s", "-c", "-k"),
    "direnv": ("export", "hook"),
    "opam": ("env", "config"),
    "brew": ("shellenv",),
    "conda": ("shell.bash", "shell.zsh", "shell.posix"),
    "minikube": ("docker-env", "podman-env"),
    "docker-machine": ("env",),
    "kubectl": ("completion",),
    "gh": ("completion",),
    "helm": ("completion",),
    **dict.fromkeys(
        ("pyenv", "rbenv", "nodenv", "jenv", "goenv", "starship", "zoxide", "thefuck", "atuin"),
        ("init", "--alias", "virtualenv-init"),
    ),
    **dict.fromkeys(("fnm", "mise", "rtx", "asdf", "luarocks"), ("env", "activate", "path", "hook-env")),
    "dircolors": ("-b", "-c", "--sh"),
    "fzf": ("--bash", "--zsh"),
    "pip": ("completion",),
    "micromamba": ("shell",),
}
"""Programs whose output is made to be evaluated: it sets variables and nothing else."""
_EVALUATED_BARE: Final = frozenset("ssh-agent dircolors dbus-launch keychain lesspipe lesspipe.sh".split())
"""The same, without any argument."""
_MULTI: Final = frozenset(["busybox", "toybox"])


def run_program(machine: Machine, state: State, call: Call) -> Stream:
    """Follow a program; gives what it would print."""
    if call.name not in _EXACT and not call.name.islower():
        # Some file systems do not tell cases apart, and Windows hides an ending.
        call = replace(call, name=call.name.lower())
    if call.name.endswith(".exe"):
        call = replace(call, name=call.name[:-4])
    name = call.name
    if call.program.pattern and name not in ("[", "[["):
        machine.act(
            call,
            state,
            Effect.UNANALYSABLE,
            call.program,
            what="the program is named by a pattern",
        )
        return Stream(None)
    if not name and "/" in call.program.text:
        call = replace(call, name=call.program.text.rpartition("/")[2])
        name = call.name
    if UNKNOWN in name or not name:
        return _run_unknown(machine, state, call)
    typist = TYPISTS.get(name)
    if typist is not None:
        look_at_keys(machine, state, call, typist)
    if len(call.args) == 1 and call.args[0].text in ("--help", "--version") and "/" not in call.program.text:
        look_at_code(machine, state, call)
        return Stream(None)
    if name.startswith(("ld-linux", "ld-musl", "ld.so")) and call.args:
        return run_inner(
            machine, state, call, parsed(call.args, "--library-path --preload", stop=True).arguments or call.args
        )
    if _is_evaluated(call):
        look_at_arguments(machine, state, call, explained=False)
        return Stream("")
    if name in _MULTI and call.args:
        return run_inner(machine, state, call, call.args)
    prefix = _PREFIXING.get(name)
    if prefix is not None:
        look_at_code(machine, state, call)
        return prefix(machine, state, call)
    if is_wrapper(name):
        look_at_code(machine, state, call)
        look_at_arguments(machine, state, call, explained=True)
        return run_wrapper(machine, state, call)
    out = _run_known(machine, state, call)
    inner = prefixed(name, [name, *call.texts])
    if inner is not None and inner <= len(call.args):
        out = run_inner(machine, state, call, call.args[inner - 1 :])
    found = look_at_code(machine, state, call)
    look_at_verbs(machine, state, call)
    look_at_arguments(machine, state, call, explained=found or inner is not None)
    return out


def _is_evaluated(call: Call) -> bool:
    """Whether what a program prints is made to be evaluated."""
    if "/" in call.program.text or len(call.args) > 3:
        return False
    if not call.args:
        return call.name in _EVALUATED_BARE
    return call.texts[0] in _EVALUATED.get(call.name, ()) and (call.name != "ssh-agent" or len(call.args) == 1)


def matters(word: str) -> bool:
    """Whether a word names a program that can do harm by itself."""
    name = word.rpartition("/")[2].lower()
    return (
        name in SHELLS
        or name in FILES
        or name in NETWORK
        or name in SPECIAL
        or name in _PREFIXING
        or is_wrapper(name)
        or interpreter(name) is not None
        or (len(name) > 2 and has_verbs(name))
        or name in ("eval", "source", "exec", "guardhouse")
    )


def _run_unknown(machine: Machine, state: State, call: Call) -> Stream:
    """A program whose name only the run would show."""
    if call.program.sources:
        machine.act(call, state, Effect.EXECUTES, call.program, sources=call.program.sources | DYNAMIC)
    else:
        # A variable of the environment.
        machine.act(call, state, Effect.EXECUTES, call.program, sources=DYNAMIC, certainty=Confidence.LOW)
    return Stream(None, call.stdin.sources)


def _run_known(machine: Machine, state: State, call: Call) -> Stream:
    name = call.name
    if name in SHELLS:
        return run_shell(machine, state, call)
    one = interpreter(name)
    if one is not None:
        if one.language == "node":
            run_project(machine, state, call)
        return run_interpreter(machine, state, call, one)
    special = SPECIAL.get(name) or NETWORK.get(name)
    out = special(machine, state, call) if special is not None else None
    files = FILES.get(name) or (FILES.get("mkfs") if name.startswith("mkfs.") else None)
    if files is not None:
        run_files(machine, state, call, files)
    builtin = BUILTINS.get(name) or FILTERS.get(name)
    if builtin is not None:
        shown = builtin(machine, state, call)
        out = shown if out is None else out
    if out is None and ("/" in call.program.text or call.program.text in state.files):
        out = run_script(machine, state, call)
    if name in ("git", "rg", "grep", "egrep", "ag", "ack"):
        out = listing(machine, state, call) or out
    if name == "git" and call.texts[:1] == ["rev-parse"]:
        out = Stream(f"{state.cwd}\n" if "--show-toplevel" in call.texts else "0\n")
    language = _READS_CODE.get(name)
    if language is not None and call.stdin.text and not call.waits:
        read_foreign(machine, state, call, language, replace(call.program, text=call.stdin.text))
    run_project(machine, state, call)
    return out if out is not None else Stream(None, _given(state, call))


_READS_CODE: Final = {
    **dict.fromkeys("psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse-client sqlplus cockroach".split(), "sql"),
    **dict.fromkeys(COMPILERS, "c"),
    **dict.fromkeys(("ed", "red"), "ed"),
}
"""Programs that are no interpreters and yet take code from what comes in."""


def _given(state: State, call: Call) -> frozenset[Source]:
    """Where the output of a program comes from that reads what it is given."""
    sources = call.stdin.sources if not call.waits else NOTHING
    for value in call.args:
        held = state.files.get(state.path(value.text)) if value.text[:1] != "-" else None
        if held is not None:
            sources |= held.sources
    return sources
