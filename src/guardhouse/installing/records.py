"""What was installed where, and what stood there before, so that it can be put back byte for byte.

Settings may hold somebody's keys, so the copy of a file is sealed (SPEC R4), in the state directory, where no agent may
even look. A record is written before the file is, and erased after it was put back.
"""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.config import Locations
    from guardhouse.sealing import Seal

_DIRECTORY: Final = "installed"
_KEY: Final = "installed"


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file that was written to."""

    kind: str
    """The agent's name, or `mcp`."""
    path: str
    """As it was named."""
    real: str
    """Where that led."""
    existed: bool
    mode: int
    made: tuple[str, ...] = ()
    """Directories that were made for it, the outermost first."""
    before: str
    """Digest of what stands in `backup`."""
    after: str
    """Digest of what was written."""
    backup: str
    """What the file is without us, sealed, in base64."""
    commands: tuple[str, ...] = ()
    """What was written into it to be run."""


class Records:
    """The records in one state directory. The key is elsewhere, with the others."""

    def __init__(self, locations: Locations) -> None:
        self._directory = locations.state / _DIRECTORY
        self._keys = locations.keys

    def find(self, real: Path) -> Record | None:
        """The record of a file. GuardhouseError if there is one that can't be read."""
        return _read(self._file(str(real)))

    def all(self) -> list[Record]:
        """Every record, by path."""
        if not self._directory.is_dir():
            return []
        try:
            found = [_read(file) for file in sorted(self._directory.glob("*.json"))]
        except OSError as error:
            raise GuardhouseError(f"{self._directory} can't be read: {error.strerror}.") from None
        return sorted((record for record in found if record is not None), key=lambda record: record.path)

    def write(self, record: Record) -> None:
        """Keep a record; it is on disk when this returns."""
        try:
            # Each by itself: parents that are made along the way would be open to others.
            for directory in (self._directory.parent, self._directory):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise GuardhouseError(
                f"{self._directory} can't be made: {error.strerror}.", fix="Mend its place."
            ) from None
        write_json(self._file(record.real), msgspec.to_builtins(record))

    def erase(self, record: Record) -> None:
        """Forget it."""
        try:
            self._file(record.real).unlink(missing_ok=True)
        except OSError as error:
            raise GuardhouseError(f"A record can't be removed: {error.strerror}.", fix="Remove it.") from None

    def sealed(self, real: Path, content: bytes) -> str:
        """`content` as it may lie on disk."""
        return base64.b64encode(self._seal().seal("resume", str(real), content)).decode()

    def opened(self, record: Record) -> bytes:
        """What the file was. GuardhouseError if it can't be opened, or is not what it was."""
        try:
            content = self._seal().open("resume", record.real, base64.b64decode(record.backup, validate=True))
        except (GuardhouseError, ValueError):
            content = None
        if content is None or digest(content) != record.before:
            raise GuardhouseError(f"The copy of {record.path} can't be opened: another key, or damaged.")
        return content

    def _seal(self) -> Seal:
        from guardhouse.keys import KeyDirectory
        from guardhouse.sealing import Seal

        return Seal(KeyDirectory(self._keys).key(_KEY))

    def _file(self, real: str) -> Path:
        return self._directory / f"{sha256(real.encode()).hexdigest()[:32]}.json"


def digest(content: bytes) -> str:
    """By which contents are compared."""
    return f"sha256:{sha256(content).hexdigest()}"


def _read(file: Path) -> Record | None:
    data = read_json(file)
    if not data:
        return None
    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError:
        raise GuardhouseError(f"{file} is damaged.", fix="Move it away; our entries can still be removed.") from None
