"""Looks through a workspace for what holds secrets, so that it can be hidden inside, and for repositories and settings
of agents, so that they can be protected there; again and again, quickly.

What was found in a directory stays true for as long as nothing is added to it or renamed in it, which its time of
change tells; a directory that changed a moment ago may change again within the same tick, and is not remembered. How
much is looked through is bounded: what lies further in is not hidden, and the gate asks about it if a command names it.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.paths import standing_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST: Final = 20_000
DEEPEST: Final = 5
"""Entries of a workspace, and levels of directories, that are looked through."""
FURTHER_IN: Final = frozenset({".git", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json"})
"""Names of repositories and of settings of agents that count wherever they lie."""
_MOST_REMEMBERED: Final = 20_000
_A_MOMENT: Final = 2_000_000_000
_PASSED_OVER: Final = frozenset({".git", "node_modules", "site-packages", "__pycache__", "target", "vendor"})


class Secret(NamedTuple):
    """Something that holds secrets."""

    path: str
    is_directory: bool


class Seen(NamedTuple):
    """What matters of a workspace."""

    secrets: list[Secret]
    settings: list[str]
    """Repositories, and settings of agents, further in than its root."""
    unseen: int
    """How many directories at least were left out."""


class _Directory(NamedTuple):
    changed: int
    entries: int
    secrets: tuple[Secret, ...]
    settings: tuple[str, ...]
    below: tuple[str, ...]


class Looker:
    """Remembers what it saw. Not for several threads at once."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, tuple[str, ...]], _Directory] = {}
        self._known: dict[tuple[str, str, tuple[str, ...]], set[Secret]] = {}
        """What was found below a root at any time: who fills it with other things hides nothing by that."""

    def look(self, root: str, home: str, patterns: tuple[str, ...]) -> Seen:
        """What matters below a directory. Links are not followed: what they lead to is seen inside only if it is
        mounted, and is looked through there."""
        if len(self._seen) > _MOST_REMEMBERED:
            self._seen.clear()
        known = self._known.setdefault((root, home, patterns), set())
        known -= {secret for secret in known if not os.path.lexists(secret.path)}
        found, settings = set[Secret](known), list[str]()
        level, entries = [root], 0
        for _depth in range(DEEPEST):
            below: list[str] = []
            for number, path in enumerate(level):
                if entries > MOST:
                    return Seen(sorted(found), settings, len(level) - number)
                directory = self._look(path, home, patterns)
                entries += directory.entries
                found.update(directory.secrets)
                known.update(directory.secrets)
                settings += directory.settings if path != root else ()
                below += directory.below
            level = below
        return Seen(sorted(found), settings, len(level))

    def _look(self, path: str, home: str, patterns: tuple[str, ...]) -> _Directory:
        key = (path, home, patterns)
        try:
            changed = os.stat(path, follow_symlinks=False).st_mtime_ns
        except OSError:
            return _NOTHING  # it has just gone
        known = self._seen.get(key)
        if known is not None and known.changed == changed:
            return known
        secrets: list[Secret] = []
        settings: list[str] = []
        below: list[str] = []
        entries = _entries(path)
        for entry in entries:
            if entry.name in FURTHER_IN:
                settings.append(entry.path)
            if entry.is_symlink():
                continue
            is_directory = entry.is_dir(follow_symlinks=False)
            if standing_of(entry.path, (home,), patterns).secret is not None:
                secrets.append(Secret(entry.path, is_directory))
            elif is_directory and entry.name not in _PASSED_OVER:
                below.append(entry.path)
        seen = _Directory(changed, len(entries), tuple(secrets), tuple(settings), tuple(below))
        if time.time_ns() - changed > _A_MOMENT:
            self._seen[key] = seen
        return seen


_NOTHING: Final = _Directory(0, 0, (), (), ())


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return _first(entries)
    except OSError:
        return []  # what we can't look into, a process with the same rights can't either


def _first(entries: Iterable[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    from itertools import islice

    return list(islice(entries, MOST + 1))
