"""Why a path is not suggested to be allowed: what lies there decides over more than the work, or it is no single file.

To allow a path allows everything in it, and what else it would be asked about for. So this looks at the disk, and takes
what it can't tell for unfit. Nothing here decides about an action.
"""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from guardhouse.detect.paths import inside, tidy
from guardhouse.detect.paths.places import HOOK_DIRECTORIES, HOOK_SETTINGS, PERSISTENCE, SENSITIVE, PlaceTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.detect import Surroundings

Expected = Literal["file", "target", "directory"]
"""What a path is for: a file that a tool writes, what a command writes to (which puts a file into it if that is a
directory), or a directory that would be allowed as one."""

DIRECTORY: Final = "It is a directory, or may be one: to allow it would allow everything that is ever put there."
_OWN: Final = "The guard's own files are there."
_HOOKS: Final = "Settings that decide whether an agent calls the guard are there."
_LATER: Final = "What is there runs later, or grants access."
_SECRETS: Final = "Secrets are kept there."
_RUN: Final = "Programs are run from there by their name."
_WIDE: Final = "Somebody's whole home is there."
_UNTOLD: Final = "It can't be told what lies there."

_PROGRAMS: Final = tuple("~/.local/bin ~/bin ~/.cargo/bin ~/go/bin ~/.npm-global/bin ~/.bun/bin ~/.deno/bin".split())
"""Where shells look for programs in a home. What lies there is run by its name, by anybody."""
_MOST_LOOKED_AT: Final = 2_000
"""Entries of a directory that are looked at; one with more is not suggested."""


def unfit_place(around: Surroundings, search: str) -> Callable[[str, Expected], str]:
    """Tells why a path should not be suggested; empty if it may be. `search` is a PATH, whose directories programs are
    run from."""
    return lru_cache(maxsize=4096)(_Places(around, search).why)


class _Places:
    def __init__(self, around: Surroundings, search: str) -> None:
        self._own = [own.path for own in around.own]
        self._homes = around.homes
        self._programs = [*_programs(around.homes, search)]
        self._table = PlaceTable(
            {
                _HOOKS: [(kind, pattern) for kind, pattern, _example in (*HOOK_SETTINGS, *HOOK_DIRECTORIES)],
                _LATER: [(kind, pattern) for kind, pattern, _example in PERSISTENCE],
                _SECRETS: [(kind, pattern) for kind, pattern, _example in SENSITIVE],
            },
            around.homes,
        )

    def why(self, path: str, expected: Expected) -> str:
        for place in dict.fromkeys((tidy(path), os.path.realpath(path))):
            told = self._of_place(place)
            if told:
                return told
        return self._of_disk(Path(path), expected)

    def _of_place(self, place: str) -> str:
        if any(inside(place, own) or inside(own, place) for own in self._own):
            return _OWN
        if any(inside(place, directory) or inside(directory, place) for directory in self._programs):
            return _RUN
        if any(inside(home, place) for home in self._homes):
            return _WIDE
        # With the directories above it: a file in a directory of secrets is among them, whatever its name.
        parts = place.split("/")
        found = (self._kind("/".join(parts[:length])) for length in range(len(parts), 1, -1))
        return next(filter(None, found), "")

    def _kind(self, place: str) -> str:
        return next(iter(self._table.kinds(place)), "")

    def _of_disk(self, path: Path, expected: Expected) -> str:
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            return "" if expected == "file" else DIRECTORY
        except (OSError, ValueError):
            return _UNTOLD
        if stat.S_ISDIR(mode):
            return self._of_content(path) if expected == "directory" else DIRECTORY
        return "" if stat.S_ISREG(mode) and expected != "directory" else _UNTOLD

    def _of_content(self, directory: Path) -> str:
        unread: list[OSError] = []
        looked_at = 0
        for place, directories, files in os.walk(directory, onerror=unread.append):
            for name in (*directories, *files):
                looked_at += 1
                told = self._kind(f"{place}/{name}") if looked_at <= _MOST_LOOKED_AT else _UNTOLD
                if told:
                    return told
        return _UNTOLD if unread else ""


def _programs(homes: tuple[str, ...], search: str) -> Iterator[str]:
    for home in homes:
        yield from (place.replace("~", home, 1) for place in _PROGRAMS)
    yield from (tidy(place) for place in search.split(os.pathsep) if place.startswith("/"))
