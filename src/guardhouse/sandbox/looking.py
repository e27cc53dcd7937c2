"""Looks through a workspace, all of it: for what holds secrets, so that it can be hidden inside, and for repositories
and settings of agents, so that they can be protected there; before a command starts and when it has ended.

What was found in a directory stays true for as long as nothing is added to it or renamed in it, which the time of its
last change tells: nobody can set that one back. A directory that changed a moment ago may change again within the same
tick, and is not remembered.

Nothing is passed over because it can't be looked at. A directory that is closed to its owner is hidden as it is, since
a command could open it; what can't be read for another reason, or is too much, is an error.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.paths import SETTINGS_NAMES, inside, standing_of
from guardhouse.sandbox.descending import opened_up
from guardhouse.sandbox.repositories import PROTECTED

if TYPE_CHECKING:
    from collections.abc import Collection

MOST: Final = 2_000_000
"""Entries of a workspace."""
DEEPEST: Final = 5
"""Levels of directories in which files that hold secrets are looked for."""
_OTHERS: Final = {
    ".hg": frozenset({"hgrc", "hgrc-not-shared", "sharedpath"}),
    ".jj": frozenset({"workspace-config.toml"}),
    "repo": frozenset({"config.toml"}),
}
"""Files by which Mercurial and Jujutsu run programs, by the name of the directory that they are in."""
_PARTS: Final = frozenset({"HEAD", "objects", "refs", "commondir"})
"""Names by which a directory is told to be a repository."""
_INSTALLED: Final = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Directories that packages are put in: nobody starts an agent there."""
_WITHOUT_SECRETS: Final = _INSTALLED | {"target", "vendor"}
_MOST_REMEMBERED: Final = 100_000
_A_MOMENT: Final = 2_000_000_000
_OPENING: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LONGEST: Final = 1_000
"""Characters of a path that the system takes for sure, however they are written."""
DEEPEST_PATH: Final = 50_000
"""Characters of the longest path from the root."""
MOST_WAITING: Final = 5_000_000
"""Directories that are found and not looked into yet."""
MOST_TOLD: Final = 64 * 1024 * 1024
"""Characters of the names of all that matters in a workspace."""
UNSEEN: Final = "not looked through"
"""Told of what is to be put aside whole, because it is too much to look through."""
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""What is said where a directory was, a moment ago."""


class TooMuch(Exception):
    """There is more in a workspace than can be looked through."""


class Secret(NamedTuple):
    """Something that holds secrets."""

    path: str
    is_directory: bool


class Seen(NamedTuple):
    """What matters of a workspace."""

    secrets: list[Secret]
    settings: dict[str, str]
    """Repositories, and settings of agents; with what is there if it is a link, which can be replaced, and nothing
    otherwise. A repository without a working tree, such as a submodule's, is named by its `HEAD`."""
    closed: list[str]
    """Directories that their owner can't look into."""


class _Way(NamedTuple):
    """A directory that is to be looked into."""

    path: str
    """From the root; of one that waits for its turn, from the directory that it was found in. What leads there can be
    long, and there can be many."""
    levels: int
    """How much deeper secrets are looked for."""
    agents: bool
    """Whether settings of agents are looked for."""
    modules: bool = False
    """Whether it is in a repository, among those of submodules, and nothing else is looked for."""


_WHOLE: Final = _Way("", DEEPEST, agents=True)
_MODULES: Final = _Way("modules", 0, agents=False, modules=True)


class _Directory(NamedTuple):
    """What matters in a directory, if anything does, and in what state it was."""

    device: int
    inode: int
    changed: int
    entries: int
    matters: bool
    secrets: tuple[Secret, ...]
    linked: tuple[str, ...]
    """Links with names of files that hold secrets."""
    settings: tuple[str, ...]
    below: tuple[_Way, ...]


class _Wanted(NamedTuple):
    """Below which directory, and what counts as a secret there."""

    root: str
    home: str
    patterns: tuple[str, ...]


class Looker:
    """Remembers what it saw."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[_Wanted, dict[str, _Directory]] = {}

    def look(
        self,
        root: str,
        home: str,
        patterns: tuple[str, ...],
        *,
        handle: int | None = None,
        leave: Collection[str] | None = None,
        known: Collection[str] = (),
        is_repository: bool = False,
        settings: dict[str, str] | None = None,
    ) -> Seen:
        """What matters below a directory, or below the one that is open as `handle`, which had that name. Links are not
        followed: what they lead to is seen inside only if it is mounted, and is looked through there. If `leave` is
        given, what is closed is opened first, but for those, and there is no end to it: once it is very much, what is
        not `known` to have been in the root before is UNSEEN, and so is what can't be kept in mind. Of a repository
        itself, only those of submodules matter.
        OSError or TooMuch if it can't be looked through; what was found before that is in `settings`."""
        wanted = _Wanted(root, home, patterns)
        remembered = self._remembered(wanted)
        settings = {} if settings is None else settings
        secrets, closed = set[Secret](), list[str]()
        left, entries, told = [("", _MODULES if is_repository else _WHOLE)], 0, 0
        beside = 0
        base = os.open(root if handle is None else ".", _OPENING & ~os.O_NOFOLLOW, dir_fd=handle)
        steps = _Steps(base)
        try:
            while left:
                above, way = left.pop()
                way = way._replace(path=above + way.path)
                top = way.path.partition("/")[0]
                is_beyond = entries > MOST and top and top not in known
                is_endless = len(left) - beside > MOST_WAITING or told > MOST_TOLD
                if len(way.path) > DEEPEST_PATH or is_beyond or is_endless:
                    if leave is None:
                        raise TooMuch
                    settings[f"{root}/{top}"] = UNSEEN
                    if is_endless:
                        left = [one for one in left if f"{one[0]}{one[1].path}".partition("/")[0] != top]
                        told = 0
                    continue
                opens = leave is not None and f"{root}/{way.path}" not in leave
                directory = _looked_into(steps, way, wanted, remembered, opens=opens)
                if directory is None:
                    closed.append(f"{root}/{way.path}")
                    continue
                entries += directory.entries
                if entries > MOST and leave is None:
                    raise TooMuch
                prefix = f"{way.path}/" if way.path else ""
                left += ((prefix, one) for one in directory.below)
                beside = beside if way.path else len(left)
                if directory.matters:
                    secrets.update(directory.secrets)
                    secrets.update(_behind(directory.linked))
                    settings.update((f"{root}/{name}", link_at(name, base)) for name in directory.settings)
                    told += sum(map(len, directory.settings))
        finally:
            steps.close()
        return Seen(sorted(secrets), settings, closed)

    def _remembered(self, wanted: _Wanted) -> dict[str, _Directory]:
        with self._lock:
            if sum(map(len, self._seen.values())) > _MOST_REMEMBERED:
                self._seen = {wanted: self._seen.get(wanted, {})}
            return self._seen.setdefault(wanted, {})


class _Steps:
    """Opens directories below another one, also those whose paths are too long for the system: then by directories on
    the way, which are kept open for the next one."""

    def __init__(self, base: int) -> None:
        self.base = base
        self._on_the_way: list[tuple[str, int]] = []

    def to(self, path: str) -> tuple[int, str]:
        """A directory that is open, and the rest of a path from there."""
        while self._on_the_way and not path.startswith(self._on_the_way[-1][0]):
            os.close(self._on_the_way.pop()[1])
        above, handle = self._on_the_way[-1] if self._on_the_way else ("", self.base)
        begun = len(above)
        while len(path) - begun > _LONGEST:
            step = path[begun : begun + _LONGEST].rpartition("/")[0]
            handle = os.open(step, _OPENING | os.O_PATH, dir_fd=handle)
            begun += len(step) + 1
            self._on_the_way.append((path[:begun], handle))
        return handle, path[begun:]

    def close(self) -> None:
        for _above, handle in self._on_the_way:
            os.close(handle)
        os.close(self.base)


def _looked_into(
    steps: _Steps, way: _Way, wanted: _Wanted, remembered: dict[str, _Directory], *, opens: bool
) -> _Directory | None:
    """What matters in one directory; None if it is closed."""
    try:
        known = remembered.get(way.path) if len(way.path) <= _LONGEST else None
        if known is not None and _is_as_it_was(
            known, os.stat(way.path or ".", dir_fd=steps.base, follow_symlinks=False)
        ):
            return known
        handle = _opened(*steps.to(way.path), opens=opens)
        if handle is None:
            return None
        try:
            # Of what is open: by its name, another one may be found from one moment to the next.
            found = os.fstat(handle)
            seen = _read(handle, way, wanted, found)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in _GONE:
            return _NOTHING
        raise
    if len(way.path) <= _LONGEST and time.time_ns() - found.st_ctime_ns > _A_MOMENT:
        remembered[way.path] = seen
    return seen


def _is_as_it_was(known: _Directory, found: os.stat_result) -> bool:
    return known.changed == found.st_ctime_ns and known.inode == found.st_ino and known.device == found.st_dev


def _opened(base: int, path: str, *, opens: bool) -> int | None:
    """A directory to be read; None if it is closed."""
    try:
        handle = os.open(path or ".", _OPENING, dir_fd=base)
    except PermissionError:
        if not opens:
            return None
        opened_up(base, path)
        return _opened(base, path, opens=False)
    if _is_closed(os.fstat(handle)):  # it can be listed, and nothing in it be looked at
        os.close(handle)
        if not opens:
            return None
        opened_up(base, path)
        return _opened(base, path, opens=False)
    return handle


_NOTHING: Final = _Directory(0, 0, 0, 0, matters=False, secrets=(), linked=(), settings=(), below=())


def _read(handle: int, way: _Way, wanted: _Wanted, found: os.stat_result) -> _Directory:
    root, home, patterns = wanted
    secrets: list[Secret] = []
    linked: list[str] = []
    settings: list[str] = []
    below: list[_Way] = []
    parts, count = set[str](), 0
    prefix = f"{way.path}/" if way.path else ""
    above, _, own = way.path.rpartition("/")
    others = _OTHERS.get(own, frozenset()) if own != "repo" or above.endswith(".jj") else frozenset()
    with os.scandir(handle) as entries:
        for entry in entries:
            count += 1
            name = entry.name
            if name in _PARTS or (way.modules and name in PROTECTED):
                parts.add(name)
            elif name == ".git" or (way.agents and name in SETTINGS_NAMES) or name in others:
                settings.append(prefix + name)
            is_directory = entry.is_dir(follow_symlinks=False)
            if way.levels and standing_of(f"{root}/{prefix}{name}", (home,), patterns).secret is not None:
                if entry.is_symlink():
                    linked.append(f"{root}/{prefix}{name}")
                else:
                    secrets.append(Secret(f"{root}/{prefix}{name}", is_directory))
                    continue
            if is_directory:
                below.append(_further(way, name))
    # Among those of submodules, one whose `HEAD` was taken away for a while is one all the same.
    is_repository = bool(parts) if way.modules else _is_repository(parts)
    if is_repository:
        settings.append(f"{prefix}HEAD")
    if way.modules and is_repository:
        below = [one for one in below if one.path == "modules"]
    return _Directory(
        found.st_dev,
        found.st_ino,
        found.st_ctime_ns,
        count,
        bool(secrets or linked or settings),
        tuple(secrets),
        tuple(linked),
        tuple(settings),
        tuple(below),
    )


def _is_repository(parts: set[str]) -> bool:
    """Whether git takes a directory for a repository."""
    return "HEAD" in parts and ("commondir" in parts or {"objects", "refs"} <= parts)


def _further(way: _Way, name: str) -> _Way:
    if name == ".git":
        return _Way(".git/modules", 0, agents=False, modules=True)
    if way.modules:
        return _Way(name, 0, agents=False, modules=True)
    levels = 0 if name in _WITHOUT_SECRETS else max(way.levels - 1, 0)
    return _Way(name, levels, way.agents and name not in _INSTALLED)


def _is_closed(found: os.stat_result) -> bool:
    """Whether its owner has taken from themselves the right to look into a directory, and could give it back."""
    user = os.geteuid()
    return user != 0 and found.st_uid == user and found.st_mode & 0o500 != 0o500


def _behind(links: tuple[str, ...]) -> list[Secret]:
    """What links lead to. It may change while the directory that they are in does not."""
    targets = ((link, os.path.realpath(link)) for link in links)
    return [
        Secret(target, os.path.isdir(target))
        for link, target in targets
        if os.path.lexists(target) and not inside(link, target)  # who leads around itself hides nothing
    ]


def link_at(place: str, directory: int | None = None) -> str:
    """The link at a place, so that it can be told from another one; nothing if there is none."""
    try:
        found = os.stat(place, dir_fd=directory, follow_symlinks=False)
        if not stat.S_ISLNK(found.st_mode):
            return ""
        return f"{found.st_dev}:{found.st_ino} {os.readlink(place, dir_fd=directory)}"
    except OSError as error:
        if error.errno in _GONE or error.errno in {errno.EINVAL, errno.ENAMETOOLONG}:
            return ""
        raise
