"""A first look with Vectorscan: all words in two passes, at the speed of the machine; and `shapes` for what has none.

Its database takes a second or so to compile, so nobody waits for it: `compiled` makes its bytes, `VectorscanMatcher`
takes them. Bytes that were not made by `compiled`, for this machine, must never get here: see who keeps them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.secrets.interface import Pass
from guardhouse.detect.secrets.shapes import WIDEST, ShapeFinder
from guardhouse.detect.secrets.triggers import digest, triggers
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from guardhouse.detect.secrets.interface import Places


@cache
def is_available() -> bool:
    """Whether Vectorscan is installed: there is no build of it for every machine."""
    from importlib.util import find_spec

    return find_spec("hyperscan") is not None


def database_name() -> str:
    """Tells databases apart that are not the same: by their triggers, by the library that made them."""
    from importlib.metadata import version

    return f"{digest()[:16]}-{version('hyperscan')}"


def compiled() -> bytes:
    """The databases of all triggers. Takes some seconds; other threads go on meanwhile."""
    import hyperscan
    import msgspec

    made: list[bytes] = []
    for look in Pass:
        found = [trigger for trigger in triggers() if trigger.look is look]
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(
            expressions=[_as_re2_has_it(trigger.pattern).encode("latin-1") for trigger in found],
            ids=[trigger.target for trigger in found],
            elements=len(found),
            flags=[0] * len(found),
        )
        made.append(hyperscan.dumpb(database))
    return msgspec.msgpack.encode(made)


def _as_re2_has_it(pattern: str) -> str:
    """`pattern` with its white space spelt out: for Vectorscan a vertical tab is some, for RE2 it is none."""
    pieces: list[str] = []
    in_class = False
    at = 0
    while at < len(pattern):
        piece = pattern[at : at + (2 if pattern[at] == "\\" else 1)]
        at += len(piece)
        if in_class:
            pieces.append(_IN_CLASS.get(piece, piece))
            in_class = piece != "]"
        else:
            pieces.append(_OUT_OF_CLASS.get(piece, piece))
            in_class = piece == "["
    return "".join(pieces)


_SPACE: Final = r"\t\n\f\r "
_IN_CLASS: Final = {r"\s": _SPACE}
_OUT_OF_CLASS: Final = {r"\s": f"[{_SPACE}]", r"\S": f"[^{_SPACE}]"}


class VectorscanMatcher:
    """Finds triggers with the databases that `compiled` made. GuardhouseError if they are not for this machine."""

    def __init__(self, databases: bytes) -> None:
        import hyperscan
        import msgspec

        self._hyperscan = hyperscan
        try:
            self._databases: list[Any] = [
                hyperscan.loadb(database, hyperscan.HS_MODE_BLOCK)
                for database in msgspec.msgpack.decode(databases, type=list[bytes])
            ]
        except (hyperscan.HyperscanError, msgspec.MsgspecError):
            raise GuardhouseError("The database of secrets is not for this machine.", fix="Remove it.") from None
        self._shapes = ShapeFinder()
        self._spare: list[list[Any]] = []

    def places(self, data: bytes) -> Places:
        """Where triggers end that are found, by what they are triggers of."""
        found: Places = defaultdict(list)

        def note(target: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found[target].append(end)

        # What a search is written on; one at a time can use it, so each thread takes its own and gives it back.
        try:
            scratches = self._spare.pop()
        except IndexError:
            scratches = [self._hyperscan.Scratch(database) for database in self._databases]
        try:
            for look in (Pass.WORDS, Pass.NAMES):
                self._databases[look].scan(data, match_event_handler=note, scratch=scratches[look])
            done = self._shapes.find(data, found)
            if done < len(data):
                self._crowd(data, done, found, scratches[Pass.SHAPES])
        finally:
            self._spare.append(scratches)
        return found

    def _crowd(self, data: bytes, done: int, found: Places, scratch: object) -> None:
        """Adds to `found` the shapes that end behind `done`."""
        begin = max(0, done - WIDEST)

        def note(target: int, _start: int, end: int, _flags: int, _context: object) -> None:
            # One that seems to stand at the beginning of all may not, and ends before.
            if begin + end > done:
                found[target].append(begin + end)

        self._databases[Pass.SHAPES].scan(data[begin:], match_event_handler=note, scratch=scratch)
