"""Finds the configuration files that apply, reads them, and makes the policy; again when one of them changes.

A file that can't be read is an error, not an absent file: a policy that lost a layer would be another policy.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

import msgspec

from guardhouse.config.locations import PROJECT_NAME, Locations, find_locations, surroundings
from guardhouse.model import GuardhouseError, PolicyError
from guardhouse.policy import FORMATS, Layer, LayerName, Policy, load, read_document, read_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from guardhouse.detect import Detector
    from guardhouse.detect.secrets import Matcher


class Sources(msgspec.Struct, frozen=True):
    """Everything that decides which policy is in force."""

    locations: Locations
    cwd: Path
    variables: Mapping[str, str]
    config_file: Path | None = None
    """Named explicitly: stands in for the user's own file."""
    is_project: bool = False
    """Whether `cwd` is the project for every action, also for one that runs elsewhere."""
    extra_detectors: tuple[Detector, ...] = ()
    matcher: Matcher | None = None
    """What looks first for secrets; RE2, made for each policy, if none is given."""
    fingerprint_key: Callable[[], bytes] | None = None
    """Gives the key of fingerprints, for a policy that wants any."""

    def layers(self, *, project: bool = True) -> list[Layer]:
        """Every layer that is there, with those of the `project` or without."""
        layers: list[Layer] = []
        for name, file in self._owner_files():
            layers.append(Layer(name, read_document(str(file), _content(file))))
        if project and (files := self.project_files()):
            layers += self._of_project(files)
        layers.append(Layer("environment", read_environment(self.variables)))
        return layers

    def _of_project(self, files: list[Path]) -> Iterator[Layer]:
        from guardhouse.config.trust_store import TrustStore  # most projects have no files of ours

        trust = TrustStore(self.locations.trusted)
        for file in files:
            content = _content(file)
            trusted = trust.trusts(file, content)
            if not trusted and len(content) > _LARGEST_UNTRUSTED:
                raise _unreadable(file, f"it is larger than {_LARGEST_UNTRUSTED} bytes and not trusted")
            yield Layer("project", read_document(str(file), content), trusted=trusted)

    def load(self, *, project: bool = True) -> Policy:
        """The policy in force; PolicyError if it can't be made. Without `project`, the user's own."""
        try:
            around = surroundings(self.locations, self.cwd, self.config_file, is_project=self.is_project)
            return load(
                self.layers(project=project),
                around,
                self.extra_detectors,
                matcher=self.matcher,
                fingerprint_key=self.fingerprint_key,
            )
        except PolicyError:
            raise
        except GuardhouseError as error:
            raise PolicyError(error.what, fix=error.fix) from error

    def project_files(self) -> list[Path]:
        """The project files that apply: in the working directory and every directory above it, the outermost first.

        All of them count, so that a file in a subdirectory can't hide what one above it forbids.
        """
        return [file for directory in self._directories() if (file := _one_of(directory, PROJECT_NAME))]

    def _directories(self) -> list[Path]:
        """The working directory as it really lies: reached through a link, it is still below the same parents."""
        cwd = self.cwd.resolve()
        return [*reversed(cwd.parents), cwd]

    def watched(self) -> Iterator[Path]:
        """Every path whose appearance, change or disappearance changes the policy."""
        yield from _candidates(self.locations.system, "config")
        if self.config_file is not None:
            yield self.config_file
        else:
            yield from _candidates(self.locations.user, "config")
        yield self.locations.trusted
        yield self.locations.allowed
        yield self.locations.mode
        yield self.locations.daemons
        for directory in self._directories():
            yield from _candidates(directory, PROJECT_NAME)

    def _owner_files(self) -> Iterator[tuple[LayerName, Path]]:
        system = _one_of(self.locations.system, "config")
        if system is not None:
            yield "system", system
        user = self.config_file or _one_of(self.locations.user, "config")
        if user is not None:
            yield "user", user
        if _is_file(self.locations.allowed):
            yield "allowed", self.locations.allowed
        if _is_file(self.locations.mode):
            yield "mode", self.locations.mode


def find_sources(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    extra_detectors: tuple[Detector, ...] = (),
    is_project: bool = False,
    variables: Mapping[str, str] | None = None,
) -> Sources:
    """The sources of this process: its environment (or `variables` in its place), its working directory, its user."""
    return Sources(
        locations=find_locations(variables, state_dir=state_dir),
        cwd=(cwd or Path.cwd()).absolute(),
        variables=dict(os.environ if variables is None else variables),
        config_file=config_file.absolute() if config_file else None,
        is_project=is_project,
        extra_detectors=extra_detectors,
    )


_INTERVAL: Final = 0.25
"""Seconds between two looks at the files; a change takes effect within this time."""

_Signature = tuple[tuple[int, ...] | None, ...]


class ReloadingPolicy:
    """The policy in force, made again when a file changes. A change that can't be read is an error until it is mended:
    the old policy may be the very thing that the change was to end."""

    def __init__(self, sources: Sources, interval: float = _INTERVAL) -> None:
        self._sources = sources
        self._interval = interval
        self._paths = tuple(sources.watched())
        self._lock = threading.Lock()
        _RELOADING.add(self)
        self._looked = float("-inf")
        self._made: tuple[_Signature, Policy | PolicyError] | None = None

    def current(self) -> Policy:
        """The policy as the files are now, or were a moment ago."""
        made = self._made
        if made is None or time.monotonic() - self._looked >= self._interval:
            return self.reload()
        return self._given(made[1])

    def reload(self) -> Policy:
        """The policy as the files are now: what was changed before this is in force for everybody when it returns."""
        with self._lock:
            made = self._made = self._look_again(self._made)
            self._looked = time.monotonic()
        return self._given(made[1])

    @staticmethod
    def _given(result: Policy | PolicyError) -> Policy:
        if isinstance(result, PolicyError):
            # The same error is raised many times; without this it would gather every caller's frames.
            raise result.with_traceback(None)
        return result

    def _look_again(
        self, made: tuple[_Signature, Policy | PolicyError] | None
    ) -> tuple[_Signature, Policy | PolicyError]:
        """What was made before, or anew if a file has changed. The look comes first: a later change is seen later."""
        signature = tuple(_look(path) for path in self._paths)
        if made is not None and made[0] == signature:
            return made
        try:
            return signature, self._sources.load()
        except PolicyError as error:
            return signature, error

    def after_fork(self) -> None:
        """In a child process: another thread may have held the lock when it was made."""
        self._lock = threading.Lock()


_RELOADING: Final[WeakSet[ReloadingPolicy]] = WeakSet()


def _after_fork() -> None:
    for policy in _RELOADING:
        policy.after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _look(path: Path) -> tuple[int, ...] | None:
    """What changes whenever the file does; its times of modification can be set, that of its last change can't."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _candidates(directory: Path, name: str) -> Iterator[Path]:
    for ending in FORMATS:
        yield directory / f"{name}{ending}"


def _one_of(directory: Path, name: str) -> Path | None:
    """The configuration file of a directory; two of them are an error, because one would silently not count."""
    found = [path for path in _candidates(directory, name) if _is_file(path)]
    if len(found) > 1:
        raise PolicyError(f"{found[0]} and {found[1].name} are both there.", fix="Keep one of them.")
    return found[0] if found else None


def _is_file(path: Path) -> bool:
    """Whether there is a file; not being able to tell is an error, because it could be a layer that is lost. So is a
    directory or a link that leads nowhere where a file should be."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unreadable(path, error.strerror) from None
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        raise _unreadable(path, error.strerror) from None
    if not is_file:
        raise _unreadable(path, "it is not a file")
    return True


def _unreadable(path: Path, why: str | None) -> PolicyError:
    return PolicyError(f"{path}: can't be read: {why}.", fix="Mend it, or take it away.")


_LARGEST: Final = 4 * 1024 * 1024
_LARGEST_UNTRUSTED: Final = 64 * 1024
"""A file that came with a repository is read in every session there: it must not be able to make that slow."""


def _content(file: Path) -> bytes:
    """The bytes of a file. A pipe or a device where a file should be is not waited for, nor read to its end."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(file, error.strerror) from None
    with os.fdopen(handle, "rb") as stream:
        try:
            content = stream.read(_LARGEST + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except OSError as error:
            raise _unreadable(file, error.strerror) from None
    if content is None:
        raise _unreadable(file, "it is not a file")
    if len(content) > _LARGEST:
        raise _unreadable(file, f"it is larger than {_LARGEST} bytes")
    return content
