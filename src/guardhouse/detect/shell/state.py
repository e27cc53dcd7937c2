"""What a script has done so far, as far as it can be followed: variables, functions, files it wrote, where it stands.

A state is changed in place by the commands that change it for those after them; a subshell works on a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.paths.places import tidy
from guardhouse.detect.shell.values import SILENT, Stream, Value, Variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.detect.shell.syntax import Command

LONGEST_PATH = 4096
MOST_FILES = 256
"""Files that one reading remembers."""


class State:
    """One shell at one point of its script."""

    __slots__ = (
        "aliases",
        "cwd",
        "descriptors",
        "files",
        "functions",
        "links",
        "network",
        "scope",
        "stdin",
        "variables",
        "waits",
    )

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.variables = Variables()
        self.functions: dict[str, Command] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, Stream] = {}
        """Files that this script wrote, by path."""
        self.links: dict[str, str] = {}
        """Links that this script made: path and where it leads."""
        self.network: frozenset[str] = frozenset()
        """Descriptors that lead to the network."""
        self.descriptors: dict[str, Stream] = {}
        """What else can be read, by descriptor."""
        self.stdin: Stream = SILENT
        self.waits = True
        """Whether standard input is what the script itself was given, so that nothing comes from it."""
        self.scope = Scope.LOCAL

    def copy(self) -> State:
        """The same, for a shell of its own. Files are the world's: they are shared."""
        other = State(self.cwd)
        other.variables = self.variables.copy()
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.files = self.files
        other.links = self.links
        other.network = self.network
        other.descriptors = self.descriptors
        other.stdin = self.stdin
        other.waits = self.waits
        other.scope = self.scope
        return other

    def path(self, text: str) -> str:
        """A path as an absolute one, with the links followed that the script itself made."""
        if text.startswith(UNKNOWN):
            return UNKNOWN
        if not text.startswith("/"):
            text = f"{self.cwd.rstrip('/')}/{text}"
        if len(text) > LONGEST_PATH:
            return UNKNOWN
        ends = text.endswith(("/", "/."))
        path = tidy(text)
        for link, target in self.links.items():
            if path.startswith(f"{link}/") or (path == link and ends):
                path = tidy(target + path[len(link) :])
        return path


class Call(NamedTuple):
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
