"""Which kinds of action the orders of a message ask for, by their verbs and by what stands with them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.kinds import KINDS_OF, NOUNS, stemmed
from guardhouse.trust.ledger.words import COMMON, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_IDIOMS: Final = {
    tuple(map(stem, idiom.split())): frozenset(kinds.split())
    for kinds, idioms in (
        ("delete", "get rid|clear out|clear up|throw away|throw out|take away"),
        ("delete move", "bin it|bin them|bin that|bin the"),
        ("cancel delete", "call off"),
        ("switch", "turn off|switch off"),
        ("create", "take note|take a note|make note|make a note"),
        ("plan create", "pencil in|pencil it|pencil them"),
        ("send", "drop a line|shoot a"),
        ("buy cart", "treat me|stock up"),
        ("plan book", "a time|a slot|an appointment"),
    )
    for idiom in idioms.split("|")
}
"""Kinds by words that say so only together."""
_LONGEST_IDIOM: Final = max(map(len, _IDIOMS))
_PARTED: Final = {
    (verb, particle): frozenset(kinds.split())
    for kinds, verbs, particles in (
        ("delete cancel", "take kick", "off out away"),
        ("delete cancel", "get", "off"),
        ("delete", "throw clear", "away out"),
        ("cancel delete", "stop", "subscription membership service contract delivery deliveries payments"),
        ("cancel", "call", "off"),
        ("switch", "turn switch", "off"),
        ("post change", "put", "up live online"),
        ("post change create", "get bring", "onto into"),
        ("send", "let", "know"),
        ("send", "pass drop", "on along line"),
        ("share", "let", "see access"),
        ("return pay", "give send", "back"),
        ("mark", "tick cross check strike", "off"),
        ("move plan change", "bring push put move", "forward back"),
        ("book plan send", "have", "look come"),
        ("create plan", "put write enter", "down in"),
    )
    for verb in verbs.split()
    for particle in particles.split()
}
"""Kinds by a verb with a small word behind what it is done to: `take the flat off the internet`."""
_LIGHT: Final = frozenset(
    "make do set put get have take create add place give go keep leave want need like use start open new let bring "
    "check try look".split()
)
"""Verbs that say little by themselves: what stands with them says more."""
_WISHED: Final = frozenset({"get", "want", "need", "take", "grab", "like"})
_INFORMATION: Final = frozenset().union(
    *(stemmed(nouns) for nouns in NOUNS[:4]),
    stemmed(
        "price gate summary info information weather time status list overview result translation answer idea "
        "advice link score page website site web article detail number address code help rid hold touch back picture "
        "view look copy text content date name balance total cost rate temperature access look"
    ),
)
"""What somebody gets by looking for it."""
_SUMS: Final = stemmed(
    "money payment dollar euro pound buck quid franc yen eur usd gbp chf cash tip rent share half difference amount "
    "rest remainder sum"
)


class Asked(NamedTuple):
    """The kinds of action that words ask for."""

    plainly: frozenset[str]
    perhaps: frozenset[str]
    """What they may mean by a verb that says little."""


def asked_for(orders: Iterable[Sequence[str]]) -> Asked:
    """The kinds of action that orders ask for, each given by its words, the verb first."""
    plainly, perhaps = set[str](), set[str]()
    for order in orders:
        verb, said = order[0], [stem(word) for word in order]
        together = _together(said) | _parted(order)
        own = KINDS_OF.get(said[0], frozenset())
        done = next((word for word in order[2:] if word.endswith("ed") or word in _GONE), "") if verb in _WISHED else ""
        if done:
            plainly |= KINDS_OF.get(stem(done), frozenset())
        elif verb in _WISHED and not _INFORMATION.isdisjoint(said[1:]):
            perhaps.add("search")
        elif verb in _LIGHT and not (verb in _WISHED and _is_thing(said[1:])):
            things = (KINDS_OF.get(word, frozenset()) for before, word in pairwise(said) if before not in _OWNED)
            perhaps |= own.union(*things)
        else:
            plainly |= own
        if "pay" in own and verb not in _PAYING and (not _is_sum(order) or not _LETTERS.isdisjoint(said)):
            plainly -= {"pay"}
        plainly |= together - {"pay"} if not _is_sum(order) or not _INFORMATION.isdisjoint(said) else together
    return Asked(frozenset(plainly), frozenset(perhaps) - plainly)


_SET: Final = stemmed("alarm timer reminder subscription renewal")
"""What is gone by being turned off."""
_GONE: Final = frozenset({"gone", "off", "out", "back", "sent", "paid"})
"""Behind a thing that somebody wants, these say what is to become of it: `I want it cancelled`."""
_OWNED: Final = frozenset("my our his her their your to in on into of".split())
"""What follows these is something that is there, and not what is done: `add Ann to my contacts`."""
_LETTERS: Final = stemmed("message mail email reply note call text letter line answer")
_PAYING: Final = frozenset("pay refund reimburse repay settle tip donate remit wire deposit contribute".split())


def _parted(order: Sequence[str]) -> frozenset[str]:
    """The kinds of a verb with its particle, if what it is done to stands between them, and nobody gets it by that:
    `get the file off the server for me`, `let me see it`, `let Bob know in a mail`."""
    verb, rest = order[0], order[1:]
    if verb in {"get", "let"} and not {"me", "us"}.isdisjoint(rest):
        return frozenset()
    if verb == "take" and "of" in rest:
        return frozenset()  # `take a print of it out`
    if verb in {"turn", "switch"} and "off" in rest and not _SET.isdisjoint(map(stem, rest)):
        return frozenset({"switch", "cancel", "delete"})
    found = next((_PARTED[verb, word] for word in rest if (verb, word) in _PARTED), frozenset())
    return found if "know" not in rest or verb != "let" else frozenset({"send"})


def _is_sum(order: Sequence[str]) -> bool:
    """Whether an order is about money: `send Bob 20`, `transfer the rent`."""
    return any(word.isdecimal() or stem(word) in _SUMS for word in order[1:])


def _is_thing(said: Sequence[str]) -> bool:
    """Whether somebody wants a thing, and not to know something."""
    return any(word not in COMMON for word in said) and _INFORMATION.isdisjoint(said)


_KNOWN: Final = stemmed(
    "review history opening hour availability location map direction menu stock specification manual comparison gate "
    "delay forecast schedule timetable difference opinion"
)


def asks_to_know(said: Sequence[str]) -> bool:
    """Whether somebody may want to know something, and not to have it."""
    return not _INFORMATION.union(_KNOWN).isdisjoint(map(stem, said))


def _together(said: Sequence[str]) -> frozenset[str]:
    found = frozenset[str]()
    for size in range(2, _LONGEST_IDIOM + 1):
        for at in range(len(said) - size + 1):
            found |= _IDIOMS.get(tuple(said[at : at + size]), frozenset())
    return found
