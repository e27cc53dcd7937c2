"""The coding agents that hooks can be installed under: their files, their events, and how an entry must look.

A table and what follows from it. What the hook answers is the adapters' business, not that of this room.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.installing.commands import HookCommand, read_handler
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from guardhouse.installing.commands import Form

Scope = Literal["user", "project", "managed"]

TIMEOUT: Final = 30
"""Seconds an agent waits for the hook, which gives up by itself before that."""
MANAGED_ROOT = Path("/")
"""Below which a machine's own settings lie."""
_ALL: Final = (None, "", "*")
"""Matchers that match everything."""
_NOTHING: Final[Mapping[str, Any]] = {}


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent and what it takes to put the gate under it."""

    name: str
    title: str
    program: str
    directory: str
    """Of its settings, in the home directory and in a project."""
    project_directory: str = ""
    """The same in a project, if it is called something else there."""
    directory_variable: str = ""
    """The environment variable that names another directory for the user's settings."""
    user_file: str
    project_file: str = ""
    """Not one that is meant to be shared: it holds paths of this machine. Empty, if there are no hooks of projects."""
    managed_file: str = ""
    """Where the machine's administrator says what hooks run. Empty, if there is no such place."""
    other_files: tuple[str, ...] = ()
    """Further files of a project that the agent reads hooks from."""
    events: tuple[str, ...]
    matched: frozenset[str] = frozenset()
    """Events whose entries say which tools they are for; ours are for all."""
    is_flat: bool = False
    """Whether an event lists handlers, and not groups of them."""
    form: Form = "shell"
    """How an entry names what is run."""
    timeout: tuple[str, int] = ("timeout", TIMEOUT)
    always: Mapping[str, Any] = _NOTHING
    """What every entry says besides."""
    closing: Mapping[str, Any] = _NOTHING
    """What an entry says so that a hook that fails blocks."""
    blocking: frozenset[str] = frozenset()
    """Events for which it can say so."""
    always_closes: bool = False
    """Whether it does so for calls without being told, but for a hook that takes too long."""
    head: Mapping[str, Any] = _NOTHING
    """What a file has to say before its hooks are read."""
    call: str = "PreToolUse"
    """The event of a call to come."""
    least_version: tuple[int, int, int] = (0, 0, 0)
    version_matters: str = ""
    """What an older version does."""
    then: str = ""
    """What is left for the user to do."""

    def entry(self, event: str, command: HookCommand) -> dict[str, Any]:
        """Our handler for an event."""
        key, seconds = self.timeout
        closing = self.closing if event in self.blocking else _NOTHING
        return {**self.always, **_run(self.form, command), key: seconds, **closing}

    def group(self, event: str, command: HookCommand) -> dict[str, Any]:
        """What is put into the list of an event: a matcher, where there are any, and our handler."""
        if self.is_flat:
            return self.entry(event, command)
        matcher = {"matcher": "*"} if event in self.matched else {}
        return {**matcher, "hooks": [self.entry(event, command)]}

    def is_complete(self, event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> bool:
        """Whether a handler found in a group is as `entry` would make it, and its group is for everything, with no
        condition beside it."""
        command = read_handler(handler)
        if command is None or handler != self.entry(event, command):
            return False
        return self.is_flat or (group.get("matcher") in _ALL and group.keys() <= {"matcher", "hooks"})

    def closes(self, event: str, handler: Mapping[str, Any]) -> bool:
        """Whether the agent itself takes a handler that fails for a no."""
        said = bool(self.closing) and self.closing.items() <= handler.items()
        return self.always_closes or (event in self.blocking and said)

    def runs(self, handler: Mapping[str, Any], command: HookCommand) -> list[str]:
        """What the agent starts for a handler that stands in its settings: it may be of an older form."""
        if "args" in handler:
            return command.words
        return shlex.split(handler["command"]) if self.form == "words" else command.shell_words

    def settings_directory(self, scope: Scope, variables: Mapping[str, str], home: Path, cwd: Path) -> Path:
        """Where the agent's settings are."""
        if scope == "project":
            return cwd / (self.project_directory or self.directory)
        if scope == "managed":
            return (MANAGED_ROOT / self.managed_file).parent
        named = variables.get(self.directory_variable) if self.directory_variable else None
        if named and not named.startswith("/"):
            raise GuardhouseError(
                f"{self.directory_variable} is not an absolute path.", fix="Start it with `/`, or unset it."
            )
        return Path(named) if named else home / self.directory

    def settings_file(self, scope: Scope, variables: Mapping[str, str], home: Path, cwd: Path) -> Path:
        """The file that hooks are written to. GuardhouseError if the agent has none there."""
        name = {"user": self.user_file, "project": self.project_file, "managed": self.managed_file}[scope]
        if not name:
            where = "for the whole machine" if scope == "managed" else "in a project"
            raise GuardhouseError(f"{self.title} has no place for hooks {where}.", fix="Install for the user.")
        if scope == "managed":
            return MANAGED_ROOT / name
        return self.settings_directory(scope, variables, home, cwd) / name


def _run(form: Form, command: HookCommand) -> dict[str, Any]:
    """What is run, as an agent wants it named."""
    if form == "shell":
        return {"command": command.text}
    if form == "words":
        return {"command": shlex.join(command.shell_words)}
    program, *arguments = command.words
    return {"exec" if form == "exec" else "command": program, "args": arguments}


_TOOL_EVENTS: Final = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
_COMMAND: Final = {"type": "command"}

CLAUDE_CODE: Final = Agent(
    name="claude-code",
    title="Claude Code",
    program="claude",
    directory=".claude",
    directory_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file="settings.local.json",
    managed_file="etc/claude-code/managed-settings.d/guardhouse.json",
    other_files=("settings.json",),
    events=(*_TOOL_EVENTS, "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"),
    matched=frozenset(_TOOL_EVENTS),
    form="program",
    always=_COMMAND,
    closing={"onFailure": "block"},
    blocking=frozenset((*_TOOL_EVENTS, "UserPromptSubmit", "SessionStart")),
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
    always=_COMMAND,
    least_version=(0, 129, 0),
    version_matters="an older one has no hooks, or none that are trusted by what they hold",
    then="Codex runs only hooks that you have trusted: start `codex`, type `/hooks`, trust each of ours.",
)

GEMINI: Final = Agent(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    directory=".gemini",
    user_file="settings.json",
    project_file="settings.json",
    managed_file="etc/gemini-cli/settings.json",
    events=("BeforeTool", "AfterTool", "BeforeAgent", "SessionStart", "AfterAgent"),
    matched=frozenset({"BeforeTool", "AfterTool"}),
    always={"type": "command", "name": "guardhouse"},
    timeout=("timeout", TIMEOUT * 1000),
    call="BeforeTool",
    least_version=(0, 26, 0),
    version_matters="an older one runs no hooks, or only where they are switched on",
)

CURSOR: Final = Agent(
    name="cursor",
    title="Cursor",
    program="cursor-agent",
    directory=".cursor",
    user_file="hooks.json",
    project_file="hooks.json",
    managed_file="etc/cursor/hooks.json",
    events=(
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "postToolUse",
        "postToolUseFailure",
        "beforeSubmitPrompt",
        "afterAgentResponse",
    ),
    is_flat=True,
    closing={"failClosed": True},
    blocking=frozenset("preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeSubmitPrompt".split()),
    head={"version": 1},
    call="preToolUse",
)

COPILOT: Final = Agent(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    directory=".copilot",
    project_directory=".github",
    directory_variable="COPILOT_HOME",
    user_file="hooks/guardhouse.json",
    project_file="hooks/guardhouse.json",
    managed_file="etc/github-copilot/policy.d/guardhouse.json",
    events=("preToolUse", "postToolUse", "postToolUseFailure", "userPromptSubmitted", "subagentStop"),
    is_flat=True,
    form="exec",
    always=_COMMAND,
    timeout=("timeoutSec", TIMEOUT),
    always_closes=True,
    head={"version": 1},
    call="preToolUse",
    least_version=(1, 0, 0),
    version_matters="an older one may know other hooks",
)

GOOSE: Final = Agent(
    name="goose",
    title="goose",
    program="goose",
    directory=".agents/plugins/guardhouse",
    user_file="hooks/hooks.json",
    project_file="hooks/hooks.json",
    events=(*_TOOL_EVENTS, "UserPromptSubmit", "Stop"),
    always=_COMMAND,
    closing={"on_failure": "block"},
    blocking=frozenset({"PreToolUse"}),
)

HERMES: Final = Agent(
    name="hermes",
    title="hermes",
    program="hermes",
    directory=".hermes",
    directory_variable="HERMES_HOME",
    user_file="config.yaml",
    events=("pre_tool_call", "post_tool_call", "pre_llm_call", "post_llm_call"),
    is_flat=True,
    form="words",
    closing={"fail_closed": True},
    blocking=frozenset({"pre_tool_call"}),
    call="pre_tool_call",
    least_version=(0, 19, 0),
    version_matters="an older one may know other hooks",
    then="hermes runs only hooks that you have consented to: start `hermes` in a terminal, say yes to each of ours.",
)

AGENTS: Final = {agent.name: agent for agent in (CLAUDE_CODE, CODEX, GEMINI, CURSOR, COPILOT, GOOSE, HERMES)}
