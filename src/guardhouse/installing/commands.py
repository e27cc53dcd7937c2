"""The command lines that are written into agents' settings: made here, and recognised here.

Where there is something to keep from happening, each is closed by itself: an interpreter that is gone, or a guard that
can't start, ends with exit status 2 and a sentence, which agents take for a deny. What the commands do is not decided
here.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

import msgspec

from guardhouse.model import GuardhouseError

_MODULE: Final = ("-I", "-m", "guardhouse")
"""Isolated: neither the directory the agent stands in nor its environment decides which code the guard is."""
_CLOSED: Final = " || { echo 'Guardhouse could not run: blocked.' >&2; exit 2; }"
_NOTHING_TO_CLOSE: Final = frozenset({"SessionStart", "Stop", "SubagentStop"})
"""Events at which a no would only make an agent go on working: there the bare command is written."""
_OPTIONS: Final = ("--config", "--state-dir")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What was given at install time and is not the default."""

    config: str | None = None
    state_dir: str | None = None

    def words(self) -> list[str]:
        """As words of a command line."""
        given = zip(_OPTIONS, (self.config, self.state_dir), strict=True)
        return [word for option, value in given if value is not None for word in (option, value)]


class HookCommand(msgspec.Struct, frozen=True, kw_only=True):
    """The command of one event's hook."""

    python: str
    agent: str
    event: str
    options: Options = Options()

    @property
    def text(self) -> str:
        """As a shell reads it."""
        words = [self.python, *_MODULE, "hook", self.agent, "--event", self.event, *self.options.words()]
        return shlex.join(words) + ("" if self.event in _NOTHING_TO_CLOSE else _CLOSED)


def interpreter() -> str:
    """The Python that runs this, by its absolute path."""
    if not sys.executable or not Path(sys.executable).is_absolute():
        raise GuardhouseError("It can't be told which Python runs this.", fix="Start it by its absolute path.")
    return sys.executable


def read_hook_command(text: object) -> HookCommand | None:
    """The command that `HookCommand.text` made `text` of; None if it is any other, if only by a space."""
    if not isinstance(text, str):
        return None
    try:
        words = shlex.split(text.removesuffix(_CLOSED))
    except ValueError:
        return None
    if len(words) < 7 or tuple(words[1:4]) != _MODULE or words[4] != "hook" or words[6:7] != ["--event"]:
        return None
    options = _read_options(words[8:])
    if options is None or len(words) < 8:
        return None
    command = HookCommand(python=words[0], agent=words[5], event=words[7], options=options)
    return command if command.text == text else None


def _read_options(words: list[str]) -> Options | None:
    given = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or len(given) * 2 != len(words) or not set(given) <= set(_OPTIONS):
        return None
    return Options(config=given.get("--config"), state_dir=given.get("--state-dir"))


def is_hook_command(text: object, agent: str) -> bool:
    """Whether a command is a hook of ours for an agent, of whatever version and wherever it was installed."""
    return isinstance(text, str) and f" -m guardhouse hook {agent} " in f"{text} "


def gateway_arguments(name: str, options: Options, command: str, arguments: list[str]) -> list[str]:
    """The arguments of an interpreter that runs an MCP server behind the gateway."""
    return [*_MODULE, "mcp", "--name", name, *options.words(), "--", command, *arguments]


class Guarded(msgspec.Struct, frozen=True):
    """An MCP server that runs behind the gateway."""

    name: str
    command: str
    arguments: list[str]


def read_gateway_arguments(arguments: object) -> Guarded | None:
    """The server that `gateway_arguments` was made for; None if the arguments are others."""
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        return None
    if tuple(arguments[:3]) != _MODULE or arguments[3:5] != ["mcp", "--name"] or "--" not in arguments[6:]:
        return None
    end = arguments.index("--", 6)
    if len(arguments) < end + 2 or _read_options(arguments[6:end]) is None:
        return None
    return Guarded(arguments[5], arguments[end + 1], arguments[end + 2 :])
