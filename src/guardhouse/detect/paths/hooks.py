"""Settings of agents that a pattern, a copy or a whole directory may take in, though it does not name them.

The settings themselves are rows in `places`. Here those rows are taken apart into names, to be compared with what a
command has: a path with wildcards, the name of a file that lands in a directory, a directory that is replaced.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from guardhouse.detect.paths.places import HOOK_DIRECTORIES, HOOK_SETTINGS
from guardhouse.detect.paths.readings import folded_path
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS, name_matches

_ANY: Final = "**"
_TELLING_LETTERS: Final = 3
"""A pattern that has fewer letters before its first wildcard says nothing of an ordinary name."""
_LONGEST: Final = 1024
_ABOVE: Final = frozenset([".config", ".local", "guardhouse"])
"""Names of directories in which the guard's own places are, or that are one."""


def _expanded(pattern: str) -> list[str]:
    """A pattern without braces, for each choice in them."""
    head, brace, rest = pattern.partition("{")
    if not brace:
        return [pattern]
    choices, _, tail = rest.partition("}")
    return [one for choice in choices.split(",") for one in _expanded(f"{head}{choice}{tail}")]


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, str, tuple[str, ...], bool], ...]:
    """Whose they are, where they begin (`~`, `/`, or anywhere), their names, and whether they are directories."""
    found = []
    for table, are_directories in ((HOOK_SETTINGS, False), (HOOK_DIRECTORIES, True)):
        for agent, pattern, _example in table:
            for one in _expanded(pattern):
                root = "~" if one.startswith("~/") else "/" if one.startswith("/") else ""
                bare = one.removeprefix("~/").removeprefix("**/").strip("/")
                found.append((agent, root, tuple(bare.lower().split("/")), are_directories))
    return tuple(found)


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(name for _agent, _root, names, _are in _rows() for name in names if "*" not in name) | _ABOVE


@lru_cache(maxsize=1)
def _directory_names() -> frozenset[str]:
    return frozenset(names[-1] for _agent, _root, names, are_directories in _rows() if are_directories)


def is_telling(name: str) -> bool:
    """Whether a file or directory of this name, or one that this pattern matches, may be a setting or hold some."""
    folded = folded_path(name)
    if GLOB_CHARACTERS.isdisjoint(folded):
        return folded in _names() or folded.endswith(".config.toml")
    return any(_fits(wanted, folded, alone=False) for wanted in _names())


@lru_cache(maxsize=1)
def stems() -> frozenset[str]:
    """The names of settings without their endings."""
    return frozenset(name.rpartition(".")[0] for name in _names() if "." in name[1:])


def is_hook_directory_name(name: str) -> bool:
    """Whether an agent's settings lie in directories of this name."""
    return folded_path(name) in _directory_names()


def put_together(parts: frozenset[str], stems: frozenset[str], home: str) -> str | None:
    """A setting whose path can be put together of these names; a name may be there without its ending, as a stem, if
    a directory is named, too. None if there is none."""
    for _agent, root, names, are_directories in _rows():
        if are_directories:
            continue
        wanted = names[:-1] if names[-1] == _ANY else names
        *above, last = wanted
        if not parts.issuperset(above) or "*" in last:
            continue
        if last in parts or (above and last.rpartition(".")[0] in stems):
            path = "/".join(names).replace(_ANY, "x")
            return f"{home}/{path}" if root == "~" else f"/{path}" if root == "/" else path
    return None


@lru_cache(maxsize=512)
def may_match(glob: str, homes: tuple[str, ...], *, whole: bool) -> str | None:
    """Whose settings a path with wildcards may name; with `whole`, also by a directory that they lie in. One that is
    too long to be looked at may name anybody's."""
    if len(glob) > _LONGEST:
        return "any agent"
    parts = [part for part in folded_path(glob).split("/") if part]
    at_homes = [tuple(part for part in folded_path(home).split("/") if part) for home in homes]
    for agent, root, names, is_directory in _rows():
        if (whole or not is_directory) and _may_be(parts, root, names, at_homes):
            return agent
    return None


def _may_be(parts: list[str], root: str, names: tuple[str, ...], homes: list[tuple[str, ...]]) -> bool:
    below = names[-1] == _ANY
    wanted = names[:-1] if below else names
    if root == "/":
        starts = [0]
    elif root == "~":
        starts = [len(home) for home in homes if tuple(parts[: len(home)]) == home]
    else:
        starts = list(range(len(parts)))
    for start in starts:
        given = parts[start : start + len(wanted)]
        rest = len(parts) - start - len(wanted)
        if len(given) == len(wanted) and (rest > 0 if below else rest == 0):
            alone = len(wanted) == 1 and not below
            if all(_fits(want, have, alone=alone) for want, have in zip(wanted, given, strict=True)):
                return True
    return False


def _fits(want: str, have: str, *, alone: bool) -> bool:
    """Whether a name, which may itself have a wildcard in front, can be what a part of a pattern matches."""
    if "*" in want:
        ending = want.lstrip("*")
        return have.endswith(ending) if GLOB_CHARACTERS.isdisjoint(have) else name_matches(f"x{ending}", have)
    if want[0] == "." and have[0] in "*?[":
        return False  # no shell matches a dot at the start of a name by a wildcard
    if alone and want[0] != "." and not GLOB_CHARACTERS.isdisjoint(have):
        first = next(index for index, char in enumerate(have) if char in GLOB_CHARACTERS)
        if first < _TELLING_LETTERS:
            return False
    return name_matches(want, have) and _has_length(len(want), have)


def _has_length(length: int, have: str) -> bool:
    """Whether a pattern can match so many characters: one for each letter, `?` and class, unless it has a `*`."""
    if not _OPEN_ENDED.isdisjoint(have):
        return True
    count = at = 0
    while at < len(have):
        close = have.find("]", at + 2) if have[at] == "[" else -1
        at = close + 1 if close > 0 else at + 1
        count += 1
    return count == length


_OPEN_ENDED: Final = frozenset("*{(")
