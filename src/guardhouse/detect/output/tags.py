"""Reads HTML as far as it names places or runs something: tags, their attributes, style sheets.

Forgiving in the way browsers are: upper case, no quotation marks, a slash for a blank, a tag that is never closed. The
text is read once, whatever is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.output.interface import Means, Next, Reference, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESSES: Final = frozenset(
    "href src srcset data action formaction poster background ping xlink:href longdesc dynsrc lowsrc icon manifest "
    "imagesrcset codebase archive classid profile srcdoc cite".split()
)
_LINKS: Final = frozenset(("a", "area"))
_LOADING: Final = frozenset("script iframe frame object embed applet link base form portal style meta".split())
"""Tags that bring in more than a picture."""
_RUNNING_STYLES: Final = ("expression(", "script:", "behavior:", "-moz-binding")
_BLANK: Final = " \t\r\n\f/"
_ENDS_NAME: Final = frozenset(" \t\r\n\f/>=")
_ENDS_BARE: Final = frozenset(" \t\r\n\f>")
_LONGEST: Final = 65536
"""Characters of one tag that are read; what is longer ends there."""


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    attributes: list[tuple[str, str]]


def tag_references(text: str) -> Iterator[Reference]:
    """Every place that tags and style sheets name, and every script and handler."""
    if "<" in text:
        lowered = folded(text)
        end_of_script = Next(lowered, "</script")
        for tag in _tags(text):
            if tag.name == "script":
                end = end_of_script(tag.end)
                yield Reference(Means.ACTIVE, tag.start, _end_of_tag(text, end) if end < len(text) else tag.end, "")
            else:
                yield from _of_tag(tag)
    yield from _of_styles(text)


def _of_tag(tag: _Tag) -> Iterator[Reference]:
    name = tag.name
    means = Means.LINK if name in _LINKS else Means.ACTIVE if name in _LOADING else Means.IMAGE
    for key, value in tag.attributes:
        if key.startswith("on") and len(key) > 2 and value:
            yield Reference(Means.ACTIVE, tag.start, tag.end, "")
        elif key in {"srcset", "imagesrcset"}:
            for piece in value.split(","):
                yield Reference(means, tag.start, tag.end, piece.strip().partition(" ")[0])
        elif key == "srcdoc":
            yield Reference(Means.ACTIVE, tag.start, tag.end, "")
        elif key == "content" and name == "meta":
            url = value.lower().find("url=")
            if url >= 0:
                yield Reference(Means.ACTIVE, tag.start, tag.end, value[url + 4 :].strip("\"' "))
        elif key in _ADDRESSES and value:
            yield Reference(means, tag.start, tag.end, value)
        elif key == "style" and any(word in folded(value) for word in _RUNNING_STYLES):
            yield Reference(Means.ACTIVE, tag.start, tag.end, "")
        elif key == "style":
            for found in _of_styles(value):
                yield found._replace(start=tag.start, end=tag.end)


def _tags(text: str) -> Iterator[_Tag]:
    at = 0
    quotes = {'"': 0, "'": 0}
    """For each kind of mark, from where on there is none any more; 0: that is not known yet."""
    while (start := text.find("<", at)) >= 0:
        at = start + 1
        while text[at : at + 1] in {"/", "!", "\0"} and text[at : at + 1]:
            at += 1
        if not text[at : at + 1].isalpha():
            continue
        limit = min(len(text), start + _LONGEST)
        name_end = at
        while name_end < limit and text[name_end] not in _ENDS_NAME and text[name_end] != "<":
            name_end += 1
        name = text[at:name_end].lower()
        if ":" in name and text[name_end - 1 : name_end] != ":" and name.partition(":")[0] not in {"svg", "xlink"}:
            continue  # an address between angle brackets
        attributes, end = _attributes(text, name_end, limit, quotes)
        yield _Tag(start, end, name, attributes)
        at = max(end, at)


def _attributes(text: str, at: int, limit: int, quotes: dict[str, int]) -> tuple[list[tuple[str, str]], int]:
    """The attributes of a tag, names in lower case, and where the tag ends."""
    found: list[tuple[str, str]] = []
    while at < limit:
        char = text[at]
        if char == ">":
            return found, at + 1
        if char in _BLANK or char in "\"'<=":
            at += 1
            continue
        begin = at
        while at < limit and text[at] not in _ENDS_NAME:
            at += 1
        name = text[begin:at].lower()
        behind = at
        while behind < limit and text[behind] in " \t\r\n\f":
            behind += 1
        if text[behind : behind + 1] != "=":
            found.append((name, ""))
            continue
        at = behind + 1
        while at < limit and text[at] in " \t\r\n\f":
            at += 1
        value, at = _value(text, at, limit, quotes)
        found.append((name, value))
    return found, limit


def _value(text: str, at: int, limit: int, quotes: dict[str, int]) -> tuple[str, int]:
    mark = text[at : at + 1]
    if mark == "\\" and text[at + 1 : at + 2] in quotes:  # as it is written inside a string
        at, mark = at + 1, text[at + 1]
    if mark in quotes and not 0 < quotes[mark] <= at + 1:
        end = text.find(mark, at + 1, limit)
        if end >= 0:
            return text[at + 1 : end].rstrip("\\"), end + 1
        if limit == len(text):
            quotes[mark] = at + 1
    at += mark in quotes
    end = at
    while end < limit and text[end] not in _ENDS_BARE:
        end += 1
    return text[at:end], end


def _end_of_tag(text: str, at: int) -> int:
    end = text.find(">", at, at + _LONGEST)
    return end + 1 if end >= 0 else len(text)


def _of_styles(text: str) -> Iterator[Reference]:
    """Places that a style sheet names: `url(…)`, `@import "…"`."""
    if "(" not in text and "@" not in text:
        return
    lowered = folded(text)
    size = len(text)
    for word in ("url(", "@import"):
        at = lowered.find(word)
        while at >= 0:
            begin = at + len(word)
            while begin < size and text[begin] in _BEFORE_ADDRESS:
                begin += 1
            stop = begin
            while stop < min(size, begin + _LONGEST_ADDRESS) and text[stop] not in _ENDS_ADDRESS:
                stop += 1
            if begin < stop and not lowered.startswith("url(", begin):
                close = stop + (text[stop : stop + 1] in _QUOTES and stop < size)
                yield Reference(Means.IMAGE, at, close + (text[close : close + 1] == ")"), text[begin:stop])
            at = lowered.find(word, max(stop, begin))


_BEFORE_ADDRESS: Final = frozenset(" \t\r\n\"'")
_ENDS_ADDRESS: Final = frozenset(" \t\r\n\"');")
_QUOTES: Final = ('"', "'")
_LONGEST_ADDRESS: Final = 8192
