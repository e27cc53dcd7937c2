"""What a sandboxed process sees of the file system: a list of mounts, made of what there is to be seen.

Nothing is there that is not put there: system directories to read, the tools of the user's, the workspace. On top of
that lies what may be in the workspace and not be touched from inside: what decides whether an agent calls the guard,
what runs by itself later, the guard itself; and over what holds secrets lies nothing that could be read.

A mount can't be moved, but a directory that holds one can, and then another put in its place. So every directory on
the way from the workspace to something protected is a mount, too.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from guardhouse.detect.paths import inside, standing_of
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.repositories import linked, named_in, places_of, protected_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from guardhouse.detect import OwnPlace
    from guardhouse.sandbox.looking import Looker, Secret, Seen
    from guardhouse.sandbox.repositories import Linked

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
"""Directories of programs and libraries."""

# fmt: off - a list of names
SETTINGS: Final = tuple(
    "alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version default/locale "
    "fonts gai.conf group host.conf hosts inputrc java-11-openjdk java-17-openjdk java-21-openjdk ld.so.cache "
    "ld.so.conf ld.so.conf.d locale.alias locale.conf localtime login.defs lsb-release magic mime.types "
    "nanorc nsswitch.conf os-release passwd perl pki profile profile.d protocols python3 python3.11 python3.12 "
    "python3.13 redhat-release rpc services shells ssl/certs ssl/openssl.cnf terminfo timezone vim X11/rgb.txt".split()
)
"""Of `/etc`: what programs read and what tells nothing. Not what may hold a password, such as the settings of pip."""

TOOLCHAINS: Final = tuple(
    ".asdf .bun/bin .cargo/bin .cargo/env .deno/bin .fnm .goenv .local/bin .local/lib .local/share/fnm "
    ".local/share/mise .local/share/pipx .local/share/pnpm .local/share/uv/python .local/share/uv/tools "
    ".local/share/virtualenvs .npm-global/bin .npm-global/lib "
    ".nvm .pyenv .rbenv .rustup .rvm .sdkman .swiftly .virtualenvs .volta .cache/pypoetry/virtualenvs anaconda3 "
    "go/bin miniconda3 miniforge3 sdk/go".split()
)
"""Of the home: what languages and their tools are installed in. None of them keeps passwords there."""

PROTECTED: Final[tuple[str, ...]] = (
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".guardhouse.json",
    ".guardhouse.toml",
    ".guardhouse.yaml",
    ".guardhouse.yml",
    ".github/hooks",
    ".idea",
    ".kiro",
    ".mcp.json",
    ".roo",
    ".vscode",
    "opencode.json",
)
"""Of the workspace: what decides whether an agent calls the guard, and what runs outside by itself later."""
HELD_OPEN: Final = frozenset({".claude", ".codex", ".git/hooks"})
"""Of these: directories that nobody may make while somebody is inside. An empty one takes their place meanwhile."""
# fmt: on

MOST_APART: Final = 50
"""Secrets of one directory that are hidden one by one; of more, the directory is."""
MOST_MOUNTS: Final = 1_500
"""So that bubblewrap can be told all of them."""

Kind = Literal["read", "write", "empty", "no_file", "no_directory", "link"]


class Mount(NamedTuple):
    """One thing that is put at a place inside."""

    kind: Kind
    target: str
    source: str = ""
    """What of the machine is put there, if it is something of the machine's."""
    identity: str = ""
    """Device and inode of that, if somebody inside another sandbox could have put something else in its place."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a view is to be made of."""

    workspace: str
    """Absolute. The directory that the work is in."""
    cwd: str
    home: str
    scratch: str
    """What is `/tmp` inside."""
    read_only: bool = False
    """Whether the workspace may not be written to."""
    readable: tuple[str, ...] = ()
    """Further places to read, and"""
    writable: tuple[str, ...] = ()
    """to write."""
    hidden: tuple[str, ...] = ()
    """Globs of files that hold secrets, beside those that are known to."""
    shown: tuple[str, ...] = ()
    """Files that may be read although they look as if they hold secrets."""
    own: tuple[OwnPlace, ...] = ()
    """The guard's own places."""
    held: frozenset[str] = frozenset()
    """Directories that are only there because they are held open for others."""
    git_settings: str = ""
    """A file with the user's settings of git, as far as they are seen inside."""
    interpreter: tuple[str, ...] = ()
    """Where the Python is that starts the command inside."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is seen inside."""

    mounts: tuple[Mount, ...]
    cwd: str
    held_open: tuple[str, ...] = ()
    """Directories of the workspace that are not there, and have to be while somebody is inside."""
    roots: tuple[str, ...] = ()
    """Directories that can be written to."""
    settings: frozenset[str] = frozenset()
    """Repositories, and settings of agents, that were there further in."""
    watched: tuple[str, ...] = ()
    """Protected places that are not there: what appears at one of them is put aside afterwards."""
    unseen: int = 0
    """How many directories of the workspace were not looked through for secrets; at least."""


def view_of(wanted: Wanted, looker: Looker) -> View:
    """The view. NoSandbox if the workspace can't be one, or something in it can't be protected."""
    workspace = _workspace(wanted)
    work = tuple(dict.fromkeys((workspace, *map(os.path.realpath, wanted.writable))))
    builder = _Builder()
    for directory in SYSTEM:
        builder.add_as_it_is(directory)
    for name in SETTINGS:
        builder.read(f"/etc/{name}")
    _add_empty_places(builder, wanted)
    for name in TOOLCHAINS:
        builder.read(f"{wanted.home}/{name}")
    for place in (*wanted.interpreter, *wanted.readable):
        builder.read(place)
    kind: Kind = "read" if wanted.read_only else "write"
    for place in (wanted.workspace, *wanted.writable):
        for target in dict.fromkeys((os.path.realpath(place), _normal(place))):
            real = os.path.realpath(place)
            builder.add(Mount(kind, target, real, identity_of(real)))
    if wanted.git_settings:
        builder.add(Mount("read", f"{wanted.home}/.gitconfig", wanted.git_settings))
    elsewhere = linked(workspace)
    if elsewhere is not None:
        builder.add(Mount(kind, elsewhere.common, elsewhere.common, identity_of(elsewhere.common)))
    held_open: list[str] = []
    watched: list[str] = []
    seen = {
        root: looker.look(root, wanted.home, wanted.hidden) for root in (*work, *map(os.path.realpath, wanted.readable))
    }
    for root, place in () if wanted.read_only else _to_protect(work, elsewhere, seen):
        if place in wanted.held or not builder.protect(root, place):
            is_held = place.removeprefix(f"{workspace}/") in HELD_OPEN
            (held_open if is_held else watched).append(place)
    for root, found in seen.items():
        builder.hide(root, found.secrets, wanted.shown)
    builder.guard(wanted.own)
    for place in held_open:
        builder.cover(place, is_directory=True)
    if len(builder.mounts) > MOST_MOUNTS:
        raise NoSandbox(
            f"There is too much to protect in {workspace}: {len(builder.mounts)} places.",
            fix="Remove what looks like secrets or repositories, or work in a directory further in.",
        )
    return View(
        mounts=tuple(builder.mounts),
        cwd=_normal(wanted.cwd),
        held_open=tuple(held_open),
        roots=() if wanted.read_only else (*work, *((elsewhere.common,) if elsewhere else ())),
        watched=tuple(watched),
        settings=frozenset(place for found in seen.values() for place in found.settings),
        unseen=sum(found.unseen for found in seen.values()),
    )


def _to_protect(work: tuple[str, ...], elsewhere: Linked | None, seen: Mapping[str, Seen]) -> Iterator[tuple[str, str]]:
    """What may not be changed, with the directory that can be written to and that it lies in."""
    for root in work:
        for place in seen[root].settings:
            if os.path.islink(place):
                continue  # nothing can be mounted over it
            is_repository = place.endswith("/.git")
            yield from ((root, one) for one in (places_of(place[:-5]) if is_repository else (place,)))
        yield from ((root, f"{root}/{name}") for name in PROTECTED)
        yield from ((root, place) for place in (*places_of(root), *named_in(root)))
        if not os.path.lexists(f"{root}/.git"):
            # What is no repository yet may become one, of either form.
            yield from ((root, f"{root}/{name}") for name in (".git", "HEAD"))
    if elsewhere is not None:
        yield from ((elsewhere.common, place) for place in protected_in(elsewhere.common))
        yield from ((elsewhere.common, f"{elsewhere.own}/{name}") for name in ("commondir", "gitdir"))


def _add_empty_places(builder: _Builder, wanted: Wanted) -> None:
    """Places that are the sandbox's own. `/tmp` stays from one command to the next, unless something of the machine's
    is put below it: who could prepare the way there would say where that ends up."""
    temp = "/tmp"  # noqa: S108 - not the machine's
    below = (wanted.workspace, wanted.home, *wanted.readable, *wanted.writable, *wanted.interpreter)
    is_used = any(inside(one, temp) for place in below for one in (_normal(place), os.path.realpath(place)))
    builder.add(Mount("empty", temp) if is_used else Mount("write", temp, wanted.scratch))
    for place in ("/var/tmp", "/run", wanted.home):  # noqa: S108 - as above
        builder.add(Mount("empty", place))


def _workspace(wanted: Wanted) -> str:
    """The workspace as it really lies. NoSandbox if it is none, or so wide that everything would be in it."""
    real = os.path.realpath(wanted.workspace)
    if not os.path.isdir(real):
        raise NoSandbox(f"There is no directory {wanted.workspace}.", fix="Name the workspace with --workspace.")
    delicate = [wanted.home, *(place.path for place in wanted.own if not place.readable)]
    around = next((one for one in (*delicate, *SYSTEM, "/etc") if inside(os.path.realpath(one), real)), None)
    if around is not None or real.count("/") < 2:
        why = "your home directory" if around == wanted.home else around or "everything"
        raise NoSandbox(
            f"{real} can't be the workspace: {why} lies in it.", fix="Work in a directory of the project's own."
        )
    if standing_of(real, (wanted.home,), wanted.hidden).secret is not None:
        raise NoSandbox(f"{real} can't be the workspace: it holds secrets.", fix="Work in another directory.")
    if any(inside(real, os.path.realpath(place.path)) for place in wanted.own if not place.readable):
        raise NoSandbox(f"{real} can't be the workspace: it is the guard's own.", fix="Work in another directory.")
    places = [real, *map(os.path.realpath, (*wanted.readable, *wanted.writable))]
    if not any(inside(os.path.realpath(wanted.cwd), place) for place in places):
        raise NoSandbox("The working directory is not in the workspace.", fix="Name the workspace with --workspace.")
    return real


def _normal(path: str) -> str:
    return os.path.normpath(path)


class _Builder:
    """Mounts in the order in which they are made. What is made later lies on top."""

    def __init__(self) -> None:
        self.mounts: list[Mount] = []
        self._made: set[Mount] = set()

    def add(self, mount: Mount) -> None:
        if mount not in self._made:
            self._made.add(mount)
            self.mounts.append(mount)

    def add_as_it_is(self, path: str) -> None:
        """A system directory to read, or the link that it is."""
        if os.path.islink(path):
            self.add(Mount("link", path, os.readlink(path)))
        else:
            self.read(path)

    def read(self, path: str) -> None:
        """Something to read, if it is there; at its own name, wherever that leads."""
        path = _normal(path)
        if path.startswith("/") and os.path.exists(path):
            self.add(Mount("read", path, os.path.realpath(path)))

    def seen(self, path: str) -> list[tuple[Mount, str]]:
        """Where something of the machine's can be seen inside: by which mount, and under which name."""
        found: list[tuple[Mount, str]] = []
        for mount in self.mounts:
            if mount.kind in {"read", "write"} and inside(path, mount.source):
                name = mount.target + path[len(mount.source) :]
                # The last one that reaches over a name is what is seen there.
                if next(one for one in reversed(self.mounts) if inside(name, one.target)) is mount:
                    found.append((mount, name))
        return found

    def cover(self, path: str, *, is_directory: bool, root: str = "") -> None:
        """Let nothing be seen of a path of the machine's, wherever it could be; nor in the next sandbox, because it was
        moved below `root` to where nobody looks."""
        for parent in _between(root, path) if root else ():
            try:
                self._fix(parent, "write", identity_of(parent))
            except OSError:
                return  # it has just gone, and took the secret along
        for _mount, name in self.seen(path):
            self.add(Mount("no_directory" if is_directory else "no_file", name))

    def protect(self, root: str, path: str) -> bool:
        """Make something below a `root` that can be written to unchangeable, and the way there immovable; False if it
        is not there."""
        parents = _between(root, path)
        identities: dict[str, str] = {}
        for one in (*parents, path):
            try:
                found = os.lstat(one)
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError as error:
                raise NoSandbox(f"{one} can't be looked at: {error.strerror}.") from None
            if stat.S_ISLNK(found.st_mode):
                # Nothing can be mounted over a link: it could be taken away, and something else put in its place.
                raise NoSandbox(
                    f"{one} is a link, which can't be kept from being changed inside.",
                    fix="Put what it leads to in its place, or use --read-only.",
                )
            identities[one] = f"{found.st_dev}:{found.st_ino}"
        for parent in parents:
            self._fix(parent, "write", identities[parent])
        self._fix(path, "read", identities[path])
        return True

    def _fix(self, path: str, kind: Kind, identity: str) -> None:
        """Make a mount of its own of something that can be written to, wherever it can be seen."""
        for mount, name in self.seen(path):
            if mount.kind == "write" and not (kind == "write" and mount.target == name):
                self.add(Mount(kind, name, path, identity))

    def hide(self, root: str, secrets: Iterable[Secret], shown: Iterable[str]) -> None:
        """Cover what holds secrets."""
        spared = frozenset(map(_normal, shown))
        by_directory: dict[str, list[Secret]] = {}
        for secret in secrets:
            if secret.path not in spared:
                by_directory.setdefault(os.path.dirname(secret.path), []).append(secret)
        for directory, inner in by_directory.items():
            if len(inner) > MOST_APART and directory != root:
                self.cover(directory, is_directory=True, root=root)
                continue
            for secret in inner:
                self.cover(secret.path, is_directory=secret.is_directory, root=root)

    def guard(self, own: Iterable[OwnPlace]) -> None:
        """Cover the guard's own places where they can be seen, or keep them from being changed."""
        for place in own:
            path = place.path
            if not os.path.lexists(path):
                continue
            if not place.readable:
                self.cover(path, is_directory=os.path.isdir(path))
                continue
            for mount, _name in self.seen(path):
                if mount.kind == "write":
                    # A link is protected by the directory that it is in.
                    self.protect(mount.source, os.path.dirname(path) if os.path.islink(path) else path)


def _between(root: str, path: str) -> list[str]:
    """The directories between the two, the outermost first."""
    names = path[len(root) :].strip("/").split("/")[:-1]
    return ["/".join((root, *names[: index + 1])) for index in range(len(names))]


def expectations(mounts: Iterable[Mount]) -> bytes:
    """What must be found inside before anything is run there, for the first process to compare: of each place, what
    lies on top."""
    last = {mount.target: mount for mount in mounts}
    told = [
        f"{mount.kind} {mount.identity or '-'} {mount.target}"
        for mount in last.values()
        if mount.identity or mount.kind in {"no_file", "no_directory"}
    ]
    return b"\0".join(map(os.fsencode, told)) + b"\0\0"


def identity_of(path: str) -> str:
    """Device and inode of what is there itself, not of what a link leads to."""
    found = os.lstat(path)
    return f"{found.st_dev}:{found.st_ino}"


def mount_arguments(mounts: Iterable[Mount]) -> Iterator[str]:
    """The mounts as arguments of bubblewrap."""
    for mount in mounts:
        match mount.kind:
            case "read":
                yield from ("--ro-bind", mount.source, mount.target)
            case "write":
                yield from ("--bind", mount.source, mount.target)
            case "link":
                yield from ("--symlink", mount.source, mount.target)
            case "empty":
                yield from ("--tmpfs", mount.target)
            case "no_directory":
                yield from ("--tmpfs", mount.target, "--remount-ro", mount.target)
            case "no_file":
                # A device on a mount without devices: opening it fails.
                yield from ("--ro-bind", "/dev/null", mount.target)
