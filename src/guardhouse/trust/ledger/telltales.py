"""By what a text is recognised where it turns up again: runs of words, addresses, links and account numbers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.reading import GRAM
from guardhouse.trust.ledger.values import values
from guardhouse.trust.ledger.words import grams, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ENTITIES: Final = frozenset({"email", "url"})
_SHORTEST_ACCOUNT: Final = 8
"""Characters of a number or id that could be an account."""
_FEWEST_DIGITS: Final = 5


def telltales(texts: Iterable[str], most: int | None = None) -> tuple[str, ...]:
    """The values by which these texts are recognised, as a session's index has them; at most so many. Addresses come
    first; of more runs of words than there is room for, every so manieth is taken, so that no part is left out."""
    texts = tuple(texts)
    entities = dict.fromkeys(form for text in texts for form in _entities(text))
    runs = dict.fromkeys(f"gram:{gram}" for text in texts for gram in grams(words(text), GRAM))
    if most is None:
        return (*entities, *runs)
    taken = tuple(entities)[: most // 2]
    step = -(-len(runs) // max(most - len(taken), 1)) or 1
    return (*taken, *tuple(runs)[::step])


def _entities(text: str) -> Iterator[str]:
    for value in values(text):
        if value.type in _ENTITIES or (value.type == "id" and _is_account(value.form)):
            yield str(value)


def _is_account(form: str) -> bool:
    return len(form) >= _SHORTEST_ACCOUNT and sum(map(str.isdigit, form)) >= _FEWEST_DIGITS


def carries(content: Iterable[str], planted: str) -> bool:
    """Whether a planted text, or a telling part of it, stands in content."""
    content = tuple(content)
    wanted = telltales([planted])
    if wanted:
        return not frozenset(wanted).isdisjoint(telltales(content))
    bare = " ".join(words(planted))
    return bool(bare) and any(f" {bare} " in f" {' '.join(words(text))} " for text in content)
