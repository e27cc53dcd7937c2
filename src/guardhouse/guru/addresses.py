"""Addresses in every dress: with a scheme, without one, with the dots spelt out or in brackets, as numbers.

Names that end like a domain and are none (`Node.js`, `setup.py`, `java.io`) are told by what domains end with, and by
a short list. In claims an address is let through if that very page was fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.log import FetchLog
from guardhouse.guru.reading import Page, linear
from guardhouse.guru.rules import SOURCE, URL

_ENDINGS: Final = frozenset(
    """com org net edu gov mil int io dev ai co uk de fr ru cn jp br eu ca au ch se nl example test invalid onion xyz
    top site online cloud biz tk ws gq nu tv cc pw icu vip shop ly gl gd""".split()
)
"""What a name ends with that is a domain wherever it stands. Endings that are also those of files and attributes are
not here; see `_WITH_PATH`."""
_WITH_PATH: Final = _ENDINGS | frozenset(
    """app info name run page link click live store tech zip mov sh py md rs so pl me us in is it es no to at be pt art
    blog world news email space website fun host pro ml ga cf gg fm im su""".split()
)
_NOT_DOMAINS: Final = frozenset(
    """java.io java.net javax.net system.io system.net socket.io engine.io asp.net vb.net ado.net ml.net .net paper.io
    std.io tokio.io akka.io""".split()
)
_LOCAL: Final = frozenset(("127.0.0.1", "0.0.0.0"))  # noqa: S104 - nothing is bound to it
_NAME: Final = rb"[a-z0-9_-]+(?:[.\x01][a-z0-9_-]+)+"
_MARKS: Final = (
    rb"\bh\s?t\s?t\s?p\s?s?\s{0,2}:\s{0,2}[/\\]\s{0,2}[/\\]|\b[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|\bhxxps?\b|\bh\*\*ps?\b|\bmeow:|\bwww\."
    rb"|\b(?:javascript|vbscript|mailto|blob|view-source|data|tel|sms|magnet|file):[^\s:]|(?:^|[\s(])//[a-z0-9]"
    rb"|\b[\w.+-]{1,64}@[a-z0-9-]{1,63}\.[a-z]|\b[a-z0-9-]{1,63}\s?[\[({<]\s?(?:\.|dot|d0t|punkt|point)\s?[\])}>]\s?[a-z0-9-]"
    rb"|\b[a-z0-9-]{2,63}\s+dot\s+(?:com|org|net|io|dev|co|example|info|app|xyz|ru|cn|de|edu|gov|uk|me|ai)\b"
    rb"|\bcolon\s+slash\s+slash\b|\bslash\s+slash\b|https?%3a"
)
_IP: Final = re.compile(rb"(?<![\w.-])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\w-]|\.\d)")
_FREE: Final = frozenset(("purpose", "query"))
_FULL: Final = re.compile(r"https?://[^\s\"'<>)\]]{1,2000}", re.IGNORECASE)


def addresses(page: Page, log: FetchLog | None) -> Iterator[Violation]:
    """Where an address stands that may not stand there."""
    for start, end in _found(page.data):
        kind = page.field_at(start).kind
        if kind not in _FREE and kind != "claims":
            yield page.wrong(URL, start, end)
    for text in page.texts:
        if text.kind == "claims" and log is not None:
            for match in _FULL.finditer(text.text):
                url = match[0].rstrip(".,;:!?")
                if not log.has(url):
                    low = page.start_of(text) + match.start()
                    yield page.wrong_in_whole(SOURCE, low, low + len(url))


def _found(data: bytes) -> Iterator[tuple[int, int]]:
    for match in linear(_MARKS).finditer(data):
        yield match.span()
    for match in linear(_NAME).finditer(data):
        behind = data[match.end() : match.end() + 1]
        if _is_domain(match[0], behind, data[match.start() - 1 : match.start()]):
            yield match.span()
    for match in _IP.finditer(data):
        octets = [int(match[group]) for group in range(1, 5)]
        if max(octets) > 255 or match[0].decode() in _LOCAL:
            continue
        before = data[max(match.start() - 12, 0) : match.start()].rstrip()
        if not before.endswith((b"version", b"versions", b"v", b"release", b"=")):
            yield match.span()


def _is_domain(name: bytes, behind: bytes, before: bytes) -> bool:
    text = name.decode("latin-1").replace("\x01", ".")
    labels = text.split(".")
    if behind == b"(" or before in {b"/", b"@", b"."} or any(not label or "_" in label for label in labels):
        return False
    last = labels[-1]
    if behind == b"/" and last in _WITH_PATH:
        return True
    if last not in _ENDINGS or len(labels[-2]) < 2:
        return False
    return text not in _NOT_DOMAINS
