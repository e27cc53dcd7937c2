"""Listings in plain text: which of the entries of a text are things that a service lists, and the id that each has.

`Order 24-1093: …`, `m1 from Ann …`, `… (item LM-2041)`. In a record, a field says what is an id; here its place does:
at the same point of several entries, in the same shape, or behind a word for it. An entry's own id is told from an id
that somebody mentions in it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.words import comparable

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABELS: Final = frozenset(
    "item order id no nr number ref reference sku ticket booking reservation invoice issue pr request case # key "
    "code event transaction".split()
)
"""Words that an id follows."""
_EDGES: Final = "\"'“”‘’«»()[]{}<>|*_~=,;:!?`….-"
_FEWEST: Final = 2
_LONGEST: Final = 40
_MOST_TOKENS: Final = 24
"""Of an entry: its id stands at the beginning, or the entry is short."""
_MONEY: Final = frozenset("$€£¥₹%")


class _Token(NamedTuple):
    text: str
    shape: str
    """With the label before it, if there is one, and every number as a nine."""
    leads: bool
    """It is the first of its entry."""
    labelled: bool


def own_ids(entries: Sequence[Sequence[str]]) -> list[str]:
    """The own id of each entry, given by its lines; empty for those that have none."""
    tokens = [_tokens(entry[0]) for entry in entries]
    shape = _shared_shape(tokens)
    if shape is None:
        return _only_labelled(tokens)
    found = [next((token.text for token in own if token.shape == shape), "") for own in tokens]
    times = Counter(found)
    return [own if times[own] == 1 else "" for own in found]


def _only_labelled(tokens: list[list[_Token]]) -> list[str]:
    """Where nothing is listed, the one id in all of the text that is called one."""
    labelled = {token.text for own in tokens for token in own if token.labelled}
    if len(labelled) != 1:
        return [""] * len(tokens)
    (only,) = labelled
    first = next(at for at, own in enumerate(tokens) if any(token.text == only and token.labelled for token in own))
    return [only if at == first else "" for at in range(len(tokens))]


def _shared_shape(tokens: list[list[_Token]]) -> str | None:
    """The shape of the ids of a listing: the one that most of the entries have, each with another id."""
    shapes = Counter(shape for own in tokens for shape in {token.shape for token in own})
    listed = [(times, shape) for shape, times in shapes.items() if times >= _FEWEST]
    if not listed:
        return None
    most = max(times for times, _ in listed)
    first = [token.shape for own in tokens for token in own if shapes[token.shape] == most]
    return first[0]


def _tokens(line: str) -> list[_Token]:
    """The tokens of a line that may be ids, from its beginning and from its end."""
    raw = line.split()
    found: list[_Token] = []
    for at in dict.fromkeys((*range(len(raw))[:_MOST_TOKENS], *range(len(raw))[-_MOST_TOKENS:])):
        chunk = raw[at]
        text = comparable(chunk.strip(_EDGES))
        marked = text.startswith("#")
        text = text.lstrip("#")
        if len(text) > _LONGEST or not any(map(str.isdecimal, text)) or not _is_plain(text) or set(chunk) & _MONEY:
            continue
        before = comparable(raw[at - 1].strip(_EDGES)) if at else ""
        labelled = marked or before in _LABELS
        leads = at == 0 or (at == 1 and not any(map(str.isalnum, raw[0])))
        if not labelled and not leads and not _mixed(text):
            continue
        label = "#" if marked else before if labelled else ""
        found.append(_Token(text, f"{label} {_shape(text)}", leads, labelled))
    return found


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace("_", "").replace("/", "").isalnum()


def _mixed(text: str) -> bool:
    """Whether a token is more than a number or a word with one behind it: `LM-2041`, `IMG_0460`."""
    return any(map(str.isalpha, text)) and sum(map(str.isdecimal, text)) >= _FEWEST


def _shape(text: str) -> str:
    shape = ""
    for char in text:
        kind = "9" if char.isdecimal() else char
        if kind != "9" or not shape.endswith("9"):
            shape += kind
    return shape
