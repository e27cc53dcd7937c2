"""Finds private keys in blocks: from `BEGIN … PRIVATE KEY` to their end, or as far as lines look like a key's.

Written by hand, because keys come with anything before their lines: numbers, quotes, `-` of a diff, names of files.
Every line is looked at once, however many blocks begin.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets.checks import wordiness
from guardhouse.detect.secrets.kinds.forms import KEY_BEGINS
from guardhouse.detect.secrets.searching import Searcher
from guardhouse.detect.secrets.sight.view import BETWEEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLANK: Final = r"(?:\s|%20|\+)"
_WORDS: Final = rf"(?:[A-Z0-9]{{1,12}}{_BLANK}{{1,3}}){{0,4}}"
_HEAD_END: Final = rf"(?:{_BLANK}BLOCK)?{_BLANK}?-{{4,}}"
_ENDS: Final = rf"-{{4,}}{_BLANK}?END{_BLANK}{{1,3}}{_WORDS}PRIVATE{_BLANK}{{1,3}}KEY"
_LINE_ENDS: Final = r"\r?\n|\\r\\n|\\n|%0[dD]%0[aA]|%0[aA]|<br ?/?>"
_BEFORE: Final = 96
_AROUND: Final = b" \t\r\n\"'`,+\\#/>|*"
_MASK: Final = b"[redacted"
_IN_KEY: Final = bytes(
    byte if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "+/=") else 32 for byte in range(256)
)
_SHORTEST: Final = 8
_LEAST: Final = 40
_LEAST_CLOSED: Final = 32
"""So many characters of a key make it one, or between its two ends; fewer may be an example."""
_JUDGED: Final = 4096
_LONG: Final = 20


def key_spans(data: bytes, ends: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Blocks whose beginnings end at `ends`: where each begins, and what is to be masked."""
    begins, stops, lines = _searchers()
    places: list[int] = []
    for end in sorted(ends):
        place = data.rfind(b"BEGIN", max(0, end - _BEFORE), end)
        if place >= 0 and (not places or place > places[-1]):
            places.append(place)
    if not places:
        return
    closings = list(_all(stops, data, places[0]))
    for low, limit in zip(places, (*places[1:], len(data)), strict=True):
        if limit - low < _LEAST:  # no room for a key
            continue
        head = begins.match(data, low, len(data))
        if head is None:
            continue
        start = head[0][1]
        between = data.find(BETWEEN, start, limit)
        stop = between if between >= 0 else limit
        at = bisect_left(closings, start)
        is_closed = at < len(closings) and closings[at] < stop
        end = closings[at] if is_closed else _last_line(data, start, stop, lines)
        least = _LEAST_CLOSED if is_closed else _LEAST
        if end > start and (_is_key(data[start:end], least) or data.startswith(_MASK, start)):
            yield low, start, end


def rest_of_key(data: bytes) -> tuple[int, bool]:
    """How far a key goes on with which `data` begins, and whether it has ended there for sure: its end stands there."""
    _begins, stops, lines = _searchers()
    end = _last_line(data, 0, len(data), lines, before=0)
    found = stops.search(data, end, min(len(data), end + _JUDGED))
    if found is not None and is_blank(data[end : found[0][0]]):
        return found[0][0], True
    return end, False


def is_blank(line: bytes) -> bool:
    """Whether nothing stands there but signs, as before and behind the lines of a key that is quoted."""
    return not line.strip(_AROUND)


def is_key_line(line: bytes) -> bool:
    """Whether most of a line is a piece of a key, whatever stands before it."""
    runs = line.translate(_IN_KEY).split()
    longest = max(map(len, runs), default=0)
    return longest >= _SHORTEST and longest * 2 >= len(line.replace(b" ", b""))


def _last_line(data: bytes, at: int, limit: int, lines: Searcher, before: int = 12) -> int:
    """Where the last line ends that looks like a key's. Before the first there may be others: names and numbers."""
    end = at
    while at < limit:
        found = lines.search(data, at, limit)
        stop, behind = found[0] if found is not None else (limit, limit)
        line = data[at:stop]
        if is_key_line(line) or (end > at - 4 and _is_rest(line)):
            end, before = stop, 0
        elif line.strip(_AROUND) and not before:
            return end
        else:
            before = max(0, before - 1)
        at = behind
    return end


def _is_rest(line: bytes) -> bool:
    """The last line of a key may be short."""
    bare = line.strip(_AROUND + b";")
    return len(bare) > 0 and not bare.translate(None, _ALPHABET)


_ALPHABET: Final = bytes(byte for byte in range(256) if _IN_KEY[byte] != 32)


def _is_key(body: bytes, least: int) -> bool:
    """Whether there is enough in it that can be a key, and is no prose."""
    size = 0
    for run in body.translate(_IN_KEY).split()[:_JUDGED]:
        if len(run) >= _LONG or (len(run) >= _SHORTEST and _is_random(run.decode("ascii"))):
            size += len(run)
        if size >= least:
            return True
    return False


def _is_random(run: str) -> bool:
    return (any(map(str.isdigit, run)) or not run.islower()) and wordiness(run) < 0.7


def _all(searcher: Searcher, data: bytes, at: int) -> Iterator[int]:
    while at < len(data) and (found := searcher.search(data, at, len(data))) is not None:
        yield found[0][0]
        at = found[0][1]


@lru_cache(maxsize=1)
def _searchers() -> tuple[Searcher, Searcher, Searcher]:
    import re2  # kept out of `import guardhouse`

    return Searcher(re2, KEY_BEGINS + _HEAD_END), Searcher(re2, _ENDS), Searcher(re2, _LINE_ENDS)
