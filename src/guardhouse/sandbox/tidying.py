"""What is done when a command has ended: what it made at protected places is put aside, under another name beside it.

The command chose what lies there, links and rights included. So the way from the workspace is gone step by step; a link
on it is put aside itself, and what it leads to is left alone.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from guardhouse.sandbox.descending import open_for_owner, start_at, step_into
from guardhouse.sandbox.holding import is_same
from guardhouse.sandbox.looking import UNSEEN, link_at
from guardhouse.sandbox.repositories import is_plain, names_more, settings_at

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from guardhouse.sandbox.looking import Looker


_MOST_ASKED: Final = 50
"""Repositories whose settings git is asked about, of those that one command left. Each takes some milliseconds."""


class ToTidy(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be known of a command to tidy up after it."""

    home: str
    roots: dict[str, str]
    """Where it could write, each with its device and inode."""
    repository: dict[str, str]
    """The same of a repository that lies elsewhere."""
    settings: dict[str, str]
    """Repositories, and settings of agents, that were there before; with what was there if it was a link."""
    watched: tuple[tuple[str, str], ...]
    """Protected places that were not there, each with the directory that it could write to and that it lies in."""
    closed: tuple[str, ...]
    """Directories that were closed before."""
    held: dict[str, str]
    """Directories that were held open, each with its device and inode."""
    known: dict[str, tuple[str, ...]] = {}
    """What was in the directories that it could write to."""
    hooks: tuple[str, ...] = ()
    """Where hooks are in every working tree, by the user's own settings of git."""
    pid: int = 0
    """The first process of the sandbox, and"""
    started: str = ""
    """when it was started: another one may have got the number since."""


class Told(NamedTuple):
    """Something that was put aside, or why it is still there."""

    place: str
    problem: str = ""
    is_unseen: bool = False
    """Whether it was put aside whole, because there was too much to look through."""


class _Judge:
    """What has to be known to tell whether a repository runs anything."""

    def __init__(self, hooks: tuple[str, ...] = ()) -> None:
        self.hooks = hooks
        self._left = _MOST_ASKED

    def may_ask(self) -> bool:
        """Whether git may be asked once more."""
        self._left -= 1
        return self._left >= 0


def tidied(
    left: ToTidy, looker: Looker, *, handles: Mapping[str, int] | None = None, ours: Container[str] = ()
) -> Iterator[Told]:
    """Tidy up after a command. `handles` are the directories that it could write to, kept open: by their names, others
    may be found by now. What is `ours` stays: it is held open for others."""
    for root, identity in (left.roots | left.repository).items():
        try:
            handle = os.dup(handles[root]) if handles is not None else start_at(root)
        except OSError as error:
            yield Told(root, error.strerror or type(error).__name__)
            continue
        try:
            found = os.fstat(handle)
            if f"{found.st_dev}:{found.st_ino}" != identity:
                yield Told(root, "it was replaced")
                continue
            if found.st_uid == os.geteuid() and found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
                open_for_owner(handle)
            yield from _tidied(left, looker, root, handle, ours)
        except OSError as error:
            yield Told(root, error.strerror or type(error).__name__)
        finally:
            os.close(handle)


def _tidied(left: ToTidy, looker: Looker, root: str, handle: int, ours: Container[str]) -> Iterator[Told]:
    judge = _Judge(left.hooks)
    replaced = [place for place, identity in left.held.items() if not is_same(place, identity)]
    watched = [place for above, place in left.watched if above == root]
    for place in (*watched, *(place for place in replaced if place.startswith(f"{root}/"))):
        if place not in ours:
            yield from _put_aside(root, handle, place, judge)
    found: dict[str, str] = {}
    for place, link in left.settings.items():
        if link and place.startswith(f"{root}/"):
            found[place] = link_at(place[len(root) + 1 :], handle)
    is_repository = root in left.repository
    try:
        looker.look(
            root, left.home, (), handle=handle, leave=left.closed, known=frozenset(left.known.get(root, ())),
            is_repository=is_repository, settings=found,
        )  # fmt: skip
    finally:
        # What was held open, and is still there, somebody outside uses by now.
        spared = left.held.keys() - replaced
        for place, link in found.items():
            if left.settings.get(place) != link and place not in ours and place not in spared:
                for told in _put_aside(root, handle, place, judge):
                    yield told._replace(is_unseen=link == UNSEEN)


def restored(root: str, handle: int, place: str, before: bytes) -> Iterator[Told]:
    """Put the settings of a repository back as they were `before`, if somebody changed them while a command could write
    there, and they may name programs now that they did not name then. A file with another name, by which the next
    command could change it, is written anew."""
    if not os.path.lexists(place):
        return
    now = settings_at(place)
    is_worse = now is None or (now.content != before and names_more(before, now.content))
    if not is_worse and not (now is not None and now.has_other_names):
        return
    yield from _put_aside(root, handle, place, _Judge())
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(place[len(root) + 1 :], flags, 0o644, dir_fd=handle), "wb") as anew:
            anew.write(before if now is None or is_worse else now.content)
    except OSError as error:
        yield Told(place, error.strerror or type(error).__name__)


def _put_aside(root: str, handle: int, place: str, judge: _Judge) -> Iterator[Told]:
    """Put aside what is at a place below `root`, which is open as `handle`."""
    try:
        moved = _moved(root, handle, place, judge)
    except OSError as error:
        yield Told(place, error.strerror or type(error).__name__)
    else:
        if moved:
            yield Told(moved)


def _moved(root: str, handle: int, place: str, judge: _Judge) -> str:
    """What was put aside: the place itself, or a link on the way there; nothing if nothing is there."""
    names = place[len(root) :].strip("/").split("/")
    directory = os.dup(handle)
    try:
        for depth, name in enumerate(names):
            mode = _mode(directory, name)
            if mode is None:
                return ""
            is_last = depth == len(names) - 1
            if is_last and _is_harmless(directory, name, judge, is_module="/modules/" in place):
                return ""
            if is_last or stat.S_ISLNK(mode):
                if name == ".git" and stat.S_ISDIR(mode):
                    _break_up(directory, name)
                _rename(directory, name)
                return "/".join((root, *names[: depth + 1]))
            if not stat.S_ISDIR(mode):
                return ""
            below = step_into(directory, name)
            os.close(directory)
            directory = below
        return ""
    finally:
        os.close(directory)


def _mode(directory: int, name: str) -> int | None:
    """What is there by a name; None if nothing is."""
    try:
        try:
            return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        except PermissionError:
            open_for_owner(directory)
            return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None


def _break_up(directory: int, name: str) -> None:
    """Let a repository be none any more: under another name it would still be one."""
    repository = step_into(directory, name)
    try:
        if _mode(repository, "HEAD") is not None:
            _rename(repository, "HEAD")
    finally:
        os.close(repository)


def _rename(directory: int, name: str) -> None:
    suffix = f".from-sandbox-{os.urandom(4).hex()}"
    room = os.fstatvfs(directory).f_namemax - len(suffix)
    aside = os.fsdecode(os.fsencode(name)[:room]) + suffix
    try:
        os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
    except PermissionError:  # the command may have taken the right to write from the directory
        open_for_owner(directory)
        os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)


def _is_harmless(directory: int, name: str, judge: _Judge, *, is_module: bool) -> bool:
    """Whether what a command made at a protected place may stay: a repository that runs nothing, or a file that is only
    called like a part of one. What can't be looked at is not harmless."""
    here = f"/proc/{os.getpid()}/fd/{directory}"
    try:
        if any(os.path.lexists(f"{here}/{hooks}") for hooks in judge.hooks) and name == ".git":
            return False
        if name == "HEAD":
            parts = [part for part in ("objects", "refs", "commondir") if os.path.lexists(f"{here}/{part}")]
            return (len(parts) < 2 and "commondir" not in parts) or is_plain(
                here, is_module=is_module, may_ask=judge.may_ask
            )
        return name == ".git" and is_plain(f"{here}/{name}", may_ask=judge.may_ask)
    except OSError:
        return False
