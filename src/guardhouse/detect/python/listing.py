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
    wild = min((where.find(char) for char in "*?[" if char in where), default=len(where))
    if where[wild:] in _ALL_BELOW:
        return items((Text(NOWHERE, (where[:wild].rstrip("/") or "." * (not wild)) + EVERYTHING),))
    return items((Text(NOWHERE, where[:wild] + (UNKNOWN if where[wild:] else "")),))


def globbed_path(owner: Made, given: Given) -> Value:
    """`Path.glob(…)`."""
    everything = bool(given) and text_of(given[0]) in _ALL_BELOW
    found = owner.text.rstrip("/") + EVERYTHING if everything else below(owner.text)
    return items((Made(owner.origin, PATH, found),))


def globbed_deep(owner: Made, given: Given) -> Value:
    """`Path.rglob(…)`."""
    all_of_it = bool(given) and text_of(given[0]) == "*"
    return globbed_path(owner, (Text(NOWHERE, "**"),) if all_of_it else given)
