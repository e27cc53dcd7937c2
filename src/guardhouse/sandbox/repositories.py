"""Repositories of git, as far as they matter to what is seen inside: git runs programs that its settings name, and
whoever works outside runs git all the time.

A repository's settings can't be changed inside. One that is made inside must be a plain one when the command has ended:
with settings that name no program, and without hooks. Of the user's own settings only those are seen that say who they
are and how they like it.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.model import visible
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.linking import has_several
from guardhouse.working_trees import first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

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
_RUN: Final = tuple(
    f"{section}."
    for section in "alias browser core credential diff difftool filter gpg hook interactive man merge mergetool pager"
    " sequence tar trailer uploadpack".split()
)
"""Sections in which programs are named."""
_NO_PART: Final = str.maketrans(dict.fromkeys("\"'!;|&()$`<>", " "))
""" What is no part of a program's name in a command."""
_LEFTHOOKS: Final = ("lefthook", ".lefthook", "lefthook-local", ".lefthook-local")
_RUNNERS: Final = (
    (b"hook-impl", (".pre-commit-config.yaml",)),
    (
        b"lefthook",
        (
            *(f"{name}.{form}" for name in _LEFTHOOKS for form in ("yml", "yaml", "json", "jsonc", "toml")),
            ".lefthook",
            ".lefthook-local",
        ),
    ),
    (b"overcommit", (".overcommit.yml", ".local-overcommit.yml", ".git-hooks")),
)
"""Programs that run hooks of their own from git's: what they write into those, and where they find what to run."""
_MOST_FILES: Final = 50
_LARGEST: Final = 100_000
"""Bytes of a file of settings."""
_SECTION: Final = re.compile(r'\[([A-Za-z0-9-]+)(?: "([\x20!\x23-\x5b\x5d-\x7e]+)")?\]')
_SETTING: Final = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*=([\x20!$-:<-\x5b\x5d-\x7e]*)")
"""A line without quotes, escapes or comments."""
_URL_USER: Final = re.compile(r"((?:https?|ftps?|socks5h?)://)[^/?#\s\"']*@")
_PASSWORDS: Final = frozenset({"extraheader", "pass", "smtppass", "apikey"})
_PASSWORD_ENDS: Final = ("password", "passwd", "token", "secret")
"""Keys, and ends of keys, of what signs somebody in."""
_UNREADABLE: Final = b"["
_PATIENCE: Final = 10.0


def repository_at(root: str) -> Iterator[str]:
    """Places of the repository in a directory that may not be changed."""
    repository = f"{root}/.git"
    if os.path.isfile(repository):
        yield repository  # it says where the repository is
    elif os.path.isdir(repository):
        yield from protected_in(repository)


def places_of(root: str, home: str) -> Iterator[str]:
    """Places elsewhere that may not be changed either: those of the repository that a file names, and what settings
    name."""
    directories = _directories_of(root)
    for directory in directories:
        if directory != f"{root}/.git":
            yield from protected_in(directory)
    yield from named_in(root, home, *directories)


def protected_in(repository: str) -> Iterator[str]:
    """The same of a repository itself, and of other working trees of it. Those of submodules are found by looking."""
    yield from (f"{repository}/{name}" for name in PROTECTED)
    for name in _names(f"{repository}/worktrees"):
        parts = (f"{repository}/worktrees/{name}/{part}" for part in ("commondir", "gitdir", "config.worktree"))
        yield from (part for part in parts if not os.path.islink(part))  # git makes no links there


def named_in(root: str, home: str, *directories: str) -> Iterator[str]:
    """Places that the settings of a repository name, which is in these directories and has its working tree at `root`:
    hooks, further settings, and programs; and what its hooks lead to. They may lie anywhere."""
    for directory in directories:
        yield from run_by_hooks(root, f"{directory}/hooks", home)
    files = [f"{directory}/{name}" for directory in directories for name in ("config", "config.worktree")]
    for file, name, value in _all_settings(files, home):
        if _is_further(name):
            yield _path(value, os.path.dirname(file), home)
        elif name == "core.hookspath":
            hooks = _path(value, root, home)
            yield hooks
            yield from run_by_hooks(root, hooks, home)
        else:
            places = (_path(word, root, home) for word in _programs(name, value))
            yield from (place for place in places if os.path.isfile(place))


def run_by_hooks(root: str, hooks: str, home: str) -> Iterator[str]:
    """What the hooks in a directory lead to, as far as they say so: programs elsewhere that they are links to or call,
    and what tells a program which hooks it is to run."""
    names = [name for name in _names(hooks) if not name.endswith(".sample")]
    if os.path.basename(hooks) == "_" and names:
        yield os.path.dirname(hooks)  # Husky's call those beside their own directory
    for name in names:
        hook = f"{hooks}/{name}"
        if os.path.islink(hook):
            yield hook
        said = settings_at(os.path.realpath(hook))
        content = said.content if said is not None else b""
        words = {_path(word, root, home) for word in content.decode("utf-8", "replace").translate(_NO_PART).split()}
        yield from sorted(place for place in words if _is_program(place))
        yield from (f"{root}/{told}" for marker, places in _RUNNERS if marker in content for told in places)


def _is_program(place: str) -> bool:
    """Whether something is a program of the project's own, and none that a package brought along: those come and go."""
    environment = os.path.dirname(os.path.dirname(place))
    return (
        os.path.isfile(place)
        and os.access(place, os.X_OK)
        and os.path.realpath(place) == place
        and "/node_modules/" not in place
        and not os.path.exists(f"{environment}/pyvenv.cfg")
    )


def named_everywhere(home: str) -> Iterator[str]:
    """Where a user's own settings, and the machine's, say that hooks and further settings are, from the top of any
    working tree or anywhere."""
    files = ["/etc/gitconfig", f"{home}/.config/git/config", f"{home}/.gitconfig"]
    for file, name, value in _all_settings(files, home):
        if name == "core.hookspath":
            yield home + value[1:] if value.startswith("~/") else value
        elif _is_further(name):
            yield _path(value, os.path.dirname(file), home)


def _directories_of(root: str) -> tuple[str, ...]:
    """Where the repository of a working tree is, by its own word: what is there is only read, for what it names."""
    repository = f"{root}/.git"
    told = first_line(repository)
    if told.startswith("gitdir: "):
        repository = os.path.realpath(os.path.join(root, told.removeprefix("gitdir: ")))
    common = first_line(f"{repository}/commondir")
    return (repository, os.path.realpath(os.path.join(repository, common))) if common else (repository,)


def _all_settings(files: list[str], home: str) -> Iterator[tuple[str, str, str]]:
    """The settings in files and in those that they include, on whatever condition; each with its file."""
    left = list(reversed(files))
    read = set[str]()
    while left:
        if len(read) > _MOST_FILES:
            raise NoSandbox(f"Git's settings lie in more than {_MOST_FILES} files, from {visible(files[0])} on.")
        file = left.pop()
        if file in read:
            continue
        read.add(file)
        settings = _settings(file)
        if settings is None and os.path.isfile(file):
            raise NoSandbox(f"Git can't read {visible(file)}, so what it names can't be protected.")
        for name, value in settings or ():
            yield file, name, value
            if _is_further(name):
                left.append(_path(value, os.path.dirname(file), home))


def _is_further(name: str) -> bool:
    """Whether a setting says where more of them are."""
    return name.startswith("include") and name.endswith(".path")


def _path(value: str, at: str, home: str) -> str:
    """A path as git reads it."""
    return os.path.normpath(os.path.join(at, home + value[1:] if value.startswith("~/") else value))


def _programs(name: str, value: str) -> list[str]:
    """What may be the name of a program, or of its script, in a setting that git runs."""
    if not name.startswith(_RUN):
        return []
    return value.translate(_NO_PART).split()


def is_plain(repository: str, *, is_module: bool = False, may_ask: Callable[[], bool] = lambda: True) -> bool:
    """Whether a repository that was made inside runs nothing: no hooks, and no settings that could name a program. That
    of a submodule may say where its working tree is. Where git `may_ask` not be asked, settings that are not of the
    simplest form are not plain."""
    if not os.path.isdir(repository) or (repository.endswith("/.git") and os.path.islink(repository)):
        return False
    if any(os.path.lexists(f"{repository}/{name}") for name in ("commondir", "config.worktree", "modules")):
        return False
    hooks = f"{repository}/hooks"
    if os.path.islink(hooks) or not all(name.endswith(".sample") for name in _names(hooks)):
        return False
    config = settings_at(f"{repository}/config")
    if config is None or config.has_other_names:  # by another name, the next command could change it
        return False
    names = _read_simply(config.content)
    if names is None and may_ask():
        names = _read_settings(config.content)
    return names is not None and all(
        _is_plain_setting(name) or (is_module and name == "core.worktree") for name, _value in names
    )


def _is_plain_setting(name: str) -> bool:
    if name.startswith("remote."):
        return name.rpartition(".")[2] in _PLAIN_OF_REMOTES
    return name in _PLAIN or name.startswith(_PLAIN_BELOW)


def settings_files(root: str, home: str) -> Iterator[str]:
    """Files of settings of the repository in a directory, or that is one itself, with those that they include."""
    directories = (root,) if os.path.lexists(f"{root}/HEAD") else _directories_of(root)
    found = {f"{directory}/{name}": None for directory in directories for name in ("config", "config.worktree")}
    left = list(found)
    while left and len(found) <= _MOST_FILES:
        file = left.pop()
        further = (value for name, value in _settings(file) or () if _is_further(name))
        new = [place for value in further if (place := _path(value, os.path.dirname(file), home)) not in found]
        found.update(dict.fromkeys(new))
        left += new
    yield from (os.path.realpath(file) for file in found if os.path.isfile(file))


@lru_cache(maxsize=256)
def without_passwords(content: bytes, secrets: Callable[[str], Collection[object]]) -> bytes | None:
    """Settings without what signs somebody in; None if there is nothing of that in them. `secrets` finds those that
    are not told by where they stand. Of settings that git can't read nothing is left."""
    entries = _read_entries(content)
    lines: list[str] = []
    is_same = entries is not None
    for name, value in entries or ():
        shown_name, shown = _URL_USER.sub(r"\1", name), None if value is None else _URL_USER.sub(r"\1", value)
        is_left_out = _signs_in(name.lower()) or bool(secrets(f"{shown_name}={shown}"))
        is_same = is_same and (shown_name, shown, is_left_out) == (name, value, False)
        if not is_left_out:
            lines.append(_written(shown_name, shown))
    return None if is_same else "".join(lines).encode("utf-8", "surrogateescape")


def _signs_in(name: str) -> bool:
    """Whether a setting holds what signs somebody in, or a program that says it."""
    key = name.rpartition(".")[2]
    return name.startswith("credential.") or key in _PASSWORDS or key.endswith(_PASSWORD_ENDS)


def _written(name: str, value: str | None) -> str:
    """A setting as git reads it."""
    section, _, rest = name.partition(".")
    below, _, key = rest.rpartition(".")
    head = f'[{section} "{_escaped(below)}"]' if below else f"[{section}]"
    if value is None:
        return f"{head}\n\t{key}\n"
    told = _escaped(value).replace("\n", "\\n").replace("\t", "\\t").replace("\b", "\\b")
    return f'{head}\n\t{key} = "{told}"\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def is_file_of_settings(place: str) -> bool:
    """Whether git keeps the settings of a repository at a place of this name."""
    return os.path.basename(place) in {"config", "config.worktree"}


def content_of_settings(handle: int) -> bytes:
    """What is in a file of settings that is held by a descriptor; nothing if it is too large to be one."""
    with open(f"/proc/self/fd/{handle}", "rb") as opened:
        content = opened.read(_LARGEST + 1)
    return content if len(content) <= _LARGEST else b""


def names_more(before: bytes, content: bytes) -> bool:
    """Whether settings may name programs that they did not name before, or can't be read."""
    known, now = _read_settings(before) or [], _read_settings(content)
    return now is None or any(one not in known and not _is_plain_setting(one[0]) for one in now)


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


class File(NamedTuple):
    """A file of settings, as it was when it was read."""

    content: bytes
    has_other_names: bool


def settings_at(file: str) -> File | None:
    """What is in a file of settings; one that no git could read if it is too large to be one, and None if it is no file
    or can't be read. It is opened once: somebody may be swapping it for another."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as opened:
        content = opened.read(_LARGEST + 1)
    return File(content if len(content) <= _LARGEST else _UNREADABLE, has_several(found))


def _settings(file: str) -> list[tuple[str, str]] | None:
    """The settings in a file, as git reads it; None if it can't be read. Nothing that it names is read or run."""
    found = settings_at(file)
    return None if found is None else _read_settings(found.content)


def _read_simply(content: bytes) -> list[tuple[str, str]] | None:
    """The settings in a file as git itself writes it, without asking git, which takes a while; None if anything in it
    could mean something else."""
    section, settings = "", list[tuple[str, str]]()
    for line in content.decode("utf-8", "replace").split("\n"):
        begins, says = _SECTION.fullmatch(line), _SETTING.fullmatch(line)
        if begins is not None:
            section = f"{begins[1]}.{begins[2]}." if begins[2] is not None else f"{begins[1]}."
        elif says is not None and section:
            settings.append(((section + says[1]).lower(), says[2].strip()))
        elif line.strip(" \t"):
            return None
    return settings


def _read_settings(content: bytes) -> list[tuple[str, str]] | None:
    entries = _read_entries(content)
    return None if entries is None else [(name.lower(), value or "") for name, value in entries]


@lru_cache(maxsize=1024)
def _read_entries(content: bytes) -> list[tuple[str, str | None]] | None:
    """The settings, their names as they are written, and without a value where none is."""
    try:
        done = subprocess.run(
            ["/usr/bin/git", "config", "--no-includes", "--file", "-", "--list", "-z"],
            input=content,
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
    entries = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    told = (entry.partition("\n") for entry in entries)
    return [(name, value if has_value else None) for name, has_value, value in told]


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
