"""What must stay as it is while somebody is inside: directories that stand where nobody may make one, what is mounted
to be read only, and the directories themselves that can be written to.

Who removes such a thing outside takes away what protects it inside, and what is made in its place may even get its
number. So each is kept open for as long as it matters: then its number is its own. Of git's settings it is also kept
what they said: while somebody outside replaces the file, a command can write to the old one for an instant.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from guardhouse.model import visible
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.repositories import content_of_settings, is_file_of_settings
from guardhouse.sandbox.view import identity_of

if TYPE_CHECKING:
    from collections.abc import KeysView

    from guardhouse.sandbox.view import View


class _Kept(msgspec.Struct):
    handle: int
    is_made: bool = False
    """Whether it is there only for those inside."""
    settings: bytes | None = None
    """What it said, if it is a file of git's settings."""
    count: int = 0
    """For how many."""


class Holding:
    """Counts for whom something is held. Not for several threads at once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._made: dict[str, str] = {}

    @property
    def made(self) -> KeysView[str]:
        """Directories that are only there because they are held open, at any time."""
        return self._made.keys()

    def hold(self, view: View) -> dict[str, str]:
        """Make what is not there and must not be made by anybody inside, and keep hold of all that must stay: each
        with its device and inode. NoSandbox if that fails; then nothing is held."""
        held: dict[str, str] = {}
        try:
            for place in view.held_open:
                held[place] = self._stand(place)
            mounted = {one.source: one.identity for one in view.mounts if one.kind == "read" and one.identity}
            for place, identity in (mounted | dict(view.roots) | dict(view.repository)).items():
                self._keep(place, identity)
                held[place] = identity
        except BaseException:
            self.let_go(held)
            raise
        return held

    def handle(self, place: str, identity: str) -> int:
        """Something that is held, wherever it may lie by now."""
        return self._kept[place, identity].handle

    def settings(self, place: str, identity: str) -> bytes | None:
        """What git's settings said before anybody who is inside could come near them; None for anything else."""
        return self._kept[place, identity].settings

    def take_away(self, held: dict[str, str]) -> None:
        """Remove the directories that are held open for one only, who is about to let go."""
        for place, identity in held.items():
            kept = self._kept[place, identity]
            if kept.is_made and kept.count == 1:
                if self._made.get(place) == identity:  # another one may stand there by now, for others
                    del self._made[place]
                take_away(place, identity)

    def let_go(self, held: dict[str, str]) -> None:
        """Hold on no longer, for one of those inside."""
        self.take_away(held)
        for place, identity in held.items():
            kept = self._kept[place, identity]
            kept.count -= 1
            if not kept.count:
                del self._kept[place, identity]
                os.close(kept.handle)

    def _stand(self, place: str) -> str:
        known = self._made.get(place)
        if known is None:
            try:
                os.mkdir(place, 0o755)
                known = identity_of(place)
                self._keep(place, known, is_made=True)
            except FileExistsError:
                raise NoSandbox(f"{visible(place)} has just been made.", fix="Try again.") from None
            except OSError as error:
                raise NoSandbox(f"{visible(place)} can't be held open: {error.strerror}.") from None
            self._made[place] = known
        elif is_same(place, known):
            self._keep(place, known)
        else:
            raise NoSandbox(f"{visible(place)} was replaced.", fix="Try again when no command runs in the sandbox.")
        return known

    def _keep(self, place: str, identity: str, *, is_made: bool = False) -> None:
        kept = self._kept.get((place, identity))
        if kept is None:
            try:
                kept = _kept(place, identity)
            except OSError as error:
                raise NoSandbox(f"{visible(place)} can't be kept as it is: {error.strerror}.") from None
            kept.is_made = is_made
            self._kept[place, identity] = kept
        kept.count += 1


def _kept(place: str, identity: str) -> _Kept:
    handle = os.open(place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        _check_is(place, found, identity)
        is_settings = stat.S_ISREG(found.st_mode) and is_file_of_settings(place)
        return _Kept(handle, settings=content_of_settings(handle) if is_settings else None)
    except BaseException:
        os.close(handle)
        raise


def _check_is(place: str, found: os.stat_result, identity: str) -> None:
    if f"{found.st_dev}:{found.st_ino}" != identity:
        raise NoSandbox(f"{visible(place)} has just been replaced.", fix="Try again.")


def take_away(place: str, identity: str) -> None:
    """Remove a directory that was held open. What somebody outside uses by now is not empty, and stays."""
    if is_same(place, identity):
        with suppress(OSError):
            os.rmdir(place)


def is_same(place: str, identity: str) -> bool:
    """Whether what was at a place is still there."""
    try:
        return identity_of(place) == identity
    except OSError:
        return False
