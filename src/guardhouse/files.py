"""The file system as the gate sees it: where paths really lead. It looks; it never opens or changes a file."""

from __future__ import annotations

import os

from guardhouse.model import RealPath


class LocalFiles:
    """The Files port over this machine's file system."""

    def real_path(self, path: str) -> RealPath:
        """Where `path` leads with every link followed. What does not exist yet leads to where it would be made."""
        try:
            return RealPath(path=os.path.realpath(path, strict=True))
        except FileNotFoundError:
            return RealPath(path=os.path.realpath(path))
        except (OSError, ValueError) as error:
            return RealPath(error=type(error).__name__)
