"""Keeps the compiled database of the secret scanner, and has it made when it is worth it, so that nobody waits for it.

A process that looks at little never touches it. One that looks at more takes it from the cache; if there is none, it is
made in the background and kept. Until then RE2 looks, which finds the same. The file is the user's own, readable by
nobody else, and signed with a key that lies elsewhere: what is not ours is not loaded.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets import vectorscan
from guardhouse.keys import KeyDirectory
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from guardhouse.detect.secrets import Matcher
    from guardhouse.detect.secrets.interface import Places

_MARK: Final = b"guardhouse secrets 1\n"
_TAG: Final = 32
_LARGEST: Final = 64 << 20
_WORTH_LOADING: Final = 256 << 10
_WORTH_MAKING: Final = 4 << 20
_OTHERS: Final = 0o077
_KEPT: Final = 30 * 24 * 3600
_DRAFT_KEPT: Final = 3600
"""Seconds."""


class SecretDatabase:
    """The database in its place."""

    def __init__(self, directory: Path, keys: Path) -> None:
        self._directory = directory
        self._keys = keys

    @property
    def path(self) -> Path:
        """Where it is kept: under a name that tells for which triggers, and for which library."""
        return self._directory / f"secrets-{vectorscan.database_name()}.db"

    def load(self) -> vectorscan.VectorscanMatcher | None:
        """What was kept; None if there is none, or none that is whole and ours."""
        try:
            content = _read(self.path)
            body = content[len(_MARK) + _TAG :]
            is_ours = hmac.compare_digest(content, self._sealed(body))
            return vectorscan.VectorscanMatcher(body) if is_ours else None
        except (OSError, GuardhouseError):
            return None  # a new one takes its place

    def make(self) -> vectorscan.VectorscanMatcher:
        """A new one, which is kept. Takes some seconds, in which other threads go on. OSError if it can't be kept."""
        body = vectorscan.compiled()
        matcher = vectorscan.VectorscanMatcher(body)
        self.keep(body)
        return matcher

    def keep(self, body: bytes) -> None:
        """Keeps what was compiled. OSError if that can't be done."""
        self._keep(self._sealed(body))

    def _sealed(self, body: bytes) -> bytes:
        key = KeyDirectory(self._keys).key("cache")
        tag = hmac.new(key, vectorscan.database_name().encode() + b"\0" + body, hashlib.sha256).digest()
        return _MARK + tag + body

    def _keep(self, content: bytes) -> None:
        """In its place at once and whole, or not at all. What was not touched for long goes: databases of versions that
        nobody runs any more, and drafts of processes that were killed."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.path
        draft = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        now = path.stat().st_mtime
        for other in self._directory.glob("secrets-*.db*"):
            age = now - other.lstat().st_mtime
            if other != path and age > (_DRAFT_KEPT if other.suffix != ".db" else _KEPT):
                other.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
            raise GuardhouseError(f"{path} is not a file of yours that only you can read.", fix="Remove it.")
        if status.st_size > _LARGEST:
            raise GuardhouseError(f"{path} is larger than any that we make.", fix="Remove it.")
        return file.read(_LARGEST + 1)


class FirstLook:
    """Looks first, with RE2 until the database is there. Both find the same."""

    def __init__(self, database: SecretDatabase) -> None:
        self._database = database
        self._matcher: Matcher | None = None
        self._is_settled = False
        """Whether what looks now is what will look from now on."""
        self._has_looked = False
        """Whether the cache was looked into: once is enough."""
        self._seen = 0
        self._lock = threading.Lock()
        self._maker: threading.Thread | None = None
        self.problem = ""
        """Why there is no database, or none was kept, if one was to be made."""

    def places(self, data: bytes) -> Places:
        """Where triggers end that are found, by what they are triggers of."""
        if not self._is_settled:
            self._seen += len(data)
            if self._seen >= _WORTH_LOADING:
                self._hurry()
        return self._looking().places(data)

    def _looking(self) -> Matcher:
        matcher = self._matcher
        if matcher is None:
            from guardhouse.detect.secrets.matching import shared_matcher

            matcher = self._matcher = shared_matcher()
        return matcher

    def _hurry(self) -> None:
        """Takes the database that was kept, or has one made. Whatever fails here, RE2 goes on and finds the same."""
        # Whoever comes second goes on with what there is. So does a process that was forked off meanwhile.
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._is_settled or (self._maker is not None and self._maker.is_alive()):
                return
            if not vectorscan.is_available():
                self._is_settled = True
            elif not self._has_looked:
                self._has_looked = True
                kept = self._database.load()
                if kept is not None:
                    self._matcher, self._is_settled = kept, True
            elif self._seen >= _WORTH_MAKING:
                self._maker = threading.Thread(target=self._make, name="guardhouse-secrets", daemon=True)
                self._maker.start()
        except Exception as error:  # noqa: BLE001 - no library that is broken here may stop the gate
            self._give_up(error)
        finally:
            self._lock.release()

    def _make(self) -> None:
        try:
            body = vectorscan.compiled()
            self._matcher = vectorscan.VectorscanMatcher(body)
            self._is_settled = True
            self._database.keep(body)
        except Exception as error:  # noqa: BLE001 - as above; and nobody waits for this thread
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.problem = f"{type(error).__name__}: {error}"
        self._is_settled = True
