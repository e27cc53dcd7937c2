"""What `doctor` says of one thing it has looked at, and what the whole comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Status = Literal["ok", "warn", "fail", "unknown"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    about: str
    """An agent's name, `mcp`, or `guardhouse`."""
    name: str
    status: Status
    what: str
    fix: str = ""


def ok(about: str, name: str, what: str) -> Check:
    """It is as it should be."""
    return Check(about=about, name=name, status="ok", what=what)


def warn(about: str, name: str, what: str, fix: str = "") -> Check:
    """A person should know, and may leave it so."""
    return Check(about=about, name=name, status="warn", what=what, fix=fix)


def fail(about: str, name: str, what: str, fix: str = "") -> Check:
    """The gate is not there, not shut, or of no use."""
    return Check(about=about, name=name, status="fail", what=what, fix=fix)


def unknown(about: str, name: str, what: str, fix: str = "") -> Check:
    """It can't be told."""
    return Check(about=about, name=name, status="unknown", what=what, fix=fix)


def overall(checks: Iterable[Check]) -> int:
    """The exit status: 0 nothing to fix, 1 something to fix, 2 something that can't be told."""
    found = {check.status for check in checks}
    if "fail" in found:
        return 1
    return 2 if "unknown" in found else 0
