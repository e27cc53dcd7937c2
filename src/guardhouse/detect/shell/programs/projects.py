"""Programs that run what lies in a directory: build tools, package managers, agents.

What a project holds already is its own affair. What counts is code that the same command put there, or fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.shell.programs.git import run_git
from guardhouse.detect.shell.programs.interpreters import read_foreign
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_AGENTS: Final = frozenset("claude codex gemini cursor-agent copilot goose hermes aider opencode amp qwen".split())
_UNGUARDED: Final = frozenset(
    "--dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --no-hooks --bare".split()
)
"""Options with which an agent asks nobody."""


def run_project(machine: Machine, state: State, call: Call) -> None:
    """Follow what a program of this kind would run or reach."""
    if call.name == "git":
        run_git(machine, state, call)
    elif call.name in _AGENTS and any(text in _UNGUARDED for text in call.texts):
        machine.act(call, state, Effect.EXECUTES, call.program, kind="guard", what="an agent without its gate")
    names = _PROJECT_FILES.get(call.name)
    if names is not None:
        _run_files(machine, state, call, names)


_PROJECT_FILES: Final = {
    **dict.fromkeys(("make", "gmake", "bmake"), ("Makefile", "makefile", "GNUmakefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "npx"), ("package.json",)),
    **dict.fromkeys(("just",), ("justfile", "Justfile")),
    **dict.fromkeys(("cargo",), ("build.rs",)),
    **dict.fromkeys(("pip", "pip3", "uv"), ("setup.py",)),
    **dict.fromkeys(("rake",), ("Rakefile",)),
    **dict.fromkeys(("bundle",), ("Gemfile",)),
    **dict.fromkeys(("pre-commit",), (".pre-commit-config.yaml",)),
    **dict.fromkeys(("tox", "nox"), ("tox.ini", "noxfile.py")),
    **dict.fromkeys(("pytest", "py.test"), ("conftest.py",)),
    "direnv": (".envrc",),
}
"""Files in the directory that a program runs code out of."""


def _run_files(machine: Machine, state: State, call: Call, names: tuple[str, ...]) -> None:
    """Code that this command put where the program will run it."""
    below = [f"{value.text.rstrip('/')}/{name}" for value in call.args if "/" in value.text for name in names]
    places = [
        *names,
        *below,
        *(value.text for value in parsed(call.args, "-f -C --file --directory -j").values("-f --file")),
    ]
    for name in places:
        held = call.stdin if name == "-" else state.files.get(state.path(name))
        if held is None:
            continue
        if held.text is None:
            machine.act(call, state, Effect.EXECUTES, call.program, sources=held.sources | {Source.WRITTEN})
        elif name.endswith(".envrc"):
            machine.enter_wrapped(held.text, state.copy(), call.program, call.name)
        elif name.endswith((".py", "Rakefile", "Gemfile", ".rs")):
            language = "python" if name.endswith(".py") else "c" if name.endswith(".rs") else "ruby"
            read_foreign(machine, state, call, language, replace(call.program, text=held.text))
        else:
            for line in _commands_in(held.text):
                machine.enter_wrapped(line, state.copy(), call.program, call.name)


def _commands_in(text: str) -> list[str]:
    """The command lines of a Makefile or a package.json, as far as they can be told without its grammar."""
    if text.lstrip()[:1] == "{":
        pieces = text.split('"')
        return [piece for piece in pieces[1::2] if " " in piece or "/" in piece][:32]
    return [line.strip().lstrip("@-+") for line in text.split("\n") if line[:1] in ("\t", " ")][:64]
