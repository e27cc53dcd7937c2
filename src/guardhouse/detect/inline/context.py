"""One reading of a piece of code: its tokens, what its names stand for, and where what it does is noted.

Shared by the parts that read it. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.constants import Constants, filled
from guardhouse.detect.inline.languages import Language, called
from guardhouse.detect.inline.names import Names, names_of
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.scanning import scan
from guardhouse.detect.inline.tokens import Tokens
from guardhouse.detect.inline.values import Arguments, Value, arguments

_NOT_LOOKED_AT: Final = Arguments((Value(UNKNOWN),), 0)
_SETTING_UP: Final = 6
"""What starting a reading costs, in tokens."""
_LETTERS_A_TOKEN: Final = 32
"""Letters that are passed over in the time of one token."""


class Context:
    """Code that is being read."""

    def __init__(
        self, language: Language, code: str, notes: Notes, depth: int, read_inner: Callable[[str], None]
    ) -> None:
        self.language = language
        self.called = called(language)
        self.code = code
        self.notes = notes
        self.depth = depth
        self.read_inner = read_inner
        """Reads code of the same language that stands in this one."""
        self.names: Names = names_of(language)
        self.tokens: Tokens = scan(language, code, notes.work_left)
        self.constants = Constants()
        self.aliases: dict[str, str] = {}
        """Names that stand for others: `cp` for `child_process`."""
        self.loaded: set[str] = set()
        notes.spend(_SETTING_UP + len(self.tokens.kinds) + len(code) // _LETTERS_A_TOKEN)

    def place(self, i: int, end: int) -> None:
        """What is noted next is seen in the tokens from `i` to `end`."""
        if not self.depth:
            last = min(max(end, i + 1), len(self.tokens.kinds)) - 1
            self.notes.place = (self.tokens.starts[i], self.tokens.ends[last])

    def arguments(self, i: int) -> Arguments:
        """The arguments that start at token `i`; not known, if too many were looked at before."""
        if not self.notes.gather(1):
            return _NOT_LOOKED_AT._replace(end=i)
        given = arguments(self.language, self.tokens, i, self.constants)
        self.notes.gather(given.end - i)
        return given

    def filled(self, raw: str) -> str:
        """A string with pieces put in, where they are known."""
        return filled(self.language, raw, self.constants)
