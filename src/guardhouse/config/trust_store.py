"""Which project files the user has trusted: by path and by the exact bytes. One changed byte ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError
from guardhouse.model.digests import sha256_hex

if TYPE_CHECKING:
    from pathlib import Path


class TrustStore:
    """Trusted files, kept in one file of the user's."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def trusts(self, file: Path, content: bytes) -> bool:
        """Whether the user trusted exactly these bytes at this place."""
        return self.entries().get(_place(file)) == _digest(content)

    def trust(self, file: Path, content: bytes) -> None:
        """Trust these bytes at this place, and no others."""
        write_json(self._path, {"files": {**self.entries(), _place(file): _digest(content)}})

    def revoke(self, file: Path) -> bool:
        """Trust this file no longer; whether it was trusted."""
        entries = self.entries()
        was_trusted = entries.pop(_place(file), None) is not None
        if was_trusted:
            write_json(self._path, {"files": entries})
        return was_trusted

    def entries(self) -> dict[str, str]:
        """Every trusted file with the digest of its bytes."""
        files = read_json(self._path).get("files", {})
        if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
            raise GuardhouseError(f"{self._path} is damaged.", fix="Move it away, and trust your projects again.")
        return files


def _place(file: Path) -> str:
    """Where the file really lies: one directory is one place, by whatever way it is reached."""
    return str(file.parent.resolve() / file.name)


def _digest(content: bytes) -> str:
    return f"sha256:{sha256_hex(content)}"
