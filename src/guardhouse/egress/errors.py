"""What goes wrong on the way out. An error names hosts and limits, never the rest of a URL, a header or a body."""

from __future__ import annotations

from guardhouse.model import GuardhouseError


class Refused(GuardhouseError):
    """The guarded client did not do what it was asked to, or stopped half-way. `code` is a reason code."""

    def __init__(self, code: str, what: str, *, fix: str = "") -> None:
        super().__init__(f"{what} (`{code}`)", fix=fix)
        self.code = code


class FetchFailed(GuardhouseError):
    """The network or the server failed: nothing was refused, and there is no whole answer."""
