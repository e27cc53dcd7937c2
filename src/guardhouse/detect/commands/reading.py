"""From the parts of a call to acts: which of its strings are commands or code, in which language, and where they run.

Every string of a call is accounted for. A part that nobody knows is not guessed at: then it can't be told what the
call would do. Where a call can be read in several ways, it is read in each, and what any of them shows counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.acts import Act
from guardhouse.detect.paths import tidy, working_directory
from guardhouse.detect.paths.readings import absolute
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.interface import Leaf, Scene
    from guardhouse.detect.shell.running import Machine

PLACE_KEYS: Final = frozenset(["cwd", "workdir", "working_directory", "dir_path", "directory", "workspace_root"])
NOT_CODE_KEYS: Final = frozenset(
    "description explanation reason timeout justification session_id sandbox_permissions prefix_rule language".split()
)
"""What stands beside a command in the calls of well-known agents, and is not run."""
CODE_KEYS: Final = frozenset(
    "command commands cmd cmdline command_line shell_command script code args argv arguments input program exec".split()
)
"""Where a tool takes what it would run."""
SHELLS: Final = frozenset(
    "bash sh zsh dash ksh /bin/bash /bin/sh /bin/zsh /bin/dash /bin/ksh /usr/bin/bash /usr/bin/sh /usr/bin/zsh".split()
)
"""Shells that read a command as it is read here."""

_ENVIRONMENT_KEYS: Final = frozenset(["env", "environment"])
_ARGUMENT_KEYS: Final = frozenset(["args", "argv", "arguments"])
_PYTHON: Final = frozenset("code_interpreter execute_python ipython python python_exec run_python".split())
_ANY_LANGUAGE: Final = frozenset(["execute_code", "run_code"])
_BY_TOOL: Final = {"powershell": "powershell", "pwsh": "powershell"}
_GUESSED: Final = ("python", "shell", "node")
"""What code is read as when its language is not said."""
_FALLBACK: Final = ("python", "shell")
_WINDOWS_SHELLS: Final = {"powershell": "powershell", "pwsh": "powershell", "cmd": "cmd"}

_LANGUAGES: Final = (
    # as it is called here, as calls may call it
    ("python", "python py ipython pypy jupyter cpython micropython"),
    ("shell", "shell bash sh zsh dash ksh console terminal shellscript shell-script posix"),
    ("node", "node nodejs js javascript jsx mjs cjs ts typescript tsx deno bun ecmascript es"),
    ("powershell", "powershell pwsh ps ps1 psm1"),
    ("cmd", "cmd bat batch"),
    ("ruby", "ruby rb crystal"),
    ("sql", "sql sqlite postgres postgresql mysql"),
    ("r", "r rscript"),
    ("perl", "perl pl"),
    ("php", "php"),
    ("lua", "lua luajit"),
    ("go", "go golang"),
    ("c", "c cc cpp c++ cxx rust rs csharp c# cs swift zig d nim"),
    ("java", "java kotlin kt scala groovy"),
    ("julia", "julia jl"),
    ("elixir", "elixir ex exs"),
    ("erlang", "erlang erl"),
    ("haskell", "haskell hs"),
    ("ocaml", "ocaml ml fsharp f#"),
    ("lisp", "lisp scheme racket elisp"),
    ("clojure", "clojure clj"),
    ("octave", "octave matlab"),
    ("tcl", "tcl"),
    ("awk", "awk gawk"),
    ("applescript", "applescript osascript"),
)
_BY_NAME: Final = {name: language for language, names in _LANGUAGES for name in names.split()}

_NOT_THAT_LANGUAGE: Final = frozenset(
    [
        "it can't be read as a shell would read it",
        "part of the Python code could not be read",
        "the program is named by a pattern",
    ]
)
"""What readers say of text that is in another language than theirs."""

_MOST_PLACES: Final = 3
_MOST_READINGS: Final = 24
"""Readings of one call, each in one language and from one place."""
_LONGEST_NAME: Final = 64
_SHOWN: Final = 65_536


class Seen(msgspec.Struct, frozen=True):
    """What was made out of one command."""

    leaf: Leaf | None
    acts: tuple[Act, ...]
    text: str = ""
    """The command itself."""
    lines: tuple[str, ...] = ()
    """The commands that would be run, in plain words."""


def read_commands(scene: Scene, leaves: list[Leaf]) -> list[Seen]:
    """The acts of every command of a call. `leaves` are its strings that may be run."""
    call = _Call(scene, leaves)
    seen = [Seen(leaf, (_unread(what),), leaf.text[:_SHOWN] if leaf else "") for leaf, what in call.problems()]
    reader = _Reader(scene, call)
    for line in {(line.shell, line.code): line for line in _lines(call.code)}.values():
        if reader.left <= 0:
            seen.append(Seen(line.leaf, (_unread("more commands than can be read"),), line.shell[:_SHOWN]))
            break
        seen.append(reader.read(line))
    return seen


def _unread(what: str) -> Act:
    return Act(effect=Effect.UNANALYSABLE, what=what)


# The parts of a call.


class _Call:
    """The strings of a call, each by what it is for."""

    def __init__(self, scene: Scene, leaves: list[Leaf]) -> None:
        self._scene = scene
        self.environment: dict[str, str] = {}
        self.places: list[Leaf] = []
        self.languages: list[Leaf] = []
        self.shells: list[Leaf] = []
        self.may_be_typed_to = False
        """Whether somebody can type into what the command starts, later, where nobody looks."""
        self._unknown: list[tuple[Leaf | None, str]] = []
        may_run = {leaf.steps for leaf in leaves}
        code: dict[tuple[int, ...], list[Leaf]] = {}
        for leaf in scene.leaves:
            if not leaf.is_key and leaf.text.strip() and not self._is_known(leaf):
                if leaf.steps in may_run and leaf.key in CODE_KEYS and not _is_nested(leaf):
                    code.setdefault(leaf.steps[:1], []).append(leaf)
                else:
                    self._is_not_known(leaf)
        inputs = [top for top, group in code.items() if group[0].key == "input"]
        for top in inputs if len(code) > 1 else ():
            # What a program is given to read is known to it alone.
            self._is_not_known(code.pop(top)[0])
        self.code = sorted(code.values(), key=lambda group: group[0].key in _ARGUMENT_KEYS)
        """What would be run, by the key of the call it stands under; arguments after programs."""

    def problems(self) -> Iterator[tuple[Leaf | None, str]]:
        """What can't be told of the call, whatever its commands are."""
        yield from self._unknown[:4]
        if not self.code:
            yield None, "no command is named"

    def _is_not_known(self, leaf: Leaf) -> None:
        self._unknown.append((leaf, "a part of the call that is not known"))

    def _is_known(self, leaf: Leaf) -> bool:
        """Whether a string is something else than code; it is kept as that."""
        top = self._name(leaf, 0)
        if top in _ENVIRONMENT_KEYS:
            return self._sets(leaf)
        if _is_nested(leaf):
            return top in NOT_CODE_KEYS and top != "language"
        if top in PLACE_KEYS:
            self.places.append(leaf)
        elif top == "language":
            self.languages.append(leaf)
        elif top == "shell":
            self.shells.append(leaf)
        elif top == "stdin" and leaf.text == "open":
            self.may_be_typed_to = True
        else:
            return top in NOT_CODE_KEYS
        return True

    def _sets(self, leaf: Leaf) -> bool:
        """A variable that is set for the command alone."""
        if len(leaf.steps) != 2 or leaf.steps[1] >= 0:
            return False
        name = self._scene.leaves[-1 - leaf.steps[1]].text
        if not (name.isidentifier() and name.isascii()) or self.environment.get(name, leaf.text) != leaf.text:
            return False
        self.environment[name] = leaf.text
        return True

    def _name(self, leaf: Leaf, step: int) -> str:
        if len(leaf.steps) <= step or leaf.steps[step] >= 0:
            return ""
        return self._scene.leaves[-1 - leaf.steps[step]].text[:_LONGEST_NAME].lower().replace("-", "_")


def _is_nested(leaf: Leaf) -> bool:
    """Whether a string stands in an object inside the call's own."""
    return sum(step < 0 for step in leaf.steps) > 1


# What may be one command.


class _Line(msgspec.Struct, frozen=True):
    """One way to read strings of a call."""

    leaf: Leaf
    shell: str
    code: str
    """The same for a language that has no words."""


def _lines(code: list[list[Leaf]]) -> Iterator[_Line]:
    """Every way in which the strings of a call may be run: each by itself, and all as one command."""
    for group in code:
        is_beside = len(code) > 1 and group[0].key in _ARGUMENT_KEYS
        if not is_beside or _names_program(group[0].text):
            yield from _by_itself(group)
    if len(code) > 1:
        together = " ".join(_as_words(group) for group in code)
        yield _Line(code[0][0], together, "\n".join(leaf.text for group in code for leaf in group))


def _by_itself(group: list[Leaf]) -> Iterator[_Line]:
    first = group[0]
    texts = [leaf.text for leaf in group]
    script = "\n".join(texts)
    if len(first.steps) == 1:
        yield _Line(first, script, script)
        return
    yield _Line(first, _as_words(group), script)
    inner: dict[tuple[int, ...], list[Leaf]] = {}
    for leaf in group:
        inner.setdefault(leaf.steps[:-1], []).append(leaf)
    if len(inner) > 1:
        for words in inner.values():
            yield _Line(words[0], _as_words(words), "\n".join(leaf.text for leaf in words))
    if first.key == "commands" or _are_lines(texts):
        # One shell for all, one for each, or one line out of all.
        yield _Line(first, script, script)
        yield _Line(first, " ".join(texts), script)
        for leaf in group:
            yield _Line(leaf, leaf.text, leaf.text)


def _are_lines(texts: list[str]) -> bool:
    """Whether the items of a list are command lines rather than the words of one."""
    if len(texts[0].split()) > 1:
        return True
    rest = texts[1:]
    return bool(rest) and all(len(text.split()) > 1 for text in rest) and any(map(_names_program, rest))


def _names_program(text: str) -> bool:
    from guardhouse.detect.shell.programs import matters  # the tables are large, and most calls run nothing

    return any(map(matters, text.split(None, 1)[:1]))


def _as_words(group: list[Leaf]) -> str:
    """A string as the shell splits it; the items of a list as one word each."""
    if len(group[0].steps) == 1:
        return group[0].text
    return " ".join(_quoted(leaf.text) for leaf in group)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# Languages and places.


class _Languages(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    guessed: bool = False
    """Nobody said which of them it is."""
    problem: str = ""


def _languages(scene: Scene, call: _Call) -> _Languages:
    tool = scene.tool.name if scene.tool else ""
    said = [_BY_NAME.get(_language_name(leaf.text), "") for leaf in call.languages]
    shells = [_shell_language(leaf.text) for leaf in call.shells]
    if tool in _PYTHON:
        names = ["python", *said, *shells]
    elif tool in _ANY_LANGUAGE:
        names = [*said, *shells]
        if not names:
            return _Languages(_GUESSED, guessed=True)
    else:
        names = [*(shells or [_BY_TOOL.get(tool, "shell")]), *said]
    if "" in names:
        return _Languages(
            tuple(dict.fromkeys(name for name in (*names, *_FALLBACK) if name)), problem="a language that nobody reads"
        )
    return _Languages(tuple(dict.fromkeys(names)))


def _language_name(text: str) -> str:
    """What a language is called, without its version."""
    name = "-".join(text[:_LONGEST_NAME].lower().split())
    return name if name in _BY_NAME else name.rstrip("0123456789.-")


def _shell_language(text: str) -> str:
    name = text[:_LONGEST_NAME].strip().lower()
    return "shell" if name in SHELLS else _WINDOWS_SHELLS.get(name.removesuffix(".exe"), "")


def _directories(scene: Scene, call: _Call, home: str) -> list[str]:
    """Where the command may run: every place that the call names."""
    cwd = working_directory(scene)
    named = [tidy(absolute(leaf.text, cwd, home)) for leaf in call.places]
    return list(dict.fromkeys(named)) or [tidy(cwd)]


class _Reader:
    """Reads commands the way the tool of a call would run them."""

    def __init__(self, scene: Scene, call: _Call) -> None:
        homes = scene.settings.surroundings.homes
        self._home = homes[0] if homes else "/root"
        self._temp = next(iter(scene.settings.surroundings.temp), "/tmp")  # noqa: S108 - what it usually is
        self._environment = call.environment
        self._may_be_typed_to = call.may_be_typed_to
        self._languages = _languages(scene, call)
        places = _directories(scene, call, self._home)
        self._places = places[:_MOST_PLACES]
        self._problems = [self._languages.problem] if self._languages.problem else []
        if len(places) > _MOST_PLACES or any("$" in place or "`" in place for place in places):
            self._problems.append("where it runs is not known")
        self.left = _MOST_READINGS
        """Readings that there may still be."""

    def read(self, line: _Line) -> Seen:
        """What a text would do, in each language it may be in, from each place it may run in."""
        acts: dict[Act, None] = dict.fromkeys(map(_unread, self._problems))
        lines: list[str] = []
        for place in self._places:
            readings = [(language, self._follow(language, line, place)) for language in self._languages.names]
            self.left -= len(readings)
            for language, machine in readings:
                if language != "shell":
                    # Code of other languages is not told apart from what it says.
                    lines.append(line.code)
                lines += machine.lines
            acts.update(dict.fromkeys(self._merged([(language, machine.acts) for language, machine in readings])))
        return Seen(line.leaf, tuple(acts), line.shell, tuple(lines))

    def _follow(self, language: str, line: _Line, place: str) -> Machine:
        from guardhouse.detect.shell import follow, follow_code  # the tables are large, and most calls run nothing

        if language == "shell":
            from guardhouse.detect.shell.values import DYNAMIC, SILENT, Stream

            stdin = Stream(None, DYNAMIC) if self._may_be_typed_to else SILENT
            return follow(
                line.shell,
                home=self._home,
                cwd=place,
                temp=self._temp,
                environment=self._environment,
                stdin=stdin,
            )
        if language == "python":
            from guardhouse.detect.commands.notebooks import read_notebook  # as above
            from guardhouse.detect.shell.code import follow_pieces

            notebook = read_notebook(line.code)
            return follow_pieces(notebook.pieces, notebook.names, home=self._home, cwd=place, temp=self._temp)
        return follow_code(language, line.code, home=self._home, cwd=place, temp=self._temp)

    def _merged(self, readings: list[tuple[str, tuple[Act, ...]]]) -> Iterator[Act]:
        """What any of the readings shows. That one can't make sense of the text counts only if none can."""
        fits = self._languages.guessed and any(
            language in _FALLBACK and not any(act.effect is Effect.UNANALYSABLE for act in acts)
            for language, acts in readings
        )
        if self._environment and not any(language == "shell" for language, _acts in readings):
            yield from self._of_environment()
        for _language, acts in readings:
            for act in acts:
                if not (fits and act.effect is Effect.UNANALYSABLE and act.what in _NOT_THAT_LANGUAGE):
                    yield act

    def _of_environment(self) -> tuple[Act, ...]:
        from guardhouse.detect.shell import follow  # as above

        return follow("", home=self._home, cwd=self._places[0], environment=self._environment).acts


def commands_of(scene: Scene) -> list[Leaf]:
    """Every string of the call that may be run; a note for the reader is not, nor the place it runs in."""
    return [
        leaf
        for leaf in scene.leaves
        if not leaf.is_key
        and leaf.key not in NOT_CODE_KEYS
        and leaf.key not in PLACE_KEYS
        and not (leaf.key == "shell" and leaf.text in SHELLS)
    ]
