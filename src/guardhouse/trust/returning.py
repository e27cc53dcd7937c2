"""Which calls bring their result elsewhere: a command that goes on in the background is asked later, by another tool.

Whoever limits what of a result may be seen has to know that. Tables only; what a limit is, and how results come, is not
known here. A command can also write what it finds into a file: that no table tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from guardhouse.trust.capabilities import tool_name

_GOING_ON: Final = frozenset("exec_command interact_with_process monitor start_process write_stdin".split())
"""Tools whose output goes on after they have answered, under calls of others. `exec_command` of Codex answers after a
while, and `write_stdin` brings the rest; `monitor` of Claude Code tells of it event by event."""
_FETCHING: Final = frozenset(
    "bashoutput get_terminal_output interact_with_process read_process_output taskoutput write_stdin".split()
)
"""Tools that bring what other calls put out."""
_TASKS: Final = frozenset(["tasks/result", "tasks/get", "tasks/list", "tasks/cancel"])
"""The same among the requests of the Model Context Protocol."""
_BEHIND: Final = frozenset(
    "async background detach detached is_background isbackground run_async run_in_background runinbackground".split()
)
"""Parameters by which a call is told to go on in the background."""
_NOT_SO: Final = (None, False, 0, "", "0", "false", "False", "no", "off")
_OPEN: Final = {"stdin": "open"}
"""Parameters that say, with this value, that the model can go on with what it started."""


def returns_elsewhere(tool: str, params: Mapping[str, Any]) -> bool:
    """Whether what a call brings may come back as the result of another call."""
    if _own_name(tool) in _GOING_ON | _FETCHING:
        return True
    for name, value in params.items():
        plain = name.strip().lower().replace("-", "_")
        if plain in _BEHIND and not any(value is one or value == one for one in _NOT_SO):
            return True
        if plain in _OPEN and value == _OPEN[plain]:
            return True
    return False


def fetches_from(tool: str, other: str) -> bool:
    """Whether the answers of `tool` may hold what a call of the tool `other` put out."""
    name = tool_name(tool)
    if _own_name(name) in _TASKS:
        return tool_name(other).startswith(name.rpartition("__")[0] + "__")
    return _own_name(name) in _FETCHING


def _own_name(tool: str) -> str:
    """The name of a tool without that of its server."""
    return tool_name(tool).rpartition("__")[2]
