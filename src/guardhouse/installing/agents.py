"""The coding agents that hooks can be installed under: their files, their events, and how an entry must look.

A table and what follows from it. What the hook answers is the adapters' business, not that of this room.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.installing.commands import HookCommand, read_handler
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["user", "project"]

TIMEOUT: Final = 30
"""Seconds an agent waits for the hook, which gives up by itself before that."""
_ALL: Final = (None, "", "*")
"""Matchers that match everything."""


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent and what it takes to put the gate under it."""

    name: str
    title: str
    program: str
    directory: str
    """Of its settings, in the home directory and in a project."""
    directory_variable: str
    """The environment variable that names another directory for the user's settings."""
    user_file: str
    project_file: str
    """Not one that is meant to be shared: it holds paths of this machine."""
    other_files: tuple[str, ...] = ()
    """Further files of a project that the agent reads hooks from."""
    events: tuple[str, ...]
    matched: frozenset[str] = frozenset()
    """Events whose entries say which tools they are for; ours are for all."""
    blocking: frozenset[str] = frozenset()
    """Events for which an entry can say that a hook that fails blocks."""
    starts_programs: bool = False
    """Whether an entry can name a program and its arguments. Then no shell reads the command, and nothing that a
    project's settings put before it."""
    least_version: tuple[int, int, int]
    version_matters: str
    """What an older version does."""

    def entry(self, event: str, command: HookCommand) -> dict[str, Any]:
        """Our handler for an event."""
        handler: dict[str, Any] = {"type": "command", "command": command.text}
        if self.starts_programs:
            program, *arguments = command.words
            handler |= {"command": program, "args": arguments}
        handler["timeout"] = TIMEOUT
        if event in self.blocking:
            handler["onFailure"] = "block"
        return handler

    def group(self, event: str, command: HookCommand) -> dict[str, Any]:
        """What is put into the list of an event: a matcher, where there are any, and our handler."""
        matcher = {"matcher": "*"} if event in self.matched else {}
        return {**matcher, "hooks": [self.entry(event, command)]}

    def is_complete(self, event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> bool:
        """Whether a handler found in a group is as `entry` would make it, and its group is for everything, with no
        condition beside it."""
        command = read_handler(handler)
        is_for_all = group.get("matcher") in _ALL and group.keys() <= {"matcher", "hooks"}
        return command is not None and handler == self.entry(event, command) and is_for_all

    def settings_directory(self, scope: Scope, variables: Mapping[str, str], home: Path, cwd: Path) -> Path:
        """Where the agent's settings are."""
        if scope == "project":
            return cwd / self.directory
        named = variables.get(self.directory_variable)
        if named and not named.startswith("/"):
            raise GuardhouseError(
                f"{self.directory_variable} is not an absolute path.", fix="Start it with `/`, or unset it."
            )
        return Path(named) if named else home / self.directory

    def settings_file(self, scope: Scope, variables: Mapping[str, str], home: Path, cwd: Path) -> Path:
        """The file that hooks are written to."""
        name = self.user_file if scope == "user" else self.project_file
        return self.settings_directory(scope, variables, home, cwd) / name


_TOOL_EVENTS: Final = ("PreToolUse", "PostToolUse", "PostToolUseFailure")

CLAUDE_CODE: Final = Agent(
    name="claude-code",
    title="Claude Code",
    program="claude",
    directory=".claude",
    directory_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file="settings.local.json",
    other_files=("settings.json",),
    events=(*_TOOL_EVENTS, "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"),
    matched=frozenset(_TOOL_EVENTS),
    blocking=frozenset((*_TOOL_EVENTS, "UserPromptSubmit", "SessionStart")),
    starts_programs=True,
    least_version=(2, 1, 295),
    version_matters='an older one ignores `onFailure: "block"`, and lets a call pass when the hook takes too long',
)

CODEX: Final = Agent(
    name="codex",
    title="Codex",
    program="codex",
    directory=".codex",
    directory_variable="CODEX_HOME",
    user_file="hooks.json",
    project_file="hooks.json",
    events=(
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "UserPromptSubmit",
        "SessionStart",
        "Stop",
        "SubagentStop",
    ),
    least_version=(0, 129, 0),
    version_matters="an older one has no hooks, or none that are trusted by what they hold",
)

AGENTS: Final = {agent.name: agent for agent in (CLAUDE_CODE, CODEX)}
