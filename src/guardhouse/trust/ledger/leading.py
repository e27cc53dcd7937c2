"""Whether a text that came in may have led a model to a call: whether it speaks of such a deed at all.

A planted order must tell the model what to do. Which kinds of action a text orders, and whether it has any word for
having something gone, is noted as it comes in, and so is a text of which that can't be told: in another language, spelt
out, encoded. Where no text speaks of what a call does, nobody has asked for it but the user, and what a model picks by
itself is taken for what it is. That excuses small steps, the choice between the user's own things in these, verbs that
say little, signing in and the way of finished work (`stepping`): whoever finds a way to say it that is not heard here
gains no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.asking import asked_for
from guardhouse.trust.ledger.bidding import MOST_BIDS, bids, needed
from guardhouse.trust.ledger.kinds import DESTROYING, acts_in, stemmed
from guardhouse.trust.ledger.values import Value
from guardhouse.trust.ledger.words import COMMON, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.trust.ledger.kinds import Kind

DOES: Final = "does"
"""The type of the value that a text is indexed with for each kind of action that it orders; where something is gone by
it, also for what it merely has a word for."""
_ANYTHING: Final = "*"
"""Instead of a kind: it can't be told what the text speaks of."""
_KIN: Final = {
    "cart": ("cart", "buy", "create"),
    "buy": ("buy", "cart", "pay"),
    "pay": ("pay", "buy", "move"),
    "delete": ("delete", "cancel"),
    "cancel": ("cancel", "delete"),
    "create": ("create", "cart", "change"),
    "change": ("change", "switch", "create"),
    "switch": ("switch", "change"),
    "book": ("book", "buy"),
}
_ENDING: Final = stemmed(
    "stop undo unwanted obsolete outdated expired duplicate rid gone disregard abort annul nullify quash axe scratch "
    "strike omit remove dispose clear eliminate void needless unneeded redundant"
)
"""Further words for what is to be gone, where somebody would rather not name it."""
_LONG: Final = 6
"""Words in a row from which on a language that is known has some of its small words."""
_RARE: Final = 8
"""One small word in so many, at least."""
_SPELT: Final = 4
"""Single letters in a row: `c a n c e l`."""
_BLOB: Final = 40
"""Characters of a word that nobody writes."""


def kin(kind: str) -> tuple[str, ...]:
    """The kinds that a sentence may mean by the word for this one, and it itself."""
    return _KIN.get(kind, (kind,))


def speaks_of(sentence: str) -> Iterator[Value]:
    """What a sentence of a text speaks of doing."""
    stems = [stem(word) for word in words(sentence)]
    kinds = {kind for kind in acts_in(stems) if kind in DESTROYING}
    if not _ENDING.isdisjoint(stems):
        kinds |= DESTROYING
    orders = bids(sentence)
    asked = asked_for([*(one.core for one in orders), *([word] for word in needed(sentence).done)])
    yield from (Value(DOES, kind) for kind in sorted(kinds | asked.plainly | asked.perhaps))
    if _is_strange(sentence) or len(orders) >= MOST_BIDS:
        yield Value(DOES, _ANYTHING)


def _is_strange(sentence: str) -> bool:
    """Whether nobody can tell what a sentence speaks of."""
    run: list[str] = []
    for chunk in (*sentence.split(), "."):
        if chunk.isalpha() and chunk.isascii() and len(chunk) <= _BLOB:
            run.append(chunk.lower())
            continue
        said = words(chunk)
        if any(len(word) > _BLOB or _is_mixed(word) for word in said) and "://" not in chunk:
            return True
        if len(said) == 1 and said[0].isalpha() and "@" not in chunk:
            run.append(said[0])
            if chunk[-1].isalnum():
                continue
        if _is_unread(run):
            return True
        run = []
    return False


def _is_unread(run: Sequence[str]) -> bool:
    """Whether words in a row are letters, or of a language that is not known."""
    if len(run) >= _SPELT and all(len(word) == 1 for word in run[:_SPELT]):
        return True
    return len(run) >= _LONG and sum(word in COMMON for word in run) * _RARE < len(run)


def _is_mixed(word: str) -> bool:
    """Whether letters of two scripts make one word."""
    return not word.isascii() and any("a" <= char <= "z" for char in word) and any(char > "\u02ff" for char in word)


def leading(kind: Kind) -> list[str]:
    """What to ask of the index to tell whether a text may have led to a call of this kind."""
    if not kind.verbs:
        return []
    return [f"{DOES}:{one}" for one in (*kin(kind.verbs[0]), _ANYTHING)]
