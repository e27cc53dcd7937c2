"""Why there is no sandbox."""

from __future__ import annotations

from guardhouse.model import GuardhouseError


class NoSandbox(GuardhouseError):
    """A command can't be run in a sandbox here, or not so. It is not run."""
