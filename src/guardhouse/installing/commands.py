"""The command lines that are written into agents' settings: made here, and recognised here.

Where there is something to keep from happening, each is closed by itself: an interpreter that is gone, or a guard that
can't start, ends with exit status 2 and a sentence, which agents take for a deny. Where an agent needs no shell to
start a program, its own flag closes. What the commands do is not decided here.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.config import pinned_variables
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MODULE: Final = ("-I", "-m", "guardhouse")
"""Isolated: neither the directory the agent stands in nor its environment decides which code the guard is."""
_CLOSED: Final = " || { echo 'Guardhouse could not run: blocked.' >&2; exit 2; }"
_CLOSED_IN_WORDS: Final = (
    ' || { [ $? = 2 ] || echo \'{"decision":"block","reason":"Guardhouse could not run: blocked."}\'; exit 2; }'
)
"""For an agent that reads nothing but what is printed. With status 2 the hook has said no already."""
_READS_WORDS_ONLY: Final = frozenset({"hermes"})
_NOTHING_TO_CLOSE: Final = frozenset(
    "SessionStart Stop SubagentStop AfterAgent afterAgentResponse post_tool_call pre_llm_call post_llm_call".split()
)
"""Events at which a no would only make an agent go on working: there the bare command is written."""
Form = Literal["shell", "words", "program", "exec"]
"""How an agent is told what to run: a text for a shell, a text that is split into words, or a program and its
arguments, which go by two names."""
_SHELL: Final = "/bin/sh"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command finds everything. It is told its home, so that no variable of a project's moves it."""

    home: str | None = None
    config_home: str | None = None
    state_dir: str | None = None
    key_dir: str | None = None
    config: str | None = None

    def words(self) -> list[str]:
        """As words of a command line."""
        given = [(option, getattr(self, field)) for option, field in _OPTIONS.items()]
        return [word for option, value in given if value is not None for word in (option, value)]

    def variables(self) -> dict[str, str] | None:
        """The environment that counts for whoever is told this; None if that is their own."""
        return pinned_variables(self.home, self.config_home, self.key_dir)


_OPTIONS: Final = {f"--{field.replace('_', '-')}": field for field in Options.__struct_fields__}


class HookCommand(msgspec.Struct, frozen=True, kw_only=True):
    """The command of one event's hook."""

    python: str
    agent: str
    event: str
    options: Options = Options()

    @property
    def words(self) -> list[str]:
        """As a program and its arguments."""
        return [self.python, *_MODULE, "hook", self.agent, "--event", self.event, *self.options.words()]

    @property
    def text(self) -> str:
        """As a shell reads it."""
        return shlex.join(self.words) + _closing(self.agent, self.event)

    @property
    def shell_words(self) -> list[str]:
        """As an agent without another way starts `text`."""
        return [_SHELL, "-c", self.text]


def _closing(agent: str, event: str) -> str:
    if event in _NOTHING_TO_CLOSE:
        return ""
    return _CLOSED_IN_WORDS if agent in _READS_WORDS_ONLY else _CLOSED


def interpreter() -> str:
    """The Python that runs this, by its absolute path."""
    if not sys.executable or not Path(sys.executable).is_absolute():
        raise GuardhouseError("It can't be told which Python runs this.", fix="Start it by its absolute path.")
    return sys.executable


def read_handler(handler: Mapping[str, Any]) -> HookCommand | None:
    """The command of a handler in an agent's settings, in any form; None if it is not one that is written here."""
    command = handler.get("exec", handler.get("command"))
    if "args" not in handler:
        return read_hook_command(command)
    arguments = handler["args"]
    words = [command, *arguments] if isinstance(arguments, list) else []
    found = _read_words(words)
    return found if found is not None and found.words == words else None


def read_hook_command(text: object) -> HookCommand | None:
    """The command that `HookCommand.text` made `text` of, by itself or after the shell that is to read it; None if it
    is any other, if only by a space."""
    if not isinstance(text, str):
        return None
    try:
        words = shlex.split(text.removesuffix(_CLOSED_IN_WORDS).removesuffix(_CLOSED))
        inner = words[2] if len(words) == 3 and words[:2] == [_SHELL, "-c"] else None
    except ValueError:
        return None
    if inner is not None:
        found = read_hook_command(inner)
        return found if found is not None and shlex.join(found.shell_words) == text else None
    command = _read_words(words)
    return command if command is not None and command.text == text else None


def _read_words(words: Sequence[Any]) -> HookCommand | None:
    if len(words) < 8 or not all(isinstance(word, str) for word in words):
        return None
    if tuple(words[1:4]) != _MODULE or words[4] != "hook" or words[6] != "--event":
        return None
    options = _read_options(words[8:])
    if options is None:
        return None
    return HookCommand(python=words[0], agent=words[5], event=words[7], options=options)


def _read_options(words: Sequence[str]) -> Options | None:
    given = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or len(given) * 2 != len(words) or not given.keys() <= _OPTIONS.keys():
        return None
    return Options(**{_OPTIONS[option]: value for option, value in given.items()})


def _strings(value: object) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def is_hook_command(text: object, agent: str) -> bool:
    """Whether a command is a hook of ours for an agent, of whatever version and wherever it was installed."""
    return isinstance(text, str) and f" -m guardhouse hook {agent} " in f"{text} "


def is_own_handler(handler: Mapping[str, Any], agent: str) -> bool:
    """The same of a handler, whether it is one text for a shell or a program with its arguments."""
    # Joined without quoting: an argument with blanks in it can at most be taken for ours, and is then replaced.
    return is_hook_command(handler.get("command"), agent) or is_hook_command(
        " ".join(["", *_strings(handler.get("args"))]), agent
    )


def gateway_arguments(name: str, options: Options, command: str, arguments: Sequence[str]) -> list[str]:
    """The arguments of an interpreter that runs an MCP server behind the gateway."""
    return [*_MODULE, "mcp", "--name", name, *options.words(), "--", command, *arguments]


def gateway_to_url_arguments(name: str, options: Options, remote: Remote) -> list[str]:
    """The same for a server that is reached by URL."""
    headers = [word for header, variable in remote.headers for word in ("--header-env", f"{header}={variable}")]
    listed = ["--listed-as", remote.listed_as, "--url", remote.url]
    return [*_MODULE, "mcp", "--name", name, *options.words(), *listed, *headers]


class Remote(msgspec.Struct, frozen=True):
    """Where a server is that is reached by URL."""

    url: str
    listed_as: str
    """How the client's list said so: the key of the URL, and the type, if there was one."""
    headers: tuple[tuple[str, str], ...] = ()
    """Names, each with the variable that holds its value."""


class Guarded(msgspec.Struct, frozen=True):
    """An MCP server that runs behind the gateway."""

    name: str
    command: str
    arguments: list[str]
    options: Options = Options()
    """What the gateway is told of its places. Without a home, its environment decides."""
    remote: Remote | None = None
    """Where it is, if it is not started; then it has no command."""


def read_gateway_arguments(arguments: object) -> Guarded | None:
    """The server that `gateway_arguments` was made for; None if the arguments are others."""
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        return None
    if tuple(arguments[:3]) != _MODULE or arguments[3:5] != ["mcp", "--name"] or len(arguments) < 6:
        return None
    if "--" not in arguments[6:]:
        return _read_remote(arguments)
    end = arguments.index("--", 6)
    options = _read_options(arguments[6:end])
    if len(arguments) < end + 2 or options is None:
        return None
    return Guarded(arguments[5], arguments[end + 1], arguments[end + 2 :], options)


def _read_remote(arguments: list[str]) -> Guarded | None:
    """The same of a server that is reached by URL."""
    if "--listed-as" not in arguments[6:]:
        return None
    start = arguments.index("--listed-as", 6)
    options, rest = _read_options(arguments[6:start]), arguments[start:]
    if options is None or len(rest) % 2 or len(rest) < 4 or rest[2] != "--url" or set(rest[4::2]) - {"--header-env"}:
        return None
    headers = tuple((name, variable) for name, _, variable in (word.partition("=") for word in rest[5::2]))
    return Guarded(arguments[5], "", [], options, Remote(rest[3], rest[1], headers))


_SCRIPT: Final = "guardhouse"
_STARTERS: Final = frozenset({"uv", "uvx", "pipx"})
"""Programs that run the console script of a package, by its name."""


def read_foreign_gateway(command: object, arguments: object) -> Guarded | None:
    """The server that somebody put behind the gateway by hand: with the console script, or another Python. Its name is
    empty if the gateway reads it off the command."""
    words = [command, *_strings(arguments)] if isinstance(command, str) else []
    if not isinstance(arguments, list) or len(words) != 1 + len(arguments) or "--" not in words:
        return None
    end = words.index("--")
    head, rest = words[:end], words[end + 1 :]
    if not rest or "mcp" not in head[1:]:
        return None
    place = head.index("mcp", 1)
    program = Path(words[0]).name
    is_script = program == _SCRIPT and place == 1
    is_module = head[place - 1] == _SCRIPT and _runs_module(head[place - 2]) and program.startswith("python")
    is_started = program in _STARTERS and head[place - 1] == _SCRIPT
    if not (is_script or is_module or is_started):
        return None
    options = head[place + 1 :]
    name = options[options.index("--name") + 1] if "--name" in options[:-1] else ""
    return Guarded(name, rest[0], rest[1:])


def _runs_module(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and word.endswith("m")
