"""`guardhouse sandbox`: runs a command where it has no way out but the proxy, or not at all.

It is started for every command of an agent's, so it reads its own options and loads nothing else before it becomes the
sandbox.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final, NoReturn

_USAGE: Final = """\
Usage: guardhouse sandbox [OPTIONS] [--] COMMAND [ARGUMENT]...

  Run a command that can reach the hosts of the policy and nothing else: it has no network but a proxy of ours, sees the
  workspace, programs and tools, and neither your passwords nor other programs' sockets. Where this machine can't do
  that, nothing is run.

Options:
  --workspace DIR     The directory that it works in (default: the current one). It can write there, and nowhere else.
  --read-only         It can't write there either.
  --session ID        The agent's session, for the record.
  --check             Say whether it would work here, and what is missing; run nothing.
  --show              Print what would be visible inside; run nothing.
  --json              With --check or --show: as JSON.
  --no-sandbox        Run the command WITHOUT the sandbox. Only a person can, and the record says so.
  --config FILE       Configuration file to use instead of your own.
  --state-dir DIR     Where state lives.
  --home DIR          Your home. With it, no variable of the environment decides where anything is.
  --config-home DIR   With --home: where configuration lives, if not in ~/.config.
  --key-dir DIR       With --home: where keys live, if not in ~/.local/share/guardhouse/keys.
  -h, --help          Show this message and exit.

The exit status is the command's; 125 if nothing was run. docs/sandbox.md says more.
"""
_WITH_VALUE: Final = (
    "--workspace", "--session", "--config", "--state-dir", "--home", "--config-home", "--key-dir", "--told-by",
)  # fmt: skip
_FLAGS: Final = ("--read-only", "--check", "--show", "--json", "--no-sandbox")
_PLACES: Final = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")


class _Options:
    def __init__(self, values: dict[str, str], flags: set[str], command: list[str]) -> None:
        self.values = values
        self.flags = flags
        self.command = command

    def get(self, name: str) -> str | None:
        return self.values.get(name)


def main(arguments: Sequence[str]) -> NoReturn:
    """Run what the arguments say, or say why not."""
    from guardhouse.sandbox.entering import NOT_STARTED, NotEntered, enter

    if arguments[:1] == ["--keep"] and len(arguments) == 3:
        from guardhouse.sandbox.keeper import keep

        keep(arguments[1], int(arguments[2]))
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(_USAGE, end="")
        sys.exit(0 if arguments else 2)
    options = _read(arguments)
    if isinstance(options, str):
        _fail(options, 2)
    if not options.flags.isdisjoint({"--check", "--show", "--no-sandbox"}):
        from guardhouse.cli.sandbox_standing import run

        sys.exit(run(options.command, options.values, options.flags))
    if not options.command:
        _fail("There is no command to run. See: guardhouse sandbox --help", 2)
    try:
        enter(_request(options), _state(options), options.command)
    except NotEntered as error:
        _fail(f"{error}\nNothing was run.", NOT_STARTED)
    except OSError as error:
        _fail(f"The sandbox can't be entered: {error.strerror}. Nothing was run.", NOT_STARTED)


def _read(arguments: Sequence[str]) -> _Options | str:
    """The command line, or what is wrong with it."""
    rest = list(arguments)
    values: dict[str, str] = {}
    flags: set[str] = set()
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if name in _FLAGS and not equals:
            flags.add(name)
        elif name in _WITH_VALUE and (equals or rest):
            values[name] = value if equals else rest.pop(0)
        else:
            return f"There is no option {name}, or it lacks its value. See: guardhouse sandbox --help"
    return _Options(values, flags, rest)


def _request(options: _Options) -> dict[str, Any]:
    from guardhouse import __version__

    cwd = os.environ.get("PWD", "")
    try:
        here = os.getcwd()
    except OSError:
        here = "/"
    if not (cwd.startswith("/") and os.path.realpath(cwd) == here):
        cwd = here
    request: dict[str, Any] = {
        "build": __version__,
        "command": options.command[:1],
        "cwd": cwd,
        "workspace": os.path.abspath(options.get("--workspace") or cwd),
        "environment": dict(os.environ),
        "variables": _variables(options),
        "read_only": "--read-only" in options.flags,
        "session_id": options.get("--session"),
        "told_by": options.get("--told-by") or "",
    }
    config = options.get("--config")
    if config is not None:
        request["config_file"] = os.path.abspath(config)
    return request


def _variables(options: _Options) -> dict[str, str]:
    """Of the environment, what says where things are; with --home, what the options say instead."""
    home = options.get("--home")
    if home is None:
        return {
            name: value
            for name, value in os.environ.items()
            if name in _PLACES or (name.startswith("GUARDHOUSE_") and name != "GUARDHOUSE_TOKEN")
        }
    named = {
        "HOME": home,
        "XDG_CONFIG_HOME": options.get("--config-home"),
        "GUARDHOUSE_KEY_DIR": options.get("--key-dir"),
    }
    return {name: value for name, value in named.items() if value is not None}


def _state(options: _Options) -> str:
    from guardhouse.sandbox.meeting import state_directory

    state = options.get("--state-dir")
    return os.path.abspath(state) if state is not None else state_directory(_variables(options))


def _fail(problem: str, status: int) -> NoReturn:
    sys.stderr.write(f"guardhouse: {problem}\n")
    sys.exit(status)
