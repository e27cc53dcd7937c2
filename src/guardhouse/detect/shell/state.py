"""What a script has done so far, as far as it can be followed: variables, functions, files it wrote, where it stands.

A state is changed in place by the commands that change it for those after them; a subshell works on a copy. Where a
script may stand in one of several directories, it stands in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.paths.readings import tidy
from guardhouse.detect.shell.values import SILENT, Stream, Value, Variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from guardhouse.detect.shell.syntax import Command

LONGEST_PATH = 4096
MOST_FILES = 256
"""Files that one reading remembers."""
_MOST_DIRECTORIES = 6
_MOST_BODIES = 16
_LONGEST_CHAIN = 8
"""Links that lead to links."""


class State:
    """One shell at one point of its script."""

    __slots__ = (
        "aliases",
        "cwd",
        "descriptors",
        "files",
        "functions",
        "left",
        "links",
        "mounts",
        "network",
        "others",
        "scope",
        "stdin",
        "stdout",
        "stops",
        "variables",
        "waits",
    )

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.others: tuple[str, ...] = ()
        """Other directories that it may stand in instead."""
        self.left = UNKNOWN
        """The directory it was in before."""
        self.stops = False
        """Whether the script stops at the first command that fails."""
        self.variables = Variables()
        self.functions: dict[str, tuple[Command, ...]] = {}
        """Bodies that a function may have."""
        self.aliases: dict[str, str] = {}
        self.files: dict[str, Stream] = {}
        """Files that this script wrote, by path."""
        self.links: dict[str, str] = {}
        """Links that this script made: path and where it leads."""
        self.mounts: dict[str, str] = {}
        """Of a container: directories in it that are directories of this machine."""
        self.network: frozenset[str] = frozenset()
        """Descriptors that lead to the network."""
        self.descriptors: dict[str, Stream] = {}
        """What else can be read, by descriptor."""
        self.stdin: Stream = SILENT
        self.waits = True
        """Whether standard input is what the script itself was given, so that nothing comes from it."""
        self.stdout = ""
        """The file that output goes to, if not where it usually goes."""
        self.scope = Scope.LOCAL

    def copy(self) -> State:
        """The same, for a shell of its own. Files are the world's: they are shared."""
        other = State(self.cwd)
        for name in ("others", "left", "stops", "files", "links", "mounts", "network", "descriptors"):
            setattr(other, name, getattr(self, name))
        other.variables = self.variables.copy()
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.stdin, other.waits, other.stdout = self.stdin, self.waits, self.stdout
        other.scope = self.scope
        return other

    # Directories.

    @property
    def places(self) -> tuple[str, ...]:
        """Every directory it may stand in."""
        return (self.cwd, *self.others)

    def move(self, place: str) -> None:
        """Go to another directory."""
        self.left, self.cwd, self.others = self.cwd, place, ()

    def may_be_in(self, places: Iterable[str]) -> None:
        """It may also stand in one of these."""
        found = [place for place in dict.fromkeys((*self.others, *places)) if place != self.cwd]
        self.others = tuple(found) if len(found) <= _MOST_DIRECTORIES else (*found[:_MOST_DIRECTORIES], UNKNOWN)

    def path(self, text: str) -> str:
        """A path as an absolute one, with the links followed that the script itself made."""
        return self._from(text, self.cwd)

    def paths(self, text: str, *, follow: bool = True) -> tuple[str, ...]:
        """Every absolute path that a path may come to, the likeliest first. Deleting a link does not follow it."""
        if text[:1] == UNKNOWN:
            # What is not known may be nothing.
            rest = text.lstrip(UNKNOWN)
            return (UNKNOWN, self._from(rest, self.cwd, follow=follow)) if rest[:1] == "/" else (UNKNOWN,)
        if not self.others or text[:1] == "/":
            return (self._from(text, self.cwd, follow=follow),)
        return tuple(dict.fromkeys(self._from(text, place, follow=follow) for place in self.places))

    def _from(self, text: str, cwd: str, *, follow: bool = True) -> str:
        if text.startswith(UNKNOWN):
            return UNKNOWN
        if not text.startswith("/"):
            if cwd.startswith(UNKNOWN):
                return UNKNOWN
            text = f"{cwd.rstrip('/')}/{text}"
        if len(text) > LONGEST_PATH:
            return UNKNOWN
        ends = text.endswith(("/", "/."))
        path = tidy(text)
        for _ in range(_LONGEST_CHAIN):
            for link, target in self.links.items():
                if path.startswith(f"{link}/") or (path == link and (ends or follow)):
                    path = tidy(target + path[len(link) :])
                    break
            else:
                return path
        return UNKNOWN

    # Files and functions.

    def held(self, text: str) -> Stream | None:
        """What a file holds that this script wrote, if it did; of several, each."""
        if not self.files:
            return None
        found = [held for path in self.paths(text) if (held := self.files.get(path)) is not None]
        return either(found) if found else None

    def define(self, name: str, body: Command) -> None:
        """A function gets a body. It may have others: which one is in force at a call is not told."""
        bodies = (*self.functions.get(name, ()), body)
        self.functions[name] = bodies[-_MOST_BODIES:]


def either(streams: list[Stream]) -> Stream:
    """One of several contents: whoever runs it runs any of them."""
    if len(streams) == 1:
        return streams[0]
    texts = [stream.text for stream in streams if stream.text is not None]
    text = "\n".join(texts) if len(texts) == len(streams) else None
    return Stream(text, frozenset().union(*(stream.sources for stream in streams)), streams[0].name)


class Call(msgspec.Struct, frozen=True):
    """One program about to be run."""

    name: str
    """The last part of its path."""
    program: Value
    """The word it is named by."""
    args: list[Value]
    stdin: Stream
    waits: bool
    """Nobody gives it anything to read."""
    environment: Mapping[str, Value]
    """What is set for this command alone."""
    network: bool = False
    """Its input or output leads to the network."""
    wrapped: str = ""
    """The program that runs it, if one does."""

    @property
    def texts(self) -> list[str]:
        """The arguments' texts."""
        return [value.text for value in self.args]
