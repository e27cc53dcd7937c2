"""What configuration says of kinds of secrets: which are none, and what others lead to.

Loaded only where a kind is named, because it walks the table of kinds.
"""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from guardhouse.detect.secret_use import IN_CONTENT, IN_INPUT, IN_PARAMS
from guardhouse.detect.secrets import KINDS, PAIR_ID, UNREADABLE_ID
from guardhouse.model import Decision
from guardhouse.policy.tightness import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.policy.schema import SecretsSection

_IGNORE: Final = "ignore"
_ORDER: Final = (_IGNORE, *EFFECTS)
_MASKED: Final = (IN_CONTENT.id, IN_INPUT.id)
"""Where a secret can be masked without changing what a local call does."""
_EVERYWHERE: Final = (*_MASKED, IN_PARAMS.id)


def kind_outcomes(section: SecretsSection) -> tuple[frozenset[str], dict[tuple[str, str], Decision]]:
    """The kinds that are to be ignored, and what others lead to, by code and kind.

    A kind that is named by itself is as it says; of several globs, the strictest counts.
    """
    ignored: set[str] = set()
    outcomes: dict[tuple[str, str], Decision] = {}
    for kind in _known(section):
        said = _said(section, kind)
        if said == _IGNORE:
            ignored.add(kind)
        elif said is not None:
            decision = EFFECTS[said]
            for code in _MASKED if decision is Decision.ALLOW_WITH_REDACTION else _EVERYWHERE:
                outcomes[code, kind] = decision
    return frozenset(ignored), outcomes


def kind_problems(section: SecretsSection, problem: Callable[[tuple[str | int, ...], str, str], str]) -> Iterator[str]:
    """Names that stand for no kind."""
    known = _known(section)
    for name in section.kinds:
        if not any(fnmatchcase(kind, name) for kind in known):
            close = get_close_matches(name, known, n=1)
            fix = f"Did you mean `{close[0]}`?" if close else "`guardhouse scan` tells the kinds that it finds."
            yield problem(("secrets", "kinds", name), f"There is no kind of secret `{name}`.", fix)


def _known(section: SecretsSection) -> list[str]:
    return [*(kind.id for kind in KINDS), PAIR_ID, UNREADABLE_ID, *(pattern.id for pattern in section.patterns)]


def _said(section: SecretsSection, kind: str) -> str | None:
    if kind in section.kinds:
        return section.kinds[kind]
    of_globs = [said for name, said in section.kinds.items() if fnmatchcase(kind, name)]
    return max(of_globs, key=_ORDER.index, default=None)
