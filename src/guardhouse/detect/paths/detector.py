"""Looks at the files a call names: where they lie, where they really lead, and what the call would do to them.

Every path is judged twice, as written and with its links followed, and the worse answer counts. Paths inside shell
commands belong to the command detector.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Leaf, OwnPlace, Scene
from guardhouse.detect.paths.places import (
    HOOK_SETTINGS,
    NOT_SENSITIVE,
    PERSISTENCE,
    SENSITIVE,
    SYSTEM_ROOTS,
    PlaceTable,
    absolute,
    inside,
    tidy,
)
from guardhouse.model import Effect, Finding, PathClass, ReasonCode, Severity, Span
from guardhouse.trust import Capability, ToolProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ID: Final = "paths"

TOUCHED: Final = ReasonCode(
    id="path.touched",
    title="The call names a file or directory",
    severity=Severity.INFO,
    why="Not a risk by itself; rules can speak of it.",
    instead="",
    example='{"type":"ToolCallPre","tool":"read_file","params":{"path":"README.md"}}',
)
SENSITIVE_READ: Final = ReasonCode(
    id="path.sensitive_read",
    title="The call would read a file that usually holds secrets",
    severity=Severity.HIGH,
    why="Keys and passwords that a model has seen can be repeated, logged and stolen.",
    instead="Work without the file's content, or use a tool that uses the credential without showing it.",
    example='{"type":"ToolCallPre","tool":"read_file","params":{"path":"~/.ssh/id_ed25519"}}',
    remedy="path",
)
OUTSIDE: Final = ReasonCode(
    id="path.write_outside_project",
    title="The call would change a file outside the project",
    severity=Severity.MEDIUM,
    why="The work is in the project; a change elsewhere outlives it and can affect other programs.",
    instead="Write inside the project or a temporary directory.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/notes.txt","content":"x"},"cwd":"/srv/app"}',
    remedy="path",
)
SYSTEM_WRITE: Final = ReasonCode(
    id="path.system_write",
    title="The call would change a system file",
    severity=Severity.HIGH,
    why="System files decide how every program on this machine behaves.",
    instead="Write inside the project, and leave system changes to the user.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"/etc/hosts","content":"x"}}',
    remedy="path",
)
PERSISTENCE_WRITE: Final = ReasonCode(
    id="path.persistence_write",
    title="The call would change a file that runs code or grants access later",
    severity=Severity.HIGH,
    why="Start-up files, scheduled jobs, hooks and login keys act long after this session, unseen.",
    instead="Show the user the lines to add, and let them do it.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/.bashrc","content":"x"}}',
    remedy="path",
)
UNRESOLVABLE: Final = ReasonCode(
    id="path.unresolvable",
    title="It can't be told where this path leads",
    severity=Severity.MEDIUM,
    why="A path that can't be followed can't be held to any rule about paths.",
    instead="Use a plain path without links that lead nowhere or in circles.",
    example="A path through a circle of symbolic links, one that may not be looked at, or one with a NUL byte.",
)
OWN_FILES: Final = ReasonCode(
    id="guard.own_files",
    title="The call touches the guard's own files",
    severity=Severity.CRITICAL,
    why="Whoever can change the guard's configuration, state or program decides what is allowed.",
    instead="Go on without it; only the user changes the guard, outside the agent.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/.config/guardhouse/config.yaml","content":"x"}}',
)
HOOK_FILES: Final = ReasonCode(
    id="guard.hook_settings",
    title="The call would change settings that decide whether an agent calls the guard",
    severity=Severity.CRITICAL,
    why="One changed line there takes the gate out of the way.",
    instead="Go on without it; the user can change an agent's settings outside the agent.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":".claude/settings.json","content":"{}"}}',
)

_PATH_KEYS: Final = frozenset(
    "path paths file files file_path filepath file_paths filename file_name dir directory folder cwd "
    "workdir working_directory target target_file source src dst dest destination old_path new_path "
    "from_path to_path notebook_path absolute_path relative_path relative_workspace_path output "
    "output_path output_file save_path attachment attachments include dir_path directory_path "
    "target_directory root".split()
)
_TEXT_KEYS: Final = frozenset(
    "content text body data message prompt description comment new_string old_string new_str old_str "
    "file_text insert_text code script sql html markdown subject title note notes command cmd query q".split()
)
_PATCH_HEADS: Final = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- ")
_LONGEST: Final = 4096
_GLOB_CHARS: Final = "*?[{"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a path lies."""

    path: str
    path_class: PathClass
    secret: str | None
    """The kind of secret file, wherever it lies."""
    hooks: str | None
    own: OwnPlace | None


@lru_cache(maxsize=512)
def _does(profile: ToolProfile) -> frozenset[Effect]:
    """What a tool may do to a file it is given."""
    effects: set[Effect] = set()
    if profile.may(*_READING):
        effects.add(Effect.READS)
    if profile.may(*_WRITING):
        effects.add(Effect.WRITES)
    if profile.may(Capability.DESTRUCTIVE) or {Capability.READS, Capability.WRITES} <= profile.capabilities:
        effects.add(Effect.DELETES)
    return frozenset(effects)


_READING: Final = (
    Capability.READS,
    Capability.READS_PRIVATE,
    Capability.READS_UNTRUSTED,
    Capability.EGRESS,
    Capability.SENDS,
    Capability.EXECUTES,
)
_WRITING: Final = (Capability.WRITES, Capability.DESTRUCTIVE, Capability.EGRESS, Capability.EXECUTES)


def _paths(scene: Scene) -> list[tuple[Leaf, str]]:
    """The strings of the call that are meant as paths, with the leaf each stands in; each once."""
    found: list[tuple[Leaf, str]] | None = scene.shared.get(_ID)
    if found is None:
        found = scene.shared[_ID] = list(dict.fromkeys(_read_paths(scene)))
    return found


def _read_paths(scene: Scene) -> Iterator[tuple[Leaf, str]]:
    if scene.tool is None:
        return
    for leaf in scene.leaves:
        if leaf.key in _PATH_KEYS or (leaf.key not in _TEXT_KEYS and _looks_like_path(leaf.text)):
            if leaf.text and not _is_remote(leaf.text):
                yield leaf, leaf.text
        elif "patch" in scene.tool.name or leaf.key in {"patch", "diff"}:
            for name in _patched(leaf.text):
                yield leaf, name


def _looks_like_path(text: str) -> bool:
    head = text.lstrip()[:8]
    return (
        len(text) <= _LONGEST
        and "\n" not in text
        and (head.startswith(("/", "~", "./", "../", "$HOME", "${HOME}")) or head.lower().startswith("file:"))
    )


def _is_remote(text: str) -> bool:
    """A URL is the destination detector's, unless it names a local file."""
    scheme, mark, _rest = text.partition("://")
    return bool(mark) and scheme.strip().isalnum() and scheme.strip().lower() != "file"


def _patched(text: str) -> Iterator[str]:
    """The files that a patch names, in the two common forms."""
    for line in text.split("\n"):
        for head in _PATCH_HEADS:
            if line.startswith(head):
                name = line[len(head) :].split("\t")[0].strip()
                if head in {"+++ ", "--- "}:
                    name = name[2:] if name[:2] in {"a/", "b/"} else name
                if name and name != "/dev/null":
                    yield name


def _fixed_part(path: str) -> str:
    """The directory above the first wildcard: what a glob can reach is judged by where it starts."""
    for char in _GLOB_CHARS:
        at = path.find(char)
        if at >= 0:
            path = path[:at].rpartition("/")[0] or "/"
    return path


def _cwd(scene: Scene) -> str:
    return scene.action.cwd or scene.settings.surroundings.cwd or "/"


def _absolute(scene: Scene, raw: str) -> str:
    homes = scene.settings.surroundings.homes
    return absolute(raw, _cwd(scene), homes[0] if homes else "/root")


def _needs(scene: Scene) -> None:
    found = False
    for _leaf, raw in _paths(scene):
        found = True
        path = _absolute(scene, raw)
        if _is_followable(path):
            scene.real_path(_fixed_part(path))
    if found:
        scene.real_path(_cwd(scene))


def _is_followable(path: str) -> bool:
    return len(path) <= _LONGEST and "\0" not in path and "\n" not in path


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is None:
        return
    effects = _does(profile)
    if not effects:
        return
    for leaf, raw in _paths(scene):
        path = _absolute(scene, raw)
        real = scene.real_path(_fixed_part(path)) if _is_followable(path) else None
        places = [_locate(scene, tidy(path))]
        if real is None or real.error:
            yield _finding(scene, leaf, UNRESOLVABLE, places[0], None)
        elif real.path != places[0].path:
            places.append(_locate(scene, real.path))
        yield from _judge(scene, leaf, places, effects)


def _judge(scene: Scene, leaf: Leaf, places: list[_Place], effects: frozenset[Effect]) -> Iterator[Finding]:
    worst = min(places, key=lambda place: _ORDER[place.path_class])
    changes = Effect.WRITES in effects
    for effect in sorted(effects, key=lambda effect: effect.value):
        yield _finding(scene, leaf, TOUCHED, worst, effect)
    for place in places:
        if _is_own(scene, place, effects):
            yield _finding(scene, leaf, OWN_FILES, place, Effect.WRITES if changes else Effect.READS)
        if changes and place.hooks is not None:
            yield _finding(scene, leaf, HOOK_FILES, place, Effect.WRITES)
    for place in places:
        if (
            Effect.READS in effects
            and place.secret is not None
            and place.path not in scene.settings.allowed_directories
        ):
            yield _finding(scene, leaf, SENSITIVE_READ, place, Effect.READS)
            break
    if changes:
        code = _WRITE_CODES.get(worst.path_class)
        if code is not None:
            yield _finding(scene, leaf, code, worst, Effect.DELETES if Effect.DELETES in effects else Effect.WRITES)


_WRITE_CODES: Final = {
    PathClass.PERSISTENCE: PERSISTENCE_WRITE,
    PathClass.SYSTEM: SYSTEM_WRITE,
    PathClass.SECRET: OUTSIDE,
    PathClass.HOME: OUTSIDE,
    PathClass.OTHER: OUTSIDE,
}
_ORDER: Final = {
    path_class: rank
    for rank, path_class in enumerate(
        (
            PathClass.GUARD,
            PathClass.PERSISTENCE,
            PathClass.SYSTEM,
            PathClass.SECRET,
            PathClass.OTHER,
            PathClass.HOME,
            PathClass.TEMP,
            PathClass.ALLOWED,
            PathClass.PROJECT,
        )
    )
}
"""From the most delicate place to the least."""


def _is_own(scene: Scene, place: _Place, effects: frozenset[Effect]) -> bool:
    if place.own is not None:
        return Effect.WRITES in effects or not place.own.readable
    # Removing or moving a directory takes everything below it along.
    return Effect.DELETES in effects and any(inside(own.path, place.path) for own in scene.settings.surroundings.own)


def _locate(scene: Scene, path: str) -> _Place:
    tables = _tables(scene.settings.sensitive_paths, scene.settings.surroundings.homes)
    own = next((own for own in scene.settings.surroundings.own if inside(path, own.path)), None)
    secret = None if tables.spared.kind(path) else tables.sensitive.kind(path)
    secret = secret or tables.configured.kind(path)
    return _Place(path, _path_class(scene, path, own, secret, tables), secret, tables.hooks.kind(path), own)


def is_hook_file(scene: Scene, path: str) -> bool:
    """Whether an absolute path is among the settings that decide whether an agent calls the guard."""
    return _tables(scene.settings.sensitive_paths, scene.settings.surroundings.homes).hooks.kind(path) is not None


def _path_class(scene: Scene, path: str, own: OwnPlace | None, secret: str | None, tables: _Tables) -> PathClass:
    around = scene.settings.surroundings
    if own is not None:
        return PathClass.GUARD
    if any(inside(path, directory) for directory in scene.settings.allowed_directories):
        return PathClass.ALLOWED
    if tables.persistence.kind(path):
        return PathClass.PERSISTENCE
    if _in_project(scene, path):
        return PathClass.PROJECT
    if secret is not None:
        return PathClass.SECRET
    if any(inside(path, directory) for directory in around.temp):
        return PathClass.TEMP
    if any(inside(path, home) for home in around.homes):
        return PathClass.HOME
    if any(inside(path, root) for root in SYSTEM_ROOTS) or path == "/":
        return PathClass.SYSTEM
    return PathClass.OTHER


def _in_project(scene: Scene, path: str) -> bool:
    """Inside the working directory, unless that is so wide (/, a home, a system directory) that it means nothing."""
    cwd = _cwd(scene)
    real = scene.facts.real_paths.get(cwd)
    projects = [tidy(cwd), real.path] if real is not None and real.path else [tidy(cwd)]
    homes = scene.settings.surroundings.homes
    return any(
        inside(path, project)
        for project in projects
        if project.count("/") > 1 and project not in SYSTEM_ROOTS and not any(inside(home, project) for home in homes)
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    sensitive: PlaceTable
    spared: PlaceTable
    configured: PlaceTable
    persistence: PlaceTable
    hooks: PlaceTable


@lru_cache(maxsize=8)
def _tables(configured: tuple[str, ...], homes: tuple[str, ...]) -> _Tables:
    def table(rows: Iterable[tuple[str, ...]]) -> PlaceTable:
        return PlaceTable(((row[0], row[1]) for row in rows), homes)

    return _Tables(
        sensitive=table(SENSITIVE),
        spared=table(("spared", pattern) for pattern, _example in NOT_SENSITIVE),
        configured=table(("configured", pattern) for pattern in configured),
        persistence=table(PERSISTENCE),
        hooks=table(HOOK_SETTINGS),
    )


def _finding(scene: Scene, leaf: Leaf, code: ReasonCode, place: _Place, effect: Effect | None) -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field),
        excerpt="" if code is TOUCHED else scene.masked(leaf),
        origin=scene.origin,
        effect=effect,
        path=scene.masked(leaf) if any(name == leaf.field for name, _match in scene.secrets) else place.path,
        path_class=place.path_class,
        detail=place.hooks if code is HOOK_FILES and place.hooks else place.secret or "",
    )


DETECTOR: Final = Detector(
    id=_ID,
    codes=(
        TOUCHED,
        SENSITIVE_READ,
        OUTSIDE,
        SYSTEM_WRITE,
        PERSISTENCE_WRITE,
        UNRESOLVABLE,
        OWN_FILES,
        HOOK_FILES,
    ),
    find=_find,
    needs=_needs,
)
