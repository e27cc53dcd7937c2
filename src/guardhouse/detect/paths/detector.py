"""Looks at the files a call names: where they lie, where they really lead, and what the call would do to them.

Every path is judged twice, as written and with its links followed, and the worse answer counts. Paths inside shell
commands belong to the command detector.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from guardhouse.detect.interface import Detector, Leaf, OwnPlace, Scene
from guardhouse.detect.paths.naming import LONGEST, is_for_files, read_paths
from guardhouse.detect.paths.places import (
    HOOK_DIRECTORIES,
    HOOK_SETTINGS,
    NEVER_SPARED,
    NO_PROJECTS,
    NOT_SENSITIVE,
    PERSISTENCE,
    SENSITIVE,
    SPARED_EVEN_THERE,
    SYSTEM_ROOTS,
    TOO_WIDE,
    PlaceTable,
)
from guardhouse.detect.paths.readings import absolute, folded_path, inside, readings, tidy
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS, may_reach
from guardhouse.model import Effect, Finding, PathClass, ReasonCode, Severity, Span
from guardhouse.trust import KNOWN_TOOLS, Capability, ToolProfile, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "paths"

TOUCHED: Final = ReasonCode(
    id="path.touched",
    title="The call names a file or directory",
    severity=Severity.INFO,
    why="Not a risk by itself; rules can speak of it.",
    instead="",
    example='{"type":"ToolCallPre","tool":"read_file","params":{"path":"README.md"}}',
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
WORK_WRITE: Final = ReasonCode(
    id="path.work_write",
    title="The call would change a file of the work",
    severity=Severity.INFO,
    why="Not a risk by itself; where an agent may only look, it is not wanted.",
    instead="Show the change instead of making it.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"README.md","content":"x"},"cwd":"/srv/app"}',
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
SENSITIVE_READ: Final = ReasonCode(
    id="path.sensitive_read",
    title="The call would read a file that usually holds secrets",
    severity=Severity.HIGH,
    why="Keys and passwords that a model has seen can be repeated, logged and stolen.",
    instead="Work without the file's content, or use a tool that uses the credential without showing it.",
    example='{"type":"ToolCallPre","tool":"read_file","params":{"path":"~/.ssh/id_ed25519"}}',
    remedy="path",
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
OUTSIDE: Final = ReasonCode(
    id="path.write_outside_project",
    title="The call would change a file outside the project",
    severity=Severity.MEDIUM,
    why="The work is in the project; a change elsewhere outlives it and can affect other programs.",
    instead="Write inside the project or a temporary directory.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/notes.txt","content":"x"},"cwd":"/srv/app"}',
    remedy="path",
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
SYSTEM_WRITE: Final = ReasonCode(
    id="path.system_write",
    title="The call would change a system file",
    severity=Severity.HIGH,
    why="System files decide how every program on this machine behaves.",
    instead="Write inside the project, and leave system changes to the user.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"/etc/hosts","content":"x"}}',
    remedy="path",
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
PERSISTENCE_WRITE: Final = ReasonCode(
    id="path.persistence_write",
    title="The call would change a file that runs code or grants access later",
    severity=Severity.HIGH,
    why="Start-up files, scheduled jobs, hooks and login keys act long after this session, unseen.",
    instead="Show the user the lines to add, and let them do it.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/.bashrc","content":"x"}}',
    remedy="path",
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
UNRESOLVABLE: Final = ReasonCode(
    id="path.unresolvable",
    title="It can't be told where this path leads",
    severity=Severity.MEDIUM,
    why="A path that can't be followed can't be held to any rule about paths.",
    instead="Use a plain path without links that lead nowhere or in circles.",
    example="A path through a circle of symbolic links, one that may not be looked at, or one with a NUL byte.",
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
OWN_FILES: Final = ReasonCode(
    id="guard.own_files",
    title="The call touches the guard's own files",
    severity=Severity.CRITICAL,
    why="Whoever can change the guard's configuration, state or program decides what is allowed.",
    instead="Go on without it; only the user changes the guard, outside the agent.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":"~/.config/guardhouse/config.yaml","content":"x"}}',
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
HOOK_FILES: Final = ReasonCode(
    id="guard.hook_settings",
    title="The call would change settings that decide whether an agent calls the guard",
    severity=Severity.CRITICAL,
    why="One changed line there takes the gate out of the way.",
    instead="Go on without it; the user can change an agent's settings outside the agent.",
    example='{"type":"ToolCallPre","tool":"write_file","params":{"path":".claude/settings.json","content":"{}"}}',
    about="path",
    on=("ToolCallPre", "SkillRunPre"),
)
TOO_MANY: Final = ReasonCode(
    id="action.too_many_targets",
    title="The call names more files or hosts than can be looked at",
    severity=Severity.HIGH,
    why="What is not looked at could be anything, and a long list is where to hide it.",
    instead="Split it into calls that name fewer files or hosts each.",
    example="A write_file call with more than 512 paths, or a url_fetch call with more than 64 hosts.",
    about="text",
    on=("ToolCallPre", "SkillRunPre"),
)

_PLACE_KEYS: Final = frozenset("base cwd root workdir working_directory workspace".split())
"""Where a tool works, and not what it works on."""
_MOST_PATHS: Final = 512
_MOST_READINGS: Final = 2048
_MOST_LETTERS: Final = 1_000_000
"""Paths of one call, readings of them, and letters in those, that are looked at; a call with more is denied unread."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a path lies."""

    path: str
    path_class: PathClass = PathClass.OTHER
    secret: str | None = None
    """The kind of secret file, wherever it lies."""
    hooks: str | None = None
    own: OwnPlace | None = None
    kinds: Mapping[str, str] = {}
    """What the built-in tables say of it."""


@lru_cache(maxsize=512)
def _does(profile: ToolProfile) -> frozenset[Effect]:
    """What a tool may do to a file it is given."""
    effects: set[Effect] = set()
    if profile.may(*_READING):
        effects.add(Effect.READS)
    if profile.may(*_WRITING):
        effects.add(Effect.WRITES)
    if profile.may(Capability.DESTRUCTIVE) or profile.takes_away:
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


def _fixed_part(path: str) -> str:
    """The directory above the first wildcard: what a glob can reach starts there."""
    first = next(index for index, char in enumerate(path) if char in GLOB_CHARACTERS)
    return path[:first].rpartition("/")[0] or "/"


def working_directory(scene: Scene) -> str:
    """The directory the call runs in, as an absolute path."""
    base = scene.settings.surroundings.cwd or "/"
    cwd = scene.action.cwd
    if not cwd or cwd[0] == "/":
        return cwd or base
    return absolute(cwd, base, _home(scene))


def project_directory(scene: Scene) -> str:
    """The directory that the work is in, as an absolute path."""
    return scene.settings.surroundings.project or working_directory(scene)


def _home(scene: Scene) -> str:
    homes = scene.settings.surroundings.homes
    return homes[0] if homes else "/root"


class _Named(msgspec.Struct, frozen=True, gc=False):
    """A path that a call names."""

    leaf: Leaf
    written: tuple[str, ...]
    """Every reading of it: absolute, as it is written; the likeliest first. Empty if it can't be read."""
    follow: tuple[str, ...]
    """What to follow the links of: the readings, and for a glob also where it starts."""
    lost: bool
    """Whether there is a reading that can't be followed."""


class _Paths(msgspec.Struct, frozen=True, gc=False):
    """The paths that a call names; each once."""

    named: tuple[_Named, ...]
    too_many: bool


def _paths(scene: Scene) -> _Paths:
    """Every path of the call, within its budget."""
    found: _Paths | None = scene.shared.get(_ID)
    if found is None:
        cwd, home = working_directory(scene), _home(scene)
        named: dict[tuple[tuple[int, ...], str | None], _Named] = {}
        left, letters = _MOST_READINGS, _MOST_LETTERS
        too_many = False
        runs = scene.tool is not None and Capability.EXECUTES in scene.tool.capabilities
        for leaf, raw in read_paths(scene):
            # Where a command works is no file that it touches; the command detector goes from there.
            if (leaf.steps, raw) in named or (runs and leaf.key in _PLACE_KEYS):
                continue
            if len(named) >= _MOST_PATHS or left <= 0 or letters <= 0:
                too_many = True
                break
            one = named[leaf.steps, raw] = _name(leaf, raw, cwd, home)
            left -= len(one.written)
            letters -= sum(map(len, one.follow))
        found = scene.shared[_ID] = _Paths(tuple(named.values()), too_many)
    return found


def _name(leaf: Leaf, raw: str | None, cwd: str, home: str) -> _Named:
    if raw is None:
        return _Named(leaf, (), (), lost=True)
    written = readings(raw, cwd, home) if len(raw) <= LONGEST else (absolute(raw, cwd, home),)
    follow: list[str] = []
    for path in written:
        if len(path) <= LONGEST and "\0" not in path and "\n" not in path.strip():
            follow += (path,) if GLOB_CHARACTERS.isdisjoint(path) else (path, _fixed_part(path))
    return _Named(leaf, written, tuple(follow), lost=len(follow) < len(written))


def _needs(scene: Scene) -> None:
    if scene.tool is None or not _does(scene.tool):
        return
    for named in _paths(scene).named:
        for path in named.follow:
            scene.real_path(path)


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is None:
        return
    effects = _does(profile)
    if not effects:
        return
    found = _paths(scene)
    if found.too_many:
        yield Finding(code=TOO_MANY.id, detector=_ID, severity=TOO_MANY.severity, detail=f"more than {_MOST_PATHS}")
    # What nothing may lift comes first, from tables that no configuration can break; what fails later can't undo it.
    changes = Effect.WRITES in effects
    own: list[list[Place]] = []
    unfollowed: list[bool] = []
    for named in found.named:
        followed = [scene.real_path(path) for path in named.follow]
        real = [answer.path for answer in followed if answer is not None and not answer.error]
        unfollowed.append(named.lost or len(real) < len(followed) or not all(path.startswith("/") for path in real))
        paths = dict.fromkeys((*map(tidy, named.written), *real))
        if unfollowed[-1]:
            # Where a path leads that can't be followed is not known; where it stands is.
            paths.update(dict.fromkeys(map(tidy, named.follow)))
        # A tool that only looks may be asked about; one that writes must not come near, dots or no dots.
        mine = [Place(path, own=own_place(scene, path, hidden=changes)) for path in paths if len(path) <= LONGEST]
        own.append(mine)
        for place in mine:
            if _is_own(scene, place, effects):
                guarded = msgspec.structs.replace(place, path_class=PathClass.GUARD)
                yield _finding(scene, named.leaf, OWN_FILES, guarded, Effect.WRITES if changes else Effect.READS)
    places: list[list[Place]] = []
    for named, mine in zip(found.named, own, strict=True):
        known = [_locate(scene, place, effects, named.leaf) for place in mine]
        places.append(known)
        for place in known:
            if changes and place.hooks is not None:
                yield _finding(scene, named.leaf, HOOK_FILES, _with_builtin_class(scene, place), Effect.WRITES)
    for named, known, lost in zip(found.named, places, unfollowed, strict=True):
        settled = _settled(scene, known, named)
        if lost:
            written = tidy(named.written[0])[:LONGEST] if named.written else ""
            yield _finding(scene, named.leaf, UNRESOLVABLE, settled[0] if settled else Place(written), None)
        if settled:
            yield from _judge(scene, named.leaf, settled, effects, elsewhere=_is_elsewhere(scene, named))
    if not found.named and profile.name in _FILE_CHANGERS and not scene.settings.tools.takes_no_path(profile.name):
        yield Finding(code=UNRESOLVABLE.id, detector=_ID, severity=UNRESOLVABLE.severity, detail="no path is named")


_FILE_CHANGERS: Final = frozenset(
    name for name, profile in KNOWN_TOOLS.items() if Capability.WRITES in profile.capabilities
)
"""Tools that make no sense without a path; a call of one that names none hides it."""


def _is_elsewhere(scene: Scene, named: _Named) -> bool:
    """Whether a path is one of a store that a tool keeps somewhere else: the user has described the tool, it is none
    of those for this machine's files, and this machine has no such directory."""
    tool = getattr(scene.action, "tool", "")
    if scene.settings.tools.description(tool) is None or tool_name(tool) in KNOWN_TOOLS or named.lost:
        return False
    followed = [scene.real_path(path) for path in named.follow]
    return bool(followed) and all(answer is not None and answer.elsewhere for answer in followed)


def _judge(
    scene: Scene, leaf: Leaf, places: list[Place], effects: frozenset[Effect], *, elsewhere: bool
) -> Iterator[Finding]:
    worst = min(places, key=lambda place: _ORDER[place.path_class])
    changes = Effect.WRITES in effects
    for effect in sorted(effects, key=lambda effect: effect.value):
        yield _finding(scene, leaf, TOUCHED, worst, effect)
    for place in places:
        if (
            Effect.READS in effects
            and place.secret is not None
            and place.path not in scene.settings.allowed_directories
        ):
            yield _finding(scene, leaf, SENSITIVE_READ, place, Effect.READS)
            break
    else:
        if scene.tool is not None and scene.tool.name in _SEARCHES and any(map(partial(_holds_secrets, scene), places)):
            yield _finding(scene, leaf, SENSITIVE_READ, worst, Effect.READS)
    if changes:
        code = _WRITE_CODES.get(worst.path_class)
        if worst.path_class in WORK:
            yield _finding(scene, leaf, WORK_WRITE, worst, Effect.WRITES)
        if code is not None and not (elsewhere and code is OUTSIDE):
            yield _finding(scene, leaf, code, worst, Effect.DELETES if Effect.DELETES in effects else Effect.WRITES)


_SEARCHES: Final = frozenset("grep read_many_files search_file_content search_files".split())
"""Tools that read whatever lies below a directory."""


def _holds_secrets(scene: Scene, place: Place) -> bool:
    """Whether keys and passwords are known to lie below a directory outside the project."""
    if place.path_class is PathClass.PROJECT or place.path_class is PathClass.ALLOWED:
        return False
    around = scene.settings.surroundings
    wide = (*around.homes, *(own.path for own in around.own if not own.readable), "/root", "/etc", "/home", "/users")
    above = place.path.rpartition("/")[0].casefold()
    return (
        above in {"/home", "/users"}
        or any(inside(directory, place.path) for directory in wide)
        or any(inside(example, place.path) for _kind, example in _tables(around.homes).examples)
    )


WORK: Final = frozenset({PathClass.PROJECT, PathClass.ALLOWED, PathClass.TEMP})
"""Where the work is done."""
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


def _is_own(scene: Scene, place: Place, effects: frozenset[Effect]) -> bool:
    if place.own is not None:
        return Effect.WRITES in effects or not (place.own.readable or place.own.usable)
    # Removing or moving a directory takes everything below it along.
    return Effect.DELETES in effects and holds_own_place(scene, place.path)


def own_place(scene: Scene, path: str, *, hidden: bool = False) -> OwnPlace | None:
    """The place of the guard's that an absolute path lies in, or that its wildcards can lead into."""
    is_glob = not GLOB_CHARACTERS.isdisjoint(path)
    if not is_glob and not f"{folded_path(path)}/".startswith(_own_heads(scene)):
        return None
    return next(
        (
            own
            for own in scene.settings.surroundings.own
            if (inside(path, own.path) and path.casefold().endswith(own.ending))
            or (is_glob and may_reach(path, own.path, hidden=hidden))
        ),
        None,
    )


def _own_heads(scene: Scene) -> tuple[str, ...]:
    heads: tuple[str, ...] | None = scene.shared.get(f"{_ID}.own")
    if heads is None:
        heads = scene.shared[f"{_ID}.own"] = _heads(scene.settings.surroundings.own)
    return heads


@lru_cache(maxsize=8)
def _heads(own: tuple[OwnPlace, ...]) -> tuple[str, ...]:
    """How paths in these places begin; one look at all of them is all that most paths need."""
    return tuple(f"{folded_path(place.path.rstrip('/'))}/" for place in own)


def holds_own_place(scene: Scene, path: str) -> bool:
    """Whether a place of the guard's lies in the directory, or in one that its wildcards match."""
    is_glob = not GLOB_CHARACTERS.isdisjoint(path)
    return any(
        inside(own.path, path) or (is_glob and may_reach(path, own.path, or_above=True))
        for own in scene.settings.surroundings.own
    )


def holds_own_place_near(scene: Scene, path: str) -> bool:
    """Whether whoever fills a directory of the user's, such as `~/.config`, may well fill a place of the guard's. A
    project that has the guard installed in it is filled all the time."""
    around = scene.settings.surroundings
    if not any(inside(path, home) for home in around.homes):
        return False
    project, depth = tidy(project_directory(scene)), path.rstrip("/").count("/") + _NEAR
    return any(
        own.path.count("/") <= depth
        and inside(own.path, path)
        and not (inside(own.path, project) and inside(project, path))
        for own in around.own
    )


_NEAR: Final = 3
"""How deep below a directory a place of the guard's is still near."""


def _locate(scene: Scene, place: Place, effects: frozenset[Effect], leaf: Leaf) -> Place:
    """The same place, with what the built-in tables say of it."""
    path = place.path
    around = scene.settings.surroundings
    tables = _tables(around.homes)
    is_glob = not GLOB_CHARACTERS.isdisjoint(path)
    kinds = _kinds(around.homes, path)
    spared = (_SPARED in kinds and _NEVER_SPARED not in kinds) or _SPARED_THERE in kinds
    secret = None if spared else kinds.get(_SENSITIVE)
    if secret is None and is_glob:
        secret = next((kind for kind, example in tables.examples if may_reach(path, example, hidden=True)), None)
        if secret is None and any(not one.readable and may_reach(path, one.path, hidden=True) for one in around.own):
            secret = "guard_state"
    hooks = kinds.get(_HOOKS)
    if hooks is None and Effect.DELETES in effects:
        hooks = kinds.get(_HOOK_DIRECTORIES) or _hooks_below(scene, path, leaf)
    return Place(path, PathClass.OTHER, secret, hooks, place.own, kinds)


def place_of(scene: Scene, path: str, *, whole: bool = False) -> Place:
    """Where an absolute path lies that a command names, by every table, built-in and configured. Links are followed
    by who asks. With `whole`, a directory stands for everything below it."""
    homes = scene.settings.surroundings.homes
    kinds = _kinds(homes, path)
    spared = (_SPARED in kinds and _NEVER_SPARED not in kinds) or _SPARED_THERE in kinds
    secret = None if spared else kinds.get(_SENSITIVE)
    is_glob = not GLOB_CHARACTERS.isdisjoint(path)
    if secret is None and is_glob:
        secret = next((kind for kind, example in _tables(homes).examples if may_reach(path, example)), None)
    hooks = kinds.get(_HOOKS) or (kinds.get(_HOOK_DIRECTORIES) if whole else None)
    if hooks is None and is_glob:
        from guardhouse.detect.paths.hooks import may_match  # only for patterns

        hooks = may_match(path, homes, whole=whole)
    return _with_class(scene, Place(path, PathClass.OTHER, secret, hooks, own_place(scene, path), kinds))


def holds_secrets(scene: Scene, place: Place) -> bool:
    """Whether keys and passwords are known to lie below a directory outside the project."""
    return _holds_secrets(scene, place)


def _hooks_below(scene: Scene, path: str, leaf: Leaf) -> str | None:
    """Whose settings a tool that is known to take things away would take along with a directory: a project's or a
    home's, if that is where it is."""
    profile = scene.tool
    if profile is None or not is_for_files(profile) or leaf.key in _PLACE_KEYS:
        return None
    project = project_directory(scene)
    real = scene.facts.real_paths.get(project)
    around = (tidy(project), real.path if real is not None else "", *scene.settings.surroundings.homes)
    return "any" if any(place and inside(place, path) for place in around) else None


def _settled(scene: Scene, places: list[Place], named: _Named) -> list[Place]:
    """The same places, with their classes. Where a path is allowed by its own name, `~/x/.env`, that it could also be
    an odd name in the project does not count; where links lead from there does."""
    settled = [_with_class(scene, place) for place in places]
    if len(settled) < 2 or settled[0].path not in scene.settings.allowed_directories:
        return settled
    odd = set(map(tidy, named.written[1:]))
    return [place for place in settled if place.path_class is not PathClass.PROJECT or place.path not in odd]


def _with_class(scene: Scene, place: Place) -> Place:
    """The same place, with what configuration says of it."""
    settings = scene.settings
    secret = place.secret
    if settings.sensitive_paths:
        secret = (
            _configured(settings.sensitive_paths, settings.surroundings.homes)
            .kinds(place.path)
            .get(_CONFIGURED, secret)
        )
    path_class = _path_class(scene, place.path, place.own, secret, place.kinds)
    return Place(place.path, path_class, secret, place.hooks, place.own, place.kinds)


def _with_builtin_class(scene: Scene, place: Place) -> Place:
    path_class = _path_class(scene, place.path, place.own, place.secret, place.kinds)
    return msgspec.structs.replace(place, path_class=path_class)


def _kinds(homes: tuple[str, ...], path: str) -> dict[str, str]:
    """What the built-in tables say of a path. If they can't be searched, the worst."""
    try:
        return _tables(homes).places.kinds(path)
    except Exception:  # noqa: BLE001 - RE2 has errors of its own, and a floor must not depend on any
        return {_SENSITIVE: _UNKNOWN, _HOOKS: _UNKNOWN, _HOOK_DIRECTORIES: _UNKNOWN, _PERSISTENCE: _UNKNOWN}


_UNKNOWN: Final = "unknown"


class Standing(NamedTuple):
    """What the tables say of a path, whatever is about to happen to it."""

    secret: str | None
    """What kind of secret is kept there."""
    runs: bool
    """Whether what is written there runs by itself later, or decides whether an agent calls the guard."""


def standing_of(path: str, homes: tuple[str, ...], sensitive: tuple[str, ...] = ()) -> Standing:
    """What the built-in tables say of an absolute path, and `sensitive`, which are configured. A name may have bytes in
    it that are no text."""
    path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    kinds = _kinds(homes, path)
    spared = (_SPARED in kinds and _NEVER_SPARED not in kinds) or _SPARED_THERE in kinds
    secret = None if spared else kinds.get(_SENSITIVE)
    if sensitive:
        secret = _configured(sensitive, homes).kinds(path).get(_CONFIGURED, secret)
    return Standing(secret, bool(kinds.keys() & {_HOOKS, _PERSISTENCE}))


def is_hook_file(scene: Scene, path: str) -> bool:
    """Whether an absolute path is among the settings that decide whether an agent calls the guard."""
    return _HOOKS in _kinds(scene.settings.surroundings.homes, path)


def _path_class(
    scene: Scene, path: str, own: OwnPlace | None, secret: str | None, kinds: Mapping[str, str]
) -> PathClass:
    around = scene.settings.surroundings
    if own is not None:
        return PathClass.GUARD
    allowed = scene.settings.allowed_directories
    if _PERSISTENCE in kinds and path not in allowed:
        return PathClass.PERSISTENCE  # who allows a directory means files, not what runs at every login
    if any(inside(path, directory) for directory in allowed):
        return PathClass.ALLOWED
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
    """Inside the project's directory, unless that is so wide or so delicate that it can't be anybody's project."""
    project, homes = project_directory(scene), scene.settings.surroundings.homes
    written = tidy(project)
    if inside(path, written) and _is_project(written, homes):
        return True
    # Only now does it matter whether the directory was reached through a link.
    real = scene.real_path(project)
    return real is not None and bool(real.path) and inside(path, real.path) and _is_project(real.path, homes)


def in_work(scene: Scene, path: str) -> bool:
    """Whether an absolute path lies in the project, or in a directory that the user has allowed."""
    plain, allowed = tidy(path), scene.settings.allowed_directories
    return any(inside(plain, directory) for directory in allowed) or _in_project(scene, plain)


def stays_in_work(scene: Scene) -> bool:
    """Whether every file that a call names lies in the project or in an allowed directory, as written and with its
    links followed. A call that names none is about the directory that it runs in."""
    found = _paths(scene)
    here = working_directory(scene)
    names = [(one.written, one.follow, one.lost or _is_address(one.leaf)) for one in found.named]
    stays = not found.too_many
    for written, follow, lost in names or [((here,), (here,), False)]:
        followed = [scene.real_path(path) for path in follow]
        real = [answer.path for answer in followed if answer is not None and not answer.error]
        inner = [in_work(scene, path) for path in (*written, *real)]
        stays = stays and all(inner) and not lost and len(real) == len(followed)
    return stays


def _is_address(leaf: Leaf) -> bool:
    """Whether what stands for a file is an address of something else."""
    return "://" in leaf.text and leaf.text.strip()[:5].lower() != "file:"


@lru_cache(maxsize=256)
def _is_project(directory: str, homes: tuple[str, ...]) -> bool:
    return (
        directory.count("/") > 1
        and directory not in SYSTEM_ROOTS
        and not any(inside(home, directory) for home in homes)
        and not any(inside(directory, root) for root in NO_PROJECTS)
        and {_SENSITIVE, _TOO_WIDE}.isdisjoint(_tables(homes).places.kinds(directory))
    )


_SENSITIVE: Final = "sensitive"
_SPARED: Final = "spared"
_NEVER_SPARED: Final = "never spared"
_SPARED_THERE: Final = "spared even there"
_CONFIGURED: Final = "configured"
_PERSISTENCE: Final = "persistence"
_HOOKS: Final = "hooks"
_HOOK_DIRECTORIES: Final = "hook directories"
_TOO_WIDE: Final = "too wide"


class _Tables(msgspec.Struct, frozen=True):
    places: PlaceTable
    examples: tuple[tuple[str, str], ...]
    """Sensitive files at known places, for globs: a pattern is sensitive if it matches one of them."""


@lru_cache(maxsize=8)
def _tables(homes: tuple[str, ...]) -> _Tables:
    """The built-in tables. Configured patterns are kept apart, so that none of them can break a floor."""
    groups = {
        _SENSITIVE: ((kind, pattern) for kind, pattern, _example in SENSITIVE),
        _SPARED: (("spared", pattern) for pattern, _example in NOT_SENSITIVE),
        _NEVER_SPARED: ((kind, pattern) for kind, pattern, _example in NEVER_SPARED),
        _SPARED_THERE: (("spared", pattern) for pattern, _example in SPARED_EVEN_THERE),
        _PERSISTENCE: ((kind, pattern) for kind, pattern, _example in PERSISTENCE),
        _HOOKS: ((kind, pattern) for kind, pattern, _example in HOOK_SETTINGS),
        _HOOK_DIRECTORIES: ((row[0], row[1]) for row in HOOK_DIRECTORIES),
        _TOO_WIDE: (("wide", pattern) for pattern, _example in TOO_WIDE),
    }
    return _Tables(places=PlaceTable(groups, homes), examples=tuple(_examples(homes)))


@lru_cache(maxsize=8)
def _configured(patterns: tuple[str, ...], homes: tuple[str, ...]) -> PlaceTable:
    table = PlaceTable({_CONFIGURED: (("configured", pattern) for pattern in patterns)}, homes)
    table.compile()  # patterns of somebody else's, which may be too many or too heavy: better known at once
    return table


def _examples(homes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for kind, pattern, example in SENSITIVE:
        if pattern.startswith("/"):
            yield kind, example
        elif pattern.startswith("~"):
            # The example's own home is `/root` or `/home/<name>`.
            below = example.removeprefix("/root").split("/")
            tail = "/".join(below if example.startswith("/root/") else below[3:])
            for home in (*homes, "/root", "/home/*"):
                yield kind, f"{home}/{tail.lstrip('/')}"


def _finding(scene: Scene, leaf: Leaf, code: ReasonCode, place: Place, effect: Effect | None) -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field),
        excerpt="" if code.severity is Severity.INFO else leaf.masked,
        origin=scene.origin,
        effect=effect,
        path=place.path,
        path_class=place.path_class,
        detail=place.hooks if code is HOOK_FILES and place.hooks else place.secret or "",
    )


DETECTOR: Final = Detector(
    id=_ID,
    codes=(
        TOUCHED,
        WORK_WRITE,
        SENSITIVE_READ,
        OUTSIDE,
        SYSTEM_WRITE,
        PERSISTENCE_WRITE,
        UNRESOLVABLE,
        OWN_FILES,
        HOOK_FILES,
        TOO_MANY,
    ),
    find=_find,
    needs=_needs,
    calls_only=True,
)
