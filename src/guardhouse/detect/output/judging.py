"""What in a published text is not to be published as it is, and the text without it.

Images and links lead only to hosts that are allowed; what would run, what a terminal would obey and what nobody can
see goes. What is taken out leaves a word in its place, and what a reader saw of it stays. Names are not looked up.
"""

from __future__ import annotations

import html
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.code import Code
from guardhouse.detect.output.interface import Means, Reference, compiled, folded
from guardhouse.detect.output.markdown import bare_references, inline_references
from guardhouse.detect.output.tags import autolinks, tags
from guardhouse.detect.output.unseen import hidden
from guardhouse.net import BadDestination, host_class, parse_destination

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from guardhouse.net import NetworkRules

IMAGE: Final = "output.image"
LINK: Final = "output.link"
ACTIVE: Final = "output.active_content"
TERMINAL: Final = "output.terminal_commands"
UNSEEN: Final = "output.hidden_text"

_CODES: Final = {Means.IMAGE: IMAGE, Means.LINK: LINK, Means.BARE: LINK}
_WORDS: Final = {IMAGE: "(image removed)", LINK: "(link removed)", ACTIVE: "(active content removed)"}
_ROUNDS: Final = 8
"""What is taken out may bare something that stood inside it. After so many rounds, nothing is left."""
_NOTHING: Final = "(text removed)"
_MOST: Final = 10_000
"""Places of one text that are wrong. With more, it is no text."""
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
    unseen = [
        Fault(TERMINAL if one.is_command else UNSEEN, one.start, one.end, one.instead, None, "") for one in hidden(text)
    ]
    found = list(islice(_references(text, rules), _MOST))
    if len(found) == _MOST:
        return [Fault(LINK, 0, len(text), _NOTHING, None, "more than anybody can look at")]
    return sorted([*unseen, *found], key=lambda fault: (fault.start, -fault.end))


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


def _references(text: str, rules: NetworkRules) -> Iterator[Fault]:
    code = Code(text)
    judged: set[int] = set()
    """Where addresses stand that were judged for what they are, so that they are not judged as bare ones."""
    for reference in inline_references(text):
        if code.holds(reference.start) and not _is_far(reference.url):
            continue
        if _is_far(reference.url):
            judged.add(reference.url_start)
        yield from _judged(reference, rules)
    for start, end, url in autolinks(text):
        if not code.holds(start):
            judged.add(start + 1)
            means = Means.BARE if folded(url).startswith(("http://", "https://")) else Means.LINK
            yield from _judged(Reference(means, start, end, url, start + 1), rules)
    yield from _in_tags(text, rules, code, judged)
    is_drawn = compiled(_DRAWING).search(folded(text)) is not None
    for reference in bare_references(text):
        if reference.start not in judged and not code.holds(reference.start):
            means = Means.LINK if is_drawn else reference.means
            yield from _judged(reference._replace(means=means), rules)
    if "&lt;" in text or "&#" in text:
        yield from _behind_entities(text, rules)


_DRAWING: Final = r"(?:```|~~~)[ \t]*+(?:mermaid|dot|graphviz|plantuml|svg|abc|vega)"


def _is_far(url: str) -> bool:
    """Whether an address in code names a host beyond doubt: `a[i](\\w+)` and `f[T](x: int)` are code."""
    return compiled(r"(?i)(?:https?+:)?//[a-z0-9\[]").match(url) is not None


def _in_tags(text: str, rules: NetworkRules, code: Code, judged: set[int]) -> Iterator[Fault]:
    """Tags that are not to be shown as such lose their effect by a blank behind their first sign."""
    for tag in tags(text):
        if code.holds(tag.start):
            continue
        if not tag.is_plain:
            yield Fault(ACTIVE, tag.start, tag.start + 1, "< ", None, "it could run or load something")
            continue
        means = Means.LINK if tag.name in {"a", "area"} else Means.IMAGE
        for key, start, value in tag.places:
            judged.add(start)
            for url in _listed(value) if key == "srcset" else (value,):
                reference = Reference(means, tag.start, tag.start + 1, url, start)
                yield from (fault._replace(instead="< ") for fault in _judged(reference, rules))


def _listed(value: str) -> Iterator[str]:
    for piece in html.unescape(value).split(","):
        words = piece.split()
        if words:
            yield words[0]


def _judged(reference: Reference, rules: NetworkRules) -> Iterator[Fault]:
    """The fault of a reference, if it has one."""
    why = _wrong(reference, rules)
    if why is None:
        return
    code = ACTIVE if why.runs else _CODES[reference.means]
    label = reference.label.strip()
    word = _WORDS[code]
    yield Fault(code, reference.start, reference.end, f"{label} {word}" if label else word, why.host, why.detail)


class _Wrong(NamedTuple):
    host: str | None
    detail: str
    runs: bool = False


_RUN: Final = ("javascript:", "vbscript:", "livescript:", "mocha:")
_WEB: Final = ("http", "https", "ws", "wss")
_MAIL: Final = ("mailto", "tel", "sms", "xmpp")
_OTHERS: Final = frozenset(
    "ftp ftps sftp file gopher ldap ldaps irc ircs ssh git svn magnet vscode vscode-insiders cursor slack discord "
    "whatsapp tg skype msteams zoommtg intent ms-word ms-excel view-source feed jar data".split()
)
_PICTURES: Final = (
    "image/png", "image/gif", "image/jpeg", "image/jpg", "image/webp", "image/avif", "image/bmp", "image/svg+xml",
)  # fmt: skip


def _wrong(reference: Reference, rules: NetworkRules) -> _Wrong | None:
    """What is wrong with where a reference leads: nothing if it stays on the page, or its host is allowed."""
    for url in _readings(reference.url):
        wrong = _wrong_with(url, reference, rules)
        if wrong is not None:
            return wrong
    return None


def _wrong_with(url: str, reference: Reference, rules: NetworkRules) -> _Wrong | None:
    means = reference.means
    is_bare = means is Means.BARE
    scheme = _scheme(url)
    if scheme not in _WEB and not is_bare and _runs(url):
        return _Wrong(None, "it would run", runs=True)
    if scheme is None:
        if compiled(r"[/\\]{2}[\w\[]").match(url) is None:
            return None
        url = f"https:{url}"
    elif scheme == "data":
        is_picture = means is Means.IMAGE and url[5:].lower().startswith(_PICTURES)
        return None if is_picture or is_bare else _Wrong(None, "it carries a page in itself", runs=True)
    elif scheme in _MAIL:
        return _Wrong(None, "it writes a message") if "?" in url and "body=" in folded(url) else None
    elif scheme == "file" and is_bare:
        return None
    elif scheme not in _WEB:
        if not is_bare:
            return _Wrong(None, "its scheme is not one for the web")
        url = f"https{url[url.index(':') :]}"
    if is_bare and not _carries(url + reference.tail):
        return None
    return _wrong_host(url, means, rules)


def _wrong_host(url: str, means: Means, rules: NetworkRules) -> _Wrong | None:
    try:
        destination = parse_destination(url)
    except BadDestination as error:
        # Running text is full of what is almost an address: `https://{host}/`.
        if means is Means.BARE and compiled(r"https?+://[^/?#{}$*<>|^ ]*+[{}$*<>|^ ]").match(folded(url)) is not None:
            return None
        return _Wrong(None, error.what.rstrip("."))
    refusal = rules.judge(destination, None)
    if refusal is None:
        kind = host_class(destination.host) if rules.allows(destination) == "*" else None
        if kind is not None:
            return _Wrong(destination.host, f"a host of the kind “{kind.replace('_', ' ')}”")
        how = _packed_in(url)
        return _Wrong(destination.host, f"its address carries {how}") if how else None
    if means is not Means.IMAGE and destination.host in _OWN:
        return None
    return _Wrong(destination.host, refusal.detail)


def _packed_in(url: str) -> str:
    """What an address of an allowed host takes along that is no id of theirs: text, or something very long."""
    if len(url) < _LONG * 2:
        return ""
    from guardhouse.detect.smuggling.packing import may_pack, packed  # few addresses are so long

    pieces = url.partition("://")[2].replace("#", "/").replace("?", "/").replace("&", "/").replace("=", "/").split("/")
    pieces = [piece for piece in pieces[1:] if piece]
    if not may_pack(pieces):
        return ""
    return next((found.how for found in packed(pieces) if not found.size or found.size > _LONGEST_OPAQUE), "")


_LONGEST_OPAQUE: Final = 512
_OWN: Final = frozenset(("localhost", "127.0.0.1", "::1"))
"""What runs on the reader's own machine: a link to it tells nobody anything."""


def _readings(url: str) -> dict[str, None]:
    """An address as programs follow it, entities read, blanks and control characters out; in Markdown, a backslash
    before a sign goes, too, and elsewhere it stays."""
    url = url.strip(_TRIMMED)[:_LONGEST_CHECKED]
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
    read = "".join((*pieces, url[at:]))
    # In a path, it is no matter; before, it may end a host.
    origin = compiled(r"[^/]*+(?://[^/?#]*+)?+").match(url)
    return dict.fromkeys((url, read)) if origin is not None and "\\" in origin[0] else {read: None}


def _runs(url: str) -> bool:
    """Whether an address is a script. What stands before its name may be something that a browser takes out."""
    head = folded(url[:_LONGEST_HEAD]).partition("/")[0]
    return any(name in head for name in _RUN)


_LONGEST_HEAD: Final = 256
_TRIMMED: Final = (
    "".join(map(chr, range(33)))
    + "\x7f\x85\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"
    + "".join(map(chr, range(0x2000, 0x2010)))
)
_TAKEN_OUT: Final = dict.fromkeys(map(ord, "\t\n\r"))


def _scheme(url: str) -> str | None:
    """The scheme, in lower case; None for what has none, such as `page.html`, `main.py:12`, `C:\\x` or `x: int`."""
    head, colon, rest = url.partition(":")
    scheme = folded(head)
    if not colon or compiled(r"[a-z][a-z0-9+.-]++").fullmatch(scheme) is None:
        return None
    if scheme in _WEB or (rest[:1].isprintable() and rest[:1] not in {"", " ", ":"} and _is_meant(scheme, rest)):
        return scheme
    return None


def _is_meant(scheme: str, rest: str) -> bool:
    if scheme == "data":
        return "," in rest or "/" in rest
    return rest.startswith("//") or scheme in _OTHERS or scheme in _MAIL or f"{scheme}:" in _RUN


def _carries(url: str) -> bool:
    """Whether an address could take something along: a query, or parts that are no words."""
    before, mark, query = url.partition("?")
    if mark and query:
        return True
    before, _, fragment = before.partition("#")
    path = before.partition("://")[2]
    if "=" in fragment or "%" in path or "@" in path or len(path) > _LONGEST_PATH:
        return True
    parts = [*path.replace(".", "/").replace("-", "/").replace("_", "/").split("/"), *fragment.split("/")]
    mixed = sum(len(part) for part in parts if not part.isalpha() and not part.isdigit() and len(part) >= _SOME)
    return mixed >= _LONG or any(len(part) >= _LONG for part in parts)


_SOME: Final = 8
_LONG: Final = 24
_LONGEST_PATH: Final = 200


def _behind_entities(text: str, rules: NetworkRules) -> Iterator[Fault]:
    """Tags that come out once the entities of a text are read: whoever reads them twice has them."""
    plain, places = _unescaped(text)
    if "<" not in plain:
        return
    code = Code(text)
    for fault in _in_tags(plain, rules, Code(""), set()):
        start = places[fault.start]
        if text[start] == "&" and not code.holds(start):
            end = places[fault.start + 1]
            yield fault._replace(start=start, end=end, instead=text[start:end] + " ")


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
