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
from glob import escape, glob
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from guardhouse.detect.paths import SETTINGS_NAMES, inside, standing_of
from guardhouse.model import visible
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.looking import Secret, Seen, TooMuch, link_at
from guardhouse.sandbox.repositories import (
    is_file_of_settings,
    named_everywhere,
    named_in,
    places_of,
    protected_in,
    repository_at,
    run_by_hooks,
    settings_at,
    settings_files,
    without_passwords,
)
from guardhouse.working_trees import linked_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from guardhouse.detect import OwnPlace
    from guardhouse.sandbox.linking import Names
    from guardhouse.sandbox.looking import Looker
    from guardhouse.working_trees import LinkedTree

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
"""Of the home: what languages and their tools are installed in. What some of them are told there may be a password:"""

TOLD_TO_TOOLS: Final = tuple(
    f"{where}/{file}"
    for places, file in (
        (".nvm/versions/node/* .asdf/installs/nodejs/* .volta/tools/image/node/*", "etc/npmrc"),
        (".fnm/node-versions/*/installation .local/share/fnm/node-versions/*/installation", "etc/npmrc"),
        (".local/share/mise/installs/node/* anaconda3 miniconda3 miniforge3", "etc/npmrc"),
        (".pyenv/versions/* .asdf/installs/python/* .local/share/mise/installs/python/*", "pip.conf"),
        (".virtualenvs/* .local/share/virtualenvs/* .cache/pypoetry/virtualenvs/*", "pip.conf"),
        (".local/share/pipx/venvs/* .local/share/uv/tools/*", "pip.conf"),
        ("anaconda3 miniconda3 miniforge3 anaconda3/envs/* miniconda3/envs/* miniforge3/envs/*", "pip.conf"),
        ("anaconda3 miniconda3 miniforge3", ".condarc"),
        ("anaconda3 miniconda3 miniforge3", "condarc"),
    )
    for where in places.split()
)
"""settings with the addresses of packages, and who may fetch them. They are hidden."""

PROTECTED: Final[tuple[str, ...]] = (
    *sorted(SETTINGS_NAMES),
    ".guardhouse.json",
    ".guardhouse.toml",
    ".guardhouse.yaml",
    ".guardhouse.yml",
    ".github/hooks",
    ".idea",
)
"""Of the workspace: what decides whether an agent calls the guard, and what runs outside by itself later."""
HELD_OPEN: Final = frozenset({".claude", ".codex", ".git/hooks"})
"""Of these: directories that nobody may make while somebody is inside. An empty one takes their place meanwhile."""
# fmt: on

MOST_APART: Final = 50
"""Secrets of one directory that are hidden one by one; of more, the directory is."""
MOST_MOUNTS: Final = 1_500
"""So that bubblewrap can be told all of them."""

_MOST_LINKS: Final = 40
_LONGEST: Final = 3_500
"""Bytes of the name of something that can be protected, with what is in it."""

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
    watched: frozenset[str] = frozenset()
    """Places that somebody who is inside could have made something at."""
    git_settings: str = ""
    """A file with the user's settings of git, as far as they are seen inside."""
    secrets: Callable[[str], Collection[object]] = lambda _text: ()
    """What finds secrets in a text."""
    keep: Callable[[bytes], str] = lambda _content: ""
    """What keeps a file that is shown in the place of another one, and says where."""
    interpreter: tuple[str, ...] = ()
    """Where the Python is that starts the command inside."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is seen inside."""

    mounts: tuple[Mount, ...]
    cwd: str
    held_open: tuple[str, ...] = ()
    """Directories of the workspace that are not there, and have to be while somebody is inside."""
    roots: Mapping[str, str] = {}
    """Directories that can be written to, but for a repository that lies elsewhere; each with its device and inode."""
    repository: Mapping[str, str] = {}
    """The same of a repository that lies elsewhere."""
    closed: tuple[str, ...] = ()
    """Directories that their owner can't look into."""
    settings: Mapping[str, str] = {}
    """Repositories, and settings of agents, that were there; with what was there if it was a link."""
    hooks: tuple[str, ...] = ()
    """Where hooks are in every working tree, by the user's own settings of git."""
    watched: tuple[tuple[str, str], ...] = ()
    """Protected places that are not there, each with the directory that can be written to and that it lies in: what
    appears at one of them is put aside afterwards."""


def view_of(wanted: Wanted, looker: Looker, names: Names) -> View:
    """The view. NoSandbox if the workspace can't be one, or something in it can't be protected."""
    workspace = _workspace(wanted)
    work = tuple(dict.fromkeys((workspace, *map(os.path.realpath, wanted.writable))))
    builder = _Builder()
    _add_machine(builder, wanted)
    kind: Kind = "read" if wanted.read_only else "write"
    for place in (wanted.workspace, *wanted.writable):
        for target in dict.fromkeys((os.path.realpath(place), _normal(place))):
            real = os.path.realpath(place)
            builder.add(Mount(kind, target, real, identity_of(real)))
    if wanted.git_settings:
        builder.add(Mount("read", f"{wanted.home}/.gitconfig", wanted.git_settings))
    elsewhere = linked_tree(workspace)
    if elsewhere is not None:
        builder.add(Mount(kind, elsewhere.common, elsewhere.common, identity_of(elsewhere.common)))
    held_open: list[str] = []
    watched: list[tuple[str, str]] = []
    seen = {
        root: _seen(looker, root, wanted)
        for root in dict.fromkeys((*work, *map(os.path.realpath, wanted.readable)))
        if os.path.isdir(root)
    }
    modules = _seen(looker, elsewhere.common, wanted, is_repository=True) if elsewhere else Seen([], {}, [])
    links: dict[str, str] = {}
    protected = () if wanted.read_only else _to_protect(work, elsewhere, seen, modules, wanted, links)
    for root, place in dict.fromkeys(protected):
        if is_file_of_settings(place) and not os.path.lexists(f"{place}.lock"):
            watched.append((root, f"{place}.lock"))  # it would keep git from changing them outside
        if place in wanted.held or not builder.protect(root, place):
            if place.removeprefix(f"{workspace}/") in HELD_OPEN:
                held_open.append(place)
            else:
                watched.append((root, place))
    roots = {root: identity_of(root) for root in work if root in seen}
    watched += ((root, place) for place in wanted.watched for root in roots if place.startswith(f"{root}/"))
    for root, found in seen.items():
        closed = (Secret(place, is_directory=True) for place in found.closed)
        builder.hide(root, (*found.secrets, *closed), wanted.shown)
    for place in (place for name in TOLD_TO_TOOLS for place in glob(f"{escape(wanted.home)}/{name}")):
        if place not in wanted.shown:
            builder.cover(os.path.realpath(place), is_directory=False)
    builder.guard(wanted.own)
    _mask_settings(builder, wanted, (*seen.values(), modules), elsewhere)
    for place in held_open:
        builder.cover(place, is_directory=True)
    seen_inside = tuple(dict.fromkeys((*seen, *((elsewhere.common,) if elsewhere else ()))))
    _close_other_names(builder, names, seen_inside)
    if len(builder.mounts) > MOST_MOUNTS:
        raise NoSandbox(
            f"There is too much to protect in {workspace}: {len(builder.mounts)} places.",
            fix="Remove what looks like secrets or repositories, or work in a directory further in.",
        )
    return View(
        mounts=tuple(builder.mounts),
        cwd=_normal(wanted.cwd),
        held_open=tuple(held_open),
        roots={} if wanted.read_only else roots,
        repository={elsewhere.common: identity_of(elsewhere.common)} if elsewhere and not wanted.read_only else {},
        closed=tuple(place for found in seen.values() for place in found.closed),
        watched=tuple(dict.fromkeys(watched)),
        hooks=tuple(name for name in named_everywhere(wanted.home) if not os.path.isabs(name)),
        settings={
            **{
                place: link
                for found in (*seen.values(), modules)
                for place, link in found.settings.items()
                if place not in wanted.held
            },
            **links,
        },
    )


def _close_other_names(builder: _Builder, names: Names, roots: tuple[str, ...]) -> None:
    """Hide other names of what is hidden. NoSandbox if something protected has one that can be written to: it can't be
    told whether that is meant to be so."""
    for name, place in names.others(tuple(builder.fixed), roots):
        if any(mount.kind == "write" for mount, _ in builder.seen(name)):
            raise NoSandbox(
                f"{visible(place)} has another name, {visible(name)}, by which it could be changed inside.",
                fix="Look at both, then remove the other one, or put a copy in its place.",
            )
    for name, _place in names.others((*builder.covered, *builder.masked), roots):
        if name not in builder.masked:
            builder.cover(name, is_directory=False)


def _mask_settings(builder: _Builder, wanted: Wanted, found: Iterable[Seen], elsewhere: LinkedTree | None) -> None:
    """Show the settings of repositories without what signs somebody in: git needs the rest of them."""
    shown = frozenset(map(_normal, wanted.shown))
    places = {place: None for one in found for place in one.settings if os.path.basename(place) in {".git", "HEAD"}}
    repositories = [os.path.dirname(place) for place in places] + ([elsewhere.common] if elsewhere else [])
    for file in {file: None for one in repositories for file in settings_files(one, wanted.home)}:
        said = settings_at(file) if file not in shown and builder.seen(file) else None
        masked = without_passwords(said.content, wanted.secrets) if said is not None else None
        if masked is not None:
            builder.mask(file, wanted.keep(masked))


def _seen(looker: Looker, root: str, wanted: Wanted, *, is_repository: bool = False) -> Seen:
    """What matters below a directory. NoSandbox if it can't be looked through."""
    try:
        found = looker.look(root, wanted.home, wanted.hidden, is_repository=is_repository)
    except TooMuch:
        raise NoSandbox(
            f"There is too much in {root} to look through for secrets and settings.",
            fix="Work in a directory further in, or take away what a command has filled it with.",
        ) from None
    except OSError as error:
        raise NoSandbox(f"{root} can't be looked through: {error.strerror or type(error).__name__}.") from None
    # Nothing can be mounted over a name that is too long. If it runs something, it is put aside afterwards.
    settings = {place: link for place, link in found.settings.items() if len(os.fsencode(place)) <= _LONGEST}
    return found._replace(settings=settings)


def _to_protect(
    work: tuple[str, ...],
    elsewhere: LinkedTree | None,
    seen: Mapping[str, Seen],
    modules: Seen,
    wanted: Wanted,
    links: dict[str, str],
) -> Iterator[tuple[str, str]]:
    """What may not be changed, with the directory that can be written to and that it lies in. Links on the way to what
    settings name are added to `links`: nothing can be mounted over them, so it is the keeper who sees that they
    stay."""
    home = wanted.home
    hooks = tuple(dict.fromkeys(named_everywhere(home)))
    roots = (*work, *((elsewhere.common,) if elsewhere else ()))
    named: list[str] = []
    for root in work:
        found = seen[root].settings if root in seen else {}
        for place, link in found.items():
            if os.path.dirname(place) != root or os.path.basename(place) == "HEAD":
                named += _protected_at(place, link, hooks, home)
        yield from ((root, f"{root}/{name}") for name in PROTECTED)
        if os.path.isfile(f"{root}/.git") or os.path.isdir(f"{root}/.git"):
            yield from ((root, place) for place in repository_at(root))
            named += (*places_of(root, home), *_hooks(root, hooks, home))
        else:
            yield root, f"{root}/.git"
    if elsewhere is not None:
        common = elsewhere.common
        yield from ((common, place) for place in protected_in(common))
        for place, link in modules.settings.items():
            named += _protected_at(place, link, (), home)
        yield from ((common, f"{elsewhere.own}/{name}") for name in ("commondir", "gitdir"))
    for place in dict.fromkeys(_led_to(place, roots, links) for place in named):
        yield from ((root, place) for root in roots if place.startswith(f"{root}/"))


def _led_to(place: str, roots: tuple[str, ...], links: dict[str, str]) -> str:
    """Where a place really lies, or will if it is made; the links that lead there are noted."""
    for _ in range(_MOST_LINKS):
        link = next((one for one in (*_between("", place), place) if os.path.islink(one)), None)
        if link is None:
            return place
        if any(link.startswith(f"{root}/") for root in roots):
            links[link] = link_at(link)
        place = os.path.normpath(os.path.join(os.path.dirname(link), os.readlink(link), place[len(link) + 1 :]))
    raise NoSandbox(f"{visible(place)} is behind too many links.", fix="Take them away.")


def _protected_at(place: str, link: str, hooks: Iterable[str], home: str) -> Iterator[str]:
    """The same for a repository, or settings of an agent, further in."""
    directory, _, name = place.rpartition("/")
    if link and name == ".git":
        yield from protected_in(place)
    elif name == ".git":
        yield from repository_at(directory)
        yield from places_of(directory, home)
        yield from _hooks(directory, hooks, home)
    elif name == "HEAD":
        yield from protected_in(directory)
        yield from named_in(directory, home, directory)
    else:
        yield place


def _hooks(tree: str, named: Iterable[str], home: str) -> Iterator[str]:
    """Where the hooks of a working tree are, by the user's settings, and what those lead to."""
    if os.path.lexists(f"{tree}/.git"):
        for place in (os.path.normpath(os.path.join(tree, name)) for name in named):
            yield place
            yield from run_by_hooks(tree, place, home)


def _add_machine(builder: _Builder, wanted: Wanted) -> None:
    """What is seen of the machine, beside the work."""
    for directory in SYSTEM:
        builder.add_as_it_is(directory)
    for name in SETTINGS:
        builder.read(f"/etc/{name}")
    _add_empty_places(builder, wanted)
    for name in TOOLCHAINS:
        builder.read(f"{wanted.home}/{name}")
    for place in (*wanted.interpreter, *wanted.readable):
        builder.read(place)


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
        self.fixed: dict[str, None] = {}
        """What can't be changed, and"""
        self.masked: dict[str, None] = {}
        """what can only be read in part, and"""
        self.covered: dict[str, None] = {}
        """what can't be read."""
        self._made: set[Mount] = set()
        self._by_source: dict[str, list[int]] = {}
        self._by_target: dict[str, int] = {}
        """The last one at each place."""

    def add(self, mount: Mount) -> None:
        if mount not in self._made:
            self._made.add(mount)
            self._by_target[mount.target] = len(self.mounts)
            if mount.kind in {"read", "write"}:
                self._by_source.setdefault(mount.source, []).append(len(self.mounts))
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
        for above in _and_above(path):
            for number in self._by_source.get(above, ()):
                mount = self.mounts[number]
                name = mount.target + path[len(mount.source) :]
                # The last one that reaches over a name is what is seen there.
                if max(self._by_target.get(one, -1) for one in _and_above(name)) == number:
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
            self.covered[path] = None
            self.add(Mount("no_directory" if is_directory else "no_file", name))

    def mask(self, path: str, shown: str) -> None:
        """Let another file be seen in the place of one of the machine's, wherever that could be."""
        self.masked[path] = None
        for _mount, name in self.seen(path):
            self.add(Mount("read", name, shown, identity_of(shown) if shown else ""))

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
        self.fixed[path] = None
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
            if len(inner) > MOST_APART and directory != root and inside(directory, root):
                self.cover(directory, is_directory=True, root=root)
                continue
            for secret in inner:
                is_below = inside(secret.path, root)
                self.cover(secret.path, is_directory=secret.is_directory, root=root if is_below else "")

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


def _and_above(path: str) -> Iterator[str]:
    """A path, and every directory that it lies in."""
    while path:
        yield path
        path = path.rpartition("/")[0]


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
