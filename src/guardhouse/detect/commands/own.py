"""Whether a command drives the guard itself, or reaches into its places, by its words alone.

Words alone err towards yes; they count where commands are not followed, or could not be. What would be run is looked at
in `driving`. Whether it is allowed is nobody's question: it is a floor.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from guardhouse.detect.paths import (
    absolute,
    holds_own_place,
    is_hook_file,
    other_readings,
    own_place,
    tidy,
    working_directory,
)
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS, name_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.interface import Scene

_SUBCOMMANDS: Final = frozenset(
    "approvals audit why token allow trust install uninstall policy enforce observe suggest serve proxy hook mcp pins"
    " doctor status run runs memory".split()
)
"""Subcommands of ours that change what is allowed, or show what the agent must not see; `check`, `url` and `redact` are
harmless."""
_TAMPERING: Final = frozenset("kill pkill killall stop disable mask remove purge uninstall".split())
"""What other programs do to a program, before or after its name."""
PROGRAM: Final = "guardhouse"
PROGRAM_NAMES: Final = frozenset(
    {PROGRAM, "guardhouse.cli", "guardhouse.exe", "guardhouse.__main__", "guardhouse.service"}
)
_PROGRAM_DIRECTORIES: Final = frozenset({"", ".", "bin", "scripts"})
"""Where a word with a slash in it is still the program and not some checkout of its sources."""
_NO_MODULES: Final = frozenset(
    "yaml yml toml json md txt rst log db sock service conf cfg ini html png svg zip gz tar whl exe example dev com"
    " org io net".split()
)
"""What stands after the guard's name and a dot, and is a file or a host and no module."""
_READERS: Final = frozenset("cat cmp diff grep head jq ls md5sum sha256sum stat tail wc".split())
"""Programs that only look, whatever their options; `yq -i`, `tree -o` and `less -o` write."""
_REMOVERS: Final = frozenset("rm rmdir shred unlink mv".split())
_WRITERS: Final = frozenset("cp install ln tee dd sed truncate touch chmod rsync tar unzip".split())
"""Programs that change what may otherwise be used, such as the guard's interpreter."""
CHANGES_DIRECTORY: Final = frozenset(["cd", "pushd", "-C", "--directory"])
PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./~=:@,+%")
_BREAKS: Final = " \t\r\n;|&()<>{}[]`=,:"
LONGEST_PATH: Final = 4096


def speaks_of_guard(text: str) -> bool:
    """Whether a text that can't be followed names the guard's program with a word that changes it, or its places."""
    words = words_of(text)
    folded = "".join(words).lower()
    if "guard" not in folded and GLOB_CHARACTERS.isdisjoint(text):
        return False
    return (
        any(tail in folded for tail in _OWN_TAILS)
        or _imports(words)
        or controls(words)
        or controls(words_of(text, SPLIT_NOT_AT_BRACKETS))
    )


def drives_guard(scene: Scene, command: str) -> bool:
    """Whether the command names the guard's program with a word that changes it, or a place of the guard's.

    This reads words, not syntax, so it errs towards yes: quotes and backslashes are dropped, every separator splits.
    Only plain commands that begin with a reading program may name the readable places.
    """
    words = words_of(command)
    names = [word.rpartition("/")[2].lower() for word in words]
    if _imports(words) or controls(words) or controls(words_of(command, SPLIT_NOT_AT_BRACKETS)):
        return True
    only_reads = _only_reads(command)
    if any(path is None or _reaches(scene, path, only_reads=only_reads) for path in _named_paths(scene, words)):
        return True
    if not _REMOVERS.isdisjoint(names) and any(_removes_own(scene, part) for part in _parts(command)):
        return True
    if (">" in command or not _WRITERS.isdisjoint(names)) and any(
        path is not None and _is_usable(scene, path) for path in _named_paths(scene, words)
    ):
        return True
    folded = "".join(words).lower()
    return not only_reads and any(tail in folded for tail in _OWN_TAILS)


_IMPORTING: Final = frozenset("import from -m run_module import_module __import__".split())


def _imports(words: list[str]) -> bool:
    """Whether a module of the guard's is named, or the package is imported."""
    before = ""
    for word in words:
        name = word.rpartition("/")[2].lower()
        package, _, rest = name.partition(".")
        is_run = package[:1] == "-" and package.lstrip("-im") == PROGRAM  # as in `python -Imguardhouse`
        is_module = package == PROGRAM and bool(rest) and rest.partition(".")[0] not in _NO_MODULES
        if is_run or is_module or (name == PROGRAM and before in _IMPORTING):
            return True
        before = word.lower()
    return False


def controls(words: list[str]) -> bool:
    """Whether the guard's program is named together with a word that changes it."""
    at = next((index for index, word in enumerate(words) if is_program(word)), None)
    if at is None:
        return False
    # Before its name they are arguments to come (`echo allow | xargs guardhouse`), but for `pip install guardhouse` and
    # `uv run guardhouse`.
    before, after = {word.lower() for word in words[:at]}, {word.lower() for word in words[at + 1 :]}
    return not _SUBCOMMANDS.isdisjoint(after | before - {"install", "run"}) or not _TAMPERING.isdisjoint(after | before)


def is_program(word: str) -> bool:
    """Whether a word is the guard's program, by name or by a pattern that matches the name."""
    if "house" not in word and "*" not in word and "?" not in word and "[" not in word and word.islower():
        return False
    directory, _, name = word.lower().rpartition("#")[2].rpartition("/")
    if name not in PROGRAM_NAMES:
        is_glob = not GLOB_CHARACTERS.isdisjoint(name) and sum(map(str.isalpha, name)) > 2
        if not (is_glob and name_matches(PROGRAM, name)):
            return False
    return directory.rpartition("/")[2] in _PROGRAM_DIRECTORIES


def _only_reads(command: str) -> bool:
    """Whether every part of a pipe is a plain command of a program that only looks."""
    return all(
        PLAIN.issuperset(part) and part.split()[:1] and part.split()[0].rpartition("/")[2] in _READERS
        for part in command.strip().split("|")
    )


def _named_paths(scene: Scene, words: list[str]) -> Iterator[str | None]:
    """The working directory, and every word that can be a path; after a `cd`, also as seen from there, or None if
    that is too far to be a real place."""
    cwd = working_directory(scene)
    yield tidy(cwd)
    for word in dict.fromkeys(words):
        if not _PATH_MARKS.isdisjoint(word):
            path = resolved(scene, word, cwd)
            yield tidy(path)
            yield from map(tidy, other_readings(path))
    if CHANGES_DIRECTORY.isdisjoint(words):
        return
    base = ""
    above_own = False
    for before, word in pairwise(words):
        if before in CHANGES_DIRECTORY:
            base = tidy(resolved(scene, word, base or cwd))
            if len(base) > LONGEST_PATH:
                yield None
                return
            above_own = holds_own_place(scene, base)
            yield base
        elif base and (above_own or not _PATH_MARKS.isdisjoint(word)):
            yield tidy(resolved(scene, word, base))


def resolved(scene: Scene, word: str, cwd: str) -> str:
    homes = scene.settings.surroundings.homes
    return absolute(word, cwd, homes[0] if homes else "/root")


def _reaches(scene: Scene, path: str, *, only_reads: bool) -> bool:
    own = own_place(scene, path)
    if own is not None:
        return not (own.usable or (only_reads and own.readable))
    return not only_reads and is_hook_file(scene, path)


def _is_usable(scene: Scene, path: str) -> bool:
    own = own_place(scene, path)
    return own is not None and own.usable


def _parts(command: str) -> list[str]:
    """The commands of a list or a pipe."""
    return command.translate(_PART_BREAKS).split("\n")


def _removes_own(scene: Scene, part: str) -> bool:
    """Whether one command of a list removes or moves a directory that a place of the guard's lies in."""
    words = [word for word in words_of(part) if not word.startswith("-")]
    verb = next((index for index, word in enumerate(words) if word.rpartition("/")[2] in _REMOVERS), len(words))
    removed = words[verb + 1 : -1] if words[verb : verb + 1] == ["mv"] else words[verb + 1 :]
    cwd = working_directory(scene)
    return any(holds_own_place(scene, tidy(resolved(scene, word, cwd))) for word in removed)


_PART_BREAKS: Final = str.maketrans(";&|", "\n\n\n")
_PATH_MARKS: Final = frozenset("/.~$")
_OWN_TAILS: Final = (
    ".config/guardhouse",
    ".local/state/guardhouse",
    ".local/share/guardhouse",
    ".guardhouse.",
    "/etc/guardhouse",
)
"""Places of ours that a command may name after a `cd` or by a variable, where the words alone do not resolve."""


_QUOTES: Final = dict.fromkeys("'\"\\")
_SPLIT: Final = str.maketrans({**_QUOTES, **dict.fromkeys(_BREAKS, " ")})
SPLIT_NOT_AT_BRACKETS: Final = str.maketrans({**_QUOTES, **dict.fromkeys(set(_BREAKS) - set("[]"), " ")})


def words_of(command: str, split: dict[int, str | None] = _SPLIT) -> list[str]:
    bare = command.replace("\\\n", "").replace("$'", "").replace('$"', "")
    return bare.translate(split).split()
