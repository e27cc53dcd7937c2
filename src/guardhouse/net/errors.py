"""What goes wrong with a destination or with a pattern that should allow one.

A destination comes from an agent, so its error names the part that is wrong and never quotes it. A pattern comes
from configuration, and its error shows the pattern, since the person who wrote it has to find it.
"""

from __future__ import annotations

from guardhouse.model import GuardhouseError


class BadDestination(GuardhouseError):
    """The text is no URL that may be judged. `code` is a reason code: each of them is a reason to deny."""

    def __init__(self, code: str, what: str, *, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.code = code


class BadPattern(GuardhouseError):
    """A pattern of `allowed_domains` or `allowed_url_prefixes` is not understood, or would match too much."""
