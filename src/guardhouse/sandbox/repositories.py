"""Repositories of git, as far as they matter to what is seen inside: git runs programs that its settings name, and
whoever works outside runs git all the time.

A repository's settings can't be changed inside. One that is made inside must be a plain one when the command has ended:
with settings that name no program, and without hooks. Of the user's own settings only those are seen that say who they
are and how they like it.
"""

from __future__ import annotations

import os
import stat
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PROTECTED: Final = ("commondir", "config", "config.worktree", "hooks")
"""Of a repository: programs that it runs, and where it finds the names of such programs."""
_PERSONAL: Final = frozenset(
    "user.name user.email init.defaultbranch core.autocrlf core.eol core.quotepath pull.rebase pull.ff push.default"
    " merge.conflictstyle rebase.autosquash rebase.autostash diff.algorithm color.ui".split()
)
_PLAIN: Final = frozenset(
    "core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.symlinks"
    " core.precomposeunicode core.autocrlf core.eol extensions.objectformat init.defaultbranch".split()
)
_PLAIN_BELOW: Final = ("user.", "branch.", "pull.", "push.", "color.")
_PLAIN_OF_REMOTES: Final = ("url", "fetch", "pushurl", "tagopt", "prune")
_MOST_MODULES: Final = 1_000
_LARGEST: Final = 1_000_000
_PATIENCE: Final = 10.0


class Linked(NamedTuple):
    """A working tree whose repository lies elsewhere."""

    own: str
    """What of the repository is this working tree's."""
    common: str
    """The repository."""


def places_of(root: str) -> Iterator[str]:
    """Places of the repository in a directory, and of its submodules, that may not be changed."""
    repository = f"{root}/.git"
    if os.path.isfile(repository):
        yield repository  # it says where the repository is
    elif os.path.isdir(repository):
        yield from protected_in(repository)


def protected_in(repository: str) -> Iterator[str]:
    """The same of a repository itself, and of what belongs to it: submodules, and other working trees."""
    for directory in (repository, *_modules(f"{repository}/modules")):
        yield from (f"{directory}/{name}" for name in PROTECTED)
    for name in _names(f"{repository}/worktrees"):
        tree = f"{repository}/worktrees/{name}"
        yield from (f"{tree}/{part}" for part in ("commondir", "gitdir", "config.worktree"))


def named_in(root: str) -> Iterator[str]:
    """Places of a working tree that its repository's settings name: hooks, and further settings."""
    for name, value in _settings(f"{root}/.git/config") or ():
        if name == "core.hookspath" or (name.startswith("include") and name.endswith(".path")):
            at = root if name == "core.hookspath" else f"{root}/.git"
            place = os.path.normpath(os.path.join(at, value))
            if place.startswith(f"{root}/"):
                yield place


def _modules(directory: str) -> Iterator[str]:
    """Repositories of submodules, whose names may have slashes in them."""
    left = [directory]
    for _ in range(_MOST_MODULES):
        if not left:
            return
        above = left.pop()
        for name in _names(above):
            place = f"{above}/{name}"
            if os.path.islink(place) or not os.path.isdir(place):
                continue
            if os.path.lexists(f"{place}/HEAD"):
                yield place
                left.append(f"{place}/modules")
            else:
                left.append(place)


def linked(root: str) -> Linked | None:
    """Where the repository of a working tree is that git itself has made for another one. Both must name each other:
    a file in the workspace could name any directory."""
    told = _first_line(f"{root}/.git")
    if not told.startswith("gitdir: "):
        return None
    own = os.path.realpath(os.path.join(root, told.removeprefix("gitdir: ")))
    above, name = os.path.split(os.path.dirname(own))
    common = os.path.realpath(os.path.join(own, _first_line(f"{own}/commondir") or "."))
    names_us = os.path.realpath(_first_line(f"{own}/gitdir")) == os.path.realpath(f"{root}/.git")
    is_repository = os.path.isfile(f"{common}/HEAD") and os.path.isdir(f"{common}/objects")
    return Linked(own, common) if name == "worktrees" and above == common and names_us and is_repository else None


def is_plain(repository: str) -> bool:
    """Whether a repository that was made inside runs nothing: no hooks, and no settings that could name a program."""
    if os.path.islink(repository) or not os.path.isdir(repository):
        return False
    if any(os.path.lexists(f"{repository}/{name}") for name in ("commondir", "config.worktree", "modules")):
        return False
    hooks = f"{repository}/hooks"
    if os.path.islink(hooks) or not all(name.endswith(".sample") for name in _names(hooks)):
        return False
    names = _settings(f"{repository}/config")
    return names is not None and all(map(_is_plain_setting, names))


def _is_plain_setting(setting: tuple[str, str]) -> bool:
    name, _value = setting
    if name.startswith("remote."):
        return name.rpartition(".")[2] in _PLAIN_OF_REMOTES
    return name in _PLAIN or name.startswith(_PLAIN_BELOW)


def personal_settings(home: str) -> str:
    """The user's own settings of git, as a file of settings, as far as they are seen inside."""
    lines: list[str] = []
    for place in (f"{home}/.config/git/config", f"{home}/.gitconfig"):
        for name, value in _settings(place) or ():
            if name in _PERSONAL and value.isprintable():
                section, _, key = name.partition(".")
                quoted = value.replace("\\", "\\\\").replace('"', '\\"')
                lines.append(f'[{section}]\n\t{key} = "{quoted}"\n')
    return "".join(lines)


def _settings(file: str) -> list[tuple[str, str]] | None:
    """The settings in a file, as git reads it; None if it can't be read. Nothing that it names is read or run."""
    try:
        found = os.lstat(file)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
        return None
    return _read_settings(file, (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))


@lru_cache(maxsize=256)
def _read_settings(file: str, _state: tuple[int, ...]) -> list[tuple[str, str]] | None:
    """The same of a file in a state that was not read yet."""
    try:
        done = subprocess.run(  # noqa: S603 - of the system's
            ["/usr/bin/git", "config", "--no-includes", "--file", file, "--list", "-z"],
            capture_output=True,
            timeout=_PATIENCE,
            env={"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin"},
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    entries = done.stdout.decode("utf-8", "replace").split("\0")[:-1]
    return [(name.lower(), value) for name, _, value in (entry.partition("\n") for entry in entries)]


def _first_line(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            return opened.read(4096).split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
