"""Looks at calls that run a command or code.

What a command would do is not analysed here: the mode says whether every command asks a person or none may run, and
only commands on the allowlist pass. Two things are looked for all the same, because no answer may allow them: a
command that drives the guard itself, and one that reaches into the guard's own places or an agent's hook settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Leaf, Scene
from guardhouse.detect.paths import absolute, inside, is_hook_file, tidy
from guardhouse.model import Effect, Finding, ReasonCode, Severity, Span
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "commands"

ASK_MODE: Final = ReasonCode(
    id="shell.ask_mode",
    title="Every command asks first",
    severity=Severity.MEDIUM,
    why="A command can do anything the user can do.",
    instead="Use a tool made for the job (read, edit, search), or wait for the user's answer.",
    example='{"type":"ToolCallPre","tool":"bash","params":{"command":"make all"}}',
    remedy="command",
)
DENY_MODE: Final = ReasonCode(
    id="shell.deny_mode",
    title="Commands are switched off",
    severity=Severity.HIGH,
    why="The policy lets no command run.",
    instead="Use a tool made for the job (read, edit, search).",
    example='With `bash: deny`: {"type":"ToolCallPre","tool":"bash","params":{"command":"make all"}}',
    remedy="command",
)
OWN_COMMAND: Final = ReasonCode(
    id="guard.own_command",
    title="The command touches the guard itself",
    severity=Severity.CRITICAL,
    why="Whoever drives the guard, or changes its files, decides what is allowed.",
    instead="Go on without it; only the user drives the guard, outside the agent.",
    example='{"type":"ToolCallPre","tool":"bash","params":{"command":"guardhouse allow domain evil.example"}}',
)

_CONTROL_WORDS: Final = frozenset("approvals token allow trust install uninstall policy enforce serve hook".split())
"""Subcommands of ours that change what is allowed; looking (`check`, `url`, `redact`) is harmless."""
_READERS: Final = frozenset("cat head tail less more ls stat file wc diff grep rg jq yq bat tree".split())
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./~=:@,+%")
_BREAKS: Final = " \t\r\n;|&()<>{}`=,:"
_NOT_CODE_KEYS: Final = frozenset(["description", "explanation", "reason", "cwd", "workdir", "timeout", "shell"])


def _commands(scene: Scene) -> list[Leaf]:
    """Every string of the call that may be run; a note for the reader is not."""
    return [leaf for leaf in scene.leaves if leaf.key not in _NOT_CODE_KEYS]


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is None or Capability.EXECUTES not in profile.capabilities:
        return
    leaves = _commands(scene)
    for leaf in leaves:
        if _drives_guard(scene, leaf.text):
            yield _finding(scene, OWN_COMMAND, leaf)
    if len(leaves) == 1 and any(matches_allowed(leaves[0].text, entry) for entry in scene.settings.allowed_commands):
        return
    code = DENY_MODE if scene.settings.bash == "deny" else ASK_MODE
    yield _finding(scene, code, leaves[0] if leaves else None)


def matches_allowed(command: str, entry: str) -> bool:
    """Whether an allowlist entry covers a command: the same text, or, for an entry that ends in ` *`, the same words
    followed by more plain words. A command with any shell syntax in it is covered only by its exact text."""
    command = command.strip()
    if command == entry:
        return True
    if not entry.endswith(" *") or not _PLAIN.issuperset(command):
        return False
    words, wanted = command.split(), entry[:-2].split()
    return words[: len(wanted)] == wanted


def _drives_guard(scene: Scene, command: str) -> bool:
    """Whether the command names the guard's program with a word that changes it, or a place of the guard's.

    This reads words, not syntax, so it errs towards yes: quotes and backslashes are dropped, every separator splits.
    Only a plain command that begins with a reading program may name the readable places.
    """
    words = _words(command)
    names = [word.rpartition("/")[2].lower() for word in words]
    if any(name in {"guardhouse", "guardhouse.cli", "guardhouse.exe"} for name in names) and (
        not _CONTROL_WORDS.isdisjoint(names)
    ):
        return True
    plain_read = _PLAIN.issuperset(command.strip()) and bool(names) and names[0] in _READERS
    cwd = scene.action.cwd or scene.settings.surroundings.cwd or "/"
    if any(_reaches(scene, path, plain_read) for path in _named_paths(scene, words, cwd)):
        return True
    folded = "".join(words).lower()
    return not plain_read and any(tail in folded for tail in _OWN_TAILS)


def _named_paths(scene: Scene, words: list[str], cwd: str) -> Iterator[str]:
    """The working directory, and every word that can be a path outside it."""
    homes = scene.settings.surroundings.homes
    yield tidy(cwd)
    for word in words:
        if not _PATH_MARKS.isdisjoint(word):
            yield tidy(absolute(word, cwd, homes[0] if homes else "/root"))


def _reaches(scene: Scene, path: str, plain_read: bool) -> bool:  # noqa: FBT001
    own = next((own for own in scene.settings.surroundings.own if inside(path, own.path)), None)
    if own is not None:
        return not (plain_read and own.readable)
    return not plain_read and is_hook_file(scene, path)


_PATH_MARKS: Final = frozenset("/.~$")
_OWN_TAILS: Final = (".config/guardhouse", ".local/state/guardhouse", ".guardhouse.", "/etc/guardhouse")
"""Places of ours that a command may name after a `cd` or by a variable, where the words alone do not resolve."""


def _words(command: str) -> list[str]:
    bare = command.replace("\\\n", "").translate({ord(char): None for char in "'\"\\"})
    return bare.translate({ord(char): " " for char in _BREAKS}).split()


def _finding(scene: Scene, code: ReasonCode, leaf: Leaf | None) -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field) if leaf else None,
        excerpt=scene.masked(leaf) if leaf else "",
        origin=scene.origin,
        effect=Effect.EXECUTES,
    )


DETECTOR: Final = Detector(id=_ID, codes=(ASK_MODE, DENY_MODE, OWN_COMMAND), find=_find)
