"""Listings in plain text: which of the entries of a text are things that a service lists, and the id that each has.

`Order 24-1093: …`, `m1 from Ann …`, `… (item LM-2041)`. In a record, a field says what is an id; here its place does:
at the same point of several entries, in the same shape, or behind a word for it. An entry's own id is told from an id
that somebody mentions in it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.values import values
from guardhouse.trust.ledger.words import comparable

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABELS: Final = frozenset(
    "item order id no nr number ref reference sku ticket booking reservation invoice issue pr request case # key "
    "code event transaction flight room berth patient release version tag quote campaign backup draft entry "
    "file".split()
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
    """With every number as a nine and every letter as an a, the label before it, and where in its entry it stands."""
    labelled: bool


def own_ids(entries: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The own ids of each entry, given by its lines; none for those that have none. An entry may have several, as a
    table has columns: the number of a booking, and that of the place."""
    tokens = [_tokens(entry[0]) for entry in entries]
    shapes = _shared_shapes(tokens)
    if not shapes:
        return _only_labelled(tokens)
    columns = [_column(tokens, shape) for shape in shapes]
    return [tuple(filter(None, own)) for own in zip(*columns, strict=True)]


def _column(tokens: list[list[_Token]], shape: str) -> list[str]:
    """The ids of one shape, one for each entry; empty for those that have none, or the same as another."""
    found = [next((token.text for token in own if token.shape == shape), "") for own in tokens]
    times = Counter(found)
    return [own if times[own] == 1 else "" for own in found]


def _only_labelled(tokens: list[list[_Token]]) -> list[tuple[str, ...]]:
    """Where nothing is listed, the one id in all of the text that is called one."""
    labelled = {token.text: at for at, own in reversed([*enumerate(tokens)]) for token in own if token.labelled}
    if len(labelled) != 1:
        return [()] * len(tokens)
    ((only, first),) = labelled.items()
    return [(only,) if at == first else () for at in range(len(tokens))]


def _shared_shapes(tokens: list[list[_Token]]) -> list[str]:
    """The shapes of the ids of a listing: those that several of the entries have, each with another id, and that the
    first of these entries has. Whoever writes into a later one can't bring in another."""
    entries: dict[str, set[str]] = {}
    for own in tokens:
        for shape, text in {token.shape: token.text for token in reversed(own)}.items():
            entries.setdefault(shape, set()).add(text)
    for own in tokens:
        shared = list(dict.fromkeys(token.shape for token in own if len(entries[token.shape]) >= _FEWEST))
        if shared:
            listed = [one for one in tokens if any(token.shape == shared[0] for token in one)]
            others = [one for one in shared[1:] if one.split(" ")[-2] != shared[0].split(" ")[-2]]
            whole = [one for one in others if all(any(token.shape == one for token in own) for own in listed)]
            return [shared[0], *whole][:_MOST_COLUMNS]
    return []


_MOST_COLUMNS: Final = 3


def _tokens(line: str) -> list[_Token]:
    """The tokens of a line that may be ids, from its beginning and from its end."""
    raw = line.split()
    found: list[_Token] = []
    for at in dict.fromkeys((*range(len(raw))[:_MOST_TOKENS], *range(len(raw))[-_MOST_TOKENS:])):
        chunk = raw[at]
        text = comparable(chunk[: 2 * _LONGEST].strip(_EDGES))
        marked = text.startswith("#")
        text = text.lstrip("#")
        if len(text) > _LONGEST or not any(map(str.isdecimal, text)) or not _is_plain(text) or set(chunk) & _MONEY:
            continue
        if any(value.type in {"date", "day", "time"} for value in values(text)):
            continue
        before = comparable(raw[at - 1][:_LONGEST].strip(_EDGES)) if at else ""
        labelled = marked or before in _LABELS
        place = _place(raw, at, labelled=labelled and not marked)
        if not labelled and text.isdecimal() and chunk[-1] in ".)":
            continue  # `1.` only counts the entries
        if labelled or place == _FIRST or _mixed(text):
            label = "#" if marked else before if labelled else ""
            found.append(_Token(text, f"{label} {_shape(text)} {place}", labelled))
    return found


_FIRST: Final = "first"


def _place(raw: list[str], at: int, *, labelled: bool) -> str:
    """Where in its entry an id stands: first, in brackets, last, or as the how manieth."""
    start = at - 1 if labelled else at
    if start == 0 or (start == 1 and not any(map(str.isalnum, raw[0]))):
        return _FIRST
    if raw[start][0] in "([":
        return "bracketed"
    return "last" if at == len(raw) - 1 else str(start)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace("_", "").replace("/", "").isalnum()


def _mixed(text: str) -> bool:
    """Whether a token is more than a number or a word with one behind it: `LM-2041`, `IMG_0460`."""
    return any(map(str.isalpha, text)) and sum(map(str.isdecimal, text)) >= _FEWEST


def _shape(text: str) -> str:
    shape = ""
    for char in text:
        kind = "9" if char.isdecimal() else "a" if char.isalpha() else char
        if kind != "9" or not shape.endswith("9"):
            shape += kind
    return shape
