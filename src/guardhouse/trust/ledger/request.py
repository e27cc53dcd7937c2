"""What a person's message asks for, as far as later calls must answer to it.

Kept of a message are marks of a closed vocabulary (kinds of action, "the cheapest", "all of them", "as the letter
says") and the amounts that can be reckoned with: no text, and no number that may be somebody's.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.ledger.asking import asked_for, asks_to_know
from guardhouse.trust.ledger.bidding import bids, is_wish, needed
from guardhouse.trust.ledger.clauses import affirmed
from guardhouse.trust.ledger.confirming import is_confirmation
from guardhouse.trust.ledger.fields import SPOKEN_OF
from guardhouse.trust.ledger.kinds import KINDS
from guardhouse.trust.ledger.saying import MOST_WORDS, is_addressed, numbers_by_use, people
from guardhouse.trust.ledger.values import Value, values
from guardhouse.trust.ledger.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.trust.ledger.bidding import Bid

MARKS: Final = {
    # new ones go to the end: sessions number them
    # mark: words or phrases that set it, by their stems; a phrase is joined by blanks
    "max size": "largest|biggest|longest|heaviest|greatest",
    "min size": "smallest|shortest|tiniest|lightest|fewest",
    "max price": "most expensive|priciest|dearest|highest price|higher price",
    "min price": "cheapest|least expensive|lowest price|cheaper|budget friendly|best price|affordable",
    "max rating": "highest rated|top rated|best rated|highest rating|best rating|best reviewed|best|highest score|top",
    "min rating": "worst|lowest rated|lowest rating|worst rated|lowest score",
    "max date": "latest|newest|most recent|last",
    "min date": "oldest|earliest|first|next|soonest|upcoming",
    "max count": "most|highest number|largest number|busiest|most active",
    "min count": "least|lowest number|smallest number|fewest",
    "all": "all|each|every|everyone|everybody|both|everything|whoever",
    "delegates": "according to|accordingly|based on|as described|as stated|as mentioned|as written|as listed|"
                 "as it says|as requested|instruction|instructions|specified in|mentioned in|listed in|"
                 "described in|stated in|whatever it says|what it says|says|follow the|do what|as per|per the|"
                 "given in|see the|todo|to do|"
                 "task list|bill|invoice|what they|what he|what she|like in|as in|the one in|in the file|in the email|"
                 "in the message|in the document|in the letter|from the file|from the email|from the document|"
                 "the actions|handle|take care of|deal with|fill in|fill out|sort out|details in|can find",
    "orders": "follow the instruction|do what|the action|task list|todo list|to do list|todo|do all the task|"
              "follow it|whatever it ask|as requested|as it say|carry out|do everything|all the task|do the task|"
              "what it say to do|handle the request|do as",
    "copies": "verbatim|word for word|include the text|full text|exact text|share the text",
    "reckons": "difference|percent|total|sum|average|plus|minus|remaining|rest|increase|decrease|tip|interest|vat|tax|"
               "back|too much|too little|extra|additional|fee|discount|round|combined|together|times|rate|multiply|"
               "add up|excess|balance|change",
    "relative date": "today|tomorrow|tonight|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|"
                     "weekend|month|morning|evening|afternoon|noon|midnight|now|later|next|soon|daily|weekly|monthly|"
                     "yearly|annual|recurring|every day|hour|hours|day|days|minute|minutes",
    "again": "again|another|once more|repeat|one more|second time|twice|resend|retry|duplicate",
    "replies": "reply|respond|answer|write back|get back|tell them|tell him|tell her|let them|let him|let her|rsvp|"
               "back to|thank|refund|return|them back|follow up",
    "own": "my|mine|me|our|us|i",
    "everyone": "to everyone|tell everyone|invite everyone|email everyone|remind everyone|message everyone|"
                "text everyone|ask everyone|add everyone|with everyone|for everyone|let everyone|to everybody|"
                "tell everybody|invite everybody|with everybody|for everybody|to all of them|to each of them|"
                "to both of them|to whoever|text whoever|back whoever|remind whoever|everyone who|everybody who",
    "shares": "half|halves|double|twice|triple|split|share|each|per|third",
    "file": "",
    "people": "",
    "addressed": "",
    "how paid": "card|visa|mastercard|amex|paypal|debit|credit|cash|balance|account",
    "wishes": "",
    "hands": "",
}  # fmt: skip

_ORDINALS: Final = {name: number for number, name in enumerate("first second third fourth fifth sixth".split())}
_NUMBER_WORDS: Final = {
    name: number
    for number, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_MOST_NUMBERS: Final = 24
_LONGEST_NUMBER: Final = 9
_LARGEST_PLAIN: Final = 1000
"""A number without a currency and without anything that it counts is kept up to here: a larger one may be a code."""


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of one message of a person."""

    kinds: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    """Kinds that it may ask for, by a verb that says little."""
    marks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """Fields of records that it speaks of."""
    numbers: tuple[str, ...] = ()
    money: tuple[str, ...] = ()
    """Those of the numbers that are amounts of money."""
    percents: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    """How many there are of what it speaks of: `the three pictures`."""
    place: int | None = None
    """`the second one`: 1."""
    confirms: bool = False
    """It says yes to what was shown, and nothing else."""

    def kept(self) -> dict[str, str]:
        """The same in the form in which a session keeps it: a letter for each kind and mark."""
        texts = {
            "kinds": _letters(self.kinds, KINDS),
            "hints": _letters(self.hints, KINDS),
            "marks": _letters(self.marks, tuple(MARKS)),
            "fields": _letters(self.fields, SPOKEN_OF),
            "numbers": _fitting(self.numbers),
            "money": _fitting(self.money),
            "percents": _fitting(self.percents),
            "sets": _fitting(self.sets),
            "place": "" if self.place is None else str(self.place),
            "confirms": "1" if self.confirms else "",
        }
        return {name: text for name, text in texts.items() if text}


_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_LONGEST_KEPT: Final = 190


def _letters(names: tuple[str, ...], known: tuple[str, ...]) -> str:
    return "".join(_ALPHABET[known.index(name)] for name in names)


def _named(letters: str, known: tuple[str, ...]) -> tuple[str, ...]:
    places = map(_ALPHABET.find, letters)
    return tuple(known[place] for place in places if 0 <= place < len(known))


def _fitting(numbers: tuple[str, ...]) -> str:
    kept = ""
    for number in numbers:
        if len(kept) + len(number) >= _LONGEST_KEPT:
            break
        kept += f"{',' if kept else ''}{number}"
    return kept


def from_kept(texts: Mapping[str, str]) -> Request:
    """The request of which this was kept."""
    return _from_kept(tuple(texts.get(name, "") for name in Request.__struct_fields__))


@lru_cache(maxsize=256)
def _from_kept(texts: tuple[str, ...]) -> Request:
    kinds, hints, marks, fields, numbers, money, percents, sets, place, confirms = texts
    return Request(
        kinds=_named(kinds, KINDS),
        hints=_named(hints, KINDS),
        marks=_named(marks, tuple(MARKS)),
        fields=_named(fields, SPOKEN_OF),
        numbers=_listed(numbers),
        money=_listed(money),
        percents=_listed(percents),
        sets=_listed(sets),
        place=int(place) if place.isdecimal() else None,
        confirms=bool(confirms),
    )


def _listed(numbers: str) -> tuple[str, ...]:
    return tuple(number for number in numbers.split(",") if number)


def read_request(typed: str) -> Request:
    """What the words of a message ask for."""
    meant = affirmed(typed)
    said = words(meant)[:MOST_WORDS]
    orders = bids(meant)
    asked = asked_for(one.core for one in orders)
    stemmed = [stem(word) for word in _without_order(said)]
    scope = _scope(orders, said)
    uses = numbers_by_use(meant)
    amounts = [*uses.money, *uses.counted, *(form for form in uses.plain if float(form) < _LARGEST_PLAIN)]
    numbers = [form for form in amounts if len(form) <= _LONGEST_NUMBER]
    numbers += [str(_NUMBER_WORDS[word]) for word in said if word in _NUMBER_WORDS]
    typed_values = list(values(meant))
    wishes = not orders and is_wish(meant) and not asks_to_know(said)
    is_placed = not wishes and needed(meant).placed
    plainly = asked.plainly | (frozenset({"cart"}) if any(map(_fills_cart, orders)) else frozenset())
    perhaps = asked.perhaps | (_WISHED if wishes else _PLACING if is_placed else frozenset())
    return Request(
        kinds=tuple(sorted(plainly)),
        hints=tuple(sorted(perhaps - plainly)),
        marks=tuple(_marks(said, stemmed, scope, _shown(typed, typed_values, orders, wishes=wishes))),
        fields=tuple(field for field in SPOKEN_OF if field in stemmed),
        numbers=tuple(dict.fromkeys(numbers))[:_MOST_NUMBERS],
        money=tuple(dict.fromkeys(uses.money))[:_MOST_NUMBERS],
        percents=tuple(dict.fromkeys(value.form for value in typed_values if value.type == "pct"))[:_MOST_NUMBERS],
        sets=tuple(dict.fromkeys(_sets(said)))[:_MOST_NUMBERS],
        place=next((_ORDINALS[word] for word in _without_order(scope) if word in _ORDINALS), None),
        confirms=is_confirmation(typed),
    )


_PHRASES: Final = {
    mark: tuple(" ".join(stem(word) for word in phrase.split()) for phrase in phrases.split("|"))
    for mark, phrases in MARKS.items()
}
_OWN: Final = frozenset(MARKS["own"].split("|"))


def _scope(orders: list[Bid], said: list[str]) -> list[str]:
    """The words that say which one is meant: those of the orders to do something, unless what these speak of was named
    before. `Show me the latest news and cancel my order` is about no latest order."""
    acting = [one for one in orders if not one.looks]
    if not acting or any(one.refers for one in acting):
        return said
    return [word for one in acting for word in (*one.core, *one.rest)]


_WHICH: Final = frozenset(mark for mark in MARKS if mark.startswith(("max ", "min ")) or mark in {"all", "again"})


def _shown(typed: str, typed_values: list[Value], orders: list[Bid], *, wishes: bool) -> set[str]:
    """Marks that no words of their own set: what a message names, and what it orders."""
    found = {"file"} if any(value.type == "path" for value in typed_values) else set()
    found |= {"people"} if people(typed) else set()
    found |= {"copies"} if any(map(_copies, orders)) else set()
    found |= {"hands"} if any(map(_hands_over, orders)) else set()
    found |= {"wishes"} if wishes else set()
    return found | ({"addressed"} if is_addressed(typed) else set())


_WISHED: Final = frozenset({"cart"})
"""What somebody may mean who just names a thing: `two kilos of the usual beans, please`."""
_PLACING: Final = frozenset({"change", "create", "move"})
"""What somebody may mean who says where something has to be."""


def _fills_cart(order: Bid) -> bool:
    """`Put two packs of the filters, item H-6033, into my cart`."""
    said = {*order.core, *order.rest}
    return order.verb in {"put", "add", "drop", "throw"} and not said.isdisjoint({"cart", "basket"})


_HANDING: Final = frozenset("send give pass forward hand deliver provide share email mail attach upload copy".split())


def _hands_over(order: Bid) -> bool:
    """Whether an order has something given to somebody, and not just told of: `send Bob the report`, but not `mail Bob
    about the report`."""
    return order.verb in _HANDING and {"about", "regarding", "concerning", "know"}.isdisjoint(order.core)


def _copies(order: Bid) -> bool:
    """Whether an order has a text passed on as it stands."""
    return stem(order.verb) in _COPYING or any(pair == ("as", "is") for pair in pairwise(order.core))


_COPYING: Final = frozenset(map(stem, "forward copy paste quote attach cite transcribe repost".split()))


def _marks(said: list[str], stemmed: list[str], scope: list[str], shown: set[str]) -> Iterator[str]:
    text = f" {' '.join(stemmed)} "
    near = f" {' '.join(stem(word) for word in _without_order(scope))} "
    plain = set(said)
    found = {
        mark
        for mark, phrases in _PHRASES.items()
        if any(phrase and f" {phrase} " in (near if mark in _WHICH else text) for phrase in phrases)
    }
    found.discard("own")
    if not plain.isdisjoint(_OWN):
        found.add("own")
    if _speaks_of_all(stemmed):
        found.add("everyone")
    return (mark for mark in MARKS if mark in found or mark in shown)


_PEOPLE: Final = frozenset(
    (*SPOKEN_OF, *map(stem, "person channel room group colleague employee manager developer student parent child "
                      "neighbor neighbour player teacher passenger tenant resident department".split()))
)  # fmt: skip
_EACH: Final = frozenset(map(stem, "all each every both most least fewest busiest largest smallest".split()))
_NEAR: Final = 4


def _speaks_of_all(stemmed: list[str]) -> bool:
    """Whether all of some people or places are spoken of, or the one with most of something: `every member`, `the
    channel with the most users`."""
    return any(
        word in _EACH and not _PEOPLE.isdisjoint(stemmed[max(at - _NEAR + 1, 0) : at + _NEAR])
        for at, word in enumerate(stemmed)
    )


_ORDERING: Final = frozenset((*_ORDINALS, "next", "last"))
_DETERMINERS: Final = frozenset("the my your his her their our its this that these those a an very".split())


def _without_order(said: list[str]) -> list[str]:
    """The words without those that tell when to do what: `First look at my mail` is about no first one."""
    return [word for at, word in enumerate(said) if word not in _ORDERING or _orders(said, at)]


_TIMES: Final = frozenset("day days week weeks month months year years hour hours minute minutes night".split())


def _orders(said: list[str], at: int) -> bool:
    """Whether a word such as `first` or `next` is about which one, and not about when."""
    following = said[at + 1] if at + 1 < len(said) else ""
    if following in _TIMES:
        return False
    return (at > 0 and said[at - 1] in _DETERMINERS) or following == "one"


_DEFINITE: Final = frozenset("the these those all my our".split())


def _sets(said: list[str]) -> Iterator[str]:
    """How many things are spoken of as all there are."""
    for before, word in pairwise(said):
        number = str(_NUMBER_WORDS[word]) if word in _NUMBER_WORDS else word
        if before in _DEFINITE and number.isdecimal() and len(number) <= 2:
            yield number
    if "both" in said:
        yield "2"
