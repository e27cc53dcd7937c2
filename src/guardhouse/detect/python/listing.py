"""What functions give that list files: no names, for those only the run would show, but the place they lie in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python.values import EVERYTHING, NOWHERE, PATH, Made, Text, Value, items, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Given = Sequence[Value]

_ALL_BELOW: Final = frozenset({"**", "**/*", "**/**", "**/*.*"})


def below(where: str) -> str:
    """Some file in a directory, or below it."""
    return (where if where.endswith("/") else where + "/") + UNKNOWN


def walked(given: Given) -> Value:
    """`os.walk(…)`."""
    name = items((Text(NOWHERE, UNKNOWN),))
    return items((items((Text(NOWHERE, below(text_of(given[0]))), name, name)),))


def walked_path(owner: Made, _: Given) -> Value:
    """`Path.walk()`."""
    name = items((Text(NOWHERE, UNKNOWN),))
    return items((items((Made(owner.origin, PATH, below(owner.text)), name, name)),))


def globbed(given: Given) -> Value:
    """`glob.glob(…)`."""
    where = text_of(given[0])
    wild = _first_wildcard(where)
    if where[wild:] in _ALL_BELOW:
        return items((Text(NOWHERE, (where[:wild].rstrip("/") or "." * (not wild)) + EVERYTHING),))
    return items((Text(NOWHERE, _some(where)),))


def globbed_path(owner: Made, given: Given) -> Value:
    """`Path.glob(…)`."""
    pattern = text_of(given[0]) if given else UNKNOWN
    where = owner.text.rstrip("/") or "/" * owner.text.startswith("/")
    found = where + EVERYTHING if pattern in _ALL_BELOW else f"{where.rstrip('/')}/{_some(pattern)}"
    return items((Made(owner.origin, PATH, found),))


def _first_wildcard(pattern: str) -> int:
    return min((pattern.find(char) for char in "*?[" if char in pattern), default=len(pattern))


def _some(pattern: str) -> str:
    """One of the files that a pattern finds: how its path begins and ends is known."""
    first, last = _first_wildcard(pattern), max(pattern.rfind(char) for char in "*?]")
    return pattern[:first] + UNKNOWN + pattern[last + 1 :] if last >= first else pattern


def globbed_deep(owner: Made, given: Given) -> Value:
    """`Path.rglob(…)`."""
    pattern = text_of(given[0]) if given else "*"
    return globbed_path(owner, (Text(NOWHERE, "**" if pattern == "*" else f"**/{pattern}"),))
