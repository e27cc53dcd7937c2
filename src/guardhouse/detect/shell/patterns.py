"""Patterns inside parameter expansions, on short texts: what `${x#…}`, `${x%…}` and `${x/…/…}` leave.

Long texts and long patterns are not worked out: the answer is then None, and the value counts as unknown.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.paths.wildcards import name_matches

_LONGEST: Final = 256
_WILD: Final = frozenset("*?[")
_ODD: Final = frozenset("[\\(")
"""What patterns are not worked out with."""


def trimmed(text: str, pattern: str, operator: str) -> str | None:
    """`text` without the shortest (`#`, `%`) or longest (`##`, `%%`) beginning or end that matches."""
    from_start = operator[0] == "#"
    if "(" in pattern:
        return None
    if _WILD.isdisjoint(pattern):
        return text.removeprefix(pattern) if from_start else text.removesuffix(pattern)
    if len(text) > _LONGEST or len(pattern) > _LONGEST or not _ODD.isdisjoint(pattern):
        return None
    cuts = range(len(text) + 1)
    longest_first = len(operator) == 2
    order = cuts if from_start != longest_first else reversed(cuts)
    for cut in order:
        piece = text[:cut] if from_start else text[cut:]
        if UNKNOWN not in piece and name_matches(piece, pattern):
            return text[cut:] if from_start else text[:cut]
    return None if UNKNOWN in text else text


def replaced(text: str, pattern: str, replacement: str, operator: str) -> str | None:
    """`text` with the first match, or all, of a plain pattern replaced."""
    plain = bool(pattern) and _WILD.isdisjoint(pattern) and _ODD.isdisjoint(pattern) and "&" not in replacement
    if not plain or len(text) * len(replacement) > 1 << 20:
        return None
    if operator == "//":
        return text.replace(pattern, replacement)
    if operator == "/#":
        return replacement + text[len(pattern) :] if text.startswith(pattern) else text
    if operator == "/%":
        return text[: len(text) - len(pattern)] + replacement if text.endswith(pattern) else text
    return text.replace(pattern, replacement, 1)
