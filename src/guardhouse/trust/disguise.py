"""Takes the disguise off a text, and remembers where each character of what is left stood.

Look-alikes become the ASCII they look like, hidden characters go, ligatures are spelt out, and HTML entities, percent
and backslash escapes are decoded, also where one is inside another. For looking at, not for showing: case is lost.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Any, Final

from guardhouse.trust.lookalikes import HIDDEN, KINDS, MARK, SEVERAL, bared

_ROUNDS: Final = 4
"""How deep encodings may be inside each other. What is encoded deeper is a riddle to a model too."""
_UTF8: Final = b"|".join(
    b"%" + lead + rb"(?:%[89ab][0-9a-f])" + b"{%d}" % more
    for lead, more in ((rb"[0-7][0-9a-f]", 0), (rb"[cd][0-9a-f]", 1), (rb"e[0-9a-f]", 2), (rb"f[0-7]", 3))
)
_ENCODED: Final = b"|".join(
    (
        rb"&(?:#x[0-9a-f]{1,8}|#[0-9]{1,9}|[a-z][a-z0-9]{1,31});?",
        _UTF8,
        rb"\\+ud[89ab][0-9a-f]{2}\\+ud[c-f][0-9a-f]{2}",
        rb"\\+(?:u000[0-9a-f]{5}|u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-3]?[0-7]{2}|[<>\[\]{}|#:/])",
    )
)
_COMPILED: list[Any] = []


class Undisguised:
    """A text without its disguise. `text` is ASCII; `origin` says where in the original a place of it comes from."""

    def __init__(self, original: str, kinds: str) -> None:
        """`kinds` is the original, translated by `KINDS`."""
        self._steps: list[tuple[list[int], list[int], bytearray]] = []
        self._places: array[int] | None = None
        if HIDDEN in kinds or MARK in kinds or SEVERAL in kinds:
            kinds, self._places = _spelt_out(original, kinds)
        self.text = kinds.encode("ascii")
        for _ in range(_ROUNDS):
            if not any(sign in self.text for sign in (b"&", b"%", b"\\")) or not self._decode():
                break

    def origin(self, place: int) -> int:
        """The index in the original of the character that the one at `place` comes from."""
        for starts, origins, is_copy in reversed(self._steps):
            piece = bisect_right(starts, place) - 1
            place = origins[piece] + (place - starts[piece] if is_copy[piece] else 0)
        return place if self._places is None else self._places[place]

    def _decode(self) -> bool:
        """Put what escapes stand for in their place; whether there were any."""
        old = self.text
        pieces: list[bytes] = []
        starts: list[int] = []
        origins: list[int] = []
        is_copy = bytearray()
        length = done = 0

        def add(piece: bytes, origin: int, *, copy: bool) -> None:
            nonlocal length
            if piece:
                pieces.append(piece)
                starts.append(length)
                origins.append(origin)
                is_copy.append(copy)
                length += len(piece)

        for match in _encoded().finditer(old):
            start, end = match.span()
            instead = _decoded(old[start:end])
            if instead is None:
                continue
            add(old[done:start], done, copy=True)
            add(instead, start + _backslashes(old[start:end]), copy=False)
            done = end
        if not done:
            return False
        add(old[done:], done, copy=True)
        self.text = b"".join(pieces)
        self._steps.append((starts, origins, is_copy))
        return True


def _spelt_out(original: str, kinds: str) -> tuple[str, array[int]]:
    """Without what is hidden, with ligatures as letters; and the place of each."""
    pieces: list[str] = []
    places = array("L")
    for place, kind in enumerate(kinds):
        if kind == SEVERAL:
            letters = bared(original[place])
            pieces.append(letters)
            places.extend([place] * len(letters))
        elif kind not in (HIDDEN, MARK):
            pieces.append(kind)
            places.append(place)
    return "".join(pieces), places


def _encoded() -> Any:
    if not _COMPILED:
        import re2  # kept out of `import guardhouse`

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        _COMPILED.append(re2.compile(_ENCODED, options))
    return _COMPILED[0]


def _decoded(spot: bytes) -> bytes | None:
    """What an escape stands for, without its disguise; None if it stands for nothing."""
    if spot.startswith(b"&"):
        return _entity(spot.decode())
    if spot.startswith(b"%"):
        return _bare(bytes.fromhex(spot.replace(b"%", b"").decode()).decode("utf-8", "replace"))
    said = spot.lstrip(b"\\")
    high, _, low = said.partition(b"\\")
    if low:
        return _bare(chr(0x10000 + (int(high[1:], 16) - 0xD800) * 0x400 + int(low[-4:], 16) - 0xDC00))
    if said[:1] in b"ux":
        return _code(int(said[1:].strip(b"{}"), 16))
    return _code(int(said, 8)) if said.isdigit() else said


def _backslashes(spot: bytes) -> int:
    """How many backslashes stand before the one that makes the escape: that one has to go for it to be none."""
    return max(len(spot) - len(spot.lstrip(b"\\")) - 1, 0)


def _entity(spot: str) -> bytes | None:
    if spot.startswith("&#x"):
        return _code(int(spot[3:].rstrip(";"), 16))
    if spot.startswith("&#"):
        return _code(int(spot[2:].rstrip(";")))
    name = spot[1:].rstrip(";")
    names = _names()
    if name in names:
        return _bare(names[name])
    for size in range(min(len(name), _LONGEST_LEGACY), 1, -1):
        if name[:size] in _LEGACY:  # HTML reads these also without a semicolon, in front of anything
            return _bare(names[name[:size]]) + spot[1 + size :].encode()
    return None


_LEGACY: Final = frozenset("lt gt amp quot nbsp shy laquo raquo brvbar".split())
_LONGEST_LEGACY: Final = 6
_NAMES: dict[str, str] = {}


def _names() -> dict[str, str]:
    """HTML's names for characters, in lower case."""
    if not _NAMES:
        from html.entities import html5

        for name, chars in sorted(html5.items()):  # a name that is in lower case itself comes last, and counts
            _NAMES[name.rstrip(";").lower()] = chars
    return _NAMES


def _code(number: int) -> bytes | None:
    return _bare(chr(number)) if 0 < number <= 0x10FFFF else None


def _bare(chars: str) -> bytes:
    kinds = chars.translate(KINDS)
    spelt = (bared(char) if kind == SEVERAL else kind for char, kind in zip(chars, kinds, strict=True))
    return "".join(spelt).replace(HIDDEN, "").replace(MARK, "").encode("ascii")
