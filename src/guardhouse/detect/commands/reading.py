"""From the parts of a call to acts: which of its strings are commands or code, in which language, and where they run.

A part of a call that nobody knows is not guessed at: then it can't be told what the call would do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.acts import Act
from guardhouse.detect.paths import tidy, working_directory
from guardhouse.detect.paths.places import absolute
from guardhouse.model import Effect, ToolCallPre

if TYPE_CHECKING:
    from guardhouse.detect.interface import Leaf, Scene

PLACE_KEYS: Final = frozenset(["cwd", "workdir", "working_directory", "dir_path", "directory", "workspace_root"])
NOT_CODE_KEYS: Final = frozenset(
    "description explanation reason timeout justification session_id sandbox_permissions prefix_rule language".split()
)
"""What stands beside a command in the calls of well-known agents, and is not run."""
CODE_KEYS: Final = frozenset(
    "command commands cmd cmdline command_line shell_command script code args argv arguments input program exec".split()
)
"""Where a tool takes what it would run."""
SHELLS: Final = frozenset("bash sh zsh fish dash pwsh powershell cmd /bin/bash /bin/sh /bin/zsh /usr/bin/bash".split())

_PYTHON: Final = frozenset("code_interpreter execute_python ipython python python_exec run_python".split())
_ANY_LANGUAGE: Final = frozenset(["execute_code", "run_code"])
_BY_TOOL: Final = {"powershell": "powershell", "pwsh": "powershell"}
_SHELL_LANGUAGES: Final = frozenset("bash sh shell zsh ksh dash".split())


class Seen(NamedTuple):
    """What was made out of one command."""

    leaf: Leaf | None
    acts: tuple[Act, ...]
    text: str = ""
    """The command itself."""
    lines: tuple[str, ...] = ()
    """The commands that would be run, in plain words."""


def read_commands(scene: Scene, leaves: list[Leaf]) -> list[Seen]:
    """The acts of every command of a call. A program and its arguments may come as a list, one string each."""
    environment = _environment(scene)
    code = [leaf for leaf in leaves if leaf.key in CODE_KEYS and leaf.text.strip()]
    unknown = [leaf for leaf in leaves if leaf.key not in CODE_KEYS and not _in_environment(leaf)]
    seen = [Seen(leaf, (_unread("a part of the call that is not known"),)) for leaf in unknown[:1]]
    if not code:
        seen.append(Seen(None, (_unread("no command is named"),)))
    reader = _Reader(scene, environment)
    lists: dict[tuple[int, ...], list[Leaf]] = {}
    for leaf in code:
        if leaf.steps[-1] >= 0:
            lists.setdefault(leaf.steps[:-1], []).append(leaf)
        else:
            seen.append(reader.read(leaf, leaf.text))
    if lists and len(code) > sum(map(len, lists.values())):
        # A program and the list of its arguments may stand under two keys.
        seen.append(reader.read(code[0], " ".join(_quoted(leaf.text) for leaf in code)))
    for words in lists.values():
        line = " ".join(_quoted(leaf.text) for leaf in words)
        seen.append(reader.read(words[0], line))
    return seen


def _in_environment(leaf: Leaf) -> bool:
    return leaf.field.startswith(("params.env.", "params.environment."))


def _environment(scene: Scene) -> dict[str, str]:
    """What is set for the command alone."""
    params = scene.action.params if isinstance(scene.action, ToolCallPre) else {}
    given = params.get("env") or params.get("environment")
    if not isinstance(given, dict):
        return {}
    return {name: value for name, value in given.items() if isinstance(value, str)}


def _unread(what: str) -> Act:
    return Act(effect=Effect.UNANALYSABLE, what=what)


class _Reader:
    """Reads commands the way the tool of a call would run them."""

    def __init__(self, scene: Scene, environment: dict[str, str]) -> None:
        homes = scene.settings.surroundings.homes
        self._home = homes[0] if homes else "/root"
        self._cwd = _directory(scene, self._home)
        self._temp = next(iter(scene.settings.surroundings.temp), "/tmp")  # noqa: S108 - what it usually is
        self._environment = environment
        self._languages = _languages(scene)

    def read(self, leaf: Leaf, text: str) -> Seen:
        """What a text would do, in each language it may be in."""
        from guardhouse.detect.shell import follow, follow_code  # the tables are large, and most calls run nothing

        acts: dict[Act, None] = {}
        lines: list[str] = []
        for language in self._languages:
            if language == "shell":
                machine = follow(text, home=self._home, cwd=self._cwd, temp=self._temp, environment=self._environment)
            else:
                machine = follow_code(language, text, home=self._home, cwd=self._cwd)
                # Code of other languages is not told apart from what it says.
                lines.append(text)
            acts.update(dict.fromkeys(machine.acts))
            lines += machine.lines
        known = acts if len(self._languages) == 1 else [act for act in acts if act.effect is not Effect.UNANALYSABLE]
        return Seen(leaf, tuple(known), text, tuple(lines))


def _languages(scene: Scene) -> tuple[str, ...]:
    name = scene.tool.name if scene.tool else ""
    if name in _PYTHON:
        return ("python",)
    if name in _ANY_LANGUAGE:
        given = scene.action.params.get("language") if isinstance(scene.action, ToolCallPre) else None
        if not isinstance(given, str):
            return ("python", "shell")
        return ("shell",) if given.lower() in _SHELL_LANGUAGES else (given.lower()[:32],)
    return (_BY_TOOL.get(name, "shell"),)


def _directory(scene: Scene, home: str) -> str:
    cwd = working_directory(scene)
    for leaf in scene.leaves:
        if leaf.key in PLACE_KEYS and not leaf.is_key:
            return tidy(absolute(leaf.text, cwd, home))
    return tidy(cwd)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
