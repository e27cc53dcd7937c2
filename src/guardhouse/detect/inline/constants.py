"""What names stand for, as long as they are set to one text only.

A name that may be anything, because a loop or a caller sets it, is not known; neither is one that is set twice.
"""

from __future__ import annotations

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.home import HOME, is_home
from guardhouse.detect.inline.languages import Language
from guardhouse.detect.inline.strings import pieces


class Constants:
    """Names that are set to a string once, and what to."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def put(self, name: str, value: str) -> None:
        """A name that is set twice is not known any more."""
        known = self._values.get(name)
        self._values[name] = value if known is None or known == value else UNKNOWN

    def append(self, name: str, value: str) -> None:
        """A name gets more text at its end. What it may have been before that is not kept."""
        self._values[name] = self._values.get(name, UNKNOWN) + value

    def lose(self, name: str) -> None:
        """A name may be anything from here on."""
        self._values[name] = UNKNOWN

    def lose_all(self) -> None:
        """Any name may be anything."""
        for name in self._values:
            self._values[name] = UNKNOWN

    def get(self, name: str) -> str | None:
        """What a name stands for; None if that is not known."""
        value = self._values.get(name)
        return None if value is None or UNKNOWN in value else value


def filled(language: Language, raw: str, constants: Constants) -> str:
    """A string with pieces put in, where they are known."""
    return "".join(_worth(piece.text, constants) if piece.is_code else piece.text for piece in pieces(language, raw))


def _worth(code: str, constants: Constants) -> str:
    for name in (code, "$" + code, code[1:]):
        known = constants.get(name)
        if known is not None:
            return known
    return HOME if is_home(code) else UNKNOWN
