"""Small JSON files of the user's: written whole or not at all, readable by nobody else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from guardhouse.model import GuardhouseError, decode


def read_json(path: Path) -> dict[str, Any]:
    """The object in `path`; empty if there is no such file. Anything else that goes wrong is an error."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise GuardhouseError(f"{path} can't be read: {error.strerror}.", fix="Check its permissions.") from None
    try:
        value = decode(content)
    except GuardhouseError as error:
        raise GuardhouseError(f"{path} is damaged: {error}", fix="Move it away and start again.") from None
    if not isinstance(value, dict):
        raise GuardhouseError(f"{path} is damaged: not an object.", fix="Move it away and start again.")
    return value


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace `path` by `value`, on disk before this returns, mode 0600 in a directory of mode 0700."""
    import json  # only where something is written
    import tempfile

    name: str | None = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, ensure_ascii=False, sort_keys=True)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105 - the atomic rename is the point
    except OSError as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        raise GuardhouseError(f"{path} can't be written: {error.strerror}.", fix="Check the directory.") from None
