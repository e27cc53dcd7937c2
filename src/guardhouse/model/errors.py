"""The one family of errors: each says what happened, why it matters here, and what to do next.

An error text is shown to people and may be written to logs, so it never quotes a parameter value or content:
only field names, codes and limits.
"""

from __future__ import annotations


class GuardhouseError(Exception):
    """Anything Guardhouse raises on purpose. `what` happened, and the `fix` a person can apply."""

    def __init__(self, what: str, *, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.what} {self.fix}".strip()


class InvalidAction(GuardhouseError):
    """The input is not an action: not JSON, of an unknown shape, or over a limit. `code` is a reason code."""

    def __init__(self, what: str, *, fix: str = "", code: str = "action.invalid") -> None:
        super().__init__(what, fix=fix)
        self.code = code


class PolicyError(GuardhouseError):
    """The policy can't be used. `problems` lists every one found, each with file, line, key and fix."""

    def __init__(self, what: str, *, fix: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(what, fix=fix)
        self.problems = problems or (str(self),)
