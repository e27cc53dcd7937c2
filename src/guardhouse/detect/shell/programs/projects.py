"""Programs that run what lies in a directory: build tools, package managers, agents.

What a project holds already is its own affair. What counts is code that the same command put there, or fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.shell.programs.interpreters import read_foreign
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_AGENTS: Final = frozenset(
    "claude codex gemini cursor-agent copilot goose hermes aider opencode amp qwen droid q kiro-cli crush openhands"
    " interpreter".split()
)
_PACKAGES: Final = {
    "@anthropic-ai/claude-code": "claude",
    "@anthropic-ai/claude-agent-sdk": "claude",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@qwen-code/qwen-code": "qwen",
    "@github/copilot": "copilot",
    "hermes-agent": "hermes",
    "opencode-ai": "opencode",
    "aider-chat": "aider",
    "aider": "aider",
    "open-interpreter": "interpreter",
    "openhands-ai": "openhands",
    "@charmland/crush": "crush",
    "@sourcegraph/amp": "amp",
}
"""The packages that agents come in: a runner of packages, or an interpreter, may start one by it."""
_STARTERS: Final = frozenset("npx bunx pnpx pnpm yarn bun npm node deno tsx uvx uv pipx".split())
_UNGUARDED: Final = frozenset(
    "--dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust"
    " --allow-dangerously-skip-permissions --no-hooks --bare --settings --setting-sources --mcp-config --plugin-dir"
    " --yolo --full-auto --safe-mode --skip-permissions-unsafe --trust-all-tools --allow-all-tools --allow-all-paths"
    " --allow-all --yes-always --dangerously-allow-all --auto-run --auto_run --ignore-user-config"
    " --config-dir --accept-hooks".split()
)
"""Options with which an agent asks nobody, or reads other settings than those that name its gate."""
_SHORT: Final = {"gemini": ("-y",), "qwen": ("-y",), "cursor-agent": ("-f", "--force"), "interpreter": ("-y",)}
"""The same of single agents."""
_SETTING: Final = frozenset("config mcp plugin plugins hooks settings features".split())
"""Verbs of agents that change their settings, with what follows them."""
_LOOKS: Final = frozenset("list ls get show status help --help -h".split())
_WHOSE: Final = frozenset(
    "HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME CLAUDE_CONFIG_DIR CODEX_HOME CLAUDE_CODE_SAFE_MODE"
    " CLAUDE_CODE_SIMPLE CLAUDE_CODE_SHELL_PREFIX GEMINI_CLI_SYSTEM_SETTINGS_PATH GEMINI_CLI_HOME COPILOT_HOME"
    " COPILOT_ALLOW_ALL HERMES_HOME HERMES_SAFE_MODE HERMES_ACCEPT_HOOKS".split()
)
"""Variables that say where an agent's settings are, and the guard's, or with which an agent reads none."""


def run_project(machine: Machine, state: State, call: Call) -> None:
    """Follow what a program of this kind would run or reach."""
    if call.name == "git":
        from guardhouse.detect.shell.programs.git import run_git  # a large table

        run_git(machine, state, call)
    else:
        agent = _agent(call)
        if agent is not None and _is_unguarded(agent, _variables(state, agent)):
            machine.act(call, state, Effect.EXECUTES, call.program, kind="guard", what="an agent without its gate")
    names = _PROJECT_FILES.get(call.name)
    if names is not None:
        _run_files(machine, state, call, names)


def _agent(call: Call) -> Call | None:
    """The call of an agent that this is: by its own name, by its package, or by its script."""
    if call.name in _AGENTS:
        return call
    if call.name == "gh" and call.texts[:1] == ["copilot"]:
        return replace(call, name="copilot", args=call.args[1:])
    if call.name in _STARTERS:
        for at, value in enumerate(call.args):
            name = _in_package(value.text)
            if name:
                return replace(call, name=name, args=call.args[at + 1 :])
    name = _in_package(call.program.text)
    return replace(call, name=name) if name else None


def _in_package(text: str) -> str:
    """The agent whose package a word names, with a version or as a path into it."""
    if "/" not in text:
        return _PACKAGES.get(text.partition("@")[0], "")
    for package, name in _PACKAGES.items():
        head, found, rest = text.partition(package)
        if found and rest[:1] in ("", "@", "/") and (not head or head.endswith("/")):
            return name
    if "/claude/versions/" in text:
        return "claude"
    file = text.rpartition("/")[2]
    return "claude" if file in ("cli.js", "cli.mjs") and "claude" in text.lower() else ""


def _variables(state: State, call: Call) -> set[str]:
    """Names of variables that are set for the call, or before it in the same command."""
    return {*call.environment, *(name for name in _WHOSE if name in state.variables.values)}


def _is_unguarded(call: Call, variables: set[str]) -> bool:
    """Whether an agent is started with other settings than its user's, or is made to change them."""
    if any(text.partition("=")[0] in _UNGUARDED for text in call.texts) or not _WHOSE.isdisjoint(variables):
        return True
    if any(text in _SHORT.get(call.name, ()) for text in call.texts):
        return True
    if call.name == "codex" and any(text in ("-c", "--config", "--disable", "--enable") for text in call.texts):
        return any(word in text for text in call.texts for word in ("hooks", "features", "mcp_servers", "approval"))
    words = [text for text in call.texts if not text.startswith("-")]
    return bool(words) and words[0] in _SETTING and (len(words) < 2 or words[1] not in _LOOKS)


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
    lines = (line if line[:1] in ("\t", " ") else _after_rule(line) for line in text.split("\n"))
    return [bare for line in lines if (bare := line.strip().lstrip("@-+"))][:64]


def _after_rule(line: str) -> str:
    """The command that stands in one line with its rule: `all: ; echo done`."""
    head, colon, rest = line.partition(":")
    return rest.partition(";")[2] if colon and "=" not in head and rest[:1] != "=" else ""
