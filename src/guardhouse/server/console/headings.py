"""How a reason is headed: the catalogue's words as ours, all else as somebody's.

A record may be older than the division of titles from what they are about, or written by hand, and a detector may be
another's. So a title counts as ours only if it is one of the catalogue's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.card import plain, where_of
from guardhouse.policy import catalogue

if TYPE_CHECKING:
    from guardhouse.model import Reason

_TIMES: Final = re.compile(r", [0-9]{1,9} times\Z")


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a reason, in voices that a page can tell apart."""

    title: str
    """Ours. Empty if none of it is."""
    about: str
    """Theirs: a path, a host, a tool's name."""
    project: str
    """What a rule of the project says for itself."""
    where: str
    """In which field it was found, and what that came from: names that others gave."""


def heading_of(reason: Reason, most: int | None = None) -> Heading:
    """The head of a reason; each part cut after `most` characters, if that is given."""
    title, rest = _divided(reason)
    about = "; ".join(part for part in (rest, reason.detail) if part)
    return Heading(
        title=plain(title),
        about=one_line(about, most),
        project=one_line(reason.because, most),
        where=one_line(where_of(reason), most),
    )


def one_line(text: str, most: int | None = None) -> str:
    """A text in one line, cut, and safe for the eye."""
    kept = text if most is None else text[:most]
    line = " ↵ ".join(plain(part) for part in kept.split("\n"))
    return f"{line}…" if len(kept) < len(text) else line


def _divided(reason: Reason) -> tuple[str, str]:
    """The title as far as it is ours, and the rest of it."""
    if _TIMES.sub("", reason.title) in _titles().values():
        return reason.title, ""
    known = _titles().get(reason.code, "")
    if known and reason.title.startswith(known):
        return known, reason.title[len(known) :].strip(" ,")
    return "", reason.title


@cache
def _titles() -> dict[str, str]:
    return {code: known.title for code, known in catalogue().items()}
