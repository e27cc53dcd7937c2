"""Reads tokens that are a beginning and a run of one alphabet: `ghp_` and 36 letters. Most tokens are just that.

What is read is what the pattern of the kind says, at a quarter of the price: the trigger ended inside the token, so
where it begins is known, and only its end is to be found. Anything less plain is left to RE2.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CROWD: Final = 32
"""With more places than this to look at, the whole text is prepared for it."""
_STEP: Final = 256
_ESCAPES: Final = (b"\\n", b"\\r", b"\\t", b"\\b", b"\\f")
_ALNUM: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_COLOUR: Final = 15
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_BASE64: Final = _ALNUM | frozenset(b"+/")


class Body(NamedTuple):
    """So many characters of one alphabet."""

    alphabet: frozenset[int]
    least: int
    most: int


def plain_body(body: str) -> Body | None:
    """What `[a-z0-9]{32}`, `[a-z]{8,}` or `[a-z]{8,64}` say; None of a pattern that says anything else."""
    if not body.startswith("[") or body.startswith("[^"):
        return None
    close = body.index("]", 2)
    counts = body[close + 1 :]
    if not (counts.startswith("{") and counts.endswith("}") and counts.count("{") == 1):
        return None
    least, comma, most = counts[1:-1].partition(",")
    alphabet = _alphabet(body[1:close])
    if alphabet is None or not least.isdigit():
        return None
    return Body(alphabet, int(least), int(most) if most else sys.maxsize if comma else int(least))


def _alphabet(inside: str) -> frozenset[int] | None:
    """The bytes of a class; None if it has more than letters, ranges and signs behind a backslash."""
    found: set[int] = set()
    at = 0
    while at < len(inside):
        if inside[at] == "\\":
            if inside[at + 1].isalnum():
                return None
            found.add(ord(inside[at + 1]))
            at += 2
        elif inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            found.update(range(ord(inside[at]), ord(inside[at + 2]) + 1))
            at += 3
        else:
            found.add(ord(inside[at]))
            at += 1
    return frozenset(found)


class RunReader:
    """Finds the tokens of one kind near the ends of its triggers, each of which has `lead` characters of the run."""

    def __init__(
        self, heads: Sequence[str], body: Body, lead: int, *, edge: bool, end: bool, in_base64: bool = False
    ) -> None:
        """With `edge`, no word runs into the token; with `end`, the token does not go on. `in_base64`: nor do `+` and
        `/` stand beside it."""
        self._heads = sorted((head.encode("latin-1") for head in heads), key=len, reverse=True)
        self._width = len(self._heads[0]) if len(self._heads[0]) == len(self._heads[-1]) else 0
        self._body = body
        self._lead = lead
        self._edge = edge
        self._end = end
        self._beside = _BASE64 if in_base64 else _ALNUM

    @cached_property
    def _signs(self) -> list[bytes]:
        """What is part of a token and may stand behind it."""
        return [bytes([byte]) for byte in self._body.alphabet - self._beside]

    @cached_property
    def _table(self) -> bytes:
        """Makes 0 of every byte that ends a run."""
        return bytes(byte in self._body.alphabet for byte in range(256))

    def __call__(self, data: bytes, ends: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Where each token begins, and which part of it is masked."""
        size, lead, least, most = len(data), self._lead, self._body.least, self._body.most
        width = 0 if self._edge else self._width
        stops = data.translate(self._table) if len(ends) > _CROWD else None
        reach = last = behind = 0
        for end in sorted(ends):
            start = end - lead
            if start < behind:
                continue
            if end > reach:
                # How far a run goes is found once, however many tokens begin in it.
                reach = self._run_end(data, end) if stops is None else stops.find(b"\0", end)
                last = reach = size if reach < 0 else reach
                if self._end and most == sys.maxsize:
                    last = self._ended(data, start + least, reach)
            stop = last
            if stop - start > most:
                stop = start + most
            if self._end and most < sys.maxsize:
                stop = self._ended(data, start + least, stop)
            if stop - start < least:
                continue
            # Of beginnings that are all as long, the trigger has found one just there.
            low = start - width if width else self._low(data, start, behind)
            if low >= behind:
                behind = stop
                yield low, start, stop

    def _low(self, data: bytes, start: int, behind: int) -> int:
        """Where the token begins whose run begins at `start`; -1 if there is none, or it is part of another."""
        for head in self._heads:
            low = start - len(head)
            if low < behind or not data.startswith(head, low):
                continue
            if not self._edge or not low:
                return low
            if low > behind and (data[low - 1] not in self._beside or _is_added(data, low)):
                return low - 1
            if low > behind and data[low - 1] in _ALNUM and is_escaped(data, low):
                return low - 1
        return -1

    def _run_end(self, data: bytes, at: int) -> int:
        while at < len(data):
            found = data[at : at + _STEP].translate(self._table).find(b"\0")
            if found >= 0:
                return at + found
            at += _STEP
        return len(data)

    def _ended(self, data: bytes, first: int, stop: int) -> int:
        """The last place from `first` to `stop` where the token could end; 0 if there is none."""
        if stop < first:
            return 0
        if stop == len(data) or data[stop] not in self._beside:
            return stop
        return max([0, *(data.rfind(sign, first, stop) for sign in self._signs)])


def _is_added(data: bytes, at: int) -> bool:
    """Whether before `at` stands the sign of a line that a change adds."""
    return data[at - 1 : at] == b"+" and (at == 1 or data[at - 2 : at - 1] == b"\n")


def is_escaped(data: bytes, at: int) -> bool:
    """Whether the letter or digit before `at` is the end of an escape, as in JSON text, URLs or on a terminal."""
    before = data[max(0, at - 6) : at]
    return (
        before[-2:] in _ESCAPES
        or (before[-3:-2] == b"%" and _HEX.issuperset(before[-2:]))
        or (before[-4:-2] == b"\\x" and _HEX.issuperset(before[-2:]))
        or (before[:2] == b"\\u" and _HEX.issuperset(before[2:]))
        or (before[-1:] == b"m" and _is_colour(data[max(0, at - _COLOUR) : at]))
    )


def _is_colour(before: bytes) -> bool:
    """Whether it ends with what tells a terminal a colour."""
    escape = before.rfind(b"\x1b[")
    return escape >= 0 and not before[escape + 2 : -1].strip(b"0123456789;")
