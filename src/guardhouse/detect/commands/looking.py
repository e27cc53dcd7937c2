"""Looks at calls that run a command or code: what they would do, by the mode that the policy chose for commands.

Two things are looked for in every mode, because no answer may allow them: a command that drives the guard itself, and
one that reaches into the guard's own places or an agent's hook settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.commands.codes import ASK_MODE, DENY_MODE, NOT_LISTED, OWN_COMMAND, SECRET_OUT
from guardhouse.detect.commands.driving import touches_guard
from guardhouse.detect.commands.own import PLAIN, drives_guard, resolved, speaks_of_guard, words_of
from guardhouse.detect.commands.reading import CODE_KEYS, PLACE_KEYS, commands_of, read_commands
from guardhouse.detect.destinations import OWN_SOCKET
from guardhouse.detect.interface import Leaf, Scene
from guardhouse.detect.own_sockets import speaks_of_daemon
from guardhouse.detect.paths import (
    HOOK_FILES,
    OWN_FILES,
    inside,
    project_directory,
    tidy,
    working_directory,
)
from guardhouse.model import Effect, Finding, ReasonCode, Span
from guardhouse.net import BadDestination, parse_destination
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.commands.reading import Seen
    from guardhouse.trust import ToolProfile

_ID: Final = "commands"

_QUOTES_OUT: Final = str.maketrans(dict.fromkeys("'\"\\"))
_MOST_WORDS: Final = 20_000
"""A call with more words than that in its commands is not read to its end, and counts as touching the guard."""
_MOST_LETTERS: Final = 2_000_000
"""The same for a call whose commands are that long."""


def find(scene: Scene, profile: ToolProfile) -> Iterator[Finding]:
    """What the commands of a call would do that may run some, by the profile of its tool."""
    runs = Capability.EXECUTES in profile.capabilities
    leaves = [leaf for leaf in commands_of(scene) if runs or leaf.key in CODE_KEYS]
    reads = runs and scene.settings.bash in ("effects", "listed")
    if _is_too_long(leaves):
        yield _finding(scene, OWN_COMMAND, leaves[0])
    else:
        yield from _own_by_acts(scene, leaves) if reads else _own_by_words(scene, leaves)
    if not runs:
        return
    for leaf in leaves:
        if not reads and leaf.secrets and _reaches_unlisted(scene, leaf.text):
            yield _finding(scene, SECRET_OUT, leaf)
    if len(leaves) == 1 and _is_allowed(scene, leaves[0]):
        if reads:
            yield from (found for found in _effects(scene, leaves) if found.code in _FLOORS)
        return
    if reads:
        yield from _effects(scene, leaves)
        if scene.settings.bash == "listed" and not _is_listed(leaves, scene.settings.listed_programs):
            yield _finding(scene, NOT_LISTED, leaves[0] if leaves else None)
        return
    code = DENY_MODE if scene.settings.bash == "deny" else ASK_MODE
    yield _finding(scene, code, leaves[0] if len(leaves) == 1 else None)


_FLOORS: Final = frozenset({OWN_FILES.id, HOOK_FILES.id, OWN_SOCKET.id})
"""What a command may not do though it is allowed."""


def _own_by_acts(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """Commands that drive the guard, by what would be run."""
    # A floor must not depend on the reader: if that breaks, words are enough.
    if _breaks(scene, leaves):
        if any(speaks_of_guard(leaf.text) for leaf in leaves):
            yield _finding(scene, OWN_COMMAND, leaves[0])
        if any(speaks_of_daemon(scene, leaf.text) for leaf in leaves):
            yield _finding(scene, OWN_SOCKET, leaves[0])
    for seen in _seen(scene, leaves):
        told = next((act.what for act in seen.acts if act.kind == "guard"), None)
        if told is not None or touches_guard(scene, seen):
            yield _finding(scene, OWN_COMMAND, seen.leaf, told or "")


def _own_by_words(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """The same where commands are not followed."""
    for leaf in leaves:
        if drives_guard(scene, leaf.text):
            yield _finding(scene, OWN_COMMAND, leaf)
    # A program and its arguments may come as a list, one string each.
    whole = " ".join(leaf.text for leaf in leaves)
    if len(leaves) > 1 and drives_guard(scene, whole):
        yield _finding(scene, OWN_COMMAND, leaves[0])
    if speaks_of_daemon(scene, whole):
        yield _finding(scene, OWN_SOCKET, leaves[0])


def only_runs(scene: Scene, programs: tuple[str, ...]) -> bool:
    """Whether a call is one plainly written command of these programs, and nothing else."""
    leaves = commands_of(scene)
    return not _is_too_long(leaves) and _is_listed(leaves, programs)


def _is_listed(leaves: list[Leaf], programs: tuple[str, ...]) -> bool:
    """Whether a call of these is one command of listed programs, and nothing else."""
    from guardhouse.detect.commands.listing import only_listed  # only needed in this mode

    return (
        len(leaves) == 1
        and leaves[0].key in CODE_KEYS
        and not leaves[0].secrets
        and only_listed(leaves[0].text, programs)
    )


def _effects(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """What the commands of a call would do."""
    from guardhouse.detect.commands.effects import Effects  # the tables are large, and most calls run nothing

    effects = Effects(scene, _ID)
    for seen in _seen(scene, leaves):
        yield from effects.findings(seen)


def reached(scene: Scene) -> frozenset[str | None]:
    """Every other machine that the commands of a call reach; None for those that can't be told."""
    from guardhouse.detect.commands.effects import Effects  # as above

    effects = Effects(scene, _ID)
    return frozenset(host for seen in _seen(scene, commands_of(scene)) for host in effects.reached(seen))


def _seen(scene: Scene, leaves: list[Leaf]) -> list[Seen]:
    """The acts of each command, read once."""
    found: list[Seen] | None = scene.shared.get(_ID)
    if found is None:
        found = scene.shared[_ID] = read_commands(scene, leaves)
    return found


def ask(scene: Scene) -> None:
    """Ask where paths lead, and what names resolve to, for a call that runs commands."""
    if scene.settings.bash in ("effects", "listed"):
        from guardhouse.detect.commands.effects import Effects  # as above

        effects = Effects(scene, _ID)
        for seen in _seen(scene, commands_of(scene)):
            effects.ask(seen)


def _breaks(scene: Scene, leaves: list[Leaf]) -> bool:
    """Whether the commands of a call can't even be read; whoever reads them next meets the error itself."""
    try:
        _seen(scene, leaves)
    except Exception:  # noqa: BLE001 - whatever it is, it is raised again where it is recorded as a failure
        return True
    return False


def _is_too_long(leaves: list[Leaf]) -> bool:
    """Whether a call's commands together are more than can be read in the time that a call may take."""
    letters = sum(len(leaf.text) for leaf in leaves)
    # No text has more words than every second letter of it.
    if letters + len(leaves) < _MOST_WORDS:
        return False
    return letters > _MOST_LETTERS or sum(len(words_of(leaf.text)) for leaf in leaves) > _MOST_WORDS


def _reaches_unlisted(scene: Scene, command: str) -> bool:
    """Whether a command names a URL whose host is not allowlisted; what can't be read is not."""
    rules = scene.settings.network_for(scene.tool.name if scene.tool else "")
    for word in command.replace("\\\n", "").translate(_QUOTES_OUT).split():
        at = word.find("://")
        if at >= 0:
            begin = max(word.rfind(mark, 0, at) for mark in "=@(<>|;&") + 1
            try:
                if rules.judge(parse_destination(word[begin:]), None) is not None:
                    return True
            except BadDestination:
                return True
    return False


def _is_allowed(scene: Scene, leaf: Leaf) -> bool:
    """Whether the allowlist covers the command, here: the same words do something else in another directory."""
    if leaf.secrets:
        return False
    cwd = working_directory(scene)
    if not inside(tidy(cwd), tidy(project_directory(scene))):
        return False
    return all(
        inside(tidy(resolved(scene, leaf.text, cwd)), tidy(cwd)) for leaf in scene.leaves if leaf.key in PLACE_KEYS
    ) and any(matches_allowed(leaf.text, entry) for entry in scene.settings.allowed_commands)


def matches_allowed(command: str, entry: str) -> bool:
    """Whether an allowlist entry covers a command: the same text, or, for an entry that ends in ` *`, the same words
    followed by more plain words. A command with any shell syntax in it, a URL, or a path that leads out of the working
    directory, is covered only by its exact text."""
    command = command.strip()
    if not entry.endswith(" *"):
        return command == entry and bool(command)
    if not PLAIN.issuperset(command):
        return False
    words, wanted = command.split(), entry[:-2].split()
    more = words[len(wanted) :]
    return (
        bool(wanted)
        and words[: len(wanted)] == wanted
        and not any(":" in word or "@" in word or ".." in word or _leads_out(word) for word in more)
    )


def _leads_out(word: str) -> bool:
    """Whether a word, or the value in `--name=value`, is a path from the root or from a home directory."""
    return any(part.startswith(("/", "~")) for part in word.split("="))


def _finding(scene: Scene, code: ReasonCode, leaf: Leaf | None, detail: str = "") -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field) if leaf else None,
        excerpt=leaf.masked if leaf else "",
        origin=scene.origin,
        effect=Effect.EXECUTES,
        detail=detail,
    )
