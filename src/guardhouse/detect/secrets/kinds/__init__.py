"""The table of secrets that Guardhouse knows by their form or by the service they belong to, a kind an entry.

Where two kinds overlap, the one that stands first in `KINDS` names the match. Secrets known only by a name that says
that they are one (`password=…`) are in `pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

from guardhouse.detect.secrets.interface import SecretKind
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.infrastructure import ROWS as _INFRASTRUCTURE
from guardhouse.detect.secrets.kinds.named import ROWS as _NAMED
from guardhouse.detect.secrets.kinds.rows import EDGE, of_named, of_prefixed
from guardhouse.detect.secrets.kinds.services import ROWS as _SERVICES

PREFIXED: Final = (*_INFRASTRUCTURE, *_SERVICES)
"""Rows of tokens with a beginning of their own."""
NAMED: Final = _NAMED
"""Rows of keys that are known by whose they are."""
FIRST_FORM: Final = len(PREFIXED)
FIRST_NAMED: Final = FIRST_FORM + len(FORMS)
"""Where forms, and where named keys begin in `KINDS`."""


class _Kinds(Sequence[SecretKind]):
    """Every kind, made from its row when it is first asked for: a process that looks at one call needs few."""

    def __init__(self) -> None:
        self._made: dict[int, SecretKind] = {}

    def __len__(self) -> int:
        return FIRST_NAMED + len(NAMED)

    @overload
    def __getitem__(self, index: int) -> SecretKind: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SecretKind]: ...

    def __getitem__(self, index: int | slice) -> SecretKind | Sequence[SecretKind]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        kind = self._made.get(index)
        if kind is None:
            kind = self._made[index] = _made(range(len(self))[index])
        return kind


def _made(index: int) -> SecretKind:
    if index < FIRST_FORM:
        return of_prefixed(PREFIXED[index])
    return FORMS[index - FIRST_FORM] if index < FIRST_NAMED else of_named(NAMED[index - FIRST_NAMED])


KINDS: Final[Sequence[SecretKind]] = _Kinds()
"""Every kind known by its form or its service."""


def _before_group(pattern: str) -> str:
    """The part of a pattern before its capturing group."""
    at = pattern.find("(")
    while at >= 0 and pattern[at + 1 : at + 2] == "?":
        at = pattern.find("(", at + 1)
    return pattern if at < 0 else pattern[:at]


HEADS: Final = tuple(
    head for kind in FORMS if not kind.by_context and (head := _before_group(kind.pattern)) not in ("", EDGE)
)
"""What secrets of each form begin with, as patterns: the part that stays when they are masked."""

__all__ = ["FIRST_FORM", "FIRST_NAMED", "HEADS", "KINDS", "NAMED", "PREFIXED"]
