"""What is known of the values in a script: text where it can be known, a mark where only the run would show, and where
it comes from.

Variables may hold several values at once, one for each way the script may have gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.acts import UNKNOWN, Source

if TYPE_CHECKING:
    from collections.abc import Iterable


Sources = frozenset[Source]
NOTHING: Final[Sources] = frozenset()
DYNAMIC: Final[Sources] = frozenset({Source.DYNAMIC})

LONGEST: Final = 65_536
"""Longer values are not kept: a script can double a variable with every line."""
MOST_VALUES: Final = 256
"""Values that one variable is followed in, and arguments that one word becomes."""


class Value(msgspec.Struct, frozen=True):
    """One argument, or one value of a variable."""

    text: str
    sources: Sources = NOTHING
    """Where it comes from, beside the command itself and the environment."""
    pattern: bool = False
    """It has wildcards that the shell would match against file names."""
    start: int = 0
    end: int = 0

    @property
    def known(self) -> bool:
        """Whether the whole text is known."""
        return UNKNOWN not in self.text


class Stream(msgspec.Struct, frozen=True):
    """What flows through a pipe, or is kept in a file."""

    text: str | None = None
    """None if it can't be known."""
    sources: Sources = NOTHING
    name: str = ""
    """The path, if it is what a file held before."""


SILENT: Final = Stream("")
UNSEEN: Final = Stream(None)


class Variables:
    """The variables of a script at one point."""

    __slots__ = ("arrays", "choice", "fixed", "loose", "positional", "values")

    def __init__(self) -> None:
        self.values: dict[str, tuple[Value, ...]] = {}
        self.arrays: dict[str, tuple[Value, ...]] = {}
        self.positional: tuple[Value, ...] = ()
        self.choice: dict[str, int] = {}
        """Which value of several each variable has on the way that is followed now."""
        self.fixed: set[str] = set()
        """Names that can't be set again."""
        self.loose: set[str] = set()
        """Arrays whose elements were set one by one: which one an index names is not known."""

    def copy(self) -> Variables:
        """The same, for a shell of its own."""
        other = Variables()
        other.values = dict(self.values)
        other.arrays = dict(self.arrays)
        other.positional = self.positional
        other.choice = self.choice
        other.loose = self.loose
        other.fixed = self.fixed
        return other

    def set(self, name: str, values: Iterable[Value]) -> None:
        """Let a variable have one of these values."""
        kept = tuple(dict.fromkeys(values))
        if name in self.fixed:
            kept = tuple(dict.fromkeys((*self.values.get(name, ()), *kept)))
        if any(len(value.text) > LONGEST for value in kept):
            kept = (Value(UNKNOWN, DYNAMIC),)
        self.values[name] = kept if len(kept) <= MOST_VALUES else (Value(UNKNOWN, DYNAMIC),)
        self.arrays.pop(name, None)

    def calculated(self, text: str) -> None:
        """Arithmetic may set the variables that it names."""
        for mark in ("=", "++", "--"):
            if mark in text:
                for name in text.replace("+", " ").replace("-", " ").replace("=", " ").replace(",", " ").split()[:16]:
                    if name.isidentifier() and name in self.values:
                        self.values[name] = (*self.values[name][:8], Value(UNKNOWN))
                return

    def joined(self, *others: Variables) -> None:
        """Take over what the variables may be after any of several ways was gone."""
        gathered: dict[str, dict[Value, None]] = {}
        for other in others:
            for name, values in other.values.items():
                own = self.values.get(name)
                if own is not values and own != values:
                    gathered.setdefault(name, dict.fromkeys(own or _UNSET)).update(dict.fromkeys(values))
        for name, found in gathered.items():
            array = self.arrays.get(name)
            self.set(name, found)
            if array is not None:
                self.arrays[name] = array
                self.loose.add(name)
        for other in others:
            for name, items in other.arrays.items():
                if self.arrays.get(name) != items:
                    self.arrays[name] = tuple(dict.fromkeys((*self.arrays.get(name, ()), *items)))[:MOST_VALUES]


_UNSET: Final = (Value(""),)


_LONGEST_NAME: Final = 200
_SECRET_NAMES: Final = ("SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "CREDENTIAL")


def is_pattern(text: str) -> bool:
    """Whether a text has wildcards in it."""
    return "*" in text or "?" in text or "[" in text


def sounds_secret(name: str) -> bool:
    """Whether a variable of the environment holds a secret, by its name."""
    upper = name[:_LONGEST_NAME].upper()
    return upper.endswith(("_KEY", "_PAT", "_PASS", "_PWD")) or any(part in upper for part in _SECRET_NAMES)


def calculated(text: str, variables: Variables) -> str | None:
    """The number that plain arithmetic comes to: numbers and variables, added or subtracted. None for the rest."""
    text = text.strip()
    if not text:
        return "0"
    if len(text) > 64:
        return None
    total, sign, pending = 0, 1, True
    for token in text.replace("+", " + ").replace("-", " - ").split():
        if token in "+-":
            sign = (-sign if token == "-" else sign) if pending else (1 if token == "+" else -1)
            pending = True
            continue
        number = _number(token, variables)
        if number is None or not pending:
            return None
        total += sign * number
        sign, pending = 1, False
    return None if pending else str(total)


def _number(token: str, variables: Variables) -> int | None:
    if token.isascii() and token.isdigit() and len(token) < 10:
        return int(token)
    held = variables.values.get(token)
    if held is not None and len(held) == 1 and held[0].text.isascii() and held[0].text.isdigit():
        return int(held[0].text) if len(held[0].text) < 10 else None
    return None
