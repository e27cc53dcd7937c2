"""What in a published text is not to be published as it is, and the text without it.

Images and links lead only to hosts that are allowed; what would run, what a terminal would obey and what nobody can
see goes. What is taken out leaves a word in its place, and what a reader saw of it stays. Names are not looked up.
"""

from __future__ import annotations

import html
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.interface import Means, Reference, folded
from guardhouse.detect.output.markdown import bare_references, code_in, inline_references
from guardhouse.detect.output.tags import tag_references
from guardhouse.detect.output.unseen import hidden
from guardhouse.net import BadDestination, host_class, parse_destination

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from guardhouse.net import NetworkRules

IMAGE: Final = "output.image"
LINK: Final = "output.link"
ACTIVE: Final = "output.active_content"
TERMINAL: Final = "output.terminal_commands"
UNSEEN: Final = "output.hidden_text"

_CODES: Final = {Means.IMAGE: IMAGE, Means.LINK: LINK, Means.BARE: LINK, Means.ACTIVE: ACTIVE}
_WORDS: Final = {IMAGE: "(image removed)", LINK: "(link removed)", ACTIVE: "(active content removed)"}
_ROUNDS: Final = 8
"""What is taken out may bare something that stood inside it. After so many rounds, nothing is left."""
_NOTHING: Final = "(text removed)"
_MOST: Final = 10_000
"""Faults of one text. With more, it is no text."""
_LONGEST_CHECKED: Final = 8192


class Fault(NamedTuple):
    """One thing that is not to be published."""

    code: str
    start: int
    end: int
    instead: str
    host: str | None
    detail: str


def faults(text: str, rules: NetworkRules) -> list[Fault]:
    """Everything that is wrong with a text, by where it begins; outer constructs before inner ones."""
    found = list(islice(_in_plain(text, rules), _MOST))
    if "&" in text:
        found += _behind_entities(text, rules, found)
    if len(found) >= _MOST:
        return [Fault(LINK, 0, len(text), _NOTHING, None, "more than anybody can look at")]
    return sorted(found, key=lambda fault: (fault.start, -fault.end))


def cleaned(text: str, rules: NetworkRules, codes: Collection[str]) -> str:
    """`text` without what is wrong with it, as far as that is one of `codes`. Cleaning twice is cleaning once."""
    for _ in range(_ROUNDS):
        pieces: list[str] = []
        at = 0
        for fault in faults(text, rules):
            if fault.code in codes and fault.start >= at:
                pieces += (text[at : fault.start], fault.instead)
                at = fault.end
        if not pieces:
            return text
        text = "".join((*pieces, text[at:]))
    return _NOTHING


def _in_plain(text: str, rules: NetworkRules) -> Iterator[Fault]:
    for one in hidden(text):
        yield Fault(TERMINAL if one.is_command else UNSEEN, one.start, one.end, "", None, "")
    if "]" not in text and "<" not in text and "://" not in text and "www." not in text and "(" not in text:
        return
    code, drawn = code_in(text)
    named: list[tuple[int, int]] = []
    for reference in inline_references(text):
        named.append((reference.start, reference.end))
        yield from _judged(reference, rules)
    for reference in tag_references(text):
        named.append((reference.start, reference.end))
        if not code.holds(reference.start):
            yield from _judged(reference, rules)
    spans = _Spans(named)
    for reference in bare_references(text):
        if code.holds(reference.start) or spans.holds(reference.start):
            continue
        means = Means.LINK if drawn.holds(reference.start) else reference.means
        yield from _judged(reference._replace(means=means), rules)


class _Spans:
    """Where constructs are whose address was judged already. In what a reader sees of a link, it is not: that may be
    another address."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        spans.sort()
        self._starts = [start for start, _end in spans]
        self._ends: list[int] = []
        for _start, end in spans:
            self._ends.append(max(end, self._ends[-1] if self._ends else 0))

    def holds(self, at: int) -> bool:
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ends[place]


def _judged(reference: Reference, rules: NetworkRules) -> Iterator[Fault]:
    """The fault of a reference, if it has one."""
    code = _CODES[reference.means]
    if reference.means is Means.ACTIVE and not reference.url:
        yield Fault(code, reference.start, reference.end, _WORDS[code], None, "it would run")
        return
    why = _wrong(reference, rules)
    if why is None:
        return
    host, detail, runs = why
    code = ACTIVE if runs else code
    label = reference.label.strip()
    word = _WORDS[code]
    yield Fault(code, reference.start, reference.end, f"{label} {word}" if label else word, host, detail)


class _Wrong(NamedTuple):
    host: str | None
    detail: str
    runs: bool = False


_RUN: Final = ("javascript:", "vbscript:", "livescript:", "mocha:")
_WEB: Final = ("http", "https", "ws", "wss")
_MAIL: Final = ("mailto", "tel", "sms", "xmpp")
_PICTURES: Final = ("image/png", "image/gif", "image/jpeg", "image/jpg", "image/webp", "image/avif", "image/bmp")


def _wrong(reference: Reference, rules: NetworkRules) -> _Wrong | None:
    """What is wrong with where a reference leads: nothing if it stays on the page, or its host is allowed."""
    for url in _readings(reference.url):
        wrong = _wrong_with(url, reference.means, rules)
        if wrong is not None:
            return wrong
    return None


def _wrong_with(url: str, means: Means, rules: NetworkRules) -> _Wrong | None:
    scheme = _scheme(url)
    if scheme not in _WEB and _runs(url):
        return _Wrong(None, "it would run", runs=True)
    if scheme is None:
        if url[:2].replace("\\", "/") != "//":
            return None
        url = f"https:{url}"
    elif scheme == "data":
        is_picture = means is Means.IMAGE and url[5:].lower().startswith(_PICTURES)
        return None if is_picture else _Wrong(None, "it carries a page in itself", runs=True)
    elif scheme in _MAIL:
        return _Wrong(None, "it writes a message") if "?" in url else None
    elif scheme in {"cid", "blob", "about"}:
        return None
    try:
        destination = parse_destination(url)
    except BadDestination as error:
        # Running text is full of what is almost an address.
        if means is Means.BARE and scheme not in {"http", "https"}:
            return None
        return _Wrong(None, error.what.rstrip("."))
    refusal = rules.judge(destination, None)
    if refusal is None:
        kind = host_class(destination.host) if rules.allows(destination) == "*" else None
        return _Wrong(destination.host, f"a host of the kind “{kind.replace('_', ' ')}”") if kind else None
    if means is Means.BARE and not _carries(url):
        return None
    return _Wrong(destination.host, refusal.detail)


def _readings(url: str) -> dict[str, None]:
    """An address as programs follow it, entities read, blanks and control characters out; in Markdown, a backslash
    before a sign goes, too, and elsewhere it stays."""
    url = url[:_LONGEST_CHECKED]
    if "&" in url:
        url = html.unescape(url)
    url = url.strip(_TRIMMED)
    if not url.isprintable():
        url = url.translate(_TAKEN_OUT)
    if "\\" not in url:
        return {url: None}
    pieces: list[str] = []
    at = 0
    while (found := url.find("\\", at)) >= 0:
        pieces.append(url[at:found])
        at = found + 1
        if not url[at : at + 1] or url[at].isalnum():
            pieces.append("\\")
        else:
            pieces.append(url[at])
            at += 1
    return dict.fromkeys((url, "".join((*pieces, url[at:]))))


def _runs(url: str) -> bool:
    """Whether an address is a script. What stands before its name may be something that a browser takes out."""
    head = folded(url[:_LONGEST_HEAD]).partition("/")[0]
    return any(name in head for name in _RUN)


_LONGEST_HEAD: Final = 256
_TRIMMED: Final = "".join(map(chr, range(33)))
_TAKEN_OUT: Final = dict.fromkeys(map(ord, "\t\n\r"))


def _scheme(url: str) -> str | None:
    """The scheme, in lower case; None for what has none, such as `page.html`, `main.py:12` or `C:\\x`."""
    head, colon, rest = url.partition(":")
    plain = head.replace("+", "").replace(".", "").replace("-", "")
    if not colon or len(head) < 2 or not plain.isalnum() or not head[0].isalpha() or not head.isascii():
        return None
    if rest.replace(":", "").replace("-", "").isdigit():
        return None
    return head.lower()


def _carries(url: str) -> bool:
    """Whether an address could take something along: a query, or a part that is no word."""
    before, mark, query = url.partition("?")
    if mark and query:
        return True
    path, _, fragment = before.partition("#")
    if "=" in fragment or "%" in path or "@" in path:
        return True
    return any(_is_packed(part) for part in (*path.replace(".", "/").split("/"), *fragment.split("/")))


def _is_packed(part: str) -> bool:
    """Whether a part of an address looks like something encoded: long, and no words with signs between them."""
    if len(part) < _LONG:
        return False
    longest = max(map(len, part.replace("_", "-").replace(".", "-").replace("+", "-").split("-")))
    return longest >= _LONG


_LONG: Final = 24


def _behind_entities(text: str, rules: NetworkRules, found: Sequence[Fault]) -> list[Fault]:
    """What is wrong with the text that comes out once its entities are read, where nothing was wrong before."""
    plain, places = _unescaped(text)
    if plain == text:
        return []
    known = {fault.start for fault in found}
    return [
        fault._replace(start=places[fault.start], end=places[fault.end], instead=_WORDS.get(fault.code, ""))
        for fault in islice(_in_plain(plain, rules), _MOST)
        if plain[fault.start] == "<" and places[fault.start] not in known
    ]


_LONGEST_ENTITY: Final = 32


def _unescaped(text: str) -> tuple[str, list[int]]:
    """`text` with its entities read, and for each of its characters, and for its end, where it came from."""
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    while (start := text.find("&", at)) >= 0:
        pieces.append(text[at:start])
        places += range(at, start)
        end = text.find(";", start, start + _LONGEST_ENTITY)
        read = html.unescape(text[start : end + 1]) if end >= 0 else "&"
        if end < 0 or len(read) > end - start:
            read, end = "&", start
        pieces.append(read)
        places += [start] * len(read)
        at = end + 1
    pieces.append(text[at:])
    places += range(at, len(text) + 1)
    return "".join(pieces), places
