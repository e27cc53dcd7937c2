"""What the delegation fetched: which page, when, and the words of it, kept as digests of eight in a row.

Only what it was given is in it; where the log is kept is not its affair.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from guardhouse.guru.contract import seconds_of
from guardhouse.model import GuardhouseError, InvalidAction, Limits, decode
from guardhouse.net import BadDestination, parse_destination
from guardhouse.trust.lookalikes import is_hidden

RUN: Final = 8
"""So many words in a row are a copy."""
_RUN_OF_SIGNS: Final = 16
"""In writings without blanks each sign counts as a word, and a word has about two."""
_WORD: Final = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿]|[^\W_぀-ヿ㐀-䶿一-鿿豈-﫿]++")
_MAX_LINE: Final = 8 << 20


class Fetched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One result of `guru.internetQuery`."""

    url: str
    title: str
    snippet: str
    extracted_text: str
    retrieved_at: str


class FetchLog:
    """What was fetched in a session."""

    def __init__(self, results: Iterable[Fetched]) -> None:
        self._times: dict[str, set[int]] = {}
        self._runs: set[int] = set()
        for result in results:
            time = seconds_of(result.retrieved_at)
            url = canonical(result.url)
            if time is None or url is None:
                raise GuardhouseError(
                    "A result in the log of sources has no usable address or time.",
                    fix="Each needs an http(s) `url` and `retrieved_at` in ISO 8601.",
                )
            self._times.setdefault(url, set()).add(time)
            for text in (result.title, result.snippet, result.extracted_text):
                self._runs.update(run for run, _start, _end in runs(text))

    def has(self, url: str) -> bool:
        """Whether this very page was fetched."""
        found = canonical(url)
        return found is not None and found in self._times

    def has_at(self, url: str, time: int) -> bool:
        """Whether it was fetched at this time."""
        return time in self._times.get(canonical(url) or "", ())

    def copies(self, text: str) -> Iterator[tuple[int, int]]:
        """Where `text` repeats a page."""
        if not self._runs or (text.isascii() and not self._repeats(_WORD.findall(text.lower()))):
            return
        start = end = -1
        for run, low, high in runs(text):
            if run not in self._runs:
                continue
            if low > end:
                if end >= 0:
                    yield start, end
                start = low
            end = high
        if end >= 0:
            yield start, end

    def _repeats(self, words: list[str]) -> bool:
        """Whether a run of words is one of a page's, whichever: most texts have none."""
        known = self._runs
        return any(hash(tuple(words[at : at + RUN])) in known for at in range(len(words) - RUN + 1))


def read_log(lines: Iterable[str]) -> FetchLog:
    """The log in JSON lines. GuardhouseError on a line that is no result: nothing is left out."""
    results = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            results.append(msgspec.convert(decode(line, Limits(max_bytes=_MAX_LINE)), Fetched))
        except (InvalidAction, msgspec.ValidationError):
            raise GuardhouseError(
                f"Line {number} of the log of sources is no fetched result.",
                fix="Each line is one object with url, title, snippet, extracted_text and retrieved_at.",
            ) from None
    return FetchLog(results)


def fetched(values: Iterable[Any]) -> FetchLog:
    """The log of results that are already JSON values."""
    try:
        return FetchLog([msgspec.convert(value, Fetched) for value in values])
    except msgspec.ValidationError:
        raise GuardhouseError(
            "A result in the log of sources is none.",
            fix="Each has url, title, snippet, extracted_text and retrieved_at, all strings.",
        ) from None


def canonical(url: str) -> str | None:
    """An http(s) address as two of the same are written alike; None if it is none."""
    try:
        found = parse_destination(url)
    except BadDestination:
        return None
    return found.href if found.scheme in {"http", "https"} else None


def runs(text: str) -> Iterator[tuple[int, int, int]]:
    """The digest of each run of words, and where it stands."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    signs = 0
    for word, start, end in _words(text):
        words.append(word)
        starts.append(start)
        ends.append(end)
        signs = signs + 1 if len(word) == 1 and word > "\u3000" else 0
        size = _RUN_OF_SIGNS if signs >= RUN else RUN
        if len(words) >= size:
            yield hash(tuple(words[-size:])), starts[-size], end


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Words as they are compared: without case, accents, signs between them, or characters that nobody sees."""
    if text.isascii():
        for match in _WORD.finditer(text.lower()):
            yield match[0], match.start(), match.end()
        return
    plain: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if is_hidden(char):
            continue
        for one in unicodedata.normalize("NFKD", char).casefold():
            if not unicodedata.combining(one):
                plain.append(one)
                places.append(place)
    for match in _WORD.finditer("".join(plain)):
        yield match[0], places[match.start()], places[match.end() - 1] + 1
