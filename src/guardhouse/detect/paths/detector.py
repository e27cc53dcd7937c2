"""Looks at the files a call names: where they lie, where they really lead, and what the call would do to them.

Every path is judged twice, as written and with its links followed, and the worse answer counts. Paths inside shell
commands belong to the command detector.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.interface import Detector, Leaf, OwnPlace, Scene
from guardhouse.detect.paths.places import (
    GLOB_CHARACTERS,
    HOOK_DIRECTORIES,
    HOOK_SETTINGS,
    NO_PROJECTS,
    NOT_SENSITIVE,
    PERSISTENCE,
    SENSITIVE,
    SYSTEM_ROOTS,
    PlaceTable,
    absolute,
    folded_path,
    inside,
    may_reach,
    other_readings,
    tidy,
)
from guardhouse.model import Effect, Finding, PathClass, ReasonCode, Severity, Span
from guardhouse.trust import KNOWN_TOOLS, Capability, ToolProfile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

_PATH_KEYS: Final = frozenset(
    "path paths file files file_path filepath file_paths filename file_name dir directory folder cwd "
    "workdir working_directory target target_file source src dst dest destination old_path new_path "
    "from_path to_path notebook_path absolute_path relative_path relative_workspace_path output "
    "output_path output_file save_path attachment attachments include dir_path directory_path "
    "target_directory root".split()
)
_PATH_ENDINGS: Final = ("path", "paths", "file", "files", "filename", "dir", "directory", "folder")
"""Of keys in every other spelling: `sourcePath`, `new_file`."""
_NOT_PATH_KEYS: Final = frozenset(["xpath", "jsonpath", "json_path", "profile"])
_TEXT_KEYS: Final = frozenset(
    "content text body data message prompt description comment new_string old_string new_str old_str "
    "file_text insert_text code script sql html markdown subject title note notes command cmd query q".split()
)
_PATTERN_KEYS: Final = frozenset(["pattern", "regex"])
"""What is searched for is data, unless the tool searches for files."""
_PATCH_KEYS: Final = frozenset(["patch", "diff"])
_PATCH_HEAD: Final = (
    r"(?m)^[ \t]*(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to):|\*\*\*|\+\+\+|---|Index:"
    r"|(?:rename|copy) (?:from|to))[ \t]+([^\r\n]+)"
)
_GIT_HEAD: Final = r"(?m)^[ \t]*diff --git (\S+) (\S+)[ \t]*\r?$"
_LONGEST: Final = 4096
_MOST_FOLLOWED: Final = 512
"""Paths of one call whose links are followed; beyond that they are judged as they are written, and a person asked."""


class _Place(msgspec.Struct, frozen=True, gc=False):
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


def _read_paths(scene: Scene) -> Iterator[tuple[Leaf, str]]:
    profile = scene.tool
    if profile is None:
        return
    patches = "patch" in profile.name
    # A network or shell tool has many strings with a slash in them; a file tool, under whatever key, has paths.
    loosely = not (profile.classified and {Capability.EGRESS, Capability.EXECUTES} & profile.capabilities)
    text_keys = _TEXT_KEYS if profile.name.startswith("glob") else _TEXT_KEYS | _PATTERN_KEYS
    for leaf in scene.leaves:
        if leaf.is_key:
            if _is_path_as_key(leaf):
                yield leaf, leaf.text
            continue
        if is_path_key(leaf.key):
            yield leaf, leaf.text or "."
        elif leaf.key not in text_keys and _looks_like_path(leaf.text, loosely=loosely):
            yield leaf, leaf.text
        if patches or leaf.key in _PATCH_KEYS:
            for name in _patched(leaf.text):
                yield leaf, name


def is_path_key(key: str) -> bool:
    """Whether what stands under `key` is a path, by the name of the key."""
    return key in _PATH_KEYS or (key.endswith(_PATH_ENDINGS) and key not in _NOT_PATH_KEYS)


def _is_path_as_key(leaf: Leaf) -> bool:
    """Whether an object's key is itself a path, as in `{"files": {"notes.txt": "…"}}`."""
    if is_path_key(leaf.key):
        return leaf.text.lower() not in _TEXT_KEYS and not is_path_key(leaf.text.lower())
    return _looks_like_path(leaf.text, loosely=False)


def _looks_like_path(text: str, *, loosely: bool) -> bool:
    if not loosely and text[:1] not in _STARTS:
        return False
    if len(text) > _LONGEST or "\n" in text:
        return False
    head = text.lstrip()
    if head.startswith(_PATH_STARTS) or head[:5].lower() == "file:":
        return True
    return loosely and ("/" in text or head.startswith(".")) and " " not in text


_PATH_STARTS: Final = ("/", "~", "./", "../", "$HOME", "${HOME}", "$XDG", "${XDG", "$PWD", "${PWD}")
_STARTS: Final = frozenset("/~.$fF \t\r\v\f\x85\xa0")
"""What such a string can begin with: a quick look that most strings need no second one after."""


def _patched(text: str) -> Iterator[str]:
    """The files that a patch names, in every form that some tool reads."""
    import re2  # only needed where a patch is looked at

    for match in re2.finditer(_PATCH_HEAD, text):
        yield from _patch_names(match[1].split("\t")[0].strip())
    for match in re2.finditer(_GIT_HEAD, text):
        yield from _patch_names(match[1])
        yield from _patch_names(match[2])


def _patch_names(name: str) -> Iterator[str]:
    """A name as it stands in a header, and without the one directory that git puts before it."""
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        name = _unquoted(name[1:-1])
    if not name or name == "/dev/null" or len(name) > _LONGEST:
        return
    yield name
    if name[1:2] == "/" and name[0] in "abciow":
        yield name[2:] or "."


def _unquoted(name: str) -> str:
    """A name in git's quotes: octal escapes are bytes, a backslash keeps what follows it."""
    raw, out, at = name.encode("utf-8"), bytearray(), 0
    while at < len(raw):
        digits = raw[at + 1 : at + 4]
        if raw[at] != _BACKSLASH:
            out.append(raw[at])
            at += 1
        elif len(digits) == 3 and all(0x30 <= digit <= 0x37 for digit in digits):
            out.append(int(digits, 8) & 0xFF)
            at += 4
        else:
            out += digits[:1]
            at += 2
    return out.decode("utf-8", "replace")


_BACKSLASH: Final = 0x5C


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


def _home(scene: Scene) -> str:
    homes = scene.settings.surroundings.homes
    return homes[0] if homes else "/root"


class _Named(msgspec.Struct, frozen=True, gc=False):
    """A path that a call names."""

    leaf: Leaf
    path: str
    """Absolute, as it is written."""
    follow: tuple[str, ...]
    """What to follow the links of: the path, and for a glob also where it starts. Empty if that can't be done."""


def _named(scene: Scene) -> list[_Named]:
    """Every path of the call; each once."""
    found: list[_Named] | None = scene.shared.get(_ID)
    if found is None:
        found = []
        cwd, home = working_directory(scene), _home(scene)
        for number, (leaf, raw) in enumerate(dict.fromkeys(_read_paths(scene))):
            path = absolute(raw, cwd, home)
            follow: tuple[str, ...] = ()
            if number < _MOST_FOLLOWED and len(path) <= _LONGEST and "\0" not in path and "\n" not in path:
                follow = (path,) if GLOB_CHARACTERS.isdisjoint(path) else (path, _fixed_part(path))
            found.append(_Named(leaf, path, follow))
        scene.shared[_ID] = found
    return found


def _needs(scene: Scene) -> None:
    if scene.tool is None or not _does(scene.tool):
        return
    found = _named(scene)
    for named in found:
        for path in named.follow:
            scene.real_path(path)
    if found:
        scene.real_path(working_directory(scene))


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is None:
        return
    effects = _does(profile)
    if not effects:
        return
    found = _named(scene)
    for named in found:
        followed = [scene.real_path(path) for path in named.follow]
        real = [answer.path for answer in followed if answer is not None and not answer.error]
        written = tidy(named.path)
        places = [written, *map(tidy, other_readings(named.path)), *real]
        known = [_locate(scene, place, effects) for place in dict.fromkeys(places) if len(place) <= _LONGEST]
        if not followed or len(real) < len(followed) or not all(path.startswith("/") for path in real):
            nowhere = _Place(written[:_LONGEST], PathClass.OTHER, None, None, None)
            yield _finding(scene, named.leaf, UNRESOLVABLE, known[0] if known else nowhere, None)
        if known:
            yield from _judge(scene, named.leaf, known, effects)
    if not found and profile.name in _FILE_CHANGERS:
        yield Finding(code=UNRESOLVABLE.id, detector=_ID, severity=UNRESOLVABLE.severity, detail="no path is named")


_FILE_CHANGERS: Final = frozenset(
    name for name, profile in KNOWN_TOOLS.items() if Capability.WRITES in profile.capabilities
)
"""Tools that make no sense without a path; a call of one that names none hides it."""


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
    else:
        if scene.tool is not None and scene.tool.name in _SEARCHES and any(map(partial(_holds_secrets, scene), places)):
            yield _finding(scene, leaf, SENSITIVE_READ, worst, Effect.READS)
    if changes:
        code = _WRITE_CODES.get(worst.path_class)
        if code is not None:
            yield _finding(scene, leaf, code, worst, Effect.DELETES if Effect.DELETES in effects else Effect.WRITES)


_SEARCHES: Final = frozenset("grep read_many_files search_file_content search_files".split())
"""Tools that read whatever lies below a directory."""


def _holds_secrets(scene: Scene, place: _Place) -> bool:
    """Whether a directory is so wide that keys and passwords lie below it: a home, or something above one."""
    around = scene.settings.surroundings
    wide = (*around.homes, *(own.path for own in around.own if not own.readable), "/root", "/etc", "/home", "/users")
    above = place.path.rpartition("/")[0].casefold()
    return above in {"/home", "/users"} or any(inside(directory, place.path) for directory in wide)


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
    return Effect.DELETES in effects and holds_own_place(scene, place.path)


def own_place(scene: Scene, path: str) -> OwnPlace | None:
    """The place of the guard's that an absolute path lies in, or that its wildcards can lead into."""
    is_glob = not GLOB_CHARACTERS.isdisjoint(path)
    if not is_glob and not f"{folded_path(path)}/".startswith(_own_heads(scene)):
        return None
    return next(
        (
            own
            for own in scene.settings.surroundings.own
            if inside(path, own.path) or (is_glob and may_reach(path, own.path))
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


def _locate(scene: Scene, path: str, effects: frozenset[Effect]) -> _Place:
    tables = _tables(scene.settings.sensitive_paths, scene.settings.surroundings.homes)
    own = own_place(scene, path)
    kinds = tables.places.kinds(path)
    secret = kinds.get(_CONFIGURED) or (None if _SPARED in kinds else kinds.get(_SENSITIVE))
    if secret is None and not GLOB_CHARACTERS.isdisjoint(path):
        secret = next((kind for kind, example in tables.examples if may_reach(path, example)), None)
    hooks = kinds.get(_HOOKS)
    if hooks is None and Effect.DELETES in effects:
        hooks = kinds.get(_HOOK_DIRECTORIES)
    return _Place(path, _path_class(scene, path, own, secret, kinds), secret, hooks, own)


def is_hook_file(scene: Scene, path: str) -> bool:
    """Whether an absolute path is among the settings that decide whether an agent calls the guard."""
    tables = _tables(scene.settings.sensitive_paths, scene.settings.surroundings.homes)
    return _HOOKS in tables.places.kinds(path)


def _path_class(
    scene: Scene, path: str, own: OwnPlace | None, secret: str | None, kinds: Mapping[str, str]
) -> PathClass:
    around = scene.settings.surroundings
    if own is not None:
        return PathClass.GUARD
    if any(inside(path, directory) for directory in scene.settings.allowed_directories):
        return PathClass.ALLOWED
    if _PERSISTENCE in kinds:
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
    """Inside the working directory, unless that is so wide or so delicate that it can't be anybody's project."""
    cwd = working_directory(scene)
    real = scene.facts.real_paths.get(cwd)
    places = (tidy(cwd),) if real is None or not real.path else (tidy(cwd), real.path)
    homes = scene.settings.surroundings.homes
    return any(
        inside(path, place) and _is_project(place, scene.settings.sensitive_paths, homes) for place in set(places)
    )


@lru_cache(maxsize=256)
def _is_project(directory: str, configured: tuple[str, ...], homes: tuple[str, ...]) -> bool:
    return (
        directory.count("/") > 1
        and directory not in SYSTEM_ROOTS
        and not any(inside(home, directory) for home in homes)
        and not any(inside(directory, root) for root in NO_PROJECTS)
        and _SENSITIVE not in _tables(configured, homes).places.kinds(directory)
    )


_SENSITIVE, _SPARED, _CONFIGURED, _PERSISTENCE, _HOOKS, _HOOK_DIRECTORIES = (
    "sensitive",
    "spared",
    "configured",
    "persistence",
    "hooks",
    "hook_directories",
)


@dataclass(frozen=True, slots=True)
class _Tables:
    places: PlaceTable
    examples: tuple[tuple[str, str], ...]
    """Sensitive files at known places, for globs: a pattern is sensitive if it matches one of them."""


@lru_cache(maxsize=8)
def _tables(configured: tuple[str, ...], homes: tuple[str, ...]) -> _Tables:
    groups = {
        _SENSITIVE: ((kind, pattern) for kind, pattern, _example in SENSITIVE),
        _SPARED: (("spared", pattern) for pattern, _example in NOT_SENSITIVE),
        _CONFIGURED: (("configured", pattern) for pattern in configured),
        _PERSISTENCE: ((kind, pattern) for kind, pattern, _example in PERSISTENCE),
        _HOOKS: ((kind, pattern) for kind, pattern, _example in HOOK_SETTINGS),
        _HOOK_DIRECTORIES: ((row[0], row[1]) for row in HOOK_DIRECTORIES),
    }
    return _Tables(
        places=PlaceTable(groups, homes),
        examples=tuple(_examples(homes)),
    )


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


def _finding(scene: Scene, leaf: Leaf, code: ReasonCode, place: _Place, effect: Effect | None) -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field),
        excerpt="" if code is TOUCHED else leaf.masked,
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
