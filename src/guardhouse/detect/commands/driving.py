"""Whether one of the commands that would be run is the guard itself, changes it, or ends its processes.

This looks at programs with their words, one command at a time, so that a directory that happens to be called like the
guard is not taken for it. What code imports is told by the reader of its language. Where nothing can be followed, `own`
reads the bare words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.commands.ending import ends_guard
from guardhouse.detect.commands.own import (
    PROGRAM,
    PROGRAM_NAMES,
    SPLIT_NOT_AT_BRACKETS,
    controls,
    is_program,
    resolved,
    speaks_of_guard,
    words_of,
)
from guardhouse.detect.paths import inside, tidy, working_directory
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.commands.reading import Seen
    from guardhouse.detect.interface import Scene

_HARMLESS: Final = frozenset("check url redact demo explain eval".split())
"""Subcommands of ours that change nothing and show nothing of the guard's."""
_RUNNERS: Final = frozenset("env sudo uvx pipx uv exec command nohup time".split())
_FEEDERS: Final = frozenset("xargs gxargs parallel".split())
"""Programs that run another one with arguments that come in."""
_OF_FILES: Final = frozenset(
    "cd pushd cp mv rm mkdir rmdir rsync scp tar zip unzip chmod chown touch ln tree du find ruff mypy pytest py.test"
    " pylint pyright black isort shellcheck wc code vim nano".split()
)
"""Programs whose words are files and directories: one that is called like the guard is not the guard."""
_PLACE_OPTIONS: Final = frozenset("-C --directory --dir --prefix --cwd --project --chdir --workspace --filter".split())
"""Options whose value is a directory."""
_MARKS: Final = frozenset("pytest py.test mypy pylint pyright".split())
"""Programs for which `-m` does not name a module that is run."""
_FLAGS: Final = frozenset("bdehiopqrsuvx?")
"""Options of Python, in lower case, that may stand before the `m` in one word with it."""


def touches_guard(scene: Scene, seen: Seen) -> bool:
    """Whether one of the commands that would be run drives the guard. Where it can't be told what would be run, the
    words of the whole text count."""
    if any(act.effect is Effect.UNANALYSABLE for act in seen.acts) and speaks_of_guard(seen.text):
        return True
    return ends_guard(scene, seen.lines) or any(_drives(line) or _takes_apart(scene, line) for line in seen.lines)


def _drives(line: str) -> bool:
    lowered = line.lower()
    if "guard" not in lowered and "*" not in line and "?" not in line and "[" not in line:
        return False
    words = lowered.split()
    if not words:
        return False
    program = words[0].rpartition("/")[2]
    if _is_guard(words, program) or _runs_module(words) or _reinstalls(words, program):
        return True
    if program in _OF_FILES:
        return False
    named = _without_places(line)
    return controls(words_of(named)) or controls(words_of(named, SPLIT_NOT_AT_BRACKETS))


def _is_guard(words: list[str], program: str) -> bool:
    """Whether a command is the guard's program with anything but one of its harmless subcommands."""
    plain = [word for word in words if not word.startswith("-")]
    at = next((place for place, word in enumerate(plain[:4]) if word.rpartition("/")[2] in PROGRAM_NAMES), None)
    if at is None or (at and program not in _RUNNERS | _FEEDERS):
        return False
    if program in _FEEDERS:
        return True
    return plain[at + 1 : at + 2] != [] and plain[at + 1] not in _HARMLESS


def _runs_module(words: list[str]) -> bool:
    """Whether the guard is run as a module: `-m guardhouse`, `-mguardhouse`, `-Imguardhouse`."""
    for at, word in enumerate(words):
        if word.rpartition("/")[2] in _MARKS:
            return False
        if word[:1] != "-" or "m" not in word or word[1:2] == "-":
            continue
        flags, _, glued = word[1:].partition("m")
        rest = words[at + 1 :] if glued else words[at + 2 :]
        name = glued or (words[at + 1] if at + 1 < len(words) else "")
        if not _FLAGS.issuperset(flags):
            continue
        if name.startswith(f"{PROGRAM}."):
            return True
        if name == PROGRAM:
            given = next((each for each in rest if not each.startswith("-")), None)
            return given is not None and given not in _HARMLESS
    return False


_INSTALLERS: Final = frozenset("pip pip3 pipx uv uvx poetry pdm rye hatch conda mamba micromamba pixi".split())
_CHANGING: Final = frozenset("upgrade reinstall update inject uninstall remove downgrade runpip".split())
_FORCING: Final = frozenset(
    "-u --upgrade --force-reinstall --ignore-installed --force --reinstall -f -t --target".split()
)


def _reinstalls(words: list[str], program: str) -> bool:
    """Whether a package manager puts another version of the guard in the place of this one. A first, plain install is
    none of that."""
    name = program.rstrip("0123456789.") if program.startswith(("pip", "python")) else program
    if name not in _INSTALLERS and not (name == "python" and "pip" in words):
        return False
    for word in words[1:]:
        bare = word.partition("[")[0]
        version = bare.lstrip("/.").rpartition("/")[2].removeprefix(PROGRAM)
        if version == bare.lstrip("/.").rpartition("/")[2]:
            continue
        if version[:1] in ("=", "<", ">", "!", "~", "@"):
            return True
        if not version and (is_program(bare) or bare.endswith(f"/{PROGRAM}")):
            return not _CHANGING.isdisjoint(words) or not _FORCING.isdisjoint(words)
    return False


_MADE_OF: Final = frozenset(
    "ada-url ada_url cffi click common-expression-language google-re2 google_re2 msgspec psutil pycparser pynacl"
    " pyyaml".split()
)
"""The packages that the guard needs, as package managers call them."""


def _takes_apart(scene: Scene, line: str) -> bool:
    """Whether a package manager of the environment that the guard runs in changes what the guard is made of."""
    if "install" not in line or "pip" not in line:
        return False
    words = line.lower().split()
    if not any(_bare_requirement(word) in _MADE_OF for word in words):
        return False
    own = [place.path for place in scene.settings.surroundings.own if place.usable and not place.ending]
    beside = {path.rpartition("/")[0] for path in own if path.rpartition("/")[2].startswith("python")}
    cwd = working_directory(scene)
    places = [tidy(resolved(scene, word, cwd)) for word in line.split() if "/" in word]
    return any(place.rpartition("/")[0] in beside or any(inside(place, path) for path in own) for place in places)


def _bare_requirement(word: str) -> str:
    """The name in `name[extra]==1.0`."""
    for mark in "[=<>!~@;":
        word = word.partition(mark)[0]
    return word


def _without_places(line: str) -> str:
    """A command without what its options say of directories."""
    if not any(option in line for option in _PLACE_OPTIONS):
        return line
    kept: list[str] = []
    for word in line.split():
        if kept and kept[-1] in _PLACE_OPTIONS:
            kept[-1] = "-"
        elif word.partition("=")[0] not in _PLACE_OPTIONS or "=" not in word:
            kept.append(word)
    return " ".join(kept)
