"""The ways in to the model of the shell: a command, or code of another language, and what it would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.shell.programs import run_program
from guardhouse.detect.shell.programs.interpreters import language_of, read_foreign
from guardhouse.detect.shell.running import Machine
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream, Value

if TYPE_CHECKING:
    from collections.abc import Mapping


def follow(
    command: str,
    *,
    home: str,
    cwd: str,
    temp: str = "/tmp",  # noqa: S108 - what it usually is
    environment: Mapping[str, str] | None = None,
    stdin: Stream = SILENT,
) -> Machine:
    """Read a command line as a shell in `cwd` would; what it would do is in the machine's `acts`. What is set in the
    environment for it alone may be code, too, and so may what it is given to read."""
    machine = Machine(home, temp)
    state = State(cwd)
    state.stdin, state.waits = stdin, stdin is SILENT
    if temp != "/tmp":  # noqa: S108 - as above
        state.variables.set("TMPDIR", [Value(temp)])
    if environment:
        given = {name: Value(value) for name, value in environment.items()}
        for name, value in given.items():
            state.variables.set(name, [value])
        call = Call("true", Value("true"), [], SILENT, True, given)  # noqa: FBT003
        machine.guarded(lambda: run_program(machine, state, call))
        if not _FINDERS.isdisjoint(given):
            machine.give_up("other programs may be found than usual")
    first = command[: command.find("\n")] if command.startswith("#!") else ""
    language = language_of(first) if first else "shell"
    if language != "shell":
        machine.guarded(lambda: read_in_language(machine, state, language, command))
    machine.read_whole(command, state)
    return machine


_FINDERS: Final = frozenset("PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT BASH_ENV ENV PROMPT_COMMAND SHELL IFS".split())


def read_in_language(machine: Machine, state: State, language: str, code: str) -> None:
    """Follow a whole text in another language."""
    value = Value(code, NOTHING, False, 0, len(code))  # noqa: FBT003
    read_foreign(machine, state, Call(language, value, [], SILENT, True, {}), language, value)  # noqa: FBT003
