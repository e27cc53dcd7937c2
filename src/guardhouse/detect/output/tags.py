"""Reads HTML as far as it names places or could run something.

Every `<` before a letter may begin a tag, wherever it stands: in a value of another one, or in a comment. A tag that is
written plainly is judged by its attributes; of any other it is not known what a browser makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.interface import Next, compiled, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING: Final = r"<[A-Za-z]"
_VALUE: Final = r"\"[^\"<>`\\\r\n\x00]*+\"|'[^'<>`\\\r\n\x00]*+'|[^\s\"'<>=`\\\x00]++"
_TAG: Final = (
    r"<([A-Za-z][A-Za-z0-9:-]*+)"
    rf"((?:[ \t]++(?:\r?\n)?+[ \t]*+[A-Za-z_][A-Za-z0-9_:.-]*+(?:[ \t]*+=[ \t]*+(?:{_VALUE}))?+)*+)"
    r"[ \t]*+(?:\r?\n)?+[ \t]*+/?+>"
)
_ATTRIBUTE: Final = rf"([A-Za-z_][A-Za-z0-9_:.-]*+)(?:[ \t]*+=[ \t]*+({_VALUE}))?+"
_AUTOLINK: Final = r"<([A-Za-z][A-Za-z0-9+.-]{1,31}+:[^\s<>]*+)>"
_COVERING: Final = frozenset("script style textarea template noscript title xmp plaintext svg math".split())
"""Tags that change what the text behind them is, by themselves."""
_LOADING: Final = frozenset(
    "iframe frame frameset object embed applet link meta base form input button portal animate set use "
    "foreignobject".split()
)
"""Tags that run or load more than a picture, if they are told what. `Local<Object>` is none."""
_KNOWN: Final = frozenset(
    "a abbr acronym address area article aside audio b bdi bdo bgsound big blink blockquote body br canvas "
    "caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em "
    "fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i image img ins "
    "isindex kbd keygen label legend li listing main map mark marquee menu meter nav nobr ol optgroup option "
    "output p picture pre progress q rp rt ruby s samp section select small source span strike strong sub "
    "summary sup table tbody td tfoot th thead time tr track tt u ul var video wbr".split()
)
_TAGS: Final = _KNOWN | _COVERING | _LOADING
_PLAIN: Final = frozenset(
    "abbr accesskey align alt aria-label axis bgcolor border cellpadding cellspacing char charset class "
    "clear color colspan compact controls crossorigin datetime decoding dir download face fetchpriority for "
    "frame headers height hidden hspace id itemprop itemscope itemtype kind label lang loading loop media "
    "muted name noshade nowrap open preload rel reversed role rowspan rules scope size sizes span spellcheck "
    "start summary tabindex target title translate type valign value vspace width".split()
)
"""Attributes whose values lead nowhere."""
_PLACES: Final = frozenset(("href", "src", "srcset", "poster", "cite"))
_PLAIN_STYLE: Final = r"[A-Za-z0-9 :;#.,%-]*+"


class Tag(NamedTuple):
    """What may be a tag."""

    start: int
    name: str
    is_plain: bool
    """It is written in the one way that every browser reads alike, and no attribute of it but those below can do
    anything."""
    places: list[tuple[str, int, str]]
    """Addresses in it: the attribute, where it stands, and its value."""


def tags(text: str) -> Iterator[Tag]:
    """Everything that may be a tag, but for what has no attributes and is nothing that HTML knows."""
    if "<" not in text:
        return
    equals, closing = Next(text, "="), Next(text, ">")
    for opening in compiled(_OPENING).finditer(text):
        start = opening.start()
        whole = compiled(_TAG).match(text, start)
        if whole is None:
            if compiled(_AUTOLINK).match(text, start) is None and _could_be(text, start, equals, closing):
                yield Tag(start, "", is_plain=False, places=[])
            continue
        name = folded(whole[1])
        places: list[tuple[str, int, str]] = []
        is_plain = name not in _COVERING
        base = whole.start(2)
        for one in compiled(_ATTRIBUTE).finditer(whole[2]):
            value = one[2]
            if value is None:
                continue
            is_plain &= name not in _LOADING
            key = folded(one[1])
            bare = value[1:-1] if value[:1] in {'"', "'"} else value
            if key in _PLACES:
                places.append((key, base + one.start(2) + (bare is not value), bare))
            elif key == "style":
                is_plain &= compiled(_PLAIN_STYLE).fullmatch(bare) is not None
            elif key not in _PLAIN and not key.startswith(("data-", "aria-")):
                is_plain = False
        if places or not is_plain:
            yield Tag(start, name, is_plain, places)


def autolinks(text: str) -> Iterator[tuple[int, int, str]]:
    """Addresses between angle brackets: where each begins and ends, and what it says."""
    if "<" in text:
        for one in compiled(_AUTOLINK).finditer(text):
            yield one.start(), one.end(), one[1]


def _could_be(text: str, start: int, equals: Next, closing: Next) -> bool:
    """Whether what is not written plainly could be a tag all the same, and not `a <b` or `list<int>`."""
    name = compiled(r"[A-Za-z][^\s/>]{0,31}+").match(text, start + 1)
    if name is not None and folded(name[0]) in _TAGS:
        return True
    return equals(start) < closing(start)
