"""Tokens that were broken at the end of a line: what stands there looks whole, and the rest is on the next line.

A token that is broken before it is whole is put together in `sight`. Here the first part was found already; what
follows it is part of the secret if it is random text and alone on its line.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from guardhouse.detect.secrets.checks import longest_run, shape, wordiness
from guardhouse.detect.secrets.kinds import FIRST_FORM, KINDS
from guardhouse.detect.secrets.overlaps import BY_START, Raw
from guardhouse.model import Confidence

_NEAR: Final = 8
_LINE_ENDS: Final = (b"\n", b"\r", b"\\")
_LEAST_REST: Final = 8
_MOST_REST: Final = 512
_LETTERS: Final = 4
_LONG_RUN: Final = 13
"""Longer than the pieces of a UUID."""
_BEFORE_REST: Final = b" \t\r\n\\>#*|"
_IN_REST: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-.")
_REST_ENDS: Final = bytes(byte in _IN_REST for byte in range(256))
_BEHIND_REST: Final = frozenset(b"\r\n\\\"'`,;)]}<&")
"""What may follow a rest. Not a blank: then it is the first word of a line."""


def carry_on(data: bytes, raws: list[Raw]) -> None:
    """Makes tokens longer that were broken at the end of a line, and go on where nothing else was found."""
    raws.sort(key=BY_START)
    starts = [raw.start for raw in raws]
    for place, raw in enumerate(raws):
        if place + 1 < len(raws) and 0 <= raws[place + 1].low - raw.end < _NEAR:
            continue
        if raw.rank >= FIRST_FORM or data[raw.end : raw.end + 1] not in _LINE_ENDS:
            continue
        following = bisect_left(starts, raw.end, place + 1)
        limit = raws[following].low if following < len(raws) else len(data)
        if limit - raw.end < _NEAR:
            continue
        kind = KINDS[raw.rank]
        if not kind.goes_on or (kind.proof and raw.confidence is Confidence.HIGH):
            continue
        end = rest_end(data, raw.end, limit)
        if end > raw.end:
            raws[place] = Raw(raw.rank, raw.low, raw.start, end, raw.confidence, raw.also)


def rest_end(data: bytes, end: int, limit: int) -> int:
    """Where the rest of a token ends, before `limit`, that was broken at the end of its line, which is at `end`; `end`
    if there is no rest: the next line begins with something else than a piece of a random text."""
    while True:
        line = data[end : min(limit, end + _MOST_REST)]
        lead = line[: len(line) - len(line.lstrip(_BEFORE_REST))]
        if lead.count(b"\n") != 1:
            return end
        run = line[len(lead) :].translate(_REST_ENDS).find(b"\0")
        stop = len(line) if run < 0 else len(lead) + run
        if stop < len(line) and line[stop] not in _BEHIND_REST:
            return end
        if not _is_random(line[len(lead) : stop].decode("latin-1")):
            return end
        end += stop


def _is_random(text: str) -> bool:
    """Random, and no id: those are made of words and short pieces with hyphens between."""
    form = shape(text)
    return (
        len(text) >= _LEAST_REST
        and longest_run(text) >= min(_LONG_RUN, len(text))
        and "0" in form
        and form.count("a") + form.count("A") >= _LETTERS
        and wordiness(text) < 0.6
    )
